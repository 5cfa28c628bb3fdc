# A thin front to CMake, Ninja and CTest. `make help` lists what there is.

PREFIX ?= /usr/local
DESTDIR ?=
SETUP ?= yes
FUZZ_SECONDS ?= 20
SHELL := /bin/bash

all: setup ## the release build: build/zbound and the libraries
	@scripts/build build product

setup: ## install the Debian packages that are missing (SETUP=no: do not)
	@[ '$(SETUP)' = no ] || scripts/setup

demo: all ## bracket a spin glass and draw the bracket closing
	@scripts/demo

check: setup ## everything that has to hold before a change goes in
	@FUZZ_SECONDS=$(FUZZ_SECONDS) scripts/check

bench: setup ## build and run the benchmarks
	@scripts/bench

install: all ## into PREFIX (/usr/local), below DESTDIR
	@DESTDIR='$(DESTDIR)' cmake --install build --prefix '$(PREFIX)'
	@[ -n '$(DESTDIR)' ] || ldconfig 2>/dev/null || true

format: setup ## lay out every source file with clang-format
	@scripts/format

sanitize: setup ## unit tests under the address and undefined-behaviour sanitizers
	@scripts/sanitize

fuzz: setup ## fuzz every reader for FUZZ_SECONDS each
	@scripts/fuzz $(FUZZ_SECONDS)

clean: ## remove every build directory
	rm -rf build build-clang build-sanitize build-fuzz

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## /  make \1 \t/p' Makefile | expand -t 18

.PHONY: all setup demo check bench install format sanitize fuzz clean help
