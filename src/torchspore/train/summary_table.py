"""`summary`: the layers of a network in a table."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from torchspore.common import dtype as mstype
from torchspore.common import mode
from torchspore.common.dtype import Type
from torchspore.common.showing.markup import page, table, text
from torchspore.common.tensor import Tensor
from torchspore.engine.parameters import checked
from torchspore.nn.cell import Cell
from torchspore.ops.array.creation import zeros

__all__ = ["Layer", "Summary", "summary"]

_Input: TypeAlias = Tensor | tuple[int, ...]
_HEAD = ("Layer (type)", "Output shape", "Parameters", "Trained")


class Layer(NamedTuple):
    """A cell of a network: its path, type, last output shape, and the number of elements of its own parameters.

    `trainable` is the number of those elements that are trained.
    """

    name: str
    type: str
    shape: Any
    parameters: int
    trainable: int


@dataclass(frozen=True, repr=False)
class Summary:
    """The layers of a network and the total and trainable numbers of parameter elements.

    It prints as a table, and a notebook shows it as one.
    """

    layers: tuple[Layer, ...]
    total: int
    trainable: int

    def __str__(self) -> str:
        rows = [(_indented(layer), *_columns(layer)) for layer in self.layers]
        widths = [max(map(len, column)) for column in zip(_HEAD, *rows)]
        lines = [
            f"{a:<{widths[0]}}  {b:<{widths[1]}}  {c:>{widths[2]}}  {d:>{widths[3]}}" for a, b, c, d in (_HEAD, *rows)
        ]
        line = "-" * len(lines[0])
        return "\n".join([lines[0], line, *lines[1:], line, self._totals()])

    def _repr_html_(self) -> str:
        rows = [(layer.name, layer.type, *_columns(layer)) for layer in self.layers]
        return page(table(("Layer", "Type", *_HEAD[1:]), rows), text(self._totals()))

    def _totals(self) -> str:
        return f"Parameters: {self.total:,}, of which {self.trainable:,} are trained"

    def __repr__(self) -> str:
        return str(self)


@checked
def summary(cell: Cell, *inputs: _Input | list[_Input], dtype: Type = mstype.float32) -> Summary:
    """Return a table of the cells of a network, the shapes of their outputs and the numbers of their parameters.

    The network runs once on zeros in inference mode, and is not changed.

    Args:
        cell: the network.
        inputs: its inputs, each a shape (a tuple of ints) or a Tensor, which is used directly; also in one list.
        dtype: the data type of inputs given as shapes. Default: float32.

    Returns:
        An object with `layers`, `total` and `trainable`, which prints as a table, also in notebooks. The shape of a
        cell that did not run is None.

    Examples:
        >>> import torchspore as ms
        >>> net = ms.nn.SequentialCell(ms.nn.Dense(4, 8), ms.nn.ReLU(), ms.nn.Dense(8, 2))
        >>> print(ms.summary(net, (16, 4)))
        Layer (type)    Output shape  Parameters  Trained
        -------------------------------------------------
        SequentialCell  (16, 2)                0        0
          0 (Dense)     (16, 8)               40       40
          1 (ReLU)      (16, 8)                0        0
          2 (Dense)     (16, 2)               18       18
        -------------------------------------------------
        Parameters: 58, of which 58 are trained
    """
    given = inputs[0] if len(inputs) == 1 and isinstance(inputs[0], list) else inputs
    values = [each if isinstance(each, Tensor) else zeros(each, dtype) for each in given]
    outputs: dict[int, Any] = {}
    with _restored(cell), ExitStack() as stack:
        for _, part in cell.cells_and_names():
            handle = part.register_forward_hook(lambda part, given, output: outputs.update({id(part): _shape(output)}))
            stack.callback(handle.remove)
        cell.set_train(False)
        cell(*values)
    layers = tuple(
        Layer(
            name, type(part).__name__, outputs.get(id(part)), _elements(part.get_parameters(expand=False)),
            _elements(part.trainable_params(recurse=False)),
        )
        for name, part in cell.cells_and_names()
    )  # fmt: skip
    return Summary(layers, _elements(cell.get_parameters()), _elements(cell.trainable_params()))


@contextmanager
def _restored(cell: Cell) -> Any:
    """Use PYNATIVE_MODE within the block, and restore the training mode of every cell after it."""
    graph = mode.graph
    training = [(part, part.training) for _, part in cell.cells_and_names()]
    mode.set_graph(False)
    try:
        yield
    finally:
        mode.set_graph(graph)
        for part, was in training:
            part.training = was


def _shape(output: Any) -> Any:
    if isinstance(output, Tensor):
        return output.shape
    return [_shape(part) for part in output] if isinstance(output, Sequence) and not isinstance(output, str) else None


def _shown(shape: Any) -> str:
    if isinstance(shape, list):
        return ", ".join(_shown(part) for part in shape)
    return "-" if shape is None else str(shape)


def _indented(layer: Layer) -> str:
    if not layer.name:
        return layer.type
    return "  " * (layer.name.count(".") + 1) + f"{layer.name.rpartition('.')[2]} ({layer.type})"


def _columns(layer: Layer) -> tuple[str, str, str]:
    return _shown(layer.shape), f"{layer.parameters:,}", f"{layer.trainable:,}"


def _elements(parameters: Any) -> int:
    return sum(parameter.size for parameter in parameters)
