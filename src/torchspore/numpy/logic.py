"""Comparisons, logic, and tests of elements and whole arrays."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import torch
from torch import Tensor

from torchspore.common.dtype import Type as _Type
from torchspore.common.tensor import Tensor as _Tensor
from torchspore.engine.op import NumpyType, op
from torchspore.numpy.arrays import array, binary, promoted, unary
from torchspore.ops.math import reduction

__all__ = [
    "array_equal", "array_equiv", "equal", "greater", "greater_equal", "in1d", "isclose", "isfinite", "isin", "isinf",
    "isnan", "isneginf", "isposinf", "isscalar", "less", "less_equal", "logical_and", "logical_not", "logical_or",
    "logical_xor", "not_equal", "sometrue",
]  # fmt: skip


_test = functools.partial(unary, __name__, default="bool")
_compare = functools.partial(binary, __name__, default="bool")

equal = _compare("equal", torch.eq, "Whether the elements are equal.")
not_equal = _compare("not_equal", torch.ne, "Whether the elements differ.")
less = _compare("less", torch.lt, "Whether `x1` is less than `x2`.")
less_equal = _compare("less_equal", torch.le, "Whether `x1` is at most `x2`.")
greater = _compare("greater", torch.gt, "Whether `x1` is greater than `x2`.")
greater_equal = _compare("greater_equal", torch.ge, "Whether `x1` is at least `x2`.")
logical_and = _compare("logical_and", torch.logical_and, "Whether both are true, that is, not zero.")
logical_or = _compare("logical_or", torch.logical_or, "Whether one is true, that is, not zero.")
logical_xor = _compare("logical_xor", torch.logical_xor, "Whether exactly one is true, that is, not zero.")
isnan = _test("isnan", torch.isnan, "Whether the element is nan.")
isinf = _test("isinf", torch.isinf, "Whether the element is infinite.")
isfinite = _test("isfinite", torch.isfinite, "Whether the element is neither infinite nor nan.")


@op
def logical_not(a: Any, dtype: NumpyType | None = None) -> Tensor:
    """Whether the element is false, that is, zero; `dtype` is the type of the result."""
    result = torch.logical_not(array(a))
    return result if dtype is None else result.to(dtype)


@op
def isposinf(x: Any) -> Tensor:
    """Whether the element is positive infinity."""
    return torch.isposinf(array(x))


@op
def isneginf(x: Any) -> Tensor:
    """Whether the element is negative infinity."""
    return torch.isneginf(array(x))


@op
def isclose(a: Any, b: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Tensor:
    """Whether the elements differ by at most `atol + rtol * |b|`.

    Args:
        a, b: arrays.
        rtol: the tolerance relative to `b`. Default: 1e-05.
        atol: the absolute tolerance. Default: 1e-08.
        equal_nan: whether nan is close to nan. Default: False.

    Examples:
        >>> import torchspore.numpy as np
        >>> print(np.isclose([0.0, 1.0, 2.0], [0.0, 1.0000001, 2.1]))
        [ True  True False]
    """
    a, b = promoted(a, b)
    if not a.is_floating_point() and not a.is_complex():
        a, b = a.double(), b.double()
    return torch.isclose(a, b, rtol, atol, equal_nan)


@op
def array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> Tensor:
    """Whether two arrays have the same shape and elements, as a bool Tensor; with `equal_nan`, nan equals nan."""
    a1, a2 = promoted(a1, a2)
    if a1.shape != a2.shape:
        return torch.zeros((), dtype=torch.bool, device=a1.device)
    same = a1 == a2
    return torch.all(same | (torch.isnan(a1) & torch.isnan(a2)) if equal_nan else same)


@op
def array_equiv(a1: Any, a2: Any) -> Tensor:
    """Whether two arrays have the same elements after broadcasting, as a bool Tensor without dimensions."""
    a1, a2 = promoted(a1, a2)
    sizes = zip(reversed(a1.shape), reversed(a2.shape))
    if any(size1 != size2 and 1 not in (size1, size2) for size1, size2 in sizes):
        return torch.zeros((), dtype=torch.bool, device=a1.device)
    return torch.all(a1 == a2)


@op
def isin(element: Any, test_elements: Any, invert: bool = False) -> Tensor:
    """Whether every element of `element` is among `test_elements`; with `invert`, whether it is not."""
    element, test_elements = promoted(element, test_elements)
    if element.is_complex() or element.dtype is torch.bool:  # which torch does not sort
        found = (element.unsqueeze(-1) == test_elements.reshape(-1)).any(-1)
        return found.logical_not() if invert else found
    return torch.isin(element.contiguous(), test_elements.contiguous(), invert=invert)


@op
def in1d(ar1: Any, ar2: Any, invert: bool = False) -> Tensor:
    """`isin` of the flattened `ar1`."""
    return isin.body(array(ar1).reshape(-1), ar2, invert)


def isscalar(element: Any) -> bool:
    """Whether an object is a number, a bool or a string."""
    kinds = (bool, int, float, complex, str, bytes, np.generic)
    return isinstance(element, kinds) and not isinstance(element, (_Tensor, _Type))


@op
def sometrue(a: Any, axis: int | tuple[int, ...] | None = None, keepdims: Any = False) -> Tensor:
    """Whether an element in the dimensions `axis` (default: all) is true, that is, not zero."""
    return reduction.any.body(array(a), axis, bool(keepdims))  # as in MindSpore, also an int
