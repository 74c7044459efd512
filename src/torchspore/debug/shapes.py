"""`check_shapes`: the shapes and data types of the inputs and outputs of every cell."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

import torch

from torchspore.common import device as devices
from torchspore.common import dtype as mstype
from torchspore.common.frames.profiling import Profiled, can_watch
from torchspore.common.frames.stack import code_of, runs, values_of
from torchspore.common.private_torch import FAKE_TENSOR_LOG
from torchspore.common.scopes.scope import NotRecordable, Tracing, scope
from torchspore.common.showing.markup import page, table, text
from torchspore.common.tensor import Tensor, wrap
from torchspore.debug.places import CELL_CALL, cell_path, raising_cell
from torchspore.debug.trial import cells_of, try_out, undone
from torchspore.engine.capture.recording.fake_values import RecordingFakeMode
from torchspore.engine.capture.recording.source_lines import error_line, line_text
from torchspore.engine.failures.errors import describe
from torchspore.engine.parameters import checked
from torchspore.engine.values.nested import map_tensors, tensors
from torchspore.nn.cell import Cell

__all__ = ["CellCall", "ShapeReport", "check_shapes"]

_HEAD = ("cell", "type", "inputs", "outputs")


@dataclass
class CellCall:
    """A call of a cell.

    Attributes:
        cell: its path, "" for the network.
        type: its class.
        inputs: the inputs as text: shapes and data types of tensors, other values unchanged.
        outputs: the outputs, "" if it did not return.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore import debug
        >>> debug.check_shapes(ms.nn.SequentialCell(ms.nn.Dense(4, 8)), (16, 4)).calls[1]
        CellCall(cell='0', type='Dense', inputs='(16, 4) Float32', outputs='(16, 8) Float32')
    """

    cell: str
    type: str
    inputs: str
    outputs: str = ""


@dataclass
class ShapeReport:
    """The result of `check_shapes`, false if a cell raised. It prints as a table, and a notebook shows it as one.

    Attributes:
        calls: a `CellCall` for each call of a cell, in the order in which they began.
        failed: the call of the innermost cell that raised; None if none did.
        error: what it raised.
        line: the user's line that raised, or "".

    Examples:
        >>> import torchspore as ms
        >>> from torchspore import debug
        >>> report = debug.check_shapes(ms.nn.SequentialCell(ms.nn.Dense(4, 8), ms.nn.Dense(9, 2)), (16, 4))
        >>> bool(report), report.failed.cell, type(report.error).__name__
        (False, '1', 'ValueError')
    """

    calls: list[CellCall] = field(default_factory=list)
    failed: CellCall | None = None
    error: Exception | None = None
    line: str = ""

    def __bool__(self) -> bool:
        return self.error is None

    def _rows(self) -> list[tuple[str, ...]]:
        return [
            (c.cell or "(network)", c.type, c.inputs, "failed" if c is self.failed else c.outputs) for c in self.calls
        ]

    def _verdict(self) -> list[str]:
        if self.error is None:
            return []
        where = f"'{self.failed.cell}' ({self.failed.type})" if self.failed and self.failed.cell else "the network"
        inputs = f", with the inputs {self.failed.inputs}" if self.failed and self.failed.inputs else ""
        line = f"Line: {self.line}: {line_text(self.line)}"
        return [
            f"Failed in {where}{inputs}.",
            f"{type(self.error).__name__}: {self.error}",
            *([line] if self.line else []),
        ]

    def __str__(self) -> str:
        rows = [_HEAD, *self._rows()]
        widths = [max(map(len, column)) for column in zip(*rows)]
        lines = ["  ".join(word.ljust(width) for word, width in zip(row, widths)).rstrip() for row in rows]
        return "\n".join([*lines, *self._verdict()])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        bad = [number for number, call in enumerate(self.calls) if call is self.failed]
        return page(table(_HEAD, self._rows(), bad), *map(text, self._verdict()))


@checked
def check_shapes(net: Cell, *inputs: Any) -> ShapeReport:
    """Return the shapes and data types of the inputs and outputs of all cells, up to the first that raises.

    The network runs once, as Python, and is not changed.

    Args:
        net: the network.
        inputs: its inputs. A shape (a tuple of ints), or a shape and a data type (`((2, 3), ms.float16)`), stands for a
            Tensor, of float32 by default. With such an input nothing is computed, and no memory is needed for values;
            then a cell fails that reads a value, as in `if x.sum() > 0`.

    Returns:
        A `ShapeReport` with `calls`, `failed` and `error`; it is true if nothing failed.

    Raises:
        TypeError: `net` is not a Cell.
        RuntimeError: a C profiler is running that cannot be paused, such as torch's with `with_stack=True`.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore import debug
        >>> net = ms.nn.SequentialCell(ms.nn.Dense(4, 8), ms.nn.ReLU(), ms.nn.Dense(9, 2))
        >>> report = debug.check_shapes(net, (16, 4))
        >>> report.failed.cell, report.failed.inputs
        ('2', '(16, 8) Float32')
        >>> print([call.outputs for call in report.calls])
        ['', '(16, 8) Float32', '(16, 8) Float32', '']
    """
    is_open = any(_described(each) is not None for each in inputs)
    if not can_watch():
        raise RuntimeError("For 'check_shapes', a profiler is running that prevents it. Call it before that starts.")
    calls = _Calls(net)
    report = ShapeReport()
    with undone(cells_of(net), tensors(inputs)):
        try:
            with _without_values() if is_open else nullcontext(), calls:
                given = [_as_fake(each) for each in inputs] if is_open else inputs
                try_out(net, given, (), lambda output, _: None)
        except Exception as error:
            report.failed = calls.failed(error)
            report.error, report.line = error, error_line(error, None)
    report.calls += [call for _, call in calls.calls]
    return report


class _Calls(Profiled):
    """Notes the calls of cells in this thread: hooks would be seen by other threads, and change captured graphs."""

    def __init__(self, net: Cell) -> None:
        self.calls: list[tuple[Any, CellCall]] = []
        self._net = net
        self._running: dict[FrameType, tuple[Any, CellCall]] = {}

    def _see(self, frame: FrameType, event: str, arg: Any) -> None:
        if code_of(frame) is not CELL_CALL:
            return
        if event == "call":
            values = dict(values_of(frame))
            path = cell_path(self._net, [*[cell for cell, _ in self._running.values()], values["self"]])
            given = [
                *map(_shown, values["args"]),
                *[f"{name}={_shown(each)}" for name, each in values["kwargs"].items()],
            ]
            call = CellCall(path, type(values["self"]).__name__, ", ".join(given))
            self._running[frame] = values["self"], call
            self.calls.append(self._running[frame])
        elif event == "return":
            _, call = self._running.pop(frame)
            if runs(frame, "RETURN_VALUE", "RETURN_CONST"):  # else it raises
                call.outputs = _shown(arg)

    def failed(self, error: Exception) -> CellCall | None:
        """Return the last call of the innermost cell that raised an error."""
        cell = raising_cell(error)
        return next((call for called, call in reversed(self.calls) if called is cell), None)


@contextmanager
def _without_values() -> Iterator[None]:
    """Let operations compute shapes only within a block."""
    before = scope.tracing

    def refuse(value: torch.Tensor, kind: type) -> Any:
        raise NotRecordable(_NO_VALUE)

    scope.tracing = _Valueless(refuse)
    log = logging.getLogger(FAKE_TENSOR_LOG)  # which shows the traceback of each error
    level = log.level
    log.setLevel(logging.CRITICAL)
    try:
        with RecordingFakeMode():
            yield
    finally:
        scope.tracing = before
        log.setLevel(level)


_NO_VALUE = "the value of a tensor is read, which inputs given as shapes do not have; give Tensors"


class _Valueless(Tracing):
    """Refuses to read values of tensors that have none."""

    keeps_summaries = False

    def refuse(self, reason: str) -> None:
        raise NotRecordable(_NO_VALUE)


def _described(value: Any) -> tuple[tuple[int, ...], Any] | None:
    """Return shape and data type if a value is such a description."""
    if isinstance(value, tuple) and len(value) == 2 and _is_shape(value[0]) and isinstance(value[1], mstype.Type):
        return value[0], value[1]
    return (value, mstype.float32) if _is_shape(value) else None


def _is_shape(value: Any) -> bool:
    return isinstance(value, tuple) and all(type(size) is int and size >= 0 for size in value)


def _as_fake(value: Any) -> Any:
    described = _described(value)
    if described is not None:
        dtype = mstype.to_torch(described[1], "check_shapes")
        return wrap(torch.empty(described[0], dtype=dtype, device=devices.current()))
    return map_tensors(lambda tensor: wrap(torch.empty_like(tensor._t)), value)


def _shown(value: Any) -> str:
    """Return an input or an output as text."""
    if isinstance(value, Tensor):
        return f"{value.shape} {value.dtype}"
    if isinstance(value, (tuple, list)):
        inside = ", ".join(map(_shown, value))
        return f"({inside})" if isinstance(value, tuple) else f"[{inside}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key!r}: {_shown(each)}" for key, each in value.items()) + "}"
    shown = describe(value)
    return shown if len(shown) <= 60 else f"{shown[:60]}…"
