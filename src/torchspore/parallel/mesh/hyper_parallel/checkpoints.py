"""Files of networks on meshes: torch's distributed checkpoints, and a file for each process.

`save` and `load` write and read a folder in which each part of a tensor is once, so that the mesh may be another one
when it is read.
"""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch.distributed as dist
from torch.distributed.checkpoint import state_dict_loader, state_dict_saver
from torch.distributed.checkpoint.default_planner import DefaultSavePlanner
from torch.distributed.checkpoint.filesystem import FileSystemReader, FileSystemWriter
from torch.distributed.checkpoint.metadata import Metadata

from torchspore.common.parameter import Parameter
from torchspore.common.tensor import Tensor
from torchspore.engine.distributed.cutting.placements import is_cut
from torchspore.engine.failures.errors import describe
from torchspore.engine.parameters import take_as
from torchspore.engine.storage.writing import replacing
from torchspore.engine.values.torch_values import to_tensors, to_torch_tensors
from torchspore.nn.cell import Cell
from torchspore.ops.distributed.functions import all_gather_object
from torchspore.ops.distributed.process_groups import get_rank, get_world_size
from torchspore.parallel.mesh.layouts import build_layout
from torchspore.serialization import loading, saving

__all__ = [
    "FileSystemReader", "FileSystemWriter", "Metadata", "combine_layout", "get_current_layout", "get_global_layout",
    "load", "load_checkpoint", "load_layout", "save", "save_checkpoint", "save_layout",
]  # fmt: skip


def save(
    state_dict: dict[str, Any],
    *,
    checkpoint_id: str | os.PathLike[str] | None = None,
    storage_writer: Any = None,
    planner: Any = None,
    no_dist: bool = False,
    use_collectives: bool = True,
    remove_redundancy: bool = True,
    save_to_minimum_rank: bool = False,
) -> Metadata:
    """Write tensors and other values into a folder: each process writes its parts. This is torch's distributed `save`.

    Args:
        state_dict: tensors, DTensors and other values by their names.
        checkpoint_id: the folder. Default: None, the folder of `storage_writer`.
        storage_writer: a `FileSystemWriter`. Default: None, one for the folder.
        planner: torch's planner. Default: None, the planner for `save_to_minimum_rank`.
        no_dist: whether one process alone writes. Default: False.
        use_collectives: whether the processes agree; else each describes its own parts. Default: True.
        remove_redundancy: kept for compatibility: what several processes have is written once, as they agree.
        save_to_minimum_rank: whether the process with the lowest rank writes what several have. Default: False.

    Returns:
        torch's `Metadata`.

    Raises:
        ValueError: there is neither a folder nor a writer.

    Examples:
        >>> import tempfile, torchspore as ms
        >>> from torchspore.parallel.mesh.hyper_parallel.checkpoints import load, save
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     _ = save({"x": ms.Tensor([1.0, 2.0]), "step": 3}, checkpoint_id=folder)
        ...     found = {"x": ms.ops.zeros(2), "step": 0}
        ...     load(found, checkpoint_id=folder)
        >>> print(found["x"], found["step"])
        [1. 2.] 3
    """
    api = "save"
    take_as(dict, state_dict, "state_dict", api)
    options = {"use_collectives": use_collectives, "remove_redundancy": remove_redundancy}
    for name, value in {**options, "no_dist": no_dist, "save_to_minimum_rank": save_to_minimum_rank}.items():
        take_as(bool, value, name, api)
    _check_place(checkpoint_id, storage_writer, "storage_writer", api)
    with _one_process_or_several():
        return state_dict_saver.save(
            to_torch_tensors(state_dict),
            checkpoint_id=checkpoint_id,
            storage_writer=storage_writer,
            planner=planner or DefaultSavePlanner(dedup_save_to_lowest_rank=save_to_minimum_rank),
            no_dist=no_dist or not dist.is_initialized(),
            use_collectives=use_collectives,
        )


