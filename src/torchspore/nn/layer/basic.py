"""Basic layers: dense, dropout, flatten and other small ones."""

from __future__ import annotations

import math
from typing import Any

from torchspore.common import dtype as mstype
from torchspore.common.initializer import HeUniform, Uniform, initializer
from torchspore.common.parameter import Parameter
from torchspore.common.tensor import Tensor
from torchspore.engine.errors import describe
from torchspore.engine.primitive import Primitive
from torchspore.nn.cell import Cell

__all__ = ["Dense"]


class Dense(Cell):
    r"""A fully connected layer.

    .. math::
        output = activation(x \cdot weight^T + bias)

    Args:
        in_channels: the size of the input's last dimension.
        out_channels: the size of the output's last dimension.
        weight_init: the weight's initializer, its name, a number, or a Tensor of shape (out_channels, in_channels).
            Default: None, the uniform distribution over [-1/sqrt(in_channels), 1/sqrt(in_channels)].
        bias_init: the same for the bias, of shape (out_channels,). Default: None, the same distribution.
        has_bias: whether there is a bias. Default: True.
        activation: what follows: the name of an activation such as "relu", a Cell or a Primitive. Default: None.
        dtype: the data type of the parameters. Default: float32.

    Inputs:
        A Tensor of shape (*, in_channels), of the parameters' dtype.

    Outputs:
        A Tensor of shape (*, out_channels).

    Raises:
        TypeError: a size is no int, `has_bias` no bool, or `activation` no string, Cell or Primitive.
        ValueError: a size is not positive, or a Tensor given as an initial value has another shape.
        KeyError: no activation has the name.

    Examples:
        >>> import torchspore as ms
        >>> net = ms.nn.Dense(3, 4)
        >>> print(net(ms.Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])).shape)
        (2, 4)

    MindSpore: `mindspore.nn.Dense`.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        weight_init: Any = None,
        bias_init: Any = None,
        has_bias: bool = True,
        activation: Any = None,
        dtype: mstype.Type = mstype.float32,
    ) -> None:
        super().__init__()
        self.in_channels = _positive(in_channels, "in_channels", "Dense")
        self.out_channels = _positive(out_channels, "out_channels", "Dense")
        if not isinstance(has_bias, bool):
            raise TypeError(f"For 'Dense', 'has_bias' must be a bool, but got {describe(has_bias)}.")
        self.has_bias = has_bias
        _check_initial(weight_init, "weight_init", (out_channels, in_channels), "Dense")
        weight_init = HeUniform(math.sqrt(5)) if weight_init is None else weight_init
        self.weight = Parameter(initializer(weight_init, (out_channels, in_channels), dtype), name="weight")
        self.bias = None
        if has_bias:
            _check_initial(bias_init, "bias_init", (out_channels,), "Dense")
            bias_init = Uniform(1 / math.sqrt(in_channels)) if bias_init is None else bias_init
            self.bias = Parameter(initializer(bias_init, (out_channels,), dtype), name="bias")
        self.activation = _activation(activation, "Dense")
        self.activation_flag = self.activation is not None

    def construct(self, x: Tensor) -> Tensor:
        from torchspore.ops.linear_algebra import dense

        output = dense(x, self.weight, self.bias)
        return self.activation(output) if self.activation_flag else output

    def extend_repr(self) -> str:
        text = f"input_channels={self.in_channels}, output_channels={self.out_channels}"
        if self.has_bias:
            text += f", has_bias={self.has_bias}"
        return f"{text}, activation={self.activation}" if self.activation_flag else text


def _positive(value: Any, name: str, api: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"For '{api}', '{name}' must be an int, but got {describe(value)}.")
    if value <= 0:
        raise ValueError(f"For '{api}', '{name}' must be > 0, but got {value}.")
    return value


def _check_initial(value: Any, name: str, shape: tuple[int, ...], api: str) -> None:
    if isinstance(value, Tensor) and value.shape != shape:
        raise ValueError(f"For '{api}', '{name}' must be of shape {shape}, but got {describe(value)}.")


def _activation(activation: Any, api: str) -> Any:
    if isinstance(activation, str):
        from torchspore.nn.layer.activation import get_activation

        return get_activation(activation)
    if activation is not None and not isinstance(activation, (Cell, Primitive)):
        raise TypeError(
            f"For '{api}', 'activation' must be a string, a Cell or a Primitive, but got {describe(activation)}."
        )
    return activation
