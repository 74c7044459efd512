"""Registered gradients of primitives."""

import pytest

import torchspore as ms
from torchspore.ops.compat.registries import BpropRegistry, Registry


def _twice():
    class Twice(ms.ops.Primitive):
        def __init__(self):
            super().__init__("Twice")

        def __call__(self, x):
            return 2 * x

    return Twice


@pytest.mark.parametrize("call", [ms.grad, lambda f: ms.jit(ms.grad(f)), lambda f: ms.ops.GradOperation()(f)])
def test_a_registered_gradient_is_used(call):
    twice = _twice()
    getters = BpropRegistry()

    @getters.register(twice)
    def gradient(primitive):
        return lambda x, out, dout: (dout * out,)

    assert call(twice())(ms.Tensor([3.0])).asnumpy() == 6.0
    assert twice()(ms.Tensor([3.0])).asnumpy() == 6.0
    assert getters.get(twice()) is getters.get("Twice") is gradient


def test_the_last_registration_counts():
    twice = _twice()
    getters = BpropRegistry()
    for factor in (3.0, 4.0):
        getters.register(twice)(lambda primitive, factor=factor: lambda x, out, dout: (dout * factor,))
    assert ms.grad(twice())(ms.Tensor([1.0])).asnumpy() == 4.0


def test_names_are_entered_only():
    registry = Registry()
    registry.register("ReLU")(len)
    assert registry.get(ms.ops.ReLU()) is len
    assert registry.get("Tanh", 3) == 3
