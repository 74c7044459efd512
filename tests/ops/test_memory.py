"""Tensors whose elements lie in a file."""

from __future__ import annotations

import numpy as np
import pytest

import torchspore as ms
from torchspore import Parameter, Tensor

TENSORS = {
    "floats": lambda: Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]),
    "not in order": lambda: Tensor([[1, 2, 3], [4, 5, 6]]).T,
    "a number": lambda: Tensor(3),
    "bools": lambda: Tensor([True, False]),
    "bfloat16": lambda: Tensor([1.5, 2.5], ms.bfloat16),
    "complex": lambda: Tensor(np.array([1 + 2j])),
    "nothing": lambda: Tensor(np.zeros((0, 3), np.float32)),
    "a parameter": lambda: Parameter(Tensor([1.0, 2.0])),
}


@pytest.mark.parametrize("made", TENSORS.values(), ids=TENSORS)
def test_a_tensor_in_a_file_is_what_it_was(made, tmp_path):
    path, tensor, before = str(tmp_path / "tensor.data"), made(), made()
    assert tensor.offload(path) is True
    assert tensor.offload_file_path() == path
    assert (tensor.shape, tensor.dtype) == (before.shape, before.dtype)
    assert (tensor == before).all()
    assert (tmp_path / "tensor.data").stat().st_size == before.nbytes


def test_writes_do_not_reach_the_file(tmp_path):
    weight = Parameter(Tensor([1.0, 2.0]))
    weight.offload(str(tmp_path / "weight.data"))
    ms.ops.assign(weight, Tensor([5.0, 6.0]))
    assert weight.asnumpy().tolist() == [5, 6]
    assert np.fromfile(tmp_path / "weight.data", np.float32).tolist() == [1, 2]
    assert ms.grad(lambda: (weight * weight).sum(), None, weight)().asnumpy().tolist() == [10, 12]


def test_wrong_places(tmp_path):
    with pytest.raises(TypeError, match="'file_path' must be a string, but got 3"):
        Tensor(1.0).offload(3)
    with pytest.raises(FileNotFoundError):
        Tensor(1.0).offload(str(tmp_path / "missing" / "x.data"))


def test_another_tensor_taken_over():
    x = Tensor([1, 2])
    assert x.assign_value_cpp(Tensor([3.0])) is x
    assert x.asnumpy().tolist() == [3]


def test_a_tensor_without_memory():
    x = ms.Tensor([[1, 2]], ms.float32, device="meta")
    assert x.is_meta
    assert not ms.Tensor(1).is_meta
    result = ms.ops.matmul(x.T, x) + 1
    assert (result.shape, result.dtype, result.device) == ((2, 2), ms.float32, "meta")
    assert str(x) == repr(x) == "Tensor(shape=[1, 2], dtype=Float32, value=<meta>)"
    assert ms.Tensor([1]).to("meta").is_meta
    with pytest.raises(NotImplementedError, match="no data"):
        x.asnumpy()
