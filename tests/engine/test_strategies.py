"""What `Primitive.shard` takes: the same as MindSpore does."""

from __future__ import annotations

import pytest

import torchspore as ms
from torchspore import ops

LAYOUT = ms.Layout((2, 2), ("a", "b"))
ONE = ((1, 1), (1, 1))


@pytest.mark.parametrize(
    ("in_strategy", "out_strategy"),
    [
        *[(strategy, None) for strategy in (None, ONE, (), ((), ()), ((1,), (3,)), ((True, 1), (1, 1)))],
        ((LAYOUT("a", "b"), LAYOUT("b", "a")), None),
        (ONE, ((1, 1),)),
        ((LAYOUT("a", "b"),), (LAYOUT("a", "b"),)),
    ],
)
def test_taken(in_strategy, out_strategy):
    product = ops.MatMul().shard(in_strategy, out_strategy)
    assert product.attrs.get("in_strategy") == in_strategy
    assert product.attrs.get("out_strategy") == out_strategy


@pytest.mark.parametrize(
    ("in_strategy", "out_strategy", "error"),
    [
        *[(strategy, None, TypeError) for strategy in ([], {}, "a", LAYOUT, (1, 1), ([1, 1], [1, 1]))],
        *[(strategy, None, TypeError) for strategy in ((ONE[0], None), (ONE[0], "a"), ((1.0, 1),), (ONE, ONE))],
        ((LAYOUT("a", "b"), (1, 1)), None, TypeError),
        *[(ONE, strategy, TypeError) for strategy in ((1, 1), [[1, 1]], "a", ((1.5, 1),))],
        (ONE, (LAYOUT("a", "b"),), ValueError),
        (None, ((1, 1),), ValueError),
        *[(strategy, None, ValueError) for strategy in (((0, 1), (1, 1)), ((1, 1), (1, -2)), ((False, 1), (1, 1)))],
        (ONE, ((0, 1),), ValueError),
    ],
)
def test_refused(in_strategy, out_strategy, error):
    with pytest.raises(error, match=r"For 'MatMul\.shard', (the numbers in )?'(in|out)_strategy' "):
        ops.MatMul().shard(in_strategy, out_strategy)
