"""`rewrite`: values as MindSpore 2.10 shows them."""

from __future__ import annotations

import pytest

import torchspore as ms
from torchspore.rewrite import NodeType, ScopedValue, ValueType


@pytest.mark.parametrize(
    ("value", "kind", "shown"),
    [
        (2, "ConstantValue", "2"),
        (2.5, "ConstantValue", "2.5"),
        ("a", "ConstantValue", "a"),
        (True, "ConstantValue", "True"),
        (None, "ConstantValue", "None"),
        ((1, 2), "TupleValue", "Illegal ValueType: ValueType.TupleValue"),
        ([1, "b"], "ListValue", "Illegal ValueType: ValueType.ListValue"),
        ({"a": 1}, "DictValue", "Illegal ValueType: ValueType.DictValue"),
        (ms.Tensor([1]), "CustomObjValue", "CustomObj: [1]"),
        (int, "CustomObjValue", "CustomObj: <class 'int'>"),
    ],
)
def test_values_of_objects(value, kind, shown):
    found = ScopedValue.create_variable_value(value)
    assert (found.type, found.scope, repr(found)) == (ValueType[kind], "", shown)


def test_what_is_in_containers_are_values_too():
    assert str(ScopedValue.create_variable_value({"a": [1, "b"]}).value["a"].value) == "[1, b]"


def test_values_of_names():
    assert str(ScopedValue.create_naming_value("conv", "self")) == "self.conv"
    assert str(ScopedValue.create_naming_value("conv")) == "conv"
    assert str(ScopedValue.create_name_values(("z", "y"), ["self", ""])) == "[self.z, y]"
    assert str(ScopedValue(ValueType.UnsupportedValue)) == "Illegal ValueType: ValueType.UnsupportedValue"


def test_equality():
    name = ScopedValue.create_naming_value("x")
    assert name == ScopedValue.create_naming_value("x")
    assert hash(name) == hash(ScopedValue.create_naming_value("x"))
    assert name != ScopedValue.create_naming_value("x", "self")
    assert name != "x"


def test_kinds():
    assert [(kind.name, kind.value) for kind in ValueType][-3:] == [
        ("NamingValue", 40), ("CustomObjValue", 41), ("UnsupportedValue", 50)]  # fmt: skip
    assert [(kind.name, kind.value) for kind in NodeType][-2:] == [("MathOps", 11), ("ControlFlow", 12)]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: ScopedValue.create_naming_value(1, "self"), TypeError, "'name' must be a string"),
        (lambda: ScopedValue.create_naming_value("conv", 1), TypeError, "'scope' must be a string"),
        (lambda: ScopedValue.create_name_values("zy"), TypeError, "'names' must be a list or tuple"),
        (lambda: ScopedValue.create_name_values([1]), TypeError, "'names' must be a string"),
        (lambda: ScopedValue.create_name_values(["z"], "s"), TypeError, "'scopes' must be a list or tuple"),
        (lambda: ScopedValue.create_name_values(["z"], [1]), TypeError, "'scopes' must be a string"),
        (lambda: ScopedValue.create_name_values(["z"], ["a", "b"]), ValueError, "1 'names' and 2 'scopes'"),
        (lambda: ScopedValue(3), TypeError, "'arg_type' must be a ValueType"),
    ],
)
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call()
