"""A training that is stopped and resumed has bitwise the losses of an uninterrupted one."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest

import torchspore as ms
import torchspore.dataset as ds
from torchspore import nn
from torchspore.common.random import all_states
from torchspore.train import Callback, Model, ResumeTraining, load_training_state, save_training_state

RANDOM = np.random.default_rng(0)
DATA = RANDOM.standard_normal((20, 4)).astype(np.float32)
LABELS = RANDOM.integers(0, 3, 20).astype(np.int32)
STEPS = 4  # of an epoch


class Losses(Callback):
    """Keeps the losses, and stops the training after a step by an error, as a power cut would."""

    def __init__(self, stop_after=None):
        super().__init__()
        self.losses = []
        self.stop_after = stop_after

    def on_train_step_end(self, run_context):
        state = run_context.original_args()
        outputs = state.net_outputs
        self.losses.append(float(outputs[0] if isinstance(outputs, tuple) else outputs))
        if state.cur_step_num == self.stop_after:
            raise InterruptedError


def dataset():
    columns = {"data": DATA, "label": LABELS}
    noise = lambda x: x + np.random.standard_normal(x.shape).astype(np.float32)  # noqa: E731
    return ms.dataset.NumpySlicesDataset(columns, shuffle=True).map(noise, "data").batch(5)


def make_model(scaled):
    net = nn.SequentialCell(nn.Dense(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(p=0.3), nn.Dense(8, 3))
    rates = [0.1 / (step + 1) for step in range(100)]
    optimizer = nn.Adam(net.trainable_params(), rates)
    loss = nn.CrossEntropyLoss()
    if scaled:
        manager = ms.DynamicLossScaleManager(2**4, 2, 3)
        return Model(net, loss, optimizer, loss_scale_manager=manager, amp_level="O0")
    return Model(net, loss, optimizer)


def losses_of(epochs, scaled, callbacks, stop_after=None):
    losses = Losses(stop_after)
    model = make_model(scaled)
    try:
        model.train(epochs, dataset(), [losses, *callbacks])
    except InterruptedError:
        assert stop_after is not None
    return losses.losses


@pytest.fixture(params=[ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["pynative", "graph"])
def mode(request):
    before = ms.get_context("mode")
    ms.set_context(mode=request.param)
    yield
    ms.set_context(mode=before)


@pytest.mark.slow
@pytest.mark.usefixtures("mode")
@pytest.mark.parametrize("scaled", [False, True], ids=["", "loss scale"])
@pytest.mark.parametrize(("save_steps", "stop_after"), [(None, 9), (1, 6), (3, 8), (2, STEPS), (5, 4)])
def test_a_stopped_training_goes_on(save_steps, stop_after, scaled, tmp_path):
    ms.set_seed(3)
    expected = losses_of(3, scaled, [])
    assert len(expected) == 3 * STEPS
    ms.set_seed(3)
    first = losses_of(3, scaled, [ResumeTraining(tmp_path / "state.ckpt", save_steps)], stop_after)
    assert first == expected[:stop_after]
    ms.set_seed(4)
    saved = stop_after - 1  # the error came before the file of that step
    done = saved // save_steps * save_steps if save_steps else saved // STEPS * STEPS
    if not done:
        ms.set_seed(3)
    rest = losses_of(3, scaled, [ResumeTraining(tmp_path / "state.ckpt", save_steps)])
    assert rest == expected[done:]
    assert losses_of(3, scaled, [ResumeTraining(tmp_path / "state.ckpt")]) == (
        [] if save_steps is None else expected[3 * STEPS // save_steps * save_steps :]
    )


def test_own_loops(tmp_path):
    file = tmp_path / "state.ckpt"

    def train(steps, resume):
        net = nn.SequentialCell(nn.Dense(4, 3), nn.Dropout(p=0.5)).set_train()
        with_loss = nn.WithLossCell(net, nn.CrossEntropyLoss())
        step = nn.TrainOneStepCell(with_loss, nn.Momentum(net.trainable_params(), 0.1, 0.9)).set_train()
        batches = dataset().create_tuple_iterator()
        done = load_training_state(file, step, batches)["done"] if resume else 0
        losses = []
        for batch in itertools.islice(batches, steps - done):
            losses.append(float(step(*batch)))
            done += 1
            if done == 2:
                save_training_state(file, step, batches, done=done)
        return losses

    ms.set_seed(1)
    expected = train(STEPS, False)
    ms.set_seed(2)
    assert train(STEPS, True) == expected[2:]


class TestErrors:
    net = nn.Dense(2, 1)

    def save(self, folder, *args):
        save_training_state(folder / "state.ckpt", self.net, *args)
        return folder / "state.ckpt"

    @pytest.mark.parametrize(
        ("call", "error", "message"),
        [
            (lambda f: save_training_state(f, 1), TypeError, "'network' must be a Cell, but got 1"),
            (
                lambda f: save_training_state(f, TestErrors.net, [1]),
                TypeError,
                "'data_iterator' must have 'state_dict'",
            ),
            (lambda f: save_training_state(f, TestErrors.net, epoch=1.5), TypeError, "'epoch' must be an int"),
            (lambda f: load_training_state(f, nn.Dense(2, 1), [1]), TypeError, "'data_iterator' must have"),
            (lambda f: load_training_state(f, nn.LayerNorm((2,))), ValueError, "lacks 2 parameters of 'network'"),
            (lambda f: load_training_state(f, nn.Dense(2, 3)), RuntimeError, "nothing was loaded"),
            (
                lambda f: load_training_state(f, TestErrors.net, dataset().create_tuple_iterator()),
                ValueError,
                "holds no position of data",
            ),
            (lambda f: load_training_state(f.with_name("no.ckpt"), TestErrors.net), ValueError, "no.ckpt"),
            (lambda f: ResumeTraining(1), TypeError, "'file_name' must be a string or a path"),
            (lambda f: ResumeTraining(f, 0), ValueError, "'save_steps'"),
        ],
    )
    def test_wrong_arguments(self, call, error, message, tmp_path):
        file = self.save(tmp_path)
        with pytest.raises(error, match=message):
            call(file)

    def test_a_checkpoint_is_no_state(self, tmp_path):
        ms.save_checkpoint(self.net, tmp_path / "plain.ckpt", crc_check=True)
        with pytest.raises(ValueError, match="is a checkpoint, but not one of 'save_training_state'"):
            load_training_state(tmp_path / "plain.ckpt", self.net)

    def test_a_state_is_a_checkpoint(self, tmp_path):
        other = nn.Dense(2, 1)
        assert ms.load_param_into_net(other, ms.load_checkpoint(str(self.save(tmp_path))))[0] == []
        np.testing.assert_array_equal(other.weight.asnumpy(), self.net.weight.asnumpy())


# Files that are not whole


def _changed(path, **changes):
    """Rewrite a state's file with other values and a matching checksum."""
    values = ms.load_checkpoint(path)
    values = {name: value.asnumpy() if isinstance(value, ms.Tensor) else value for name, value in values.items()}
    ms.save_checkpoint(
        {**values, **{name.replace("__", "."): value for name, value in changes.items()}}, path, crc_check=True
    )


