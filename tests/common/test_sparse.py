"""Sparse tensors as objects: printing, sharing, methods, gradients and captured graphs."""

from __future__ import annotations

import numpy as np
import pytest

import torchspore as ms
from torchspore import COOTensor, CSRTensor, RowTensor, SparseTensor, Tensor

RNG = np.random.default_rng(0)
DENSE = (RNG.normal(size=(5, 4)) * (RNG.random((5, 4)) < 0.5)).astype(np.float32)
OTHER = (RNG.normal(size=(4, 3)) * (RNG.random((4, 3)) < 0.6)).astype(np.float32)


def csr():
    return Tensor(DENSE).to_csr()


def coo():
    return Tensor(DENSE).to_coo()


def unsorted():
    """Coordinates out of order, one of them twice."""
    return COOTensor(Tensor([[1, 2], [0, 3], [1, 2]]), Tensor([1.0, 5.0, 4.0]), (2, 4))


PRINTED = [
    (
        lambda: COOTensor(Tensor([[0, 1], [1, 2]], ms.int32), Tensor([1.0, 2.0]), (3, 4)),
        "COOTensor(shape=[3, 4], dtype=Float32, indices=Tensor(shape=[2, 2], dtype=Int32, value=\n[[0 1]\n [1 2]]), "
        "values=Tensor(shape=[2], dtype=Float32, value=[ 1.00000000e+00  2.00000000e+00]))",
    ),
    (
        lambda: CSRTensor(Tensor([0, 1, 1]), Tensor([2]), Tensor([True]), (2, 4)),
        "CSRTensor(shape=[2, 4], dtype=Bool, indptr=Tensor(shape=[3], dtype=Int64, value=[0 1 1]), "
        "indices=Tensor(shape=[1], dtype=Int64, value=[2]), values=Tensor(shape=[1], dtype=Bool, value=[ True]))",
    ),
    (
        lambda: RowTensor(Tensor([0, 2]), Tensor([[1, 2], [3, 4]]), (3, 2)),
        "RowTensor(shape=[3, 2], dtype=Int64, indices=Tensor(shape=[2], dtype=Int64, value=[0 2]), "
        "values=Tensor(shape=[2, 2], dtype=Int64, value=\n[[1 2]\n [3 4]]))",
    ),
    (
        lambda: Tensor(np.ones((5, 6)), ms.int8).to_coo(),
        "COOTensor(shape=[5, 6], dtype=Int8, indices=Tensor(shape=[30, 2], dtype=Int32, value=[...]), "
        "values=Tensor(shape=[30], dtype=Int8, value=[...]))",
    ),
    (
        lambda: Tensor([[0, 0]]).to_coo(),
        "COOTensor(shape=[1, 2], dtype=Int64, indices=Tensor(shape=[0, 2], dtype=Int32, value=\n), "
        "values=Tensor(shape=[0], dtype=Int64, value=))",
    ),
]


@pytest.mark.parametrize(("make", "text"), PRINTED)
def test_printing_is_mindspores(make, text):
    assert repr(make()) == str(make()) == text


