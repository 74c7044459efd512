"""What parameters accept by their annotations: values, conversions and errors, one line each."""

from __future__ import annotations

import gc
import importlib
import inspect
import pickle
import pkgutil
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import FunctionType
from typing import Annotated, Any, Literal, NoReturn, TypedDict

import numpy as np
import pytest

import torchspore as ms
from torchspore.engine.parameters import (
    AnyFloat,
    AnyPath,
    Example,
    Fraction,
    Length,
    Limits,
    Named,
    NotNegative,
    Positive,
    PositiveFloat,
    Rule,
    StrictFloat,
    Where,
    checked,
    one_of,
)
from torchspore.engine.parameters.declarations import kinds_of


class Keys(TypedDict, total=False):
    """Some settings."""

    a: int
    b: str


@checked
def shown(names: Annotated[set[str], Example("{'a'}")] | None = None) -> None: ...


class Layer:
    """A class whose constructor has a parameter of each kind."""

    divisible = Rule("'channels' must be divisible by 'group'", lambda channels, group: channels % group == 0)
    ordered = Rule("'low' must be <= 'high'", lambda low, high: low <= high)

    @checked(divisible, ordered)
    def __init__(
        self,
        channels: Positive = 4,
        group: Positive = 1,
        *,
        mode: Literal["same", "valid"] = "same",
        bias: bool = True,
        eps: PositiveFloat = 1e-5,
        share: Fraction = 0.5,
        exact: StrictFloat = 0.0,
        size: int | tuple[int, int] = 3,
        shape: Sequence[NotNegative] | None = None,
        words: Annotated[list[str], Length(1, 2)] | None = None,
        table: dict[str, int] | None = None,
        act: Callable[..., Any] | None = None,
        weight: ms.Tensor | None = None,
        low: float = 0.0,
        high: float = 1.0,
        level: Literal[0, 1] = 0,
        folder: AnyPath = "a",
        title: Named = "b",
        count: Annotated[int, Where("-1 or > 0", lambda count: count == -1 or count > 0)] = -1,
        limit: AnyFloat = 0.0,
        part: ms.Tensor | ms.Type | None = None,
        type: int = 0,
        parts: Iterable[ms.Tensor | None] = (),
        key: bytes | None = None,
        every: Literal["epoch"] | Positive = 1,
        sizes: Sequence[Annotated[int | float, Limits(1)]] = (),
        kinds: list[type[ms.nn.Cell | ms.ops.Primitive]] | None = None,
        step: Annotated[Any, Where("an object with a step", lambda each: hasattr(each, "step"), TypeError)] = range(1),
        lowered: Annotated[ms.Type, one_of(ms.float16, ms.bfloat16)] = ms.float16,
        settings: Keys | None = None,
        unique: set[int] | None = None,
        **others: int,
    ) -> None:
        self.given = {name: value for name, value in locals().items() if name not in ("self", "others")} | others

    @checked
    def method(self, count: Positive) -> int:
        return count

    @staticmethod
    @checked
    def build(count: Positive) -> int:
        return count


@checked
def function(first: int, /, *rest: int, last: Annotated[int, Limits(maximum=3)] = 0) -> Any:
    """Return the arguments."""
    return first, rest, last


