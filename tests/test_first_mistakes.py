"""Mistakes that beginners make: the errors say what is wrong and what to write."""

from __future__ import annotations

import numpy as np
import pytest

import torchspore as ms
from torchspore import Tensor, nn, ops
from torchspore.dataset import vision

ONES = ops.ones((2, 3))
GREY = ops.ones((1, 8, 8))
IMAGE = np.zeros((3, 8, 9), np.uint8)


def _in_a_list() -> list[ms.Parameter]:
    class Network(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.layers = [nn.Dense(2, 2)]

    return list(Network().trainable_params())


def _step(optimizer: nn.Optimizer) -> None:
    optimizer((ops.ones((3, 3)), ops.ones(3)))


def _beyond_the_schedule() -> None:
    optimizer = nn.SGD(nn.Dense(3, 3).trainable_params(), [0.1, 0.01])
    for _ in range(3):
        _step(optimizer)


# What is called, the class of the error, and words of it.
MISTAKES = [
    (lambda: nn.Dense(4, 2)(ONES), ValueError, ["the last dimension of 'input' must be 4", "got input=Tensor("]),
    (lambda: nn.Dense(3, 2)(ONES.astype(ms.float64)), TypeError, ["'input' and 'weight'", "x.astype(ms.float32)"]),
    (lambda: nn.Conv2d(1, 2, 3)(GREY), ValueError, ["must have 4 dimensions, but got Tensor", "dataset.batch(n)"]),
    (lambda: nn.Conv2d(1, 2, 3, padding=1), ValueError, ["Pass pad_mode='pad' too."]),
    (lambda: nn.LSTM(3), TypeError, ["LSTM.__init__() missing 1 required", "'hidden_size'"]),
    (lambda: nn.CrossEntropyLoss()(ONES, Tensor([0, 3])), ValueError, ["the label 3 is not a class", "0 to 2"]),
    (lambda: nn.Adam(_in_a_list()), ValueError, ["For 'Adam', 'parameters' must not be empty", "nn.CellList"]),
    (lambda: nn.SGD(nn.Dense(3, 3).trainable_params())(ONES), TypeError, ["value_and_grad(function, None, "]),
    (_beyond_the_schedule, RuntimeError, ["For 'SGD', the learning rates end after 2 steps, and this is step 3"]),
    (lambda: ms.Model(nn.Dense(1, 1), metrics=["mse"]), TypeError, ["For 'Model'", "such as {'accuracy'}"]),
    (lambda: vision.Normalize([0.5] * 3, [0.5] * 3)(IMAGE), ValueError, ["9 channels", "Pass is_hwc=False"]),
    (lambda: vision.Resize(4)(np.zeros(90, np.uint8)), ValueError, ["vision.Decode()", "decode=True"]),
    (lambda: ms.load("network.onnx"), ValueError, ["there is no file 'network.onnx'"]),
]


@pytest.mark.parametrize(("call", "kind", "words"), MISTAKES)
def test_the_error_says_what_to_do(call, kind, words):
    with pytest.raises(kind) as caught:
        call()
    assert [word for word in words if word not in str(caught.value)] == []
