"""Cells as captured graphs: settings, declared inputs, and capture ahead of the first call."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

from torchspore.common import change_count, mode
from torchspore.common.error_classes import also
from torchspore.common.open_shape import OpenTensor
from torchspore.engine.capture.function import CapturedFunction
from torchspore.engine.dynamic import InputsHint, hint_of
from torchspore.engine.failures.errors import describe
from torchspore.engine.jit_config import JitConfig

__all__ = ["CellGraph", "compiler_hint"]

# Attributes of MindSpore's cells for its compiler and runtime, and what to use here.
_CAPTURE = "'compile' captures the cell, and a call does so by itself"
_NAMES = "'cells_and_names' and 'parameters_and_names' give all names"
_COMPILER_PARTS = {
    **dict.fromkeys(("compile_phase", "phase_cache"), _CAPTURE),
    "exist_objs": _NAMES,
    "set_mixed_precision_type": "'to_float' sets what it computes in",
    "enable_backward_hook": "hooks are on as soon as they are registered",
    "get_func_graph_proto": "jit(cell).graph(*inputs) shows the graph as text",
}


def compiler_hint(name: str) -> str:
    """Return what to use instead of an attribute that only serves MindSpore's compiler."""
    instead = _COMPILER_PARTS.get(name)
    return "" if instead is None else f" It serves MindSpore's compiler; here, {instead}."


_RECOMPUTED = "recompute_"


