"""The utilization of a device's peak performance in a training."""

from __future__ import annotations

import time
from contextlib import ExitStack
from typing import Any

from torchspore.common import mode
from torchspore.engine.parameters import Positive, PositiveFloat, checked
from torchspore.parallel_context import get_auto_parallel_context
from torchspore.train.callback.callback import Callback, RunContext

__all__ = ["FlopsUtilizationCollector"]


class FlopsUtilizationCollector(Callback):
    """Print the floating-point operations of a training step, and after each step the utilization of the device.

    PyTorch counts the operations of matrix products, convolutions and attention in the first step, including those that
    `recompute` repeats. In GRAPH_MODE that step runs eagerly. Evaluations are not counted.

    Args:
        data_size: the number of steps in an epoch.
        computility: the peak operations per second of one device. Default: 1.
        full_flops: whether the utilization is for all devices or for one, which is the same number. Default: True.
        enable_ma_collector: must be False: it writes a file for a tool of Ascend cards.

    Raises:
        ValueError: `data_size` or `computility` is not above 0.
        NotImplementedError: `enable_ma_collector`.

    Examples:
        >>> import numpy as np
        >>> import torchspore as ms
        >>> net = ms.nn.Dense(10, 5)
        >>> model = ms.Model(net, ms.nn.MSELoss(), ms.nn.SGD(net.trainable_params(), 0.1))
        >>> columns = (np.ones((32, 10), np.float32), np.ones((32, 5), np.float32))
        >>> data = ms.dataset.NumpySlicesDataset(columns, ["x", "y"]).batch(32)
        >>> model.train(1, data, callbacks=ms.train.FlopsUtilizationCollector(1, 1e9))
        Full model flops is 6400.0, ... Shard hardware flops is 6400.0.
        Train per step time: ... ms mfu:...% hfu:...%
    """

    @checked
    def __init__(
        self,
        data_size: Positive,
        computility: PositiveFloat = 1,
        full_flops: bool = True,
        enable_ma_collector: bool = False,
    ) -> None:
        if enable_ma_collector:
            raise NotImplementedError(
                "For 'FlopsUtilizationCollector', enable_ma_collector=True writes for a tool of Ascend cards only."
            )
        self._computility = computility
        self._flops: int | None = None  # of a step
        self._counter: Any = None
        self._counting = ExitStack()

    def on_train_begin(self, run_context: RunContext) -> None:
        """Reset the count."""
        self._flops = None

    def on_train_step_begin(self, run_context: RunContext) -> None:
        """Start the clock, and the count in the first step."""
        if self._flops is None:
            self._start_counting()
        self._began = time.perf_counter()

    def _start_counting(self) -> None:
        from torch.utils.flop_counter import FlopCounterMode

        self._counter = FlopCounterMode(display=False)
        self._counting.enter_context(self._counter)
        self._counting.callback(mode.set_graph, mode.graph)
        mode.set_graph(False)

    def on_train_step_end(self, run_context: RunContext) -> None:
        """Print the utilization."""
        elapsed = time.perf_counter() - self._began
        if self._flops is None:
            self._counting.close()
            self._flops = self._counter.get_total_flops()
            shard = float(self._flops)
            full = shard * get_auto_parallel_context("device_num")
            print(
                f"Full model flops is {full}, Full hardware flops is {full}, Shard model flops is {shard}, "
                f"Shard hardware flops is {shard}.",
                flush=True,
            )
        used = f"{self._flops / elapsed / self._computility:.2%}"
        print(f"Train per step time: {elapsed * 1000:.3f} ms mfu:{used} hfu:{used}", flush=True)

    def __exit__(self, *error: Any) -> None:
        self._counting.close()  # a step has failed
