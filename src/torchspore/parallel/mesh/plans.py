"""Cells and functions whose parameters, inputs and outputs lie on a mesh as a plan says."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.distributed import tensor as distributed
from torch.distributed.tensor import Placement

from torchspore.engine.distributed.cutting.placements import is_cut
from torchspore.engine.failures.errors import describe
from torchspore.engine.parameters import take_as
from torchspore.engine.values.nested import map_tensors
from torchspore.nn.cell import Cell
from torchspore.parallel.mesh.device_mesh import DeviceMesh
from torchspore.parallel.mesh.dtensor import checked
from torchspore.parallel.mesh.modules import module_of

__all__ = ["ShardingPlan", "shard_module"]


@dataclass
class ShardingPlan:
    """How parameters, inputs and outputs lie on a mesh.

    Args:
        plan: placements by the paths of parameters, from the cell or from one inside. Default: None.
        input_plan: placements of the inputs of cells, by "input" or a path that ends with ".input": for one input,
            or a list with an entry for each input, or a dict for named inputs. Default: None.
        output_plan: the same of outputs, with "output". Default: None.
        return_local_tensor: the paths of cells whose outputs are the parts of the process. Default: None.

    Placements are as for `DTensor`.

    Examples:
        >>> from torchspore.parallel import Replicate, Shard, ShardingPlan
        >>> ShardingPlan(plan={"weight": (Shard(0),)}, input_plan={"input": (Replicate(),)}).plan
        {'weight': (Shard(dim=0),)}
    """

    plan: dict[str, Any] | None = None
    input_plan: dict[str, Any] | None = None
    output_plan: dict[str, Any] | None = None
    return_local_tensor: list[str] | None = None


def shard_module(model: Any, device_mesh: DeviceMesh, sharding_plan: ShardingPlan) -> Any:
    """Let a cell's parameters, and the DTensors that it takes and returns, lie on a mesh as a plan says.

    Args:
        model: the cell, which is changed; or a function, for which a function with "input" and "output" of the plan is
            returned.
        device_mesh: the mesh.
        sharding_plan: the plan.

    Raises:
        TypeError: `model` is neither a Cell nor a function.
        ValueError: the plan has a path that does not exist, or placements that do not fit.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.parallel import DTensor, Replicate, Shard, ShardingPlan, init_device_mesh, shard_module
        >>> ms.mint.distributed.init_process_group()
        >>> mesh = init_device_mesh("cpu", (1,), ("tp",))
        >>> plan = ShardingPlan({"weight": (Shard(0),), "bias": (Shard(0),)}, output_plan={"output": (Replicate(),)})
        >>> net = shard_module(ms.nn.Dense(2, 3), mesh, plan)
        >>> net(DTensor.from_local(ms.Tensor([[1.0, 2.0]]), mesh, [Replicate()])).placements
        (Replicate(),)
        >>> ms.mint.distributed.destroy_process_group()
    """
    api = "shard_module"
    take_as(DeviceMesh, device_mesh, "device_mesh", api)
    take_as(ShardingPlan, sharding_plan, "sharding_plan", api)
    inputs, outputs = sharding_plan.input_plan or {}, sharding_plan.output_plan or {}
    if not isinstance(model, Cell):
        take_as(Callable, model, "model", api)
        return _placing(model, inputs.get("input"), outputs.get("output"), device_mesh)
    whole = module_of(model, api)
    cells = dict(model.cells_and_names())
    placed = [_placed(cells, path, where, device_mesh) for path, where in (sharding_plan.plan or {}).items()]
    taking = {path: _cell_at(cells, path, "input") for path in inputs}
    returning = {path: _cell_at(cells, path, "output") for path in outputs}
    local = [
        _cell_at(cells, f"{path}.output" if path else "output", "output")
        for path in sharding_plan.return_local_tensor or ()
    ]
    for owner, name, value in placed:
        module_of(owner, api).register_parameter(name, value)
    whole.take_over()
    for path, cell in taking.items():
        if inputs[path] is not None:
            cell.register_forward_pre_hook(
                functools.partial(_place_inputs, inputs[path], device_mesh), with_kwargs=True
            )
    for path, cell in returning.items():
        if outputs[path] is not None:
            cell.register_forward_hook(functools.partial(_place_outputs, outputs[path], device_mesh))
    for cell in local:
        cell.register_forward_hook(lambda cell, inputs, output: map_tensors(_part, output))
    return model


def _placed(cells: dict[str, Cell], path: str, where: Any, mesh: DeviceMesh) -> tuple[Cell, str, torch.nn.Parameter]:
    """Return where a parameter is, and torch's parameter with its placements.

    The path may start at a cell inside, of which the first one with such a parameter counts.
    """
    below, _, name = path.rpartition(".")
    candidates = [below, *[f"{prefix}.{below}".strip(".") for prefix in cells if prefix]]
    owner = next((place for place in candidates if place in cells and cells[place]._params.get(name) is not None), None)
    parameter = None if owner is None else cells[owner]._params[name]
    if owner is None or parameter is None:
        raise ValueError(f"For 'shard_module', there is no parameter at '{path}'. The cells are {sorted(cells)}.")
    placements = checked(where, mesh, parameter.ndim, "shard_module")
    value = distributed.distribute_tensor(parameter._t.detach(), mesh, placements)
    return cells[owner], name, torch.nn.Parameter(value, bool(parameter.requires_grad))


def _cell_at(cells: dict[str, Cell], path: str, kind: str) -> Cell:
    prefix, _, last = path.rpartition(".")
    if last != kind:
        raise ValueError(f"For 'shard_module', the paths of this plan must end with '{kind}', but there is '{path}'.")
    if prefix not in cells:
        raise ValueError(f"For 'shard_module', there is no cell at '{prefix}'. The cells are {sorted(cells)}.")
    return cells[prefix]


def _place_inputs(plan: Any, mesh: DeviceMesh, cell: Cell, args: Any, kwargs: dict[str, Any]) -> Any:
    return _with_placements(cell.construct, plan, mesh, args, kwargs)


def _with_placements(function: Any, plan: Any, mesh: DeviceMesh, args: Any, kwargs: dict[str, Any]) -> Any:
    """Return arguments that lie as a plan says."""
    if isinstance(plan, Mapping):
        names = list(inspect.signature(function).parameters)
        args = tuple(
            [_lying(arg, plan[name], mesh) if name in plan else arg for name, arg in zip(names, args)]
        ) + tuple(args[len(names) :])
        return args, {
            name: _lying(value, plan[name], mesh) if name in plan else value for name, value in kwargs.items()
        }
    given = _each(plan)
    if len(given) < len(args):
        raise ValueError(
            f"For 'shard_module', the plan has placements of {len(given)} inputs, but there are {len(args)}."
        )
    return tuple([_lying(arg, where, mesh) for arg, where in zip(args, given)]), kwargs


def _place_outputs(plan: Any, mesh: DeviceMesh, cell: Any, inputs: Any, output: Any) -> Any:
    given = _each(plan)
    outputs = output if isinstance(output, (tuple, list)) else (output,)
    if len(given) != len(outputs):
        raise ValueError(
            f"For 'shard_module', the plan has placements of {len(given)} outputs, but there are {len(outputs)}."
        )
    placed = tuple([_lying(one, where, mesh) for one, where in zip(outputs, given)])
    return placed if isinstance(output, (tuple, list)) else placed[0]


def _each(plan: Any) -> Sequence[Any]:
    """Return the placements of each input or output."""
    if isinstance(plan, tuple) and plan and all(_is_one(item) for item in plan):
        return [plan]
    if not isinstance(plan, (tuple, list)):
        raise TypeError(f"For 'shard_module', placements must be in a tuple or list, but got {describe(plan)}.")
    return plan


def _is_one(item: Any) -> bool:
    """Return whether something is the placement in one dimension."""
    return isinstance(item, (Placement, str)) or (isinstance(item, tuple) and all(isinstance(i, str) for i in item))


def _lying(value: Any, where: Any, mesh: DeviceMesh) -> Any:
    """Return a DTensor with other placements; other values unchanged."""
    if where is None or not is_cut(getattr(value, "_t", None)):
        return value
    return value.redistribute(mesh, where)


def _part(tensor: Any) -> Any:
    return tensor.to_local() if is_cut(tensor._t) else tensor


def _placing(function: Callable[..., Any], inputs: Any, outputs: Any, mesh: DeviceMesh) -> Callable[..., Any]:
    """Return a function whose inputs and outputs lie as plans say."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if inputs is not None:
            args, kwargs = _with_placements(function, inputs, mesh, args, kwargs)
        result = function(*args, **kwargs)
        return result if outputs is None else _place_outputs(outputs, mesh, None, args, result)

    return call
