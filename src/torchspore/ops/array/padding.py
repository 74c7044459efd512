"""Padding."""

from __future__ import annotations

from typing import Annotated, Any

import torch
from torch import Tensor

from torchspore.common.tensor import Tensor as _Tensor
from torchspore.engine.arguments.conversions import as_size
from torchspore.engine.failures.naming import named
from torchspore.engine.op import Operand, Size, op
from torchspore.engine.parameters import Positive
from torchspore.engine.primitive import Primitive, primitive

__all__ = ["MirrorPad", "Pad", "PadV3", "Padding", "mirror_pad", "pad", "padding"]

_MODES = ("constant", "reflect", "replicate", "circular")


@op
def pad(input_x: Tensor, padding: Size, mode: str = "constant", value: Operand | None = None) -> Tensor:
    """Pad the last dimensions of a tensor.

    Args:
        input_x: a Tensor; for modes other than "constant" of 2 or 3 dimensions to pad the last, of 3 or 4 to pad the
            last two, of 4 or 5 to pad the last three.
        padding: the number of elements, a pair (before, after) for the last dimension, then for the second to last, and
            so on. Negative numbers crop ("constant" only).
        mode: "constant" pads with `value`, "reflect" with the reflection without the edge, "replicate" with the edge,
            "circular" with elements from the other end. Default: "constant".
        value: the padding of the mode "constant". Default: None, 0.

    Raises:
        ValueError: `value` is given for another mode than "constant".

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.pad(ms.Tensor([[1, 2]]), (1, 0, 0, 1), value=9))
        [[9 1 2]
         [9 9 9]]
    """
    if mode not in _MODES:
        raise ValueError(f"'mode' must be one of {_MODES}")
    if len(padding) % 2:
        raise ValueError("'padding' must hold pairs of ints")
    if mode == "constant":
        if isinstance(value, torch.Tensor):
            value = value.item()
        if min(padding, default=0) < 0:
            _check_cuts(input_x, padding)
        if not input_x.is_floating_point() and isinstance(value, float):
            value = int(value)
        # `torch.nn.functional.pad` would round ints to floats.
        return torch.constant_pad_nd(input_x, padding, 0 if value is None else value)
    if value is not None:
        raise ValueError(f"'value' is for the mode 'constant', but got value {value} and mode {mode!r}")
    if not 0 <= input_x.dim() - len(padding) // 2 <= 2:
        raise ValueError(
            f"mode {mode!r} pads the last dimension of 2 or 3, the last two of 3 or 4, the last three of 4 or 5"
        )
    return torch.nn.functional.pad(input_x, padding, mode)


def _check_cuts(input_x: Tensor, padding: tuple[int, ...]) -> None:
    for dim, (before, after) in enumerate(zip(padding[::2], padding[1::2]), 1):
        if dim <= input_x.dim() and input_x.shape[-dim] + before + after < 0:
            raise ValueError(
                f"'padding' crops more than the size: ({before}, {after}) from dimension {-dim} of shape "
                f"{tuple(input_x.shape)}"
            )


@op
def padding(x: Annotated[Tensor, "... N 1"], pad_dim_size: Positive = 8) -> Tensor:
    """Pad the last dimension, of size 1, with zeros to `pad_dim_size`."""
    return torch.nn.functional.pad(x, (0, pad_dim_size - 1))


Padding = primitive("Padding", padding, pad_dim_size=8)


@op(name="Pad")
def _pad_all(input_x: Tensor, paddings: Any) -> Tensor:
    if len(paddings) != input_x.dim():
        raise ValueError(
            f"'paddings' must hold a pair for every dimension, but got {paddings} for shape {tuple(input_x.shape)}"
        )
    return torch.nn.functional.pad(input_x, [count for pair in reversed(paddings) for count in pair])


