"""The printed forms of tensors: `str` is NumPy's, `repr` names shape and type and keeps MindSpore's own layout."""

from __future__ import annotations

import contextlib
import math
from typing import Any

import numpy as np
import torch

from torchspore.common import mode
from torchspore.common.conversion import converted
from torchspore.common.dtype import FROM_TORCH
from torchspore.common.private_torch import get_unwrapped, is_functorch_wrapped_tensor, no_functorch

__all__ = ["print_as_array", "to_numpy", "to_repr", "to_str"]

_LONGEST_1D = 1000  # a longer tensor of one dimension is shortened by repr
_LONGEST_ND = 6  # so is each longer dimension of a tensor of several
_EDGE = 3  # the entries kept at either end

_AS_ARRAY = "_torchspore_prints_as_array"  # the mark on a torch tensor

_EXPONENT_FORMS = {torch.float16: "11.4e", torch.float32: "15.8e", torch.float64: "15.8e"}

# Since 2.3, NumPy uses exponents from 1e3 (float16) and 1e6 (float32); earlier, as under MindSpore, from 1e8.
_HAS_EARLY_EXPONENTS = np.lib.NumpyVersion(np.__version__) >= "2.3.0"


def to_str(t: torch.Tensor) -> str:
    """Return what `str` and `print` show of a tensor: the text of its NumPy array, `np.set_printoptions` included.

    bfloat16 and float8 numbers, which NumPy does not know, have six decimals. Inside `vmap` the whole batch is shown.

    Args:
        t: the tensor, of any shape, type and device; it may require grad.

    Returns:
        The text.

    Examples:
        >>> import torch
        >>> from torchspore.common.showing.printing import to_str
        >>> to_str(torch.tensor([1.0, 2.5]))
        '[1.  2.5]'
        >>> to_str(torch.tensor([1.0, 2.5], dtype=torch.bfloat16))
        '[1.000000 2.500000]'
    """
    if t.is_meta:
        return to_repr(t)
    array = to_numpy(t)
    with _numpy_options():
        if FROM_TORCH[t.dtype].numpy is None:
            return np.array2string(array, formatter={"float_kind": "{:f}".format})
        return str(array)


def to_repr(t: torch.Tensor) -> str:
    """Return what `repr` shows of a tensor, also inside tuples and lists: its shape, type and values.

    Values have a fixed precision per type. More than 1000 values in one dimension, or more than 6 along one
    of several dimensions, are abbreviated to the first and last three.

    Args:
        t: the tensor, of any shape, type and device; it may require grad.

    Returns:
        The text.

    Examples:
        >>> import torch
        >>> from torchspore.common.showing.printing import to_repr
        >>> to_repr(torch.tensor([1, -2]))
        'Tensor(shape=[2], dtype=Int64, value= [ 1, -2])'
        >>> print(to_repr(torch.ones(1, 2)))
        Tensor(shape=[1, 2], dtype=Float32, value=
        [[ 1.00000000e+00,  1.00000000e+00]])
    """
    gap = "\n" if t.ndim > 1 else " "
    as_text = _array_text if getattr(t, _AS_ARRAY, False) else _values
    values = "<meta>" if t.is_meta else gap + as_text(to_numpy(t), t.dtype)
    return f"Tensor(shape={list(t.shape)}, dtype={FROM_TORCH[t.dtype]}, value={values})"


def print_as_array(t: torch.Tensor) -> torch.Tensor:
    """Let `to_repr` show a tensor's values as NumPy does, which MindSpore does while a NumPy array holds them.

    So it is for the tensors of `from_numpy` and datasets, but not for the results of operations on them.

    Args:
        t: the tensor, which is marked in place.

    Returns:
        The same tensor.

    Examples:
        >>> import torch
        >>> from torchspore.common.showing.printing import print_as_array, to_repr
        >>> to_repr(print_as_array(torch.tensor([1.0, 2.5])))
        'Tensor(shape=[2], dtype=Float32, value= [1. , 2.5])'
    """
    setattr(t, _AS_ARRAY, True)
    return t


def _array_text(array: np.ndarray[Any, Any], dtype: torch.dtype) -> str:
    with _numpy_options():
        return np.array2string(array, separator=", ")


def to_numpy(t: torch.Tensor) -> np.ndarray[Any, Any]:
    """Return the values of a tensor of any kind as an array; of types that NumPy lacks, as float32."""
    while is_functorch_wrapped_tensor(t):
        t = get_unwrapped(t)
    if mode.reader is not None:
        t = mode.reader.whole(t)
    with no_functorch():
        t = t.detach().resolve_conj().resolve_neg().cpu()
        return (converted(t, torch.float32) if FROM_TORCH[t.dtype].numpy is None else t).numpy()


def _numpy_options() -> contextlib.AbstractContextManager[Any]:
    if not _HAS_EARLY_EXPONENTS:
        return contextlib.nullcontext()
    options: dict[str, Any] = {"legacy": np.get_printoptions()["legacy"] or "2.2"}
    return np.printoptions(**options)


def _values(array: np.ndarray[Any, Any], dtype: torch.dtype) -> str:
    if array.size == 0:
        return ""
    longest = _LONGEST_1D if array.ndim == 1 else _LONGEST_ND
    cut = [length > longest for length in array.shape]
    for axis, is_cut in enumerate(cut):
        if is_cut:
            array = array.take([*range(_EDGE), *range(-_EDGE, 0)], axis)
    if FROM_TORCH[dtype].numpy is None:
        array = np.where(np.isnan(array), np.nan, array)  # torch's casts to bfloat16 make nan of either sign
    if array.ndim == 0:
        return _short(array.item())
    texts = _texts(array.ravel().tolist(), dtype)
    if cut == [False]:
        return _lines(texts, 12 if dtype in _EXPONENT_FORMS or dtype is torch.bool else 24)
    return _nested(np.array(texts, dtype=object).reshape(array.shape).tolist(), cut)


def _texts(values: list[Any], dtype: torch.dtype) -> list[str]:
    if dtype in _EXPONENT_FORMS:
        return [_real(x, _EXPONENT_FORMS[dtype]) for x in values]
    texts = [_short(x) for x in values]
    if dtype.is_complex:
        return texts
    width = len("False") if dtype is torch.bool else max(map(len, texts))
    return [text.rjust(width) for text in texts]


def _short(x: bool | int | float | complex) -> str:
    if isinstance(x, complex):
        return f"{_real(x.real, 'g')}{_real(x.imag, '+g')}j"
    return _real(x, "g") if isinstance(x, float) else str(x)


def _real(x: float, form: str) -> str:
    # MindSpore shows the sign of nan, which Python hides.
    return format(math.copysign(math.inf, x), form).replace("inf", "nan") if math.isnan(x) else format(x, form)


def _lines(texts: list[str], per_line: int) -> str:
    lines = [", ".join(texts[i : i + per_line]) for i in range(0, len(texts), per_line)]
    # As in MindSpore, a full last line is also followed by a line feed.
    end = "\n ]" if len(texts) % per_line == 0 else "]"
    return "[" + ", \n ".join(lines) + end


def _nested(items: list[Any], cut: list[bool], depth: int = 1) -> str:
    gap, dots = ", ", " ... "
    if len(cut) > 1:
        gap = ",\n" + " " * depth
        dots = f"{gap}...{gap[1:]}"
        items = [_nested(row, cut[1:], depth + 1) for row in items]
    parts = [items[:_EDGE], items[_EDGE:]] if cut[0] else [items]
    return "[" + dots.join(gap.join(part) for part in parts) + "]"
