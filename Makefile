# A thin front to CMake, Ninja and CTest. `make help` lists what there is.

PREFIX ?= /usr/local
DESTDIR ?=
SETUP ?= yes
FUZZ_SECONDS ?= 15
SHELL := /bin/bash

# $(need) GROUP...: install what these need and the machine lacks (SETUP=no: do not)
need := @[ '$(SETUP)' = no ] || scripts/setup

all: ## the release build: build/zbound and the libraries
	$(need) build
	@scripts/build build product

setup: ## install all Debian packages that are missing; SETUP=no: never do so
	$(need) build check deep python

demo: all ## bracket spin glasses, and write a page to look at
	@scripts/demo

python: ## build the Python package and test it; PYTHON=python3.12: with that one
	$(need) build python
	@scripts/python

mpi: ## build/zbound-mpi, the program over the ranks of MPI, and test it
	$(need) build mpi
	@scripts/mpi

check: ## build, run every test, try the installation: a few minutes
	$(need) build check
	@scripts/check

deep: ## other compiler, sanitizers, valgrind, many seeds, fuzzing: half an hour
	$(need) build check deep python
	@FUZZ_SECONDS=$(FUZZ_SECONDS) scripts/deep

bench: ## build and run the benchmarks
	$(need) build
	@scripts/bench

install: all ## into PREFIX (/usr/local), below DESTDIR
	@DESTDIR='$(DESTDIR)' cmake --install build --prefix '$(PREFIX)'
	@[ -n '$(DESTDIR)' ] || ldconfig 2>/dev/null || true

uninstall: ## what the last `make install` put below DESTDIR
	@scripts/uninstall '$(DESTDIR)'

format: ## lay out every source file with clang-format
	$(need) check
	@scripts/format

sanitize: ## of deep: tests under the address and undefined-behaviour sanitizers
	$(need) build check deep
	@scripts/deep sanitize

fuzz: ## of deep: fuzz every reader for FUZZ_SECONDS each
	$(need) build check deep
	@FUZZ_SECONDS=$(FUZZ_SECONDS) scripts/deep fuzz

clean: ## remove every build directory
	rm -rf build build-* python/build python/*.egg-info python/zbound/*.so

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## /  make \1 \t/p' Makefile | expand -t 18

.PHONY: all setup demo python mpi check deep bench install uninstall format sanitize fuzz clean help
