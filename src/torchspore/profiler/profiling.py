"""`profile` and the older `Profiler`, over `torch.profiler.profile`."""

from __future__ import annotations

import errno
import gzip
import json
import os
import shutil
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from inspect import signature
from pathlib import Path
from types import TracebackType
from typing import Annotated, Any, Literal

import torch

from torchspore import log
from torchspore.common.frames.user_lines import warn_of_unknown
from torchspore.engine.parameters import Limits, NotNegative, checked
from torchspore.engine.storage.writing import replacing_several
from torchspore.profiler.marks import set_marks
from torchspore.profiler.options import ProfilerActivity, _ExperimentalConfig, refuse_if_asked, torch_activities
from torchspore.profiler.results import operators, tensorboard_trace_handler

__all__ = ["Profiler", "profile"]


@contextmanager
def _results_per_cycle() -> Iterator[None]:
    """Silence torch's warning that each cycle starts anew: the handler has the results by then."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Warning: Profiler clears events")
        yield


class profile:
    """Records what PyTorch does.

    Args:
        activities: ProfilerActivity members. Default: None, the host and the device in use.
        with_stack: whether lines of Python are recorded, too. Default: False.
        profile_memory: whether memory is recorded, too. Default: False.
        data_process: False. Default: False.
        parallel_strategy: False. Default: False.
        start_profile: whether recording begins at once; else `start` begins it. Default: True.
        hbm_ddr: False. Default: False.
        pcie: False. Default: False.
        sync_enable: accepted; the times of a GPU are its own in any case. Default: True.
        record_shapes: whether the shapes of inputs are recorded, too. Default: False.
        schedule: which steps are recorded, a `schedule`; `step` counts them. Default: None, all as one.
        on_trace_ready: a function of the profile, called when the steps of a cycle are recorded or recording ends,
            such as `tensorboard_trace_handler()`. Default: None.
        experimental_config: more options. Default: None.

    Raises:
        ValueError: only a card is to be recorded, and a CPU is in use.
        NotImplementedError: an argument asks for figures that only Ascend cards give.

    Examples:
        >>> import torchspore as ms
        >>> with ms.profiler.profile() as prof:
        ...     total = ms.Tensor([1, 2]) + 1
        >>> "aten::add" in prof.table()
        True
    """

    @checked
    def __init__(
        self,
        activities: Iterable[ProfilerActivity] | None = None,
        with_stack: bool = False,
        profile_memory: bool = False,
        data_process: bool = False,
        parallel_strategy: bool = False,
        start_profile: bool = True,
        hbm_ddr: bool = False,
        pcie: bool = False,
        sync_enable: bool = True,
        record_shapes: bool = False,
        schedule: Callable[[int], torch.profiler.ProfilerAction] | None = None,
        on_trace_ready: Callable[..., Any] | None = None,
        experimental_config: _ExperimentalConfig | None = None,
    ) -> None:
        api = type(self).__name__
        flags = {"data_process": data_process, "parallel_strategy": parallel_strategy, "hbm_ddr": hbm_ddr, "pcie": pcie}
        refuse_if_asked(flags, api)
        self._config = experimental_config or _ExperimentalConfig()
        # Some programs pass the handler factory without calling it: use its defaults.
        self._ready = on_trace_ready() if on_trace_ready is tensorboard_trace_handler else on_trace_ready
        self._options: dict[str, Any] = {
            "activities": torch_activities(activities, api),
            "with_stack": with_stack,
            "profile_memory": profile_memory,
            "record_shapes": record_shapes,
            "schedule": schedule,
            "on_trace_ready": lambda _: self._call_ready(),
        }
        self._torch: torch.profiler.profile | None = None
        self._running = False
        self.metadata: dict[str, Any] = {}
        if start_profile:
            self.start()

    def __enter__(self) -> profile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._running:
            self.stop()

    @property
    def torch_profile(self) -> torch.profiler.profile:
        """The `torch.profiler.profile` that records.

        Raises:
            RuntimeError: `start` was not called.
        """
        if self._torch is None:
            raise RuntimeError(f"For '{type(self).__name__}', nothing is recorded yet. Call 'start' first.")
        return self._torch

    def start(self) -> None:
        """Begin to record; what was recorded before is dropped.

        Raises:
            RuntimeError: it records already.
        """
        if self._running:
            raise RuntimeError(f"For '{type(self).__name__}', it records already. Call 'stop' before 'start'.")
        self._torch = torch.profiler.profile(**self._options)
        set_marks(self._config)
        with _results_per_cycle():
            self._torch.start()
        self._running = True

    def stop(self) -> None:
        """End recording, and call `on_trace_ready`.

        Raises:
            RuntimeError: it does not record.
        """
        if not self._running:
            raise RuntimeError(f"For '{type(self).__name__}', it does not record. Call 'start' before 'stop'.")
        self._running = False
        set_marks(_ExperimentalConfig())
        self.torch_profile.stop()

    def step(self) -> None:
        """Say that a step is done.

        Raises:
            RuntimeError: it does not record.
        """
        if not self._running:
            raise RuntimeError(f"For '{type(self).__name__}', it does not record. Call 'start' before 'step'.")
        with _results_per_cycle():
            self.torch_profile.step()

    @checked
    def add_metadata(self, key: str, value: str) -> None:
        """Store a string with the results.

        Args:
            key: its name.
            value: the string.
        """
        self.metadata[key] = value

    @checked
    def add_metadata_json(self, key: str, value: str) -> None:
        """Store a value, given as JSON, with the results.

        Args:
            key: its name.
            value: the string.

        Raises:
            ValueError: `value` is not valid JSON.
        """
        try:
            self.metadata[key] = json.loads(value)
        except json.JSONDecodeError as error:
            raise ValueError(f"For 'add_metadata_json', 'value' must be JSON, but got {value!r}: {error}.") from None

    @checked
    def table(self, sort_by: str | None = None, row_limit: Annotated[int, Limits(-1)] = 20) -> str:
        """Return the times of operators as a table; with a `schedule`, of its last cycle.

        Args:
            sort_by: a column of torch's, such as "cpu_time_total". Default: None, "self_cpu_time_total".
            row_limit: the number of rows; -1 for all. Default: 20.

        Raises:
            RuntimeError: nothing is recorded.
        """
        self.check_results("table")
        averages = self.torch_profile.key_averages()
        return str(averages.table(sort_by=sort_by or "self_cpu_time_total", row_limit=row_limit))

    def export_chrome_trace(self, path: str) -> None:
        """Write the trace, which https://ui.perfetto.dev and chrome://tracing show.

        Args:
            path: the file; one that ends in ".gz" is compressed.

        Raises:
            RuntimeError: nothing is recorded, or the trace was already written, which torch supports only once.
            OSError: the file cannot be written.
        """
        self.check_results("export_chrome_trace")
        with replacing_several(path) as folder:
            written = os.path.join(folder, "trace.json")
            self.torch_profile.export_chrome_trace(written)
            if not os.path.exists(written):  # torch only logs that the disk is full
                raise OSError(errno.ENOSPC, "The trace could not be written")
            if path.endswith(".gz"):
                with open(written, "rb") as source, gzip.open(f"{written}.gz", "wb") as file:
                    shutil.copyfileobj(source, file)
                os.remove(written)
                written += ".gz"
            os.rename(written, os.path.join(folder, os.path.basename(path)))

    def check_results(self, api: str) -> None:
        """Check that there are results.

        Raises:
            RuntimeError: there are none.
        """
        if getattr(self.torch_profile.profiler, "kineto_results", None) is None:
            raise RuntimeError(
                f"For '{api}', there are no results: recording goes on, or no step of the 'schedule' was recorded. "
                "Call 'stop' first."
            )

    def _call_ready(self) -> None:
        if self._ready is not None:
            self._ready(self)


_CONFIG = [*signature(_ExperimentalConfig.__init__).parameters][1:]
_PROFILE = [*signature(profile.__init__).parameters][1:]


class Profiler(profile):
    """The older form of `profile`: records, and writes the results when `analyse` is called.

    Args:
        kwargs: `output_path`, where the results are written, by default "./data"; and the arguments of `profile` and
            `_ExperimentalConfig`.

    Raises:
        TypeError: an argument is unknown or of a wrong type.
        NotImplementedError: an argument asks for figures that only Ascend cards give.

    Examples:
        >>> import os, tempfile
        >>> import torchspore as ms
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     profiler = ms.Profiler(output_path=folder)
        ...     total = ms.Tensor([1, 2]) + 1
        ...     profiler.analyse()
        ...     len(os.listdir(folder))
        1
    """

    @checked
    def __init__(self, *, output_path: str = "./data", **kwargs: Any) -> None:
        self._output_path = output_path
        config = {name: kwargs.pop(name) for name in _CONFIG if name in kwargs}
        unknown = [name for name in kwargs if name not in _PROFILE]
        warn_of_unknown(unknown, "Profiler", sorted(["output_path", *_CONFIG, *_PROFILE]))
        for name in unknown:
            del kwargs[name]
        if config:
            kwargs["experimental_config"] = _ExperimentalConfig(**config)
        super().__init__(**kwargs)

    @checked
    def analyse(
        self,
        offline_path: Any = None,
        pretty: bool = False,
        step_list: Any = None,
        mode: Literal["sync", "async"] = "sync",
    ) -> None:
        """End recording, and write the results as `tensorboard_trace_handler` does, unless `on_trace_ready` got them.

        Args:
            offline_path: None. Default: None.
            pretty: accepted; it is about the look of files. Default: False.
            step_list: None. Default: None.
            mode: "sync" or "async"; the files are there when this returns. Default: "sync".

        Raises:
            NotImplementedError: `offline_path` or `step_list` is given.
            RuntimeError: nothing is recorded.
        """
        if offline_path is not None:
            self.offline_analyse(offline_path)
        if step_list is not None:
            raise NotImplementedError("For 'Profiler.analyse', 'step_list' is not supported. Choose with 'schedule'.")
        if self._running:
            self.stop()
        if self._ready is None:
            tensorboard_trace_handler(self._output_path)(self)

    @classmethod
    def offline_analyse(cls, path: str, *args: Any, **kwargs: Any) -> None:
        """Do as `analyse`, the function."""
        analyse(path)

    @checked
    def op_analyse(self, op_name: str | list[str], device_id: NotNegative | None = None) -> str:
        """Return the statistics of operators as JSON.

        Args:
            op_name: torch's names of them, such as "aten::add" or "add".
            device_id: the number of the device; there is one. Default: None.

        Returns:
            A dictionary from names to times in microseconds and numbers of calls; None for operators that did not run.

        Raises:
            RuntimeError: nothing is recorded.
        """
        names = [op_name] if isinstance(op_name, str) else op_name
        known = {row["name"]: row for row in operators(self)}
        return json.dumps({name: known.get(name, known.get(f"aten::{name}")) for name in names})


def analyse(
    profiler_path: str,
    max_process_number: int = 1,
    pretty: bool = False,
    step_list: Any = None,
    data_simplification: bool = True,
) -> None:
    """Warn that there is nothing to do: results of TorchSpore are whole as they are written.

    Args:
        profiler_path: the folder of the results.
        max_process_number, pretty, step_list, data_simplification: without effect.

    Raises:
        NotImplementedError: the folder has raw data of Ascend cards, which MindSpore reads on their machines only.
    """
    if any(Path(profiler_path).glob("**/*_ascend_ms")):
        raise NotImplementedError(
            f"For 'analyse', the raw data of Ascend cards in {profiler_path!r} can be read by MindSpore on their "
            "machines only. Results of TorchSpore are whole as they are written."
        )
    log.warning("For 'analyse', there is nothing to do in %r: results are whole as they are written.", profiler_path)
