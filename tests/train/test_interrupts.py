"""What an interrupted training leaves behind."""

from __future__ import annotations

import signal
import threading

import numpy as np
import pytest

import torchspore as ms
from torchspore import nn
from torchspore.train import Callback, Model
from torchspore.train.interrupts import WholeSteps
from train.batches import Batches

RANDOM = np.random.RandomState(0)
X, Y = RANDOM.randn(12, 3).astype(np.float32), RANDOM.randn(12, 2).astype(np.float32)


class Interrupted(nn.Cell):
    """A network during one of whose runs Ctrl-C is pressed, once or more."""

    def __init__(self, run=None, presses=1):
        super().__init__()
        self.dense = nn.Dense(3, 2, weight_init="ones", bias_init="zeros")
        self.run, self.presses, self.count = run, presses, 0

    def construct(self, x):
        self.count += 1
        if self.count == self.run:
            for _ in range(self.presses):
                signal.raise_signal(signal.SIGINT)
        return self.dense(x)


class Follows(Callback):
    """A callback that records its calls, and presses Ctrl-C."""

    def __init__(self, press_at=None):
        self.told = []
        self.press_at = press_at

    def __exit__(self, kind, error, trace):
        self.told.append(kind)

    def on_train_step_end(self, run_context):
        self.told.append(run_context.original_args().cur_step_num)
        if self.told[-1] == self.press_at:
            signal.raise_signal(signal.SIGINT)

    def on_train_end(self, run_context):
        self.told.append("end")


def make(net):
    return Model(net, nn.MSELoss(), nn.Momentum(net.trainable_params(), 0.1, 0.9))


def after(steps):
    """Return the weights after a number of steps."""
    net = Interrupted()
    stop = ms.LambdaCallback(
        on_train_step_end=lambda context: context.original_args().cur_step_num == steps and context.request_stop()
    )
    make(net).train(2, Batches(X, Y), callbacks=stop)
    return net.dense.weight.asnumpy()


@pytest.mark.parametrize(
    ("net", "press_at", "told", "steps"),
    [
        (Interrupted(run=2), None, [1, KeyboardInterrupt], 2),  # the step is whole, and the training ends after it
        (Interrupted(run=2, presses=2), None, [1, KeyboardInterrupt], 1),  # the second press does not wait
        (Interrupted(), 2, [1, 2, KeyboardInterrupt], 2),
    ],
)
def test_a_training_that_is_interrupted(net, press_at, told, steps):
    data, follows, model = Batches(X, Y), Follows(press_at), make(net)
    with pytest.raises(KeyboardInterrupt):
        model.train(2, data, callbacks=follows)
    assert follows.told == told
    np.testing.assert_array_equal(net.dense.weight.asnumpy(), after(steps))
    assert data.open == 0
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    model.train(1, data)
    assert not np.array_equal(net.dense.weight.asnumpy(), after(steps))


def test_a_training_that_fails_leaves_its_callbacks_and_data():
    def fail(context):
        raise RuntimeError("on purpose")

    data, follows = Batches(X, Y), Follows()
    with pytest.raises(RuntimeError, match="on purpose"):
        make(Interrupted()).train(1, data, callbacks=[follows, ms.LambdaCallback(on_train_step_begin=fail)])
    assert follows.told == [RuntimeError]
    assert data.open == 0


def test_a_handler_of_the_program_stays():
    pressed = []
    former = signal.signal(signal.SIGINT, lambda number, frame: pressed.append(number))
    try:
        make(Interrupted(run=1)).train(1, Batches(X, Y))
    finally:
        signal.signal(signal.SIGINT, former)
    assert pressed == [signal.SIGINT]


def test_training_in_another_thread():
    failures = []

    def train():
        try:
            make(Interrupted()).train(1, Batches(X, Y))
        except Exception as error:
            failures.append(error)

    thread = threading.Thread(target=train)
    thread.start()
    thread.join()
    assert failures == []


def test_outside_steps_ctrl_c_is_raised_at_once():
    with WholeSteps() as whole, pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
    with WholeSteps() as whole:
        whole.running = True
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            whole.finish()
        whole.finish()
