"""The program that `test_resume_in_processes` starts in several processes: a training that is killed, and resumed."""

from __future__ import annotations

import json
import os
import sys

import numpy as np

import torchspore as ms
from torchspore import nn
from torchspore.mint import distributed as dist

dist.init_process_group()
RANK, COUNT = dist.get_rank(), dist.get_world_size()
FOLDER, TASK = sys.argv[1:]
ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True)


class Losses(ms.Callback):
    def __init__(self):
        self.found = []

    def on_train_step_end(self, run_context):
        state = run_context.original_args()
        self.found.append((state.cur_step_num, float(state.net_outputs)))


class Kill(ms.Callback):
    """End the process between two steps, in the middle of an epoch."""

    def on_train_step_end(self, run_context):
        if run_context.original_args().cur_step_num == 5:
            os._exit(0)


def trained(name, *more):
    ms.set_seed(7 + RANK)
    ms.dataset.config.set_seed(3)
    random = np.random.default_rng(1)
    columns = random.standard_normal((24, 4)).astype(np.float32), random.standard_normal((24, 2)).astype(np.float32)
    data = ms.dataset.NumpySlicesDataset(columns, ["x", "y"], num_shards=COUNT, shard_id=RANK).batch(4)
    net = nn.SequentialCell(nn.Dense(4, 8), nn.Dropout(p=0.5), nn.Dense(8, 2))
    model = ms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params(), 0.01))
    losses, resume = Losses(), ms.train.ResumeTraining(f"{FOLDER}/{name}.ckpt", save_steps=1)
    # The first process is killed after its fifth save, the others before theirs.
    model.train(3, data, [losses, resume, *more] if RANK == 0 else [losses, *more, resume])
    return losses.found, [p.asnumpy().tolist() for p in net.get_parameters()]


if TASK == "kill":
    trained("resumed", Kill())
elif TASK == "resume":
    print(json.dumps([trained("resumed"), trained("whole")]))
    if RANK == 1:
        with open(f"{FOLDER}/whole.rank_1.ckpt", "r+b") as file:
            file.truncate(100)
    try:
        trained("whole")
    except ValueError as error:
        print(str(error).replace(FOLDER, ""))
    if RANK == 1:
        for name in os.listdir(FOLDER):
            if "resumed.rank_1" in name:
                os.remove(f"{FOLDER}/{name}")
    try:
        trained("resumed")
    except ValueError as error:
        print(error)
    rows = np.ones((8 + 4 * RANK, 3), np.float32)
    try:
        net = nn.Dense(3, 3)
        ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params())).train(
            1, ms.dataset.NumpySlicesDataset((rows, rows), ["x", "y"]).batch(4)
        )
    except ValueError as error:
        print(error)
dist.destroy_process_group()
