"""Other packages, both ways. Tests with one that is not installed are skipped by name."""

import numpy as np
import pytest

import zbound
from conftest import contains, log_sum, random_model


def energy_sum(J, h, beta):
    """ln sum exp(beta (sum_{i<j} J s s + sum h s)) from the formula itself."""
    n = len(J)
    spins = 2 * (np.arange(2**n)[:, None] >> np.arange(n) & 1) - 1
    energy = np.einsum("ki,ij,kj->k", spins, np.triu(J, 1), spins) + spins @ h
    return np.logaddexp.reduce(beta * energy)


def couplings(seed, n=6):
    rng = np.random.default_rng(seed)
    J = rng.normal(size=(n, n)) * (rng.random((n, n)) < 0.6)
    J = np.triu(J, 1)
    return J + J.T, rng.normal(size=n)


@pytest.mark.parametrize("seed", range(20))
def test_ising_is_its_formula(seed):
    J, h = couplings(seed, n=seed % 7 + 1)
    for beta in 1, -0.7:
        log_z = energy_sum(J, h, beta)
        for given in J, np.triu(J), np.tril(J), J.tolist(), np.asfortranarray(J):
            assert contains(zbound.ising(given, h, beta).exact(), log_z)
    assert contains(zbound.ising(J, 0.3).exact(), energy_sum(J, np.full(len(J), 0.3), 1))


def test_scipy_sparse():
    sparse = pytest.importorskip("scipy.sparse")
    J, h = couplings(3)
    log_z = energy_sum(J, h, 1.2)
    for kind in sparse.csr_matrix, sparse.coo_matrix, sparse.lil_matrix, sparse.csc_array:
        assert contains(zbound.ising(kind(J), h, 1.2).exact(), log_z)
    twice = sparse.coo_matrix(([1.0, 2.0], ([0, 0], [1, 1])), shape=(2, 2))
    assert zbound.to_couplings(zbound.ising(twice)).J[0, 1] == 3
    back = zbound.to_couplings(zbound.ising(J, h), sparse=True)
    assert np.allclose(back.J.toarray(), J) and np.allclose(back.h, h)
    large = sparse.random(3000, 3000, 1e-4, random_state=1)
    large = sparse.triu(large, 1)
    assert len(zbound.ising(large)) == large.nnz
    with pytest.raises(zbound.Error, match="J: neither"):
        zbound.ising(sparse.csr_matrix([[0, 1], [2, 0]]))
    with pytest.raises(zbound.Error, match="J: expected a square"):
        zbound.ising(sparse.csr_matrix(np.ones((2, 3))))


def test_networkx():
    networkx = pytest.importorskip("networkx")
    J, h = couplings(4, n=5)
    graph = networkx.Graph()
    names = list("abcde")
    graph.add_nodes_from(names)
    graph.add_weighted_edges_from((names[i], names[j], J[i, j])
                                  for i in range(5) for j in range(i) if J[i, j])
    model = zbound.ising(graph, h=dict(zip(names, h)), beta=0.5)
    assert model.variables == tuple("abcde")
    assert contains(model.exact(), energy_sum(J, h, 0.5))
    back = zbound.to_networkx(model)
    again = zbound.ising(back, h=dict(back.nodes(data="field")))
    assert abs(again.exact().upper + back.graph["constant"] - model.exact().upper) < 1e-9
    assert contains(zbound.ising(networkx.path_graph(3)).exact(), np.log(2) + 2 * np.log(2 * np.cosh(1)))
    graph.add_edge("a", "a")
    with pytest.raises(zbound.Error, match="J: an edge"):
        zbound.ising(graph)


def test_couplings_of_tables():
    rng = np.random.default_rng(8)
    model = zbound.Model([2] * 4)
    for scope in (0, 1), (1, 0), (2, 3), (3,), ():
        model.add(scope, rng.random([2] * len(scope)) + 0.1)
    J, h, constant = zbound.to_couplings(model)
    assert abs(zbound.ising(J, h).exact().upper + constant - log_sum(model)) < 1e-9


@pytest.mark.slow
def test_torch_tensors():
    torch = pytest.importorskip("torch")
    model = zbound.Model([2, 3])
    table = torch.arange(6, dtype=torch.float32).reshape(2, 3)
    model.add((0, 1), table)
    assert np.array_equal(model.table(0), table.numpy())
    with pytest.raises(zbound.Error, match="table: .*detach"):
        model.add((0, 1), table.clone().requires_grad_())


# ---- stand-ins with what the packages' classes have --------------------------------------


class PgmpyFactor:
    def __init__(self, variables, table):
        self.variables, self.values = list(variables), np.asarray(table, dtype=float)
        self.cardinality = np.array(self.values.shape)


class PgmpyNetwork:
    def __init__(self, factors, nodes):
        self.get_factors, self.nodes = (lambda: factors), (lambda: nodes)


def test_what_looks_like_pgmpy():
    factors = [PgmpyFactor("ab", [[1, 2, 3], [4, 5, 6]]), PgmpyFactor("b", [1, 0, 2])]
    model = zbound.from_pgmpy(PgmpyNetwork(factors, ["b", "a"]))
    assert model.variables == ("b", "a") and model.cards == (3, 2)
    assert abs(np.exp(model.exact().upper) - (1 + 4 + 2 * (3 + 6))) < 1e-9
    assert zbound.from_pgmpy(factors).variables == ("a", "b")
    assert len(zbound.from_pgmpy(factors[0])) == 1
    with pytest.raises(zbound.Error, match="how many states 'c'"):
        zbound.from_pgmpy(PgmpyNetwork(factors, ["a", "b", "c"]))
    with pytest.raises(zbound.Error, match="'b' has 3 states in one"):
        zbound.from_pgmpy(factors + [PgmpyFactor("b", [1, 2])])


# ---- the packages ------------------------------------------------------------------------


@pytest.mark.slow
def test_pgmpy():
    discrete = pytest.importorskip("pgmpy.factors.discrete")
    models = pytest.importorskip("pgmpy.models")
    for seed in range(30):
        model = random_model(seed)
        if log_sum(model) == -np.inf or sum(map(len, model.factors)) == 0:
            continue
        network = zbound.to_pgmpy(model)
        if network.get_factors():
            assert contains(zbound.from_pgmpy(network).exact(), log_sum(model))
    network = (getattr(models, "DiscreteBayesianNetwork", None) or models.BayesianNetwork)(
        [("rain", "grass")])
    network.add_cpds(discrete.TabularCPD("rain", 2, [[0.8], [0.2]]),
                     discrete.TabularCPD("grass", 3, [[0.6, 0.1], [0.3, 0.2], [0.1, 0.7]],
                                         evidence=["rain"], evidence_card=[2]))
    model = zbound.from_pgmpy(network)
    assert contains(model.exact(), 0.0)
    model.observe("grass", 2)
    assert contains(model.exact(), np.log(0.8 * 0.1 + 0.2 * 0.7))


@pytest.mark.slow
def test_pygms():
    gm = pytest.importorskip("pygms")
    for seed in range(60):
        model = random_model(seed)
        back = zbound.from_pygms(zbound.to_pygms(model))
        assert contains(back.exact(), log_sum(model)), seed
    table = np.arange(1.0, 7).reshape(3, 2)
    graph = gm.GraphModel([gm.Factor([gm.Var(2, 3), gm.Var(0, 2)], table)])
    model = zbound.from_pygms(graph)
    assert model.cards[2] == 3 and contains(model.exact(), np.log(21 * model.cards[1]))
    graph.toLog()
    assert contains(zbound.from_pygms(graph).exact(), np.log(21 * model.cards[1]))
