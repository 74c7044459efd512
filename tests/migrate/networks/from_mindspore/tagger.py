"""A tagger with an LSTM, and the loss of the classic API."""

import mindspore
import mindspore.nn as nn
import mindspore.ops as ops
import numpy as np
from mindspore import Tensor


class Tagger(nn.Cell):
    def __init__(self, words=30, tags=5, size=8):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size=words, embedding_size=size)
        self.lstm = nn.LSTM(size, size, num_layers=2, batch_first=True, bidirectional=True)
        self.norm = nn.LayerNorm([2 * size], epsilon=1e-5)
        self.dense = nn.Dense(2 * size, tags, has_bias=True)
        self.log_softmax = ops.LogSoftmax(axis=-1)
        self.shape = ops.Shape()

    def construct(self, words):
        hidden, _ = self.lstm(self.embedding(words))
        scores = self.dense(self.norm(hidden))
        b, n, _ = self.shape(scores)
        return self.log_softmax(scores).reshape(b * n, -1)


def network():
    return Tagger()


def inputs():
    return [Tensor((np.arange(40) * 11 % 30).reshape(5, 8), mindspore.int32)]


def loss(output):
    labels = ops.OneHot()(Tensor(np.arange(40) % 5, mindspore.int32), 5, Tensor(1.0), Tensor(0.0))
    return nn.SoftmaxCrossEntropyWithLogits(reduction="mean")(output, labels)
