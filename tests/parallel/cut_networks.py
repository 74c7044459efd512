"""The program that `test_cut_networks` starts in several processes: networks whose tensors are cut.

Each case prints the largest difference of its losses and weights from a single process's, or what the test
compares.
"""

from __future__ import annotations

import json
import sys

import numpy as np

import torchspore as ms
from torchspore import Parameter, Tensor, mint, nn, ops
from torchspore.mint import distributed as dist
from torchspore.parallel import Layout, shard
from torchspore.parallel.auto_parallel import AutoParallel

dist.init_process_group()
RANK, COUNT = dist.get_rank(), dist.get_world_size()
STEPS = int(sys.argv[1])
ROWS = 8
X = np.random.default_rng(1).standard_normal((STEPS, ROWS, 8)).astype(np.float32)
Y = (np.arange(STEPS * ROWS).reshape(STEPS, ROWS) % 4).astype(np.int32)
GRID = Layout((2, COUNT // 2), ("dp", "mp"))

STRATEGIES = {
    "none": {},
    "data": {"first": ((COUNT, 1), (1, 1)), "second": ((COUNT, 1), (1, 1))},
    "columns": {"first": ((1, 1), (1, COUNT)), "relu": ((1, COUNT),), "second": ((1, COUNT), (COUNT, 1))},
    "both": {"first": ((2, 1), (1, COUNT // 2)), "second": ((2, COUNT // 2), (COUNT // 2, 1))},
    "layouts": {"first": (GRID("dp", "None"), GRID("None", "mp")), "second": (GRID("dp", "mp"), GRID("mp", "None"))},
    "both axes": {"first": (GRID("None", "None"), GRID("None", ("dp", "mp")))},
}


class Network(nn.Cell):
    """Two products with strategies, and layers without."""

    def __init__(self, strategies):
        super().__init__()
        random = np.random.default_rng(0)
        self.w1 = Parameter(Tensor(random.standard_normal((8, 16)).astype(np.float32) * 0.3), name="w1")
        self.w2 = Parameter(Tensor(random.standard_normal((16, 4)).astype(np.float32) * 0.3), name="w2")
        self.bias = Parameter(Tensor(np.zeros(16, np.float32)), name="bias")
        self.first, self.second, self.relu = ops.MatMul(), ops.MatMul(), ops.ReLU()
        self.norm, self.batch_norm = nn.LayerNorm([16]), nn.BatchNorm1d(16)
        for name, strategy in strategies.items():
            getattr(self, name).shard(strategy)

    def construct(self, x):
        return self.second(self.norm(self.batch_norm(self.relu(self.first(x, self.w1) + self.bias))), self.w2)


OPTIMIZERS = {
    "Momentum": lambda weights: nn.Momentum(weights, 0.1, 0.9),
    "Adam": lambda weights: nn.Adam(weights, 0.01, eps=1e-3),
    "Lamb": lambda weights: nn.Lamb(weights, 0.01, eps=1e-3),
    "RMSProp": lambda weights: nn.RMSProp(weights, 0.01),
    "centralized": lambda weights: nn.SGD([{"params": weights, "grad_centralization": True}], 0.1),
    "mint.AdamW": lambda weights: mint.optim.AdamW(weights, 0.01),
    "experimental.Adam": lambda weights: ms.experimental.optim.Adam(weights, 0.01),
}


def trained(strategies, optimizer, style="cells", full=True, wrapped=False):
    """Return losses and weights after some steps."""
    net = Network(strategies)
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    update = OPTIMIZERS[optimizer](net.trainable_params())
    if style == "functions":
        gradients = ms.value_and_grad(lambda x, y: loss(net(x), y), None, update.parameters)

        def step(x, y):
            value, found = gradients(x, y)
            update(ops.clip_by_global_norm(found, 1.0))
            return value
    elif optimizer.startswith(("mint", "experimental")):
        gradients = ms.value_and_grad(lambda x, y: loss(net(x), y), None, net.trainable_params())

        @ms.jit
        def step(x, y):
            value, found = gradients(x, y)
            update(found)
            return value
    else:
        step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), update).set_train()
        step = AutoParallel(step) if wrapped else step
    part = slice(None) if full else slice(ROWS // COUNT * RANK, ROWS // COUNT * (RANK + 1))
    losses = [float(step(Tensor(x[part]), Tensor(y[part]))) for x, y in zip(X, Y)]
    return net, [*losses, *[p.asnumpy() for p in net.get_parameters()]]


def difference(name, optimizer="Momentum", style="cells", full=True, mode=ms.PYNATIVE_MODE, **settings):
    ms.set_context(mode=mode)
    plain = trained({}, optimizer, style)[1]
    ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel", full_batch=full, **settings)
    try:
        found = trained(STRATEGIES[name], optimizer, style, full)[1]
    finally:
        ms.reset_auto_parallel_context()
        ms.set_context(mode=ms.PYNATIVE_MODE)
    return max(float(np.abs(one - other).max()) for one, other in zip(found, plain))


def held(level):
    """Return how much of the weights and states a process holds after a step."""
    config = {"optimizer_level": level, "parallel_optimizer_threshold": 0}
    ms.set_auto_parallel_context(
        parallel_mode="semi_auto_parallel", full_batch=True, enable_parallel_optimizer=True,
        parallel_optimizer_config=config,
    )  # fmt: skip
    try:
        net, update = nn.Dense(16, 16, has_bias=False), None
        update = nn.Adam(net.trainable_params(), 0.01)
        step = nn.TrainOneStepCell(net, update)
        step(Tensor(np.ones((4, 16), np.float32)))
        return [p._t.to_local().numel() / 256 for p in (net.weight, update.moment1[0], update.moment2[0])]
    finally:
        ms.reset_auto_parallel_context()


def outputs(full):
    """Results leave the mesh: rows of this process, or all."""
    ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel", full_batch=full)
    try:
        net = Network(STRATEGIES["both"])
        return list(net(Tensor(np.ones((ROWS, 8), np.float32))).shape)
    finally:
        ms.reset_auto_parallel_context()


def names():
    """Whether a parameter is a state of an optimizer does not follow from its name."""
    ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel", full_batch=True)
    try:
        net = Network(STRATEGIES["none"])
        net.more = Parameter(Tensor(np.ones((8, 16), np.float32)), name="more.w1")
        net.first.shard(((1, 1), (1, COUNT)))
        update = nn.Momentum(net.trainable_params(), 0.1, 0.9)
        step = nn.TrainOneStepCell(nn.WithLossCell(net, lambda x, y: x.sum()), update)
        step(Tensor(X[0]), Tensor(Y[0]))
        states = [state for state in update.moments if state.name in ("moments.w1", "moments.more.w1")]
        return [len(p._t.to_local().T) * COUNT // 16 for p in (net.w1, net.more, *states)]
    finally:
        ms.reset_auto_parallel_context()


def wrapped():
    plain = trained({}, "Adam")[1]
    try:
        found = trained(STRATEGIES["both"], "Adam", full=False, wrapped=True)[1]
    finally:
        ms.reset_auto_parallel_context()
    return max(float(np.abs(one - other).max()) for one, other in zip(found, plain))


def function():
    ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel", full_batch=True)
    try:
        product = shard(mint.matmul, ((1, COUNT), (COUNT, 1)), ((COUNT, 1),))
        x, y = (Tensor(np.random.default_rng(i).standard_normal((8, 8)).astype(np.float32)) for i in range(2))
        found = ms.jit(lambda x, y: product(x, y) * 2)(x, y)
        return float(np.abs(found.asnumpy() - x.asnumpy() @ y.asnumpy() * 2).max())
    finally:
        ms.reset_auto_parallel_context()


def own_weights():
    """Processes that draw their own weights and random numbers compute the same all the same."""
    ms.set_seed(RANK)
    ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel", full_batch=True)
    try:
        net = nn.SequentialCell(nn.Dense(8, 8), nn.Dropout(p=0.5), nn.Dense(8, 2)).set_train()
        out = net(Tensor(np.ones((ROWS, 8), np.float32)))
        gathered = ops.AllGather()(out.expand_dims(0))
        return float((gathered - out).abs().max())
    finally:
        ms.reset_auto_parallel_context()


def other_strategies():
    """Strategies that differ by process are an error in all of them."""
    ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel", full_batch=True)
    try:
        Network({"first": ((1, 1), (1, 2 if RANK else 1))})(Tensor(np.ones((ROWS, 8), np.float32)))
    except ValueError as error:
        return str(error).split("\n")[0]
    finally:
        ms.reset_auto_parallel_context()


def refused(strategy):
    """A strategy that does not fit is an error in all processes."""
    ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel", full_batch=True)
    try:
        Network({"first": strategy})(Tensor(np.ones((ROWS, 8), np.float32)))
    except ValueError as error:
        return str(error).split("\n")[0]
    finally:
        ms.reset_auto_parallel_context()


def other_rows(strategies, mode):
    """Batches of which a process has fewer rows are an error in all processes, also in the fourth step."""
    ms.set_context(mode=mode)
    ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel")
    try:
        net = Network(STRATEGIES[strategies])
        loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
        step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), nn.Momentum(net.trainable_params(), 0.1, 0.9))
        found = []
        for rows in (4, 4, 4, 4 - RANK % 2, 4):
            try:
                step(Tensor(X[0][:rows]), Tensor(Y[0][:rows]))
                found.append("")
            except ValueError as error:
                found.append(str(error).split("\n")[0])
        return found
    finally:
        ms.reset_auto_parallel_context()
        ms.set_context(mode=ms.PYNATIVE_MODE)


CASES = {
    **{f"{name}, {m}": lambda name=name, m=m: difference(name, mode=m) for name in STRATEGIES for m in (0, 1)},
    **{f"parts of {name}": lambda name=name: difference(name, full=False) for name in STRATEGIES},
    **{f"{name} in both": lambda name=name: difference("both", name) for name in OPTIMIZERS},
    "functions": lambda: difference("both", "Adam", "functions"),
    **{
        f"optimizer {level}": lambda level=level: difference(
            "data", "Adam", enable_parallel_optimizer=True,
            parallel_optimizer_config={"optimizer_level": level, "parallel_optimizer_threshold": 0},
        )
        for level in ("level1", "level2", "level3")
    },
    "AutoParallel": wrapped,
    "shard": function,
    "own weights": own_weights,
    "names": names,
    "held at level1": lambda: held("level1"),
    "held at level3": lambda: held("level3"),
    "rows": lambda: outputs(False),
    "all rows": lambda: outputs(True),
    "too many parts": lambda: refused(((2 * COUNT, 1), (1, 1))),
    "unequal parts": lambda: refused(((1, 1), (1, 3))),
    "too few numbers": lambda: refused(((1,), (1, 1))),
    "inner dimension": lambda: refused(((1, COUNT), (1, 1))),
    "other axes": lambda: refused((ms.Layout((COUNT,), ("a",))("a", "None"), ms.Layout((COUNT,), ("a",))("a", "None"))),
    "other strategies": other_strategies,
    **{f"other rows, {m}": lambda m=m: other_rows("both", m) for m in (0, 1)},
    **{f"other rows without strategies, {m}": lambda m=m: other_rows("none", m) for m in (0, 1)},
}  # fmt: skip

for name, case in CASES.items():
    if sys.argv[2:] and name not in sys.argv[2:]:
        continue
    print(json.dumps([name, case()]), flush=True)
dist.destroy_process_group()
