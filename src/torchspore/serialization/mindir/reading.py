"""MINDIR files as graphs that `nn.GraphCell` runs."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import math
import os
from collections.abc import Callable
from typing import Any, BinaryIO

import torch

from torchspore.common import device as devices
from torchspore.common.tensor import Tensor, wrap
from torchspore.engine import exported_graph
from torchspore.engine.exported_graph import ExportedGraph, GraphInput, ModelInfo, NotReadable, Structure
from torchspore.engine.storage.files import DamagedFileError
from torchspore.engine.values.nested import unwrap_tree
from torchspore.ops.conv.convolution import laid_out
from torchspore.serialization.mindir.graph import (
    Bind,
    Call,
    Graph,
    Held,
    Partial,
    Step,
    Write,
    run,
    switch,
    switch_layer,
)
from torchspore.serialization.mindir.messages import AttributeKind, PrimitiveKind, new_message
from torchspore.serialization.mindir.primitives import UNKNOWN, NoSuchPrimitive, calling
from torchspore.serialization.mindir.structures import STRUCTURES, check_size
from torchspore.serialization.mindir.values import MONAD, TYPES, dtype_of, value_of
from torchspore.serialization.tensors import Described, read_tensors

__all__ = ["read_mindir"]

_REFERENCE = "REF::"  # before the names of primitives, graphs and nodes that a node calls
_ANY_RANK = -2
_IMAGES = 4  # dimensions
_WRITES = "side_effect_mem"  # the mark of primitives that write their first input
_REMEDY = "export a network that does without it, or run its Python code"
_STRUCTURES = STRUCTURES | {"Load": lambda value: value, "Switch": switch, "switch_layer": switch_layer}


def read_mindir(file: BinaryIO, folder: str, decrypt: Callable[[BinaryIO], BinaryIO]) -> ExportedGraph:
    """Return the graph in a file.

    Args:
        file: the file.
        folder: where files with its weights may be.
        decrypt: returns such a file, decrypted.

    Raises:
        NotReadable: it is damaged, or has something that is not supported.
    """
    from google.protobuf.message import DecodeError

    model = new_message("ModelProto")
    file.seek(0)
    try:
        model.ParseFromString(file.read())
    except (DecodeError, RecursionError) as error:
        raise NotReadable(f"it is damaged ({error!s:.200})") from None
    if not model.HasField("graph"):
        raise NotReadable("it has no graph")
    if model.HasField("little_endian") and not model.little_endian:
        raise NotReadable("its numbers are big-endian")
    try:
        with contextlib.ExitStack() as opened:
            return _Reader(model, folder, lambda path: decrypt(opened.enter_context(open(path, "rb")))).graph()
    except (DamagedFileError, NotReadable):
        raise
    except Exception as error:  # texts that are not UTF-8, and whatever else does not follow the format
        raise NotReadable(f"it is damaged ({type(error).__name__}: {error!s:.200})") from error


@dataclasses.dataclass(frozen=True)
class _Described:
    """A primitive in the file: its name, its kind and its attributes."""

    name: str
    kind: int
    attributes: dict[str, Any]


class _Reader:
    def __init__(self, model: Any, folder: str, opened: Callable[[str], BinaryIO]) -> None:
        self._model = model
        self._folder = folder
        self._opened = functools.cache(opened)
        self._graphs = {each.name: Graph(each.name) for each in model.functions}
        self._primitives = {
            each.name: _Described(each.op_type, each.prim_type, _attributes(each)) for each in model.primitives
        }
        self.constants = {
            node.output[0]: value_of(node.attribute[0])
            for each in [model.graph, *model.functions]
            for node in each.node
            if node.op_type == "Constant" and node.output and node.attribute
        }
        self._writes = any(_WRITES in each.attributes for each in self._primitives.values())

    def graph(self) -> ExportedGraph:
        """Return the whole graph."""
        described = self._model.graph
        groups = self._groups_of_weights(described)
        held = [self._held(described.name, parameter, groups.get(parameter.name)) for parameter in described.parameter]
        if len({each.name for each in held}) < len(held):
            raise NotReadable("two of its parameters have the same name")
        top = Graph(described.name)
        builder = _Builder(self, top)
        for parameter in described.parameter:
            top.inputs.append(builder.new_value(parameter.name))
        arguments, inputs = [], []
        for given in described.input:
            top.inputs.append(builder.new_value(given.name))
            structure, leaves = _input(given, described.name)
            arguments.append(structure)
            inputs += leaves
        passed = builder.fill(described)
        for each in self._model.functions:
            builder = _Builder(self, self._graphs[each.name])
            builder.graph.inputs += [builder.new_value(given.name) for given in each.input]
            builder.fill(each)
        writes = tuple([number for number in range(len(held)) if number in passed])
        info = ModelInfo(self._model.producer_name, self._model.model_version)
        info.user_info = {entry.key: entry.value for entry in self._model.user_info}
        structure = Structure(tuple, (), tuple(arguments))
        function = _Function(top, structure, len(held), writes)
        return ExportedGraph(function, tuple(held), tuple(inputs), structure, Structure(), writes, info)

    def _groups_of_weights(self, graph: Any) -> dict[str, int]:
        """Return the numbers of groups of the 2D convolutions of parameters, by the parameters' names."""
        loaded, found = {}, {}
        for node in graph.node:
            target = self._primitives.get(node.op_type.removeprefix(_REFERENCE))
            if target is not None and target.name == "Load" and node.input and node.output:
                loaded[node.output[0]] = node.input[0]
            elif target is not None and target.name == "Conv2D" and len(node.input) > 1:
                groups = target.attributes.get("group", 1)
                found[loaded.get(node.input[1], node.input[1])] = groups if isinstance(groups, int) else 1
        return found

    def _held(self, graph: str, message: Any, groups: int | None) -> exported_graph.Held:
        name = message.ref_key or message.name.removeprefix(f"{graph}:")
        if not name:
            raise NotReadable("one of its parameters has no name")
        if message.quant_params or message.compression_type:
            raise NotReadable(f"its parameter '{name}' is compressed, which is not supported")
        value = self._weight(message) if message.HasField("external_data") else _bytes(message)
        value = value.to(devices.current())
        if groups is not None and value.ndim == _IMAGES:
            value = laid_out(value, groups)  # as the layer's weight
        return exported_graph.Held(name, value, requires_grad=True)

    def _weight(self, message: Any) -> torch.Tensor:
        """Return a tensor whose bytes are in a file beside this one."""
        where = message.external_data
        folder = os.path.realpath(self._folder)
        path = os.path.realpath(os.path.join(folder, where.location.replace("\0", "")))
        if os.path.commonpath([path, folder]) != folder or not os.path.isfile(path):
            raise NotReadable(f"its weights are in '{where.location}', and there is no such file in its folder")
        file, dtype = self._opened(path), dtype_of(message)
        length = where.length or math.prod(message.dims) * dtype.itemsize
        if where.offset < 0 or length < 0 or where.offset + length > file.seek(0, os.SEEK_END):
            raise NotReadable(f"the bytes of its weight '{message.name}' are not all in '{where.location}'")
        described = Described(list(message.dims), dtype, [range(where.offset, where.offset + length)])
        return read_tensors(file, {message.name: described})[message.name]

    def called(self, name: str) -> _Described | Graph | None:
        """Return the primitive or the graph of a name; None for another one."""
        return self._primitives.get(name) or self._graphs.get(name)


