"""Convolutions with the batch normalization that follows folded into their weights."""

from __future__ import annotations

from typing import Any

from torchspore import ops
from torchspore.common import dtype as mstype
from torchspore.common.initializer import initializer
from torchspore.common.parameter import Parameter
from torchspore.common.tensor import Tensor
from torchspore.earlier.quantization.layers import QuantConv2d, of_conv
from torchspore.earlier.quantization.observers import QuantConfig, QuantDtype, quant_config_default
from torchspore.ops.neural.normalization import batch_norm

__all__ = ["Conv2dBnFoldQuant", "Conv2dBnFoldQuantOneConv"]


class _Folded(QuantConv2d):
    """The base of convolutions with a folded batch normalization.

    Args:
        in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group: as for `Conv2d`.
        eps: what is added to the variance. Default: 1e-5.
        momentum: the weight of the old running statistics. Default: 0.997.
        has_bias: whether there is a bias; the normalization takes it away. Default: False.
        weight_init, bias_init: as for `Conv2d`. Default: "normal" and "zeros".
        beta_init, gamma_init, mean_init, var_init: as for `BatchNorm2d`.
        fake: whether the weight is rounded. Default: True.
        quant_config: what makes the observer of the weight. Default: `FakeQuantWithMinMaxObserver`.
        quant_dtype: the type of the grid's numbers. Default: QuantDtype.INT8.
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
        eps: float = 1e-5,
        momentum: float = 0.997,
        has_bias: bool = False,
        weight_init: Any = "normal",
        bias_init: Any = "zeros",
        beta_init: Any = "zeros",
        gamma_init: Any = "ones",
        mean_init: Any = "zeros",
        var_init: Any = "ones",
        fake: bool = True,
        quant_config: QuantConfig = quant_config_default,
        quant_dtype: QuantDtype = QuantDtype.INT8,
    ) -> None:
        window = (kernel_size, stride, pad_mode, padding, dilation, group)
        super().__init__(
            in_channels, out_channels, *window, has_bias, weight_init, bias_init, quant_config, quant_dtype
        )
        self.eps = eps
        self.momentum = 1 - momentum
        self.fake = fake

        def parameter(init: Any, name: str, trained: bool = True) -> Parameter:
            return Parameter(initializer(init, (out_channels,), mstype.float32), name, trained)

        self.gamma, self.beta = parameter(gamma_init, "gamma"), parameter(beta_init, "beta")
        self.moving_mean = parameter(mean_init, "moving_mean", trained=False)
        self.moving_variance = parameter(var_init, "moving_variance", trained=False)

    def _deviation(self) -> Tensor:
        """Return the running standard deviation."""
        deviation: Tensor = ops.sqrt(self.moving_variance + self.eps)
        return deviation

    def _with_folded(self, x: Tensor, deviation: Tensor) -> Tensor:
        """Return the convolution with the weight times gamma over the running deviation, rounded."""
        weight = self.weight * (self.gamma / deviation).reshape(-1, 1, 1, 1)
        return self._convolved(x, self.fake_quant_weight(weight) if self.fake else weight)

    def extend_repr(self) -> str:
        text = super().extend_repr().rpartition(", has_bias")[0]
        return f"{text}, fake={self.fake}, momentum={self.momentum}"


def _of_cell(convbn: Any) -> dict[str, Any]:
    """Return the arguments that make a folded convolution of a `Conv2dBnAct`."""
    norm = convbn.batchnorm
    names = {"gamma": "gamma", "beta": "beta", "moving_mean": "mean", "moving_variance": "var"}
    inits = {f"{init}_init": getattr(norm, name).value() for name, init in names.items()}
    return {**of_conv(convbn.conv), "eps": norm.eps, "momentum": 1 - norm.momentum, **inits}


class Conv2dBnFoldQuantOneConv(_Folded):
    """A convolution of images and its batch normalization, folded into a weight that is rounded to a grid.

    In training the output of the folded convolution is scaled back, and normalized by the statistics of the batch.

    Args:
        in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group, eps, momentum, has_bias,
            weight_init, bias_init, beta_init, gamma_init, mean_init, var_init, fake, quant_config, quant_dtype: as for
            `Conv2dQuant` and `BatchNorm2d`; `fake` says whether the weight is rounded.

    Inputs and outputs: as for `Conv2d`.

    Source: MindSpore 1.10, `nn.Conv2dBnFoldQuantOneConv`.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.earlier.quantization import Conv2dBnFoldQuantOneConv
        >>> Conv2dBnFoldQuantOneConv(1, 2, 3)(ms.ops.ones((1, 1, 4, 4))).shape
        (1, 2, 4, 4)
    """

    @classmethod
    def from_float(cls, convbn: Any, quant_config: QuantConfig) -> Conv2dBnFoldQuantOneConv:
        """Return the layer that stands for a `Conv2dBnAct`, with its parameters."""
        return cls(**_of_cell(convbn), quant_config=quant_config)

    def construct(self, x: Tensor) -> Tensor:
        deviation = self._deviation()
        unfolded = self._with_folded(x, deviation) * (deviation / self.gamma).reshape(1, -1, 1, 1)
        statistics = (self.moving_mean, self.moving_variance, self.gamma, self.beta)
        normalized: Tensor = batch_norm(unfolded, *statistics, self.training, self.momentum, self.eps)
        return normalized


class Conv2dBnFoldQuant(_Folded):
    """A convolution of images and its batch normalization, folded into a weight that is rounded to a grid.

    In training a second convolution, with the weight as it is, has the statistics of the batch.

    Args:
        in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group, eps, momentum, has_bias,
            weight_init, bias_init, beta_init, gamma_init, mean_init, var_init, fake, quant_config, quant_dtype: as for
            `Conv2dBnFoldQuantOneConv`.
        freeze_bn: the number of steps of training after which the running statistics stay. Default: 100000.

    Inputs and outputs: as for `Conv2d`.

    Source: MindSpore 1.10, `nn.Conv2dBnFoldQuant`.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.earlier.quantization import Conv2dBnFoldQuant
        >>> Conv2dBnFoldQuant(1, 2, 3)(ms.ops.ones((1, 1, 4, 4))).shape
        (1, 2, 4, 4)
    """

    def __init__(self, *args: Any, freeze_bn: int = 100000, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.freeze_bn = freeze_bn
        self.step = Parameter(Tensor([0], mstype.int32), "step", requires_grad=False)

    @classmethod
    def from_float(cls, convbn: Any, quant_config: QuantConfig, extra_args: dict[str, Any]) -> Conv2dBnFoldQuant:
        """Return the layer that stands for a `Conv2dBnAct`, with its parameters."""
        return cls(**_of_cell(convbn), quant_config=quant_config, **extra_args)

    def construct(self, x: Tensor) -> Tensor:
        deviation = self._deviation()
        output = self._with_folded(x, deviation)
        frozen = output + (self.beta - self.gamma * self.moving_mean / deviation).reshape(1, -1, 1, 1)
        if not self.training:
            return frozen
        going = self.step < self.freeze_bn
        plain = self._convolved(x, self.weight)
        mean = plain.mean((0, 2, 3))
        variance = (plain - mean.reshape(1, -1, 1, 1)).square().mean((0, 2, 3))
        of_batch = ops.sqrt(variance + self.eps)
        scaled = output * (deviation / of_batch).reshape(1, -1, 1, 1)
        moved = scaled + (self.beta - self.gamma * mean / of_batch).reshape(1, -1, 1, 1)
        result: Tensor = ops.where(going.reshape(1, 1, 1, 1), moved, frozen)
        count = plain.numel() // self.out_channels
        for running, observed in (
            (self.moving_mean, mean),
            (self.moving_variance, variance * count / max(count - 1, 1)),
        ):
            shifted = running + self.momentum * (ops.stop_gradient(observed) - running)
            ops.assign(running, ops.where(going, shifted, running))
        ops.assign_add(self.step, Tensor([1], mstype.int32))
        return result

    def extend_repr(self) -> str:
        before, _, momentum = super().extend_repr().rpartition(", momentum")
        return f"{before}, freeze_bn={self.freeze_bn}, momentum{momentum}"
