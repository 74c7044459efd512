"""What a captured function reaches outside: whatever kind of object changes there, the next call sees it."""

from __future__ import annotations

import abc
import array
import collections
import contextlib
import dataclasses
import decimal
import enum
import functools
import hashlib
import io
import logging
import mmap
import random
import sqlite3
import sys
import threading
import types
import warnings

import numpy as np
import pytest
import torch

import torchspore as ms
from torchspore import Tensor, nn, ops
from ways import arrays, assert_same

X = Tensor([1.0, 2.0])
factor = 1.0


class Slotted:
    __slots__ = ("__hidden", "value")

    def __init__(self):
        self.value = self.__hidden = 1.0

    def change(self):
        self.value += 1
        self.__hidden *= 2

    def read(self):
        return self.value + self.__hidden


class InheritsSlots(Slotted):
    __slots__ = ("other",)


@dataclasses.dataclass
class Data:
    value: float = 1.0


@dataclasses.dataclass(frozen=True, slots=True)
class Frozen:
    value: float = 1.0
    values: list = dataclasses.field(default_factory=lambda: [1.0])


Named = collections.namedtuple("Named", "value values")


class Color(enum.Enum):
    RED = 1.0
    GREEN = 2.0
    BLUE = 3.0


class ListWithAttribute(list):
    value = 1.0


class Reads:
    """Reads the module's `factor` in every kind of method."""

    @property
    def by_property(self):
        return factor

    @staticmethod
    def by_static_method():
        return factor

    @classmethod
    def by_class_method(cls):
        return factor

    by_partial_method = functools.partialmethod(lambda self, power: factor**power, 2)


class Net(nn.Cell):
    """Keeps something in an attribute."""

    def __init__(self, kept):
        super().__init__()
        self.kept = kept

    def construct(self, x):
        return x * float(self.kept[0])


def scaled(x, factor=1.0):
    return x * factor


def keyword_default(x, *, factor=1.0):
    return x * factor


def with_attribute(x):
    return x * with_attribute.factor


def make_module():
    module = types.ModuleType("a_module_of_the_users")
    exec("factor = 1.0\ndef scaled(x):\n    return x * factor", vars(module))
    return module


def increase(container, key=0):
    """Return a change that increases an element."""
    return lambda: container.__setitem__(key, container[key] + 1)


def increase_attribute(thing, name):
    return lambda: setattr(thing, name, getattr(thing, name) + 1)


def element(container, key=0):
    """Return a function that reads an element, and a change of it."""
    return lambda x: x * float(container[key]), increase(container, key)


def variable(first, after, read):
    """Return a function that reads a variable, and a change that sets it to another object."""
    kept = first

    def change():
        nonlocal kept
        kept = after(kept)

    return lambda x: x * read(kept), change


def slotted(kind):
    kept = kind()
    return lambda x: x * kept.read(), kept.change


def filled_later():
    kept = InheritsSlots()
    return lambda x: x * getattr(kept, "other", 5.0), lambda: setattr(kept, "other", getattr(kept, "other", 1.0) + 1)


def in_a_set():
    kept = {1.0}
    return lambda x: x * sum(kept), lambda: kept.add(len(kept) + 2.0)


def kinds_in_a_set():
    kept = {1}
    return lambda x: x + 1 if isinstance(min(kept), bool) else x, lambda: kept.add(kept.pop() is not True or 1)


def order_of_a_dict():
    kept = {"a": 1.0, "b": 2.0, "c": 3.0}
    return lambda x: x * next(iter(kept.values())), lambda: kept.update(a=kept.pop(next(iter(kept))))


def in_a_deque():
    kept = collections.deque([1.0, 2.0, 3.0])
    return lambda x: x * kept[0], kept.rotate


def grown_deque():
    kept = collections.deque([1.0])
    return lambda x: x * len(kept), lambda: kept.append(1.0)


def in_a_frozen_object():
    kept = Frozen()
    return lambda x: x * kept.values[0], increase(kept.values)


def by_a_method():
    kept = [1.0]
    read = kept.__getitem__
    return lambda x: x * read(0), increase(kept)


def in_a_proxy():
    kept = {"a": 1.0}
    proxy = types.MappingProxyType(kept)
    return lambda x: x * proxy["a"], increase(kept, "a")


def in_a_partial():
    kept = functools.partial(scaled, factor=1.0)
    return lambda x: kept(x), increase(kept.keywords, "factor")


def in_a_module(read):
    module = make_module()
    return lambda x: read(module, x), increase_attribute(module, "factor")


