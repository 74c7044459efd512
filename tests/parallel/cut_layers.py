"""The program that `test_cut_layers` starts in several processes: layers whose operations have strategies.

Each row prints a name and the largest difference to what a single process computes.
"""

from __future__ import annotations

import json
import sys

import numpy as np

import torchspore as ms
from torchspore import Tensor, nn, ops
from torchspore.mint import distributed as dist

dist.init_process_group()
RANK, COUNT = dist.get_rank(), dist.get_world_size()
STEPS, ROWS = 10, 8


def numbers(*shape):
    return np.random.default_rng(len(shape)).standard_normal(shape).astype(np.float32)


def indices(limit, *shape):
    return np.random.default_rng(0).integers(0, limit, shape).astype(np.int32)


IMAGES, SAMPLES = numbers(4, 4, 8, 8), numbers(4, 8)
N = COUNT
BATCH = (N, 1, 1, 1)
# A layer, the strategies of its operations, and its inputs.
LAYERS = {
    "Conv2d, rows": (lambda: nn.Conv2d(4, 8, 3, has_bias=True), {"conv2d": (BATCH, (1, 1, 1, 1))}, (IMAGES,)),
    "Conv2d, outputs": (
        lambda: nn.Conv2d(4, 8, 3, has_bias=True),
        {"conv2d": ((1, 1, 1, 1), (N, 1, 1, 1)), "bias_add": ((1, N, 1, 1), (N,))},
        (IMAGES,),
    ),
    "Conv2d, inputs": (lambda: nn.Conv2d(4, 8, 3, 2), {"conv2d": ((1, N, 1, 1), (1, N, 1, 1))}, (IMAGES,)),
    "Conv2d, groups": (lambda: nn.Conv2d(4, 8, 3, group=2), {"conv2d": ((1, 1, 1, 1), (N, 1, 1, 1))}, (IMAGES,)),
    "Conv1d": (lambda: nn.Conv1d(4, 8, 3), {"conv2d": (BATCH, (1, 1, 1, 1))}, (IMAGES[:, :, 0],)),
    "Conv3d": (lambda: nn.Conv3d(4, 8, 3), {"conv3d": ((N, 1, 1, 1, 1), (1,) * 5)}, (numbers(4, 4, 4, 4, 4),)),
    "Conv2dTranspose": (lambda: nn.Conv2dTranspose(4, 8, 3, 2), {"conv2d_transpose": (BATCH, (1,) * 4)}, (IMAGES,)),
    "BatchNorm2d, rows": (lambda: nn.BatchNorm2d(4), {"bn_train": (BATCH, (1,), (1,), (1,), (1,))}, (IMAGES,)),
    "BatchNorm2d, channels": (
        lambda: nn.BatchNorm2d(4),
        {"bn_train": ((1, N, 1, 1), (N,), (N,), (N,), (N,))},
        (IMAGES,),
    ),
    "BatchNorm1d": (lambda: nn.BatchNorm1d(8), {"bn_train": ((N, 1), (1,), (1,), (1,), (1,))}, (SAMPLES,)),
    "LayerNorm": (lambda: nn.LayerNorm([8]), {"layer_norm": ((N, 1), (1,), (1,))}, (SAMPLES,)),
    "Embedding, rows": (lambda: nn.Embedding(8, 4), {"gather": ((N, 1), (1,))}, (indices(8, 4, 2),)),
    "Embedding, columns": (lambda: nn.Embedding(8, 4), {"gather": ((1, N), (1,))}, (indices(8, 4, 2),)),
    "Embedding, indices": (lambda: nn.Embedding(8, 4), {"gather": ((1, 1), (N,))}, (indices(8, 4, 2),)),
    "Embedding, one-hot": (lambda: nn.Embedding(8, 4, True), {"array_mul": ((1, N), (N, 1))}, (indices(8, 4, 2),)),
    "Dense": (
        lambda: nn.Dense(8, 4, activation="relu"),
        {"matmul": ((1, 1), (N, 1)), "bias_add": ((1, N), (N,)), "activation.relu": ((1, N),)},
        (numbers(2, 4, 8),),
    ),
    "Dense, sums": (lambda: nn.Dense(8, 4), {"matmul": ((1, N), (1, N))}, (SAMPLES,)),
    "Dropout": (lambda: nn.Dropout(p=0.0), {"dropout": ((N, 1),)}, (SAMPLES,)),
    "Softmax": (lambda: nn.Softmax(), {"softmax": ((N, 1),)}, (SAMPLES,)),
    "LogSoftmax": (lambda: nn.LogSoftmax(), {"log_softmax": ((N, 1),)}, (SAMPLES,)),
    "PReLU": (lambda: nn.PReLU(8), {"prelu": ((1, N), (N,))}, (SAMPLES,)),
    "MaxPool2d": (lambda: nn.MaxPool2d(2, 2), {"max_pool": ((1, N, 1, 1),)}, (IMAGES,)),
    "AvgPool2d": (lambda: nn.AvgPool2d(2, 2), {"avg_pool": (BATCH,)}, (IMAGES,)),
    "SoftmaxCrossEntropyWithLogits": (
        lambda: nn.SoftmaxCrossEntropyWithLogits(),
        {"softmax_cross_entropy": ((N, 1), (N, 1))},
        (SAMPLES, abs(SAMPLES)),
    ),
    "SoftmaxCrossEntropyWithLogits of indices": (
        lambda: nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="sum"),
        {"one_hot": ((N, 1), (), ()), "softmax_cross_entropy": ((N, 1), (N, 1))},
        (SAMPLES, indices(8, 4)),
    ),
    **{
        name: (getattr(nn, name), {operation: ((N, 1),)}, (SAMPLES,))
        for name, operation in (("ReLU", "relu"), ("Tanh", "tanh"), ("Sigmoid", "sigmoid"), ("ELU", "elu"))
    },
}


