"""Graphs of MindSpore's primitives in the making, as the messages of a MINDIR file."""

from __future__ import annotations

import functools
import json
import math
import operator
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from torchspore.common.dtype import FROM_TORCH
from torchspore.common.private_torch import FakeTensorMode, expression_of
from torchspore.common.tensor import wrap
from torchspore.common.type_numbers import type_to_type_id
from torchspore.engine.values.nested import unwrap_tree
from torchspore.serialization.mindir.messages import AttributeKind, PrimitiveKind, new_message
from torchspore.serialization.mindir.primitives import calling
from torchspore.serialization.mindir.values import MONAD, attribute, tensor_message

__all__ = ["Builder", "NoForm", "Value"]

_NAME = "network"


class NoForm(ValueError):
    """An operation has no counterpart among MindSpore's primitives."""


@dataclass(frozen=True, eq=False)
class Value:
    """A value in the graph.

    Attributes:
        name: its name.
        example: a fake tensor, or a sequence of them, with its shape and data type.
        known: the tensor itself, of a constant.
    """

    name: str
    example: Any
    known: torch.Tensor | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes; a symbol for an open one."""
        return tuple(self.example.shape)

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return int(self.example.ndim)

    @property
    def dtype(self) -> torch.dtype:
        """The data type."""
        kind: torch.dtype = self.example.dtype
        return kind


@functools.cache
def _io_names() -> dict[str, list[list[str]]]:
    """Return the names that MindSpore gives to the inputs and outputs of primitives, by which its engines find them."""
    found: dict[str, list[list[str]]] = json.loads(Path(__file__).with_name("io_names.json").read_text())
    return found


class Builder:
    """A graph, the primitives that it uses, and the graphs that it calls.

    Args:
        mode: the mode of the fake tensors with which the shapes are found.

    Attributes:
        mode: the same mode.
        model: the message of the file, without the bytes of the parameters.
        weights: the parameters' messages, and the tensors.
        sources: tensors of the current graph that have an open size, with the dimension.
        lengths: what was made of open sizes in the current graph.
        flat_forms: the tensors with one open size whose rows the tensors of these names have.
    """

    def __init__(self, mode: FakeTensorMode) -> None:
        self.mode = mode
        self.model = new_message("ModelProto", ir_version="0.1.1", producer_name="MindSpore", little_endian=True)
        self.model.mind_ir_version, self.model.model_version = 1, "2.0.0"
        self.model.graph.name = _NAME
        self.weights: list[tuple[Any, torch.Tensor]] = []
        self._graph = self.model.graph
        self._count = 0
        self._is_open = False  # whether a tensor has an open size
        self._primitives: dict[Any, str] = {}
        self._constants: dict[Any, Value] = {}
        self.sources: dict[Any, tuple[Value, int]] = {}
        self.lengths: dict[Any, Value] = {}
        self.flat_forms: dict[str, Value] = {}

    # What the graph is given

    def parameter(self, name: str, tensor: torch.Tensor, example: torch.Tensor) -> Value:
        """Add a parameter."""
        message = self.model.graph.parameter.add()
        message.CopyFrom(tensor_message(tensor, f"{_NAME}:{name}", stored=False))
        message.ref_key = name
        self.weights.append((message, tensor))
        return Value(message.name, example)

    def input(self, name: str, example: torch.Tensor) -> Value:
        """Add an input."""
        added = self._graph.input.add(name=f"{self._graph.name}:{name}")
        added.tensor.append(_described(example))
        return self.noted(Value(added.name, example))

    def noted(self, made: Value) -> Value:
        """Note the open sizes of a value of the current graph, and return it."""
        if isinstance(made.example, torch.Tensor):
            for dim, size in enumerate(made.shape):
                if not isinstance(size, int):
                    self._is_open = True
                    self.sources.setdefault(expression_of(size), (made, dim))
        return made

    def constant(self, value: Any) -> Value:
        """Return a constant: None, a bool, a number, text, a tensor or a sequence."""
        key = None if isinstance(value, torch.Tensor) else (type(value), repr(value))
        if key is None or key not in self._constants:
            example = FROM_TORCH[value] if isinstance(value, torch.dtype) else value
            if isinstance(value, torch.Tensor):
                value = value.clone(memory_format=torch.contiguous_format)
                example = self.mode.from_tensor(value, static_shapes=True)
            known = value if isinstance(value, torch.Tensor) else None
            self._count += 1
            made = Value(f"constant_{self._count}", example, known)
            self._constants[key or object()] = made
            node = self._graph.node.add(name=made.name, op_type="Constant", output=[made.name])
            node.attribute.append(attribute("value", value))
            return made
        return self._constants[key]

    # What it computes

    def call(self, primitive: str, *inputs: Any, example: Any = None, **attributes: Any) -> Value:
        """Add a node.

        Args:
            primitive: MindSpore's name.
            inputs: values, and constants.
            example: what the result is like. Default: what our primitive computes of the inputs' examples.
            attributes: the primitive's, as they are in the file.
        """
        if any(
            isinstance(size, torch.SymInt) for each in inputs for size in (each if isinstance(each, tuple) else [each])
        ):
            raise NoForm("how it is computed depends on an open size")
        given = [each if isinstance(each, Value) else self.constant(each) for each in inputs]
        if example is None:
            fixed = self._fixed_sizes()
            known = [each.example for each in given]
            function, taken = calling(primitive, PrimitiveKind.PRIMITIVE, attributes, known)
            with self.mode, torch.no_grad():
                example = unwrap_tree(function(*[_wrapped(each) for each in taken]))
            if self._fixed_sizes() != fixed:
                raise TypeError(f"MindSpore's '{primitive}' takes no open size")
        return self._node(primitive, given, attributes, example)

    def _fixed_sizes(self) -> int:
        """Return how many open sizes torch has fixed."""
        return len(self.mode.shape_env.replacements) if self._is_open and self.mode.shape_env else 0

    def item(self, values: Value, number: int) -> Value:
        """Return an element of a sequence."""
        return self._node("TupleGetItem", [values, self.constant(number)], {}, values.example[number])

    def together(self, values: Sequence[Any]) -> Value:
        """Return a tuple of values."""
        given = [each if isinstance(each, Value) else self.constant(each) for each in values]
        return self._node("MakeTuple", given, {}, tuple([each.example for each in given]))

    def _node(self, primitive: str, inputs: Sequence[Value], attributes: dict[str, Any], example: Any) -> Value:
        self._count += 1
        made = Value(f"{self._graph.name}:{primitive}_{self._count}", example)
        self._add(made, self._primitive(primitive, attributes), [each.name for each in inputs], _shape_of(example))
        return self.noted(made)

    def _add(self, made: Value, called: str, inputs: Sequence[str], shape: Any) -> None:
        node = self._graph.node.add(name=made.name, op_type=f"REF::{called}", output=[made.name])
        node.input.extend(inputs)
        node.domain = f"Default/{made.name.removeprefix(self._graph.name + ':')}"
        node.attribute.append(shape)

    def _primitive(self, name: str, attributes: dict[str, Any]) -> str:
        """Return the name of the description of a primitive with these attributes."""
        io_names = zip(("input_names", "output_names"), _io_names().get(name, ()))
        attributes = attributes | dict(io_names)
        key = (name, repr(sorted(attributes.items(), key=operator.itemgetter(0))))
        if key not in self._primitives:
            self._primitives[key] = f"{name}:{len(self._primitives)}"
            message = self.model.primitives.add(name=self._primitives[key], op_type=name)
            message.prim_type = PrimitiveKind.PRIMITIVE
            message.attribute.extend([attribute(each, value) for each, value in attributes.items()])
        return self._primitives[key]

    # What many operations need

    def cast(self, x: Value, dtype: torch.dtype) -> Value:
        """Return a tensor with another data type."""
        return x if x.dtype == dtype else self.as_type(x, dtype)

    def as_type(self, x: Value, dtype: torch.dtype) -> Value:
        """Return a tensor that is cast even if it has the data type: versions of MindSpore differ in what it has."""
        number = type_to_type_id(FROM_TORCH[dtype])  # which every version reads; types themselves, some do not
        if self._is_open:  # MindSpore 2.0 reads the attribute only
            return self.call("Cast", x, SrcT=x.dtype, DstT=dtype, dst_type=dtype)
        return self.call("Cast", x, number, SrcT=x.dtype, DstT=dtype, dst_type=dtype)

    def reshape(self, x: Value, shape: Sequence[Any]) -> Value:
        """Return a tensor with another shape, of which one size may be open."""
        open_sizes = [size for size in shape if not isinstance(size, int)]
        if open_sizes and -1 in shape:
            rest = math.prod(x.shape) // math.prod([size for size in shape if not isinstance(size, int) or size != -1])
            known = rest if isinstance(rest, int) else rest.node.maybe_as_int()
            shape = [known if isinstance(size, int) and size == -1 else size for size in shape]
        if len(open_sizes) > 1 or None in shape:
            raise NoForm("several sizes of its result are open")
        return self.call("Reshape", x, tuple([size if isinstance(size, int) else -1 for size in shape]))

    def after(self, result: Value, writes: Sequence[tuple[Value, Value]]) -> Value:
        """Return a result that is given after parameters are written."""
        if not writes:
            return result
        order = self.constant(MONAD)
        for parameter, value in writes:
            done = self._node("Assign", [parameter, value, order], {"side_effect_mem": True}, parameter.example)
            order = self._node("UpdateState", [order, done], {}, MONAD)
        return self._node("Depend", [result, order], {"side_effect_propagate": 1}, result.example)

    def finish(self, result: Value) -> None:
        """Set the graph's result."""
        output = self._graph.output.add(name=result.name)
        described = _shape_of(result.example)
        if isinstance(result.example, (tuple, list)):
            output.attr_info.CopyFrom(described)
        else:
            output.tensor.extend(described.tensors)
        self._drop_unused()

    def _drop_unused(self) -> None:
        """Remove the nodes whose results nothing takes."""
        nodes = self._graph.node
        needed = {output.name for output in self._graph.output}
        for number in range(len(nodes) - 1, -1, -1):
            if nodes[number].output[0] in needed:
                needed.update(nodes[number].input, [nodes[number].op_type.removeprefix("REF::")])
            else:
                del nodes[number]
        if self._graph is self.model.graph:
            self._drop_uncalled()

    def _drop_uncalled(self) -> None:
        """Remove the graphs that nothing calls, of what was computed only to be looked at."""
        graphs = {graph.name: graph for graph in self.model.functions}
        found = [self.model.graph]
        for graph in found:
            used = [name for node in graph.node for name in (*node.input, node.op_type.removeprefix("REF::"))]
            named = {name for name in used if name in graphs}
            found += [graphs.pop(name) for name in named]
        for number in range(len(self.model.functions) - 1, -1, -1):
            if self.model.functions[number].name in graphs:
                del self.model.functions[number]

    # The graphs that it calls

    def new_graph(self, purpose: str) -> Any:
        """Add a graph to the file, which `within` fills."""
        self._count += 1
        return self.model.functions.add(name=f"{purpose}_{self._count}")

    @contextmanager
    def within(self, graph: Any, values: Sequence[Value]) -> Iterator[list[Value]]:
        """Add what is added within the block to another graph, and yield its inputs, which are like these values."""
        outer = self._graph, self._constants, self.sources, self.lengths
        self._graph, self._constants, self.sources, self.lengths = graph, {}, {}, {}
        try:
            yield [
                self.input(f"input_{number}", each.example) if each.known is None else self.constant(each.known)
                for number, each in enumerate(values)
            ]
        finally:
            self._graph, self._constants, self.sources, self.lengths = outer

    def call_either(
        self,
        condition: Value,
        if_true: tuple[Any, Sequence[Value]],
        if_false: tuple[Any, Sequence[Value]],
        example: Any,
    ) -> Value:
        """Call one of two graphs, each given with its arguments, whose results are like an example."""
        bound = []
        for graph, values in (if_true, if_false):
            self._count += 1
            made = Value(f"{self._graph.name}:Partial_{self._count}", None)
            shape = new_message("AttributeProto", name="shape", type=AttributeKind.FUNCGRAPHCLOSURE)
            shape.s = graph.name.encode()
            self._add(made, self._primitive("Partial", {}), [graph.name, *_passed(values)], shape)
            bound.append((made, shape))
        self._count += 1
        chosen = Value(f"{self._graph.name}:Switch_{self._count}", None)
        shape = new_message("AttributeProto", name="shape", type=AttributeKind.UNIONFUNCCLOSURE)
        shape.values.extend([each for _, each in bound])
        names = [condition.name, *[made.name for made, _ in bound]]
        self._add(chosen, self._primitive("Switch", {}), names, shape)
        self._count += 1
        result = Value(f"{self._graph.name}:call_{self._count}", example)
        self._add(result, chosen.name, [], _shape_of(example))
        return result


def _passed(values: Sequence[Value]) -> list[str]:
    """Return the names of the values that a graph gets as inputs: it has constants itself."""
    return [each.name for each in values if each.known is None]


def _wrapped(value: Any) -> Any:
    return wrap(value) if isinstance(value, torch.Tensor) else value


def _described(example: torch.Tensor) -> Any:
    """Return the message of a tensor without its bytes, with -1 for open sizes."""
    sizes = tuple([size if isinstance(size, int) else -1 for size in example.shape])
    return tensor_message(example, shape=sizes, stored=False)


def _shape_of(example: Any) -> Any:
    """Return the attribute that describes a value."""
    message = new_message("AttributeProto", name="shape")
    if isinstance(example, (tuple, list)):
        message.type = AttributeKind.TUPLE
        message.values.extend([_shape_of(part) for part in example])
        for part in message.values:
            part.ClearField("name")
        message.seq_info.is_dyn_len = False
    elif isinstance(example, torch.Tensor):
        message.type = AttributeKind.TENSORS
        message.tensors.append(_described(example))
    else:
        return attribute("shape", example)
    return message