class CellGraph:
    """The part of `Cell` that captures it as a graph."""

    construct: Callable[..., Any]
    _run: Callable[..., Any]
    cells_and_names: Callable[[], Iterator[tuple[str, Any]]]

    _phase = "train"
    _scope: str | None = None
    _jit_config: JitConfig | None = None
    _inputs_hint: InputsHint | None = None

    @property
    def _captured(self) -> CapturedFunction:
        """The function that runs the cell in GRAPH_MODE, with the graphs captured so far."""
        graphs: CapturedFunction | None = self.__dict__.get("_graphs")
        if graphs is None:
            settings = {} if self._jit_config is None else self._jit_config.settings()
            graphs = CapturedFunction(self._run, settings, f"{type(self).__qualname__}.construct")
            graphs._inputs_hint = self._inputs_hint
            self.__dict__["_graphs"] = graphs
            self.generate_scope()
        return graphs

    @property
    def phase(self) -> str:
        """The name of what the cell is used for: "train", "predict" after `set_train(False)`, or what it is set to.

        Raises:
            TypeError: it is set to something else than a string.
        """
        return self._phase

    @phase.setter
    def phase(self, value: str) -> None:
        if not isinstance(value, str):
            raise TypeError(f"For '{type(self).__name__}', 'phase' must be a string, but got {describe(value)}.")
        if value != self._phase:
            change_count.increase()
            self.__dict__["_phase"] = value

    def get_scope(self) -> str | None:
        """Return the path of the cell in the captured network; None for the network itself, or if none was captured.

        The paths of cells that are recomputed, alone or with a cell around them, begin with "recompute_".

        Examples:
            >>> import torchspore as ms
            >>> net = ms.nn.SequentialCell(ms.nn.ReLU())
            >>> net.generate_scope()
            >>> net[0].get_scope()
            'Default/0-ReLU'
        """
        return self._scope

    def generate_scope(self) -> None:
        """Set the paths that `get_scope` returns, for all cells inside; capturing the cell does so, too."""
        kinds = {name: type(cell).__name__ for name, cell in self.cells_and_names()}
        for name, cell in self.cells_and_names():
            parts = name.split(".")
            if name:
                paths = [".".join(parts[: count + 1]) for count in range(len(parts))]
                steps = [f"{part}-{kinds[path]}" for part, path in zip(parts, paths)]
                before = _RECOMPUTED if (cell._scope or "").startswith(_RECOMPUTED) else ""
                cell.__dict__["_scope"] = before + "/".join(["Default", *steps])

    def _mark_recomputed(self) -> None:
        """Let the paths of this cell and of all inside begin as for recomputed cells."""
        for _, cell in self.cells_and_names():
            scope = cell._scope or ""
            if not scope.startswith(_RECOMPUTED):
                cell.__dict__["_scope"] = _RECOMPUTED + scope

    def set_jit_config(self, jit_config: JitConfig | dict[str, Any]) -> None:
        """Set how the cell is captured in GRAPH_MODE, by a `JitConfig` or its arguments; a later call replaces them.

        They hold when this cell is the outermost one.

        Examples:
            >>> import torchspore as ms
            >>> net = ms.nn.ReLU()
            >>> net.set_jit_config(ms.JitConfig(jit_level="O1"))
            >>> net.jit_config_dict["jit_level"]
            'O1'
        """
        if isinstance(jit_config, dict):
            jit_config = JitConfig(**jit_config)
        if not isinstance(jit_config, JitConfig):
            raise also(TypeError, AttributeError)(
                f"For 'set_jit_config', 'jit_config' must be a JitConfig, but got {describe(jit_config)}."
            )
        self.__dict__["_jit_config"] = jit_config
        self.__dict__.pop("_graphs", None)

    @property
    def jit_config_dict(self) -> dict[str, Any]:
        """The settings that `set_jit_config` set."""
        return {} if self._jit_config is None else self._jit_config.jit_config_dict

    def set_inputs(self, *inputs: Any, **kwargs: Any) -> None:
        """Declare the inputs of the cell; in GRAPH_MODE, a call with other inputs is an error.

        Args:
            inputs: all inputs in the order of `construct`'s arguments: a Tensor stands for inputs of its shape and
                dtype, `Tensor(shape=[None, 3], dtype=...)` for any first size; a tuple, list or dict for one of the
                same length; what `mutable` returned for all of its type; anything else for itself.
            kwargs: instead, some of the inputs by their names.

        Raises:
            TypeError: `construct` takes another number of inputs, one is not an input of a graph, or inputs of a
                `construct` with `*args` or `**kwargs` are named.
            ValueError: there are both `inputs` and `kwargs`, or there is no input of a name.

        Examples:
            >>> import torchspore as ms
            >>> net = ms.nn.ReLU()
            >>> net.set_inputs(ms.Tensor([1.0, 2.0]))
            >>> len(net.get_inputs())
            1
        """
        self.__dict__["_inputs_hint"] = hint_of(
            self.construct, inputs, kwargs, f"{type(self).__name__}.set_inputs", partial=bool(inputs) and not mode.graph
        )
        self.__dict__.pop("_graphs", None)

    def get_inputs(self) -> tuple[Any, ...] | dict[str, Any] | None:
        """Return what `set_inputs` declared: a tuple, or a dict of what was declared by name; None for nothing."""
        return None if self._inputs_hint is None else self._inputs_hint.given

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """Capture the cell for inputs like these, without running it.

        Args:
            args: the inputs. Those with open sizes are only checked: the first call captures the cell.
            kwargs: inputs by their names.

        Raises:
            TypeError: `construct` does not take these inputs, or they are not those that `set_inputs` declares.
            ValueError: they have other shapes or values than `set_inputs` declares.

        Examples:
            >>> import torchspore as ms
            >>> ms.nn.ReLU().compile(ms.Tensor([1.0, -2.0]))
        """
        if self._bind_inputs("compile", args, kwargs):
            self._captured.prepare(*args, **kwargs)

    def compile_and_run(self, *args: Any, **kwargs: Any) -> Any:
        """Run the cell as a captured graph, in any mode.

        Arguments and errors as for `compile`; the result is the cell's.

        Examples:
            >>> import torchspore as ms
            >>> print(ms.nn.ReLU().compile_and_run(ms.Tensor([1.0, -2.0])))
            [1. 0.]
        """
        self._bind_inputs("compile_and_run", args, kwargs)
        return self._captured(*args, **kwargs)

    def _bind_inputs(self, method: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Return whether no input has an open size; refuse those that `construct` cannot take."""
        api = f"{type(self).__name__}.{method}"
        try:
            inspect.signature(self.construct).bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"For '{api}', the inputs do not fit 'construct': {error}.") from None
        is_whole = not any(isinstance(value, OpenTensor) for value in (*args, *kwargs.values()))
        if is_whole and self._inputs_hint is not None:
            self._inputs_hint.check(args, kwargs, api)
        return is_whole
