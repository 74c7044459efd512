"""Ways to split the inputs and outputs of operations over devices: checked, as they only matter on several."""

from __future__ import annotations

import os
from typing import Any

import torch.distributed as dist

from torchspore.engine.failures.errors import describe
from torchspore.engine.parameters import take_as

__all__ = [
    "check_cut_function", "check_parts", "check_strategies", "in_several_processes", "started_processes",
    "started_rank",
]  # fmt: skip


def in_several_processes() -> bool:
    """Return whether the program runs in several processes, which may not be connected yet."""
    if dist.is_available() and dist.is_initialized():
        return dist.get_world_size() > 1
    return started_processes() > 1


def started_processes() -> int:
    """Return the number of processes that the launcher has started, 1 if there was none."""
    known = (os.environ.get(name) for name in ("WORLD_SIZE", "MS_WORKER_NUM", "RANK_SIZE"))
    return int(next(filter(None, known), "1"))


def started_rank() -> int:
    """Return the rank that the launcher has given this process, 0 if there was none."""
    known = (os.environ.get(name) for name in ("RANK", "RANK_ID", "MS_NODE_ID"))
    return int(next(filter(None, known), "0"))


def check_strategies(in_strategy: Any, out_strategy: Any, api: str) -> None:
    """Check how an operation's inputs and outputs are split.

    Args:
        in_strategy: a tuple with a tuple of ints, or a Layout, for each input; or None.
        out_strategy: likewise for the outputs; or None.
        api: the name of what was called.

    Raises:
        TypeError: one is of another type.
        ValueError: the outputs without the inputs, one with Layouts and the other with ints, or a number below 1.
    """
    kinds = {
        _checked(strategy, name, api)
        for name, strategy in (("in_strategy", in_strategy), ("out_strategy", out_strategy))
        if strategy is not None
    }
    if in_strategy is None and out_strategy is not None:
        raise ValueError(f"For '{api}', 'out_strategy' needs 'in_strategy', which is None.")
    if len(kinds - {""}) == 2:
        raise ValueError(
            f"For '{api}', 'in_strategy' and 'out_strategy' must both hold tuples of ints or both hold Layouts, but "
            f"got {in_strategy} and {out_strategy}."
        )


def _checked(strategy: Any, name: str, api: str) -> str:
    """Return what a strategy holds: "ints", "Layouts" or "", nothing."""
    if not isinstance(strategy, tuple):
        raise TypeError(
            f"For '{api}', '{name}' must be a tuple with a tuple of ints, or a Layout, for each tensor, but got "
            f"{describe(strategy)}. ((2, 1), (1, 1)) splits the first dimension of the first tensor over 2 devices."
        )
    kinds = {_kind(part) for part in strategy}
    if None in kinds or len(kinds) > 1:
        raise TypeError(
            f"For '{api}', '{name}' must hold tuples of ints, or Layouts, for all tensors, but got {strategy!r}."
        )
    check_parts(strategy, name, api)
    return str(kinds.pop()) if kinds else ""


def check_cut_function(fn: Any, in_strategy: Any, out_strategy: Any, parameter_plan: Any, api: str) -> None:
    """Check how the arguments, results and parameters of a function are split.

    Args:
        fn: the function or network.
        in_strategy, out_strategy: as in `check_strategies`.
        parameter_plan: a dict with strategies of parameters by name; or None.
        api: the name of what was called.

    Raises:
        TypeError: one is of another type.
        ValueError: as in `check_strategies`, or the network has no such parameter.
    """
    check_strategies(in_strategy, out_strategy, api)
    if parameter_plan is None:
        return
    take_as(dict, parameter_plan, "parameter_plan", api)
    known = {parameter.name for parameter in fn.get_parameters()} if hasattr(fn, "get_parameters") else set()
    unknown = sorted({*parameter_plan} - known)
    if unknown:
        raise ValueError(f"For '{api}', 'parameter_plan' names {unknown}, but the parameters are {sorted(known)}.")
    check_parts(tuple(parameter_plan.values()), "parameter_plan", api)


def check_parts(strategy: tuple[Any, ...], name: str, api: str) -> None:
    """Check that each of some tensors is cut by a tuple of numbers of parts, which are at least 1, or by a Layout.

    Raises:
        TypeError: something is of another type.
        ValueError: a number is below 1.
    """
    if any(_kind(part) is None for part in strategy):
        raise TypeError(f"For '{api}', '{name}' must hold tuples of ints, or Layouts, but got {strategy!r}.")
    if any(isinstance(part, tuple) and min(part, default=1) < 1 for part in strategy):
        raise ValueError(
            f"For '{api}', the numbers in '{name}' must be >= 1, but got {strategy!r}. A dimension that is not cut has "
            "1 part."
        )


def _kind(part: Any) -> str | None:
    """Return what says how a tensor is cut, "ints" or "Layouts"; None for anything else."""
    if isinstance(part, tuple):
        return "ints" if all(isinstance(count, int) for count in part) else None
    return "Layouts" if type(part).__name__ == "Layout" else None
