"""Guards: whether the Python state that a captured graph depends on is unchanged.

Cells count their changes (`common.change_count`), so their state is compared only after a change. All other locations
that the function reads are compared at each call, by one generated expression.
"""

from __future__ import annotations

import array
import functools
import gc
import operator
import pickle
import types
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from torchspore.common import change_count
from torchspore.common.parameter import Parameter
from torchspore.common.tensor import Tensor
from torchspore.engine.capture.state.reachable_state import (
    DATA,
    GENERATORS,
    MAX_ELEMENTS,
    MEMORY,
    MISSING,
    SLOTS,
    Reachable,
    UntrackedState,
    in_slot,
    is_filled,
    is_foreign,
)
from torchspore.engine.capture.state.signature import Same, constant, hooks, is_constant
from torchspore.engine.capture.state.watch import Watch
from torchspore.engine.values.nested import tensors
from torchspore.engine.values.plain_reads import (
    class_attributes,
    class_name,
    elements,
    is_a,
    items,
    lineage,
    maker,
    namespace,
    plain_array,
)

__all__ = ["Guards", "mark", "member", "members"]

# Internals of classes, which programs do not set.
_UNREAD = ("__dict__", "__doc__", "__firstlineno__", "__module__", "__static_attributes__", "__weakref__")
_MAX_BYTES = 1 << 20  # of arrays, which are compared at each call


def members(cells: Iterable[Any]) -> list[tuple[Any, str, int]]:
    """Return the locations of plain tensors in cells: (cell, attribute, index in its tuple, list or dict)."""
    found = []
    for cell in cells:
        for name, value in vars(cell).items():
            if name not in cell._internals and isinstance(value, (Tensor, tuple, list, dict)):
                found += [(cell, name, i) for i, t in enumerate(tensors(value)) if not isinstance(t, Parameter)]
    return found


def member(cell: Any, name: str, number: int) -> Tensor:
    """Return the tensor at such a location."""
    value = cell.__dict__[name]
    return value if isinstance(value, Tensor) else tensors(value)[number]


class _Content(NamedTuple):
    """The contents of a container at the time of recording.

    Attributes:
        container: the container.
        before: its contents.
        comparison: an expression in `now` and `before` that is true if the contents are unchanged.
        restore: puts `before` back into the container.
    """

    container: Any
    before: Any
    comparison: str
    restore: Callable[[Any, Any], None]


def _content(container: Any) -> _Content:
    """Return the current contents of a container; elements of small ones are also locations of their own."""
    if is_a(container, type):
        return _class_content(container)
    if is_a(container, np.ndarray):
        plain = plain_array(container)
        before = plain.copy(), plain.tobytes(), plain.shape, plain.dtype
        comparison = "(plain(now).tobytes(), now.shape, now.dtype) == before[1:]"
        return _Content(container, before, comparison, _restore_array)
    if is_a(container, MEMORY):
        return _Content(container, _in_memory(container), "in_memory(now) == before", _restore_memory)
    if is_a(container, memoryview):
        return _Content(container, memoryview.tobytes(container), "bytes_of(now) == before", _restore_view)
    if is_a(container, (bytearray, array.array)):
        return _Content(container, container[:], "now == before", _refill)
    if is_a(container, GENERATORS):
        return _Content(container, pickle.dumps(container), "dumps(now) == before", _restore_generator)
    size = maker(type(container)).__len__(container)
    if is_a(container, dict):
        copy: Any = dict(items(container))
        has_plain_keys = size <= MAX_ELEMENTS and type(container) is dict and all(type(key) is str for key in copy)
        return _Content(container, copy, "[*now] == [*before]" if has_plain_keys else "alike(now, before)", _refill)
    copy = [*elements(container)]  # a copy of a set may have a different order
    is_compared = size > MAX_ELEMENTS or is_a(container, set)
    return _Content(container, copy, "alike(now, before)" if is_compared else f"size(now) == {size}", _refill)


