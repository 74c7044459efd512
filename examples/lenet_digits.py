"""Train LeNet-5 on handwritten digits: `make train`, or `python examples/lenet_digits.py`.

The 1,797 images come with scikit-learn, so nothing is downloaded. The exit status is 1 when fewer than 97 % of the test
images are recognised.
"""

from __future__ import annotations

import argparse
import math
import sys

import numpy as np
from sklearn.datasets import load_digits
from tqdm import tqdm

import torchspore as ms
from torchspore import nn

SEED = 1
TEST_IMAGES = 360
BATCH = 32
FIRST_LEARNING_RATE = 0.05
REQUIRED_ACCURACY = 0.97


class LeNet5(nn.Cell):
    """The network of LeCun et al. (1998), with ReLU and maximum pooling: images of (N, 1, 32, 32) to 10 scores each."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5, pad_mode="valid", has_bias=True)
        self.conv2 = nn.Conv2d(6, 16, 5, pad_mode="valid", has_bias=True)
        self.relu = nn.ReLU()
        self.pool = nn.MaxPool2d(kernel_size=2, stride=2)
        self.flatten = nn.Flatten()
        self.fc1 = nn.Dense(16 * 5 * 5, 120)
        self.fc2 = nn.Dense(120, 84)
        self.fc3 = nn.Dense(84, 10)

    def construct(self, images: ms.Tensor) -> ms.Tensor:
        """Return the scores."""
        x = self.pool(self.relu(self.conv1(images)))
        x = self.pool(self.relu(self.conv2(x)))
        x = self.relu(self.fc1(self.flatten(x)))
        return self.fc3(self.relu(self.fc2(x)))


def load_data(rng: np.random.Generator) -> tuple[tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]:
    """Return (images, labels) for training and for testing."""
    digits = load_digits()
    images = np.kron(digits.images / 16 - 0.5, np.ones((4, 4)))  # every pixel of 8x8 becomes a square in 32x32
    images = images[:, None].astype(np.float32)
    labels = digits.target.astype(np.int32)
    test, train = np.split(rng.permutation(len(labels)), [TEST_IMAGES])
    return (images[train], labels[train]), (images[test], labels[test])


def count_correct(scores: ms.Tensor, labels: np.ndarray) -> int:
    """Return the number of correct predictions."""
    return int((scores.asnumpy().argmax(1) == labels).sum())


def train(network: LeNet5, images: np.ndarray, labels: np.ndarray, epochs: int, rng: np.random.Generator) -> None:
    """Train for some epochs, each with its own progress bar."""
    steps = epochs * math.ceil(len(labels) / BATCH)
    learning_rates = [FIRST_LEARNING_RATE * (1 - step / steps) for step in range(steps)]
    loss_fn = nn.CrossEntropyLoss()
    optimizer = nn.Momentum(network.trainable_params(), learning_rate=learning_rates, momentum=0.9)

    def forward(images: ms.Tensor, labels: ms.Tensor) -> tuple[ms.Tensor, ms.Tensor]:
        scores = network(images)
        return loss_fn(scores, labels), scores

    loss_and_gradients = ms.value_and_grad(forward, None, optimizer.parameters, has_aux=True)

    network.set_train()
    for epoch in range(1, epochs + 1):
        order = rng.permutation(len(labels))
        seen = correct = 0
        total_loss = 0.0
        with tqdm(range(0, len(labels), BATCH), desc=f"epoch {epoch:2}/{epochs}", unit="batch") as progress:
            for start in progress:
                batch = order[start : start + BATCH]
                (loss, scores), gradients = loss_and_gradients(ms.Tensor(images[batch]), ms.Tensor(labels[batch]))
                optimizer(gradients)
                seen += len(batch)
                total_loss += loss.item() * len(batch)
                correct += count_correct(scores, labels[batch])
                progress.set_postfix(loss=f"{total_loss / seen:.3f}", accuracy=f"{correct / seen:.1%}", refresh=False)


def main() -> int:
    """Train and test; return the exit status."""
    parser = argparse.ArgumentParser(description="Train LeNet-5 on handwritten digits.")
    parser.add_argument("--epochs", type=int, default=15, help="passes over the training images (default: 15)")
    epochs = parser.parse_args().epochs

    ms.set_seed(SEED)
    rng = np.random.default_rng(SEED)
    (train_images, train_labels), (test_images, test_labels) = load_data(rng)
    network = LeNet5()
    train(network, train_images, train_labels, epochs, rng)

    network.set_train(False)
    correct = count_correct(network(ms.Tensor(test_images)), test_labels)
    accuracy = correct / len(test_labels)
    print(f"test accuracy: {accuracy:.2%} ({correct} of {len(test_labels)} images)")
    return 0 if accuracy >= REQUIRED_ACCURACY else 1


if __name__ == "__main__":
    sys.exit(main())
