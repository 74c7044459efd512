"""The program that `test_stages` starts in several processes: networks whose cells are on several stages.

Each case prints the largest difference of its losses and weights from a single process's, or what the test
compares.
"""

from __future__ import annotations

import copy
import json
import os
import sys
from typing import ClassVar

import numpy as np

import torchspore as ms
from torchspore import Parameter, Tensor, nn, ops
from torchspore.mint import distributed as dist
from torchspore.parallel.auto_parallel import AutoParallel

dist.init_process_group()
RANK, COUNT = dist.get_rank(), dist.get_world_size()
STEPS, ROWS, WIDTH, CLASSES = 4, 16, 8, 4
WORDS, LENGTH, HEADS = 12, 4, 2
DATA = np.random.default_rng(1)
X = DATA.standard_normal((STEPS, ROWS, WIDTH)).astype(np.float32)
Y = DATA.integers(0, CLASSES, (STEPS, ROWS)).astype(np.int32)
TEXT = DATA.integers(0, WORDS, (STEPS, ROWS, LENGTH)).astype(np.int32)


def placed(cells, stages, segments=1, turns=False):
    """Put cells onto the stages, in their order."""
    for i, cell in enumerate(cells):
        position = i * stages * segments // len(cells)
        segment, stage = divmod(position, stages)
        cell.pipeline_stage = stages - 1 - stage if turns and segment else stage
        cell.pipeline_segment = segment


class Mlp(nn.Cell):
    """Layers with operations between them, and the loss, which has no stage."""

    def __init__(self, stages, segments=1, turns=False, layers=8):
        super().__init__()
        self.layers = nn.CellList([nn.SequentialCell(nn.Dense(WIDTH, WIDTH), nn.Tanh()) for _ in range(layers)])
        self.head = nn.Dense(WIDTH, CLASSES)
        self.loss = nn.CrossEntropyLoss()
        placed([*self.layers, self.head], stages, segments, turns)

    def construct(self, x, y):
        for layer in self.layers:
            x = layer(x) + 0.5 * x
        return self.loss(self.head(x), y)


