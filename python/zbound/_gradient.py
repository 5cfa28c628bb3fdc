"""Bounds as functions of the factors' log-values, for those who learn models."""

from typing import Any, List, Optional

import numpy as np

from . import _arrays
from ._errors import ArgumentError, check, new_error
from ._native import ffi, lib
from ._options import make_options
from ._results import Bounds
from ._run import Run

_DEFAULTS = {"method": "wmbe-wtheta", "form": "original", "ibound": 8, "iterations": 50}


class BoundsMixin:
    """What :class:`Model` has for learning."""

    def log_z_bounds(self, theta: Any = None, *, start: Optional[Bounds] = None,
                     **options: Any) -> Bounds:
        """Bounds on ln Z with the factors' logarithms in theta, and their derivatives.

        theta: an array for each factor, shaped as its table, or all entries in one flat
        array, factor after factor; None: the model's own. It replaces the values, not
        the scopes; the model stays as it is. start: what an earlier call returned, to go
        on from there: a step of learning changes little, and few iterations are enough
        then. Options are those of :meth:`bound`, of which method (wmbe, wmbe-w,
        wmbe-theta, wmbe-wtheta), ibound (8) and iterations (50) matter most.

        d upper / d theta of a factor is a distribution over its entries: its marginal
        where the bound is exact. With the bound's own parameters as they are, upper is
        a convex function of theta.

        >>> import numpy as np, zbound
        >>> m = zbound.Model([2, 2])
        >>> m.add((0, 1), [[1, 1], [1, 1]])
        >>> b = m.log_z_bounds([np.log([[1, 2], [3, 4]])])
        >>> print(round(b.upper, 6), b.upper_gradient[0].round(3).tolist())
        2.302585 [[0.1, 0.2], [0.3, 0.4]]
        """
        if start is not None and not isinstance(start, Bounds):
            raise ArgumentError(f"start: expected Bounds, found {type(start).__name__}")
        struct, order = make_options({**_DEFAULTS, **options}, self._order)
        model = self if theta is None else self._with(self._tables(theta))
        out = ffi.new("zb_result *")
        state = ffi.new("zb_state **")
        err = new_error()
        with self._used(), Run() as run:
            check(lib.zb_solve_with(model._model, struct,
                                    start._state if start is not None else ffi.NULL,
                                    state, run.observer, out, err), err)
        kept = ffi.gc(state[0], lib.zb_state_free)
        result = self._result(out, run)
        flat = isinstance(theta, np.ndarray)
        upper, lower = (
            self._differentiate(model, kept, struct, side, flat)
            if has and np.isfinite(bound) else None
            for side, has, bound in (
                (lib.ZB_SIDE_UPPER, out.has_upper, out.log_upper),
                (lib.ZB_SIDE_LOWER, out.has_lower, out.log_lower)))
        return Bounds(result.lower, result.upper, result.exact, upper, lower, result, kept)

    def _shapes(self):
        return [self._shape(self._scope(f)) for f in range(len(self))]

    def _tables(self, theta: Any) -> List[np.ndarray]:
        """theta as an array for each factor."""
        shapes = self._shapes()
        if isinstance(theta, np.ndarray):
            total = sum(int(np.prod(shape)) for shape in shapes)
            flat = _arrays.as_floats(theta, "theta")
            if flat.shape != (total,):
                raise ArgumentError(f"theta: expected {total} entries in one axis, or a "
                                    f"list of arrays, found the shape {flat.shape}")
            return _split(flat, shapes)
        tables = [_arrays.as_floats(t, f"theta[{f}]")
                  for f, t in enumerate(_arrays.as_list(theta, "theta"))]
        if len(tables) != len(shapes):
            raise ArgumentError(
                f"theta: expected {len(shapes)} arrays, found {len(tables)}")
        for f, (table, shape) in enumerate(zip(tables, shapes)):
            _arrays.check_shape(table, shape, f"theta[{f}]")
        return tables

    def _with(self, tables: List[np.ndarray]):
        """The same model with other tables, logarithms."""
        model = type(self)(self.cards)
        for v in range(self._nvars):
            lib.zb_model_observe(model._model, v, lib.zb_model_evidence(self._model, v))
        for f, table in enumerate(tables):
            status = lib.zb_model_add_log_table(
                model._model, lib.zb_model_arity(self._model, f),
                lib.zb_model_scope(self._model, f), table.size, _arrays.doubles(table))
            if status == lib.ZB_EINVAL:
                _arrays.refuse_entry(table, True, f"theta[{f}]")
            check(status, argument=f"theta[{f}]")
        return model

    def _differentiate(self, model, state, struct, side, flat: bool):
        shapes = self._shapes()
        out = np.empty(sum(int(np.prod(shape)) for shape in shapes))
        err = new_error()
        with self._used(), Run() as run:
            check(lib.zb_state_gradient(state, model._model, side, struct, run.observer,
                                        _arrays.writable(out), err), err)
        run.ended(by_caller=False)
        return out if flat else _split(out, shapes)


def _split(flat: np.ndarray, shapes) -> List[np.ndarray]:
    ends = np.cumsum([int(np.prod(shape)) for shape in shapes])
    return [part.reshape(shape) for part, shape in zip(np.split(flat, ends), shapes)]
