"""Errors in networks name the cell by its path; errors about names suggest the nearest one."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import torchspore as ms
from torchspore import nn, ops

X = ms.Tensor(np.ones((1, 1, 8, 8), np.float32))


class Inner(nn.Cell):
    def __init__(self, fails: Callable[[Any], Any] | None = None) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3)
        self.fails = fails

    def construct(self, x):
        return self.conv(x) if self.fails is None else self.fails(x)


class Network(nn.Cell):
    def __init__(self, *layers: nn.Cell) -> None:
        super().__init__()
        self.head = nn.ReLU()
        self.layer1 = nn.SequentialCell(nn.ReLU(), *layers)

    def construct(self, x):
        return self.layer1(self.head(x))


def notes(run: Callable[[], Any]) -> list[str]:
    with pytest.raises((KeyError, TypeError, ValueError)) as caught:
        run()
    return getattr(caught.value, "__notes__", [])


def fail(x):
    raise KeyError("mine")


@pytest.mark.parametrize(
    ("network", "expected"),
    [
        (Network(nn.Conv2d(3, 4, 3)), ["It arose in the cell 'layer1.1' (Conv2d) of Network."]),
        (Network(Inner()), ["It arose in the cell 'layer1.1.conv' (Conv2d) of Network."]),
        (Network(nn.SequentialCell(Inner(fail))), ["It arose in the cell 'layer1.1.0' (Inner) of Network."]),
        (nn.Conv2d(3, 4, 3), []),
        # A cell that is not a child of its caller starts a path of its own.
        (Network(Inner(Network(Inner()).construct)), ["It arose in the cell '1.conv' (Conv2d) of SequentialCell."]),
    ],
)
@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_error_names_the_path_of_the_cell(network: nn.Cell, expected: list[str], mode: int) -> None:
    ms.set_context(mode=mode)
    try:
        assert notes(lambda: network(X)) == expected
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)


def test_a_caught_error_of_a_cell_says_nothing_of_the_next_one() -> None:
    class Careful(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.second = Inner(fail), nn.Dense(2, 3)

        def construct(self, x):
            try:
                return self.first(x)
            except KeyError:
                return self.second(x)

    assert notes(lambda: Careful()(X)) == ["It arose in the cell 'second' (Dense) of Careful."]


def test_notes_of_users_are_kept() -> None:
    def noted(x):
        error = ValueError("wrong")
        error.__notes__ = ["of a user"]
        raise error

    assert notes(lambda: Network(Inner(noted))(X)) == [
        "of a user",
        "It arose in the cell 'layer1.1' (Inner) of Network.",
    ]


def test_between_two_lines_of_the_user_is_one_frame() -> None:
    with pytest.raises(KeyError) as caught:
        nn.CellList([Inner(fail)])[0](X)
    files = [frame.filename for frame in traceback.extract_tb(caught.value.__traceback__)]
    ours = [file for file in files if file != __file__]
    assert len(ours) == 1


@pytest.mark.parametrize(
    ("run", "hint"),
    [
        (lambda: nn.Dense(2, 3, weight_init="xavier_unifrom"), "Did you mean 'xavier_uniform'?"),
        (lambda: nn.Dense(2, 3, activation="rleu"), "Did you mean 'relu'?"),
        (lambda: nn.Conv2d(1, 2, 3, strid=2), "Did you mean 'stride'?"),
        (lambda: ms.train.get_metric_fn("acuracy"), "Did you mean 'accuracy'?"),
        (lambda: ms.set_context(mod=0), "Did you mean 'mode'?"),
        (lambda: ms.get_context("mod"), "Did you mean 'mode'?"),
        (
            lambda: nn.Embedding(3, 2)(ms.Tensor([1, 7])),
            "index 7 is out of range for dimension 0 of size 3: use 0 to 2",
        ),
        (lambda: ms.mint.nn.Embedding(3, 2)(ms.Tensor([7])), "index 7 is out of range for dimension 0 of size 3"),
        (lambda: ops.gather(ms.Tensor([1, 2]), ms.Tensor([-3]), 0), "out of range for dimension 0 of size 2"),
        (lambda: ops.gather(ms.Tensor([[1, 2]]), ms.Tensor([4]), 1), "out of range for dimension 1 of size 2"),
    ],
)
def test_message_says_what_is_near_or_allowed(run: Callable[[], Any], hint: str) -> None:
    with pytest.raises((TypeError, ValueError, KeyError)) as caught:
        run()
    assert hint in str(caught.value)
