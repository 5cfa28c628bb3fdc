"""lower <= ln Z <= upper for discrete graphical models.

>>> import numpy as np, zbound
>>> m = zbound.Model([2, 2, 3])
>>> m.add((0, 1), np.array([[1., .2], [.3, 4.]]))
>>> m.bound(time=10).exact
True

A :class:`Model` is made of tables, read from a file (:func:`read`), made from couplings
(:func:`ising`) or from a model of another package (:func:`from_pgmpy`,
:func:`from_pygms`). docs/python.md tells more.
"""

from ._convert import (Couplings, from_pgmpy, from_pygms, to_couplings, to_networkx, to_pgmpy,
                       to_pygms)
from ._errors import ArgumentError, Error, OutOfMemory
from ._make import ising, read
from ._model import Factor, Model
from ._native import ffi as _ffi, lib as _lib
from ._options import Option, describe_options as _describe_options, options
from ._results import (Best, Bounds, Confidence, Forecast, Info, Marginal, Marginals, Order,
                       Point, Progress, Recipe, Result, Samples, Sizes)

__version__ = _ffi.string(_lib.zb_version()).decode()
__all__ = [
    "ArgumentError", "Best", "Bounds", "Confidence", "Couplings", "Error", "Factor", "Forecast",
    "Info", "Marginal", "Marginals", "Model", "Option", "Order", "OutOfMemory", "Point",
    "Progress", "Recipe", "Result", "Samples", "Sizes",
    "from_pgmpy", "from_pygms", "ising", "options", "read", "to_couplings", "to_networkx",
    "to_pgmpy", "to_pygms",
]

Model.bound.__doc__ = (Model.bound.__doc__ or "").replace("%(options)s", _describe_options())
