"""Variational autoencoders of MindSpore up to 1.10: its figures of the bound, and of names of parameters."""

from __future__ import annotations

import numpy as np
import pytest

import torchspore as ms
from torchspore import dataset, nn, ops
from torchspore.earlier.autoencoders import ELBO, SVI, VAE, ConditionalVAE, VAEAnomalyDetection

ZEROS = np.zeros((1, 1, 2, 3))
IMAGES = np.random.default_rng(0).random((16, 6)).astype(np.float32)


def autoencoder():
    return VAE(nn.Dense(6, 5), nn.Dense(5, 6), 5, 2)


@pytest.mark.parametrize(
    ("new", "mean", "deviation", "bound"),
    [
        (ZEROS, [[0, 0]], [[1, 1]], 0),
        (ZEROS + 1, [[0, 0]], [[1, 1]], 6),
        (ZEROS + 2, [[0, 0]], [[1, 1]], 24),
        (ZEROS, [[1, 0]], [[1, 1]], 0.5),
        (ZEROS, [[0, 0]], [[2, 1]], 0.8068528175354004),
    ],
)
def test_bound(new, mean, deviation, bound):
    new, images, mean, deviation = (ms.Tensor(value, ms.float32) for value in (new, ZEROS, mean, deviation))
    assert float(ELBO()((new, images, mean, deviation), ms.Tensor([7]))) == pytest.approx(bound)
    with pytest.raises(ValueError, match="For 'ELBO', 'output_prior' must be 'Normal'"):
        ELBO(output_prior="Bernoulli")


def test_autoencoder():
    net = autoencoder()
    new, images, mean, deviation = net(ms.Tensor(IMAGES))
    hidden = net.encoder(ms.Tensor(IMAGES))
    np.testing.assert_allclose(mean.asnumpy(), net.dense1(hidden).asnumpy(), rtol=1e-5)
    np.testing.assert_allclose(deviation.asnumpy(), np.exp(net.dense2(hidden).asnumpy() / 2), rtol=1e-5)
    assert (new.shape, images.shape) == ((16, 6), (16, 6))
    assert net.generate_sample(3, (3, 1, 2, 3)).shape == (3, 1, 2, 3)
    assert net.reconstruct_sample(images).shape == (16, 6)
    assert [name for name, _ in net.parameters_and_names()][4:] == [
        f"dense{i}.{name}" for i in (1, 2, 3) for name in ("weight", "bias")
    ]


class Encoder(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(9, 5)

    def construct(self, x, y):
        return self.dense(ops.concat((x, nn.OneHot(depth=3)(y)), 1))


def test_autoencoder_of_classes():
    net = ConditionalVAE(Encoder(), nn.Dense(5, 6), 5, 2, 3)
    classes = ms.Tensor([0, 1, 2, 1], ms.int32)
    assert [each.shape for each in net(ms.Tensor(IMAGES[:4]), classes)] == [(4, 6), (4, 6), (4, 2), (4, 2)]
    assert net.dense3.weight.shape == (5, 5)
    assert net.generate_sample(classes, 4, (4, 1, 2, 3)).shape == (4, 1, 2, 3)
    assert net.reconstruct_sample(ms.Tensor(IMAGES[:4]), classes).shape == (4, 6)


def test_training():
    ms.set_seed(1)
    net = autoencoder()
    data = dataset.NumpySlicesDataset({"image": IMAGES, "label": IMAGES}, shuffle=False).batch(4)
    inference = SVI(nn.WithLossCell(net, ELBO()), nn.Adam(net.trainable_params(), 0.01))
    assert inference.run(data, 1) is net
    first = inference.get_train_loss()
    inference.run(data, 20)
    assert inference.get_train_loss() < 0.8 * first


def test_anomalies():
    ms.set_seed(1)
    finder = VAEAnomalyDetection(nn.Dense(6, 5), nn.Dense(5, 6), 5, 2)
    finder.train(dataset.NumpySlicesDataset({"image": IMAGES, "label": IMAGES}, shuffle=False).batch(4), 2)
    usual, other = ms.Tensor(IMAGES), ms.Tensor(IMAGES + 100)
    assert finder.predict_outlier_score(usual) < finder.predict_outlier_score(other)
    assert [finder.predict_outlier(each) for each in (usual, other)] == [False, True]
