"""Gradients of scatters whose index is smaller than the values: of what is read, and 0 of the rest."""

from __future__ import annotations

import numpy as np
import pytest

import torchspore as ms
from torchspore import Tensor, mint, ops
from torchspore.ops import auto_generate

INDEX = Tensor([[2, 0]])
BASE = Tensor(np.arange(1, 7).reshape(2, 3) / 7, ms.float64)
VALUES = Tensor(np.arange(1, 9).reshape(2, 4) / 5, ms.float64)
FORMS = {
    "mint.scatter": lambda x, s: mint.scatter(x, 1, INDEX, s),
    "mint.scatter_add": lambda x, s: mint.scatter_add(x, 1, INDEX, s),
    "ops.scatter": lambda x, s: ops.scatter(x, 1, INDEX, s),
    "Tensor.scatter": lambda x, s: x.scatter(1, INDEX, s),
    "Tensor.scatter, add": lambda x, s: x.scatter(1, INDEX, s, reduce="add"),
    "Tensor.scatter, multiply": lambda x, s: x.scatter(1, INDEX, s, reduce="multiply"),
    "Tensor.scatter_add": lambda x, s: x.scatter_add(1, INDEX, s),
    "scatter_": lambda x, s: (x * 1).scatter_(1, INDEX, s),
    "scatter_, add": lambda x, s: (x * 1).scatter_(1, INDEX, s, reduce="add"),
    "scatter_, multiply": lambda x, s: (x * 1).scatter_(1, INDEX, s, reduce="multiply"),
    "scatter_add_": lambda x, s: (x * 1).scatter_add_(1, INDEX, s),
    "tensor_scatter_elements": lambda x, s: ops.tensor_scatter_elements(x, INDEX, s, 1),
    "tensor_scatter_elements, add": lambda x, s: ops.tensor_scatter_elements(x, INDEX, s, 1, "add"),
    "TensorScatterElements": lambda x, s: ops.TensorScatterElements(1)(x, INDEX, s),
    "ScatterAddExt": lambda x, s: auto_generate.ScatterAddExt()(x, 1, INDEX, s),
    "gather": lambda x, s: mint.gather(s, 1, INDEX) * x[:1, :2],
}
# Forms that torch cannot map, and why.
UNMAPPED = {
    "Tensor.scatter, multiply": "the gradient of products reads a value",
    "scatter_, multiply": "the gradient of products reads a value",
    "scatter_": "the kernel that writes in place has no batching rule",
}


@pytest.mark.parametrize("name", FORMS)
def test_gradients(name):
    form = FORMS[name]

    def of_all(x, s):
        return (form(x, s) ** 3).sum()

    def of_part(x, s):
        return (form(x, s[:1, :2] if name != "gather" else s) ** 3).sum()

    def both(gradient):
        return [each.asnumpy() for each in gradient]

    def second(fn):
        return lambda x, s: sum((each**2).sum() for each in ms.grad(fn, (0, 1))(x, s))

    expected = both(ms.grad(of_part, (0, 1))(BASE, VALUES))
    assert np.count_nonzero(expected[1]) == 2
    for gradient in (ms.grad(of_all, (0, 1)), ms.jit(ms.grad(of_all, (0, 1))), ms.jacrev(of_all, (0, 1))):
        np.testing.assert_allclose(both(gradient(BASE, VALUES))[1], expected[1])
        np.testing.assert_allclose(both(gradient(BASE, VALUES))[0], expected[0])
    if name not in UNMAPPED:
        mapped = both(ms.vmap(ms.grad(of_all, (0, 1)))(ops.stack([BASE, BASE * 2]), ops.stack([VALUES, VALUES])))
        np.testing.assert_allclose([each[0] for each in mapped][1], expected[1])
    np.testing.assert_allclose(
        both(ms.grad(second(of_all), (0, 1))(BASE, VALUES))[1], both(ms.grad(second(of_part), (0, 1))(BASE, VALUES))[1]
    )
