"""The twins of `models_torch.py` in plain JAX: functions of lists of arrays, in the order of torch's parameters.

Internally, images are channels-last, and convolution weights are height, width, input, output, as XLA prefers on a CPU.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from rows import MOBILENET_V2, RESNET_50

# Otherwise each call is passed to another thread, which adds half the time of a small step.
jax.config.update("jax_cpu_enable_async_dispatch", False)

HEADS, LAYERS = 8, 4


class Weights:
    """Provide the parameters of a model in order, and store the moving averages of its normalisations.

    Attributes:
        averages: the moving averages after the model has run.
    """

    def __init__(self, parameters: list[jax.Array], averages: Iterable[Any], training: bool) -> None:
        self._parameters = iter(parameters)
        self._old = iter(averages)
        self.training = training
        self.averages: list[jax.Array] = []

    def __next__(self) -> jax.Array:
        return next(self._parameters)

    def batch_norm(self, x: jax.Array) -> jax.Array:
        """Normalise the channels of a batch of images."""
        scale, shift = next(self), next(self)
        if self.training:
            mean, variance = x.mean((0, 1, 2)), x.var((0, 1, 2))
            count = x.size // x.shape[-1]
            for old, new in ((next(self._old), mean), (next(self._old), variance * (count / (count - 1)))):
                self.averages.append(0.9 * old + 0.1 * new)
        else:
            mean, variance = next(self._old), next(self._old)
        factor = scale * lax.rsqrt(variance + 1e-5)
        return x * factor + (shift - mean * factor)


def dense(w: Weights, x: jax.Array) -> jax.Array:
    """Apply a dense layer."""
    kernel = next(w)
    return x @ kernel.T + next(w)


def conv(w: Weights, x: jax.Array, stride: int = 1, groups: int = 1, same: bool = True) -> jax.Array:
    """Apply a convolution without bias, padded to keep the size unless `same` is False."""
    kernel = next(w)
    padding = kernel.shape[0] // 2 if same else 0
    return lax.conv_general_dilated(
        x,
        kernel,
        (stride, stride),
        [(padding, padding)] * 2,
        dimension_numbers=("NHWC", "HWIO", "NHWC"),
        feature_group_count=groups,
    )


def max_pool(x: jax.Array, size: int, padding: int = 0) -> jax.Array:
    """Apply max pooling with stride 2."""
    pads = [(0, 0), (padding, padding), (padding, padding), (0, 0)]
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, size, size, 1), (1, 2, 2, 1), pads)


def mlp(w: Weights, x: jax.Array) -> jax.Array:
    """Two dense layers."""
    return dense(w, jax.nn.relu(dense(w, x)))


def lenet5(w: Weights, x: jax.Array) -> jax.Array:
    """LeNet-5 for one-channel 32x32 images."""
    for _ in range(2):
        x = max_pool(jax.nn.relu(conv(w, x, same=False) + next(w)), 2)
    x = x.transpose(0, 3, 1, 2).reshape(len(x), -1)
    return dense(w, jax.nn.relu(dense(w, jax.nn.relu(dense(w, x)))))


def resnet50(w: Weights, x: jax.Array) -> jax.Array:
    """ResNet-50 for 224x224 images."""
    x = max_pool(jax.nn.relu(w.batch_norm(conv(w, x, 2))), 3, 1)
    for width, count, first in RESNET_50:
        for stride in (first, *[1] * (count - 1)):
            y = jax.nn.relu(w.batch_norm(conv(w, x)))
            y = jax.nn.relu(w.batch_norm(conv(w, y, stride)))
            y = w.batch_norm(conv(w, y))
            if stride != 1 or x.shape[-1] != 4 * width:
                x = w.batch_norm(conv(w, x, stride))
            x = jax.nn.relu(y + x)
    return dense(w, x.mean((1, 2)))


def mobilenet_v2(w: Weights, x: jax.Array) -> jax.Array:
    """MobileNet-V2 for 224x224 images, without the dropout before its last layer."""
    x = jax.nn.relu6(w.batch_norm(conv(w, x, 2)))
    for expand, _, count, first in MOBILENET_V2:
        for stride in (first, *[1] * (count - 1)):
            y = x if expand == 1 else jax.nn.relu6(w.batch_norm(conv(w, x)))
            y = jax.nn.relu6(w.batch_norm(conv(w, y, stride, groups=y.shape[-1])))
            y = w.batch_norm(conv(w, y))
            x = x + y if x.shape == y.shape else y
    x = jax.nn.relu6(w.batch_norm(conv(w, x)))
    return dense(w, x.mean((1, 2)))


def lstm(w: Weights, x: jax.Array) -> jax.Array:
    """One LSTM layer and a classifier of its last output."""
    from_inputs, from_hidden = next(w).T, next(w).T
    bias = next(w) + next(w)

    def cell(state: tuple[jax.Array, jax.Array], gates: jax.Array) -> tuple[tuple[jax.Array, jax.Array], None]:
        h, c = state
        i, f, g, o = jnp.split(gates + h @ from_hidden, 4, 1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        return (jax.nn.sigmoid(o) * jnp.tanh(c), c), None

    zeros = jnp.zeros((len(x), len(from_hidden)))
    (h, _), _ = lax.scan(cell, (zeros, zeros), (x @ from_inputs + bias).swapaxes(0, 1))
    return dense(w, h)


def layer_norm(x: jax.Array, scale: jax.Array, shift: jax.Array) -> jax.Array:
    """Normalise the last dimension."""
    mean, variance = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
    return (x - mean) * lax.rsqrt(variance + 1e-5) * scale + shift


def gpt(w: Weights, ids: jax.Array) -> jax.Array:
    """A small GPT."""
    positions, tokens = next(w), next(w)
    length, width = positions.shape
    x = tokens[ids] + positions
    mask = jnp.triu(jnp.full((length, length), -1e9), 1)
    for _ in range(LAYERS):
        normal = layer_norm(x, next(w), next(w))
        scale, shift = next(w), next(w)  # of the second normalisation, which torch lists before the attention
        q, k, v = dense(w, normal).reshape(-1, length, 3, HEADS, width // HEADS).transpose(2, 0, 3, 1, 4)
        scores = q @ k.swapaxes(-2, -1) * (width // HEADS) ** -0.5 + mask
        mixed = jax.nn.softmax(scores) @ v
        x = x + dense(w, mixed.swapaxes(1, 2).reshape(x.shape))
        normal = layer_norm(x, scale, shift)
        x = x + dense(w, jax.nn.gelu(dense(w, normal), approximate=True))
    return dense(w, layer_norm(x, next(w), next(w))).reshape(-1, len(tokens))


MODELS = {
    "MLP": mlp,
    "LeNet5": lenet5,
    "LSTM": lstm,
    "GPT": gpt,
    "ResNet50": resnet50,
    "MobileNetV2": mobilenet_v2,
}


def momentum(parameters: list[Any], gradients: list[Any], state: list[Any]) -> tuple[list[Any], list[Any]]:
    """Return the parameters and the moments after one step."""
    state = [0.9 * moment + gradient for moment, gradient in zip(state, gradients)]
    return [parameter - 0.01 * moment for parameter, moment in zip(parameters, state)], state


def adam(parameters: list[Any], gradients: list[Any], state: tuple[Any, ...]) -> tuple[list[Any], tuple[Any, ...]]:
    """Return the parameters, and the count of steps with both moments, after one step."""
    count, first, second = state
    count = count + 1
    first = [0.9 * moment + 0.1 * gradient for moment, gradient in zip(first, gradients)]
    second = [0.999 * moment + 0.001 * gradient**2 for moment, gradient in zip(second, gradients)]
    rate, correction = 1e-3 / (1 - 0.9**count), (1 - 0.999**count) ** -0.5
    updated = [p - rate * m / (jnp.sqrt(v) * correction + 1e-8) for p, m, v in zip(parameters, first, second)]
    return updated, (count, first, second)


def first_averages(model: Callable[..., jax.Array], parameters: list[jax.Array], inputs: jax.Array) -> list[jax.Array]:
    """Return the moving averages before the first step: means of zeros, variances of ones."""

    def run(parameters: list[jax.Array], inputs: jax.Array) -> list[jax.Array]:
        w = Weights(parameters, itertools.repeat(0.0), training=True)
        model(w, inputs)
        return w.averages

    found = jax.eval_shape(run, parameters, inputs)
    return [value(average.shape) for value, average in zip(itertools.cycle((jnp.zeros, jnp.ones)), found)]


def make_step(
    name: str, optimizer: str | None, weights: list[np.ndarray], x: np.ndarray, y: np.ndarray
) -> Callable[[], jax.Array]:
    """Return a function that does one training step and returns the loss; without an optimizer, the model's output.

    Args:
        name: torch's class of the model.
        optimizer: "momentum", "adam" or None.
        weights: the parameters' values, in the order and layout of torch's.
        x: the inputs, images channels-first.
        y: the labels.
    """
    model = MODELS[name]
    inputs, labels = jnp.asarray(x.transpose(0, 2, 3, 1) if x.ndim == 4 else x), jnp.asarray(y)
    parameters = [jnp.asarray(value.transpose(2, 3, 1, 0) if value.ndim == 4 else value) for value in weights]
    averages = first_averages(model, parameters, inputs)
    if optimizer is None:
        predict = jax.jit(lambda parameters, averages, x: model(Weights(parameters, averages, training=False), x))
        return lambda: predict(parameters, averages, inputs)

    def forward(
        parameters: list[jax.Array], averages: list[jax.Array], x: jax.Array, y: jax.Array
    ) -> tuple[jax.Array, list[jax.Array]]:
        w = Weights(parameters, averages, training=True)
        scores = jax.nn.log_softmax(model(w, x))
        return -jnp.take_along_axis(scores, y[:, None], 1).mean(), w.averages

    def step(parameters: list[jax.Array], state: Any, averages: list[jax.Array], x: jax.Array, y: jax.Array) -> Any:
        (loss, averages), gradients = jax.value_and_grad(forward, has_aux=True)(parameters, averages, x, y)
        return loss, *(adam if optimizer == "adam" else momentum)(parameters, gradients, state), averages

    def zeros() -> list[jax.Array]:
        return [jnp.zeros_like(value) for value in parameters]

    now = [parameters, (jnp.zeros(()), zeros(), zeros()) if optimizer == "adam" else zeros(), averages]
    compiled = jax.jit(step, donate_argnums=(0, 1, 2))

    def run() -> jax.Array:
        loss, *now[:] = compiled(*now, inputs, labels)
        return loss

    return run
