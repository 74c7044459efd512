"""Conditions on values in a file: all paths through a network are computed, and their results selected."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from torchspore.common import device as devices
from torchspore.common.private_torch import FakeTensor
from torchspore.common.scopes.scope import NotRecordable, Tracing, scope
from torchspore.engine.capture.recording.source_lines import user_line

__all__ = ["UNBOUND", "Asked", "Path", "TooManyConditions", "as_tensor", "every_path", "is_value", "truth"]

_MAX_CONDITIONS = 6  # conditions on values in sequence
UNBOUND = object()  # the value of a variable that has none on a path


class TooManyConditions(NotRecordable):
    """A network has too many conditions on values, one after the other."""


class Asked(BaseException):
    """A network has a condition on a value; it must not catch this.

    Attributes:
        value: the value.
    """

    def __init__(self, value: torch.Tensor) -> None:
        super().__init__()
        self.value = value


class Path(Tracing):
    """A recording of one path through a network.

    Args:
        answers: the values of the first conditions; another one ends the run.

    Attributes:
        is_branched: whether there are conditions on values.
        gradients: the user's lines that compute gradients.
    """

    keeps_summaries = False
    is_for_file = True

    def __init__(self, answers: Sequence[bool] = ()) -> None:
        super().__init__(self._answered)
        self.is_branched = False
        self.gradients: set[str] = set()
        self._answers = iter(answers)

    def differentiate(self) -> None:
        """Note the line."""
        self.gradients.add(user_line())

    def _answered(self, value: torch.Tensor, kind: type) -> Any:
        constant = value.constant if isinstance(value, FakeTensor) else None
        if constant is not None:
            return kind(constant.item())
        if kind is not bool:
            raise NotRecordable(
                f"it converts a tensor that depends on the inputs to a Python {kind.__name__}, and a file holds one "
                "path through the network for all inputs; use operations such as ops.where"
            )
        self.is_branched = True
        answer = next(self._answers, None)
        if answer is None:
            raise Asked(value)
        return answer


def every_path(run: Callable[[Path], Any], answers: tuple[bool, ...] = ()) -> Any:
    """Run a function along all paths whose conditions on values begin with some answers; select among the results."""
    outer = scope.tracing
    path = scope.tracing = Path(answers)
    try:
        return run(path)
    except Asked as asked:
        condition = truth(asked.value)
    finally:
        scope.tracing = outer
    if len(answers) == _MAX_CONDITIONS:
        raise TooManyConditions(f"more than {_MAX_CONDITIONS} conditions on values follow each other")
    return _selected(condition, *[every_path(run, (*answers, answer)) for answer in (True, False)])


def truth(value: torch.Tensor) -> torch.Tensor:
    """Return whether the only element of a tensor counts as true."""
    value = value if value.dtype is torch.bool else value != 0
    return value.reshape(()) if value.dim() else value


def _selected(condition: torch.Tensor, if_true: Any, if_false: Any) -> Any:
    """Return the results of one of two paths, which are both computed."""
    if if_true is if_false or if_false is UNBOUND:
        return if_true
    if if_true is UNBOUND:
        return if_false
    if is_value(if_true) and is_value(if_false):
        if type(if_true) is type(if_false) and not isinstance(if_true, torch.Tensor) and if_true == if_false:
            return if_true
        if_true, if_false = as_tensor(if_true), as_tensor(if_false)
        if (if_true.shape, if_true.dtype) != (if_false.shape, if_false.dtype):
            raise NotRecordable(
                "its results have different shapes or data types, depending on a value: "
                f"{tuple(if_true.shape)} of {if_true.dtype}, {tuple(if_false.shape)} of {if_false.dtype}"
            )
        if if_true.dtype is torch.bool:  # ONNX Runtime has no `Where` for these
            return (condition & if_true) | (~condition & if_false)
        return torch.where(condition, if_true, if_false)
    if isinstance(if_true, dict) and isinstance(if_false, dict) and list(if_true) == list(if_false):
        return {name: _selected(condition, if_true[name], if_false[name]) for name in if_true}
    is_sequence = isinstance(if_true, (tuple, list)) and type(if_true) is type(if_false)
    if is_sequence and len(if_true) == len(if_false):
        return type(if_true)([_selected(condition, *pair) for pair in zip(if_true, if_false)])
    if type(if_true) is type(if_false) and not isinstance(if_true, (dict, tuple, list)) and if_true == if_false:
        return if_true
    raise NotRecordable("its results have different structures, depending on a value")


def is_value(result: Any) -> bool:
    """Return whether a graph can compute a result: a tensor or a number."""
    return isinstance(result, (torch.Tensor, bool, int, float))


def as_tensor(value: torch.Tensor | float) -> torch.Tensor:
    """Return a number as a tensor of bool, int64 or float32."""
    if isinstance(value, torch.Tensor):
        return value
    dtype = torch.bool if isinstance(value, bool) else torch.int64 if isinstance(value, int) else torch.float32
    return torch.full((), value, dtype=dtype, device=devices.current())
