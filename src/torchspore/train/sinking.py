"""Datasets that feed functions and cells: `DatasetHelper`, `connect_network_with_dataset`, `data_sink`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from torchspore.common.tensor import Tensor
from torchspore.engine.jit import jit
from torchspore.engine.jit_config import JitConfig
from torchspore.engine.parameters import Positive, checked
from torchspore.nn.cell import Cell
from torchspore.train.loop import Feed, SinkSize, check_dataset

__all__ = ["DatasetHelper", "connect_network_with_dataset", "data_sink"]


class DatasetHelper:
    """A dataset, epoch by epoch: each `for` loop over it is one epoch.

    Args:
        dataset: the dataset.
        dataset_sink_mode: with True, an epoch yields one empty tuple instead of its batches, for a cell from
            `connect_network_with_dataset`, which takes the batches itself. Default: True.
        sink_size: with `dataset_sink_mode`, the number of batches of an epoch. Default: -1, all.
        epoch_num: the number of epochs. Default: 1.

    Raises:
        ValueError: a number out of its range, or a dataset without batches.

    Examples:
        >>> import numpy as np
        >>> import torchspore as ms
        >>> data = ms.dataset.NumpySlicesDataset({"x": np.arange(4.0), "y": np.arange(4)}, shuffle=False).batch(2)
        >>> for x, y in ms.DatasetHelper(data, dataset_sink_mode=False):
        ...     print(x, y)
        [0. 1.] [0 1]
        [2. 3.] [2 3]
    """

    @checked
    def __init__(
        self, dataset: Any, dataset_sink_mode: bool = True, sink_size: SinkSize = -1, epoch_num: Positive = 1
    ) -> None:
        api = "DatasetHelper"
        self._sink_mode = dataset_sink_mode
        self._dataset = dataset = check_dataset(dataset, "dataset", api)
        self._feed = Feed(dataset, "dataset", api, None, epoch_num, sink_size if dataset_sink_mode else -1)

    def __iter__(self) -> Iterator[Any]:
        return iter([()]) if self._sink_mode else self._feed.epoch()

    def sink_size(self) -> int:
        """Return the number of batches of an epoch."""
        return int(self._feed.batch_num)

    def types_shapes(self) -> tuple[list[Any], list[Any]]:
        """Return the data types and the shapes of the columns."""
        return self._dataset.output_types(), self._dataset.output_shapes()

    get_data_info = types_shapes

    def continue_send(self) -> None:
        """Do nothing: batches are read when they are needed."""

    def stop_send(self) -> None:
        """End the iteration."""
        self._feed.__exit__()

    release = stop_send


class _DatasetCell(Cell):
    """A cell that reads its inputs, the batches of an epoch, from a dataset."""

    _helper: DatasetHelper

    def __init__(self, network: Cell, helper: DatasetHelper) -> None:
        super().__init__(auto_prefix=False)
        self.network = network
        self.__dict__["_helper"] = helper

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        output = None
        for batch in self._helper._feed.epoch():
            output = self.network(*batch)
        return output


@checked
def connect_network_with_dataset(network: Cell, dataset_helper: DatasetHelper) -> Cell:
    """Return a cell that runs a network on the batches of an epoch.

    Args:
        network: a Cell that takes the dataset's columns.
        dataset_helper: a `DatasetHelper` with `dataset_sink_mode`.

    Returns:
        A Cell without inputs that returns the output for the last batch.

    Raises:
        RuntimeError: the helper is not in sink mode.

    Examples:
        >>> import numpy as np
        >>> import torchspore as ms
        >>> helper = ms.DatasetHelper(ms.dataset.NumpySlicesDataset(np.ones((4, 2), np.float32), ["x"]).batch(2))
        >>> net = ms.connect_network_with_dataset(ms.nn.ReLU(), helper)
        >>> for inputs in helper:
        ...     print(net(*inputs))
        [[1. 1.]
         [1. 1.]]
    """
    if not dataset_helper._sink_mode:
        raise RuntimeError("For 'connect_network_with_dataset', the DatasetHelper must have dataset_sink_mode=True.")
    return _DatasetCell(network, dataset_helper)


@checked
def data_sink(
    fn: Callable[..., Any],
    dataset: Any,
    sink_size: Positive = 1,
    jit_config: JitConfig | None = None,
    input_signature: Tensor | Sequence[Tensor] | None = None,
) -> Callable[[], Any]:
    """Return a function that runs `fn` on the next batches of a dataset, which starts again at its end.

    Args:
        fn: a function or Cell that takes the dataset's columns.
        dataset: the dataset.
        sink_size: the number of batches in a call. Default: 1.
        jit_config: settings to run `fn` as a captured graph. Default: None, not captured.
        input_signature: a Tensor, or a list or tuple of them, whose shapes and data types the columns must have.
            Default: None.

    Returns:
        A function without arguments that returns the result for the last batch.

    Raises:
        TypeError: an argument of a wrong type; in a call, a column does not match `input_signature`.
        ValueError: `sink_size` is not positive, or the dataset has no batches.

    Examples:
        >>> import numpy as np
        >>> import torchspore as ms
        >>> data = ms.dataset.NumpySlicesDataset(np.arange(4.0), ["x"], shuffle=False).batch(2)
        >>> total = ms.data_sink(lambda x: x.sum(), data)
        >>> print(total(), total(), total())
        1.0 5.0 1.0
    """
    api = "data_sink"
    columns = [input_signature] if isinstance(input_signature, Tensor) else input_signature
    signature = None if columns is None else [(column.shape, column.dtype) for column in columns]
    dataset = check_dataset(dataset, "dataset", api)
    run = fn if jit_config is None else jit(fn, jit_config=jit_config)
    feed = Feed(dataset, "dataset", api, None, sink_size=sink_size)

    def sink_process() -> Any:
        result = None
        for batch in feed.epoch():
            if signature is not None and [(x.shape, x.dtype) for x in batch] != signature:
                raise TypeError(f"For '{api}', the columns must match 'input_signature', {signature}, but got {batch}.")
            result = run(*batch)
        return result

    return sink_process
