"""Layers whose weights and results are rounded to grids."""

from __future__ import annotations

from typing import Any

from torchspore.common.tensor import Tensor
from torchspore.earlier.quantization.observers import QuantConfig, QuantDtype, quant_config_default
from torchspore.nn.cell import Cell
from torchspore.nn.layer.activation import HSigmoid, HSwish, LeakyReLU, ReLU, ReLU6, Sigmoid, get_activation
from torchspore.nn.layer.basic import Dense
from torchspore.nn.layer.conv import Conv2d
from torchspore.nn.layer.normalization import BatchNorm2d
from torchspore.ops import dense
from torchspore.ops.conv.convolution import LAYERS

__all__ = [
    "ActQuant", "Conv2dBnWithoutFoldQuant", "Conv2dQuant", "DenseQuant", "MulQuant", "QuantConv2d", "TensorAddQuant",
]  # fmt: skip


class QuantConv2d(Conv2d):
    """The base of convolutions whose weights are rounded to a grid.

    Args:
        in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group, has_bias, weight_init,
            bias_init: as for `Conv2d`. Default: as there, with "normal" and "zeros" as initial values.
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
        has_bias: bool = False,
        weight_init: Any = "normal",
        bias_init: Any = "zeros",
        quant_config: QuantConfig = quant_config_default,
        quant_dtype: QuantDtype = QuantDtype.INT8,
    ) -> None:
        window = (kernel_size, stride, pad_mode, padding, dilation, group)
        super().__init__(in_channels, out_channels, *window, has_bias, weight_init, bias_init)
        self.fake_quant_weight = _observer_of_weight(quant_config, quant_dtype, out_channels)

    def _convolved(self, x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
        operation, geometry = self._plan or self._planned()
        return LAYERS[operation](x, weight, bias, *geometry)

    def extend_repr(self) -> str:
        return (
            f"in_channels={self.in_channels}, out_channels={self.out_channels}, kernel_size={self.kernel_size}, "
            f"stride={self.stride}, pad_mode={self.pad_mode}, padding={self.padding}, dilation={self.dilation}, "
            f"group={self.group}, has_bias={self.has_bias}"
        )


def _dtype(make: Any, quant_dtype: QuantDtype) -> dict[str, QuantDtype]:
    """Return the type of the grid's numbers as an argument, unless the configuration has it."""
    return {} if "quant_dtype" in getattr(make, "keywords", {}) else {"quant_dtype": quant_dtype}


def _observer_of_weight(quant_config: QuantConfig, quant_dtype: QuantDtype, channels: int) -> Any:
    make = quant_config.weight
    return make(channel_axis=0, num_channels=channels, **_dtype(make, quant_dtype))


class Conv2dQuant(QuantConv2d):
    """A convolution of images whose weight is rounded to a grid.

    Args:
        in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group, has_bias, weight_init,
            bias_init, quant_config, quant_dtype: as for `QuantConv2d`.

    Inputs and outputs: as for `Conv2d`.

    Source: MindSpore 1.10, `nn.Conv2dQuant`.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.earlier.quantization import Conv2dQuant
        >>> Conv2dQuant(1, 2, 3)(ms.ops.ones((1, 1, 4, 4))).shape
        (1, 2, 4, 4)
    """

    @classmethod
    def from_float(cls, conv: Conv2d, quant_config: QuantConfig) -> Conv2dQuant:
        """Return the layer that stands for a convolution, with its parameters."""
        return cls(**of_conv(conv), quant_config=quant_config)

    def construct(self, x: Tensor) -> Tensor:
        return self._convolved(x, self.fake_quant_weight(self.weight), self.bias if self.has_bias else None)


def of_conv(conv: Conv2d) -> dict[str, Any]:
    """Return the arguments that make a convolution like another one."""
    names = (
        "in_channels", "out_channels", "kernel_size", "stride", "pad_mode", "padding", "dilation", "group", "has_bias",
    )  # fmt: skip
    bias = {} if conv.bias is None else {"bias_init": conv.bias.value()}
    return {**{name: getattr(conv, name) for name in names}, "weight_init": conv.weight.value(), **bias}


