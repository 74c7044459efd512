"""Random programs of integers: the gradient is the same as with real numbers."""

from __future__ import annotations

import random

import numpy as np
import pytest

import fuzz
import torchspore as ms
from torchspore import Tensor, ops

SHAPE = (2, 3)
EXACT = 2.0**31  # beyond, the integers of a program wrap around, or floats do not hold them
LEAVES = ["x", "x", "y", "ops.zeros_like(x)", "ops.stop_gradient(x)", "CONSTANT"]
FORMS = [
    "({} + {})",
    "({} - {})",
    "({} * {})",
    "({} * {k})",
    "({k} - {})",
    "({} % {k})",
    "({} // {k})",
    "(0 - {})",
    "abs({})",
    "ops.square({})",
    "ops.relu({})",
    "ops.sign({}) * {}",
    "ops.maximum({} * 2, {} * 2 + 1)",  # never equal: each would have half of the gradient
    "ops.where({} > {}, {}, {})",
    "ops.masked_fill({}, {} > 2, {k})",
    "({} > {k}) * {}",
    "{}.cumsum(1)",
    "({}.sum(0) + {})",
    "({}.sum() * {})",
    "(({} * 4 + OFFSETS).max(axis=1, keepdims=True) - {})",
    "ops.matmul({}, {}.T)[:, :1] * {}",
    "{}[:, [2, 0, 1]]",
    "{}[..., ::-1]",
    "ops.flip({}, (0,))",
    "ops.gather({}, Tensor([2, 0, 0]), 1)",
    "ops.concat(({}, {}), 1)[:, 1:4]",
    "ops.stack(({}, {})).sum(0)",
    "{}.reshape(3, 2).T.reshape(2, 3)",
    "{}.expand_dims(0).tile((2, 1, 1))[1]",
    "TABLE[(abs({}) % 4).astype(ms.int64)] * {}",
    "{}[:, {}.argmax() % 3].expand_dims(1) * {}",
    "whole({})",
    "wide({}) * {}",
    "written({}, {})",
    "masked({}, {})",
    "added({}, {})",
    "ops.tensor_scatter_update({}, Tensor([[0], [1]]), {}[:, ::-1])",
    "ops.vmap(lambda row: row * row.sum())({})",
    "ops.grad(lambda z: z * z * {})({}.copy())",
    "({} if x.sum() > {k} else {})",
]


def written(a, b):
    """Write a row and an element into a new tensor."""
    y = a * 1
    y[0] = b[1]
    y[1, ::2] = b[0, 1:]
    return y


def masked(a, b):
    """Write where a mask says so."""
    y = a + 0
    y[b > 1] = 5
    return y


def added(a, b):
    """Add in place."""
    y = a - 1
    y += b
    return y


def expression(choose, depth):
    """Return a random expression of tensors of the shape, over `x` and `y`."""
    if depth == 0:
        return choose.choice(LEAVES)
    text = choose.choice(FORMS)
    while "{}" in text:
        text = text.replace("{}", expression(choose, depth - choose.choice((1, 1, 2)) if depth > 1 else 0), 1)
    return f"({text})".replace("{k}", str(choose.choice((2, 3, 5))))


def function(text, real):
    """Return the function of an expression: of integers, or of real numbers in their place."""
    kind = ms.float64 if real else ms.int64
    names = {
        "ms": ms, "ops": ops, "Tensor": Tensor, "written": written, "masked": masked, "added": added,
        "CONSTANT": Tensor([[1, -2, 3], [0, 2, -1]], kind), "OFFSETS": Tensor([[0, 1, 2], [2, 0, 1]], kind),
        "TABLE": Tensor([3, -1, 2, 5], kind),
        "whole": lambda a: a.astype(kind), "wide": lambda a: a.astype(kind) + 1,
    }  # fmt: skip
    return eval(f"lambda x, y: ({text}) * 1", names)


def inputs(choose, dtype):
    """Return two inputs of small integers."""
    low, high = (0, 2) if dtype == np.bool_ else (0, 4) if dtype == np.uint8 else (-3, 4)
    return [np.array([[choose.randrange(low, high) for _ in range(3)] for _ in range(2)], dtype) for _ in range(2)]


def expected(text, arrays):
    """Return the value and the gradients of the program of real numbers, or None where numbers get too large."""
    reals = [Tensor(array.astype(np.float64)) for array in arrays]
    value, gradients = ms.value_and_grad(function(text, True), (0, 1))(*reals)
    results = [value.asnumpy(), *[gradient.asnumpy() for gradient in gradients]]
    return None if any(np.abs(result).max() > EXACT for result in results) else results


def check(seed, transform=lambda gradient: gradient):
    """Compare one random program of integers with its twin of real numbers; return whether numbers stayed small."""
    choose = random.Random(seed)
    text = expression(choose, 3)
    dtype = choose.choice((np.int64, np.int64, np.int32, np.int8))
    arrays = inputs(choose, dtype)
    wanted = expected(text, [array.astype(np.int64) for array in arrays])
    if wanted is None:
        return False
    of_ints = function(text, False)
    widened = of_ints if dtype == np.int64 else lambda x, y: of_ints(x.astype(ms.int64), y.astype(ms.int64))
    take = transform(ms.value_and_grad(widened, (0, 1)))
    for _ in range(2):
        value, gradients = take(*[Tensor(array) for array in arrays])
        assert value.asnumpy().tolist() == wanted[0].tolist(), (text, arrays)
        for gradient, real, array in zip(gradients, wanted[1:], arrays):
            assert gradient.asnumpy().dtype == array.dtype
            assert gradient.asnumpy().tolist() == real.astype(np.int64).astype(dtype).tolist(), (text, arrays)
    return True


@pytest.mark.slow
@pytest.mark.parametrize("way", ["plain", "jit"])
def test_gradients_of_random_programs(way):
    seeds = fuzz.seeds(10 if way == "plain" else 4)
    tried = sum(check(seed, ms.jit if way == "jit" else lambda gradient: gradient) for seed in seeds)
    assert tried > len(seeds) / 2
