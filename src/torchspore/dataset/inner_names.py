"""Inner functions of MindSpore's data engine that programs call, most of which have nothing to do here.

MindSpore has them in modules below `dataset.engine` and `dataset.core`.
"""

from __future__ import annotations

import os
import stat
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NoReturn, TypeVar

import numpy as np

from torchspore.common import dtype as mstype
from torchspore.dataset import config
from torchspore.dataset.debug import DebugHook
from torchspore.dataset.outputs.iterators import _get_training_dataset
from torchspore.dataset.sampling.samplers import BuiltinSampler, Shuffle, choose

__all__ = [
    "ExceptionHandler", "KeyErrorParse", "_cleanup_the_iterators_if_created", "_get_debug_hook_list",
    "_get_enable_shared_mem", "_get_operator_process", "_init_device_info", "_main_process_already_exit",
    "_reset_training_dataset", "_set_auto_workers_config", "_set_dataset_permissions", "check_add_offload_sink_mode",
    "expand_path", "flatten_single_lists", "int_to_mstype", "is_numpy", "mstype_to_int",
    "select_sampler", "shuffle_to_shuffle_mode", "to_list", "worker_is_alive",
]  # fmt: skip

Function = TypeVar("Function", bound=Callable[..., Any])

mstype_to_int = {
    mstype.bool_: 0, mstype.int8: 1, mstype.int16: 3, mstype.int32: 4, mstype.int64: 6, mstype.uint8: 8,
    mstype.uint16: 9, mstype.uint32: 10, mstype.uint64: 11, mstype.float16: 12, mstype.float32: 14,
    mstype.float64: 16, mstype.bfloat16: 18,
}  # fmt: skip
int_to_mstype = {number: dtype for dtype, number in mstype_to_int.items()}


def _cleanup_the_iterators_if_created(method: Function) -> Function:
    """Return the method unchanged: methods that iterate end their iterators."""
    return method


def _init_device_info() -> None:
    """Do nothing: rows are computed for any device."""


def _set_auto_workers_config(option: int) -> None:
    """Do nothing: numbers of workers are not chosen by the model and the hardware."""


def _get_enable_shared_mem() -> bool:
    """Return whether results of workers are sent through shared memory."""
    return config.get_enable_shared_mem()


def _get_debug_hook_list() -> list[DebugHook]:
    """Return the hooks of the debug mode."""
    return config.debug_hooks()


def _get_operator_process() -> tuple[dict[int, list[int]], bool]:
    """Return the worker processes by operation, and whether all are known: none is registered."""
    return {}, True


def _main_process_already_exit() -> bool:
    """Return whether the process that uses the workers has ended: it is this one."""
    return False


def worker_is_alive(worker: Any) -> bool:
    """Return whether a process runs."""
    with suppress(ValueError):  # it is closed
        return bool(worker.is_alive())
    return False


def check_add_offload_sink_mode(dataset: Any, dataset_helper: Any, network: Any) -> Any:
    """Return the network unchanged: transforms are not computed in it."""
    return network


def _reset_training_dataset(global_step: int, dataset_size: int) -> None:
    """Let the data of the training continue after a number of steps.

    Raises:
        RuntimeError: there is none.
    """
    dataset = _get_training_dataset()
    if dataset is None:
        raise RuntimeError("For '_reset_training_dataset', there is no training: call '_set_training_dataset' first.")
    dataset._reset(global_step, dataset_size)


def _set_dataset_permissions(file_name: str, num_files: int) -> None:
    """Let only the user read and write the files of `save`."""
    digits = len(str(num_files - 1))
    names = [file_name] if num_files == 1 else [f"{file_name}{number:0{digits}}" for number in range(num_files)]
    for path in (*names, *(f"{name}.db" for name in names)):
        if os.path.exists(path):
            os.chmod(path, stat.S_IRUSR | stat.S_IWUSR)


def select_sampler(
    num_samples: int | None, input_sampler: Any, shuffle: Any, num_shards: int | None, shard_id: int | None
) -> BuiltinSampler:
    """Return the sampler for the arguments of a source."""
    return choose("select_sampler", input_sampler, shuffle, num_samples, num_shards, shard_id)


def shuffle_to_shuffle_mode(shuffle: Any) -> Shuffle:
    """Return how to shuffle files, for the argument of a source."""
    return Shuffle.GLOBAL if shuffle is None or shuffle is True else Shuffle(shuffle) if shuffle else Shuffle.FALSE


def expand_path(node_repr: dict[str, Any], key: str, val: Any) -> None:
    """Enter a path, or several, into a form as absolute ones."""
    node_repr[key] = [os.path.abspath(each) for each in val] if isinstance(val, list) else os.path.abspath(val)


def flatten_single_lists(nested_list: Any) -> Any:
    """Return nested lists without those that only hold one list."""
    if not isinstance(nested_list, list):
        return nested_list
    if len(nested_list) == 1 and isinstance(nested_list[0], list):
        return flatten_single_lists(nested_list[0])
    return [flatten_single_lists(each) for each in nested_list]


def to_list(items: Any) -> list[Any]:
    """Return a tuple or list as a list, another value as its only item, and None as no item."""
    if items is None:
        return []
    return list(items) if isinstance(items, (list, tuple)) else [items]


def is_numpy(img: Any) -> bool:
    """Return whether a value is a NumPy array."""
    return isinstance(img, np.ndarray)


class KeyErrorParse(str):
    """A message that is shown without quotes: a KeyError shows the `repr` of its message."""

    def __repr__(self) -> str:
        return self


class ExceptionHandler:
    """An exception of another thread or process, with its traceback as text.

    Args:
        except_info: as `sys.exc_info` returns it. Default: None, the exception that is being handled.
        where: where it was raised. Default: "in python function".
    """

    def __init__(self, except_info: Any = None, where: str = "in python function") -> None:
        kind, error, trace = except_info or sys.exc_info()
        self.where = where
        self.except_type: Any = kind
        self.except_msg = "".join(traceback.format_exception(kind, error, trace))

    def reraise(self) -> NoReturn:
        """Raise an exception of the same class, whose message is the traceback."""
        text = self.except_msg[max(self.except_msg.rfind("Traceback"), 0) :].strip()
        if self.except_type is KeyError:
            raise KeyError(KeyErrorParse(text))
        raise self.except_type(message=text) if hasattr(self.except_type, "message") else self.except_type(text)
