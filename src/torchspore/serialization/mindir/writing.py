"""Networks as MINDIR files: torch's operations are written as MindSpore's primitives."""

from __future__ import annotations

import dataclasses
import functools
import operator
import re
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.export import ExportedProgram

from torchspore.common.frames.user_lines import NOT_THE_USERS
from torchspore.common.private_torch import FakeTensorMode, OpOverload, tree_flatten, tree_unflatten
from torchspore.engine.capture.recording.source_lines import line_text
from torchspore.engine.exported_graph import ModelInfo
from torchspore.serialization.exporting.program import Network
from torchspore.serialization.mindir.building import Builder, NoForm, Value
from torchspore.serialization.mindir.operations import FORMS
from torchspore.serialization.mindir.operations.constants import known_value
from torchspore.serialization.mindir.operations.control_flow import CONTROL
from torchspore.serialization.mindir.operations.expansions import EXPANSIONS, expanded
from torchspore.serialization.mindir.saving import Encrypt, save_model

__all__ = ["write_mindir"]

_IGNORED = {"device", "layout", "pin_memory", "memory_format", "non_blocking", "copy", "implicit"}
_CHECKS = (
    torch.ops.aten._assert_tensor_metadata.default, torch.ops.aten._assert_scalar.default,
    torch.ops.aten.sym_constrain_range_for_size.default, torch.ops.aten.sym_constrain_range.default,
)  # fmt: skip


def write_mindir(network: Network, info: ModelInfo, path: str, encrypt: Encrypt, api: str) -> None:
    """Write a network to a file; see `save_model`.

    Raises:
        ValueError: an operation has no counterpart among MindSpore's primitives.
    """
    builder = _Writer(network, api).graph()
    builder.model.producer_name = info.producer_name
    builder.model.producer_version = info.producer_version
    for key, value in info.user_info.items():
        builder.model.user_info.add(key=key, value=value)
    save_model(builder.model, builder.weights, path, encrypt)


