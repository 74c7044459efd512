"""WaitedDSCallback: a callback of a training and of its data at the same time."""

from __future__ import annotations

from torchspore.dataset.pipeline.callbacks import DSCallback, Position
from torchspore.train.callback.callback import Callback, RunContext

__all__ = ["WaitedDSCallback"]


class WaitedDSCallback(Callback, DSCallback):
    """The base of callbacks for `map` that see how far the training is: override the methods that are needed.

    Rows are computed when the training asks for them, so nothing waits; with workers, they are computed ahead.

    Args:
        step_size: the number of rows in a step of the training, its batch size if `batch` follows the `map`.
            Default: 1.

    Raises:
        RuntimeError: the callback was not given to `Model.train`, too (when the rows of a second step are computed).

    Examples:
        >>> import numpy as np
        >>> import torchspore as ms
        >>> import torchspore.dataset as ds
        >>> class Note(ds.WaitedDSCallback):
        ...     def sync_step_begin(self, train_run_context, ds_run_context):
        ...         state = train_run_context.original_args()
        ...         print("row", ds_run_context.cur_step_num, "after step", state.cur_step_num)
        >>> note = Note()
        >>> data = ds.NumpySlicesDataset({"x": np.ones((2, 3), np.float32)}, shuffle=False)
        >>> data = data.map(lambda x: x, callbacks=note).batch(1)
        >>> net = ms.nn.Dense(3, 1)
        >>> optimizer = ms.nn.SGD(net.trainable_params(), 0.1)
        >>> ms.Model(net, optimizer=optimizer).train(1, data, callbacks=[note], dataset_sink_mode=False)
        row 2 after step 1
    """

    def __init__(self, step_size: int = 1) -> None:
        Callback.__init__(self)
        DSCallback.__init__(self, step_size)
        self.step_run_context: RunContext | None = None
        self.epoch_run_context: RunContext | None = None
        self._trains = False

    def _is_idle(self) -> bool:
        events = ("sync_epoch_begin", "sync_step_begin", "ds_epoch_begin", "ds_step_begin")
        return all(getattr(type(self), event) is getattr(WaitedDSCallback, event) for event in events)

    def sync_epoch_begin(self, train_run_context: RunContext, ds_run_context: Position) -> None:
        """An epoch of the data other than the first begins, after an epoch of the training has ended."""

    def sync_step_begin(self, train_run_context: RunContext, ds_run_context: Position) -> None:
        """A row of another step begins, after the previous step of the training has ended."""

    def on_train_begin(self, run_context: RunContext) -> None:
        """Note that the training begins."""
        self._trains = True
        super().on_train_begin(run_context)

    def on_train_step_end(self, run_context: RunContext) -> None:
        """Note the step of the training."""
        self.step_run_context = run_context
        super().on_train_step_end(run_context)

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """Note the epoch of the training."""
        self.epoch_run_context = run_context
        super().on_train_epoch_end(run_context)

    def ds_epoch_begin(self, ds_run_context: Position) -> None:
        """Call `sync_epoch_begin`."""
        context = self.epoch_run_context
        if ds_run_context.cur_epoch_num > 1 and self._trains_now() and context is not None:
            self.sync_epoch_begin(context, ds_run_context)

    def ds_step_begin(self, ds_run_context: Position) -> None:
        """Call `sync_step_begin`."""
        context = self.step_run_context
        if ds_run_context.cur_step_num > self.step_size and self._trains_now() and context is not None:
            self.sync_step_begin(context, ds_run_context)

    def _trains_now(self) -> bool:
        if not self._trains:
            raise RuntimeError(
                f"For '{type(self).__name__}', the callback must be one of the training, too: give it to 'Model.train'."
            )
        return True
