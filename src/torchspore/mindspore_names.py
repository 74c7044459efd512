"""The names that MindSpore's modules have, public and private, and an answer for those that TorchSpore lacks.

One missing name would stop a program at its first `from mindspore.x.y import A, B`, even one that never uses it. So
each name that MindSpore 2.10 has can be imported: it is TorchSpore's own object where there is one, perhaps in another
module, and otherwise a class or function that refuses to be used, and says so. What only changes MindSpore's own
machinery changes nothing.

`mindspore_names.json` has the names by module path, and for each the module that defines it
(`tests/data/record_module_names.py` records it).
"""

from __future__ import annotations

import functools
import importlib
import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from types import ModuleType
from typing import Any

from torchspore.common.names.earlier_names import earlier

__all__ = [
    "NamesModule",
    "add_names",
    "defining_modules",
    "find",
    "has_module",
    "is_package",
    "modules_with",
    "own",
    "public_names",
]

_ROOT = "mindspore"


class _Decorated:
    """In `_WITHOUT_EFFECT`: what is decorated."""


# By the start of a module path, the longest first: why nothing stands for what is there.
_REASONS = {
    "mindrecord": "it is an inner part of MindRecord. Use `FileWriter`, `FileReader` and `dataset.MindDataset`.",
    "dataset": "it is an inner part of the dataset package. Use its public sources, operations and transforms.",
    "_c_dataengine": "it belongs to MindSpore's data engine. Call the transforms of `dataset` themselves.",
    "_c_expression": "it belongs to MindSpore's runtime, for which PyTorch stands here.",
    "_extends": "it belongs to MindSpore's compiler. Python's own syntax is captured as it is.",
    "graph": "it belongs to MindSpore's compiler. Python's own syntax is captured as it is.",
    "ops._grad_experimental": "PyTorch computes gradients. Give a Cell a `bprop` for one of your own.",
    "ops._op_impl": "it describes a kernel of MindSpore. PyTorch's kernels run here.",
    "ops._vmap": "PyTorch computes `vmap`.",
    "parallel": "it belongs to MindSpore's automatic parallel training. `mint.distributed` has the collectives.",
    "profiler": "it belongs to MindSpore's profiler. Use `Profiler`, or torch.profiler.",
    "rewrite": "it belongs to MindSpore's rewriting of source code. Use the nodes of `rewrite.SymbolTree`.",
    "": "TorchSpore has no counterpart of it.",
}


# Names that only change MindSpore's own machinery, by the module that defines them, and what they return.
_WITHOUT_EFFECT: dict[Any, str] = {
    None: """
        _c_expression: _dump_set_dynamic _dump_start _dump_step _dump_stop _framework_profiler_clear
            _framework_profiler_disable_mi _framework_profiler_enable_mi _reset_error_state _reset_opt_event_info
            _set_dataset_mode_config _set_init_iter _tensordump_exec _tensordump_set_step _tft_finish_record_threads
            _tft_sem_enable _tft_start_record_threads clean_tdt_channel clear_jit_compile_results finalize_hccl
            init_hccl init_pipeline pi_jit_set_context reset_op_id reset_op_id_with_offset sdc_detect_start
            sdc_detect_stop set_cluster_exit_with_exception set_is_arf set_is_reboot_node set_reboot_type
            tft_register_config update_func_graph_hyper_params
        common.parameter: _offload_if_config
        common.recompute: _clear_recompute_session
        common.seed: _reset_op_seed _update_seeds
        communication._comm_helper: _set_elegant_exit_handle _wait_all_comm_init
        communication.management: _set_envs _set_rank_from_mpi
        context: _check_ascend_device_context_initialized _check_context_deprecated _init_parallel_env
        graph._optimize.cell_utils: process_cell_init_args set_lazy_inline
        graph._utils.pijit_context: _update_graph_executor_config
        graph.custom_infer: clear_op_infer clear_op_wrapper register_op_infer
        graph.dynamic_shape.auto_dynamic_shape: update_auto_dynamic_shape_phase
        graph.jit_config: _warn_if_infer_boost_on_deprecated _warn_infer_boost_interface_deprecated
        graph.jit_context: set_jit_context
        graph.jit_trace: _set_compile_only
        log: _clear_handler _create_logfile_dir vlog_print
        multiprocessing.reductions: init_reductions
        nn.wrap.cell_wrapper: _pipeline_clear_grad
        parallel._cell_wrapper: _restore_parallel_context destroy_allgather_cell
        parallel._dp_allreduce_fusion: _set_fusion_strategy_by_idx _set_fusion_strategy_by_size
        parallel._ps_context: _reset_ps_context _set_checkpoint_load_status
        parallel._utils: _clear_auto_parallel_context _init_auto_parallel_context
        parallel.strategy: clear_strategy_metadata enable_save_strategy_online get_strategy_metadata
        run_check._check_version: _set_pb_env set_env
        train.callback._callback: checkpoint_cb_for_save_op summary_cb_for_save_op
        train.callback._checkpoint: _wait_async_save_ckpt
        train.serialization: _async_save_close _ensure_ckpt_fs_initialized _wait_async_process_save_ckpt
            _wait_async_thread_save_ckpt
        train.summary._summary_adapter: package_init_event
    """,
    False: """
        _c_expression: register_custom_pass
        graph.custom_pass: register_custom_pass
        parallel._ps_context: _need_reset_device_target_for_ps
        train._utils: enable_data_broadcast
    """,
    _Decorated: """
        _profiler: ms_profile
        graph._utils.cell_attr_register: cell_attr_register
        graph._utils.check_jit_forbidden_api: jit_forbidden_register
        graph.custom_infer: register_op_wrapper
        utils.dryrun: no_inject_traceback_for_print
    """,
}


