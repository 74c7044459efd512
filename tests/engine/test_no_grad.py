"""`_no_grad`: its results are constants for every kind of differentiation."""

from __future__ import annotations

import pytest

import torchspore as ms

X = ms.Tensor(3.0)


def partly(x):
    with ms._no_grad():
        constant = x * x
    return constant * x


@ms._no_grad()
def square(x):
    return x * x


WAYS = [
    lambda f: ms.grad(f)(X),
    lambda f: ms.jit(ms.grad(f))(X),
    lambda f: ms.grad(ms.jit(f))(X),
    lambda f: ms.jvp(f, (X,), (ms.Tensor(1.0),))[1],
    lambda f: ms.vjp(f, X)[1](ms.Tensor(1.0))[0],
    lambda f: ms.jacfwd(f)(X),
]


@pytest.mark.parametrize("way", range(len(WAYS)))
def test_results_are_constants(way):
    assert float(WAYS[way](partly)) == 9
    assert float(WAYS[way](lambda x: square(x) * x)) == 9


def test_all_of_a_function():
    assert float(ms.grad(square)(X)) == 0


def test_parameters():
    net = ms.nn.Dense(2, 1)

    def forward(x):
        with ms._no_grad():
            constant = net(x)
        return (constant + net(x)).sum()

    _, gradients = ms.value_and_grad(forward, None, net.trainable_params())(ms.Tensor([[1.0, 2.0]]))
    assert [gradient.asnumpy().tolist() for gradient in gradients] == [[[1, 2]], [1]]


def test_gradients_are_taken_again_after_an_error():
    def fails(x):
        with ms._no_grad():
            raise KeyError(x)

    with pytest.raises(KeyError):
        ms.grad(fails)(X)
    assert float(ms.grad(lambda x: x * x)(X)) == 6
