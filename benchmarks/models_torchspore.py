"""The benchmark models as a MindSpore user writes them; `models_torch.py` holds their twins.

MindSpore itself runs this file too, as `worker.py` shows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from rows import MOBILENET_V2, RESNET_50

import torchspore as ms
from torchspore import nn, ops


class MLP(nn.Cell):
    """Two dense layers."""

    def __init__(self, width: int = 8) -> None:
        super().__init__()
        self.fc1 = nn.Dense(width, width)
        self.relu = nn.ReLU()
        self.fc2 = nn.Dense(width, width)

    def construct(self, x):
        return self.fc2(self.relu(self.fc1(x)))


class LeNet5(nn.Cell):
    """LeNet-5 for one-channel 32x32 images."""

    def __init__(self, classes: int = 10) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5, pad_mode="valid", has_bias=True)
        self.conv2 = nn.Conv2d(6, 16, 5, pad_mode="valid", has_bias=True)
        self.pool = nn.MaxPool2d(2, 2)
        self.relu = nn.ReLU()
        self.flatten = nn.Flatten()
        self.fc1 = nn.Dense(400, 120)
        self.fc2 = nn.Dense(120, 84)
        self.fc3 = nn.Dense(84, classes)

    def construct(self, x):
        x = self.pool(self.relu(self.conv1(x)))
        x = self.pool(self.relu(self.conv2(x)))
        x = self.flatten(x)
        return self.fc3(self.relu(self.fc2(self.relu(self.fc1(x)))))


def conv(cin: int, cout: int, kernel: int, stride: int = 1) -> nn.Conv2d:
    """Return a convolution without bias, padded to keep the size."""
    return nn.Conv2d(cin, cout, kernel, stride, pad_mode="pad", padding=kernel // 2)


class Bottleneck(nn.Cell):
    """1x1, 3x3, 1x1 convolutions around a shortcut."""

    def __init__(self, cin: int, width: int, stride: int) -> None:
        super().__init__()
        cout = width * 4
        self.conv1, self.bn1 = conv(cin, width, 1), nn.BatchNorm2d(width)
        self.conv2, self.bn2 = conv(width, width, 3, stride), nn.BatchNorm2d(width)
        self.conv3, self.bn3 = conv(width, cout, 1), nn.BatchNorm2d(cout)
        self.relu = nn.ReLU()
        self.down = None
        if stride != 1 or cin != cout:
            self.down = nn.SequentialCell(conv(cin, cout, 1, stride), nn.BatchNorm2d(cout))

    def construct(self, x):
        y = self.relu(self.bn1(self.conv1(x)))
        y = self.relu(self.bn2(self.conv2(y)))
        y = self.bn3(self.conv3(y))
        return self.relu(y + (x if self.down is None else self.down(x)))


class ResNet50(nn.Cell):
    """ResNet-50 for 224x224 images."""

    def __init__(self, classes: int = 1000) -> None:
        super().__init__()
        self.conv1, self.bn1, self.relu = conv(3, 64, 7, 2), nn.BatchNorm2d(64), nn.ReLU()
        self.pool = nn.MaxPool2d(3, 2, pad_mode="pad", padding=1)
        blocks, cin = [], 64
        for width, count, stride in RESNET_50:
            for i in range(count):
                blocks.append(Bottleneck(cin, width, stride if i == 0 else 1))
                cin = width * 4
        self.blocks = nn.SequentialCell(blocks)
        self.fc = nn.Dense(cin, classes)

    def construct(self, x):
        x = self.blocks(self.pool(self.relu(self.bn1(self.conv1(x)))))
        return self.fc(x.mean((2, 3)))


def normalized(cin: int, cout: int, kernel: int, stride: int = 1, groups: int = 1) -> nn.SequentialCell:
    """Return a convolution, its batch normalisation and ReLU6."""
    layer = nn.Conv2d(cin, cout, kernel, stride, pad_mode="pad", padding=kernel // 2, group=groups)
    return nn.SequentialCell(layer, nn.BatchNorm2d(cout), nn.ReLU6())


class InvertedResidual(nn.Cell):
    """Expand, depthwise convolution, project; a shortcut if the shapes agree."""

    def __init__(self, cin: int, cout: int, stride: int, expand: int) -> None:
        super().__init__()
        width = cin * expand
        layers = [] if expand == 1 else [normalized(cin, width, 1)]
        layers += [normalized(width, width, 3, stride, groups=width), conv(width, cout, 1), nn.BatchNorm2d(cout)]
        self.layers = nn.SequentialCell(layers)
        self.shortcut = stride == 1 and cin == cout

    def construct(self, x):
        y = self.layers(x)
        return x + y if self.shortcut else y


class MobileNetV2(nn.Cell):
    """MobileNet-V2 for 224x224 images, without the dropout before its last layer."""

    def __init__(self, classes: int = 1000) -> None:
        super().__init__()
        layers, cin = [normalized(3, 32, 3, 2)], 32
        for expand, cout, count, stride in MOBILENET_V2:
            for i in range(count):
                layers.append(InvertedResidual(cin, cout, stride if i == 0 else 1, expand))
                cin = cout
        self.layers = nn.SequentialCell([*layers, normalized(cin, 1280, 1)])
        self.fc = nn.Dense(1280, classes)

    def construct(self, x):
        return self.fc(self.layers(x).mean((2, 3)))


class LSTM(nn.Cell):
    """One LSTM layer and a classifier of its last output."""

    def __init__(self, features: int = 64, hidden: int = 128, classes: int = 10) -> None:
        super().__init__()
        self.lstm = nn.LSTM(features, hidden, batch_first=True)
        self.fc = nn.Dense(hidden, classes)

    def construct(self, x):
        return self.fc(self.lstm(x)[0][:, -1])


class Block(nn.Cell):
    """Causal self-attention and a feed-forward layer."""

    def __init__(self, width: int, heads: int, mask: ms.Tensor) -> None:
        super().__init__()
        self.heads, self.mask, self.scale = heads, mask, (width // heads) ** -0.5
        self.ln1, self.ln2 = nn.LayerNorm((width,), epsilon=1e-5), nn.LayerNorm((width,), epsilon=1e-5)
        self.qkv, self.proj = nn.Dense(width, 3 * width), nn.Dense(width, width)
        self.up, self.gelu, self.down = nn.Dense(width, 4 * width), nn.GELU(), nn.Dense(4 * width, width)

    def construct(self, x):
        batch, length, width = x.shape
        qkv = self.qkv(self.ln1(x)).reshape(batch, length, 3, self.heads, width // self.heads).transpose(2, 0, 3, 1, 4)
        q, k, v = qkv[0], qkv[1], qkv[2]
        scores = ops.matmul(q, k.swapaxes(-2, -1)) * self.scale + self.mask
        mixed = ops.matmul(ops.softmax(scores), v).swapaxes(1, 2).reshape(batch, length, width)
        x = x + self.proj(mixed)
        return x + self.down(self.gelu(self.up(self.ln2(x))))


class GPT(nn.Cell):
    """A small GPT."""

    def __init__(self, vocabulary: int = 1000, width: int = 256, heads: int = 8, layers: int = 4, length: int = 128):
        super().__init__()
        mask = ms.Tensor([[0.0 if j <= i else -1e9 for j in range(length)] for i in range(length)], ms.float32)
        self.tokens = nn.Embedding(vocabulary, width)
        self.positions = ms.Parameter(ms.ops.zeros((length, width), ms.float32))
        self.blocks = nn.CellList([Block(width, heads, mask) for _ in range(layers)])
        self.ln = nn.LayerNorm((width,), epsilon=1e-5)
        self.head = nn.Dense(width, vocabulary)

    def construct(self, ids):
        x = self.tokens(ids) + self.positions
        for block in self.blocks:
            x = block(x)
        logits = self.head(self.ln(x))
        return logits.reshape(-1, logits.shape[-1])


def make_step(
    name: str,
    optimizer: str | None,
    weights: list[np.ndarray],
    x: np.ndarray,
    y: np.ndarray,
    transform: Callable[[Callable[..., Any]], Callable[..., Any]] = lambda function: function,
) -> Callable[[], ms.Tensor]:
    """Return a function that does one training step and returns the loss; without an optimizer, the model's output.

    Args:
        name: the model's class.
        optimizer: "momentum", "adam" or None.
        weights: the parameters' values, in the model's order.
        x: the inputs.
        y: the labels.
        transform: a function applied to the whole step, e.g. `ms.jit`.
    """
    model = globals()[name]()
    parameters = model.trainable_params()
    for parameter, value in zip(parameters, weights, strict=True):
        parameter.set_data(ms.Tensor(value))
    inputs, labels = ms.Tensor(x), ms.Tensor(y)
    if optimizer is None:

        def predict(data):
            return model(data)

        captured = transform(predict)
        return lambda: captured(inputs)
    model.set_train()
    update = nn.Adam(parameters, 1e-3) if optimizer == "adam" else nn.Momentum(parameters, 0.01, 0.9)
    loss_fn = nn.CrossEntropyLoss()

    def forward(data, label):
        return loss_fn(model(data), label)

    value_and_grad = ms.value_and_grad(forward, None, parameters)

    def step(data, label):
        loss, gradients = value_and_grad(data, label)
        update(gradients)
        return loss

    captured = transform(step)
    return lambda: captured(inputs, labels)
