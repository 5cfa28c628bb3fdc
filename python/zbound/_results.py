"""Answers: plain dataclasses."""

from dataclasses import dataclass, field
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import numpy as np


class Point(NamedTuple):
    """The best bounds so many seconds into a run."""

    seconds: float
    lower: float
    upper: float


class Recipe(NamedTuple):
    """What found a bound."""

    method: str
    form: str
    order: str
    ibound: int


@dataclass(frozen=True)
class Progress:
    """What a callback hears while a run goes on."""

    seconds: float
    iteration: int
    lower: float
    upper: float
    ibound: int
    fraction: Optional[float]  #: of the work; None: not known
    side: str

    @property
    def gap(self) -> float:
        return self.upper - self.lower


def _row(name: str, *cells: str) -> str:
    return f"<tr><th>{name}</th>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"


@dataclass(frozen=True)
class Confidence:
    """What draws say: lower <= ln Z <= upper with probability 1 - delta."""

    delta: float
    lower: float
    upper: float
    samples: int
    effective: float  #: draws of equal weight that would say as much

    @property
    def gap(self) -> float:
        return self.upper - self.lower


@dataclass(frozen=True)
class Marginal:
    """A distribution: arrays of one shape, with an axis for each variable.

    lower <= the probability <= upper is proved; value is exact but for rounding, or an
    estimate with the standard error `error`.
    """

    value: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    error: np.ndarray


@dataclass(frozen=True, repr=False)
class Marginals:
    """Distributions of variables, by name or number: ``marginals["rain"].value``."""

    variables: Dict[Any, Marginal]
    factors: Tuple[Marginal, ...]  #: of the factors' scopes, where pairs were asked for
    exact: bool
    samples: int  #: draws behind the estimates
    stop: str  #: 'exact', 'time' or 'interrupted'
    seconds: float
    notes: List[str] = field(default_factory=list)

    def __getitem__(self, variable: Any) -> Marginal:
        return self.variables[variable]

    def __iter__(self):
        return iter(self.variables)

    def __len__(self) -> int:
        return len(self.variables)

    def __repr__(self) -> str:
        return f"Marginals({len(self.variables)} variables, exact={self.exact})"

    def _repr_html_(self) -> str:
        rows = "".join(_row(str(v), *(f"{p:.4g}" for p in m.value))
                       for v, m in list(self.variables.items())[:50])
        return f"<table>{rows}</table>"


@dataclass(frozen=True, repr=False)
class Samples:
    """States, a row each; with `weighted`, the logarithms of their weights."""

    states: np.ndarray
    log_weights: Optional[np.ndarray]
    log_upper: float  #: no weight is larger
    exact: bool  #: every draw was accepted
    rate: float  #: of acceptance, about

    def __len__(self) -> int:
        return len(self.states)

    def __repr__(self) -> str:
        return f"Samples({len(self.states)} states, rate={self.rate:.3g})"


@dataclass(frozen=True)
class Best:
    """The best state found: value <= ln of the largest weight <= upper."""

    state: Optional[Dict[Any, int]]  #: None: none was found, or Z = 0
    value: float  #: ln of its weight
    upper: float  #: proved: no state has a larger one
    optimal: bool
    ibound: int
    stop: str
    seconds: float
    notes: List[str] = field(default_factory=list)

    @property
    def gap(self) -> float:
        return 0.0 if self.value == self.upper else self.upper - self.value