def load(
    state_dict: dict[str, Any],
    *,
    checkpoint_id: str | os.PathLike[str] | None = None,
    storage_reader: Any = None,
    planner: Any = None,
    no_dist: bool = False,
    use_collectives: bool = True,
) -> None:
    """Read values of a folder that `save` wrote into the values of a dictionary. This is torch's distributed `load`.

    Args:
        state_dict: tensors and DTensors, into which their parts are written, and other values, which are replaced.
        checkpoint_id: the folder. Default: None, the folder of `storage_reader`.
        storage_reader: a `FileSystemReader`. Default: None, one for the folder.
        planner: torch's planner. Default: None.
        no_dist: whether the process reads without the others. Default: False.
        use_collectives: False means `no_dist`, too. Default: True.

    Raises:
        ValueError: there is neither a folder nor a reader.

    Examples:
        >>> import tempfile, torchspore as ms
        >>> from torchspore.parallel.mesh.hyper_parallel.checkpoints import load, save
        >>> net = ms.nn.Dense(2, 1)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     _ = save(net.parameters_dict(), checkpoint_id=folder)
        ...     load(net.parameters_dict(), checkpoint_id=folder)
    """
    api = "load"
    take_as(dict, state_dict, "state_dict", api)
    for name, value in {"no_dist": no_dist, "use_collectives": use_collectives}.items():
        take_as(bool, value, name, api)
    _check_place(checkpoint_id, storage_reader, "storage_reader", api)
    found = to_torch_tensors(state_dict)
    with _one_process_or_several():
        state_dict_loader.load(
            found,
            checkpoint_id=checkpoint_id,
            storage_reader=storage_reader,
            planner=planner,
            no_dist=no_dist or not use_collectives or not dist.is_initialized(),
        )
    _replace_others(state_dict, found)


@contextmanager
def _one_process_or_several() -> Iterator[None]:
    """Run without torch's warnings that a single process is one."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "torch.distributed is disabled")
        yield


def _check_place(folder: Any, storage: Any, name: str, api: str) -> None:
    if folder is None and storage is None:
        raise ValueError(f"For '{api}', one of 'checkpoint_id' and '{name}' must be given.")


def _replace_others(values: dict[str, Any], found: Mapping[str, Any]) -> None:
    """Put what is not a tensor, and so was not written to, from one dictionary into another."""
    for name, value in values.items():
        if isinstance(value, dict):
            _replace_others(value, found[name])
        elif not isinstance(value, Tensor):
            values[name] = to_tensors(found[name])


# A file for each process


def save_checkpoint(save_obj: Cell, file_path: str | os.PathLike[str]) -> None:
    """Write the parameters of a cell into a file of the format safetensors; of DTensors, the part of the process.

    Args:
        save_obj: the cell.
        file_path: the file, another one in each process. Folders that do not exist are made.

    Raises:
        ValueError: the path has no name of a file.

    Examples:
        >>> import tempfile, torchspore as ms
        >>> from torchspore.parallel.mesh.hyper_parallel.checkpoints import load_checkpoint, save_checkpoint
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     save_checkpoint(ms.nn.Dense(2, 3), f"{folder}/parts/rank_0.safetensors")
        ...     print(sorted(load_checkpoint(f"{folder}/parts/rank_0.safetensors")))
        ['bias', 'weight']
    """
    take_as(Cell, save_obj, "save_obj", "save_checkpoint")
    path = _file(file_path, "save_checkpoint")
    path.parent.mkdir(parents=True, exist_ok=True)
    parts: dict[str, Any] = {name: _part(parameter) for name, parameter in save_obj.parameters_and_names()}
    saving.save_checkpoint(parts, str(path), format="safetensors")


def load_checkpoint(file_path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the parameters in a file of `save_checkpoint`.

    Args:
        file_path: the file.

    Raises:
        ValueError: the path has no name of a file.
    """
    return loading.load_checkpoint(str(_file(file_path, "load_checkpoint")), format="safetensors")


