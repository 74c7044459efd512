"""The twins of `models_torchspore.py`, as a PyTorch user writes them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from rows import MOBILENET_V2, RESNET_50
from torch import nn


class MLP(nn.Module):
    """Two dense layers."""

    def __init__(self, width: int = 8) -> None:
        super().__init__()
        self.fc1 = nn.Linear(width, width)
        self.relu = nn.ReLU()
        self.fc2 = nn.Linear(width, width)

    def forward(self, x):
        return self.fc2(self.relu(self.fc1(x)))


class LeNet5(nn.Module):
    """LeNet-5 for one-channel 32x32 images."""

    def __init__(self, classes: int = 10) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.pool = nn.MaxPool2d(2, 2)
        self.relu = nn.ReLU()
        self.flatten = nn.Flatten()
        self.fc1 = nn.Linear(400, 120)
        self.fc2 = nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, classes)

    def forward(self, x):
        x = self.pool(self.relu(self.conv1(x)))
        x = self.pool(self.relu(self.conv2(x)))
        x = self.flatten(x)
        return self.fc3(self.relu(self.fc2(self.relu(self.fc1(x)))))


def conv(cin: int, cout: int, kernel: int, stride: int = 1) -> nn.Conv2d:
    """Return a convolution without bias, padded to keep the size."""
    return nn.Conv2d(cin, cout, kernel, stride, padding=kernel // 2, bias=False)


class Bottleneck(nn.Module):
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
            self.down = nn.Sequential(conv(cin, cout, 1, stride), nn.BatchNorm2d(cout))

    def forward(self, x):
        y = self.relu(self.bn1(self.conv1(x)))
        y = self.relu(self.bn2(self.conv2(y)))
        y = self.bn3(self.conv3(y))
        return self.relu(y + (x if self.down is None else self.down(x)))


class ResNet50(nn.Module):
    """ResNet-50 for 224x224 images."""

    def __init__(self, classes: int = 1000) -> None:
        super().__init__()
        self.conv1, self.bn1, self.relu = conv(3, 64, 7, 2), nn.BatchNorm2d(64), nn.ReLU()
        self.pool = nn.MaxPool2d(3, 2, padding=1)
        blocks, cin = [], 64
        for width, count, stride in RESNET_50:
            for i in range(count):
                blocks.append(Bottleneck(cin, width, stride if i == 0 else 1))
                cin = width * 4
        self.blocks = nn.Sequential(*blocks)
        self.fc = nn.Linear(cin, classes)

    def forward(self, x):
        x = self.blocks(self.pool(self.relu(self.bn1(self.conv1(x)))))
        return self.fc(x.mean((2, 3)))


def normalized(cin: int, cout: int, kernel: int, stride: int = 1, groups: int = 1) -> nn.Sequential:
    """Return a convolution, its batch normalisation and ReLU6."""
    layer = nn.Conv2d(cin, cout, kernel, stride, padding=kernel // 2, groups=groups, bias=False)
    return nn.Sequential(layer, nn.BatchNorm2d(cout), nn.ReLU6())


class InvertedResidual(nn.Module):
    """Expand, depthwise convolution, project; a shortcut if the shapes agree."""

    def __init__(self, cin: int, cout: int, stride: int, expand: int) -> None:
        super().__init__()
        width = cin * expand
        layers = [] if expand == 1 else [normalized(cin, width, 1)]
        layers += [normalized(width, width, 3, stride, groups=width), conv(width, cout, 1), nn.BatchNorm2d(cout)]
        self.layers = nn.Sequential(*layers)
        self.shortcut = stride == 1 and cin == cout

    def forward(self, x):
        y = self.layers(x)
        return x + y if self.shortcut else y


class MobileNetV2(nn.Module):
    """MobileNet-V2 for 224x224 images, without the dropout before its last layer."""

    def __init__(self, classes: int = 1000) -> None:
        super().__init__()
        layers, cin = [normalized(3, 32, 3, 2)], 32
        for expand, cout, count, stride in MOBILENET_V2:
            for i in range(count):
                layers.append(InvertedResidual(cin, cout, stride if i == 0 else 1, expand))
                cin = cout
        self.layers = nn.Sequential(*layers, normalized(cin, 1280, 1))
        self.fc = nn.Linear(1280, classes)

    def forward(self, x):
        return self.fc(self.layers(x).mean((2, 3)))


class LSTM(nn.Module):
    """One LSTM layer and a classifier of its last output."""

    def __init__(self, features: int = 64, hidden: int = 128, classes: int = 10) -> None:
        super().__init__()
        self.lstm = nn.LSTM(features, hidden, batch_first=True)
        self.fc = nn.Linear(hidden, classes)

    def forward(self, x):
        return self.fc(self.lstm(x)[0][:, -1])


class Block(nn.Module):
    """Causal self-attention and a feed-forward layer."""

    def __init__(self, width: int, heads: int, mask: torch.Tensor) -> None:
        super().__init__()
        self.heads, self.mask, self.scale = heads, mask, (width // heads) ** -0.5
        self.ln1, self.ln2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.gelu, self.down = (
            nn.Linear(width, 4 * width),
            nn.GELU(approximate="tanh"),
            nn.Linear(4 * width, width),
        )

    def forward(self, x):
        batch, length, width = x.shape
        qkv = self.qkv(self.ln1(x)).reshape(batch, length, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        q, k, v = qkv[0], qkv[1], qkv[2]
        scores = torch.matmul(q, k.transpose(-2, -1)) * self.scale + self.mask
        mixed = torch.matmul(torch.softmax(scores, -1), v).transpose(1, 2).reshape(batch, length, width)
        x = x + self.proj(mixed)
        return x + self.down(self.gelu(self.up(self.ln2(x))))


class GPT(nn.Module):
    """A small GPT."""

    def __init__(self, vocabulary: int = 1000, width: int = 256, heads: int = 8, layers: int = 4, length: int = 128):
        super().__init__()
        mask = torch.triu(torch.full((length, length), -1e9), 1)
        self.tokens = nn.Embedding(vocabulary, width)
        self.positions = nn.Parameter(torch.zeros(length, width))
        self.blocks = nn.ModuleList([Block(width, heads, mask) for _ in range(layers)])
        self.ln = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocabulary)

    def forward(self, ids):
        x = self.tokens(ids) + self.positions
        for block in self.blocks:
            x = block(x)
        logits = self.head(self.ln(x))
        return logits.reshape(-1, logits.shape[-1])


def initial_weights(name: str) -> list[np.ndarray]:
    """Return a model's first weights, the same every time, in the model's order."""
    torch.manual_seed(0)
    return [parameter.detach().numpy(force=True) for parameter in globals()[name]().parameters()]


def make_step(
    name: str,
    optimizer: str | None,
    weights: list[np.ndarray],
    x: np.ndarray,
    y: np.ndarray,
    transform: Callable[[Callable[..., torch.Tensor]], Callable[..., torch.Tensor]] = lambda function: function,
) -> Callable[[], torch.Tensor]:
    """Return a function that does one training step and returns the loss; without an optimizer, the model's output.

    Args:
        name: the model's class.
        optimizer: "momentum", "adam" or None.
        weights: the parameters' values, in the model's order.
        x: the inputs.
        y: the labels.
        transform: a function such as `torch.compile` for the forward pass with its loss, and for the optimizer's step.

    All tensors are on torch's default device.
    """
    model = globals()[name]()
    for parameter, value in zip(model.parameters(), weights, strict=True):
        parameter.data.copy_(torch.from_numpy(value))
    inputs, labels = torch.tensor(x), torch.tensor(y).long()
    if optimizer is None:
        predict = transform(model.eval())
        return torch.inference_mode()(lambda: predict(inputs))
    if optimizer == "adam":
        update: torch.optim.Optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    else:
        update = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    forward = transform(lambda: nn.functional.cross_entropy(model(inputs), labels))
    write = transform(update.step)

    def step() -> torch.Tensor:
        update.zero_grad()
        loss = forward()
        loss.backward()
        write()
        return loss.detach()

    return step
