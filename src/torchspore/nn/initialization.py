"""Networks whose parameters are loaded from checkpoints."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["no_init_parameters"]


@contextmanager
def no_init_parameters() -> Iterator[None]:
    """Create networks, in a `with` block or a decorated function, whose parameters are loaded from a checkpoint later.

    In MindSpore the parameters have no values until they are loaded or `init_parameters_data` is called. Here they have
    their initial values at once, so the block changes nothing.

    Examples:
        >>> import torchspore as ms
        >>> with ms.nn.no_init_parameters():
        ...     net = ms.nn.Dense(2, 3)
        >>> net.weight.set_data(ms.ops.ones((3, 2))).shape
        (3, 2)
    """
    yield
