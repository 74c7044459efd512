"""The state of a differentiation scope: its depth, and the writes that are applied at its end.

Inside a scope a parameter's value may be saved for the backward pass, so a write does not touch the storage: the
tensor gets the new value for the rest of the scope, and the write is logged. The outermost scope writes the storage
once, after the gradients are computed (`commit`), or drops the log if the scope fails (`discard`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

import torch

from torchspore.common import mode
from torchspore.common.indexing import copy_to_shared
from torchspore.common.private_torch import (
    FakeTensor,
    functorch_level,
    functorch_level_of,
    get_unwrapped,
    is_functorch_wrapped_tensor,
)
from torchspore.common.scopes import thread_values
from torchspore.common.scopes.aliases import holds_alone, is_made_outside, renew, shared


class Holder(Protocol):
    """The part of a tensor that scopes use."""

    _t: torch.Tensor
    init: Any

    def init_data(self) -> Any:
        """Fill the tensor with its initializer."""


class NotRecordable(Exception):
    """The program does something that a graph cannot record, such as reading a value that a trace does not have.

    Args:
        reason: what the program does.
        line: the user's file and line, where it is not the exception's. Default: "".
    """

    def __init__(self, reason: str, line: str = "") -> None:
        super().__init__(reason)
        self.line = line


class Tracing:
    """The state of a recording, during which parameters and other known tensors may hold fake tensors.

    Reading the value of a parameter that the recorded function has not changed returns the real value. `read` keeps it
    with its version, as the graph is valid for that value only. A bool or an int that the graph computes is a question:
    `answer` returns the value, and the graph branches there. `exchanges` keeps the conditions of exchanges with other
    processes.

    Args:
        answer: returns the value of a recorded tensor as a bool or an int.
        recorder: the `Recorder` of a captured function's graph. Default: None.
    """

    keeps_summaries = True  # whether the graph records summaries at each run
    is_for_file = False  # whether the graph is exported, and so has torch's operations alone
    explanation: Callable[[], Exception] | None = None  # returns the error of operations that are recorded now

    def __init__(self, answer: Callable[[torch.Tensor, type], Any], recorder: Any = None) -> None:
        self.fakes: dict[Holder, tuple[torch.Tensor, int, torch.Tensor]] = {}
        self.read: dict[Any, tuple[torch.Tensor, int]] = {}
        self.exchanges: list[Callable[[], bool]] = []
        self._answer = answer
        self._recorder = recorder

    def replace(self, tensor: Holder, fake: torch.Tensor) -> None:
        """Replace the value of a tensor by a fake tensor."""
        self.fakes[tensor] = fake, fake._version, tensor._t
        tensor._t = fake
        if hasattr(tensor, "_storage"):
            tensor._storage = fake

    def restore(self) -> None:
        """Restore the values of all tensors."""
        for tensor, (_, _, real) in self.fakes.items():
            tensor._t = real
            if hasattr(tensor, "_storage"):
                tensor._storage = real

    def differentiate(self) -> None:
        """Note that the function computes gradients."""

    def replaced(self) -> bool:
        """Return whether the function replaced the memory of a tensor."""
        return any(getattr(t, "_storage", t._t) is not fake for t, (fake, _, _) in self.fakes.items())

    def real(self, tensor: Any) -> torch.Tensor:
        """Return the value of `tensor`."""
        fake, version, real = self.fakes.get(tensor, (None, 0, None))
        if real is None:
            if self.is_recorded(tensor._t):
                self.refuse("the value of a tensor was asked for")
            return tensor._t
        if tensor._t is not fake or fake._version != version:
            self.refuse("the new value of a parameter was asked for")
            return tensor._t
        self.read[tensor] = real, real._version
        return real

    def is_recorded(self, value: torch.Tensor) -> bool:
        """Return whether the graph computes a value."""
        return isinstance(value, FakeTensor)

    def is_given(self, value: torch.Tensor) -> bool:
        """Return whether a tensor has the memory of an input of the graph, or of a tensor from outside."""
        return bool(self._recorder.is_given(value))

    def writes_inputs(self) -> bool:
        """Return whether the function has written into an input of the graph."""
        return bool(self._recorder.writes_inputs())

    def refuse(self, reason: str) -> None:
        """Stop the recording.

        Raises:
            NotRecordable: the function cannot continue, as its values are fake.
        """
        raise NotRecordable(reason)

    def exchange(self, is_valid: Callable[[], bool]) -> None:
        """Note that the call exchanges data with other processes: it must not run again in one of them alone.

        Args:
            is_valid: returns whether the processes and their groups are still those.
        """
        self.exchanges.append(is_valid)

    def number(self, tensor: Holder, kind: type) -> Any:
        """Return the only element of `tensor` as a bool, int, float or complex, as `kind` says."""
        if kind in (bool, int) and self.is_recorded(tensor._t):
            if not self.exchanges:
                return self._answer(tensor._t, kind)
            self.refuse("it asks for a value after it has exchanged data with other processes")
            return kind(tensor._t.item())
        return kind(self.real(tensor).item())


class _Scope(threading.local):
    def __init__(self) -> None:
        self.depth = 0
        self.tracing: Tracing | None = None
        self.captured = 0  # the captured functions that are running as Python, to be recorded or eagerly
        self.mixes_floats = False  # whether operations take floats of several types that they refuse elsewhere
        self.integers: Any = None  # tracks integers through the scope, once one has a gradient
        self.writes: dict[Any, torch.Tensor] = {}  # tensor -> the storage that gets its final value
        self.before: dict[Any, torch.Tensor] = {}  # tensor -> the value that it had before the first of these writes
        self.stashed: dict[int, Holder] = {}  # by id, results that outlive the scope, to be cut from its graph
        self.begin: Any = None  # an object created when an outermost scope began; None if there is no scope


scope = _Scope()


def _whole(tensor: Holder) -> torch.Tensor:
    """Return all elements of a tensor that is cut over processes."""
    if scope.tracing is not None:
        scope.tracing.refuse("the value of a tensor that is cut over processes was asked for")
    whole: torch.Tensor = mode.reader.whole(tensor._t)
    return whole


def concrete(tensor: Holder) -> torch.Tensor:
    """Return the torch tensor with the real value of `tensor`.

    Raises:
        NotRecordable: a graph is being recorded that computes the value.
    """
    if mode.reader is not None and mode.reader.holds(tensor._t):
        return _whole(tensor)
    return tensor._t if scope.tracing is None else scope.tracing.real(tensor)


def number(tensor: Holder, kind: type) -> Any:
    """Return the only element of `tensor` as a Python number of a kind: bool, int, float or complex.

    Raises:
        NotRecordable: a graph is being recorded, and the number is a float or complex that it computes.
    """
    if mode.reader is not None and mode.reader.holds(tensor._t):
        return kind(_whole(tensor).item())
    return kind(tensor._t.item()) if scope.tracing is None else scope.tracing.number(tensor, kind)


def stored_value(tensor: Holder) -> torch.Tensor:
    """Return the torch tensor that holds `tensor`'s value between scopes."""
    storage = getattr(tensor, "_storage", None)  # parameters have one; an input is an alias of the caller's tensor
    if storage is not None:
        return storage
    return tensor._t.detach() if tensor._t.requires_grad else tensor._t


