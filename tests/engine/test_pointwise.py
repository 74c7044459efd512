"""The gradients of 1x1 convolutions in graphs: products of matrices where that is right, and the same everywhere."""

from __future__ import annotations

import pytest
import torch

from torchspore.engine.capture.compiling.decomposition import in_simple_operations
from torchspore.engine.capture.compiling.pointwise import convolution_gradients

BACKWARD = torch.ops.aten.convolution_backward.default


@pytest.mark.parametrize(
    ("changes", "products"),
    [
        ({}, True),
        ({"mask": (True, True, True)}, True),
        ({"mask": (False, True, False)}, True),
        ({"mask": (True, False, False)}, True),
        ({"size": 1}, True),
        ({"stride": 2}, False),
        ({"groups": 2}, False),
        ({"padding": 1}, False),
        ({"kernel": 3}, False),
        ({"transposed": True}, False),
        ({"dtype": torch.float64}, False),
        ({"layout": torch.contiguous_format}, False),
    ],
    ids=str,
)
def test_gradients_of_convolutions(changes, products):
    task = {"size": 5, "kernel": 1, "stride": 1, "padding": 0, "groups": 1, "transposed": False, "dtype": torch.float32}
    task |= {"mask": (True, True, False), "layout": torch.channels_last} | changes
    torch.manual_seed(0)
    options = ([task["stride"]] * 2, [task["padding"]] * 2, [1, 1], task["transposed"], [0, 0], task["groups"])
    outputs, inputs = (4, 6) if task["transposed"] else (6, 4)
    made = {"dtype": task["dtype"]}
    x = torch.randn(3, 4, task["size"], task["size"], **made).contiguous(memory_format=task["layout"])
    weight = torch.randn(outputs, inputs // task["groups"], task["kernel"], task["kernel"], **made)
    output = torch.convolution(x, weight, None, *options)
    gradient = torch.randn(output.shape, **made).contiguous(memory_format=task["layout"])
    given = (gradient, x, weight, [6] if task["mask"][2] else None, *options, task["mask"])
    for expected, found in zip(BACKWARD(*given), convolution_gradients(*given)):
        torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-5)
    assert (in_simple_operations[BACKWARD](*given) is not NotImplemented) == products
