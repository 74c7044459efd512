"""The calls of the layers of a network, observed while it runs."""

from __future__ import annotations

import contextlib
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from torchspore.migrate.comparing.networks import After, Before, Network
from torchspore.migrate.comparing.values import replaced, tensors

__all__ = ["Call", "Key", "Store", "observed"]

Key = tuple[str, int]
Visit = Callable[["Call", list[torch.Tensor]], "list[torch.Tensor] | None"]


@dataclass
class Call:
    """A call of a layer.

    Attributes:
        name: the path of the layer; "" is the network, "loss" the loss.
        count: which call of this layer it is, from 0.
        kind: the name of the layer's class.
        layer: the layer; None if only a record of it exists.
        parent: the call inside which it ran.
        leaf: whether the layer has no layers inside.
        shapes, dtypes: of the tensors that it returned.
        stored: where their values are in a `Store`.
        error: what it raised.
    """

    name: str
    count: int
    kind: str
    layer: Any = None
    parent: Call | None = None
    leaf: bool = True
    training: bool = False
    shapes: list[tuple[int, ...]] = field(default_factory=list)
    dtypes: list[torch.dtype] = field(default_factory=list)
    stored: list[int] = field(default_factory=list)
    settings: dict[str, Any] | None = None
    error: Exception | None = None
    finished: bool = False

    @property
    def key(self) -> Key:
        """What names the call in every run of the same network."""
        return self.name, self.count

    @property
    def title(self) -> str:
        """The name for people."""
        name = self.name or "(network)"
        return f"{name} (call {self.count + 1})" if self.count else name


class Store:
    """Keeps tensors: in memory up to a budget of bytes, then in a temporary folder."""

    def __init__(self, budget: int = 2**30) -> None:
        self._left = budget
        self._values: list[torch.Tensor | Path] = []
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def put(self, value: torch.Tensor) -> int:
        """Keep a copy, and return its number."""
        size = value.numel() * value.element_size()
        value = value.detach().clone()
        if size <= self._left:
            self._left -= size
            self._values.append(value)
        else:
            self._folder = self._folder or tempfile.TemporaryDirectory(prefix="torchspore-compare-")
            path = Path(self._folder.name) / f"{len(self._values)}.pt"
            torch.save(value, path)
            self._values.append(path)
        return len(self._values) - 1

    def get(self, number: int) -> torch.Tensor:
        """Return a tensor; it is not to be written to."""
        value = self._values[number]
        return torch.load(value, weights_only=True) if isinstance(value, Path) else value

    def close(self) -> None:
        """Delete all."""
        self._values = []
        if self._folder is not None:
            self._folder.cleanup()


@contextlib.contextmanager
def observed(
    side: Network,
    visit: Visit | None = None,
    before: Callable[[Call, tuple[Any, ...], dict[str, Any]], None] | None = None,
) -> Iterator[list[Call]]:
    """Collect the calls that run in the block, in the order in which they end; hooks are removed at its end.

    Args:
        side: the network.
        visit: takes a call and its output's tensors when it ends; what it returns, if not None, replaces them.
        before: takes a call and its inputs when it begins.
    """
    calls: list[Call] = []
    stack: list[Call] = []
    counts: Counter[str] = Counter()
    handles: list[Any] = []

    def begin(name: str, layer: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        parent = stack[-1] if stack else None
        call = Call(name, counts[name], type(layer).__name__, layer, parent, not side.children(layer), layer.training)
        counts[name] += 1
        stack.append(call)
        if before is not None:
            before(call, args, kwargs)

    def end(name: str, output: Any) -> Any:
        while stack and stack[-1].name != name:  # calls that raised an error which the network caught
            calls.append(stack.pop())
        call = stack.pop()
        found = tensors(output)
        call.shapes, call.dtypes = [tuple(t.shape) for t in found], [t.dtype for t in found]
        call.finished = True
        calls.append(call)
        new = None if visit is None else visit(call, found)
        return None if new is None else replaced(output, new)

    try:
        for name, layer in side.layers():
            if layer is not None:
                handles += side.hooked(layer, *_hooks(name, begin, end))
        yield calls
    except Exception as error:
        if stack:
            stack[-1].error = error
        raise
    finally:
        for handle in handles:
            handle.remove()
        calls += reversed(stack)


def _hooks(name: str, begin: Callable[..., None], end: Callable[..., Any]) -> tuple[Before, After]:
    """Return the hooks of the layer of a name."""
    return (
        lambda layer, args, kwargs: begin(name, layer, args, kwargs),
        lambda layer, args, output: end(name, output),
    )
