"""Callbacks that print the loss and the time."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np

from torchspore.common.np_dtype import standard_array
from torchspore.common.tensor import Tensor
from torchspore.engine.failures.errors import describe
from torchspore.engine.parameters import NotNegative, Positive, checked
from torchspore.train.callback.callback import Callback, RunContext, first_output

__all__ = ["LossMonitor", "TimeMonitor"]


class LossMonitor(Callback):
    """Print the loss, and in `Model.fit` the results of evaluations; a loss that is not finite ends the training.

    Reading the loss waits for the step: on a GPU, a larger `per_print_times` is faster.

    Args:
        per_print_times: the number of steps between outputs; 0 prints nothing. Default: 1.

    Raises:
        TypeError: it is not an int; in a training, the network returns no loss.
        ValueError: it is below 0; in a training, the loss is not finite.

    Examples:
        >>> import numpy as np
        >>> import torchspore as ms
        >>> net = ms.nn.Dense(1, 1, weight_init="zeros", bias_init="zeros")
        >>> model = ms.Model(net, ms.nn.MSELoss(), ms.nn.SGD(net.trainable_params(), 0.25))
        >>> data = ms.dataset.NumpySlicesDataset(
        ...     (np.ones((4, 1), np.float32), np.ones((4, 1), np.float32)), ["x", "y"]).batch(2)
        >>> model.train(1, data, callbacks=ms.LossMonitor())
        epoch: 1 step: 1, loss is 1.0
        epoch: 1 step: 2, loss is 0.0
    """

    @checked
    def __init__(self, per_print_times: NotNegative = 1) -> None:
        self._per_print_times = per_print_times
        self._last_print = 0

    def step_end(self, run_context: RunContext) -> None:
        """Print the loss of the step, if it is due."""
        state = run_context.original_args()
        if not self._per_print_times:
            return
        step = state.cur_step_num
        if step <= self._last_print:  # a new training
            self._last_print = 0
        if step - self._last_print < self._per_print_times:
            return
        self._last_print = step
        loss = first_output(state.net_outputs)
        epoch, step = state.get("cur_epoch_num", 1), (step - 1) % state.batch_num + 1
        if not isinstance(loss, (int, float, np.number)):
            raise TypeError(
                f"For 'LossMonitor', the network must return its loss, alone or first, but got {describe(loss)}."
            )
        if not math.isfinite(loss):
            raise ValueError(
                f"For 'LossMonitor', the loss must be finite, but got {loss} in epoch {epoch}, step {step}. A smaller "
                "learning rate, clipped gradients or other data may help."
            )
        print(f"epoch: {epoch} step: {step}, loss is {_shown(state.net_outputs, loss)}", flush=True)

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """Print the results of the evaluation, if there was one."""
        state = run_context.original_args()
        if "eval_results" in state:
            print(f"Eval result: epoch {state.cur_epoch_num}, metrics: {state.metrics}", flush=True)

    def on_eval_step_end(self, run_context: RunContext) -> None:
        """Print the loss of the step, unless within a training."""
        if "train_network" not in run_context.original_args():
            self.step_end(run_context)


def _shown(outputs: Any, loss: Any) -> str:
    """Return the loss as text: a loss alone with all digits of its mean, one in a tuple as the array that it is."""
    if isinstance(outputs, Tensor):
        return str(float(loss))
    first = outputs[0] if isinstance(outputs, (tuple, list)) else outputs
    return str(standard_array(first) if isinstance(first, Tensor) else first)


class TimeMonitor(Callback):
    """Print the time of epochs.

    Args:
        data_size: the number of steps of an epoch, if the dataset has no size. Default: None.
        data_time: whether to also print the time spent waiting for data. Default: False.

    Examples:
        >>> import torchspore as ms
        >>> monitor = ms.TimeMonitor(data_time=True)

    In a training it prints lines such as
    `Train epoch time: 128.844 ms, per step time: 42.948 ms (data time: 0.312 ms)`.
    """

    @checked
    def __init__(self, data_size: Positive | None = None, data_time: bool = False) -> None:
        self._data_size, self._shows_data_time = data_size, data_time
        self._train = _Clock()
        self._eval = _Clock()

    def on_train_epoch_begin(self, run_context: RunContext) -> None:
        """Start the clock."""
        self._train.start()

    def on_train_step_begin(self, run_context: RunContext) -> None:
        """Stop the waiting time."""
        self._train.stop_waiting()

    def on_train_step_end(self, run_context: RunContext) -> None:
        """Start the waiting time."""
        self._train.start_waiting()

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """Print the time."""
        self._show("Train", self._train, run_context.original_args())

    def on_eval_epoch_begin(self, run_context: RunContext) -> None:
        """Start the clock of the evaluation, which is excluded from the training's time."""
        self._eval.start()

    def on_eval_step_begin(self, run_context: RunContext) -> None:
        """Stop the waiting time."""
        self._eval.stop_waiting()

    def on_eval_step_end(self, run_context: RunContext) -> None:
        """Start the waiting time."""
        self._eval.start_waiting()

    def on_eval_epoch_end(self, run_context: RunContext) -> None:
        """Print the time."""
        self._train.began += self._eval.elapsed()
        self._show("Eval", self._eval, run_context.original_args())

    def _show(self, stage: str, clock: _Clock, state: Any) -> None:
        steps = state.get("batch_num") or self._data_size
        if not steps:
            raise ValueError("For 'TimeMonitor', the number of steps of the dataset is unknown. Give 'data_size'.")
        elapsed = clock.elapsed() * 1000
        text = f"{stage} epoch time: {elapsed:.3f} ms, per step time: {elapsed / steps:.3f} ms"
        if self._shows_data_time:
            text += f" (data time: {clock.waited * 1000 / steps:.3f} ms)"
        print(text, flush=True)


class _Clock:
    """The time since the beginning of an epoch, and the time spent waiting for data."""

    def __init__(self) -> None:
        self.start()

    def start(self) -> None:
        self.began = self._waiting_since = time.perf_counter()
        self.waited = 0.0

    def stop_waiting(self) -> None:
        self.waited += time.perf_counter() - self._waiting_since

    def start_waiting(self) -> None:
        self._waiting_since = time.perf_counter()

    def elapsed(self) -> float:
        return time.perf_counter() - self.began
