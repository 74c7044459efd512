"""Data parallel training of which each process keeps a part of the parameters, gradients and states: torch's FSDP."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
import torch.distributed as dist
from torch.distributed import fsdp as of_torch

from torchspore.common import dtype as mstype
from torchspore.common.parameter import Parameter
from torchspore.common.private_torch import is_view, tree_map_only
from torchspore.engine.distributed.cutting.substitutes import add_over
from torchspore.engine.failures.errors import describe
from torchspore.engine.gradients.differentiate import Alias
from torchspore.engine.parameters import take_as
from torchspore.nn.cell import Cell
from torchspore.nn.torch_parameters import parameter_of, torch_parameter_of
from torchspore.parallel.mesh.copies import dimensions_of_data, mesh_of_copies, numbers_of, put_on_mesh
from torchspore.parallel.mesh.device_mesh import DeviceMesh, init_device_mesh
from torchspore.parallel.mesh.modules import clear_gradient, module_of

__all__ = [
    "CPUOffloadPolicy", "HSDPModule", "MixedPrecisionPolicy", "OffloadPolicy", "fully_shard", "hsdp",
    "hsdp_sync_stream",
]  # fmt: skip

OffloadPolicy = of_torch.OffloadPolicy
CPUOffloadPolicy = of_torch.CPUOffloadPolicy


@dataclass(frozen=True)
class MixedPrecisionPolicy:
    """The data types in which a cell of `fully_shard` computes; its parameters keep theirs.

    Args:
        param_dtype: the dtype of the parameters in `construct`. Default: None, their own.
        reduce_dtype: the dtype in which gradients are added over the processes. Default: None, `param_dtype`.
        output_dtype: the dtype of the outputs. Default: None, unchanged.
        cast_forward_inputs: whether the inputs are converted to `param_dtype`. Default: True.
        apply_grad_on_fp32_main_grad: kept for compatibility; gradients have the data type of their parameter.

    Examples:
        >>> import torchspore as ms
        >>> ms.parallel.MixedPrecisionPolicy(param_dtype=ms.bfloat16).cast_forward_inputs
        True
    """

    param_dtype: mstype.Type | None = None
    reduce_dtype: mstype.Type | None = None
    output_dtype: mstype.Type | None = None
    cast_forward_inputs: bool = True
    apply_grad_on_fp32_main_grad: bool = False

    def of_torch(self) -> of_torch.MixedPrecisionPolicy:
        """Return torch's policy."""
        names = ("param_dtype", "reduce_dtype", "output_dtype")
        given = {name: getattr(self, name) for name in names}
        types = {
            name: None if kind is None else mstype.to_torch(kind, "MixedPrecisionPolicy")
            for name, kind in given.items()
        }
        return of_torch.MixedPrecisionPolicy(**types, cast_forward_inputs=self.cast_forward_inputs)


_OWN_TYPES, _ON_DEVICE = MixedPrecisionPolicy(), OffloadPolicy()


