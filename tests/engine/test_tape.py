"""Passes that a program opens and closes itself, as packages for older versions of MindSpore do."""

from __future__ import annotations

import copy
import pickle
import threading

import numpy as np
import pytest

import torchspore as ms
from torchspore import Tensor, nn
from torchspore.engine.api import _pynative_executor as executor

X = Tensor([1.0, 2.0])


@pytest.fixture
def weights():
    yield ms.Parameter(Tensor([3.0, 4.0]), name="w"), ms.Parameter(Tensor([1.0, 1.0]), name="v")
    executor.clear_res()


def gradients(fn, weights, *args, flags=(False, True, False), sens=(), has_aux=()):
    executor.set_grad_flag(True)
    executor.new_graph(fn, *args)
    output = fn(*args)
    executor.end_graph(fn, output, *args)
    operation = ms.ops.GradOperation(*flags)
    executor.check_run(operation, fn, weights, None, *args)
    return output, executor.grad(fn, operation, weights, None, *has_aux, *args, *sens)


def plain(tree):
    return tuple(plain(branch) for branch in tree) if isinstance(tree, tuple) else tree.asnumpy().tolist()


# Recorded with MindSpore 2.10.
@pytest.mark.parametrize(
    ("flags", "sens", "expected"),
    [
        ((False, True, False), (), ([6, 16], [0, 0])),
        ((True, True, False), (), (([9, 16],), ([6, 16], [0, 0]))),
        ((True, False, False), (), ([9, 16],)),
        ((False, False, False), (), [9, 16]),
        ((False, True, True), (Tensor(2.0),), ([12, 32], [0, 0])),
    ],
)
@pytest.mark.parametrize("has_aux", [(), (False,)])
def test_gradients(weights, flags, sens, expected, has_aux):
    w, _ = weights
    output, found = gradients(lambda x: (w * w * x).sum(), weights, X, flags=flags, sens=sens, has_aux=has_aux)
    assert plain(found) == expected
    assert float(output) == 41
    assert not output._t.requires_grad
    assert not w._t.requires_grad
    assert not X._t.requires_grad
    assert not executor.grad_flag()


def test_auxiliary_outputs_and_single_weights(weights):
    w, _ = weights

    def fn(x):
        return (w * x).sum(), (w * w).sum()

    assert plain(gradients(fn, w, X, has_aux=(True,))[1]) == [1, 2]
    assert plain(gradients(fn, [w], X)[1]) == ([7, 10],)


def test_pass_without_inputs_nor_reachable_weights():
    net = nn.Dense(2, 1, weight_init="ones")
    call = net.__call__  # what a tape that is an object records: the pass names a function that reads nothing

    def nothing():
        return None

    executor.set_grad_flag(True)
    executor.new_graph(nothing)
    output = call(Tensor([[1.0, 2.0]])).sum()
    executor.end_graph(nothing, output)
    found = executor.grad(nothing, ms.ops.GradOperation(False, True, True), [net.weight], None, Tensor(2.0))
    assert plain(found) == ([[2, 4]],)


def test_without_a_pass_the_function_runs(weights):
    operation = ms.ops.GradOperation(get_by_list=True)
    w, _ = weights
    assert plain(executor.grad(lambda x: (w * x).sum(), operation, [w], None, X)) == ([1, 2],)
    executor.set_grad_flag(False)
    executor.new_graph(plain, X)
    assert not w._t.requires_grad


def test_writes_happen_once(weights):
    w, count = weights

    def fn(x):
        count.set_data(count + 1)
        return (w * w * count * x).sum()

    assert plain(gradients(fn, [w], X)[1]) == ([12, 32],)
    assert count.asnumpy().tolist() == [2, 2]


