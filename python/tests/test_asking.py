"""Marginals, draws, best states and pickles, against enumeration."""

import os
import pickle
from dataclasses import replace

import numpy as np
import pytest

import zbound
from zbound._native import ffi, lib
from conftest import glass, log_joint, log_sum, random_model

TIMES = float(os.environ.get("ZB_TEST_MODELS", "1"))


def shares(model: zbound.Model) -> np.ndarray:
    """The probability of every assignment."""
    log = log_joint(model)
    weights = np.exp(log - log.max())
    return weights / weights.sum()


def marginal(joint: np.ndarray, axes) -> np.ndarray:
    rest = tuple(v for v in range(joint.ndim) if v not in axes)
    return joint.sum(axis=rest).transpose(np.argsort(np.argsort(axes)))


def test_marginals_of_random_models():
    for seed in range(max(1, int(300 * TIMES))):
        model = random_model(seed)
        if log_sum(model) == -np.inf:
            with pytest.raises(zbound.Error, match="Z = 0"):
                model.marginals()
            continue
        found, joint, names = model.marginals(pairs=True), shares(model), model.variables
        assert found.exact and list(found) == list(names) and len(found) == len(names)
        for v, name in enumerate(names):
            np.testing.assert_allclose(found[name].value, marginal(joint, (v,)), atol=1e-9)
        for f, table in enumerate(found.factors):
            axes = [names.index(v) for v in model.scope(f)]
            np.testing.assert_allclose(table.value, marginal(joint, axes), atol=1e-9)
            assert (table.lower <= table.value).all() and (table.value <= table.upper).all()


def test_intervals_and_estimates():
    model = glass(6)
    exact = model.marginals()
    loose = model.marginals([3, 0], ibound=4, time=0, iterations=30)
    assert exact.exact and not loose.exact and list(loose) == [3, 0] and loose.samples > 1000
    for v in loose:
        assert (loose[v].lower <= exact[v].upper).all()
        assert (loose[v].upper >= exact[v].lower).all()
        assert (abs(loose[v].value - exact[v].value) < 6 * loose[v].error).all()
    assert "2 variables" in repr(loose) and "<table>" in loose._repr_html_()


def test_samples(triangle):
    exact = shares(triangle).ravel()
    drawn = triangle.sample(20000, seed=5)
    assert drawn.states.shape == (20000, 3) and drawn.exact and drawn.log_weights is None
    seen = np.bincount(drawn.states @ [4, 2, 1], minlength=8) / 20000
    assert (abs(seen - exact) < 5 * np.sqrt(exact * (1 - exact) / 20000) + 1e-9).all()
    again = triangle.sample(20000, seed=5)
    assert (again.states == drawn.states).all()
    weighted = glass(5).sample(4000, weighted=True, ibound=3, time=0, iterations=30)
    mean = np.logaddexp.reduce(weighted.log_weights) - np.log(4000)
    assert abs(mean - glass(5).exact().upper) < 0.2
    assert (weighted.log_weights <= weighted.log_upper + 1e-9).all()
    assert len(triangle.sample(0)) == 0 and "20000 states" in repr(drawn)


def test_samples_by_a_bound_that_is_there(tmp_path):
    model = glass(3)
    exact, n = shares(model).ravel(), 20000
    bounds = model.log_z_bounds(ibound=2, iterations=20)
    assert bounds.gap > 0.01
    drawn = model.sample(n, state=bounds, seed=5)
    assert not drawn.exact and drawn.rate < 1 and len(drawn) == n
    # its bound and no other, but for rounding
    assert abs(drawn.log_upper - bounds.upper) < 1e-9 * (1 + abs(bounds.upper))
    seen = np.bincount(drawn.states @ (2 ** np.arange(9))[::-1], minlength=512) / n
    spread = (n * (seen - exact) ** 2 / exact)[n * exact >= 5]
    assert spread.sum() < len(spread) + 6 * np.sqrt(2 * len(spread))
    path = tmp_path / "kept.state"
    assert lib.zb_state_write(bounds._state, os.fsencode(path), ffi.NULL) == lib.ZB_OK
    for state in path, str(path):
        assert (model.sample(n, state=state, seed=5).states == drawn.states).all()