@dataclass(frozen=True, repr=False)
class Result:
    """A bracket: lower <= ln Z <= upper.

    The two hold whatever ended the run (``guaranteed``); a side that there is not is
    infinite. ``exact``: nothing was approximated, and what is between the two is rounding.

    >>> import zbound
    >>> r = zbound.Model([2, 3]).bound()
    >>> print(r.exact, round(r.upper, 6), round(r.gap, 6))
    True 1.791759 0.0
    """

    lower: float
    upper: float
    exact: bool
    guaranteed: bool
    estimate: Optional[float]  #: of ln Z: bp, or auto where its confidence is narrow
    estimate_error: Optional[float]  #: its standard error; method auto alone has one
    confidence: Optional[Confidence]  #: method auto, where draws were made
    rounding: float  #: nats that both sides already include
    method: str
    form: str
    order: str
    ibound: int
    width: int
    iterations: int
    stop: str  #: what ended the run: 'exact', 'converged', 'iterations', 'time', ...
    seconds: float
    bytes: int
    time_limit: float
    memory_limit: int
    upper_by: Optional[Recipe]
    lower_by: Optional[Recipe]
    reduced_vars: int
    reduced_factors: int
    components: int
    exact_bytes: float  #: about what an exact answer would take
    exact_seconds: float
    trace: List[Point] = field(default_factory=list)  #: how the bracket closed
    notes: List[str] = field(default_factory=list)

    @property
    def gap(self) -> float:
        """upper - lower; 0 where both are the same infinity (Z = 0)."""
        return 0.0 if self.lower == self.upper else self.upper - self.lower

    def __repr__(self) -> str:
        text = f"Result(lower={self.lower!r}, upper={self.upper!r}, exact={self.exact}"
        if self.estimate is not None:
            text += f", estimate={self.estimate!r}"
        if not self.exact:
            text += f", stop={self.stop!r}"
        return text + ")"

    def _repr_html_(self) -> str:
        numbers = [self.lower, self.upper, self.gap]
        rows = ["<tr><th></th><th>lower</th><th>upper</th><th>gap</th></tr>"]
        for name, unit in ("ln Z", 1.0), ("log10 Z", np.log(10.0)), ("bits", np.log(2.0)):
            rows.append(_row(name, *(f"{x / unit:.12g}" for x in numbers)))
        if self.estimate is not None:
            rows.append(_row("estimate", f"{self.estimate:.12g}"))
        if self.confidence is not None:
            c = self.confidence
            cells = (f"{x:.12g}" for x in (c.lower, c.upper, c.gap))
            rows.append(_row(f"with probability {1 - c.delta:.15g}", *cells))
        standing = ("exact" if self.exact else "guaranteed" if self.guaranteed
                    else "not guaranteed")
        caption = (f"{standing}; method {self.method}, stopped by {self.stop} "
                   f"after {self.seconds:.3g} s")
        return f"<table><caption>{caption}</caption>{''.join(rows)}</table>"


@dataclass(frozen=True)
class Sizes:
    """How large a model is."""

    variables: int
    factors: int
    max_card: int
    max_arity: int
    entries: int  #: of all tables
    zeros: int


@dataclass(frozen=True)
class Forecast:
    """What solving with mini-buckets of at most ibound variables would take."""

    ibound: int
    largest: float  #: entries of the largest mini-bucket
    total: float
    splits: float  #: mini-buckets beyond one per variable; 0: exact
    bytes: float
    seconds: float
    fits: bool


@dataclass(frozen=True)
class Info:
    """A model, what exact reductions leave of it, and what solving it would take."""

    given: Sizes
    reduced: Sizes
    observed: int
    cards: Dict[int, int]  #: cardinality: variables
    arities: Dict[int, int]  #: arity: factors
    largest_table: int
    values_removed: int
    log_constant: float
    rounding: float  #: how far rounding may have moved ``log_constant``, at most
    components: int
    largest_component: int
    width: int  #: of the best order found; -1: nothing is left
    exact: Forecast
    memory: int
    rows: Tuple[Forecast, ...]
    cut: bool  #: rows between the last that fits and the exact one are left out

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{name}</th>" for name in ("", "given", "reduced"))
        rows = [f"<tr>{head}</tr>"]
        for name in "variables", "factors", "max_card", "max_arity", "entries", "zeros":
            rows.append(_row(name, str(getattr(self.given, name)),
                             str(getattr(self.reduced, name))))
        exact = (f"width {self.width}; exact: {self.exact.bytes:.3g} bytes, about "
                 f"{self.exact.seconds:.3g} s")
        return f"<table><caption>{exact}</caption>{''.join(rows)}</table>"


@dataclass(frozen=True)
class Order:
    """An elimination order and what it costs."""

    variables: List[Any]  #: first eliminated first
    width: int
    largest: float  #: entries of the largest clique table
    total: float


@dataclass(frozen=True, repr=False)
class Bounds:
    """Bounds on ln Z and their derivatives by the logarithms of the factors' entries.

    ``upper_gradient`` and ``lower_gradient`` are shaped as theta was given: a list with an
    array for each factor, or one flat array. Of each factor the entries add up to one;
    where the bounds are exact they are its marginal.
    """

    lower: float
    upper: float
    exact: bool
    upper_gradient: Any
    lower_gradient: Any
    result: Result
    _state: Any = field(default=None, compare=False)

    @property
    def gap(self) -> float:
        return self.result.gap

    def __repr__(self) -> str:
        return f"Bounds(lower={self.lower!r}, upper={self.upper!r}, exact={self.exact})"
