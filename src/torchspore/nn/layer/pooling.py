"""Pooling layers: maxima and averages over sliding windows, or over as many windows as the output is to have."""

from __future__ import annotations

from typing import Any

from torchspore.common.tensor import Tensor
from torchspore.engine.arguments import as_bool
from torchspore.nn.cell import Cell
from torchspore.ops import adaptive_pooling as adaptive
from torchspore.ops.pooling import LAYERS
from torchspore.ops.windows import at_least, check_format, check_pad_mode, compact, each

__all__ = [
    "AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveAvgPool3d", "AdaptiveMaxPool1d", "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d", "AvgPool1d", "AvgPool2d", "AvgPool3d", "MaxPool1d", "MaxPool2d", "MaxPool3d",
]  # fmt: skip


class _Pool(Cell):
    """The base of the layers with sliding windows: checks and keeps the arguments that they have in common."""

    _count = 2

    def __init__(
        self, kernel_size: Any, stride: Any, pad_mode: str, padding: Any, ceil_mode: bool, data_format: str
    ) -> None:
        super().__init__()
        api, count = self.cls_name, self._count
        self.pad_mode = check_pad_mode(pad_mode, api).upper()
        self.format = check_format(data_format, api)
        self.kernel_size, self.stride = _single(kernel_size), _single(stride)
        kernel = each(self.kernel_size, count, "kernel_size", api)
        steps = each(self.stride, count, "stride", api)
        self.padding = each(_single(padding), count, "padding", api, least=0)
        self.ceil_mode = _flag(ceil_mode, "ceil_mode", api)
        if self.pad_mode != "PAD" and any(self.padding):
            raise ValueError(f"For '{api}', 'padding' must be 0 unless pad_mode is 'pad', but got {padding}.")
        self._window: tuple[Any, ...] = (compact(kernel), compact(steps), compact(self.padding))
        if self.pad_mode == "SAME":
            self._window = (kernel, steps, None)

    def extend_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, pad_mode={self.pad_mode}"


def _single(value: Any) -> Any:
    """Return the element of a tuple of one, anything else as it is."""
    return value[0] if isinstance(value, (tuple, list)) and len(value) == 1 else value


def _flag(value: Any, name: str, api: str) -> bool:
    return value if isinstance(value, bool) else as_bool(value, api, name)


class _MaxPool(_Pool):
    """The base of the layers that take maxima."""

    def __init__(
        self,
        kernel_size: Any,
        stride: Any,
        pad_mode: str,
        padding: Any,
        dilation: Any,
        return_indices: bool,
        ceil_mode: bool,
        data_format: str = "NCHW",
    ) -> None:
        super().__init__(kernel_size, stride, pad_mode, padding, ceil_mode, data_format)
        api = self.cls_name
        self.dilation = each(_single(dilation), self._count, "dilation", api)
        self.return_indices = _flag(return_indices, "return_indices", api)
        if self.pad_mode != "PAD" and (ceil_mode or return_indices or any(d != 1 for d in self.dilation)):
            raise ValueError(
                f"For '{api}', 'dilation', 'return_indices' and 'ceil_mode' must have their defaults unless pad_mode "
                f"is 'pad', but got pad_mode={pad_mode!r}, {dilation}, {return_indices} and {ceil_mode}."
            )
        self._operation = f"MaxPool{self._count}d" + " with indices" * self.return_indices
        self._window += (compact(self.dilation), self.ceil_mode)

    def construct(self, x: Tensor) -> Any:
        return LAYERS[self._operation](x, *self._window)


