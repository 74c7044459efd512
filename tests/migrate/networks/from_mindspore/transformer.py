"""A transformer encoder with primitives of MindSpore 1, and its own normalisation."""

import math

import mindspore.common.dtype as mstype
import mindspore.nn as nn
import mindspore.numpy as mnp
import mindspore.ops as P
import numpy as np
from mindspore import Parameter, Tensor, ops
from mindspore.common.initializer import TruncatedNormal, initializer


class Scale(nn.Cell):
    def __init__(self, size):
        super().__init__()
        self.gamma = Parameter(Tensor(0.5 * np.ones(size), mstype.float32), name="gamma")

    def construct(self, x):
        return self.gamma * x


class Attention(nn.Cell):
    def __init__(self, size, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Dense(size, 3 * size, weight_init=TruncatedNormal(0.02))
        self.out = nn.Dense(in_channels=size, out_channels=size)
        self.transpose = P.Transpose()
        self.unstack = ops.Unstack(axis=0)
        self.scores = ops.BatchMatMul(transpose_b=True)
        self.matmul = ops.BatchMatMul()
        self.softmax = ops.Softmax(axis=-1)

    def construct(self, x, mask):
        b, n, c = x.shape
        qkv = ops.Reshape()(self.qkv(x), (b, n, 3, self.heads, c // self.heads))
        q, k, v = self.unstack(self.transpose(qkv, (2, 0, 3, 1, 4)))
        scores = self.scores(q, k) / math.sqrt(c // self.heads)
        scores = scores + (1.0 - ops.expand_dims(mask, 1)) * -10000.0
        x = self.matmul(self.softmax(scores), v)
        return self.out(x.transpose(0, 2, 1, 3).reshape(b, n, c))


class Layer(nn.Cell):
    def __init__(self, size, heads, norm_layer=nn.LayerNorm):
        super().__init__()
        self.norm1 = norm_layer((size,), epsilon=1e-6)
        self.attention = Attention(size, heads)
        self.norm2 = nn.LayerNorm((size,))
        self.fc = nn.SequentialCell(nn.Dense(size, 2 * size), nn.GELU(), nn.Dense(2 * size, size))
        self.scale = Scale(size)

    def construct(self, x, mask):
        x = x + self.attention(self.norm1(x), mask)
        return x + self.scale(self.fc(self.norm2(x)))


class Encoder(nn.Cell):
    def __init__(self, vocabulary=20, size=16, heads=2, depth=2):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, size, embedding_table="normal")
        self.position = Parameter(initializer(TruncatedNormal(sigma=0.02), (1, 32, size)))
        self.layers = nn.CellList([Layer(size, heads) for _ in range(depth)])
        self.cast = ops.Cast()
        self.concat = ops.Concat(1)
        for _, cell in self.cells_and_names():
            if isinstance(cell, nn.LayerNorm):
                cell.gamma.set_data(initializer("ones", cell.gamma.shape, cell.gamma.dtype))
                cell.beta.set_data(initializer("zeros", cell.beta.shape, cell.beta.dtype))

    def construct(self, tokens):
        n = tokens.shape[1]
        mask = self.cast(mnp.arange(n).reshape(1, n) <= mnp.arange(n).reshape(n, 1), mstype.float32)
        mask = ops.tile(mask.expand_dims(0), (tokens.shape[0], 1, 1))
        x = self.embedding(tokens) + self.position[:, :n]
        for layer in self.layers:
            x = layer(x, mask)
        best = x.max(axis=1)
        return self.concat((x.mean(axis=1), best, x.std(1)))


def network():
    return Encoder()


def inputs():
    return [Tensor((np.arange(36) * 7 % 20).reshape(4, 9), mstype.int32)]


def loss(output):
    return (output * output).mean(axis=(0, 1))
