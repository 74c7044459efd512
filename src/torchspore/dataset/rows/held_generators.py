"""Generators that functions of the user hold: each row draws its own numbers from them, and restores their states.

NumPy's and Python's global generators do not need this (see `streams`). A custom generator, like PyTorch's, is one
object for all threads, so rows that draw from it are computed one at a time.
"""

from __future__ import annotations

import _random
import collections
import functools
import itertools
import os
import random
import sys
import threading
import types
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np
import torch

from torchspore.common.names.class_modules import module_of
from torchspore.dataset.rows.streams import NO_ROW, OWN, PYTHON, TORCH, Serving, digest, in_rows, seed_of_row
from torchspore.engine.values.plain_reads import is_a

__all__ = ["Isolated", "held_by", "isolated_call"]

Result = TypeVar("Result")

_MAX_OBJECTS = 5000  # objects that are searched
_MAX_ELEMENTS = 1000  # elements of a container that are searched
_LEAVES = (type(None), bool, int, float, complex, str, bytes, np.ndarray)
_TORCH = ("torch", "torchspore", "mindspore", "torchvision")
_KNOWN = ("builtins", "numpy", *_TORCH)
_TRANSFORMS = "torchspore.dataset"  # its transforms draw from the generator of the row
_DRAWS = (
    "bernoulli", "cauchy_", "default_generator", "dropout", "exponential_", "gamma", "geometric_", "gumbel",
    "log_normal", "manual_seed", "multinomial", "normal", "poisson", "rand", "seed", "shuffle", "standard_", "uniform",
)  # fmt: skip


class _Held:
    """A generator, and the functions for its state.

    Args:
        take: returns the state.
        put: sets the state.
        begin: seeds the generator with a number.
        seed: the index of the seed of a row that it follows. Its own state counts too, unless it is a global generator.
    """

    def __init__(
        self, take: Callable[[], Any], put: Callable[[Any], Any], begin: Callable[[int], Any], seed: int = OWN
    ) -> None:
        self.take, self.put, self._begin, self._seed = take, put, begin, seed
        self._start = digest(_listed(take())) if seed == OWN else 0

    def begin(self, number: int) -> None:
        """Seed the generator, which has this number, for the current row."""
        self._begin(digest(number, self._start, seed_of_row(self._seed)))


def _listed(state: Any) -> Any:
    if isinstance(state, dict):
        return {name: _listed(value) for name, value in state.items()}
    return state.tolist() if isinstance(state, (np.ndarray, torch.Tensor)) else state


def _held(generator: Any) -> _Held:
    if isinstance(generator, torch.Generator):
        seed = TORCH if generator is torch.default_generator else OWN
        return _Held(generator.get_state, generator.set_state, generator.manual_seed, seed)
    if isinstance(generator, random.Random):
        return _Held(generator.getstate, generator.setstate, lambda n: generator.setstate(random.Random(n).getstate()))
    if isinstance(generator, np.random.RandomState):
        take: Callable[[], Any] = functools.partial(generator.get_state, legacy=False)
        return _Held(take, generator.set_state, lambda n: generator.set_state(_bits_state(take(), n)))
    if isinstance(generator, np.random.Generator):
        generator = generator.bit_generator
    return _Held(
        lambda: generator.state,
        lambda state: setattr(generator, "state", state),
        lambda n: setattr(generator, "state", _bits_state(generator.state, n)),
    )


def _bits_state(state: dict[str, Any], number: int) -> Any:
    """Return the state of a bit generator of the same kind seeded with a number."""
    return {"has_gauss": 0, "gauss": 0.0, **getattr(np.random, state["bit_generator"])(number).state}


_C = _random.Random
_GENERATORS = (np.random.Generator, np.random.RandomState, np.random.BitGenerator, random.Random, torch.Generator)


def _raw() -> _Held:
    """Return Python's global generator, for its methods in C that a program has imported by name."""
    shared: Any = random.seed.__self__  # type: ignore[attr-defined]
    take, put, begin = (functools.partial(each, shared) for each in (_C.getstate, _C.setstate, _C.seed))
    return _Held(take, put, begin, PYTHON)


def held_by(functions: Sequence[Callable[..., Any]]) -> list[_Held]:
    """Return the generators that functions reach through closures, globals, attributes and containers.

    PyTorch's default generator is among them where the code names one of PyTorch's random functions.
    """
    found: dict[int, _Held] = {}
    shared = random.seed.__self__  # type: ignore[attr-defined]
    names_torch = names_draws = False
    for each in _reached(functions):
        if isinstance(each, _GENERATORS):
            if each is not shared and each is not np.random.mtrand._rand and not isinstance(each, random.SystemRandom):
                found.setdefault(id(each), _held(each))
        elif isinstance(each, types.BuiltinMethodType) and each.__self__ is shared:
            found.setdefault(0, _raw())
        elif isinstance(each, types.CodeType):
            names_draws = names_draws or any(name.lower().startswith(_DRAWS) for name in each.co_names)
        elif _root(each) in _TORCH:
            names_torch = True
    if names_torch and names_draws:
        found.setdefault(id(torch.default_generator), _held(torch.default_generator))
    return list(found.values())


def _module(thing: Any) -> str:
    """Return the name of the module in which a class or a function is defined."""
    return module_of(thing) if is_a(thing, type) else str(getattr(thing, "__module__", ""))