def _class_content(kind: type) -> _Content:
    """Return the contents of a class; reading its dict directly takes a third of the time of its proxy."""
    (expected,) = [inner for inner in gc.get_referents(class_attributes(kind)) if isinstance(inner, dict)]
    before = [*expected], [*expected.values()], expected, lineage(kind), dict(expected)
    looked_at = [i for i, name in enumerate(expected) if name not in _UNREAD]
    same = " and ".join(
        [f"len(before[2]) == {len(expected)}", *[f"before[2][before[0][{i}]] is before[1][{i}]" for i in looked_at]]
    )
    comparison = f"lineage(now) is before[3] and ({same} or alike(before[2], before[4]))"
    return _Content(kind, before, comparison, _restore_class)


def _restore_class(now: Any, before: Any) -> None:
    expected = before[4]
    for name in [*class_attributes(now)]:
        if name not in expected:
            type.__delattr__(now, name)
    for name, value in expected.items():
        if class_attributes(now).get(name, MISSING) is not value:
            type.__setattr__(now, name, value)


def _restore_array(now: Any, before: Any) -> None:
    if plain_array(now).tobytes() != before[1]:
        np.copyto(plain_array(now), before[0])


def _restore_view(now: Any, before: bytes) -> None:
    if now.tobytes() != before:
        now.cast("B")[:] = before  # it cannot have been written if it has no such cast


def _in_memory(stream: Any) -> Any:
    """Return the contents of a stream in memory, and the position in it; None if it is closed."""
    own = next(own for own in MEMORY if is_a(stream, own))
    return None if stream.closed else (own.getvalue(stream), own.tell(stream))


def _restore_memory(now: Any, before: Any) -> None:
    if before is not None and _in_memory(now) != before:
        now.seek(0)
        now.truncate()
        now.write(before[0])
        now.seek(before[1])


def _refill(container: Any, before: Any) -> None:
    own = maker(type(container))
    if own in (list, bytearray, array.array):
        own.__setitem__(container, slice(None), before)
    else:
        own.clear(container)
        (own.extend if own is deque else own.update)(container, before)


def _restore_generator(generator: Any, before: bytes) -> None:
    state = pickle.loads(before)
    if isinstance(generator, np.random.BitGenerator):
        generator.state = state.state
    elif isinstance(generator, np.random.Generator):
        generator.bit_generator.state = state.bit_generator.state
    elif isinstance(generator, np.random.RandomState):
        generator.set_state(state.get_state())
    else:
        generator.setstate(state.getstate())


def _alike(now: Any, before: Any) -> bool:
    """Return whether two containers have the same contents in the same order; the second one is of Python's types."""
    if _size(now) != len(before):
        return False
    if is_a(now, dict):
        return _all_same([*maker(type(now)).__iter__(now)], [*before]) and _all_same(
            [*elements(now)], [*before.values()]
        )
    return _all_same([*elements(now)], before)


def _size(container: Any) -> int:
    """Return the number of elements in a container."""
    number: int = maker(type(container)).__len__(container)
    return number


def _all_same(now: Sequence[Any], before: Sequence[Any]) -> bool:
    return all(map(operator.is_, now, before)) or all(a is b or _same(a, b) for a, b in zip(now, before))