def computed(make, strategies, inputs):
    """Return the output of a layer in training, what it leaves in its parameters, and their gradients."""
    ms.set_seed(3)
    layer = make().set_train()
    for path, strategy in strategies.items():
        cell, _, name = path.rpartition(".")
        getattr(layer.get_sub_cell(cell), name).shard(strategy)
    weights = ms.ParameterTuple(layer.trainable_params())
    given = [Tensor(x) for x in inputs]

    def square(*args):
        out = layer(*args)
        return (out * out).sum(), out

    argument = 0 if given[0].dtype == ms.float32 else None
    (_, out), found = ms.value_and_grad(square, argument, weights or None, has_aux=True)(*given)
    return [out, *_flat(found), *layer.get_parameters()]


def _flat(tree):
    return [leaf for part in tree for leaf in _flat(part)] if isinstance(tree, tuple) else [tree]


def layer_difference(make, strategies, inputs):
    plain = [tensor.asnumpy() for tensor in computed(make, {}, inputs)]
    ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel", full_batch=True)
    try:
        found = [tensor.asnumpy() for tensor in computed(make, strategies, inputs)]
    finally:
        ms.reset_auto_parallel_context()
    return max(
        float(np.abs(one - other).max() / max(1.0, np.abs(other).max()))
        for one, other in zip(found, plain, strict=True)
    )


class LeNet(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 6, 5, pad_mode="valid"), nn.Conv2d(6, 16, 5, pad_mode="valid")
        self.relu, self.pool, self.flatten = nn.ReLU(), nn.MaxPool2d(2, 2), nn.Flatten()
        self.fc1, self.fc2, self.fc3 = nn.Dense(16 * 5 * 5, 120), nn.Dense(120, 84), nn.Dense(84, 10)

    def construct(self, x):
        x = self.pool(self.relu(self.conv1(x)))
        x = self.flatten(self.pool(self.relu(self.conv2(x))))
        return self.fc3(self.relu(self.fc2(self.relu(self.fc1(x)))))


