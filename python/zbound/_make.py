"""Models from files and from couplings."""

import os
import warnings
from typing import Any, Mapping, Optional, Union

import numpy as np

from . import _arrays
from ._errors import ArgumentError, check, new_error
from ._model import Model, as_path
from ._native import ffi, lib
from ._run import Run

_FORMATS = {name[len("ZB_FORMAT_"):].lower(): getattr(lib, name)
            for name in dir(lib) if name.startswith("ZB_FORMAT_")}


def read(path: Union[str, os.PathLike], evidence: Optional[Union[str, os.PathLike]] = None,
         format: str = "detect") -> Model:
    """A model from a file, compressed or not; `evidence` is a file of observations.

    format: 'detect' goes by the name's ending and by the contents. What looks wrong but
    could be read is a warning.

    >>> import os, tempfile, zbound
    >>> name = os.path.join(tempfile.mkdtemp(), "tiny.uai")
    >>> zbound.ising([[0, 1], [1, 0]]).write(name)
    >>> zbound.read(name)
    Model(2 variables, 1 factors)
    """
    if not isinstance(format, str) or format not in _FORMATS:
        raise ArgumentError(f"format: expected one of {', '.join(_FORMATS)}, "
                            f"found {format!r}")
    name = as_path(path, "path")
    seen = as_path(evidence, "evidence") if evidence is not None else None
    out = ffi.new("zb_model **")
    err = new_error()
    with Run() as run:
        check(lib.zb_model_read_as(out, name, _FORMATS[format], run.observer, err), err)
    model = Model._owning(out[0])
    run.ended(by_caller=False)
    for note in run.notes:
        warnings.warn(note, stacklevel=2)
    if seen is not None:
        check(lib.zb_evidence_read(model._model, seen, lib.ZB_EVIDENCE_DETECT, ffi.NULL,
                                   err), err)
    return model


def ising(J: Any, h: Any = None, beta: float = 1.0) -> Model:
    """exp(beta (sum_{i<j} J_ij s_i s_j + sum_i h_i s_i)), spins s = -1, +1.

    J: a square array, a scipy.sparse matrix, or a networkx graph whose edges have a
    ``weight`` (1 where there is none) and whose nodes name the spins. It is symmetric, or
    has each coupling once (as a triangular matrix has); its diagonal is 0. h: a number
    for all spins, an array, or, by name, a mapping. Value 0 of a variable is s = -1.

    >>> import zbound
    >>> m = zbound.ising([[0, 1], [1, 0]], h=[0.5, 0], beta=2)
    >>> [f.scope for f in m.factors]
    [(0,), (0, 1)]
    """
    if hasattr(J, "nodes") and hasattr(J, "edges"):
        names, n, u, v, weight = _from_graph(J)
    else:
        names = None
        n, u, v, weight = _from_matrix(J)
    try:
        scale = float(beta)
    except (TypeError, ValueError):
        raise ArgumentError(f"beta: expected a number, found {beta!r}") from None
    if not np.isfinite(scale):
        raise ArgumentError(f"beta: expected a finite number, found {beta!r}")
    fields = _fields(h, n, names)
    model = Model({name: 2 for name in names} if names is not None else [2] * n)
    with np.errstate(over="ignore"):
        weight, fields = scale * weight, scale * fields
    for argument, array in ("h", fields), ("J", weight):
        if not np.isfinite(array).all():
            raise ArgumentError(f"{argument}: expected finite numbers, also times beta")
    check(lib.zbpy_add_fields(model._model, n, _arrays.doubles(fields)), argument="h")
    check(lib.zbpy_add_pairs(model._model, len(weight), _int_array(u), _int_array(v),
                             _arrays.doubles(weight)), argument="J")
    return model


def _int_array(values: np.ndarray):
    return ffi.cast("const int *", ffi.from_buffer(values))


def _fields(h: Any, n: int, names) -> np.ndarray:
    if h is None:
        return np.zeros(n)
    if isinstance(h, Mapping):
        known = list(names) if names is not None else list(range(n))
        unknown = [name for name in h if name not in set(known)]
        if unknown:
            raise ArgumentError(f"h: there is no spin {unknown[0]!r}")
        h = [h.get(name, 0.0) for name in known]
    fields = _arrays.as_floats(h, "h")
    if fields.ndim == 0:
        return np.full(n, float(fields))
    if fields.shape != (n,):
        raise ArgumentError(f"h: expected {n} numbers, found the shape {fields.shape}")
    return fields


def _from_graph(graph: Any):
    names = tuple(graph.nodes)
    number = {name: v for v, name in enumerate(names)}
    ends = [(number[a], number[b], data.get("weight", 1.0))
            for a, b, data in graph.edges(data=True)]
    if any(a == b for a, b, _ in ends):
        raise ArgumentError("J: an edge from a node to itself is no coupling")
    u, v = (np.array([end[i] for end in ends], dtype=np.intc) for i in (0, 1))
    weight = _arrays.as_floats([w for _, _, w in ends], "J")
    if weight.ndim != 1:
        raise ArgumentError("J: expected numbers as weights of the edges")
    return names, len(names), u, v, weight


def _from_matrix(J: Any):
    """Spins, and each coupling once."""
    if hasattr(J, "tocoo"):
        shape, dense = J.shape, None
        sparse = J.tocoo()
        u, v = (np.asarray(index, dtype=np.int64) for index in (sparse.row, sparse.col))
        weight = _arrays.as_floats(sparse.data, "J")
        if len(shape) == 2 and shape[0] == shape[1]:
            u, v, weight = _summed(shape[0], u, v, weight)
    else:
        dense = _arrays.as_floats(J, "J")
        shape = dense.shape
    if len(shape) != 2 or shape[0] != shape[1]:
        raise ArgumentError(f"J: expected a square matrix, found the shape {tuple(shape)}")
    if dense is not None:
        u, v = np.nonzero(dense)
        weight = dense[u, v]
    if not np.isfinite(weight).all():
        raise ArgumentError("J: expected finite numbers")
    if (u == v).any():
        raise ArgumentError("J: expected zeros on the diagonal: s_i s_i is no coupling")
    return (shape[0], *_once(shape[0], u, v, weight))


def _summed(n: int, u, v, weight):
    """Entries that a sparse matrix has several times are their sum; zeros are not."""
    key, place = np.unique(u * n + v, return_inverse=True)
    total = np.bincount(place, weights=weight, minlength=len(key))
    kept = total != 0
    return key[kept] // max(n, 1), key[kept] % max(n, 1), total[kept]


def _once(n: int, u, v, weight):
    """i < j; where J has both (i, j) and (j, i), they have to agree."""
    low, high = np.minimum(u, v), np.maximum(u, v)
    key, first, place = np.unique(low * n + high, return_index=True, return_inverse=True)
    differs = weight != weight[first][place]
    if differs.any():
        i, j = (int(end[differs][0]) for end in (low, high))
        raise ArgumentError(f"J: neither symmetric nor triangular: J[{i}, {j}] and "
                            f"J[{j}, {i}] are different couplings of one pair")
    return (np.ascontiguousarray(low[first], dtype=np.intc),
            np.ascontiguousarray(high[first], dtype=np.intc),
            np.ascontiguousarray(weight[first]))