class Guards:
    """The state that a function depends on, as it is now.

    Args:
        reachable: what the function reaches.

    Raises:
        UntrackedState: it reaches arrays that are too large to be compared at each call.
    """

    def __init__(self, reachable: Reachable) -> None:
        self._cells = reachable.cells
        self._parameters = reachable.parameters
        self._state = self._fingerprint()
        self._edits = change_count.current()
        _check_size(reachable)
        self._modules = [(cell, cell._module_state()) for cell in self._cells if hasattr(type(cell), "_module_state")]
        unique = {(id(container), key): (container, key) for container, key in reachable.locations}
        self._expected = [(container, key, _read(container, key)) for container, key in unique.values()]
        self._contents = [_content(container) for container in reachable.containers]
        self._functions = {id(function): (function, *rest) for function, *rest in reachable.functions}
        self._methods = [(kind, name, getattr(kind, name)) for kind, name in reachable.methods.items()]
        self._kinds = reachable.kinds
        self._namespaces = [(thing, own, namespace(type(thing))) for thing, own in reachable.namespaces]
        self._own = [(cell, len(vars(cell)), _attributes(cell)) for cell in self._cells if not is_foreign(type(cell))]
        self._c_settings = reachable.settings
        self._caches = reachable.caches
        self._ran: dict[int, types.CodeType] = {}
        self._settings: dict[Any, tuple[Any, ...]] = {}
        self.locations_hold = self._comparison(settled=False)
        self._settled = self.locations_hold

    def settle(self, watch: Watch) -> None:
        """Add what only the call showed: the code of the functions that it ran, and the settings that it read.

        Raises:
            UntrackedState: it changed something that it can reach.
        """
        if not (self.locations_hold() and self._modules_hold()):
            raise UntrackedState(f"it changes {self.changed()}")
        self._ran |= watch.ran
        if any(read() != value for read, value in self._c_settings.items()):
            raise UntrackedState("it changes the context of decimal arithmetic")
        self._settings |= {(read, ()): (read, (), value) for read, value in self._c_settings.items()}
        self._settings |= {(read, arguments): (read, arguments, value) for read, arguments, value in watch.settings}
        self._settled = self._comparison(settled=True)
        if any(function.__code__ is not code for function, code, *_ in self._functions.values()):
            raise UntrackedState("it changes the code of a function")

    def hold(self) -> bool:
        """Return whether everything is unchanged."""
        if self._modules and not self._modules_hold():
            return False
        if change_count.current() != self._edits:
            if self._fingerprint() != self._state:
                return False
            self._edits = change_count.current()
        return self._settled()

    def _fingerprint(self) -> tuple[Any, ...]:
        """Return the state of the cells, and of the parameters that are not theirs."""
        return (*fingerprint(self._cells), *[mark(parameter, {}) for parameter in self._parameters])

    def _modules_hold(self) -> bool:
        """Return whether the torch modules in cells, which count no changes, are unchanged."""
        return all(_alike(cell._module_state(), before) for cell, before in self._modules)

    def restore_locations(self) -> None:
        """Restore the locations outside cells."""
        for content in self._contents:
            content.restore(content.container, content.before)
        for container, key, expected in self._expected:
            if not _holds(container, key, expected):
                _put_back(container, key, expected)

    def changed(self) -> str:
        """Return the name of something that has changed."""
        for cell, before, now in zip(self._cells, self._state, fingerprint(self._cells)):
            names = [name for name, _ in set(before[1:]) ^ set(now[1:])]
            if names:
                return f"the attribute '{names[0]}' of {type(cell).__name__}"
        for container, key, expected in self._expected:
            if type(container) is not types.CellType and not _holds(container, key, expected):
                return f"'{key.__name__ if is_a(key, types.MemberDescriptorType) else key}'"
        for container, before, *_ in self._contents:
            if is_a(container, type) and not _alike(before[2], before[4]):
                return f"an attribute of the class {class_name(container)}"
        if not self._modules_hold():
            return "an attribute of a torch module"
        return "a variable of an outer function, or the contents of a container"

    def _comparison(self, settled: bool) -> Callable[[], bool]:
        """Return a function that compares every location with its current value.

        Args:
            settled: whether to include what only a call shows.
        """
        names: dict[str, Any] = {"same": _same, "read": _read, "alike": _alike, "dumps": pickle.dumps, "size": _size}
        names |= {"equal": _equal, "plain": plain_array, "in_memory": _in_memory, "lineage": lineage}
        names |= {"bytes_of": memoryview.tobytes, "marked": _marked, "named": _named}
        terms = []
        for i, (container, before, comparison, _) in enumerate(self._contents):
            names |= {f"l{i}": container, f"m{i}": before}
            terms.append(comparison.replace("now", f"l{i}").replace("before", f"m{i}"))
        for i, (container, key, expected) in enumerate(self._expected):
            names |= {f"c{i}": container, f"k{i}": key, f"v{i}": expected}
            kind = type(container)
            if expected is not MISSING and kind is types.CellType:
                read = f"c{i}.cell_contents"
            elif expected is MISSING and kind is dict:
                terms.append(f"k{i} not in c{i}")
                continue
            else:
                read = f"c{i}[k{i}]" if kind in (list, deque, dict) else f"read(c{i}, k{i})"
            terms.append(f"({read} is v{i} or same({read}, v{i}))" if is_constant(expected) else f"{read} is v{i}")
        terms += [*self._function_terms(names)] if settled else []
        if not terms:
            return lambda: True
        source = f"def hold():\n try: return {' and '.join(terms)}\n except Exception: return False"
        exec(compile(source, "<guards>", "exec"), names)
        return names["hold"]

    def _function_terms(self, names: dict[str, Any]) -> Iterator[str]:
        """Yield the comparisons of functions, classes of objects and settings, and add what they use to `names`."""
        for i, (function, code, defaults, by_name) in enumerate(self._functions.values()):
            if id(code) in self._ran:
                names |= {f"f{i}": function, f"a{i}": code, f"d{i}": defaults, f"b{i}": by_name}
                yield f"f{i}.__code__ is a{i}"
                if defaults:  # without defaults, each argument was given
                    yield f"f{i}.__defaults__ is d{i}"
                if by_name:
                    yield f"f{i}.__kwdefaults__ is b{i}"
        for i, (kind, name, method) in enumerate(self._methods):
            names |= {f"t{i}": kind, f"h{i}": method}
            yield f"t{i}.{name} is h{i}"
        for i, (thing, kind) in enumerate(self._kinds):
            names |= {f"o{i}": thing, f"p{i}": kind}
            yield f"type(o{i}) is p{i}"
        for i, (thing, own, read) in enumerate(self._namespaces):
            names |= {f"n{i}": thing, f"e{i}": own, f"g{i}": read}
            yield f"g{i}(n{i}) is e{i}"
        yield from self._cell_terms(names)
        for i, cache in enumerate(self._caches):
            names[f"u{i}"] = _StillCached(cache)
            yield f"u{i}()"
        for i, setting in enumerate(self._settings.values()):
            names[f"s{i}"] = setting
            yield f"equal(s{i}[0](*s{i}[1]), s{i}[2])"

    def _cell_terms(self, names: dict[str, Any]) -> Iterator[str]:
        """Yield the comparisons of the attributes of cells that writes to `__dict__` may change uncounted."""
        for i, (cell, number, own) in enumerate(self._own):
            names |= {f"x{i}": vars(cell), f"y{i}": _named(vars(cell), cell._caches), f"z{i}": cell._caches}
            yield f"(len(x{i}) == {number} or named(x{i}, z{i}) == y{i})"
            for j, (name, value) in enumerate(own.items()):
                names |= {f"q{i}_{j}": name, f"r{i}_{j}": value, f"w{i}_{j}": mark(value, {})}
                read = f"x{i}[q{i}_{j}]"
                yield f"({read} is r{i}_{j} or marked({read}, w{i}_{j}))"


