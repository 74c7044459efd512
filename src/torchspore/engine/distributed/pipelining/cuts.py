"""How the processes of a stage cut its tensors among them.

Each process has its rows of the inputs, or all have all of them, and so do the tensors between cells and between stages
lie. A call of a cell brings its inputs onto the mesh of the stage, computes there what a single device would, with
parameters that are cut as operations ask for, and returns the rows of each process.

The loss is the average of the processes' losses. So gradients of tensors that all processes have add up over them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch
from torch.distributed.tensor import DTensor, Partial, Shard

from torchspore.common.parameter import Parameter
from torchspore.common.tensor import Tensor, wrap
from torchspore.engine.distributed.cutting.placements import cut, is_cut, mesh, replicated
from torchspore.engine.values.nested import map_tensors

__all__ = ["StepCut", "compute_cut", "leave", "step_cuts"]

_VIEWS = ("reshape", "view", "flatten", "unflatten", "reshape_as", "view_as")


class StepCut(NamedTuple):
    """Which dimensions hold the rows in the tensors of a step; None in those that all processes have.

    Attributes:
        inputs: of each input.
        outputs: of each result.
    """

    inputs: tuple[int | None, ...]
    outputs: tuple[int | None, ...]


def step_cuts(steps: Sequence[Any], wide: Sequence[Any], width: int, api: str) -> list[StepCut]:
    """Return where the rows are in each step of a plan.

    Args:
        steps: the steps with the inputs that a process has.
        wide: the steps with the rows of all processes of a stage.
        width: the number of these processes.
        api: what was called, for messages.

    Raises:
        ValueError: the network does not treat all numbers of rows alike.
    """
    if [step.what for step in steps] != [step.what for step in wide]:
        raise ValueError(f"For '{api}', what the network computes must not depend on the number of rows.")
    found = []
    for step, wider in zip(steps, wide):
        name = getattr(step.what, "__name__", type(step.what).__name__)
        pairs = list(zip(step.given, wider.given))
        inputs = tuple([_rows(*pair, width, name, api) for pair in pairs])
        results = [(one.shape, other.shape) for one, other in zip(step.specs, wider.specs)]
        outputs = tuple([_rows(*pair, width, name, api) for pair in results])
        if (
            name in _VIEWS
            and not step.is_cell
            and _before(step.given[0], inputs[0]) != _before(results[0][0], outputs[0])
        ):
            raise ValueError(
                f"For '{api}', '{name}' outside of cells merges rows with dimensions before them, which processes of a "
                "stage cannot do with their own rows. Put the operation into a cell with a 'pipeline_stage'."
            )
        found.append(StepCut(inputs, outputs))
    return found


def _rows(shape: tuple[int, ...], wide: tuple[int, ...], width: int, name: str, api: str) -> int | None:
    """Return the dimension that has the rows; None if none has."""
    changed = [i for i, (size, other) in enumerate(zip(shape, wide)) if size != other]
    if len(shape) == len(wide) and not changed:
        return None
    if len(shape) != len(wide) or len(changed) > 1 or wide[changed[0]] != width * shape[changed[0]]:
        raise ValueError(
            f"For '{api}', a tensor of '{name}' has the shape {shape} with the rows of one process, but {wide} with "
            f"rows of all {width} processes of a stage, so that no dimension holds the rows. Networks in stages with "
            "strategies need one."
        )
    return changed[0]


def _before(shape: tuple[int, ...], dim: int | None) -> int:
    """Return the number of elements of the dimensions before the rows."""
    return 1 if dim is None else torch.Size(shape[:dim]).numel()


def compute_cut(run: Callable[..., Any], args: Any, kwargs: Any, own: StepCut) -> Any:
    """Return what the call of a cell returns, computed on the mesh of the stage."""
    dims = iter(own.inputs)
    args, kwargs = map_tensors(lambda tensor: _entered(tensor, next(dims)), (args, kwargs))
    result = run(*args, **kwargs)
    left = iter(own.outputs)
    return map_tensors(lambda tensor: wrap(leave(tensor._t, next(left))), result)


def _entered(tensor: Tensor, dim: int | None) -> Tensor:
    value = tensor._t
    if isinstance(tensor, Parameter) or is_cut(value):
        return tensor
    if dim is None and value.requires_grad:
        value = _Shared.apply(value, mesh().size())
    placements = replicated() if dim is None else (Shard(dim),) * mesh().ndim
    return wrap(DTensor.from_local(value, mesh(), placements, run_check=False))


def leave(value: torch.Tensor, dim: int | None) -> torch.Tensor:
    """Return what a process has of a tensor between cells: its rows, or all of it."""
    if not is_cut(value):
        return value
    if dim is None:
        whole = cut(value, replicated())
        whole = _Summed.apply(whole) if whole.requires_grad else whole
        return whole.to_local(grad_placements=(Partial(),) * mesh().ndim)
    return cut(value, (Shard(dim),) * mesh().ndim).to_local()


class _Summed(torch.autograd.Function):
    """A tensor that leaves the mesh, whose gradient is the sum of the processes' gradients."""

    @staticmethod
    def forward(ctx: Any, value: torch.Tensor) -> torch.Tensor:
        return value.view_as(value)

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> Any:
        return cut(gradient, replicated())


class _Shared(torch.autograd.Function):
    """A tensor that all processes have, whose gradient on the mesh is the gradient of all of them."""

    @staticmethod
    def forward(ctx: Any, value: torch.Tensor, width: int) -> torch.Tensor:
        ctx.width = width
        return value.view_as(value)

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> Any:
        return gradient / ctx.width, None
