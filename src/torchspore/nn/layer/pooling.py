"""Pooling layers: maxima and averages over sliding windows, or over a given number of windows."""

from __future__ import annotations

from typing import Any

from torchspore.common.tensor import Tensor
from torchspore.engine.arguments.conversions import as_bool
from torchspore.engine.parameters import Positive, checked
from torchspore.nn.cell import Cell
from torchspore.nn.layer.planned import Planned, innermost, single
from torchspore.ops.conv.windows import at_least, check_format, check_pad_mode, compact, each
from torchspore.ops.pooling import adaptive
from torchspore.ops.pooling.windowed import LAYERS

__all__ = [
    "AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveAvgPool3d", "AdaptiveMaxPool1d", "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d", "AvgPool1d", "AvgPool2d", "AvgPool3d", "MaxPool1d", "MaxPool2d", "MaxPool3d",
]  # fmt: skip


class _Pool(Planned):
    """The base of the layers with sliding windows: checks and keeps the arguments that they have in common."""

    _shown = ("kernel_size", "stride", "pad_mode")
    _count = 2  # of the spatial dimensions

    def __init__(self, kernel_size: Any, stride: Any, pad_mode: str, padding: Any, ceil_mode: bool) -> None:
        super().__init__()
        api, count = self.cls_name, self._count
        self.pad_mode = check_pad_mode(pad_mode, api).upper()
        self.format = "NCHW"
        self.kernel_size, self.stride = single(kernel_size), single(stride)
        each(self.kernel_size, count, "kernel_size", api)
        each(self.stride, count, "stride", api)
        self.padding = each(single(padding), count, "padding", api, minimum=0)
        self.ceil_mode = _flag(ceil_mode, "ceil_mode", api)

    def _window(self) -> tuple[Any, ...]:
        """Return the size, the stride and the padding of the window as the attributes say them now."""
        api, count = self.cls_name, self._count
        kernel = each(single(innermost(self.kernel_size, count)), count, "kernel_size", api)
        stride = each(single(innermost(self.stride, count)), count, "stride", api)
        padding = each(single(self.padding), count, "padding", api, minimum=0)
        mode = check_pad_mode(self.pad_mode, api)
        if mode != "pad" and any(padding):
            raise ValueError(f"For '{api}', 'padding' must be 0 unless pad_mode is 'pad', but got {padding}.")
        return (kernel, stride, None) if mode == "same" else (compact(kernel), compact(stride), compact(padding))

    def construct(self, x: Tensor) -> Any:
        operation, window = self._plan or self._planned()
        return LAYERS[operation](x, *window)


def _flag(value: Any, name: str, api: str) -> bool:
    return value if isinstance(value, bool) else as_bool(value, api, name)


class _MaxPool(_Pool):
    """The base of the layers that take maxima."""

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
        super().__init__(kernel_size, stride, pad_mode, padding, ceil_mode)
        api = self.cls_name
        self.dilation = each(single(dilation), self._count, "dilation", api)
        self.return_indices = _flag(return_indices, "return_indices", api)
        self._planned()

    def _make_plan(self) -> tuple[str, tuple[Any, ...]]:
        api, mode, window = self.cls_name, self.pad_mode, self._window()
        dilation = each(single(self.dilation), self._count, "dilation", api)
        if mode.lower() != "pad" and (self.ceil_mode or self.return_indices or any(d != 1 for d in dilation)):
            raise ValueError(
                f"For '{api}', 'dilation', 'return_indices' and 'ceil_mode' must have their defaults unless pad_mode "
                f"is 'pad', but got pad_mode={mode!r}, {dilation}, {self.return_indices} and {self.ceil_mode}."
            )
        operation = f"MaxPool{self._count}d" + " with indices" * self.return_indices
        if check_format(self.format, api) == "NHWC":
            operation = "MaxPool2d NHWC"
            if mode.lower() == "pad":
                raise ValueError(f"For '{api}', 'data_format' must be 'NCHW' if pad_mode is 'pad'.")
        return operation, (*window, compact(dilation), self.ceil_mode)