class _Builder:
    """Builds one graph.

    Attributes:
        graph: the graph.
    """

    def __init__(self, reader: _Reader, graph: Graph) -> None:
        self.graph = graph
        self._reader = reader
        self._numbers: dict[str, int] = {}

    def new_value(self, name: str) -> int:
        """Return the number of a new value."""
        if name in self._numbers:
            raise NotReadable(f"its graph has two values of the name {name!r:.100}")
        self._numbers[name] = len(self.graph.values)
        self.graph.values.append(UNKNOWN)
        return self._numbers[name]

    def _constant(self, value: Any) -> int:
        self.graph.values.append(value)
        return len(self.graph.values) - 1

    def number_of(self, name: str) -> int:
        """Return the number of the value of a name."""
        if name not in self._numbers:
            target = self._reader.constants.get(name, self._reader._graphs.get(name, UNKNOWN))
            if target is UNKNOWN:
                raise NotReadable(f"its graph uses {name!r:.100}, which nothing defines before")
            self._numbers[name] = self._constant(target)
        return self._numbers[name]

    def fill(self, described: Any) -> set[int]:
        """Add the steps; return the numbers of the inputs that may be written."""
        written: set[int] = set()
        for node in described.node:
            if len(node.output) != 1:
                raise NotReadable(f"its node {node.name!r:.100} has {len(node.output)} outputs")
            step = self._step(node)
            if step is not None:
                self.graph.steps.append(step)
                if self._reader._writes and isinstance(step, (Write, Call, Bind)):
                    written.update(step.inputs)
        if len(described.output) != 1:
            raise NotReadable(f"its graph has {len(described.output)} outputs")
        self.graph.output = self.number_of(described.output[0].name)
        self._drop_unused()
        return written

    def _step(self, node: Any) -> Step | None:
        output = node.output[0]
        if node.op_type == "Constant":  # of any graph of the file
            return None
        name = node.op_type.removeprefix(_REFERENCE)
        target = self._reader.called(name)
        if isinstance(target, Graph) or (target is None and name in self._numbers):
            numbers = [self.number_of(name), *map(self.number_of, node.input)]
            return Call(run, tuple(numbers), self.new_value(output), node.name)
        if target is None:
            if node.op_type != name:
                raise NotReadable(f"its graph calls {name!r:.100}, which it does not describe")
            target = _Described(name, PrimitiveKind.PRIMITIVE, _attributes(node))
        numbers = list(map(self.number_of, node.input))
        return self._operation(target, numbers, node)

    def _operation(self, target: _Described, numbers: list[int], node: Any) -> Step | None:
        output, name = node.output[0], target.name
        if name in ("UpdateState", "IsolatedUpdateState"):
            self._numbers[output] = self._constant(MONAD)
            return None
        if name == "Depend":
            self._numbers[output] = numbers[0]
            return None
        if name == "Partial":
            return Bind(Partial, tuple(numbers), self.new_value(output), node.name)
        if name in _STRUCTURES:
            return Step(_STRUCTURES[name], tuple(numbers), self.new_value(output), node.name)
        numbers = [number for number in numbers if self.graph.values[number] is not MONAD]
        try:
            constants = [self.graph.values[number] for number in numbers]
            function, known = calling(name, target.kind, target.attributes, constants)
        except NoSuchPrimitive as reason:
            raise NotReadable(f"its node {node.name!r:.100} is a '{name!s:.100}', and {reason}; {_REMEDY}") from None
        except Exception as error:  # whatever a constructor makes of values that do not fit
            raise NotReadable(f"its node {node.name!r:.100}, a '{name}', cannot be made: {error!s:.300}") from error
        numbers = [
            numbers[at] if at < len(numbers) and value is constants[at] else self._constant(value)
            for at, value in enumerate(known)
        ]
        kind = Write if _WRITES in target.attributes else Step
        types = _declared(node)
        if types:
            function = functools.partial(_as_declared, function, types)
        return kind(function, tuple(numbers), self.new_value(output), node.name)

    def _drop_unused(self) -> None:
        """Remove the steps whose results nothing takes, and note after which step each value is spent."""
        needed, kept = {self.graph.output}, []
        for step in reversed(self.graph.steps):
            if step.output in needed or isinstance(step, (Write, Call)):
                spent = tuple(sorted({*step.inputs, step.output} - needed))
                needed.update(step.inputs)
                kept.append(dataclasses.replace(step, spent=spent))
        self.graph.steps = kept[::-1]


