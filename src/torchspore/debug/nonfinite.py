"""`find_nonfinite`: the operation that made the first NaN or infinity of a forward or backward pass."""

from __future__ import annotations

import cmath
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch.multiprocessing.reductions import StorageWeakRef

from torchspore.common.private_torch import (
    DispatchMode,
    current_node,
    next_number,
    number_of,
    schema_of,
    storage_id,
    tree_leaves,
)
from torchspore.common.showing.markup import page, table, text
from torchspore.debug.places import Place, place
from torchspore.debug.statistics import HEAD, Statistics, has_nan, is_finite, statistics
from torchspore.debug.trial import cells_of, parameters_of, try_out, undone
from torchspore.engine.gradients.differentiate import compute_gradients
from torchspore.engine.parameters import checked
from torchspore.engine.values.nested import tensors

__all__ = ["NonFinite", "find_nonfinite"]


@dataclass(frozen=True, repr=False)
class NonFinite:
    """The result of `find_nonfinite`; true if outputs, loss or gradients are not finite. It prints as a report.

    Attributes:
        where: "forward" or "backward", the pass; "given" for a value from outside, or one that the program wrote as inf
            or NaN; "" if everything is finite.
        operation: the function or layer of the program, such as "log"; for "given" a name of the value.
        kernel: the operation of PyTorch below it.
        cell: the path of the cell, such as "layer1.0.conv", "" outside of cells; in the backward pass, the cell of
            the operation whose gradient it is.
        type: the class of the cell.
        line: the user's line, or "".
        inputs, outputs: `Statistics` of the tensors: name, shape, dtype, min, max, mean, nan, inf.
        affected: which results are not finite: "output 0", "loss" or "gradient of layer1.weight".

    Examples:
        >>> import torchspore as ms
        >>> from torchspore import debug
        >>> found = debug.find_nonfinite(ms.ops.log, ms.Tensor([1.0, 0.0]))
        >>> bool(found), found.operation, found.outputs[0].inf, found.affected
        (True, 'log', 1, ('output 0',))
    """

    where: str = ""
    operation: str = ""
    kernel: str = ""
    cell: str = ""
    type: str = ""
    line: str = ""
    inputs: tuple[Statistics, ...] = ()
    outputs: tuple[Statistics, ...] = ()
    affected: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.where)

    def _lines(self) -> list[str]:
        if not self:
            return ["All outputs and gradients are finite."]
        if self.where == "given":
            how = f"written as such by '{self.operation}'" if self.kernel else self.operation
            found = f"The first value that is not finite is {how}."
        else:
            place = "the backward pass of " if self.where == "backward" else ""
            kernel = f", kernel '{self.kernel}'" if self.kernel != self.operation else ""
            found = f"The first value that is not finite comes from {place}'{self.operation}'{kernel}."
        lines = [found]
        lines += [f"Cell: {self.cell or 'the outermost'} ({self.type})"] if self.type else []
        lines += [f"Line: {self.line}"] if self.line else []
        shown = ", ".join(self.affected[:_MOST_SHOWN]) + (", ..." if len(self.affected) > _MOST_SHOWN else "")
        return [*lines, f"Not finite: {shown}"]

    def __str__(self) -> str:
        rows = [HEAD, *[each.row() for each in (*self.inputs, *self.outputs)]]
        widths = [max(map(len, column)) for column in zip(*rows)]
        lines = ["  ".join(word.ljust(width) for word, width in zip(row, widths)).rstrip() for row in rows]
        return "\n".join([*self._lines(), *(lines if len(rows) > 1 else [])])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        rows = [each.row() for each in (*self.inputs, *self.outputs)]
        return page(*map(text, self._lines()), table(HEAD, rows) if rows else "")


_MOST_SHOWN = 8


