"""`SummaryRecord`: values of a program for TensorBoard."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np

from torchspore import log
from torchspore.common.np_dtype import standard_array
from torchspore.common.tensor import Tensor
from torchspore.engine.failures.errors import describe
from torchspore.engine.parameters import Named, NotNegative, Positive, Where, checked
from torchspore.engine.storage.writing import save_array
from torchspore.nn.cell import Cell
from torchspore.ops.control.summaries import RECORDERS
from torchspore.train.summary.events import PLUGINS, EventFile, check_installed

__all__ = ["ExportOptions", "SummaryRecord"]

_API = "SummaryRecord"
_FileName: TypeAlias = Annotated[
    str, Where("letters, digits, '_' and '.'", re.compile(r"\w+[0-9a-zA-Z_.]*", re.ASCII).fullmatch)
]
ExportOptions: TypeAlias = dict[Literal["tensor_format"], Literal["npy"] | None]
_TABLES = ("train_lineage", "eval_lineage", "custom_lineage_data")
_REFUSED = ("dataset_graph", "landscape")  # only MindInsight displays them


class SummaryRecord:
    """Write values to an event file for TensorBoard.

    Values come from `add_value`, and while the record is open from `ops.ScalarSummary`, `ops.ImageSummary`,
    `ops.TensorSummary` and `ops.HistogramSummary`. `record` writes the last value of each name.

    Args:
        log_dir: the folder, made if it does not exist.
        file_prefix, file_suffix: the beginning and end of the file's name. Default: "events" and "_MS".
        num_process: accepted; this process writes. Default: 32.
        network: a cell whose structure the first `record` writes as text. Default: None.
        max_file_size: the maximum number of bytes; later events are dropped with a warning. Default: None, no limit.
        raise_exception: whether a write error is raised at once. Default: False: it is logged, and `close` raises it.
        export_options: `{"tensor_format": "npy"}` also writes tensors to separate files. Default: None.

    Raises:
        ModuleNotFoundError: the package tensorboard is missing.
        OSError: the file is closed, and values are missing in it, as they could not be written.

    Examples:
        >>> import os, tempfile
        >>> import torchspore as ms
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with ms.SummaryRecord(folder) as record:
        ...         record.add_value("scalar", "loss", ms.Tensor(0.5))
        ...         record.record(step=1)
        ...     "tfevents" in os.listdir(folder)[0]
        True
        True
    """

    @checked
    def __init__(
        self,
        log_dir: Named,
        file_prefix: _FileName = "events",
        file_suffix: _FileName = "_MS",
        num_process: NotNegative = 32,
        network: Cell | None = None,
        max_file_size: Positive | None = None,
        raise_exception: bool = False,
        export_options: ExportOptions | None = None,
    ) -> None:
        self._network, self._raises = network, raise_exception
        self._shows_network = True
        self._exports = bool(export_options and export_options.get("tensor_format"))
        folder = os.path.realpath(log_dir)
        check_installed(_API)
        os.makedirs(folder, exist_ok=True)
        self._file = EventFile(folder, file_prefix, file_suffix, max_file_size)
        self._values: dict[tuple[str, str], Any] = {}
        self._mode = "train"
        self._lost: OSError | RuntimeError | None = None  # the first error that was logged
        self.closed = False
        RECORDERS.append(self._take)

    def __enter__(self) -> SummaryRecord:
        if self.closed:
            raise ValueError(f"For '{_API}', the record is closed. Create a new one.")
        return self

    def __exit__(self, kind: object, *error: object) -> None:
        if kind is None:
            self.close()
        else:  # which explains what is missing
            self._end()

    @property
    def log_dir(self) -> str:
        """The path of the event file."""
        return self._file.path

    @checked
    def set_mode(self, mode: Literal["train", "eval"]) -> None:
        """Set the mode, "train" or "eval": in "eval" mode, the structure of networks is not written."""
        self._mode = mode

    @checked
    def add_value(self, plugin: str, name: Annotated[str, Where("a non-empty string", bool)], value: Any) -> None:
        """Add a value for the next `record`.

        Args:
            plugin: its kind: "scalar", "image", "tensor", "histogram"; "graph" for a cell, whose structure is written
                as text; "train_lineage", "eval_lineage" or "custom_lineage_data" for a dict, which becomes a table.
            name: its name.
            value: a Tensor; of one number for "scalar", of shape (N, 1, H, W) or (N, 3, H, W) for "image", where
                uint8 is unchanged and other types are scaled by the maximum; with a dimension or more for "tensor" and
                "histogram".

        Raises:
            TypeError: the value has a wrong type.
            ValueError: the kind is unknown, the name is empty or not a string, or the shape does not fit.
            NotImplementedError: `plugin` is "dataset_graph" or "landscape".
        """
        if plugin in _REFUSED:
            raise NotImplementedError(f"For '{_API}.add_value', {plugin!r} is not supported: TensorBoard has no page.")
        if plugin not in PLUGINS:
            raise ValueError(f"For '{_API}.add_value', 'plugin' must be one of {[*PLUGINS]}, but got {plugin!r}.")
        self._values[plugin, name] = _prepared(plugin, value)

    def _take(self, plugin: str, name: str, array: np.ndarray[Any, Any]) -> None:
        """Add the value of an operation such as `ops.ScalarSummary`."""
        if plugin in ("image", "scalar"):
            _check_shape(plugin, array.shape)
        self._values[plugin, name] = array

    @checked
    def record(
        self, step: int, train_network: Cell | None = None, plugin_filter: Callable[[str], bool] | None = None
    ) -> bool:
        """Write the values since the last call, and return whether this succeeded; False if the record is closed.

        Args:
            step: the number of the step.
            train_network: a cell whose structure is written, if none has been yet. Default: None.
            plugin_filter: a function of the kind of a value that returns whether to write it; other values are dropped.
                Default: None, all.
        """
        network = train_network or self._network
        if self.closed:
            log.error("For 'SummaryRecord.record', the record is closed: nothing is written.")
            return False
        if network is not None and self._shows_network and self._mode == "train":
            self._values["graph", "network"] = network
            self._shows_network = False
        values, self._values = self._values, {}
        selected = {key: value for key, value in values.items() if plugin_filter is None or plugin_filter(key[0])}
        return self._attempt(lambda: self._write(step, selected)) if selected else True

    def _write(self, step: int, values: dict[tuple[str, str], Any]) -> None:
        self._file.write(step, [PLUGINS[plugin](name, value) for (plugin, name), value in values.items()])
        if self._exports:
            self._export(step, values)

    def _export(self, step: int, values: dict[tuple[str, str], Any]) -> None:
        folder = os.path.join(os.path.dirname(self._file.path), "export", "tensor")
        os.makedirs(folder, exist_ok=True)
        for (plugin, name), value in values.items():
            if plugin == "tensor":
                save_array(os.path.join(folder, f"{re.sub(r'[^0-9a-zA-Z_.-]', '_', name)}_{step}.npy"), value)

    def _attempt(self, action: Callable[[], None]) -> bool:
        """Run a write to the file; an error is raised, or logged the first time, according to `raise_exception`."""
        try:
            action()
        except (OSError, RuntimeError) as error:
            if self._raises:
                raise
            if self._lost is None:
                log.error("For 'SummaryRecord', %s could not be written: %s", self._file.path, error)
                self._lost = error
            return False
        return True

    def flush(self) -> None:
        """Sync the file to the disk."""
        if not self.closed:
            self._attempt(self._file.flush)

    def close(self) -> None:
        """Close the file; values that are not recorded are dropped.

        Raises:
            OSError: an error was logged, so that recorded values are missing.
        """
        self._end()
        lost, self._lost = self._lost, None
        if lost is not None:
            code = getattr(lost, "errno", None)
            reason = os.strerror(code) if code else str(lost)
            raise OSError(code, f"For '{_API}', recorded values are missing: {reason}", self._file.path) from lost

    def _end(self) -> None:
        if not self.closed:
            self.closed = True
            RECORDERS.remove(self._take)
            self._attempt(self._file.close)


def _prepared(plugin: str, value: Any) -> Any:
    """Return a value in the form that its kind needs: a NumPy array, or the value itself."""
    kind: type[Any] = Cell if plugin == "graph" else dict if plugin in _TABLES else Tensor
    if not isinstance(value, kind):
        raise TypeError(
            f"For '{_API}.add_value', 'value' must be a {kind.__name__} for {plugin!r}, but got {describe(value)}."
        )
    if not isinstance(value, Tensor):
        return dict(value) if isinstance(value, dict) else value
    _check_shape(plugin, value.shape)
    return standard_array(value).copy()


def _check_shape(plugin: str, shape: tuple[int, ...]) -> None:
    wanted, fits = {
        "scalar": ("one number", shape in ((), (1,))),
        "image": ("shape (N, 1, H, W) or (N, 3, H, W)", len(shape) == 4 and shape[1] in (1, 3) and 0 not in shape),
    }.get(plugin, ("a dimension or more, and elements", len(shape) > 0 and 0 not in shape))
    if not fits:
        raise ValueError(f"For '{_API}.add_value', the value of a {plugin!r} must have {wanted}, but got {shape}.")
