"""Layers that combine others: convolution or dense layer, normalization and activation; and the bilinear layer."""

from __future__ import annotations

import math
from typing import Any

from torchspore.common import dtype as mstype
from torchspore.common.initializer import Uniform
from torchspore.common.tensor import Tensor
from torchspore.engine.parameters import Positive, checked, take_as
from torchspore.nn.cell import Cell
from torchspore.nn.layer.activation import LeakyReLU
from torchspore.nn.layer.basic import Dense, _activation
from torchspore.nn.layer.checks import initial_parameter, rank
from torchspore.nn.layer.conv import Conv2d
from torchspore.nn.layer.normalization import BatchNorm1d, BatchNorm2d
from torchspore.ops.array.reshaping import reshape
from torchspore.ops.linalg.products import matmul

__all__ = ["BiDense", "Conv2dBnAct", "DenseBnAct"]


class _Combined(Cell):
    """The base of the layers that normalize and activate what their first layer returns."""

    _channels: int

    def _add_followers(
        self, normalization: Any, has_bn: bool, momentum: float, eps: float, activation: Any, alpha: float, fake: bool
    ) -> None:
        api = self.cls_name
        self.has_bn = take_as(bool, has_bn, "has_bn", api)
        self.has_act = activation is not None
        self.after_fake = take_as(bool, fake, "after_fake", api)
        if has_bn:
            self.batchnorm = normalization(self._channels, eps, momentum)
        if self.has_act:
            is_leaky = isinstance(activation, str) and activation == "leakyrelu"
            self.activation = LeakyReLU(alpha) if is_leaky else _activation(activation, api)

    def _finished(self, output: Tensor) -> Tensor:
        if self.has_bn:
            output = self.batchnorm(output)
        return self.activation(output) if self.has_act else output


class Conv2dBnAct(_Combined):
    """A convolution of images, followed by an optional batch normalization and activation.

    Args:
        in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group, has_bias: as for `Conv2d`.
        weight_init, bias_init: as for `Conv2d`. Default: "normal" and "zeros".
        has_bn: whether there is a `BatchNorm2d`. Default: False.
        momentum: its momentum, in [0, 1]. Default: 0.997.
        eps: its `eps`. Default: 1e-5.
        activation: what follows: the name of an activation such as "relu", a Cell or a Primitive. Default: None.
        alpha: the slope of the activation "leakyrelu" on the negative side. Default: 0.2.
        after_fake: a bool without effect here: there is no quantization. Default: True.

    Inputs and outputs: a Tensor of shape (N, in_channels, H, W) becomes (N, out_channels, H', W').

    Examples:
        >>> import torchspore as ms
        >>> net = ms.nn.Conv2dBnAct(3, 4, 3, has_bn=True, activation="relu")
        >>> net(ms.ops.ones((1, 3, 8, 8))).shape
        (1, 4, 8, 8)
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
        has_bn: bool = False,
        momentum: float = 0.997,
        eps: float = 1e-5,
        activation: Any = None,
        alpha: float = 0.2,
        after_fake: bool = True,
    ) -> None:
        super().__init__()
        window = (kernel_size, stride, pad_mode, padding, dilation, group)
        self.conv = Conv2d(in_channels, out_channels, *window, has_bias, weight_init, bias_init)
        self._channels = out_channels
        self._add_followers(BatchNorm2d, has_bn, momentum, eps, activation, alpha, after_fake)

    def construct(self, x: Tensor) -> Tensor:
        return self._finished(self.conv(x))


class DenseBnAct(_Combined):
    """A fully connected layer, followed by an optional batch normalization and activation.

    Args:
        in_channels, out_channels: as for `Dense`.
        weight_init, bias_init: as for `Dense`. Default: "normal" and "zeros".
        has_bias: whether there is a bias. Default: True.
        has_bn: whether there is a `BatchNorm1d`. Default: False.
        momentum: its momentum, in [0, 1]. Default: 0.9.
        eps: its `eps`. Default: 1e-5.
        activation, alpha, after_fake: as for `Conv2dBnAct`.

    Inputs and outputs: a Tensor of shape (N, in_channels) becomes (N, out_channels).
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        weight_init: Any = "normal",
        bias_init: Any = "zeros",
        has_bias: bool = True,
        has_bn: bool = False,
        momentum: float = 0.9,
        eps: float = 1e-5,
        activation: Any = None,
        alpha: float = 0.2,
        after_fake: bool = True,
    ) -> None:
        super().__init__()
        self.dense = Dense(in_channels, out_channels, weight_init, bias_init, has_bias)
        self._channels = out_channels
        self._add_followers(BatchNorm1d, has_bn, momentum, eps, activation, alpha, after_fake)

    def construct(self, x: Tensor) -> Tensor:
        return self._finished(self.dense(x))