class _Writer:
    def __init__(self, network: Network, api: str) -> None:
        self._network = network
        self._program = network.program
        self._api = api
        self._builder = Builder(_mode(self._program))
        self._parameters: dict[str, Value] = {}
        self._given: set[Any] = set()  # the inputs, the parameters and the results

    def graph(self) -> Builder:
        """Return the whole graph."""
        self._outputs(self._run(self._program.graph, self._inputs(), self._refusing))
        return self._builder

    def _inputs(self) -> list[Any]:
        signature, state = self._program.graph_signature, self._program.state_dict
        names, values = iter(self._network.inputs), []
        places = {node.name: node for node in self._program.graph.nodes if node.op == "placeholder"}
        for given in signature.input_specs:
            example = places[given.arg.name].meta.get("val")
            if given.kind.name == "USER_INPUT":
                name = next(names)
                is_tensor = isinstance(example, torch.Tensor)
                values.append(self._builder.input(name, example) if is_tensor else None)
                continue
            if given.kind.name == "CUSTOM_OBJ":
                raise ValueError(
                    f"For '{self._api}', the network draws random numbers from a generator with a seed, which cannot "
                    "be written as MINDIR. Draw them outside of the network."
                )
            tensor = self._program.constants.get(given.target, state.get(given.target))
            if given.kind.name == "CONSTANT_TENSOR":
                values.append(self._builder.constant(tensor))
            else:
                name = self._network.names.get(given.target, given.target)
                self._parameters[given.target] = self._builder.parameter(name, tensor, example)
                values.append(self._parameters[given.target])
        self._given.update(values)
        return values

    def _outputs(self, values: Sequence[Any]) -> None:
        leaves: list[Any] = []
        writes: list[tuple[str, Any]] = []
        for given, value in zip(self._program.graph_signature.output_specs, values):
            if given.kind.name == "USER_OUTPUT":
                leaves.append(value)
            else:
                writes.append((str(given.target), value))
        result = self._nested(tree_unflatten(leaves, self._program.call_spec.out_spec))
        self._builder.finish(self._builder.after(result, [(self._parameters[name], value) for name, value in writes]))

    def _nested(self, tree: Any) -> Value:
        """Return a result: dicts become tuples, as MindSpore's graphs have them."""
        if isinstance(tree, (tuple, list, dict)):
            parts = tree.values() if isinstance(tree, dict) else tree
            return self._builder.together([self._nested(part) for part in parts])
        value = tree if isinstance(tree, Value) else self._builder.constant(tree)
        if not isinstance(value.example, torch.Tensor):
            return value
        # MindSpore Lite gives no input or constant as a result, and none twice.
        if value in self._given or value.known is not None:
            value = self._copy(value)
        self._given.add(value)
        return value

    def _copy(self, value: Value) -> Value:
        if sum([not isinstance(size, int) for size in value.shape]) > 1:
            return value
        return self._builder.reshape(value, value.shape)

    def _value(self, operation: Any, args: Any, kwargs: Any, expected: Any, _: Any = None) -> Any:
        """Return the value of an operation: computed here, by its form, or by what it expands to."""
        if operation is torch.ops.aten.sym_size.int:
            return args[0].shape[args[1]]
        if isinstance(operation, type):  # of named tuples
            return tuple(args[0] if isinstance(args[0], (tuple, list)) else args)
        leaves, spec = tree_flatten((args, kwargs))
        if not isinstance(operation, OpOverload) and not any(isinstance(leaf, Value) for leaf in leaves):
            return operation(*args, **kwargs)  # on sizes
        known = known_value(operation, leaves, spec, expected)
        if known is not None:
            return self._builder.constant(known)
        try:
            if operation not in FORMS:
                raise NoForm(f"MindSpore's graphs have no counterpart of '{operation}'")
            value = FORMS[operation](self._builder, *args, **kwargs)
            return self._checked(value, expected)
        except NoForm as reason:
            tensors = [leaf for leaf in leaves if isinstance(leaf, (Value, torch.SymInt))]
            given = [leaf.example if isinstance(leaf, Value) else leaf for leaf in leaves]
            try:
                graph = expanded(operation, given, spec, self._builder.mode)
                if graph is not None:
                    return self._run(graph, tensors, self._value)
            except NoForm:
                if operation not in FORMS or operation in EXPANSIONS:  # else the form says better what is wrong
                    raise
            raise reason

    def _run(self, graph: torch.fx.Graph, inputs: Sequence[Any], write: Callable[..., Any]) -> Any:
        """Add the operations of a graph on these values; return its results.

        Args:
            graph: the graph.
            inputs: the values of its placeholders.
            write: takes the operation, its arguments, the example of its result, and the node; returns the value.
        """
        values: dict[torch.fx.Node, Any] = {}
        given = iter(inputs)
        for node in graph.nodes:
            args, kwargs = torch.fx.node.map_arg((node.args, node.kwargs), values.__getitem__)
            if node.op == "placeholder":
                values[node] = next(given)
            elif node.op == "get_attr":
                held = getattr(graph.owning_module, node.target)
                values[node] = self._builder.constant(held) if isinstance(held, torch.Tensor) else held.graph
            elif node.op == "output":
                return args[0]
            elif node.target is operator.getitem:
                values[node] = args[0][args[1]]
            elif isinstance(node.meta.get("val"), (torch.SymInt, torch.SymFloat, torch.SymBool)):
                values[node] = node.meta["val"]  # of an open size
            elif node.target not in _CHECKS:
                kwargs = {name: value for name, value in kwargs.items() if name not in _IGNORED and value is not None}
                values[node] = write(node.target, args, kwargs, node.meta.get("val"), node)
        raise AssertionError("a graph ends with its output")

    def _refusing(self, operation: Any, args: Any, kwargs: Any, expected: Any, node: torch.fx.Node) -> Any:
        """Return the value of an operation of the network; an error names the user's line."""
        try:
            if operation in CONTROL:
                return CONTROL[operation](self._builder, functools.partial(self._run, write=self._refusing), *args)
            return self._value(operation, args, kwargs, expected)
        except (NoForm, TypeError, RuntimeError, LookupError) as reason:
            raise self._refusal(node, str(reason).partition("\n")[0].rstrip(".")) from reason

    def _checked(self, value: Any, expected: Any) -> Any:
        """Return the value of a form, whose shape and data type must be the operation's, with the same open sizes."""
        if isinstance(value, tuple):
            return tuple([self._checked(part, wanted) for part, wanted in zip(value, expected)])
        if not isinstance(value, Value) or not isinstance(expected, torch.Tensor):
            return value
        sizes = [
            not (isinstance(one, int) and isinstance(two, int)) or one == two
            for one, two in zip(value.shape, expected.shape)
        ]
        if value.rank != expected.ndim or not all(sizes) or value.dtype != expected.dtype:
            wanted, made = [f"{tuple(each.shape)} of {each.dtype}" for each in (expected, value.example)]
            raise NoForm(f"its result is {wanted}, and the result of MindSpore's primitives {made}")
        is_open = not all(isinstance(size, int) for size in (*value.shape, *expected.shape))
        return self._builder.noted(dataclasses.replace(value, example=expected)) if is_open else value

    def _refusal(self, node: torch.fx.Node, reason: str) -> ValueError:
        place = _user_line(node.meta.get("stack_trace") or "")
        location = f" at {place} ('{line_text(place)}')" if place else ""
        return ValueError(
            f"For '{self._api}', the network{location} computes '{node.target}', which cannot be written as MINDIR: "
            f"{reason}."
        )


def _mode(program: ExportedProgram) -> FakeTensorMode:
    """Return the mode of a program's fake tensors."""
    examples = [node.meta.get("val") for node in program.graph.nodes]
    return next((each.fake_mode for each in examples if hasattr(each, "fake_mode")), FakeTensorMode())


def _user_line(trace: str) -> str:
    """Return "file:line" of the innermost line of the user's in a trace, or ""."""
    found = [f"{file}:{number}" for file, number in re.findall(r'File "(.+?)", line (\d+)', trace)]
    return next((line for line in reversed(found) if not line.startswith(NOT_THE_USERS)), "")
