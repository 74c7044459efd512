"""The program that `test_cut_networks` starts in four processes: a small GPT, cut by rows and by heads.

It prints the largest difference of its losses from a single process's, for several ways of cutting.
"""

from __future__ import annotations

import json

import numpy as np
from gpt_block import Block

import torchspore as ms
from torchspore import Tensor, nn
from torchspore.mint import distributed as dist

WORDS, WIDTH, HEADS, LENGTH, LAYERS, STEPS = 32, 16, 4, 8, 1, 6


class Gpt(nn.Cell):
    """A GPT with its loss."""

    def __init__(self, rows, columns):
        super().__init__()
        self.tokens, self.places = nn.Embedding(WORDS, WIDTH), nn.Embedding(LENGTH, WIDTH)
        self.blocks = nn.CellList([Block(LENGTH, WIDTH, HEADS, rows, columns) for _ in range(LAYERS)])
        self.norm, self.head = nn.LayerNorm((WIDTH,)), nn.Dense(WIDTH, WORDS, has_bias=False)
        self.mask = Tensor(np.triu(np.full((LENGTH, LENGTH), -1e9, np.float32), 1))
        self.numbers = Tensor(np.arange(LENGTH, dtype=np.int32))
        self.loss = nn.CrossEntropyLoss()

    def construct(self, words, following):
        x = self.tokens(words) + self.places(self.numbers)
        for block in self.blocks:
            x = block(x, self.mask)
        return self.loss(self.head(self.norm(x)).reshape(-1, WORDS), following.reshape(-1))


def losses(rows=1, columns=1):
    random = np.random.default_rng(0)
    net = Gpt(rows, columns)
    for parameter in net.get_parameters():
        start = 1.0 if "gamma" in parameter.name else 0.0
        parameter.set_data(Tensor((start + 0.1 * random.standard_normal(parameter.shape)).astype(np.float32)))
    step = nn.TrainOneStepCell(net, nn.AdamWeightDecay(net.trainable_params(), 0.01, eps=1e-4))
    words = random.integers(0, WORDS, (STEPS, 8, LENGTH), dtype=np.int32)
    return np.array([float(step(Tensor(one), Tensor(np.roll(one, -1, 1)))) for one in words])


dist.init_process_group()
PLAIN = losses()
for mode, rows, columns, parts in ((1, 2, 2, False), (0, 2, 2, False), (0, 1, 4, False), (0, 2, 2, True)):
    ms.set_context(mode=mode)
    ms.set_auto_parallel_context(
        parallel_mode="semi_auto_parallel", full_batch=True, enable_parallel_optimizer=parts,
        parallel_optimizer_config={"optimizer_level": "level1", "parallel_optimizer_threshold": 0},
    )  # fmt: skip
    print(json.dumps([[mode, rows, columns, parts], float(np.abs(losses(rows, columns) - PLAIN).max())]), flush=True)
    ms.reset_auto_parallel_context()
dist.destroy_process_group()
