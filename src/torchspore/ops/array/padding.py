"""Padding."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from torchspore.common.tensor import Tensor as _Tensor
from torchspore.engine.arguments import as_size
from torchspore.engine.naming import named
from torchspore.engine.op import Operand, Size, op
from torchspore.engine.primitive import Primitive, primitive

__all__ = ["MirrorPad", "Pad", "PadV3", "Padding", "mirror_pad", "pad", "padding"]

_MODES = ("constant", "reflect", "replicate", "circular")


@op
def pad(input_x: Tensor, padding: Size, mode: str = "constant", value: Operand | None = None) -> Tensor:
    """Put elements before and behind the last dimensions of a tensor.

    Args:
        input_x: a Tensor; for other modes than "constant" of 2 or 3 dimensions to pad the last, of 3 or 4 to pad the
            last two, of 4 or 5 to pad the last three.
        padding: how many elements, a pair (before, behind) for the last dimension, then for the one before it, and so
            on. Negative numbers cut elements off ("constant" only).
        mode: "constant" fills with `value`, "reflect" mirrors without repeating the edge, "replicate" repeats the edge,
            "circular" goes on from the other end. Default: "constant".
        value: what "constant" fills with. Default: None, 0.

    Raises:
        ValueError: no pairs, more pairs than dimensions, another mode, or `value` with a mode that does not use it.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.pad(ms.Tensor([[1, 2]]), (1, 0, 0, 1), value=9))
        [[9 1 2]
         [9 9 9]]
    """
    if mode not in _MODES:
        raise ValueError(f"For 'pad', 'mode' must be one of {_MODES}, but got {mode!r}.")
    if len(padding) % 2:
        raise ValueError(f"For 'pad', 'padding' must hold pairs of ints, but got {padding}.")
    if mode == "constant":
        if isinstance(value, torch.Tensor):
            value = value.item()
        if min(padding, default=0) < 0:
            _check_cuts(input_x, padding)
        if not input_x.is_floating_point() and isinstance(value, float):
            value = int(value)
        return torch.nn.functional.pad(input_x, padding, "constant", value)
    if value is not None:
        raise ValueError(f"For 'pad', 'value' is for the mode 'constant', but got value {value} and mode {mode!r}.")
    if not 0 <= input_x.dim() - len(padding) // 2 <= 2:
        raise ValueError(
            f"For 'pad', mode {mode!r} pads the last dimension of 2 or 3, the last two of 3 or 4, the last three of 4 "
            f"or 5, but got padding {padding} for shape {tuple(input_x.shape)}."
        )
    return torch.nn.functional.pad(input_x, padding, mode)


def _check_cuts(input_x: Tensor, padding: tuple[int, ...]) -> None:
    for dim, (before, behind) in enumerate(zip(padding[::2], padding[1::2]), 1):
        if dim <= input_x.dim() and input_x.shape[-dim] + before + behind < 0:
            raise ValueError(
                f"For 'pad', 'padding' cuts more off than there is: ({before}, {behind}) from dimension {-dim} of "
                f"shape {tuple(input_x.shape)}."
            )


@op
def padding(x: Tensor, pad_dim_size: int = 8) -> Tensor:
    """Lengthen the last dimension from 1 to `pad_dim_size` by zeros.

    Raises:
        ValueError: the last dimension is not of size 1, or `pad_dim_size` is less than 1.
    """
    if x.dim() < 2 or x.shape[-1] != 1 or pad_dim_size < 1:
        raise ValueError(
            f"For 'padding', 'x' must have 2 dimensions or more, the last of size 1, and 'pad_dim_size' must be "
            f"positive, but got shape {tuple(x.shape)} and {pad_dim_size}."
        )
    return torch.nn.functional.pad(x, (0, pad_dim_size - 1))


Padding = primitive("Padding", padding, pad_dim_size=8)


@op(name="Pad")
def _pad_all(input_x: Tensor, paddings: Any) -> Tensor:
    if len(paddings) != input_x.dim():
        raise ValueError(
            f"For 'Pad', 'paddings' must hold a pair for every dimension, but got {paddings} for shape "
            f"{tuple(input_x.shape)}."
        )
    return torch.nn.functional.pad(input_x, [count for pair in reversed(paddings) for count in pair])


class Pad(Primitive):
    """Put zeros before and behind every dimension.

    Args:
        paddings: a tuple of pairs (before, behind), one for each dimension in their order.

    Raises:
        ValueError: it does not hold pairs of ints >= 0.

    MindSpore: `mindspore.ops.Pad`.
    """

    def __init__(self, paddings: tuple[tuple[int, int], ...]) -> None:
        super().__init__()
        if not isinstance(paddings, tuple):
            raise TypeError(f"For 'Pad', 'paddings' must be a tuple of pairs of ints, but got {paddings!r}.")
        self.paddings = tuple(as_size(pair, "Pad", "paddings") for pair in paddings)
        if any(len(pair) != 2 or min(pair) < 0 for pair in self.paddings):
            raise ValueError(f"For 'Pad', 'paddings' must hold pairs of ints >= 0, but got {paddings}.")

    def __call__(self, input_x: _Tensor) -> _Tensor:
        """Return the padded tensor; ValueError if there is no pair for a dimension."""
        return _pad_all(input_x, self.paddings)


class PadV3(Primitive):
    """Put elements before and behind the last dimensions; see `ops.pad`.

    Args:
        mode: "constant", "reflect", "edge" or "circular". Default: "constant".
        paddings_contiguous: whether the paddings are pairs, last dimension first; otherwise they are all numbers
            before, then all numbers behind. Default: True.

    MindSpore: `mindspore.ops.PadV3`.
    """

    def __init__(self, mode: str = "constant", paddings_contiguous: bool = True) -> None:
        super().__init__()
        if mode not in ("constant", "reflect", "edge", "circular"):
            raise ValueError(
                f"For 'PadV3', 'mode' must be 'constant', 'reflect', 'edge' or 'circular', but got {mode!r}."
            )
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
        raise ValueError(
            f"For 'MirrorPad', 'paddings' must have shape ({input_x.dim()}, 2), a pair for every dimension, but got "
            f"shape {tuple(paddings.shape)}."
        )
    edge = 1 if mode == "REFLECT" else 0
    for dim, (before, behind) in enumerate(paddings.tolist()):
        size = input_x.shape[dim]
        if min(before, behind) < 0 or max(before, behind) > size - edge:
            raise ValueError(
                f"For 'MirrorPad', mode {mode!r} can pad dimension {dim} of size {size} by 0 to {size - edge}, but got "
                f"({before}, {behind})."
            )
        index = torch.arange(-before, size + behind, device=input_x.device)
        index = torch.where(index < 0, -index - 1 + edge, index)
        index = torch.where(index >= size, 2 * size - 1 - edge - index, index)
        input_x = input_x.index_select(dim, index)
    return input_x


@named
def mirror_pad(input_x: _Tensor, paddings: _Tensor, mode: str) -> _Tensor:
    """Put mirrored elements before and behind every dimension.

    Args:
        input_x: a Tensor.
        paddings: how many elements, a Tensor of ints with a pair (before, behind) for every dimension.
        mode: "REFLECT" leaves the edge out of the mirror image, "SYMMETRIC" repeats it.

    Raises:
        ValueError: another mode, or more elements than there are to mirror.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.mirror_pad(ms.Tensor([1, 2, 3]), ms.Tensor([[1, 2]]), "REFLECT"))
        [2 1 2 3 2 1]
    """
    return MirrorPad(mode)(input_x, paddings)


class MirrorPad(Primitive):
    """Put mirrored elements before and behind every dimension.

    Args:
        mode: "REFLECT" leaves the edge out of the mirror image, "SYMMETRIC" repeats it. Default: "REFLECT".

    MindSpore: `mindspore.ops.MirrorPad`.
    """

    def __init__(self, mode: str = "REFLECT") -> None:
        super().__init__()
        if mode not in ("REFLECT", "SYMMETRIC"):
            raise ValueError(f"For 'MirrorPad', 'mode' must be 'REFLECT' or 'SYMMETRIC', but got {mode!r}.")
        self.mode = mode

    def __call__(self, input_x: _Tensor, paddings: _Tensor) -> _Tensor:
        """Return the padded tensor; `paddings` holds a pair (before, behind) for every dimension."""
        return _mirror_pad(input_x, paddings, self.mode)