BAD = {
    "position": {"resume__position": "[1]"},
    "position of texts": {"resume__position": '{"step": "x"}'},
    "position nested": {"resume__position": "[" * 100_000},
    "data": {"resume__data": '{"epoch": 1}'},
    "data no JSON": {"resume__data": "{"},
    "data of more rows": {"resume__data": '{"epoch": 1, "rows": 1000, "seed": 3, "passes": []}'},
    "seed": {"resume__random__seed": '"x"'},
    "python": {"resume__random__python": "[3, [1, 2], null]"},
    "python too large": {"resume__random__python": json.dumps([3, [2**70] * 625, None])},
    "numpy": {"resume__random__numpy": '["MT19937", [1], 0, 0, 0.0]'},
    "cpu": {"resume__random__cpu": "text"},
    "cpu too short": {"resume__random__cpu": np.zeros(3, np.uint8)},
    "stream": {'resume__random__stream ["x", 1, "nowhere"]': np.zeros(3, np.uint8)},
    "shape": {"weight": np.zeros((7, 7), np.float32)},
    "type": {"weight": np.zeros((1, 2), np.int64)},
    "parameter of text": {"weight": "text"},
}


@pytest.mark.parametrize("case", list(BAD))
def test_a_bad_file_changes_nothing(case, tmp_path):
    """Not the parameters, not the position of the data, not a source of random numbers."""
    path = tmp_path / "a.ckpt"
    data = ds.NumpySlicesDataset(np.arange(8), ["x"], shuffle=True).create_tuple_iterator(
        num_epochs=3, output_numpy=True
    )
    ms.train.save_training_state(path, nn.Dense(2, 1), data, epoch=1)
    _changed(path, **BAD[case])
    net = nn.Dense(2, 1)
    next(data)

    def state():
        streams = sorted(f"{name} {value}" for name, value in all_states().items() if not name.endswith("cpu"))
        weights = [parameter.asnumpy().tolist() for parameter in net.get_parameters()]
        return weights, data.state_dict(), streams, all_states()["cpu"].asnumpy().tolist()

    before = state()
    with pytest.raises((ValueError, RuntimeError), match=r"^For '"):
        ms.train.load_training_state(path, net, data)
    assert state() == before
    assert len(list(data)) == 7
