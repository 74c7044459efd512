"""States of random generators that captured functions read and set."""

from __future__ import annotations

import pytest

import torchspore as ms
from torchspore import Tensor, ops

OWN = ms.Generator()


def drawn_again(x):
    state = ms.get_rng_state()
    first = ops.randn(2)
    ms.set_rng_state(state)
    return first - ops.randn(2) + x


def drawn_again_on_a_condition(x):
    state = ms.get_rng_state()
    y = ops.dropout(x, 0.5)
    if y.sum() > 2:
        ms.set_rng_state(state)
    return y + ops.randn(2)


def drawn_by_a_generator(x):
    state = OWN.get_state()
    first = ops.randn(2)
    OWN.set_state(state)
    return first + x, state


@pytest.mark.parametrize("fullgraph", [True, False])
@pytest.mark.parametrize("function", [drawn_again, drawn_again_on_a_condition, drawn_by_a_generator])
def test_states_of_generators_in_graphs(function, fullgraph):
    seen = []
    for call in (function, ms.jit(function, fullgraph=fullgraph)):
        ms.set_seed(3)
        results = [call(Tensor([1.0, 2.0])) for _ in range(5)]
        results = [part for result in results for part in (result if isinstance(result, tuple) else (result,))]
        seen.append([result.asnumpy().tolist() for result in [*results, ops.randn(1)]])
    assert seen[0] == seen[1]
    assert call.captures == 1 + (function is drawn_again_on_a_condition)


def test_a_wrong_state_in_a_graph():
    captured = ms.jit(lambda state: ms.set_rng_state(state))
    with pytest.raises(ValueError, match="For 'set_rng_state', 'state' must come from 'get_state'"):
        captured(Tensor([1, 2], ms.uint8))
    with pytest.raises(TypeError, match="For 'set_rng_state', 'state' must be a Tensor of UInt8"):
        captured(Tensor([1, 2]))
