"""A step of an optimizer under `vmap` is that step for each part: a loop over the parts does the same."""

from __future__ import annotations

import numpy as np
import pytest

import torchspore as ms
from torchspore import Parameter, Tensor, ops  # noqa: F401 - `ops` is in the table

PARTS, SHAPE = 3, (2, 4)
ADAM = (0.9, 0.99, 0.1, 0.8, 0.9, 0.01)
G, ROWS = "gradient", "indices"

# The constructor, the number of tensors to write, and the other inputs: numbers, and the gradient where it stands.
STEPS = [
    ("Adam()", 3, (*ADAM, G)), ("Adam(use_nesterov=True)", 3, (*ADAM, G)),
    ("AdamWeightDecay()", 3, (0.1, 0.8, 0.9, 0.01, 0.1, G)), ("AdamNoUpdateParam()", 2, (*ADAM, G)),
    ("ApplyAdaMax()", 3, (0.9, 0.1, 0.8, 0.9, 0.01, G)), ("ApplyAdadelta()", 3, (0.1, 0.9, 0.01, G)),
    ("ApplyAdagrad()", 2, (0.01, G)), ("ApplyAdagradV2(0.1)", 2, (0.01, G)),
    ("ApplyAdagradDA()", 3, (G, 0.01, 0.1, 0.2, 3)),
    ("ApplyAdamWithAmsgrad(0.8, 0.9, 1e-3)", 4, (0.9, 0.99, 0.01, G)),
    ("ApplyAdamWithAmsgradV2()", 4, (0.9, 0.99, 0.01, 0.8, 0.9, 1e-3, G)),
    ("ApplyAddSign()", 2, (0.01, 0.5, 0.9, 0.8, G)), ("ApplyPowerSign()", 2, (0.01, 0.5, 0.9, 0.8, G)),
    ("ApplyCenteredRMSProp()", 4, (G, 0.01, 0.9, 0.5, 2.0)), ("ApplyRMSProp()", 3, (0.01, G, 0.9, 0.5, 0.1)),
    ("ApplyFtrl()", 3, (G, 0.1, 0.05, 0.2, -0.4)), ("ApplyGradientDescent()", 1, (0.1, G)),
    ("ApplyKerasMomentum()", 2, (0.1, G, 0.9)), ("ApplyMomentum()", 2, (0.1, G, 0.9)),
    ("ApplyProximalAdagrad()", 2, (0.1, 0.2, 0.3, G)), ("ApplyProximalGradientDescent()", 1, (0.1, 0.2, 0.3, G)),
    ("FusedCastAdamWeightDecay()", 3, (0.1, 0.8, 0.9, 0.01, 0.1, G, 2.0)),
    ("FusedSparseAdam()", 3, (*ADAM, G, ROWS)), ("FusedSparseFtrl(0.1, 0.05, 0.2, -0.5)", 3, (G, ROWS)),
    ("FusedSparseLazyAdam()", 3, (*ADAM, G, ROWS)), ("FusedSparseProximalAdagrad()", 2, (0.1, 0.2, 0.3, G, ROWS)),
    ("SparseApplyAdadelta(1e-3)", 3, (0.1, 0.9, G, ROWS)), ("SparseApplyAdagrad(0.1)", 2, (G, ROWS)),
    ("SparseApplyAdagradV2(0.1, 0.01)", 2, (G, ROWS)), ("SparseApplyFtrl(0.1, 0.05, 0.2, -0.4)", 3, (G, ROWS)),
    ("SparseApplyProximalAdagrad()", 2, (0.1, 0.2, 0.3, G, ROWS)),
    ("SparseApplyRMSProp(0.9, 0.5, 0.1)", 3, (0.01, G, ROWS)),
]  # fmt: skip


def random(shape, seed, dtype=np.float32):
    return np.random.default_rng(seed).uniform(0.1, 1, shape).astype(dtype)


def arguments(count, rest, axis, tensors):
    """Return the arrays to write, the other inputs, and the axes of all of them."""
    shape = list(SHAPE)
    shape.insert(axis, PARTS)
    written = [random(shape, seed) for seed in range(count)]
    given = []
    for value in rest:
        if value == G:
            given.append((Tensor(random(shape, 9) - 0.5), axis))
        elif value == ROWS:
            given.append((Tensor([1, 0], ms.int32), None))
        else:
            given.append((Tensor(value, ms.float32) if tensors else value, None))
    return written, given


def part(value, axis, i):
    return value if axis is None else Tensor(np.take(value.asnumpy(), i, axis))


@pytest.mark.parametrize("tensors", [True, False], ids=["tensors", "numbers"])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize(("name", "count", "rest"), STEPS, ids=[row[0] for row in STEPS])
def test_a_loop_does_the_same(name, count, rest, axis, tensors):
    make = lambda: eval(f"ops.{name}")  # noqa: E731
    written, given = arguments(count, rest, axis, tensors)
    expected = [np.empty_like(array) for array in written]
    for i in range(PARTS):
        parameters = [Parameter(Tensor(np.take(array, i, axis))) for array in written]
        make()(*parameters, *[part(*pair, i) for pair in given])
        for whole, parameter in zip(expected, parameters):
            np.moveaxis(whole, axis, 0)[i] = parameter.asnumpy()

    parameters = [Parameter(Tensor(array)) for array in written]
    axes = (*[axis] * count, *[a for _, a in given])
    ms.vmap(make(), axes)(*parameters, *[value for value, _ in given])
    for parameter, array in zip(parameters, expected):
        np.testing.assert_allclose(parameter.asnumpy(), array, rtol=2e-5, atol=1e-6)
