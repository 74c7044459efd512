"""Random numbers from seeds: they repeat, also in graphs, and are distributed as they should be."""

from __future__ import annotations

import numpy as np
import pytest

import torchspore as ms
from torchspore import Tensor, ops
from torchspore.ops import auto_generate as g

MANY = 20_000
x = Tensor(np.linspace(0.05, 0.95, 12, dtype=np.float32).reshape(3, 4))


def hashes(seed, offset, count):
    """The hashes by the function that ends SplitMix64, in Python's ints."""
    mask = 2**64 - 1

    def mixed(z):
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & mask
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB & mask
        return z ^ (z >> 31)

    step = 0x9E3779B97F4A7C15
    key = mixed((mixed((seed + step) & mask) + offset * step) & mask)
    return [mixed((key + mixed(i)) & mask) for i in range(count)]


@pytest.mark.parametrize(("seed", "offset"), [(1, 0), (7, 3), (2**63 - 1, 12), (-5, 2**40)])
def test_numbers_are_those_of_hashes(seed, offset):
    expected = [z >> 40 for z in hashes(seed, offset, 100)]
    assert (g.RandExt()((100,), seed, offset).asnumpy() * 2**24).tolist() == expected
    double = g.RandExt()((100,), Tensor(seed), Tensor([offset]), ms.float64).asnumpy()
    assert (double * 2**53).tolist() == [z >> 11 for z in hashes(seed, offset, 100)]


# Draws of many numbers, with the mean and variance that they should have, and what is true of all of them
ones = ops.ones((MANY,))
DRAWS = {
    "RandExt()((MANY,), seed, 0)": (1 / 2, 1 / 12, lambda x: (x >= 0) & (x < 1)),
    "RandExt()((MANY,), seed, 0, ms.bfloat16)": (1 / 2, 1 / 12, lambda x: (x >= 0) & (x < 1)),
    "RandLikeExt()(ones, seed, 0, ms.float16)": (1 / 2, 1 / 12, lambda x: (x >= 0) & (x < 1)),
    "UniformExt()(ones, 2.0, Tensor(5.0), seed, 0)": (3.5, 9 / 12, lambda x: (x >= 2) & (x <= 5)),
    "InplaceUniform()(ones.copy(), -1, 1, seed, 0)": (0, 4 / 12, lambda x: (x >= -1) & (x <= 1)),
    "Randn()((MANY,), seed, 0)": (0, 1, lambda x: np.abs(x) < 6),
    "RandnLike()(ones, seed, 0, ms.float64)": (0, 1, lambda x: np.abs(x) < 9),
    "NormalFloatFloat()(1.0, 2.0, (MANY,), seed, 0)": (1, 4, lambda x: np.abs(x) < 13),
    "NormalFloatTensor()(1.0, ones * 2, seed, 0)": (1, 4, lambda x: np.abs(x) < 13),
    "NormalTensorFloat()(ones, 2.0, seed, 0)": (1, 4, lambda x: np.abs(x) < 13),
    "NormalTensorTensor()(ones, Tensor([2.0]), seed, 0)": (1, 4, lambda x: np.abs(x) < 13),
    "InplaceNormal()(ones.copy(), 1.0, 2.0, seed, 0)": (1, 4, lambda x: np.abs(x) < 13),
    "InplaceExponential()(ones.copy(), 2.0, seed, 0)": (1 / 2, 1 / 4, lambda x: x > 0),
    "RandInt()(3, 6, (MANY,), seed, 0)": (4, 2 / 3, lambda x: (x >= 3) & (x < 6)),
    "RandIntLike()(ones, -1, 2, seed, 0)": (0, 2 / 3, lambda x: (x >= -1) & (x < 2)),
    "InplaceRandom()(ones.copy(), 3, 6, seed, 0)": (4, 2 / 3, lambda x: (x >= 3) & (x < 6)),
    "InplaceRandom()(ones.astype(ms.int8), seed=seed)": (63.5, 128**2 / 12, lambda x: x >= 0),
    "BernoulliExt()(ones * 0.3, seed, 0)": (0.3, 0.21, lambda x: (x == 0) | (x == 1)),
    "InplaceBernoulliScalar()(ones.copy(), 0.3, seed, 0)": (0.3, 0.21, lambda x: (x == 0) | (x == 1)),
    "InplaceBernoulliTensor()(ones.astype(ms.int32), Tensor([0.3]), seed, 0)":
        (0.3, 0.21, lambda x: (x == 0) | (x == 1)),
    "MultinomialExt()(Tensor([1.0, 0, 3.0]), MANY, True, seed, 0)": (1.5, 0.75, lambda x: (x == 0) | (x == 2)),
    "DropoutExt()(ones, 0.2, seed, 0)[0]": (1, 0.25, lambda x: (x == 0) | (x == 1.25)),
    "FuncDropoutExt()(ones, 0.2, True, False, seed, 0)": (1, 0.25, lambda x: (x == 0) | (x == 1.25)),
    "FuncDropoutExt()(ones.copy(), 0.2, True, True, seed, 0)": (1, 0.25, lambda x: (x == 0) | (x == 1.25)),
    "Dropout2dExt()(ones.reshape(4, -1, 1), 0.2, True, False, seed, 0)": (1, 0.25, lambda x: (x == 0) | (x == 1.25)),
    "DropoutDoMaskExt()(ones, DropoutGenMaskExt()((MANY,), 0.2, seed, 0, ms.float32), 0.2)":
        (1, 0.25, lambda x: (x == 0) | (x == 1.25)),
}  # fmt: skip


