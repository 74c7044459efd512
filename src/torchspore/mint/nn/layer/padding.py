"""Padding layers: `mint.nn.functional.pad` as cells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torchspore.common.tensor import Tensor
from torchspore.engine.parameters import AnyFloat, checked
from torchspore.mint.nn import functional as F
from torchspore.nn.cell import Cell
from torchspore.ops.conv.windows import each

__all__ = [
    "ConstantPad1d", "ConstantPad2d", "ConstantPad3d", "ReflectionPad1d", "ReflectionPad2d", "ReflectionPad3d",
    "ReplicationPad1d", "ReplicationPad2d", "ReplicationPad3d", "ZeroPad1d", "ZeroPad2d", "ZeroPad3d",
]  # fmt: skip

_ANY = -(2**63)  # negative padding cuts elements off; only constant padding may be negative


class ConstantPad1d(Cell):
    """Pad the last dimension with a number.

    Args:
        padding: the number of elements, an int for all sides, or a pair (before, after) for each dimension padded, the
            last dimension first; negative numbers cut elements off.
        value: the number.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.mint.nn.ConstantPad1d((1, 2), 9.0)(ms.Tensor([[1.0, 2.0]])))
        [[9. 1. 2. 9. 9.]]
    """

    _count = 1

    @checked
    def __init__(self, padding: int | Sequence[int], value: AnyFloat) -> None:
        super().__init__()
        self.padding = each(padding, 2 * self._count, "padding", self.cls_name, minimum=_ANY)
        self.value = value

    def construct(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "constant", self.value)


class ConstantPad2d(ConstantPad1d):
    """Pad the last two dimensions with a number; see `ConstantPad1d`."""

    _count = 2


class ConstantPad3d(ConstantPad1d):
    """Pad the last three dimensions with a number; see `ConstantPad1d`."""

    _count = 3


class ZeroPad1d(ConstantPad1d):
    """Pad the last dimension with zeros; `padding` as for `ConstantPad1d`."""

    def __init__(self, padding: int | Sequence[int]) -> None:
        super().__init__(padding, 0.0)


class ZeroPad2d(ZeroPad1d):
    """Pad the last two dimensions with zeros; `padding` as for `ConstantPad1d`."""

    _count = 2


class ZeroPad3d(ZeroPad1d):
    """Pad the last three dimensions with zeros; `padding` as for `ConstantPad1d`."""

    _count = 3


class _EdgePad(Cell):
    """The base of the layers that continue the input beyond its edges."""

    _count = 1
    _mode = "reflect"

    def __init__(self, padding: int | Sequence[int]) -> None:
        super().__init__()
        self.padding = each(padding, 2 * self._count, "padding", self.cls_name, minimum=0)

    def construct(self, input: Tensor) -> Any:
        return F.pad(input, self.padding, self._mode)


class ReflectionPad1d(_EdgePad):
    """Pad the last dimension with its reflection, without repeating the edge.

    Args:
        padding: the number of elements, an int for all sides, or a pair (before, after) for each dimension padded, the
            last dimension first.

    Inputs: a Tensor of shape (N, C, L) or (C, L); for two dimensions (N, C, H, W) or (C, H, W), and so on.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.mint.nn.ReflectionPad1d(2)(ms.Tensor([[1.0, 2.0, 3.0]])))
        [[3. 2. 1. 2. 3. 2. 1.]]
    """


class ReflectionPad2d(_EdgePad):
    """Pad the last two dimensions with their reflection; see `ReflectionPad1d`."""

    _count = 2


class ReflectionPad3d(_EdgePad):
    """Pad the last three dimensions with their reflection; see `ReflectionPad1d`."""

    _count = 3


class ReplicationPad1d(_EdgePad):
    """Pad the last dimension by repeating its first and last element; arguments as for `ReflectionPad1d`."""

    _mode = "replicate"


class ReplicationPad2d(ReplicationPad1d):
    """Pad the last two dimensions by repeating the outermost elements; see `ReflectionPad1d`."""

    _count = 2


class ReplicationPad3d(ReplicationPad1d):
    """Pad the last three dimensions by repeating the outermost elements; see `ReflectionPad1d`."""

    _count = 3