def in_a_keyword_default():
    function = types.FunctionType(keyword_default.__code__, globals())
    function.__kwdefaults__ = {"factor": 1.0}
    return lambda x: function(x), increase(function.__kwdefaults__, "factor")


def in_a_function():
    with_attribute.factor = 1.0
    return with_attribute, increase_attribute(with_attribute, "factor")


def in_an_attribute(thing, name="value"):
    return lambda x: x * getattr(thing, name), increase_attribute(thing, name)


def in_a_global(read):
    reads = Reads()

    def change():
        global factor
        factor += 1

    return lambda x: x * read(reads), change


def in_a_cell(kept, change=increase):
    net = Net(kept)
    return lambda x: net(x), change(kept)


def array_as_tensor():
    kept = np.array([1.0, 2.0], np.float32)
    return lambda x: x * Tensor(kept), increase(kept)


def view_of_an_array():
    base = np.arange(6.0).reshape(2, 3)
    kept = base[:, ::2]
    return lambda x: x * float(kept.sum()), increase(base, (1, 2))


def shape_of_an_array():
    kept = np.arange(6.0)
    return lambda x: x * kept.shape[0], lambda: kept.resize(len(kept) + 1, refcheck=False)


def imported_late():
    module = sys.modules["a_late_module"] = types.ModuleType("a_late_module")

    def function(x):
        try:
            from a_late_module import factor
        except ImportError:
            return x
        return x * factor

    return function, increase_or_set(module, "factor")


def late_by_try():
    module = types.ModuleType("a_late_module")

    def function(x):
        try:
            return x * module.factor
        except AttributeError:
            return x

    return function, increase_or_set(module, "factor")


def increase_or_set(thing, name):
    return lambda: setattr(thing, name, getattr(thing, name, 1.0) + 1)


def late_by_a_function():
    module = types.ModuleType("a_late_module")
    exec("def __getattr__(name): return 1.0", vars(module))
    return lambda x: x * module.factor, increase_or_set(module, "factor")


def set_state_of_a_partial():
    kept = functools.partial(scaled, factor=1.0)
    state = lambda: (kept.func, (), {"factor": kept.keywords["factor"] + 1}, {})  # noqa: E731
    return lambda x: kept(x), lambda: kept.__setstate__(state())


def context_of_decimals(read):
    decimal.setcontext(decimal.Context(prec=4))
    return lambda x: x * float(read()), increase_attribute(decimal.getcontext(), "prec")


def limit_of_recursion():
    limit = sys.getrecursionlimit()
    return lambda x: x * (sys.getrecursionlimit() - limit), lambda: sys.setrecursionlimit(sys.getrecursionlimit() + 1)


def registered_class(check):
    Abstract = abc.ABCMeta("Abstract", (), {})
    kinds = [type("A", (), {}) for _ in range(3)]
    objects = [kind() for kind in kinds]
    return (
        lambda x: x * sum(check(kind, thing, Abstract) for kind, thing in zip(kinds, objects)),
        lambda remaining=[*kinds]: Abstract.register(remaining.pop()),
    )


def replaced_attributes(thing):
    thing.value = 1.0
    return lambda x: x * thing.value, lambda: setattr(thing, "__dict__", {**vars(thing), "value": thing.value + 1})


def written_attributes(name):
    class Reads(nn.Cell):
        value = 1.0

        def __init__(self):
            super().__init__()
            self.kept = 1.0

        def construct(self, x):
            return x * self.kept * self.value

    net = Reads()
    return lambda x: net(x), lambda: vars(net).update({name: getattr(net, name) + 1})


def moved_to_the_end(count):
    kept = collections.OrderedDict((str(i), 1.0) for i in range(count))
    return lambda x: x * (int(next(iter(kept))) + 1.0), lambda: kept.move_to_end(next(iter(kept)))


def default_of_a_dict():
    kept = collections.defaultdict(lambda: 1.0)

    def function(x):
        value = kept["a"]
        del kept["a"]
        return x * value

    values = iter((2.0, 3.0, 4.0))
    return function, lambda: setattr(kept, "default_factory", functools.partial(float, next(values)))


def view_of_memory(kept):
    view = memoryview(kept)
    return lambda x: x * view[0], increase(kept)


def keys_of_a_dict():
    kept = {"a": 1.0}
    keys = kept.keys()
    return lambda x: x * len(keys), lambda: kept.update({str(len(kept)): 1.0})


def state_of_a_generator():
    random.seed(0)
    return lambda x: x * (random.getstate()[1][0] % 1000), random.random


