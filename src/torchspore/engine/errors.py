"""Torch's exceptions in MindSpore's types and words."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import torch

from torchspore.common.dtype import FROM_TORCH, Type
from torchspore.common.tensor import Tensor

__all__ = ["describe", "explain"]

_ABOUT_TYPES = re.compile(
    r"dtype|scalar type|Input type|not implemented for|not supported|can't be cast"
    r"|must be (a )?(Tensor|int|float|str|tuple)|Expected a (floating point|complex)|Name '.*' not found"
)
_ABOUT_SHAPES = re.compile(
    r"size|shape|at least \dD|\b\dD\b|dimension|\bdims?\b|_dim|broadcast|elements|channels|kernel|stride|padding"
    r"|out of range|out of bounds|index|negative|stack expects"
)

_FROM_TORCH = (RuntimeError, TypeError, ValueError, IndexError, NotImplementedError)  # what torch raises for arguments


def describe(value: Any) -> str:
    """Say in a few words what `value` is: shape and dtype of a tensor, type and value of anything else."""
    if isinstance(value, Tensor):
        return f"Tensor(shape={value.shape}, dtype={value.dtype})"
    if isinstance(value, torch.Tensor):
        return f"Tensor(shape={tuple(value.shape)}, dtype={FROM_TORCH.get(value.dtype, value.dtype)})"
    if isinstance(value, np.ndarray):
        return f"numpy.ndarray(shape={value.shape}, dtype={value.dtype})"
    if value is None or isinstance(value, (bool, int, float, complex, str)):
        return f"{value!r}" if value is None else f"{value!r} ({type(value).__name__})"
    if isinstance(value, Type):
        return f"the data type {value.name}"
    if isinstance(value, (tuple, list)) and len(value) <= 8:
        inside = ", ".join(describe(v) if isinstance(v, (Tensor, torch.Tensor)) else repr(v)[:40] for v in value)
        return f"({inside})" if isinstance(value, tuple) else f"[{inside}]"
    return f"an object of type {type(value).__name__}"


def explain(error: Exception, api: str, given: dict[str, Any]) -> Exception:
    """Return the exception to raise instead of `error`: same cause, MindSpore's type, API name, what was given."""
    text = str(error)
    if text.startswith("For '") or not isinstance(error, _FROM_TORCH) or _is_for_the_machinery(error):
        return error.with_traceback(None)
    kind: type[Exception]
    if isinstance(error, (TypeError, NotImplementedError)) or (
        isinstance(error, RuntimeError) and _ABOUT_TYPES.search(text)
    ):
        kind = TypeError
    elif isinstance(error, (ValueError, IndexError)) or _ABOUT_SHAPES.search(text):
        kind = ValueError
    else:
        kind = RuntimeError
    summary = text.strip().split("\n")[0].rstrip(".")
    arguments = ", ".join(f"{name}={describe(value)}" for name, value in given.items())
    return kind(f"For '{api}', {summary}. Given: {arguments}.")


def _is_for_the_machinery(error: Exception) -> bool:
    # Tracing steers by its own exceptions, and memory running out is not the argument's fault.
    if isinstance(error, torch.linalg.LinAlgError):  # type: ignore[attr-defined]  # missing in torch's stubs
        return False
    return isinstance(error, torch.OutOfMemoryError) or type(error).__module__.startswith(("torch.fx", "torch._"))