class Names(dict):
    """Names of `auto_generate`, found when they are used."""

    def __missing__(self, name):
        return getattr(g, name)


def draw(code, seed):
    names = Names(seed=seed, MANY=MANY, ones=ones, Tensor=Tensor, ms=ms)
    return eval(code, {}, names).astype(ms.float64).asnumpy()


@pytest.mark.parametrize("code", DRAWS)
def test_distributions(code):
    mean, variance, holds = DRAWS[code]
    drawn = draw(code, 11)
    error = np.sqrt(variance / MANY)
    assert drawn.size == MANY
    assert holds(drawn).all()
    assert abs(drawn.mean() - mean) < 4 * error + 0.002 * (mean != 0)  # small types round
    assert abs(drawn.var() / variance - 1) < 0.05
    assert (draw(code, 11) == drawn).all()
    other = draw(code, 12)
    assert abs(np.corrcoef(drawn.ravel(), other.ravel())[0, 1]) < 4 / np.sqrt(MANY)
    assert abs(np.corrcoef(drawn.ravel()[1:], drawn.ravel()[:-1])[0, 1]) < 4 / np.sqrt(MANY)


def test_uniform_numbers_fill_all_places_evenly():
    counts = np.bincount((g.RandExt()((100_000,), 5, 1).asnumpy() * 100).astype(int))
    assert ((counts - 1000) ** 2 / 1000).sum() < 160  # chi-square with 99 degrees of freedom
    tails = np.abs(g.Randn()((100_000,), 5, 1).asnumpy())
    for limit, part in ((1, 0.3173), (2, 0.0455), (3, 0.0027)):
        assert abs((tails > limit).mean() - part) < 5 * np.sqrt(part / 100_000)


def test_permutations_and_choices():
    drawn = g.RandpermExt()(50, 1, 2)
    assert drawn.dtype == ms.int64
    assert sorted(drawn.asnumpy()) == list(range(50))
    assert (drawn.asnumpy() != g.RandpermExt()(50, 1, 3).asnumpy()).any()
    weights = ops.tile(Tensor([[1.0, 0.0, 2.0, 5.0]]), (5000, 1))
    chosen = g.MultinomialExt()(weights, 3, False, 3, 4).asnumpy()
    assert (np.sort(chosen, 1) == [0, 2, 3]).all()
    np.testing.assert_allclose((chosen[:, 0] == 3).mean(), 5 / 8, atol=0.03)
    np.testing.assert_allclose((chosen[chosen[:, 0] == 3, 1] == 2).mean(), 2 / 3, atol=0.03)


def test_bounds_of_whole_numbers():
    everything = g.InplaceRandom()(ops.zeros((1000,), ms.int64), seed=1).asnumpy()
    assert everything.min() >= 0
    assert everything.max() > 2**62
    assert g.InplaceRandom()(ops.zeros((1000,), ms.float16), seed=1).asnumpy().max() > 1900
    assert set(g.InplaceRandom()(ops.zeros((1000,), ms.bool_), seed=1).asnumpy()) == {True, False}
    low = g.RandInt()(-(2**63), 0, (1000,), 1, 2).asnumpy()
    assert low.max() < 0
    assert low.min() < -(2**62)


