"""The same task in pyGMs, pgmpy and zbound: ln Z of spin glasses on squares.

    PYTHONPATH=build-python/lib python3 python/bench/peers.py

Each function is what a user of the package would write, from couplings to an answer.
Packages that are not installed are left out, and each may take 4 GiB. The table is the
one of docs/python.md.
"""

import importlib
import inspect
import resource
import time
import warnings

import numpy as np


def couplings(rows, seed=1):
    """Edges (u, v), their couplings, and a field for each spin."""
    rng = np.random.default_rng(seed)
    site = np.arange(rows * rows).reshape(rows, rows)
    u = np.r_[site[:, :-1].ravel(), site[:-1].ravel()]
    v = np.r_[site[:, 1:].ravel(), site[1:].ravel()]
    return u, v, rng.normal(size=len(u)), 0.3 * rng.normal(size=rows * rows)


def pgmpy_exact(u, v, J, h):
    from pgmpy.factors.discrete import DiscreteFactor
    from pgmpy.models import MarkovNetwork
    network = MarkovNetwork(list(zip(u, v)))
    for a, b, w in zip(u, v, J):
        network.add_factors(DiscreteFactor([a, b], [2, 2], np.exp([w, -w, -w, w])))
    for a, w in enumerate(h):
        network.add_factors(DiscreteFactor([a], [2], np.exp([-w, w])))
    return np.log(network.get_partition_function())


def pygms_exact(u, v, J, h):
    import pygms
    import pygms.wmb
    X = [pygms.Var(i, 2) for i in range(len(h))]
    pair = [pygms.Factor([X[a], X[b]], np.exp([[w, -w], [-w, w]])) for a, b, w in zip(u, v, J)]
    one = [pygms.Factor([X[a]], np.exp([-w, w])) for a, w in enumerate(h)]
    return pygms.wmb.JTree(pygms.GraphModel(pair + one)).msgForward()


def pygms_bounds(u, v, J, h):
    import pygms
    import pygms.wmb
    X = [pygms.Var(i, 2) for i in range(len(h))]
    pair = [pygms.Factor([X[a], X[b]], np.exp([[w, -w], [-w, w]])) for a, b, w in zip(u, v, J)]
    one = [pygms.Factor([X[a]], np.exp([-w, w])) for a, w in enumerate(h)]
    best = []
    for weights in -1.0, 1.0:
        wmb = pygms.wmb.WMB(pygms.GraphModel(pair + one), iBound=8, weights=weights)
        for i in range(10):
            bound = wmb.msgForward(0.5, 0.1)
            wmb.msgBackward()
        best.append(bound)
    return tuple(best)


def zbound_exact(u, v, J, h):
    import zbound
    from scipy.sparse import coo_matrix
    return zbound.ising(coo_matrix((J, (u, v)), shape=(len(h), len(h))), h).exact().upper


def zbound_bounds(u, v, J, h):
    import zbound
    from scipy.sparse import coo_matrix
    model = zbound.ising(coo_matrix((J, (u, v)), shape=(len(h), len(h))), h)
    result = model.bound(time=10)
    return result.lower, result.upper


TASKS = [
    (4, "ln Z", [pgmpy_exact, pygms_exact, zbound_exact]),
    (10, "ln Z", [pgmpy_exact, pygms_exact, zbound_exact]),
    (16, "ln Z", [pygms_exact, zbound_exact]),
    (30, "bounds", [pygms_bounds, zbound_bounds]),
]


def show(answer) -> str:
    if isinstance(answer, tuple):
        return f"{answer[0]:.6g} to {answer[1]:.6g}"
    return f"{answer:.9g}"


def measure(function, problem) -> "tuple[str, str]":
    start = time.perf_counter()
    try:
        answer = show(function(*problem))
    except Exception as error:
        answer = f"none: {type(error).__name__}"
    return f"{time.perf_counter() - start:.3g}", answer


def main() -> None:
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
    print("| spins | asked | package | lines | seconds | answer |\n|---|---|---|---|---|---|")
    for rows, asked, functions in TASKS:
        for function in functions:
            package = function.__name__.split("_")[0]
            try:
                importlib.import_module({"pgmpy": "pgmpy.models"}.get(package, package))
            except ImportError:
                continue
            lines = len(inspect.getsource(function).splitlines()) - 1
            seconds, answer = measure(function, couplings(rows))
            print(f"| {rows}x{rows} | {asked} | {package} | {lines} | {seconds} | {answer} |",
                  flush=True)


if __name__ == "__main__":
    main()
