"""Arguments, checked and named."""

import operator
from typing import Any, Sequence, Tuple

import numpy as np

from ._errors import ArgumentError
from ._native import ffi


def as_floats(value: Any, argument: str) -> np.ndarray:
    """A C-ordered array of doubles; `value` itself where it is one."""
    try:
        array = np.asarray(value)
        kind = array.dtype.kind
    except Exception as error:  # whatever an object's __array__ raises
        raise ArgumentError(f"{argument}: not an array of numbers: {error}") from None
    if kind not in "fiub":
        raise ArgumentError(
            f"{argument}: expected real numbers, found an array of {array.dtype}")
    # not ascontiguousarray, which makes a number an array of one axis
    return np.asarray(array, dtype=np.float64, order="C")


def as_index(value: Any, argument: str) -> int:
    if isinstance(value, (bool, np.bool_)):
        raise ArgumentError(f"{argument}: expected an integer, found {value!r}")
    try:
        return operator.index(value)
    except TypeError:
        raise ArgumentError(f"{argument}: expected an integer, found {value!r}") from None


def as_list(value: Any, argument: str) -> list:
    if isinstance(value, (str, bytes)):
        raise ArgumentError(f"{argument}: expected a sequence, found {value!r}")
    try:
        return list(value)
    except TypeError:
        raise ArgumentError(f"{argument}: expected a sequence, found {value!r}") from None


def check_shape(array: np.ndarray, shape: Tuple[int, ...], argument: str) -> None:
    if array.shape != shape:
        raise ArgumentError(
            f"{argument}: expected the shape {shape} of the scope, found {array.shape}")


def refuse_entry(array: np.ndarray, log: bool, argument: str) -> None:
    """Say which entry is no weight; returns when all of them are."""
    bad = np.isnan(array) | np.isposinf(array)
    if not log:
        bad |= array < 0
    if bad.any():
        at = tuple(int(i) for i in np.argwhere(bad)[0])
        what = "logarithms below infinity" if log else "finite values of 0 or more"
        raise ArgumentError(f"{argument}: expected {what}, found {array[at]} at {list(at)}")


def doubles(array: np.ndarray):
    """The array's memory, for C to read; it must outlive the call."""
    return ffi.cast("const double *", ffi.from_buffer(array))


def writable(array: np.ndarray):
    return ffi.cast("double *", ffi.from_buffer(array, require_writable=True))


def ints(values: Sequence[int], argument: str):
    try:
        return ffi.new("int[]", values)
    except (OverflowError, TypeError) as error:
        raise ArgumentError(f"{argument}: {error}") from None