def state_of_bits():
    kept = np.random.PCG64(0)
    return lambda x: x * (kept.state["state"]["state"] % 1000), kept.random_raw


def state_of_errors():
    modes = iter(("raise", "call", "warn"))
    return (
        lambda x: x * len(np.geterr()["over"]) * ord(np.geterr()["over"][0]),
        lambda: np.seterr(over=next(modes)),
    )


# name -> a factory of a function of a tensor, and a change of its environment
KINDS = {
    "deque": in_a_deque,
    "length of a deque": grown_deque,
    "slots": lambda: slotted(Slotted),
    "inherited slots": lambda: slotted(InheritsSlots),
    "slot that is empty": filled_later,
    "array": lambda: element(np.array([1.0, 2.0])),
    "array of objects": lambda: element(np.array([1.0, "a"], object)),
    "array of no dimension": lambda: element(np.array(1.0), ()),
    "array as a tensor": array_as_tensor,
    "view of an array": view_of_an_array,
    "shape of an array": shape_of_an_array,
    "bytes": lambda: element(bytearray(b"\1\2")),
    "numbers": lambda: element(array.array("d", [1.0, 2.0])),
    "dataclass": lambda: in_an_attribute(Data()),
    "frozen dataclass": in_a_frozen_object,
    "replaced dataclass": lambda: variable(Frozen(), lambda old: Frozen(old.value + 1), lambda kept: kept.value),
    "set": in_a_set,
    "kinds in a set": kinds_in_a_set,
    "frozen set": lambda: variable(frozenset({1.0}), lambda old: old | {len(old) + 2.0}, sum),
    "dict": lambda: element({"a": 1.0}, "a"),
    "order of a dict": order_of_a_dict,
    "counter": lambda: element(collections.Counter(a=1), "a"),
    "enum": lambda: variable(Color.RED, lambda old: Color(old.value % 3 + 1), lambda kept: kept.value),
    "namedtuple": lambda: variable(Named(1.0, []), lambda old: Named(old.value + 1, []), lambda kept: kept.value),
    "in a namedtuple": lambda: element(Named(1.0, [1.0]).values),
    "partial": in_a_partial,
    "method of a list": by_a_method,
    "mapping proxy": in_a_proxy,
    "namespace": lambda: in_an_attribute(types.SimpleNamespace(value=1.0)),
    "list with an attribute": lambda: in_an_attribute(ListWithAttribute()),
    "large list": lambda: element([float(i + 1) for i in range(1000)], 3),
    "large dict": lambda: element({i: float(i + 1) for i in range(1000)}, 3),
    "lists in a large list": lambda: element([[float(i + 1)] for i in range(1000)][3]),
    "module": lambda: in_a_module(lambda module, x: x * module.factor),
    "function of a module": lambda: in_a_module(lambda module, x: module.scaled(x)),
    "keyword default": in_a_keyword_default,
    "attribute of a function": in_a_function,
    "property": lambda: in_a_global(lambda reads: reads.by_property),
    "static method": lambda: in_a_global(lambda reads: reads.by_static_method()),
    "class method": lambda: in_a_global(lambda reads: reads.by_class_method()),
    "partial method": lambda: in_a_global(lambda reads: reads.by_partial_method()),
    "deque of a cell": lambda: in_a_cell(collections.deque([1.0])),
    "array of a cell": lambda: in_a_cell(np.array([1.0])),
    "large list of a cell": lambda: in_a_cell([1.0] * 1000),
    "late name of a module": late_by_try,
    "late name beside __getattr__": late_by_a_function,
    "late import": imported_late,
    "state of a partial": set_state_of_a_partial,
    "decimals": lambda: context_of_decimals(lambda: decimal.Decimal(1) / decimal.Decimal(3)),
    "context of decimals": lambda: context_of_decimals(lambda: decimal.getcontext().prec),
    "limit of recursion": limit_of_recursion,
    "registered class of an object": lambda: registered_class(lambda kind, thing, base: isinstance(thing, base)),
    "registered class": lambda: registered_class(lambda kind, thing, base: issubclass(kind, base)),
    "replaced attributes of an object": lambda: replaced_attributes(Data()),
    "replaced attributes of a function": lambda: replaced_attributes(types.FunctionType(scaled.__code__, globals())),
    "attributes of a cell": lambda: written_attributes("kept"),
    "late attributes of a cell": lambda: written_attributes("value"),
    "order of an ordered dict": lambda: moved_to_the_end(3),
    "order of a large one": lambda: moved_to_the_end(300),
    "default of a dict": default_of_a_dict,
    "memory of bytes": lambda: view_of_memory(bytearray(b"\1\2")),
    "memory of an array": lambda: view_of_memory(np.array([1.0, 2.0])),
    "keys of a dict": keys_of_a_dict,
    "state of Python's generator": state_of_a_generator,
    "state of bits": state_of_bits,
    "NumPy's treatment of errors": state_of_errors,
}


