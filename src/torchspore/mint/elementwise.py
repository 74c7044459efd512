"""Arithmetic, comparison, logic and functions of single elements, with torch's signatures."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from torchspore.common.scopes.scope import number
from torchspore.common.tensor import Tensor as _Tensor
from torchspore.engine.arguments.conversions import as_term, refuse_as_tensor
from torchspore.engine.op import Operand, op, unary
from torchspore.engine.widening import wrapping
from torchspore.ops import equal as eq
from torchspore.ops import isclose, nonzero
from torchspore.ops.math import arithmetic
from torchspore.ops.math import elementwise as ops

__all__ = [
    "add", "addcdiv", "addcmul", "allclose", "bitwise_not", "clone", "equal", "frac", "imag", "isnan", "item", "pow",
    "sub", "where",
]  # fmt: skip

bitwise_not = unary(torch.bitwise_not, "Bitwise (of bools: logical) not.", method=())
frac = unary(torch.frac, "The fractional part, with the sign of the element.", method=())


@op
def clone(input: Tensor) -> Tensor:
    """A copy; gradients flow through."""
    return input.clone()


@op
def isnan(tensor: Tensor) -> Tensor:
    """Whether the element is nan."""
    return torch.isnan(tensor)


@op
def imag(input: Tensor) -> Tensor:
    """The imaginary part: of a complex tensor a view of its memory, of a real one zeros."""
    return torch.imag(input) if input.is_complex() else torch.zeros_like(input)


@op(operand=as_term, trait=wrapping)
def add(input: Operand, other: Operand, *, alpha: Operand = 1) -> Tensor:
    """`input + alpha * other`, of Tensors or numbers, in the broadcast shape and the promoted dtype.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.mint.add(ms.Tensor([1.0, 2.0]), 1, alpha=0.5))
        [1.5 2.5]
    """
    return ops.add.body(input, other if alpha == 1 else _scaled(input, other, alpha))


@op(operand=as_term, trait=wrapping)
def sub(input: Operand, other: Operand, *, alpha: Operand = 1) -> Tensor:
    """`input - alpha * other`; arguments and result as for `add`."""
    return ops.sub.body(input, other if alpha == 1 else _scaled(input, other, alpha))


def _scaled(input: Any, other: Any, alpha: Any) -> Any:
    # A float times integers would yield floats, which nobody asked for; torch refuses too.
    exact = all(
        x.__class__ is int or (isinstance(x, torch.Tensor) and not x.is_floating_point() and not x.is_complex())
        for x in (input, other)
    )
    if exact and alpha.__class__ is float:
        raise TypeError("'alpha' must be an int for integers")
    return other * alpha


@op
def pow(input: Operand, exponent: Operand) -> Tensor:
    """`input` to the power of `exponent`; one of the two may be a number."""
    return ops.pow.body(input, exponent)


@op
def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Operand = 1) -> Tensor:
    """`input + value * tensor1 / tensor2`."""
    return arithmetic.addcdiv.body(input, tensor1, tensor2, value)


@op
def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Operand = 1) -> Tensor:
    """`input + value * tensor1 * tensor2`."""
    return torch.addcmul(input, tensor1, tensor2, value=value)


def allclose(input: _Tensor, other: _Tensor, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> bool:
    """Return whether all elements are close, as a Python bool; see `isclose`."""
    return bool(number(_all(isclose(input, other, rtol, atol, equal_nan)), bool))


def equal(input: _Tensor, other: _Tensor) -> bool:
    """Return whether two tensors have the same shape and elements, as a Python bool."""
    for name, value in (("input", input), ("other", other)):
        if not isinstance(value, _Tensor):
            refuse_as_tensor(value, "equal", name)
    return input.shape == other.shape and bool(number(_all(eq(input, other)), bool))


@op
def _all(input: Tensor) -> Tensor:
    return input.all()


def item(input: _Tensor) -> Any:
    """Return the only element of a tensor as a Python number.

    Raises:
        ValueError: it has no or several elements.
    """
    if not isinstance(input, _Tensor):
        refuse_as_tensor(input, "item", "input")
    return input.item()


def where(condition: _Tensor, input: Any = None, other: Any = None) -> Any:
    """Choose elements of `input` where `condition` is true (not zero), else of `other`; both are Tensors or numbers.

    For a condition alone, return the indices where it is true, as a tuple with a Tensor for each dimension.

    Raises:
        TypeError: just one of `input` and `other` is given.

    Examples:
        >>> import torchspore as ms
        >>> condition = ms.Tensor([True, False])
        >>> print(ms.mint.where(condition, ms.Tensor([1.0, 2.0]), 0.0))
        [1. 0.]
    """
    if input is None and other is None:
        return nonzero(condition, as_tuple=True)
    return ops.where(condition, input, other)
