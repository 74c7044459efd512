"""What the library `hyper_parallel` calls its platform: functions that are the same on MindSpore and PyTorch."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Any

import numpy as np

from torchspore.common.parameter import Parameter
from torchspore.common.tensor import Tensor
from torchspore.engine.failures.errors import describe
from torchspore.engine.gradients.custom import recompute
from torchspore.nn.cell import Cell
from torchspore.ops.distributed import process_groups as groups
from torchspore.ops.distributed.functions import all_gather_object
from torchspore.parallel.mesh.dtensor import DTensor
from torchspore.parallel.mesh.hyper_parallel.checkpoints import load_checkpoint, save_checkpoint

__all__ = ["Platform", "checkpoint", "get_platform", "split_group"]


def split_group(
    parent_pg: str | None = None,
    split_ranks: Sequence[Sequence[int]] | None = None,
    timeout: timedelta | None = None,
    pg_options: str | None = None,
    group_desc: str | None = None,
) -> str:
    """Create the group with this process of several ones, and return its name.

    Args:
        parent_pg: the name of a group that has all of the processes. Default: None, the group of all.
        split_ranks: the ranks in each group.
        timeout: as for `mint.distributed.new_group`. Default: None.
        pg_options: the name of the group. Default: None, one made of the ranks.
        group_desc: a description; it changes nothing. Default: None.

    Raises:
        ValueError: this process is in none of the groups, or there is no group `parent_pg`.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.parallel.mesh.hyper_parallel.platforms import split_group
        >>> ms.mint.distributed.init_process_group()
        >>> ms.mint.distributed.get_process_group_ranks(split_group(split_ranks=[[0]]))
        [0]
        >>> ms.mint.distributed.destroy_process_group()
    """
    api = "split_group"
    groups.process_group(parent_pg, api)
    own = groups.get_rank()
    found = next((list(ranks) for ranks in split_ranks or () if own in ranks), None)
    if found is None:
        raise ValueError(f"For '{api}', 'split_ranks' must have the rank of this process, {own}, but is {split_ranks}.")
    name = pg_options or f"{len(found)}-{'-'.join(map(str, found))}"
    if name not in groups.group_names():
        groups.add_group(name, found, api, timeout)
    return name


def checkpoint(function: Any, *args: Any, swap_inputs: bool = False, policy_fn: Any = None, **kwargs: Any) -> Any:
    """Call a cell or function without keeping its intermediate results, as `recompute` does.

    Args:
        function: the cell or function.
        args, kwargs: its arguments.
        swap_inputs: only False is supported.
        policy_fn: only None is supported.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.parallel.mesh.hyper_parallel.platforms import checkpoint
        >>> print(ms.grad(lambda x: checkpoint(ms.ops.relu, x) * x)(ms.Tensor([3.0])))
        [6.]
    """
    for name, value in {"swap_inputs": swap_inputs or None, "policy_fn": policy_fn}.items():
        if value is not None:
            raise NotImplementedError(
                f"For 'checkpoint', '{name}' is not supported. Leave it out: all intermediate results are recomputed."
            )
    return recompute(function, *args, **kwargs)


class Platform:
    """The functions of a platform, under the library's names.

    Examples:
        >>> from torchspore.parallel.mesh.hyper_parallel.platforms import get_platform
        >>> get_platform().get_world_size()
        1
    """

    init_process_group = staticmethod(groups.init_process_group)
    destroy_process_group = staticmethod(groups.destroy_process_group)
    get_backend = staticmethod(groups.get_backend)
    get_global_rank = staticmethod(groups.get_global_rank)
    get_process_group_ranks = staticmethod(groups.get_process_group_ranks)
    get_rank = staticmethod(groups.get_rank)
    get_world_size = staticmethod(groups.get_world_size)
    all_gather_object = staticmethod(all_gather_object)
    split_group = staticmethod(split_group)
    checkpoint = staticmethod(recompute)
    load_checkpoint = staticmethod(load_checkpoint)
    save_checkpoint = staticmethod(save_checkpoint)

    @staticmethod
    def create_group(rank_list: Sequence[int], group_name: str | None = None) -> str:
        """Create a group, unless there is one of its name, and return its name.

        Args:
            rank_list: the ranks in it.
            group_name: its name. Default: None, one made of the ranks.
        """
        return split_group(None, [rank_list], pg_options=group_name)

    @staticmethod
    def parameters_dict(cell: Cell) -> Iterable[tuple[str, Parameter]]:
        """Return the names and parameters of a cell.

        Args:
            cell: the cell.
        """
        return cell.parameters_and_names()

    @staticmethod
    def tensor_to_numpy(tensor: Tensor) -> np.ndarray:
        """Return a tensor as an array.

        Args:
            tensor: the tensor.
        """
        return tensor.asnumpy()


for _name, _type in (("Tensor", Tensor), ("Parameter", Parameter), ("Module", Cell), ("DTensorBase", DTensor)):
    setattr(Platform, _name, _type)
_PLATFORM = Platform()


def get_platform() -> Platform:
    """Return the platform, MindSpore's.

    Raises:
        NotImplementedError: the environment variable HYPER_PARALLEL_PLATFORM requests another one.

    Examples:
        >>> from torchspore.parallel.mesh.hyper_parallel.platforms import get_platform
        >>> get_platform().get_rank()
        0
    """
    wanted = os.environ.get("HYPER_PARALLEL_PLATFORM", "mindspore")
    if wanted.lower() != "mindspore":
        raise NotImplementedError(
            f"For 'get_platform', HYPER_PARALLEL_PLATFORM={describe(wanted)} is not supported: the platform is "
            "'mindspore'. Use torch.distributed in programs of torch modules."
        )
    return _PLATFORM
