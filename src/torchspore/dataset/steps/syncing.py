"""`sync_wait` and `sync_update`: a callback that changes what later rows become."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Annotated, Any, NoReturn

from torchspore.dataset.parameters import Natural, checked
from torchspore.dataset.pipeline.dataset import Dataset, attach
from torchspore.dataset.pipeline.run import Run
from torchspore.dataset.rows.values import Row
from torchspore.engine.parameters import Limits

__all__ = ["SyncWaitDataset", "TransferDataset"]


@attach("sync_wait")
class SyncWaitDataset(Dataset):
    """Pass the rows on; `sync_update` calls the callback.

    Rows are computed when they are asked for, so those after an update see its effect, and nothing waits.

    Args:
        condition_name: the name by which `sync_update` finds the callback.
        num_batch: has no effect: the number of batches that MindSpore computes before it waits. Default: 1.
        callback: the function of the `data` of `sync_update`. Default: None, none.

    Raises:
        RuntimeError: the dataset has this condition already.

    Examples:
        >>> import torchspore.dataset as ds
        >>> factor = [1]
        >>> data = ds.NumpySlicesDataset([1, 2], ["x"], shuffle=False)
        >>> data = data.sync_wait("policy", callback=lambda data: factor.append(data))
        >>> data = data.map(lambda x: x * factor[-1])
        >>> for row in data.create_dict_iterator(num_epochs=1):
        ...     print(row["x"])
        ...     data.sync_update("policy", data=10)
        1
        20

    MindSpore: `mindspore.dataset.Dataset.sync_wait`.
    """

    def __init__(
        self, input_dataset: Dataset, condition_name: str, num_batch: Natural = 1,
        callback: Callable[..., Any] | None = None,
    ) -> None:  # fmt: skip
        super().__init__(input_dataset)
        self.condition_name = condition_name
        self.callback = callback
        if any(each.condition_name == condition_name for each in _waiting(input_dataset)):
            raise RuntimeError(f"For 'sync_wait', the dataset has the condition {condition_name!r} already.")

    def _rows(self, run: Run) -> Iterator[Row]:
        return self.children[0]._rows(run)


def _waiting(dataset: Dataset) -> Iterator[SyncWaitDataset]:
    if isinstance(dataset, SyncWaitDataset):
        yield dataset
    for child in dataset.children:
        yield from _waiting(child)


@attach("sync_update")
@checked(api="sync_update")
def _sync_update(self: Dataset, condition_name: str, num_batch: Any = None, data: Any = None) -> None:
    """Call the callback of a `sync_wait`.

    Args:
        condition_name: the name given to `sync_wait`.
        num_batch: has no effect: the number of batches that MindSpore then computes. Default: None.
        data: what the callback is called with. Default: None.

    Raises:
        RuntimeError: there is no such condition, or `num_batch` is not positive.

    MindSpore: `mindspore.dataset.Dataset.sync_update`.
    """
    if num_batch is not None and (isinstance(num_batch, bool) or not isinstance(num_batch, int) or num_batch <= 0):
        raise RuntimeError(f"For 'sync_update', 'num_batch' must be a positive int, but got {num_batch!r}.")
    names = {each.condition_name: each for each in _waiting(self)}
    if condition_name not in names:
        raise RuntimeError(
            f"For 'sync_update', 'condition_name' must be one given to 'sync_wait', of {sorted(names)}, but got "
            f"{condition_name!r}."
        )
    callback = names[condition_name].callback
    if callback is not None:
        callback(data)


@attach("disable_sync")
def _disable_sync(self: Dataset) -> None:
    """Do nothing: nothing waits for updates.

    MindSpore: `mindspore.dataset.Dataset.disable_sync`.
    """


@attach("is_sync")
def _is_sync(self: Dataset) -> bool:
    """Return whether there is a `sync_wait` in the pipeline.

    Examples:
        >>> import torchspore.dataset as ds
        >>> ds.NumpySlicesDataset([1, 2], ["x"]).sync_wait("policy").batch(2).is_sync()
        True

    MindSpore: `mindspore.dataset.Dataset.is_sync`.
    """
    return any(True for _ in _waiting(self))


@attach("device_que")
class TransferDataset(Dataset):
    """The rows for a queue of a device; devices have none here, and rows that are sent are refused.

    Args:
        send_epoch_end: whether the queue is told of the end of an epoch. Default: True.
        create_data_info_queue: whether to keep data types and shapes. Default: False.
        queue_name: its name. Default: "".

    Examples:
        >>> import torchspore.dataset as ds
        >>> ds.NumpySlicesDataset([1, 2], ["x"]).device_que().get_dataset_size()
        2

    MindSpore: `mindspore.dataset.Dataset.device_que`.
    """

    def __init__(
        self, input_dataset: Dataset, send_epoch_end: bool = True, create_data_info_queue: bool = False,
        queue_name: str = "",
    ) -> None:  # fmt: skip
        super().__init__(input_dataset)

    @checked
    def send(self, num_epochs: Annotated[int, Limits(-1)] = -1) -> None:
        """Refuse to send the rows: iterate over the dataset before, or use `train.data_sink`."""
        raise NotImplementedError(
            "For 'TransferDataset.send', devices have no queues of rows: iterate over the dataset, or use "
            "'train.data_sink'."
        )

    def stop_send(self) -> None:
        """Do nothing: nothing is sent."""

    def continue_send(self) -> None:
        """Do nothing: nothing is sent."""

    def release(self) -> None:
        """Do nothing: nothing is held."""

    def __iter__(self) -> NoReturn:
        raise RuntimeError("For 'device_que', its dataset has no iterators: iterate over the dataset before it.")

    create_dict_iterator = create_tuple_iterator = __iter__  # type: ignore[assignment]

    def get_data_info(self) -> None:
        """Refuse: nothing has been sent."""
        raise RuntimeError("For 'TransferDataset', there is nothing to report: no rows have been sent.")

    get_send_info = get_mbuf_queue_size = get_data_info
