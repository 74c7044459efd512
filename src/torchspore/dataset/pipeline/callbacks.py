"""Callbacks of `map`, which are told about epochs and rows."""

from __future__ import annotations

from typing import Annotated

from torchspore.dataset.rows.failures import failed
from torchspore.engine.parameters import Limits, checked

__all__ = ["DSCallback", "Notes", "Position"]


_EVENTS = ("ds_begin", "ds_epoch_begin", "ds_epoch_end", "ds_step_begin", "ds_step_end")


class Position:
    """The position of a pipeline; callbacks get it as `ds_run_context`.

    Args:
        epoch: the number of the epoch, from 1.
        step: the number of the row in the epoch, from 1; 0 before the first.
        all_steps: the number of the row since the iterator began.
    """

    def __init__(self, epoch: int, step: int, all_steps: int) -> None:
        self.cur_epoch_num = epoch
        self.cur_step_num_in_epoch = step
        self.cur_step_num = all_steps


class DSCallback:
    """The base of callbacks for `map`: override the methods that are needed.

    With several workers a row begins when a worker gets it, even if earlier rows are still being computed.

    Args:
        step_size: the number of rows per call of `ds_step_begin` and `ds_step_end`, at least 1. Default: 1.

    Examples:
        >>> import torchspore.dataset as ds
        >>> class Note(ds.DSCallback):
        ...     def ds_epoch_begin(self, ds_run_context):
        ...         print("epoch", ds_run_context.cur_epoch_num)
        ...     def ds_step_end(self, ds_run_context):
        ...         print("step", ds_run_context.cur_step_num_in_epoch)
        >>> data = ds.NumpySlicesDataset([1, 2], ["x"]).map(lambda x: x, callbacks=Note())
        >>> for row in data.create_dict_iterator(num_epochs=1):
        ...     pass
        epoch 1
        step 1
        step 2
    """

    @checked
    def __init__(self, step_size: Annotated[int, Limits(1, 2**31 - 1)] = 1) -> None:
        self.step_size = step_size

    def _is_idle(self) -> bool:
        """Return whether the class has no method of its own for an event."""
        return all(getattr(type(self), event) is getattr(DSCallback, event) for event in _EVENTS)

    def ds_begin(self, ds_run_context: Position) -> None:
        """An iterator begins."""

    def ds_epoch_begin(self, ds_run_context: Position) -> None:
        """An epoch begins."""

    def ds_epoch_end(self, ds_run_context: Position) -> None:
        """An epoch has ended."""

    def ds_step_begin(self, ds_run_context: Position) -> None:
        """A row begins."""

    def ds_step_end(self, ds_run_context: Position) -> None:
        """A row has ended."""


class Notes:
    """Tells callbacks the position of the passes over the rows in one epoch.

    Args:
        callbacks: the callbacks.
        epoch: the number of the epoch, from 1.
        before: the number of rows since the iterator began.
    """

    def __init__(self, callbacks: list[DSCallback], epoch: int, before: int) -> None:
        for callback in callbacks:
            if callback._is_idle():
                raise AttributeError(
                    f"For 'map', a callback must override one of {list(_EVENTS)}, but {type(callback).__name__} has "
                    f"none."
                )
        self._callbacks = callbacks
        self.epoch = epoch
        self._before = before
        self._begun = self._ended = 0
        self.passes = 0

    def begin(self, first: bool) -> None:
        """Announce the epoch, and before the first one the iterator."""
        if first:
            self._tell("ds_begin", Position(0, 0, 0))
        self._tell("ds_epoch_begin", Position(self.epoch, 0, self._before))

    def end(self) -> None:
        """Announce the end of the epoch."""
        self._tell("ds_epoch_end", Position(self.epoch, self._ended, self.rows))

    @property
    def rows(self) -> int:
        """The number of rows that have ended since the iterator began."""
        return self._before + self._ended

    def row_begins(self) -> None:
        """Announce the beginning of a row."""
        self._begun += 1
        self._tell("ds_step_begin", Position(self.epoch, self._begun, self._before + self._begun))

    def row_ended(self) -> None:
        """Announce the end of a row."""
        self._ended += 1
        self._tell("ds_step_end", Position(self.epoch, self._ended, self.rows))

    def _tell(self, event: str, position: Position) -> None:
        for callback in self._callbacks:
            if "step" not in event or (position.cur_step_num_in_epoch - 1) % callback.step_size == 0:
                method = getattr(callback, event)
                try:
                    method(position)
                except Exception as error:
                    raise failed("map", method, error) from error
