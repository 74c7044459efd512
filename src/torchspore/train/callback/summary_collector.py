"""`SummaryCollector`: event files of a training for TensorBoard."""

from __future__ import annotations

import os
import re
from typing import Any, TypedDict

from torchspore.common.tensor import Tensor
from torchspore.engine.parameters import AnyNumber, Named, NotNegative, Positive, checked
from torchspore.train.callback.callback import Callback, RunContext, first_output
from torchspore.train.summary.events import check_installed
from torchspore.train.summary.record import ExportOptions, SummaryRecord

__all__ = ["SummaryCollector"]

_API = "SummaryCollector"


class _Selected(TypedDict, total=False):
    """What is written."""

    collect_metric: bool
    collect_graph: bool
    collect_train_lineage: bool
    collect_eval_lineage: bool
    collect_input_data: bool
    collect_dataset_graph: bool
    collect_landscape: dict[str, Any] | None
    histogram_regular: str | None


_FLAGS = ("collect_metric", "collect_graph", "collect_train_lineage", "collect_eval_lineage", "collect_input_data")
_REFUSED = ("collect_dataset_graph", "collect_landscape")
_DEFAULT_PARAMETERS = 5  # the number of parameters shown without a pattern
_TENSOR_RECORDS = 20  # the maximum, unless `collect_tensor_freq` is given


