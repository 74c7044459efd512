"""The recorder: its graph has the same results, and a node for each operation of a call."""

from __future__ import annotations

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.symbolic_shapes import DimDynamic, ShapeEnv, StatelessSymbolicContext

from torchspore.engine.capture.recording.record import Recorder

X = torch.arange(6.0).reshape(2, 3)
OUTSIDE = torch.tensor([1.0, 2.0, 3.0])


def recorded(fn, *inputs, varying=()):
    """Return the module of `fn`'s graph; dimensions of the first input may be left open."""
    mode = FakeTensorMode(shape_env=ShapeEnv(), allow_non_fake_inputs=True)
    sizes = [DimDynamic.DYNAMIC if d in varying else DimDynamic.STATIC for d in range(inputs[0].dim())]
    first = mode.from_tensor(inputs[0], symbolic_context=StatelessSymbolicContext(dynamic_sizes=sizes))
    fakes = [first, *[mode.from_tensor(value, static_shapes=True) for value in inputs[1:]]]
    recorder = Recorder()
    with mode:
        graph = recorder.record(lambda *values: [fn(*values)], fakes)
    return torch.fx.GraphModule(recorder.outside, graph)


def targets(module):
    return [str(node.target) for node in module.graph.nodes if node.op == "call_function"]


def in_inference_mode(x):
    with torch.inference_mode():
        return torch.matmul(x, x.mT)


FUNCTIONS = {
    "several results": lambda x: x.max(1)[0] + x.split(1)[1].sum(),
    "in place": lambda x: x.clone().mul_(2).add_(1),
    "views": lambda x: x.clone().view(3, 2).t().fill_(4.0),
    "a tensor from outside": lambda x: x * OUTSIDE + OUTSIDE,
    "a number from outside": lambda x: x * OUTSIDE.sum().item(),
    "a literal": lambda x: torch.tensor([1.0, 2.0]).add_(x[:, 0]),
    "no tensor among the arguments": lambda x: torch.ones(3) + torch.arange(3),
    "the input itself": lambda x: x,
    "inference mode": in_inference_mode,
    "lists": lambda x: torch.stack(torch._foreach_mul([x, x], 2.0)),
    "a gradient": lambda x: torch.autograd.grad((a := x.detach().requires_grad_()).pow(3).sum(), a)[0],
}


@pytest.mark.parametrize("fn", FUNCTIONS.values(), ids=FUNCTIONS)
def test_the_graph_gives_the_same_numbers_at_every_call(fn):
    module = recorded(fn, X)
    for factor in (1, 3):
        torch.testing.assert_close(module(X * factor)[0], fn(X * factor))
        torch.testing.assert_close(module(X * factor)[0], fn(X * factor))


def test_random_numbers_are_new_at_every_call():
    module = recorded(lambda x: torch.rand_like(x), X)
    assert not torch.equal(module(X)[0], module(X)[0])


def test_composite_operations_are_their_parts():
    assert not any("matmul" in target for target in targets(recorded(in_inference_mode, X)))


def test_questions_are_no_nodes():
    module = recorded(lambda x: x.reshape(x.size(0) * x.stride(0)) if x.is_contiguous() else x, X)
    assert targets(module) == ["aten.view.default"]


def test_what_raised_is_no_node():
    def function(x):
        try:
            x.reshape(4, 2)
        except RuntimeError:
            return x + 1

    assert targets(recorded(function, X)) == ["aten.add.Tensor"]


def test_open_sizes_are_computed_in_the_graph():
    module = recorded(lambda x: torch.ones(x.shape[0] * 2 + 1).sum() + x.reshape(-1, 2).shape[0], X, varying=(0,))
    for count in (2, 4, 8):
        assert module(torch.ones(count, 3))[0].item() == count * 2 + 1 + count * 3 // 2


def test_only_recorded_tensors_have_nodes():
    mode, recorder = FakeTensorMode(), Recorder()
    fake = mode.from_tensor(X)
    assert recorder.node_of(X) is recorder.node_of(fake) is None
    assert recorder.add_input(fake) is recorder.node_of(fake)