class Pad(Primitive):
    """Pad every dimension with zeros.

    Args:
        paddings: a tuple of pairs (before, after) of ints >= 0, one for each dimension in order.
    """

    def __init__(self, paddings: tuple[tuple[int, int], ...]) -> None:
        super().__init__()
        if not isinstance(paddings, tuple):
            raise TypeError("'paddings' must be a tuple of pairs of ints")
        self.paddings = tuple(as_size(pair, "Pad", "paddings") for pair in paddings)
        if any(len(pair) != 2 or min(pair) < 0 for pair in self.paddings):
            raise ValueError("'paddings' must hold pairs of ints >= 0")

    def __call__(self, input_x: _Tensor) -> _Tensor:
        """Return the padded tensor; ValueError if there is no pair for a dimension."""
        return _pad_all(input_x, self.paddings)


class PadV3(Primitive):
    """Pad the last dimensions; see `ops.pad`.

    Args:
        mode: "constant", "reflect", "edge" or "circular". Default: "constant".
        paddings_contiguous: whether the paddings are pairs, last dimension first; else all numbers before come first,
            then all numbers after. Default: True.
    """

    def __init__(self, mode: str = "constant", paddings_contiguous: bool = True) -> None:
        super().__init__()
        if mode not in ("constant", "reflect", "edge", "circular"):
            raise ValueError("'mode' must be 'constant', 'reflect', 'edge' or 'circular'")
        self.mode = mode
        self.paddings_contiguous = paddings_contiguous

    def __call__(self, x: _Tensor, paddings: Any, constant_value: Any = None) -> _Tensor:
        """Return the padded tensor."""
        counts = as_size(paddings, "PadV3", "paddings")
        if not self.paddings_contiguous:
            half = len(counts) // 2
            counts = tuple(count for pair in zip(counts[:half], counts[half:]) for count in pair)
        return pad(x, counts, "replicate" if self.mode == "edge" else self.mode, constant_value)


@op(name="MirrorPad")
def _mirror_pad(input_x: Tensor, paddings: Any, mode: str) -> Tensor:
    if tuple(paddings.shape) != (input_x.dim(), 2):
        raise ValueError(f"'paddings' must have shape ({input_x.dim()}, 2), a pair for every dimension")
    edge = 1 if mode == "REFLECT" else 0
    for dim, (before, after) in enumerate(paddings.tolist()):
        size = input_x.shape[dim]
        if min(before, after) < 0 or max(before, after) > size - edge:
            raise ValueError(
                f"mode {mode!r} can pad dimension {dim} of size {size} by 0 to {size - edge}, but got ({before}, "
                f"{after})"
            )
        index = torch.arange(-before, size + after, device=input_x.device)
        index = torch.where(index < 0, -index - 1 + edge, index)
        index = torch.where(index >= size, 2 * size - 1 - edge - index, index)
        input_x = input_x.index_select(dim, index)
    return input_x


@named
def mirror_pad(input_x: _Tensor, paddings: _Tensor, mode: str) -> _Tensor:
    """Pad every dimension with its reflection.

    Args:
        input_x: a Tensor.
        paddings: how many elements, a Tensor of ints with a pair (before, after) for every dimension.
        mode: "REFLECT" excludes the edge from the reflection, "SYMMETRIC" includes it.

    Raises:
        ValueError: the padding exceeds the reflection.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.mirror_pad(ms.Tensor([1, 2, 3]), ms.Tensor([[1, 2]]), "REFLECT"))
        [2 1 2 3 2 1]
    """
    return MirrorPad(mode)(input_x, paddings)


class MirrorPad(Primitive):
    """Pad every dimension with its reflection.

    Args:
        mode: "REFLECT" excludes the edge from the reflection, "SYMMETRIC" includes it. Default: "REFLECT".
    """

    def __init__(self, mode: str = "REFLECT") -> None:
        super().__init__()
        if mode not in ("REFLECT", "SYMMETRIC"):
            raise ValueError("'mode' must be 'REFLECT' or 'SYMMETRIC'")
        self.mode = mode

    def __call__(self, input_x: _Tensor, paddings: _Tensor) -> _Tensor:
        """Return the padded tensor; `paddings` holds a pair (before, after) for every dimension."""
        return _mirror_pad(input_x, paddings, self.mode)