ACCEPTED = [
    ("channels", np.int64(8), 8),
    ("eps", 1, 1.0),
    ("eps", np.float32(0.5), 0.5),
    ("share", 0, 0.0),
    ("exact", -2.5, -2.5),
    ("size", (1, 2), (1, 2)),
    ("size", (np.int32(1), 2), (1, 2)),
    ("shape", [0, 1], [0, 1]),
    ("shape", (), ()),
    ("words", ["a"], ["a"]),
    ("table", {"a": np.int8(1)}, {"a": 1}),
    ("act", len, len),
    ("mode", "valid", "valid"),
    ("level", 1, 1),
    ("folder", Path("a"), Path("a")),
    ("count", np.int8(3), 3),
    ("limit", np.float32("inf"), float("inf")),
    ("part", ms.float32, ms.float32),
    ("type", 2, 2),
    ("unknown", np.int8(3), 3),
    ("parts", iter([None]), [None]),
    ("key", b"a", b"a"),
    ("sizes", [1, 2.5, np.int8(3), np.float32(1)], [1, 2.5, 3, 1.0]),
    ("kinds", [ms.nn.Dense, ms.ops.MatMul], [ms.nn.Dense, ms.ops.MatMul]),
    ("step", range(3), range(3)),
    ("every", "epoch", "epoch"),
    ("every", np.int8(3), 3),
    ("settings", {"a": np.int8(3)}, {"a": 3}),
    ("unique", {np.int8(3)}, {3}),
]
REFUSED = [
    ("channels", 0, ValueError, "'channels' must be > 0, but got 0"),
    ("channels", True, TypeError, "'channels' must be an int, but got True (bool)"),
    ("channels", 1.0, TypeError, "'channels' must be an int, but got 1.0 (float)"),
    ("mode", "full", ValueError, "'mode' must be one of ['same', 'valid'], but got 'full' (str)"),
    ("mode", None, TypeError, "'mode' must be one of ['same', 'valid'], but got None"),
    ("every", "a", ValueError, "'every' must be 'epoch' or an int, but got 'a' (str)"),
    ("every", 0.5, TypeError, "'every' must be 'epoch' or an int, but got 0.5 (float)"),
    ("sizes", ["a"], TypeError, "'sizes[0]' must be a number, but got 'a' (str)"),
    ("sizes", [0.5], ValueError, "'sizes[0]' must be >= 1, but got 0.5"),
    ("kinds", [3], TypeError, "'kinds[0]' must be a subclass of Cell or Primitive, but got 3 (int)"),
    ("kinds", [int], ValueError, "'kinds[0]' must be a subclass of Cell or Primitive, but got the class int"),
    ("lowered", ms.float32, ValueError, "'lowered' must be float16 or bfloat16, but got the data type float32"),
    ("lowered", 3, TypeError, "'lowered' must be a data type, but got 3 (int)"),
    ("step", 3, TypeError, "'step' must be an object with a step, but got 3 (int)"),
    ("every", 0, ValueError, "'every' must be > 0, but got 0"),
    ("settings", {"a": 1, "c": 2}, ValueError, "the keys of 'settings' are ['a', 'b'], but got ['c']"),
    ("settings", {"b": 1}, TypeError, "'b' must be a string, but got 1 (int)"),
    ("level", 2, ValueError, "'level' must be one of [0, 1], but got 2 (int)"),
    ("bias", 1, TypeError, "'bias' must be a bool, but got 1 (int)"),
    ("eps", 0.0, ValueError, "'eps' must be > 0, but got 0.0"),
    ("eps", float("nan"), ValueError, "'eps' must be > 0, but got nan"),
    ("eps", float("inf"), ValueError, "'eps' must be > 0, but got inf"),
    ("share", 1.5, ValueError, "'share' must be in [0, 1], but got 1.5"),
    ("exact", 1, TypeError, "'exact' must be a float, but got 1 (int)"),
    ("exact", float("inf"), ValueError, "'exact' must be finite, but got inf"),
    ("size", (1,), ValueError, "'size' must have 2 elements, but got (1,)"),
    ("size", (1, "a"), TypeError, "'size[1]' must be an int, but got 'a' (str)"),
    ("size", "a", TypeError, "'size' must be an int or a tuple of 2 ints, but got 'a' (str)"),
    ("shape", [1, -1], ValueError, "'shape[1]' must be >= 0, but got -1"),
    ("words", [], ValueError, "'words' must have 1 to 2 elements, but got []"),
    ("table", {"a": "b"}, TypeError, "'table['a']' must be an int, but got 'b' (str)"),
    ("act", 3, TypeError, "'act' must be a function or None, but got 3 (int)"),
    ("weight", 3, TypeError, "'weight' must be a Tensor or None, but got 3 (int)"),
    ("folder", 3, TypeError, "'folder' must be a string or a path, but got 3 (int)"),
    ("title", " ", ValueError, "'title' must be a string that is not blank, but got ' ' (str)"),
    ("title", 3, TypeError, "'title' must be a string, but got 3 (int)"),
    ("count", 0, ValueError, "'count' must be -1 or > 0, but got 0 (int)"),
    ("part", 3, TypeError, "'part' must be a Tensor, a data type or None, but got 3 (int)"),
    ("parts", [None, 3], TypeError, "'parts[1]' must be a Tensor or None, but got 3 (int)"),
    (
        "parts",
        3,
        TypeError,
        "'parts' must be a tuple, a list or an iterator of Tensors or None, but got 3 (int)",
    ),
    ("unique", [3], TypeError, "'unique' must be a set of ints or None, but got [3]"),
    ("key", "a", TypeError, "'key' must be bytes or None, but got 'a' (str)"),
    ("unknown", "a", TypeError, "'unknown' must be an int, but got 'a' (str)"),
    ("group", 3, ValueError, "'channels' must be divisible by 'group', but got channels=4 (int), group=3 (int)"),
    ("low", 2.0, ValueError, "'low' must be <= 'high', but got low=2.0 (float), high=1.0 (float)"),
]


