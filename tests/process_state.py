"""What belongs to a process and not to a library in it: its state, and what has changed between two of them."""

from __future__ import annotations

import atexit
import builtins
import copyreg
import decimal
import faulthandler
import gc
import hashlib
import linecache
import locale
import logging
import multiprocessing
import os
import random
import re
import signal
import sys
import threading
import types
import warnings
from collections.abc import Iterator
from contextlib import suppress
from multiprocessing.reduction import ForkingPickler
from typing import Any

import numpy as np
import torch
from torch.utils import _pytree

__all__ = ["State", "changes"]

OURS = ("torchspore", "mindspore", "__main__", "__mp_main__")


class State:
    """The state of this process: its parts by name, and the functions and classes of all modules but ours."""

    def __init__(self) -> None:
        self.parts = dict(_flat("", _parts()))
        self.members = {
            name: _members(module)
            for name, module in list(sys.modules.items())
            if isinstance(module, types.ModuleType) and not name.startswith(OURS)
        }


def changes(before: State, now: State) -> list[str]:
    """Return what has changed, as lines."""
    lines = []
    for name in sorted({*before.parts, *now.parts}):
        old, new = before.parts.get(name), now.parts.get(name)
        if old != new:
            lines.append(f"{name}: {old} -> {new}")
    for module, members in before.members.items():
        later = now.members.get(module, {})
        for name in sorted({*members, *later}):
            old, new = members.get(name), later.get(name)
            if old is not new and (old is not None or str(getattr(new, "__module__", "")).startswith(OURS)):
                lines.append(f"member {module}.{name}: {old} -> {new}")
    return lines


