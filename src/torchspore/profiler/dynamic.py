"""Profiles of a running training, controlled by a file."""

from __future__ import annotations

import json
import os
import time
from typing import Annotated, Any

from torchspore import log
from torchspore.engine.parameters import Positive, Where, checked
from torchspore.engine.storage.reading import read_json
from torchspore.engine.storage.writing import replacing
from torchspore.profiler.options import AicoreMetrics, ExportType, HostSystem, ProfilerActivity, ProfilerLevel
from torchspore.profiler.profiling import Profiler
from torchspore.profiler.results import tensorboard_trace_handler
from torchspore.train.callback.callback import Callback, RunContext

__all__ = ["DynamicProfilerMonitor"]

_FILE = "profiler_config.json"
_DEFAULT = {"start_step": -1, "stop_step": -1}
_OWN = ("start_step", "stop_step", "prof_path", "analyse", "analyse_mode")
_NAMES = {  # options whose values are members of an enumeration
    "profiler_level": ProfilerLevel,
    "aic_metrics": AicoreMetrics,
    "activities": ProfilerActivity,
    "export_type": ExportType,
    "host_sys": HostSystem,
}


class DynamicProfilerMonitor(Callback):
    """Records the steps of a training that a file selects; the file may be changed while the training runs.

    The file is `profiler_config.json` in `cfg_path`; it is created with `{"start_step": -1, "stop_step": -1}`, which
    records nothing. Its keys are the first and the last step to be recorded, `prof_path` for another folder of results,
    and arguments of `Profiler`. An invalid file is logged, and the training continues. The results are those
    of `tensorboard_trace_handler`.

    Args:
        cfg_path: the folder of the file, created if it is missing.
        output_path: the folder of results. Default: "./dyn_profile_data".
        poll_interval: the number of seconds between reads of the file. Default: 2.
        kwargs: no other arguments are accepted.

    Raises:
        TypeError: an argument is unknown or of a wrong type.

    Examples:
        >>> import os, tempfile
        >>> import torchspore as ms
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     monitor = ms.profiler.DynamicProfilerMonitor(folder)
        ...     os.listdir(folder)
        ['profiler_config.json']
    """

    @checked
    def __init__(
        self,
        cfg_path: Annotated[str | None, Where("a string", lambda path: path is not None, TypeError)] = None,
        output_path: str = "./dyn_profile_data",
        poll_interval: Positive = 2,
        **kwargs: Any,
    ) -> None:
        if kwargs:
            raise TypeError(f"For 'DynamicProfilerMonitor', there are no arguments {[*kwargs]}.")
        self._output_path, self._interval = output_path, poll_interval
        self._path = os.path.join(str(cfg_path), _FILE)
        self._looked_at = -float("inf")
        self._written_at = 0.0
        self._order: dict[str, Any] = dict(_DEFAULT)
        self._profiler: Profiler | None = None
        if not os.path.exists(self._path):
            os.makedirs(str(cfg_path), exist_ok=True)
            with replacing(self._path) as file:
                file.write(json.dumps(_DEFAULT).encode())

    def on_train_step_begin(self, run_context: RunContext) -> None:
        """Begin to record, if the file says so."""
        self._look()
        step = run_context.original_args().cur_step_num
        if self._profiler is None and self._order["start_step"] <= step <= self._order["stop_step"]:
            self._begin()

    def on_train_step_end(self, run_context: RunContext) -> None:
        """Write the results if this was the last step to be recorded."""
        if self._profiler is not None and run_context.original_args().cur_step_num >= self._order["stop_step"]:
            self._finish()

    def on_train_end(self, run_context: RunContext) -> None:
        """Write the results if the training ends during a recording."""
        if self._profiler is not None:
            self._finish()

    def _look(self) -> None:
        """Read the file if it has changed and nothing is being recorded."""
        now = time.monotonic()
        if self._profiler is not None or now - self._looked_at < self._interval:
            return
        self._looked_at = now
        try:
            written_at = os.stat(self._path).st_mtime
            if written_at != self._written_at:
                self._written_at = written_at
                self._order = {**_DEFAULT, **read_json(self._path, dict)}
        except (OSError, ValueError) as error:
            log.error("For 'DynamicProfilerMonitor', %s cannot be read: %s", self._path, error)

    def _begin(self) -> None:
        options = {name: _value(name, value) for name, value in self._order.items() if name not in _OWN}
        handler = tensorboard_trace_handler(self._order.get("prof_path") or self._output_path)
        try:
            self._profiler = Profiler(on_trace_ready=handler, **options)
        except (TypeError, ValueError, NotImplementedError) as error:
            log.error("For 'DynamicProfilerMonitor', %s cannot be followed: %s", self._path, error)
            self._order = dict(_DEFAULT)

    def _finish(self) -> None:
        profiler, self._profiler = self._profiler, None
        self._order = dict(_DEFAULT)
        if profiler is not None:
            profiler.stop()


def _value(name: str, value: Any) -> Any:
    """Convert the name of an enumeration member, or a list of names, to members."""
    members = _NAMES.get(name)
    if members is None or isinstance(value, int):
        return value
    by_name = {text: member for member in members for text in (member.name, member.value)}
    if isinstance(value, list):
        return [by_name.get(item, item) for item in value]
    return by_name.get(value, value)