@functools.cache
def _without_effect() -> dict[tuple[str, str], Any]:
    """Return what the names in `_WITHOUT_EFFECT` return, by module and name."""
    found, path = {}, ""
    for result, rows in _WITHOUT_EFFECT.items():
        for word in rows.split():
            if word.endswith(":"):
                path = word[:-1]
            else:
                found[path, word] = result
    return found


@functools.cache
def _modules() -> dict[str, dict[str, Any]]:
    """Return the names by module path, without the root: constants under "=", others under the defining module."""
    recorded: dict[str, dict[str, Any]] = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
    return recorded


@functools.cache
def _origins(path: str) -> dict[str, str]:
    """Return the path of the module that defines each name of a module."""
    groups = _modules().get(path, {})
    return {name: origin or path for origin, names in groups.items() if origin != "=" for name in names.split()}


@functools.cache
def defining_modules() -> dict[str, list[str]]:
    """Return, for each name, the paths of the modules of MindSpore that define it."""
    found: dict[str, list[str]] = {}
    for path, groups in _modules().items():
        for name in groups.get("", "").split():
            found.setdefault(name, []).append(path)
    return found


def has_module(path: str) -> bool:
    """Return whether MindSpore has a module at a path, which is without the root."""
    return path in _modules()


@functools.cache
def _packages() -> set[str]:
    """Return the paths below which MindSpore has modules."""
    return {path[:end] for path in _modules() for end, character in enumerate(path) if character == "."}


def is_package(path: str) -> bool:
    """Return whether modules of MindSpore lie below a path, which is without the root."""
    return path in _packages()


def public_names(path: str) -> list[str]:
    """Return the names of a module of MindSpore that do not begin with an underscore."""
    names = [*_origins(path), *_modules().get(path, {}).get("=", ())]
    return [name for name in names if not name.startswith("_")]


@functools.cache
def modules_with(name: str) -> list[str]:
    """Return the paths of the modules of MindSpore that have a name."""
    groups = {
        path: [names if origin == "=" else names.split() for origin, names in each.items()]
        for path, each in _modules().items()
    }
    return [path for path, names in groups.items() if any(name in each for each in names)]


def find(path: str, name: str) -> Any:
    """Return what stands for a name of a module of MindSpore.

    Args:
        path: the module's path without the root, as in "ops.operations._grad_ops".
        name: the name in it, or of a module below it.

    Returns:
        The module, constant, or object of TorchSpore, or else an object that refuses to be used.

    Raises:
        AttributeError: MindSpore has no such name.
    """
    below = f"{path}.{name}".lstrip(".")
    if name.startswith("__"):
        raise AttributeError(name)
    if has_module(below):
        return importlib.import_module(f"{_ROOT}.{below}")
    constants = _modules().get(path, {}).get("=", {})
    if name in constants:
        return constants[name]
    origin = _origins(path).get(name)
    if origin is None:
        raise AttributeError(f"module '{_ROOT}.{path}' has no attribute {name!r}")
    for module in _counterparts(path, origin):
        found = own(module, name)
        if found is not None and not isinstance(found, ModuleType):
            return found
    return _refusing(origin, name)


_sought = threading.local()  # its `names` are those that are being looked up in this thread


def _first(paths: Sequence[str], name: str) -> Any:
    """Return what stands for a name in the first of several modules of MindSpore that has it."""
    for path in sorted(paths, key=lambda path: not has_module(f"{path}.{name}".lstrip("."))):
        with suppress(AttributeError):
            return find(path, name)
    raise AttributeError(name)