@pytest.fixture(autouse=True)
def plain_state():
    """Restore what the programs set in C code."""
    before = sys.getrecursionlimit(), decimal.getcontext(), np.geterr()
    yield
    sys.setrecursionlimit(before[0])
    decimal.setcontext(before[1])
    np.seterr(**before[2])
    sys.modules.pop("a_late_module", None)


@pytest.mark.slow
@pytest.mark.parametrize("name", KINDS)
def test_a_change_is_seen_by_the_next_call(name, strict):
    function, change = KINDS[name]()
    captured = ms.jit(function, fullgraph=strict)
    seen = []
    for number in range(3):
        for _ in range(2):
            seen.append(arrays(function(X)).tolist())
            assert arrays(captured(X)).tolist() == seen[-1]
            assert captured.captures <= number + 1
        change()
    assert seen[0] != seen[2]


@pytest.mark.parametrize("name", KINDS)
def test_what_does_not_change_is_captured_once(name, strict):
    function, _ = KINDS[name]()
    captured = ms.jit(function, fullgraph=strict)
    for _ in range(3):
        captured(X)
    assert captured.captures == 1


def test_the_stream_that_a_logger_writes_to_is_not_read(strict):
    logger = logging.Logger("reached")
    logger.addHandler(logging.StreamHandler(io.StringIO()))

    def function(x):
        if x.ndim > 1:
            logger.warning("two dimensions")
        return x * 2

    captured = ms.jit(function, fullgraph=strict)
    for _ in range(3):
        assert captured(X).asnumpy().tolist() == [2.0, 4.0]
    assert captured.captures == 1


OPAQUE = {
    "a hash": (hashlib.sha256(b"a"), lambda kept: kept.digest()[0], lambda kept: kept.update(b"b"), "_hashlib.HASH"),
    "a context": (decimal.Context(prec=3), lambda kept: kept.prec, lambda kept: setattr(kept, "prec", 5), "Context"),
    "a map": (mmap.mmap(-1, 8), lambda kept: kept[0], lambda kept: kept.__setitem__(0, 5), "mmap.mmap"),
    "a database": (
        sqlite3.connect(":memory:"),
        lambda kept: kept.total_changes,
        lambda kept: kept.executescript("create table if not exists t(a); insert into t values (1)"),
        "sqlite3.Connection",
    ),
}


@pytest.mark.parametrize("place", [lambda kept: lambda: kept, lambda kept: types.SimpleNamespace(kept=kept)])
@pytest.mark.parametrize("name", OPAQUE)
def test_what_cannot_be_compared_runs_eagerly(name, place):
    kept, read, change, kind = OPAQUE[name]
    held = place(kept)
    captured = ms.jit(lambda x: x * read(held() if callable(held) else held.kept))
    with pytest.warns(RuntimeWarning, match=f"runs eagerly, not as one graph: it uses a .*{kind} from outside"):
        captured(X)
    change(kept)
    assert arrays(captured(X)).tolist() == [float(read(kept)), 2.0 * read(kept)]


def test_functions_of_c_code_that_no_function_calls_are_not_in_the_way(strict):
    kept = types.SimpleNamespace(make=np.random.default_rng, config=torch._C._get_tracing_state, draw=np.random.rand)
    captured = ms.jit(lambda x: x * (2.0 if kept.make and kept.config else 3.0), fullgraph=strict)
    assert arrays(captured(X)).tolist() == [2.0, 4.0]
    assert captured.captures == 1


class Connected:
    """Has a database, which only one of its methods reads."""

    def __init__(self, connection):
        self.connection = connection
        self.lock = threading.Lock()
        self.factor = 2.0

    def changes(self):
        return self.connection.total_changes

    def scaled(self, x):
        with self.lock:
            return x * self.factor


def test_an_attribute_that_no_function_reads_is_not_in_the_way(strict):
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        captured = ms.jit(Connected(connection).scaled, fullgraph=strict)
        assert arrays(captured(X)).tolist() == [2.0, 4.0]
    assert captured.captures == 1