class Block(nn.Cell):
    """Attention and a feed-forward network."""

    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm((WIDTH,)), nn.LayerNorm((WIDTH,))
        self.qkv, self.out = nn.Dense(WIDTH, 3 * WIDTH), nn.Dense(WIDTH, WIDTH)
        self.up, self.down = nn.Dense(WIDTH, 4 * WIDTH), nn.Dense(4 * WIDTH, WIDTH)

    def construct(self, x, mask):
        rows = self.qkv(self.norm1(x)).reshape(-1, LENGTH, 3, HEADS, WIDTH // HEADS)
        q, k, v = rows.transpose(2, 0, 3, 1, 4)
        scores = ops.matmul(q, k.swapaxes(-1, -2)).masked_fill(mask, -1e9)
        mixed = ops.matmul(ops.softmax(scores / 2), v).transpose(0, 2, 1, 3).reshape(-1, LENGTH, WIDTH)
        x = x + self.out(mixed)
        return x + self.down(ops.gelu(self.up(self.norm2(x))))


class Embedding(nn.Cell):
    """Embeddings, whose table the head uses as well; it also makes the mask, a bool Tensor."""

    def __init__(self):
        super().__init__()
        self.table = Parameter(Tensor(np.zeros((WORDS, WIDTH), np.float32)), name="table")
        self.places = Parameter(Tensor(np.zeros((LENGTH, WIDTH), np.float32)), name="places")

    def construct(self, words):
        mask = ops.triu(ops.ones((LENGTH, LENGTH), ms.float32), 1) > 0
        return ops.gather(self.table, words, 0) + self.places, mask


class Head(nn.Cell):
    """Scores of words, by the table of the embeddings."""

    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm((WIDTH,))

    def construct(self, x, table):
        return ops.matmul(self.norm(x), table.T).reshape(-1, WORDS)


class Gpt(nn.Cell):
    """A GPT with tied embeddings and its loss."""

    def __init__(self, stages, segments=1, turns=False, recomputes=False):
        super().__init__()
        self.embedding, self.head, self.loss = Embedding(), Head(), nn.CrossEntropyLoss()
        self.blocks = nn.CellList([Block() for _ in range(8)])
        placed([self.embedding, *self.blocks, self.head], stages, segments, turns)
        if recomputes:
            for block in self.blocks:
                block.recompute()

    def construct(self, words, following):
        x, mask = self.embedding(words)
        for block in self.blocks:
            x = block(x, mask)
        return self.loss(self.head(x, self.embedding.table), following.reshape(-1))


def initialized(net):
    random = np.random.default_rng(0)
    for parameter in net.get_parameters():
        start = 1.0 if "gamma" in parameter.name else 0.0
        parameter.set_data(Tensor((start + 0.3 * random.standard_normal(parameter.shape)).astype(np.float32)))
    return net


def mine(*arrays):
    """Return the rows of this process."""
    width = COUNT // ms.get_auto_parallel_context("pipeline_stages") if in_stages() else 1
    return [Tensor(array[RANK % width :: width]) for array in arrays]


def in_stages():
    return ms.get_auto_parallel_context("pipeline_stages") > 1


def batches(kind):
    if kind is Gpt:
        return [(one, np.roll(one, -1, 1)) for one in TEXT]
    return list(zip(X, Y))


def by_step(net, optimizer, kind):
    step = nn.TrainOneStepCell(net, optimizer)
    return [float(step(*mine(*batch))) for batch in batches(kind)]


def by_gradients(net, optimizer, kind):
    gradients = ms.value_and_grad(lambda x, y: net(x, y), None, optimizer.parameters)
    reducer = nn.PipelineGradReducer(optimizer.parameters)

    @ms.jit
    def step(x, y):
        loss, found = gradients(x, y)
        optimizer(reducer(found))
        return loss

    return [float(step(*mine(*batch))) for batch in batches(kind)]


def train(kind, stages, how=by_step, parts=4, **options):
    net = initialized(kind(stages, **options))
    pipeline = nn.PipelineCell(net, parts).set_train()
    losses = how(pipeline, nn.Adam(pipeline.trainable_params(), 0.01, eps=1e-2), kind)
    return np.array(losses), [parameter.asnumpy() for parameter in net.get_parameters()]


def difference(found, expected):
    return max(float(np.abs(a - b).max()) for a, b in zip([found[0], *found[1]], [expected[0], *expected[1]]))


def set_stages(stages, scheduler="1f1b"):
    ms.set_auto_parallel_context(
        parallel_mode="semi_auto_parallel", pipeline_stages=stages, pipeline_config={"pipeline_scheduler": scheduler}
    )


def weights(net):
    return [parameter.asnumpy() for parameter in net.get_parameters()]


def two_ways(run):
    """Return the largest difference between the results of a function in one process and in two stages."""
    alone = run()
    set_stages(2)
    return max(float(np.abs(np.subtract(a, b, dtype=float)).max()) for a, b in zip(alone, run(), strict=True))


class Classifier(nn.Cell):
    """A network without its loss, with running statistics, a frozen parameter and a cell with its own backward."""

    def __init__(self):
        super().__init__()
        self.first, self.norm = nn.Dense(WIDTH, WIDTH, has_bias=False), nn.BatchNorm1d(WIDTH)
        self.own, self.last = Doubling(), nn.Dense(WIDTH, CLASSES)
        self.last.bias.requires_grad = False
        self.first.pipeline_stage = self.norm.pipeline_stage = 0
        self.own.pipeline_stage = self.last.pipeline_stage = 1

    def construct(self, x):
        x = self.norm(self.first(x))
        return self.last(self.own(ops.stop_gradient(x) * x))


class Doubling(nn.Cell):
    """A cell whose gradient is twice what it should be."""

    def construct(self, x):
        return ops.tanh(x)

    def bprop(self, x, out, dout):
        return (2 * dout * (1 - out * out),)


def model():
    """Train by `Model`, evaluate and predict with the network itself."""
    net, loss = initialized(Classifier()), nn.CrossEntropyLoss()
    rows = ms.dataset.NumpySlicesDataset({"x": X.reshape(-1, WIDTH), "y": Y.reshape(-1)}, shuffle=False).batch(ROWS)
    pipeline = nn.PipelineCell(nn.WithLossCell(net, loss), 4)
    ms.Model(pipeline, optimizer=nn.Momentum(pipeline.trainable_params(), 0.05, 0.9)).train(1, rows)
    trained = ms.Model(net, loss_fn=loss, metrics={"loss": nn.Loss(), "accuracy": nn.Accuracy()})
    found = trained.eval(rows)
    return [found["loss"], found["accuracy"], trained.predict(Tensor(X[0])).asnumpy(), *weights(net)]


def without_parts():
    """Train a network whose loss is outside of it, with clipped gradients and an optimizer that needs norms."""
    net, loss = initialized(Classifier()).set_train(), nn.CrossEntropyLoss()
    optimizer = nn.Lamb(net.trainable_params(), 0.01)

    def forward(x, y):
        scores = net(x)
        return loss(scores, y), scores

    gradients = ms.value_and_grad(forward, None, optimizer.parameters, has_aux=True)
    found = []
    for x, y in batches(Mlp):
        (value, scores), given = gradients(Tensor(x), Tensor(y))
        optimizer(ops.clip_by_global_norm(given, 0.1))
        found += [float(value), scores.asnumpy()]
    return [*found, *weights(net)]


def scaled():
    """Train with scaled losses: the scale is known only after the gradients are computed."""
    net = initialized(Mlp(2))
    pipeline = nn.PipelineCell(net, 4).set_train()
    optimizer, scaler = nn.SGD(pipeline.trainable_params(), 0.1), ms.amp.DynamicLossScaler(2.0**10, 2, 2)
    gradients = ms.value_and_grad(lambda x, y: scaler.scale(pipeline(x, y)), None, optimizer.parameters)
    found = []
    for x, y in batches(Mlp):
        loss, given = gradients(Tensor(x), Tensor(y))
        given = scaler.unscale(given)
        is_finite = ms.amp.all_finite(given)
        scaler.adjust(is_finite)
        if is_finite:
            optimizer(given)
        found += [float(scaler.unscale(loss)), float(is_finite), float(scaler.scale_value)]
    step = nn.TrainOneStepWithLossScaleCell(pipeline, optimizer, nn.DynamicLossScaleUpdateCell(256.0, 2, 3))
    for x, y in batches(Mlp):
        found += [float(value) for value in step(Tensor(x), Tensor(y))]
    return [*found, *weights(net)]


def inputs_and_hooks():
    """Differentiate with respect to inputs; a hook sees a whole gradient."""
    net = initialized(Mlp(2))
    net.layers[0][0].weight.register_hook(lambda gradient: 2 * gradient)
    pipeline = nn.PipelineCell(net, 4)
    of_input = ms.grad(lambda x, y: pipeline(x * 2, y))(Tensor(X[0]), Tensor(Y[0]))
    step = nn.TrainOneStepCell(pipeline, nn.SGD(pipeline.trainable_params(), 0.1))
    return [of_input.asnumpy(), *[float(step(Tensor(x), Tensor(y))) for x, y in batches(Mlp)], *weights(net)]


def batches_in_two():
    """Split a batch in two, and again in parts: the outputs are the sums."""
    net = initialized(Mlp(2))
    plain = net(Tensor(X[0]), Tensor(Y[0]))
    halves = nn.MicroBatchInterleaved(net, 2)
    parts = nn.PipelineCell(halves, 4)
    return [float(plain), *[float(cell(Tensor(X[0]), Tensor(Y[0]))) / n for cell, n in ((halves, 2), (parts, 8))]]


def sizes_and_files():
    """Change the size of batches, evaluate between steps, save and load."""
    net = initialized(Mlp(2))
    pipeline = nn.PipelineCell(net, 4).set_train()
    step = nn.TrainOneStepCell(pipeline, nn.Adam(pipeline.trainable_params(), 0.01, eps=1e-2))
    found = []
    for x, y in batches(Mlp)[:3]:
        found += [float(step(Tensor(x[:n]), Tensor(y[:n]))) for n in (16, 8, 16)]
        net.set_train(False)
        found += [float(net(Tensor(x), Tensor(y))), float(pipeline(Tensor(x), Tensor(y)))]
        net.set_train()
    file = f"{sys.argv[1]}/{RANK}.ckpt"
    ms.save_checkpoint(step, file)
    after = [float(step(Tensor(X[0]), Tensor(Y[0]))) for _ in range(3)]
    ms.load_param_into_net(step, ms.load_checkpoint(file))
    again = [float(step(Tensor(X[0]), Tensor(Y[0]))) for _ in range(3)]
    return [*found, *after, float(after == again), *weights(net)]


def moved():
    """Move a layer to another stage between steps, and back, with its parameters and their states; copy the network."""
    net = initialized(Mlp(2))
    pipeline = nn.PipelineCell(net, 4).set_train()
    step = nn.TrainOneStepCell(pipeline, nn.Adam(pipeline.trainable_params(), 0.01, eps=1e-2))
    found = []
    for number, (x, y) in enumerate(batches(Mlp)):
        net.layers[4].pipeline_stage = 1 if 3 <= number < 6 else 0
        found.append(float(step(Tensor(x), Tensor(y))))
    copies = copy.deepcopy(net)
    return [*found, float(copies(Tensor(X[0]), Tensor(Y[0]))), *weights(copies)]


class Choosing(nn.Cell):
    """A cell whose outputs are of several types."""

    def construct(self, x):
        return x > 0, (2 * x).astype(ms.int64), x


class Irregular(nn.Cell):
    """Operations of every stage and parameters outside of cells, cells used twice, and a dict as output."""

    def __init__(self):
        super().__init__()
        self.scale = Parameter(Tensor(np.ones(WIDTH, np.float32)), name="scale")
        self.first, self.second, self.choosing = nn.Dense(WIDTH, WIDTH), nn.Dense(WIDTH, WIDTH), Choosing()
        self.first.pipeline_stage = self.choosing.pipeline_stage = 0
        self.second.pipeline_stage = 1
        self.calls = 0

    def construct(self, x, factor=1.0):
        self.calls += 1
        before = self.first(self.first(x * self.scale))
        which, whole, same = self.choosing(before)
        halves = ops.split(before, WIDTH // 2, axis=1)
        turned = ops.cat(halves[::-1], 1)
        turned[:, 0] = 0.0
        after = self.second(same + turned) * self.scale
        after = ops.where(which, after, factor * after) + whole.astype(ms.float32)
        return {"scores": self.second(after), "rest": [x, which, after.mean()]}


class Mean(nn.Cell):
    """A loss of the irregular network."""

    def __init__(self, net):
        super().__init__()
        self.net = net

    def construct(self, x):
        found = self.net(x, factor=2.0)
        return found["scores"].mean() + found["rest"][2]


def irregular():
    """Call and train a network that is not a sequence of layers."""
    net = initialized(Irregular())
    output = net(Tensor(X[0]), factor=Tensor(3.0))
    found = [output["scores"].asnumpy(), *[value.asnumpy() for value in output["rest"]]]
    pipeline = nn.PipelineCell(Mean(net), 4)
    step = nn.TrainOneStepCell(pipeline, nn.SGD(pipeline.trainable_params(), 0.05))
    return [*found, *[float(step(Tensor(x))) for x in X], *weights(net)]


def auto_parallel():
    """Train by AutoParallel; in one process it changes nothing."""
    net = initialized(Mlp(2))
    pipeline = nn.PipelineCell(net, 4).set_train()
    step = nn.TrainOneStepCell(pipeline, nn.Adam(pipeline.trainable_params(), 0.01, eps=1e-2))
    if in_stages():
        step = AutoParallel(step, parallel_mode="semi_auto")
        step.pipeline(2, output_broadcast=True, scheduler="gpipe")
    return [*[float(step(Tensor(x), Tensor(y))) for x, y in batches(Mlp)], *weights(net)]


def held():
    """Return the share of the parameters, and of the optimizer's states, that this process holds."""
    net = initialized(Mlp(2))
    pipeline = nn.PipelineCell(net, 4)
    optimizer = nn.Adam(pipeline.trainable_params(), 0.01)
    step = nn.TrainOneStepCell(pipeline, optimizer)
    set_stages(2)
    for _ in range(2):
        step(Tensor(X[0]), Tensor(Y[0]))

    def share(parameters):
        sizes = [parameter.size for parameter in parameters]
        return sum(n for n, p in zip(sizes, parameters) if not p._storage.is_meta) / sum(sizes)

    return [round(share(each), 2) for each in (list(net.get_parameters()), optimizer.moment1, optimizer.moment2)]


class Reading(Mlp):
    """A network that reads a value outside of its cells."""

    def construct(self, x, y):
        return self.layers[1](x * 2 if self.layers[0](x).sum() > 0 else x).mean()


def wrong_stage():
    net = Mlp(2)
    net.head.pipeline_stage = 2
    return net


def backwards():
    net = Mlp(2)
    net.layers[-1].pipeline_stage = 0
    return net


def called(net, rows=ROWS):
    set_stages(2)
    return nn.PipelineCell(net, 4)(Tensor(X[0][:rows]), Tensor(Y[0][:rows]))


WRONG = {
    "too large": lambda: called(wrong_stage()),
    "do not divide": lambda: set_stages(3),
    "rows": lambda: called(Mlp(2), 15),
    "rows of one process": lambda: called(Mlp(2), 15 if RANK == COUNT - 1 else 16),
    "other rows": lambda: called(Mlp(2), 8 if RANK == 0 else 16),
    "no cell": lambda: called(Mlp(1)),
    "backwards": lambda: called(backwards()),
    "reads": lambda: called(Reading(2)),
    "no mode": lambda: ms.set_auto_parallel_context(pipeline_stages=2) or nn.PipelineCell(Mlp(2), 4)(Tensor(X[0])),
    "twice": lambda: set_stages(2) or ms.grad(ms.grad(nn.PipelineCell(Mlp(2), 4)))(Tensor(X[0]), Tensor(Y[0])),
}


def dying():
    set_stages(COUNT)
    pipeline = nn.PipelineCell(initialized(Mlp(COUNT)), 4)
    pipeline(Tensor(X[0]), Tensor(Y[0]))
    if RANK == 1:
        os._exit(0)
    pipeline(Tensor(X[0]), Tensor(Y[0]))


class Failing(nn.Cell):
    """A layer that fails for the third part of the batch, once; the first call belongs to the plan."""

    calls: ClassVar[list[int]] = []

    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(WIDTH, WIDTH)

    def construct(self, x):
        self.calls.append(0)
        if len(self.calls) == 4:
            raise KeyError("the third part")
        return self.dense(x)


class FailingBackward(nn.Cell):
    """A layer whose own backward fails for the third part of the batch, once."""

    calls: ClassVar[list[int]] = []

    def construct(self, x):
        return x * 1

    def bprop(self, _x, _out, gradient):
        self.calls.append(0)
        if len(self.calls) == 3:
            raise KeyError("the third part")
        return (gradient,)


def caught(layer, scheduler, gradients, failing=Failing, segments=1):
    """Return the error of each process where a layer fails, and whether the next call is right."""
    failing.calls.clear()
    net = Mlp(2, segments=segments, turns=scheduler == "zero_bubble_v")
    net.layers[layer][0] = failing()
    initialized(net)
    failing.calls.extend([0] * 9)
    expected = float(net(Tensor(X[0]), Tensor(Y[0])))
    failing.calls.clear()
    set_stages(2, scheduler)
    pipeline = nn.PipelineCell(net, 4)
    call = ms.value_and_grad(pipeline, None, net.trainable_params()) if gradients else pipeline
    first = message(lambda: call(Tensor(X[0]), Tensor(Y[0]))).split("\n")[0]
    result = call(Tensor(X[0]), Tensor(Y[0]))
    found = float(result[0] if gradients else result) / 4  # the sum of the four parts
    ms.reset_auto_parallel_context()
    return [first, abs(found - expected) < 1e-6]


CAUGHT = {
    f"{place} {scheduler} {gradients}": (layer, scheduler, gradients)
    for place, layer in (("first", 1), ("last", 6))
    for scheduler in ("gpipe", "1f1b")
    for gradients in (False, True)
} | {
    f"{place} {scheduler} backward": (layer, scheduler, True, FailingBackward, segments)
    for place, layer in (("first", 1), ("last", 6))
    for scheduler, segments in (("gpipe", 1), ("1f1b", 1), ("zero_bubble_v", 2))
}


def message(call):
    try:
        call()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "no error"


def show(name, value):
    print(json.dumps([name, value]), flush=True)
    ms.reset_auto_parallel_context()


SCHEDULES = [("gpipe", 1), ("1f1b", 1), ("gpipe", 2), ("1f1b", 2), ("zero_bubble_v", 2)]
PLAIN = {}
if any(name.isdecimal() for name in sys.argv):
    PLAIN = {(kind, mode): ms.set_context(mode=mode) or train(kind, 2) for kind in (Mlp, Gpt) for mode in (0, 1)}

for name in sys.argv[2:]:
    if name == "wrong":
        for what, call in WRONG.items():
            show(what, message(call))
    elif name == "caught":
        for what, row in CAUGHT.items():
            show(what, caught(*row))
    elif name == "held":
        show(name, held())
    elif name == "dies":
        show(name, message(dying).partition(":")[0])
    elif name.isdecimal():
        for number, (scheduler, segments) in enumerate(SCHEDULES):
            kinds = ((Mlp, by_step), (Gpt, by_gradients))
            for kind, how in kinds if COUNT == 2 else kinds[number % 2 :][:1]:
                mode = (number + (kind is Gpt)) % 2
                ms.set_context(mode=mode)
                set_stages(int(name), scheduler)
                options = {"segments": segments, "turns": scheduler == "zero_bubble_v"}
                if kind is Gpt and number == 1:
                    options["recomputes"] = True
                found = train(kind, int(name), how, **options)
                show(f"{kind.__name__}, {name} stages, {scheduler}, {segments}", difference(found, PLAIN[kind, mode]))
    else:
        for mode in (1, 0) if name in ("model", "without_parts") else (1,):
            ms.set_context(mode=mode)
            show(f"{name}, {mode}", two_ways(globals()[name]))
if "dies" not in sys.argv:
    dist.destroy_process_group()
