"""What MindSpore's CPU does not compute of the operations on sparse tensors, against NumPy and closed forms."""

from __future__ import annotations

import numpy as np
import pytest

import torchspore as ms
from torchspore import COOTensor, CSRTensor, RowTensor, Tensor, ops

A = np.array([[0, 2, 0, 1], [0, 0, 0, 0], [3, 0, 4, 0]], np.float32)
B = np.array([[1, 0], [0, 5], [2, 0], [0, -1]], np.float32)


def sparse(array):
    return Tensor(array).to_csr()


@pytest.mark.parametrize("trans_a", [False, True])
@pytest.mark.parametrize("trans_b", [False, True])
@pytest.mark.parametrize("adjoint", [False, True])
def test_csr_mm(trans_a, trans_b, adjoint):
    kind = "adjoint" if adjoint else "trans"
    a = (A * (1 + 2j) if adjoint else A).astype(np.complex64 if adjoint else np.float32)
    b = (B * (1 - 1j) if adjoint else B).astype(np.complex64 if adjoint else np.float32)
    turned_a, turned_b = a.conj().T.copy() if trans_a else a, b.conj().T.copy() if trans_b else b
    product = ops.csr_mm(sparse(turned_a), sparse(turned_b), **{f"{kind}_a": trans_a, f"{kind}_b": trans_b})
    np.testing.assert_allclose(product.to_dense().asnumpy(), a @ b, rtol=1e-6)


def test_csr_mm_lists_each_place_once():
    product = ops.csr_mm(sparse(A), sparse(B))
    np.testing.assert_array_equal(product.indptr.asnumpy(), [0, 1, 1, 2])
    np.testing.assert_array_equal(product.indices.asnumpy(), [1, 0])
    np.testing.assert_array_equal(product.values.asnumpy(), [9, 11])


def test_softmax_of_the_stored_values():
    result = ops.csr_softmax(sparse(A), ms.float64)
    expected = np.concatenate([np.exp(row) / np.exp(row).sum() for row in ([2.0, 1.0], [3.0, 4.0])])
    assert result.dtype is ms.float32
    np.testing.assert_allclose(result.values.asnumpy(), expected, rtol=1e-6)
    gradient = ms.grad(lambda x: ops.csr_softmax(x, ms.float32).values.sum())(sparse(A))
    np.testing.assert_allclose(gradient.asnumpy(), np.zeros(4), atol=1e-6)


def test_rows_and_where_they_begin():
    indptr = Tensor([0, 2, 2, 4], ms.int32)
    np.testing.assert_array_equal(ops.csr2coo(indptr, 4).asnumpy(), [0, 0, 2, 2])
    np.testing.assert_array_equal(ops.coo2csr(Tensor([0, 0, 2, 2], ms.int32), 3).asnumpy(), [0, 2, 2, 4])
    assert ops.COO2CSR()(Tensor([0, 1], ms.int32), 2).dtype is ms.int32
    dense = Tensor(np.arange(24, dtype=np.float32).reshape(3, 4, 2))
    gathered = ops.csr_gather(indptr, Tensor([1, 3, 0, 2], ms.int32), dense, (3, 4))
    np.testing.assert_array_equal(gathered.asnumpy(), dense.asnumpy()[[0, 0, 2, 2], [1, 3, 0, 2]])


def test_coalesce_of_parts():
    indices = Tensor([[0, 0, 1], [1, 1, 2]])
    places, values, shape = ops.coalesce(indices, Tensor([1.0, 5.0, 4.0]), Tensor([3, 3]))
    np.testing.assert_array_equal(places.asnumpy(), [[0, 1], [1, 2]])
    np.testing.assert_array_equal(values.asnumpy(), [6, 4])
    assert shape.asnumpy().tolist() == [3, 3]
    with pytest.raises(ValueError, match=r"^For 'coalesce'"):
        ops.coalesce(indices, Tensor([1.0, 5.0, 4.0]), Tensor([1, 3]))
    with pytest.raises(ValueError, match=r"^For 'Coalesce'"):
        ops.Coalesce()(indices, Tensor([1.0, 5.0]), Tensor([3, 3]))


