"""Values that a program records about itself, under names.

The functions in `RECORDERS` record them; without any, the primitives have no effect. A captured graph records at each
run like `print`: in the graph it is the output of an empty text.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from torchspore.common.np_dtype import standard_array
from torchspore.common.scopes.scope import scope
from torchspore.common.tensor import Tensor
from torchspore.engine.capture.recording.printing import emit
from torchspore.engine.failures.errors import describe
from torchspore.engine.primitive import Primitive

__all__ = ["HistogramSummary", "ImageSummary", "ScalarSummary", "TensorSummary"]

RECORDERS: list[Callable[[str, str, Any], None]] = []
"""Functions that get the kind of a value ("scalar", "tensor", "image" or "histogram"), its name, and a NumPy array."""


class _Summary(Primitive):
    _kind: str
    _dimensions: tuple[int, int]  # the minimum and maximum number

    def __call__(self, name: str, value: Tensor) -> None:
        """Record `value` under `name`, if anything records."""
        if not isinstance(name, str) or not isinstance(value, Tensor):
            raise TypeError(
                f"For '{self.name}', 'name' must be a string and 'value' a Tensor, but got {describe(name)} and "
                f"{describe(value)}."
            )
        minimum, maximum = self._dimensions
        if not name or not minimum <= value.ndim <= maximum:
            limits = f"{minimum} dimensions" if minimum == maximum else f"{minimum} to {maximum} dimensions"
            raise ValueError(
                f"For '{self.name}', 'name' must not be empty and 'value' must have {limits}, but got {name!r} and "
                f"{describe(value)}."
            )
        if RECORDERS if scope.tracing is None else scope.tracing.keeps_summaries:
            emit((value,), _recorder(self._kind, name), {"end": ""})


@cache  # a graph compares this function by identity
def _recorder(kind: str, name: str) -> Callable[[Tensor], str]:
    def record(value: Tensor) -> str:
        array = standard_array(value).copy() if RECORDERS else None
        for recorder in RECORDERS:
            recorder(kind, name, array)
        return ""

    return record


class ScalarSummary(_Summary):
    """Record a number under a name: `ScalarSummary()(name, value)`.

    The call takes a string that is not empty, and a Tensor of one number; ValueError otherwise.
    Examples:
        >>> import torchspore as ms
        >>> ms.ops.ScalarSummary()("loss", ms.Tensor(0.5))
    """

    _kind = "scalar"
    _dimensions = (0, 1)


class TensorSummary(_Summary):
    """Record a tensor of any shape under a name: `TensorSummary()(name, value)`; see `ScalarSummary`.

    Examples:
        >>> import torchspore as ms
        >>> ms.ops.TensorSummary()("weights", ms.Tensor([1.0, 2.0]))
    """

    _kind = "tensor"
    _dimensions = (0, 64)


class ImageSummary(_Summary):
    """Record images of shape (N, C, H, W) under a name: `ImageSummary()(name, value)`; see `ScalarSummary`.

    Examples:
        >>> import torchspore as ms
        >>> ms.ops.ImageSummary()("weights", ms.ops.ones((1, 3, 4, 4), ms.float32))
    """

    _kind = "image"
    _dimensions = (4, 4)


class HistogramSummary(_Summary):
    """Record a histogram of values under a name: `HistogramSummary()(name, value)`; see `ScalarSummary`.

    The value has at least one dimension.
    Examples:
        >>> import torchspore as ms
        >>> ms.ops.HistogramSummary()("weights", ms.Tensor([1.0, 2.0, 2.5]))
    """

    _kind = "histogram"
    _dimensions = (1, 64)