class MaxPool2d(_MaxPool):
    """The maxima over sliding windows of images.

    Args:
        kernel_size: the size of the window, an int or (height, width), default: 1.
        stride: the steps of the window, an int or (vertical, horizontal), default: 1.
        pad_mode: how the input is padded, with elements smaller than any number; in any case. Default: "valid".

            - "valid": not at all.
            - "same": so that the output has ceil(size / stride) elements; an odd one goes to the bottom and the right.
            - "pad": by `padding`.

        padding: the elements on both ends, an int or (vertical, horizontal), at most half of the window; 0 unless
            `pad_mode` is "pad". Default: 0.
        dilation: the distance between the elements of the window, an int or two; 1 unless `pad_mode` is "pad".
            Default: 1.
        return_indices: whether to return the places of the maxima too; only if `pad_mode` is "pad". Default: False.
        ceil_mode: whether the last window may reach over the end; only if `pad_mode` is "pad". Default: False.
        data_format: "NCHW", or "NHWC" on a GPU and without "pad". Default: "NCHW".

    Inputs:
        A Tensor of shape (N, C, H, W) or (C, H, W).

    Outputs:
        A Tensor of shape (N, C, H', W') or (C, H', W'); with `return_indices`, that and an int64 Tensor of the same
        shape: each maximum's index in its image, taken row by row.

    Raises:
        TypeError: an argument is of a wrong type.
        ValueError: an argument is out of its range, or the input's shape does not fit.

    Examples:
        >>> import torchspore as ms
        >>> ms.nn.MaxPool2d(3, stride=2, pad_mode="same")(ms.ops.ones((1, 2, 7, 8))).shape
        (1, 2, 4, 4)

    MindSpore: `mindspore.nn.MaxPool2d`.
    """

    def __init__(
        self,
        kernel_size: int | tuple[int, ...] = 1,
        stride: int | tuple[int, ...] = 1,
        pad_mode: str = "valid",
        padding: int | tuple[int, ...] = 0,
        dilation: int | tuple[int, ...] = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
        data_format: str = "NCHW",
    ) -> None:
        super().__init__(kernel_size, stride, pad_mode, padding, dilation, return_indices, ceil_mode, data_format)
        if self.format == "NHWC":
            self._operation = "MaxPool2d NHWC"
            if self.pad_mode == "PAD":
                raise ValueError(f"For '{self.cls_name}', 'data_format' must be 'NCHW' if pad_mode is 'pad'.")


