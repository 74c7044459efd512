"""`mint`: names and signatures, what a table against torch cannot show, and how operations compose."""

from __future__ import annotations

import importlib
import inspect
import json
import pathlib

import numpy as np
import pytest
import torch

import torchspore as ms
from torchspore import Tensor, mint
from torchspore.mint.nn import functional as F

DATA = pathlib.Path(__file__).parents[1] / "data" / "mint_signatures.json"
SIGNATURES = {
    f"{module}.{name}": parameters
    for module, names in json.loads(DATA.read_text()).items()
    for name, parameters in names.items()
}
# Where ours differ on purpose.
DIFFERENT = {"mint.arcsin": "the very object `asin`, whose parameter is `input`, not `x`"}


@pytest.mark.parametrize("path", sorted(SIGNATURES.keys() - DIFFERENT.keys()))
def test_signature(path):
    """The parameters, their order, kinds and defaults are MindSpore's."""
    module, _, name = path.rpartition(".")
    found = inspect.signature(getattr(importlib.import_module(f"torchspore.{module}"), name)).parameters
    assert [[p.name, p.kind.name] for p in found.values()] == [row[:2] for row in SIGNATURES[path]]
    for p, (_, _, default) in zip(found.values(), SIGNATURES[path]):
        assert (p.default is p.empty) is (default is None), p.name
        assert default is None or p.default == eval(default), p.name  # 0 for 0.0 is as good


def test_operations_that_are_the_same_are_the_very_objects():
    assert mint.exp is ms.ops.exp
    assert mint.matmul is ms.ops.matmul
    assert F.cross_entropy is ms.ops.cross_entropy
    assert mint.nn.Linear is ms.nn.Linear


# Results that are not tensors, and forms that torch does not have


def test_answers_in_python():
    x = Tensor([1.0, 2.0])
    assert mint.equal(x, x) is True
    assert mint.equal(x, Tensor([[1.0, 2.0]])) is False
    assert mint.allclose(x, x + 1e-9) is True
    assert mint.item(Tensor(2.5)) == 2.5


def test_max_and_min_take_a_second_tensor():
    x, y = Tensor([1.0, 5.0]), Tensor([3.0, 2.0])
    assert mint.max(x, y).tolist() == mint.max(x, other=y).tolist() == [3.0, 5.0]
    assert mint.min(x, y).tolist() == [1.0, 2.0]


def test_where_without_values_gives_the_places():
    rows, columns = mint.where(Tensor([[False, True], [True, False]]))
    assert rows.tolist() == [0, 1]
    assert columns.tolist() == [1, 0]


def test_dtypes_of_numbers_and_dimensionless_tensors():
    half, one = Tensor([1.0, 2.0], ms.float16), Tensor(1.0)
    assert mint.add(half, one).dtype == ms.float32  # by dtype alone, as in MindSpore; torch gives float16
    assert mint.add(half, 1.0).dtype == ms.float16
    for value, dtype in ((Tensor([3], ms.int32), ms.int32), (np.float16(3), ms.float16), (np.float64(3), ms.float32)):
        assert mint.full((2,), value).dtype == dtype
    assert mint.empty(2, 3, dtype=ms.int32).dtype == ms.int32
    assert mint.empty_like(half, dtype=ms.float64).dtype == ms.float64


@pytest.mark.parametrize("transpose", [False, True])
@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("unit", [False, True])
def test_triangular_solve(upper, transpose, unit):
    given = Tensor([[2.0, 0.5, 1.0], [0.25, 1.5, -1.0], [1.0, 0.5, 3.0]])
    b = Tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    solution, matrix = mint.triangular_solve(b, given, upper, transpose, unit)
    assert matrix.tolist() == given.tolist()
    triangle = np.triu(given.asnumpy()) if upper else np.tril(given.asnumpy())
    if unit:
        np.fill_diagonal(triangle, 1.0)
    product = (triangle.T if transpose else triangle) @ solution.asnumpy()
    np.testing.assert_allclose(product, b.asnumpy(), rtol=1e-5)


def test_qr_of_r_alone():
    q, r = mint.linalg.qr(Tensor([[3.0, 0.0], [4.0, 5.0]]), "r")
    assert q.shape == (0,)
    np.testing.assert_allclose((r.T @ r).asnumpy(), [[25.0, 20.0], [20.0, 25.0]], rtol=1e-5)