@checked
def find_nonfinite(net: Callable[..., Any], *inputs: Any, loss_fn: Callable[..., Any] | None = None) -> NonFinite:
    """Return the operation that made the first NaN or infinity on which outputs, loss or gradients depend.

    The network runs once forward and backward, as Python, in the mode that it is in (PYNATIVE_MODE or GRAPH_MODE,
    training or not), and is not changed. Values that do not reach a result do not count, nor do infinities and NaN that
    the program wrote as such (masks of -inf), unless nothing else explains the result. Each operation is followed by a
    check, which makes the run slow.

    Args:
        net: a Cell, or a function of tensors.
        inputs: its inputs; with a `loss_fn`, the last one is the label.
        loss_fn: a Cell or function of the output and the label. Default: None; the gradient is of the sum of the
            outputs.

    Returns:
        A `NonFinite`, which is false if all results are finite.

    Raises:
        Exception: whatever the network raises.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore import debug
        >>> class Net(ms.nn.Cell):
        ...     def construct(self, x):
        ...         return ms.ops.log(x - 1).sum()
        >>> found = debug.find_nonfinite(Net(), ms.Tensor([1.0, 2.0]))
        >>> found.operation, found.where, found.outputs[0].inf
        ('log', 'forward', 1)
    """
    api = "find_nonfinite"
    if loss_fn is not None and len(inputs) < 2:
        raise ValueError(f"For '{api}', a 'loss_fn' needs a label after the inputs, but got {len(inputs)} inputs.")
    cells = cells_of(net, *([] if loss_fn is None else [loss_fn]))
    weights = [parameter for parameter in parameters_of(cells) if parameter.requires_grad]
    names = [(f"input {number}", tensor._t) for number, tensor in enumerate(tensors(inputs))]
    names += [(f"the parameter '{p.name}'", p._t) for p in parameters_of(cells)]
    watcher = _Watcher(net, names)
    results: list[tuple[str, torch.Tensor]] = []

    def forward(*values: Any) -> Any:
        output = net(*values) if loss_fn is None else net(*values[:-1])
        results.extend((f"output {number}", tensor._t) for number, tensor in enumerate(tensors(output)))
        if loss_fn is None:
            return output
        output = loss_fn(output, values[-1])
        results.extend(("loss", tensor._t) for tensor in tensors(output))
        return output

    def backward(output: Any, aliases: list[torch.Tensor]) -> NonFinite:
        gradients = compute_gradients(output, aliases, None, create_graph=False)
        results.extend((f"gradient of {weight.name}", gradient) for weight, gradient in zip(weights, gradients))
        return watcher.cause([(name, value) for name, value in results if not is_finite(value)])

    with undone(cells, tensors(inputs)), watcher:
        return try_out(forward, inputs, weights, backward)


@dataclass
class _Event:
    """An operation with a result that is not finite, or a value from outside.

    Attributes:
        kind: "made": of finite values, or NaN of other ones; "passed": of values that were not finite; "given": from
            outside, or as a number in the program; "memory": not yet written.
        sources: the events that its inputs come from.
    """

    number: int
    kind: str
    sources: list[_Event]
    where: str
    kernel: str
    place: Place
    name: str = ""
    inputs: tuple[Statistics, ...] = ()
    outputs: tuple[Statistics, ...] = ()


