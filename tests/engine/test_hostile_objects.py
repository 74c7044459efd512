"""Objects whose classes answer wrongly what guards ask of them: a captured function runs as the plain one does."""

from __future__ import annotations

import collections
import functools
import itertools
import random
import types
import warnings

import numpy as np
import pytest

import fuzz
import torchspore as ms
from torchspore import Tensor, nn

X = Tensor([1.0, 2.0])

NAMES = """
    __getattr__ __getattribute__ __eq__ __hash__ __class__ __dict__ __len__ __bool__ __iter__ __next__ __module__
    __name__ __file__ __getitem__ __contains__ __array__ __code__ __wrapped__ __members__ __mro__ __slots__ _fields
    _make items values copy update __reduce_ex__ _internals func args fget cache_info __closure__ __self__ closed
""".split()  # noqa: SIM905


def fails(*args, **kwargs):
    raise RuntimeError("asked")


def has_nothing(*args, **kwargs):
    raise AttributeError("asked")


def is_everything(self, *args, **kwargs):
    return self


def is_a_number(*args, **kwargs):
    return 3.5


ANSWERS = (fails, has_nothing, is_everything, is_a_number)
BASES = (
    object, types.ModuleType, list, dict, set, tuple, collections.deque, collections.OrderedDict, int, str, nn.Cell,
    functools.partial, np.ndarray, type,
)  # fmt: skip
ARGUMENTS = {types.ModuleType: ("hostile",), functools.partial: (len,), np.ndarray: ((2,),), type: ("Made", (), {})}


def hostile(base, name, answer, as_property):
    kind = type(base)("Hostile", (base,), {name: property(answer) if as_property else answer})
    return kind(*ARGUMENTS.get(base, ()))


class Holds(nn.Cell):
    def __init__(self, kept):
        super().__init__()
        self.kept = kept

    def construct(self, x):
        return x if self.kept is None else x * 2


def in_a_closure(kept):
    return lambda x: x if kept is None else x * 2


def in_a_list(kept):
    kept = [kept]
    return lambda x: x if kept is None else x * 2


def in_a_cell(kept):
    return Holds(kept)


def as_an_argument(kept):
    return lambda x, y=kept: x if y is None else x * 2


@pytest.mark.parametrize("place", [in_a_closure, in_a_list, in_a_cell, as_an_argument])
@pytest.mark.parametrize("base", BASES)
def test_what_guards_ask_of_an_object_does_not_stop_the_call(base, place):
    ways = list(itertools.product(NAMES, ANSWERS, (False, True)))
    draw = random.Random(f"{base.__name__} {place.__name__}")
    for name, answer, as_property in draw.sample(ways, min(fuzz.inputs(20), len(ways))):
        try:
            kept = hostile(base, name, answer, as_property)
            function = place(kept)
            args = (X, kept) if place is as_an_argument else (X,)
            getattr(function, "construct", function)(*args)
        except Exception:  # no plain program could use it either
            continue
        captured = ms.jit(function)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", ".*runs eagerly")
            for _ in range(2):
                assert captured(*args).asnumpy().tolist() == [2.0, 4.0], (name, answer, as_property)


def test_a_stand_in_for_a_package_is_not_asked(strict):
    asked = []

    class StandIn(types.ModuleType):
        def __getattr__(self, name):
            asked.append(name)
            return StandIn(name)

    package = StandIn("package")
    captured = ms.jit(lambda x: x * 2 if package is not None else x, fullgraph=strict)
    assert captured(X).asnumpy().tolist() == [2.0, 4.0]
    assert asked == []


def test_what_cannot_be_read_is_refused_as_one_graph():
    class Hidden:
        __dict__ = property(fails)

    hidden = Hidden()
    with pytest.raises(RuntimeError, match=r"it reaches a Hidden that cannot be read \(AttributeError\)"):
        ms.jit(lambda x: x * 2 if hidden else x, fullgraph=True)(X)


class Level(int):
    """A number with an attribute."""


class Angle(float):
    """A number with its own equality."""

    def __eq__(self, other):
        return True

    __hash__ = float.__hash__


class Listed(list):
    """A list whose elements are others for Python's code."""

    def __iter__(self):
        return iter([0.0])

    def __getitem__(self, place):
        return 7.0


def changed_attribute():
    level = Level(3)
    level.scale = 2.0
    return lambda x, n: x * n.scale, (level,), lambda: setattr(level, "scale", 5.0)


def equal_to_all():
    angles = [Angle(2.0)]
    return lambda x, kept: x * float(kept[0]), (angles,), lambda: angles.__setitem__(0, Angle(3.0))


def overridden_reads():
    kept = Listed([1.0])
    return lambda x, n: x * list.__getitem__(kept, 0), (0,), lambda: list.__setitem__(kept, 0, 4.0)


def attribute_of_a_list():
    kept = Listed([1.0])
    kept.scale = 2.0
    return lambda x, given: x * given.scale, (kept,), lambda: setattr(kept, "scale", 3.0)


def class_of_a_dict():
    class Scaled(dict):
        scale = 2.0

    return lambda x, given: x * given.scale, (Scaled(a=1),), lambda: setattr(Scaled, "scale", 3.0)


def key_of_a_dict():
    key = Level(1)
    key.scale = 2.0
    kept = {key: 1.0}
    return lambda x, n: x * next(iter(kept)).scale, (0,), lambda: setattr(key, "scale", 3.0)


@pytest.mark.parametrize(
    "make", [changed_attribute, equal_to_all, overridden_reads, attribute_of_a_list, class_of_a_dict, key_of_a_dict]
)
def test_changes_are_seen_whatever_a_class_answers(make, strict):
    function, args, change = make()
    captured = ms.jit(function, fullgraph=strict)
    seen = []
    for _ in range(3):
        seen.append(function(X, *args).asnumpy().tolist())
        assert captured(X, *args).asnumpy().tolist() == seen[-1]
        change()
    assert seen[0] != seen[1]
