"""Settings of all datasets: the seed, the number of workers, the start method of processes."""

from __future__ import annotations

import enum
import inspect
import os
import random
import secrets
from collections.abc import Callable
from copy import copy
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np

from torchspore import log
from torchspore.common import random as global_random
from torchspore.dataset.debug import DebugHook, PrintMetaDataHook
from torchspore.engine.parameters import Limits, checked, take_as
from torchspore.engine.storage.reading import read_json

__all__ = [
    "ErrorSamplesMode", "get_auto_num_workers", "get_auto_offload", "get_autotune_interval", "get_callback_timeout",
    "get_debug_mode", "get_dynamic_shape", "get_enable_autotune", "get_enable_shared_mem", "get_enable_watchdog",
    "get_error_samples_mode", "get_fast_recovery", "get_iterator_mode", "get_monitor_sampling_interval",
    "get_multiprocessing_start_method", "get_multiprocessing_timeout_interval", "get_num_parallel_workers",
    "get_numa_enable", "get_prefetch_size", "get_seed", "load", "set_auto_num_workers", "set_auto_offload",
    "set_autotune_interval", "set_callback_timeout", "set_debug_mode", "set_dynamic_shape", "set_enable_autotune",
    "set_enable_shared_mem", "set_enable_watchdog", "set_error_samples_mode", "set_fast_recovery",
    "set_iterator_mode", "set_monitor_sampling_interval", "set_multiprocessing_start_method",
    "set_multiprocessing_timeout_interval", "set_num_parallel_workers", "set_numa_enable", "set_prefetch_size",
    "set_seed", "set_sending_batches",
]  # fmt: skip

_DEFAULT_SEED = 5489  # the result of `get_seed` before any seed is set
_MAX_SEED = UINT32_MAX = 2**32 - 1
INT32_MAX = 2**31 - 1
_Natural: TypeAlias = Annotated[int, Limits(1, INT32_MAX)]


class ErrorSamplesMode(enum.IntEnum):
    """What happens to a sample whose function fails: raise the error, replace the sample, or skip it.

    Examples:
        >>> import torchspore.dataset as ds
        >>> ds.config.ErrorSamplesMode.SKIP.value
        2
    """

    RETURN = 0
    REPLACE = 1
    SKIP = 2


_DEFAULTS: dict[str, Any] = {
    "num_parallel_workers": None,
    "prefetch_size": 16,
    "multiprocessing_start_method": "fork",
    "multiprocessing_timeout_interval": 300,
    "iterator_mode": {"do_copy": False, "parallel_convert": False},
    "enable_autotune": False,
    "autotune_file": None,
    "video_backend": "CPU",
    "debug_mode": False,
    "debug_hooks": [],
    "error_samples_mode": ErrorSamplesMode.RETURN,
}

_values: dict[str, Any] = dict(_DEFAULTS)
_seed: int | None = None
_calls_then = 0  # the number of calls of the package's `set_seed` when `_seed` was set: the last one set counts


@checked
def set_seed(seed: Annotated[int, Limits(0, _MAX_SEED)]) -> None:
    """Set the seed of shuffles, samplers and random transforms.

    It also seeds Python's `random` and NumPy's global generator. With the same seed, each new iteration over a dataset
    yields the same rows, regardless of the number of workers and of the random numbers that functions of the user draw:
    each row has its own numbers in `random`, `numpy.random`, PyTorch's default generator, generators without a seed and
    those that the functions hold. The numbers that the program itself draws from these do not change.

    Args:
        seed: in [0, 2**32).

    Examples:
        >>> import torchspore.dataset as ds
        >>> ds.config.set_seed(1)
        >>> ds.config.get_seed()
        1
    """
    global _seed, _calls_then
    _seed = seed
    _calls_then = global_random.times_set()
    random.seed(seed)
    np.random.seed(seed)


def get_seed() -> int:
    """Return the seed set last by `set_seed` or `torchspore.set_seed`; 5489 if there is none.

    Examples:
        >>> import torchspore.dataset as ds
        >>> ds.config.set_seed(7)
        >>> ds.config.get_seed()
        7
    """
    seed = current_seed()
    return _DEFAULT_SEED if seed is None else seed


def current_seed() -> int | None:
    """Return the seed, or None when none is set."""
    if _seed is not None and global_random.times_set() == _calls_then:
        return None if _seed == _DEFAULT_SEED else _seed  # reset to the default: no seed
    return global_random.get_seed()


def run_seed() -> int:
    """Return the seed for one iterator: the one that is set, or a new one each time."""
    seed = current_seed()
    return secrets.randbits(32) if seed is None else seed


