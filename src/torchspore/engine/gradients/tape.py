"""Gradients of passes that a program opens and closes itself, as packages for older versions of MindSpore do.

    executor.set_grad_flag(True)
    executor.new_graph(fn, *args)
    output = fn(*args)
    executor.end_graph(fn, output, *args)
    gradients = executor.grad(fn, GradOperation(get_by_list=True), weights, None, *args)

The weights are known only at the end, so the scope that `new_graph` opens has aliases of all weights of the program. It
ends in `grad`. A pass whose function failed ends when the next one begins, or with `clear_res`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

import torch

from torchspore.common.frames.stack import is_running
from torchspore.common.private_torch import set_grad_enabled
from torchspore.common.scopes import thread_values
from torchspore.common.scopes.scope import commit, scope, stash
from torchspore.common.tensor import Tensor, wrap
from torchspore.common.weights import trained
from torchspore.engine.gradients import differentiate as engine
from torchspore.engine.gradients import integer_gradients
from torchspore.engine.values.nested import tensors, unwrap_tree, wrap_tree

__all__ = ["Tape"]


class Tape(threading.local):
    """The open passes of a thread, the innermost last."""

    def __init__(self) -> None:
        self.is_on = False
        self._passes: list[_Pass] = []

    def begin(self, fn: Callable[..., Any], inputs: tuple[Any, ...], caller: FrameType) -> None:
        """Open a pass, for which the function that called `new_graph` runs `fn`."""
        while self._passes and not is_running(self._passes[-1].caller):
            self._passes.pop().close()
        if self.is_on:
            self._passes.append(_Pass(fn, inputs, caller))

    def end(self, fn: Callable[..., Any], output: Any) -> None:
        """Set the output of the innermost pass of `fn`; close those inside it."""
        if any(entry.fn == fn for entry in self._passes):
            while self._passes[-1].fn != fn:
                self._passes.pop().close()
            self._passes[-1].output, self._passes[-1].roots = output, unwrap_tree(output)

    def gradients(self, fn: Callable[..., Any], grad: Any, weights: Any, has_aux: bool, args: tuple[Any, ...]) -> Any:
        """Return the gradients that the GradOperation `grad` describes, of the last pass; without one, `fn` runs."""
        if not self._passes or self._passes[-1].output is None:
            return grad(fn, weights)(*args)
        entry = self._passes.pop()
        self.is_on = bool(self._passes)
        try:
            return entry.gradients(grad, weights, has_aux, args)
        finally:
            entry.close()

    def clear(self) -> None:
        """Close all passes."""
        while self._passes:
            self._passes.pop().close()


class _Pass:
    """An open scope with aliases of the inputs and of all weights."""

    def __init__(self, fn: Callable[..., Any], inputs: tuple[Any, ...], caller: FrameType) -> None:
        self.fn, self.caller = fn, caller
        self.output: Any = None
        self.roots: Any = None  # the output at the end of the pass: a write gives Tensors other values
        self._depth = scope.depth
        self._was_enabled = torch.is_grad_enabled()
        self._weights = trained()
        self._inputs = [t for t in tensors(inputs) if t.__class__ is Tensor and t._t.is_floating_point()]
        self._before: list[torch.Tensor] = []
        self._aliases: list[torch.Tensor] = []
        set_grad_enabled(True)
        self._is_beside_others = False
        if self._depth == 0:
            scope.begin = []
            self._is_beside_others = thread_values.begin()
        _, self._leaves = engine.alias_inputs(self._inputs, range(len(self._inputs)))
        self._values = [tensor._t for tensor in self._inputs]
        for tensor, leaf in zip(self._inputs, self._leaves):
            tensor._t = leaf
        scope.depth += 1
        engine.alias_weights(self._weights, self._depth == 0, self._before, self._aliases)

    def gradients(self, grad: Any, weights: Any, has_aux: bool, args: tuple[Any, ...]) -> Any:
        args, sens = (args[:-1], args[-1]) if grad.sens_param else (args, None)
        wanted = [weights] if isinstance(weights, Tensor) else list(weights or ())
        inputs = [argument for argument in args if argument.__class__ is Tensor]
        if not grad.get_all:
            inputs = [] if grad.get_by_list else inputs[:1]
        output = wrap_tree(self.roots)
        found = self._of([*inputs, *wanted], sens, output[0] if has_aux and output else output)
        of_inputs, of_weights = tuple(found[: len(inputs)]), tuple(found[len(inputs) :])
        if not grad.get_by_list:
            return of_inputs if grad.get_all or not of_inputs else of_inputs[0]
        by_weight = of_weights[0] if isinstance(weights, Tensor) else of_weights
        return (of_inputs, by_weight) if grad.get_all else by_weight

    def _of(self, wanted: list[Tensor], sens: Any, output: Any) -> list[Tensor]:
        aliases: dict[Tensor, torch.Tensor] = dict(
            zip((*self._inputs, *self._weights), (*self._leaves, *self._aliases))
        )
        leaves = [aliases[tensor] if tensor in aliases else tensor._t.detach() for tensor in wanted]
        compute = engine.compute_gradients
        if scope.integers is not None:
            compute = integer_gradients.through(compute)
        return [wrap(g) for g in compute(output, leaves, sens, create_graph=self._depth > 0)]

    def close(self) -> None:
        """End the scope: values written in it last, and results are cut from the graph."""
        engine.leave(self._depth)
        engine.restore(self._weights, self._before, self._aliases)
        engine.restore(self._inputs, self._values, self._leaves)
        if self._depth == 0:
            stash(tensors(self.output))
            commit()
        set_grad_enabled(self._was_enabled)
        if self._is_beside_others:
            thread_values.end()
