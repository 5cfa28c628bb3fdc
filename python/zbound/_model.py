"""Models."""

import contextlib
import os
import threading
from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Optional, Tuple, Union

import numpy as np

from . import _arrays
from ._asking import AskingMixin
from ._errors import ArgumentError, Error, check, new_error
from ._gradient import BoundsMixin
from ._native import ffi, lib
from ._options import make_options
from ._results import Confidence, Forecast, Info, Order, Recipe, Result, Sizes
from ._run import Callback, Run

SHORT = 0.1  # seconds: a Ctrl-C so soon after the beginning was meant for the caller's loop

Variable = Any  #: its number, or its name in a model that has names


class Factor(NamedTuple):
    """A table over a scope; the axes of the table are in the scope's order."""

    scope: Tuple[Variable, ...]
    table: np.ndarray


def _names_of(function) -> Tuple[str, ...]:
    """What an enum's constants are called."""
    found: List[str] = []
    while True:
        name = ffi.string(function(len(found))).decode()
        if name == "unknown":
            return tuple(found)
        found.append(name)


_METHODS, _FORMS, _ORDERS, _STOPS = map(_names_of, (
    lib.zb_method_name, lib.zb_form_name, lib.zb_order_name, lib.zb_stop_name))


class Model(BoundsMixin, AskingMixin):
    """A product of non-negative tables, each over a few of many discrete variables.

    `variables` are the cardinalities of variables 0, 1, .. or a mapping from names to
    cardinalities. Z is the sum of the product over all assignments that agree with what
    was observed.

    >>> import numpy as np, zbound
    >>> m = zbound.Model({"rain": 2, "sprinkler": 2, "grass": 3})
    >>> m.add(("rain", "sprinkler"), [[1, .2], [.3, 4]])
    >>> m.add(("rain", "grass"), np.ones((2, 3)))
    >>> m
    Model(3 variables, 2 factors)
    >>> r = m.bound()
    >>> r.exact, round(np.exp(r.upper), 6)
    (True, 16.5)
    """

    def __init__(self, variables: Union[Mapping[Any, int], Any]):
        names = None
        if isinstance(variables, Mapping):
            names = tuple(variables)
            variables = list(variables.values())
        cards = [_arrays.as_index(c, "variables") for c in
                 _arrays.as_list(variables, "variables")]
        for v, card in enumerate(cards):
            if not 1 <= card < 2**31:
                raise ArgumentError(f"variables: expected cardinalities from 1, found "
                                    f"{card} of variable {names[v] if names else v!r}")
        out = ffi.new("zb_model **")
        check(lib.zb_model_new(out, len(cards), ffi.new("int[]", cards)),
              argument="variables")
        self._take(out[0], names)

    def _take(self, pointer, names: Optional[Tuple[Any, ...]]) -> None:
        self._model = ffi.gc(pointer, lib.zb_model_free)
        if names is None and lib.zb_model_has_names(pointer):
            names = tuple(_text(lib.zb_model_var_name(pointer, v))
                          for v in range(lib.zb_model_nvars(pointer)))
        self._take_names(names)
        self._users = 0
        self._lock = threading.Lock()

    def _take_names(self, names: Optional[Tuple[Any, ...]]) -> None:
        self._names = names
        self._number = {name: v for v, name in enumerate(names)} if names else None

    @classmethod
    def _owning(cls, pointer, names=None) -> "Model":
        model = cls.__new__(cls)
        model._take(pointer, names)
        return model

    # ---- what it is ------------------------------------------------------------------

    @property
    def variables(self) -> Tuple[Variable, ...]:
        """Names, or numbers where there are none."""
        return self._names if self._names is not None else tuple(range(self._nvars))

    @property
    def cards(self) -> Tuple[int, ...]:
        """Cardinalities, in the order of `variables`."""
        return tuple(lib.zb_model_card(self._model, v) for v in range(self._nvars))

    def states(self, variable: Variable) -> Tuple[Any, ...]:
        """What the values of a variable are called, in a model whose file names them
        (BIF); else their numbers.

        >>> import zbound
        >>> zbound.Model([3]).states(0)
        (0, 1, 2)
        """
        v = self._find(variable, "variable")
        card = lib.zb_model_card(self._model, v)
        if not lib.zb_model_has_names(self._model):
            return tuple(range(card))
        return tuple(_text(lib.zb_model_state_name(self._model, v, x)) for x in range(card))

    @property
    def evidence(self) -> Dict[Variable, int]:
        """What was observed."""
        seen = ((v, lib.zb_model_evidence(self._model, v)) for v in range(self._nvars))
        return {self._called(v): value for v, value in seen if value >= 0}

    @property
    def _nvars(self) -> int:
        return lib.zb_model_nvars(self._model)

    def __len__(self) -> int:
        """The number of factors."""
        return lib.zb_model_nfactors(self._model)

    def scope(self, factor: int) -> Tuple[Variable, ...]:
        return tuple(map(self._called, self._scope(factor)))

    def table(self, factor: int, log: bool = False) -> np.ndarray:
        """A copy of a factor's table, or of its logarithms.

        >>> import zbound
        >>> m = zbound.Model([2, 2])
        >>> m.add((1, 0), [[1, 2], [3, 4]])
        >>> m.scope(0), m.table(0).tolist()
        ((1, 0), [[1.0, 2.0], [3.0, 4.0]])
        """
        shape = self._shape(self._scope(factor))
        out = np.empty(shape)
        read = lib.zb_model_log_values if log else lib.zb_model_values
        with self._used():
            read(self._model, factor, _arrays.writable(out))
        return out

    @property
    def factors(self) -> Iterator[Factor]:
        """Scopes and tables, one after the other."""
        return (Factor(self.scope(f), self.table(f)) for f in range(len(self)))

    def __repr__(self) -> str:
        seen = len(self.evidence)
        observed = f", {seen} observed" if seen else ""
        return f"Model({self._nvars} variables, {len(self)} factors{observed})"

    def _called(self, v: int) -> Variable:
        return self._names[v] if self._names is not None else v

    def _scope(self, factor: int) -> Tuple[int, ...]:
        factor = _arrays.as_index(factor, "factor")
        if not 0 <= factor < len(self):
            raise ArgumentError(f"factor: expected 0 to {len(self) - 1}, found {factor}")
        arity = lib.zb_model_arity(self._model, factor)
        return tuple(lib.zb_model_scope(self._model, factor)[0:arity])

    def _shape(self, scope) -> Tuple[int, ...]:
        return tuple(lib.zb_model_card(self._model, v) for v in scope)

    def _find(self, variable: Variable, argument: str) -> int:
        if self._number is not None:
            try:
                return self._number[variable]
            except (KeyError, TypeError):
                raise ArgumentError(
                    f"{argument}: there is no variable {variable!r}") from None
        v = _arrays.as_index(variable, argument)
        if not 0 <= v < self._nvars:
            raise ArgumentError(f"{argument}: expected variables from 0 to "
                                f"{self._nvars - 1}, found {v}")
        return v

    # ---- making it -------------------------------------------------------------------

    def add(self, scope, table, log: bool = False) -> None:
        """Multiply a factor in: a table with an axis for each variable of the scope.

        It may be anything that numpy takes for an array of real numbers; values are
        copied. With `log`, they are logarithms (-inf for zero). An empty scope is a
        constant.

        >>> import zbound
        >>> m = zbound.Model([2, 3])
        >>> m.add((0, 1), [[1, 2], [3, 4]])
        Traceback (most recent call last):
        zbound._errors.ArgumentError: table: expected the shape (2, 3) of the scope, found (2, 2)
        """
        numbers = [self._find(v, "scope") for v in _arrays.as_list(scope, "scope")]
        if len(set(numbers)) < len(numbers):
            raise ArgumentError(f"scope: expected each variable once, found {scope!r}")
        array = _arrays.as_floats(table, "table")
        _arrays.check_shape(array, self._shape(numbers), "table")
        add = lib.zb_model_add_log_table if log else lib.zb_model_add_table
        with self._changed():
            status = add(self._model, len(numbers), ffi.new("int[]", numbers), array.size,
                         _arrays.doubles(array))
        if status == lib.ZB_EINVAL:
            _arrays.refuse_entry(array, log, "table")
        check(status, argument="table")

    def observe(self, variable: Variable, value: Union[int, str, None]) -> None:
        """Fix a variable to a value, or to a state by its name; None frees it again.

        >>> import zbound
        >>> m = zbound.Model([2, 3])
        >>> m.observe(1, 2)
        >>> m.evidence
        {1: 2}
        """
        v = self._find(variable, "variable")
        card = lib.zb_model_card(self._model, v)
        if isinstance(value, str):
            if value not in self.states(variable):
                raise ArgumentError(f"value: {variable!r} has no state {value!r}")
            value = self.states(variable).index(value)
        number = -1 if value is None else _arrays.as_index(value, "value")
        if value is not None and not 0 <= number < card:
            raise ArgumentError(f"value: expected 0 to {card - 1}, found {number}")
        with self._changed():
            check(lib.zb_model_observe(self._model, v, number), argument="value")

    def copy(self) -> "Model":
        out = ffi.new("zb_model **")
        with self._used():
            check(lib.zb_model_copy(out, self._model))
        return Model._owning(out[0], self._names)

    __copy__ = copy

    def __deepcopy__(self, memo) -> "Model":
        return self.copy()

    def __reduce__(self):
        """Pickled as cardinalities, tables as logarithms, and evidence."""
        tables = [(self._scope(f), self.table(f, log=True)) for f in range(len(self))]
        seen = [lib.zb_model_evidence(self._model, v) for v in range(self._nvars)]
        states = (tuple(map(self.states, self.variables))
                  if lib.zb_model_has_names(self._model) else None)
        return _rebuild, (self.cards, self._names, tables, seen, states)

    def write(self, path: Union[str, os.PathLike]) -> None:
        """Write a `.uai` or `.LG` file, compressed if the name ends in `.gz`."""
        err = new_error()
        with self._used():
            check(lib.zb_model_write(self._model, as_path(path, "path"), err), err)

    # Other threads run while the library does: what one reads no other may change.

    @contextlib.contextmanager
    def _used(self):
        with self._lock:
            self._users += 1
        try:
            yield
        finally:
            with self._lock:
                self._users -= 1

    @contextlib.contextmanager
    def _changed(self):
        with self._lock:
            if self._users > 0:
                raise Error("the model is in use: it cannot change while a call runs")
            yield

    # ---- asking about it -------------------------------------------------------------

    def bound(self, *, callback: Optional[Callback] = None, progress: bool = False,
              **options: Any) -> Result:
        """Bracket ln Z: at most ten seconds unless `time` says otherwise.

        callback: called with a :class:`Progress` whenever a bound improves, and every 50 ms;
        False from it ends the run, an exception ends it and is raised. progress: show a
        line (tqdm's where it is installed). Ctrl-C ends the run with the bracket so far
        (`stop` is then 'interrupted'); it is a KeyboardInterrupt where there is none yet.

        Options, of which None is the default:

%(options)s

        `order` may also be a list of all variables, first eliminated first.

        >>> import zbound
        >>> m = zbound.ising([[0, 1, 1], [1, 0, 1], [1, 1, 0]])
        >>> r = m.bound(method="wmbe", ibound=2, iterations=0)
        >>> r.lower <= m.exact().lower <= m.exact().upper <= r.upper
        True
        """
        struct, order = make_options(options, self._order)
        out = ffi.new("zb_result *")
        err = new_error()
        with self._used(), Run(callback, progress) as run:
            check(lib.zb_solve(self._model, struct, run.observer, out, err), err)
        return self._result(out, run)

    def exact(self, *, callback: Optional[Callback] = None, progress: bool = False,
              **options: Any) -> Result:
        """ln Z by elimination; :class:`Error` with status 'limit' where that does not fit.

        >>> import zbound
        >>> r = zbound.Model([2] * 10).exact()
        >>> r.exact, round(r.lower, 4)
        (True, 6.9315)
        """
        if options.get("method") not in (None, "be"):
            raise ArgumentError("method: exact() has one, 'be'; bound() takes others")
        options["method"] = "be"
        return self.bound(callback=callback, progress=progress, **options)

    def info(self, *, callback: Optional[Callback] = None, **options: Any) -> Info:
        """Sizes, what exact reductions leave, and what solving would take.

        >>> import zbound
        >>> zbound.ising([[0, 1], [1, 0]]).info().given.variables
        2
        """
        struct, order = make_options(options, self._order)
        out = ffi.new("zb_survey *")
        err = new_error()
        with self._used(), Run(callback) as run:
            check(lib.zb_survey_make(out, self._model, struct, run.observer, err), err)
        run.ended(by_caller=False)
        return _info(out)

    def order(self, *, callback: Optional[Callback] = None, **options: Any) -> Order:
        """An elimination order of the model as it stands, and its cost.

        >>> import zbound
        >>> zbound.ising([[0, 1, 0], [0, 0, 1], [0, 0, 0]]).order().width
        1
        """
        struct, order = make_options(options, self._order)
        found = ffi.new("int[]", max(self._nvars, 1))
        cost = ffi.new("zb_order_cost *")
        err = new_error()
        with self._used(), Run(callback) as run:
            check(lib.zb_order_find(self._model, struct, run.observer, found, cost, err), err)
        run.ended(by_caller=False)
        return Order([self._called(v) for v in found[0:self._nvars]], cost.width,
                     cost.largest, cost.total)

    def _order(self, variables):
        numbers = [self._find(v, "order") for v in variables]
        if len(numbers) != self._nvars:
            raise ArgumentError(f"order: expected each of {self._nvars} variables once, "
                                f"found {len(numbers)}")
        return ffi.new("int[]", numbers)

    def _result(self, out, run: Run) -> Result:
        stop = _STOPS[out.stop]
        run.ended(by_caller=stop == "interrupted" and out.seconds >= SHORT)
        return Result(
            lower=out.log_lower, upper=out.log_upper, exact=out.exact,
            guaranteed=out.guaranteed, rounding=out.rounding,
            estimate=out.log_estimate if out.has_estimate else None,
            estimate_error=(out.log_estimate_error
                            if out.has_estimate and out.has_confidence else None),
            confidence=_confidence(out.confidence) if out.has_confidence else None,
            method=_METHODS[out.method],
            form=_FORMS[out.form],
            order=_ORDERS[out.order],
            ibound=out.ibound, width=out.width, iterations=out.iterations, stop=stop,
            seconds=out.seconds, bytes=out.bytes, time_limit=out.time_limit,
            memory_limit=out.memory_limit,
            upper_by=_recipe(out.upper_by) if out.has_upper else None,
            lower_by=_recipe(out.lower_by) if out.has_lower else None,
            reduced_vars=out.reduced_vars, reduced_factors=out.reduced_factors,
            components=out.components, exact_bytes=out.exact_bytes,
            exact_seconds=out.exact_seconds, trace=run.trace, notes=run.notes)