def _note(tensor: Holder) -> None:
    """Log that a tensor gets a value that is committed at the scope's end."""
    if tensor not in scope.writes:
        scope.writes[tensor] = stored_value(tensor)
        scope.before[tensor] = tensor._t
        if hasattr(tensor, "_storage"):
            thread_values.protect((tensor,))


def writable(tensor: Holder) -> torch.Tensor:
    """Return the torch tensor into which an in-place operation on `tensor` may write now.

    Inside a scope this is new memory, which all tensors over the old memory get too, unless the old one is unshared.
    """
    if tensor.init is not None:  # else the initializer would overwrite it
        tensor.init_data()
    if scope.depth == 0:
        return tensor._t
    is_alone = scope.tracing is None and not hasattr(tensor, "_storage") and holds_alone(tensor)
    if not is_alone or (is_made_outside(tensor._t) and tensor not in scope.writes):
        return _renewed(tensor)
    scope.stashed[id(tensor)] = tensor  # what is written may carry a graph
    return tensor._t


def _renewed(tensor: Holder) -> torch.Tensor:
    """Give `tensor`, and all tensors over its memory, new memory; return the torch tensor to write into.

    As in MindSpore, a parameter stays a leaf: written values have no gradient, and its own gradient is the sum over all
    its values.
    """
    is_older = is_made_outside(tensor._t)
    is_younger = hasattr(tensor, "_storage") or not (is_older or is_functorch_wrapped_tensor(tensor._t))
    since = scope.begin if is_younger else None
    others = shared(tensor, since, scope.writes)
    parameters = [other for other in others if hasattr(other, "_storage")]
    # What has been written has memory from inside.
    is_outside = any(is_made_outside(other._t) and other not in scope.writes for other in others)
    for other in others if is_outside else parameters:
        _note(other)
    stash(others)
    if not parameters and torch.is_grad_enabled():
        return renew(tensor, others)
    with torch.enable_grad():
        return renew(tensor, others).detach()


