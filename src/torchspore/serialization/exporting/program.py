"""Networks as torch's exported programs: torch traces a small torch module that wraps the network."""

from __future__ import annotations

import functools
import inspect
import logging
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import FunctionType
from typing import Any

import torch
from torch.export import Dim, ExportedProgram

from torchspore.common import device as devices
from torchspore.common.frames.user_lines import warn_user
from torchspore.common.open_shape import OpenTensor, Symbol
from torchspore.common.parameter import Parameter
from torchspore.common.private_torch import FAKE_TENSOR_LOG, noted_functions
from torchspore.common.scopes.scope import NotRecordable, discard
from torchspore.common.tensor import Tensor, wrap
from torchspore.engine.arguments.mutable import Mutable
from torchspore.engine.capture.function import CapturedFunction
from torchspore.engine.capture.recording.fake_values import recording
from torchspore.engine.capture.recording.printing import recorded_prints
from torchspore.engine.capture.recording.source_lines import error_line, line_text
from torchspore.engine.capture.state.reachable_state import MAX_LOCATIONS, UntrackedState, find_reachable
from torchspore.engine.dynamic import InputsHint, hint_of
from torchspore.engine.failures.errors import describe
from torchspore.engine.values.nested import map_tensors, tensors, unwrap_tree, wrap_tree
from torchspore.nn.cell import Cell
from torchspore.ops.control.control_flow import WhileLoop
from torchspore.serialization.exporting.decided_sizes import refuse_decisions
from torchspore.serialization.exporting.loop_source import loops_as_operations
from torchspore.serialization.exporting.paths import Path, TooManyConditions, every_path

__all__ = ["Network", "network_of", "quiet"]

_FIRST_SIZE = 4  # the example size of an open first dimension, mostly the batch
_OTHER_SIZE = 32  # of other open dimensions, mostly a length or an image's height: enough for some pooling
_MAX_SIZE = 2**16  # the limit of the search for a size that a Symbol allows


@dataclass(frozen=True)
class Network:
    """A network as torch's program.

    Attributes:
        program: the program.
        names: the names of its parameters and buffers, by the names in the program.
        inputs: the names of the inputs, one for each leaf.
    """

    program: ExportedProgram
    names: dict[str, str]
    inputs: list[str]

    def nodes(self) -> Iterator[torch.fx.Node]:
        """Yield the operations, those of loops included."""
        for graph in _graphs(self.program):
            yield from graph.nodes


def network_of(
    net: Any,
    inputs: tuple[Any, ...],
    api: str,
    input_names: Sequence[str] = (),
    open_axes: Mapping[str, Iterable[int]] | None = None,
) -> Network:
    """Trace a network in inference mode.

    Args:
        net: a Cell or a function.
        inputs: its arguments: tensors, numbers, strings, None, and tuples, lists and dicts of them. A tensor with open
            sizes stands for all tensors that fit. Default: those that `set_inputs` declared.
        api: the name in messages.
        input_names: names for the first inputs. Default: the names of the network's arguments.
        open_axes: more open dimensions, by the input's name. Default: none.

    Raises:
        TypeError: the network is neither a Cell nor a function, or does not take these inputs.
        ValueError: it does something that cannot be exported, or there is no such input or dimension.
    """
    with recording:  # another thread's trace has its tensors in the parameters
        network, has_prints = _traced(net, inputs, api, input_names, open_axes or {})
    if has_prints:
        warn_user(f"For '{api}', the file does not have the network's prints: it prints nothing when it runs.")
    return network


