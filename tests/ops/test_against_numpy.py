"""What MindSpore 2.10 does not compute on a CPU, or computes wrongly there: compared with NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import cases
import torchspore

ROWS = [
    # reductions without elements, by other names, of bools
    ("ops.sum(e)", "np.float32(0)"),
    ("ops.mean(e, 0)", "np.full(3, np.nan, np.float32)"),
    ("ops.prod(e, 0)", "np.ones(3, np.float32)"),
    ("ops.all(e, 0)", "np.ones(3, bool)"),
    ("ops.any(e)", "np.bool_(False)"),
    ("ops.prod(x, None, True)", "x.prod(keepdims=True)"),
    ("x.prod(axis=(0, 1))", "x.prod()"),
    ("x.nansum(dim=1, keepdim=True)", "x.sum(1, keepdims=True)"),
    ("i.count_nonzero(dim=0)", "(i != 0).sum(0).astype(np.int32)"),
    ("ops.count_nonzero(b)", "b.sum().astype(np.int32)"),
    ("ops.cumsum(b, 0)", "b.cumsum(0).astype(np.int32)"),
    ("ops.ReduceSum(skip_mode=True)(x, ())", "x"),
    ("ops.ReduceSum(skip_mode=True)(x, 0)", "x.sum(0)"),
    ("ops.std(s)", "np.float32(0)"),
    ("i.std(0)", "i.astype(np.float32).std(0)"),
    ("i.var()", "i.astype(np.float32).var()"),
    ("x.std(dim=0)", "x.std(0, ddof=1)"),
    ("x.var(dim=1, keepdim=True)", "x.var(1, ddof=1, keepdims=True)"),
    ("x.var(dim=0, correction=0)", "x.var(0)"),
    ("x.var(keepdim=True)", "x.var(ddof=1, keepdims=True)"),
    # transforms
    ("ops.FFTWithSize(1, False, False)(x)", "np.fft.fft(x).astype(np.complex64)"),
    ("ops.FFTWithSize(2, True, False, 'ortho')(x)", "np.fft.ifft2(x, norm='ortho').astype(np.complex64)"),
    ("ops.FFTWithSize(2, False, True)(x)", "np.fft.rfft2(x).astype(np.complex64)"),
    ("ops.FFTWithSize(1, False, True, onesided=False)(x)", "np.fft.fft(x).astype(np.complex64)"),
    ("ops.FFTWithSize(2, True, True, signal_sizes=x.shape)(ops.rfft2(x))", "x"),
    ("ops.FFTWithSize(1, True, True, onesided=False)(ops.fft(x))", "x"),
    # extremes
    ("ops.max(b, 1)[0]", "b.max(1)"),
    ("ops.min(b, 1)[1]", "b.argmin(1)"),
    ("ops.amax(b)", "b.max()"),
    ("ops.argmin(b, 1)", "b.argmin(1).astype(np.int32)"),
    ("ops.argmax(nan[:2])", "np.int64(1)"),
    ("x.max(dim=(0, 1))", "x.max()"),
    ("ops.Median(ignore_nan=True, axis=0)(nan[:2])[0]", "np.float32(1)"),
    ("ops.Median(global_median=True)(x)[1]", "np.int64(0)"),
    ("ops.quantile(x, 0.3)", "np.quantile(x, np.float32(0.3))"),
    ("ops.quantile(x, Tensor([0.25, 0.5]), 1)", "np.quantile(x, np.float32([0.25, 0.5]), 1)"),
    ("ops.quantile(x, Tensor([0.25, 0.5]), 1, True)", "np.quantile(x, np.float32([0.25, 0.5]), 1, keepdims=True)"),
    ("x.quantile(0.5, 0)", "np.median(x, 0)"),
    ("ops.nanquantile(nan[:2], 0.5)", "np.float32(1)"),
    ("x.nanquantile(0.5, 0)", "np.median(x, 0)"),
    # running
    ("ops.cumsum(e, 0)", "e"),
    ("ops.CumSum(True)(e, 0)", "e"),
    ("ops.CumProd(reverse=True)(x, 1)", "x[:, ::-1].cumprod(1)[:, ::-1]"),
    ("ops.CumulativeLogsumexp()(x, 1)", "np.log(np.exp(x).cumsum(1))"),
    ("ops.CumulativeLogsumexp(True)(x, 1)[:, 1:]", "np.log(np.exp(x).cumsum(1))[:, :-1]"),
    # creation
    ("ops.zeros(())", "np.float32(0)"),
    ("ops.full(2, 1)", "np.ones(2, np.int64)"),
    ("ops.tuple_to_array([1, 2])", "np.array([1, 2], np.int32)"),
    ("ops.logspace(0, 2, 3, base=2.5)", "np.array([1, 2.5, 6.25], np.float32)"),
    ("ops.linspace(Tensor(1), Tensor(5), 3)", "np.array([1, 3, 5], np.float32)"),
    ("ops.fill(ms.int32, 2, 1.5)", "np.ones(2, np.int32)"),
    ("x.new_full((2, 2), 3)", "np.full((2, 2), 3, np.float32)"),
    ("i.new_full((2,), 2.7)", "np.full(2, 2, np.int32)"),
    ("i.new_full((2,), 2.7, dtype=ms.float32)", "np.full(2, 2.7, np.float32)"),
    # products and functions of matrices
    ("ops.einsum('ij,jk->ik', x, m)", "x @ m"),
    ("ops.einsum('ij->', x)", "x.sum()"),
    ("ops.einsum('ij,j', x, v)", "x @ v"),
    ("ops.einsum('...ij->...ji', z)", "z.swapaxes(1, 2)"),
    ("ops.einsum('ij,kl->ik', x, y)", "np.outer(x.sum(1), y.sum(1))"),
    ("ops.einsum('ii->i', d[:, :2])", "d[:, :2].diagonal()"),
    ("ops.Einsum('ij,jk->ik')((x, m))", "x @ m"),
    ("ops.dot(i, j.T)", "i @ j.T"),
    ("ops.addbmm(s, z, z.swapaxes(1, 2))", "s + (z @ z.swapaxes(1, 2)).sum(0)"),
    ("ops.matrix_exp(Tensor(np.diag([0.0, 1.0])))", "np.diag(np.exp([0.0, 1.0]))"),
    ("ops.norm(w)", "np.linalg.norm(w)"),
    ("ops.norm(k, 3)", "np.float32(9 ** (1 / 3))"),
]


def _plain(value):
    return value.astype(np.float32) if value.dtype == np.float64 else value


@pytest.mark.parametrize(("expression", "with_numpy"), ROWS, ids=[row[0] for row in ROWS])
def test_result(expression, with_numpy):
    found = eval(expression, cases.namespace(torchspore)).asnumpy()
    expected = np.asarray(eval(with_numpy, {"np": np, **cases.INPUTS}))
    assert found.shape == expected.shape
    assert _plain(found).dtype == _plain(expected).dtype
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


def test_inverses_of_singular_matrices_are_nan():
    singular = torchspore.Tensor([[[1.0, 2.0], [2.0, 4.0]], [[2.0, 0.0], [0.0, 4.0]]])
    np.testing.assert_array_equal(torchspore.ops.inverse(singular), [[[np.nan] * 2] * 2, [[0.5, 0], [0, 0.25]]])
    np.testing.assert_array_equal(torchspore.scipy.linalg.inv(singular[0]), [[np.nan] * 2] * 2)


@pytest.mark.parametrize("dtype", [torchspore.float16, torchspore.bfloat16, torchspore.float32])
def test_gradients_of_logsumexp(dtype):
    x = torchspore.Tensor([6016.0, 6016.0, 1.0], dtype)
    gradient = torchspore.grad(lambda x: torchspore.ops.logsumexp(x, 0))(x)
    assert gradient.dtype == dtype
    np.testing.assert_allclose(gradient.tolist(), [0.5, 0.5, 0.0], rtol=1e-3)


ERRORS = [
    ("x.sum(axis=0, dim=0)", TypeError, "'axis' or 'dim'"),
    ("x.mean(axis=0, dim=0)", TypeError, "'axis' or 'dim'"),
    ("x.max(0, axis=0)", TypeError, "'dim' or 'axis'"),
    ("x.argmax(axis=0, dim=0)", TypeError, "'axis' or 'dim'"),
    ("x.cumsum(0, dim=0)", TypeError, "'axis' or 'dim'"),
    ("x.std(0, 1, correction=1)", TypeError, "'ddof' or 'correction'"),
    ("x.sum((0, 0))", ValueError, "multiple times"),
    ("ops.quantile(x, 1.5)", ValueError, None),
    ("ops.cholesky(Tensor([[1.0, 2.0], [2.0, 1.0]]))", RuntimeError, "positive"),
    ("ops.norm(z, 2)", ValueError, "1D or 2D"),
    ("ops.norm(z, dim=(0, 1, 2))", ValueError, "length 1 or 2"),
    ("ops.einsum('ij')", ValueError, "operand"),
    ("ops.einsum('ij,jk', x, m.astype(ms.float16))", TypeError, "dtype"),
    ("ops.batch_dot(x, y, 2.5)", TypeError, None),
]


@pytest.mark.parametrize(("expression", "kind", "text"), ERRORS, ids=[row[0] for row in ERRORS])
def test_error(expression, kind, text):
    with pytest.raises(kind, match=text) as caught:
        eval(expression, cases.namespace(torchspore))
    assert str(caught.value).startswith("For '")