class MaxPool2d(_MaxPool):
    """The maxima over sliding windows of images.

    Args:
        kernel_size: the size of the window, an int or (height, width). Default: 1.
        stride: the stride of the window, an int or (vertical, horizontal). Default: 1.
        pad_mode: how the input is padded, with elements smaller than any number; in upper or lower case.
            Default: "valid".

            - "valid": not at all.
            - "same": so that the output has ceil(size / stride) elements; an odd one goes to the bottom and the right.
            - "pad": by `padding`.

        padding: the elements on both ends, an int or (vertical, horizontal), at most half of the window; 0 unless
            `pad_mode` is "pad". Default: 0.
        dilation: the distance between the elements of the window, an int or two. Default: 1.
        return_indices: whether to return the indices of the maxima too. Default: False.
        ceil_mode: whether the last window may reach over the end. Default: False.
        data_format: "NCHW", or "NHWC" on a GPU and without "pad". Default: "NCHW".

    `dilation`, `return_indices` and `ceil_mode` must have their defaults unless `pad_mode` is "pad".

    Inputs: a Tensor of shape (N, C, H, W) or (C, H, W).

    Outputs:
        A Tensor of shape (N, C, H', W') or (C, H', W'); with `return_indices`, that and an int64 Tensor of the same
        shape: each maximum's index in its image, counted row by row.

    Examples:
        >>> import torchspore as ms
        >>> ms.nn.MaxPool2d(3, stride=2, pad_mode="same")(ms.ops.ones((1, 2, 7, 8))).shape
        (1, 2, 4, 4)
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
        super().__init__(kernel_size, stride, pad_mode, padding, dilation, return_indices, ceil_mode)
        self.format = check_format(data_format, self.cls_name)
        self._planned()


class MaxPool1d(_MaxPool):
    """The maxima over sliding windows of sequences, shape (N, C, L) or (C, L).

    Arguments and outputs as for `MaxPool2d`, with one int each and without `data_format`.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.nn.MaxPool1d(2, 2)(ms.Tensor([[1.0, 3.0, 4.0, 6.0]])))
        [[3. 6.]]
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
    """The maxima over sliding windows of volumes, shape (N, C, D, H, W) or (C, D, H, W).

    Arguments and outputs as for `MaxPool2d`, with an int or three each and without `data_format`.

    Examples:
        >>> import torchspore as ms
        >>> ms.nn.MaxPool3d(2, 2, pad_mode="same")(ms.ops.ones((1, 2, 3, 4, 5))).shape
        (1, 2, 2, 2, 3)
    """

    _count = 3


class _AvgPool(_Pool):
    """The base of the layers that take averages."""

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
        super().__init__(kernel_size, stride, pad_mode, padding, ceil_mode)
        api = self.cls_name
        self.count_include_pad = _flag(count_include_pad, "count_include_pad", api)
        if divisor_override is not None:
            divisor_override = at_least(divisor_override, 1, "divisor_override", api)
        self.divisor_override = divisor_override
        self._planned()

    def _make_plan(self) -> tuple[str, tuple[Any, ...]]:
        window, ceil_mode, divisor = self._window(), self.ceil_mode, self.divisor_override
        # In one and two dimensions, MindSpore's pad mode "same" counts no padding unless another option is set.
        plain = self._count < 3 and self.pad_mode.lower() == "same" and not ceil_mode and divisor is None
        operation = f"AvgPool{self._count}d" + " NHWC" * (check_format(self.format, self.cls_name) == "NHWC")
        return operation, (*window, ceil_mode, self.count_include_pad and not plain, divisor)


class AvgPool2d(_AvgPool):
    """The averages over sliding windows of images.

    Args:
        kernel_size: the size of the window, an int or (height, width). Default: 1.
        stride: the stride of the window, an int or (vertical, horizontal). Default: 1.
        pad_mode: how the input is padded, with zeros, as for `MaxPool2d`. The zeros of "same" count as elements only if
            `ceil_mode` or `divisor_override` is set. Default: "valid".
        padding: the zeros on both ends, an int or (vertical, horizontal), at most half of the window; 0 unless
            `pad_mode` is "pad". Default: 0.
        ceil_mode: whether the last window may reach over the end. Default: False.
        count_include_pad: whether the padding counts as elements. Default: True.
        divisor_override: the divisor of the sum. Default: None, the number of elements.
        data_format: "NCHW", or "NHWC" on a GPU. Default: "NCHW".

    Inputs and outputs: a Tensor of shape (N, C, H, W) or (C, H, W) becomes (N, C, H', W') or (C, H', W').

    Examples:
        >>> import torchspore as ms
        >>> print(ms.nn.AvgPool2d(2, pad_mode="same")(ms.Tensor([[[1.0, 2.0], [3.0, 6.0]]])))
        [[[3.  4. ]
          [4.5 6. ]]]
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
        super().__init__(kernel_size, stride, pad_mode, padding, ceil_mode, count_include_pad, divisor_override)
        self.format = check_format(data_format, self.cls_name)
        self._planned()


class AvgPool1d(_AvgPool):
    """The averages over sliding windows of sequences, shape (N, C, L) or (C, L).

    Arguments as for `AvgPool2d`, with one int each and without `divisor_override` and `data_format`.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.nn.AvgPool1d(2, 2)(ms.Tensor([[1.0, 3.0, 4.0, 6.0]])))
        [[2. 5.]]
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
    """The averages over sliding windows of volumes, shape (N, C, D, H, W) or (C, D, H, W).

    Arguments as for `AvgPool2d`, with an int or three each and without `data_format`; the zeros of `pad_mode`
    "same" count as elements.

    Examples:
        >>> import torchspore as ms
        >>> ms.nn.AvgPool3d(2, 2)(ms.ops.ones((1, 2, 4, 4, 4))).shape
        (1, 2, 2, 2, 2)
    """

    _count = 3