def _traced(
    net: Any, inputs: tuple[Any, ...], api: str, input_names: Sequence[str], open_axes: Mapping[str, Iterable[int]]
) -> tuple[Network, bool]:
    """Return the network, and whether it prints."""
    function = _function(net, api)
    declared: InputsHint | None = getattr(net, "_inputs_hint", None)
    if not inputs and declared is not None and isinstance(declared.given, tuple):
        inputs = declared.given
    cells = _cells(net, api)
    if any(isinstance(value, Mutable) and value.dynamic_len for value in inputs):
        warn_user(f"For '{api}', a file holds one length of a list or tuple: it takes as many elements as given here.")
    examples = map_tensors(_Examples(api), inputs)
    dimensions = _open_dimensions(function, inputs, examples, declared, api)
    names = [*input_names, *_input_names(function, examples)[len(input_names) :]]
    if len(names) > len(dimensions):
        raise ValueError(f"For '{api}', the network has {len(dimensions)} inputs, but 'input_names' is {input_names}.")
    leaves = list(_leaves(examples))
    for name, axes in open_axes.items():
        _open_more(name, set(axes), names, leaves, dimensions, api)
    network = _TorchModule(net._run if isinstance(net, Cell) else function, _state(net, cells))
    given, shapes = unwrap_tree(examples), {"args": _dynamic_shapes(examples, iter(dimensions))}
    trace = functools.partial(torch.export.export, network, given, strict=False, dynamic_shapes=shapes)
    functions = _functions(function, cells)
    with quiet(), _inference(cells), torch.no_grad(), recorded_prints(), _noted(functions):
        try:
            try:
                program = trace()
            except TooManyConditions:
                with loops_as_operations(functions):
                    program = trace()
            prints = _without_prints(program)
            _fill_constants(program)
            program = program.run_decompositions({torch.ops.torchspore.lstm_layer.default: _lstm_layer})
            for graph in _graphs(program):
                _write_dimensions(graph)
        except Exception as error:
            raise _refusal(error, function, network, api) from error
        finally:
            discard()
    return Network(program, network.names, names), prints


def _function(net: Any, api: str) -> Callable[..., Any]:
    if isinstance(net, Cell):
        return net.construct
    if isinstance(net, CapturedFunction):
        return net.fn
    if inspect.isfunction(net) or inspect.ismethod(net):
        return net
    raise TypeError(f"For '{api}', 'net' must be a Cell or a function, but got {describe(net)}.")


@contextmanager
def quiet() -> Iterator[None]:
    """Suppress what torch logs and warns about its internals, in one thread at a time; errors are exceptions."""
    logs = [logging.getLogger(name) for name in (FAKE_TENSOR_LOG, "torch.onnx", "torch._export.serde")]
    with recording, warnings.catch_warnings():  # torch's exporters are not made for threads either
        warnings.simplefilter("ignore")
        levels = [log.level for log in logs]
        for log in logs:
            log.setLevel(logging.CRITICAL)
        try:
            yield
        finally:
            for log, level in zip(logs, levels):
                log.setLevel(level)


# The inputs


class _Examples:
    """Return an example tensor with elements for each tensor among the inputs."""

    def __init__(self, api: str) -> None:
        self._api = api
        self._sizes: dict[Symbol, int] = {}

    def __call__(self, tensor: Tensor) -> Tensor:
        if not isinstance(tensor, OpenTensor):
            return wrap(tensor._t.detach().clone())  # a copy: the same tensor given twice is still two inputs
        if tensor.open_shape is None:
            raise ValueError(f"For '{self._api}', an input must have a known number of dimensions, but got {tensor!r}.")
        sizes = [self._size(size, number) for number, size in enumerate(tensor.open_shape)]
        return wrap(torch.zeros(sizes, dtype=tensor.dtype.torch, device=devices.current()))

    def _size(self, size: int | Symbol | None, dimension: int) -> int:
        usual = _OTHER_SIZE if dimension else _FIRST_SIZE
        if not isinstance(size, Symbol):
            return usual if size is None else size
        if size not in self._sizes:
            tried = (*range(usual, _MAX_SIZE), *range(usual))
            self._sizes[size] = next(number for number in tried if not size.refuses(number))
        return self._sizes[size]


