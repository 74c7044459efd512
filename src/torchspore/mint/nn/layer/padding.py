"""Padding layers: each is `mint.nn.functional.pad` with its arguments kept."""

from __future__ import annotations

from typing import Any

from torchspore.common.tensor import Tensor
from torchspore.engine.arguments import as_float
from torchspore.mint.nn import functional as F
from torchspore.nn.cell import Cell
from torchspore.ops.conv.windows import each

__all__ = [
    "ConstantPad1d", "ConstantPad2d", "ConstantPad3d", "ReflectionPad1d", "ReflectionPad2d", "ReflectionPad3d",
    "ReplicationPad1d", "ReplicationPad2d", "ReplicationPad3d", "ZeroPad1d", "ZeroPad2d", "ZeroPad3d",
]  # fmt: skip

_ANY = -(2**63)  # a constant may also cut elements off: negative padding


class ConstantPad1d(Cell):
    """Put a number before and behind the last dimension.

    Args:
        padding: how many, an int for all sides, or a pair (before, behind) for each dimension padded, the last
            dimension first; negative numbers cut elements off.
        value: the number.

    Inputs:
        A Tensor.

    Raises:
        TypeError: an argument is of a wrong type.
        ValueError: `padding` does not hold a pair for each dimension.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.mint.nn.ConstantPad1d((1, 2), 9.0)(ms.Tensor([[1.0, 2.0]])))
        [[9. 1. 2. 9. 9.]]

    MindSpore: `mindspore.mint.nn.ConstantPad1d`.
    """

    _count = 1

    def __init__(self, padding: int | tuple[int, ...], value: float) -> None:
        super().__init__()
        self.padding = each(padding, 2 * self._count, "padding", self.cls_name, minimum=_ANY)
        self.value = as_float(value, self.cls_name, "value")

    def construct(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "constant", self.value)


class ConstantPad2d(ConstantPad1d):
    """Put a number before and behind the last two dimensions; see `ConstantPad1d`.

    MindSpore: `mindspore.mint.nn.ConstantPad2d`.
    """

    _count = 2


class ConstantPad3d(ConstantPad1d):
    """Put a number before and behind the last three dimensions; see `ConstantPad1d`.

    MindSpore: `mindspore.mint.nn.ConstantPad3d`.
    """

    _count = 3


class ZeroPad1d(ConstantPad1d):
    """Put zeros before and behind the last dimension; `padding` as for `ConstantPad1d`.

    MindSpore: `mindspore.mint.nn.ZeroPad1d`.
    """

    def __init__(self, padding: int | tuple[int, ...]) -> None:
        super().__init__(padding, 0.0)


class ZeroPad2d(ZeroPad1d):
    """Put zeros before and behind the last two dimensions; `padding` as for `ConstantPad1d`.

    MindSpore: `mindspore.mint.nn.ZeroPad2d`.
    """

    _count = 2


class ZeroPad3d(ZeroPad1d):
    """Put zeros before and behind the last three dimensions; `padding` as for `ConstantPad1d`.

    MindSpore: `mindspore.mint.nn.ZeroPad3d`.
    """

    _count = 3


class _EdgePad(Cell):
    """The base of the layers that continue the input beyond its edges."""

    _count = 1
    _mode = "reflect"

    def __init__(self, padding: int | tuple[int, ...]) -> None:
        super().__init__()
        self.padding = each(padding, 2 * self._count, "padding", self.cls_name, minimum=0)

    def construct(self, input: Tensor) -> Any:
        return F.pad(input, self.padding, self._mode)


class ReflectionPad1d(_EdgePad):
    """Mirror the last dimension at its ends, without repeating the edge.

    Args:
        padding: how many elements, an int for all sides, or a pair (before, behind) for each dimension padded, the
            last dimension first.

    Inputs:
        A Tensor of shape (N, C, L) or (C, L); for two dimensions (N, C, H, W) or (C, H, W), and so on.

    Raises:
        TypeError: `padding` holds no ints.
        ValueError: `padding` does not hold a pair for each dimension, or the input is too small.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.mint.nn.ReflectionPad1d(2)(ms.Tensor([[1.0, 2.0, 3.0]])))
        [[3. 2. 1. 2. 3. 2. 1.]]

    MindSpore: `mindspore.mint.nn.ReflectionPad1d`.
    """


class ReflectionPad2d(_EdgePad):
    """Mirror the last two dimensions at their ends; see `ReflectionPad1d`.

    MindSpore: `mindspore.mint.nn.ReflectionPad2d`.
    """

    _count = 2


class ReflectionPad3d(_EdgePad):
    """Mirror the last three dimensions at their ends; see `ReflectionPad1d`.

    MindSpore: `mindspore.mint.nn.ReflectionPad3d`.
    """

    _count = 3


class ReplicationPad1d(_EdgePad):
    """Repeat the first and the last element of the last dimension; arguments and errors as for `ReflectionPad1d`.

    MindSpore: `mindspore.mint.nn.ReplicationPad1d`.
    """

    _mode = "replicate"


class ReplicationPad2d(_EdgePad):
    """Repeat the outermost elements of the last two dimensions; see `ReflectionPad1d`.

    MindSpore: `mindspore.mint.nn.ReplicationPad2d`.
    """

    _count = 2
    _mode = "replicate"


class ReplicationPad3d(_EdgePad):
    """Repeat the outermost elements of the last three dimensions; see `ReflectionPad1d`.

    MindSpore: `mindspore.mint.nn.ReplicationPad3d`.
    """

    _count = 3
    _mode = "replicate"
