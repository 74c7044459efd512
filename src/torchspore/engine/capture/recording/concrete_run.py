"""Concrete runs during a trace: they answer what the function asks about values.

Fake tensors have no values, but `if x.sum() > 0` needs one. So the operations recorded so far run on copies of the real
inputs, and the trace continues along the branch that a real run would take.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.fx.node import map_arg

from torchspore.common.private_torch import no_modes, set_grad_enabled, storage_id
from torchspore.common.scopes.scope import NotRecordable
from torchspore.engine.capture.recording.random_state import RandomState
from torchspore.engine.capture.recording.record import Recorder
from torchspore.engine.capture.recording.source_lines import user_line

__all__ = ["MAX_QUESTIONS", "TOO_MANY_QUESTIONS", "ConcreteRun", "Question"]

# The number of questions on one path; longer loops run eagerly.
MAX_QUESTIONS = 1000
TOO_MANY_QUESTIONS = f"more than {MAX_QUESTIONS} values were asked for in one call"


@dataclass(eq=False)
class Question:
    """A point where the function branches on a value.

    Attributes:
        node: the node that computes the value.
        last: the last node recorded before the question.
        kind: bool or int: the type that the value is converted to.
        answer: the value on this path.
        line: the user's file and line.
    """

    node: torch.fx.Node
    last: torch.fx.Node
    kind: type
    answer: Any
    line: str


class ConcreteRun:
    """Answers the questions of one trace.

    Args:
        known: the answers to the first questions.
        inputs: returns the real inputs of the graph, in order.
        recorder: records the function.
    """

    def __init__(self, known: Sequence[Any], inputs: Callable[[], list[Any]], recorder: Recorder) -> None:
        self.questions: list[Question] = []
        self._known_answers = known
        self._inputs = inputs
        self._recorder = recorder
        self._values: dict[torch.fx.Node, Any] = {}
        self._last_run: torch.fx.Node | None = None
        self._copies: dict[int, torch.UntypedStorage] = {}
        self._random: RandomState | None = None

    def answer(self, value: torch.Tensor, kind: type) -> Any:
        """Return the only element of a recorded tensor as a number of a kind."""
        constant = _constant(value)
        if constant is not None:
            return kind(constant)
        node = self._recorder.node_of(value)
        if node is None:
            raise NotRecordable("a value inside 'vmap' or another transformation was asked for")
        number = len(self.questions)
        if number >= MAX_QUESTIONS:
            raise NotRecordable(TOO_MANY_QUESTIONS)
        last = self._recorder.last
        answer = self._known_answers[number] if number < len(self._known_answers) else kind(self._run(node).item())
        self.questions.append(Question(node, last, kind, answer, user_line()))
        return answer

    def close(self) -> None:
        """Restore the random generators."""
        if self._random is not None:
            self._random.restore()

    def _run(self, wanted: torch.fx.Node) -> torch.Tensor:
        """Run the recorded operations that have not run yet; return the value of a node."""
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
        inputs = iter(self._inputs() if self._last_run is None else ())
        node: Any = graph._root if self._last_run is None else self._last_run
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
        self._last_run = node

    def _copy(self, tensor: Any) -> Any:
        """Return a copy; tensors that share memory have copies that share memory."""
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
