"""A variational autoencoder; its noise is an input, so that two runs can be compared."""

import torch
from torch import nn
from torch.nn import functional as F


class VAE(nn.Module):
    def __init__(self, pixels=64, hidden=24, latent=4):
        super().__init__()
        self.fc1 = nn.Linear(pixels, hidden)
        self.fc_mean = nn.Linear(hidden, latent)
        self.fc_logvar = nn.Linear(hidden, latent)
        self.fc2 = nn.Linear(latent, hidden)
        self.fc3 = nn.Linear(hidden, pixels)

    def encode(self, x):
        hidden = F.relu(self.fc1(x))
        return self.fc_mean(hidden), self.fc_logvar(hidden)

    def reparameterize(self, mean, logvar, noise):
        std = torch.exp(0.5 * logvar)
        return mean + noise * std

    def decode(self, z):
        return torch.sigmoid(self.fc3(F.relu(self.fc2(z))))

    def forward(self, x, noise):
        mean, logvar = self.encode(x.flatten(1))
        z = self.reparameterize(mean, logvar, noise)
        return self.decode(z), mean, logvar


def network():
    return VAE()


def inputs():
    return torch.rand(5, 1, 8, 8), torch.randn(5, 4)


def loss(outputs):
    image, mean, logvar = outputs
    target = torch.linspace(0, 1, 320).reshape(5, 64)
    reconstruction = F.binary_cross_entropy(image, target, reduction="sum")
    divergence = -0.5 * torch.sum(1 + logvar - mean.pow(2) - logvar.exp())
    return reconstruction + divergence
