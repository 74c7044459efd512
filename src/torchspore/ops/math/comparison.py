"""Comparisons other than the operators: within a tolerance, counts of equal elements, kinds of numbers."""

from __future__ import annotations

from typing import Annotated

import torch
from torch import Tensor

from torchspore.common.tensor import Tensor as _Tensor
from torchspore.engine.arguments.conversions import refuse_as_tensor
from torchspore.engine.distributed.cutting import rules
from torchspore.engine.failures.errors import describe
from torchspore.engine.op import Operand, attach, op, unary
from torchspore.engine.parameters import TypeOf
from torchspore.engine.primitive import as_primitive, primitive
from torchspore.ops.array.overloads import renaming_method
from torchspore.ops.math.elementwise import sub

__all__ = [
    "ApproximateEqual", "CheckNumerics", "CompareAndBitpack", "EqualCount", "FloatStatus", "IsClose",
    "approximate_equal", "is_nonzero", "isclose", "isnan_ext", "isneginf", "isposinf", "isreal",
]  # fmt: skip

isposinf = unary(torch.isposinf, "Whether the element is inf.")
isneginf = unary(torch.isneginf, "Whether the element is -inf.")
isreal = unary(torch.isreal, "Whether the element is real: of a real dtype, or without an imaginary part.")
isnan_ext = unary(torch.isnan, "Whether the element is nan; the same as `isnan`.", name="isnan_ext", method=())


@op
def isclose(
    input: Tensor,
    other: Annotated[Tensor, TypeOf("input")],
    rtol: float = 1e-05,
    atol: float = 1e-08,
    equal_nan: bool = False,
) -> Tensor:
    """Whether the elements are equal within a tolerance: `|input - other| <= atol + rtol * |other|`.

    Args:
        input: a Tensor.
        other: a Tensor of the same dtype; the shapes are broadcast.
        rtol: the relative tolerance. Default: 1e-05.
        atol: the absolute tolerance. Default: 1e-08.
        equal_nan: whether nan equals nan. Default: False.

    Returns:
        A Tensor of bools; infinities of the same sign are equal.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.isclose(ms.Tensor([1.0, 2.0]), ms.Tensor([1.0, 2.1])))
        [ True False]
    """
    if rtol >= 0 and atol >= 0:
        return torch.isclose(input, other, rtol, atol, equal_nan)
    close = (input == other) | ((input - other).abs() <= atol + rtol * other.abs())
    return close | (input.isnan() & other.isnan()) if equal_nan else close


renaming_method("isclose", isclose, x2="other")


def _allclose(self: _Tensor, other: _Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
    """Return whether all elements are equal within a tolerance; arguments as for `ops.isclose`."""
    return bool(isclose(self, other, rtol, atol, equal_nan).all())


attach(_allclose, "allclose")


@op
def approximate_equal(x: Tensor, y: Tensor, tolerance: float = 1e-05) -> Tensor:
    """Whether the elements differ by less than `tolerance`; infinities and nan equal nothing."""
    return torch.abs(sub.body(x, y)) < tolerance


renaming_method("approximate_equal", approximate_equal, other="y")


def is_nonzero(input: _Tensor) -> bool:
    """Return whether the only element of a Tensor is not 0 or False.

    Raises:
        ValueError: it does not have exactly one element.
    """
    if not isinstance(input, _Tensor):
        refuse_as_tensor(input, "is_nonzero", "input")
    if input.size != 1:
        raise ValueError(f"For 'is_nonzero', 'input' must have one element, but got {describe(input)}.")
    return bool(input)


@as_primitive
def EqualCount(x: Annotated[Tensor, "*S"], y: Annotated[Tensor, "*S"]) -> Tensor:
    """The number of equal elements, a Tensor of shape (1,) in the dtype of `x`."""
    return torch.sum(x == y).to(x.dtype).reshape(1)


@as_primitive
def FloatStatus(x: Tensor) -> Tensor:
    """1.0 if any element is nan or infinite, else 0.0, a Tensor of shape (1,)."""
    return torch.logical_not(torch.isfinite(x).all()).float().reshape(1)


@as_primitive
def CheckNumerics(x: Tensor) -> Tensor:
    """Return `x`, or raise RuntimeError if an element is nan or infinite."""
    for kind, found in (("nan", torch.isnan), ("inf", torch.isinf)):
        if found(x).any():
            raise RuntimeError(f"For 'CheckNumerics', {describe(x)} has elements that are {kind}.")
    return x


@as_primitive
def CompareAndBitpack(x: Tensor, threshold: Operand) -> Tensor:
    """Whether elements exceed `threshold`, packed in bytes along the last dimension, the first in the highest bit.

    Raises:
        ValueError: the last dimension is not a multiple of 8.
    """
    if x.dim() == 0 or x.shape[-1] % 8:
        raise ValueError("the last dimension must be a multiple of 8")
    bits = (x > threshold).unflatten(-1, (-1, 8)).int()
    bit_values = 2 ** torch.arange(7, -1, -1, dtype=torch.int32, device=x.device)
    return (bits * bit_values).sum(-1).to(torch.uint8)


ApproximateEqual = primitive("ApproximateEqual", approximate_equal, tolerance=1e-05)
IsClose = primitive("IsClose", isclose, rtol=1e-05, atol=1e-08, equal_nan=False)
rules.cut_by(rules.aligned, ApproximateEqual)
