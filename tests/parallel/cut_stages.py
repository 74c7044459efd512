"""The program that `test_cut_stages` starts in several processes: networks in two stages, cut within each of them.

It prints the largest differences of losses and weights from a single process's, and what a process holds.
"""

from __future__ import annotations

import json
import sys

import numpy as np
from gpt_block import Block

import torchspore as ms
from torchspore import Parameter, Tensor, nn, ops
from torchspore.mint import distributed as dist

dist.init_process_group()
RANK, COUNT = dist.get_rank(), dist.get_world_size()
STAGES, STEPS, ROWS, LENGTH, WORDS, WIDTH, HEADS = 2, 4, 8, 4, 12, 8, 4
INSIDE = COUNT // STAGES  # processes of a stage
DATA = np.random.default_rng(1)
TEXT = DATA.integers(0, WORDS, (STEPS, ROWS, LENGTH)).astype(np.int32)


class Embedding(nn.Cell):
    """Embeddings, whose table the head uses as well; it also makes the mask, which has no rows."""

    def __init__(self):
        super().__init__()
        self.table = Parameter(Tensor(np.zeros((WORDS, WIDTH), np.float32)), name="table")
        self.places = Parameter(Tensor(np.zeros((LENGTH, WIDTH), np.float32)), name="places")

    def construct(self, words):
        mask = ops.triu(ops.ones((LENGTH, LENGTH), ms.float32), 1) * -1e9
        return ops.gather(self.table, words, 0) + self.places, mask


class Head(nn.Cell):
    """Scores of words, by the table of the embeddings."""

    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(WIDTH)

    def construct(self, x, table):
        return ops.matmul(self.norm(x.reshape(-1, WIDTH)), table.T)


