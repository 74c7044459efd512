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
