"""Compilation, and other names that programs import from MindSpore's `common.api`.

MindSpore: `mindspore.common.api`.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import torch

from torchspore.common.private_torch import set_forward_grad_enabled
from torchspore.engine import differentiate
from torchspore.engine.capture.function import CapturedFunction
from torchspore.engine.checks import check_bool, check_callable
from torchspore.engine.jit import *  # noqa: F403
from torchspore.engine.jit_config import JitConfig

__all__: list[str] = []


def _function_forbid_reuse(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function unchanged: graphs contain each call separately."""
    return fn


class _CellGraphExecutor:
    """The executor of captured cells and functions, by the names of what they are used for."""

    def __init__(self) -> None:
        self._captured: weakref.WeakKeyDictionary[Any, dict[str, Any]] = weakref.WeakKeyDictionary()

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
            jit_config_dict: settings, as `JitConfig` takes them. Default: None: those of the cell.
            kwargs: inputs by their names.

        Returns:
            The name, and whether the graph is new.
        """
        check_bool(do_convert, "do_convert", "compile")
        captured = self._of(obj, jit_config_dict)
        before = captured.captures
        captured.prepare(*args, **kwargs)
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

    def has_compiled(self, phase: str = "predict") -> bool:
        """Return whether something was compiled under the name."""
        return any(phase in known for known in self._captured.values())

    def _of(self, obj: Any, settings: dict[str, Any] | None) -> CapturedFunction:
        check_callable(obj, "obj", "_cell_graph_executor.compile")
        if isinstance(obj, CapturedFunction):
            return obj
        if hasattr(obj, "cells_and_names"):
            if settings:
                obj.set_jit_config(JitConfig(**settings))
            captured: CapturedFunction = obj._captured
            return captured
        return CapturedFunction(obj, JitConfig(**(settings or {})).settings())


class _PyNativeExecutor:
    """The executor of eager operations.

    `grad` runs the network again, unless `Cell.set_grad` is on: there is nothing to do between `new_graph` and
    `end_graph`.
    """

    def __init__(self) -> None:
        self._grad_flag = False

    def set_grad_flag(self, flag: bool) -> None:
        """Set what `grad_flag` returns; gradients can be computed either way."""
        self._grad_flag = check_bool(flag, "flag", "set_grad_flag")

    def grad_flag(self) -> bool:
        """Return what `set_grad_flag` set."""
        return self._grad_flag

    def requires_grad(self) -> bool:
        """Return whether the gradients of results can be requested: `set_grad_flag` and `enable_grad` are on."""
        return self._grad_flag and self.enable_grad()

    def new_graph(self, obj: Any, *args: Any, **kwargs: Any) -> None:
        """Begin a call of a network whose gradient `grad` computes."""
        check_callable(obj, "obj", "_pynative_executor.new_graph")

    def end_graph(self, obj: Any, output: Any, *args: Any, **kwargs: Any) -> None:
        """End the call."""
        check_callable(obj, "obj", "_pynative_executor.end_graph")

    def check_run(self, obj: Any, *args: Any, **kwargs: Any) -> tuple[bool, None]:
        """Return that there is no forward run for `grad` to use."""
        check_callable(obj, "obj", "_pynative_executor.check_run")
        return False, None

    def grad(self, obj: Any, grad: Any, weights: Any, grad_position: Any, has_aux: bool, *args: Any) -> Any:
        """Return the gradients of a network as a `GradOperation` returns them.

        Args:
            obj: the network.
            grad: the `GradOperation`, which is used if there is no `grad_position`.
            weights: the parameters to differentiate by, or None.
            grad_position, has_aux: as for `grad`.
            args: the inputs.
        """
        if grad_position is not None:
            return differentiate.grad(obj, grad_position, weights, has_aux)(*args)
        return (grad(obj) if weights is None else grad(obj, weights))(*args)

    def high_order(self) -> bool:
        """Return whether a gradient is recorded for another gradient: what runs decides it."""
        return False

    def clear_res(self) -> None:
        """Free what finished calls hold: nothing."""

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

    def set_async_for_graph(self, flag: bool) -> None:
        """Check a setting of MindSpore's runtime; calls of graphs return as the device allows."""
        check_bool(flag, "flag", "set_async_for_graph")


_cell_graph_executor = _CellGraphExecutor()
_pynative_executor = _PyNativeExecutor()
