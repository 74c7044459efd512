"""The files of a profile: a trace and a table."""

from __future__ import annotations

import csv
import io
import json
import os
import socket
import time
from collections.abc import Callable
from itertools import count
from typing import Any, Protocol

from torchspore.engine.parameters import checked
from torchspore.engine.storage.writing import replacing

__all__ = ["operators", "tensorboard_trace_handler"]

_number = count()


class Profile(Protocol):
    """The part of `torchspore.profiler.profile` that is used here."""

    metadata: dict[str, Any]

    @property
    def torch_profile(self) -> Any: ...

    def check_results(self, api: str) -> None: ...

    def export_chrome_trace(self, path: str) -> None: ...


def operators(prof: Profile) -> list[dict[str, Any]]:
    """Return the statistics of each operator in a profile, slowest first. Times are in microseconds."""
    prof.check_results("operators")
    rows = [
        {
            "name": event.key,
            "count": event.count,
            "self_cpu_us": round(event.self_cpu_time_total, 3),
            "total_cpu_us": round(event.cpu_time_total, 3),
            "self_device_us": round(event.self_device_time_total, 3),
            "total_device_us": round(event.device_time_total, 3),
        }
        for event in prof.torch_profile.key_averages()
    ]
    return sorted(rows, key=lambda row: (row["self_device_us"], row["self_cpu_us"]), reverse=True)


@checked
def tensorboard_trace_handler(
    dir_name: str | None = None, worker_name: str | None = None, analyse_flag: bool = True, async_mode: bool = False
) -> Callable[[Profile], None]:
    """Return an `on_trace_ready` that writes what was recorded into a new folder, `<worker>_<time>`.

    `trace_view.json` is the trace, which https://ui.perfetto.dev, chrome://tracing and MindStudio Insight show.
    `op_statistic.csv` has the times of each operator, and `profiler_metadata.json` what `add_metadata` was given.

    Args:
        dir_name: where the folder is made. Default: None, "./data".
        worker_name: how its name begins. Default: None: the names of the machine and of the process.
        analyse_flag: whether the table is written, too. Default: True.
        async_mode: accepted; the files are there when the handler returns. Default: False.

    Returns:
        A function of a `profile`.

    Examples:
        >>> import os, tempfile
        >>> import torchspore as ms
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     handler = ms.profiler.tensorboard_trace_handler(folder, "worker")
        ...     with ms.profiler.profile(on_trace_ready=handler):
        ...         total = ms.Tensor([1, 2]) + 1
        ...     sorted(os.listdir(os.path.join(folder, os.listdir(folder)[0])))
        ['op_statistic.csv', 'profiler_metadata.json', 'trace_view.json']
    """
    api = "tensorboard_trace_handler"
    worker = worker_name or f"{socket.gethostname()}_{os.getpid()}"

    def write(prof: Profile) -> None:
        prof.check_results(api)
        stamp = f"{time.strftime('%Y%m%d%H%M%S')}_{next(_number)}"
        folder = os.path.join(dir_name or "./data", f"{worker}_{stamp}")
        os.makedirs(folder, exist_ok=True)
        prof.export_chrome_trace(os.path.join(folder, "trace_view.json"))
        with replacing(os.path.join(folder, "profiler_metadata.json"), durable=False) as file:
            file.write(json.dumps(prof.metadata, indent=2).encode())
        if analyse_flag:
            _write_table(os.path.join(folder, "op_statistic.csv"), operators(prof))

    return write


def _write_table(path: str, rows: list[dict[str, Any]]) -> None:
    text = io.StringIO(newline="")
    if rows:
        writer = csv.DictWriter(text, fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    with replacing(path, durable=False) as file:
        file.write(text.getvalue().encode())
