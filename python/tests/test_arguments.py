"""A broken input for every argument: an exception that names it, never a crash."""

import numpy as np
import pytest

import zbound


def model():
    m = zbound.Model([2, 3])
    m.add((0, 1), np.ones((2, 3)))
    return m


named = zbound.Model({"a": 2, "b": 2})
nan, inf = float("nan"), float("inf")
ones = np.ones((2, 3))


class Odd:
    """Breaks whatever is asked of it."""

    def __array__(self, *args, **kwargs):
        raise RuntimeError("no array today")

    def __index__(self):
        raise TypeError("no index")

    def __float__(self):
        raise ValueError("no float")


BROKEN = [
    # call, what the sentence begins with or holds
    (lambda: zbound.Model(None), "variables"),
    (lambda: zbound.Model("22"), "variables"),
    (lambda: zbound.Model([2, 0]), "variables"),
    (lambda: zbound.Model([2, -1]), "variables"),
    (lambda: zbound.Model([2, 2.5]), "variables"),
    (lambda: zbound.Model([2**40]), "variables"),
    (lambda: zbound.Model([True]), "variables"),
    (lambda: zbound.Model({"a": "b"}), "variables"),
    (lambda: model().add(None, ones), "scope"),
    (lambda: model().add("01", ones), "scope"),
    (lambda: model().add((0, 2), ones), "scope"),
    (lambda: model().add((0, -1), ones), "scope"),
    (lambda: model().add((0, 0), np.ones((2, 2))), "scope"),
    (lambda: model().add((0, 1.5), ones), "scope"),
    (lambda: model().add((0, 2**70), ones), "scope"),
    (lambda: named.add(("a", "c"), np.ones((2, 2))), "scope"),
    (lambda: named.add(("a", []), np.ones((2, 2))), "scope"),
    (lambda: named.add((0, 1), np.ones((2, 2))), "scope"),
    (lambda: model().add((0, 1), np.ones((3, 2))), "table: expected the shape (2, 3)"),
    (lambda: model().add((0, 1), np.ones(6)), "table"),
    (lambda: model().add((), np.ones(1)), "table"),
    (lambda: model().add((0, 1), None), "table"),
    (lambda: model().add((0, 1), "x"), "table"),
    (lambda: model().add((0, 1), [[1, 2], [3]]), "table"),
    (lambda: model().add((0, 1), ones * 1j), "table: expected real numbers"),
    (lambda: model().add((0, 1), ones.astype(object)), "table"),
    (lambda: model().add((0, 1), ones.astype("datetime64[s]")), "table"),
    (lambda: model().add((0, 1), Odd()), "table: not an array of numbers: no array today"),
    (lambda: model().add((0, 1), ones * nan), "table: expected finite values"),
    (lambda: model().add((0, 1), [[1, 1, 1], [1, -2, 1]]), "found -2.0 at [1, 1]"),
    (lambda: model().add((0, 1), ones * inf), "table"),
    (lambda: model().add((0, 1), ones * inf, log=True), "table: expected logarithms"),
    (lambda: model().add((0, 1), ones * nan, log=True), "table"),
    (lambda: model().observe(2, 0), "variable"),
    (lambda: model().observe("x", 0), "variable"),
    (lambda: named.observe(["a"], 0), "variable"),
    (lambda: model().observe(0, 2), "value"),
    (lambda: model().observe(0, -1), "value"),
    (lambda: model().observe(0, 0.5), "value"),
    (lambda: model().observe(0, 2**80), "value"),
    (lambda: model().observe(0, "yes"), "value"),
    (lambda: model().states(2), "variable"),
    (lambda: model().states(None), "variable"),
    (lambda: model().scope(1), "factor"),
    (lambda: model().scope(-1), "factor"),
    (lambda: model().table(None), "factor"),
    (lambda: model().table(2**80), "factor"),
    (lambda: model().write(None), "path"),
    (lambda: model().write("a\0b"), "path"),
    (lambda: model().write("/no/such/folder/x.uai"), "/no/such/folder"),
    (lambda: zbound.read(3.5), "path"),
    (lambda: zbound.read("/no/such/file"), "/no/such/file"),
    (lambda: zbound.read("/"), "/"),
    (lambda: zbound.read("/dev/null"), "/dev/null"),
    (lambda: zbound.read("/dev/null", format="pdf"), "format"),
    (lambda: zbound.read("/dev/null", format=["uai"]), "format"),
    (lambda: zbound.read("x", evidence=7.5), "evidence"),
    (lambda: model().bound(tim=1), "no option 'tim'"),
    (lambda: model().bound(time="soon"), "time"),
    (lambda: model().bound(time=nan), "time"),
    (lambda: model().bound(time=Odd()), "time"),
    (lambda: model().bound(method="best"), "method"),
    (lambda: model().bound(method=3), "method"),
    (lambda: model().bound(method="a\0b"), "method"),
    (lambda: model().bound(side="left"), "side"),
    (lambda: model().bound(form="x"), "form"),
    (lambda: model().bound(optimizer="x"), "optimizer"),
    (lambda: model().bound(ibound=-1), "ibound"),
    (lambda: model().bound(ibound=2.5), "ibound"),
    (lambda: model().bound(ibound=True), "ibound"),
    (lambda: model().bound(iterations=2**70), "iterations"),
    (lambda: model().bound(memory="much"), "memory"),
    (lambda: model().bound(memory=-1), "memory"),
    (lambda: model().bound(seed=-1), "seed"),
    (lambda: model().bound(threads=-1), "threads"),
    (lambda: model().bound(threads=10**6), "threads"),
    (lambda: model().bound(tolerance=2), "tolerance"),
    (lambda: model().bound(step_gauge=-1), "step-gauge"),
    (lambda: model().bound(step_weight=-1), "step-weight"),
    (lambda: model().bound(step_theta=11), "step-theta"),
    (lambda: model().bound(order="file"), "order"),
    (lambda: model().bound(order="up"), "order"),
    (lambda: model().bound(order=[0]), "order"),
    (lambda: model().bound(order=[0, 0], method="be"), "order"),
    (lambda: model().bound(order=[0, 7]), "order"),
    (lambda: model().bound(callback=3), "callback"),
    (lambda: model().bound(method="trbp", side="lower"), "trbp"),
    (lambda: model().exact(method="mf"), "method"),
    (lambda: model().info(memory="x"), "memory"),
    (lambda: model().info(callback="x"), "callback"),
    (lambda: model().order(order=[1]), "order"),
    (lambda: model().log_z_bounds(3), "theta"),
    (lambda: model().log_z_bounds([]), "theta"),
    (lambda: model().log_z_bounds([np.ones(6)]), "theta[0]"),
    (lambda: model().log_z_bounds([ones * nan]), "theta[0]"),
    (lambda: model().log_z_bounds(np.ones(5)), "theta"),
    (lambda: model().log_z_bounds(np.ones((2, 3))), "theta"),
    (lambda: model().log_z_bounds(np.full(6, inf)), "theta[0]"),
    (lambda: model().log_z_bounds(start=3), "start"),
    (lambda: model().log_z_bounds(method="auto"), "method 'auto'"),
    (lambda: model().log_z_bounds(form="forney"), "form 'original'"),
    (lambda: model().log_z_bounds(start=zbound.Model([2, 2, 2]).log_z_bounds()), "3 variables"),
    (lambda: zbound.ising(None), "J"),
    (lambda: zbound.ising([1, 2]), "J"),
    (lambda: zbound.ising(np.ones((2, 3))), "J"),
    (lambda: zbound.ising(np.eye(3)), "J: expected zeros on the diagonal"),
    (lambda: zbound.ising([[0, 1], [2, 0]]), "J: neither symmetric nor triangular"),
    (lambda: zbound.ising([[0, nan], [nan, 0]]), "J"),
    (lambda: zbound.ising([[0, 1e308], [1e308, 0]], beta=1e10), "J"),
    (lambda: zbound.ising([[0, "a"], ["a", 0]]), "J"),
    (lambda: zbound.ising(np.zeros((2, 2)), h=[1]), "h"),
    (lambda: zbound.ising(np.zeros((2, 2)), h=[1, nan]), "h"),
    (lambda: zbound.ising(np.zeros((2, 2)), h="up"), "h"),
    (lambda: zbound.ising(np.zeros((2, 2)), h={"x": 1}), "h"),
    (lambda: zbound.ising(np.zeros((2, 2)), beta="hot"), "beta"),
    (lambda: zbound.ising(np.zeros((2, 2)), beta=inf), "beta"),
    (lambda: zbound.from_pgmpy(3), "model"),
    (lambda: zbound.from_pgmpy([3]), "model"),
    (lambda: zbound.from_pygms(3), "model"),
    (lambda: zbound.from_pygms([3]), "model"),
    (lambda: zbound.to_couplings(zbound.Model([3])), "model"),
    (lambda: zbound.to_couplings(zero()), "model: factor 0"),
]


