"""Primitives for the buffers of reinforcement learning: rings of rows in parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torchspore import ops
from torchspore.common.dtype import Type, int32
from torchspore.common.tensor import Tensor
from torchspore.engine.primitive import Primitive

__all__ = ["BufferAppend", "BufferGetItem", "BufferSample"]


class _Buffer(Primitive):
    def __init__(self, capacity: int, buffer_shape: Sequence[Sequence[int]], buffer_dtype: Sequence[Type]) -> None:
        super().__init__()
        if len(buffer_shape) != len(buffer_dtype):
            raise ValueError(
                f"For '{self.name}', 'buffer_shape' and 'buffer_dtype' must have the same length, but got "
                f"{len(buffer_shape)} and {len(buffer_dtype)}."
            )
        self.capacity, self.buffer_shape, self.buffer_dtype = capacity, buffer_shape, buffer_dtype

    def _rows(self, data: Sequence[Tensor], head: Tensor, numbers: Tensor) -> tuple[Tensor, ...]:
        places = (head + numbers) % self.capacity
        return tuple(each[places] for each in data)


class BufferAppend(_Buffer):
    """Append rows to a buffer; in a full one they replace the oldest.

    Args:
        capacity: the number of rows that the buffer holds.
        buffer_shape, buffer_dtype: the shape and the data type of each element of a row.

    Inputs:
        - data: the parameters of the buffer, one for each element of a row.
        - exp: the elements of a row, or of several.
        - count, head: the Parameters that hold the number of rows and the place of the oldest.

    Outputs: a Tensor without a meaning.

    Source: MindSpore 2.0, `ops.BufferAppend`.
    """

    def __call__(self, data: Sequence[Tensor], exp: Sequence[Tensor], count: Tensor, head: Tensor) -> Tensor:
        """Append the rows."""
        added = 1 if exp[0].ndim == len(self.buffer_shape[0]) else exp[0].shape[0]
        places = (head + count + ops.arange(added)) % self.capacity
        for parameter, values in zip(data, exp):
            parameter[places] = values.reshape((added, *parameter.shape[1:]))
        full = ops.maximum(count + added - self.capacity, 0)
        ops.assign(head, ((head + full) % self.capacity).astype(head.dtype))
        ops.assign(count, (count + added - full).astype(count.dtype))
        return Tensor(0, int32)


class BufferGetItem(_Buffer):
    """Return a row of a buffer.

    Args:
        capacity, buffer_shape, buffer_dtype: as for `BufferAppend`.

    Inputs:
        - data, count, head: as for `BufferAppend`.
        - index (int or Tensor): the number of the row, from the oldest; below 0 from the newest.

    Outputs: the elements of the row, a tuple of Tensors.

    Raises:
        IndexError: the buffer has no such row.

    Source: MindSpore 2.0, `ops.BufferGetItem`.
    """

    def __call__(self, data: Sequence[Tensor], count: Tensor, head: Tensor, index: int | Tensor) -> tuple[Tensor, ...]:
        """Return the row."""
        number, rows = int(index), int(count)
        if not -rows <= number < rows:
            raise IndexError(f"For 'BufferGetItem', 'index' must be in [{-rows}, {rows - 1}], but got {number}.")
        return self._rows(data, head, Tensor(number % rows))


class BufferSample(_Buffer):
    """Draw rows of a buffer.

    Args:
        capacity: the number of rows that the buffer holds.
        batch_size: the number of rows to draw.
        buffer_shape, buffer_dtype: as for `BufferAppend`.
        seed: the seed; 0 is the program's. Default: 0.
        unique: whether no row is drawn twice. Default: False.

    Inputs: data, count, head, as for `BufferAppend`.

    Outputs: a tuple of Tensors, the elements of the rows.

    Raises:
        ValueError: the buffer has fewer rows than `batch_size`.

    Source: MindSpore 2.0, `ops.BufferSample`.
    """

    def __init__(
        self, capacity: int, batch_size: int, buffer_shape: Sequence[Sequence[int]], buffer_dtype: Sequence[Type],
        seed: int = 0, unique: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(capacity, buffer_shape, buffer_dtype)
        self.batch_size, self.seed, self.unique = batch_size, seed, unique

    def __call__(self, data: Sequence[Tensor], count: Tensor, head: Tensor) -> Any:
        """Return the rows."""
        rows = int(count)
        if rows < self.batch_size:
            raise ValueError(
                f"For 'BufferSample', the buffer must have at least {self.batch_size} rows ('batch_size'), but it has "
                f"{rows}."
            )
        if self.unique:
            numbers = ops.randperm(rows, self.seed)[: self.batch_size]
        else:
            numbers = ops.randint(0, rows, (self.batch_size,), seed=self.seed or None)
        return self._rows(data, head, numbers)