@pytest.mark.parametrize(("name", "value", "taken"), ACCEPTED)
def test_values_are_accepted_and_converted(name, value, taken):
    given = Layer(**{name: value}).given[name]
    assert given == taken
    assert type(given) is type(taken)
    if isinstance(given, list):
        assert list(map(type, given)) == list(map(type, taken))


def test_forms_of_a_parameter_hold_in_subclasses():
    class Own(ms.train.TimeMonitor):  # whose data_size may be a bool
        pass

    assert Own(True)._data_size == 1
    with pytest.raises(TypeError, match="For 'Own', 'data_time' must be a bool"):
        Own(1, "a")


@pytest.mark.parametrize(("name", "value", "error", "text"), REFUSED)
def test_errors_name_the_class_and_the_argument(name, value, error, text):
    with pytest.raises(error) as caught:
        Layer(**{name: value})
    assert str(caught.value) == f"For 'Layer', {text}."


def test_subclasses_methods_and_functions_are_named():
    class Own(Layer):
        pass

    for call, text in (
        (lambda: Own(0), "For 'Own', 'channels'"),
        (lambda: Own().method(0), "For 'Own.method', 'count'"),
        (lambda: Own.build(0), "For 'Layer.build', 'count'"),
        (lambda: function(1, last=4), "For 'function', 'last' must be <= 3, but got 4"),
    ):
        with pytest.raises(ValueError, match=text.replace(".", r"\.")):
            call()


def test_an_error_shows_an_example():
    with pytest.raises(TypeError, match=r"'names' must be a set of strings such as \{'a'\} or None, but got 3"):
        shown(3)


def test_a_function_keeps_its_signature_its_defaults_and_its_pickle():
    assert function(1, 2, 3, last=-1) == (1, (2, 3), -1)
    assert function.__doc__ == "Return the arguments."
    assert list(inspect.signature(Layer).parameters)[:3] == ["channels", "group", "mode"]
    assert pickle.loads(pickle.dumps(function)) is function
    with pytest.raises(TypeError, match=r"missing 1 required positional argument: 'first'"):
        function()


def test_a_first_call_from_many_threads_builds_the_checks_once_for_all():
    @checked
    def fresh(count: Positive = 1) -> int:
        return count

    results: list[int] = []
    threads = [threading.Thread(target=lambda: results.append(fresh(count=2))) for _ in range(20)]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(before)
    assert results == [2] * 20


def test_each_of_several_arguments_is_checked():
    assert function(1, np.int8(2)) == (1, (2,), 0)
    with pytest.raises(TypeError, match=r"For 'function', 'rest\[1\]' must be an int, but got 'a'"):
        function(1, 2, "a")


def test_nan_is_unbounded():
    assert np.isnan(Layer(limit=np.float32("nan")).given["limit"])


def test_annotations_in_the_package_have_kinds():
    for module in pkgutil.walk_packages(ms.__path__, "torchspore."):
        if not module.name.endswith(("__main__", "as_mindspore")):
            importlib.import_module(module.name)
    gc.unfreeze()  # of what other tests have imported
    functions = [each for each in gc.get_objects() if type(each) is FunctionType and "is_checked" in vars(each)]
    own = [inspect.unwrap(each) for each in functions if each.__module__.startswith("torchspore.")]
    assert len(own) > 30
    for each in own:
        kinds_of(each)


def test_an_annotation_without_a_kind_is_an_error():
    @checked
    def unclear(value: NoReturn) -> None: ...

    with pytest.raises(TypeError, match="has no kind of values"):
        unclear(iter([1]))
