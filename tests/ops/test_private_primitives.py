"""Primitives of private modules: the table of names agrees with the modules, and programs that import MindSpore's."""

from __future__ import annotations

import importlib

import numpy as np
import pytest

import preloaded
import torchspore as ms
from torchspore import ops
from torchspore.ops.auto_generate import PRIVATE


def test_the_table_names_what_the_modules_have():
    for path in set(PRIVATE.values()):
        module = importlib.import_module(f"torchspore.{path}")
        assert sorted(module.__all__) == sorted(name for name, place in PRIVATE.items() if place == path)


PROGRAM = """
import torchspore.as_mindspore
import mindspore as ms
from mindspore import Tensor
from mindspore.ops.auto_generate import ReluGrad as Generated
from mindspore.ops.operations import _grad_ops as G
from mindspore.ops.operations._scalar_ops import ScalarAdd, bit_and
from mindspore.ops.operations._inner_ops import ConvertToDynamic, bit_or
from mindspore.ops.operations._sequence_ops import SequenceSlice, make_range, shape_mul, tuple_equal
from mindspore.ops.operations.linalg_ops import Eigh
from mindspore.ops.operations.math_ops import SelfAdjointEig
from mindspore.ops.operations.sparse_ops import SparseAdd, SparseMatrixAdd

assert G.ReluGrad is Generated
assert G.ReluGrad()(Tensor([1.0, 2.0]), Tensor([-1.0, 1.0])).asnumpy().tolist() == [0.0, 2.0]
assert (ScalarAdd()(1, 2), bit_and()(6, 3), SequenceSlice()((1, 2, 3), 0, 2, 1)) == (3, 2, (1, 2))
assert (bit_or(6, 3), make_range()(1, 5, 2), shape_mul()((2, 3)), tuple_equal()((1,), (1,))) == (7, (1, 3), 6, True)
assert ConvertToDynamic(is_dynamic_rank=True)(Tensor([1])).shape == (1,)
assert Eigh(False)(ms.ops.eye(2)).asnumpy().tolist() == [1.0, 1.0]
ones = ms.ops.ones((1, 1, 2, 2))
assert G.Conv2DBackpropFilter(1, 1)(ones, ones, (1, 1, 1, 1)).asnumpy().item() == 4.0
"""


@pytest.mark.slow
def test_private_modules_of_mindspore_have_them():
    preloaded.output_of(PROGRAM)


@pytest.mark.parametrize(
    "call", [lambda x: ops.dropout(x, 0.0), ms.nn.Dropout(p=0.5), ms.nn.Dropout(p=0.0).set_train()]
)
def test_dropout_of_integers_that_drops_nothing(call):
    x = ms.Tensor([3, -1], ms.int32)
    np.testing.assert_array_equal(call(x).asnumpy(), x.asnumpy())
    assert call(x).dtype == ms.int32
