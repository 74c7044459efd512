"""Convolution layers, plain and transposed."""

from __future__ import annotations

import math
from typing import Any

from torchspore.common import dtype as mstype
from torchspore.common.initializer import HeUniform, Uniform, initializer
from torchspore.common.parameter import Parameter
from torchspore.common.tensor import Tensor, wrap
from torchspore.engine.arguments.conversions import as_bool, as_int
from torchspore.engine.parameters import Positive, checked
from torchspore.nn.layer.planned import Planned, innermost
from torchspore.ops.array.padding import pad
from torchspore.ops.conv.convolution import LAYERS, laid_out, plan_padding, plan_transposed
from torchspore.ops.conv.windows import at_least, check_format, check_pad_mode, each, sides

__all__ = ["Conv1d", "Conv1dTranspose", "Conv2d", "Conv2dTranspose", "Conv3d", "Conv3dTranspose"]


class _Conv(Planned):
    """The base of all convolution layers: checks the arguments, makes the parameters and prints both.

    Subclasses set the number of spatial dimensions and whether the convolution is transposed. As in MindSpore, the
    attributes and the weight of a layer with one spatial dimension show a second one, the height, of size 1.
    """

    _count = 2
    _transposed = False
    _formats: tuple[str, ...] = ("NCHW",)

    @checked
    def __init__(
        self,
        in_channels: Positive,
        out_channels: Positive,
        kernel_size: Any,
        stride: Any,
        pad_mode: str,
        padding: Any,
        dilation: Any,
        group: Positive,
        has_bias: bool,
        weight_init: Any,
        bias_init: Any,
        data_format: str,
        dtype: Any,
    ) -> None:
        super().__init__()
        api, count = self.cls_name, self._count
        self.in_channels = in_channels
        self.out_channels = out_channels
        if count == 1:
            kernel_size, stride = as_int(kernel_size, api, "kernel_size"), as_int(stride, api, "stride")
            padding, dilation = as_int(padding, api, "padding"), as_int(dilation, api, "dilation")
        height = (1,) if count == 1 else ()
        self._kernel = each(kernel_size, count, "kernel_size", api)  # the weight's size, whatever is set later
        self.kernel_size = height + self._kernel
        self.stride = height + each(stride, count, "stride", api)
        sides(padding, count, "padding", api)
        check_pad_mode(pad_mode, api)
        self.pad_mode = pad_mode
        self.data_format = check_format(data_format, api, self._formats)
        self.padding = (0, 0, padding, padding) if count == 1 else padding
        self.dilation = height + each(dilation, count, "dilation", api)
        self.group = group
        if in_channels % group or out_channels % group:
            raise ValueError("'in_channels' and 'out_channels' must be divisible by 'group'")
        self.has_bias = has_bias if isinstance(has_bias, bool) else as_bool(has_bias, api, "has_bias")
        self._make_parameters(weight_init, bias_init, dtype)

    def _window(self) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
        """Return the stride, the padding of the sides and the dilation as the attributes say them now."""
        api, count = self.cls_name, self._count
        if self.has_bias and self.bias is None:
            raise ValueError(f"For '{api}', 'has_bias' is True, but the layer has no bias. Assign it a Parameter.")
        return (
            each(innermost(self.stride, count), count, "stride", api),
            sides(innermost(self.padding, count, ends=2), count, "padding", api),
            each(innermost(self.dilation, count), count, "dilation", api),
        )

    def _make_parameters(self, weight_init: Any, bias_init: Any, dtype: mstype.Type) -> None:
        if self._transposed:
            shape = (self.in_channels, self.out_channels // self.group, *self.kernel_size)
        elif self.data_format == "NHWC":
            shape = (self.out_channels, *self.kernel_size, self.in_channels // self.group)
        else:
            shape = (self.out_channels, self.in_channels // self.group, *self.kernel_size)
        self.weight_init = weight_init = HeUniform(math.sqrt(5)) if weight_init is None else weight_init
        if self._count == 1 and isinstance(weight_init, Tensor):
            weight_init = _with_height(weight_init)
        self.weight = Parameter(initializer(weight_init, shape, dtype), name="weight")
        self.bias_init = bias_init
        self.bias = None
        if self.has_bias:
            if bias_init is None:
                self.bias_init = Uniform(1 / math.sqrt(math.prod(shape[1:])))
            self.bias = Parameter(initializer(self.bias_init, (self.out_channels,), dtype), name="bias")

    def extend_repr(self) -> str:
        return (
            f"input_channels={self.in_channels}, output_channels={self.out_channels}, kernel_size={self.kernel_size}, "
            f"stride={self.stride}, pad_mode={self.pad_mode}, padding={self.padding}, dilation={self.dilation}, "
            f"group={self.group}, has_bias={self.has_bias}, weight_init={self.weight_init}, "
            f"bias_init={self.bias_init}, format={self.data_format}"
        )


def _with_height(weight: Tensor) -> Tensor:
    if weight.ndim != 3:
        raise ValueError("a Tensor as 'weight_init' must have 3 dimensions")
    if weight.has_init:
        weight.init_data()
    return wrap(weight._t.unsqueeze(2))


class _Convolution(_Conv):
    """The base of the plain convolutions."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._planned()

    def _make_plan(self) -> tuple[str, tuple[Any, ...]]:
        api = self.cls_name
        stride, both_ends, dilation = self._window()
        padding = plan_padding(self.pad_mode, both_ends, self._kernel, stride, dilation, api)
        check_format(self.data_format, api, self._formats)
        operation = f"Conv{self._count}d" + " NHWC" * (self.data_format == "NHWC")
        return operation, (stride, padding, dilation, at_least(self.group, 1, "group", api))

    @property
    def _geometry(self) -> tuple[Any, ...]:
        """The stride, the padding, the dilation and the groups."""
        return (self._plan or self._planned())[1]

    def construct(self, x: Tensor) -> Tensor:
        operation, geometry = self._plan or self._planned()
        return LAYERS[operation](x, self.weight, self.bias if self.has_bias else None, *geometry)


class Conv2d(_Convolution):
    r"""A convolution over images.

    Each output channel is the sum, over the input channels of its group, of cross-correlations, plus a bias:

    .. math::
        output_{n,o} = bias_o + \sum_{i} weight_{o,i} \star input_{n,i}

    Args:
        in_channels: the channels of the input.
        out_channels: the channels of the output.
        kernel_size: the size of the kernel, an int or (height, width).
        stride: the stride of the window, an int or (vertical, horizontal). Default: 1.
        pad_mode: how the input is padded with zeros. Default: "same".

            - "same": so that the output has ceil(size / stride) elements; an odd one goes to the bottom and the right.
            - "valid": not at all; the window stays inside.
            - "pad": by `padding`. As in PyTorch.

        padding: the zeros on each side, an int or (top, bottom, left, right); 0 unless `pad_mode` is "pad". Default: 0.
        dilation: the distance between the elements that the kernel meets, an int or (vertical, horizontal). Default: 1.
        group: the number of groups into which both channels are split, which must divide both. Default: 1.
        has_bias: whether there is a bias. Default: False.
        weight_init: the weight's initializer, its name, a number or a Tensor. Default: None, the uniform distribution
            over [-sqrt(k), sqrt(k)], where k = group / (in_channels * height * width of the kernel).
        bias_init: the same for the bias. Default: None, the same distribution.
        data_format: "NCHW", or "NHWC" on a GPU (the weight's shape then is (out_channels, height, width,
            in_channels / group)). Default: "NCHW".
        dtype: the data type of the parameters. Default: float32.

    Attributes:
        weight: the Parameter of shape (out_channels, in_channels / group, height, width).
        bias: the Parameter of shape (out_channels,), or None.

    Inputs: a Tensor of shape (N, in_channels, H, W), of the parameters' dtype.

    Outputs:
        A Tensor of shape (N, out_channels, H', W'), where H' is ceil(H / stride) in the mode "same", else
        (H + padding at the top and bottom - dilation * (height - 1) - 1) // stride + 1; W' likewise.

    Examples:
        >>> import torchspore as ms
        >>> net = ms.nn.Conv2d(120, 240, 4)
        >>> net(ms.ops.ones((1, 120, 16, 20))).shape
        (1, 240, 16, 20)
        >>> torch_like = ms.nn.Conv2d(120, 240, 4, pad_mode="pad", has_bias=True)
        >>> torch_like(ms.ops.ones((1, 120, 16, 20))).shape
        (1, 240, 13, 17)
    """

    conv2d: Any
    bias_add: Any
    _formats = ("NCHW", "NHWC")

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
        weight_init: Any = None,
        bias_init: Any = None,
        data_format: str = "NCHW",
        dtype: mstype.Type = mstype.float32,
    ) -> None:
        window = (kernel_size, stride, pad_mode, padding, dilation, group)
        super().__init__(in_channels, out_channels, *window, has_bias, weight_init, bias_init, data_format, dtype)
        self.weight._hold(laid_out(self.weight._t, self.group))


class Conv1d(_Convolution):
    """A convolution over sequences: shape (N, in_channels, L) becomes (N, out_channels, L').

    Arguments as for `Conv2d`, with one int each and without `data_format`; `padding` is added at both ends. A
    Tensor as `weight_init` has the shape (out_channels, in_channels / group, kernel_size), the Parameter `weight`
    (out_channels, in_channels / group, 1, kernel_size).

    Examples:
        >>> import torchspore as ms
        >>> ms.nn.Conv1d(120, 240, 4)(ms.ops.ones((1, 120, 640))).shape
        (1, 240, 640)
    """

    _count = 1

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int,
        stride: int = 1,
        pad_mode: str = "same",
        padding: int = 0,
        dilation: int = 1,
        group: int = 1,
        has_bias: bool = False,
        weight_init: Any = None,
        bias_init: Any = None,
        dtype: mstype.Type = mstype.float32,
    ) -> None:
        window = (kernel_size, stride, pad_mode, padding, dilation, group)
        super().__init__(in_channels, out_channels, *window, has_bias, weight_init, bias_init, "NCHW", dtype)


class Conv3d(_Convolution):
    """A convolution over volumes: shape (N, in_channels, D, H, W) becomes (N, out_channels, D', H', W').

    Arguments as for `Conv2d`, with an int or (depth, height, width) each.

    Args:
        padding: the zeros on each side, an int or (head, tail, top, bottom, left, right); 0 unless `pad_mode` is "pad".
            Default: 0.
        data_format: "NCDHW", the only one.

    Examples:
        >>> import torchspore as ms
        >>> ms.nn.Conv3d(3, 32, (4, 3, 3))(ms.ops.ones((1, 3, 10, 8, 8))).shape
        (1, 32, 10, 8, 8)
    """

    _count = 3
    _formats = ("NCDHW",)

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | tuple[int, int, int],
        stride: int | tuple[int, int, int] = 1,
        pad_mode: str = "same",
        padding: int | tuple[int, ...] = 0,
        dilation: int | tuple[int, int, int] = 1,
        group: int = 1,
        has_bias: bool = False,
        weight_init: Any = None,
        bias_init: Any = None,
        data_format: str = "NCDHW",
        dtype: mstype.Type = mstype.float32,
    ) -> None:
        window = (kernel_size, stride, pad_mode, padding, dilation, group)
        super().__init__(in_channels, out_channels, *window, has_bias, weight_init, bias_init, data_format, dtype)


class _Transposed(_Conv):
    """The base of the transposed convolutions."""

    _transposed = True

    def __init__(self, output_padding: Any, *args: Any) -> None:
        super().__init__(*args)
        self.output_padding = output_padding
        self._planned()

    def _make_plan(self) -> tuple[Any, ...]:
        api = self.cls_name
        stride, both_ends, dilation = self._window()
        added = each(self.output_padding, self._count, "output_padding", api, minimum=0)
        if any(added) and self.pad_mode.lower() != "pad":
            raise ValueError(f"'output_padding' must be 0 unless pad_mode is 'pad', but got {added}")
        if any(a >= max(s, d) for a, s, d in zip(added, stride, dilation)):
            raise ValueError(f"'output_padding' must be less than {stride=} or {dilation=}, but got {added}")
        zeros = None
        if self._count == 2 and any(added):
            # MindSpore appends zeros here; only its three-dimensional layer computes the added elements.
            zeros, added = (0, added[1], 0, added[0]), (0, 0)
        padding, extra, cut = plan_transposed(self.pad_mode, both_ends, self._kernel, stride, dilation, added, api)
        return stride, padding, dilation, at_least(self.group, 1, "group", api), extra, cut, zeros

    def construct(self, x: Tensor) -> Tensor:
        geometry = self._plan or self._planned()
        bias = self.bias if self.has_bias else None
        return LAYERS[f"Conv{self._count}dTranspose"](x, self.weight, bias, *geometry)

    # What MindSpore's primitives do not compute.

    def _output_size(self, x: Tensor) -> tuple[int, ...]:
        """Return the shape of the output, without the zeros that are appended."""
        stride, padding, dilation, _, extra, cut, _ = self._plan or self._planned()
        shape, count = x.shape, self._count
        spans = [(k - 1) * d + 1 + more for k, d, more in zip(self._kernel, dilation, extra)]
        sizes = [(n - 1) * s - 2 * p + span for n, s, p, span in zip(shape[-count:], stride, padding, spans)]
        sizes = sizes if cut is None else [len(range(n)[part]) for n, part in zip(sizes, cut[1:])]
        return (shape[0], self.out_channels, *shape[2:-count], *sizes)

    def _with_zeros(self, x: Tensor) -> Tensor:
        """Append the zeros of `output_padding`."""
        zeros = (self._plan or self._planned())[-1]
        return x if zeros is None else pad(x, zeros)


class Conv2dTranspose(_Transposed):
    """A transposed convolution over images: the gradient of `Conv2d` with respect to its input, plus a bias.

    Arguments as for `Conv2d`, except:

    Args:
        pad_mode: what is cut off the full output. Default: "same".

            - "same": so much that the output has size * stride elements; an odd one at the bottom and the right.
            - "valid": nothing.
            - "pad": what `padding` says. As in PyTorch.

        padding: the elements cut off each side, an int or (top, bottom, left, right); 0 unless `pad_mode` is "pad".
            Default: 0.
        output_padding: the zeros appended at the bottom and the right, an int or two, less than the stride or the
            dilation; 0 unless `pad_mode` is "pad". Default: 0. PyTorch computes values there, MindSpore does not.
        weight_init: the weight's initializer, its name, a number or a Tensor. Default: None, the uniform distribution
            over [-sqrt(k), sqrt(k)], where k = group / (out_channels * height * width of the kernel).

    Attributes:
        weight: the Parameter of shape (in_channels, out_channels / group, height, width).
        bias: the Parameter of shape (out_channels,), or None.

    Inputs: a Tensor of shape (N, in_channels, H, W), of the parameters' dtype.

    Outputs:
        A Tensor of shape (N, out_channels, H', W'). H' is H * stride in the mode "same", H * stride + max(dilation *
        (height - 1) + 1 - stride, 0) in the mode "valid", and in the mode "pad" (H - 1) * stride + dilation *
        (height - 1) + 1 - padding at the top and bottom + output_padding; W' likewise.

    Examples:
        >>> import torchspore as ms
        >>> ms.nn.Conv2dTranspose(3, 64, 4, stride=2)(ms.ops.ones((1, 3, 16, 50))).shape
        (1, 64, 32, 100)
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | tuple[int, int],
        stride: int | tuple[int, int] = 1,
        pad_mode: str = "same",
        padding: int | tuple[int, int, int, int] = 0,
        output_padding: int | tuple[int, int] = 0,
        dilation: int | tuple[int, int] = 1,
        group: int = 1,
        has_bias: bool = False,
        weight_init: Any = None,
        bias_init: Any = None,
        dtype: mstype.Type = mstype.float32,
    ) -> None:
        window = (in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group)
        super().__init__(output_padding, *window, has_bias, weight_init, bias_init, "NCHW", dtype)


class Conv1dTranspose(_Transposed):
    """A transposed convolution over sequences: shape (N, in_channels, L) becomes (N, out_channels, L').

    Arguments as for `Conv2dTranspose`, with one int each and without `output_padding`; `padding` is cut off both
    ends. A Tensor as `weight_init` has the shape (in_channels, out_channels / group, kernel_size), the Parameter
    `weight` (in_channels, out_channels / group, 1, kernel_size).

    Examples:
        >>> import torchspore as ms
        >>> ms.nn.Conv1dTranspose(3, 64, 4, pad_mode="pad")(ms.ops.ones((1, 3, 50))).shape
        (1, 64, 53)
    """

    _count = 1

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int,
        stride: int = 1,
        pad_mode: str = "same",
        padding: int = 0,
        dilation: int = 1,
        group: int = 1,
        has_bias: bool = False,
        weight_init: Any = None,
        bias_init: Any = None,
        dtype: mstype.Type = mstype.float32,
    ) -> None:
        window = (kernel_size, stride, pad_mode, padding, dilation, group)
        super().__init__(0, in_channels, out_channels, *window, has_bias, weight_init, bias_init, "NCHW", dtype)


class Conv3dTranspose(_Transposed):
    """A transposed convolution over volumes: shape (N, in_channels, D, H, W) becomes (N, out_channels, D', H', W').

    Arguments as for `Conv2dTranspose`, with an int or (depth, height, width) each.

    Args:
        padding: the elements cut off each side, an int or (head, tail, top, bottom, left, right); 0 unless `pad_mode`
            is "pad". Default: 0.
        output_padding: the elements computed beyond the end of each dimension, an int or three, less than the stride or
            the dilation; 0 unless `pad_mode` is "pad". Default: 0.
        data_format: "NCDHW", the only one.

    Examples:
        >>> import torchspore as ms
        >>> ms.nn.Conv3dTranspose(16, 3, (4, 6, 2), pad_mode="pad")(ms.ops.ones((1, 16, 10, 16, 8))).shape
        (1, 3, 13, 21, 9)
    """

    _count = 3
    _formats = ("NCDHW",)

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | tuple[int, int, int],
        stride: int | tuple[int, int, int] = 1,
        pad_mode: str = "same",
        padding: int | tuple[int, ...] = 0,
        dilation: int | tuple[int, int, int] = 1,
        group: int = 1,
        output_padding: int | tuple[int, int, int] = 0,
        has_bias: bool = False,
        weight_init: Any = None,
        bias_init: Any = None,
        data_format: str = "NCDHW",
        dtype: mstype.Type = mstype.float32,
    ) -> None:
        window = (in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group)
        super().__init__(output_padding, *window, has_bias, weight_init, bias_init, data_format, dtype)