class _Watcher(DispatchMode):
    """Sees all operations of a run, and connects values that are not finite with what made them."""

    def __init__(self, root: Any, names: list[tuple[str, torch.Tensor]]) -> None:
        super().__init__()
        self._root = root
        self._names = {_address(value): name for name, value in reversed(names)}
        self._events: list[_Event] = []
        self._origins: dict[int, tuple[StorageWeakRef, _Event]] = {}  # by the address of a storage
        self._places: dict[int, Place] = {}  # of the nodes of the backward pass, by number

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        kernel, schema = func.overloadpacket.__name__, schema_of(func)
        where, at = self._where(kernel)
        leaves = tree_leaves((args, kwargs))
        given = [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]
        bad = [value for value in given if not is_finite(value)]
        had_nan = any(map(has_nan, bad))
        inputs = _all_statistics("input", given) if schema.is_mutable else None  # which will be overwritten
        result = func(*args, **kwargs)
        if not schema.is_mutable and any(each.alias_info for each in schema.returns):
            return result  # a view: its memory is known
        made = [value for value in tree_leaves(result) if isinstance(value, torch.Tensor)]
        made = made or (given if schema.is_mutable else [])
        wrong = [value for value in made if not is_finite(value)]
        if not wrong:
            for value in made:
                self._origins.pop(_address(value), None)
            return result
        kind = self._kind(kernel, leaves, bad, any(map(has_nan, wrong)) and not had_nan)
        event = _Event(len(self._events), kind, [self._origin(value, at) for value in bad], where, kernel, at)
        if kind in ("made", "given"):
            event.inputs = inputs or _all_statistics("input", given)
            event.outputs = _all_statistics("output", made)
        self._add(event, wrong)
        return result

    def cause(self, results: list[tuple[str, torch.Tensor]]) -> NonFinite:
        """Return the first operation on which results depend that are not finite."""
        if not results:
            return NonFinite()
        reached = {id(event): event for _, value in results for event in [self._origin(value, Place("", "", "", ""))]}
        waiting = list(reached.values())
        while waiting:
            for source in waiting.pop().sources:
                if id(source) not in reached:
                    reached[id(source)] = source
                    waiting.append(source)
        known = [event for event in reached.values() if event.kind != "memory"] or list(reached.values())
        made = [event for event in known if event.kind == "made"]
        first = min(
            made or [event for event in known if event.kind == "given"] or known, key=lambda event: event.number
        )
        return NonFinite(
            "given" if first.kind == "given" else first.where,
            first.name or first.place.api, first.kernel, first.place.cell, first.place.type, first.place.code,
            tuple(first.inputs), tuple(first.outputs), tuple(name for name, _ in results),
        )  # fmt: skip

    def _where(self, kernel: str) -> tuple[str, Place]:
        """Return the pass that runs, and the place: in a backward pass where the function is whose gradient it is."""
        node = current_node()
        if node is None:
            at = place(self._root, kernel, _ENDS)
        else:
            at = place(self._root, kernel, _ENDS_OF_BACKWARD)
            forward = self._places.get(number_of(node), at)
            if not at.line and not at.cell:
                at = forward
            elif not at.cell:  # a bprop or a hook of the program runs
                at = at._replace(cell=forward.cell, type=forward.type)
        self._places[next_number() - 1] = at
        return ("forward" if node is None else "backward"), at

    def _kind(self, kernel: str, leaves: list[Any], bad: list[torch.Tensor], is_new: bool) -> str:
        if kernel.startswith(_WITHOUT_VALUES):
            return "memory"
        if bad:
            return "made" if is_new else "passed"
        written = any(isinstance(leaf, (float, complex)) and not cmath.isfinite(leaf) for leaf in leaves)
        return "given" if written else "made"

    def _origin(self, value: torch.Tensor, at: Place) -> _Event:
        """Return where the values of a tensor come from; an event for one from outside is made here."""
        known = self._origins.get(_address(value))
        if known is not None:
            return known[1]
        event = _Event(len(self._events), "given", [], "given", "", at)
        event.name = self._names.get(_address(value), "a tensor from outside the inputs and parameters")
        event.outputs = _all_statistics("value", [value])
        self._add(event, [value])
        return event

    def _add(self, event: _Event, values: list[torch.Tensor]) -> None:
        self._events.append(event)
        for value in values:
            self._origins[_address(value)] = StorageWeakRef(value.untyped_storage()), event


_ENDS = {try_out.__code__}
_ENDS_OF_BACKWARD = {try_out.__code__, compute_gradients.__code__}
_WITHOUT_VALUES = ("empty", "new_empty", "resize")


def _address(value: torch.Tensor) -> int:
    return storage_id(value.untyped_storage())


def _all_statistics(name: str, values: list[torch.Tensor]) -> tuple[Statistics, ...]:
    return tuple(statistics(f"{name} {number}" if len(values) > 1 else name, v) for number, v in enumerate(values))