@pytest.mark.parametrize("state, sentence", [
    (lambda m, _: 3, "state: expected Bounds or a path, found int"),
    (lambda m, _: m.bound(), "state: expected Bounds or a path, found Result"),
    (lambda m, tmp: tmp / "none.state", "none.state"),
    (lambda m, tmp: _junk(tmp), "junk.state"),
    (lambda m, _: glass(3).log_z_bounds(), "model"),
    (lambda m, _: replace(m.log_z_bounds(), _state=None), "state: these Bounds have none"),
    (lambda m, _: replace(m.log_z_bounds(), _state=ffi.NULL), "state: these Bounds have none"),
])
def test_states_that_do_not_fit(triangle, tmp_path, state, sentence):
    with pytest.raises(zbound.Error, match=sentence):
        triangle.sample(2, state=state(triangle, tmp_path))


def _junk(folder):
    (folder / "junk.state").write_text("junk")
    return folder / "junk.state"


def test_best_states_of_random_models():
    for seed in range(max(1, int(300 * TIMES))):
        model = random_model(seed)
        log, best = log_joint(model), model.map()
        assert best.optimal and (best.state is None) == (log.max() == -np.inf), seed
        assert best.upper >= log.max() - 1e-9 * max(1, abs(log.max()))
        if best.state is not None:
            at = tuple(best.state[v] for v in model.variables)
            np.testing.assert_allclose([best.value, best.upper], log.max(), rtol=1e-9,
                                       atol=1e-9)
            np.testing.assert_allclose(log[at], log.max(), rtol=1e-9, atol=1e-9)


def test_a_bound_on_the_best():
    model = glass(8)
    best = model.map()
    heard = []
    loose = model.map(ibound=3, time=0, iterations=20, callback=heard.append)
    assert best.optimal and loose.upper >= best.value - 1e-9
    assert loose.value <= best.upper + 1e-9 and loose.gap >= 0 and heard


def test_pickles():
    for seed in range(50):
        model = random_model(seed)
        again = pickle.loads(pickle.dumps(model))
        assert again.variables == model.variables and again.cards == model.cards
        assert again.evidence == model.evidence and len(again) == len(model)
        for f in range(len(model)):
            assert again.scope(f) == model.scope(f)
            np.testing.assert_allclose(again.table(f, log=True), model.table(f, log=True))
        found, want = again.exact(), model.exact()
        np.testing.assert_allclose(found.upper, want.upper, rtol=1e-9)


@pytest.mark.parametrize("ask, sentence", [
    (lambda m: m.marginals([3]), "variables: expected variables from 0 to 2, found 3"),
    (lambda m: m.marginals([1, 1]), "variables: expected each once"),
    (lambda m: m.marginals("ab"), "variables: expected a sequence"),
    (lambda m: m.marginals(time="x"), "time"),
    (lambda m: m.marginals(callback=3), "callback: expected a function"),
    (lambda m: m.sample(-1), "n: expected a number of states"),
    (lambda m: m.sample(1.5), "n: expected an integer"),
    (lambda m: m.sample(2, nonsense=1), "nonsense"),
    (lambda m: m.map(ibound=-1), "ibound"),
])
def test_arguments_are_named(triangle, ask, sentence):
    with pytest.raises(zbound.Error, match=sentence):
        ask(triangle)


BIF = """network rainy {}
variable rain { type discrete [ 2 ] { no, yes }; }
variable grass { type discrete [ 3 ] { dry, damp, wet }; }
probability ( rain ) { table 0.8, 0.2; }
probability ( grass | rain ) { (no) 0.6, 0.3, 0.1; (yes) 0.1, 0.2, 0.7; }
"""


def test_a_network_is_asked_by_name(tmp_path):
    path = tmp_path / "rainy.bif"
    path.write_text(BIF)
    model = zbound.read(path)
    assert model.variables == ("rain", "grass") and model.states("grass") == ("dry", "damp", "wet")
    model.observe("grass", "wet")
    assert model.evidence == {"grass": 2}
    again = pickle.loads(pickle.dumps(model))
    for m in model, model.copy(), again:
        assert m.states("rain") == ("no", "yes")
        np.testing.assert_allclose(m.marginals()["rain"].value, [0.08 / 0.22, 0.14 / 0.22])
        assert m.map().state == {"rain": 1, "grass": 2}
    for variable, value in ("grass", "soaked"), ("rain", "1"), ("snow", "yes"):
        with pytest.raises(zbound.ArgumentError, match="value|variable"):
            model.observe(variable, value)
