"""Convolutions of tensors that are cut.

The rules of torch's DTensors cover rows only, and meshes of one axis (torch 2.13): they ignore how the weight is cut,
and sum gradients over processes that all have the same rows. So each process computes with its parts here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard

from torchspore.engine.distributed.cutting.placements import Placements, cut, is_cut

__all__ = ["CONVOLUTIONS"]

_WHOLE = Replicate()


def _chosen(x: DTensor, weight: DTensor, has_bias: bool, transposed: bool, groups: int) -> list[str]:
    """Return what each axis of the mesh cuts: "rows", channels of the "outputs" or of the "inputs", or "", nothing."""
    outputs, inputs = (1, 0) if transposed else (0, 1)
    chosen = []
    for of_x, of_weight in zip(x.placements, weight.placements):
        if of_x == Shard(0) and _is_even(x, 0):
            chosen.append("rows")
        elif of_weight == Shard(outputs) and groups == 1 and _is_even(weight, outputs):
            chosen.append("outputs")
        elif of_weight == Shard(inputs) and of_x == Shard(1) and groups == 1 and not has_bias and _is_even(x, 1):
            chosen.append("inputs")
        else:
            chosen.append("")
    return chosen


def _is_even(value: DTensor, dimension: int) -> bool:
    cuts = [axis for axis, placement in enumerate(value.placements) if placement == Shard(dimension)]
    return value.shape[dimension] % math.prod(value.device_mesh.size(axis) for axis in cuts) == 0


def _on_mesh(values: Sequence[Any]) -> list[Any]:
    """Return tensors that all lie on a mesh; those that do not are the same in all processes."""
    on = next(value.device_mesh for value in values if is_cut(value))
    return [value if is_cut(value) or value is None else cut(value, (_WHOLE,) * on.ndim, on) for value in values]


def _placed(value: Any, chosen: list[str], **by_choice: Any) -> Any:
    """Return this process's part of a tensor, of which an axis cuts what `by_choice` says."""
    if value is None:
        return None
    placements: Placements = tuple([by_choice.get(choice, _WHOLE) for choice in chosen])
    return cut(value, placements, value.device_mesh).to_local()


def _lifted(part: torch.Tensor | None, like: DTensor, chosen: list[str], **by_choice: Any) -> DTensor | None:
    """Return the tensor of which processes have computed the parts, or of which they have computed parts of sums."""
    if part is None:
        return None
    placements = [by_choice.get(choice, _WHOLE) for choice in chosen]
    return DTensor.from_local(part, like.device_mesh, placements, run_check=False)


def _convolution(
    x: Any, weight: Any, bias: Any, stride: Any, padding: Any, dilation: Any, transposed: bool, extra: Any, groups: int
) -> Any:
    x, weight, bias = _on_mesh([x, weight, bias])
    chosen = _chosen(x, weight, bias is not None, transposed, groups)
    outputs, inputs = (Shard(1), Shard(0)) if transposed else (Shard(0), Shard(1))
    result = torch.convolution(
        _placed(x, chosen, rows=Shard(0), inputs=Shard(1)),
        _placed(weight, chosen, outputs=outputs, inputs=inputs),
        _placed(bias, chosen, outputs=Shard(0)),
        stride, padding, dilation, transposed, extra, groups,
    )  # fmt: skip
    return _lifted(result, x, chosen, rows=Shard(0), outputs=Shard(1), inputs=Partial())


def _backward(
    gradient: Any, x: Any, weight: Any, bias_sizes: Any, stride: Any, padding: Any, dilation: Any, transposed: bool,
    extra: Any, groups: int, mask: Any,
) -> tuple[Any, ...]:  # fmt: skip
    gradient, x, weight = _on_mesh([gradient, x, weight])
    chosen = _chosen(x, weight, bool(bias_sizes), transposed, groups)
    outputs, inputs = (Shard(1), Shard(0)) if transposed else (Shard(0), Shard(1))
    part = _placed(gradient, chosen, rows=Shard(0), outputs=Shard(1))
    of_x, of_weight, of_bias = torch.ops.aten.convolution_backward.default(
        part,
        _placed(x, chosen, rows=Shard(0), inputs=Shard(1)),
        _placed(weight, chosen, outputs=outputs, inputs=inputs),
        [part.shape[1]] if bias_sizes else bias_sizes,
        stride, padding, dilation, transposed, extra, groups, mask,
    )  # fmt: skip
    return (
        _lifted(of_x, x, chosen, rows=Shard(0), outputs=Partial(), inputs=Shard(1)),
        _lifted(of_weight, x, chosen, rows=Partial(), outputs=outputs, inputs=inputs),
        _lifted(of_bias, x, chosen, rows=Partial(), outputs=Shard(0)),
    )


CONVOLUTIONS: dict[Any, Callable[..., Any]] = {
    torch.ops.aten.convolution.default: _convolution,
    torch.ops.aten.convolution_backward.default: _backward,
}
