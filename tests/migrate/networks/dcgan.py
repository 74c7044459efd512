"""DCGAN: a generator of images and a discriminator."""

import torch
import torch.nn as nn


class Generator(nn.Module):
    def __init__(self, noise=10, features=8, channels=1):
        super(Generator, self).__init__()
        self.main = nn.Sequential(
            nn.ConvTranspose2d(noise, features * 2, 4, 1, 0, bias=False),
            nn.BatchNorm2d(features * 2),
            nn.ReLU(True),
            nn.ConvTranspose2d(features * 2, features, 4, 2, 1, bias=False),
            nn.BatchNorm2d(features),
            nn.ReLU(True),
            nn.ConvTranspose2d(features, channels, 4, 2, 1, bias=False),
            nn.Tanh(),
        )

    def forward(self, noise):
        return self.main(noise)


class Discriminator(nn.Module):
    def __init__(self, features=8, channels=1):
        super(Discriminator, self).__init__()
        self.main = nn.Sequential(
            nn.Conv2d(channels, features, 4, 2, 1, bias=False),
            nn.LeakyReLU(0.2, inplace=True),
            nn.Conv2d(features, features * 2, 4, 2, 1, bias=False),
            nn.BatchNorm2d(features * 2),
            nn.LeakyReLU(0.2, inplace=True),
            nn.Conv2d(features * 2, 1, 4, 1, 0, bias=False),
        )

    def forward(self, images):
        return self.main(images).view(-1)


class Pair(nn.Module):
    def __init__(self):
        super(Pair, self).__init__()
        self.generator = Generator()
        self.discriminator = Discriminator()
        for layer in self.generator.main:
            if isinstance(layer, nn.ConvTranspose2d):
                nn.init.normal_(layer.weight, 0.0, 0.02)

    def forward(self, noise):
        return self.discriminator(self.generator(noise))


def network():
    return Pair()


def inputs():
    return (torch.randn(4, 10, 1, 1),)


def loss(scores):
    return nn.BCEWithLogitsLoss()(scores, torch.ones_like(scores))
