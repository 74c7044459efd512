"""How much memory a graph from a file needs, before it runs: a file of a few bytes may ask for any number of them."""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch

from torchspore.common.frames.user_lines import warn_user
from torchspore.common.memory import total as installed
from torchspore.common.private_torch import (
    FAKE_TENSOR_LOG,
    DispatchMode,
    FakeTensorMode,
    is_functorch_wrapped_tensor,
    no_modes,
)

__all__ = ["check_memory"]

_WARNED_BYTES = 1 << 30
_WARNED_RATIO = 64  # to the tensors that the graph is given


def check_memory(function: Callable[..., Any], values: Sequence[Any], api: str) -> None:
    """Check the size of what a graph computes for values of these shapes, which fake tensors tell.

    Args:
        function: the graph.
        values: the tensors and other values that it is given.
        api: the name in messages.

    Raises:
        ValueError: a result does not fit into the machine's memory. Beyond 1 GiB and 64 times what it is given, there
            is a warning.
    """
    given = [value for value in values if isinstance(value, torch.Tensor)]
    if any(type(value) is not torch.Tensor or is_functorch_wrapped_tensor(value) for value in given):
        return  # a fake tensor, or a transformation: the real run comes, or has been checked
    sizes = _Sizes()
    with _quiet(), no_modes(), torch.no_grad(), FakeTensorMode(allow_non_fake_inputs=True) as mode, sizes:
        fakes = [mode.from_tensor(value.detach()) if isinstance(value, torch.Tensor) else value for value in values]
        with contextlib.suppress(Exception):  # a shape depends on values, or the run itself fails, and says why
            function(*fakes)
    if sizes.largest > installed():
        raise ValueError(
            f"For '{api}', the graph computes a tensor of shape {sizes.shape} in '{sizes.name}', which needs "
            f"{_shown(sizes.largest)}, and the machine has {_shown(installed())}. Give it smaller inputs."
        )
    total = sum(value.numel() * value.element_size() for value in given)
    if sizes.largest > max(_WARNED_BYTES, _WARNED_RATIO * total):
        warn_user(
            f"For '{api}', the graph computes a tensor of shape {sizes.shape} in '{sizes.name}', which needs "
            f"{_shown(sizes.largest)}; it is given {_shown(total)}."
        )


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Suppress torch's log of each operation that fails with fake tensors: the real run raises the error."""
    log, thread = logging.getLogger(f"{FAKE_TENSOR_LOG}.fake_tensor"), threading.get_ident()

    def is_of_another(record: logging.LogRecord) -> bool:
        return record.thread != thread

    log.addFilter(is_of_another)
    try:
        yield
    finally:
        log.removeFilter(is_of_another)


class _Sizes(DispatchMode):
    """Finds the largest result.

    Attributes:
        largest: the bytes of its memory.
        shape: its shape.
        name: the operation.
    """

    largest = 0
    shape: tuple[int, ...] = ()
    name = ""

    def __torch_dispatch__(
        self, func: Any, types: Sequence[type], args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        for part in result if isinstance(result, (tuple, list)) else (result,):
            if isinstance(part, torch.Tensor) and part.layout is torch.strided:
                size = part.untyped_storage().nbytes()
                if size > self.largest:
                    self.largest, self.shape, self.name = size, tuple(part.shape), func.overloadpacket.__name__
        return result


def _shown(size: int) -> str:
    return f"{size / 2**30:.1f} GiB" if size >= 2**28 else f"{size / 2**20:.1f} MiB"
