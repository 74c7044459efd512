"""Layers of Bayesian networks: their weights are drawn anew at each call, from distributions that are trained."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from torchspore import ops
from torchspore.common import dtype as mstype
from torchspore.common.names.missing_names import suggest_names as _suggest_names
from torchspore.common.parameter import Parameter
from torchspore.common.tensor import Tensor
from torchspore.engine.failures.errors import describe
from torchspore.engine.parameters import NotNegativeFloat, Positive, checked, take_as
from torchspore.nn.cell import Cell
from torchspore.nn.layer.activation import get_activation
from torchspore.nn.layer.conv import Conv2d
from torchspore.nn.probability.distribution import Normal

__all__ = ["ConvReparam", "DenseLocalReparam", "DenseReparam", "NormalPosterior", "NormalPrior", "WithBNNLossCell"]


class NormalPrior(Cell):
    """The normal distribution that weights are assumed to have before training.

    Args:
        dtype: the data type. Default: float32.
        mean: the mean. Default: 0.
        std: the standard deviation, > 0. Default: 0.1.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.nn.probability import bnn_layers
        >>> bnn_layers.NormalPrior(std=2.0)("mean")
        Tensor(shape=[], dtype=Float32, value= 0)
    """

    def __init__(self, dtype: mstype.Type = mstype.float32, mean: float = 0, std: float = 0.1) -> None:
        super().__init__()
        self.normal = Normal(mean, std, dtype=dtype)

    def construct(self, *inputs: Any) -> Any:
        return self.normal(*inputs)


class NormalPosterior(Cell):
    """A normal distribution for each weight, whose means and standard deviations are trained.

    Args:
        name: the beginning of the names of the parameters.
        shape: the shape of the weight.
        dtype: the data type. Default: float32.
        loc_mean, loc_std: the mean and the standard deviation, > 0, of the initial means. Default: 0, 0.1.
        untransformed_scale_mean, untransformed_scale_std: the same for the initial `untransformed_std`. Default: -5,
            0.1.

    Attributes:
        mean: the Parameter of the means.
        untransformed_std: the Parameter whose softplus is the standard deviations.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.nn.probability import bnn_layers
        >>> bnn_layers.NormalPosterior("weight", (2, 3))("sample").shape
        (2, 3)
    """

    mean: Parameter
    untransformed_std: Parameter

    @checked
    def __init__(
        self,
        name: str,
        shape: tuple[int, ...] | list[int],
        dtype: mstype.Type = mstype.float32,
        loc_mean: float = 0,
        loc_std: float = 0.1,
        untransformed_scale_mean: float = -5,
        untransformed_scale_std: float = 0.1,
    ) -> None:
        super().__init__()
        api = "NormalPosterior"
        if not isinstance(shape, (tuple, list)):
            raise TypeError("'shape' must be a tuple or list of ints")
        for attribute, center, spread, label in (
            ("mean", loc_mean, loc_std, "loc"),
            ("untransformed_std", untransformed_scale_mean, untransformed_scale_std, "untransformed_scale"),
        ):
            take_as(float, center, f"{label}_mean", api)
            take_as(NotNegativeFloat, spread, f"{label}_std", api)
            drawn = np.random.normal(center, spread, tuple(shape))  # by NumPy, as in MindSpore
            setattr(self, attribute, Parameter(Tensor(drawn, dtype), name=f"{name}_{attribute}"))
        self.normal = Normal()

    @property
    def std(self) -> Tensor:
        """The standard deviations."""
        return ops.softplus(self.untransformed_std)

    def construct(self, *inputs: Any) -> Any:
        return self.normal(*inputs, mean=self.mean, sd=self.std)


def normal_post_fn(name: str, shape: tuple[int, ...] | list[int]) -> NormalPosterior:
    """Return a `NormalPosterior`."""
    return NormalPosterior(name, shape)


class _Variational(Cell):
    """What a layer does whose weight and bias have prior and posterior distributions.

    Attributes:
        weight_prior, bias_prior: the distributions before training.
        weight_posterior, bias_posterior: those that are trained; without a bias there are only the weight's.
    """

    has_bias: bool
    weight_prior: Cell
    bias_prior: Cell
    weight_posterior: Any
    bias_posterior: Any

    def _make_distributions(self, shapes: dict[str, tuple[int, ...]], priors: Any, posteriors: Any) -> None:
        for (part, shape), prior, posterior in zip(shapes.items(), priors, posteriors):
            setattr(self, f"{part}_prior", prior if isinstance(prior, Cell) else prior())
            if not callable(posterior):
                raise TypeError(
                    f"'{part}_posterior_fn' must be a function of a name and a shape, but got {describe(posterior)}"
                )
            made = posterior(f"bnn_{part}", shape)
            take_as(Cell, made, f"{part}_posterior_fn(name, shape)", self.cls_name)
            for name, parameter in made.parameters_and_names(expand=False):
                parameter.name = f"{part}_posterior.{name}"
            setattr(self, f"{part}_posterior", made)

    def compute_kl_loss(self) -> Tensor:
        """Return the divergence of the distributions of all weights and biases from their priors, as one number.

        As in MindSpore it is the divergence of the prior from the posterior, KL(prior || posterior).
        """
        parts = ("weight", "bias") if self.has_bias else ("weight",)
        return sum((self._divergence(part) for part in parts[1:]), start=self._divergence(parts[0]))

    def _divergence(self, part: str) -> Any:
        prior, posterior = getattr(self, f"{part}_prior"), getattr(self, f"{part}_posterior")
        return prior("kl_loss", "Normal", posterior("mean"), posterior("sd")).sum()

    def _shown_distributions(self) -> str:
        text = f"{self._shown_parameters('weight')}, has_bias={self.has_bias}"
        return f"{text}, {self._shown_parameters('bias')}" if self.has_bias else text

    def _shown_parameters(self, part: str) -> str:
        posterior = getattr(self, f"{part}_posterior")
        return f"{part}_mean={posterior.mean}, {part}_std={posterior.untransformed_std}"


class _DenseVariational(_Variational):
    @checked
    def __init__(
        self,
        in_channels: Positive,
        out_channels: Positive,
        activation: str | Cell | None = None,
        has_bias: bool = True,
        weight_prior_fn: Any = NormalPrior,
        weight_posterior_fn: Callable[..., Cell] = normal_post_fn,
        bias_prior_fn: Any = NormalPrior,
        bias_posterior_fn: Callable[..., Cell] = normal_post_fn,
    ) -> None:
        super().__init__()
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.has_bias = has_bias
        shapes: dict[str, tuple[int, ...]] = {"weight": (out_channels, in_channels)}
        if has_bias:
            shapes["bias"] = (out_channels,)
        self._make_distributions(shapes, (weight_prior_fn, bias_prior_fn), (weight_posterior_fn, bias_posterior_fn))
        if isinstance(activation, str):
            activation = get_activation(activation, self.cls_name)
        self.activation = activation

    def construct(self, x: Tensor) -> Tensor:
        output = self._product(x)
        if self.has_bias:
            output = output + self.bias_posterior("sample")
        return output if self.activation is None else self.activation(output)

    def _product(self, x: Tensor) -> Tensor:
        raise NotImplementedError

    def extend_repr(self) -> str:
        text = f"in_channels={self.in_channels}, out_channels={self.out_channels}, {self._shown_distributions()}"
        return text if self.activation is None else f"{text}, activation={self.activation}"


class DenseReparam(_DenseVariational):
    """A dense layer whose weights are drawn at each call.

    D. P. Kingma and M. Welling, Auto-Encoding Variational Bayes, 2014.

    Args:
        in_channels: the size of the input.
        out_channels: the size of the output.
        activation: an activation of the output: its name or a Cell. Default: None.
        has_bias: whether there is a bias. Default: True.
        weight_prior_fn, bias_prior_fn: the distributions before training: a Cell, or a function without arguments that
            makes it. Default: `NormalPrior`.
        weight_posterior_fn, bias_posterior_fn: functions of a name and a shape that make the distributions to train.
            Default: `NormalPosterior`.

    Inputs:
        - x: a Tensor of shape (N, in_channels).

    Outputs: a Tensor of shape (N, out_channels).

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.nn.probability import bnn_layers
        >>> net = bnn_layers.DenseReparam(3, 2, activation="relu")
        >>> print(net(ms.ops.ones((4, 3))).shape, net.compute_kl_loss().shape)
        (4, 2) ()
    """

    def _product(self, x: Tensor) -> Tensor:
        return ops.dense(x, self.weight_posterior("sample"))


class DenseLocalReparam(_DenseVariational):
    """A dense layer whose outputs are drawn at each call, one for each row, from the distribution that they have.

    D. P. Kingma, T. Salimans and M. Welling, Variational Dropout and the Local Reparameterization Trick, 2015.

    Arguments, inputs and outputs as for `DenseReparam`.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.nn.probability import bnn_layers
        >>> bnn_layers.DenseLocalReparam(3, 2)(ms.ops.ones((4, 3))).shape
        (4, 2)
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.normal = Normal()

    def _product(self, x: Tensor) -> Tensor:
        mean = ops.dense(x, self.weight_posterior("mean"))
        variance = ops.dense(x.square(), self.weight_posterior("sd").square())
        return self.normal("sample", (), mean, variance.sqrt())


