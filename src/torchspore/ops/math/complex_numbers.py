"""Complex numbers: their parts, and their construction from parts."""

from __future__ import annotations

import math
from typing import Annotated

import torch
from torch import Tensor

from torchspore.engine.op import Operand, op, unary
from torchspore.engine.parameters import Dimensions, TypeOf, holding
from torchspore.engine.primitive import as_primitive, primitive
from torchspore.ops.math.elementwise import of_tensors

__all__ = [
    "Angle", "Complex", "ComplexAbs", "Conj", "ConjugateTranspose", "Imag", "Polar", "Real", "adjoint", "angle", "conj",
    "imag", "polar", "real", "view_as_real",
]  # fmt: skip

conj = unary(torch.conj_physical, "The complex conjugate.", name="conj")
angle = unary(torch.angle, "The angle in radians between the number and the positive real axis.")


@op(method="real")
def real(input: Tensor) -> Tensor:
    """The real part; of real numbers, themselves."""
    return torch.real(input)


@op(method="imag")
def imag(input: Tensor) -> Tensor:
    """The imaginary part; of real numbers, 0."""
    return torch.imag(input) if input.is_complex() else torch.zeros_like(input)


@op(method="adjoint")
def adjoint(x: Annotated[Tensor, Dimensions(2, math.inf)]) -> Tensor:
    """The conjugate, with the last two dimensions swapped."""
    return torch.conj_physical(x.mT)


@op
def view_as_real(input: Tensor) -> Tensor:
    """The real and the imaginary parts of complex numbers, side by side in a new last dimension."""
    return torch.view_as_real(input)


@op
def polar(abs: Operand, angle: Operand) -> Tensor:
    """The complex numbers with given magnitudes and angles.

    Args:
        abs: the magnitudes, a Tensor of dtype float32 or float64, or a number.
        angle: the angles in radians, likewise.

    Returns:
        A Tensor of dtype complex64 or complex128.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.polar(ms.Tensor([1.0, 2.0]), ms.Tensor([0.0, 0.0])))
        [1.+0.j 2.+0.j]
    """
    return of_tensors(_polar)(abs, angle)


def _polar(abs: Tensor, angle: Tensor) -> Tensor:
    if abs.dtype is not angle.dtype or abs.dtype not in (torch.float32, torch.float64):
        raise TypeError("'abs' and 'angle' must both be of float32 or of float64")
    return torch.polar(abs, angle)


@as_primitive
def Complex(
    real: Annotated[Tensor, holding(torch.float32, torch.float64)], imag: Annotated[Tensor, TypeOf("real")]
) -> Tensor:
    """The complex numbers with given real and imaginary parts, both of dtype float32 or both of float64."""
    return torch.complex(real, imag)


@as_primitive
def ComplexAbs(x: Tensor) -> Tensor:
    """The magnitudes of complex numbers."""
    return torch.abs(x)


@as_primitive
def ConjugateTranspose(x: Tensor, perm: int | tuple[int, ...]) -> Tensor:
    """The conjugate of `x` with its dimensions in the order `perm`."""
    return torch.conj_physical(x.permute(perm))


Angle = primitive("Angle", angle)
Conj = primitive("Conj", conj)
Imag = primitive("Imag", imag)
Polar = primitive("Polar", polar)
Real = primitive("Real", real)
