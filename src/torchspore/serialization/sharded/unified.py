"""Safetensors files of whole parameters, with a list of which is where."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Annotated, Any, TypeAlias

import torch

from torchspore.engine.failures.errors import describe
from torchspore.engine.parameters import Positive, Where, checked
from torchspore.engine.storage.reading import read_json
from torchspore.engine.storage.writing import replacing, replacing_tree
from torchspore.serialization.saving import write_file
from torchspore.serialization.sharded.slices import Cluster, files_of_ranks, load_file, values_of_rank
from torchspore.serialization.tensors import Stored

__all__ = ["read_unified", "unified_safetensors"]

_API = "unified_safetensors"
_Share: TypeAlias = Annotated[
    tuple[Positive, ...],
    Where(
        "() or (number, count) with number <= count",
        lambda share: not share or (len(share) == 2 and share[0] <= share[1]),
    ),
]
_LIST, _OTHERS = "param_name_map.json", "hyper_param.safetensors"
_PART_BYTES = 3 * 10**9


@checked
def unified_safetensors(
    src_dir: Any, src_strategy_file: str, dst_dir: str, merge_with_redundancy: bool = True,
    file_suffix: str | None = None, max_process_num: Positive = 64,
    choice_func: Callable[[str], bool | str] | None = None, split_dst_file: _Share = (),
) -> None:  # fmt: skip
    """Join the safetensors files of all ranks into files of whole parameters.

    They are part0.safetensors, ... of at most 3 GB (or of one parameter), hyper_param.safetensors with what has no
    layout, and param_name_map.json, which says where each parameter is.

    Args:
        src_dir: the folder of `rank_0/NAME.safetensors`, ...
        src_strategy_file: how the files are cut.
        dst_dir: the folder of the new files, made if it does not exist.
        merge_with_redundancy: whether each file has all parameters of its rank; otherwise parts that several ranks have
            may be in one of their files alone. Default: True.
        file_suffix: the end of the names of files, before `.safetensors`. Default: None, any.
        max_process_num: a limit of parallel readers, of which there is one. Default: 64.
        choice_func: a function of a parameter's name that returns whether to write it, or its new name. Default: None,
            all.
        split_dst_file: (number, count): write this share of the parts only, from 1. Default: (), all.

    Raises:
        NotADirectoryError: there is no folder `src_dir`.
        ValueError: files are missing or damaged, do not fit the strategy, or two parameters get the same name.

    Examples:
        >>> import os, tempfile, torchspore as ms
        >>> from torchspore.serialization.sharded import ParameterLayout, write_strategy
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     write_strategy(f"{folder}/halves.ckpt", {"weight": ParameterLayout((2,), (0,))})
        ...     for rank in (0, 1):
        ...         os.makedirs(f"{folder}/old/rank_{rank}")
        ...         file = f"{folder}/old/rank_{rank}/net.safetensors"
        ...         ms.save_checkpoint({"weight": ms.Tensor([1.0])}, file, format="safetensors")
        ...     ms.parallel.unified_safetensors(f"{folder}/old", f"{folder}/halves.ckpt", f"{folder}/new")
        ...     sorted(os.listdir(f"{folder}/new"))
        ['param_name_map.json', 'part0.safetensors']
    """
    number, shares = split_dst_file or (1, 1)
    share = number - 1
    source = Cluster.of_file(src_strategy_file, _API)
    paths = files_of_ranks(_API, src_dir, ("safetensors",), file_suffix or "")
    files = {rank: load_file(_API, path) for rank, path in paths.items() if rank in source.ranks}
    if merge_with_redundancy:
        _check_complete(source, files)
    new_names = _chosen(source, files, choice_func)
    parts, sizes = _parts(source, files, list(new_names))
    weight_map = {new_names[name]: f"part{part}.safetensors" for part, names in enumerate(parts) for name in names}
    with replacing_tree(dst_dir) as folder:
        for part, names in enumerate(parts):
            if part * shares // max(len(parts), 1) == share:
                values = values_of_rank(_API, source, Cluster(), 0, files, set(names).__contains__)
                renamed = {new_names[name]: value for name, value in values.items()}
                write_file(_API, os.path.join(folder, f"part{part}.safetensors"), renamed, "safetensors")
        others = values_of_rank(_API, source, Cluster(), 0, files, lambda name: source.holders(name) is None)
        if others and share == 0:
            write_file(_API, os.path.join(folder, _OTHERS), others, "safetensors")
        with replacing(os.path.join(folder, _LIST)) as file:
            content = {"metadata": {"total_size": sum(sizes.values())}, "weight_map": weight_map}
            file.write(json.dumps(content, indent=4).encode())


def _check_complete(source: Cluster, files: dict[int, Stored]) -> None:
    names = {name for values in files.values() for name in values}
    for name in names & source.names().keys():
        held = source.holders(name)
        missing = [rank for rank in (held[1] if held else ()) if name not in files.get(rank, ())]
        if missing:
            raise ValueError(
                f"For '{_API}', '{name}' is not in a file of the ranks {missing}. Add their files, or pass "
                "merge_with_redundancy=False where equal parts are in one file only."
            )


def _chosen(source: Cluster, files: dict[int, Stored], choose: Callable[[str], bool | str] | None) -> dict[str, str]:
    """Return the new names of the parameters to write, in the order of their names."""
    result: dict[str, str] = {}
    for name in sorted({name for values in files.values() for name in values} & source.names().keys()):
        choice = True if choose is None else choose(name)
        if not isinstance(choice, (bool, str)):
            raise TypeError(f"For '{_API}', 'choice_func' must return a bool or a name, but got {describe(choice)}.")
        if choice is not False:
            result[name] = name if choice is True else choice
    if len({*result.values()}) < len(result):
        raise ValueError(f"For '{_API}', 'choice_func' returns the same name for two parameters.")
    return result


def _parts(source: Cluster, files: dict[int, Stored], names: list[str]) -> tuple[list[list[str]], dict[str, int]]:
    """Return the names of each new file, and the bytes of the whole parameters."""
    parts: list[list[str]] = []
    sizes: dict[str, int] = {}
    filled = 0
    for name in names:
        piece, held = next(values[name] for values in files.values() if name in values), source.holders(name)
        assert isinstance(piece, torch.Tensor)  # safetensors files hold nothing else
        assert held is not None
        sizes[name] = piece.numel() * piece.itemsize * torch.Size(held[0].parts()).numel()
        if not parts or filled + sizes[name] > _PART_BYTES:
            parts.append([])
            filled = 0
        parts[-1].append(name)
        filled += sizes[name]
    return parts, sizes


def read_unified(api: str, folder: str) -> Stored:
    """Return the values in a folder that `unified_safetensors` has written; their bytes are read when they are used.

    Raises:
        ValueError: the list or one of its files is missing or damaged.
    """
    path = os.path.join(folder, _LIST)
    if not os.path.isfile(path):
        raise ValueError(f"For '{api}', there is no file '{path}', which 'unified_safetensors' writes.")
    try:
        weight_map = read_json(path, dict)["weight_map"]
        names: dict[str, list[str]] = {}
        for name, part in weight_map.items():
            names.setdefault(os.path.basename(part), []).append(name)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise ValueError(
            f"For '{api}', '{path}' is not a list of parameters that 'unified_safetensors' writes."
        ) from None
    result: Stored = {}
    for part, expected in names.items():
        if not os.path.isfile(os.path.join(folder, part)):
            raise ValueError(f"For '{api}', '{os.path.join(folder, part)}' is missing, which '{path}' lists.")
        values = load_file(api, os.path.join(folder, part))
        absent = [name for name in expected if name not in values]
        if absent:
            raise ValueError(f"For '{api}', '{part}' in '{folder}' lacks {', '.join(absent)}, which '{path}' lists.")
        result.update({name: values[name] for name in expected})
    others = os.path.join(folder, _OTHERS)
    return result | (load_file(api, others) if os.path.isfile(others) else {})
