"""What a differentiation scope remembers: its depth, and the writes that wait for its end.

Inside a scope a parameter's value may be saved for the backward pass, so a write does not touch the storage: the
tensor is rebound to the new value for the rest of the scope and logged. The outermost scope writes the storage once,
after the gradients are taken (`commit`), or drops the log when the scope fails (`discard`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

import torch

from torchspore.common import thread_values
from torchspore.common.aliases import holds_alone, is_made_outside, renew, shared
from torchspore.common.private_torch import (
    FakeTensor,
    functorch_level,
    functorch_level_of,
    get_unwrapped,
    is_functorch_wrapped_tensor,
)


class Holder(Protocol):
    """What a scope asks of a tensor."""

    _t: torch.Tensor
    init: Any

    def init_data(self) -> Any:
        """Fill the tensor by its initializer."""


class NotRecordable(Exception):
    """A graph is being recorded, and the program asks for a value that only a real run has.

    Args:
        reason: what it does.
        line: the user's file and line, where it is not that of the exception. Default: "".
    """

    def __init__(self, reason: str, line: str = "") -> None:
        super().__init__(reason)
        self.line = line


class Tracing:
    """The recording of a graph, in which parameters and other known tensors hold stand-ins for their values.

    Reading a stand-in that the recorded function has not changed gives the real value, which is noted in `read` with
    its version: the graph holds for that value only. A truth value or an integer that depends on what the graph
    computes is a question: `answer` finds the value, and the graph branches there.

    Args:
        answer: gives the number of a kind, bool or int, for a recorded tensor.
    """

    def __init__(self, answer: Callable[[torch.Tensor, type], Any]) -> None:
        self.fakes: dict[Holder, tuple[torch.Tensor, int, torch.Tensor]] = {}
        self.read: dict[Any, tuple[torch.Tensor, int]] = {}
        self._answer = answer

    def replace(self, tensor: Holder, fake: torch.Tensor) -> None:
        """Put a stand-in in the place of a tensor's value."""
        self.fakes[tensor] = fake, fake._version, tensor._t
        tensor._t = fake
        if hasattr(tensor, "_storage"):
            tensor._storage = fake

    def restore(self) -> None:
        """Give all tensors their values back."""
        for tensor, (_, _, real) in self.fakes.items():
            tensor._t = real
            if hasattr(tensor, "_storage"):
                tensor._storage = real

    def replaced(self) -> bool:
        """Return whether the function gave a tensor another memory than its stand-in."""
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

    def refuse(self, reason: str) -> None:
        """Give the recording up.

        Raises:
            NotRecordable: the function cannot go on, as its values are stand-ins.
        """
        raise NotRecordable(reason)

    def number(self, tensor: Holder, kind: type) -> Any:
        """Return the only element of `tensor` as a Python number of a kind: bool, int, float or complex."""
        if kind in (bool, int) and self.is_recorded(tensor._t):
            return self._answer(tensor._t, kind)
        return kind(self.real(tensor).item())


class _Scope(threading.local):
    def __init__(self) -> None:
        self.depth = 0
        self.tracing: Tracing | None = None
        self.integers: Any = None  # what follows integers through the scope, once one has a gradient
        self.writes: dict[Any, torch.Tensor] = {}  # tensor -> the storage that gets its final value
        self.stashed: list[Holder] = []  # results that outlive the scope, to be cut from its graph
        self.begin: Any = None  # a list that was made when an outermost scope began; None: there was none


scope = _Scope()


def concrete(tensor: Holder) -> torch.Tensor:
    """Return the torch tensor from which `tensor`'s value can be read by Python.

    Raises:
        NotRecordable: a graph is being recorded that computes the value.
    """
    return tensor._t if scope.tracing is None else scope.tracing.real(tensor)


def number(tensor: Holder, kind: type) -> Any:
    """Return the only element of `tensor` as a Python number of a kind: bool, int, float or complex.

    Raises:
        NotRecordable: a graph is being recorded that computes a number which it cannot branch on.
    """
    return kind(tensor._t.item()) if scope.tracing is None else scope.tracing.number(tensor, kind)


