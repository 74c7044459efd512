"""The progress bar of trainings and evaluations, on a terminal and in notebooks."""

from __future__ import annotations

import os
import sys
import time
import warnings
from typing import Any

import numpy as np

from torchspore.engine.parameters import NotNegativeFloat, checked
from torchspore.train.callback.callback import Callback, RunContext, first_output

__all__ = ["ProgressBar", "with_progress_bar"]


class ProgressBar(Callback):
    """Show epoch, step, loss, speed and remaining time on a terminal or in a notebook.

    `Model.train`, `fit` and `eval` add one, unless a callback is a `ProgressBar` already. It needs the package `tqdm`;
    without it, or if the standard error is neither a terminal nor a notebook's, nothing is shown. In a notebook
    the bar is a widget if `ipywidgets` is installed, else text, then without a bar for evaluations of `fit`. The loss
    is read only when the bar is drawn, to avoid waiting for a GPU at each step. On a terminal, output of the program
    appears above the bar.

    Args:
        refresh_rate: the maximum number of updates per second; 0 shows nothing. Default: 4.
        file: the stream of the bar, if it is a terminal. Default: None, the standard error, or the notebook.

    Raises:
        ValueError: it is below 0.

    Examples:
        >>> import torchspore as ms
        >>> hidden = ms.train.ProgressBar(refresh_rate=0)
    """

    @checked
    def __init__(self, refresh_rate: NotNegativeFloat = 4, file: Any = None) -> None:
        self.refresh_rate = refresh_rate
        self._file = file
        self._bars: dict[str, _Bar] = {}
        self._stdout: _StdoutAboveBars | None = None

    def __exit__(self, *error: object) -> None:
        for bar in self._bars.values():
            bar.line.close()
        self._bars.clear()
        self._restore_stdout()

    def on_train_epoch_begin(self, run_context: RunContext) -> None:
        """Open the bar of an epoch."""
        state = run_context.original_args()
        self._open("train", f"Epoch {state.cur_epoch_num}/{state.epoch_num}", state)

    def on_train_step_end(self, run_context: RunContext) -> None:
        """Draw the bar, if it is due."""
        self._step("train", run_context)

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """Draw the bar with the results of the epoch, and leave it on the terminal."""
        self._close("train", run_context.original_args())

    def on_eval_epoch_begin(self, run_context: RunContext) -> None:
        """Open the bar of an evaluation."""
        self._open("eval", "Evaluation", run_context.original_args())

    def on_eval_step_end(self, run_context: RunContext) -> None:
        """Draw the bar, if it is due."""
        self._step("eval", run_context)

    def on_eval_end(self, run_context: RunContext) -> None:
        """Draw the bar with the results; within a training, the bar of the epoch shows them."""
        self._close("eval", run_context.original_args())

    def _open(self, stage: str, title: str, state: Any) -> None:
        file = self._file or sys.stderr
        is_on_page = self._file is None and in_notebook()
        is_shown = is_on_page or (hasattr(file, "isatty") and file.isatty())
        tqdm = _tqdm(is_on_page) if self.refresh_rate and is_shown else None
        nested = bool(self._bars)
        is_widget = tqdm is not None and is_on_page and _is_widget(tqdm)
        if tqdm is None or (nested and is_on_page and not is_widget):  # a page cannot move between lines of text
            return
        width = {"dynamic_ncols": True} if is_widget or _has_width(file) else {"ncols": 80}
        total = state.batch_num or None
        line = tqdm(total=total, desc=title, file=file, leave=not nested, position=int(nested), **width)
        self._bars[stage] = _Bar(line, state.cur_step_num, 1 / self.refresh_rate)
        if self._stdout is None and not is_on_page and sys.stdout.isatty():
            self._stdout = sys.stdout = _StdoutAboveBars(sys.stdout, tqdm)

    def _step(self, stage: str, run_context: RunContext) -> None:
        bar = self._bars.get(stage)
        if bar is not None and time.monotonic() >= bar.due:
            state = run_context.original_args()
            bar.draw(state.cur_step_num, state.net_outputs)

    def _close(self, stage: str, state: Any) -> None:
        bar = self._bars.pop(stage, None)
        if bar is not None:
            bar.draw(state.cur_step_num, state.get("net_outputs"), state.get("metrics"))
            bar.line.close()
        if not self._bars:
            self._restore_stdout()

    def _restore_stdout(self) -> None:
        if self._stdout is not None and sys.stdout is self._stdout:
            sys.stdout = self._stdout.stream
            self._stdout.finish()
        self._stdout = None


class _Bar:
    """A line on the terminal, and the time of its next update."""

    def __init__(self, line: Any, first_step: int, interval: float) -> None:
        self.line = line
        self.due = 0.0
        self._first_step = first_step  # the steps of earlier epochs
        self._interval = interval

    def draw(self, step: int, outputs: Any, metrics: dict[str, Any] | None = None) -> None:
        """Draw the line after a step, with metrics and the loss, if the outputs have one."""
        loss = first_output(outputs)
        values = {"loss": loss} if isinstance(loss, (int, float, np.number)) else {}
        values |= metrics or {}
        text = ", ".join(f"{name}={_short(value)}" for name, value in values.items())
        self.line.set_postfix_str(text, refresh=False)
        self.line.n = step - self._first_step
        self.line.refresh()
        self.due = time.monotonic() + self._interval


class _StdoutAboveBars:
    """The standard output while there are bars: complete lines are written above them."""

    def __init__(self, stream: Any, tqdm: Any) -> None:
        self.stream = stream
        self._tqdm = tqdm
        self._pending = ""

    def write(self, text: str) -> int:
        *lines, self._pending = (self._pending + text).split("\n")
        for line in lines:
            self._tqdm.write(line, file=self.stream)
        return len(text)

    def finish(self) -> None:
        """Write the last, incomplete line."""
        self.stream.write(self._pending)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, (float, np.floating)) else str(value)


def _has_width(file: Any) -> bool:
    try:
        return os.get_terminal_size(file.fileno()).columns > 0
    except (OSError, AttributeError):
        return False


def _tqdm(on_page: bool) -> Any:
    try:
        if not on_page:
            from tqdm import tqdm
        else:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # that ipywidgets is missing
                from tqdm.auto import tqdm
    except ImportError:
        return None
    return tqdm


def _is_widget(tqdm: Any) -> bool:
    from tqdm.notebook import tqdm as widget

    return issubclass(tqdm, widget)


def in_notebook() -> bool:
    """Return whether the kernel of a notebook runs the program."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return "IPKernelApp" in getattr(shell, "config", ())


def with_progress_bar(callbacks: list[Callback]) -> list[Callback]:
    """Return callbacks with a progress bar added, if there is a terminal or a notebook and none of them is one."""
    wanted = (sys.stderr is not None and sys.stderr.isatty()) or in_notebook()
    if not wanted or any(isinstance(callback, ProgressBar) for callback in callbacks):
        return callbacks
    return [*callbacks, ProgressBar()]
