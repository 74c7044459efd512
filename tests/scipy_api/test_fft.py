"""Cosine transforms: against the sums that define them, and there and back."""

from __future__ import annotations

import numpy as np
import pytest

import torchspore as ms
from torchspore import Tensor
from torchspore.scipy import fft

X = np.random.default_rng(3).standard_normal((4, 7))


def _by_definition(x):
    """Return the orthonormal transform of the last dimension, type 2."""
    size = x.shape[-1]
    places, frequencies = np.arange(size), np.arange(size)[:, None]
    matrix = np.cos(np.pi * (2 * places + 1) * frequencies / (2 * size)) * np.sqrt(2 / size)
    matrix[0] /= np.sqrt(2)
    return x @ matrix.T


@pytest.mark.parametrize("size", [1, 2, 3, 6, 7])
def test_dct_is_a_sum_of_cosines(size):
    np.testing.assert_allclose(fft.dct(Tensor(X[:, :size])).asnumpy(), _by_definition(X[:, :size]), atol=1e-12)
    np.testing.assert_allclose(fft.dct(Tensor(X), n=size).asnumpy(), _by_definition(X[:, :size]), atol=1e-12)


def test_lengths_fill_with_zeros():
    filled = np.concatenate((X, np.zeros((4, 2))), 1)
    np.testing.assert_allclose(fft.dct(Tensor(X), n=9).asnumpy(), _by_definition(filled), atol=1e-12)


def test_dimensions():
    np.testing.assert_allclose(fft.dct(Tensor(X), axis=0).asnumpy(), _by_definition(X.T).T, atol=1e-12)
    both = _by_definition(_by_definition(X).T).T
    np.testing.assert_allclose(fft.dctn(Tensor(X)).asnumpy(), both, atol=1e-12)
    np.testing.assert_allclose(fft.dctn(Tensor(X), s=3).asnumpy(), _by_definition(X[:, :3]), atol=1e-12)


@pytest.mark.parametrize("back_and_forth", [(fft.idct, fft.dct), (fft.idctn, fft.dctn)])
def test_there_and_back(back_and_forth):
    back, forth = back_and_forth
    np.testing.assert_allclose(back(forth(Tensor(X))).asnumpy(), X, atol=1e-12)
    complex_x = X + 1j * X[::-1]
    np.testing.assert_allclose(back(forth(Tensor(complex_x))).asnumpy(), complex_x, atol=1e-12)


def test_gradients_graphs_and_vmap():
    weights = Tensor(X[::-1].copy())
    gradient = ms.grad(lambda x: (fft.dct(x) * weights).sum())(Tensor(X))
    np.testing.assert_allclose(gradient.asnumpy(), fft.idct(weights).asnumpy(), atol=1e-12)  # orthonormal
    np.testing.assert_allclose(ms.vmap(fft.dct)(Tensor(X)).asnumpy(), _by_definition(X), atol=1e-12)
    np.testing.assert_allclose(ms.jit(fft.dct, fullgraph=True)(Tensor(X)).asnumpy(), _by_definition(X), atol=1e-12)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"type": 3}, ValueError, "For 'dct', 'type' must be 2"),
        ({"norm": "forward"}, ValueError, "For 'dct', 'norm' must be None or 'ortho'"),
        ({"axis": 2}, ValueError, "For 'dct', 'axis' must be in"),
        ({"n": 0}, ValueError, "For 'dct', the length must be positive"),
    ],
)
def test_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        fft.dct(Tensor(X), **arguments)


@pytest.mark.parametrize("arguments", [{"axes": (0, 0)}, {"s": (2, 2), "axes": 0}, {"s": (2, 2, 2)}])
def test_refused_in_several_dimensions(arguments):
    with pytest.raises(ValueError, match="For 'dctn'"):
        fft.dctn(Tensor(X), **arguments)
