"""Checkpoints of ranks that have the same parts."""

from __future__ import annotations

import os
import re

from torchspore.engine.parameters import checked
from torchspore.ops.distributed.process_groups import get_rank
from torchspore.serialization.sharded.slices import Cluster

__all__ = ["get_ckpt_path_with_strategy"]

_API = "get_ckpt_path_with_strategy"
_RANK = re.compile(r"rank_\d+")


@checked
def get_ckpt_path_with_strategy(cur_ckpt_path: str, cur_strategy_path: str) -> str | None:
    """Return a checkpoint for this process: its own, or else one of a rank that has the same parts.

    Args:
        cur_ckpt_path: the process's own checkpoint. Where it has `rank_NUMBER` in its path, checkpoints of other ranks
            have other numbers there.
        cur_strategy_path: how the checkpoints are cut.

    Returns:
        A file that exists, or None.

    Raises:
        ValueError: the strategy is damaged, or has no device of this process's rank.

    Examples:
        >>> import os, tempfile, torchspore as ms
        >>> from torchspore.serialization.sharded import ParameterLayout, write_strategy
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     write_strategy(f"{folder}/copies.ckpt", {"weight": ParameterLayout((2,), (-1,))})
        ...     os.mkdir(f"{folder}/rank_1")
        ...     ms.save_checkpoint({"weight": ms.Tensor([1.0])}, f"{folder}/rank_1/net.ckpt")
        ...     found = ms.get_ckpt_path_with_strategy(f"{folder}/rank_0/net.ckpt", f"{folder}/copies.ckpt")
        ...     os.path.relpath(found, folder)
        'rank_1/net.ckpt'
    """
    cluster = Cluster.of_file(cur_strategy_path, _API)
    rank = get_rank()
    stage, place = cluster.stage_of(rank, _API)
    if os.path.isfile(cur_ckpt_path):
        return cur_ckpt_path
    if not _RANK.search(cur_ckpt_path):
        return None
    for other in range(rank - place, rank - place + max((layout.devices for layout in stage.values()), default=1)):
        path = _RANK.sub(f"rank_{other}", cur_ckpt_path)
        same = all(layout.position(other - rank + place) == layout.position(place) for layout in stage.values())
        if same and os.path.isfile(path):
            return path
    return None