def test_conv_tbc_is_a_convolution():
    x, weight, bias = mint.rand(5, 2, 3), mint.rand(3, 3, 4), Tensor([0.5, 1.0, -1.0, 0.0])
    found = mint.conv_tbc(x, weight, bias, 1)
    expected = F.conv1d(mint.permute(x, (1, 2, 0)), mint.permute(weight, (2, 1, 0)), bias, padding=1)
    np.testing.assert_allclose(found.asnumpy(), mint.permute(expected, (2, 0, 1)).asnumpy(), rtol=1e-5, atol=1e-6)


def test_the_steps_of_batch_normalization():
    """Two processes with uneven batches find the statistics of both."""
    x = torch.randn(8, 3, 4)
    parts = [Tensor(x[:5]), Tensor(x[5:])]
    weight, bias = Tensor([1.0, 2.0, 3.0]), Tensor([0.0, 0.5, 1.0])
    stats = [mint.batch_norm_stats(part, 1e-5) for part in parts]
    means, scales = [mint.stack([pair[i] for pair in stats]) for i in (0, 1)]
    running_mean, running_var = mint.zeros(3), mint.ones(3)
    mean, invstd = mint.batch_norm_gather_stats_with_counts(
        parts[0], means, scales, running_mean, running_var, 0.1, 1e-5, Tensor([20.0, 12.0])
    )
    found = [mint.batch_norm_elemt(part, weight, bias, mean, invstd).torch for part in parts]
    expected_mean, expected_var = torch.zeros(3), torch.ones(3)
    expected = torch.nn.functional.batch_norm(x, expected_mean, expected_var, weight.torch, bias.torch, True)
    torch.testing.assert_close(torch.cat(found), expected, rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(running_mean.torch, expected_mean)
    torch.testing.assert_close(running_var.torch, expected_var)


# In place


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda x: F.relu_(x), [0.0, 0.5]),
        (lambda x: F.relu(x, inplace=True), [0.0, 0.5]),
        (lambda x: F.relu6(x, True), [0.0, 0.5]),
        (lambda x: F.hardtanh_(x, -0.5, 0.25), [-0.5, 0.25]),
        (lambda x: F.threshold_(x, 0.75, 9.0), [9.0, 9.0]),
        (lambda x: F.threshold(x, 0.0, 9.0, inplace=True), [9.0, 0.5]),
        (lambda x: F.dropout(x, 1.0, inplace=True), [0.0, 0.0]),
        (lambda x: mint.nn.ELU(inplace=True)(x), [np.expm1(-1.0), 0.5]),
    ],
)
def test_in_place(call, expected):
    x = Tensor([-1.0, 0.5])
    assert call(x) is x
    np.testing.assert_allclose(x.asnumpy(), expected, rtol=1e-6)


def test_in_place_inside_a_differentiated_function():
    def loss(x):
        y = x * 1.0
        F.relu_(y)
        return (y * y).sum()

    assert ms.grad(loss)(Tensor([-1.0, 2.0])).tolist() == [0.0, 4.0]


def test_addr():
    x = mint.zeros((2, 2))
    assert mint.addr_(x, Tensor([1.0, 2.0]), Tensor([3.0, 4.0]), alpha=0.5) is x
    assert x.tolist() == [[1.5, 2.0], [3.0, 4.0]]


def test_sigmoid_in_place_refuses_integers():
    with pytest.raises(TypeError, match="sigmoid_"):
        F.sigmoid_(Tensor([1, 2]))


# Random numbers


@pytest.mark.parametrize(
    "draw",
    [
        lambda source: mint.rand(3, 4, generator=source),
        lambda source: mint.randn((3, 4), generator=source),
        lambda source: mint.randint(0, 100, (3, 4), generator=source),
        lambda source: mint.randperm(12, generator=source),
        lambda source: mint.normal(0.0, 1.0, (3, 4), generator=source),
        lambda source: mint.normal(mint.zeros((3, 4)), mint.ones((3, 4)), generator=source),
        lambda source: mint.bernoulli(mint.full((3, 4), 0.5), generator=source),
        lambda source: mint.multinomial(mint.ones(12), 12, generator=source),
    ],
)
def test_a_generator_repeats_its_numbers(draw):
    source = ms.Generator()
    first = draw(source.manual_seed(5))
    assert draw(source.manual_seed(5)).tolist() == first.tolist()
    assert draw(source).tolist() != first.tolist()
    ms.manual_seed(3)
    default = draw(None)
    ms.manual_seed(3)
    assert draw(None).tolist() == default.tolist()


