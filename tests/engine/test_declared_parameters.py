"""What parameters of operations declare, and the words of errors that bodies raise."""

from __future__ import annotations

from typing import Annotated, Literal

import pytest
from torch import Tensor

import torchspore as ms
from torchspore.engine.op import op
from torchspore.engine.parameters import Dimensions, Limits, Positive

X = ms.Tensor([1.0, 2.0])


@op
def scaled(
    x: Annotated[Tensor, Dimensions(1, 2)],
    times: Positive = 1,
    mode: Literal["up", "down"] = "up",
    part: Annotated[float, Limits(0, below=1)] | None = None,
) -> Tensor:
    return x * times * (part or 1) if mode == "up" else x / times


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((ms.Tensor(1.0),), r"'x' must have 1 to 2 dimensions, but got Tensor\(shape=\(\), dtype=Float32\)"),
        ((X, 0), r"'times' must be > 0, but got 0 \(int\)"),
        ((X, 1, "on"), r"'mode' must be one of \['up', 'down'\], but got 'on' \(str\)"),
        ((X, 1, "up", 1.0), r"'part' must be in \[0, 1\), but got 1.0 \(float\)"),
    ],
)
def test_what_is_not_declared_is_refused(arguments, words):
    with pytest.raises(ValueError, match=f"^For 'scaled', {words}.$"):
        scaled(*arguments)


def test_what_is_declared_is_accepted():
    assert scaled(X, 2, part=0.5).tolist() == scaled(X, mode="down").tolist() == [1, 2]


@pytest.mark.parametrize("failing", [lambda: ms.nn.RReLU(1.0, 0.5), lambda: ms.ops.rrelu(X, 1.0, 0.5)])
def test_an_error_shows_the_arguments_that_it_names(failing):
    with pytest.raises(
        ValueError, match=r"'lower' must be <= 'upper', but got lower=1.0 \(float\), upper=0.5 \(float\)"
    ):
        failing()


def test_an_argument_at_its_default_is_shown():
    with pytest.raises(ValueError, match=r"but got lower=2.0 \(float\), upper=0.33"):
        ms.nn.RReLU(2.0)