class ConvReparam(_Variational, Conv2d):
    """A two-dimensional convolution whose weights are drawn at each call; see `DenseReparam`.

    Args:
        in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group, has_bias: as for `Conv2d`.
        weight_prior_fn, weight_posterior_fn, bias_prior_fn, bias_posterior_fn: as for `DenseReparam`.

    Inputs and outputs as for `Conv2d`.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.nn.probability import bnn_layers
        >>> bnn_layers.ConvReparam(1, 4, 3)(ms.ops.ones((2, 1, 5, 5))).shape
        (2, 4, 5, 5)
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | tuple[int, int],
        stride: int | tuple[int, int] = 1,
        pad_mode: str = "same",
        padding: int | tuple[int, int, int, int] = 0,
        dilation: int | tuple[int, int] = 1,
        group: int = 1,
        has_bias: bool = False,
        weight_prior_fn: Any = NormalPrior,
        weight_posterior_fn: Callable[..., Cell] = normal_post_fn,
        bias_prior_fn: Any = NormalPrior,
        bias_posterior_fn: Callable[..., Cell] = normal_post_fn,
    ) -> None:
        window = (kernel_size, stride, pad_mode, padding, dilation, group)
        Conv2d.__init__(self, in_channels, out_channels, *window, has_bias)
        shapes = {"weight": self.weight.shape} | ({"bias": (out_channels,)} if has_bias else {})
        for part in shapes:  # of the convolution, which MindSpore keeps although nothing uses them
            getattr(self, part).requires_grad = False
        self._make_distributions(shapes, (weight_prior_fn, bias_prior_fn), (weight_posterior_fn, bias_posterior_fn))

    def construct(self, x: Tensor) -> Tensor:
        output = self.conv2d(x, self.weight_posterior("sample"))
        return self.bias_add(output, self.bias_posterior("sample")) if self.has_bias else output

    def extend_repr(self) -> str:
        names = ("in_channels", "out_channels", "kernel_size", "stride", "pad_mode", "padding", "dilation", "group")
        shown = ", ".join(f"{name}={getattr(self, name)}" for name in names)
        return f"{shown}, {self._shown_distributions()}"


class WithBNNLossCell(Cell):
    """A network and a loss that includes the divergence of its Bayesian layers from their priors.

    Args:
        backbone: the network.
        loss_fn: the loss, a function of output and label.
        dnn_factor: the factor of the loss, >= 0. Default: 1.
        bnn_factor: the factor of the divergence, >= 0. Default: 1.

    Inputs:
        - x: the network's input.
        - label: the label.

    Outputs: `dnn_factor * loss + bnn_factor * divergence`, a Tensor without dimensions.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.nn.probability import bnn_layers
        >>> net = bnn_layers.WithBNNLossCell(bnn_layers.DenseReparam(3, 2), ms.nn.MSELoss(), bnn_factor=0.01)
        >>> net(ms.ops.ones((4, 3)), ms.ops.ones((4, 2))).shape
        ()
    """

    @checked
    def __init__(
        self, backbone: Cell, loss_fn: Any, dnn_factor: NotNegativeFloat = 1, bnn_factor: NotNegativeFloat = 1
    ) -> None:
        super().__init__(auto_prefix=False)
        self._backbone = backbone
        self._loss_fn = loss_fn
        self.dnn_factor = dnn_factor
        self.bnn_factor = bnn_factor

    @property
    def backbone_network(self) -> Cell:
        """The network."""
        return self._backbone

    def construct(self, x: Any, label: Any) -> Tensor:
        loss = self.dnn_factor * self._loss_fn(self._backbone(x), label)
        layers = [cell for _, cell in self._backbone.cells_and_names() if isinstance(cell, _Variational)]
        return loss + self.bnn_factor * sum(layer.compute_kl_loss() for layer in layers)


_suggest_names(globals())