def test_types_are_those_of_the_inputs():
    half = x.astype(ms.float16)
    assert g.NormalTensorTensor()(half, x[0], 1, 2).dtype == ms.float16
    assert g.NormalFloatTensor()(1.0, half, 1, 2).dtype == ms.float16
    assert g.RandIntLike()(half, 0, 9, 1, 2).dtype == ms.float16
    assert g.RandIntLike()(half, 0, 9, 1, 2, ms.int32, "CPU").dtype == ms.int32
    assert g.NormalTensorTensor()(x[:, :1], x[0], 1, 2).shape == (3, 4)
    for shape in ((), (0,), (2, 0, 3)):
        assert g.RandExt()(shape, 1, 2).shape == g.RandnLike()(ops.zeros(shape), 1, 2).shape == shape
        assert g.DropoutExt()(ops.zeros(shape), 0.5, 1, 2)[0].shape == shape
    assert g.InplaceBernoulliScalar()(ops.zeros((4,), ms.bool_), 1.0, 1, 2).asnumpy().all()


def test_masks_have_a_bit_for_each_element():
    mask = g.DropoutGenMaskExt()((3, 50), 0.5, 1, 2, ms.float16)
    assert (mask.shape, mask.dtype) == ((32,), ms.uint8)
    kept = np.unpackbits(mask.asnumpy(), bitorder="little")[:12].reshape(3, 4)
    np.testing.assert_allclose(g.DropoutDoMaskExt()(x, mask, 0.5).asnumpy(), 2 * kept * x.asnumpy())
    dropped, again = g.DropoutExt()(x, 0.5, 1, 2)
    np.testing.assert_allclose(dropped.asnumpy(), g.DropoutDoMaskExt()(x, again, 0.5).asnumpy())
    assert again.shape == (16,)


def test_channels_are_dropped_as_a_whole():
    dropped = g.Dropout2dExt()(ops.ones((2, 50, 3, 3)), 0.5, True, False, 1, 2).asnumpy().reshape(100, 9)
    assert (dropped == dropped[:, :1]).all()
    assert 20 < (dropped[:, 0] == 2).sum() < 80


@pytest.mark.parametrize("name", ["FuncDropoutExt", "Dropout2dExt"])
def test_dropout_in_place(name):
    given, dropout = x.copy(), getattr(g, name)()
    expected = dropout(given, 0.5, True, False, 1, 2).asnumpy()
    assert (given.asnumpy() == x.asnumpy()).all()
    assert dropout(given, 0.5, False, True, 1, 2) is given
    assert (given.asnumpy() == x.asnumpy()).all()
    assert dropout(given, 0.5, True, True, 1, 2) is given
    assert (given.asnumpy() == expected).all()
    assert not dropout(x, 1.0, True, False, 1, 2).asnumpy().any()


def test_gradients():
    mask = (g.DropoutExt()(ops.ones((3, 4)), 0.5, 1, 2)[0]).asnumpy()
    for dropped in (
        lambda x: g.DropoutExt()(x, 0.5, 1, 2)[0],
        lambda x: g.FuncDropoutExt()(x, 0.5, True, False, 1, 2),
        lambda x: g.FuncDropoutExt()(x * 1, 0.5, True, True, 1, 2),
        lambda x: g.DropoutDoMaskExt()(x, g.DropoutGenMaskExt()((3, 4), 0.5, 1, 2, ms.float32), 0.5),
    ):
        found = ms.grad(lambda x, dropped=dropped: (dropped(x) * x).sum())(x)
        np.testing.assert_allclose(found.asnumpy(), 2 * mask * x.asnumpy(), rtol=1e-6)
    assert not ms.grad(lambda x: g.NormalTensorTensor()(x, x, 1, 2).sum())(x).asnumpy().any()
    assert not ms.grad(lambda x: g.InplaceUniform()(x, 0.0, 1.0, 1, 2).sum())(x.copy()).asnumpy().any()


