"""Build zbound._native: the library's public header as Python sees it.

The declarations are the header itself, run through the C preprocessor: what is added to
it is there in Python with the next build, and nothing is written down twice. The library
is compiled from this clone by CMake, and linked into the module. Environment:

    ZBOUND_BUILD     a CMake build directory to use, such as ../build
    CC               the C compiler
"""

import os
import re
import shlex
import subprocess
from pathlib import Path

import cffi

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
NATIVE = HERE / "native"

# Python functions that C calls: see native/run.h
CALLBACKS = """
extern "Python" bool zbpy_tell(void *handle, const zb_progress *at);
extern "Python" void zbpy_note(void *handle, const char *sentence);
"""


def declarations(header: Path, include: Path) -> str:
    """What a header declares itself, without comments and macros."""
    text = re.sub(r"^\s*#\s*include.*$", "", header.read_text(), flags=re.MULTILINE)
    compiler = shlex.split(os.environ.get("CC", "cc"))
    return subprocess.run(
        [*compiler, "-E", "-P", "-U__GNUC__", f"-I{include}", "-x", "c", "-"],
        input=text, capture_output=True, text=True, check=True).stdout


def run(*command) -> str:
    done = subprocess.run([str(word) for word in command], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        raise SystemExit(f"{shlex.join(map(str, command))} failed:\n{done.stdout}")
    return done.stdout


def build_library() -> "tuple[Path, list[str]]":
    """Compile and install the library below build/; its prefix and how to link it."""
    build = os.environ.get("ZBOUND_BUILD")
    work = Path(build).resolve() if build else HERE / "build" / "zbound"
    prefix = HERE / "build" / "root"
    if build is None:
        run("cmake", "-S", ROOT, "-B", work, "-DCMAKE_BUILD_TYPE=Release",
            "-DZB_PROGRAM=OFF", "-DZB_TESTS=OFF", "-DZB_INSTALL=ON")
        run("cmake", "--build", work, "--target", "product", "--parallel", os.cpu_count() or 1)
    run("cmake", "--install", work, "--prefix", prefix)
    archive = next(prefix.rglob("libzbound.a"))
    os.environ["PKG_CONFIG_PATH"] = str(archive.parent / "pkgconfig")
    flags = run("pkg-config", "--static", "--libs", "zbound").split()
    return prefix, [str(archive) if flag == "-lzbound" else flag for flag in flags]


def make_builder() -> cffi.FFI:
    prefix, link = build_library()
    include = prefix / "include"
    builder = cffi.FFI()
    builder.cdef(declarations(include / "zbound.h", include))
    builder.cdef(declarations(NATIVE / "run.h", include))
    builder.cdef(CALLBACKS)
    builder.set_source("zbound._native", '#include "run.h"\n',
                       sources=["native/run.c"],
                       include_dirs=[str(NATIVE), str(include)],
                       depends=[str(NATIVE / "run.h"), link[0]],
                       extra_compile_args=["-std=gnu17", "-O2", "-Wno-unused-function"],
                       extra_link_args=link)
    return builder


ffibuilder = make_builder()
