"""The first calls of graphs: compiled ones do not wait for the compiler, and wrong operations on numbers are errors."""

from __future__ import annotations

import numpy as np
import pytest

import torchspore as ms
from torchspore import Tensor, nn
from torchspore.engine.capture.compiling import levels, library


@pytest.mark.parametrize("divide", [lambda x: 1 / x, lambda x: 1 // x, lambda x: 1 % x])
@pytest.mark.parametrize("error", [ValueError, ZeroDivisionError])
def test_a_division_of_numbers_by_zero_in_a_graph_is_an_error_of_both_classes(divide, error):
    with pytest.raises(error, match="zero"):
        ms.jit(divide)(0)
    with pytest.raises(ZeroDivisionError):
        divide(0)


def test_an_error_that_the_program_raises_stays_what_it_is():
    def refuse(x):
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine") as caught:
        ms.jit(refuse)(1)
    assert caught.type is ZeroDivisionError


@pytest.fixture
def compilations(monkeypatch):
    """Whether each compilation that was asked for is in the background; none of them ever ends."""
    compilations = []

    class Never:
        def __init__(self, request, in_background):
            compilations.append(in_background)

        def finished(self):
            return False

    monkeypatch.setattr(levels, "Compilation", Never)
    return compilations


@pytest.mark.parametrize("level", ["O1", "O2"])
def test_the_first_calls_of_a_training_step_do_not_wait_for_the_compiler(level, compilations):
    net = nn.Dense(3, 1, weight_init="ones", bias_init="zeros")
    gradient = ms.value_and_grad(lambda x: net(x).sum(), None, net.trainable_params())
    optimizer = nn.Adam(net.trainable_params(), 0.5)

    def step(x):
        loss, gradients = gradient(x)
        optimizer(gradients)
        return loss

    captured = ms.jit(step, jit_level=level)
    losses = [float(captured(Tensor(np.ones((2, 3), np.float32)))) for _ in range(3)]
    np.testing.assert_allclose(losses, [6, 2, -2], rtol=1e-4)
    assert compilations == [True]


@pytest.mark.slow
def test_random_numbers_are_the_same_before_and_after_the_compiler_has_finished(compilations, monkeypatch):
    def results(tiered):
        drop = nn.Dropout(p=0.5).set_train()
        config = ms.JitConfig("O1", tiered=tiered)
        captured = ms.jit(lambda x: (drop(x).sum(), ms.ops.randn((3,)).sum()), jit_config=config)
        ms.set_seed(5)
        return [[float(value) for value in captured(Tensor(np.arange(20, dtype=np.float32)))] for _ in range(3)]

    before = results(True)
    assert compilations == [True]
    monkeypatch.setattr(library, "is_possible", lambda *args: False)  # it compiles in this process, which is quicker
    np.testing.assert_allclose(before, results(False), rtol=1e-6)
    assert compilations == [True]