def test_parts_and_older_names():
    indices, values = Tensor([[0, 1]]), Tensor([2.0])
    old = SparseTensor(indices, values, (2, 2))
    assert old.indices is indices
    assert old.values is values
    assert old.shape == (2, 2)
    rows = RowTensor(row_tensor=RowTensor(Tensor([1]), Tensor([[1.0, 2.0]]), (3, 2)))
    assert rows.dense_shape == (3, 2)
    assert rows.values.shape == (1, 2)
    whole = csr()
    assert CSRTensor(csr_tensor=whole).values is whole.values
    assert whole != csr()
    assert whole == whole


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: RowTensor(), TypeError),
        (lambda: RowTensor(row_tensor=3), TypeError),
        (lambda: SparseTensor(1, Tensor([1.0]), (2, 2)), TypeError),
        (lambda: COOTensor(Tensor([[0, 0]] * 2), Tensor([1.0, 1.0]), (1, 1)), ValueError),
        (lambda: COOTensor(Tensor([[0, 9]]), Tensor([1.0]), (2, 2)).to_dense(), ValueError),
        (lambda: csr().mv(Tensor(DENSE)), ValueError),
        (lambda: csr().mm(Tensor(DENSE)), ValueError),
        (lambda: csr().mm(3), TypeError),
        (lambda: csr().sum(2), ValueError),
        (lambda: csr().sum(1.0), TypeError),
        (lambda: coo() + 1, TypeError),
        (lambda: coo() * 2, TypeError),
        (lambda: csr() * Tensor(np.ones((3, 3))), ValueError),
        (lambda: coo().add(coo(), 0), TypeError),
        (lambda: coo().add(coo(), Tensor([0.0])), ValueError),
        (lambda: coo().astype("complicated"), TypeError),
    ],
)
def test_errors(make, error):
    with pytest.raises(error, match=r"^For '"):
        make()


def test_conversions_go_round():
    for sparse in (
        csr(),
        coo(),
        ms.jit(lambda x: x.to_csr(), fullgraph=True)(Tensor(DENSE)),
        csr().to_coo(),
        coo().to_csr(),
        CSRTensor(csr_tensor=csr()),
    ):
        np.testing.assert_array_equal(sparse.to_dense().asnumpy(), DENSE)
    assert csr().to_coo().indices.dtype is ms.int32
    np.testing.assert_array_equal(unsorted().to_csr().to_dense().asnumpy(), [[0, 0, 0, 5], [0, 0, 5, 0]])


def test_coalesce_sorts_and_adds():
    result = unsorted().coalesce()
    np.testing.assert_array_equal(result.indices.asnumpy(), [[0, 3], [1, 2]])
    np.testing.assert_array_equal(result.values.asnumpy(), [5, 5])


def test_sums_and_differences_with_tensors_are_tensors():
    """The results are MindSpore's."""
    sparse = ms.COOTensor(ms.Tensor([[0, 1], [1, 0]]), ms.Tensor([1.0, 2.0]), (2, 2))
    dense = ms.Tensor([[1.0, 1.0], [1.0, 1.0]])
    assert (dense + sparse).asnumpy().tolist() == (sparse + dense).asnumpy().tolist() == [[1, 2], [3, 1]]
    assert (dense - sparse).asnumpy().tolist() == [[1, 0], [-1, 1]]
    with pytest.raises(TypeError, match="For 'true_divide'"):
        _ = dense / sparse


def test_sums_below_the_threshold_are_left_out():
    x = COOTensor(Tensor([[0, 0], [0, 1], [1, 1]]), Tensor([1.0, -3.0, 2.0]), (2, 2))
    np.testing.assert_array_equal(x.add(x, Tensor(3.0)).to_dense().asnumpy(), [[0, -6], [0, 4]])
    assert x.add(x, Tensor(0.0)).size == x.size


@pytest.mark.slow
@pytest.mark.parametrize(
    ("compute", "expected"),
    [
        (lambda x: x.mv(Tensor(OTHER[:, :1])), DENSE @ OTHER[:, :1]),
        (lambda x: x.mm(Tensor(OTHER)), DENSE @ OTHER),
        (lambda x: x.mm(Tensor(OTHER).to_csr()).to_dense(), DENSE @ OTHER),
        (lambda x: x.sum(1), DENSE.sum(1, keepdims=True)),
        (lambda x: x.sum(-1), DENSE.sum(1, keepdims=True)),
        (lambda x: x.abs().to_dense(), np.abs(DENSE)),
        (lambda x: (x - x.abs()).to_dense(), DENSE - np.abs(DENSE)),
        (lambda x: x.add(x.abs(), Tensor(2.0), Tensor(3.0)).to_dense(), 2 * DENSE + 3 * np.abs(DENSE)),
        (lambda x: x.transposed().to_dense(), DENSE.T),
        (lambda x: x * Tensor(np.full((5, 1), 2.0, np.float32)), 2 * DENSE[DENSE != 0]),
    ],
)
def test_csr_against_numpy_eagerly_and_captured(compute, expected):
    for function in (compute, ms.jit(compute, fullgraph=True)):
        np.testing.assert_allclose(function(csr()).asnumpy(), expected, rtol=1e-5, atol=1e-6)