class Gpt(nn.Cell):
    """A GPT with tied embeddings, a parameter outside of cells, and its loss."""

    def __init__(self, rows=0, columns=0, segments=1, turns=False, recomputes=False):
        super().__init__()
        self.embedding, self.head, self.loss = Embedding(), Head(), nn.CrossEntropyLoss()
        self.blocks = nn.CellList([Block(LENGTH, WIDTH, HEADS, rows, columns) for _ in range(2)])
        self.scale = Parameter(Tensor(np.ones(WIDTH, np.float32)), name="scale")
        cells = [self.embedding, *self.blocks, self.head]
        for i, cell in enumerate(cells):
            segment, stage = divmod(i * STAGES * segments // len(cells), STAGES)
            cell.pipeline_stage = STAGES - 1 - stage if turns and segment else stage
            cell.pipeline_segment = segment
        for block in self.blocks if recomputes else ():
            block.recompute()

    def construct(self, words, following):
        x, mask = self.embedding(words)
        for block in self.blocks:
            x = block(x * self.scale, mask)
        return self.loss(self.head(x, self.embedding.table), following.reshape(-1))


def initialized(net):
    random = np.random.default_rng(0)
    for parameter in net.get_parameters():
        start = 1.0 if "gamma" in parameter.name or "scale" in parameter.name else 0.0
        if "moving" not in parameter.name:
            parameter.set_data(Tensor((start + 0.2 * random.standard_normal(parameter.shape)).astype(np.float32)))
    return net


def trained(net, full=True, style="cells", parts=2):
    """Return the losses and weights, and the optimizer."""
    pipeline = nn.PipelineCell(net, parts).set_train()
    update = nn.Adam(pipeline.trainable_params(), 0.01, eps=1e-2)
    gradients = ms.value_and_grad(pipeline, None, update.parameters)

    def by_functions(words, following):
        loss, found = gradients(words, following)
        update(ops.clip_by_global_norm(found, 0.5))
        return loss

    step = nn.TrainOneStepCell(pipeline, update) if style == "cells" else by_functions
    part = slice(None) if full else slice(RANK % INSIDE, None, INSIDE)
    losses = [float(step(Tensor(one[part]), Tensor(np.roll(one, -1, 1)[part]))) for one in TEXT]
    return np.array(losses), [parameter.asnumpy() for parameter in net.get_parameters()], update


PLAIN = {}


def difference(
    rows, columns, scheduler="1f1b", full=True, style="cells", mode=ms.PYNATIVE_MODE, level="", options=None
):
    """Return the difference to one process, and what this one holds of the weights of its blocks and their moments."""
    ms.set_context(mode=mode)
    if (style, mode) not in PLAIN:
        PLAIN[style, mode] = trained(initialized(Gpt()), style=style)
    settings = (
        {"parallel_optimizer_config": {"optimizer_level": level, "parallel_optimizer_threshold": 0}} if level else {}
    )
    ms.set_auto_parallel_context(
        parallel_mode="semi_auto_parallel", pipeline_stages=STAGES, pipeline_config={"pipeline_scheduler": scheduler},
        full_batch=full, enable_parallel_optimizer=bool(level), **settings,
    )  # fmt: skip
    net = initialized(Gpt(rows, columns, **(options or {})))
    found = trained(net, full, style)
    plain = PLAIN[style, mode]
    error = max(float(np.abs(a - b).max()) for a, b in zip([found[0], *found[1]], [plain[0], *plain[1]]))
    held = [block.up.weight for block in net.blocks if not block.up.weight._t.is_meta]
    held += [p for p in found[2].moment1 for weight in held if p.name.endswith(weight.name)]
    parts = [parameter._t.to_local().numel() / parameter.size for parameter in held]
    ms.reset_auto_parallel_context()
    return [error, *parts]


def saved():
    """Return how far the losses after a checkpoint was loaded are from those before."""
    ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel", pipeline_stages=STAGES, full_batch=True)
    pipeline = nn.PipelineCell(initialized(Gpt(1, INSIDE)), 2).set_train()
    step = nn.TrainOneStepCell(pipeline, nn.Adam(pipeline.trainable_params(), 0.01))
    batch = Tensor(TEXT[0]), Tensor(TEXT[1])
    before = float(step(*batch))
    file = f"{sys.argv[1]}/{RANK}.ckpt"
    ms.save_checkpoint(step, file)
    after = [float(step(*batch)) for _ in range(3)]
    ms.load_param_into_net(step, ms.load_checkpoint(file))
    again = [float(step(*batch)) for _ in range(3)]
    ms.reset_auto_parallel_context()
    return [float(np.abs(np.subtract(after, again)).max()), float(before > after[-1])]


def refused(strategy):
    """Inputs that are cut along other dimensions than their rows are an error in all processes."""
    ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel", pipeline_stages=STAGES, dataset_strategy=strategy)
    try:
        nn.PipelineCell(initialized(Gpt(1, INSIDE)), 2)(Tensor(TEXT[0]), Tensor(TEXT[0]))
    except ValueError as error:
        return str(error).split("\n")[0]
    finally:
        ms.reset_auto_parallel_context()
    return "no error"


cases = {
    "heads": lambda: difference(1, INSIDE, mode=ms.GRAPH_MODE),
    "rows and heads": lambda: difference(INSIDE // 2, 2, full=False),
    "gpipe, functions": lambda: difference(1, INSIDE, "gpipe", style="functions"),
    "zero bubble": lambda: difference(1, INSIDE, "zero_bubble_v", options={"segments": 2, "turns": True}),
    "recompute": lambda: difference(1, INSIDE, options={"recomputes": True}),
    "level1": lambda: difference(1, 1, full=False, level="level1"),
    "level3": lambda: difference(1, 1, full=False, level="level3"),
    "saved": saved,
    "other strategy": lambda: refused(((1, INSIDE), (1, 1))),
}
for name, case in cases.items():
    if not sys.argv[2:] or name in sys.argv[2:]:
        print(json.dumps([name, case()]), flush=True)
dist.destroy_process_group()
