"""The whole surface against enumeration."""

import os
import pickle
import re
from pathlib import Path

import numpy as np

import zbound
from conftest import contains, glass, log_joint, log_sum, random_model

HEADER = (Path(__file__).parents[2] / "include" / "zbound.h")
TIMES = float(os.environ.get("ZB_TEST_MODELS", "1"))


def test_a_thousand_random_models():
    methods = ["mbe", "wmbe", "wmbe-w", "wmbe-wtheta", "wmbe-wg", "trbp", "mf", "auto"]
    split = zero = 0
    for seed in range(max(1, int(1000 * TIMES))):
        model = random_model(seed)
        log_z = log_sum(model)
        exact = model.exact()
        assert exact.exact and contains(exact, log_z) and exact.gap < 1e-6, seed
        method = methods[seed % len(methods)]
        bound = model.bound(method=method, ibound=2, iterations=10)
        assert contains(bound, log_z), (seed, method, bound, log_z)
        assert bound.guaranteed and bound.method == method
        split += not bound.exact
        zero += log_z == -np.inf
    assert split > 100 * TIMES and zero > 10 * TIMES


def test_an_exact_answer_has_a_small_gap():
    for seed in range(50):
        result = random_model(seed).bound()
        assert result.exact and result.gap <= 1e-9 * max(1, abs(result.upper)), seed


def test_a_bracket_of_a_model_too_wide_to_enumerate():
    model = glass(9)
    exact = model.exact()
    trail = []
    loose = model.bound(method="wmbe-w", ibound=3, iterations=20, callback=trail.append)
    assert loose.lower <= exact.lower <= exact.upper <= loose.upper
    assert not loose.exact and loose.gap > 0
    uppers = [p.upper for p in loose.trace]
    assert uppers == sorted(uppers, reverse=True) and len(uppers) > 3
    assert loose.trace[-1].upper >= loose.upper
    assert [p.iteration for p in trail if p.side == "upper"][-1] > 3


def test_no_side_is_infinite_and_bp_has_an_estimate(triangle):
    upper = triangle.bound(side="upper", method="wmbe", ibound=2)
    assert upper.lower == -np.inf and upper.lower_by is None and upper.upper_by.method == "wmbe"
    bp = triangle.bound(method="bp")
    assert bp.estimate is not None and not bp.guaranteed and "estimate=" in repr(bp)


def test_z_of_zero_is_minus_infinity():
    model = zbound.Model([2])
    model.add([0], [0, 0])
    result = model.bound()
    assert result.upper == -np.inf and result.gap == 0 and "-inf" in result._repr_html_()


def test_evidence_by_file_and_by_hand(tmp_path):
    model = random_model(3)
    path, seen = tmp_path / "m.uai.gz", tmp_path / "m.evid"
    model.write(path)
    seen.write_text("1 0 0\n")
    again = zbound.read(path, evidence=seen)
    assert again.evidence == {0: 0}
    model.observe("v0", 0)
    assert contains(again.exact(), log_sum(model))
    model.observe("v0", None)
    assert model.evidence == {}


def test_a_copy_is_another_model(triangle):
    other = triangle.copy()
    other.observe(0, 1)
    assert triangle.evidence == {} and other.exact().upper < triangle.exact().upper


def test_info_and_order():
    model = glass(4)
    info = model.info()
    assert info.given.variables == 16 and info.cards == {2: 16} and info.arities == {1: 16, 2: 24}
    assert 1 < info.width <= 4 and info.rows[-1].splits == 0 and "16" in info._repr_html_()
    order = model.order()
    assert sorted(order.variables) == list(range(16)) and order.width <= 5
    width = model.order(order=list(reversed(order.variables))).width
    assert model.bound(method="be", order=order.variables).exact and width >= 1
    assert zbound.Model([]).order().variables == []


def test_marginals_are_the_gradient_of_an_exact_bound():
    for seed in range(1, 60):
        model = random_model(seed)
        joint = log_joint(model)
        if not np.isfinite(joint).any() or len(model) == 0:
            continue
        bounds = model.log_z_bounds(ibound=20)
        probability = np.exp(joint - log_sum(model))
        assert bounds.exact
        for f in range(len(model)):
            axes = [model.variables.index(v) for v in model.scope(f)]
            rest = tuple(v for v in range(joint.ndim) if v not in axes)
            marginal = probability.sum(axis=rest).transpose(np.argsort(np.argsort(axes)))
            assert np.allclose(bounds.upper_gradient[f], marginal, atol=1e-9), (seed, f)
            assert np.allclose(bounds.lower_gradient[f], marginal, atol=1e-9), (seed, f)


def test_gradients_of_split_bounds_are_slopes():
    model = glass(4)
    theta = np.concatenate([model.table(f, log=True).ravel() for f in range(len(model))])
    start = model.log_z_bounds(theta, ibound=2, iterations=20)
    assert not start.exact and start.lower < start.upper
    step = 1e-4
    for side in "upper", "lower":
        slope = getattr(start, side + "_gradient")
        assert slope.shape == theta.shape
        for i in range(0, len(theta), 17):
            ends = [model.log_z_bounds(theta + s * step * (np.arange(len(theta)) == i),
                                       start=start, iterations=0, ibound=2) for s in (1, -1)]
            difference = (getattr(ends[0], side) - getattr(ends[1], side)) / (2 * step)
            assert abs(difference - slope[i]) < 1e-5, (side, i)


def test_going_on_is_never_looser():
    model = glass(5)
    first = model.log_z_bounds(ibound=3, iterations=5)
    second = model.log_z_bounds(ibound=3, iterations=20, start=first)
    assert second.upper <= first.upper and second.lower >= first.lower
    again = model.log_z_bounds(ibound=3, iterations=0, start=first)
    assert (again.lower, again.upper) == (first.lower, first.upper)


# ---- the header is the source ------------------------------------------------------------


def test_every_option_of_the_header_is_there():
    table = HEADER.read_text().split("#define ZB_OPTIONS(X)")[1].split("#define")[0]
    names = re.findall(r'X\(\s*[A-Z]+,\s*\w+,\s*"([a-z-]+)"', table)
    assert [option.name for option in zbound.options()] == [n.replace("-", "_") for n in names]
    assert len(names) > 10
    for option in zbound.options():
        assert option.help in zbound.Model.bound.__doc__


def test_every_option_can_be_set_to_its_default(triangle):
    for option in zbound.options():
        assert triangle.bound(**{option.name: option.default}).exact


def test_every_field_of_a_result_is_there():
    from zbound._native import ffi
    renamed = {"log_lower": "lower", "log_upper": "upper", "log_estimate": "estimate",
               "log_estimate_error": "estimate_error"}
    fields = {renamed.get(name, name) for name, _ in ffi.typeof("zb_result").fields}
    fields -= {"has_lower", "has_upper", "has_estimate", "has_confidence"}  # infinite, or None
    assert fields <= set(zbound.Result.__dataclass_fields__)


def test_the_version_is_the_header_s():
    numbers = re.findall(r"#define ZB_VERSION_M?[A-Z]+ (\d+)", HEADER.read_text())
    assert zbound.__version__ == ".".join(numbers[:3])


def test_types_are_marked():
    assert (Path(zbound.__file__).parent / "py.typed").exists()


def test_results_are_plain_and_can_be_sent(triangle):
    result = triangle.bound()
    again = pickle.loads(pickle.dumps(result))
    assert again == result and repr(result).startswith("Result(lower=")
