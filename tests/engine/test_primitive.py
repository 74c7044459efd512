"""Primitives: attributes, calls, printed forms, and how they are made of operations."""

from __future__ import annotations

import ast
import copy
import inspect
import pickle
from typing import Any

import pytest
import torch
from torch import Tensor

import torchspore as ms
from data.record_core import evaluate, recorded
from torchspore import ops
from torchspore.engine.op import Operand, op
from torchspore.engine.primitive import (
    Primitive,
    PrimitiveWithCheck,
    PrimitiveWithInfer,
    constexpr,
    prim_attr_register,
    primitive,
)

X = ms.Tensor([[1.0, 2.0], [3.0, 4.0]])

# Members of MindSpore's Primitive that are not here: all serve its own implementation, its graphs or its servers.
ABSENT = {"set_hook_fn", "set_prim_type", "update_parameter"}


@op
def total(input: Tensor, axis: int | None = None, keep: bool = False, *, scale: float = 1.0) -> Tensor:
    """Scaled sum."""
    return (input.sum() if axis is None else input.sum(axis, keep)) * scale


@op
def ordered(first: Tensor, middle: int, last: Operand, *, extra: float = 0.0) -> Any:
    return first, middle, last, extra


@op
def many(first: Tensor, *rest: Any, flag: bool = False) -> Any:
    return first, rest, flag


Total = primitive("Total", total, axis=0, scale=2.0)


@pytest.mark.parametrize(("program", "expected"), recorded("primitive"))
def test_as_mindspore(program, expected):
    assert evaluate(ms, program) == expected


def test_places_are_noted():
    made = Total().set_device("GPU")
    assert made.place("MS_WORKER", 1) is None
    assert made.attrs == {"axis": 0, "scale": 2.0, "primitive_target": "GPU", "ms_role": "MS_WORKER", "rank_id": 1}
    for arguments, error in (
        (("MS_WORKER", "1"), TypeError),
        (("MS_SCHED", 0), ValueError),
        (("MS_WORKER", -1), ValueError),
    ):
        with pytest.raises(error, match=r"For 'Primitive\.place'"):
            made.place(*arguments)


def test_members_of_mindspores_primitive():
    theirs = set(ast.literal_eval(dict(recorded("members"))["members(Primitive)"]))
    assert {name for name in theirs if not hasattr(Primitive, name)} == ABSENT