def shard_seed() -> int:
    """Return the seed with which all shards shuffle in the same order, even if none is set."""
    return get_seed()


def _getter(name: str) -> Callable[[], Any]:
    def get() -> Any:
        return copy(_values[name])

    get.__name__ = get.__qualname__ = f"get_{name}"
    get.__doc__ = (
        f"Return what `set_{name}` has set, by default {_DEFAULTS[name]!r}.\n\nExamples:\n"
        f"    >>> import torchspore.dataset as ds\n    >>> ds.config.get_{name}()\n    {_DEFAULTS[name]!r}"
    )
    return get


@checked
def set_num_parallel_workers(num: _Natural) -> None:
    """Set the number of threads or processes of operations without `num_parallel_workers`.

    Args:
        num: at least 1. Default of the setting: the number of cores, at most 8.

    Examples:
        >>> import torchspore.dataset as ds
        >>> before = ds.config.get_num_parallel_workers()
        >>> ds.config.set_num_parallel_workers(2)
        >>> ds.config.get_num_parallel_workers()
        2
        >>> ds.config.set_num_parallel_workers(before)
    """
    _values["num_parallel_workers"] = num


def get_num_parallel_workers() -> int:
    """Return what `set_num_parallel_workers` has set, by default the number of cores, at most 8.

    Examples:
        >>> import torchspore.dataset as ds
        >>> 1 <= ds.config.get_num_parallel_workers()
        True
    """
    return chosen_workers() or min(8, os.cpu_count() or 1)


def chosen_workers() -> int | None:
    """Return what `set_num_parallel_workers` has set, or None."""
    found: int | None = _values["num_parallel_workers"]
    return found


@checked
def set_prefetch_size(size: _Natural) -> None:
    """Set the number of rows that operations with workers compute ahead.

    Args:
        size: at least 1. Default of the setting: 16.

    Examples:
        >>> import torchspore.dataset as ds
        >>> ds.config.set_prefetch_size(16)
        >>> ds.config.get_prefetch_size()
        16
    """
    _values["prefetch_size"] = size


get_prefetch_size: Callable[[], int] = _getter("prefetch_size")


@checked
def set_multiprocessing_start_method(start_method: Literal["fork", "spawn"] = "fork") -> None:
    """Set how worker processes start.

    Args:
        start_method: "fork" or "spawn". A spawned process loads the program again, so functions and datasets must be
            picklable.

    Examples:
        >>> import torchspore.dataset as ds
        >>> ds.config.set_multiprocessing_start_method("fork")
        >>> ds.config.get_multiprocessing_start_method()
        'fork'
    """
    _values["multiprocessing_start_method"] = start_method


get_multiprocessing_start_method: Callable[[], str] = _getter("multiprocessing_start_method")


@checked
def set_multiprocessing_timeout_interval(interval: _Natural) -> None:
    """Set the number of seconds of waiting for a worker process after which there is a warning.

    Args:
        interval: at least 1. Default of the setting: 300.

    Examples:
        >>> import torchspore.dataset as ds
        >>> ds.config.set_multiprocessing_timeout_interval(300)
        >>> ds.config.get_multiprocessing_timeout_interval()
        300
    """
    _values["multiprocessing_timeout_interval"] = interval


get_multiprocessing_timeout_interval: Callable[[], int] = _getter("multiprocessing_timeout_interval")


@checked
def set_debug_mode(debug_mode_flag: bool, debug_hook_list: list[DebugHook] | None = None) -> None:
    """Run all operations in the process and thread of the program, where breakpoints work, with seed 1 if none is set.

    Args:
        debug_mode_flag: whether to do so. Default of the setting: False.
        debug_hook_list: hooks that look at the data between the operations of each `map`. Default: None, one that
            prints data types and shapes.

    Examples:
        >>> import torchspore.dataset as ds
        >>> ds.config.set_debug_mode(False)
        >>> ds.config.get_debug_mode()
        False
    """
    _values["debug_mode"], _values["debug_hooks"] = debug_mode_flag, [*(debug_hook_list or [PrintMetaDataHook()])]
    if debug_mode_flag and current_seed() is None:
        set_seed(1)


def debug_hooks() -> list[DebugHook]:
    """Return the hooks of the debug mode, none outside it."""
    return list(_values["debug_hooks"]) if _values["debug_mode"] else []


get_debug_mode: Callable[[], bool] = _getter("debug_mode")


