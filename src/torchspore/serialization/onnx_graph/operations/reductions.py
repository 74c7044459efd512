"""Operators that combine elements along axes."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from torchspore.serialization.onnx_graph.operations.movement import listed
from torchspore.serialization.onnx_graph.table import Operation, Table, of_numbers

__all__ = ["TABLE"]

_Reduction = Callable[[Tensor, tuple[int, ...], bool], Tensor]


def _reduction(function: _Reduction, before: Callable[[Tensor], Tensor] | None = None) -> Operation:
    def reduce(
        x: Tensor, axes: Sequence[int] | None = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0
    ) -> Tensor:
        chosen = tuple([] if axes is None else listed(axes))
        dtype = x.dtype
        value = x if before is None else before(x)
        if not chosen and noop_with_empty_axes:
            chosen, keep = (), bool(keepdims)
            return x if before is None else function(value.unsqueeze(0), (0,), False).to(dtype)
        chosen, keep = chosen or tuple(range(x.ndim)), bool(keepdims)
        if not chosen:  # a scalar
            return function(value.reshape(1), (0,), False).to(dtype)
        return function(value, chosen, keep).to(dtype)

    return of_numbers(reduce, lambda x, *axes, **attributes: x.numel(), 1)


def _sum(x: Tensor, axes: tuple[int, ...], keep: bool) -> Tensor:
    return torch.sum(x, axes, keep)


def _mean(x: Tensor, axes: tuple[int, ...], keep: bool) -> Tensor:
    return torch.mean(x if x.is_floating_point() else x.double(), axes, keep)


def _extreme(function: Callable[..., Tensor], largest: bool) -> _Reduction:
    def reduce(x: Tensor, axes: tuple[int, ...], keep: bool) -> Tensor:
        if x.numel():
            return function(x, axes, keep)
        if x.is_floating_point():
            empty = -torch.inf if largest else torch.inf
        else:
            limits = (0, 1) if x.dtype is torch.bool else (torch.iinfo(x.dtype).min, torch.iinfo(x.dtype).max)
            empty = limits[0] if largest else limits[1]
        shape = torch.sum(x, axes, keep).shape
        return torch.full(shape, empty, dtype=x.dtype, device=x.device)

    return reduce


def _product(x: Tensor, axes: tuple[int, ...], keep: bool) -> Tensor:
    for axis in sorted([axis % x.ndim for axis in axes], reverse=True):
        x = torch.prod(x, axis, keep)
    return x


def _norm(x: Tensor, axes: tuple[int, ...], keep: bool) -> Tensor:
    return torch.sqrt(torch.sum(x, axes, keep))


def _log_sum(x: Tensor, axes: tuple[int, ...], keep: bool) -> Tensor:
    return torch.log(torch.sum(x, axes, keep))


def _log_sum_exp(x: Tensor, axes: tuple[int, ...], keep: bool) -> Tensor:
    return torch.logsumexp(x if x.is_floating_point() else x.double(), axes, keep)


def _square(x: Tensor) -> Tensor:
    return x * x


def _square_for_root(x: Tensor) -> Tensor:
    return _square(x if x.is_floating_point() else x.double())


def _as_float(x: Tensor) -> Tensor:
    return x if x.is_floating_point() else x.double()


def _arg(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def find(x: Tensor, *, axis: int = 0, keepdims: int = 1, select_last_index: int = 0) -> Tensor:
        if not select_last_index:
            return function(x, axis, bool(keepdims))
        return x.shape[axis] - 1 - function(x.flip(axis), axis, bool(keepdims))

    return find


def _cumulated(function: Callable[..., Tensor], start: int) -> Operation:
    def cumulate(x: Tensor, axis: int, *, exclusive: int = 0, reverse: int = 0) -> Tensor:
        axis = listed(axis)[0]
        x = x.flip(axis) if reverse else x
        result = function(x, axis, dtype=x.dtype)
        if exclusive:
            first = torch.full_like(x.narrow(axis, 0, 1), start)
            result = torch.cat([first, result.narrow(axis, 0, x.shape[axis] - 1)], axis)
        return result.flip(axis) if reverse else result

    return of_numbers(cumulate, lambda x, *axis, **attributes: x.numel(), 1)


def _softmax(x: Tensor, *, axis: int = -1) -> Tensor:
    return torch.softmax(x, axis)


def _log_softmax(x: Tensor, *, axis: int = -1) -> Tensor:
    return torch.log_softmax(x, axis)


def _hardmax(x: Tensor, *, axis: int = -1) -> Tensor:
    index = torch.argmax(x, axis, keepdim=True)
    return torch.zeros_like(x).scatter(axis, index, 1)


def _over_the_rest(function: Callable[..., Tensor]) -> Operation:
    """Return the versions before opset 13, over all elements from an axis on."""

    @functools.wraps(function)
    def compute(x: Tensor, *, axis: int = 1) -> Tensor:
        rows = x.flatten(axis) if axis % max(x.ndim, 1) == axis else x.flatten(axis % x.ndim)
        return function(rows, axis=-1).reshape(x.shape)

    return Operation(compute)


def _lp_normalized(x: Tensor, *, axis: int = -1, p: int = 2) -> Tensor:
    norm = torch.linalg.vector_norm(x, p, axis, keepdim=True)
    return torch.where(norm == 0, 0, x / norm)


def _standardized(x: Tensor, *, axes: Sequence[int] = (0, 2, 3)) -> Tensor:
    centered = x - x.mean(tuple(axes), keepdim=True)
    return centered / (torch.sqrt((centered * centered).mean(tuple(axes), keepdim=True)) + 1e-9)


def _versions(function: Callable[..., Any]) -> dict[int, Operation]:
    return {1: _over_the_rest(function), 13: Operation(function)}


TABLE: Table = {
    "ArgMax": of_numbers(_arg(torch.argmax), lambda x: x.numel()),
    "ArgMin": of_numbers(_arg(torch.argmin), lambda x: x.numel()),
    "CumProd": _cumulated(torch.cumprod, 1),
    "CumSum": _cumulated(torch.cumsum, 0),
    "Hardmax": _versions(_hardmax),
    "LogSoftmax": _versions(_log_softmax),
    "LpNormalization": Operation(_lp_normalized),
    "MeanVarianceNormalization": Operation(_standardized),
    "ReduceL1": _reduction(_sum, torch.abs),
    "ReduceL2": _reduction(_norm, _square_for_root),
    "ReduceLogSum": _reduction(_log_sum, _as_float),
    "ReduceLogSumExp": _reduction(_log_sum_exp, _as_float),
    "ReduceMax": _reduction(_extreme(torch.amax, True)),
    "ReduceMean": _reduction(_mean),
    "ReduceMin": _reduction(_extreme(torch.amin, False)),
    "ReduceProd": _reduction(_product),
    "ReduceSum": _reduction(_sum),
    "ReduceSumSquare": _reduction(_sum, _square),
    "Softmax": _versions(_softmax),
}
