"""The precision of a cell: the data types of its inputs, parameters, operations and result."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Callable
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from torchspore.common.lowered import lowered
from torchspore.common.scopes.scope import scope
from torchspore.common.tensor import Tensor, wrap
from torchspore.engine.values.nested import map_tensors

__all__ = ["MixedPrecisionType", "OperationPrecision", "Precision", "cast"]


class MixedPrecisionType(enum.Enum):
    """What `to_float` has set for a cell."""

    NOTSET = 0
    FP16 = 1
    FP32 = 2
    BF16 = 3


_LOW = (torch.float16, torch.bfloat16)
_WITH_BIAS = frozenset((
    "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "convolution", "linear",
))  # fmt: skip


@dataclasses.dataclass(frozen=True)
class OperationPrecision:
    """The precision of single operations, by the names of torch's functions.

    Args:
        low: the data type for the operations in `lowered`, which take float32 in it.
        lowered: operations that compute in `low`.
        full: operations that compute in float32 when they get less.
        widest: operations that compute in the widest type among their inputs.
        restores: whether the results of `lowered` are cast back to float32.
        adds_bias: whether the bias of a product or convolution is added in float32, in MindSpore a separate operation.
    """

    low: torch.dtype
    lowered: frozenset[str]
    full: frozenset[str] = frozenset()
    widest: frozenset[str] = frozenset()
    restores: bool = False
    adds_bias: bool = False

    def call(self, function: Any, args: Any, kwargs: Any) -> Any:
        """Call a function of torch in the precision that it is listed with."""
        name = getattr(function, "__name__", "").strip("_")
        if name in self.lowered:
            if self.adds_bias and name in _WITH_BIAS and _has_wide_bias(args):
                first, second, bias, *rest = args
                result = function(*_cast_all((first, second, None, *rest), (torch.float32,), self.low), **kwargs)
                return result + (bias if name == "linear" else bias.reshape(-1, *[1] * (first.dim() - 2)))
            restores = self.restores and any(value.dtype is torch.float32 for value in _floats(args))
            result = function(*_cast_all(args, (torch.float32,), self.low), **kwargs)
            return _cast_all([result], (self.low,), torch.float32)[0] if restores else result
        if name in self.full or (name in self.widest and any(value.dtype is torch.float32 for value in _floats(args))):
            args = _cast_all(args, _LOW, torch.float32)
        return function(*args, **kwargs)


def _has_wide_bias(args: Any) -> bool:
    return len(args) > 2 and isinstance(args[2], torch.Tensor) and args[2].dtype is torch.float32


class _Casting(TorchFunctionMode):
    """While it is active, torch's functions compute as `rules` say."""

    def __init__(self, rules: OperationPrecision) -> None:
        super().__init__()
        self.rules = rules
        self._mixed_before = False

    def __enter__(self) -> Any:
        self._mixed_before, scope.mixes_floats = scope.mixes_floats, bool(self.rules.widest)
        return super().__enter__()

    def __exit__(self, *exception: Any) -> None:
        scope.mixes_floats = self._mixed_before
        super().__exit__(*exception)

    def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return self.rules.call(function, args, kwargs or {})


@dataclasses.dataclass(frozen=True)
class Precision:
    """The precision of one cell.

    Args:
        compute: the type that floating point inputs and parameters are cast to. Default: None, they stay unchanged.
        result: the type that a floating point result is cast to. Default: None.
        operations: what single operations inside compute in. Default: None.
    """

    compute: torch.dtype | None = None
    result: torch.dtype | None = None
    operations: OperationPrecision | None = None

    def call(self, function: Callable[..., Any], held: list[Any], args: Any, kwargs: Any) -> Any:
        """Call a cell's function in this precision.

        Args:
            function: takes args and kwargs.
            held: what the cell has; the Tensors among it are cast for the time of the call.
            args: the arguments.
            kwargs: the keyword arguments.
        """
        if self.operations is not None:
            with _Casting(self.operations):
                output = function(args, kwargs)
        elif self.compute is not None:
            output = self._computed(function, held, args, kwargs)
        else:
            output = function(args, kwargs)
        if self.result is None:
            return output
        return map_tensors(lambda tensor: cast(tensor, self.result), output)

    def _computed(self, function: Callable[..., Any], held: list[Any], args: Any, kwargs: Any) -> Any:
        dtype: Any = self.compute
        args, kwargs = map_tensors(lambda tensor: cast(tensor, dtype), (args, kwargs))
        held = [t for t in held if isinstance(t, Tensor) and t._t.is_floating_point() and t._t.dtype is not dtype]
        with lowered(held, dtype):
            return function(args, kwargs)


def cast(tensor: Tensor, dtype: Any) -> Tensor:
    """Return a floating point tensor in a data type, any other tensor unchanged."""
    value = tensor._t
    return wrap(value.to(dtype)) if value.is_floating_point() and value.dtype is not dtype else tensor


def _floats(args: Any) -> list[torch.Tensor]:
    """Return the floating point tensors among arguments, also in lists."""
    flat = [part for arg in args for part in (arg if isinstance(arg, (list, tuple)) else [arg])]
    return [part for part in flat if isinstance(part, torch.Tensor) and part.is_floating_point()]


def _cast_all(args: Any, sources: tuple[torch.dtype, ...], dtype: torch.dtype) -> list[Any]:
    """Return arguments with the tensors of some data types in another, also those in lists."""

    def convert(value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            return value.to(dtype) if value.dtype in sources else value
        return type(value)(map(convert, value)) if type(value) in (list, tuple) else value

    return [convert(arg) for arg in args]