def gradient_cases():
    weights = Tensor(RNG.normal(size=(5, 4)).astype(np.float32))
    places = (Tensor(DENSE).to_coo().indices.asnumpy()[:, 0], Tensor(DENSE).to_coo().indices.asnumpy()[:, 1])
    of_product = (np.ones((5, 3)) @ OTHER.T)[places]
    yield "to_dense", lambda x: (x.to_dense() * weights).sum(), weights.asnumpy()[places]
    yield "product", lambda x: x.mm(Tensor(OTHER)).sum(), of_product
    yield "sparse product", lambda x: x.mm(Tensor(OTHER).to_csr()).values.sum(), of_product
    yield "row sums", lambda x: x.sum(1).sum(), np.ones_like(of_product)
    yield "sum", lambda x: (x + x).to_dense().sum(), 2 * np.ones_like(of_product)
    yield "coordinates", lambda x: (x.to_coo() * weights).values.sum(), weights.asnumpy()[places]


@pytest.mark.parametrize(("what", "function", "expected"), list(gradient_cases()))
def test_gradients_reach_the_values(what, function, expected):
    x = csr()
    for gradient in (ms.grad(function), ms.jit(ms.grad(function), fullgraph=True)):
        np.testing.assert_allclose(gradient(x).asnumpy(), expected, rtol=1e-5, atol=1e-6, err_msg=what)
    by_values = ms.grad(lambda values: function(CSRTensor(x.indptr, x.indices, values, x.shape)))(x.values)
    np.testing.assert_allclose(by_values.asnumpy(), expected, rtol=1e-5, atol=1e-6)


def test_captured_functions_take_and_return_sparse_tensors():
    @ms.jit(fullgraph=True)
    def scaled(x, factor):
        return {"twice": x.with_values(x.values * factor), "shape": x.shape}

    first, second = scaled(coo(), Tensor(2.0)), scaled(coo(), Tensor(3.0))
    assert isinstance(first["twice"], COOTensor)
    assert first["shape"] == (5, 4)
    np.testing.assert_allclose(second["twice"].to_dense().asnumpy(), 3 * DENSE)
    wider = COOTensor(coo().indices, coo().values, (6, 4))
    assert scaled(wider, Tensor(2.0))["shape"] == (6, 4)  # the shape is a condition of the graph
    result = scaled(csr(), Tensor(2.0))["twice"]
    assert isinstance(result, CSRTensor)


def test_cells_hold_and_take_sparse_tensors():
    class Net(ms.nn.Cell):
        def __init__(self):
            super().__init__()
            self.indices = coo().indices
            self.values = ms.Parameter(coo().values, name="values")

        def construct(self, x):
            return x.to_dense() + COOTensor(self.indices, self.values, x.shape).to_dense()

    net = Net()
    np.testing.assert_allclose(net(coo()).asnumpy(), 2 * DENSE)
    gradient = ms.grad(net, None, net.trainable_params())(coo())[0]
    np.testing.assert_array_equal(gradient.asnumpy(), np.ones(net.values.shape))


@pytest.mark.parametrize("starts", [[0, 900_000_000, 5, -7, 3], [5, 6, 7, 8, 9], [-3] * 5, [0] * 5, [2, 1, 0, 9, 3]])
def test_rows_that_do_not_fit_the_values_are_not_written_beyond_them(starts):
    matrix = CSRTensor(Tensor(starts, ms.int32), Tensor([0, 1, 0], ms.int32), Tensor([1.0, 2.0, 3.0]), (4, 2))
    assert matrix.to_coo().indices.shape == (3, 2)
    assert (matrix + matrix).shape == (4, 2)