def _flat(name: str, value: Any) -> Iterator[tuple[str, str]]:
    """Yield the names and texts of the parts of dicts and lists."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield from _flat(f"{name} {key}".strip(), each)
    elif isinstance(value, list):
        texts = [str(each) for each in value]
        for text in set(texts):
            yield f"{name} {text}", str(texts.count(text))
    else:
        yield name, str(value)


def _members(module: types.ModuleType) -> dict[str, Any]:
    """Return the functions and classes of a module, and the methods of the classes that it defines."""
    found = {}
    for name, value in list(vars(module).items()):
        if callable(value):
            found[name] = value
            if isinstance(value, type) and value.__module__ == module.__name__:
                methods = {key: each for key, each in list(vars(value).items()) if callable(each)}
                found.update({f"{name}.{key}": each for key, each in methods.items()})
    return found


def _digest(value: object) -> str:
    return hashlib.sha256(repr(value).encode()).hexdigest()[:8]


def _parts() -> dict[str, Any]:
    bits = np.random.get_bit_generator()
    shared = random.seed.__self__  # type: ignore[attr-defined]
    mask = os.umask(0)
    os.umask(mask)
    return {
        "random": {"state": _digest(random.getstate()), "class": type(shared).__name__},
        "numpy": {
            "state": _digest(np.random.get_state()), "bits": f"{type(bits).__qualname__} {id(bits)}",
            "errors": np.geterr(), "print": np.get_printoptions(),
        },
        "torch": _of_torch(),
        "warnings": [(each[0], getattr(each[1], "pattern", None), each[2], each[4]) for each in warnings.filters],
        "signals": {n: repr(signal.getsignal(n)) for n in signal.valid_signals() if n not in (9, 19)},
        "environment": dict(os.environ),
        "process": {
            "folder": os.getcwd(), "umask": mask, "niceness": os.nice(0), "locale": locale.setlocale(locale.LC_ALL),
            "affinity": sorted(os.sched_getaffinity(0)), "decimal": decimal.getcontext(),
            "faulthandler": faulthandler.is_enabled(), "atexit": atexit._ncallbacks(),  # type: ignore[attr-defined]
            "start method": multiprocessing.get_start_method(allow_none=True),
        },
        "sys": {name: repr(getattr(sys, name, None)) for name in _OF_SYS},
        "settings": {name: getattr(sys, name)() for name in _CALLS},
        "path": [*sys.path],
        "finders": [repr(each) for each in sys.meta_path],
        "builtins": {name: id(value) for name, value in vars(builtins).items() if name != "_"},
        "threading": {"hook": threading.excepthook, "stack": threading.stack_size()},
        "gc": {"enabled": gc.isenabled(), "threshold": gc.get_threshold(), "debug": gc.get_debug(),
               "callbacks": [*gc.callbacks], "frozen": gc.get_freeze_count()},
        "logging": _of_logging(),
        "threads": [thread.name for thread in threading.enumerate()],
        "native threads": len(os.listdir("/proc/self/task")),
        "children": list(_children()),
        "files": [_without_numbers(name) for name in _files()],
        "source lines": [name for name in linecache.cache if not os.path.exists(name)],
        "copyreg": [*map(repr, copyreg.dispatch_table)],
        "reducers": [*map(repr, ForkingPickler._extra_reducers)],  # type: ignore[attr-defined]
    }  # fmt: skip


_OF_SYS = (
    "argv", "breakpointhook", "displayhook", "dont_write_bytecode", "excepthook", "path_hooks", "pycache_prefix",
    "stderr", "stdin", "stdout", "unraisablehook",
)  # fmt: skip
_CALLS = ("gettrace", "getprofile", "getrecursionlimit", "getswitchinterval", "get_asyncgen_hooks")


def _of_torch() -> dict[str, Any]:
    from torch.distributed.tensor import DTensor

    tensors: Any = DTensor._op_dispatcher  # type: ignore[attr-defined]
    C: Any = torch._C
    rules = tensors.sharding_propagator
    cudnn, matmul = torch.backends.cudnn, torch.backends.cuda.matmul
    return {
        "state": _digest(torch.get_rng_state().tolist()),
        "dtype": torch.get_default_dtype(), "device": torch.get_default_device(), "threads": torch.get_num_threads(),
        "deterministic": torch.are_deterministic_algorithms_enabled(), "anomaly": torch.is_anomaly_enabled(),
        "grad": (torch.is_grad_enabled(), torch.is_inference_mode_enabled(), C._is_fwd_grad_enabled()),
        "precision": (torch.get_float32_matmul_precision(), matmul.allow_tf32, cudnn.allow_tf32, cudnn.benchmark),
        "modes": (C._len_torch_dispatch_stack(), C._len_torch_function_stack(), torch.is_autocast_enabled("cpu")),
        "functorch": C._functorch.peek_interpreter_stack(), "print": torch._tensor_str.PRINT_OPTS,
        "operations": C._dispatch_get_all_op_names(), "trees": [*map(repr, _pytree.SUPPORTED_NODES)],
        "safe classes": [*map(repr, torch.serialization.get_safe_globals())],
        "handlers": [*map(repr, tensors._custom_op_handlers)], "replication": tensors._allow_implicit_replication,
        "rules": [*map(repr, (*rules.op_to_rules, *rules.op_strategy_funcs))],
        **{name: sys.modules[name].get_config_copy() for name in _CONFIGS if name in sys.modules},
    }  # fmt: skip


_CONFIGS = ("torch._dynamo.config", "torch._functorch.config", "torch._inductor.config")


def _of_logging() -> dict[str, Any]:
    root = logging.getLogger()
    loggers = {"root": root, **root.manager.loggerDict}
    return {
        "class": logging.getLoggerClass(), "disable": root.manager.disable, "last": logging.lastResort,
        "levels": sorted(logging._levelToName.items()),  # type: ignore[attr-defined]
        "loggers": {
            name: (each.level, each.handlers, each.filters, each.propagate, each.disabled)
            for name, each in loggers.items()
            if isinstance(each, logging.Logger) and (each.level or each.handlers or not each.propagate)
        },
    }  # fmt: skip


def _children() -> Iterator[str]:
    for task in os.listdir("/proc/self/task"):
        with suppress(OSError), open(f"/proc/self/task/{task}/children") as children:
            for child in children.read().split():
                with suppress(OSError), open(f"/proc/{child}/cmdline") as command:
                    yield command.read().replace("\0", " ")


def _files() -> Iterator[str]:
    for number in os.listdir("/proc/self/fd"):
        with suppress(OSError):
            yield os.readlink(f"/proc/self/fd/{number}")


def _without_numbers(name: str) -> str:
    return "/proc" if name.startswith("/proc") else re.sub(r"\[\d+\]|(?<=/pym-).*", "", name)
