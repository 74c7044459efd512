"""A residual network with the classic API of MindSpore: modes of padding, initializers, layers in lists."""

from collections import OrderedDict

import mindspore as ms
import mindspore.nn as nn
import mindspore.ops as ops
from mindspore import Tensor
from mindspore.common import initializer as init
from mindspore.common.initializer import HeNormal, Normal, initializer


def conv(in_channels, out_channels, kernel_size=3, stride=1, pad_mode="same"):
    return nn.Conv2d(
        in_channels, out_channels, kernel_size, stride, pad_mode=pad_mode, weight_init=Normal(0.05), has_bias=False
    )


class Block(nn.Cell):
    def __init__(self, channels, out_channels, stride=1, norm=None):
        super().__init__()
        norm = norm or nn.BatchNorm2d
        self.main = nn.SequentialCell([
            conv(channels, out_channels, stride=stride),
            norm(out_channels),
            nn.ReLU(),
            nn.Conv2d(out_channels, out_channels, 3, has_bias=True, bias_init="zeros"),
            nn.BatchNorm2d(out_channels, momentum=0.9, gamma_init="zeros"),
        ])
        self.shortcut = None
        if stride != 1 or channels != out_channels:
            self.shortcut = nn.SequentialCell(OrderedDict([
                ("pool", nn.AvgPool2d(3, stride, pad_mode="same")),
                ("conv", nn.Conv2d(channels, out_channels, 1, pad_mode="valid")),
            ]))
        self.relu = ops.ReLU()

    def construct(self, x):
        short = x if self.shortcut is None else self.shortcut(x)
        return self.relu(self.main(x) + short)


class Network(nn.Cell):
    def __init__(self, num_classes=5):
        super().__init__()
        self.pad = nn.Pad(paddings=((0, 0), (0, 0), (1, 1), (2, 2)), mode="CONSTANT")
        self.stem = conv(3, 8, 7, 2, pad_mode="pad")
        self.norm = nn.BatchNorm2d(8)
        self.pool = nn.MaxPool2d(kernel_size=3, stride=2, pad_mode="same")
        blocks = [Block(8, 8), Block(8, 16, stride=2)]
        self.blocks = nn.SequentialCell(blocks)
        self.mean = ops.ReduceMean(keep_dims=False)
        self.drop = nn.Dropout(p=0.1)
        self.classifier = nn.Dense(16, num_classes, weight_init="xavier_uniform", bias_init=init.Uniform(0.1))
        self._initialize()

    def _initialize(self):
        for _, cell in self.cells_and_names():
            if isinstance(cell, nn.Conv2d):
                cell.weight.set_data(initializer(HeNormal(mode="fan_out"), cell.weight.shape, cell.weight.dtype))
                if cell.has_bias:
                    cell.bias.set_data(initializer("zeros", cell.bias.shape))
            elif isinstance(cell, nn.BatchNorm2d):
                cell.gamma.set_data(init.initializer(init.Constant(0.75), cell.gamma.shape, cell.gamma.dtype))
                cell.beta.set_data(init.initializer(init.TruncatedNormal(sigma=0.02), cell.beta.shape))

    def construct(self, x: Tensor) -> Tensor:
        x = self.pool(ops.ReLU()(self.norm(self.stem(self.pad(x)))))
        x = self.mean(self.blocks(x), (2, 3))
        return self.classifier(self.drop(x))


def network():
    return Network()


def inputs():
    return [ops.standard_normal((4, 3, 23, 20)).astype(ms.float32)]


def loss(output):
    return ops.square(output - 1).mean()