class BiDense(Cell):
    r"""A bilinear layer.

    .. math::
        output_k = x_1^T \cdot weight_k \cdot x_2 + bias_k

    Args:
        in1_channels: the size of the first input's last dimension.
        in2_channels: the size of the second input's last dimension.
        out_channels: the size of the output's last dimension.
        weight_init: the weight's initializer, its name, a number, or a Tensor of shape (out_channels, in1_channels,
            in2_channels). Default: None, the uniform distribution over [-1/sqrt(in1_channels), 1/sqrt(in1_channels)].
        bias_init: the same for the bias, of shape (out_channels,). Default: None, the same distribution.
        has_bias: whether there is a bias. Default: True.
        dtype: the data type of the parameters. Default: float32.

    Inputs: two Tensors of shapes (*, in1_channels) and (*, in2_channels), of the parameters' dtype.
    Outputs: a Tensor of shape (*, out_channels).

    Examples:
        >>> import torchspore as ms
        >>> net = ms.nn.BiDense(2, 3, 4)
        >>> net(ms.ops.ones((5, 2)), ms.ops.ones((5, 3))).shape
        (5, 4)
    """

    @checked
    def __init__(
        self,
        in1_channels: Positive,
        in2_channels: Positive,
        out_channels: Positive,
        weight_init: Any = None,
        bias_init: Any = None,
        has_bias: bool = True,
        dtype: mstype.Type = mstype.float32,
    ) -> None:
        super().__init__()
        self.in1_channels = in1_channels
        self.in2_channels = in2_channels
        self.out_channels = out_channels
        self.has_bias = has_bias
        shape = (out_channels, in1_channels, in2_channels)
        uniform = Uniform(1 / math.sqrt(in1_channels))
        self.weight = initial_parameter(weight_init, uniform, shape, dtype, "weight")
        self.bias = initial_parameter(bias_init, uniform, shape[:1], dtype, "bias") if has_bias else None

    def construct(self, input1: Tensor, input2: Tensor) -> Tensor:
        if min(rank(input1, "BiDense"), rank(input2, "BiDense")) < 1:
            raise ValueError("the inputs must have at least one dimension")
        first, second, outputs = self.in1_channels, self.in2_channels, self.out_channels
        outer = input1.shape[:-1]
        if input2.shape != (*outer, second) or input1.shape[-1] != first:
            raise ValueError(f"the inputs must be of shapes (*, {first}) and (*, {second}) with one *")
        columns = reshape(self.weight.transpose(1, 0, 2), (first, outputs * second))
        rows = reshape(matmul(input1, columns), (*outer, outputs, second))
        output = matmul(rows, input2.expand_dims(-1).astype(rows.dtype)).squeeze(-1)
        return output if self.bias is None or not self.has_bias else output + self.bias

    def extend_repr(self) -> str:
        text = f"in1_channels={self.in1_channels}, in2_channels={self.in2_channels}, "
        text += f"output_channels={self.out_channels}"
        return f"{text}, has_bias={self.has_bias}" if self.has_bias else text