def _input_names(function: Callable[..., Any], examples: tuple[Any, ...]) -> list[str]:
    """Return a name for each leaf of the arguments."""
    names: list[str] = []
    for parameter, value in _arguments(function, examples):
        leaves = list(_leaves(value))
        names += (
            [parameter]
            if not isinstance(value, (tuple, list, dict))
            else [f"{parameter}_{number}" for number in range(len(leaves))]
        )
    return names


def _arguments(function: Callable[..., Any], examples: tuple[Any, ...]) -> Iterator[tuple[str, Any]]:
    parameters = list(inspect.signature(function).parameters.values())
    for number, value in enumerate(examples):
        parameter = parameters[min(number, len(parameters) - 1)] if parameters else None
        if parameter is None or parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            yield f"input_{number}", value
        else:
            yield parameter.name, value


def _leaves(tree: Any) -> Iterator[Any]:
    if isinstance(tree, (tuple, list, dict)):
        for branch in tree.values() if isinstance(tree, dict) else tree:
            yield from _leaves(branch)
    else:
        yield tree


def _open_dimensions(
    function: Callable[..., Any],
    inputs: tuple[Any, ...],
    examples: tuple[Any, ...],
    declared: InputsHint | None,
    api: str,
) -> list[set[int]]:
    """Return the open dimensions of each leaf of the inputs."""
    given = hint_of(function, inputs, {}, api)
    found = given.open_dimensions(examples, {})
    if declared is not None and not any(isinstance(tensor, OpenTensor) for tensor in tensors(inputs)):
        declared.check(inputs, {}, api)
        found = declared.open_dimensions(examples, {})
    of_tensors = iter(found)
    return [set(next(of_tensors)) if isinstance(leaf, Tensor) else set() for leaf in _leaves(examples)]


def _open_more(
    name: str, axes: set[int], names: list[str], leaves: list[Any], dimensions: list[set[int]], api: str
) -> None:
    """Add open dimensions of the input with a name."""
    if name not in names:
        raise ValueError(f"For '{api}', 'dynamic_axes' names '{name}', but the inputs are {', '.join(names)}.")
    number = names.index(name)
    count = leaves[number].ndim if isinstance(leaves[number], Tensor) else 0
    if not axes <= set(range(count)):
        raise ValueError(f"For '{api}', '{name}' has {count} dimensions, but 'dynamic_axes' has {sorted(axes)}.")
    dimensions[number] |= axes


def _dynamic_shapes(examples: Any, dimensions: Iterator[set[int]]) -> Any:
    """Return the open dimensions as torch takes them, nested as the inputs are."""
    if isinstance(examples, (tuple, list)):
        return type(examples)([_dynamic_shapes(branch, dimensions) for branch in examples])
    if isinstance(examples, dict):
        return {key: _dynamic_shapes(branch, dimensions) for key, branch in examples.items()}
    is_open = next(dimensions)
    return dict.fromkeys(sorted(is_open), Dim.DYNAMIC) if is_open else None


# The network


def _cells(net: Any, api: str) -> list[Cell]:
    """Return the cells of the network."""
    if isinstance(net, Cell):
        return [cell for _, cell in net.cells_and_names()]
    try:
        return find_reachable(net, locations=10 * MAX_LOCATIONS).cells
    except UntrackedState as reason:
        raise ValueError(f"For '{api}', the function cannot be exported: {reason}. Export a Cell.") from None


def _functions(function: Callable[..., Any], cells: list[Cell]) -> list[FunctionType]:
    """Return the functions with loops that a network can run: the user's, and one operation."""
    classes = {kind for cell in cells for kind in type(cell).__mro__}
    methods = [value for kind in classes for value in vars(kind).values() if isinstance(value, FunctionType)]
    try:
        reached = find_reachable(function, locations=10 * MAX_LOCATIONS).functions
    except UntrackedState:
        reached = []
    found = dict.fromkeys([*methods, *(function for function, *_ in reached)])
    of_user = [function for function in found if not function.__module__.startswith("torchspore.")]
    return [*of_user, vars(WhileLoop)["__call__"]]


