"""Tensors over buffers, exchanged tensors, names of quantized numbers."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import torchspore as ms
from torchspore.common import device

BYTES = bytes(range(12))


@pytest.mark.parametrize(
    ("buffer", "dtype", "options", "expected"),
    [
        (bytearray(BYTES), ms.uint8, {}, list(range(12))),
        (bytearray(BYTES), ms.int32, {}, [50462976, 117835012, 185207048]),
        (bytearray(BYTES), ms.int32, {"count": 2}, [50462976, 117835012]),
        (bytearray(BYTES), ms.int32, {"offset": 4}, [117835012, 185207048]),
        (bytearray(BYTES), ms.int32, {"count": 1, "offset": 1}, [67305985]),
        (bytearray(BYTES), ms.bool_, {"count": 2}, [False, True]),
        (memoryview(BYTES), ms.uint8, {"count": 3, "offset": 2}, [2, 3, 4]),
        (b"abcd", ms.uint8, {}, [97, 98, 99, 100]),
        (np.arange(3, dtype=np.float32), ms.float32, {}, [0, 1, 2]),
    ],
)
def test_frombuffer(buffer, dtype, options, expected):
    found = ms.frombuffer(buffer, dtype, **options)
    assert (found.dtype, found.asnumpy().tolist()) == (dtype, expected)


def test_the_memory_is_shared(monkeypatch):
    monkeypatch.setattr(device, "_current", torch.device("cpu"))
    buffer = bytearray(BYTES)
    tensor = ms.frombuffer(buffer, ms.uint8)
    buffer[0], tensor[1] = 99, 77
    assert (int(tensor[0]), buffer[1]) == (99, 77)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((bytearray(BYTES), "uint8"), TypeError, "'dtype' must be a data type"),
        ((bytearray(BYTES), None), TypeError, "'dtype' must be a data type"),
        ((bytearray(BYTES), ms.string), TypeError, "'dtype' must be a data type"),
        (("abc", ms.uint8), TypeError, "the buffer interface"),
        ((bytearray(BYTES), ms.int32, 1.0), TypeError, "'count' must be an int"),
        ((bytearray(BYTES), ms.int32, 5), ValueError, "5 elements of 4 bytes need 20 bytes"),
        ((bytearray(BYTES), ms.int32, 0), ValueError, "'count' must be -1 or > 0"),
        ((bytearray(BYTES), ms.int32, -2), ValueError, "'count' must be -1 or > 0"),
        ((bytearray(BYTES), ms.int32, -1, -1), ValueError, "'offset' must be a position in the 12 bytes"),
        ((bytearray(BYTES), ms.int32, -1, 12), ValueError, "'offset' must be a position in the 12 bytes"),
        ((bytearray(BYTES), ms.int32, -1, 1), ValueError, "not a whole number of elements"),
        ((bytearray(), ms.uint8), ValueError, "'offset' must be a position in the 0 bytes"),
    ],
)
def test_bad_buffers(arguments, error, message):
    with pytest.raises(error, match=message):
        ms.frombuffer(*arguments)


def test_exchanged_parameters():
    first = ms.Parameter(ms.Tensor([1.0]), name="first")
    second = ms.Parameter(ms.Tensor([2.0, 3.0]), name="second", requires_grad=False)
    ms.swap_tensors(first, second)
    assert (first.name, first.requires_grad, first.asnumpy().tolist()) == ("second", False, [2, 3])
    assert (second.name, second.requires_grad, second.asnumpy().tolist()) == ("first", True, [1])
    first.set_data(ms.Tensor([4.0, 5.0]))
    assert first.asnumpy().tolist() == [4, 5]


def test_bad_exchanges():
    tensor, parameter = ms.Tensor([1.0]), ms.Parameter(ms.Tensor([1.0]))
    with pytest.raises(TypeError, match="two Tensors or two Parameters, but got int and Tensor"):
        ms.swap_tensors(1, tensor)
    with pytest.raises(TypeError, match="got Tensor and Parameter"):
        ms.swap_tensors(tensor, parameter)
    with pytest.raises(RuntimeError, match="differentiated"):
        ms.grad(lambda x: ms.swap_tensors(x, tensor))(ms.Tensor([2.0]))


def test_quantized_numbers():
    numbers = {kind.name: kind.value() for kind in ms.QuantDtype}
    expected = [*((f"INT{bits}", bits - 1) for bits in range(1, 17)),
                *((f"UINT{bits}", bits + 99) for bits in range(1, 17))]  # fmt: skip
    assert list(numbers.items()) == expected
    assert (str(ms.QuantDtype.INT8), ms.QuantDtype(7)) == ("INT8", ms.QuantDtype.INT8)