def _text(pointer) -> str:
    return ffi.string(pointer).decode("utf-8", "replace")


def _rebuild(cards, names, tables, seen, states) -> Model:
    """What a pickle holds, a model again."""
    model = Model(cards)
    for v, called in enumerate(states or ()):
        check(lib.zb_model_name_var(model._model, v, names[v].encode()))
        for x, state in enumerate(called):
            check(lib.zb_model_name_state(model._model, v, x, state.encode()))
    for scope, table in tables:
        model.add(scope, table, log=True)
    for v, value in enumerate(seen):
        if value >= 0:
            model.observe(v, value)
    model._take_names(names)
    return model


def _confidence(c) -> Confidence:
    return Confidence(c.delta, c.log_lower, c.log_upper, c.samples, c.effective)


def _recipe(by) -> Recipe:
    return Recipe(_METHODS[by.method], _FORMS[by.form], _ORDERS[by.order], by.ibound)


def _sizes(s) -> Sizes:
    return Sizes(s.vars, s.factors, s.max_card, s.max_arity, s.entries, s.zeros)


def _forecast(f) -> Forecast:
    return Forecast(f.ibound, f.largest, f.total, f.splits, f.bytes, f.seconds, f.fits)


def _histogram(counts) -> Dict[int, int]:
    return {value: count for value, count in enumerate(counts) if count > 0}


def _info(s) -> Info:
    return Info(
        given=_sizes(s.given), reduced=_sizes(s.reduced), observed=s.observed,
        cards=_histogram(s.cards), arities=_histogram(s.arities),
        largest_table=s.largest_table, values_removed=s.values_removed,
        log_constant=s.log_constant, rounding=s.rounding, components=s.components,
        largest_component=s.largest_component, width=s.width, exact=_forecast(s.exact),
        memory=s.memory, rows=tuple(_forecast(s.row[i]) for i in range(s.rows)), cut=s.cut)


def as_path(path: Any, argument: str) -> bytes:
    try:
        name = os.fsencode(path)
    except TypeError:
        raise ArgumentError(f"{argument}: expected a file name, found {path!r}") from None
    if b"\0" in name:
        raise ArgumentError(f"{argument}: a file name has no zero bytes")
    return name