def _attributes(cell: Any) -> dict[str, Any]:
    """Return the attributes of a cell that are neither internal nor members, and hold no tensors."""
    left_out = (*cell._internals, *cell._caches, *cell._cells)
    return {name: value for name, value in vars(cell).items() if name not in left_out and not tensors(value)}


def _marked(value: Any, before: Any) -> bool:
    return bool(mark(value, {}) == before)


def _named(own: dict[str, Any], caches: frozenset[str]) -> list[str]:
    return [name for name in own if name not in caches]


class _StillCached:
    """Returns whether a function with a cache of results has had no cache miss; after one, it is always False."""

    def __init__(self, cache: Any) -> None:
        self._info = cache.cache_info
        self._misses: int | None = cache.cache_info().misses

    def __call__(self) -> bool:
        if self._info().misses != self._misses:
            self._misses = None
        return self._misses is not None


def _equal(now: Any, before: Any) -> bool:
    return type(now) is type(before) and bool(now == before)


def _check_size(reachable: Reachable) -> None:
    total = 0
    for data in reachable.containers:
        if is_a(data, (*DATA, *MEMORY)):
            size = _bytes_of(data)
            total += size
            if total > _MAX_BYTES:
                raise UntrackedState(
                    f"it can reach a {class_name(type(data))} of {size} bytes, too large to be compared at each call: "
                    "make it a Tensor"
                )