def stash(tensors: Iterable[Holder]) -> None:
    """Note tensors that outlive the open scope: its end cuts them from its graph."""
    scope.stashed.update({id(tensor): tensor for tensor in tensors})


def replace_value(tensor: Holder, value: torch.Tensor) -> None:
    """Give `tensor` a new value: immediately, or for the rest of the open scope.

    Inside a scope a parameter stays a leaf; other tensors get the value with its graph.
    """
    if scope.depth == 0:
        if mode.reader is not None and mode.reader.holds(tensor._t):
            mode.reader.write(tensor._t, value)
        else:
            tensor._t.copy_(value.detach() if value.requires_grad else value)
        return
    _note(tensor)
    if not hasattr(tensor, "_storage"):
        tensor._t = value
    elif tensor._t.requires_grad and value.shape == tensor._t.shape:
        _renewed(tensor).copy_(value.detach())
    else:
        tensor._t = value.detach()


@contextmanager
def transformation() -> Iterator[None]:
    """Open a scope for one of torch's own transformations; at the end of the outermost one, commit the writes."""
    depth = scope.depth
    is_beside_others = depth == 0 and thread_values.begin()
    try:
        scope.depth = depth + 1
        yield
        scope.depth = depth
        if depth == 0:
            commit()
    except BaseException:
        if depth == 0:
            discard()
        raise
    finally:
        scope.depth = depth
        if is_beside_others:
            thread_values.end()


def leave_transformation() -> None:
    """Unwrap written values from the innermost transformation of `torch.func`, which is about to end."""
    for tensor in (*scope.writes, *scope.stashed.values()):
        if is_functorch_wrapped_tensor(tensor._t) and functorch_level_of(tensor._t) == functorch_level():
            tensor._t = get_unwrapped(tensor._t)


@contextmanager
def written_again(before: dict[Holder, torch.Tensor]) -> Iterator[None]:
    """Run a block again: with the values that tensors had before it ran first, and without lasting writes.

    Args:
        before: those values of the tensors that the block may have written.
    """
    writes = dict(scope.writes)
    now = {tensor: tensor._t for tensor in (*before, *writes)}
    for tensor, value in before.items():
        tensor._t = value
    try:
        yield
    finally:  # of a block that is run for its gradient, torch may end the second run with an exception
        for tensor, value in now.items():
            tensor._t = value
        scope.writes = writes


def commit() -> None:
    """Write the logged values into their storages, and detach stashed results.

    After a failure the log is kept, for `discard`.
    """
    settled = [_written(tensor, storage) for tensor, storage in scope.writes.items()]
    _settle(zip(scope.writes, settled))


def _written(tensor: Holder, storage: torch.Tensor) -> torch.Tensor:
    value = tensor._t.detach()
    if value.shape != storage.shape:
        return value.clone()
    if 0 in storage.stride():
        copy_to_shared(storage, value)
        return storage
    return storage.copy_(value)


def discard() -> None:
    """Drop the logged writes: every tensor gets its value from before the scope."""
    _settle(scope.writes.items())


def _settle(values: Iterable[tuple[Holder, torch.Tensor]]) -> None:
    """Set the values that tensors have between scopes, and empty the log."""
    stashed = scope.stashed.values()
    values = list(values)
    scope.writes, scope.before, scope.stashed = {}, {}, {}
    for tensor, value in values:
        tensor._t = value
        if hasattr(tensor, "_storage"):
            tensor._storage = value
    for tensor in stashed:
        value = tensor._t
        if not is_functorch_wrapped_tensor(value) and value.requires_grad:  # else its transformation is over
            tensor._t = value.detach()