@checked
def set_iterator_mode(do_copy: bool = False, parallel_convert: bool = False) -> None:
    """Set how iterators make Tensors, where their own `do_copy` is not given.

    Args:
        do_copy: copy the data into each Tensor. Tensors never share memory with each other or with the source, so this
            only matters for functions that keep their results. Default: False.
        parallel_convert: stored without effect: MindSpore then converts in a separate thread, but here a Tensor takes
            over the array within a microsecond. Default: False.

    Examples:
        >>> import torchspore.dataset as ds
        >>> ds.config.set_iterator_mode(do_copy=False)
        >>> ds.config.get_iterator_mode()
        {'do_copy': False, 'parallel_convert': False}
    """
    _values["iterator_mode"] = {"do_copy": do_copy, "parallel_convert": parallel_convert}


get_iterator_mode: Callable[[], dict[str, bool]] = _getter("iterator_mode")


@checked
def set_error_samples_mode(error_samples_mode: ErrorSamplesMode) -> None:
    """Set what happens to a sample whose function fails in `map`.

    Args:
        error_samples_mode: RETURN, which raises; SKIP, which leaves the sample out; or REPLACE, where at the end of the
            epoch the first samples that did not fail come again, which are kept for it. Default: RETURN.

    Examples:
        >>> import torchspore.dataset as ds
        >>> ds.config.set_error_samples_mode(ds.config.ErrorSamplesMode.RETURN)
        >>> ds.config.get_error_samples_mode().name
        'RETURN'
    """
    _values["error_samples_mode"] = error_samples_mode


get_error_samples_mode: Callable[[], ErrorSamplesMode] = _getter("error_samples_mode")


_NOT_LOADED = {  # what MindSpore reads, but has no meaning here
    "autoOffload", "cacheHost", "cachePort", "cachePrefetchSize", "enableAutotune", "logFilePath", "numConnections",
    "rowsPerBuffer", "workerConnectorSize",
}  # fmt: skip


@checked
def load(file: str) -> None:
    """Set numParallelWorkers, prefetchSize (opConnectorSize), monitorSamplingInterval and seed from a JSON file.

    Either all are set, or none. Other keys of MindSpore are ignored, and unknown ones logged.

    Raises:
        RuntimeError: the file cannot be read, or has a value that is not supported.

    Examples:
        >>> import json, tempfile
        >>> import torchspore.dataset as ds
        >>> with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        ...     json.dump({"seed": 3}, file)
        ...     file.flush()
        ...     ds.config.load(file.name)
        >>> ds.config.get_seed()
        3
    """
    setters: dict[str, tuple[Callable[[int], None], int, int]] = {  # with the minimum and the maximum
        "numParallelWorkers": (set_num_parallel_workers, 1, INT32_MAX),
        "opConnectorSize": (set_prefetch_size, 1, INT32_MAX),
        "prefetchSize": (set_prefetch_size, 1, INT32_MAX),
        "monitorSamplingInterval": (set_monitor_sampling_interval, 1, INT32_MAX),
        "seed": (set_seed, 0, _MAX_SEED),
    }
    try:
        settings = read_json(file, dict)
    except (OSError, ValueError) as error:
        raise RuntimeError(f"For 'load', the file {file!r} cannot be read as JSON: {error}") from error
    unknown = sorted(set(settings) - set(setters) - _NOT_LOADED)
    if unknown:
        log.warning(f"For 'load', the file {file!r} has unknown settings, which are ignored: {unknown!r:.200}.")
    settings = {name: value for name, value in settings.items() if name in setters}
    try:
        for name, value in settings.items():  # all are checked before the first is set
            take_as(Annotated[int, Limits(*setters[name][1:])], value, name, "load")
    except (TypeError, ValueError) as error:
        raise RuntimeError(f"For 'load', the file {file!r} has a value that cannot be set: {error}") from error
    for name, value in settings.items():
        setters[name][0](value)


def _hint(
    name: str, argument: str, default: bool | int, what: str, minimum: int = 0
) -> tuple[Callable[..., None], Callable[[], Any]]:
    """Return the setter and the getter of a setting that in MindSpore changes the speed but not the rows.

    Args:
        name: its name.
        argument: the argument of the setter.
        default: its default, whose type is the type of its values.
        what: its meaning in MindSpore, and what replaces it here.
        minimum: the smallest value of an int. Default: 0.
    """
    example = f"ds.config.set_{name}({default})"

    is_flag = isinstance(default, bool)
    accepted: Any = bool if is_flag else Annotated[int, Limits(minimum, INT32_MAX)]
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    signature = inspect.Signature([inspect.Parameter(argument, kind, annotation="bool" if is_flag else "int")])

    def setter(*args: Any, **kwargs: Any) -> None:
        (value,) = signature.bind(*args, **kwargs).args
        _values[name] = take_as(accepted, value, argument, f"set_{name}")

    def getter() -> bool | int:
        found: bool | int = _values.get(name, default)
        return found

    setter.__signature__ = signature  # type: ignore[attr-defined]
    for function, summary in ((setter, "Store"), (getter, "Return")):
        function.__name__ = function.__qualname__ = f"{'set' if function is setter else 'get'}_{name}"
        function.__doc__ = (
            f"{summary} MindSpore's setting '{name}': {what}\n\n"
            f"Examples:\n    >>> import torchspore.dataset as ds\n    >>> {example}\n"
            f"    >>> ds.config.get_{name}()\n    {default}\n"
        )
    return setter, getter


