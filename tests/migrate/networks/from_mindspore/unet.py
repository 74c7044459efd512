"""A U-Net with transposed convolutions, resizing and concatenation."""

import mindspore as ms
from mindspore import nn, ops


class Double(nn.Cell):
    def __init__(self, in_channels, out_channels):
        super().__init__()
        cells = []
        for number, channels in enumerate((in_channels, out_channels)):
            cells.append(nn.Conv2d(channels, out_channels, 3, pad_mode="pad", padding=1))
            cells.append(nn.BatchNorm2d(out_channels, eps=1e-4, momentum=0.8))
            cells += [nn.LeakyReLU(0.1)] if number else [nn.ReLU()]
        self.layers = nn.SequentialCell(*cells)

    def construct(self, x):
        return self.layers(x)


class UNet(nn.Cell):
    def __init__(self):
        super().__init__()
        self.first = Double(3, 6)
        self.down = nn.MaxPool2d(2, 2)
        self.second = Double(6, 12)
        self.up = nn.Conv2dTranspose(12, 6, 2, stride=2, pad_mode="pad")
        self.third = Double(12, 6)
        self.last = nn.Conv2d(6, 1, kernel_size=1, has_bias=True, weight_init="he_uniform")
        self.concat = ops.Concat(axis=1)
        self.sigmoid = ops.Sigmoid()

    def construct(self, x):
        first = self.first(x)
        x = self.up(self.second(self.down(first)))
        x = ops.interpolate(x, size=first.shape[2:], mode="bilinear", align_corners=True)
        return self.sigmoid(self.last(self.third(self.concat((x, first)))))


def network():
    return UNet()


def inputs():
    return [ops.standard_normal((2, 3, 14, 12))]


def loss(output):
    return nn.BCELoss(reduction="mean")(output, ops.zeros_like(output) + ms.Tensor(0.25, ms.float32))