def _root(thing: Any) -> str:
    """Return the package that defines something; "" for transforms."""
    defined = is_a(thing, (type, types.FunctionType, types.BuiltinFunctionType))
    name = thing.__name__ if isinstance(thing, types.ModuleType) else _module(thing if defined else type(thing))
    return "" if name.startswith(_TRANSFORMS) else name.partition(".")[0]


def _reached(functions: Iterable[Any]) -> Iterator[Any]:
    """Yield the objects that functions reach, including themselves, each once; none of the user's code runs."""
    todo, seen = list(functions), dict[int, Any]()
    while todo and len(seen) < _MAX_OBJECTS:
        thing = todo.pop()
        if type(thing) in _LEAVES or id(thing) in seen:
            continue
        seen[id(thing)] = thing
        yield thing
        todo.extend(_parts(thing))


def _parts(thing: Any) -> Iterable[Any]:
    if isinstance(thing, types.FunctionType):
        return _parts_of_function(thing)
    if isinstance(thing, (types.MethodType, types.BuiltinMethodType)):
        return (thing.__self__, getattr(thing, "__func__", None))
    if isinstance(thing, functools.partial):
        return (thing.func, *thing.args, *thing.keywords.values())
    if isinstance(thing, (list, tuple, set, frozenset, collections.deque)):
        return itertools.islice(thing, _MAX_ELEMENTS)
    if isinstance(thing, types.SimpleNamespace):
        return vars(thing).values()
    if _module(type(thing)).startswith(_TRANSFORMS):  # one of this package, around a function of the user
        return [each for name, each in getattr(thing, "__dict__", {}).items() if name != "_own"]
    if isinstance(thing, dict):
        return itertools.islice(thing.values(), _MAX_ELEMENTS)
    if isinstance(thing, (types.ModuleType, types.CodeType, *_GENERATORS)) or _is_foreign(thing):
        return ()
    if is_a(thing, type):
        return [each for base in thing.__mro__ if not _is_foreign(base) for each in vars(base).values()]
    if isinstance(thing, (staticmethod, classmethod)):
        return (thing.__func__,)
    if isinstance(thing, property):
        return (thing.fget,)
    slots = [name for base in type(thing).__mro__ for name in _names(getattr(base, "__slots__", ()))]
    held = [getattr(type(thing), name).__get__(thing) for name in slots if _is_set(thing, name)]
    return (type(thing), *held, *getattr(thing, "__dict__", {}).values())


def _names(slots: Any) -> Iterable[str]:
    return (slots,) if isinstance(slots, str) else slots


def _is_set(thing: Any, name: str) -> bool:
    member = getattr(type(thing), name, None)
    if not isinstance(member, types.MemberDescriptorType):
        return False
    try:
        member.__get__(thing)
    except AttributeError:
        return False
    return True


def _is_foreign(thing: Any) -> bool:
    """Return whether something belongs to Python, NumPy, PyTorch or this package, and is not searched."""
    return _is_known(_module(thing if is_a(thing, type) else type(thing)).partition(".")[0])


def _is_known(root: str) -> bool:
    return root in _KNOWN or (root in sys.stdlib_module_names and root != "__main__")


def _parts_of_function(function: types.FunctionType) -> Iterator[Any]:
    yield from function.__defaults__ or ()
    yield from (function.__kwdefaults__ or {}).values()
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # it is empty
            continue
    codes = [function.__code__]
    for code in codes:
        yield code
        codes.extend(each for each in code.co_consts if isinstance(each, types.CodeType))
    names = {name for code in codes for name in code.co_names}
    for name in names:
        value = function.__globals__.get(name)
        if value is None and name in _TORCH:
            value = sys.modules.get(name)  # imported in the function
        if isinstance(value, types.ModuleType):
            yield from _parts_of_module(value, names)
        elif value is not None:
            yield value


def _parts_of_module(module: types.ModuleType, names: set[str]) -> Iterator[Any]:
    """Yield the objects that `module.name` and `module.name.name` may be in a function that has these names."""
    modules = [module]
    for each in modules:
        yield each
        if _is_known(_root(each)):
            continue
        for value in (vars(each)[name] for name in names if name in vars(each)):
            if not isinstance(value, types.ModuleType):
                yield value
            elif value not in modules:
                modules.append(value)


_isolation = threading.RLock()


def _forked() -> None:
    global _isolation
    _isolation = threading.RLock()


os.register_at_fork(after_in_child=_forked)


def isolated_call(function: Callable[[], Result], reach: Sequence[Any]) -> Result:
    """Return the result of a function of the user, whose random draws have no effect on others.

    Args:
        function: the function.
        reach: the user's objects that it uses.
    """
    serving = Serving()
    serving.begin()
    try:
        return in_rows(Isolated(function, reach))(NO_ROW)
    finally:
        serving.end()


class Isolated:
    """Calls a function for rows, with the generators that it holds.

    Args:
        call: the function.
        functions: the user's functions that it calls.
        held: the generators; a spawned process searches for them again.
    """

    def __init__(self, call: Callable[..., Any], functions: Sequence[Any], held: list[_Held] | None = None) -> None:
        self._call = call
        self._functions = functions
        self._held = held_by(functions) if held is None else held

    def __reduce__(self) -> Any:
        return Isolated, (self._call, self._functions)

    def __call__(self, *arguments: Any) -> Any:
        with _isolation:
            before = [each.take() for each in self._held]
            try:
                for number, each in enumerate(self._held):
                    each.begin(number)
                return self._call(*arguments)
            finally:
                for each, state in zip(self._held, before):
                    each.put(state)