class Conv2dBnWithoutFoldQuant(QuantConv2d):
    """A convolution of images whose weight is rounded to a grid, and a batch normalization.

    Args:
        in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group, has_bias: as for `Conv2d`.
        eps: what is added to the variance. Default: 1e-5.
        momentum: the weight of the old running statistics. Default: 0.997.
        weight_init, bias_init: as for `Conv2d`. Default: "normal" and "zeros".
        quant_config: what makes the observer of the weight. Default: `FakeQuantWithMinMaxObserver`.

    Inputs and outputs: as for `Conv2d`.

    Source: MindSpore 1.10, `nn.Conv2dBnWithoutFoldQuant`.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.earlier.quantization import Conv2dBnWithoutFoldQuant
        >>> Conv2dBnWithoutFoldQuant(1, 2, 3)(ms.ops.ones((1, 1, 4, 4))).shape
        (1, 2, 4, 4)
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
        eps: float = 1e-5,
        momentum: float = 0.997,
        weight_init: Any = "normal",
        bias_init: Any = "zeros",
        quant_config: QuantConfig = quant_config_default,
    ) -> None:
        window = (kernel_size, stride, pad_mode, padding, dilation, group)
        super().__init__(
            in_channels, out_channels, *window, has_bias, weight_init, bias_init, quant_config=quant_config
        )
        self.batchnorm = BatchNorm2d(out_channels, eps, momentum)

    @classmethod
    def from_float(cls, convbn: Any, quant_config: QuantConfig) -> Conv2dBnWithoutFoldQuant:
        """Return the layer that stands for a `Conv2dBnAct`, with its parameters."""
        conv, norm = convbn.conv, convbn.batchnorm
        made = cls(**of_conv(conv), eps=norm.eps, momentum=1 - norm.momentum, quant_config=quant_config)
        made.batchnorm = norm
        return made

    def construct(self, x: Tensor) -> Tensor:
        output = self._convolved(x, self.fake_quant_weight(self.weight), self.bias if self.has_bias else None)
        normalized: Tensor = self.batchnorm(output)
        return normalized


class DenseQuant(Dense):
    """A fully connected layer whose weight is rounded to a grid.

    Args:
        in_channels, out_channels, weight_init, bias_init, has_bias, activation: as for `Dense`. Default: as there, with
            "normal" and "zeros" as initial values.
        quant_config: what makes the observer of the weight. Default: `FakeQuantWithMinMaxObserver`.
        quant_dtype: the type of the grid's numbers. Default: QuantDtype.INT8.

    Inputs and outputs: as for `Dense`.

    Source: MindSpore 1.10, `nn.DenseQuant`.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.earlier.quantization import DenseQuant
        >>> DenseQuant(3, 2)(ms.ops.ones((4, 3))).shape
        (4, 2)
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        weight_init: Any = "normal",
        bias_init: Any = "zeros",
        has_bias: bool = True,
        activation: Any = None,
        quant_config: QuantConfig = quant_config_default,
        quant_dtype: QuantDtype = QuantDtype.INT8,
    ) -> None:
        super().__init__(in_channels, out_channels, weight_init, bias_init, has_bias, activation)
        self.fake_quant_weight = _observer_of_weight(quant_config, quant_dtype, out_channels)

    @classmethod
    def from_float(cls, dense: Dense, quant_config: QuantConfig) -> DenseQuant:
        """Return the layer that stands for a fully connected one, with its parameters."""
        bias = "zeros" if dense.bias is None else dense.bias.value()
        sizes = (dense.in_channels, dense.out_channels)
        return cls(*sizes, dense.weight.value(), bias, dense.has_bias, dense.activation, quant_config)

    def construct(self, x: Tensor) -> Tensor:
        output = dense(x, self.fake_quant_weight(self.weight), self.bias if self.has_bias else None)
        return output if self.activation is None else self.activation(output)


