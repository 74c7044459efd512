"""Convolution layers, plain and transposed, with torch's arguments."""

from __future__ import annotations

import math
from typing import Any

from torchspore.common import dtype as mstype
from torchspore.common.initializer import HeUniform, Uniform, initializer
from torchspore.common.parameter import Parameter
from torchspore.common.tensor import Tensor
from torchspore.engine.parameters import Positive, checked
from torchspore.mint.nn import functional as F
from torchspore.nn.cell import Cell
from torchspore.ops.conv.windows import each

__all__ = ["Conv1d", "Conv2d", "Conv3d", "ConvTranspose2d"]

_MODES = {"zeros": "constant", "reflect": "reflect", "replicate": "replicate", "circular": "circular"}


class _Conv(Cell):
    """The base of the convolutions: checks the arguments, makes the parameters and prints both."""

    _count = 2
    transposed = False

    @checked
    def __init__(
        self,
        in_channels: Positive,
        out_channels: Positive,
        kernel_size: Any,
        stride: Any,
        padding: Any,
        output_padding: Any,
        dilation: Any,
        groups: Positive,
        bias: bool,
        padding_mode: str,
        dtype: mstype.Type | None,
    ) -> None:
        super().__init__()
        api, count = self.cls_name, self._count
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.groups = groups
        if in_channels % groups or out_channels % groups:
            raise ValueError("'in_channels' and 'out_channels' must be divisible by 'groups'")
        self.kernel_size = each(kernel_size, count, "kernel_size", api)
        self.stride = each(stride, count, "stride", api)
        self.dilation = each(dilation, count, "dilation", api)
        self.output_padding = each(output_padding, count, "output_padding", api, minimum=0)
        self.padding_mode = self._checked_mode(padding_mode)
        self.padding = self._checked_padding(padding)
        self._make_parameters(bias, dtype or mstype.float32)

    def _checked_mode(self, mode: str) -> str:
        accepted = ("zeros",) if self.transposed else tuple(_MODES)
        if mode not in accepted:
            raise ValueError(f"For '{self.cls_name}', 'padding_mode' must be one of {accepted}, but got {mode!r}.")
        return mode

    def _checked_padding(self, padding: Any) -> Any:
        if not isinstance(padding, str) or self.transposed:
            return each(padding, self._count, "padding", self.cls_name, minimum=0)
        if padding not in ("same", "valid"):
            raise ValueError(f"For '{self.cls_name}', 'padding' must be 'same', 'valid' or ints, but got {padding!r}.")
        if padding == "same" and max(self.stride) > 1:
            raise ValueError(f"For '{self.cls_name}', padding='same' needs a stride of 1, but got {self.stride}.")
        return padding

    @property
    def _reversed_padding(self) -> tuple[int, ...]:
        """Return what to pad before convolving: (before, after) of every dimension, the last first.

        Layers of packages read it.
        """
        if self.padding == "valid":
            both = [(0, 0)] * self._count
        elif self.padding == "same":
            dilation = each(self.dilation, self._count, "dilation", self.cls_name)
            totals = [(k - 1) * d for k, d in zip(self.kernel_size, dilation)]
            both = [(total // 2, total - total // 2) for total in totals]
        else:
            both = [(side, side) for side in self._checked_padding(self.padding)]
        return tuple(size for pair in reversed(both) for size in pair)

    def _make_parameters(self, has_bias: bool, dtype: mstype.Type) -> None:
        channels = (self.in_channels, self.out_channels) if self.transposed else (self.out_channels, self.in_channels)
        shape = (channels[0], channels[1] // self.groups, *self.kernel_size)
        self.weight = Parameter(initializer(HeUniform(math.sqrt(5)), shape, dtype), name="weight")
        self.bias = None
        if has_bias:
            bound = 1 / math.sqrt(math.prod(shape[1:]))
            self.bias = Parameter(initializer(Uniform(bound), (self.out_channels,), dtype), name="bias")

    def _convolved(self, function: Any, input: Tensor) -> Tensor:
        padding = self.padding
        if self.padding_mode != "zeros":
            input, padding = F.pad(input, self._reversed_padding, _MODES[self._checked_mode(self.padding_mode)]), 0
        return function(input, self.weight, self.bias, self.stride, padding, self.dilation, self.groups)

    def extend_repr(self) -> str:
        return (
            f"input_channels={self.in_channels}, output_channels={self.out_channels}, kernel_size={self.kernel_size}, "
            f"stride={self.stride}, padding={self.padding}, dilation={self.dilation}, groups={self.groups}, "
            f"bias={self.bias is not None}"
        )


class Conv2d(_Conv):
    """A convolution over images, with torch's arguments.

    Args:
        in_channels: the channels of the input.
        out_channels: the channels of the output.
        kernel_size: the size of the kernel, an int or (height, width).
        stride, padding, dilation: as for `mint.nn.functional.conv2d`.
        groups: the number of groups into which both channels are split, which must divide both. Default: 1.
        bias: whether there is a bias. Default: True.
        padding_mode: the padding: "zeros", "reflect", "replicate" or "circular". Default: "zeros".
        dtype: the data type of the parameters. Default: None, float32.

    Attributes:
        weight: the Parameter of shape (out_channels, in_channels / groups, height, width), drawn like the bias from
            U(-sqrt(k), sqrt(k)), where k = groups / (in_channels * height * width).
        bias: the Parameter of shape (out_channels,), or None.

    Inputs: a Tensor of shape (N, in_channels, H, W) or (in_channels, H, W).
    Outputs: a Tensor of shape (N, out_channels, H', W') or (out_channels, H', W').

    Examples:
        >>> import torchspore as ms
        >>> net = ms.mint.nn.Conv2d(3, 8, 3, padding=1)
        >>> net(ms.mint.ones((2, 3, 16, 16))).shape
        (2, 8, 16, 16)
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | tuple[int, ...],
        stride: int | tuple[int, ...] = 1,
        padding: int | tuple[int, ...] | str = 0,
        dilation: int | tuple[int, ...] = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        dtype: mstype.Type | None = None,
    ) -> None:
        window = (kernel_size, stride, padding, 0, dilation)
        super().__init__(in_channels, out_channels, *window, groups, bias, padding_mode, dtype)

    conv2d = staticmethod(F.conv2d)  # for subclasses

    def construct(self, input: Tensor) -> Tensor:
        return self._convolved(F.conv2d, input)


class Conv1d(Conv2d):
    """A convolution over sequences, shape (N, C, L) or (C, L); arguments as for `Conv2d`, with one dimension."""

    _count = 1

    def construct(self, input: Tensor) -> Tensor:
        return self._convolved(F.conv1d, input)


class Conv3d(Conv2d):
    """A convolution over volumes, shape (N, C, D, H, W) or (C, D, H, W); arguments as for `Conv2d`."""

    _count = 3

    def construct(self, input: Tensor) -> Tensor:
        return self._convolved(F.conv3d, input)


class ConvTranspose2d(_Conv):
    """A transposed convolution over images, with torch's arguments.

    Args:
        in_channels, out_channels, kernel_size, groups, bias, dtype: as for `Conv2d`.
        stride, padding, output_padding, dilation: as for `ops.conv_transpose2d`.
        padding_mode: only "zeros".

    Inputs:
        - input: a Tensor of shape (N, in_channels, H, W) or (in_channels, H, W).
        - output_size: the size of the output, (H', W'), instead of `output_padding`. Default: None.

    Outputs:
        A Tensor of shape (N, out_channels, H', W') or (out_channels, H', W'), where
        H' = (H - 1) * stride - 2 * padding + dilation * (height - 1) + output_padding + 1; W' likewise.

    Examples:
        >>> import torchspore as ms
        >>> net = ms.mint.nn.ConvTranspose2d(3, 8, 3, stride=2, padding=1)
        >>> x = ms.mint.ones((1, 3, 6, 6))
        >>> net(x).shape, net(x, output_size=(12, 12)).shape
        ((1, 8, 11, 11), (1, 8, 12, 12))
    """

    transposed = True

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | tuple[int, ...],
        stride: int | tuple[int, ...] = 1,
        padding: int | tuple[int, ...] = 0,
        output_padding: int | tuple[int, ...] = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: int | tuple[int, ...] = 1,
        padding_mode: str = "zeros",
        dtype: mstype.Type | None = None,
    ) -> None:
        window = (kernel_size, stride, padding, output_padding, dilation)
        super().__init__(in_channels, out_channels, *window, groups, bias, padding_mode, dtype)

    def construct(self, input: Tensor, output_size: Any = None) -> Tensor:
        window = (self.stride, self.padding, self.kernel_size)
        extra = self._output_padding(input, output_size, *window, self._count, self.dilation)
        geometry = (self.stride, self.padding, extra, self.groups, self.dilation)
        return F.conv_transpose2d(input, self.weight, self.bias, *geometry)

    def _output_padding(
        self,
        input: Tensor,
        output_size: Any,
        stride: tuple[int, ...],
        padding: tuple[int, ...],
        kernel_size: tuple[int, ...],
        num_spatial_dims: int,
        dilation: tuple[int, ...],
    ) -> tuple[int, ...]:
        """Return the output padding with which the output has the size `output_size`; layers of packages call this."""
        if output_size is None:
            return self.output_padding
        wanted = tuple(output_size)[-num_spatial_dims:]
        smallest = [
            (size - 1) * step - 2 * added + distance * (kernel - 1) + 1
            for size, step, added, distance, kernel in zip(
                input.shape[-num_spatial_dims:], stride, padding, dilation, kernel_size
            )
        ]
        extra = tuple(want - have for want, have in zip(wanted, smallest))
        if len(wanted) != num_spatial_dims or any(not 0 <= size < step for size, step in zip(extra, stride)):
            largest = [size + step - 1 for size, step in zip(smallest, stride)]
            raise ValueError(f"'output_size' must be between {tuple(smallest)} and {tuple(largest)} for this input")
        return extra
