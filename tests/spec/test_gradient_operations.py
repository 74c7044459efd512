"""The behaviours of document 001: InsertGradientOf, bprop and their precedence."""

from __future__ import annotations

import pytest

import torchspore as ms
from torchspore import Tensor, grad, nn, ops

LOW, HIGH = Tensor([0.1]), Tensor([1.1])


def clip(gradient):
    if gradient > HIGH:
        gradient = HIGH
    if gradient < LOW:
        gradient = LOW
    return gradient


class Clipped(nn.Cell):
    """x * y**2 whose gradient of x goes through a method of the cell."""

    def __init__(self, back=None):
        super().__init__()
        self.back_function = back
        self.clip = ops.InsertGradientOf(self.back)
        self.z = 0.0

    def back(self, gradient):
        return self.back_function(gradient) if self.back_function else clip(gradient) + self.z

    def construct(self, x, y, z=0.0):
        self.z = z
        return self.clip(x) * y**2


X, Y = Tensor([-2.0]), Tensor([2.0])


def test_plain_gradient():
    function = lambda x, y: x * y**2  # noqa: E731
    assert str(function(X, Y)) == "[-8.]"
    assert str(grad(function)(X, Y)) == "[4.]"


def test_a_function_clips_the_gradient():
    insert = ops.InsertGradientOf(clip)
    function = lambda x, y: insert(x) * y**2  # noqa: E731
    assert str(function(X, Y)) == "[-8.]"
    assert str(grad(function)(X, Y)) == "[1.1]"


def test_bprop_clips_the_gradient_and_may_return_one_of_two():
    class Net(nn.Cell):
        def bprop(self, x, y, out, dout):
            return clip(y**2)

        def construct(self, x, y):
            return x * y**2

    assert str(Net()(X, Y)) == "[-8.]"
    assert str(grad(Net())(X, Y)) == "[1.1]"


def test_bprop_with_too_few_inputs_fails_when_the_gradient_is_taken():
    class Net(nn.Cell):
        def bprop(self, y, out, dout):
            return clip(y**2)

        def construct(self, x, y):
            return x * y**2

    net = Net()
    assert str(net(X, Y)) == "[-8.]"
    with pytest.raises(TypeError, match="the size of bprop's inputs must equal the size of the cell's inputs"):
        grad(net)(X, Y)


@pytest.mark.parametrize(("y", "forward", "backward"), [(0.8, "[-1.28", "[0.64"), (2.0, "[-8.]", "[1.1]")])
def test_a_method_clips_the_gradient(y, forward, backward):
    net = Clipped()
    assert str(net(X, Tensor([y]))).startswith(forward)
    assert str(grad(net)(X, Tensor([y]))).startswith(backward)


def test_a_number_as_gradient_stays_a_number():
    assert str(grad(Clipped(lambda gradient: 100.0))(X, Y)) == "100.0"


def test_an_attribute_carries_a_value_into_the_backward_function():
    net = Clipped()
    assert str(net(X, Y, z=-1)) == "[-8.]"
    gradient = grad(net)(X, Y, z=-1)
    assert gradient.shape == (1,)
    assert abs(float(gradient) - 0.1) < 1e-6


def test_bprop_wins_over_insert_gradient_of():
    class Net(Clipped):
        def bprop(self, x, y, out, dout):
            return 100.0

        def construct(self, x, y):
            return self.clip(x) * y**2

    assert str(Net()(X, Y)) == "[-8.]"
    assert str(grad(Net())(X, Y)) == "100.0"


def test_names_are_where_the_document_imports_them_from():
    assert ms.grad is grad
    assert ms.ops.InsertGradientOf is ops.InsertGradientOf
