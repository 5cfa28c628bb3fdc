"""Models of other packages, both ways. None of them is needed but by its own function.

Incoming models are known by what they have, not by their class, so that versions which
renamed their classes work too.
"""

import importlib
from typing import Any, List, NamedTuple, Tuple

import numpy as np

from . import _arrays
from ._errors import ArgumentError
from ._model import Model


# ---- pgmpy -----------------------------------------------------------------------------


def from_pgmpy(model: Any) -> Model:
    """A MarkovNetwork, a BayesianNetwork, a DiscreteFactor or a list of these factors.

    Variables have pgmpy's names; values are numbered as pgmpy numbers its states.
    """
    if hasattr(model, "get_cpds"):
        factors, nodes = list(model.get_cpds()), list(model.nodes())
    elif hasattr(model, "get_factors"):
        factors, nodes = list(model.get_factors()), list(model.nodes())
    elif hasattr(model, "values") and hasattr(model, "variables"):
        factors, nodes = [model], []
    else:
        factors, nodes = _arrays.as_list(model, "model"), []
    cards = _pgmpy_cards(factors)
    missing = [node for node in nodes if node not in cards]
    if missing:
        raise ArgumentError(f"model: no factor tells how many states {missing[0]!r} has")
    out = Model({name: cards[name] for name in (nodes or cards)})
    for factor in factors:
        out.add(factor.variables, factor.values)
    return out


def _pgmpy_cards(factors) -> dict:
    cards: dict = {}
    for factor in factors:
        if not (hasattr(factor, "variables") and hasattr(factor, "cardinality")):
            raise ArgumentError(f"model: expected factors of pgmpy, found {factor!r}")
        for name, card in zip(factor.variables, factor.cardinality):
            if cards.setdefault(name, int(card)) != int(card):
                raise ArgumentError(f"model: {name!r} has {cards[name]} states in one "
                                    f"factor and {card} in another")
    return cards


def to_pgmpy(model: Model) -> Any:
    """A MarkovNetwork of pgmpy, with the factors reduced to what was observed.

    Constants go into the first factor; variables in no factor get one of ones.
    """
    discrete = importlib.import_module("pgmpy.factors.discrete")
    models = importlib.import_module("pgmpy.models")
    network = getattr(models, "DiscreteMarkovNetwork", None) or models.MarkovNetwork
    tables, constant = _free_tables(model)
    known = {name for scope, _ in tables for name in scope}
    tables += [((name,), np.ones(card)) for name, card in zip(model.variables, model.cards)
               if name not in known and name not in model.evidence]
    graph = network()
    graph.add_nodes_from({name for scope, _ in tables for name in scope})
    for i, (scope, table) in enumerate(tables):
        graph.add_edges_from((a, b) for k, a in enumerate(scope) for b in scope[k + 1:])
        values = table * constant if i == 0 else table
        graph.add_factors(discrete.DiscreteFactor(list(scope), list(table.shape), values))
    return graph


def _free_tables(model: Model) -> Tuple[List[Tuple[Tuple[Any, ...], np.ndarray]], float]:
    """Factors over what was not observed, and the product of those over nothing."""
    seen = model.evidence
    tables, constant = [], 1.0
    for scope, table in model.factors:
        rest = tuple(v for v in scope if v not in seen)
        part = table[tuple(seen.get(v, slice(None)) for v in scope)]
        if rest:
            tables.append((rest, np.ascontiguousarray(part)))
        else:
            constant *= float(part)
    return tables, constant


# ---- pyGMs -----------------------------------------------------------------------------


def from_pygms(model: Any) -> Model:
    """A GraphModel of pyGMs, or a list of its factors. Labels become numbers."""
    log = bool(getattr(model, "isLog", False))
    factors = list(model.factors) if hasattr(model, "factors") else _arrays.as_list(
        model, "model")
    variables = list(getattr(model, "X", []))
    for factor in factors:
        if not (hasattr(factor, "vars") and hasattr(factor, "table")):
            raise ArgumentError(f"model: expected factors of pyGMs, found {factor!r}")
        variables += list(factor.vars)
    cards = [1] * (max((int(v) for v in variables), default=-1) + 1)
    for v in variables:
        cards[int(v)] = max(int(v.states), 1)
    out = Model(cards)
    for factor in factors:
        scope = [int(v) for v in factor.vars]
        out.add(scope, np.reshape(factor.table, [cards[v] for v in scope]), log=log)
    return out


