"""Steps of optimizers: formulas without a kernel in MindSpore, rows of tensors, differentiated functions and graphs."""

from __future__ import annotations

import numpy as np
import pytest

import torchspore as ms
from torchspore import ops

VAR, SLOT, OTHER = [
    np.array(rows, np.float32)
    for rows in ([[0.6, 0.4], [0.1, -0.5]], [[0.6, 0.5], [0.2, 0.7]], [[0.3, 0.1], [0.9, 0.4]])
]
GRAD = np.array([[0.3, -0.7], [0.1, 0.8]], np.float32)


def _parameters(*arrays):
    return [ms.Parameter(ms.Tensor(array.copy())) for array in arrays]


def _check(parameters, *expected):
    for parameter, array in zip(parameters, expected):
        np.testing.assert_allclose(parameter.asnumpy(), array, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("nesterov", [False, True])
def test_keras_momentum(nesterov):
    var, accum = _parameters(VAR, SLOT)
    found = ops.ApplyKerasMomentum(use_nesterov=nesterov)(var, accum, 0.1, ms.Tensor(GRAD), 0.9)
    moved = 0.9 * SLOT - 0.1 * GRAD
    _check((var, accum), VAR + (0.9 * moved - 0.1 * GRAD if nesterov else moved), moved)
    _check(found, var.asnumpy(), accum.asnumpy())


def test_slots_that_are_not_updated():
    var, accum = _parameters(VAR, SLOT)
    ops.ApplyAdagrad(False)(var, accum, 0.1, ms.Tensor(GRAD))
    _check((var, accum), VAR - 0.1 * GRAD / np.sqrt(SLOT), SLOT)


def test_lars():
    found = ops.LARSUpdate(use_clip=True)(
        *map(ms.Tensor, (VAR, GRAD)), ms.Tensor((VAR**2).sum()), ms.Tensor((GRAD**2).sum()), 0.1, 1e-3
    )
    size, slope = np.sqrt((VAR**2).sum()), np.sqrt((GRAD**2).sum())
    rate = min(0.001 * size / (slope + 0.1 * size + 1e-5) / 1e-3, 1)
    np.testing.assert_allclose(found.asnumpy(), (GRAD + 0.1 * VAR) * rate, rtol=1e-5)


# A step for some rows, and the step for the whole tensor that does the same for these.
SPARSE = [
    ("SparseApplyAdadelta(1e-3)", "ApplyAdadelta()", 2, "0.1, 0.9", "0.1, 0.9, 1e-3"),
    ("SparseApplyRMSProp(0.9, 0.5, 0.1)", "ApplyRMSProp()", 2, "0.01", "0.01"),
    ("SparseApplyProximalAdagrad()", "ApplyProximalAdagrad()", 1, "0.1, 0.2, 0.3", "0.1, 0.2, 0.3"),
    ("SparseApplyAdagrad(0.1)", "ApplyAdagrad()", 1, "", "0.1"),
]


@pytest.mark.parametrize(("sparse", "dense", "slots", "numbers", "more"), SPARSE, ids=[row[0] for row in SPARSE])
def test_rows_are_updated_alone_with_the_sum_of_their_gradients(sparse, dense, slots, numbers, more):
    wide = [np.concatenate((array, array + 0.1)) for array in (VAR, SLOT, OTHER)[: slots + 1]]
    written = _parameters(*wide)
    grad = ms.Tensor(np.concatenate((GRAD, GRAD[:1] / 2)))
    names = {"ops": ops, "written": written, "grad": grad, "indices": ms.Tensor([2, 0, 2], ms.int32)}
    call = f"ops.{sparse}(*written, {numbers + ', ' if numbers else ''}grad, indices)"
    found = eval(call, names)
    whole = _parameters(*[array[[0, 2]] for array in wide])
    total = ms.Tensor(np.stack((GRAD[1], GRAD[0] * 1.5)))
    if "RMSProp" in dense:
        ops.ApplyRMSProp()(*whole, 0.01, total, 0.9, 0.5, 0.1)
    else:
        eval(f"ops.{dense}(*written, {more}, grad)", {"ops": ops, "written": whole, "grad": total})
    for array, parameter, part, result in zip(wide, written, whole, found):
        np.testing.assert_array_equal(parameter.asnumpy()[[1, 3]], array[[1, 3]])
        np.testing.assert_allclose(parameter.asnumpy()[[0, 2]], part.asnumpy(), rtol=1e-5)
        np.testing.assert_array_equal(result.asnumpy(), parameter.asnumpy())


def test_shrinkage_counts_in_the_linear_term_only():
    plain, shrunk = _parameters(VAR, SLOT, OTHER), _parameters(VAR, SLOT, OTHER)
    rows = (ms.Tensor(GRAD), ms.Tensor([0, 1], ms.int32))
    ops.SparseApplyFtrl(0.1, 0.05, 0.2, -0.5)(*plain, *rows)
    ops.SparseApplyFtrlV2(0.1, 0.05, 0.2, 0.3, -0.5)(*shrunk, *rows)
    _check(shrunk[1:], plain[1].asnumpy(), plain[2].asnumpy() + 2 * 0.3 * VAR)


def test_adafactor_of_a_vector_and_by_the_global_norm():
    param, mean, row, column, square = _parameters(*[array[0] for array in (VAR, SLOT, OTHER, OTHER, OTHER)])
    ops.FusedAdaFactor()((1e-3, 1e-2), 1.0, 0.9, 0.8, 0.0, 0.1, ms.Tensor(GRAD[0]), param, mean, row, column, square)
    wide = 0.8 * OTHER[0] + 0.2 * (GRAD[0] ** 2 + 1e-3)
    update = GRAD[0] / np.sqrt(wide)
    update /= max(1, np.sqrt((update**2).mean()))
    _check((param, square, mean, row), VAR[0] - 0.1 * update, wide, SLOT[0], OTHER[0])
    states = [_parameters(VAR, SLOT, OTHER[0], OTHER[1], OTHER) for _ in range(2)]
    numbers = ((1e-3, 1e-2), 1.0, 0.9, 0.8, 0.0, 0.1)
    ops.FusedAdaFactor(True, True, True)(*numbers, ms.Tensor(GRAD / 2), *states[0])
    ops.FusedAdaFactorWithGlobalNorm(True, True, True)(*numbers, ms.Tensor(GRAD), *states[1], 2.0)
    for one, other in zip(*states):
        np.testing.assert_array_equal(one.asnumpy(), other.asnumpy())


def test_a_step_inside_a_differentiated_function_is_written_at_its_end():
    var, accum = _parameters(VAR, SLOT)

    def loss(x):
        before = (var * x).sum()
        ops.ApplyAdagrad()(var, accum, 0.1, ms.Tensor(GRAD))
        return before + (var * x).sum() * 10

    stepped = VAR - 0.1 * GRAD / np.sqrt(SLOT + GRAD**2)
    gradient = ms.grad(loss)(ms.Tensor(OTHER))
    np.testing.assert_allclose(gradient.asnumpy(), VAR + 10 * stepped, rtol=1e-5)
    _check((var, accum), stepped, SLOT + GRAD**2)
    with pytest.raises(ZeroDivisionError):
        ms.grad(lambda x: loss(x) / (1 // 0))(ms.Tensor(OTHER))
    _check((var, accum), stepped, SLOT + GRAD**2)


@pytest.mark.parametrize("name", ["ApplyFtrl", "FusedSparseLazyAdam", "ApplyAdamWithAmsgradV2"])
def test_a_step_in_a_graph(name):
    numbers = {"ApplyFtrl": (0.1, 0.05, 0.2, -0.5), "FusedSparseLazyAdam": (0.9, 0.99, 0.1, 0.8, 0.9, 0.01)}
    numbers["ApplyAdamWithAmsgradV2"] = numbers["FusedSparseLazyAdam"]
    primitive = getattr(ops, name)()
    indices = ms.Tensor([1, 1], ms.int32)

    def step(written, grad):
        if name == "ApplyFtrl":
            return primitive(*written, grad, *numbers[name])
        return primitive(*written, *numbers[name], grad, *([indices] if "Sparse" in name else []))

    slots = (VAR, SLOT, SLOT, OTHER)[: 4 if "Amsgrad" in name else 3]
    eager, captured = _parameters(*slots), _parameters(*slots)
    run = ms.jit(lambda grad: step(captured, grad), fullgraph=True)
    for factor in (1, -2):
        step(eager, ms.Tensor(GRAD * factor))
        run(ms.Tensor(GRAD * factor))
    _check(captured, *[parameter.asnumpy() for parameter in eager])


# Hyperparameters are numbers, or tensors of one element, which stay where they are: the same rules take both.
NUMBERS = {
    "ApplyAdaMax": (2, "{0.9}, {0.1}, {0.8}, {0.9}, {0.01}, grad"),
    "ApplyAdadelta": (2, "{0.1}, {0.9}, {0.01}, grad"),
    "ApplyAdagrad": (1, "{0.1}, grad"),
    "ApplyAdamWithAmsgradV2": (3, "{0.9}, {0.99}, {0.01}, {0.8}, {0.9}, {0.001}, grad"),
    "ApplyCenteredRMSProp": (3, "grad, {0.01}, {0.9}, {0.5}, {2.0}"),
    "ApplyFtrl": (2, "grad, {0.1}, {0.05}, {0.2}, {-0.4}"),
    "ApplyGradientDescent": (0, "{0.1}, grad"),
    "ApplyProximalAdagrad": (1, "{0.1}, {0.2}, {0.3}, grad"),
    "ApplyProximalGradientDescent": (0, "{0.1}, {0.2}, {0.3}, grad"),
    "ApplyRMSProp": (2, "{0.01}, grad, {0.9}, {0.5}, {0.1}"),
    "FusedSparseAdam": (2, "{0.9}, {0.99}, {0.1}, {0.8}, {0.9}, {0.01}, grad, rows"),
    "FusedSparseLazyAdam": (2, "{0.9}, {0.99}, {0.1}, {0.8}, {0.9}, {0.01}, grad, rows"),
    "SparseApplyProximalAdagrad": (1, "{0.1}, {0.2}, {0.3}, grad, rows"),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_may_be_tensors_and_slots_of_another_type(name):
    slots, inputs = NUMBERS[name]

    def run(number, dtype=ms.float32):
        written = _parameters(VAR, SLOT, OTHER + 0.7, SLOT * 2)[: slots + 1]
        written[0] = ms.Parameter(ms.Tensor(VAR, dtype))
        names = {"grad": ms.Tensor(GRAD, dtype), "rows": ms.Tensor([1, 0], ms.int32), "number": number}
        call = inputs.replace("{", "number(").replace("}", ")")
        eval(f"step(*written, {call})", {"step": getattr(ops, name)(), "written": written, **names})
        return [parameter.float().asnumpy() for parameter in written]

    expected = run(float)
    forms = [(ms.Tensor, ms.float32, 1e-5), (lambda n: ms.Tensor([n]), ms.float32, 1e-5), (ms.Tensor, ms.float16, 5e-3)]
    for number, dtype, tolerance in forms:
        for ours, theirs in zip(run(number, dtype), expected):
            np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance)
