"""The program that `test_mesh` starts in several processes: networks on meshes, beside a single process.

Each case prints the largest difference of its losses and weights from a single process's, or what the test
compares.
"""

from __future__ import annotations

import contextlib
import copy
import json
import os
import sys
import tempfile

import numpy as np

import torchspore as ms
from torchspore import Tensor, mint, nn, ops
from torchspore.mint import distributed as dist
from torchspore.parallel import (
    ColwiseParallel,
    CPUOffloadPolicy,
    DTensor,
    MixedPrecisionPolicy,
    Partial,
    PipelineStage,
    PrepareModuleInput,
    PrepareModuleOutput,
    Replicate,
    RowwiseParallel,
    Schedule1F1B,
    ScheduleGPipe,
    ScheduleInterleaved1F1B,
    SequenceParallel,
    Shard,
    ShardingPlan,
    SkipDTensorDispatch,
    distribute_module,
    distribute_tensor,
    fully_shard,
    hsdp,
    init_device_mesh,
    parallelize_module,
    shard_module,
)

dist.init_process_group()
RANK, COUNT = dist.get_rank(), dist.get_world_size()
STEPS, ROWS, WIDTH, WORDS, LENGTH = 4, 8, 16, 32, 8
MESH = init_device_mesh("npu", (COUNT,), ("dp",))
GRID = init_device_mesh("npu", (2, COUNT // 2), ("dp", "tp"))
X = np.random.default_rng(1).standard_normal((STEPS, ROWS, WIDTH)).astype(np.float32)
Y = (np.arange(STEPS * ROWS).reshape(STEPS, ROWS) % 4).astype(np.int32)
WORD_ROWS = np.random.default_rng(2).integers(0, WORDS, (STEPS, ROWS, LENGTH), dtype=np.int32)


class Mlp(nn.Cell):
    """A network with statistics, and with a layer that is used twice."""

    def __init__(self):
        super().__init__()
        self.up, self.down, self.head = nn.Dense(WIDTH, 4 * WIDTH), nn.Dense(4 * WIDTH, WIDTH), nn.Dense(WIDTH, 4)
        self.norm = nn.BatchNorm1d(WIDTH)

    def construct(self, x):
        return self.head(self.norm(x + self.down(ops.gelu(self.up(x)))))


class Block(nn.Cell):
    """Attention and a feed-forward network, of which a process may have some heads."""

    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm((WIDTH,)), nn.LayerNorm((WIDTH,))
        self.query, self.key, self.value = (nn.Dense(WIDTH, WIDTH) for _ in range(3))
        self.out, self.up, self.down = nn.Dense(WIDTH, WIDTH), nn.Dense(WIDTH, 4 * WIDTH), nn.Dense(4 * WIDTH, WIDTH)

    def construct(self, x, mask):
        y = self.norm1(x)
        q, k, v = [
            layer(y).reshape(x.shape[0], LENGTH, -1, 4).transpose(0, 2, 1, 3)
            for layer in (self.query, self.key, self.value)
        ]
        mixed = ops.matmul(ops.softmax(ops.matmul(q, k.transpose(0, 1, 3, 2)) / 2 + mask), v)
        x = x + self.out(mixed.transpose(0, 2, 1, 3).reshape(x.shape[0], LENGTH, -1))
        return x + self.down(ops.gelu(self.up(self.norm2(x))))


class Gpt(nn.Cell):
    """A small GPT."""

    def __init__(self):
        super().__init__()
        self.tokens, self.places = nn.Embedding(WORDS, WIDTH), nn.Embedding(LENGTH, WIDTH)
        self.blocks = nn.CellList([Block() for _ in range(2)])
        self.norm, self.head = nn.LayerNorm((WIDTH,)), nn.Dense(WIDTH, WORDS, has_bias=False)
        self.mask = Tensor(np.triu(np.full((LENGTH, LENGTH), -1e9, np.float32), 1))
        self.numbers = Tensor(np.arange(LENGTH, dtype=np.int32))

    def construct(self, words):
        x = self.tokens(words) + self.places(self.numbers)
        for block in self.blocks:
            x = block(x, self.mask)
        return self.head(self.norm(x))


COLUMNS_AND_ROWS = {"up": ColwiseParallel(), "down": RowwiseParallel()}
BLOCKS = {
    f"blocks.*.{name}": style()
    for style, names in ((ColwiseParallel, "query key value up"), (RowwiseParallel, "out down"))
    for name in names.split()
}


def sharded(net, mesh=MESH, **options):
    for layer in getattr(net, "blocks", [getattr(net, "up", None)]):
        fully_shard(layer, mesh=mesh, **options)
    return fully_shard(net, mesh=mesh, **options)


def by_columns_and_rows(net, mesh=None):
    return parallelize_module(net, MESH if mesh is None else mesh, BLOCKS if isinstance(net, Gpt) else COLUMNS_AND_ROWS)


def by_both(net):
    return sharded(by_columns_and_rows(net, GRID["tp"]), GRID["dp"])


def by_hsdp(net):
    return hsdp(by_columns_and_rows(net, GRID["tp"]), grad_scale=0.5)  # of the sum of two means


def on_the_grid(cut):
    """Return the difference of a network whose parameters and data lie on a mesh of two dimensions, and those held."""
    where = {"weight": (Replicate(), Shard(0)), "bias": (Replicate(), Shard(0))}
    ms.set_seed(0)
    nets = Mlp(), Mlp()
    ms.load_param_into_net(nets[1], nets[0].parameters_dict())
    shard_module(nets[1], GRID, ShardingPlan({f"up.{name}": placements for name, placements in where.items()}))
    cut(nets[1])
    found = []
    for net in nets:
        optimizer = nn.Adam(net.trainable_params(), 0.01, eps=1e-3)
        step = ms.value_and_grad(lambda x, net=net: (net(x) ** 2).mean(), None, net.trainable_params())
        for x in X:
            x = Tensor(x)
            value, gradients = step(x if net is nets[0] else distribute_tensor(x, GRID, (Shard(0), Replicate())))
            optimizer(gradients)
        whole = [t.full_tensor() if isinstance(t, DTensor) else t for t in (value, *net.trainable_params())]
        found.append([t.asnumpy() for t in whole])
    weight = nets[1].up.weight
    return [farthest(*found) < 1e-5, weight.size // weight.to_local().size]


def my_rows(mesh):
    """Return which rows of a batch this process has: its share of the first dimension of a mesh."""
    size = ROWS // mesh.size()
    return slice(size * mesh.get_local_rank(), size * (mesh.get_local_rank() + 1))


OPTIMIZERS = {
    "Adam": lambda weights: nn.Adam(weights, 0.01, eps=1e-3),
    "Momentum": lambda weights: nn.Momentum(weights, 0.05, 0.9),
    "Lamb": lambda weights: nn.Lamb(weights, 0.01, eps=1e-3),
    "mint.AdamW": lambda weights: mint.optim.AdamW(weights, 0.01, eps=1e-3),
}


def trained(kind, cut=None, rows=slice(None), optimizer="Adam", style="function", steps=STEPS):
    """Return a network, its optimizer, and losses and weights after some steps."""
    ms.set_seed(0)
    net = kind().set_train(kind is Gpt)
    loss_fn = nn.CrossEntropyLoss()
    if cut is not None:
        net = cut(net)

    def forward(x, y):
        out = net(x)
        return loss_fn(out.reshape(-1, out.shape[-1]), y.reshape(-1))

    weights = net.trainable_params()
    update = OPTIMIZERS[optimizer](weights)
    if style == "cell":
        step = nn.TrainOneStepCell(nn.WithLossCell(net, loss_fn), update).set_train(False)
    else:
        gradients = ms.value_and_grad(forward, None, weights)

        def step(x, y):
            value, found = gradients(x, y)
            with SkipDTensorDispatch():
                update(ops.clip_by_norm(found, 1.0) if style == "clipped" else found)
            return value

        step = ms.jit(step) if style == "jit" else step
    data = zip(X, Y) if kind is Mlp else zip(WORD_ROWS, np.roll(WORD_ROWS, -1, 2))
    losses = [step(Tensor(x[rows]), Tensor(y[rows])) for x, y in list(data)[:steps]]
    if cut is not None:
        losses = [ops.AllReduce()(loss) / COUNT for loss in losses]
    return net, update, [*map(float, losses), *[p.asnumpy() for p in net.get_parameters()]]


PLAIN = {}


def difference(kind, cut, rows=slice(None), optimizer="Adam", style="function", mode=ms.PYNATIVE_MODE):
    if (kind, optimizer, style) not in PLAIN:
        PLAIN[kind, optimizer, style] = trained(kind, None, optimizer=optimizer, style=style)[2]
    ms.set_context(mode=mode)
    try:
        found = trained(kind, cut, rows, optimizer, style)[2]
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    return farthest(found, PLAIN[kind, optimizer, style])


def farthest(found, wanted):
    return max(float(np.abs(one - other).max()) for one, other in zip(found, wanted, strict=True))


def local_bytes(tensors):
    return sum(t.to_local().nbytes if isinstance(t, DTensor) else t.nbytes for t in tensors)


def held():
    """Return the parts of the bytes of parameters, gradients and moments that a process has."""
    whole = local_bytes(Gpt().trainable_params())
    net, update, _ = trained(Gpt, sharded, my_rows(MESH), steps=1)
    gradients = ms.grad(lambda x: net(x).sum(), None, net.trainable_params())(Tensor(WORD_ROWS[0]))
    kinds = (net.trainable_params(), gradients, update.moment1, update.moment2)
    return [local_bytes(tensors) / whole for tensors in kinds]


def restored():
    """A checkpoint of a cut network is like a plain one's, and goes into another cut one."""
    net, _, wanted = trained(Mlp, sharded, my_rows(MESH), steps=2)
    path = os.path.join(tempfile.gettempdir(), f"{os.environ['MASTER_PORT']}-{RANK}.ckpt")
    ms.save_checkpoint(net, path)
    plain, other = Mlp(), by_columns_and_rows(Mlp())
    try:
        ms.load_param_into_net(plain, ms.load_checkpoint(path))
        ms.load_param_into_net(other, ms.load_checkpoint(path))
    finally:
        os.remove(path)
    loaded = sharded(Mlp())
    loaded.load_state_dict(net.state_dict())
    wanted = wanted[2:]
    return max(farthest([p.asnumpy() for p in one.get_parameters()], wanted) for one in (plain, other, loaded))


def after_an_error():
    """A call that failed leaves the parameters as they were."""
    net = sharded(Mlp())
    with contextlib.suppress(ValueError):
        net(Tensor(X[0][:, :3]))
    return sorted({str(p.placements) for p in net.trainable_params()}), list(net(Tensor(X[0])).shape)


def accumulated():
    """Gradients that are added over the processes only at the second call are the gradients of both."""
    net = sharded(Mlp())
    gradients = ms.grad(lambda x: net(x).sum(), None, net.trainable_params())
    wanted = [(a + b).asnumpy() for a, b in zip(gradients(Tensor(X[0])), gradients(Tensor(X[1])))]
    net.set_requires_gradient_sync(False)
    gradients(Tensor(X[0]))
    net.set_requires_gradient_sync(True)
    found = [gradient.asnumpy() for gradient in gradients(Tensor(X[1]))]
    net.set_reduce_op_type("sum")
    net.set_gradient_scaling_factor(0.5)
    return farthest(found, wanted)


def twice():
    """A network that a function calls twice."""
    plain = Mlp()
    net = Mlp()
    ms.load_param_into_net(net, plain.parameters_dict())

    def gradients(cell):
        return ms.grad(lambda x: (cell(x) * cell(x * 2)).sum(), None, cell.trainable_params())(Tensor(X[0]))

    wanted = [gradient.asnumpy() for gradient in gradients(plain)]
    return farthest([gradient.asnumpy() for gradient in gradients(sharded(net))], wanted)


def precise():
    """The data types of a mixed precision: of the output and of the gradients."""
    policy = MixedPrecisionPolicy(param_dtype=ms.bfloat16, reduce_dtype=ms.float32, output_dtype=ms.float32)
    net = nn.SequentialCell(nn.Dense(WIDTH, 8), nn.Dense(8, 4))
    fully_shard(net, mesh=MESH, mp_policy=policy, offload_policy=CPUOffloadPolicy(pin_memory=False))
    inner = []
    net[0].register_forward_hook(lambda cell, inputs, output: inner.append(str(output.dtype)))
    value, gradients = ms.value_and_grad(lambda x: net(x).sum(), None, net.trainable_params())(Tensor(X[0]))
    return [str(value.dtype), inner, sorted({str(gradient.dtype) for gradient in gradients})]


def tensors():
    """Tensors that lie on a mesh."""
    whole = Tensor(np.arange(16, dtype=np.float32).reshape(8, 2))
    x = distribute_tensor(whole, MESH, [Shard(0)])
    doubled = (x * 2).redistribute(MESH, [Replicate()])
    parts = DTensor.from_local(Tensor(np.ones((2,), np.float32)), MESH, [Partial()])
    return [
        list(x.shape), list(x.to_local().shape), list(x.local_shape), isinstance(x, DTensor),
        isinstance(whole, DTensor), hasattr(whole, "placements"), str(x.placements),
        float((doubled.full_tensor() - whole * 2).abs().max()),
        [parts.is_partial(), parts.reduce_partial().to_local().asnumpy().tolist()],
        float(x.sum()), float(ms.grad(lambda x: (x * x).sum())(x).full_tensor().sum()), x.asnumpy().tolist()[-1],
    ]  # fmt: skip


def by_a_plan():
    """A cell whose inputs and outputs lie as a plan says, and one whose parameters a function cuts."""
    plain = nn.Dense(WIDTH, 4 * WIDTH)
    planned, cut = nn.Dense(WIDTH, 4 * WIDTH), nn.Dense(WIDTH, 4 * WIDTH)
    for net in (planned, cut):
        ms.load_param_into_net(net, plain.parameters_dict())
    plan = ShardingPlan(
        {"weight": ("dp", "None"), "bias": (Shard(0),)},
        {"input": (Replicate(),)},
        {"output": [(Replicate(),)]},
        return_local_tensor=[""],
    )
    shard_module(planned, MESH, plan)

    def partition(name, cell, mesh):
        cell.weight = ms.Parameter(distribute_tensor(cell.weight, mesh, [Shard(0)]), name="weight")

    distribute_module(
        cut, MESH, partition, lambda cell, inputs, mesh: (DTensor.from_local(inputs[0], mesh, [Replicate()]),),
        lambda cell, output, mesh: output.full_tensor(),
    )  # fmt: skip
    wanted = plain(Tensor(X[0])).asnumpy()
    found = [planned(distribute_tensor(Tensor(X[0]), MESH, [Shard(0)])).asnumpy(), cut(Tensor(X[0])).asnumpy()]
    return [farthest(found, [wanted] * 2), str(planned.weight.placements), str(cut.weight.placements)]


def in_sequence():
    """A normalization of which each process computes its part of the sequence."""
    norm = nn.LayerNorm((WIDTH,))
    wanted = norm(Tensor(X)).asnumpy()
    net = nn.SequentialCell(norm, nn.Identity(), nn.Identity())
    plan = {
        "0": SequenceParallel(sequence_dim=1),
        "1": PrepareModuleInput(input_layouts=Shard(1), desired_input_layouts=Replicate()),
        "2": PrepareModuleOutput(output_layouts=Replicate(), desired_output_layouts=Replicate()),
    }
    parallelize_module(net, MESH, plan)
    part = Tensor(X[:, my_rows(MESH)])
    return float(np.abs(net(part).asnumpy() - wanted).max())


class Counting(nn.Cell):
    """A cell that writes to one of its parameters."""

    def __init__(self):
        super().__init__()
        self.weight = ms.Parameter(Tensor(np.ones(8, np.float32)), name="weight")
        self.count = ms.Parameter(Tensor(np.zeros(8, np.float32)), name="count", requires_grad=False)

    def construct(self, x):
        self.count += 1
        return x * self.weight


def computed_again():
    """Gradients of cells that run again in the backward pass, of which one has a hook."""
    plain, net = Mlp(), Mlp()
    ms.load_param_into_net(net, plain.parameters_dict())
    for one in (plain, net):
        one.recompute()
        one.up.weight.register_hook(lambda gradient: gradient * 2)
    sharded(net)
    found = [
        ms.grad(lambda x, net=net: (net(x) ** 2).sum(), None, net.trainable_params())(Tensor(X[0]))
        for net in (plain, net)
    ]
    return farthest(*[[gradient.asnumpy() for gradient in gradients] for gradients in found])


def second():
    net = sharded(Mlp())
    ms.grad(lambda x: ms.grad(lambda y: net(y).sum())(x).sum(), None, net.trainable_params())(Tensor(X[0]))


def in_stages(schedule, count):
    """Parts of a network in two processes: losses and gradients beside the whole network's."""
    ms.set_seed(0)
    layers = [nn.Dense(WIDTH, WIDTH, activation="tanh") for _ in range(count)]
    whole = nn.SequentialCell(*layers)
    wanted = ms.grad(lambda x: whole(x).sum(), None, whole.trainable_params())(Tensor(X[0]))
    own = range(RANK, count, COUNT)
    stages = [PipelineStage(layers[i], i, count) for i in own]
    losses = schedule(stages, 4).run(Tensor(X[0]))
    found = [gradient.asnumpy() for stage in stages for gradient in stage.gradients()]
    expected = [gradient.asnumpy() for i in own for gradient in wanted[2 * i : 2 * i + 2]]
    if RANK == COUNT - 1:
        found.append(np.concatenate([loss.asnumpy() for loss in losses]))
        expected.append(whole(Tensor(X[0])).asnumpy())
    return farthest(found, expected)


def error(call):
    try:
        call()
    except Exception as raised:
        return f"{type(raised).__name__}: {raised}".split("\n")[0]


def stages():
    try:
        ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel", pipeline_stages=2)
    finally:
        ms.reset_auto_parallel_context()


REFUSED = {
    "world": lambda: init_device_mesh("npu", (COUNT + 1,)),
    "names": lambda: init_device_mesh("npu", (COUNT,), ("dp", "tp")),
    "device": lambda: init_device_mesh("tpu", (COUNT,)),
    "dimension": lambda: MESH["tp"],
    "cut dimension": lambda: distribute_tensor(Tensor(X[0]), MESH, [Shard(2)]),
    "number": lambda: distribute_tensor(Tensor(X[0]), GRID, [Shard(0)]),
    "no placement": lambda: distribute_tensor(Tensor(X[0]), MESH, [0]),
    "no name": lambda: DTensor.from_local(Tensor(X[0]), MESH, ("tp", "None")),
    "no Tensor": lambda: DTensor.from_local(X[0], MESH, [Shard(0)]),
    "no cell": lambda: fully_shard(lambda x: x, mesh=MESH),
    "no mesh": lambda: fully_shard(Mlp(), mesh=2),
    "grid": lambda: parallelize_module(Mlp(), GRID, COLUMNS_AND_ROWS),
    "path": lambda: parallelize_module(Mlp(), MESH, {"upper": ColwiseParallel()}),
    "style": lambda: parallelize_module(Mlp(), MESH, {"up": "columns"}),
    "layer": lambda: parallelize_module(Mlp(), MESH, {"norm": ColwiseParallel()}),
    "parameter": lambda: shard_module(Mlp(), MESH, ShardingPlan({"up.weights": (Shard(0),)})),
    "not cut": lambda: Tensor(X[0]).placements,
    "again": lambda: fully_shard(fully_shard(Mlp(), mesh=MESH), mesh=MESH),
    "cut already": lambda: by_columns_and_rows(sharded(Mlp())),
    "written": lambda: fully_shard(Counting(), mesh=MESH)(Tensor(X[0][0, :8])),
    "second": second,
    "copied": lambda: copy.deepcopy(nn.SequentialCell(sharded(Mlp()))),
    "stages": stages,
}

CASES = {
    "mlp sharded": lambda: difference(Mlp, sharded, my_rows(MESH)),
    "gpt sharded": lambda: difference(Gpt, sharded, my_rows(MESH)),
    "mlp by columns and rows": lambda: difference(Mlp, by_columns_and_rows),
    "gpt by columns and rows": lambda: difference(Gpt, by_columns_and_rows),
    "sharded in graph mode": lambda: difference(Mlp, sharded, my_rows(MESH), mode=ms.GRAPH_MODE),
    "by columns and rows in graph mode": lambda: difference(Mlp, by_columns_and_rows, mode=ms.GRAPH_MODE),
    **{f"sharded, {name}": lambda name=name: difference(Mlp, sharded, my_rows(MESH), name)
       for name in ("Lamb", "mint.AdamW")},
    **{f"columns, {name}": lambda name=name: difference(Mlp, by_columns_and_rows, optimizer=name)
       for name in ("Momentum", "mint.AdamW")},
    **{f"sharded, {style}": lambda style=style: difference(Mlp, sharded, my_rows(MESH), style=style)
       for style in ("cell", "jit")},
    "checkpoint": restored,
    "accumulated": accumulated,
    "twice": twice,
    "computed again": computed_again,
    "in sequence": in_sequence,
    **({f"stages, {kind.__name__}": lambda kind=kind, count=count: in_stages(kind, count)
        for kind, count in ((ScheduleGPipe, 2), (Schedule1F1B, 2), (ScheduleInterleaved1F1B, 4))}
       if COUNT == 2 else {}),
    "held": held,
    "after an error": after_an_error,
    "precise": precise,
    "tensors": tensors,
    "plan": by_a_plan,
    **({"mlp by both": lambda: difference(Mlp, by_both, my_rows(GRID["dp"])),
        "hsdp after columns": lambda: difference(Mlp, by_hsdp, my_rows(GRID["dp"])),
        "hsdp on the grid": lambda: on_the_grid(hsdp),
        "copies on the grid": lambda: on_the_grid(lambda net: hsdp(net, 1)),
        "level3 on the grid": lambda: on_the_grid(lambda net: hsdp(net, optimizer_level="level3")),
        "gpt by both": lambda: difference(Gpt, by_both, my_rows(GRID["dp"])),
        "copies": lambda: difference(Mlp, lambda net: sharded(net, GRID), my_rows(MESH))} if COUNT > 2 else {}),
    **{f"refused {name}": lambda call=call: error(call) for name, call in REFUSED.items()},
}  # fmt: skip

for name, case in CASES.items():
    if sys.argv[1:] and not name.startswith(tuple(sys.argv[1:])):
        continue
    print(json.dumps([name, case()]), flush=True)
dist.destroy_process_group()
