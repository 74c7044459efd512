"""Variational autoencoders, and their training, of `nn.probability` up to MindSpore 1.10."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np

from torchspore import nn, ops
from torchspore.common import dtype as mstype
from torchspore.common.tensor import Tensor
from torchspore.engine.parameters import Positive, checked
from torchspore.nn.cell import Cell

__all__ = ["ELBO", "SVI", "VAE", "ConditionalVAE", "VAEAnomalyDetection"]


class ConditionalVAE(Cell):
    """A variational autoencoder of images of classes; K. Sohn et al., Learning structured output representation, 2015.

    Args:
        encoder: a Cell that takes images and their classes, and returns a Tensor of shape (N, hidden_size).
        decoder: a Cell that takes a Tensor of shape (N, hidden_size), and returns images.
        hidden_size: the size between the encoder and the latent variables.
        latent_size: the number of latent variables.
        num_classes: the number of classes.

    Inputs: images, and their classes, int32 numbers.
    Outputs: the new images, the images, and the means and the standard deviations of the latent variables.

    Source: MindSpore 1.10, `nn.probability.dpn.ConditionalVAE`.
    """

    @checked
    def __init__(
        self, encoder: Cell, decoder: Cell, hidden_size: Positive, latent_size: Positive, num_classes: Positive
    ) -> None:
        super().__init__()
        self.encoder, self.decoder = encoder, decoder
        self.hidden_size, self.latent_size, self.num_classes = hidden_size, latent_size, num_classes
        self.one_hot = nn.OneHot(depth=num_classes)
        self.dense1 = nn.Dense(hidden_size, latent_size)
        self.dense2 = nn.Dense(hidden_size, latent_size)
        self.dense3 = nn.Dense(latent_size + num_classes, hidden_size)

    def construct(self, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        mean, deviation = _latent(self, self.encoder(x, y))
        return self._decode(_drawn(mean, deviation), y), x, mean, deviation

    def _decode(self, z: Tensor, y: Tensor) -> Tensor:
        decoded: Tensor = self.decoder(self.dense3(ops.concat((z, self.one_hot(y)), 1)))
        return decoded

    def generate_sample(self, sample_y: Tensor, generate_nums: int, shape: tuple[int, ...]) -> Tensor:
        """Return new images of classes.

        Args:
            sample_y: the classes.
            generate_nums: their number.
            shape: the shape of the images.
        """
        drawn = ops.standard_normal((generate_nums, self.latent_size))
        return self._decode(drawn, sample_y).reshape(shape)

    def reconstruct_sample(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the images that the latent variables of images of classes are decoded to."""
        return self._decode(_drawn(*_latent(self, self.encoder(x, y))), y)