def counting(container, count):
    """Return a function that changes its environment, and the values to compare afterwards."""

    def function(x):
        count(container)
        return x * float(sum(container) if hasattr(container, "__len__") else container.value)

    return function, lambda: [*container] if hasattr(container, "__len__") else container.value


def drawing(generator):
    return lambda x: x * float(generator.random()), lambda: float(generator.random())


CHANGING = {
    "array": lambda: counting(np.array([1.0, 2.0]), lambda kept: kept.__iadd__(1)),
    "deque": lambda: counting(collections.deque([1.0]), lambda kept: kept.append(2.0)),
    "bytes": lambda: counting(bytearray(b"\1"), lambda kept: kept.__setitem__(0, kept[0] + 1)),
    "slots": lambda: counting(Slotted(), Slotted.change),
    "NumPy's generator": lambda: drawing(np.random.default_rng(0)),
    "NumPy's old generator": lambda: drawing(np.random.RandomState(0)),
    "Python's generator": lambda: drawing(random.Random(0)),
}


@pytest.mark.parametrize("name", CHANGING)
def test_what_a_call_changes_is_changed_once_for_each_call(name):
    function, state = CHANGING[name]()
    expected = [arrays(function(X)).tolist() for _ in range(3)], state()
    function, state = CHANGING[name]()
    captured = ms.jit(function)
    with pytest.warns(RuntimeWarning, match="runs eagerly, not as one graph: it changes"):
        found = [arrays(captured(X)).tolist()]
    assert ([*found, *[arrays(captured(X)).tolist() for _ in range(2)]], state()) == expected


LARGE = np.ones(1 << 18)
MANY = [[[i]] for i in range(30_000)]


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (lambda x: x * float(LARGE.sum()), "it can reach a ndarray of 2097152 bytes, too large"),
        (lambda x: x * MANY[0][0][0], "it can reach more than 20000 objects"),
    ],
)
def test_what_is_too_large_to_compare_runs_eagerly(function, reason):
    captured = ms.jit(function)
    with pytest.warns(RuntimeWarning, match=reason):
        captured(X)
    before = LARGE[0], MANY[0][0][0]
    LARGE[0], MANY[0][0][0] = 100.0, 7
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert_same(arrays(captured(X)), arrays(function(X)))
    LARGE[0], MANY[0][0][0] = before


def test_tensors_in_a_large_list_are_read_as_they_are(strict):
    kept = [Tensor([float(i)]) for i in range(1000)]
    captured = ms.jit(lambda x: x + kept[5], fullgraph=strict)
    for value in (5.0, 7.0):
        ops.assign(kept[5], Tensor([value]))
        assert arrays(captured(X)).tolist() == [1 + value, 2 + value]
    assert captured.captures == 1


def test_modules_of_the_users_in_packages(monkeypatch, strict):
    package, module = types.ModuleType("a_package"), make_module()
    package.inside = module
    module.package = package
    monkeypatch.setitem(sys.modules, "a_package", package)

    def function(x):
        import a_package

        return x * a_package.inside.factor

    captured = ms.jit(function, fullgraph=strict)
    for _ in range(3):
        assert_same(arrays(captured(X)), arrays(function(X)))
        module.factor += 1
    assert captured.captures == 3


def test_values_of_a_thread_in_functions_that_do_not_run():
    local = threading.local()

    class Net(nn.Cell):
        def construct(self, x):
            return x * 2

        def log(self):
            return local.lines

    assert ms.jit(Net().construct, fullgraph=True)(Tensor([1.0])).asnumpy() == [2]

    def per_thread(x):
        return x * local.scale

    local.scale = 3.0
    with pytest.raises(RuntimeError, match=r"threading\.local"):
        ms.jit(per_thread, fullgraph=True)(Tensor([1.0]))


def test_the_graphs_that_a_function_has_made_are_not_in_the_way_of_the_next():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.layers = nn.CellList([nn.Dense(2, 2)])

        def construct(self, x):
            return self.layers[0](x)

    net = Net()
    gradient = ms.value_and_grad(lambda x: net(x).sum(), 0, net.trainable_params())
    ms.set_context(mode=ms.GRAPH_MODE)
    for rows in (3, 5, 3, 2):  # one that runs eagerly is a warning, and so an error
        value, _ = gradient(ops.ones((rows, 2)))
        np.testing.assert_allclose(value.asnumpy(), net(ops.ones((rows, 2))).sum().asnumpy(), rtol=1e-5)
    assert gradient.__self__._captured.captures == 3
