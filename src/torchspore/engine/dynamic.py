"""Declarations of the inputs of a graph, by `Cell.set_inputs` and `enable_dynamic`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

from torchspore.common.dtype import Type
from torchspore.common.open_shape import OpenTensor, Symbol
from torchspore.common.tensor import Tensor
from torchspore.engine.arguments.mutable import Mutable, open_kind
from torchspore.engine.capture.function import CapturedFunction
from torchspore.engine.failures.errors import describe

__all__ = ["InputsHint", "enable_dynamic", "hint_of"]

_PLAIN = (bool, int, float, str, type(None), Type)
_STARRED = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
_ANYTHING = object()


class InputsHint:
    """Declarations about the arguments of a function.

    Args:
        names: the names of the function's parameters, without `*args` and `**kwargs`.
        given: the declarations: a tuple for all arguments in order, or a dict for some by name. A Tensor declares
            its shape and dtype, or several shapes if it has open sizes; a tuple, list or dict declares its elements;
            a mutable number declares its type; anything else declares its value.
    """

    def __init__(self, names: tuple[str, ...], given: tuple[Any, ...] | dict[str, Any]) -> None:
        self.given = given
        self._names = names
        self._declared: dict[int | str, Any] = {}
        places = enumerate(given) if isinstance(given, tuple) else [(names.index(name), given[name]) for name in given]
        for position, declared in places:
            self._declared[position] = declared
            self._declared[self._name(position)] = declared

    def check(self, args: tuple[Any, ...], kwargs: dict[str, Any], api: str) -> None:
        """Check that a call has the arguments that were declared.

        Raises:
            TypeError: an argument is of another type or dtype.
            ValueError: another number of arguments, shape or value.
        """
        if isinstance(self.given, tuple):
            self._check_presence(self.given, args, kwargs, api)
        sizes: dict[Symbol, int] = {}
        for name, value, declared in self._pairs(args, kwargs):
            if declared is not _ANYTHING:
                _compare(value, declared, f"For '{api}', the input '{name}'", sizes)

    def _check_presence(self, given: tuple[Any, ...], args: tuple[Any, ...], kwargs: dict[str, Any], api: str) -> None:
        """Check that every declared input is given; with keywords, inputs declared as None may have their default."""
        count = len(args) + len(kwargs)
        if count < len(given):
            left = [
                self._name(position)
                for position in range(len(args), len(given))
                if not kwargs or (given[position] is not None and self._name(position) not in kwargs)
            ]
            if left:
                names = ", ".join(left)
                raise ValueError(f"For '{api}', {len(given)} inputs are declared, but got {count}, without {names}.")

    def open_dimensions(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[tuple[int, ...]]:
        """Return the open dimensions of each input of a graph (tensors and mutable numbers) in the arguments of a call.

        The call must be one that `check` accepts.
        """
        found: list[tuple[int, ...]] = []
        for _, value, declared in self._pairs(args, kwargs):
            _collect_open(value, declared, found)
        return found

    def bound(self) -> InputsHint:
        """Return the declarations for the bound method, without the first argument."""
        names = self._names[1:]
        if isinstance(self.given, tuple):
            return InputsHint(names, self.given[1:])
        return InputsHint(names, {name: self.given[name] for name in names if name in self.given})

    def _name(self, position: int) -> str:
        return self._names[position] if position < len(self._names) else str(position)

    def _pairs(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Iterator[tuple[str, Any, Any]]:
        """Yield the name, the value and the declaration of each argument."""
        for position, value in enumerate(args):
            yield self._name(position), value, self._declared.get(position, _ANYTHING)
        for name, value in kwargs.items():
            yield name, value, self._declared.get(name, _ANYTHING)


def _compare(value: Any, declared: Any, what: str, sizes: dict[Symbol, int], is_mutable: bool = False) -> None:
    """Check one argument, or a part of one; `sizes` has the sizes of unique symbols so far."""
    is_mutable = is_mutable or isinstance(declared, Mutable)
    if isinstance(declared, Tensor):
        if not isinstance(value, Tensor):
            raise TypeError(f"{what} must be a Tensor, but got {describe(value)}.")
        if value.dtype != declared.dtype:
            raise TypeError(f"{what} must be of dtype {declared.dtype}, but got {value.dtype}.")
        _compare_shapes(value.shape, _declared_shape(declared), what, sizes)
    elif isinstance(declared, (tuple, list)):
        if not isinstance(value, (tuple, list)):
            raise TypeError(f"{what} must be a {type(declared).__name__}, but got {describe(value)}.")
        declared = _as_long_as(declared, value)
        if len(value) != len(declared):
            raise ValueError(f"{what} must have {len(declared)} elements, but got {len(value)}.")
        for number, (inner, expected) in enumerate(zip(value, declared)):
            _compare(inner, expected, f"{what}[{number}]", sizes, is_mutable)
    elif isinstance(declared, dict):
        if not isinstance(value, dict):
            raise TypeError(f"{what} must be a dict, but got {describe(value)}.")
        if value.keys() != declared.keys():
            raise ValueError(f"{what} must have the keys {list(declared)}, but got {list(value)}.")
        for key, expected in declared.items():
            _compare(value[key], expected, f"{what}[{key!r}]", sizes, is_mutable)
    else:
        _compare_plain(value, declared, what, is_mutable)


def _as_long_as(declared: Any, value: Any) -> Any:
    """Return the declaration of a sequence for the length of a value, if the length is declared to vary."""
    if isinstance(declared, (tuple, list)) and declared and getattr(declared, "dynamic_len", False):
        return [declared[0]] * len(value)
    return declared


def _compare_plain(value: Any, declared: Any, what: str, is_mutable: bool) -> None:
    if not isinstance(value, _PLAIN):
        raise TypeError(f"{what} must be {declared!r}, but got {describe(value)}.")
    if is_mutable:
        kind = float if isinstance(declared, float) else int
        if not isinstance(value, kind):
            raise ValueError(f"{what} must be of type {kind.__name__}, but got {describe(value)}.")
    elif (type(value), value) != (type(declared), declared):
        raise ValueError(f"{what} must be {declared!r}, but got {describe(value)}.")


def _declared_shape(declared: Tensor) -> tuple[int | Symbol | None, ...] | None:
    return declared.open_shape if isinstance(declared, OpenTensor) else declared.shape


def _compare_shapes(
    shape: tuple[int, ...], declared: tuple[int | Symbol | None, ...] | None, what: str, sizes: dict[Symbol, int]
) -> None:
    if declared is None:
        return
    if len(shape) != len(declared):
        raise ValueError(f"{what} must have {len(declared)} dimensions, but its shape is {shape}.")
    for dimension, (size, expected) in enumerate(zip(shape, declared)):
        wanted = ""
        if isinstance(expected, Symbol):
            wanted = expected.refuses(size)
            if expected.unique and sizes.setdefault(expected, size) != size:
                wanted = f"{sizes[expected]}, as elsewhere"
        elif expected is not None and size != expected:
            wanted = str(expected)
        if wanted:
            raise ValueError(f"{what} must have the size {wanted} in dimension {dimension}, but its shape is {shape}.")


def _collect_open(value: Any, declared: Any, found: list[tuple[int, ...]], is_mutable: bool = False) -> None:
    is_mutable = is_mutable or isinstance(value, Mutable)
    if isinstance(value, Tensor):
        shape = _declared_shape(declared) if isinstance(declared, Tensor) else value.shape
        sizes = [None] * value.ndim if shape is None else shape
        found.append(tuple([dimension for dimension, size in enumerate(sizes) if not isinstance(size, int)]))
    elif isinstance(value, (tuple, list, dict)):
        declared = _as_long_as(declared, value)
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            _collect_open(inner, declared if declared is _ANYTHING else declared[key], found, is_mutable)
    elif is_mutable and open_kind(value) is not None:
        found.append(())


def hint_of(
    function: Callable[..., Any], inputs: tuple[Any, ...], named: dict[str, Any], api: str, *, partial: bool = False
) -> InputsHint:
    """Return the declarations for the arguments of a function: for all in order, or for some by name.

    Args:
        function: the function.
        inputs: what is declared in order.
        named: what is declared by name.
        api: the name in messages.
        partial: whether fewer or more in order are accepted. Default: False.

    Raises:
        TypeError: the function takes another number of arguments; it has `*args` or `**kwargs`, and inputs are declared
            by name; what is declared cannot be an argument of a graph.
        ValueError: both forms are used, or the function has no argument of a name.
    """
    if inputs and named:
        raise ValueError(f"For '{api}', declare all inputs in their order or some by their names, but not both.")
    for declared in (*inputs, *named.values()):
        for leaf in _leaves(declared):
            if not isinstance(leaf, (Tensor, *_PLAIN)):
                raise TypeError(
                    f"For '{api}', an input must be a Tensor, a number, a string, None, a data type, or a tuple, list "
                    f"or dict of them, but got {describe(leaf)}."
                )
    signature = inspect.signature(function)
    names = tuple(name for name, parameter in signature.parameters.items() if parameter.kind not in _STARRED)
    if not named:
        try:
            if not partial:
                signature.bind(*inputs)
        except TypeError as error:
            raise TypeError(f"For '{api}', declare all inputs of {function.__name__}{signature}: {error}.") from None
        return InputsHint(names, inputs)
    if len(names) < len(signature.parameters):
        raise TypeError(f"For '{api}', inputs of {function.__name__}{signature} have no names. Declare all in order.")
    unknown = [name for name in named if name not in names]
    if unknown:
        raise ValueError(f"For '{api}', the inputs are {', '.join(names)}, but got {', '.join(unknown)}.")
    return InputsHint(names, named)


def _leaves(declared: Any) -> Iterator[Any]:
    if isinstance(declared, (tuple, list, dict)):
        for inner in declared.values() if isinstance(declared, dict) else declared:
            yield from _leaves(inner)
    else:
        yield declared


def enable_dynamic(**kwargs: Any) -> Callable[[Any], Any]:
    """Declare the open sizes of arguments of a function that `jit` captures.

    Args:
        kwargs: for the names of arguments, a Tensor with open sizes, such as `Tensor(shape=[None, 3], dtype=...)`, or a
            tuple or list of tensors with one among them.

    Returns:
        A decorator, for the function or what `jit` made of it.

    Raises:
        TypeError: what is declared is something else or has no open size; or it decorates no function.
        ValueError: nothing is declared, or the function has no argument of a name.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.common.open_shape import open_tensor
        >>> @ms.enable_dynamic(x=open_tensor([None, 2], ms.float32))
        ... @ms.jit
        ... def double(x):
        ...     return x * 2
        >>> print(double(ms.Tensor([[1.0, 2.0]])))
        [[2. 4.]]
    """
    if not kwargs:
        raise ValueError("For 'enable_dynamic', declare at least one argument: name=Tensor(shape=[None, ...], ...).")
    for name, declared in kwargs.items():
        inside = declared if isinstance(declared, (tuple, list)) else (declared,)
        others = [tensor for tensor in inside if not isinstance(tensor, Tensor)]
        if others or not any(isinstance(tensor, OpenTensor) for tensor in inside):
            raise TypeError(
                f"For 'enable_dynamic', '{name}' must be a Tensor with an open size (None), or a tuple or list of "
                f"tensors with one among them, but got {describe(others[0] if others else declared)}."
            )

    def declare(function: Any) -> Any:
        if not (inspect.isfunction(function) or isinstance(function, CapturedFunction)):
            raise TypeError(f"For 'enable_dynamic', decorate a function, but got {describe(function)}.")
        function._inputs_hint = hint_of(function, (), kwargs, "enable_dynamic")  # type: ignore[union-attr]
        return function

    return declare