class TestMade:
    def test_attributes_and_inputs(self):
        assert Total()(X).tolist() == [8, 12]
        assert Total(1, 1.0)(X).tolist() == Total(axis=1, scale=1)(X).tolist() == [3, 7]
        assert Total()(X, True).tolist() == Total()(X, keep=True).tolist() == [[8, 12]]
        assert Total()(input=X).shape == (2,)
        assert str(inspect.signature(Total.__call__)) == "(self, input: 'Tensor', keep: 'bool' = False) -> 'Tensor'"

    def test_an_attribute_may_change(self):
        made = Total()
        made.axis = 1
        made.add_prim_attr("scale", 1.0)
        assert made(X).tolist() == [3, 7]

    @pytest.mark.parametrize(
        ("use", "words"),
        [
            (lambda: Total(foo=1), "unexpected keyword argument 'foo'"),
            (lambda: Total(1, 2, 3), "takes from 1 to 3 positional arguments"),
            (lambda: Total()(X, axis=1), "unexpected keyword argument 'axis'"),
            (lambda: Total()(), "missing 1 required positional argument: 'input'"),
            (lambda: Total("a")(X), "For 'Total', 'axis' must be an int, but got 'a'"),
            (lambda: Total()(1), "For 'total', 'input' must be a Tensor, but got 1"),
        ],
    )
    def test_wrong_use(self, use, words):
        with pytest.raises(TypeError, match=words):
            use()

    @pytest.mark.parametrize("taken", [(), ("first",), ("middle",), ("last",), ("first", "last"), ("middle", "extra")])
    def test_the_order_of_inputs_is_the_operations(self, taken):
        values = {"first": X, "middle": 5, "last": 2.5, "extra": 7.0}
        made = primitive("Ordered", ordered, *taken)
        inputs = [value for name, value in values.items() if name not in (*taken, "extra")]
        first, middle, last, extra = made(**{name: values[name] for name in taken})(*inputs)
        assert (first.tolist(), middle, last, extra) == (X.tolist(), 5, 2.5, 7.0 if "extra" in taken else 0.0)

    def test_required_attributes(self):
        with pytest.raises(TypeError, match="missing 1 required positional argument: 'axis'"):
            primitive("Total", total, "axis")()

    def test_keyword_only_inputs_may_stand_anywhere(self):
        assert primitive("Ordered", ordered, "middle")(5)(X, 1, 3.0)[3] == 3
        assert primitive("Ordered", ordered, "middle")(5)(X, 1, extra=3.0)[3] == 3

    def test_any_number_of_inputs(self):
        first, rest, flag = primitive("Many", many, flag=True)()(X, 1, 2)
        assert (first.shape, flag) == ((2, 2), True)
        assert rest in ((1, 2), ((1, 2),))

    def test_an_unknown_attribute(self):
        with pytest.raises(TypeError, match=r"primitive 'Bad': the operation 'total' has no parameters \['foo'\]"):
            primitive("Bad", total, foo=1)

    def test_what_it_is(self):
        assert issubclass(Total, Primitive)
        assert (Total.__name__, Total().name, Total.__module__) == ("Total", "Total", __name__)
        assert "`total`" in Total.__doc__
        assert repr(Total()) == str(Total()) == "Prim[Total]<axis=0, scale=2.0>"
        assert repr(primitive("Plain", total)()) == "Prim[Plain]"
        assert Total().attrs == {"axis": 0, "scale": 2.0}

    @pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda p: pickle.loads(pickle.dumps(p))])
    def test_copies(self, duplicate):
        made = duplicate(Total(1))
        assert type(made) is Total
        assert made(X).tolist() == [6, 14]

    def test_gradients(self):
        assert ms.grad(Total())(X).tolist() == [[2, 2], [2, 2]]

    def test_of_a_plain_function(self):
        made = primitive("Scaled", lambda x, by: ms.Tensor(torch.mul(x.torch, by)), by=3)
        assert made()(X).tolist() == [[3, 6], [9, 12]]


class TestDefined:
    def test_a_class_with_a_body(self):
        class Twice(Primitive):
            def __call__(self, x):
                return x + x

        assert Twice()(X).tolist() == [[2, 4], [6, 8]]
        assert (Twice().name, Twice("t").name, repr(Twice("t"))) == ("Twice", "t", "Prim[t]")

    def test_a_constructor_that_calls_nothing(self):
        class Silent(Primitive):
            def __init__(self, a):
                self.a = a

        assert repr(Silent(3)) == "Prim[Silent]<a=3>"
        with pytest.raises(NotImplementedError, match="For 'Silent', define '__call__' in the subclass"):
            Silent(3)(X)

    def test_a_wrong_name(self):
        with pytest.raises(TypeError, match=r"For 'Primitive', 'name' must be a string, but got 3 \(int\)"):
            Primitive(3)

    @pytest.mark.parametrize("base", [Primitive, PrimitiveWithInfer, PrimitiveWithCheck])
    def test_registered_arguments(self, base):
        class Given(base):
            @prim_attr_register
            def __init__(self, a, b=2, *, c=3):
                """Doc."""
                self.d = self.a + b

        given = Given(1, c=5)
        assert (given.a, given.b, given.c, given.d, given.name) == (1, 2, 5, 3, "Given")
        assert given.init_attrs == {"a": 1, "b": 2, "c": 5}
        assert Given.__init__.__doc__ == "Doc."
        assert str(inspect.signature(Given)) == "(a, b=2, *, c=3)"
        with pytest.raises(TypeError, match="missing a required argument: 'a'"):
            Given()

    def test_notes_for_parallel_and_graph_mode(self):
        noted = Primitive("p").shard(((1,),), ((2,),)).set_stage(1).recompute(False)
        assert noted.attrs == {"in_strategy": ((1,),), "out_strategy": ((2,),), "stage": 1, "recompute": False}