class HSDPModule:
    """What the class of a cell also is after `fully_shard`.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.parallel import HSDPModule, fully_shard, init_device_mesh
        >>> ms.mint.distributed.init_process_group()
        >>> isinstance(fully_shard(ms.nn.Dense(2, 3), mesh=init_device_mesh("cpu", (1,))), HSDPModule)
        True
        >>> ms.mint.distributed.destroy_process_group()
    """

    __dict__: dict[str, Any]

    @property
    def _sharded(self) -> of_torch.FSDPModule:
        module: of_torch.FSDPModule = self.__dict__["_module"]
        return module

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        raise NotImplementedError(
            f"For 'copy.deepcopy', a {type(self).__name__} of 'fully_shard' cannot be copied: torch gathers the "
            "parameters of this one only. Copy the cell before 'fully_shard', and apply that to both."
        )

    def set_requires_gradient_sync(self, requires_grad_sync: bool) -> None:
        """Set whether gradients are added over the processes. Without, they are kept for the next time; those that
        are returned are 0.

        Args:
            requires_grad_sync: whether they are.
        """
        take_as(bool, requires_grad_sync, "requires_grad_sync", "set_requires_gradient_sync")
        self._sharded.set_requires_gradient_sync(requires_grad_sync)

    set_requires_grad_sync = set_requires_gradient_sync

    def zero_grad(self) -> None:
        """Clear the gradients that schedules of pipelines have added up.

        `value_and_grad` returns the gradients of its call, without gradients of earlier calls.
        """
        for parameter in self.__dict__["_module"].cell.get_parameters():
            clear_gradient(parameter)

    zero_grads = zero_grad

    def set_modules_to_forward_prefetch(self, modules: Sequence[Cell]) -> None:
        """Set the cells whose parameters are gathered while this one computes.

        Args:
            modules: cells of `fully_shard`.
        """
        self._sharded.set_modules_to_forward_prefetch(_sharded_modules(modules, "set_modules_to_forward_prefetch"))

    def set_modules_to_backward_prefetch(self, modules: Sequence[Cell]) -> None:
        """Set the cells whose parameters are gathered while the gradient of this one is computed.

        Args:
            modules: cells of `fully_shard`.
        """
        self._sharded.set_modules_to_backward_prefetch(_sharded_modules(modules, "set_modules_to_backward_prefetch"))

    set_forward_prefetch_cells = set_modules_to_forward_prefetch
    set_backward_prefetch_cells = set_modules_to_backward_prefetch

    def set_is_last_backward(self, is_last_backward: bool) -> None:
        """Set whether the next gradient is the last of a step.

        Args:
            is_last_backward: whether it is.
        """
        self._sharded.set_is_last_backward(is_last_backward)

    def set_requires_all_reduce(self, requires_all_reduce: bool, *, recurse: bool = True) -> None:
        """Set whether gradients are added over the first dimension of a mesh of two.

        Args:
            requires_all_reduce: whether they are.
            recurse: whether this holds for the cells inside, too. Default: True.
        """
        self._sharded.set_requires_all_reduce(requires_all_reduce, recurse=recurse)

    def set_reshard_after_forward(self, reshard_after_forward: bool, recurse: bool = True) -> None:
        """Set whether the whole parameters are freed after the forward pass, and gathered again for the backward pass.

        Args:
            reshard_after_forward: whether they are.
            recurse: whether this holds for the cells inside, too. Default: True.
        """
        self._sharded.set_reshard_after_forward(reshard_after_forward, recurse=recurse)

    def set_reshard_after_backward(self, reshard_after_backward: bool, recurse: bool = True) -> None:
        """Set whether the whole parameters are freed after the backward pass.

        Args:
            reshard_after_backward: whether they are.
            recurse: whether this holds for the cells inside, too. Default: True.
        """
        self._sharded.set_reshard_after_backward(reshard_after_backward, recurse=recurse)

    def set_reduce_op_type(self, reduce_op_type: str) -> None:
        """Set how the gradients of the processes become one.

        Args:
            reduce_op_type: "avg" or "sum".
        """
        if reduce_op_type not in ("avg", "sum"):
            raise ValueError(
                f"For 'set_reduce_op_type', 'reduce_op_type' must be 'avg' or 'sum', not {reduce_op_type!r}."
            )
        self.__dict__["_reduction"] = reduce_op_type
        self._set_divisor()

    def set_gradient_scaling_factor(self, factor: float | None = None) -> None:
        """Set a number that gradients are multiplied by.

        Args:
            factor: the number. Default: None, 1.
        """
        if factor is not None and (isinstance(factor, bool) or not factor > 0):
            raise ValueError(f"For 'set_gradient_scaling_factor', 'factor' must be > 0, but got {factor}.")
        self.__dict__["_factor"] = float(factor or 1.0)
        self._set_divisor()

    def _set_divisor(self) -> None:
        size = self.__dict__["_processes"] if self.__dict__.get("_reduction", "avg") == "avg" else 1
        # Gloo cannot multiply before it adds. Where one process has all parts, torch would then divide twice. (2.13)
        self._sharded.set_force_sum_reduction_for_comms(self.__dict__["_parts"] > 1)
        self._sharded.set_gradient_divide_factor(size / self.__dict__.get("_factor", 1.0))

    def reshard(self) -> None:
        """Free the whole parameters that `unshard` has gathered."""
        self._sharded.reshard()

    def unshard(self, async_op: bool = False) -> Any:
        """Gather the whole parameters now rather than in the next call.

        Args:
            async_op: whether to return at once, with a handle whose `wait()` waits for them. Default: False.
        """
        return self._sharded.unshard(async_op)


