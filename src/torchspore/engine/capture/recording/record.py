"""The recorder: torch operations become the nodes of a `torch.fx` graph.

It does what `make_fx` does, reduced to what captures need, in half the time: fake tensors carry their nodes, and a
symbolic size is computed in the graph from torch's expression of it.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch.fx.node import map_aggregate

from torchspore.common.frames.profiling import unwatched
from torchspore.common.private_torch import DispatchMode, FakeTensor, has_kernel, schema_of, unset_fake_temporarily
from torchspore.common.scopes.aliases import memory
from torchspore.common.scopes.scope import scope
from torchspore.engine.capture.recording.source_lines import ExplainedLine, user_line

__all__ = ["Recorder"]

_SYMBOLIC = (torch.SymInt, torch.SymFloat, torch.SymBool)
_DEVICE = torch.ops.prim.device.default  # not an operation of the dispatcher
_FRESH = {torch.ops.aten.lift_fresh.default: torch.ops.aten.lift_fresh_copy.default}


class Recorder(DispatchMode):
    """Records the operations of one function.

    Attributes:
        graph: the graph so far.
        outside: the tensors from outside, by their names in the graph.
    """

    def __init__(self) -> None:
        super().__init__()
        self.graph = torch.fx.Graph()
        self.outside: dict[str, torch.Tensor] = {}
        self._outside_nodes: dict[int, torch.fx.Node] = {}
        self._versions: list[tuple[torch.Tensor, int]] = []  # the tensors among the inputs
        self._memories: set[Any] = set()  # of inputs and of tensors from outside
        self._sizes: dict[Any, tuple[torch.fx.Node, int]] = {}  # a symbol -> a tensor that has it as a size
        self._numbers: dict[Any, Any] = {}  # an expression -> its node

    def record(self, fn: Callable[..., Any], inputs: Sequence[Any]) -> torch.fx.Graph:
        """Return the graph of what `fn` does.

        Args:
            fn: a function that returns a list of tensors.
            inputs: its arguments, fake tensors and symbolic numbers. Other tensors that it meets are from outside.
        """
        for value in inputs:
            self.add_input(value).meta["val"] = value
        with self:
            results = fn(*inputs)
        self.finish(results)
        return self.graph

    @property
    def last(self) -> torch.fx.Node:
        """The last node so far."""
        return self.graph._root.prev

    def add_input(self, value: Any) -> torch.fx.Node:
        """Make a value the next input of the graph; return its node."""
        node = self.graph.placeholder(f"arg{len(self.graph.nodes)}_1")
        self._note(value, node)
        if isinstance(value, torch.Tensor):
            self._versions.append((value, value._version))
            self._memories.add(memory(value))
        return node

    def is_given(self, value: torch.Tensor) -> bool:
        """Return whether a tensor has the memory of an input of the graph, or of a tensor from outside."""
        return memory(value) in self._memories

    def writes_inputs(self) -> bool:
        """Return whether the function has written into an input."""
        return any(value._version != version for value, version in self._versions)

    def finish(self, results: list[Any]) -> None:
        """Make values the outputs of the graph."""
        self.graph.output(self._nodes(results))

    def node_of(self, value: torch.Tensor) -> torch.fx.Node | None:
        """Return the node that computes a tensor, or None if it was not recorded."""
        return getattr(value, "recorded", None) if isinstance(value, FakeTensor) else None

    def _set_node(self, value: torch.Tensor, node: torch.fx.Node) -> None:
        value.recorded = node  # type: ignore[attr-defined]

    @unwatched
    def __torch_dispatch__(
        self, func: Any, types: Sequence[type], args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        if func is _DEVICE:
            return func(*args, **kwargs)
        if _is_composite(func):  # reaches this point in inference mode only
            with self:
                return func.decompose(*args, **kwargs)
        if torch.Tag.data_dependent_output in func.tags and not any(isinstance(arg, FakeTensor) for arg in args):
            with unset_fake_temporarily():
                return func(*args, **kwargs)  # the value of a real tensor
        func = _FRESH.get(func, func)  # a write into a literal must not change it for the next call
        given, given_by_name = self._nodes(tuple(args)), self._nodes(dict(kwargs))
        result = func(*args, **kwargs)
        if _is_a_question(func, result):
            return result
        node = self.graph.create_node("call_function", func, given, given_by_name, func.overloadpacket.__name__)
        explanation = None if scope.tracing is None else scope.tracing.explanation
        node.meta["source_line"] = user_line() if explanation is None else ExplainedLine(user_line(), explanation)
        if isinstance(result, (tuple, list)):
            for i, part in enumerate(result):
                if isinstance(part, torch.Tensor):
                    picked = self.graph.call_function(operator.getitem, (node, i))
                    picked.meta["source_line"] = node.meta["source_line"]
                    self._note(part, picked)
        else:
            self._note(result, node)
        return result

    def _note(self, value: Any, node: torch.fx.Node) -> None:
        if isinstance(value, _SYMBOLIC):
            self._numbers.setdefault(value.node.expr, node)
        elif isinstance(value, torch.Tensor):
            self._set_node(value, node)
            for dimension, size in enumerate(value.shape):
                if isinstance(size, torch.SymInt):
                    self._sizes.setdefault(size.node.expr, (node, dimension))

    def _nodes(self, values: Any) -> Any:
        """Return arguments or results with nodes in place of tensors and symbolic numbers."""
        return map_aggregate(values, self._node)

    def _node(self, value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            return self.node_of(value) or self._outside(value)
        if isinstance(value, _SYMBOLIC):
            return self._number(value.node.expr)
        return value

    def _outside(self, tensor: torch.Tensor) -> torch.fx.Node:
        if id(tensor) not in self._outside_nodes:
            name = f"outside{len(self.outside)}"
            self.outside[name] = tensor
            self._memories.add(memory(tensor))
            self._outside_nodes[id(tensor)] = self.graph.get_attr(name)
        return self._outside_nodes[id(tensor)]

    def _number(self, expression: Any) -> Any:
        """Return the node of an expression of symbols, or the number that it is."""
        from torchspore.common.private_torch.shapes import PythonReferenceAnalysis, sympy_interp  # it loads sympy

        if expression not in self._numbers:
            tracer = torch.fx.proxy.GraphAppendingTracer(self.graph)

            def proxy(symbol: Any) -> torch.fx.Proxy:
                if symbol not in self._numbers:
                    self._numbers[symbol] = self.graph.call_function(torch.ops.aten.sym_size.int, self._sizes[symbol])
                return torch.fx.Proxy(self._numbers[symbol], tracer)

            found = sympy_interp(PythonReferenceAnalysis, {}, expression, missing_handler=proxy)
            self._numbers[expression] = found.node if isinstance(found, torch.fx.Proxy) else found
        return self._numbers[expression]


@functools.cache
def _is_composite(func: Any) -> bool:
    """Return whether autograd would have decomposed an operation."""
    has_own = functools.partial(has_kernel, func.name())
    return has_own("CompositeImplicitAutograd") and not has_own("CPU") and not has_own("CUDA")


def _is_a_question(func: Any, result: Any) -> bool:
    """Return whether an operation only read a size or another property."""
    parts = result if isinstance(result, (tuple, list)) else (result,)
    if any(isinstance(part, torch.Tensor) for part in parts) or torch.Tag.data_dependent_output in func.tags:
        return False
    schema = schema_of(func)
    return bool(schema.returns) and not schema.is_mutable
