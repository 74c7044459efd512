"""CPU affinity of the process."""

from __future__ import annotations

import os
import re
from typing import Annotated, Any, Literal, TypeAlias

import torch

from torchspore.engine.parameters import NotNegative, Where, checked

__all__ = ["set_cpu_affinity"]

_API = "set_cpu_affinity"
_before: set[int] | None = None  # the processors of the process before it was bound


def _processors(item: str) -> range:
    """Return the numbers in a range such as "0-3"; it is empty for another string."""
    match = re.fullmatch(r"(\d+)-(\d+)", item)
    return range(int(match[1]), int(match[2]) + 1) if match else range(0)


_Range: TypeAlias = Annotated[str, Where("a range such as '0-3'", _processors)]


@checked
def set_cpu_affinity(
    enable_affinity: bool,
    affinity_cpu_list: list[_Range] | dict[str, list[_Range]] | None = None,
    module_to_cpu_dict: dict[Literal["main", "runtime", "pynative", "minddata"], list[NotNegative]] | None = None,
    bind_file: Any = None,
) -> None:
    """Bind the process to some of the machine's processors, or undo that.

    All threads of the process are bound, and the number of computation threads is at most the number of processors.

    Args:
        enable_affinity: True binds; False restores the processors from before.
        affinity_cpu_list: ranges of processors, `["0-3", "8-11"]`, or a dict with the ranges of "device0". Default:
            None: those that the process may use now.
        module_to_cpu_dict: the processors of "main", as a list of ints. "runtime" and "pynative" name threads that
            are not used here: they change nothing. Default: None.
        bind_file: not supported. Default: None.

    Raises:
        ValueError: a range is not written as `"0-3"`, a number is negative, or a module is unknown.
        RuntimeError: the process cannot be bound to these processors.
        NotImplementedError: `bind_file` or the module "minddata" is given, or this system cannot bind processes.

    Examples:
        >>> import torchspore as ms
        >>> ms.runtime.set_cpu_affinity(True)
        >>> ms.runtime.set_cpu_affinity(False)
    """
    if bind_file is not None:
        raise NotImplementedError(f"For '{_API}', 'bind_file' is not supported. Give 'affinity_cpu_list'.")
    ranges = affinity_cpu_list.get("device0") if isinstance(affinity_cpu_list, dict) else affinity_cpu_list
    wanted = {number for item in ranges or [] for number in _processors(item)}
    modules = module_to_cpu_dict or {}
    if "minddata" in modules:
        raise NotImplementedError(
            f"For '{_API}', datasets work in the threads and processes of 'main'. Leave 'minddata' out."
        )
    if not hasattr(os, "sched_setaffinity"):
        raise NotImplementedError(f"For '{_API}', this system cannot bind a process to processors; Linux can.")
    global _before
    if not enable_affinity:
        if _before is not None:
            _bind(_before)
            _before = None
        return
    if _before is None:
        _before = os.sched_getaffinity(0)
    _bind({*modules.get("main", ())} or wanted or os.sched_getaffinity(0))


def _bind(processors: set[int]) -> None:
    """Bind every thread of the process; threads that start later inherit it."""
    try:
        for thread in os.listdir("/proc/self/task"):
            os.sched_setaffinity(int(thread), processors)
    except OSError as error:
        there = sorted(os.sched_getaffinity(0))
        raise RuntimeError(
            f"For '{_API}', the process cannot have the processors {sorted(processors)}: {error}. It has {there}."
        ) from None
    torch.set_num_threads(min(torch.get_num_threads(), len(processors)))
