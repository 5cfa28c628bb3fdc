"""pip install ./python, from a clone. See docs/python.md."""

import re
from pathlib import Path

from setuptools import setup

header = (Path(__file__).resolve().parent.parent / "include" / "zbound.h").read_text()
version = ".".join(re.findall(r"^#define ZB_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)$", header, re.M))

setup(
    name="zbound",
    version=version,
    description="Guaranteed bounds on the partition function of graphical models",
    license="MIT",
    packages=["zbound"],
    package_data={"zbound": ["py.typed"]},
    python_requires=">=3.9",
    setup_requires=["cffi>=1.15"],
    install_requires=["cffi>=1.15", "numpy>=1.20"],
    cffi_modules=["build_native.py:ffibuilder"],
    # cffi's modules use the stable ABI of CPython: one wheel for all versions
    options={"bdist_wheel": {"py_limited_api": "cp39"}},
    zip_safe=False,
)
