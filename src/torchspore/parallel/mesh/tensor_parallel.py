"""Networks whose layers are cut over a mesh in the way that a plan says: torch's styles, for cells."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from fnmatch import fnmatch
from typing import Any

import torch
from torch.distributed import tensor as distributed
from torch.distributed.tensor import parallel as of_torch

from torchspore.engine.distributed.cutting.placements import is_cut
from torchspore.engine.failures.errors import describe
from torchspore.engine.parameters import take_as
from torchspore.engine.values.torch_values import to_tensors, to_torch_tensors
from torchspore.nn.cell import Cell
from torchspore.nn.cell_module import CellModule
from torchspore.nn.layer.basic import Dense, Linear
from torchspore.nn.layer.embedding import Embedding, EmbeddingExt
from torchspore.parallel.mesh.device_mesh import DeviceMesh
from torchspore.parallel.mesh.modules import module_of

__all__ = [
    "ColwiseParallel", "ParallelStyle", "PrepareModuleInput", "PrepareModuleInputOutput", "PrepareModuleOutput",
    "RowwiseParallel", "SequenceParallel", "distribute_module", "parallelize_module",
]  # fmt: skip


class _LinearModule(CellModule, torch.nn.Linear):
    """The module of a dense layer, which torch's styles know as one."""


class _EmbeddingModule(CellModule, torch.nn.Embedding):
    """The module of an embedding, which torch's styles know as one."""


_KNOWN = (((Dense, Linear), _LinearModule), ((Embedding, EmbeddingExt), _EmbeddingModule))


class ParallelStyle(of_torch.ParallelStyle):
    """How a cell is cut; a subclass defines `apply`."""

    def apply(self, module: Any, device_mesh: DeviceMesh) -> Any:
        """Cut a cell, and return it.

        Args:
            module: the cell.
            device_mesh: the mesh, of one dimension.
        """
        return parallelize_module(module, device_mesh, self)

    def _apply(self, module: Any, device_mesh: Any) -> Any:
        if type(self).apply is ParallelStyle.apply:
            raise NotImplementedError(f"For '{type(self).__name__}', the method 'apply' is not defined.")
        self.apply(module.cell, device_mesh)
        return module


class ColwiseParallel(of_torch.ColwiseParallel, ParallelStyle):
    """Cut the outputs of a dense layer, or the vectors of an embedding: each process computes some of them.

    Args:
        input_layouts: where the parts of the input are. Default: `Replicate()`, all processes have the whole.
        output_layouts: where the parts of the output are to be. Default: `Shard(-1)`, each process has its features.
        use_local_output: whether the output is the part of the process rather than a DTensor. Default: True.

    Examples:
        >>> from torchspore.parallel import ColwiseParallel
        >>> ColwiseParallel().output_layouts
        (Shard(dim=-1),)
    """


class RowwiseParallel(of_torch.RowwiseParallel, ParallelStyle):
    """Cut the inputs of a dense layer, or the rows of an embedding: the outputs of the processes are added.

    Args:
        input_layouts: where the parts of the input are. Default: `Shard(-1)`, each process has its features.
        output_layouts: where the parts of the output are to be. Default: `Replicate()`, all processes get the whole.
        use_local_output: as for `ColwiseParallel`.

    Examples:
        >>> from torchspore.parallel import RowwiseParallel
        >>> RowwiseParallel().input_layouts
        (Shard(dim=-1),)
    """


class SequenceParallel(of_torch.SequenceParallel, ParallelStyle):
    """Let each process compute a layer, such as a normalization, for its part of the sequence.

    Args:
        sequence_dim: the dimension of the sequence. Default: 1.
        use_local_output: whether the output is the part of the process rather than a DTensor. Default: False.

    Examples:
        >>> from torchspore.parallel import SequenceParallel
        >>> SequenceParallel()
        SequenceParallel(sequence_dim=1, use_local_output=False)
    """


