"""What MindSpore checks in the first call, programs may create wrongly and never call."""

from __future__ import annotations

import pytest

import torchspore as ms
from torchspore import Parameter, Tensor, nn, ops

X = Tensor([1.0, 2.0])
WEIGHT = Parameter(Tensor([2.0, 3.0]), name="w")
NET = nn.ReLU()


def f(x):
    return x * WEIGHT


class Optimizer:
    def trainable_params(self):
        return [WEIGHT]


METHOD = Optimizer().trainable_params

LATE = {
    **{
        f"{name} of weights of type {type(given).__name__}": lambda make=make, given=given: make(f, None, weights=given)
        for name, make in (("grad", ms.grad), ("value_and_grad", ms.value_and_grad))
        for given in (METHOD, "w", 3, [3], {"w": WEIGHT}, iter([WEIGHT]))
    },
    "GradOperation of a method": lambda: ops.GradOperation(get_by_list=True)(f, METHOD),
    **{f"grad of {fn}": lambda fn=fn: ms.grad(fn) for fn in (None, 3, "f")},
    **{f"value_and_grad of {fn}": lambda fn=fn: ms.value_and_grad(fn) for fn in (None, 3)},
    **{f"GradOperation of {fn}": lambda fn=fn: ops.GradOperation()(fn) for fn in (None, 3)},
    **{f"jit of {fn!r}": lambda fn=fn: ms.jit(fn) for fn in (3, "f")},
    **{f"vmap of {fn}": lambda fn=fn: ms.vmap(fn) for fn in (None, 3)},
    **{f"vmap along {axes!r}": lambda axes=axes: ms.vmap(f, axes) for axes in ("a", 1.0, None, 7)},
    "vmap onto 'a'": lambda: ms.vmap(f, 0, "a"),
    **{f"{make.__name__} of 3": lambda make=make: make(3) for make in (ms.jacfwd, ms.jacrev)},
    "jacrev at 'a'": lambda: ms.jacrev(f, "a"),
    "WithLossCell without a network": lambda: nn.WithLossCell(3, NET),
    "WithLossCell without a loss": lambda: nn.WithLossCell(NET, None),
    "WithEvalCell without a network": lambda: nn.WithEvalCell(3, NET),
    "WithEvalCell without a loss": lambda: nn.WithEvalCell(NET, None),
}


@pytest.mark.parametrize("name", LATE)
def test_a_wrong_argument_is_refused_in_the_first_call(name):
    made = LATE[name]()
    for _ in range(2):
        with pytest.raises((TypeError, ValueError), match=r"^For '"):
            made(X, X) if "Cell" in name else made(X)


EARLY = {
    "nothing to differentiate": (lambda: ms.grad(f, None), ValueError),
    "a flag": (lambda: ms.grad(f, has_aux=1), TypeError),
    "a position": (lambda: ms.grad(f, "a"), TypeError),
    "a flag of jacfwd": (lambda: ms.jacfwd(f, 0, has_aux=3), TypeError),
    "a level": (lambda: ms.jit(f, jit_level="O9"), ValueError),
}


@pytest.mark.parametrize("name", EARLY)
def test_other_arguments_are_checked_at_once(name):
    make, kind = EARLY[name]
    with pytest.raises(kind):
        make()


@pytest.mark.parametrize("weights", [X + 1, [X + 1], (WEIGHT, X + 1)])
def test_a_tensor_that_is_not_a_parameter_has_the_gradient_0(weights):
    for make in (ms.grad, lambda fn, _, w: ops.GradOperation(get_by_list=True)(fn, w)):
        with pytest.warns(RuntimeWarning, match="its gradient is 0"):
            gradients = make(f, None, weights)(X)
        several = gradients if isinstance(weights, (list, tuple)) else (gradients,)
        assert several[-1].asnumpy().tolist() == [0, 0]


def test_more_inputs_than_there_are_may_be_declared_outside_graphs():
    net = nn.ReLU()
    net.set_inputs(X, X)
    assert net(X).asnumpy().tolist() == [1, 2]
    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        with pytest.raises(ValueError, match="2 inputs are declared"):
            net(X)
        with pytest.raises(TypeError, match="too many positional arguments"):
            nn.Dense(2, 2).set_inputs(X, X)
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)


def test_one_output_axis_in_a_list():
    assert ms.vmap(lambda x: x * 2, 0, [-1])(ops.ones((2, 3))).shape == (3, 2)
