"""Files of parameters that are cut in one way, to files cut in another way."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated, Any, TypeAlias

from torchspore.engine.parameters import NotNegative, Positive, Where, checked
from torchspore.engine.storage.writing import replacing_tree
from torchspore.serialization.saving import Format, write_file
from torchspore.serialization.sharded.slices import Cluster, RankFiles, files_of_ranks, needed_ranks, values_of_rank

__all__ = [
    "convert_checkpoint_by_rank", "convert_checkpoints", "rank_list_for_convert", "rank_list_for_transform",
    "transform_checkpoint_by_rank", "transform_checkpoints",
]  # fmt: skip

_Checkpoint: TypeAlias = Annotated[str, Where("a name that ends with '.ckpt'", lambda name: name.endswith(".ckpt"))]


@checked
def transform_checkpoints(
    src_checkpoints_dir: Any, dst_checkpoints_dir: str, ckpt_prefix: str, src_strategy_file: str | None = None,
    dst_strategy_file: str | None = None, process_num: Positive = 1, output_format: Format = "ckpt",
) -> None:  # fmt: skip
    """Cut the checkpoints of all ranks in another way.

    The new files appear together when all are complete; after an error there are none. Files of ranks whose parts
    others have, too, may be missing.

    Args:
        src_checkpoints_dir: the folder of `rank_0/NAME.ckpt`, `rank_1/NAME.ckpt`, ... or `.safetensors` files; of
            several in a folder the last one by name.
        dst_checkpoints_dir: the folder for `rank_0/PREFIX0.ckpt`, ..., made if it does not exist.
        ckpt_prefix: the prefix of the new names.
        src_strategy_file, dst_strategy_file: how the old and the new files are cut. Default: None, one whole file.
        process_num: the number of files that are written in parallel. Default: 1.
        output_format: "ckpt" or "safetensors". Default: "ckpt".

    Raises:
        NotADirectoryError: there is no folder of the source, or the new one is a file.
        ValueError: a file is missing or damaged, the strategies do not fit the parameters, no strategy is given, or
            copies of a parameter without a layout differ.

    Examples:
        >>> import os, tempfile, torchspore as ms
        >>> from torchspore.serialization.sharded import ParameterLayout, write_strategy
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     write_strategy(f"{folder}/halves.ckpt", {"weight": ParameterLayout((2,), (0, -1))})
        ...     for rank in (0, 1):
        ...         os.makedirs(f"{folder}/old/rank_{rank}")
        ...         half = ms.Tensor([[rank, rank]], ms.float32)
        ...         ms.save_checkpoint({"weight": half}, f"{folder}/old/rank_{rank}/net.ckpt")
        ...     ms.transform_checkpoints(f"{folder}/old", f"{folder}/new", "net", f"{folder}/halves.ckpt")
        ...     print(ms.load_checkpoint(f"{folder}/new/rank_0/net0.ckpt")["weight"].asnumpy())
        [[0. 0.]
         [1. 1.]]
    """
    _transform(
        "transform_checkpoints", src_checkpoints_dir, dst_checkpoints_dir, ckpt_prefix, src_strategy_file,
        dst_strategy_file, process_num, output_format,
    )  # fmt: skip


@checked
def transform_checkpoint_by_rank(
    rank_id: NotNegative, checkpoint_files_map: dict[Any, Any], save_checkpoint_file_name: _Checkpoint,
    src_strategy_file: str | None = None, dst_strategy_file: str | None = None,
) -> None:  # fmt: skip
    """Write the checkpoint of one rank, cut in another way.

    Args:
        rank_id: the rank of the new file.
        checkpoint_files_map: the old files by rank, at least for `rank_list_for_transform`.
        save_checkpoint_file_name: the new file, which ends with `.ckpt`.
        src_strategy_file, dst_strategy_file: as for `transform_checkpoints`. Default: None.

    Raises:
        ValueError: as for `transform_checkpoints`, or `rank_id` is not a rank of the new files.

    Examples:
        >>> import tempfile, torchspore as ms
        >>> from torchspore.serialization.sharded import ParameterLayout, write_strategy
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     write_strategy(f"{folder}/halves.ckpt", {"weight": ParameterLayout((2,), (0,))})
        ...     ms.save_checkpoint({"weight": ms.Tensor([1.0, 2.0])}, f"{folder}/whole.ckpt")
        ...     old, new = {0: f"{folder}/whole.ckpt"}, f"{folder}/rank_1.ckpt"
        ...     ms.transform_checkpoint_by_rank(1, old, new, dst_strategy_file=f"{folder}/halves.ckpt")
        ...     print(ms.load_checkpoint(new)["weight"].asnumpy())
        [2.]
    """
    _transform_rank(
        "transform_checkpoint_by_rank", rank_id, checkpoint_files_map, save_checkpoint_file_name, src_strategy_file,
        dst_strategy_file,
    )  # fmt: skip


@checked
def rank_list_for_transform(
    rank_id: NotNegative, src_strategy_file: str | None = None, dst_strategy_file: str | None = None
) -> list[int]:
    """Return the ranks of the old files that the new file of a rank needs.

    Args:
        rank_id: the rank of the new file.
        src_strategy_file, dst_strategy_file: as for `transform_checkpoints`. Default: None.

    Raises ValueError if a strategy is damaged, or `rank_id` is not a rank of the new files.

    Examples:
        >>> import tempfile, torchspore as ms
        >>> from torchspore.serialization.sharded import ParameterLayout, write_strategy
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     write_strategy(f"{folder}/four.ckpt", {"weight": ParameterLayout((4,), (0,))})
        ...     write_strategy(f"{folder}/two.ckpt", {"weight": ParameterLayout((2,), (0,))})
        ...     ms.rank_list_for_transform(1, f"{folder}/four.ckpt", f"{folder}/two.ckpt")
        [2, 3]
    """
    return _rank_list("rank_list_for_transform", rank_id, src_strategy_file, dst_strategy_file)


@checked
def convert_checkpoints(
    src_checkpoints_dir: Any, dst_checkpoints_dir: str, ckpt_prefix: str, src_strategy_file: str | None = None,
    dst_strategy_file: str | None = None, process_num: Positive = 1, output_format: Format = "ckpt",
) -> None:  # fmt: skip
    """Cut the checkpoints of all ranks in another way, as `transform_checkpoints` does.

    Examples:
        >>> import os, tempfile, torchspore as ms
        >>> from torchspore.serialization.sharded import ParameterLayout, write_strategy
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     write_strategy(f"{folder}/halves.ckpt", {"weight": ParameterLayout((2,), (0,))})
        ...     os.makedirs(f"{folder}/old/rank_0")
        ...     ms.save_checkpoint({"weight": ms.Tensor([1.0, 2.0])}, f"{folder}/old/rank_0/net.ckpt")
        ...     strategy = f"{folder}/halves.ckpt"
        ...     ms.parallel.convert_checkpoints(f"{folder}/old", f"{folder}/new", "net", dst_strategy_file=strategy)
        ...     sorted(os.listdir(f"{folder}/new"))
        ['rank_0', 'rank_1']
    """
    _transform(
        "convert_checkpoints", src_checkpoints_dir, dst_checkpoints_dir, ckpt_prefix, src_strategy_file,
        dst_strategy_file, process_num, output_format,
    )  # fmt: skip


@checked
def convert_checkpoint_by_rank(
    rank_id: NotNegative, checkpoint_files_map: dict[Any, Any], save_checkpoint_file_name: _Checkpoint,
    src_strategy_file: str | None = None, dst_strategy_file: str | None = None,
) -> None:  # fmt: skip
    """Write the checkpoint of one rank, cut in another way, as `transform_checkpoint_by_rank` does.

    Examples:
        >>> import tempfile, torchspore as ms
        >>> from torchspore.serialization.sharded import ParameterLayout, write_strategy
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     write_strategy(f"{folder}/halves.ckpt", {"weight": ParameterLayout((2,), (0,))})
        ...     ms.save_checkpoint({"weight": ms.Tensor([1.0, 2.0])}, f"{folder}/whole.ckpt")
        ...     old, new = {0: f"{folder}/whole.ckpt"}, f"{folder}/rank_0.ckpt"
        ...     ms.parallel.convert_checkpoint_by_rank(0, old, new, dst_strategy_file=f"{folder}/halves.ckpt")
        ...     print(ms.load_checkpoint(new)["weight"].asnumpy())
        [1.]
    """
    _transform_rank(
        "convert_checkpoint_by_rank", rank_id, checkpoint_files_map, save_checkpoint_file_name, src_strategy_file,
        dst_strategy_file,
    )  # fmt: skip


@checked
def rank_list_for_convert(
    rank_id: NotNegative, src_strategy_file: str | None = None, dst_strategy_file: str | None = None
) -> list[int]:
    """Return the ranks of the old files that the new file of a rank needs, as `rank_list_for_transform` does.

    Examples:
        >>> import tempfile, torchspore as ms
        >>> from torchspore.serialization.sharded import ParameterLayout, write_strategy
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     write_strategy(f"{folder}/halves.ckpt", {"weight": ParameterLayout((2,), (0,))})
        ...     ms.parallel.rank_list_for_convert(0, f"{folder}/halves.ckpt")
        [0, 1]
    """
    return _rank_list("rank_list_for_convert", rank_id, src_strategy_file, dst_strategy_file)


def _transform(
    api: str, old: Any, new: str, prefix: str, old_strategy: str | None, new_strategy: str | None, threads: int,
    format: str,
) -> None:  # fmt: skip
    if old_strategy is None and new_strategy is None:
        raise ValueError(f"For '{api}', give 'src_strategy_file', 'dst_strategy_file' or both, but both are None.")
    source, target = Cluster.of_file(old_strategy, api), Cluster.of_file(new_strategy, api)
    paths = files_of_ranks(api, old, ("ckpt", "safetensors"))
    if old_strategy is None:
        paths = {0: next(iter(paths.values()))}
    needed = {rank: needed_ranks(api, source, target, rank, paths.__contains__) for rank in target.ranks}

    with replacing_tree(new) as folder:

        def write(ranks: list[int]) -> None:
            files = RankFiles(api, paths)
            for rank in ranks:
                values = values_of_rank(api, source, target, rank, files.of(needed[rank]))
                os.makedirs(os.path.join(folder, f"rank_{rank}"))
                write_file(api, os.path.join(folder, f"rank_{rank}", f"{prefix}{rank}.{format}"), values, format)

        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(write, [[*target.ranks[start::threads]] for start in range(threads)]))


def _transform_rank(
    api: str, rank: int, paths: dict[Any, Any], new: str, old_strategy: str | None, new_strategy: str | None
) -> None:
    for one, path in paths.items():
        if not isinstance(path, str) or not os.path.isfile(path):
            raise ValueError(f"For '{api}', there is no file {path!r}, the checkpoint of rank {one}.")
    source, target = Cluster.of_file(old_strategy, api), Cluster.of_file(new_strategy, api)
    needed = needed_ranks(api, source, target, rank, paths.__contains__)
    if not needed:
        raise ValueError(f"For '{api}', 'checkpoint_files_map' must have the file of rank 0, but has {[*paths]}.")
    write_file(api, new, values_of_rank(api, source, target, rank, RankFiles(api, paths).of(needed)), "ckpt")


def _rank_list(api: str, rank: int, old_strategy: str | None, new_strategy: str | None) -> list[int]:
    source, target = Cluster.of_file(old_strategy, api), Cluster.of_file(new_strategy, api)
    return needed_ranks(api, source, target, rank, lambda one: True)