class PrepareModuleInput(of_torch.PrepareModuleInput, ParallelStyle):
    """Let the inputs of a cell lie on the mesh in another way.

    Args:
        input_layouts: where the parts of the inputs are; for several inputs a tuple, with None for those that stay.
        desired_input_layouts: where they are to be.
        input_kwarg_layouts, desired_input_kwarg_layouts: the same for keyword arguments, by name. Default: None.
        use_local_output: whether the cell gets the parts of the process rather than DTensors. Default: False.

    Examples:
        >>> from torchspore.parallel import PrepareModuleInput, Replicate, Shard
        >>> PrepareModuleInput(input_layouts=Shard(0), desired_input_layouts=Replicate()).input_layouts
        (Shard(dim=0),)
    """


class PrepareModuleOutput(of_torch.PrepareModuleOutput, ParallelStyle):
    """Let the outputs of a cell lie on the mesh in another way.

    Args:
        output_layouts: where the parts of the outputs are; for several outputs a tuple, with None for those that stay.
        desired_output_layouts: where they are to be.
        use_local_output: whether the outputs are the parts of the process rather than DTensors. Default: True.

    Examples:
        >>> from torchspore.parallel import PrepareModuleOutput, Replicate, Shard
        >>> PrepareModuleOutput(output_layouts=Shard(0), desired_output_layouts=Replicate()).output_layouts
        (Shard(dim=0),)
    """


class PrepareModuleInputOutput(of_torch.PrepareModuleInputOutput, ParallelStyle):
    """Let the inputs and the outputs of a cell lie on the mesh in other ways.

    Args:
        input_layouts, desired_input_layouts, input_kwarg_layouts, desired_input_kwarg_layouts: as for
            `PrepareModuleInput`.
        use_local_input: whether the cell gets the parts of the process. Default: False.
        output_layouts, desired_output_layouts: as for `PrepareModuleOutput`.
        use_local_output: whether the outputs are the parts of the process. Default: True.

    Examples:
        >>> from torchspore.parallel import PrepareModuleInputOutput, Replicate, Shard
        >>> style = PrepareModuleInputOutput(
        ...     input_layouts=Shard(0), desired_input_layouts=Replicate(),
        ...     output_layouts=Replicate(), desired_output_layouts=Shard(0),
        ... )
        >>> style.prepare_module_output.output_layouts
        (Replicate(),)
    """


def parallelize_module(
    module: Any,
    device_mesh: DeviceMesh,
    parallelize_plan: of_torch.ParallelStyle | Mapping[str, of_torch.ParallelStyle],
    *,
    src_data_rank: int | None = 0,
) -> Any:
    """Cut layers of a cell over the processes of a mesh, and return the cell. This is torch's `parallelize_module`.

    Args:
        module: the cell.
        device_mesh: the mesh, of one dimension: `mesh["tp"]`.
        parallelize_plan: a style for the cell; or styles by the paths of cells inside, which may have "*" for any name.
        src_data_rank: the process in the mesh whose values the parameters get; None: each keeps its own. Default: 0.

    Raises:
        TypeError: `module` is not a Cell, or the plan holds something else than styles.
        ValueError: the mesh has several dimensions, or a path fits no cell.
        NotImplementedError: a style does not support the type of a layer.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.parallel import ColwiseParallel, RowwiseParallel, init_device_mesh, parallelize_module
        >>> ms.mint.distributed.init_process_group()
        >>> net = ms.nn.SequentialCell(ms.nn.Dense(2, 4), ms.nn.ReLU(), ms.nn.Dense(4, 3))
        >>> plan = {"0": ColwiseParallel(), "2": RowwiseParallel()}
        >>> net = parallelize_module(net, init_device_mesh("cpu", (1,)), plan)
        >>> net[0].weight.placements, net[2].weight.placements, net(ms.Tensor([[1.0, 2.0]])).shape
        ((Shard(dim=0),), (Shard(dim=1),), (1, 3))
        >>> ms.mint.distributed.destroy_process_group()
    """
    api = "parallelize_module"
    whole = module_of(module, api)
    take_as(DeviceMesh, device_mesh, "device_mesh", api)
    if device_mesh.ndim != 1:
        raise ValueError(
            f"For '{api}', 'device_mesh' must have one dimension, but has {device_mesh.ndim}: "
            f"{device_mesh.mesh_dim_names}. Take one of them, as in mesh['tp']."
        )
    styles = {"": parallelize_plan} if isinstance(parallelize_plan, of_torch.ParallelStyle) else parallelize_plan
    if not isinstance(styles, Mapping):
        raise TypeError(f"For '{api}', 'parallelize_plan' must be a style or a dict, but got {describe(styles)}.")
    found = [(cell, style) for path, style in styles.items() for cell in _cells(module, path, style, api)]
    for cell, style in found:
        part = module_of(cell, api)
        _check_not_cut(cell, style)
        for kinds, known in _KNOWN:
            if isinstance(cell, kinds) and type(part) is CellModule:
                part.__class__ = known
        try:
            of_torch.parallelize_module(part, device_mesh, style, src_data_rank=src_data_rank)
        except NotImplementedError as error:
            raise NotImplementedError(
                f"For '{type(style).__name__}', a {type(cell).__name__} is not supported. {error}"
            ) from None
    whole.take_over()
    return module


