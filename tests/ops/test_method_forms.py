"""Forms of calls that only Tensor methods have."""

import pytest

import torchspore as ms

X = ms.Tensor([[1, 2, 3], [4, 5, 6]])


@pytest.mark.parametrize(
    ("call", "shape"),
    [
        (lambda: X.tile(2, 1), (4, 3)),
        (lambda: X.tile((2, 1)), (4, 3)),
        (lambda: X.tile(2), (2, 6)),
        (lambda: X.tile(reps=(2, 1)), (4, 3)),
        (lambda: X.tile(dims=(2, 1, 1)), (2, 2, 3)),
        (lambda: X.permute(1, 0), (3, 2)),
        (lambda: X.permute((1, 0)), (3, 2)),
        (lambda: X.permute(axis=(1, 0)), (3, 2)),
        (lambda: X.permute(dims=(1, 0)), (3, 2)),
    ],
)
def test_forms_of_a_method(call, shape):
    assert call().shape == shape


@pytest.mark.parametrize("call", [lambda: X.tile(), lambda: X.tile(2, dims=2), lambda: X.permute(1, 0, dims=(0, 1))])
def test_an_argument_is_given_once(call):
    with pytest.raises(TypeError, match="once"):
        call()


def test_negative_coordinates_do_not_count_from_the_end():
    sparse = ms.COOTensor(ms.Tensor([[0, -1]]), ms.Tensor([1.0]), (2, 2))
    for kind in (ValueError, RuntimeError):
        with pytest.raises(kind, match="a coordinate is out of range"):
            sparse.to_dense()


def test_extremes_of_positional_arguments_are_values_alone_in_graphs():
    x = ms.Tensor([[1.0, 2.0, 5.0], [3.0, 4.0, 0.0]])
    assert ms.jit(lambda x: x.max(1))(x).asnumpy().tolist() == [5, 4]
    assert ms.jit(lambda x: x.min(1, True))(x).shape == (2, 1)
    for pair in (x.max(1), ms.jit(lambda x: x.max(dim=1))(x), ms.jit(lambda x: x.max(1, keepdim=True))(x)):
        assert len(pair) == 2
    assert ms.grad(ms.jit(lambda x: x.max(1).sum()))(x).asnumpy().tolist() == [[0, 0, 1], [0, 1, 0]]


def test_negative_elements_are_not_counted():
    with pytest.warns(RuntimeWarning, match="negative elements are not counted"):
        assert ms.ops.bincount(ms.Tensor([-1, 1, 2, 2])).asnumpy().tolist() == [0, 1, 2]


@pytest.mark.parametrize("captured", [False, True], ids=["pynative", "graph"])
def test_elements_are_scattered_from_the_end(captured):
    x, values = ms.Tensor([1.0, 2.0, 3.0]), ms.Tensor([5.0, 6.0])
    for run in (
        lambda i: ms.ops.scatter(x, 0, i, values),
        lambda i: ms.ops.tensor_scatter_elements(x, i, values),
    ):
        call = ms.jit(run) if captured else run
        assert call(ms.Tensor([0, 1])).asnumpy().tolist() == [5, 6, 3]
        assert call(ms.Tensor([0, -1])).asnumpy().tolist() == [5, 2, 6]
