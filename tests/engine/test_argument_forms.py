"""What arguments may be given as beyond their documented types."""

from __future__ import annotations

import inspect
import re

import numpy as np
import pytest
import torch

from torchspore import Tensor, mint, ops
from torchspore import numpy as mnp
from torchspore.engine.arguments import argument_forms
from torchspore.engine.arguments.argument_forms import as_flag, as_number, number_in

TABLE = argument_forms._table()


def test_every_word_of_the_table_is_explained():
    explained = set(re.findall(r"^    (\w+) ", inspect.getdoc(argument_forms), re.MULTILINE))
    used = {word for parameters in TABLE.values() for forms in parameters.values() for word in forms.split()}
    assert used == explained


@pytest.mark.parametrize(
    ("forms", "value", "expected"),
    [
        ("bool", True, 1), ("", True, None), ("tensor", Tensor(2), 2), ("tensor", Tensor([2.5]), 2.5),
        ("tensor", Tensor([1, 2]), None), ("numpy", Tensor(2), None), ("numpy", np.float32(2.5), 2.5),
        ("numpy", np.array([3]), 3), ("tensor", np.array(3), None), ("whole", 2.0, 2), ("whole", 2.5, None),
        ("real", 2.5, 2.5), ("bool", 2.0, None), ("bool tensor", "2", None), ("whole", None, None),
    ],
)  # fmt: skip
def test_a_number(monkeypatch, forms, value, expected):
    monkeypatch.setitem(TABLE, "Layer", {"size": forms})
    assert as_number(value, "size", "Layer") == expected
    assert as_number(value, "size", "Tensor.Layer") == expected
    assert as_number(value, "other", "Layer") is None


@pytest.mark.parametrize(
    ("forms", "value", "expected"),
    [
        ("any", "a", True), ("any", [], False), ("none", None, False), ("none", 0, None), ("false", 0, False),
        ("false", "", False), ("false", 1, None), ("tensor", Tensor(True), True), ("", Tensor(True), None),
        ("numpy", np.array(False), False),
    ],
)  # fmt: skip
def test_a_flag(monkeypatch, forms, value, expected):
    monkeypatch.setitem(TABLE, "Layer", {"flags[]": forms})
    assert as_flag(value, "flags[1]", "Layer") is expected


def test_the_number_in_a_value():
    given = Tensor([2.5]), np.int64(3), np.array(4), Tensor([1, 2]), "text"
    assert [number_in(value) for value in given[:3]] == [2.5, 3, 4]
    assert [number_in(value) for value in given[3:]] == list(given[3:])


@pytest.mark.parametrize(
    ("function", "setting"),
    [
        (Tensor.flatten, 1), (lambda x, d: x.flatten(0, d), 1), (mnp.norm, 1), (mint.norm, 2), (ops.norm, 1),
        (mint.linalg.matrix_norm, 2), (ops.matrix_norm, 1), (lambda x, p: ops.cond(x.reshape(2, 2), p), 1),
        (lambda x, a: ops.tensor_dot(x, x, ((a,), (a,))), 0),
        (lambda x, n: ops.affine_grid(Tensor(np.ones((1, 2, 3), np.float32)), (1, n, 2, 2)), 1),
        (lambda x, a: mnp.apply_along_axis(lambda row: row.sum(), a, x), 0),
        (lambda x, end: mnp.pad(x, 1, mode="linear_ramp", end_values=end), 2),
    ],
)  # fmt: skip
def test_a_setting_given_as_a_tensor_does_not_reach_torch(function, setting):
    x = Tensor(np.arange(4, dtype=np.float32).reshape(2, 2) + 1)
    result = function(x, Tensor(setting))
    assert type(result._t) is torch.Tensor
    np.testing.assert_array_equal(result.asnumpy(), function(x, setting).asnumpy())