def losses(full, sharded):
    """Return the losses of ten steps."""
    ms.set_seed(1)
    net = LeNet()
    if sharded:
        net.conv1.conv2d.shard(((1, 1, 1, 1), (2, 1, 1, 1)))
        net.fc1.matmul.shard(((1, 1), (COUNT, 1)))
        net.fc2.matmul.shard(((1, COUNT), (1, COUNT)))
    loss = nn.WithLossCell(net, nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"))
    step = nn.TrainOneStepCell(loss, nn.Momentum(net.trainable_params(), 0.01, 0.9)).set_train()
    part = slice(None) if full else slice(ROWS // COUNT * RANK, ROWS // COUNT * (RANK + 1))
    x, y = numbers(STEPS, ROWS, 1, 32, 32), indices(10, STEPS, ROWS)
    return [step(Tensor(images[part]), Tensor(labels[part])) for images, labels in zip(x, y)]


def lenet_difference(mode, sharded, settings):
    plain = [float(value) for value in losses(True, False)]
    full = settings.get("full_batch", False)
    ms.set_context(mode=mode)
    ms.set_auto_parallel_context(**settings)
    try:
        found = losses(full, sharded)
        if not full and settings["parallel_mode"] == "data_parallel":  # each process has the mean over its own rows
            found = [ops.AllReduce()(value) / COUNT for value in found]
        found = [float(value) for value in found]
    finally:
        ms.reset_auto_parallel_context()
        ms.set_context(mode=ms.PYNATIVE_MODE)
    return max(abs(one - other) for one, other in zip(found, plain, strict=True))


def late_losses(cuts):
    """Return the losses of a training with batches of several sizes, which is cut after some steps."""
    ms.set_seed(1)
    net = nn.SequentialCell(nn.Dense(8, 8), nn.ReLU(), nn.Dense(8, 4))
    loss = nn.WithLossCell(net, nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"))
    step = nn.TrainOneStepCell(loss, nn.Momentum(net.trainable_params(), 0.1, 0.9)).set_train()
    x, y = numbers(12, 8, 8), indices(4, 12, 8)
    found = []
    for i in range(12):
        if cuts and i == 4:
            net[0].matmul.shard(((1, 1), (COUNT, 1)))
        if cuts and i == 8:
            net[2].matmul.shard(((1, COUNT), (1, COUNT)))
        rows = 4 if i % 4 == 3 else 8
        found.append(float(step(Tensor(x[i, :rows]), Tensor(y[i, :rows]))))
    return found


def late_difference(mode):
    plain = late_losses(False)
    ms.set_context(mode=mode)
    ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel", full_batch=True)
    try:
        found = late_losses(True)
    finally:
        ms.reset_auto_parallel_context()
        ms.set_context(mode=ms.PYNATIVE_MODE)
    return max(abs(one - other) for one, other in zip(found, plain, strict=True))


SETTINGS = {
    "data parallel": (False, {"parallel_mode": "data_parallel", "gradients_mean": True}),
    "operations": (True, {"parallel_mode": "semi_auto_parallel", "full_batch": True}),
    "operations and rows": (True, {"parallel_mode": "semi_auto_parallel"}),
}

rows = {name: lambda row=row: layer_difference(*row) for name, row in LAYERS.items()}
for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE):
    rows[f"late, {mode}"] = lambda mode=mode: late_difference(mode)
    for name, (sharded, settings) in SETTINGS.items():
        rows[f"LeNet, {name}, {mode}"] = lambda row=(mode, sharded, settings): lenet_difference(*row)

for name, row in rows.items():
    if sys.argv[1:] and not name.startswith(tuple(sys.argv[1:])):
        continue
    print(json.dumps([name, row()]), flush=True)
dist.destroy_process_group()
