"""What parameters of operations declare, and the words of errors that bodies raise."""

from __future__ import annotations

import re
from typing import Annotated, Literal

import pytest
from torch import Tensor

import torchspore as ms
from torchspore.engine.op import op
from torchspore.engine.parameters import (
    Dimensions,
    Floats,
    IndexType,
    Indices,
    Length,
    Limits,
    Only,
    Positive,
    Rule,
    TypeOf,
)
from torchspore.engine.parameters.of_operations import ruled

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


@op
@ruled(Rule("'low' must be <= 'high'", lambda low, high: low <= high))
def routed(
    x: Annotated[Floats, "N C"],
    rows: Annotated[Indices, "N"],
    parts: Annotated[Tensor, "*B N k", TypeOf("x")],
    each: Annotated[Tensor, "*B"] | None = None,
    like: Annotated[Tensor, "N C"] | None = None,
    pair: Annotated[Tensor, "... 4 C"] | None = None,
    k: int = 2,
    size: Annotated[tuple[int, ...], Length(2, 2), Limits(above=0)] = (1, 1),
    dtype: IndexType = ms.int32,
    mode: Annotated[Literal["a", "b"], TypeError] = "a",
    scale: Annotated[int, Only(0, 1, advice="Scale 'x'.")] = 0,
    low: float = 0.0,
    high: float = 1.0,
) -> Tensor:
    return x


def _ones(*shape, dtype=ms.float32):
    return ms.ops.ones(shape, dtype)


GIVEN = {"x": _ones(3, 4), "rows": _ones(3, dtype=ms.int32), "parts": _ones(5, 6, 3, 2)}


@pytest.mark.parametrize(
    ("changed", "kind", "words"),
    [
        ({"x": _ones(3)}, ValueError, "'x' must be of shape (N, C), but got Tensor(shape=(3,), dtype=Float32)"),
        ({"x": _ones(3, 4, dtype=ms.int32)}, TypeError, "'x' must hold floats, but got Tensor"),
        (
            {"rows": _ones(4, dtype=ms.int64)},
            ValueError,
            "'rows' must be of shape (N,) for 'x' of shape (N, C), but got",
        ),
        ({"rows": _ones(3)}, TypeError, "'rows' must hold int32 or int64, but got"),
        (
            {"parts": _ones(3)},
            ValueError,
            "'parts' must be of shape (*B, N, k) for 'x' of shape (N, C) and 'k', but got",
        ),
        ({"k": 3}, ValueError, "'parts' must be of shape (*B, N, k)"),
        ({"parts": _ones(3, 2, dtype=ms.float16)}, TypeError, "'parts' must have the data type of 'x', but got"),
        ({"each": _ones(5)}, ValueError, "'each' must be of shape (*B,) for 'parts' of shape (*B, N, k), but got"),
        ({"like": _ones(3, 5)}, ValueError, "'like' must have the shape of 'x', but got"),
        ({"pair": _ones(4)}, ValueError, "'pair' must be of shape (..., 4, C) for 'x' of shape (N, C), but got pair="),
        ({"pair": _ones(7, 3, 4)}, ValueError, "'pair' must be of shape (..., 4, C)"),
        ({"size": (1, 2, 3)}, ValueError, "'size' must have 2 elements, but got (1, 2, 3)"),
        ({"size": (1, 0)}, ValueError, "'size' must hold ints > 0, but got (1, 0)"),
        ({"dtype": ms.int8}, TypeError, "'dtype' must be int32 or int64, but got the data type int8"),
        ({"mode": "c"}, TypeError, "'mode' must be one of ['a', 'b'], but got 'c' (str)"),
        ({"scale": 2, "x": _ones(3)}, NotImplementedError, "'scale' must be 0 or 1, but got 2 (int). Scale 'x'."),
        ({"low": 2.0}, ValueError, "'low' must be <= 'high', but got low=2.0 (float), high=1.0 (float)"),
    ],
)
def test_shapes_data_types_and_rules(changed, kind, words):
    with pytest.raises(kind, match="^" + re.escape(f"For 'routed', {words}")):
        routed(**GIVEN | changed)


def test_sizes_of_one_name_are_equal():
    assert routed(**GIVEN, each=_ones(5, 6), like=_ones(3, 4), pair=_ones(9, 4, 4), size=(2, 3), scale=1).shape == (
        3,
        4,
    )
    assert routed(GIVEN["x"], GIVEN["rows"], _ones(3, 2), each=_ones(), dtype=ms.int64).shape == (3, 4)
