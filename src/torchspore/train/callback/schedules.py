"""The callback that sets the learning rate at each step."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from torchspore.common.tensor import Tensor
from torchspore.engine.failures.errors import describe
from torchspore.engine.parameters import checked
from torchspore.train.callback.callback import Callback, RunContext
from torchspore.train.callback.monitored import learning_rate_of

__all__ = ["LearningRateScheduler"]


class LearningRateScheduler(Callback):
    """Set the learning rate after each step to the result of a function.

    Args:
        learning_rate_function: a function of the learning rate and the number of the step, from 1, that returns the
            learning rate of the next step.

    Raises:
        TypeError: it is not a function; in a training, its result is not a number.
        ValueError: in a training, the optimizer has several learning rates.

    Examples:
        >>> import torchspore as ms
        >>> halve = ms.LearningRateScheduler(lambda rate, step: rate / 2 if step % 1000 == 0 else rate)
    """

    @checked
    def __init__(self, learning_rate_function: Callable[[float, int], float]) -> None:
        self.learning_rate_function = learning_rate_function

    def step_end(self, run_context: RunContext) -> None:
        """Set the learning rate."""
        state = run_context.original_args()
        parameter = learning_rate_of(state.optimizer, "LearningRateScheduler")
        rate = float(str(parameter.asnumpy()))  # 0.1, not 0.10000000149, the nearest float32
        new = self.learning_rate_function(rate, state.cur_step_num)
        if isinstance(new, (Tensor, np.generic)) and new.ndim == 0:
            new = new.item()
        if not isinstance(new, (int, float)):
            raise TypeError(
                "For 'LearningRateScheduler', 'learning_rate_function' must return a number, "
                f"but it returned {describe(new)} at step {state.cur_step_num}."
            )
        if new != rate:
            parameter.set_data(Tensor(new, parameter.dtype))

    def on_eval_step_end(self, run_context: RunContext) -> None:
        """Do nothing in evaluations."""
