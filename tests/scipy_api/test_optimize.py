"""Minimising, searching along lines, assigning."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from torchspore import Tensor
from torchspore import numpy as mnp
from torchspore.scipy.optimize import LagrangeResults, line_search, linear_sum_assignment, minimize

START = Tensor(np.array([-1.2, 1.0, 0.5]))


def rosenbrock(x, a=100.0):
    return (a * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


def rosenbrock_gradient(x, a=100.0):
    inner = x[1:] - x[:-1] ** 2
    gradient = mnp.zeros_like(x)
    gradient[:-1] = -4 * a * x[:-1] * inner - 2 * (1 - x[:-1])
    gradient[1:] = gradient[1:] + 2 * a * inner
    return gradient


@pytest.mark.parametrize("method", ["BFGS", "lbfgs"])
@pytest.mark.parametrize("jac", [None, rosenbrock_gradient], ids=["differentiated", "given"])
def test_the_valley_is_found(method, jac):
    result = minimize(rosenbrock, START, method=method, jac=jac, tol=1e-8)
    assert result.success
    assert result.status == 0
    np.testing.assert_allclose(result.x.asnumpy(), 1, atol=1e-6)
    assert result.fun < 1e-12
    assert np.abs(result.jac.asnumpy()).max() < 1e-8
    assert result.nfev == result.njev >= result.nit > 5
    np.testing.assert_array_equal(START.asnumpy(), [-1.2, 1.0, 0.5])


def test_further_arguments_and_the_hessian():
    result = minimize(rosenbrock, START, (3.0,), "BFGS", options={"gtol": 1e-8})
    np.testing.assert_allclose(result.x.asnumpy(), 1, atol=1e-6)
    a = 3.0
    hessian = np.array([[8 * a + 2, -4 * a, 0], [-4 * a, 10 * a + 2, -4 * a], [0, -4 * a, 2 * a]])
    np.testing.assert_allclose(np.linalg.inv(result.hess_inv.asnumpy()), hessian, rtol=0.2, atol=2)


@pytest.mark.parametrize("method", ["BFGS", "LBFGS"])
def test_too_few_iterations(method):
    result = minimize(rosenbrock, START, method=method, options={"maxiter": 3})
    assert (result.success, result.status, result.nit) == (False, 1, 3)
    assert result.fun < float(rosenbrock(START))


def test_a_small_history_takes_longer_and_arrives():
    long, short = [
        minimize(rosenbrock, START, method="LBFGS", tol=1e-8, options={"history_size": size}) for size in (20, 1)
    ]
    np.testing.assert_allclose(short.x.asnumpy(), 1, atol=1e-5)
    assert short.nit > long.nit


def test_constraints():
    constraints = [lambda x: x[0] - 0.5, lambda x: x.sum() - 2]
    options = {"rounds": 8, "steps": 150, "save_tol": [1e-3, 1e-3], "lower": [0.0, 0.0], "upper": [5.0, 1.2]}
    start = Tensor(np.array([3.0, 0.2]))
    result = minimize(
        lambda x: ((x - 2) ** 2).sum(), start, method="LAGRANGE", constraints=constraints, options=options
    )
    assert isinstance(result, LagrangeResults)
    assert result.succeeded
    np.testing.assert_allclose(result.best_value.asnumpy(), [0.5, 1.2], atol=0.01)
    assert abs(result.object_value - (1.5**2 + 0.8**2)) < 0.05
    assert (result.loss_value.asnumpy() <= 1e-3).all()


def test_what_function_and_constraints_have_in_common(capsys):
    seen = []

    def common(x):
        seen.append(x)
        return x * x

    options = {"rounds": 2, "steps": 60, "coincide_func": common, "log_sw": True, "obj_weight": 2.0}
    result = minimize(
        lambda x, squares: (squares - x).sum(),
        Tensor(np.array([0.0])),
        method="LAGRANGE",
        constraints=[lambda x, squares: squares.sum() - 4],
        options=options,
    )
    np.testing.assert_allclose(result.best_value.asnumpy(), 0.5, atol=0.01)
    assert len(seen) == 2 * 60 + 1
    assert capsys.readouterr().out.count("loss") == 120


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"method": "Newton"}, ValueError, "'method' must be one of"),
        ({}, ValueError, "'method' must be one of"),
        ({"method": "BFGS", "constraints": [len]}, NotImplementedError, "only the method 'LAGRANGE' takes constraints"),
        ({"method": "BFGS", "options": {"steps": 3}}, TypeError, r"unknown options \['steps'\]. Known: maxiter"),
        ({"method": "LAGRANGE", "options": {"gtol": 3}}, TypeError, r"unknown options \['gtol'\]. Known: save_tol"),
        ({"method": "LAGRANGE", "options": {"save_tol": [1.0]}}, ValueError, "'save_tol' must have 0 numbers"),
    ],
)
def test_refused(arguments, error, message):
    with pytest.raises(error, match=f"For 'minimize', {message}"):
        minimize(rosenbrock, START, **arguments)


@pytest.mark.parametrize("name", ["hess", "hessp", "bounds", "callback"])
def test_arguments_without_effect(name):
    with pytest.warns(RuntimeWarning, match=f"For 'minimize', '{name}' has no effect"):
        result = minimize(rosenbrock, START, method="BFGS", **{name: len})
    np.testing.assert_array_equal(result.x.asnumpy(), minimize(rosenbrock, START, method="BFGS").x.asnumpy())


def test_what_is_no_vector_is_refused():
    with pytest.raises(ValueError, match="For 'minimize', 'x0' must be a vector, but got Tensor"):
        minimize(rosenbrock, Tensor(np.zeros((2, 2))), method="BFGS")
    with pytest.raises(TypeError, match="For 'minimize', 'func' must be a function and 'x0' a Tensor"):
        minimize(rosenbrock, [1.0], method="BFGS")
    with pytest.raises(TypeError, match="For 'line_search', 'pk' must be a Tensor"):
        line_search(rosenbrock, START, 1.0)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 30.0])
def test_steps_satisfy_the_wolfe_conditions(scale):
    gradient = rosenbrock_gradient(START)
    direction = -scale * gradient
    result = line_search(rosenbrock, START, direction, c1=1e-4, c2=0.4, maxiter=40)
    assert not result.failed
    slope = float((gradient * direction).sum())
    end = START + result.a_k * direction
    assert float(rosenbrock(end)) <= float(rosenbrock(START)) + 1e-4 * result.a_k * slope
    assert abs(float((rosenbrock_gradient(end) * direction).sum())) <= 0.4 * abs(slope)
    np.testing.assert_allclose(result.f_k, float(rosenbrock(end)))
    np.testing.assert_allclose(result.g_k.asnumpy(), rosenbrock_gradient(end).asnumpy())
    known = line_search(
        rosenbrock,
        START,
        direction,
        jac=rosenbrock_gradient,
        gfk=gradient,
        old_fval=rosenbrock(START),
        c2=0.4,
        maxiter=40,
    )
    assert known.a_k == pytest.approx(result.a_k)


def test_upwards_there_is_no_step():
    result = line_search(lambda x: (x * x).sum(), START, START)
    assert result.failed
    assert result.status == 1


def _best_by_trying(cost, maximize):
    rows, columns = cost.shape
    if rows > columns:
        return _best_by_trying(cost.T, maximize)
    sums = [cost[np.arange(rows), list(chosen)].sum() for chosen in itertools.permutations(range(columns), rows)]
    return max(sums) if maximize else min(sums)


@pytest.mark.parametrize("maximize", [False, True])
@pytest.mark.parametrize("shape", [(1, 1), (4, 4), (3, 5), (5, 3), (5, 5)])
def test_assignments_are_the_best_of_all(shape, maximize):
    draw = np.random.default_rng(7)
    for _ in range(8):
        for cost in (draw.standard_normal(shape), draw.integers(0, 4, shape).astype(float)):
            rows, columns = [found.asnumpy() for found in linear_sum_assignment(Tensor(cost), maximize)]
            assert rows.dtype == columns.dtype == np.int64
            assert len(set(rows)) == len(set(columns)) == min(shape)
            assert sorted(rows) == list(rows)
            assert cost[rows, columns].sum() == pytest.approx(_best_by_trying(cost, maximize))


def test_limits_forbidden_pairs_and_refusals():
    cost = Tensor(np.array([[1.0, np.inf, 3.0], [np.inf, 2.0, 0.0]]))
    rows, columns = linear_sum_assignment(cost, False, 2)
    assert (rows.tolist(), columns.tolist()) == ([0, 1], [0, 1])
    rows, columns = linear_sum_assignment(cost, False, Tensor(1))
    assert (rows.tolist(), columns.tolist()) == ([0, -1], [0, -1])
    with pytest.raises(ValueError, match="For 'linear_sum_assignment', the costs allow no assignment"):
        linear_sum_assignment(Tensor(np.full((2, 2), np.inf)), False)
    with pytest.raises(ValueError, match="For 'linear_sum_assignment', 'cost_matrix' must not hold nan"):
        linear_sum_assignment(Tensor(np.full((2, 2), np.nan)), False)
    with pytest.raises(ValueError, match="For 'linear_sum_assignment', 'cost_matrix' must have 2 dimensions"):
        linear_sum_assignment(Tensor(np.zeros(3)), False)
    with pytest.raises(TypeError, match="For 'linear_sum_assignment', 'maximize' must be a bool"):
        linear_sum_assignment(cost, 1)