def _counterparts(path: str, origin: str) -> Iterator[ModuleType]:
    """Yield the modules of TorchSpore that may have a name: its origin's, and the packages' around both."""
    tried = {path}
    for place in (origin, path):
        while place:
            if place not in tried:
                tried.add(place)
                with suppress(ModuleNotFoundError):  # modules of other devices are not recorded
                    yield importlib.import_module(f"{_ROOT}.{place}")
            place = place.rpartition(".")[0]


def own(module: ModuleType, name: str) -> Any:
    """Return what a module itself has under a name, or None."""
    if name in vars(module):
        return vars(module)[name]
    answer = vars(module).get("__getattr__")
    answer = getattr(answer, "__wrapped__", answer)  # not the one that asks here again
    answer = getattr(answer, "today", answer)
    try:
        return answer(name) if answer else None
    except (AttributeError, ImportError):
        return None


def add_names(module: ModuleType, paths: Sequence[str], loaded: Callable[[], None] = lambda: None) -> None:
    """Let a module of TorchSpore answer for the names of the modules of MindSpore for which it stands.

    Args:
        module: the module. Its own names, and its own `__getattr__`, come first.
        paths: the paths of MindSpore's modules, without the root.
        loaded: called after the module's own answer, which may have loaded others. Default: does nothing.
    """
    own_answer = vars(module).get("__getattr__")
    today = getattr(own_answer, "today", own_answer)
    package = module.__name__.partition(".")[2]

    def getattr_(name: str) -> Any:
        if name == "__all__":  # a module without one: `import *` from it takes what MindSpore's modules have
            return sorted({public for path in paths for public in public_names(path)})
        try:
            if today is not None:
                found = today(name)
                loaded()
                return found
            raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}", name=name, obj=module)
        except (AttributeError, ImportError):
            names = vars(_sought).setdefault("names", set())
            if name not in names:  # else a module's own answer asks another module
                names.add(name)
                with suppress(AttributeError), ExitStack() as stack:
                    stack.callback(names.discard, name)
                    return _first(paths, name)
                for place in (package, *paths):
                    with suppress(KeyError):
                        return earlier(place, name)
            raise

    getattr_.__wrapped__ = own_answer  # type: ignore[attr-defined]
    vars(module)["__getattr__"] = getattr_


class _Refusing(type):
    """The class of classes that refuse to be used."""

    def __getattr__(cls, name: str) -> Any:
        raise AttributeError(f"type object {cls.__name__!r} has no attribute {name!r}: {cls.__doc__}")


@functools.cache
def _refusing(origin: str, name: str) -> Any:
    """Return a class, for a name with a capital, or a function that refuses to be used.

    The functions of `validators` are decorators, which return the function to decorate: they check its arguments for
    MindSpore's engine.
    """
    if (origin, name) in _without_effect():
        return _idle(origin, name, _without_effect()[origin, name])
    message = f"For '{_ROOT}.{origin}.{name}', {_reason(origin)}"
    decorates = origin.startswith("dataset.") and origin.endswith(".validators")

    def refuse(*args: Any, **kwargs: Any) -> Any:
        if decorates and not kwargs and [*map(callable, args)] == [True]:
            return args[0]
        raise NotImplementedError(message)

    module = f"{_ROOT}.{origin}"
    if name.lstrip("_")[:1].isupper():
        if origin.startswith("ops.auto_generate"):
            return type(name, (importlib.import_module("torchspore.ops.compat.unsupported").Refusing,), {
                "__call__": refuse, "__doc__": message, "__module__": module
            })  # fmt: skip
        return _Refusing(name, (), {"__init__": refuse, "__doc__": message, "__module__": module})
    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__, refuse.__module__ = message, module
    return refuse


def _idle(origin: str, name: str, result: Any) -> Callable[..., Any]:
    """Return a function that returns a result, or for `_Decorated` the function that it decorates."""

    def idle(*args: Any, **kwargs: Any) -> Any:
        if result is not _Decorated:
            return result
        return args[0] if args and callable(args[0]) else lambda function: function

    idle.__name__ = idle.__qualname__ = name
    idle.__doc__, idle.__module__ = "Change nothing: it serves MindSpore's own machinery.", f"{_ROOT}.{origin}"
    return idle


def _reason(path: str) -> str:
    while path not in _REASONS:
        path = path.rpartition(".")[0]
    return _REASONS[path]


class NamesModule(ModuleType):
    """A module of MindSpore for which TorchSpore has none: its names are looked up one by one."""

    def __getattr__(self, name: str) -> Any:
        path = self.__name__.removeprefix(f"{_ROOT}.")
        if name == "__all__":
            return public_names(path)
        try:
            found = find(path, name)
        except AttributeError as error:
            try:
                found = earlier(path, name)
            except KeyError:
                raise error from None
        setattr(self, name, found)
        return found
