"""The description of a graph in torch's `.pt2` files, read without running any of it.

The description is data: names of torch's operations and their arguments. Torch's own reader evaluates parts of it as
Python; this one looks the operations up in a list of torch's and a few of Python's, and refuses the rest.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable
from typing import Any

import torch

from torchspore.common import device as devices
from torchspore.common import memory
from torchspore.common.private_torch import schema_of
from torchspore.engine.exported_graph import ExportedGraph, GraphInput, Held, ModelInfo, NotReadable, Structure
from torchspore.engine.exported_operations import Loop, is_allowed, replaced
from torchspore.engine.storage.reading import parse_json

__all__ = ["DTYPES", "build", "is_readable"]

_MAJOR = 8  # of the descriptions that torch has written since 2.5
_ATEN = re.compile(r"torch\.ops\.aten\.(\w+)\.(\w+)")
_ENUMERATION = re.compile(r"ScalarType|Layout|MemoryFormat|QScheme")
# The arguments of operations that determine the size of a result: the product of the numbers of each.
_SIZES = {
    "size", "output_size", "repeats", "dims", "steps", "n", "m", "row", "col", "minlength", "bins", "num_classes",
    "window_length", "s", "n_fft", "num_samples", "pad", "padding",
}  # fmt: skip
_PYTHON = (operator, "add sub mul truediv floordiv mod pow neg pos eq ne lt le gt ge and_ or_ not_ getitem")
_MATH = (math, "ceil floor trunc sqrt pow")
_TORCH = (torch, "sym_float sym_int sym_ite sym_max sym_min sym_not")
_OTHERS = {
    f"{prefix}.{name}": getattr(module, name)
    for prefix, (module, names) in {"_operator": _PYTHON, "math": _MATH, "torch": _TORCH}.items()
    for name in names.split()
}
_LOOP = f"torch.ops.higher_order.{torch.ops.higher_order.while_loop}"
# The format's numbers of torch's types.
DTYPES = {
    1: torch.uint8, 2: torch.int8, 3: torch.int16, 4: torch.int32, 5: torch.int64, 6: torch.float16, 7: torch.float32,
    8: torch.float64, 10: torch.complex64, 11: torch.complex128, 12: torch.bool,
    13: torch.bfloat16, 28: torch.uint16, 29: torch.float8_e4m3fn, 30: torch.float8_e5m2, 31: torch.float8_e4m3fnuz,
    32: torch.float8_e5m2fnuz, 34: torch.uint32, 35: torch.uint64,
}  # fmt: skip
_MEMORY_FORMATS = {
    1: torch.contiguous_format, 2: torch.channels_last, 3: torch.channels_last_3d, 4: torch.preserve_format,
}  # fmt: skip
_STRIDED = 7  # the only layout of tensors
_STRUCTURES = {"builtins.tuple": tuple, "builtins.list": list, "builtins.dict": dict}
_POSITIONAL = 1


def is_readable(target: Any) -> bool:
    """Return whether a function may be in a file."""
    return is_allowed(target) or target in (*_OTHERS.values(), torch.ops.higher_order.while_loop)


def build(
    description: dict[str, Any],
    tensor: Callable[[str, bool], tuple[torch.Tensor, bool]],
    names: dict[str, str],
    info: ModelInfo,
) -> ExportedGraph:
    """Return the graph.

    Args:
        description: the parsed JSON.
        tensor: returns a tensor by its name, and whether it is trained; with True, a constant.
        names: parameters' names by the names in the description, where they differ.
        info: what the file says about the model.

    Raises:
        NotReadable: the description has something unknown.
        LookupError, TypeError, ValueError, AttributeError: it does not follow the format.
    """
    if description["schema_version"]["major"] != _MAJOR:
        raise NotReadable(f"its description has the version {description['schema_version']}, not {_MAJOR}")
    return _Builder(description, tensor, names).graph(info)


class _Steps:
    """A graph in the making, with the operations of a description."""

    def __init__(self) -> None:
        self._graph = torch.fx.Graph()
        self._loops = torch.nn.Module()
        self._nodes: dict[str, torch.fx.Node] = {}
        self._count = 0

    def _function(self) -> torch.fx.GraphModule:
        self._graph.lint()
        return torch.fx.GraphModule(self._loops, self._graph)

    def _placeholder(self, name: str) -> None:
        node = self._graph.placeholder(f"input_{self._count}")  # a new name, because it becomes part of generated code
        self._count += 1
        if name:
            self._nodes[name] = node

    def _add_all(self, steps: list[dict[str, Any]]) -> None:
        for step in steps:
            node = self._loop(step["inputs"]) if step["target"] == _LOOP else self._call(step)
            outputs = step["outputs"]
            if len(outputs) == 1:
                self._note(outputs[0], node)
            else:
                for number, output in enumerate(outputs):
                    self._note(output, self._graph.call_function(operator.getitem, (node, number)))

    def _loop(self, inputs: list[dict[str, Any]]) -> torch.fx.Node:
        test, body, carried, given = [each["arg"] for each in inputs]
        name = f"loop_{len(self._loops._modules)}"
        self._loops.add_module(name, Loop(_part(test), _part(body)))
        return self._graph.call_module(name, (self._argument(carried), self._argument(given)))

    def _call(self, step: dict[str, Any]) -> torch.fx.Node:
        function = _function(step["target"])
        args = [self._argument(given["arg"]) for given in step["inputs"] if given["kind"] == _POSITIONAL]
        kwargs = {
            given["name"]: self._argument(given["arg"]) for given in step["inputs"] if given["kind"] != _POSITIONAL
        }
        schema = schema_of(function)
        known = [argument.name for argument in schema.arguments] if schema is not None else []
        if not set(kwargs) <= set(known):
            raise NotReadable(f"its graph calls {step['target']} with the arguments {sorted(kwargs)!r:.200}")
        _check_kinds(step["target"], schema, dict(zip(known, args)) | kwargs)
        _check_sizes(step["target"], dict(zip(known, args)) | kwargs)
        return self._graph.call_function(replaced(function), tuple(args), kwargs)

    def _note(self, output: dict[str, Any], node: torch.fx.Node) -> None:
        """Store the node of a result."""
        kind, content = _only(output)
        if kind == "as_tensors":
            for number, part in enumerate(content):
                self._nodes[part["name"]] = self._graph.call_function(operator.getitem, (node, number))
        elif kind == "as_tensor":
            self._nodes[content["name"]] = node
        elif kind in ("as_sym_int", "as_sym_float", "as_sym_bool"):
            self._nodes[content["as_name"]] = node
        elif kind != "as_none":
            raise NotReadable(f"its graph has a result of the kind {kind!r}")

    def _argument(self, argument: dict[str, Any]) -> Any:
        kind, content = _only(argument)
        if kind == "as_tensor":
            return self._nodes[content["name"]]
        if kind == "as_tensors":
            return [self._nodes[part["name"]] for part in content]
        if kind == "as_nested_tensors":
            return [[self._nodes[part["name"]] for part in parts] for parts in content]
        if kind == "as_optional_tensor":
            return self._argument(content)
        if kind == "as_optional_tensors":
            return [self._argument(part) for part in content]
        if kind in ("as_sym_int", "as_sym_float", "as_sym_bool"):
            return self._number(content)
        if kind in ("as_sym_ints", "as_sym_floats", "as_sym_bools"):
            return [self._number(part) for part in content]
        return _literal(argument)

    def _number(self, content: dict[str, Any]) -> Any:
        kind, value = _only(content)
        return self._nodes[value] if kind == "as_name" else _literal(content)


def _part(argument: dict[str, Any]) -> torch.fx.GraphModule:
    """Return the test or the body of a loop."""
    described = argument["as_graph"]["graph"]
    part = _Steps()
    for given in described["inputs"]:
        part._placeholder(given["as_tensor"]["name"])
    part._add_all(described["nodes"])
    part._graph.output(tuple([part._argument(result) for result in described["outputs"]]))
    return part._function()


class _Builder(_Steps):
    def __init__(
        self,
        description: dict[str, Any],
        tensor: Callable[[str, bool], tuple[torch.Tensor, bool]],
        names: dict[str, str],
    ) -> None:
        super().__init__()
        self._module = description["graph_module"]
        self._described = self._module["graph"]
        self._tensor = tensor
        self._names = names
        self._held_index: dict[str, int] = {}  # indices of the held tensors, by their names in the description

    def graph(self, info: ModelInfo) -> ExportedGraph:
        arguments, results = self._structures()
        held, inputs = self._inputs(arguments)
        self._add_all(self._described["nodes"])
        writes = self._outputs()
        return ExportedGraph(self._function(), held, inputs, arguments, results, writes, info)

    # Inputs and outputs

    def _structures(self) -> tuple[Structure, Structure]:
        signature = next(entry["signature"] for entry in self._module["module_call_graph"] if entry["fqn"] == "")
        arguments, results = (_structure(parse_json(signature[key])[1]) for key in ("in_spec", "out_spec"))
        positional, by_name = arguments.parts
        if by_name.parts:
            raise NotReadable("its graph has inputs that are given by name; give them in order")
        return positional, results

    def _inputs(self, arguments: Structure) -> tuple[tuple[Held, ...], tuple[GraphInput, ...]]:
        held: list[Held] = []
        inputs: list[GraphInput] = []
        placeholders: list[str] = []
        shown_names: set[str] = set()
        for specification in self._module["signature"]["input_specs"]:
            ((kind, content),) = specification.items()
            if kind == "user_input":
                inputs.append(self._user_input(content["arg"], len(inputs)))
                placeholders.append(_only(content["arg"])[1]["name"] if inputs[-1].dtype else "")
            elif kind == "constant_input":
                inputs.append(
                    GraphInput(self._input_name(content["name"], len(inputs)), value=_literal(content["value"]))
                )
                placeholders.append("")
            elif kind in ("parameter", "buffer", "tensor_constant"):
                name = content[f"{kind}_name"]
                is_constant = kind == "tensor_constant"
                value, is_trained = self._tensor(name, is_constant)
                self._held_index[name] = len(held)
                shown = "" if is_constant else self._names.get(name, name)
                if not isinstance(shown, str) or not isinstance(is_trained, bool) or (shown and shown in shown_names):
                    raise NotReadable(f"its parameter {shown!r:.100} is described twice, or wrongly")
                shown_names.add(shown)
                held.append(Held(shown, value, is_trained and value.is_floating_point()))
                self._placeholder(content["arg"]["name"])
            else:
                raise NotReadable(f"its graph has an input of the kind {kind!r}")
        for name in placeholders:
            self._placeholder(name)
        return tuple(held), tuple(inputs)

    def _input_name(self, name: str, number: int) -> str:
        return self._names.get(f"input {number}", name)

    def _user_input(self, argument: dict[str, Any], number: int) -> GraphInput:
        kind, content = _only(argument)
        if kind != "as_tensor":
            return GraphInput(self._input_name(f"input {number}", number), value=_literal(argument))
        described = self._described["tensor_values"][content["name"]]
        sizes = tuple([_size(size) for size in described["sizes"]])
        return GraphInput(self._input_name(content["name"], number), DTYPES[described["dtype"]], sizes)

    def _outputs(self) -> tuple[int, ...]:
        writes: list[int] = []
        results: list[Any] = []
        for specification in self._module["signature"]["output_specs"]:
            ((kind, content),) = specification.items()
            argument = content["arg"]
            if kind in ("buffer_mutation", "parameter_mutation"):
                writes.append(self._held_index[content[f"{kind.split('_')[0]}_name"]])
                results.insert(len(writes) - 1, self._nodes[argument["name"]])
            elif kind == "user_output":
                results.append(self._argument(argument))
            else:
                raise NotReadable(f"its graph has an output of the kind {kind!r}")
        self._graph.output(tuple(results))
        return tuple(writes)


def _check_kinds(target: str, schema: Any, given: dict[str, Any]) -> None:
    """Check that types, layouts and formats are not given as numbers, since torch accepts any number."""
    for argument in schema.arguments if schema is not None else ():
        if type(given.get(argument.name)) is int and _ENUMERATION.search(str(argument.real_type)):
            raise NotReadable(f"its graph calls {target} with a number as its '{argument.name}'")


def _check_sizes(target: str, given: dict[str, Any]) -> None:
    """Check that the sizes in an operation's arguments do not exceed the bytes of the machine's memory."""
    counts: list[float] = [math.prod(_product(value) for name, value in given.items() if name in _SIZES)]
    if target.startswith(("torch.ops.aten.arange.", "torch.ops.aten.rand", "torch.ops.aten.range.")):
        numbers = [given.get(name, default) for name, default in (("start", 0), ("end", 0), ("step", 1))]
        if all(isinstance(number, (int, float)) for number in numbers) and numbers[2]:
            counts.append((numbers[1] - numbers[0]) / numbers[2])
    if any(count > memory.total() for count in counts):
        raise NotReadable(
            f"its graph calls {target} for {max(counts):.3g} elements, more than this machine's memory has"
        )


def _product(value: Any) -> int:
    numbers = value if isinstance(value, list) else [value]
    return math.prod(max(number, 1) for number in numbers if type(number) is int)


def _only(union: dict[str, Any]) -> tuple[str, Any]:
    """Return the kind of a value, and the value."""
    ((kind, content),) = union.items()
    return kind, content


def _function(target: str) -> Callable[..., Any]:
    """Return the function that a description names."""
    if target in _OTHERS:
        return _OTHERS[target]
    found = _ATEN.fullmatch(target)
    function: Any = getattr(getattr(torch.ops.aten, found[1], None), found[2], None) if found else None
    if not is_allowed(function):
        raise NotReadable(f"its graph calls {target!r:.100}, which is not among the operations that a file may use")
    return function


def _literal(argument: dict[str, Any]) -> Any:
    """Return an argument that is not a tensor."""
    kind, content = _only(argument)
    if kind == "as_none":
        return None
    if kind in _SCALARS:
        return _scalar(kind, content)
    if kind in _LISTS:
        return [_scalar(_LISTS[kind], part) for part in content]
    if kind in ("as_int_lists", "as_float_lists"):
        return [[_scalar(kind.removesuffix("_lists"), part) for part in parts] for parts in content]
    if kind == "as_scalar_type":
        return DTYPES[content]
    if kind == "as_memory_format":
        return _MEMORY_FORMATS[content]
    if kind == "as_layout" and content == _STRIDED:
        return torch.strided
    if kind == "as_device":
        return devices.current()
    if kind == "as_complex":
        return complex(_scalar("as_float", content["real"]), _scalar("as_float", content["imag"]))
    raise NotReadable(f"its graph has an argument of the kind {kind!r}")


_SCALARS: dict[str, type] = {"as_int": int, "as_float": float, "as_bool": bool, "as_string": str}
_LISTS = {f"{kind}s": kind for kind in _SCALARS}


def _scalar(kind: str, content: Any) -> Any:
    wanted = _SCALARS[kind]
    if wanted is float:
        return float(content)  # infinities are strings
    if type(content) is not wanted:
        raise NotReadable(f"its graph has {content!r} in place of a value of type {wanted.__name__}")
    return content


def _size(size: dict[str, Any]) -> int | str | None:
    """Return a size of an input: a number, the name of a symbol, or None for an expression."""
    kind, content = _only(size)
    if kind == "as_int":
        return int(content)
    symbol = re.fullmatch(r"Symbol\('(\w+)'.*|(\w+)", content["expr_str"])
    return None if symbol is None else symbol[1] or symbol[2]


def _structure(described: dict[str, Any]) -> Structure:
    """Return a structure from torch's description of a tree."""
    kind = described["type"]
    if kind is None:
        return Structure()
    if kind not in _STRUCTURES:
        raise NotReadable(f"its inputs or results are in a {kind}, not in tuples, lists and dicts")
    keys = parse_json(described["context"]) if kind == "builtins.dict" else ()
    return Structure(_STRUCTURES[kind], tuple(keys), tuple(map(_structure, described["children_spec"])))