def zero():
    m = zbound.Model([2, 2])
    m.add((0, 1), [[1, 0], [0, 1]])
    return m


@pytest.mark.parametrize("number", range(len(BROKEN)))
def test_broken_input_is_named(number):
    call, said = BROKEN[number]
    with pytest.raises(zbound.Error) as caught:
        call()
    assert said in str(caught.value)
    if "/" not in said:
        assert isinstance(caught.value, ValueError)


def test_a_refused_factor_changes_nothing():
    m = model()
    with pytest.raises(zbound.Error):
        m.add((0, 1), -ones)
    assert len(m) == 1


def test_too_little_memory_is_an_error():
    J = np.triu(1 + np.arange(3600).reshape(60, 60) / 3600, 1)  # no two alike
    with pytest.raises(zbound.Error) as caught:
        zbound.ising(J).exact(memory="100M")
    assert caught.value.status in ("limit", "memory")


def test_names_and_numbers_of_numpy_are_taken():
    m = zbound.Model(np.array([2, 3]))
    m.add(np.array([0, 1]), np.ones((2, 3), dtype=np.float32))
    m.add([np.int64(0)], np.array([True, False]))
    m.observe(np.int32(1), np.int8(2))
    assert m.bound(time=np.float64(1), ibound=np.int16(4)).exact
    m.add((), 3)
    assert m.table(2).shape == () and m.scope(2) == ()


def test_warnings_of_the_reader(tmp_path):
    path = tmp_path / "count.cnf"
    path.write_text("p cnf 2 5\n1 2 0\n")
    with pytest.warns(UserWarning, match="count.cnf"):
        zbound.read(path)
