"""Padding layers: numbers, reflections or copies of the edge around the last dimensions."""

from __future__ import annotations

import math
from typing import Any

from torchspore.common.tensor import Tensor
from torchspore.engine.arguments.argument_forms import takes
from torchspore.engine.parameters import take_as
from torchspore.nn.cell import Cell
from torchspore.nn.layer.checks import rank
from torchspore.ops.array.padding import pad
from torchspore.ops.array.reshaping import reshape

__all__ = [
    "ConstantPad1d", "ConstantPad2d", "ConstantPad3d", "ReflectionPad1d", "ReflectionPad2d", "ReflectionPad3d",
    "ReplicationPad1d", "ReplicationPad2d", "ReplicationPad3d", "ZeroPad2d",
]  # fmt: skip


class _Pad(Cell):
    """The base of the padding layers: keeps `padding` as pairs (before, after), the last dimension first."""

    _count = 1
    _may_cut = True

    def __init__(self, padding: Any) -> None:
        super().__init__()
        api, count = self.cls_name, self._count
        values = padding if isinstance(padding, tuple) else (padding,) * 2 * count
        if takes("bool", "padding", api):
            values = tuple([int(value) if isinstance(value, bool) else value for value in values])
        if not all(isinstance(value, int) and not isinstance(value, bool) for value in values):
            raise TypeError("'padding' must be an int or a tuple of ints")
        if len(values) % 2 or not 2 <= len(values) <= 2 * count:
            raise ValueError(
                f"'padding' must be an int, or a pair (before, after) for each of up to {count} dimensions, the last "
                "one first"
            )
        if not self._may_cut and min(values) < 0:
            raise ValueError("'padding' must not be negative")
        self.padding = values


class ConstantPad1d(_Pad):
    """Pad the last dimension with a number: shape (*, L) becomes (*, before + L + after).

    Args:
        padding: the number of elements, an int for both sides, or (before, after); negative numbers cut elements off.
        value: the number.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.nn.ConstantPad1d((1, 2), 9.0)(ms.Tensor([[1.0, 2.0]])))
        [[9. 1. 2. 9. 9.]]
    """

    def __init__(self, padding: int | tuple[int, ...], value: float) -> None:
        super().__init__(padding)
        if not isinstance(value, bool):
            take_as(float, value, "value", self.cls_name)
        self.value = value

    def construct(self, x: Tensor) -> Tensor:
        return pad(x, self.padding, "constant", self.value)


class ConstantPad2d(ConstantPad1d):
    """`ConstantPad1d` of the last two dimensions, with an int, (left, right, top, bottom) or (left, right)."""

    _count = 2


class ConstantPad3d(ConstantPad1d):
    """`ConstantPad1d` of the last three dimensions: (left, right, top, bottom, front, back), or its first pairs."""

    _count = 3


class ZeroPad2d(ConstantPad2d):
    """Pad the last two dimensions with zeros; `padding` as for `ConstantPad2d`.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.nn.ZeroPad2d((1, 0, 0, 1))(ms.Tensor([[1.0, 2.0]])))
        [[0. 1. 2.]
         [0. 0. 0.]]
    """

    def __init__(self, padding: int | tuple[int, ...]) -> None:
        super().__init__(padding, 0)


class _EdgePad(_Pad):
    """The base of the layers that continue the input beyond its edges; other dimensions may be any number."""

    _mode = "reflect"

    def construct(self, x: Tensor) -> Tensor:
        count = len(self.padding) // 2
        outer = rank(x, self.cls_name) - count
        if outer < 0:
            raise ValueError(f"the input must have {count} dimensions or more")
        if outer == 2:
            return pad(x, self.padding, self._mode)
        shape = x.shape
        result = pad(reshape(x, (math.prod(shape[:outer]), 1, *shape[outer:])), self.padding, self._mode)
        return reshape(result, (*shape[:outer], *result.shape[2:]))


class ReflectionPad1d(_EdgePad):
    """Pad the last dimension with its reflection, without repeating the edge: (*, L) becomes (*, before + L + after).

    Args:
        padding: the number of elements, an int for both sides, or (before, after), each in [0, L).

    Examples:
        >>> import torchspore as ms
        >>> print(ms.nn.ReflectionPad1d((2, 1))(ms.Tensor([[1.0, 2.0, 3.0]])))
        [[3. 2. 1. 2. 3. 2.]]
    """

    _may_cut = False


class ReflectionPad2d(ReflectionPad1d):
    """`ReflectionPad1d` of the last two dimensions, with an int, (left, right, top, bottom) or (left, right)."""

    _count = 2


class ReflectionPad3d(ReflectionPad1d):
    """`ReflectionPad1d` of the last three dimensions: (left, right, top, bottom, front, back), or its first pairs."""

    _count = 3


class ReplicationPad1d(_EdgePad):
    """Pad the last dimension by repeating its first and last element; `padding` as for `ConstantPad1d`.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.nn.ReplicationPad1d((2, 1))(ms.Tensor([[1.0, 2.0, 3.0]])))
        [[1. 1. 1. 2. 3. 3.]]
    """

    _mode = "replicate"


class ReplicationPad2d(ReplicationPad1d):
    """`ReplicationPad1d` of the last two dimensions, with an int, (left, right, top, bottom) or (left, right)."""

    _count = 2


class ReplicationPad3d(ReplicationPad1d):
    """`ReplicationPad1d` of the last three dimensions: (left, right, top, bottom, front, back), or its first pairs."""

    _count = 3
