"""Random models, and sums over all of their assignments in numpy."""

import numpy as np
import pytest

import zbound


def log_sum(model: zbound.Model) -> float:
    """ln Z by enumeration; -inf for Z = 0."""
    return float(np.logaddexp.reduce(log_joint(model), axis=None))


def log_joint(model: zbound.Model) -> np.ndarray:
    """ln of the product at every assignment, -inf where it contradicts what was seen."""
    names, cards = model.variables, model.cards
    total = np.zeros(cards)
    for f in range(len(model)):
        axes = [names.index(v) for v in model.scope(f)]
        table = model.table(f, log=True).transpose(np.argsort(axes))
        shape = [cards[v] if v in axes else 1 for v in range(len(cards))]
        total = total + table.reshape(shape)
    for name, value in model.evidence.items():
        allowed = np.full(cards[names.index(name)], -np.inf)
        allowed[value] = 0
        shape = [1] * len(cards)
        shape[names.index(name)] = -1
        total = total + allowed.reshape(shape)
    return total


def random_model(seed: int) -> zbound.Model:
    """Mixed cardinalities from 1, zeros, empty scopes, names, disconnected parts,
    observations, logarithms over a wide range; at most some 10^5 assignments."""
    rng = np.random.default_rng(seed)
    cards = [int(c) for c in rng.integers(1, 5, rng.integers(1, 8))]
    model = zbound.Model({f"v{i}": c for i, c in enumerate(cards)} if seed % 3 == 0 else cards)
    names = np.array(model.variables, dtype=object)
    for _ in range(rng.integers(0, 12)):
        picked = rng.permutation(len(cards))[:rng.integers(0, min(4, len(cards) + 1))]
        shape = [cards[v] for v in picked]
        values = rng.normal(size=shape) * rng.choice([0.1, 1, 30])
        values = np.where(rng.random(shape) < rng.choice([0, 0.1]), -np.inf, values)
        log = bool(rng.integers(2))
        table = values if log else np.exp(values)
        if rng.integers(2) and table.ndim > 1:
            table = np.asfortranarray(table)
        model.add(list(names[picked]), table, log=log)
    if seed % 4 == 0:
        v = int(rng.integers(len(cards)))
        model.observe(names[v], int(rng.integers(cards[v])))
    return model


def glass(rows: int, seed: int = 1, beta: float = 1.0) -> zbound.Model:
    """A spin glass on a square."""
    rng = np.random.default_rng(seed)
    site = np.arange(rows * rows).reshape(rows, rows)
    J = np.zeros((rows * rows, rows * rows))
    for a, b in (site[:, :-1], site[:, 1:]), (site[:-1], site[1:]):
        J[a.ravel(), b.ravel()] = rng.normal(size=a.size)
    return zbound.ising(J, 0.3, beta)


def contains(result, log_z: float, tolerance: float = 1e-9) -> bool:
    """Up to the rounding of the enumeration itself."""
    slack = tolerance * max(1, abs(log_z)) if np.isfinite(log_z) else 0
    return result.lower - slack <= log_z <= result.upper + slack


@pytest.fixture
def triangle() -> zbound.Model:
    return zbound.ising([[0, 1, 1], [1, 0, 1], [1, 1, 0]])
