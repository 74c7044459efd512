"""MobileNetV2's inverted residuals with squeeze-and-excitation and hard swish, as in EfficientNet and MobileNetV3."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class SqueezeExcite(nn.Module):
    def __init__(self, channels, reduction=4):
        super().__init__()
        self.fc1 = nn.Conv2d(channels, channels // reduction, 1)
        self.fc2 = nn.Conv2d(channels // reduction, channels, 1)

    def forward(self, x):
        scale = F.adaptive_avg_pool2d(x, 1)
        scale = F.relu(self.fc1(scale))
        scale = F.hardsigmoid(self.fc2(scale))
        return x * scale


class InvertedResidual(nn.Module):
    def __init__(self, inp, oup, stride, expand_ratio, activation=nn.ReLU6):
        super().__init__()
        self.use_res_connect = stride == 1 and inp == oup
        hidden_dim = int(round(inp * expand_ratio))
        layers = []
        if expand_ratio != 1:
            layers.extend(
                [nn.Conv2d(inp, hidden_dim, 1, bias=False), nn.BatchNorm2d(hidden_dim, eps=1e-3), activation()]
            )
        layers += [
            nn.Conv2d(hidden_dim, hidden_dim, 3, stride, 1, groups=hidden_dim, bias=False),
            nn.BatchNorm2d(hidden_dim, eps=1e-3, momentum=0.01),
            activation(),
            SqueezeExcite(hidden_dim),
            nn.Conv2d(hidden_dim, oup, 1, 1, 0, bias=False),
            nn.BatchNorm2d(oup),
        ]
        self.conv = nn.Sequential(*layers)

    def forward(self, x):
        if self.use_res_connect:
            return x + self.conv(x)
        return self.conv(x)


class MobileNet(nn.Module):
    settings = [
        # expand_ratio, channels, stride, activation
        (1, 8, 1, nn.ReLU6),
        (3, 12, 2, nn.Hardswish),
        (3, 12, 1, nn.SiLU),
    ]

    def __init__(self, num_classes=7):
        super().__init__()
        features = [nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1, bias=False), nn.BatchNorm2d(8), nn.Hardswish())]
        channels = 8
        for ratio, out, stride, activation in self.settings:
            features.append(InvertedResidual(channels, out, stride, ratio, activation=activation))
            channels = out
        self.features = nn.Sequential(*features)
        self.classifier = nn.Sequential(nn.Dropout(0.0), nn.Linear(channels, num_classes))

    def forward(self, x):
        x = self.features(x)
        x = x.mean([2, 3])
        return self.classifier(x)


def network():
    return MobileNet()


def inputs():
    return (torch.randn(4, 3, 20, 20),)


def loss(scores):
    return nn.CrossEntropyLoss(reduction="mean")(scores, torch.tensor([0, 3, 5, 6]))
