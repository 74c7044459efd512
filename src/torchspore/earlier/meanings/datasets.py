"""Methods of datasets as MindSpore 1 and 2.0 had them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from torchspore.common.names.loading import load
from torchspore.earlier.forms import form

__all__ = []

_Columns = str | Sequence[str] | None


@form("dataset.Dataset.map", until="1.10", now="{self}.map(...).project(column_order)")
def mapped(
    self: Any,
    operations: Any,
    input_columns: _Columns = None,
    output_columns: _Columns = None,
    column_order: _Columns = None,
    num_parallel_workers: int | None = None,
    python_multiprocessing: bool = False,
    cache: Any = None,
    callbacks: Any = None,
    max_rowsize: int | None = None,
    offload: bool | None = None,
) -> Any:
    """Apply functions to columns, and order the columns."""
    made = load("torchspore.dataset.steps.mapping").MapDataset(
        self, operations, input_columns, output_columns, num_parallel_workers, python_multiprocessing, cache, callbacks,
        max_rowsize, offload,
    )  # fmt: skip
    return made if column_order is None else made.project(column_order)


@form("dataset.Dataset.batch", until="1.10", now="{self}.padded_batch(...), or {self}.batch(...).project(column_order)")
def batched(
    self: Any,
    batch_size: int | Callable[..., int],
    drop_remainder: bool = False,
    num_parallel_workers: int | None = None,
    per_batch_map: Callable[..., Any] | None = None,
    input_columns: _Columns = None,
    output_columns: _Columns = None,
    column_order: _Columns = None,
    pad_info: Mapping[str, Any] | None = None,
    python_multiprocessing: bool = False,
    max_rowsize: int | None = None,
) -> Any:
    """Stack rows into batches, padded to one shape if that is asked for, and order the columns.

    Raises:
        NotImplementedError: `pad_info` with `per_batch_map`.
    """
    steps = load("torchspore.dataset.steps.batching")
    if pad_info is None:
        made = steps.BatchDataset(
            self, batch_size, drop_remainder, num_parallel_workers, per_batch_map, input_columns, output_columns,
            python_multiprocessing, max_rowsize,
        )  # fmt: skip
    elif per_batch_map is None:
        made = steps.PaddedBatchDataset(self, batch_size, drop_remainder, num_parallel_workers, pad_info)
    else:
        raise NotImplementedError("For 'batch', pad in 'per_batch_map', or give 'pad_info' alone.")
    return made if column_order is None else made.project(column_order)