def stored_value(tensor: Holder) -> torch.Tensor:
    """Return the torch tensor that holds `tensor`'s value between scopes."""
    storage = getattr(tensor, "_storage", None)  # parameters have one; an input is an alias of the caller's tensor
    if storage is not None:
        return storage
    return tensor._t.detach() if tensor._t.requires_grad else tensor._t


def _note(tensor: Holder) -> None:
    """Log that a tensor gets a value that waits for the scope's end."""
    if tensor not in scope.writes:
        scope.writes[tensor] = stored_value(tensor)
        if hasattr(tensor, "_storage"):
            thread_values.protect((tensor,))


def writable(tensor: Holder) -> torch.Tensor:
    """Return the torch tensor into which an in-place operation on `tensor` may write now.

    Inside a scope it is new memory, which all tensors over the old one get too, unless nobody else has the old one.
    """
    if tensor.init is not None:  # else the initializer would wipe out what is written
        tensor.init_data()
    if scope.depth == 0:
        return tensor._t
    is_alone = scope.tracing is None and not hasattr(tensor, "_storage") and holds_alone(tensor)
    if not is_alone or (is_made_outside(tensor._t) and tensor not in scope.writes):
        return _renewed(tensor)
    scope.stashed.append(tensor)  # what is written may carry a graph
    return tensor._t


def _renewed(tensor: Holder) -> torch.Tensor:
    """Give `tensor`, and all tensors over its memory, new memory; return what is to be written.

    As in MindSpore, a parameter stays the leaf that it is: what is written into it has no gradient, and its own
    gradient is that of all its values.
    """
    is_older = is_made_outside(tensor._t)
    since = scope.begin if hasattr(tensor, "_storage") or not is_older else None
    others = shared(tensor, since, scope.writes)
    parameters = [other for other in others if hasattr(other, "_storage")]
    for other in others if any(is_made_outside(other._t) for other in others) else parameters:
        _note(other)
    scope.stashed.extend(others)
    if not parameters and torch.is_grad_enabled():
        return renew(tensor, others)
    with torch.enable_grad():
        return renew(tensor, others).detach()


def replace_value(tensor: Holder, value: torch.Tensor) -> None:
    """Give `tensor` a new value: at once, or for the rest of the open scope.

    Inside a scope a parameter stays a leaf, and another tensor takes over the value with its graph.
    """
    if scope.depth == 0:
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
    """Open a scope for one of torch's own transformations; at the end of the outermost one, settle what was written."""
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
    """Take what was written out of the innermost open transformation of `torch.func`, which is about to end."""
    for tensor in scope.writes:
        if is_functorch_wrapped_tensor(tensor._t) and functorch_level_of(tensor._t) == functorch_level():
            tensor._t = get_unwrapped(tensor._t)


def commit() -> None:
    """Write the logged values into their storages and cut stashed results from the graph.

    After a failure the log is still there, for `discard`.
    """
    settled = [_written(tensor, storage) for tensor, storage in scope.writes.items()]
    _settle(zip(scope.writes, settled))


def _written(tensor: Holder, storage: torch.Tensor) -> torch.Tensor:
    value = tensor._t.detach()
    return storage.copy_(value) if value.shape == storage.shape else value.clone()


def discard() -> None:
    """Forget the logged writes: every tensor has the value that it had before the scope."""
    _settle(scope.writes.items())


def _settle(values: Iterable[tuple[Holder, torch.Tensor]]) -> None:
    """Give tensors the values that they have between scopes, and empty the log."""
    stashed = scope.stashed
    values = list(values)
    scope.writes, scope.stashed = {}, []
    for tensor, value in values:
        tensor._t = value
        if hasattr(tensor, "_storage"):
            tensor._storage = value
    for tensor in stashed:
        value = tensor._t
        if not is_functorch_wrapped_tensor(value) and value.requires_grad:  # else its transformation is over
            tensor._t = value.detach()
