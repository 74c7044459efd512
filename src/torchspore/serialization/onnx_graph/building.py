"""From the nodes of an ONNX file to a program: names become positions, and constants are computed."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from torchspore.common import device as devices
from torchspore.engine.exported_graph import Held, NotReadable
from torchspore.serialization.onnx_graph.attributes import attributes_of, constant_of
from torchspore.serialization.onnx_graph.body import Body
from torchspore.serialization.onnx_graph.lookup import function_key, is_default, operation_of, shown_node
from torchspore.serialization.onnx_graph.program import Program, RawStep, SmallStep, Step
from torchspore.serialization.onnx_graph.small import LIMIT, Small, numbers, outside
from torchspore.serialization.onnx_graph.table import Operation
from torchspore.serialization.onnx_graph.tensor_values import Folder, tensor_of

__all__ = ["build"]

_TRAINED = (torch.float32, torch.float16, torch.bfloat16, torch.float64)
_MAX_DEPTH = 32  # of functions that call functions
# The bytes of computed constants for each byte of the file, and the steps: functions may repeat their nodes.
_MAX_EXPANSION = 16
_EXTRA_BYTES = 2**20
_EXTRA_STEPS = 10_000
_BYTES_OF_STEP = 4


def build(model: Any, inputs: Sequence[str], folder: Folder, length: int) -> tuple[Program, tuple[Held, ...]]:
    """Return the program of a model, which takes the parameters and then the inputs, and the parameters.

    Tensors of floating-point numbers that the model computes with are parameters; scalars and what is only read as
    sizes, scales or zero points are constants.

    Args:
        model: the content of the file.
        inputs: the names of the inputs.
        folder: the folder of the file, for tensors that are in other files.
        length: the bytes of the file.

    Raises:
        NotReadable: the model has no counterpart, or does not follow the format.
    """
    context = _Context(model, folder, length)
    part = _Part()
    opsets = {"" if is_default(entry.domain) else entry.domain: entry.version for entry in model.opset_import}
    scope = _Scope(context, part, opsets)
    graph = model.graph
    if graph.sparse_initializer:
        raise NotReadable("it has sparse tensors")
    needed, statistics = _trained_inputs(scope, graph)
    held: list[Held] = []

    def hold(name: str, value: torch.Tensor) -> None:
        if name in needed and value.dtype in _TRAINED and value.ndim:
            held.append(Held(name, value.to(devices.current()), name not in statistics))
            scope.define(name, _Value(part.add_input()))
        else:
            scope.define(name, _Value(constant=Small(value)))

    stored = {proto.name: tensor_of(proto, folder) for proto in graph.initializer}
    if len(stored) < len(graph.initializer):
        raise NotReadable("two of its tensors have the same name")
    for name, value in stored.items():
        hold(name, value)
    nodes = []
    for node in graph.node:  # exporters store equal parameters once
        source = stored.get(node.input[0]) if _is_copy(node) else None
        if source is None or source.numel() * source.itemsize > context.bytes_left:
            nodes.append(node)
        else:
            context.bytes_left -= source.numel() * source.itemsize
            stored[node.output[0]] = source
            hold(node.output[0], source)
    for name in inputs:
        scope.define(name, _Value(part.add_input()))
    scope.add_nodes(nodes)
    return part.program([scope.find(output.name, "the results") for output in graph.output]), tuple(held)


@dataclass
class _Value:
    """A value of the graph.

    Attributes:
        place: its position in the list of values, unless it is a constant.
        constant: the constant.
        may_be_small: whether it may be a small value in the run.
    """

    place: int = -1
    constant: Small | None = None
    may_be_small: bool = False

    @property
    def is_small(self) -> bool:
        return self.may_be_small or (self.constant is not None and self.constant.tensor.numel() <= LIMIT)


class _Context:
    """What all parts of a model share: its functions, and what is left of the limits."""

    def __init__(self, model: Any, folder: Folder, length: int) -> None:
        self.functions = {function_key(function): function for function in model.functions}
        self.folder = folder
        self.bytes_left = _MAX_EXPANSION * length + _EXTRA_BYTES
        self.steps_left = _EXTRA_STEPS + length // _BYTES_OF_STEP


class _Part:
    """A program in the making: the model's, or a branch's or a loop's.

    Args:
        outer: the program around it, whose values it may use.
    """

    def __init__(self, outer: _Part | None = None) -> None:
        self.outer = outer
        self.captured: list[_Value] = []  # values of the outer program, in the order of the inputs for them
        self._inputs: list[int] = []
        self._captured_inputs: list[int] = []
        self._values: list[Any] = []
        self._steps: list[Step] = []
        self._known: dict[tuple[int, bool], int] = {}  # the positions of values of the outer program, and of constants

    def new_place(self, value: Any = None) -> int:
        self._values.append(value)
        return len(self._values) - 1

    def add_input(self) -> int:
        self._inputs.append(self.new_place())
        return self._inputs[-1]

    def capture(self, value: _Value) -> _Value:
        """Return a value of the outer program as one of this program."""
        if value.constant is not None:
            return value
        key = (value.place, False)
        if key not in self._known:
            self._known[key] = self.new_place()
            self.captured.append(value)
            self._captured_inputs.append(self._known[key])
        return _Value(self._known[key], may_be_small=value.may_be_small)

    def place_of(self, value: _Value, as_small: bool) -> int:
        """Return the position of a value; a constant is put there, as a small value or as a tensor."""
        if value.constant is None:
            return value.place
        constant: Any = value.constant if as_small and value.is_small else value.constant.on_device()
        key = (-id(constant), True)
        if key not in self._known:
            self._known[key] = self.new_place(constant)
        return self._known[key]

    def absent(self) -> int:
        """Return the position of an input that is not given."""
        key = (-1, False)
        if key not in self._known:
            self._known[key] = self.new_place()
        return self._known[key]

    def add(self, step: Step) -> None:
        self._steps.append(step)

    def program(self, results: Sequence[_Value]) -> Program:
        places = [self.place_of(value, as_small=self.outer is not None) for value in results]
        return Program(self._steps, self._values, [*self._inputs, *self._captured_inputs], places)


@dataclass
class _Scope:
    """The names in a graph or in a function.

    Attributes:
        context: what all share.
        part: the program in the making.
        opsets: the versions of operators, by domain.
        outer: the scope around a branch or a body.
        attributes: the attributes of a function's call, by name.
        depth: the number of functions around it.
        names: the values by their names; None for an input of a function that is not given.
    """

    context: _Context
    part: _Part
    opsets: Mapping[str, int]
    outer: _Scope | None = None
    attributes: Mapping[str, Any] = field(default_factory=dict)
    depth: int = 0
    names: dict[str, _Value | None] = field(default_factory=dict)

    def define(self, name: str, value: _Value | None) -> None:
        if name in self.names:
            raise NotReadable(f"its graph has the name '{name:.100}' twice")
        self.names[name] = value

    def find(self, name: str, place: str) -> _Value:
        """Return a value by its name; `place` is what messages call the place that uses it."""
        found = self.find_or_none(name, place)
        if found is None:
            raise NotReadable(f"its graph has an input '{name:.100}' that is not given, for {place}")
        return found

    def find_or_none(self, name: str, place: str) -> _Value | None:
        """Return a value by its name; None for an input of a function that is not given."""
        if name in self.names:
            return self.names[name]
        if self.outer is None:
            raise NotReadable(f"its graph has no value '{name:.100}' for {place}")
        found = self.outer.find_or_none(name, place)
        return found and self.part.capture(found)

    def add_nodes(self, nodes: Iterable[Any]) -> None:
        for node in nodes:
            self.context.steps_left -= 1
            if self.context.steps_left < 0:
                raise NotReadable("its functions repeat their nodes more often than a file of its length may")
            self._add(node)

    def _add(self, node: Any) -> None:
        shown = shown_node(node)
        inputs = [self.find_or_none(name, f"the node {shown}") if name else None for name in node.input]
        function = self.context.functions.get(function_key(node))
        if function is None and is_default(node.domain) and node.op_type == "Constant":
            value = constant_of(node, self.attributes, self.context.folder, shown)
            self._define_all(node, [_Value(constant=Small(value))])
            return
        if function is None:
            operation, schema, function = operation_of(node, self.opsets, shown)
        if function is not None:
            self._add_function(node, function, inputs, shown)
            return
        attributes = attributes_of(node, schema, self.attributes, self.context.folder, shown)
        bodies = {name: value for name, value in attributes.items() if hasattr(value, "node")}
        for name, graph in bodies.items():
            attributes[name] = self._body(graph, len(node.input), inputs)
        if "outputs" in operation.given:
            attributes["outputs"] = len(node.output)
        call = _bound(operation, inputs, attributes, shown)
        self._add_step(node, operation, call, inputs, shown)

    def _add_step(
        self, node: Any, operation: Operation, call: Callable[..., Any], inputs: list[_Value | None], shown: str
    ) -> None:
        part = self.part
        given = [value for value in inputs if value is not None]
        if operation.count is not None and all(value.constant is not None for value in given):
            constants = _folded(operation, call, [value and value.constant for value in inputs], self.context)
            if constants is not None:
                self._define_all(node, [_Value(constant=constant) for constant in constants])
                return
        on_cpu = operation.of_numbers and all(value.is_small for value in given)
        places, reads, tensors = [], [], []
        for number, value in enumerate(inputs):
            is_read = number in operation.reads
            as_small = on_cpu or is_read or operation.raw
            places.append(part.absent() if value is None else part.place_of(value, as_small))
            if is_read:
                reads.append(number)
            elif value is not None and (on_cpu or value.may_be_small):
                tensors.append(number)
        may_be_small = on_cpu or operation.raw
        outputs = [part.new_place() for _ in node.output]
        kind = RawStep if operation.raw else Step
        on_device = "device" in operation.given
        step = kind(call, tuple(places), tuple(outputs), shown, tuple(reads), tuple(tensors), on_device)
        part.add(SmallStep(step, operation.count) if on_cpu and operation.count is not None else step)
        self._define_all(node, [_Value(place, may_be_small=may_be_small) for place in outputs])

    def _define_all(self, node: Any, values: Sequence[_Value]) -> None:
        for name, value in zip(node.output, values):
            if name:
                self.define(name, value)

    def _body(self, graph: Any, own: int, inputs: list[_Value | None]) -> Body:
        """Return a branch or a body; what it uses of the values here becomes further inputs of its node."""
        part = _Part(self.part)
        scope = _Scope(self.context, part, self.opsets, self, self.attributes, self.depth)
        initialized = {tensor.name for tensor in graph.initializer}
        for proto in graph.initializer:
            scope.define(proto.name, _Value(constant=Small(tensor_of(proto, self.context.folder))))
        for given in graph.input:
            if given.name not in initialized:
                scope.define(given.name, _Value(part.add_input(), may_be_small=True))
        scope.add_nodes(graph.node)
        results = [scope.find(output.name, "the results of a branch or a loop") for output in graph.output]
        program = part.program(results)
        used = tuple(range(len(inputs), len(inputs) + len(part.captured)))
        inputs.extend(part.captured)
        return Body(program, own, used, tuple(map(_declared_sizes, graph.output)))

    def _add_function(self, node: Any, function: Any, inputs: list[_Value | None], shown: str) -> None:
        """Add the nodes of a function in place of a call."""
        if self.depth >= _MAX_DEPTH:
            raise NotReadable(f"its functions call each other more than {_MAX_DEPTH} deep, at the node {shown}")
        opsets = {"" if is_default(entry.domain) else entry.domain: entry.version for entry in function.opset_import}
        attributes = {proto.name: proto for proto in function.attribute_proto}
        for proto in node.attribute:
            bound = self.attributes.get(proto.ref_attr_name) if proto.ref_attr_name else proto
            if bound is not None:
                attributes[proto.name] = bound
        scope = _Scope(self.context, self.part, opsets, None, attributes, self.depth + 1)
        for number, name in enumerate(function.input):
            scope.define(name, inputs[number] if number < len(inputs) else None)
        scope.add_nodes(function.node)
        self._define_all(node, [scope.find(name, f"the node {shown}") for name in function.output])


def _bound(operation: Operation, inputs: Sequence[Any], attributes: dict[str, Any], shown: str) -> Callable[..., Any]:
    """Return a function with its attributes, after a check that it takes them."""
    function = operation.function
    more = {"device": None} if "device" in operation.given else {}
    try:
        signature = inspect.signature(function)
    except ValueError:  # torch's own functions of tensors, which take no attributes
        if attributes:
            raise NotReadable(f"its node {shown} has the attributes {sorted(attributes)!r:.200}") from None
        return function
    try:
        signature.bind(*inputs, **attributes, **more)
    except TypeError as error:
        raise NotReadable(f"its node {shown} has other inputs or attributes than expected: {error!s:.200}") from error
    return functools.partial(function, **attributes) if attributes else function


def _folded(
    operation: Operation, call: Callable[..., Any], constants: list[Any], context: _Context
) -> list[Small] | None:
    """Return the results on constants; None where the run must compute them, or fails."""
    given = [value.tensor if isinstance(value, Small) else value for value in constants]
    for place in operation.reads:
        if place < len(given):
            given[place] = numbers(constants[place])
    options = {"device": "cpu"} if "device" in operation.given else {}
    try:
        if operation.count is None or operation.count(*given) * torch.complex128.itemsize > context.bytes_left:
            return None
        result = outside(lambda: call(*given, **options))
    except Exception:  # in the run, the message has the inputs; or the node is in a branch that is not taken
        return None
    results = result if isinstance(result, tuple) else (result,)
    if not all(isinstance(part, torch.Tensor) for part in results):
        return None
    context.bytes_left -= sum(part.numel() * part.element_size() for part in results)
    return [Small(part.contiguous()) for part in results]


def _is_copy(node: Any) -> bool:
    return node.op_type == "Identity" and is_default(node.domain) and len(node.input) == len(node.output) == 1


def _declared_sizes(value: Any) -> tuple[int, ...] | None:
    described = value.type.tensor_type
    if not described.HasField("shape"):
        return None
    return tuple([max(dimension.dim_value, 0) for dimension in described.shape.dim])


def _trained_inputs(scope: _Scope, graph: Any) -> tuple[set[str], set[str]]:
    """Return the names of the values that are computed with, not only read as sizes, and of running statistics."""
    needed = {output.name for output in graph.output}
    statistics: set[str] = set()
    for node in reversed(graph.node):
        needed.update(name for inner in _graphs(node) for name in _names_in(inner))
        operation = None
        if function_key(node) not in scope.context.functions and node.op_type != "Constant":
            operation, _, _ = operation_of(node, scope.opsets, shown_node(node))
        if operation is None:
            needed.update(node.input)
            continue
        if operation.of_numbers and not needed.intersection(node.output):
            continue
        for number, name in enumerate(node.input):
            if number in operation.statistics:
                statistics.add(name)
            if number not in (*operation.reads, *operation.fixed):
                needed.add(name)
    return needed, statistics


def _graphs(node: Any) -> Iterator[Any]:
    for attribute in node.attribute:
        if attribute.HasField("g"):
            yield attribute.g


def _names_in(graph: Any) -> Iterator[str]:
    """Yield the names that a branch or a body uses."""
    yield from (output.name for output in graph.output)
    for node in graph.node:
        yield from node.input
        for inner in _graphs(node):
            yield from _names_in(inner)
