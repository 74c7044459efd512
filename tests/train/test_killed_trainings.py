"""Trainings of random pipelines that are killed at random moments: they end as those that are not, to the last bit."""

from __future__ import annotations

import itertools
import multiprocessing
import os
import pickle
import random
import signal
import time

import numpy as np
import pytest
import torch

import fuzz
import torchspore as ms
from dataset.random_pipelines import CALLER, PROCESSES, THREADS, pipeline
from torchspore import nn
from torchspore.train import Callback, Model, ResumeTraining

EPOCHS = 3
LIMIT = 12  # rows of an epoch


def features(x):
    first = [np.sin(x), np.cos(x), np.random.randn(), random.random()]
    return np.array(first, np.float32), np.float32([x % 1])


def data_of(seed, options):
    rows = pipeline(seed, options, costly=False, batched=False).take(LIMIT)
    return rows.map(features, ["x"], ["data", "label"], **options).batch(3)


def model_of(draw):
    net = nn.SequentialCell(nn.Dense(4, 6), nn.BatchNorm1d(6), nn.ReLU(), nn.Dropout(p=0.3), nn.Dense(6, 1))
    parameters = net.trainable_params()
    optimizer = draw.choice([lambda: nn.Adam(parameters, 0.01), lambda: nn.Momentum(parameters, 0.01, 0.9)])()
    options = {"loss_scale_manager": ms.DynamicLossScaleManager(16, 2, 3), "amp_level": "O0"}
    return Model(net, nn.MSELoss(), optimizer, **draw.choice([{}, options]))


class Seen(Callback):
    """Stores the inputs of each step, and the random numbers that the program draws in it."""

    def __init__(self, pause=0.0):
        super().__init__()
        self.steps = {}
        self.pause = pause

    def on_train_step_end(self, run_context):
        state = run_context.original_args()
        time.sleep(self.pause)
        loss = state.net_outputs
        batch = [each.asnumpy().tolist() for each in state.train_dataset_element]
        loss = (loss[0] if isinstance(loss, tuple) else loss).asnumpy().tolist()
        self.steps[state.cur_step_num] = (batch, loss, np.random.rand(), random.random(), torch.rand(1).item())


def trained(seed, options, callbacks, seen, begin=None):
    """Train, and return the parameters and the next number of each generator."""
    ms.set_seed(seed)
    draw = random.Random(seed)
    model = model_of(draw)
    if begin is not None:
        ms.set_seed(begin)  # only the file says where the generators are
    model.train(EPOCHS, data_of(seed, options), [seen, *callbacks], dataset_sink_mode=False)
    values = [parameter.asnumpy().tobytes() for parameter in model.train_network.get_parameters()]
    return values, np.random.randn(), random.gauss(0, 1), torch.rand(1).item()


def killed_now_and_then(number, folder):
    """Train in processes that are killed at random moments; return the result, the steps seen, and the kills."""
    draw = random.Random(number)
    choice = draw.choice([CALLER, THREADS, PROCESSES])
    save_steps = draw.choice([1, 1, 2, 3, None])
    file, result = folder / "state.ckpt", folder / "result"
    context = multiprocessing.get_context("fork")
    steps, kills = {}, 0

    def work(begin):
        seen = Seen(0.004)
        end = trained(number, choice, [ResumeTraining(file, save_steps)], seen, begin if file.exists() else None)
        (folder / "part").write_bytes(pickle.dumps((end, seen.steps)))
        os.replace(folder / "part", result)

    while not result.exists():
        process = context.Process(target=work, args=(number + 100 + kills,))
        process.start()
        process.join(draw.uniform(0.02, 0.15) if kills < 4 else 60)
        if process.exitcode is None:
            os.kill(process.pid, signal.SIGKILL)
            kills += 1
        process.join()
        assert process.exitcode in (0, -signal.SIGKILL)
    end, steps = pickle.loads(result.read_bytes())
    return end, steps, kills


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_killed_training_goes_on(tmp_path):
    tried = kills = 0
    for number in itertools.count(fuzz.seeds(1)[0] + 1):
        if tried == fuzz.inputs(4):
            break
        if data_of(number, CALLER).get_dataset_size() < 2:
            continue
        folder = tmp_path / str(number)
        folder.mkdir()
        seen = Seen()
        expected = trained(number, CALLER, [], seen)
        end, steps, count = killed_now_and_then(number, folder)
        assert {step: seen.steps[step] for step in steps} == steps, f"training {number}: the steps"
        assert end == expected, f"training {number}: the end"
        tried, kills = tried + 1, kills + count
    assert kills