def to_pygms(model: Model) -> Any:
    """A GraphModel of pyGMs. Variables are labelled by number; what was observed becomes
    a factor that is 0 elsewhere."""
    gm = importlib.import_module("pygms")
    labels = [gm.Var(v, card) for v, card in enumerate(model.cards)]
    number = {name: v for v, name in enumerate(model.variables)}
    factors = [gm.Factor([labels[number[v]] for v in scope], table)
               for scope, table in model.factors]
    for name, value in model.evidence.items():
        v = labels[number[name]]
        factors.append(gm.Factor([v], np.eye(v.states)[value]))
    used = {name for f in range(len(model)) for name in model.scope(f)} | set(model.evidence)
    factors += [gm.Factor([labels[number[name]]], 1.0)
                for name in model.variables if name not in used]
    return gm.GraphModel(factors)


# ---- couplings -------------------------------------------------------------------------


class Couplings(NamedTuple):
    """ln of the product = constant + sum_{i<j} J_ij s_i s_j + sum_i h_i s_i."""

    J: Any  #: symmetric
    h: np.ndarray
    constant: float


def to_couplings(model: Model, sparse: bool = False) -> Couplings:
    """The couplings of a model of spins: two values each, pairs at most, no zeros.

    sparse: J is a scipy.sparse matrix. The inverse of :func:`ising`:

    >>> import numpy as np, zbound
    >>> J = np.array([[0, 1, 0], [1, 0, -2], [0, -2, 0]])
    >>> back = zbound.to_couplings(zbound.ising(J, h=[0, 0, 3]))
    >>> np.abs(back.J - J).max() < 1e-12, back.h.round(9).tolist()
    (True, [0.0, 0.0, 3.0])
    """
    n = len(model.cards)
    if any(card != 2 for card in model.cards) or model.evidence:
        raise ArgumentError("model: expected variables of two values, none of them observed")
    number = {name: v for v, name in enumerate(model.variables)}
    h, constant, pairs = np.zeros(n), 0.0, {}
    for f in range(len(model)):
        scope = [number[name] for name in model.scope(f)]
        table = model.table(f, log=True)
        if len(scope) > 2 or not np.isfinite(table).all():
            raise ArgumentError(f"model: factor {f} is over more than two variables or has "
                                "zeros: no couplings")
        constant += table.mean()
        for axis, v in enumerate(scope):  # the mean over the other spin
            rest = table.mean(axis=1 - axis) if len(scope) == 2 else table
            h[v] += (rest[1] - rest[0]) / 2
        if len(scope) == 2:
            pair = (min(scope), max(scope))
            signed = (table[0, 0] - table[0, 1] - table[1, 0] + table[1, 1]) / 4
            pairs[pair] = pairs.get(pair, 0.0) + signed
    return Couplings(_matrix(n, pairs, sparse), h, float(constant))


def _matrix(n: int, pairs: dict, sparse: bool) -> Any:
    u, v = (np.array([pair[i] for pair in pairs], dtype=np.intp) for i in (0, 1))
    weight = np.array(list(pairs.values()))
    if sparse:
        matrix = importlib.import_module("scipy.sparse").coo_matrix
        return matrix((np.r_[weight, weight], (np.r_[u, v], np.r_[v, u])), shape=(n, n))
    J = np.zeros((n, n))
    J[u, v] = J[v, u] = weight
    return J


def to_networkx(model: Model) -> Any:
    """A networkx.Graph of a model of spins: `weight` of an edge is its coupling, `field`
    of a node its field, `constant` of the graph the rest; see :func:`to_couplings`."""
    graph = importlib.import_module("networkx").Graph()
    names = model.variables
    J, h, constant = to_couplings(model)
    graph.graph["constant"] = constant
    graph.add_nodes_from((name, {"field": float(h[v])}) for v, name in enumerate(names))
    graph.add_edges_from((names[u], names[v], {"weight": float(J[u, v])})
                         for u, v in np.argwhere(np.triu(J)))
    return graph