def test_ranges_and_dtypes_of_random_numbers():
    assert mint.rand(2, 3, dtype=ms.float16).dtype == ms.float16
    for draw in (mint.rand, mint.randn):
        behind = draw((2, 3), ms.float64)
        assert (behind.shape, behind.dtype) == ((2, 3), ms.float64)
        with pytest.raises(TypeError, match="give the data type once"):
            draw((2, 3), ms.float64, dtype=ms.float32)
    assert mint.rand_like(Tensor([1.0], ms.float64)).dtype == ms.float64
    assert mint.randn_like(Tensor([1]), dtype=ms.float32).shape == (1,)
    assert sorted(mint.randperm(4).tolist()) == [0, 1, 2, 3]
    assert mint.randperm(0).shape == (0,)
    assert mint.multinomial(Tensor([0.0, 1.0]), 5, True).tolist() == [1] * 5
    for drawn in (
        mint.randint(3, (50,)), mint.randint(0, 3, (50,)), mint.randint(low=0, high=3, size=(50,)),
        mint.randint(0, high=3, size=(50,)), mint.randint_like(mint.zeros(50), 3, dtype=ms.int64),
        mint.randint_like(mint.zeros(50), 0, 3),
    ):  # fmt: skip
        assert drawn.shape == (50,)
        assert set(drawn.tolist()) <= {0, 1, 2}


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: mint.randint(3, 3, (2,)), ValueError),
        (lambda: mint.randint((2,)), TypeError),
        (lambda: mint.randint(1, 2, 3, (2,)), TypeError),
        (lambda: mint.normal(0.0, 1.0), TypeError),
        (lambda: mint.normal(mint.zeros(2), 1.0, (2,)), TypeError),
        (lambda: mint.rand(2, generator=5), TypeError),
        (lambda: mint.randperm(-1), ValueError),
        (lambda: mint.add(Tensor([1]), Tensor([2]), alpha=0.5), TypeError),
        (lambda: mint.meshgrid(Tensor([1]), indexing="a"), ValueError),
        (lambda: mint.norm(Tensor([1.0]), "a"), ValueError),
        (lambda: mint.batch_norm_elemt(mint.ones((2, 2))), TypeError),
        (lambda: F.conv2d(mint.ones((1, 1, 3, 3)), mint.ones((1, 1, 2, 2)), padding="a"), ValueError),
        (lambda: F.batch_norm(mint.ones((2, 2)), None, None), ValueError),
        (lambda: F.one_hot(Tensor([1.0])), TypeError),
        (lambda: F.max_pool2d(mint.ones((1, 4, 4)), 0), ValueError),
        (lambda: F.dropout2d(mint.ones((1, 1, 4, 4)), 2.0), ValueError),
    ],
)
def test_errors(call, error):
    with pytest.raises(error, match=r"^For '"):
        call()


def test_half_precision_volumes():
    """On the CPU torch has no kernel for their averages."""
    x = mint.ones((1, 2, 2, 2, 2), dtype=ms.float16)
    assert F.avg_pool3d(x, 2).dtype == ms.float16


# With vmap, in graphs, on torch's own tensors


@pytest.mark.parametrize(
    "function",
    [
        lambda x: mint.add(x, 1.0, alpha=2),
        lambda x: mint.sum(mint.exp(x), dim=-1),
        lambda x: mint.softmax(x, -1),
        lambda x: mint.var(x, dim=0, correction=0),
        lambda x: F.layer_norm(x, (4,)),
        lambda x: mint.where(x > 0, x, 0.0),
        lambda x: mint.sort(x, dim=-1)[0],
        lambda x: F.gelu(x, approximate="tanh"),
        lambda x: F.relu6(x),
    ],
)
def test_vmap_and_graphs(function):
    x = Tensor(torch.linspace(-2, 2, 24).reshape(2, 3, 4))
    separately = torch.stack([function(Tensor(sample)).torch for sample in x.torch])
    torch.testing.assert_close(ms.vmap(function)(x).torch, separately)
    torch.testing.assert_close(ms.jit(function, fullgraph=True)(x).torch, function(x).torch)


@pytest.mark.parametrize("layer", [ms.mint.nn.Dropout, ms.mint.nn.Dropout2d])
def test_dropout_in_place(layer):
    x = ms.ops.ones((2, 3, 4, 4))
    assert layer(0.5, inplace=True).set_train(False)(x) is x
    assert layer(0.5, inplace=True).set_train()(x) is x
    assert set(x.asnumpy().ravel().tolist()) <= {0.0, 2.0}
    gradient = ms.grad(lambda y: (layer(0.5, True).set_train()(y * 2) * 3).sum())(ms.ops.ones((2, 3, 4, 4)))
    assert set(gradient.asnumpy().ravel().tolist()) <= {0.0, 12.0}