@contextmanager
def _noted(functions: list[FunctionType]) -> Iterator[None]:
    """Have torch note the lines of functions within the block, for errors of operations."""
    added = {(each.__code__.co_filename, each.__name__) for each in functions} - noted_functions
    noted_functions.update(added)
    try:
        yield
    finally:
        noted_functions.difference_update(added)


def _state(net: Any, cells: list[Cell]) -> list[tuple[str, str, Tensor]]:
    """Return the parameters and buffers: their paths in a torch module, their names, and the tensors."""
    if isinstance(net, Cell):
        found = [(path, parameter.name, parameter) for path, parameter in net.parameters_and_names()]
        return [*found, *((path, path, buffer) for path, buffer in net.named_buffers())]
    parameters = {id(parameter): parameter for cell in cells for parameter in cell.get_parameters()}
    return [(parameter.name, parameter.name, parameter) for parameter in parameters.values()]


@contextmanager
def _inference(cells: list[Cell]) -> Iterator[None]:
    """Put cells into inference mode within the block, and then into the modes that they had."""
    before = [(cell, cell.training, cell._mode_is_set, cell._phase) for cell in cells]
    for cell in cells:
        if cell.training:
            cell.set_train(False)
    try:
        yield
    finally:
        for cell, training, is_set, phase in before:
            if cell.training is not training:
                cell.training = training
            vars(cell).update(_mode_is_set=is_set, _phase=phase)


class _TorchModule(torch.nn.Module):
    """A torch module with a network's parameters, which replace the network's own while it runs.

    Attributes:
        names: the parameters' names, by their names in the module.
        gradients: the user's lines that compute gradients. A set, as torch copies lists and restores attributes.
        errors: the errors of the network.
    """

    def __init__(self, network: Callable[..., Any], state: list[tuple[str, str, Tensor]]) -> None:
        super().__init__()
        self.names: dict[str, str] = {}
        self.gradients: set[str] = set()
        self.errors: set[Exception] = set()
        self._network = network
        self._tensors: list[tuple[str, Tensor]] = []
        for number, (path, name, tensor) in enumerate(state):
            if tensor.init is not None:
                tensor.init_data()
            path = self._put(path, tensor) or self._put(f"tensor_{number}", tensor)
            self.names[path] = name
            self._tensors.append((path, tensor))

    def _put(self, path: str, tensor: Tensor) -> str:
        """Register a tensor; return its path, or "" if torch has something else there."""
        *parents, name = path.split(".")
        module: torch.nn.Module = self
        for part in parents:
            if part not in module._modules:
                if not part or hasattr(module, part):
                    return ""
                module.add_module(part, torch.nn.Module())
            module = module.get_submodule(part)
        if not name or hasattr(module, name):
            return ""
        value = tensor._t.detach()
        if isinstance(tensor, Parameter) and tensor.requires_grad and value.is_floating_point():
            module.register_parameter(name, torch.nn.Parameter(value))
        else:
            module.register_buffer(name, value)
        return path

    def forward(self, *args: Any) -> Any:
        """Run the network on torch tensors."""
        result = every_path(functools.partial(self._run, args))
        refuse_decisions()
        return result

    def _run(self, args: tuple[Any, ...], path: Path) -> Any:
        """Run the network along one path."""
        given: list[Any] = [value for value in _leaves(args) if isinstance(value, torch.Tensor)]
        given += [functools.reduce(getattr, name.split("."), self) for name, _ in self._tensors]
        versions = [value._version for value in given]
        try:
            for name, tensor in self._tensors:
                path.replace(tensor, functools.reduce(getattr, name.split("."), self))  # type: ignore[arg-type]
            result = self._network(*wrap_tree(args))
            if path.replaced():
                raise NotRecordable("it replaces the memory of a parameter")
            return unwrap_tree(result)
        except Exception as error:
            self.errors.add(error)
            raise
        finally:
            path.restore()
            self.gradients |= path.gradients
            if path.is_branched and versions != [value._version for value in given]:
                raise NotRecordable("it writes into an input or a parameter, and has conditions on values")