class MaxPool1d(_MaxPool):
    """The maxima over sliding windows of sequences; see `MaxPool2d`.

    Args:
        kernel_size: the size of the window, an int, default: 1.
        stride: the steps of the window, an int, default: 1.
        pad_mode: "valid", "same" or "pad", default: "valid".
        padding: the elements on both ends, an int; 0 unless `pad_mode` is "pad". Default: 0.
        dilation: the distance between the elements of the window, an int; 1 unless `pad_mode` is "pad". Default: 1.
        return_indices: whether to return the places of the maxima too; only if `pad_mode` is "pad". Default: False.
        ceil_mode: whether the last window may reach over the end; only if `pad_mode` is "pad". Default: False.

    Inputs:
        A Tensor of shape (N, C, L) or (C, L).

    Outputs:
        A Tensor of shape (N, C, L') or (C, L'); with `return_indices`, that and an int64 Tensor of the same shape.

    Raises:
        TypeError: an argument is of a wrong type.
        ValueError: an argument is out of its range, or the input's shape does not fit.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.nn.MaxPool1d(2, 2)(ms.Tensor([[1.0, 3.0, 4.0, 6.0]])))
        [[3. 6.]]

    MindSpore: `mindspore.nn.MaxPool1d`.
    """

    _count = 1

    def __init__(
        self,
        kernel_size: int = 1,
        stride: int = 1,
        pad_mode: str = "valid",
        padding: int | tuple[int, ...] = 0,
        dilation: int | tuple[int, ...] = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__(kernel_size, stride, pad_mode, padding, dilation, return_indices, ceil_mode)
        outer = (1, 1) if self.pad_mode == "PAD" else (1,)  # as MindSpore's layer shows and prints them
        self.kernel_size, self.stride = (*outer, self.kernel_size), (*outer, self.stride)


class MaxPool3d(_MaxPool):
    """The maxima over sliding windows of volumes; see `MaxPool2d`.

    Args:
        kernel_size: the size of the window, an int or (depth, height, width), default: 1.
        stride: the steps of the window, an int or three, default: 1.
        pad_mode: "valid", "same" or "pad", default: "valid".
        padding: the elements on both ends, an int or three; 0 unless `pad_mode` is "pad". Default: 0.
        dilation: the distance between the elements of the window, an int or three; 1 unless `pad_mode` is "pad".
            Default: 1.
        return_indices: whether to return the places of the maxima too; only if `pad_mode` is "pad". Default: False.
        ceil_mode: whether the last window may reach over the end; only if `pad_mode` is "pad". Default: False.

    Inputs:
        A Tensor of shape (N, C, D, H, W) or (C, D, H, W).

    Outputs:
        A Tensor of shape (N, C, D', H', W') or (C, D', H', W'); with `return_indices`, that and an int64 Tensor of the
        same shape.

    Raises:
        TypeError: an argument is of a wrong type.
        ValueError: an argument is out of its range, or the input's shape does not fit.

    Examples:
        >>> import torchspore as ms
        >>> ms.nn.MaxPool3d(2, 2, pad_mode="same")(ms.ops.ones((1, 2, 3, 4, 5))).shape
        (1, 2, 2, 2, 3)

    MindSpore: `mindspore.nn.MaxPool3d`.
    """

    _count = 3

    def __init__(
        self,
        kernel_size: int | tuple[int, ...] = 1,
        stride: int | tuple[int, ...] = 1,
        pad_mode: str = "valid",
        padding: int | tuple[int, ...] = 0,
        dilation: int | tuple[int, ...] = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__(kernel_size, stride, pad_mode, padding, dilation, return_indices, ceil_mode)


class _AvgPool(_Pool):
    """The base of the layers that take averages."""

    def __init__(
        self,
        kernel_size: Any,
        stride: Any,
        pad_mode: str,
        padding: Any,
        ceil_mode: bool,
        count_include_pad: bool,
        divisor_override: int | None = None,
        data_format: str = "NCHW",
    ) -> None:
        super().__init__(kernel_size, stride, pad_mode, padding, ceil_mode, data_format)
        api = self.cls_name
        self.count_include_pad = _flag(count_include_pad, "count_include_pad", api)
        if divisor_override is not None:
            divisor_override = at_least(divisor_override, 1, "divisor_override", api)
        self.divisor_override = divisor_override
        # In one and two dimensions, MindSpore's pad mode "same" counts no padding unless another option is set.
        plain = self._count < 3 and self.pad_mode == "SAME" and not ceil_mode and divisor_override is None
        self._operation = f"AvgPool{self._count}d" + " NHWC" * (self.format == "NHWC")
        self._window += (self.ceil_mode, count_include_pad and not plain, divisor_override)

    def construct(self, x: Tensor) -> Tensor:
        return LAYERS[self._operation](x, *self._window)


class AvgPool2d(_AvgPool):
    """The averages over sliding windows of images.

    Args:
        kernel_size: the size of the window, an int or (height, width), default: 1.
        stride: the steps of the window, an int or (vertical, horizontal), default: 1.
        pad_mode: how the input is padded with zeros; in any case. Default: "valid".

            - "valid": not at all.
            - "same": so that the output has ceil(size / stride) elements; an odd one goes to the bottom and the right.
              These zeros count as elements only if `ceil_mode` or `divisor_override` is set.
            - "pad": by `padding`.

        padding: the zeros on both ends, an int or (vertical, horizontal), at most half of the window; 0 unless
            `pad_mode` is "pad". Default: 0.
        ceil_mode: whether the last window may reach over the end, default: False.
        count_include_pad: whether the padding counts as elements, default: True.
        divisor_override: what the sum is divided by. Default: None, the number of elements.
        data_format: "NCHW", or "NHWC" on a GPU. Default: "NCHW".

    Inputs:
        A Tensor of shape (N, C, H, W) or (C, H, W).

    Outputs:
        A Tensor of shape (N, C, H', W') or (C, H', W').

    Raises:
        TypeError: an argument is of a wrong type.
        ValueError: an argument is out of its range, or the input's shape does not fit.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.nn.AvgPool2d(2, pad_mode="same")(ms.Tensor([[[1.0, 2.0], [3.0, 6.0]]])))
        [[[3.  4. ]
          [4.5 6. ]]]

    MindSpore: `mindspore.nn.AvgPool2d`.
    """

    def __init__(
        self,
        kernel_size: int | tuple[int, ...] = 1,
        stride: int | tuple[int, ...] = 1,
        pad_mode: str = "valid",
        padding: int | tuple[int, ...] = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
        data_format: str = "NCHW",
    ) -> None:
        options = (ceil_mode, count_include_pad, divisor_override, data_format)
        super().__init__(kernel_size, stride, pad_mode, padding, *options)


class AvgPool1d(_AvgPool):
    """The averages over sliding windows of sequences; see `AvgPool2d`.

    Args:
        kernel_size: the size of the window, an int, default: 1.
        stride: the steps of the window, an int, default: 1.
        pad_mode: "valid", "same" or "pad", default: "valid".
        padding: the zeros on both ends, an int; 0 unless `pad_mode` is "pad". Default: 0.
        ceil_mode: whether the last window may reach over the end, default: False.
        count_include_pad: whether the padding counts as elements, default: True.

    Inputs:
        A Tensor of shape (N, C, L) or (C, L).

    Outputs:
        A Tensor of shape (N, C, L') or (C, L').

    Raises:
        TypeError: an argument is of a wrong type.
        ValueError: an argument is out of its range, or the input's shape does not fit.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.nn.AvgPool1d(2, 2)(ms.Tensor([[1.0, 3.0, 4.0, 6.0]])))
        [[2. 5.]]

    MindSpore: `mindspore.nn.AvgPool1d`.
    """

    _count = 1

    def __init__(
        self,
        kernel_size: int = 1,
        stride: int = 1,
        pad_mode: str = "valid",
        padding: int | tuple[int, ...] = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__(kernel_size, stride, pad_mode, padding, ceil_mode, count_include_pad)
        if self.pad_mode != "PAD" and count_include_pad and not ceil_mode:  # as MindSpore's layer shows and prints them
            self.kernel_size, self.stride = (1, self.kernel_size), (1, self.stride)


class AvgPool3d(_AvgPool):
    """The averages over sliding windows of volumes; see `AvgPool2d`.

    Args:
        kernel_size: the size of the window, an int or (depth, height, width), default: 1.
        stride: the steps of the window, an int or three, default: 1.
        pad_mode: "valid", "same" (where the padding counts, unlike in `AvgPool2d`) or "pad", default: "valid".
        padding: the zeros on both ends, an int or three; 0 unless `pad_mode` is "pad". Default: 0.
        ceil_mode: whether the last window may reach over the end, default: False.
        count_include_pad: whether the padding counts as elements, default: True.
        divisor_override: what the sum is divided by. Default: None, the number of elements.

    Inputs:
        A Tensor of shape (N, C, D, H, W) or (C, D, H, W).

    Outputs:
        A Tensor of shape (N, C, D', H', W') or (C, D', H', W').

    Raises:
        TypeError: an argument is of a wrong type.
        ValueError: an argument is out of its range, or the input's shape does not fit.

    Examples:
        >>> import torchspore as ms
        >>> ms.nn.AvgPool3d(2, 2)(ms.ops.ones((1, 2, 4, 4, 4))).shape
        (1, 2, 2, 2, 2)

    MindSpore: `mindspore.nn.AvgPool3d`.
    """

    _count = 3

    def __init__(
        self,
        kernel_size: int | tuple[int, ...] = 1,
        stride: int | tuple[int, ...] = 1,
        pad_mode: str = "valid",
        padding: int | tuple[int, ...] = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__(kernel_size, stride, pad_mode, padding, ceil_mode, count_include_pad, divisor_override)


class AdaptiveAvgPool1d(Cell):
    """`ops.adaptive_avg_pool1d` as a layer.

    Args:
        output_size: the number of windows, which divides the input's last dimension.

    Inputs:
        A Tensor of shape (N, C, L).

    Outputs:
        A Tensor of shape (N, C, output_size).

    Raises:
        TypeError: `output_size` is not an int.
        ValueError: `output_size` is less than 1 or does not divide L, or the input does not have 3 dimensions.

    Examples:
        >>> import torchspore as ms
        >>> ms.nn.AdaptiveAvgPool1d(2)(ms.ops.ones((1, 3, 6))).shape
        (1, 3, 2)

    MindSpore: `mindspore.nn.AdaptiveAvgPool1d`.
    """

    def __init__(self, output_size: int) -> None:
        super().__init__()
        self.output_size = at_least(output_size, 1, "output_size", self.cls_name)

    def construct(self, input: Tensor) -> Tensor:
        return adaptive.LAYERS["AdaptiveAvgPool1d"](input, self.output_size)


class AdaptiveAvgPool2d(Cell):
    """`ops.adaptive_avg_pool2d` as a layer.

    Args:
        output_size: the size of the output, an int or (height, width); None is the input's.

    Inputs:
        A Tensor of shape (N, C, H, W) or (C, H, W).

    Outputs:
        A Tensor of shape (N, C, *output_size) or (C, *output_size).

    Raises:
        TypeError: a size is not an int.
        ValueError: a size is negative, or the input does not have 3 or 4 dimensions.

    Examples:
        >>> import torchspore as ms
        >>> ms.nn.AdaptiveAvgPool2d((None, 4))(ms.ops.ones((1, 3, 8, 9))).shape
        (1, 3, 8, 4)

    MindSpore: `mindspore.nn.AdaptiveAvgPool2d`.
    """

    _count = 2

    def __init__(self, output_size: int | tuple[int | None, ...] | None) -> None:
        super().__init__()
        self.output_size = adaptive.output_sizes(output_size, self._count, self.cls_name)
        self._size = compact(self.output_size) or self.output_size  # not None and not 0: those stay a tuple

    def construct(self, input: Tensor) -> Tensor:
        return adaptive.LAYERS[f"AdaptiveAvgPool{self._count}d"](input, self._size)


class AdaptiveAvgPool3d(AdaptiveAvgPool2d):
    """`ops.adaptive_avg_pool3d` as a layer: `AdaptiveAvgPool2d` with three spatial dimensions.

    Examples:
        >>> import torchspore as ms
        >>> ms.nn.AdaptiveAvgPool3d((None, 4, 1))(ms.ops.ones((1, 3, 8, 9, 5))).shape
        (1, 3, 8, 4, 1)

    MindSpore: `mindspore.nn.AdaptiveAvgPool3d`.
    """

    _count = 3


class AdaptiveMaxPool1d(Cell):
    """`ops.adaptive_max_pool1d` as a layer.

    Args:
        output_size: the number of windows, which divides the input's last dimension.

    Inputs:
        A Tensor of shape (N, C, L).

    Outputs:
        A Tensor of shape (N, C, output_size).

    Raises:
        TypeError: `output_size` is not an int.
        ValueError: `output_size` is less than 1 or does not divide L, or the input does not have 3 dimensions.

    Examples:
        >>> import torchspore as ms
        >>> ms.nn.AdaptiveMaxPool1d(2)(ms.ops.ones((1, 3, 6))).shape
        (1, 3, 2)

    MindSpore: `mindspore.nn.AdaptiveMaxPool1d`.
    """

    def __init__(self, output_size: int) -> None:
        super().__init__()
        self.output_size = at_least(output_size, 1, "output_size", self.cls_name)

    def construct(self, x: Tensor) -> Tensor:
        return adaptive.LAYERS["AdaptiveMaxPool1d"](x, self.output_size)


class AdaptiveMaxPool2d(Cell):
    """`ops.adaptive_max_pool2d` as a layer.

    Args:
        output_size: the size of the output, an int or (height, width); None is the input's.
        return_indices: whether to return the places of the maxima too, default: False.

    Inputs:
        A Tensor of shape (N, C, H, W) or (C, H, W).

    Outputs:
        A Tensor of shape (N, C, *output_size) or (C, *output_size); with `return_indices`, that and an int64 Tensor of
        the same shape.

    Raises:
        TypeError: a size is not an int, or `return_indices` not a bool.
        ValueError: a size is negative, or the input does not have 3 or 4 dimensions.

    Examples:
        >>> import torchspore as ms
        >>> ms.nn.AdaptiveMaxPool2d((None, 4))(ms.ops.ones((1, 3, 8, 9))).shape
        (1, 3, 8, 4)

    MindSpore: `mindspore.nn.AdaptiveMaxPool2d`.
    """

    _count = 2

    def __init__(self, output_size: int | tuple[int | None, ...] | None, return_indices: bool = False) -> None:
        super().__init__()
        self.output_size = adaptive.output_sizes(output_size, self._count, self.cls_name)
        self._size = compact(self.output_size) or self.output_size  # not None and not 0: those stay a tuple
        self.return_indices = _flag(return_indices, "return_indices", self.cls_name)

    def construct(self, input: Tensor) -> Any:
        return adaptive.LAYERS[f"AdaptiveMaxPool{self._count}d"](input, self._size, self.return_indices)


class AdaptiveMaxPool3d(AdaptiveMaxPool2d):
    """`ops.adaptive_max_pool3d` as a layer: `AdaptiveMaxPool2d` with three spatial dimensions and int32 indices.

    Examples:
        >>> import torchspore as ms
        >>> ms.nn.AdaptiveMaxPool3d((None, 4, 1))(ms.ops.ones((1, 3, 8, 9, 5))).shape
        (1, 3, 8, 4, 1)

    MindSpore: `mindspore.nn.AdaptiveMaxPool3d`.
    """

    _count = 3
