"""What people ask of a model besides Z: distributions, draws, the best state."""

import os
from typing import Any, Iterable, Optional, Tuple, Union

import numpy as np

from . import _arrays
from ._errors import ArgumentError, check, new_error
from ._native import ffi, lib
from ._options import make_options
from ._results import Best, Bounds, Marginal, Marginals, Samples
from ._run import Callback, Run


def _stop(number: int) -> str:
    return ffi.string(lib.zb_stop_name(number)).decode()


def _kept(state: Any):
    """A state of the library: the one of Bounds, or that of a file."""
    if isinstance(state, Bounds):
        if not state._state:
            raise ArgumentError("state: these Bounds have none")
        return state._state
    try:
        path = os.fspath(state)
    except TypeError:
        raise ArgumentError(
            f"state: expected Bounds or a path, found {type(state).__name__}") from None
    out = ffi.new("zb_state **")
    err = new_error()
    check(lib.zb_state_read(out, os.fsencode(path), err), err)
    return ffi.gc(out[0], lib.zb_state_free)


class AskingMixin:
    """Questions that :class:`Model` answers."""

    def marginals(self, variables: Optional[Iterable[Any]] = None, *, pairs: bool = False,
                  callback: Optional[Callback] = None, progress: bool = False,
                  **options: Any) -> Marginals:
        """The distribution of every variable, or of those named.

        Exact where elimination fits `time` (ten seconds) and `memory`, else estimates from
        draws; in any case with intervals that are proved. pairs: the joint distributions of
        the factors' scopes, too. What counts of the options: time, memory, seed, threads,
        iterations, ibound. Ctrl-C ends it with what is known by then.

        >>> import zbound
        >>> m = zbound.Model({"rain": 2, "grass": 2})
        >>> m.add(("rain", "grass"), [[3, 1], [1, 5]])
        >>> p = m.marginals(pairs=True)
        >>> p.exact, p["rain"].value.round(6).tolist()
        (True, [0.4, 0.6])
        >>> p.factors[0].value.round(6).tolist()
        [[0.3, 0.1], [0.1, 0.5]]
        """
        struct, order = make_options(options, self._order)
        wanted = self._wanted(variables)
        numbers = ffi.new("int[]", wanted)
        request = ffi.new("zb_marginals_request *", {
            "variables": numbers, "count": len(wanted), "pairs": bool(pairs)})
        out = ffi.new("zb_marginals **")
        err = new_error()
        with self._used(), Run(callback, progress) as run:
            check(lib.zb_marginals_new(out, self._model, struct, request, run.observer, err),
                  err)
        answer = ffi.gc(out[0], lib.zb_marginals_free)
        about = lib.zb_marginals_about(answer)
        stop = _stop(about.stop)
        run.ended(by_caller=stop == "interrupted")
        tables = tuple(
            _marginal(lib.zb_marginals_of_factor(answer, f), self._shape(self._scope(f)))
            for f in range(len(self))) if pairs else ()
        return Marginals(
            {self._called(v): _marginal(lib.zb_marginals_of(answer, v), self._shape((v,)))
             for v in wanted},
            tables, about.exact, about.samples, stop, about.seconds, run.notes)

    def _wanted(self, variables: Optional[Iterable[Any]]):
        if variables is None:
            return list(range(self._nvars))
        found = [self._find(v, "variables") for v in _arrays.as_list(variables, "variables")]
        if len(set(found)) < len(found):
            raise ArgumentError(f"variables: expected each once, found {variables!r}")
        return found

    def sample(self, n: int = 1, *, weighted: bool = False,
               state: Optional[Union[Bounds, str, "os.PathLike[str]"]] = None,
               callback: Optional[Callback] = None, **options: Any) -> Samples:
        """n states, a row each, one column for every variable in the order of `variables`.

        They are independent and have exactly the probabilities of the model. The model is
        first solved or bounded, for at most `time` (ten seconds); states are drawn from the
        bound and accepted or refused. weighted: every draw, with the logarithm of its
        weight; the mean weight is Z. There are fewer rows than n where `time` ended it.

        state: what :meth:`log_z_bounds` returned, or a file that the program wrote (`zbound
        MODEL --form original --save FILE`): draws are by its upper bound, and no other is
        looked for. It is of this model, in the form 'original', without gauges.

        >>> import zbound
        >>> m = zbound.ising([[0, 2], [0, 0]])
        >>> s = m.sample(1000, seed=3)
        >>> s.states.shape, s.exact, bool((s.states[:, 0] == s.states[:, 1]).mean() > .9)
        ((1000, 2), True, True)
        >>> b = m.log_z_bounds(method="wmbe-wtheta")
        >>> m.sample(10, state=b).states.shape
        (10, 2)
        """
        n = _arrays.as_index(n, "n")
        if not 0 <= n < 2**31:
            raise ArgumentError(f"n: expected a number of states from 0, found {n}")
        struct, order = make_options(options, self._order)
        out = ffi.new("zb_sampler **")
        err = new_error()
        states = np.empty((n, self._nvars), dtype=np.intc)
        weights = np.empty(n if weighted else 0)
        drawn = ffi.new("size_t *")
        kept = None if state is None else _kept(state)
        with self._used(), Run(callback) as run:
            check(lib.zb_sampler_new(out, self._model, struct, run.observer, err)
                  if kept is None else
                  lib.zb_sampler_load(out, self._model, kept, struct, run.observer, err), err)
            sampler = ffi.gc(out[0], lib.zb_sampler_free)
            check(lib.zb_sampler_draw(
                sampler, n, ffi.cast("int *", ffi.from_buffer(states)) if states.size
                else ffi.new("int[1]"),
                _arrays.writable(weights) if weighted else ffi.NULL, drawn, err), err)
            about = lib.zb_sampler_about(sampler)
            ffi.release(sampler)
        run.ended(by_caller=0 < drawn[0] < n)
        count = drawn[0]
        return Samples(states[:count], weights[:count] if weighted else None,
                       about.log_upper, about.exact, about.rate)

    def map(self, *, callback: Optional[Callback] = None, progress: bool = False,
            **options: Any) -> Best:
        """The best state found, and an upper bound on the weight of any state (MAP, MPE).

        At most ten seconds unless `time` says otherwise; Ctrl-C ends it with what is known
        by then. A callback hears of ln of the best weight, and of the bound on it.

        >>> import zbound
        >>> m = zbound.Model({"rain": 2, "grass": 3})
        >>> m.add(("rain", "grass"), [[3, 1, 2], [1, 7, 4]])
        >>> best = m.map()
        >>> best.optimal, best.state, round(best.value, 6)
        (True, {'rain': 1, 'grass': 1}, 1.94591)
        """
        struct, order = make_options(options, self._order)
        state = ffi.new("int[]", max(self._nvars, 1))
        out = ffi.new("zb_best *")
        err = new_error()
        with self._used(), Run(callback, progress) as run:
            check(lib.zb_best_state(self._model, struct, run.observer, state, out, err), err)
        stop = _stop(out.stop)
        run.ended(by_caller=stop == "interrupted")
        found = ({self._called(v): state[v] for v in range(self._nvars)}
                 if out.found else None)
        return Best(found, out.log_value, out.log_upper, out.optimal, out.ibound, stop,
                    out.seconds, run.notes)


def _marginal(m, shape: Tuple[int, ...]) -> Marginal:
    def copy(pointer) -> np.ndarray:
        buffer = ffi.buffer(pointer, 8 * m.size)
        return np.frombuffer(buffer, dtype=float).reshape(shape).copy()
    return Marginal(copy(m.value), copy(m.lower), copy(m.upper), copy(m.error))
