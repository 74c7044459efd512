"""Compilation, and other names that programs import from MindSpore's `common.api`.

MindSpore: `mindspore.common.api`.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from enum import Enum
from typing import Any

import torch

from torchspore.common.frames.stack import caller
from torchspore.common.private_torch import set_forward_grad_enabled
from torchspore.common.scopes.scope import scope
from torchspore.engine.capture.function import CapturedFunction
from torchspore.engine.distributed.cutting import planned
from torchspore.engine.gradients.tape import Tape
from torchspore.engine.jit import *  # noqa: F403
from torchspore.engine.jit import jit
from torchspore.engine.jit_config import JitConfig
from torchspore.engine.parameters import take_as

__all__: list[str] = []


def _function_forbid_reuse(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function unchanged: graphs contain each call separately."""
    return fn


class CustomPassType(Enum):
    """What a pass of MindSpore's compiler sees: the part that a pattern matches, or the whole graph."""

    PATTERN = 0
    FULL_GRAPH = 1


class _CellGraphExecutor:
    """The executor of captured cells and functions, by the names of what they are used for."""

    def __init__(self) -> None:
        self._captured: weakref.WeakKeyDictionary[Any, dict[str, Any]] = weakref.WeakKeyDictionary()
        self._strategies: weakref.WeakKeyDictionary[Any, dict[str, Any]] = weakref.WeakKeyDictionary()

    def compile(
        self,
        obj: Any,
        *args: Any,
        phase: str = "predict",
        do_convert: bool = True,
        jit_config_dict: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> tuple[str, bool]:
        """Capture a cell or function for inputs like these.

        Args:
            obj: the cell or function.
            args: the inputs.
            phase: what it is used for: the name for a later call. Default: "predict".
            do_convert: whether the graph is made ready to run; a captured graph always is. Default: True.
            jit_config_dict: settings, as `JitConfig` takes them. Default: None: the cell's settings.
            kwargs: inputs by their names.

        Returns:
            The name, and whether the graph is new.
        """
        take_as(bool, do_convert, "do_convert", "compile")
        captured = self._of(obj, jit_config_dict)
        before = captured.captures
        found = planned.Recorded()
        planned.set_recorded(found)
        try:
            captured.prepare(*args, **kwargs)
        finally:
            planned.set_recorded(None)
        if found.strategies:
            self._strategies[obj] = found.strategies
            obj.parameter_layout_dict = _with_states(found.layouts, obj)
        known = self._captured.setdefault(obj, {})
        is_new = captured.captures > before or phase not in known
        known[phase] = captured
        return phase, is_new

    def __call__(self, obj: Any, *args: Any, phase: str = "predict", **kwargs: Any) -> Any:
        """Run what was compiled under the name; "predict" needs no compilation.

        Raises:
            KeyError: nothing was.
        """
        known = self._captured.get(obj, {})
        if phase == "predict" and phase not in known:
            return self._of(obj, None)(*args, **kwargs)
        if phase not in known:
            raise KeyError(f"For '_cell_graph_executor', there is no graph {phase!r}, but {list(known)}. Compile it.")
        return known[phase](*args, **kwargs)

    def _get_shard_strategy(self, obj: Any) -> dict[str, list[list[int]]]:
        """Return the strategies of the operations of a cell that was compiled, which `shard` set."""
        return dict(self._strategies.get(obj, {}))

    def has_compiled(self, phase: str = "predict") -> bool:
        """Return whether something was compiled under the name."""
        return any(phase in known for known in self._captured.values())

    def _of(self, obj: Any, settings: dict[str, Any] | None) -> CapturedFunction:
        take_as(Callable, obj, "obj", "_cell_graph_executor.compile")
        if isinstance(obj, CapturedFunction):
            return obj
        if hasattr(obj, "_captured"):
            if settings:
                obj.set_jit_config(JitConfig(**settings))
            captured: CapturedFunction = obj._captured
            return captured
        return CapturedFunction(obj, JitConfig(**(settings or {})).settings())

    def init_dataset(self, *args: Any, **kwargs: Any) -> bool:
        """Return True: datasets need no queues."""
        return True


class _PyNativeExecutor:
    """The executor of eager operations; `engine.gradients.tape` describes how it gives gradients."""

    def __init__(self) -> None:
        self._tape = Tape()

    def set_grad_flag(self, flag: bool) -> None:
        """Set whether `new_graph` begins a pass, in this thread."""
        take_as(bool, flag, "flag", "set_grad_flag")
        self._tape.is_on = flag

    def grad_flag(self) -> bool:
        """Return whether `new_graph` begins a pass."""
        return self._tape.is_on

    def requires_grad(self) -> bool:
        """Return whether operations are recorded for gradients."""
        return self._tape.is_on and torch.is_grad_enabled()

    def high_order(self) -> bool:
        """Return whether the current gradient scope is inside another."""
        return scope.depth > 1

    def new_graph(self, obj: Any, *args: Any, **kwargs: Any) -> None:
        """Begin a pass, in which the caller runs `obj`."""
        self._tape.begin(obj, (args, kwargs), caller())

    def end_graph(self, obj: Any, output: Any, *args: Any, **kwargs: Any) -> None:
        """Set what `obj` returned in its pass."""
        self._tape.end(obj, output)

    def check_run(self, obj: Any, *args: Any, **kwargs: Any) -> bool:
        """Return whether `obj` must run once more for its gradients: it need not."""
        return False

    def grad(self, obj: Any, grad: Any, weights: Any, grad_position: Any, *args: Any) -> Any:
        """Return the gradients of the last pass: of `weights`, of inputs or of both, as the GradOperation `grad` says.

        Before the inputs stands `has_aux`, which older versions lack: whether only the first output is differentiated.
        """
        has_aux = bool(args) and isinstance(args[0], bool)
        return self._tape.gradients(obj, grad, weights, has_aux and args[0], args[has_aux:])

    def clear_res(self) -> None:
        """End all passes."""
        self._tape.clear()

    def call_custom_bprop(self, obj: Callable[..., Any], output: object, *args: object, **kwargs: object) -> object:
        """Return the output: a call of a cell with a `bprop` has its gradients already."""
        return output

    def sync(self) -> None:
        """Wait until the device is idle."""
        if torch.cuda.is_initialized():
            torch.cuda.synchronize()

    def enable_grad(self) -> bool:
        """Return whether results have gradients."""
        return torch.is_grad_enabled()

    def set_enable_grad(self, flag: bool) -> None:
        """Set whether results have gradients, in this thread."""
        torch.set_grad_enabled(flag)
        set_forward_grad_enabled(flag)

    def run_op_async(self, obj: Any, op_name: str, args: Any) -> Any:
        """Return what a primitive computes from a sequence of inputs; the device may still compute it."""
        return obj(*args)

    def set_async_for_graph(self, flag: bool) -> None:
        """Check a setting of MindSpore's runtime; calls of graphs return as the device allows."""
        take_as(bool, flag, "flag", "set_async_for_graph")


def _with_states(layouts: dict[str, Any], obj: Any) -> dict[str, Any]:
    """Return layouts of parameters; an optimizer's states have the layouts of their parameters."""
    found = dict(layouts)
    for parameter in obj.get_parameters() if hasattr(obj, "get_parameters") else ():
        layout = layouts.get(parameter.name.partition(".")[2])
        if layout is not None and layout[6] == list(parameter.shape):
            found.setdefault(parameter.name, layout)
    return found


def _get_parameter_layout() -> dict[str, Any]:
    """Return an empty dict: there is no network for several devices that MindSpore's compiler holds."""
    return {}


ms_function = jit  # its name in MindSpore 1
_cell_graph_executor = _CellGraphExecutor()
_pynative_executor = _PyNativeExecutor()