@dataclasses.dataclass(frozen=True)
class _Function:
    """A graph as a function of torch tensors: the parameters, and then the inputs."""

    graph: Graph
    structure: Structure
    held: int
    writes: tuple[int, ...]

    def __call__(self, *values: Any) -> list[Any]:
        held = [Held(wrap(value)) for value in values[: self.held]]
        leaves = iter([wrap(value) if isinstance(value, torch.Tensor) else value for value in values[self.held :]])
        result = run(self.graph, [*held, *self.structure.build(leaves)])
        check_size(result)
        return [*(held[number].value._t for number in self.writes), unwrap_tree(result)]


def _attributes(message: Any) -> dict[str, Any]:
    """Return the attributes of a primitive or a node, without those that only its compiler understands."""
    found = {}
    for each in message.attribute:
        try:
            found[each.name] = value_of(each)
        except DamagedFileError:
            continue
    return found


def _declared(node: Any) -> dict[int, torch.dtype]:
    """Return the integer types that a node says its results have, by their numbers: versions differ in these."""
    shape = next((each for each in node.attribute if each.name == "shape"), None)
    parts = [] if shape is None else list(shape.values) or [shape]
    found = {}
    for number, part in enumerate(parts):
        if part.type == AttributeKind.TENSORS and len(part.tensors) == 1:
            dtype = TYPES.get(part.tensors[0].data_type)
            if dtype in (torch.int32, torch.int64):
                found[number] = dtype
    return found


