"""Calls under a profiler that hides them from the recorder: nothing is recorded, and there is a warning."""

from __future__ import annotations

import cProfile
import warnings

import numpy as np
import pytest
import torch

import torchspore as ms
from torchspore import Tensor, nn

X = Tensor([1.0, 2.0])


@pytest.fixture
def profiled():
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], with_stack=True):
        yield


def double(x):
    return x * 2


def test_a_call_runs_eagerly_with_one_warning(profiled):
    captured = ms.jit(double)
    with pytest.warns(RuntimeWarning, match="'double' runs eagerly.*a profiler is running"):
        assert np.array_equal(captured(X).asnumpy(), [2, 4])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.array_equal(captured(X[:1]).asnumpy(), [2])
    assert captured.captures == 0


def test_a_captured_signature_runs_as_its_graph():
    captured = ms.jit(double)
    captured(X)
    with warnings.catch_warnings(), torch.profiler.profile(with_stack=True):
        warnings.simplefilter("error")
        assert np.array_equal(captured(X).asnumpy(), [2, 4])


def test_a_program_under_cprofile(capsys):
    """A graph that prints runs under it, which goes on after the call."""

    def printing(x):
        print(x)
        return x * 2

    captured = ms.jit(printing)
    with cProfile.Profile() as profiler:
        found = [captured(X).asnumpy().tolist() for _ in range(3)]
        double(X)
    assert found == [[2, 4]] * 3
    assert capsys.readouterr().out.count("\n") == 3
    assert double.__code__ in [entry.code for entry in profiler.getstats()]


def test_one_graph_is_required(profiled):
    with pytest.raises(RuntimeError, match="For 'jit', 'double' cannot be one graph: a profiler is running"):
        ms.jit(double, fullgraph=True)(X)


def test_later_calls_are_recorded():
    captured = ms.jit(double)
    with torch.profiler.profile(with_stack=True), pytest.warns(RuntimeWarning, match="runs eagerly"):
        captured(X)
    captured(X)
    assert captured.captures == 1


def test_compiling_ahead(profiled):
    net = nn.ReLU()
    with pytest.warns(RuntimeWarning, match="not captured ahead of its first call.*a profiler is running"):
        net.compile(X)
    net.set_jit_config(ms.JitConfig(fullgraph=True))
    with pytest.raises(RuntimeError, match="a profiler is running"):
        net.compile(X)