def _bytes_of(data: Any) -> int:
    if is_a(data, np.ndarray):
        return plain_array(data).nbytes
    if is_a(data, MEMORY):
        return len((_in_memory(data) or [""])[0])
    return memoryview(data).nbytes


def _read(container: Any, key: Any) -> Any:
    if type(container) is types.CellType:
        return container.cell_contents if is_filled(container) else MISSING
    if is_a(key, SLOTS):
        return in_slot(container, key)
    if is_a(container, dict):
        return dict.get(container, key, MISSING)
    return maker(type(container)).__getitem__(container, key)


def _put_back(container: Any, key: Any, expected: Any) -> None:
    """Restore one location; lists are restored as a whole, by their contents."""
    if type(container) is types.CellType:
        if expected is MISSING:
            del container.cell_contents
        else:
            container.cell_contents = expected
    elif is_a(key, SLOTS):
        if expected is MISSING:
            key.__delete__(container)
        elif not is_a(container, functools.partial):  # whose parts only `__setstate__` writes
            key.__set__(container, expected)
    elif is_a(container, dict):
        if expected is MISSING:
            maker(type(container)).__delitem__(container, key)
        else:
            maker(type(container)).__setitem__(container, key, expected)


def _holds(container: Any, key: Any, expected: Any) -> bool:
    try:
        now = _read(container, key)
    except Exception:  # it no longer exists, or cannot be read
        return False
    return now is expected or _same(now, expected)


def _same(now: Any, before: Any) -> bool:
    return is_constant(now) and is_constant(before) and constant(now) == constant(before)


def fingerprint(cells: Iterable[Any]) -> tuple[Any, ...]:
    """Return the state of cells that a graph depends on: flags, plain attributes and the set of members."""
    numbers: dict[int, int] = {}  # tensors that cells share
    return tuple(
        [
            (
                type(cell),
                *[(name, mark(value, numbers)) for name, value in vars(cell).items() if name not in cell._caches],
            )
            for cell in cells
        ]
    )


def mark(value: Any, numbers: dict[int, int]) -> Any:
    """Return what a graph depends on in an attribute: constants, shapes, the identity of other objects.

    Args:
        value: the attribute.
        numbers: indices of the tensors seen so far, by id.
    """
    if is_constant(value):
        return constant(value)
    kind = type(value)
    if kind is tuple or kind is list:
        return (kind, *[mark(element, numbers) for element in value])
    if issubclass(kind, Parameter):
        return (Same(value), value._t.shape, value._t.dtype, value.requires_grad, hooks(value))
    if issubclass(kind, Tensor):
        tensor = value._t
        return (tensor.shape, tensor.dtype, tensor.device, numbers.setdefault(id(value), len(numbers)))
    if issubclass(kind, (tuple, list)):
        return (kind, *[mark(element, numbers) for element in elements(value)])
    if issubclass(kind, dict):
        return tuple([(key, mark(element, numbers)) for key, element in items(value)])
    return Same(value)
