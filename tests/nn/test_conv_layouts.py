"""Gradients of convolutions with few channels, in a separate process: a wrong memory layout crashes it."""

from __future__ import annotations

import pytest

import preloaded

PROGRAM = """
import numpy as np
import torchspore as ms
from torchspore import nn

x = ms.Tensor(np.ones((2, 3, 224, 224), np.float32))
layer = nn.SequentialCell(nn.Conv2d(3, 48, 1, 2, has_bias=True), nn.BatchNorm2d(48))
gradient = ms.grad(layer, None, layer.trainable_params())
for _ in range(10):
    gradient(x)
"""


@pytest.mark.slow
def test_strided_kernels_of_one_element_keep_to_their_memory():
    preloaded.output_of(PROGRAM, ignored=("",))
