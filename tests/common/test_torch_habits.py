"""Errors for PyTorch's names and arguments say MindSpore's way in one line; `hasattr` is False as in MindSpore."""

from __future__ import annotations

import importlib

import numpy as np
import pytest

import torchspore as ms
from torchspore import nn, ops
from torchspore.common.names import torch_habits

NAMES = [
    *[("tensor", name, hint) for name, hint in torch_habits.TENSOR.items()],
    *[("cell", name, hint) for name, hint in torch_habits.CELL.items()],
    *[("optimizer", name, hint) for name, hint in torch_habits.OPTIMIZER.items()],
    *[(module, name, hint) for module, hints in torch_habits._MODULES.items() for name, hint in hints.items()],
    *[("torchspore", name, f"use ops.{name}") for name in ("zeros", "cat", "randn", "where")],
    ("torchspore", "Dense", "use nn.Dense."),
]


def subject(kind: str):
    if kind == "optimizer":
        return nn.SGD(nn.Dense(2, 3).trainable_params())
    return {"tensor": ms.Tensor([1.0]), "cell": nn.Dense(2, 3)}.get(kind) or importlib.import_module(kind)


@pytest.mark.parametrize(("kind", "name", "hint"), NAMES)
def test_a_name_of_torch_is_explained(kind, name, hint):
    thing = subject(kind)
    assert not hasattr(thing, name)
    with pytest.raises(AttributeError) as caught:
        getattr(thing, name)
    text = str(caught.value)
    assert hint in text
    assert "\n" not in text
    assert "Did you mean" not in text
    assert name not in dir(thing)


X = ms.Tensor(np.ones((2, 3), np.float32))
KEYWORDS = [
    (lambda: nn.Dense(2, 3, bias=False), "has_bias"),
    (lambda: nn.Conv2d(1, 2, 3, bias=False), "has_bias"),
    (lambda: nn.Dense(in_features=2, out_channels=3), "in_channels"),
    (lambda: nn.Embedding(num_embeddings=2, embedding_size=3), "vocab_size"),
    (lambda: ops.cat((X, X), dim=0), "axis"),
    (lambda: ops.stack((X, X), dim=0), "axis"),
    (lambda: ops.softmax(X, dim=1), "axis"),
    (lambda: ops.mean(X, dim=1), "axis"),
    (lambda: ops.mean(X, 1, keepdim=True), "keep_dims"),
    (lambda: ops.sum(X, axis=1), "dim"),
    (lambda: ops.logcumsumexp(X, dim=0), "axis"),
]


@pytest.mark.parametrize(("call", "name"), KEYWORDS)
def test_an_argument_of_torch_is_explained(call, name):
    with pytest.raises(TypeError, match=f"unexpected keyword argument.*In MindSpore, the argument is named '{name}'"):
        call()


def test_an_attribute_that_the_program_sets_is_not_hidden():
    x = ms.Tensor([1.0])
    x.grad = 3
    assert x.grad == 3
    assert "grad" in dir(x)
    assert not hasattr(ms.Tensor, "cuda")

    class Own(ms.Tensor):
        def cuda(self):
            return "here"

    assert Own([1.0]).cuda() == "here"
    assert ms.Parameter(x).requires_grad


def test_a_cell_with_forward_is_told_to_rename_it():
    class Net(nn.Cell):
        def forward(self, x):
            return x

    with pytest.raises(AttributeError, match="Rename its method 'forward' to 'construct'"):
        Net()(X)


class CallsSize(nn.Cell):
    def construct(self, x):
        return x.size()


@pytest.mark.parametrize("call", [CallsSize(), ms.grad(lambda x: x.size())])
def test_size_is_not_a_method(call):
    with pytest.raises(TypeError, match=r"use x\.shape"):
        call(X)
    assert type(X.size) is int