def test_a_pass_that_fails(weights):
    w, count = weights

    def fails(x):
        count.set_data(count + 1)
        raise KeyError(x)

    with pytest.raises(KeyError):
        gradients(fails, [w], X)
    count.set_data(count + 1)
    assert plain(gradients(lambda x: (w * w * x).sum(), [w], X)[1]) == ([6, 16],)
    assert count.asnumpy().tolist() == [3, 3]
    assert ms.grad(lambda x: x * x)(X).asnumpy().tolist() == [2, 4]
    assert not w._t.requires_grad


def test_passes_nest(weights):
    w, _ = weights

    def inner(x):
        return (w * w * w * x).sum()

    def outer(x):
        return gradients(inner, [w], x)[1][0].sum()

    assert plain(gradients(outer, [w], X)[1]) == ([18, 48],)


def test_training_like_value_and_grad(weights):
    def train(step):
        ms.set_seed(1)
        net = nn.SequentialCell(nn.Dense(2, 4), nn.BatchNorm1d(4), nn.Dropout(p=0.5), nn.Dense(4, 1))
        net.set_train()
        optimizer = nn.Adam(net.trainable_params(), 0.1)
        x = Tensor(np.arange(8, dtype=np.float32).reshape(4, 2))
        for _ in range(3):
            optimizer(step(lambda x: (net(x) ** 2).mean(), optimizer.parameters, x))
        return [parameter.asnumpy() for parameter in net.get_parameters()]

    taped = train(lambda fn, weights, x: gradients(fn, tuple(weights), x)[1])
    plainly = train(lambda fn, weights, x: ms.grad(fn, None, weights)(x))
    for one, other in zip(taped, plainly):
        np.testing.assert_allclose(one, other, rtol=1e-6)


class Weight(Tensor):
    """What a package makes of a tensor, instead of a Parameter."""

    def __init__(self, value, requires_grad=True):
        super().__init__(value)
        self.requires_grad = requires_grad


# Recorded with MindSpore 2.10.
@pytest.mark.parametrize(
    "run",
    [
        lambda fn, w: ms.grad(fn, None, (w,))(X),
        lambda fn, w: (ms.grad(fn, None, w)(X),),
        lambda fn, w: ms.value_and_grad(fn, 0, [w])(X)[1][1],
        lambda fn, w: ms.ops.GradOperation(get_by_list=True)(fn, (w,))(X),
        lambda fn, w: ms.ops.GradOperation(get_by_list=True)(fn)(X) or (ms.ops.zeros_like(w),),
        lambda fn, w: gradients(fn, (w,), X)[1],
    ],
)
def test_tensors_as_weights(run):
    w, constant = Weight([3.0, 4.0]), Weight([3.0, 4.0], requires_grad=False)
    assert plain(run(lambda x: (w * w * x).sum(), w)) == ([6, 16],)
    assert plain(run(lambda x: (constant * x).sum(), constant)) in (([0, 0],), [[0, 0]])
    assert w.asnumpy().tolist() == [3, 4]
    assert not w._t.requires_grad


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda w: pickle.loads(pickle.dumps(w))])
def test_copies_are_weights(copied, weights):
    w = copied(weights[0])
    assert plain(gradients(lambda x: (w * w * x).sum(), (w,), X)[1]) == ([6, 16],)


def test_only_some_tensors_have_the_flag():
    assert not hasattr(X, "requires_grad")
    assert not hasattr(Weight.__new__(Weight), "requires_grad")
    assert Weight([1.0]).grad is None
    assert not hasattr(X, "grad")
    with pytest.raises(TypeError, match="'requires_grad' must be a bool"):
        Weight(1.0).requires_grad = 1


def test_tensors_as_weights_beside_other_threads():
    done = threading.Event()
    thread = threading.Thread(target=done.wait)
    thread.start()
    try:
        w = Weight([3.0, 4.0])

        def fn(x):
            result = (w * w * x).sum()
            w.assign_value(w + 1)
            return result

        assert plain(ms.grad(fn, None, (w,))(X)) == ([6, 16],)
        assert w.asnumpy().tolist() == [4, 5]
    finally:
        done.set()
        thread.join()