class VAE(Cell):
    """A variational autoencoder of images; D. Kingma and M. Welling, Auto-encoding variational Bayes, 2014.

    Args:
        encoder: a Cell that takes images, and returns a Tensor of shape (N, hidden_size).
        decoder: a Cell that takes a Tensor of shape (N, hidden_size), and returns images.
        hidden_size: the size between the encoder and the latent variables.
        latent_size: the number of latent variables.

    Inputs: images.
    Outputs: the new images, the images, and the means and the standard deviations of the latent variables.

    Source: MindSpore 1.10, `nn.probability.dpn.VAE`.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.earlier.autoencoders import VAE
        >>> net = VAE(ms.nn.Dense(6, 5), ms.nn.Dense(5, 6), 5, 2)
        >>> [tuple(each.shape) for each in net(ms.ops.ones((4, 6)))]
        [(4, 6), (4, 6), (4, 2), (4, 2)]
    """

    @checked
    def __init__(self, encoder: Cell, decoder: Cell, hidden_size: Positive, latent_size: Positive) -> None:
        super().__init__()
        self.encoder, self.decoder = encoder, decoder
        self.hidden_size, self.latent_size = hidden_size, latent_size
        self.dense1 = nn.Dense(hidden_size, latent_size)
        self.dense2 = nn.Dense(hidden_size, latent_size)
        self.dense3 = nn.Dense(latent_size, hidden_size)

    def construct(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        mean, deviation = _latent(self, self.encoder(x))
        return self._decode(_drawn(mean, deviation)), x, mean, deviation

    def _decode(self, z: Tensor) -> Tensor:
        decoded: Tensor = self.decoder(self.dense3(z))
        return decoded

    def generate_sample(self, generate_nums: int, shape: tuple[int, ...]) -> Tensor:
        """Return new images.

        Args:
            generate_nums: their number.
            shape: the shape of the images.
        """
        return self._decode(ops.standard_normal((generate_nums, self.latent_size))).reshape(shape)

    def reconstruct_sample(self, x: Tensor) -> Tensor:
        """Return the images that the latent variables of images are decoded to."""
        return self._decode(_drawn(*_latent(self, self.encoder(x))))


def _latent(net: Any, encoded: Tensor) -> tuple[Tensor, Tensor]:
    """Return the means and the standard deviations of the latent variables."""
    return net.dense1(encoded), ops.exp(0.5 * net.dense2(encoded))


def _drawn(mean: Tensor, deviation: Tensor) -> Tensor:
    drawn: Tensor = mean + deviation * ops.standard_normal(mean.shape)
    return drawn


class ELBO(Cell):
    """The negative evidence lower bound: the squared error, and how far latent variables are from a standard normal.

    Args:
        latent_prior, output_prior: "Normal". Default: "Normal".

    Inputs:
        - data (tuple): what a `VAE` returns.
        - label (Tensor): not used; the images are in `data`.

    Outputs: a Tensor, the sum over all images.

    Raises:
        ValueError: a distribution is another.

    Source: MindSpore 1.10, `nn.probability.infer.ELBO`.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.earlier.autoencoders import ELBO
        >>> one, zero = ms.ops.ones((1, 2)), ms.ops.zeros((1, 2))
        >>> print(ELBO()((one, zero, zero, one), ms.Tensor([3])))
        2.0
    """

    @checked
    def __init__(
        self,
        latent_prior: Annotated[Literal["Normal"], ValueError] = "Normal",
        output_prior: Annotated[Literal["Normal"], ValueError] = "Normal",
    ) -> None:
        super().__init__()
        self.latent_prior, self.output_prior = latent_prior, output_prior

    def construct(self, data: tuple[Tensor, Tensor, Tensor, Tensor], label: Tensor) -> Tensor:
        new, images, mean, deviation = data
        divergence = 0.5 * (mean.square() + deviation.square() - 1).sum() - ops.log(deviation).sum()
        bound: Tensor = (new - images).square().sum() + divergence
        return bound


class SVI:
    """Training by stochastic variational inference.

    Args:
        net_with_loss: a cell that takes a batch's `image` and `label`, and returns the loss.
        optimizer: the optimizer.

    Source: MindSpore 1.10, `nn.probability.infer.SVI`.
    """

    @checked
    def __init__(self, net_with_loss: Cell, optimizer: Cell) -> None:
        self.net_with_loss = net_with_loss
        self.optimizer = optimizer
        self._train_loss = 0.0

    def run(self, train_dataset: Any, epochs: int = 10) -> Cell:
        """Train, and return the trained network.

        Args:
            train_dataset: a data set with the columns `image` and `label`.
            epochs: how often it is seen. Default: 10.
        """
        step = nn.TrainOneStepCell(self.net_with_loss, self.optimizer).set_train()
        for _ in range(epochs):
            total, count = 0.0, 0
            for batch in train_dataset.create_dict_iterator(num_epochs=1):
                image = batch["image"].astype(mstype.float32)
                total += float(step(image, batch["label"]))
                count += len(image)
            self._train_loss = total / max(count, 1)
        trained: Cell = getattr(self.net_with_loss, "backbone_network", self.net_with_loss)
        return trained

    def get_train_loss(self) -> float:
        """Return the loss of the last epoch, per image."""
        return self._train_loss


class VAEAnomalyDetection:
    """Find images that a variational autoencoder, which has seen the usual ones, does not reconstruct.

    Args:
        encoder, decoder, hidden_size, latent_size: as for `VAE`. Default: 400 and 20.

    Source: MindSpore 1.10, `nn.probability.toolbox.VAEAnomalyDetection`.
    """

    def __init__(self, encoder: Cell, decoder: Cell, hidden_size: int = 400, latent_size: int = 20) -> None:
        self.vae = VAE(encoder, decoder, hidden_size, latent_size)

    def train(self, train_dataset: Any, epochs: int = 5) -> None:
        """Train with usual images, of the columns `image` and `label`."""

        class Loss(Cell):
            def __init__(self, net: Cell) -> None:
                super().__init__()
                self.backbone_network = net
                self.bound = ELBO()

            def construct(self, image: Tensor, label: Tensor) -> Tensor:
                bound: Tensor = self.bound(self.backbone_network(image), image)
                return bound

        SVI(Loss(self.vae), nn.Adam(self.vae.trainable_params(), learning_rate=0.001)).run(train_dataset, epochs)

    def predict_outlier_score(self, sample_x: Tensor) -> Any:
        """Return how far images are from what they are reconstructed to."""
        return np.linalg.norm((sample_x - self.vae.reconstruct_sample(sample_x)).asnumpy().ravel())

    def predict_outlier(self, sample_x: Tensor, threshold: float = 100.0) -> bool:
        """Return whether they are farther than a threshold."""
        return bool(self.predict_outlier_score(sample_x) > threshold)