class SummaryCollector(Callback):
    """Write event files for TensorBoard: the loss, inputs, weights, the network and its results.

    Each training or evaluation writes its own file. Tables of a training's settings and results are on TensorBoard's
    text page.

    Args:
        summary_dir: the folder, made if it does not exist.
        collect_freq: the number of steps, or epochs in dataset sink mode, between records. The first is always
            written. Default: 10.
        num_process: accepted; this process writes. Default: 32.
        collect_specified_data: a dict that selects what is written: bools for "collect_metric" (the loss, and in
            `Model.fit` the results of evaluations), "collect_graph" (the network's structure, as text),
            "collect_train_lineage" (a table of the loss function, the optimizer, the data), "collect_eval_lineage" (a
            table of metrics) and "collect_input_data" (the first input, if it is an image); "histogram_regular", a
            pattern that the names of parameters begin with, or None for the first five. Default: None, all of these.
        keep_default_action: whether to write what that dict does not mention. Default: True.
        custom_lineage_data: a dict of strings and numbers to write as a table. Default: None.
        collect_tensor_freq: as `collect_freq`, for `ops.TensorSummary`. Default: None, at most 20 records.
        max_file_size, export_options: as for `SummaryRecord`.

    Raises:
        ModuleNotFoundError: the package tensorboard is missing.
        NotImplementedError: "collect_dataset_graph" or "collect_landscape": TensorBoard has no page for them.

    Examples:
        >>> import os, tempfile
        >>> import numpy as np
        >>> import torchspore as ms
        >>> net = ms.nn.Dense(1, 1)
        >>> model = ms.Model(net, ms.nn.MSELoss(), ms.nn.SGD(net.trainable_params(), 0.125))
        >>> data = ms.dataset.NumpySlicesDataset(
        ...     (np.ones((2, 1), np.float32), np.ones((2, 1), np.float32)), ["x", "y"]).batch(2)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     model.train(2, data, callbacks=ms.SummaryCollector(folder))
        ...     len(os.listdir(folder))
        1
    """

    @checked
    def __init__(
        self,
        summary_dir: Named,
        collect_freq: Positive = 10,
        num_process: NotNegative = 32,
        collect_specified_data: _Selected | None = None,
        keep_default_action: bool = True,
        custom_lineage_data: dict[str, AnyNumber | str] | None = None,
        collect_tensor_freq: Positive | None = None,
        max_file_size: Positive | None = None,
        export_options: ExportOptions | None = None,
    ) -> None:
        self._folder = os.path.realpath(summary_dir)
        self._freq, self._tensor_freq = collect_freq, collect_tensor_freq
        self._selected = _selection(collect_specified_data or {}, keep_default_action)
        self._custom = dict(custom_lineage_data or {})
        check_installed(_API)
        self._options: dict[str, Any] = {"max_file_size": max_file_size, "export_options": export_options}

    def __enter__(self) -> SummaryCollector:
        self._record = SummaryRecord(self._folder, **self._options)
        return self

    def __exit__(self, *error: object) -> None:
        self._record.__exit__(*error)

    def on_train_begin(self, run_context: RunContext) -> None:
        """Write the network's structure and the tables of settings."""
        state = run_context.original_args()
        if self._selected["collect_graph"]:
            self._record.add_value("graph", "network", state.network)
        if self._selected["collect_train_lineage"]:
            self._record.add_value("train_lineage", "train_lineage", _lineage(state))
        if self._custom:
            self._record.add_value("custom_lineage_data", "custom_lineage_data", self._custom)
        self._record.record(0)
        moments = state.epoch_num * (1 if state.dataset_sink_mode else state.batch_num)
        self._tensor_freq_now = self._tensor_freq or max(self._freq, -(-moments // _TENSOR_RECORDS))

    def on_train_step_end(self, run_context: RunContext) -> None:
        """Write the values of the step, if it is due."""
        state = run_context.original_args()
        count = state.cur_epoch_num if state.dataset_sink_mode else state.cur_step_num
        collects, collects_tensors = (count == 1 or count % freq == 0 for freq in (self._freq, self._tensor_freq_now))
        if collects:
            self._collect(state)
        self._record.record(
            state.cur_step_num, plugin_filter=lambda plugin: collects_tensors if plugin == "tensor" else collects
        )

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """Write the results of the evaluation, if there was one."""
        state = run_context.original_args()
        if self._selected["collect_metric"]:
            for name, value in state.get("eval_results", {}).items():
                if isinstance(value, (int, float)):
                    self._record.add_value("scalar", f"eval/{name}", Tensor(float(value)))
            self._record.record(state.cur_step_num)

    def on_eval_end(self, run_context: RunContext) -> None:
        """Write the results of an evaluation as a table; values of operations recorded meanwhile are dropped."""
        state = run_context.original_args()
        if self._selected["collect_eval_lineage"]:
            self._record.add_value("eval_lineage", "eval_lineage", state.get("metrics", {}))
        self._record.record(state.get("cur_epoch_num", 0), plugin_filter=lambda plugin: plugin == "eval_lineage")

    def _collect(self, state: Any) -> None:
        """Add the loss, the first input and the weights to the record."""
        if self._selected["collect_metric"]:
            loss = first_output(state.net_outputs)
            if hasattr(loss, "__float__"):
                self._record.add_value("scalar", "loss/auto", Tensor(float(loss)))
        if self._selected["collect_input_data"]:
            element = state.get("train_dataset_element") or [None]
            if _is_image(element[0]):
                self._record.add_value("image", "input_data/auto", element[0])
        for parameter in self._parameters(_weights(state)):
            self._record.add_value("histogram", f"{parameter.name}/auto", parameter)

    def _parameters(self, weights: list[Any]) -> list[Any]:
        """Return the parameters whose histograms are written."""
        pattern = self._selected["histogram_regular"]
        shaped = [parameter for parameter in weights if parameter.ndim and parameter.size]
        if pattern is None:
            return shaped[:_DEFAULT_PARAMETERS] if self._selected["histograms"] else []
        return [parameter for parameter in shaped if re.match(pattern, parameter.name)]


def _selection(specified: _Selected, default: bool) -> dict[str, Any]:
    """Return what to write, by key."""
    pattern = specified.get("histogram_regular")
    for key in _REFUSED:
        if specified.get(key):
            raise NotImplementedError(f"For '{_API}', {key!r} is not supported: TensorBoard has no page for it.")
    if pattern is not None:
        try:
            re.compile(pattern)
        except re.error as error:
            raise ValueError(f"For '{_API}', 'histogram_regular' is not a regular expression: {error}.") from None
    default_action = default or not specified
    selected: dict[str, Any] = {key: specified.get(key, default_action) for key in _FLAGS}
    return selected | {"histogram_regular": pattern, "histograms": default_action or "histogram_regular" in specified}


def _lineage(state: Any) -> dict[str, Any]:
    """Return the settings of a training."""
    optimizer = state.get("optimizer")
    learning_rate = getattr(optimizer, "learning_rate", None)
    known = {
        "network": type(state.network).__name__,
        "loss_function": _name(state.get("loss_fn")),
        "optimizer": _name(optimizer),
        "learning_rate": float(learning_rate) if isinstance(learning_rate, Tensor) and not learning_rate.ndim else None,
        "epoch": state.epoch_num,
        "steps_per_epoch": state.batch_num,
        "parameters": sum(parameter.size for parameter in _weights(state)),
    }
    return {name: value for name, value in known.items() if value is not None}


def _weights(state: Any) -> list[Any]:
    """Return the trained parameters, without the optimizer's own."""
    optimizer = state.get("optimizer")
    return list(state.network.trainable_params() if optimizer is None else optimizer.parameters)


def _name(thing: Any) -> str | None:
    return None if thing is None else getattr(thing, "__name__", type(thing).__name__)


def _is_image(value: Any) -> bool:
    return isinstance(value, Tensor) and value.ndim == 4 and value.shape[1] in (1, 3) and 0 not in value.shape