class AdaptiveAvgPool1d(Cell):
    """`ops.adaptive_avg_pool1d` as a layer: shape (N, C, L) becomes (N, C, output_size).

    Args:
        output_size: the number of windows, which divides L.

    Examples:
        >>> import torchspore as ms
        >>> ms.nn.AdaptiveAvgPool1d(2)(ms.ops.ones((1, 3, 6))).shape
        (1, 3, 2)
    """

    @checked
    def __init__(self, output_size: Positive) -> None:
        super().__init__()
        self.output_size = output_size

    def construct(self, input: Tensor) -> Tensor:
        return adaptive.LAYERS["AdaptiveAvgPool1d"](input, self.output_size)


class _Adaptive(Planned):
    """The base of adaptive poolings of two and three dimensions."""

    _count = 2

    def __init__(self, output_size: int | tuple[int | None, ...] | None) -> None:
        super().__init__()
        self.output_size = adaptive.output_sizes(output_size, self._count, self.cls_name)

    def _sizes(self) -> Any:
        sizes = adaptive.output_sizes(self.output_size, self._count, self.cls_name)
        return compact(sizes) or sizes  # not None and not 0: those stay a tuple


class AdaptiveAvgPool2d(_Adaptive):
    """`ops.adaptive_avg_pool2d` as a layer: shape (N, C, H, W) or (C, H, W) ends with `output_size`.

    Args:
        output_size: the size of the output, an int or (height, width); None is the input's.

    Examples:
        >>> import torchspore as ms
        >>> ms.nn.AdaptiveAvgPool2d((None, 4))(ms.ops.ones((1, 3, 8, 9))).shape
        (1, 3, 8, 4)
    """

    def __init__(self, output_size: int | tuple[int | None, ...] | None) -> None:
        super().__init__(output_size)
        self._planned()

    def _make_plan(self) -> tuple[Any]:
        return (self._sizes(),)

    def construct(self, input: Tensor) -> Tensor:
        return adaptive.LAYERS[f"AdaptiveAvgPool{self._count}d"](input, (self._plan or self._planned())[0])


class AdaptiveAvgPool3d(AdaptiveAvgPool2d):
    """`ops.adaptive_avg_pool3d` as a layer: `AdaptiveAvgPool2d` with three spatial dimensions.

    Examples:
        >>> import torchspore as ms
        >>> ms.nn.AdaptiveAvgPool3d((None, 4, 1))(ms.ops.ones((1, 3, 8, 9, 5))).shape
        (1, 3, 8, 4, 1)
    """

    _count = 3


class AdaptiveMaxPool1d(Cell):
    """`ops.adaptive_max_pool1d` as a layer: shape (N, C, L) becomes (N, C, output_size).

    Args:
        output_size: the number of windows, which divides L.

    Examples:
        >>> import torchspore as ms
        >>> ms.nn.AdaptiveMaxPool1d(2)(ms.ops.ones((1, 3, 6))).shape
        (1, 3, 2)
    """

    @checked
    def __init__(self, output_size: Positive) -> None:
        super().__init__()
        self.output_size = output_size

    def construct(self, x: Tensor) -> Tensor:
        return adaptive.LAYERS["AdaptiveMaxPool1d"](x, self.output_size)


class AdaptiveMaxPool2d(_Adaptive):
    """`ops.adaptive_max_pool2d` as a layer: shape (N, C, H, W) or (C, H, W) ends with `output_size`.

    Args:
        output_size: the size of the output, an int or (height, width); None is the input's.
        return_indices: whether to return the int64 indices of the maxima too. Default: False.

    Examples:
        >>> import torchspore as ms
        >>> ms.nn.AdaptiveMaxPool2d((None, 4))(ms.ops.ones((1, 3, 8, 9))).shape
        (1, 3, 8, 4)
    """

    def __init__(self, output_size: int | tuple[int | None, ...] | None, return_indices: bool = False) -> None:
        super().__init__(output_size)
        self.return_indices = _flag(return_indices, "return_indices", self.cls_name)
        self._planned()

    def _make_plan(self) -> tuple[Any, bool]:
        return self._sizes(), self.return_indices

    def construct(self, input: Tensor) -> Any:
        return adaptive.LAYERS[f"AdaptiveMaxPool{self._count}d"](input, *(self._plan or self._planned()))


class AdaptiveMaxPool3d(AdaptiveMaxPool2d):
    """`ops.adaptive_max_pool3d` as a layer: `AdaptiveMaxPool2d` with three spatial dimensions and int32 indices.

    Examples:
        >>> import torchspore as ms
        >>> ms.nn.AdaptiveMaxPool3d((None, 4, 1))(ms.ops.ones((1, 3, 8, 9, 5))).shape
        (1, 3, 8, 4, 1)
    """

    _count = 3