def _graphs(program: ExportedProgram) -> list[torch.fx.Graph]:
    """Return the graph of a program and those of its loops."""
    return [part.graph for part in program.graph_module.modules() if isinstance(part, torch.fx.GraphModule)]


def _without_prints(program: ExportedProgram) -> bool:
    """Take prints out of a program; return whether it had any."""
    prints = [node for graph in _graphs(program) for node in graph.nodes if node.target is _PRINT]
    for node in prints:
        node.graph.erase_node(node)
    return bool(prints)


def _fill_constants(program: ExportedProgram) -> None:
    """Compute the tensors that loops make from numbers: a file has constants for the whole program only.

    Raises:
        NotRecordable: their elements differ.
    """
    for graph in _graphs(program)[1:]:
        for node in graph.find_nodes(op="get_attr"):
            value = getattr(graph.owning_module, node.target)
            if isinstance(value, torch.Tensor):
                number = value.flatten()[0].item() if value.numel() else 0
                if not bool((value == number).all()):
                    raise NotRecordable(
                        "a loop on values makes a tensor from different numbers: make it before the loop"
                    )
                with graph.inserting_before(node):
                    filled = graph.call_function(torch.ops.aten.full.default, (list(value.shape), number))
                filled.kwargs = {"dtype": value.dtype, "device": value.device}
                filled.meta = node.meta
                node.replace_all_uses_with(filled)
                graph.erase_node(node)
                delattr(graph.owning_module, node.target)


_PRINT = torch.ops.torchspore.print.default
_OVER_ALL = (torch.ops.aten.mean.dim, torch.ops.aten.amax.default, torch.ops.aten.amin.default)


def _write_dimensions(graph: torch.fx.Graph) -> None:
    """Write down all dimensions where a reduction has none, which torch's ONNX files lose."""
    for node in graph.nodes:
        if node.target in _OVER_ALL and not (len(node.args) > 1 and node.args[1]):
            node.args = (node.args[0], list(range(node.args[0].meta["val"].dim())), *node.args[2:])


def _lstm_layer(x: torch.Tensor, *rest: Any) -> tuple[torch.Tensor, ...]:
    """Compute an LSTM layer by torch's operation, in place of the one of captured graphs; for inference only."""
    *weights, h, c, _ = rest
    output, last_h, last_c = torch.lstm(x, (h[None], c[None]), weights, True, 1, 0.0, False, False, False)
    return output, last_h[0], last_c[0], x.new_empty(0, dtype=torch.uint8)


def _refusal(error: Exception, function: Callable[..., Any], network: _TorchModule, api: str) -> Exception:
    """Return the error to raise; an error that the network itself raises is unchanged."""
    place, reason = "", _reason(str(error))
    if isinstance(error, NotRecordable):
        place = error.line
    elif not type(error).__module__.startswith("torch"):
        if error in network.errors or not network.gradients:
            return error
        place, reason = min(network.gradients), "torch does not export the gradient that is computed there"
    place = place or error_line(error, function)
    line = line_text(place)
    location = f" at {place}" + (f" ('{line}')" if line else "")
    return ValueError(f"For '{api}', the network cannot be exported{location}: {reason}.")


def _reason(text: str) -> str:
    """Return the part of an error's text that concerns the network."""
    lines = text.strip().split("\n")
    fixed = re.search(r"\['args'\]\[(\d+)\].*?size\(\)\[(\d+)\].*constant \((\d+)\)", " ".join(lines[:2]))
    if fixed:
        argument, dimension, size = fixed.groups()
        return f"dimension {dimension} of input {argument} is left open, but the network fixes it to {size}"
    return lines[0].rstrip(".")
