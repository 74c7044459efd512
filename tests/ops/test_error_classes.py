"""Wrong calls raise errors that programs catch as the class that MindSpore raises."""

# ruff: noqa: RUF005  # lists are added to tensors

from __future__ import annotations

import builtins
import copy
import json
import pickle

import pytest

import cases
import torchspore as ms
from data import record_error_classes as record
from torchspore.common.error_classes import WrongType, also
from torchspore.dataset import audio, vision

RECORDED = json.loads(record.TABLE.read_text(encoding="utf-8"))
NAMES = cases.namespace(ms)


@pytest.mark.parametrize(("expression", "kind"), RECORDED.items(), ids=[f"case {n}" for n in range(len(RECORDED))])
def test_the_error_is_caught_as_the_class_of_mindspore(expression, kind):
    error = record.raised(NAMES, expression)
    if kind == "no error":
        assert error is None, expression
    else:
        assert isinstance(error, getattr(builtins, kind)), (expression, error)


@pytest.mark.parametrize("transform", [vision.Invert(), vision.RandomHorizontalFlip(1.0), audio.Gain(), audio.Angle()])
@pytest.mark.parametrize("value", [[[1, 2], [3, 4]], ms.Tensor([[1, 2], [3, 4]]), 5, "text", None])
def test_images_and_sound_are_arrays(transform, value):
    for kind in (TypeError, RuntimeError):
        with pytest.raises(kind, match=r"^For '"):
            transform(value)


class TestAlso:
    def test_shows_the_first_class(self):
        error = also(ValueError, RuntimeError)("text")
        assert isinstance(error, ValueError)
        assert isinstance(error, RuntimeError)
        assert repr(error) == "ValueError('text')"

    def test_is_one_class_for_one_combination(self):
        assert also(TypeError, ValueError, RuntimeError) is WrongType
        assert also(ValueError) is ValueError

    @pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda error: pickle.loads(pickle.dumps(error))])
    def test_is_of_the_first_class_in_other_processes(self, copied):
        assert isinstance(copied(WrongType("text")), TypeError)
        assert copied(WrongType("text")).args == ("text",)


class TestListsThatAreAdded:
    @pytest.mark.parametrize("dtype", [ms.int8, ms.int32, ms.float16, ms.float32, ms.bfloat16])
    @pytest.mark.parametrize(
        "added",
        [
            lambda x: x + [1, 2, 3],
            lambda x: [1, 2, 3] + x,
            lambda x: x - (1.0, 2.0, 3.0),
            lambda x: x.add([1, 2, 3]),
            lambda x: x.sub([1, 2, 3], alpha=2),
            lambda x: ms.Parameter(x) + [1, 2, 3],
            lambda x: ms.jit(lambda y: y + [1, 2, 3])(x),
        ],
    )
    def test_take_the_dtype_of_the_tensor(self, added, dtype):
        assert added(ms.Tensor([1, 2, 3], dtype)).dtype == dtype

    def test_may_hold_tensors(self):
        x = ms.ops.ones((2, 3))
        assert (x + (x,)).shape == (1, 2, 3)

    @pytest.mark.parametrize("alpha", [[1], (1, 2)])
    def test_are_not_factors(self, alpha):
        with pytest.raises(TypeError, match=r"^For 'sub', 'alpha'"):
            ms.ops.ones((2, 3)).sub(ms.ops.ones((2, 3)), alpha=alpha)

    def test_are_named_in_errors(self):
        with pytest.raises(TypeError, match=r"'add'|'Tensor'"):
            ms.Tensor([1.0]) + ["a"]
        with pytest.raises(ValueError, match=r"^For 'add'"):
            ms.Tensor([1.0, 2.0, 3.0]) + [1, 2]


@pytest.mark.parametrize("name", ["max", "min"])
@pytest.mark.parametrize("keepdims", [False, True])
def test_the_gradient_of_a_tie_along_an_axis_goes_to_one_element(name, keepdims):
    x = ms.Tensor([[1.0, 3.0, 3.0], [2.0, 2.0, 2.0]])
    gradient = ms.grad(lambda y: getattr(y, name)(axis=1, keepdims=keepdims).sum())(x)
    assert gradient.sum(1).tolist() == [1.0, 1.0]
    assert sorted(set(gradient.reshape(-1).tolist())) == [0.0, 1.0]


def test_clip_by_value_takes_nested_tuples():
    x = ms.Tensor([-1.0, 3.0])
    found = ms.ops.clip_by_value((x, [x, (x * 2,)]), 0, 2)
    assert isinstance(found[1], tuple)
    assert found[1][1][0].tolist() == [0.0, 2.0]


def test_losses_and_draws_of_integers_are_integers():
    x = ms.Tensor([1, 2, 4])
    assert ms.nn.MSELoss()(x, x * 2).dtype == ms.int64
    assert ms.Tensor([1, 2], ms.int32).cauchy().dtype == ms.int32
