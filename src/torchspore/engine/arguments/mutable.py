"""`mutable`: numbers and sequences that are inputs of a captured graph, not constants of it."""

from __future__ import annotations

from typing import Any

from torchspore.common.tensor import Tensor
from torchspore.engine.failures.errors import describe

__all__ = ["Mutable", "mutable", "open_kind"]


class Mutable:
    """What `mutable` returns, if it is not a Tensor: the numbers in it, at any depth, are inputs of a graph.

    Attributes:
        dynamic_len: whether the length may also change between calls.
    """

    dynamic_len = False


# Operations read `_t` of a number as they do for a Tensor.
class _Int(Mutable, int):
    @property
    def _t(self) -> int:
        return int(self)


class _Bool(Mutable, int):
    """What `mutable` returns for a bool, from which no class can be derived."""

    @property
    def _t(self) -> bool:
        return bool(self)

    def __repr__(self) -> str:
        return repr(bool(self))


class _Float(Mutable, float):
    @property
    def _t(self) -> float:
        return float(self)


class _Tuple(Mutable, tuple[Any, ...]):
    pass


class _List(Mutable, list[Any]):
    pass


class _Dict(Mutable, dict[Any, Any]):
    pass


_KINDS: dict[type, type] = {bool: _Bool, int: _Int, float: _Float, tuple: _Tuple, list: _List, dict: _Dict}
_NUMBERS = (_Bool, _Int, _Float)
PLAIN: dict[type, type] = {_Tuple: tuple, _List: list, _Dict: dict}  # the containers, and what they derive from


def as_plain(value: Any) -> Any:
    """Return an argument as a captured function sees it: of a number, tuple or list that `mutable` marked, a plain one.

    Args:
        value: the argument.
    """
    kind = type(value)
    if kind in _NUMBERS:
        return value._t
    return PLAIN[kind](value) if kind in (_Tuple, _List) else value


def mutable(input_data: Any, dynamic_len: bool = False) -> Any:
    """Mark an argument of a captured function as an input of its graph, so that one graph serves all its values.

    Args:
        input_data: a Tensor, an int, a float, a bool, or tuples, lists and dicts of them.
        dynamic_len: whether the length of `input_data`, a tuple or list, may vary; all elements are then like the first
            one for `Cell.set_inputs`. Default: False.

    Returns:
        A Tensor unchanged; anything else as an equal object of a class derived from its own (for a bool: from int).

    Raises:
        TypeError: `input_data` is, or has in it, something else, or contains itself; `dynamic_len` is not a bool, or
            True for what is neither tuple nor list.

    Examples:
        >>> import torchspore as ms
        >>> scaled = ms.jit(lambda x, k: x * k)
        >>> print(scaled(ms.Tensor([1.0, 2.0]), ms.mutable(3)))
        [3. 6.]
    """
    if not _is_valid(input_data, ()):
        raise TypeError(
            "For 'mutable', 'input_data' must be a Tensor, an int, a float, a bool, or a tuple, list or dict of them "
            f"without itself inside, but got {describe(input_data)}."
        )
    if not isinstance(dynamic_len, bool):
        raise TypeError(f"For 'mutable', 'dynamic_len' must be a bool, but got {describe(dynamic_len)}.")
    if dynamic_len and not isinstance(input_data, (tuple, list)):
        raise TypeError(
            "For 'mutable', with dynamic_len=True 'input_data' must be a tuple or list, but got "
            f"{describe(input_data)}."
        )
    if isinstance(input_data, Tensor):
        return input_data
    kind = next(kind for known, kind in _KINDS.items() if isinstance(input_data, (known, kind)))
    marked = kind(input_data)
    if dynamic_len:
        marked.dynamic_len = True
    return marked


def open_kind(value: Any) -> type[int | float] | None:
    """Return int or float for a number that can be an input of a graph; None for bools and other objects."""
    if isinstance(value, (bool, _Bool)):
        return None
    return int if isinstance(value, int) else float if isinstance(value, float) else None


def _is_valid(value: Any, outside: tuple[int, ...]) -> bool:
    """Return whether `value`, in the containers with the ids `outside`, can be an input."""
    if not isinstance(value, (tuple, list, dict)):
        return isinstance(value, (Tensor, bool, int, float))
    elements = value.values() if isinstance(value, dict) else value
    inside = (*outside, id(value))
    return id(value) not in outside and all(_is_valid(element, inside) for element in elements)