class ActQuant(Cell):
    """An activation whose result is rounded to a grid.

    Args:
        activation: the activation, a Cell.
        ema: whether the limits of the grid are moving averages. Default: False.
        ema_decay: the weight of the old limits. Default: 0.999.
        fake_before: whether the input is rounded, too. Default: False.
        quant_config: what makes the observers. Default: `FakeQuantWithMinMaxObserver`.
        quant_dtype: the type of the grid's numbers. Default: QuantDtype.INT8.

    Inputs and outputs: as for the activation.

    Source: MindSpore 1.10, `nn.ActQuant`.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.earlier.quantization import ActQuant
        >>> ActQuant(ms.nn.ReLU())(ms.ops.ones((2, 3))).shape
        (2, 3)
    """

    def __init__(
        self,
        activation: Cell,
        ema: bool = False,
        ema_decay: float = 0.999,
        fake_before: bool = False,
        quant_config: QuantConfig = quant_config_default,
        quant_dtype: QuantDtype = QuantDtype.INT8,
    ) -> None:
        super().__init__()
        make = quant_config.activation
        options: dict[str, Any] = {"ema": ema, "ema_decay": ema_decay, **_dtype(make, quant_dtype)}
        if getattr(make, "keywords", {}).get("mode") == "LEARNED_SCALE" and isinstance(activation, (ReLU, ReLU6)):
            options.update(neg_trunc=True, narrow_range=False)
        self.act = activation
        self.fake_before = fake_before
        if fake_before:
            self.fake_quant_act_before = make(**options)
        self.fake_quant_act = make(**options)

    def construct(self, x: Tensor) -> Tensor:
        if self.fake_before:
            x = self.fake_quant_act_before(x)
        rounded: Tensor = self.fake_quant_act(self.act(x))
        return rounded

    def get_origin(self) -> Cell:
        """Return the activation."""
        return self.act


_PLAIN, _ROUNDED_BEFORE = (ReLU, ReLU6, Sigmoid), (HSigmoid, HSwish, LeakyReLU)


def activation_like(activation: Any, quant_config: QuantConfig) -> ActQuant:
    """Return the rounded form of an activation.

    Raises:
        ValueError: the activation has none.
    """
    activation = get_activation(activation) if isinstance(activation, str) else activation
    if isinstance(activation, _PLAIN):
        return ActQuant(activation, quant_config=quant_config)
    if isinstance(activation, _ROUNDED_BEFORE):
        return ActQuant(activation, ema=True, fake_before=True, quant_config=quant_config)
    accepted = ", ".join(sorted(kind.__name__ for kind in (*_PLAIN, *_ROUNDED_BEFORE)))
    raise ValueError(
        f"For 'QuantizationAwareTraining', an activation must be one of {accepted}, but got "
        f"{type(activation).__name__}. Write it as a cell of its own, after the layer."
    )


class RoundedAfter(Cell):
    """An operation or a cell, or nothing, whose result is rounded to a grid.

    Args:
        subcell: what is called, or None.
        options: arguments of the observer.
    """

    def __init__(self, subcell: Any, **options: Any) -> None:
        super().__init__()
        self.subcell = subcell
        self.fake_quant_act = quant_config_default.activation(**{"ema": True, **options})

    def construct(self, *inputs: Any) -> Tensor:
        rounded: Tensor = self.fake_quant_act(*inputs if self.subcell is None else (self.subcell(*inputs),))
        return rounded


class TensorAddQuant(Cell):
    """The sum of two tensors, rounded to a grid.

    Args:
        ema_decay: the weight of the old limits in their moving averages. Default: 0.999.
        quant_config: what makes the observer. Default: `FakeQuantWithMinMaxObserver`.
        quant_dtype: the type of the grid's numbers. Default: QuantDtype.INT8.

    Inputs and outputs: two Tensors, and their sum.

    Source: MindSpore 1.10, `nn.TensorAddQuant`.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.earlier.quantization import TensorAddQuant
        >>> print(TensorAddQuant().set_train()(ms.Tensor([255.0]), ms.Tensor([0.0])).shape)
        (1,)
    """

    def __init__(
        self,
        ema_decay: float = 0.999,
        quant_config: QuantConfig = quant_config_default,
        quant_dtype: QuantDtype = QuantDtype.INT8,
    ) -> None:
        super().__init__()
        make = quant_config.activation
        self.fake_quant_act = make(ema=True, ema_decay=ema_decay, **_dtype(make, quant_dtype))

    def construct(self, x1: Tensor, x2: Tensor) -> Tensor:
        rounded: Tensor = self.fake_quant_act(x1 + x2)
        return rounded


class MulQuant(TensorAddQuant):
    """The product of two tensors, rounded to a grid.

    Args:
        ema_decay, quant_config, quant_dtype: as for `TensorAddQuant`.

    Inputs and outputs: two Tensors, and their product.

    Source: MindSpore 1.10, `nn.MulQuant`.
    """

    def construct(self, x1: Tensor, x2: Tensor) -> Tensor:
        rounded: Tensor = self.fake_quant_act(x1 * x2)
        return rounded