GRAPHS = {
    "DropoutExt": lambda x, s: g.DropoutExt()(x, 0.5, s, 2),
    "Dropout2dExt": lambda x, s: g.Dropout2dExt()(x, 0.5, True, False, s, 2),
    "FuncDropoutExt in place": lambda x, s: (g.FuncDropoutExt()(x, 0.5, True, True, s, 2), x),
    "RandExt": lambda x, s: x + g.RandExt()((3, 4), s, 2),
    "InplaceUniform": lambda x, s: (g.InplaceUniform()(x, 0.0, 1.0, s, 2), x),
    "InplaceRandom": lambda x, s: g.InplaceRandom()(x, 0, 9, s),
    "InplaceBernoulliScalar": lambda x, s: g.InplaceBernoulliScalar()(x, 0.5, s, 2),
    "InplaceExponential": lambda x, s: g.InplaceExponential()(x, 0.5, s, 2),
    "BernoulliExt": lambda x, s: g.BernoulliExt()(x, s, 2),
    "RandpermExt": lambda x, s: x[0, 0] + g.RandpermExt()(9, s, 2),
    "MultinomialExt": lambda x, s: g.MultinomialExt()(x, 3, False, s, 2),
    "MultinomialExt again": lambda x, s: g.MultinomialExt()(x, 3, True, s, 2),
    "NormalTensorTensor": lambda x, s: g.NormalTensorTensor()(x, x, s, 2),
    "RandIntLike": lambda x, s: g.RandIntLike()(x, 2, 7, s, 2),
    "DropoutGenMaskExt": lambda x, s: g.DropoutGenMaskExt()((3, 4), 0.5, s, 2, ms.float32),
}


@pytest.mark.parametrize("name", GRAPHS)
def test_graphs_draw_the_same(name):
    """A graph serves all seeds that are tensors."""
    function = GRAPHS[name]

    graph = ms.jit(function)
    for seed in (1, 2, 1):
        results = graph(x.copy(), Tensor(seed)), function(x.copy(), seed)
        found, expected = ([one.asnumpy() for one in (r if isinstance(r, tuple) else (r,))] for r in results)
        for one, other in zip(found, expected, strict=True):
            assert (one == other).all()
    assert graph.captures == 1


ERRORS = [
    (lambda: g.RandExt()((2,), 1.5, 0), TypeError, "For 'RandExt'"),
    (lambda: g.RandExt()((2,), 1, 0, ms.int32), TypeError, "of a floating-point type"),
    (lambda: g.RandExt()((2,), 1, 0, None, "TPU"), ValueError, "For 'RandExt', 'device_target'"),
    (lambda: g.RandInt()(3, 3, (2,), 1, 0), ValueError, "For 'RandInt', there must be"),
    (lambda: g.InplaceRandom()(x.copy(), 5, 2), ValueError, "For 'InplaceRandom'"),
    (lambda: g.NormalFloatFloat()(0.0, -1.0, (2,), 1, 0), ValueError, "'std' must be >= 0"),
    (lambda: g.InplaceNormal()(3, 0.0, 1.0, 1, 0), TypeError, "'input' must be a Tensor"),
    (lambda: g.InplaceBernoulliScalar()(x.copy(), 1.5, 1, 0), ValueError, "'p' must be in"),
    (lambda: g.InplaceExponential()(x.copy(), 0.0, 1, 0), ValueError, "'lambd' must be > 0"),
    (lambda: g.MultinomialExt()(x, 5, False, 1, 0), ValueError, "'num_samples' must be >= 1, and at most 4"),
    (lambda: g.DropoutExt()(x, 1.5, 1, 0), ValueError, "'p' must be in"),
    (lambda: g.FuncDropoutExt()(x, -0.5, True, False, 1, 0), ValueError, "For 'FuncDropoutExt', 'p' must be in"),
    (lambda: g.Dropout2dExt()(x[0], 0.5, True, False, 1, 0), ValueError, "'input' must have at least 2 dimensions"),
    (lambda: g.DropoutDoMaskExt()(x, ops.zeros((1,), ms.uint8), 0.5), ValueError, "a bit of uint8 for each element"),
    (lambda: g.DropoutDoMaskExt()(x, ops.zeros((16,)), 0.5), ValueError, "a bit of uint8 for each element"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "error", "text"), ERRORS, ids=[f"{i} {row[2]}" for i, row in enumerate(ERRORS)])
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()