class TestConstexpr:
    def test_the_function_itself(self):
        def double(n):
            return 2 * n

        assert constexpr(double) is constexpr(name="d", reuse_result=False, check=False)(double) is double

    def test_a_class_of_it(self):
        @constexpr(get_instance=False, name="Double")
        def double(n, by=2):
            """Doc."""
            return by * n

        assert (double.__name__, double.__doc__, double()(3), double()(3, by=3)) == ("Double", "Doc.", 6, 9)


def test_attributes_are_those_that_mindspore_shows():
    conv = ops.Conv2D(3, (3, 2), pad_mode="pad", pad=1, stride=2)
    assert (conv.stride, conv.dilation, conv.pad, conv.padding) == ((1, 1, 2, 2), (1, 1, 1, 1), (1,) * 4, (1,) * 4)
    assert (conv.group, conv.groups, conv.format) == (1, 1, "NCHW")
    assert ops.MaxPool(2, (1, 3)).attrs == {
        "input_names": ["x"], "output_names": ["output"],
        "pad_mode": "VALID", "data_format": "NCHW", "kernel_size": (1, 1, 2, 2), "strides": (1, 1, 1, 3),
    }  # fmt: skip
    assert ops.AvgPool(2, 1).kernel_size == (2, 2)


def test_notes_of_a_primitive():
    prim = ops.ReduceSum(True)
    assert prim.add_attr("a", 1) is None
    assert prim.get_attr_dict()["a"] == prim.attrs["a"] == 1
    prim.del_attr("a")
    prim.set_user_data("k", 3)
    assert (prim.get_user_data("k"), prim.get_user_data("l")) == (3, None)
    assert "k" not in prim.attrs
    assert "a" not in prim.attrs
    assert prim.check_elim(ms.Tensor([1.0])) == (False, None)
    prim.set_const_prim(True)
    prim.set_signatures(())
    with pytest.raises(TypeError, match=r"For 'Primitive.set_inplace_prim', 'value' must be a bool"):
        prim.set_inplace_prim(1)


def test_names_of_inputs_and_outputs():
    conv = ops.Conv2D(1, 3)
    assert (conv.input_names, conv.output_names) == (["x", "w"], ["output"])
    assert "input_names" not in str(conv)
    assert not hasattr(ops.Add(), "input_names")
    conv.init_prim_io_names(["a"], ["b"])
    assert (conv.input_names, conv.attrs["output_names"]) == (["a"], ["b"])
    conv.set_prim_instance_name("first")
    assert "instance_name" not in conv.attrs
    with pytest.raises(AttributeError, match="no attribute 'inputs'"):
        _ = conv.inputs


class TestNotes:
    """What MindSpore's primitives tell its compiler."""

    @pytest.mark.parametrize(
        ("made", "text"),
        [
            (lambda: ops.Assign(), "Prim[Assign]<side_effect_mem=True>"),
            (lambda: ops.ScatterAdd(), "Prim[ScatterAdd]<use_locking=False, side_effect_mem=True>"),
            (lambda: ops.Print(), "Prim[Print]<side_effect_io=True>"),
            (lambda: ops.StandardNormal(), "Prim[StandardNormal]<seed=0, seed2=0, side_effect_hidden=True>"),
            (lambda: ops.SegmentSum(), "Prim[SegmentSum]<max_length=1000000>"),
            (lambda: ops.Log(), "Prim[Log]<cust_aicpu=Log, base=-1.0, scale=1.0, shift=0.0>"),
        ],
    )
    def test_they_are_attributes(self, made, text):
        assert repr(made()) == text

    def test_they_may_change(self):
        made = ops.Assign()
        assert (made.side_effect_mem, made.attrs["side_effect_mem"]) == (True, True)
        assert repr(made.add_prim_attr("side_effect_mem", False)) == "Prim[Assign]<side_effect_mem=False>"

    def test_other_classes_of_the_name_have_none(self):
        made = type("Assign", (Primitive,), {})()
        assert (repr(made), hasattr(made, "side_effect_mem"), hasattr(made, "input_names")) == (
            "Prim[Assign]",
            False,
            False,
        )