set_enable_shared_mem, get_enable_shared_mem = _hint(
    "enable_shared_mem", "enable", True, "how worker processes send rows. Here, arrays are sent over sockets."
)
set_auto_num_workers, get_auto_num_workers = _hint(
    "auto_num_workers", "enable", False, "whether it chooses numbers of workers. Here, slow transforms get threads."
)
set_autotune_interval, get_autotune_interval = _hint(
    "autotune_interval", "interval", 0, "how often it tunes. Here, nothing is tuned."
)
set_auto_offload, get_auto_offload = _hint(
    "auto_offload", "offload", False, "whether transforms move to the device. Here, they are computed on the CPU."
)
set_numa_enable, get_numa_enable = _hint(
    "numa_enable", "numa_enable", False, "whether it binds to a memory node. Here, the operating system decides."
)
set_monitor_sampling_interval, get_monitor_sampling_interval = _hint(
    "monitor_sampling_interval", "interval", 1000, "how often it measures itself. Here, nothing is measured.", minimum=1
)
set_callback_timeout, get_callback_timeout = _hint(
    "callback_timeout",
    "timeout",
    60,
    "how long a `WaitedDSCallback` waits for the training. Here, it never waits.",
    minimum=1,
)
set_dynamic_shape, get_dynamic_shape = _hint(
    "dynamic_shape", "is_dynamic", False, "whether shapes may vary in a sink. Here, they may."
)
set_enable_watchdog, get_enable_watchdog = _hint(
    "enable_watchdog", "enable", True, "whether it watches worker processes. Here, the end of one is always reported."
)
set_fast_recovery, get_fast_recovery = _hint(
    "fast_recovery",
    "fast_recovery",
    True,
    "whether a training that resumes skips rows. False only affects maps with callbacks.",
)


@checked
def set_sending_batches(batch_num: int) -> None:
    """Store MindSpore's setting: the number of batches that a sink sends ahead. Here, each is sent when asked for.

    Args:
        batch_num: an int.

    Examples:
        >>> import torchspore.dataset as ds
        >>> ds.config.set_sending_batches(10)
    """
    _values["sending_batches"] = batch_num


@checked
def set_video_backend(backend: Literal["CPU", "Ascend"]) -> None:
    """Store MindSpore's setting: what decodes videos, which PyAV does here.

    Args:
        backend: "CPU" or "Ascend". Default of the setting: "CPU".

    Examples:
        >>> import torchspore.dataset as ds
        >>> ds.config.set_video_backend("CPU")
        >>> ds.config.get_video_backend()
        'CPU'
    """
    _values["video_backend"] = backend


get_video_backend: Callable[[], str] = _getter("video_backend")


@checked
def set_enable_autotune(enable: bool, filepath_prefix: str | None = None) -> None:
    """Write the configuration of a pipeline when an iterator ends, as MindSpore's tuning of it does.

    Here, numbers of workers are chosen while rows are computed, and nothing else is tuned.

    Args:
        enable: whether to do so. Default of the setting: False.
        filepath_prefix: the file is this and "_0.json", where 0 is the rank of the process; `deserialize` reads it.
            Default: None, no file.

    Raises:
        RuntimeError: `filepath_prefix` is empty or a folder, or its folder does not exist.

    Examples:
        >>> import torchspore.dataset as ds
        >>> ds.config.set_enable_autotune(False)
        >>> ds.config.get_enable_autotune()
        False
    """
    if enable and filepath_prefix is not None:
        folder = os.path.dirname(os.path.abspath(filepath_prefix))
        if not filepath_prefix or os.path.isdir(filepath_prefix) or not os.path.isdir(folder):
            raise RuntimeError(
                f"For 'set_enable_autotune', 'filepath_prefix' must be the beginning of a file's path in an existing "
                f"folder, but got {filepath_prefix!r}."
            )
    _values["enable_autotune"] = enable
    _values["autotune_file"] = filepath_prefix if enable else None


get_enable_autotune: Callable[[], bool] = _getter("enable_autotune")


def autotune_file() -> str | None:
    """Return the beginning of the path of the file to write, or None."""
    prefix: str | None = _values["autotune_file"]
    return prefix