def _as_declared(function: Callable[..., Any], types: dict[int, torch.dtype], *args: Any) -> Any:
    result = function(*args)
    if isinstance(result, Tensor):
        return _of_type(result, types.get(0))
    if isinstance(result, tuple):
        return tuple([_of_type(part, types.get(number)) for number, part in enumerate(result)])
    return result


def _of_type(value: Any, dtype: torch.dtype | None) -> Any:
    if dtype is None or not isinstance(value, Tensor) or value._t.dtype is dtype:
        return value
    return wrap(value._t.to(dtype)) if value._t.dtype in (torch.int32, torch.int64) else value


def _bytes(message: Any) -> torch.Tensor:
    value = value_of(new_message("AttributeProto", type=AttributeKind.TENSORS, tensors=[message]))
    if not isinstance(value, Tensor):
        raise NotReadable(f"its weight '{message.name}' has no bytes")
    return value._t


def _input(message: Any, graph: str) -> tuple[Structure, list[GraphInput]]:
    """Return how an input is nested, and its leaves."""
    name = message.name.removeprefix(f"{graph}:")
    if message.tensor:
        return Structure(), [_tensor_input(message.tensor[0], name)]
    return _nested(message.attr_info, name)


def _nested(message: Any, name: str) -> tuple[Structure, list[GraphInput]]:
    if message.type in (AttributeKind.TUPLE, AttributeKind.LIST) and not message.seq_info.is_dyn_len:
        parts = [_nested(part, f"{name}[{number}]") for number, part in enumerate(message.values)]
        kind = tuple if message.type == AttributeKind.TUPLE else list
        structure = Structure(kind, (), tuple([part for part, _ in parts]))
        return structure, [leaf for _, leaves in parts for leaf in leaves]
    if message.type == AttributeKind.TENSORS and len(message.tensors) == 1:
        return Structure(), [_tensor_input(message.tensors[0], name)]
    raise NotReadable(f"its input '{name}' is of the kind {message.type}, which is not supported")


def _tensor_input(message: Any, name: str) -> GraphInput:
    sizes = None if list(message.dims) == [_ANY_RANK] else tuple([size if size >= 0 else None for size in message.dims])
    return GraphInput(name, dtype_of(message), sizes)