def _sharded_modules(cells: Sequence[Any], api: str) -> list[Any]:
    for cell in cells:
        if not isinstance(cell, HSDPModule):
            raise TypeError(f"For '{api}', 'modules' must hold cells of 'fully_shard', but has {describe(cell)}.")
    return [cell._sharded for cell in cells]


@functools.cache
def _with_methods(kind: Any) -> Any:
    """Return a class of cells with the methods of `HSDPModule`."""
    return type(kind.__name__, (HSDPModule, kind), {"__module__": kind.__module__, "__doc__": kind.__doc__})


def fully_shard(
    module: Any,
    *,
    mesh: DeviceMesh | None = None,
    reshard_after_forward: bool = True,
    shard_placement_fn: Callable[[Parameter], Any] | None = None,
    mp_policy: MixedPrecisionPolicy = _OWN_TYPES,
    offload_policy: OffloadPolicy = _ON_DEVICE,
    ignored_params: Iterable[Parameter] | None = None,
    replicate_params: Iterable[Parameter] | None = None,
    comm_fusion: bool = False,
    comm_fusion_zero_copy: bool | None = None,
    sharded_accumulated_grad: bool = False,
) -> Any:
    """Let each process keep a part of a cell's parameters, of their gradients and of the states of optimizers.

    This is torch's `fully_shard`. The parameters become DTensors. A call gathers them from all processes, computes, and
    frees them. `value_and_grad` averages the gradients over the processes, which have different data, and returns
    the parts' gradients. Apply it to the large parts of a network first, then to the whole; and make optimizers
    afterwards.

    Args:
        module: the cell, or a list of cells whose parameters are gathered together.
        mesh: the mesh; of a mesh of two dimensions, the second one has the parts, and the first one copies of them.
            Of parameters that lie on a mesh already, these are dimensions over which they are the same, such as
            `mesh["dp"]`. Default: None, all processes.
        reshard_after_forward: whether the whole parameters are freed after the forward pass, and gathered again for the
            backward pass. Default: True.
        shard_placement_fn: returns for a parameter `Shard(dim)`, the dimension to cut, or None, the first one.
            Default: None.
        mp_policy: the data types of the computation. Default: the types of the parameters.
        offload_policy: `CPUOffloadPolicy()` keeps the parts in host memory. Default: they are on the device.
        ignored_params: parameters that stay whole, and whose gradients are a process's own. Default: None.
            Statistics such as `moving_mean` always do.
        replicate_params: parameters that MindSpore's library keeps whole; here they are cut as others, with the same
            results. Default: None.
        comm_fusion: kept for compatibility: the parameters of a cell are always gathered together.
        comm_fusion_zero_copy: kept for compatibility.
        sharded_accumulated_grad: only False is supported.

    Returns:
        The cell, whose class has the methods of `HSDPModule` from now on; or the list.

    Raises:
        TypeError: `module` is not a Cell or a list of cells.
        ValueError: the mesh has more than two dimensions, or parameters are cut over it already.
        NotImplementedError: there are torch modules inside the cell.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.parallel import fully_shard, init_device_mesh
        >>> ms.mint.distributed.init_process_group()
        >>> net = fully_shard(ms.nn.Dense(2, 3), mesh=init_device_mesh("cpu", (1,)))
        >>> net.weight.placements, net(ms.Tensor([[1.0, 2.0]])).shape
        ((Shard(dim=0),), (1, 3))
        >>> ms.mint.distributed.destroy_process_group()
    """
    api = "fully_shard"
    cells = list(module) if isinstance(module, (list, tuple)) else [module]
    if not cells or not all(isinstance(cell, Cell) for cell in cells):
        raise TypeError(f"For '{api}', 'module' must be a Cell or a list of cells, but got {describe(module)}.")
    for name, value in (("reshard_after_forward", reshard_after_forward), ("comm_fusion", comm_fusion)):
        take_as(bool, value, name, api)
    take_as(MixedPrecisionPolicy, mp_policy, "mp_policy", api)
    take_as(OffloadPolicy, offload_policy, "offload_policy", api)
    if sharded_accumulated_grad:
        raise NotImplementedError(f"For '{api}', only 'sharded_accumulated_grad=False' is supported.")
    if mesh is None:
        mesh = init_device_mesh("npu", (dist.get_world_size() if dist.is_initialized() else 1,))
    take_as(DeviceMesh, mesh, "mesh", api)
    if mesh.ndim > 2:
        raise ValueError(
            f"For '{api}', 'mesh' must have 1 or 2 dimensions, but has {mesh.ndim}: {mesh.mesh_dim_names}."
        )
    for cell in cells:
        if isinstance(cell, HSDPModule):
            raise ValueError(f"For '{api}', it has been applied to the {type(cell).__name__} already.")
    mesh, dimensions = dimensions_of_data([p._t for p in _parameters(cells)], mesh, api)
    _shard(
        cells,
        mesh,
        dimensions,
        reshard_after_forward=reshard_after_forward,
        shard_placement_fn=_placements(shard_placement_fn),
        mp_policy=mp_policy.of_torch(),
        offload_policy=offload_policy,
        ignored_params=_ignored(cells, ignored_params, api),
    )
    return module


