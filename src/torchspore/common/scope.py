"""What a differentiation scope remembers: its depth, and the writes that wait for its end.

Inside a scope a parameter's value may be saved for the backward pass, so a write does not touch the storage: the
tensor is rebound to the new value for the rest of the scope and logged. The outermost scope writes the storage once,
after the gradients are taken (`commit`), or drops the log when the scope fails (`discard`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch
from torch._subclasses.fake_tensor import FakeTensor

if TYPE_CHECKING:
    from torchspore.common.tensor import Tensor


class Unread(Exception):
    """A graph is being recorded, and the program asks for a value that only a real run has.

    Args:
        reason: what it does.
        place: the user's file and line, where it is not that of the exception. Default: "".
    """

    def __init__(self, reason: str, place: str = "") -> None:
        super().__init__(reason)
        self.place = place


class Tracing:
    """The recording of a graph, in which parameters and other known tensors hold stand-ins for their values.

    Reading a stand-in that the recorded function has not changed gives the real value, which is noted in `read` with
    its version: the graph holds for that value only. A truth value or an integer that depends on what the graph
    computes is a question: `answer` finds the value, and the graph branches there.

    Args:
        answer: gives the number of a kind, bool or int, for a recorded tensor.
    """

    def __init__(self, answer: Callable[[torch.Tensor, type], Any]) -> None:
        self.stand_ins: dict[Tensor, tuple[torch.Tensor, int, torch.Tensor]] = {}
        self.read: dict[Tensor, tuple[torch.Tensor, int]] = {}
        self._answer = answer

    def replace(self, tensor: Tensor, stand_in: torch.Tensor) -> None:
        """Put a stand-in in the place of a tensor's value."""
        self.stand_ins[tensor] = stand_in, stand_in._version, tensor._t
        tensor._t = stand_in
        if hasattr(tensor, "_storage"):
            tensor._storage = stand_in

    def restore(self) -> None:
        """Give all tensors their values back."""
        for tensor, (_, _, real) in self.stand_ins.items():
            tensor._t = real
            if hasattr(tensor, "_storage"):
                tensor._storage = real

    def replaced(self) -> bool:
        """Tell whether the function gave a tensor another memory than its stand-in."""
        return any(getattr(t, "_storage", t._t) is not stand_in for t, (stand_in, _, _) in self.stand_ins.items())

    def real(self, tensor: Tensor) -> torch.Tensor:
        """Return the value of `tensor`."""
        stand_in, version, real = self.stand_ins.get(tensor, (None, 0, None))
        if real is None:
            if self.is_recorded(tensor._t):
                self.refuse("the value of a tensor was asked for")
            return tensor._t
        if tensor._t is not stand_in or stand_in._version != version:
            self.refuse("the new value of a parameter was asked for")
            return tensor._t
        self.read[tensor] = real, real._version
        return real

    def is_recorded(self, value: torch.Tensor) -> bool:
        """Tell whether the graph computes a value."""
        return isinstance(value, FakeTensor)

    def refuse(self, reason: str) -> None:
        """Give the recording up.

        Raises:
            Unread: the function cannot go on, as its values are stand-ins.
        """
        raise Unread(reason)

    def number(self, tensor: Tensor, kind: type) -> Any:
        """Return the only element of `tensor` as a Python number of a kind: bool, int, float or complex."""
        if kind in (bool, int) and self.is_recorded(tensor._t):
            return self._answer(tensor._t, kind)
        return kind(self.real(tensor).item())


class _Scope(threading.local):
    def __init__(self) -> None:
        self.depth = 0
        self.tracing: Tracing | None = None
        self.integers: Any = None  # what follows integers through the scope, once one has a gradient
        self.writes: dict[Tensor, torch.Tensor] = {}  # tensor -> the storage that gets its final value
        self.stashed: list[Tensor] = []  # results that outlive the scope, to be cut from its graph


scope = _Scope()


def concrete(tensor: Tensor) -> torch.Tensor:
    """Return the torch tensor from which `tensor`'s value can be read by Python.

    Raises:
        Unread: a graph is being recorded that computes the value.
    """
    return tensor._t if scope.tracing is None else scope.tracing.real(tensor)


def number(tensor: Tensor, kind: type) -> Any:
    """Return the only element of `tensor` as a Python number of a kind: bool, int, float or complex.

    Raises:
        Unread: a graph is being recorded that computes a number which it cannot branch on.
    """
    return kind(tensor._t.item()) if scope.tracing is None else scope.tracing.number(tensor, kind)


def home(tensor: Tensor) -> torch.Tensor:
    """Return the torch tensor that holds `tensor`'s value between scopes."""
    storage = getattr(tensor, "_storage", None)  # parameters have one; an input is an alias of the caller's tensor
    return tensor._t.detach() if storage is None else storage


def writable(tensor: Tensor) -> torch.Tensor:
    """Return the torch tensor into which an in-place operation on `tensor` may write now."""
    if tensor.init is not None:  # else the initializer would wipe out what is written
        tensor.init_data()
    value = tensor._t
    if scope.depth == 0:
        return value
    if hasattr(tensor, "_storage"):
        scope.writes.setdefault(tensor, tensor._storage)
        tensor._t = value = value.clone()
    elif value.requires_grad and value.is_leaf:
        scope.writes.setdefault(tensor, value.detach())
        tensor._t = value = value.clone()
    else:
        scope.stashed.append(tensor)  # what is written may carry a graph
    return value


def rebind(tensor: Tensor, value: torch.Tensor) -> None:
    """Give `tensor` a new value of the same shape and dtype: at once, or for the rest of the open scope."""
    if scope.depth == 0:
        tensor._t.copy_(value.detach() if value.requires_grad else value)
        return
    scope.writes.setdefault(tensor, home(tensor))
    tensor._t = value


def commit() -> None:
    """Write the logged values into their storages and cut stashed results from the graph; a failure drops the log."""
    try:
        settled = [_written(tensor, storage) for tensor, storage in scope.writes.items()]
    except BaseException:
        discard()
        raise
    for tensor, storage in zip(scope.writes, settled):
        _settle(tensor, storage)
    scope.writes.clear()
    _cut_stashed()


def _written(tensor: Tensor, storage: torch.Tensor) -> torch.Tensor:
    value = tensor._t.detach()
    return storage.copy_(value) if value.shape == storage.shape else value.clone()


def discard() -> None:
    """Forget the logged writes: every tensor has the value that it had before the scope."""
    for tensor, storage in scope.writes.items():
        _settle(tensor, storage)
    scope.writes.clear()
    _cut_stashed()


def _cut_stashed() -> None:
    for tensor in scope.stashed:
        if tensor._t.requires_grad:
            tensor._t = tensor._t.detach()
    scope.stashed.clear()


def _settle(tensor: Tensor, storage: torch.Tensor) -> None:
    tensor._t = storage
    if hasattr(tensor, "_storage"):
        tensor._storage = storage
