"""Recording a call while it runs on real tensors: the first call at level O0 costs about as much as an eager one.

The operations run on the arguments and parameters themselves and are recorded as they pass. If the call does something
that a graph could not repeat, recording stops; the call goes on as an eager call, and its result is right.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import torch
from torch.overrides import TorchFunctionMode
from torch.utils.weak import WeakTensorKeyDictionary

from torchspore.common import mode
from torchspore.common.frames.profiling import unwatched
from torchspore.common.private_torch import FakeTensor, function_modes, no_modes, open_modes, schema_of
from torchspore.common.scopes.scope import NotRecordable, Tracing, discard, scope
from torchspore.common.tensor import Tensor
from torchspore.engine.capture.recording.concrete_run import MAX_QUESTIONS, TOO_MANY_QUESTIONS, Question
from torchspore.engine.capture.recording.dead_code import is_exchange, written_arguments
from torchspore.engine.capture.recording.escapes import TensorEscaped, check_nothing_escaped, garbage_collection_paused
from torchspore.engine.capture.recording.printing import deferred_prints, recorded_prints
from torchspore.engine.capture.recording.random_state import draws
from torchspore.engine.capture.recording.record import Recorder
from torchspore.engine.capture.recording.source_lines import user_line
from torchspore.engine.capture.recording.trace import Conclusion, Trace, concluded, exchange_conditions
from torchspore.engine.capture.recording.undo import Undo
from torchspore.engine.capture.state.effects import Snapshot, contents
from torchspore.engine.capture.state.reachable_state import Reachable, UntrackedState
from torchspore.engine.capture.state.watch import RecordingRefused, Watch

__all__ = ["Run", "rehearse", "run"]

_LITERALS = (torch.ops.aten.lift_fresh.default, torch.ops.aten.lift_fresh_copy.default)
_EXCHANGES = ("c10d", "_c10d_functional_autograd")  # those that are not nodes of graphs
# These read values without an operation that could be recorded.
_READS = {torch.Tensor.numpy, torch.Tensor.tolist, torch.Tensor.__array__, torch.Tensor.__dlpack__}


class Run(NamedTuple):
    """A call that has run.

    Attributes:
        result: its result.
        trace: the path that it took; None if a graph cannot repeat it.
        refusal: the reason.
    """

    result: Any
    trace: Trace | None
    refusal: Exception | None


def run(
    fn: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    arguments: Sequence[Tensor],
    lifted: Sequence[Tensor],
    attribute_tensors: Mapping[Tensor, tuple[Any, str, int]],
    reachable: Reachable,
    watch: Watch,
    undo: Undo | None = None,
) -> Run:
    """Run one call of `fn`, and record it.

    Args:
        fn: the function.
        args: its arguments.
        kwargs: its keyword arguments.
        arguments: the tensors among them, the first inputs of the graph.
        lifted: the tensors outside the arguments whose values are the next inputs.
        attribute_tensors: the tensors that cells have as attributes, the last inputs, with their locations.
        reachable: what the function can reach.
        watch: observes what it runs.
        undo: notes what it changes. What a graph cannot repeat is then an error, and nothing runs eagerly.

    Raises:
        Exception: whatever the function raises.
    """
    items = list(contents((args, kwargs)))
    before = Snapshot(reachable.cells)
    recorder = _Recorder(undo)
    inputs = [tensor._t for tensor in (*arguments, *lifted, *attribute_tensors)]
    for value in inputs if mode.cut is None else map(mode.cut.local, inputs):
        recorder.add_input(value)
    tracing = _Tracing(recorder, (*lifted, *attribute_tensors))
    if undo is None:
        watch.refuse = tracing.refuse
    with garbage_collection_paused():
        scope.tracing = tracing
        try:
            with torch.no_grad(), recorded_prints(), _Modes(tracing, recorder, watch) as tracing.modes, watch:
                result = fn(*args, **kwargs)
        finally:
            scope.tracing = None
        if tracing.refusal is not None:
            return Run(result, None, tracing.refusal)
        try:
            if any(tensor._t is not value for tensor, value in zip(arguments, inputs)):
                raise TensorEscaped("an argument got another memory")
            conclusion = concluded(result, (args, kwargs), items, tracing, before, attribute_tensors, reachable)
            recorder.finish(conclusion.values)
            check_nothing_escaped(_only_of_the_call(recorder, inputs, conclusion))
        except (UntrackedState, TensorEscaped) as refusal:
            return Run(result, None, refusal)
    found = recorder.graph, recorder.outside, tracing.questions, tracing.read, conclusion.outcome, conclusion.sets
    return Run(result, Trace(*found, exchange_conditions(tracing)), None)


def rehearse(
    fn: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    arguments: Sequence[Tensor],
    lifted: Sequence[Tensor],
    attribute_tensors: Mapping[Tensor, tuple[Any, str, int]],
    reachable: Reachable,
    watch: Watch,
) -> Run:
    """Record a call, with arguments as `run` has them, and undo what it has changed.

    Raises:
        NotRecordable: the function is about to do what a graph cannot repeat.
        Exception: whatever the function raises.
    """
    undo = Undo(reachable.cells, (*arguments, *lifted, *attribute_tensors), (args, kwargs))
    with deferred_prints() as prints:
        try:
            return run(fn, args, kwargs, arguments, lifted, attribute_tensors, reachable, watch, undo)
        except RecordingRefused as refused:
            raise NotRecordable(refused.reason, refused.line) from None
        finally:
            discard()
            prints.clear()
            undo.restore()


class _Recorder(Recorder):
    """Records real tensors.

    Args:
        undo: notes what operations change, if they shall be undone.

    Attributes:
        refuse: stops recording, for a reason; None once it has stopped, and operations only run.
    """

    def __init__(self, undo: Undo | None = None) -> None:
        super().__init__()
        self.undo = undo
        self.refuse: Callable[[str], None] | None = None
        self._node_of = WeakTensorKeyDictionary()
        self._constants: set[torch.fx.Node] = set()

    def node_of(self, value: torch.Tensor) -> torch.fx.Node | None:
        return self._node_of.get(value)

    def _set_node(self, value: torch.Tensor, node: torch.fx.Node) -> None:
        self._node_of[value] = node

    def _outside(self, tensor: torch.Tensor) -> torch.fx.Node:
        if mode.cut is not None and mode.cut.local(tensor) is not tensor:
            raise TensorEscaped("a tensor that is cut over processes outlives the call")
        if self.undo is not None:
            self.undo.add(tensor)
        return super()._outside(tensor)

    def varies(self, value: torch.Tensor) -> bool:
        """Return whether the graph computes a value that may differ at the next call."""
        node = self.node_of(value)
        return node is not None and node not in self._constants

    @unwatched
    def __torch_dispatch__(
        self, func: Any, types: Sequence[type], args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        if types and mode.cut is not None:
            if any(issubclass(kind, FakeTensor) for kind in types):
                return func(*args, **(kwargs or {}))  # DTensor finds out what an operation returns
            return NotImplemented  # a tensor that is cut: what its parts go through is recorded
        if self.refuse is not None:
            reason = self._obstacle(func, args, kwargs or {})
            if reason:
                self.refuse(reason)
        if self.refuse is None:
            return func(*args, **(kwargs or {}))
        if self.undo is not None:
            written = written_arguments(func, args, kwargs or {}, torch.Tensor)
            self._nodes(written)  # finds those from outside
            self.undo.note(written, (*args, *(kwargs or {}).values()))
        last = self.last
        result = super().__torch_dispatch__(func, types, args, kwargs)
        if self.last is not last:
            self._note_constants(func, last)
        return result

    def _obstacle(self, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> str:
        """Say why an operation cannot be part of a graph."""
        if torch.Tag.dynamic_output_shape in func.tags and _has_open_shape(func, args, kwargs):
            return f"the shape of what '{func.overloadpacket.__name__}' returns depends on values"
        tensors = [arg for arg in args if isinstance(arg, torch.Tensor)]
        if torch.Tag.data_dependent_output in func.tags and any(map(self.varies, tensors)):
            return "the value of a tensor was asked for"
        if func.namespace in _EXCHANGES:
            return "it exchanges data with other processes"
        if any(tensor.layout is not torch.strided for tensor in tensors):
            return "it computes with one of torch's sparse tensors"
        return ""

    def _note_constants(self, func: Any, last: torch.fx.Node) -> None:
        """Record which of the nodes after `last` have the same value at each call."""
        if schema_of(func).is_mutable:
            self._constants.clear()  # one of them may have been modified
            return
        node = last.next
        if is_exchange(node):
            return
        while node is not self.graph._root:
            sources = node.all_input_nodes
            if func in _LITERALS or (sources and self._constants.issuperset(sources) and not draws(func)):
                self._constants.add(node)
            node = node.next


def _has_open_shape(func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    """Return whether the shape of a result depends on values, for an operation where that is possible."""
    if func is torch.ops.aten.index.Tensor:
        return any(index is not None and index.dtype in (torch.bool, torch.uint8) for index in args[1])
    return func is not torch.ops.aten.repeat_interleave.Tensor or kwargs.get("output_size") is None


class _Tracing(Tracing):
    """The state of such a recording: questions are answered from the values, and it can be stopped.

    Args:
        recorder: what records it.
        watched: the tensors whose memory must not be replaced.

    Attributes:
        questions: the questions so far.
        refusal: why it was stopped.
        modes: what records, once it has begun.
    """

    def __init__(self, recorder: _Recorder, watched: Sequence[Tensor]) -> None:
        super().__init__(self._answered, recorder)
        self.questions: list[Question] = []
        self.refusal: Exception | None = None
        self.modes: _Modes | None = None
        recorder.refuse = self.refuse
        self.fakes = {tensor: (tensor._t, tensor._t._version, tensor._t) for tensor in watched}

    def is_recorded(self, value: torch.Tensor) -> bool:
        return self._recorder.varies(value)

    def real(self, tensor: Tensor) -> torch.Tensor:
        value = super().real(tensor)
        return value if self.refusal is not None else _unrecorded(value)

    def exchange(self, is_valid: Callable[[], bool]) -> None:
        if self._recorder.undo is not None:
            self.refuse("it exchanges data with other processes")
        super().exchange(is_valid)

    def refuse(self, reason: str, line: str = "") -> None:
        if self._recorder.undo is not None:
            raise NotRecordable(reason, line or user_line())
        self.refusal = NotRecordable(reason, line or user_line())
        self._recorder.refuse = scope.tracing = None  # the rest of the call runs eagerly
        if self.modes is not None:
            self.modes.leave()

    def _answered(self, value: torch.Tensor, kind: type) -> Any:
        node, last = self._recorder.node_of(value), self._recorder.last
        assert node is not None  # the caller has checked `varies`
        answer = kind(_unrecorded(value).item())
        if len(self.questions) >= MAX_QUESTIONS:
            self.refuse(TOO_MANY_QUESTIONS)
        else:
            self.questions.append(Question(node, last, kind, answer, user_line()))
        return answer


class _Modes:
    """A block in which torch's operations are recorded, until it is left early.

    Args:
        tracing: the recording.
        recorder: records operations.
        watch: observes what runs in the block.
    """

    def __init__(self, tracing: _Tracing, recorder: _Recorder, watch: Watch) -> None:
        self._reads = _Reads(tracing)
        self._recorder = recorder
        self._watch = watch
        self._height = 0  # the number of open dispatch modes, this one's included
        self._open: list[Any] = []

    def __enter__(self) -> _Modes:
        self._open = [self._reads.__enter__(), self._recorder.__enter__()]
        self._height = open_modes()
        return self

    def __exit__(self, *error: object) -> None:
        for block in reversed(self._open):
            block.__exit__(*error)
        self._open = []

    def leave(self) -> None:
        """Leave the block, so that the rest runs as plain code, unless torch or other modes run inside it."""
        self._watch.stop()
        if open_modes() == self._height and function_modes()[-1:] == [self._reads]:
            self.__exit__(None, None, None)

    def leave_recorder(self) -> None:
        """Leave the recorder's mode; the mode of reads sees a call, and stays."""
        if self._recorder in self._open and open_modes() == self._height:
            self._open.remove(self._recorder)
            self._recorder.__exit__(None, None, None)


class _Reads(TorchFunctionMode):
    """Notices when values leave torch."""

    def __init__(self, tracing: _Tracing) -> None:
        super().__init__()
        self._tracing = tracing

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if self._tracing.refusal is not None and self._tracing.modes is not None:
            self._tracing.modes.leave_recorder()
            return func(*args, **(kwargs or {}))
        if func in _READS and scope.tracing is self._tracing and self._tracing.is_recorded(args[0]):
            self._tracing.refuse("the value of a tensor was asked for")
        return func(*args, **(kwargs or {}))


def _unrecorded(value: torch.Tensor) -> torch.Tensor:
    """Return a tensor over the same memory that is not part of the graph."""
    with no_modes():
        return value.detach()


def _only_of_the_call(
    recorder: _Recorder, inputs: Sequence[torch.Tensor], conclusion: Conclusion
) -> Callable[[Tensor], bool]:
    """Return a predicate: whether a tensor has a value of the call that is neither an input nor in the result."""
    known = {*map(id, inputs), *map(id, recorder.outside.values())}

    def is_of_the_call(tensor: Tensor) -> bool:
        if id(tensor) in conclusion.known or id(tensor._t) in known:
            return False
        return recorder.node_of(tensor._t) is not None

    return is_of_the_call
