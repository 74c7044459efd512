"""The progress bar: its text, where it is not shown, and how seldom it reads the loss."""

from __future__ import annotations

import io
import re
import sys
import types
from typing import Any, ClassVar

import numpy as np
import pytest

import torchspore as ms
from torchspore import nn
from torchspore.train import Callback, LossMonitor, Model, ProgressBar
from torchspore.train.callback import progress
from train.batches import Batches

pytest.importorskip("tqdm")

RANDOM = np.random.RandomState(0)
X, Y = RANDOM.randn(12, 3).astype(np.float32), RANDOM.randn(12, 2).astype(np.float32)


class Terminal(io.StringIO):
    """What is written to a terminal."""

    def isatty(self):
        return True

    def shown(self):
        """Return what was drawn: each line as often as it was written."""
        return [line.strip() for line in re.split(r"[\r\n]|\x1b\[A", self.getvalue()) if line.strip()]


def on_a_terminal(monkeypatch):
    """Make the error output a terminal, in the test itself: pytest sets its own before."""
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    return terminal


def model(rate=0.1, **options):
    net = nn.Dense(3, 2, weight_init="ones", bias_init="zeros")
    return Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), rate), **options)


def test_trainings_show_a_bar_on_a_terminal(monkeypatch):
    error_output = on_a_terminal(monkeypatch)
    losses = []
    keep = ms.LambdaCallback(on_train_epoch_end=lambda context: losses.append(context.original_args().net_outputs))
    model().train(2, Batches(X, Y), callbacks=keep)
    for epoch, loss in enumerate(losses, 1):
        last = [line for line in error_output.shown() if line.startswith(f"Epoch {epoch}/2: 100%")][-1]
        assert "3/3" in last
        assert last.endswith(f"loss={float(loss.asnumpy()):.4g}]")
        assert re.search(r"\[\d\d:\d\d<\d\d:\d\d, +[\d.]+\w+/", last)


def test_evaluations_show_a_bar_and_the_epoch_their_results(monkeypatch):
    error_output = on_a_terminal(monkeypatch)
    one = model(metrics={"mae"})
    one.fit(1, Batches(X, Y), Batches(X, Y))
    epoch = [line for line in error_output.shown() if line.startswith("Epoch 1/1: 100%")][-1]
    assert re.search(r"loss=[\d.]+, mae=[\d.]+\]$", epoch)
    error_output.truncate(0)
    results = one.eval(Batches(X, Y))
    last = [line for line in error_output.shown() if line.startswith("Evaluation: 100%")][-1]
    assert last.endswith(f"mae={results['mae']:.4g}]")


def test_epochs_and_later_epochs_count_their_own_steps(monkeypatch):
    error_output = on_a_terminal(monkeypatch)
    model().train(3, Batches(X, Y), initial_epoch=1)
    full = [line[:15] for line in error_output.shown() if "100%" in line]
    assert list(dict.fromkeys(full)) == ["Epoch 2/3: 100%", "Epoch 3/3: 100%"]


def test_networks_without_a_loss(monkeypatch):
    class Nothing(nn.Cell):
        def construct(self, x, y):
            return None

    error_output = on_a_terminal(monkeypatch)
    Model(Nothing()).train(1, Batches(X, Y))
    assert "100%" in error_output.shown()[-1]
    assert "loss" not in error_output.getvalue()


def test_what_is_printed_appears_above_the_bar(monkeypatch):
    on_a_terminal(monkeypatch)
    output = Terminal()
    monkeypatch.setattr(sys, "stdout", output)
    model().train(1, Batches(X, Y), callbacks=[LossMonitor(), Prints()])
    assert sys.stdout is output
    lines = [line for line in output.shown() if line.startswith(("epoch", "half"))]
    assert [line[:16] for line in lines] == ["epoch: 1 step: 1", "epoch: 1 step: 2", "epoch: 1 step: 3", "half a line"]


class Prints(Callback):
    def on_train_epoch_end(self, run_context):
        print("half a line", end="")


def test_silence_without_a_terminal(monkeypatch):
    for errors in (io.StringIO(), None):
        monkeypatch.setattr(sys, "stderr", errors)
        callbacks = []
        look = ms.LambdaCallback(
            on_train_begin=lambda context, seen=callbacks: seen.extend(context.original_args().list_callback)
        )
        model().train(1, Batches(X, Y), callbacks=look)
        assert callbacks == [look]
        assert errors is None or errors.getvalue() == ""
    plain = io.StringIO()
    model().train(1, Batches(X, Y), callbacks=ProgressBar(file=plain))
    assert plain.getvalue() == ""


def test_silence_without_tqdm(monkeypatch):
    error_output = on_a_terminal(monkeypatch)
    monkeypatch.setitem(sys.modules, "tqdm", None)
    model().train(1, Batches(X, Y))
    assert error_output.getvalue() == ""