def _part(parameter: Any) -> Tensor:
    found: Tensor = parameter.to_local() if is_cut(parameter._t) else parameter
    return found


def _file(path: Any, api: str) -> Path:
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"For '{api}', 'file_path' must be a path, but got {describe(path)}.")
    found = Path(path)
    if not found.suffix:
        raise ValueError(
            f"For '{api}', 'file_path' must end with the name of a file, such as 'a.safetensors', but got '{path}'."
        )
    return found


# Descriptions of how parameters lie


def get_current_layout(cell: Cell) -> dict[str, dict[str, Any]]:
    """Return how the parameters of a cell lie, those that are DTensors, under the rank of the process.

    Args:
        cell: the cell.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.parallel.mesh.hyper_parallel.checkpoints import get_current_layout
        >>> get_current_layout(ms.nn.Dense(2, 3))
        {'0': {}}
    """
    take_as(Cell, cell, "cell", "get_current_layout")
    found = {parameter.name: _description(parameter) for parameter in cell.get_parameters() if is_cut(parameter._t)}
    return {str(get_rank()): found}


def _description(parameter: Parameter) -> dict[str, Any]:
    value: Any = parameter._t
    layout = build_layout(value.device_mesh, value.placements, value.ndim)
    return {**layout.to_dict(), "type": str(parameter.dtype), "full_shape": parameter.shape}


def get_global_layout(cell: Cell) -> dict[str, dict[str, Any]]:
    """Return how the parameters of a cell lie, under the ranks of all processes, which must all call it.

    Args:
        cell: the cell.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.parallel.mesh.hyper_parallel.checkpoints import get_global_layout
        >>> ms.mint.distributed.init_process_group()
        >>> get_global_layout(ms.nn.Dense(2, 3))
        {'0': {}}
        >>> ms.mint.distributed.destroy_process_group()
    """
    found: list[Any] = [None] * get_world_size()
    all_gather_object(found, get_current_layout(cell))
    return {rank: layouts for one in found for rank, layouts in one.items()}


def save_layout(layout_dict: dict[str, Any], file_path: str | os.PathLike[str]) -> None:
    """Write what `get_current_layout` returns into a file.

    Args:
        layout_dict: the descriptions.
        file_path: the file.

    Examples:
        >>> import tempfile
        >>> from torchspore.parallel.mesh.hyper_parallel.checkpoints import combine_layout, load_layout, save_layout
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     save_layout({"0": {}}, f"{folder}/0.layout")
        ...     save_layout({"1": {}}, f"{folder}/1.layout")
        ...     print(load_layout(f"{folder}/1.layout"), len(combine_layout(folder)))
        {'1': {}} 2
    """
    take_as(dict, layout_dict, "layout_dict", "save_layout")
    with replacing(os.fspath(file_path)) as file:
        file.write(json.dumps(layout_dict, ensure_ascii=False).encode())


def load_layout(file_path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return what `save_layout` has written; tuples are lists then.

    Args:
        file_path: the file.

    Raises:
        ValueError: the file has other content.
    """
    found = json.loads(Path(file_path).read_text(encoding="utf-8"))
    if not isinstance(found, dict):
        raise ValueError(f"For 'load_layout', the file must hold a dictionary, but has {describe(found)}.")
    return found


def combine_layout(directory: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the layouts in all files of a folder that end with ".layout".

    Args:
        directory: the folder.

    Raises:
        ValueError: two files have layouts of the same rank.
    """
    found: dict[str, Any] = {}
    for file in sorted(Path(directory).glob("*.layout")):
        for rank, layouts in load_layout(file).items():
            if rank in found:
                raise ValueError(f"For 'combine_layout', several files have layouts of rank {rank}, such as {file}.")
            found[rank] = layouts
    return found