def _parameters(cells: Sequence[Cell]) -> list[Parameter]:
    """Return the parameters of cells, without parameters of cells inside that have been cut."""
    inside = [part for cell in cells for _, part in cell.cells_and_names()]
    cut = {id(p) for part in inside if isinstance(part, HSDPModule) for p in part.get_parameters()}
    return [p for cell in cells for p in cell.get_parameters() if id(p) not in cut]


def _shard(
    cells: Sequence[Cell], mesh: DeviceMesh, dimensions: Any, ignored_params: set[torch.nn.Parameter], **options: Any
) -> None:
    """Apply torch's function to the modules of cells.

    Args:
        cells: the cells.
        mesh: the mesh.
        dimensions: torch's names of the dimensions of the mesh with different data, or None for all.
        ignored_params, options: as torch takes them.
    """
    modules: list[Any] = [module_of(cell, "fully_shard") for cell in cells]
    for part in modules:
        part.register_forward_hook(_without_views)
    if dimensions is not None:
        ignored_params = put_on_mesh(modules, mesh, ignored_params)
        options["dp_mesh_dims"] = dimensions
    of_torch.fully_shard(
        modules if len(modules) > 1 else modules[0], mesh=mesh, ignored_params=ignored_params, **options
    )
    added = range(mesh.ndim) if dimensions is None else numbers_of(dimensions, mesh)
    processes = math.prod([mesh.size(dim) for dim in added])
    parts = (
        mesh.size(mesh.ndim - 1)
        if dimensions is None
        else math.prod([mesh[name].size() for name in dimensions.shard_names])
    )
    for cell, part in zip(cells, modules):
        part.take_over()
        if dimensions is not None:
            for parameter in _parameters([cell]):
                add_over(torch_parameter_of(parameter), added)
        cell.__class__ = _with_methods(type(cell))  # type: ignore[arg-type]
        cell.__dict__["_processes"], cell.__dict__["_parts"] = processes, parts


