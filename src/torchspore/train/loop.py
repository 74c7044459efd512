"""The loops of a `Model`: over the epochs and steps of a training, and over an evaluation."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Generator, Iterator
from itertools import islice
from typing import Any

import numpy as np

from torchspore.common import device, mode
from torchspore.engine.errors import describe
from torchspore.metrics.error import Loss
from torchspore.metrics.metric import Metric
from torchspore.nn.cell import Cell
from torchspore.train.callback.callback import CallbackList, CallbackParams, RunContext, first_output
from torchspore.train.interrupts import WholeSteps

__all__ = ["Evaluation", "Feed", "check_dataset", "sinks", "train"]


def check_dataset(dataset: Any, name: str, api: str) -> None:
    """Check that a dataset has what the loops use.

    Raises:
        TypeError: it is not a dataset.
        ValueError: it has no batches.
    """
    if not all(callable(getattr(dataset, method, None)) for method in ("create_tuple_iterator", "get_dataset_size")):
        raise TypeError(
            f"For '{api}', '{name}' must be a dataset, with create_tuple_iterator and get_dataset_size, but got "
            f"{describe(dataset)}."
        )
    if dataset.get_dataset_size() == 0:
        raise _no_batches(name, api)


def sinks(dataset_sink_mode: bool) -> bool:
    """Return whether the steps of an epoch count as one for callbacks: in graphs on a device other than the CPU."""
    return dataset_sink_mode and mode.graph and device.current().type != "cpu"


class Feed:
    """The batches of a dataset, epoch by epoch.

    Args:
        dataset: the dataset.
        name: the argument that it came in, for errors.
        api: whose argument.
        taker: a function of the inputs, whose parameters the columns must fit; or how many columns there must be; or
            None, which takes any.
        epochs: the number of epochs.
        sink_size: how many batches are an epoch, whatever the dataset's size; -1 for all.
    """

    def __init__(
        self,
        dataset: Any,
        name: str,
        api: str,
        taker: Callable[..., Any] | int | None,
        epochs: int = 1,
        sink_size: int = -1,
    ) -> None:
        self.batch_num = sink_size if sink_size > 0 else dataset.get_dataset_size()
        self._name, self._api, self._taker, self._sink_size = name, api, taker, sink_size
        self.iterator = dataset.create_tuple_iterator(num_epochs=-1 if sink_size > 0 else epochs)
        self._endless = self._repeated()
        self._checked = False

    def __enter__(self) -> Feed:
        return self

    def __exit__(self, *error: Any) -> None:
        self._endless.close()
        stop = getattr(self.iterator, "stop", None)
        if stop is not None:
            stop()

    def epoch(self, done: int = 0) -> Iterator[Any]:
        """Return the batches of the next epoch, each a list of Tensors.

        Args:
            done: how many batches of the epoch the iterator is already past, because it was set so.
        """
        return islice(self._endless, self._sink_size - done) if self._sink_size > 0 else self._pass(done)

    def _repeated(self) -> Generator[Any, None, None]:
        while True:
            yield from self._pass()

    def _pass(self, done: int = 0) -> Iterator[Any]:
        empty = not done
        for element in self.iterator:
            if not self._checked:
                self._check_columns(element)
            empty = False
            yield element
        if empty:
            raise _no_batches(self._name, self._api)

    def _check_columns(self, element: Any) -> None:
        self._checked = True
        count = len(element)
        if self._taker is None:
            return
        if isinstance(self._taker, int):
            if count != self._taker:
                raise ValueError(
                    f"For '{self._api}', with a 'loss_fn' the '{self._name}' must have {self._taker} columns, the data "
                    f"and the label, but it has {count}. Choose two with its 'project', or compute the loss in the "
                    "network and leave 'loss_fn' out."
                )
            return
        signature = inspect.signature(self._taker)
        try:
            signature.bind(*element)
        except TypeError:
            raise ValueError(
                f"For '{self._api}', the '{self._name}' has {count} columns, which do not fit the inputs "
                f"{signature} of the network's construct. Choose columns with its 'project'."
            ) from None


def train(
    network: Cell,
    inner: Cell,
    feed: Feed,
    epochs: range,
    state: CallbackParams,
    tell: CallbackList,
    evaluate: Callable[[int], None],
) -> None:
    """Train for epochs.

    A callback that continues an earlier training sets `state.resume_at` when the training begins: the number of the
    epoch, and how many of its steps are done. It sets the iterator of the data, `state.train_iterator`, to the same
    place.

    Args:
        network: the cell that makes a step.
        inner: the network within, which tells whether evaluations have left the training mode.
        feed: the data.
        epochs: the numbers of the epochs.
        state: what callbacks see.
        tell: the callbacks.
        evaluate: called after each epoch with its number, before callbacks are told of its end.
    """
    context = RunContext(state)
    one_for_all = state.dataset_sink_mode
    with WholeSteps() as whole:
        state["train_iterator"] = feed.iterator
        tell("on_train_begin", context)
        begin, done = state.pop("resume_at", (epochs.start, 0))
        for epoch in range(begin, epochs.stop):
            state["cur_epoch_num"] = epoch
            state["epoch_step_num"] = done
            for name in ("metrics", "eval_results"):
                state.pop(name, None)
            tell("on_train_epoch_begin", context)
            first = True
            for element in feed.epoch(done):
                state["cur_step_num"] += 1
                state["epoch_step_num"] += 1
                state["train_dataset_element"] = element
                if first or not one_for_all:
                    tell("on_train_step_begin", context)
                    first = False
                if not inner.training:
                    network.set_train()
                whole.running = True
                state["net_outputs"] = network(*element)
                whole.finish()
                if not one_for_all:
                    tell("on_train_step_end", context)
                    if context.get_stop_requested():
                        break
            if one_for_all and not first:
                tell("on_train_step_end", context)
            done = 0
            evaluate(epoch)
            tell("on_train_epoch_end", context)
            if context.get_stop_requested():
                break
        tell("on_train_end", context)


class Evaluation:
    """An evaluation: the network, the metrics, and what these take of its outputs.

    Args:
        network: the cell whose outputs are evaluated.
        metrics: the metrics by name.
        indexes: the positions of loss, prediction and label in the outputs; None if every metric takes them all.
    """

    def __init__(self, network: Cell, metrics: dict[str, Metric], indexes: list[int] | None) -> None:
        self.network = network
        self.metrics = metrics
        self._indexes = indexes

    def run(self, feed: Feed, state: CallbackParams, tell: CallbackList) -> None:
        """Evaluate all batches.

        The values of the metrics are `state.metrics` then, and in a training also `state.eval_results`, with the mean
        of the batches' losses as `eval_loss`, if the network's first output is one.
        """
        context = RunContext(state)
        for metric in self.metrics.values():
            metric.clear()
        self.network.set_train(False)
        tell("on_eval_begin", context)
        tell("on_eval_epoch_begin", context)
        within, losses = "train_network" in state, []
        for element in feed.epoch():
            state["cur_step_num"] += 1
            state["eval_dataset_element"] = element
            tell("on_eval_step_begin", context)
            outputs = self.network(*element)
            state["net_outputs"] = outputs
            self._update(outputs if isinstance(outputs, (tuple, list)) else (outputs,))
            if within:
                losses.append(first_output(outputs))
            tell("on_eval_step_end", context)
            if context.get_stop_requested():
                break
        tell("on_eval_epoch_end", context)
        state["metrics"] = {name: _plain(metric.eval()) for name, metric in self.metrics.items()}
        if within:
            numbers = all(isinstance(loss, (int, float, np.number)) for loss in losses)
            state["eval_results"] = state.metrics | ({"eval_loss": _plain(np.mean(losses))} if numbers else {})
        tell("on_eval_end", context)

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
    """Return a number of NumPy's as one of Python's, which is printed as a number."""
    return value.item() if isinstance(value, np.generic) else value


def _no_batches(name: str, api: str) -> ValueError:
    return ValueError(
        f"For '{api}', the '{name}' gives no batches. Is it empty, or has it fewer samples than one batch, which "
        "'drop_remainder' drops?"
    )
