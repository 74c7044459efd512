"""Exploring: while a function is traced, its graph so far runs for real to answer what the function asks about values.

A function that asks `if x.sum() > 0` while it is traced over fake tensors needs a true answer: the recorded operations
run up to that point, on copies of the inputs, and the trace goes on the way that a real run would have taken.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.fx.node import map_arg

from torchspore.common.private_torch import no_modes, set_grad_enabled, storage_id
from torchspore.common.scope import Unread
from torchspore.engine.capture.random_state import RandomState
from torchspore.engine.capture.record import Recorder
from torchspore.engine.capture.user_places import user_place

__all__ = ["MOST_QUESTIONS", "TOO_MANY", "Explorer", "Question"]

# A path through a program asks at most this many questions: longer loops run eagerly.
MOST_QUESTIONS = 1000
TOO_MANY = f"more than {MOST_QUESTIONS} values were asked for in one call"


@dataclass(eq=False)
class Question:
    """A place where the function branches on a value.

    Attributes:
        node: what computes the value.
        last: the last node recorded before the question.
        kind: bool or int: what is made of the value.
        answer: the value on this path.
        place: the user's file and line.
    """

    node: torch.fx.Node
    last: torch.fx.Node
    kind: type
    answer: Any
    place: str


class Explorer:
    """Answers the questions of one trace.

    Args:
        known: the answers to the first questions.
        inputs: gives the real inputs of the graph, in order.
        recorder: what records the function.
    """

    def __init__(self, known: Sequence[Any], inputs: Callable[[], list[Any]], recorder: Recorder) -> None:
        self.questions: list[Question] = []
        self._known = known
        self._inputs = inputs
        self._recorder = recorder
        self._values: dict[torch.fx.Node, Any] = {}
        self._done: torch.fx.Node | None = None
        self._copies: dict[int, torch.UntypedStorage] = {}
        self._random: RandomState | None = None

    def answer(self, value: torch.Tensor, kind: type) -> Any:
        """Return the only element of a recorded tensor as a number of a kind."""
        constant = _constant(value)
        if constant is not None:
            return kind(constant)
        node = self._recorder.node_of(value)
        if node is None:
            raise Unread("a value inside 'vmap' or another transformation was asked for")
        number = len(self.questions)
        if number >= MOST_QUESTIONS:
            raise Unread(TOO_MANY)
        last = self._recorder.last
        answer = self._known[number] if number < len(self._known) else kind(self._run(node).item())
        self.questions.append(Question(node, last, kind, answer, user_place()))
        return answer

    def close(self) -> None:
        """Put the random generators back to where they were before the exploration."""
        if self._random is not None:
            self._random.restore()

    def _run(self, wanted: torch.fx.Node) -> torch.Tensor:
        """Run what is recorded and has not run yet; return the value of a node."""
        was_enabled = torch.is_grad_enabled()
        set_grad_enabled(False)
        try:
            with no_modes():
                if self._random is None:
                    self._random = RandomState()
                self._run_on(wanted.graph)
        finally:
            set_grad_enabled(was_enabled)
        return self._values[wanted]

    def _run_on(self, graph: torch.fx.Graph) -> None:
        inputs = iter(self._inputs() if self._done is None else ())
        node: Any = graph._root if self._done is None else self._done
        while node.next is not graph._root:
            node = node.next
            if node.op == "placeholder":
                self._values[node] = self._copy(next(inputs))
            elif node.op == "get_attr":
                self._values[node] = self._copy(self._recorder.outside[str(node.target)])
            elif node.target is not torch.ops.torchspore.print.default:  # printing waits for the real run
                args, kwargs = map_arg((node.args, node.kwargs), self._values.__getitem__)
                self._random.include(args, kwargs)  # type: ignore[union-attr]
                self._values[node] = node.target(*args, **kwargs)
        self._done = node

    def _copy(self, tensor: Any) -> Any:
        """Return a copy that shares memory with the copies of those tensors with which the original shares it."""
        if not isinstance(tensor, torch.Tensor):
            return tensor
        if tensor.layout is not torch.strided or tensor.is_quantized:
            return tensor.clone()
        storage = tensor.untyped_storage()
        key = storage_id(storage)
        if key not in self._copies:
            self._copies[key] = storage.clone()
        copy = torch.empty(0, dtype=tensor.dtype, device=tensor.device)
        return copy.set_(self._copies[key], tensor.storage_offset(), tensor.shape, tensor.stride())


def _constant(value: Any) -> Any:
    """Return the number in a fake tensor whose value does not depend on the inputs, or None."""
    constant = getattr(value, "constant", None)
    return None if constant is None else constant.item()
