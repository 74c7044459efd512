"""CPU affinity of the process."""

from __future__ import annotations

import os
import re
from typing import Any

import torch

from torchspore.engine.checks import check_bool
from torchspore.engine.errors import describe

__all__ = ["set_cpu_affinity"]

_API = "set_cpu_affinity"
_MODULES = ("main", "runtime", "pynative", "minddata")
_before: set[int] | None = None  # the processors of the process before it was bound


def set_cpu_affinity(
    enable_affinity: bool,
    affinity_cpu_list: list[str] | dict[str, list[str]] | None = None,
    module_to_cpu_dict: dict[str, list[int]] | None = None,
    bind_file: str | None = None,
) -> None:
    """Bind the process to some of the machine's processors, or undo that.

    All threads of the process are bound, and the number of computation threads is at most the number of processors.

    Args:
        enable_affinity: True binds; False restores the processors from before.
        affinity_cpu_list: ranges of processors, `["0-3", "8-11"]`, or a dict with those of "device0". Default: None:
            those that the process may use now.
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
    check_bool(enable_affinity, "enable_affinity", _API)
    if bind_file is not None:
        raise NotImplementedError(f"For '{_API}', 'bind_file' is not supported. Give 'affinity_cpu_list'.")
    wanted = _ranges(affinity_cpu_list)
    modules = _modules(module_to_cpu_dict)
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
    _bind(modules.get("main") or wanted or os.sched_getaffinity(0))


def _ranges(listed: Any) -> set[int]:
    """Return the processors of `["0-3", "8-11"]`, which may be those of "device0"."""
    if isinstance(listed, dict):
        listed = listed.get("device0")
    if listed is not None and not (isinstance(listed, list) and all(isinstance(item, str) for item in listed)):
        raise TypeError(f"For '{_API}', 'affinity_cpu_list' must be a list of strings, but got {describe(listed)}.")
    found: set[int] = set()
    for item in listed or []:
        match = re.fullmatch(r"(\d+)-(\d+)", item)
        if match is None or int(match[1]) > int(match[2]):
            raise ValueError(f"For '{_API}', 'affinity_cpu_list' must hold ranges such as '0-3', but got {item!r}.")
        found.update(range(int(match[1]), int(match[2]) + 1))
    return found


def _modules(given: Any) -> dict[str, set[int]]:
    """Return the processors of each module."""
    if given is not None and not isinstance(given, dict):
        raise TypeError(f"For '{_API}', 'module_to_cpu_dict' must be a dict, but got {describe(given)}.")
    for name, numbers in (given or {}).items():
        if name not in _MODULES:
            raise ValueError(f"For '{_API}', the keys of 'module_to_cpu_dict' are {_MODULES}, but got {name!r}.")
        if name == "minddata":
            raise NotImplementedError(
                f"For '{_API}', datasets work in the threads and processes of 'main'. Leave 'minddata' out."
            )
        if not isinstance(numbers, list):
            raise TypeError(f"For '{_API}', the processors of {name!r} must be a list, but got {describe(numbers)}.")
        if not all(isinstance(number, int) and number >= 0 for number in numbers):
            raise ValueError(f"For '{_API}', the processors of {name!r} must be ints >= 0, but got {numbers}.")
    return {name: set(numbers) for name, numbers in (given or {}).items()}


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
