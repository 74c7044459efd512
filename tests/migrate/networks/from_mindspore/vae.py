"""A variational autoencoder whose noise is an input."""

import mindspore
from mindspore import Tensor, nn, ops


class VAE(nn.Cell):
    def __init__(self, size=12, hidden=10, latent=3):
        super().__init__()
        self.encoder = nn.SequentialCell([nn.Dense(size, hidden), nn.Tanh()])
        self.mean = nn.Dense(hidden, latent)
        self.scale = nn.Dense(hidden, latent, bias_init=-1.0)
        self.decoder = nn.SequentialCell([nn.Dense(latent, hidden), nn.ELU(), nn.Dense(hidden, size)])
        self.exp = ops.Exp()
        self.square = ops.Square()
        self.reduce_sum = ops.ReduceSum()

    def construct(self, x, noise):
        hidden = self.encoder(x)
        mean, log_scale = self.mean(hidden), ops.clip_by_value(self.scale(hidden), Tensor(-4.0), Tensor(4.0))
        z = mean + self.exp(log_scale / 2) * noise
        kl = -0.5 * self.reduce_sum(1 + log_scale - self.square(mean) - self.exp(log_scale), -1)
        return self.decoder(z), ops.reduce_mean(kl)


def network():
    return VAE()


def inputs():
    return [ops.standard_normal((6, 12)), ops.standard_normal((6, 3)).astype(mindspore.float32)]


def loss(output):
    decoded, kl = output
    return ops.reduce_mean(ops.square(decoded), (0, 1)) + 0.1 * kl
