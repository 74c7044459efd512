"""Threads that differentiate, train and infer over the same parameters: each sees what a single one would."""

from __future__ import annotations

import copy
import pickle
import random
import sys
import threading

import numpy as np
import pytest

import fuzz
import torchspore as ms
from torchspore import Parameter, Tensor, nn, ops


@pytest.fixture(autouse=True)
def often():
    """Let threads alternate as often as they can."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(interval)


def run(*functions):
    errors = []

    def guarded(function):
        try:
            function()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(function,)) for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


class Own(Parameter):
    """A class of parameters of a user's own."""


@pytest.fixture
def w():
    return Parameter(Tensor([1.0, 2.0, 3.0]), name="w")


def check_clean(*parameters):
    for parameter in parameters:
        assert type(parameter) in (Parameter, Own)
        assert parameter.torch is parameter._storage
        assert not parameter.torch.requires_grad
    assert not (parameters[0] * 2).torch.requires_grad


def test_gradients_and_inference(w):
    net = nn.SequentialCell(nn.Dense(3, 4), nn.Tanh(), nn.Dense(4, 1))
    own = Own(Tensor([2.0, 2.0, 2.0]), name="own")
    x = Tensor(np.random.RandomState(0).randn(5, 3).astype(np.float32))
    weights = [*net.trainable_params(), w, own]

    def forward(x):
        return (net(x).sum() + (w * w * own).sum()) * 1.0

    gradient = ms.value_and_grad(forward, None, weights)
    output, expected = net(x).asnumpy(), [g.asnumpy() for g in gradient(x)[1]]

    def differentiate():
        for _ in range(fuzz.inputs(30)):
            value, found = gradient(x)
            assert not value.torch.requires_grad
            for ours, theirs in zip(found, expected):
                np.testing.assert_allclose(ours.asnumpy(), theirs, rtol=1e-5, atol=1e-6)

    def infer():
        for _ in range(fuzz.inputs(60)):
            found, doubled = net(x), w * 2
            assert not found.torch.requires_grad
            assert not doubled.torch.requires_grad
            np.testing.assert_allclose(found.asnumpy(), output, rtol=1e-5, atol=1e-6)
            assert doubled.asnumpy().tolist() == [2, 4, 6]

    def look():
        for _ in range(fuzz.inputs(60)):
            assert (isinstance(own, Own), isinstance(w, Parameter), w.__class__) == (True, True, Parameter)
            assert type(copy.deepcopy(own)) is Own
            assert type(pickle.loads(pickle.dumps(w))) is Parameter
            assert repr(w).startswith("Parameter (name=w")

    run(differentiate, differentiate, differentiate, infer, infer, look)
    check_clean(*weights)


def test_what_a_scope_writes_is_seen_at_its_end(w):
    inside, outside = threading.Event(), threading.Event()
    seen = []

    def forward(x):
        ops.assign(w, w * 10)
        inside.set()
        assert outside.wait(10)
        return (w * x).sum()

    def other():
        assert inside.wait(10)
        seen.append(w.asnumpy().tolist())
        outside.set()

    result = []
    run(lambda: result.append(ms.grad(forward, 0, [w])(Tensor([1.0, 1.0, 1.0]))), other)
    assert seen == [[1, 2, 3]]
    assert [gradient.asnumpy().tolist() for gradient in (result[0][0], *result[0][1])] == [[10, 20, 30], [1, 1, 1]]
    assert w.asnumpy().tolist() == [10, 20, 30]
    check_clean(w)


def test_failures_beside_success(w):
    def forward(x, fails):
        ops.assign_add(w, x * 0)
        y = (w * w * x).sum()
        if fails:
            raise ZeroDivisionError("stop")
        return y

    gradient = ms.grad(forward, 0, [w])

    def thread(seed):
        draw = random.Random(seed)
        for _ in range(fuzz.inputs(40)):
            scale = float(draw.randint(1, 5))
            if draw.random() < 0.3:
                with pytest.raises(ZeroDivisionError):
                    gradient(Tensor([scale] * 3), True)
            elif draw.random() < 0.3:
                found = ms.vmap(ms.grad(lambda x: (x * w).sum()))(ops.ones((2, 3)))
                assert found.asnumpy().tolist() == [[1, 2, 3]] * 2
            else:
                of_x, (of_w,) = gradient(Tensor([scale] * 3), False)
                assert of_x.asnumpy().tolist() == [1, 4, 9]
                assert of_w.asnumpy().tolist() == [2 * scale, 4 * scale, 6 * scale]

    run(*[lambda seed=seed: thread(seed) for seed in range(4)])
    assert w.asnumpy().tolist() == [1, 2, 3]
    check_clean(w)


def test_a_network_trained_in_one_thread_and_used_in_others():
    net = nn.SequentialCell(nn.Dense(3, 4), nn.BatchNorm1d(4), nn.Dense(4, 1))
    optimizer = nn.Momentum(net.trainable_params(), 0.01, 0.9)
    x = ops.ones((4, 3))
    step = ms.value_and_grad(lambda x: net(x).sum(), None, net.trainable_params())
    done = threading.Event()

    def train():
        try:
            for _ in range(fuzz.inputs(40)):
                optimizer(step(x)[1])
        finally:
            done.set()

    def infer():
        while not done.is_set():
            assert not net(x).torch.requires_grad

    run(train, infer, infer)
    check_clean(*net.get_parameters())
