"""The loops of a `Model`: over the epochs and steps of a training, and over an evaluation."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Generator, Iterator
from itertools import islice
from typing import Annotated, Any, TypeAlias

import numpy as np

from torchspore.common import device, mode
from torchspore.engine.failures.errors import describe
from torchspore.engine.parameters import Where
from torchspore.metrics.error import Loss
from torchspore.metrics.metric import Metric
from torchspore.nn.cell import Cell
from torchspore.train.callback.callback import CallbackList, CallbackParams, RunContext, first_output
from torchspore.train.foreign_data import as_dataset
from torchspore.train.interrupts import WholeSteps
from torchspore.train.processes import gathered

__all__ = ["Evaluation", "Feed", "SinkSize", "check_dataset", "check_equal_epochs", "sinks", "train"]

SinkSize: TypeAlias = Annotated[int, Where("-1 or > 0", lambda size: size == -1 or size > 0)]


def check_dataset(given: Any, name: str, api: str) -> Any:
    """Return an argument as a dataset, which it must be (TypeError), with batches (ValueError)."""
    dataset = as_dataset(given)
    if dataset is None:
        raise TypeError(
            f"For '{api}', '{name}' must be a dataset, with create_tuple_iterator and get_dataset_size, or an object "
            f"that can be iterated again and again, such as a DataLoader, but got {describe(given)}."
        )
    if dataset.get_dataset_size() == 0:
        raise _no_batches(name, api)
    return dataset


def check_equal_epochs(batches: int, parallel_mode: str, api: str) -> None:
    """Check that the processes of a training have the same number of batches: one would wait for the others for ever.

    Raises:
        ValueError: they have not, in all processes.
    """
    found = gathered(batches, parallel_mode)
    if len(set(found)) > 1:
        shown = ", ".join(f"{count} in process {rank}" for rank, count in enumerate(found))
        raise ValueError(
            f"For '{api}', an epoch must have the same number of batches in all processes, but has {shown}. "
            "'num_shards' and 'shard_id' of datasets make equal parts, and 'sink_size' sets the number of batches."
        )


def sinks(dataset_sink_mode: bool) -> bool:
    """Return whether callbacks see an epoch as one step: in graphs on devices other than the CPU."""
    return dataset_sink_mode and mode.graph and device.current().type != "cpu"


class Feed:
    """The batches of a dataset, epoch by epoch.

    Args:
        dataset: the dataset.
        name, api: its argument and the function, for errors.
        expected_inputs: a function whose parameters the columns must match, or their number, or None for any.
        epochs: the number of epochs.
        sink_size: the number of batches of an epoch, independent of the dataset's size; -1 for all.
    """

    def __init__(
        self,
        dataset: Any,
        name: str,
        api: str,
        expected_inputs: Callable[..., Any] | int | None,
        epochs: int = 1,
        sink_size: int = -1,
    ) -> None:
        self.batch_num = sink_size if sink_size > 0 else dataset.get_dataset_size()
        self._name, self._api, self._expected_inputs, self._sink_size = name, api, expected_inputs, sink_size
        self.iterator = dataset.create_tuple_iterator(num_epochs=-1 if sink_size > 0 else epochs)
        self._reset = getattr(dataset, "reset", lambda: None)
        self._repeating = self._repeated()
        self._checked = False

    def __enter__(self) -> Feed:
        return self

    def __exit__(self, *error: Any) -> None:
        self._repeating.close()
        stop = getattr(self.iterator, "stop", None)
        if stop is not None:
            stop()

    def epoch(self, done: int = 0) -> Iterator[Any]:
        """Return the batches of the next epoch, each a list of Tensors.

        Args:
            done: the number of batches of the epoch that the iterator has already passed.
        """
        return islice(self._repeating, self._sink_size - done) if self._sink_size > 0 else self._pass(done)

    def _repeated(self) -> Generator[Any, None, None]:
        while True:
            yield from self._pass(may_be_empty=False)

    def _pass(self, done: int = 0, may_be_empty: bool = True) -> Iterator[Any]:
        empty = not done
        for element in self.iterator:
            if not self._checked:
                self._check_columns(element)
            empty = False
            yield element
        if empty:
            error = _no_batches(self._name, self._api)
            if not (self._checked and may_be_empty):
                raise error
            warnings.warn(f"{error} It had some in an earlier epoch.", stacklevel=3)
        self._reset()  # datasets of other packages may need it between epochs

    def _check_columns(self, element: Any) -> None:
        self._checked = True
        count = len(element)
        if self._expected_inputs is None:
            return
        if isinstance(self._expected_inputs, int):
            if count != self._expected_inputs:
                raise ValueError(
                    f"For '{self._api}', with a 'loss_fn' the '{self._name}' must have {self._expected_inputs} "
                    f"columns, the data and the label, but it has {count}. Select two with its 'project', or compute "
                    "the loss in the network and leave 'loss_fn' out."
                )
            return
        signature = inspect.signature(self._expected_inputs)
        try:
            signature.bind(*element)
        except TypeError:
            raise ValueError(
                f"For '{self._api}', the '{self._name}' has {count} columns, which do not fit the inputs "
                f"{signature} of the network's construct. Select columns with its 'project'."
            ) from None


def train(
    network: Cell,
    inner: Cell,
    feed: Feed,
    epochs: range,
    state: CallbackParams,
    notify: CallbackList,
    evaluate: Callable[[int], None],
) -> None:
    """Train for epochs.

    To continue an earlier training, a callback sets `state.resume_at` in `on_train_begin`, to the number of the epoch
    and the number of its completed steps, and moves the iterator of the data, `state.train_iterator`, to that position.

    Args:
        network: the cell of a training step.
        inner: the network in it, whose training mode evaluations may have changed.
        feed: the data.
        epochs: the numbers of the epochs.
        state: the state for callbacks.
        notify: the callbacks.
        evaluate: called with the number of each epoch after it, before `on_train_epoch_end`.
    """
    context = RunContext(state)
    sinks_steps = state.dataset_sink_mode
    with WholeSteps() as steps:
        state["train_iterator"] = feed.iterator
        notify("on_train_begin", context)
        first_epoch, done = state.pop("resume_at", (epochs.start, 0))
        for epoch in range(first_epoch, epochs.stop):
            state["cur_epoch_num"] = epoch
            state["epoch_step_num"] = done
            for name in ("metrics", "eval_results"):
                state.pop(name, None)
            notify("on_train_epoch_begin", context)
            first = True
            for element in feed.epoch(done):
                state["cur_step_num"] += 1
                state["epoch_step_num"] += 1
                state["train_dataset_element"] = element
                if first or not sinks_steps:
                    notify("on_train_step_begin", context)
                    first = False
                if not inner.training:
                    network.set_train()
                steps.running = True
                state["net_outputs"] = network(*element)
                steps.finish()
                if not sinks_steps:
                    notify("on_train_step_end", context)
                    if context.get_stop_requested():
                        break
            if sinks_steps and not first:
                notify("on_train_step_end", context)
            done = 0
            evaluate(epoch)
            notify("on_train_epoch_end", context)
            if context.get_stop_requested():
                break
        notify("on_train_end", context)


class Evaluation:
    """An evaluation of the outputs of a network.

    Args:
        network: the cell whose outputs are evaluated.
        metrics: the metrics by name.
        indexes: the positions of loss, prediction and label in the outputs; None if each metric takes all outputs.
    """

    def __init__(self, network: Cell, metrics: dict[str, Metric], indexes: list[int] | None) -> None:
        self.network = network
        self.metrics = metrics
        self._indexes = indexes

    def run(self, feed: Feed, state: CallbackParams, notify: CallbackList) -> None:
        """Evaluate all batches.

        This sets `state.metrics`, and in a training also `state.eval_results`, with the first output for the last batch
        as `eval_loss`, if it is a number.
        """
        context = RunContext(state)
        for metric in self.metrics.values():
            metric.clear()
        self.network.set_train(False)
        notify("on_eval_begin", context)
        notify("on_eval_epoch_begin", context)
        in_training, outputs = "train_network" in state, None
        for element in feed.epoch():
            state["cur_step_num"] += 1
            state["eval_dataset_element"] = element
            notify("on_eval_step_begin", context)
            outputs = self.network(*element)
            state["net_outputs"] = outputs
            self._update(outputs if isinstance(outputs, (tuple, list)) else (outputs,))
            notify("on_eval_step_end", context)
            if context.get_stop_requested():
                break
        notify("on_eval_epoch_end", context)
        state["metrics"] = {name: _plain(metric.eval()) for name, metric in self.metrics.items()}
        if in_training:
            loss = first_output(outputs)
            is_number = isinstance(loss, (int, float, np.number))
            state["eval_results"] = state.metrics | ({"eval_loss": _plain(loss)} if is_number else {})
        notify("on_eval_end", context)

    def _update(self, outputs: Any) -> None:
        for metric in self.metrics.values():
            if self._indexes is None or metric.indexes is not None:
                metric.update(*outputs)
                continue
            try:
                loss, prediction, label = (outputs[index] for index in self._indexes)
            except IndexError:
                raise ValueError(
                    f"For 'Model.eval', 'eval_indexes' are {self._indexes}, but the network returns {len(outputs)} "
                    "outputs."
                ) from None
            if isinstance(metric, Loss):
                metric.update(loss)
            else:
                metric.update(prediction, label)


def _plain(value: Any) -> Any:
    """Convert a NumPy number to a Python number, which prints without its type."""
    return value.item() if isinstance(value, np.generic) else value


def _no_batches(name: str, api: str) -> ValueError:
    return ValueError(
        f"For '{api}', the '{name}' has no batches. Is it empty, or does 'drop_remainder' drop its only batch?"
    )
