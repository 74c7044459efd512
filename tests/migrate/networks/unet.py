"""U-Net: a path down with pooling, a path up with transposed convolutions, and skip connections."""

import torch
from torch import nn


def double_conv(in_channels, out_channels):
    return nn.Sequential(
        nn.Conv2d(in_channels, out_channels, kernel_size=3, padding=1, bias=False),
        nn.BatchNorm2d(out_channels),
        nn.ReLU(inplace=True),
        nn.Conv2d(out_channels, out_channels, kernel_size=3, padding=1, bias=False),
        nn.BatchNorm2d(out_channels),
        nn.ReLU(inplace=True),
    )


class Down(nn.Module):
    def __init__(self, in_channels, out_channels):
        super().__init__()
        self.pool = nn.MaxPool2d(2)
        self.conv = double_conv(in_channels, out_channels)

    def forward(self, x):
        return self.conv(self.pool(x))


class Up(nn.Module):
    def __init__(self, in_channels, out_channels):
        super().__init__()
        self.up = nn.ConvTranspose2d(in_channels, in_channels // 2, 2, stride=2)
        self.conv = double_conv(in_channels, out_channels)

    def forward(self, x, skip):
        x = self.up(x)
        return self.conv(torch.cat([skip, x], dim=1))


class UNet(nn.Module):
    def __init__(self, in_channels=1, classes=2, base=8):
        super().__init__()
        self.inc = double_conv(in_channels, base)
        self.downs = nn.ModuleList([Down(base * 2**i, base * 2 ** (i + 1)) for i in range(2)])
        self.ups = nn.ModuleList([Up(base * 2 ** (i + 1), base * 2**i) for i in reversed(range(2))])
        self.outc = nn.Conv2d(base, classes, 1)

    def forward(self, x):
        x = self.inc(x)
        skips = []
        for down in self.downs:
            skips.append(x)
            x = down(x)
        for up in self.ups:
            x = up(x, skips.pop())
        return self.outc(x)


def network():
    return UNet()


def inputs():
    return (torch.randn(2, 1, 16, 16),)


def loss(logits):
    masks = (torch.arange(512).reshape(2, 16, 16) // 7) % 2
    return nn.CrossEntropyLoss()(logits, masks)
