"""What a call from Python costs beyond the same call in C, and what adding a table costs.

    PYTHONPATH=build-python/lib python3 python/bench/calls.py
"""
import time

import numpy as np
import zbound
from zbound._native import ffi, lib


def best_of(call, times=30, each=20) -> float:
    """Seconds of a call when nothing disturbs it."""
    found = []
    for _ in range(times):
        start = time.perf_counter()
        for _ in range(each):
            call()
        found.append((time.perf_counter() - start) / each)
    return min(found)


def overhead() -> float:
    model = zbound.Model([2, 2, 3])
    model.add((0, 1), np.array([[1., .2], [.3, 4.]]))
    options = ffi.new("zb_options *")
    options[0] = lib.zb_options_default()
    out = ffi.new("zb_result *")
    in_c = best_of(lambda: lib.zb_solve(model._model, options, ffi.NULL, out, ffi.NULL))
    return best_of(model.bound) - in_c


def adding() -> float:
    table = np.random.default_rng(1).random([10] * 6)
    return best_of(lambda: zbound.Model([10] * 6).add(range(6), table), 5, 1)


if __name__ == "__main__":
    print(f"bound beyond zb_solve: {1e6 * overhead():.1f} us")
    print(f"a table of 1e6 entries added: {1e3 * adding():.2f} ms")