def _check_not_cut(cell: Cell, style: Any) -> None:
    """Refuse parameters that lie on a mesh already."""
    for parameter in cell.get_parameters():
        if is_cut(parameter._t):
            raise ValueError(
                f"For '{type(style).__name__}', the parameter '{parameter.name}' lies on a mesh already. Cut layers "
                "once, and before 'fully_shard'."
            )


def _cells(module: Cell, path: str, style: Any, api: str) -> list[Cell]:
    """Return the cells at a path of names, which may have "*"."""
    if not isinstance(style, of_torch.ParallelStyle):
        raise TypeError(f"For '{api}', the plan must hold styles, but has {describe(style)} for '{path}'.")
    found = [module]
    for name in path.split(".") if path else ():
        found = [
            inside for cell in found for key, inside in cell._cells.items() if inside is not None and fnmatch(key, name)
        ]
    if not found:
        names = [name for name, _ in module.cells_and_names() if name]
        raise ValueError(f"For '{api}', there is no cell at '{path}'. The cells are {names}.")
    return found


def distribute_module(
    module: Any,
    device_mesh: DeviceMesh,
    partition_fn: Callable[[str, Any, DeviceMesh], None] | None = None,
    input_fn: Callable[..., Any] | None = None,
    output_fn: Callable[..., Any] | None = None,
) -> Any:
    """Put all parameters of a cell onto a mesh, and return the cell. This is torch's `distribute_module`.

    Args:
        module: the cell.
        device_mesh: the mesh.
        partition_fn: `partition_fn(path, cell, device_mesh)` cuts parameters of a cell: it sets them to new ones that
            are made of DTensors. Those that it leaves are whole in all processes. Default: None, all are.
        input_fn: `input_fn(cell, inputs, device_mesh)` returns the inputs of `construct`. Default: None.
        output_fn: `output_fn(cell, outputs, device_mesh)` returns the outputs. Default: None.

    Raises:
        TypeError: `module` is not a Cell.
        RuntimeError: it is on a mesh already.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.parallel import distribute_module, init_device_mesh
        >>> ms.mint.distributed.init_process_group()
        >>> net = distribute_module(ms.nn.Dense(2, 3), init_device_mesh("cpu", (1,)))
        >>> net.weight.placements
        (Replicate(),)
        >>> ms.mint.distributed.destroy_process_group()
    """
    api = "distribute_module"
    whole = module_of(module, api)
    take_as(DeviceMesh, device_mesh, "device_mesh", api)
    before: Any = partition_fn and (lambda path, part, mesh: _partition(partition_fn, path, part, mesh))
    distributed.distribute_module(whole, device_mesh, before, _on_tensors(input_fn), _on_tensors(output_fn))
    whole.take_over()
    return module


def _partition(function: Callable[..., None], path: str, module: Any, mesh: DeviceMesh) -> None:
    function(path, module.cell, mesh)
    module.take_new()


def _on_tensors(function: Callable[..., Any] | None) -> Any:
    """Return a hook of torch that calls a function of Tensors, with or without the cell."""
    if function is None:
        return None
    takes_cell = len(inspect.signature(function).parameters) > 2

    def hook(module: Any, values: Any, mesh: DeviceMesh) -> Any:
        given = (module.cell, to_tensors(values), mesh) if takes_cell else (to_tensors(values), mesh)
        return to_torch_tensors(function(*given))

    return hook