class Kernel:
    """What IPython's `get_ipython` returns in the kernel of a notebook."""

    config: ClassVar[dict[str, Any]] = {"IPKernelApp": {}}


def in_a_notebook(monkeypatch, shell=Kernel):
    """Make the test run in a notebook whose error output is no terminal; return what is written there."""
    page = io.StringIO()
    monkeypatch.setattr(sys, "stderr", page)
    ipython = types.ModuleType("IPython")
    ipython.get_ipython = shell
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.delitem(sys.modules, "tqdm.auto", raising=False)
    monkeypatch.delitem(sys.modules, "tqdm.autonotebook", raising=False)
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    return page


def test_notebooks_without_widgets_show_text(monkeypatch):
    page = in_a_notebook(monkeypatch)
    one = model(metrics={"mae"})
    one.fit(1, Batches(X, Y), Batches(X, Y))
    drawn = [line for line in re.split(r"[\r\n]", page.getvalue()) if line]
    assert "100%" in drawn[-1]
    assert "mae=" in drawn[-1]
    assert not any("Evaluation" in line or "\x1b" in line for line in drawn)  # lines cannot be moved on a page
    one.eval(Batches(X, Y))
    assert "Evaluation: 100%" in page.getvalue()


def test_notebooks_with_widgets_show_these(monkeypatch):
    page = in_a_notebook(monkeypatch)
    from tqdm.notebook import tqdm as widget

    made = []

    class Widget(widget):
        def __init__(self, **options):
            made.append(options)
            self.n, self.options = 0, options

        def set_postfix_str(self, text, refresh):
            self.options["text"] = text

        def refresh(self):
            pass

        def close(self):
            self.options["closed"] = self.n

        def __del__(self):
            pass

    monkeypatch.setattr(progress, "_tqdm", lambda on_page: Widget if on_page else None)
    model(metrics={"mae"}).fit(1, Batches(X, Y), Batches(X, Y))
    assert [(bar["desc"], bar["leave"], bar["dynamic_ncols"]) for bar in made] == [
        ("Epoch 1/1", True, True), ("Evaluation", False, True),
    ]  # fmt: skip
    assert [bar["closed"] for bar in made] == [3, 3]
    assert all("mae=" in bar["text"] for bar in made)
    assert page.getvalue() == ""


@pytest.mark.parametrize("shell", [lambda: None, lambda: types.SimpleNamespace(config={}), lambda: object()])
def test_ipython_outside_of_notebooks_shows_nothing(monkeypatch, shell):
    page = in_a_notebook(monkeypatch, shell)
    model().train(1, Batches(X, Y))
    assert page.getvalue() == ""


def test_a_bar_in_a_file_is_not_shown_in_notebooks(monkeypatch):
    page, file = in_a_notebook(monkeypatch), io.StringIO()
    model().train(1, Batches(X, Y), callbacks=ProgressBar(file=file))
    assert page.getvalue() + file.getvalue() == ""


def test_a_bar_of_the_program_replaces_it(monkeypatch):
    error_output = on_a_terminal(monkeypatch)

    class Own(ProgressBar):
        steps = 0

        def on_train_step_end(self, run_context):
            self.steps += 1

    own, hidden = Own(refresh_rate=0), ProgressBar(0)
    model().train(1, Batches(X, Y), callbacks=own)
    model().train(1, Batches(X, Y), callbacks=[hidden])
    assert own.steps == 3
    assert error_output.getvalue() == ""


def test_the_loss_is_looked_at_a_few_times_a_second(monkeypatch):
    looks, clock = [], [0.0]
    monkeypatch.setattr(progress, "first_output", lambda outputs: looks.append(clock[0]) or 1.0)
    monkeypatch.setattr(progress.time, "monotonic", lambda: clock[0])

    def tick(context):
        clock[0] += 0.01

    columns = np.ones((1000, 3), np.float32), np.ones((1000, 2), np.float32)
    callbacks = [ms.LambdaCallback(on_train_step_begin=tick), ProgressBar(refresh_rate=4, file=Terminal())]
    model().train(1, Batches(*columns), callbacks=callbacks)  # 250 steps in 2.5 seconds
    assert 10 <= len(looks) <= 12


def test_a_failure_closes_the_bar_and_gives_the_output_back(monkeypatch):
    error_output = on_a_terminal(monkeypatch)
    output = Terminal()
    monkeypatch.setattr(sys, "stdout", output)
    with pytest.raises(ValueError, match="finite"):
        model(1e30).train(1, Batches(X, Y), callbacks=LossMonitor())
    assert sys.stdout is output
    assert error_output.getvalue().endswith("\n")


@pytest.mark.parametrize(("rate", "kind"), [("a", TypeError), (True, TypeError), (-1, ValueError)])
def test_bad_arguments(rate, kind):
    with pytest.raises(kind, match="For 'ProgressBar', 'refresh_rate' must be"):
        ProgressBar(rate)