def hsdp(
    cell: Cell,
    shard_size: int = -1,
    threshold: int = 64,
    optimizer_level: str = "level1",
    enable_grad_accumulation: bool = False,
    use_eager_hook: bool = True,
    grad_scale: float = 1.0,
    reduce_dtype: mstype.Type | None = None,
    comm_async: bool = False,
    comm_fusion: bool = False,
    bucket_size: int = -1,
) -> Any:
    """Cut a cell as `fully_shard` does, over groups of processes, and add up its gradients rather than average them.

    Parameters that lie on a mesh already are cut over the dimensions of that mesh along which all are the same; the
    inputs of the cell then lie on the mesh, too. Parameters of tensor parallelism, which lie on one dimension such as
    `mesh["tp"]`, are cut over the other dimensions.

    Args:
        cell: the cell.
        shard_size: the most processes that have a copy of the parameters together. There are as many as divide the
            number of processes with the same parameters. Default: -1, all of these.
        threshold: kept for compatibility: small parameters are cut as well, with the same results. Default: 64.
        optimizer_level: "level1" and "level2" keep whole parameters between the forward and the backward pass, "level3"
            frees them. Gradients and states of optimizers are always cut. Default: "level1".
        enable_grad_accumulation: whether gradients stay in a process until `cell.set_requires_grad_sync(True)`.
            Default: False.
        use_eager_hook: kept for compatibility. Default: True.
        grad_scale: a number that gradients are multiplied by. Default: 1.0.
        reduce_dtype: the data type in which gradients are added up. Default: None, their own.
        comm_async, comm_fusion, bucket_size: kept for compatibility: the parameters of a cell are sent together, while
            others compute.

    Returns:
        The cell, whose class has the methods of `HSDPModule` from now on.

    Raises:
        ValueError: an argument has another type or value, or parameters lie on several meshes.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.parallel import hsdp
        >>> ms.mint.distributed.init_process_group()
        >>> hsdp(ms.nn.Dense(2, 3), shard_size=1)(ms.Tensor([[1.0, 2.0]])).shape
        (1, 3)
        >>> ms.mint.distributed.destroy_process_group()
    """
    api = "hsdp"
    if not isinstance(cell, Cell):
        raise ValueError(f"For '{api}', 'cell' must be a Cell, but got {describe(cell)}.")
    if not isinstance(shard_size, int) or isinstance(shard_size, bool) or (shard_size < 1 and shard_size != -1):
        raise ValueError(f"For '{api}', 'shard_size' must be -1 or an int >= 1, but got {describe(shard_size)}.")
    if optimizer_level not in ("level1", "level2", "level3"):
        level = describe(optimizer_level)
        raise ValueError(f"For '{api}', 'optimizer_level' must be 'level1', 'level2' or 'level3', but got {level}.")
    if not isinstance(enable_grad_accumulation, bool):
        raise ValueError(
            f"For '{api}', 'enable_grad_accumulation' must be a bool, but got {describe(enable_grad_accumulation)}."
        )
    if not isinstance(grad_scale, float) or grad_scale <= 0:
        raise ValueError(f"For '{api}', 'grad_scale' must be a float > 0, but got {describe(grad_scale)}.")
    if isinstance(cell, HSDPModule):
        raise ValueError(f"For '{api}', it has been applied to the {type(cell).__name__} already.")
    mesh, dimensions = mesh_of_copies([p._t for p in _parameters([cell])], shard_size, api)
    ignored = _ignored([cell], None, api)
    if mesh is None:  # no process has a parameter of another one
        mesh = init_device_mesh("npu", (dist.get_world_size(),))
        ignored |= {torch_parameter_of(parameter) for parameter in cell.get_parameters()}
    _shard(
        [cell],
        mesh,
        dimensions,
        ignored,
        reshard_after_forward=optimizer_level == "level3",
        mp_policy=MixedPrecisionPolicy(reduce_dtype=reduce_dtype).of_torch(),
    )
    cut: Any = cell
    cut.set_reduce_op_type("sum")
    cut.set_gradient_scaling_factor(grad_scale)
    cut.set_requires_gradient_sync(not enable_grad_accumulation)
    return cut


def _without_views(module: Any, inputs: Any, outputs: Any) -> Any:
    """Return outputs that are not views: writes to views would drop the hooks by which torch gathers parameters."""
    return tree_map_only(
        torch.Tensor, lambda value: Alias.apply(value) if value.requires_grad and is_view(value) else value, outputs
    )


def _placements(choose: Callable[[Parameter], Any] | None) -> Any:
    """Return torch's function for the placements of parameters."""
    if choose is None:
        return None
    return lambda value: choose(parameter_of(value))


def _ignored(cells: Sequence[Cell], given: Iterable[Parameter] | None, api: str) -> set[torch.nn.Parameter]:
    """Return torch's parameters that stay whole: those given, and statistics, to which `construct` writes."""
    ignored = list(given or ())
    for parameter in ignored:
        take_as(Parameter, parameter, "ignored_params", api)
    for cell in cells:
        for _, inside in cell.cells_and_names():
            if "moving_mean" in inside._params:
                ignored += [p for p in inside._params.values() if p is not None and not p.requires_grad]
    return {torch_parameter_of(parameter) for parameter in ignored}


def hsdp_sync_stream() -> None:
    """Wait for gradients: `value_and_grad` has done so.

    Examples:
        >>> from torchspore.parallel.mesh.fully_sharded import hsdp_sync_stream
        >>> hsdp_sync_stream()
    """
