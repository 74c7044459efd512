"""Linear algebra: the factors multiply to the matrix, the solutions solve."""

from __future__ import annotations

import numpy as np
import pytest

import torchspore as ms
from torchspore import Tensor
from torchspore.scipy import linalg

_draw = np.random.default_rng(1)
A = _draw.standard_normal((4, 4)) + 2 * np.eye(4)
DEFINITE = A @ A.T
COMPLEX = A + 1j * A[::-1]
B = _draw.standard_normal((4, 3))


def _close(found, expected):
    np.testing.assert_allclose(found.asnumpy() if isinstance(found, Tensor) else found, expected, atol=1e-10)


@pytest.mark.parametrize("a", [A, DEFINITE, COMPLEX], ids=["real", "definite", "complex"])
def test_inverse_and_determinant(a):
    _close(linalg.inv(Tensor(a)).asnumpy() @ a, np.eye(4))
    _close(linalg.det(Tensor(a)), np.linalg.det(a))


def test_cholesky():
    lower = linalg.cholesky(Tensor(DEFINITE), lower=True).asnumpy()
    upper = linalg.cholesky(Tensor(DEFINITE)).asnumpy()
    _close(lower @ lower.T, DEFINITE)
    _close(upper, lower.T)
    _close(np.triu(lower, 1), 0)


@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("b", [B, B[:, 0]], ids=["matrix", "vector"])
def test_cho_solve(lower, b):
    factor = linalg.cho_factor(Tensor(DEFINITE), lower=lower)
    assert factor[1] is lower
    _close(DEFINITE @ linalg.cho_solve(factor, Tensor(b)).asnumpy(), b)


@pytest.mark.parametrize("a", [A, A[:, :2], A[:3]], ids=["square", "tall", "wide"])
def test_lu(a):
    p, lower, upper = [factor.asnumpy() for factor in linalg.lu(Tensor(a))]
    _close(p @ lower @ upper, a)
    _close(np.triu(lower, 1), 0)
    _close(np.tril(upper, -1), 0)
    assert p.dtype == np.int32
    permuted, again = [factor.asnumpy() for factor in linalg.lu(Tensor(a), permute_l=True)]
    _close(permuted @ again, a)


@pytest.mark.parametrize(("trans", "matrix"), [(0, COMPLEX), (1, COMPLEX.T), (2, COMPLEX.conj().T)])
@pytest.mark.parametrize("b", [B + 0j, B[:, 0] * 1j], ids=["matrix", "vector"])
def test_lu_solve(trans, matrix, b):
    _close(matrix @ linalg.lu_solve(linalg.lu_factor(Tensor(COMPLEX)), Tensor(b), trans).asnumpy(), b)


def test_eigh():
    values, vectors = [found.asnumpy() for found in linalg.eigh(Tensor(DEFINITE))]
    _close(DEFINITE @ vectors, vectors * values)
    _close(vectors.T @ vectors, np.eye(4))
    _close(linalg.eigh(Tensor(np.tril(DEFINITE)), eigvals_only=True), values)  # the lower triangle is enough
    _close(linalg.eigh(Tensor(np.triu(DEFINITE)), lower=False, eigvals_only=True), values)


@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("trans", [0, "T", 2])
@pytest.mark.parametrize("b", [B + 0j, B[:, 0] * 1j], ids=["matrix", "vector"])
def test_solve_triangular(lower, trans, b):
    triangle = np.tril(COMPLEX) if lower else np.triu(COMPLEX)
    matrix = {0: triangle, "T": triangle.T, 2: triangle.conj().T}[trans]
    _close(matrix @ linalg.solve_triangular(Tensor(COMPLEX), Tensor(b), trans, lower).asnumpy(), b)


def test_solve_triangular_in_batches():
    a, b = np.stack([A, DEFINITE]), np.stack([B[:, 0], B[:, 1]])
    found = linalg.solve_triangular(Tensor(a), Tensor(b)).asnumpy()
    _close(np.einsum("bij,bj->bi", np.triu(a), found), b)


@pytest.mark.parametrize("driver", [None, "gels", "gelsy", "gelss", "gelsd"])
def test_lstsq(driver):
    solution, residuals, rank, singular = linalg.lstsq(Tensor(A[:, :2]), Tensor(B), driver=driver)
    expected = np.linalg.lstsq(A[:, :2], B, rcond=None)
    _close(solution, expected[0])
    if driver not in (None, "gelsy"):
        _close(residuals, expected[1])
    if driver != "gels":
        assert int(rank) == 2
    if driver in ("gelss", "gelsd"):
        _close(singular, expected[3])
    _close(linalg.lstsq(Tensor(A), Tensor(B[:, 0]))[0], np.linalg.solve(A, B[:, 0]))


def test_block_diag():
    found = linalg.block_diag(Tensor([[1, 2], [3, 4]]), [5.5], 6).asnumpy()
    np.testing.assert_array_equal(found, [[1, 2, 0, 0], [3, 4, 0, 0], [0, 0, 5.5, 0], [0, 0, 0, 6]])


def test_differentiable_in_graphs_and_batches():
    def trace_of_inverse(a):
        return linalg.inv(a).trace()

    gradient = ms.grad(trace_of_inverse)(Tensor(A)).asnumpy()
    _close(gradient, -(np.linalg.inv(A) @ np.linalg.inv(A)).T)
    _close(ms.jit(trace_of_inverse, fullgraph=True)(Tensor(A)), np.trace(np.linalg.inv(A)))
    _close(ms.vmap(linalg.inv)(Tensor(np.stack([A, DEFINITE]))), np.linalg.inv(np.stack([A, DEFINITE])))


@pytest.mark.parametrize(
    ("expression", "error", "message"),
    [
        ("linalg.inv(Tensor(B))", ValueError, "For 'inv', 'a' must be a square matrix"),
        ("linalg.inv(Tensor(A.astype(np.float16)))", TypeError, "For 'inv', 'a' must be of dtype"),
        ("linalg.inv(A)", TypeError, "For 'inv', 'a' must be a Tensor"),
        ("linalg.cholesky(Tensor(-DEFINITE))", RuntimeError, "For 'cholesky'"),
        ("linalg.eigh(Tensor(A), Tensor(A))", ValueError, "For 'eigh', 'b' and 'eigvals' must be None"),
        ("linalg.lu_solve(linalg.lu_factor(Tensor(A)), Tensor(B), 3)", ValueError, "For 'lu_solve', 'trans' must be"),
        ("linalg.solve_triangular(Tensor(A), Tensor(B), 'a')", ValueError, "For 'solve_triangular', 'trans' must be"),
        ("linalg.lstsq(Tensor(A), Tensor(B), driver='a')", ValueError, "For 'lstsq', 'driver' must be one of"),
        ("linalg.lstsq(Tensor(A), Tensor(B).astype(ms.float32))", TypeError, "For 'lstsq', .* the same dtype"),
        (
            "linalg.block_diag(Tensor(np.zeros((1, 1, 1))))",
            ValueError,
            "For 'block_diag', arrays must have at most two",
        ),
    ],
)
def test_refused(expression, error, message):
    with pytest.raises(error, match=message):
        eval(expression)