def test_parts_of_sparse_tensors():
    x, row = sparse(A), RowTensor(Tensor([0, 2]), Tensor([[1.0, 2.0], [3.0, 4.0]]), (3, 2))
    assert ops.csr_tensor_get_indptr(x) is x.indptr
    assert ops.csr_tensor_get_indices(x) is x.indices
    assert ops.csr_tensor_get_dense_shape(x) == (3, 4)
    assert ops.row_tensor_get_dense_shape(row) == (3, 2)
    assert ops.coo_tensor_get_values(x.to_coo()).shape == (4,)
    assert isinstance(ops.make_coo_tensor(*x.to_coo().to_tuple()), COOTensor)
    assert isinstance(ops.make_csr_tensor(*x.to_tuple()), CSRTensor)
    total = ops.row_tensor_add(row, Tensor(np.ones((3, 2), np.float32)))
    np.testing.assert_array_equal(total.asnumpy(), [[2, 3], [1, 1], [4, 5]])
    with pytest.raises(TypeError, match=r"^For 'csr_tensor_get_values'"):
        ops.csr_tensor_get_values(x.to_coo())


@pytest.mark.parametrize(
    ("compute", "error"),
    [
        (lambda x, v: ops.SparseTensorDenseMatmul()(x, v, (3, 4), Tensor(np.ones((3, 2), np.float32))), ValueError),
        (lambda x, v: ops.SparseToDense()(x, v, (3,)), ValueError),
        (lambda x, v: ops.SparseTensorDenseAdd()(x, v, (3, 4), Tensor(np.ones((4, 4), np.float32))), ValueError),
        (lambda x, v: ops.SparseTensorDenseAdd()(x, v, (3, 4), Tensor(np.ones((3, 4)))), TypeError),
        (lambda x, v: ops.coo_concat(sparse(A).to_coo()), TypeError),
        (lambda x, v: ops.coo_concat((sparse(A).to_coo(), sparse(B).to_coo())), ValueError),
        (lambda x, v: ops.coo_concat((sparse(A).to_coo(), sparse(A).to_coo()), 2), ValueError),
        (lambda x, v: ops.csr_mm(sparse(A), Tensor(B)), TypeError),
        (lambda x, v: ops.csr_mm(sparse(A), sparse(B), 1), TypeError),
        (lambda x, v: ms.nn.SparseToDense()(v), TypeError),
    ],
)
def test_errors(compute, error):
    with pytest.raises(error, match=r"^For '"):
        compute(Tensor([[0, 1], [1, 2]]), Tensor([1.0, 2.0]))


def test_primitives_have_gradients_and_graphs():
    indices, dense = Tensor([[0, 1], [1, 2]]), Tensor(B)

    def loss(values):
        product = ops.SparseTensorDenseMatmul()(indices, values, (3, 4), dense)
        return product.sum() + (ops.SparseToDense()(indices, values, (3, 4)) * Tensor(A)).sum()

    for gradient in (ms.grad(loss), ms.jit(ms.grad(loss), fullgraph=True)):
        np.testing.assert_allclose(gradient(Tensor([1.0, 2.0])).asnumpy(), [5 + 2, 2 + 0])


@pytest.mark.parametrize("multiply", [lambda x, y: x * y, lambda x, y: x.mul(y), lambda x, y: y * x])
def test_dense_times_sparse(multiply):
    factors = Tensor(np.arange(12.0, dtype=np.float32).reshape(3, 4))

    def product(factors, values):
        matrix = COOTensor(Tensor([[0, 1], [1, 2]], ms.int32), values, (3, 4))
        return multiply(factors, matrix)

    result = product(factors, Tensor([1.0, 2.0]))
    assert isinstance(result, COOTensor)
    assert result.values.tolist() == [1.0, 12.0]
    of_factors, of_values = ms.grad(lambda x, v: product(x, v).values.sum(), (0, 1))(factors, Tensor([1.0, 2.0]))
    assert of_factors.asnumpy()[0, 1] == 1
    assert of_factors.asnumpy().sum() == 3
    assert of_values.tolist() == [1.0, 6.0]
    assert ms.jit(product)(factors, Tensor([1.0, 2.0])).values.tolist() == [1.0, 12.0]
