"""Pooling layers with torch's windows, p-norms, fractional pooling, and unpooling."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torchspore.common import dtype as mstype
from torchspore.common.tensor import Tensor
from torchspore.engine.parameters import Positive, checked
from torchspore.nn.cell import Cell
from torchspore.nn.layer.planned import Planned, single
from torchspore.ops.conv.windows import each
from torchspore.ops.pooling import fractional, unpooling
from torchspore.ops.pooling.windowed import LAYERS, lp_pool1d, lp_pool2d

__all__ = [
    "AvgPool1dExt", "AvgPool2dExt", "AvgPool3dExt", "FractionalMaxPool2d", "FractionalMaxPool3d", "LPPool1d",
    "LPPool2d", "MaxPool2dExt", "MaxUnpool1d", "MaxUnpool2d", "MaxUnpool3d",
]  # fmt: skip

_Sizes = int | Sequence[int]  # one for all spatial dimensions, or one for each


class _Window(Planned):
    """The base of the layers with a window: checks and keeps its size, stride and padding."""

    _count = 2

    def __init__(self, kernel_size: _Sizes, stride: _Sizes | None = None, padding: _Sizes = 0) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self._window()

    def _window(self) -> tuple[Any, ...]:
        """Return the size, the stride and the padding of the window as the attributes say them now."""
        named = ((self.kernel_size, "kernel_size", 1), (self.stride, "stride", 1), (self.padding, "padding", 0))
        return tuple([each(single(value), self._count, name, self.cls_name, least) for value, name, least in named])


class AvgPool1dExt(_Window):
    """The averages over sliding windows of sequences, shape (N, C, L) or (C, L), as in `mint.nn.AvgPool1d`.

    Args:
        kernel_size: the size of the window.
        stride: the stride. Default: None, its size.
        padding: the zeros on both ends, at most half of the window. Default: 0.
        ceil_mode: whether the last window may reach over the end. Default: False.
        count_include_pad: whether the padding counts as elements. Default: True.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.nn.AvgPool1dExt(2)(ms.Tensor([[1.0, 3.0, 4.0, 6.0]])))
        [[2. 5.]]
    """

    _count = 1

    @checked
    def __init__(
        self,
        kernel_size: _Sizes,
        stride: _Sizes | None = None,
        padding: _Sizes = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__(kernel_size, stride, padding)
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override: int | None = None

    def _make_plan(self) -> tuple[Any, ...]:
        return (*self._window(), self.ceil_mode, self.count_include_pad, self.divisor_override)

    def construct(self, input: Tensor) -> Tensor:
        return LAYERS[f"AvgPool{self._count}d"](input, *(self._plan or self._planned()))


class AvgPool2dExt(AvgPool1dExt):
    """The averages over sliding windows of images, shape (N, C, H, W) or (C, H, W), as in `mint.nn.AvgPool2d`.

    Args:
        kernel_size, stride, padding: as for `AvgPool1dExt`, an int or (height, width).
        ceil_mode, count_include_pad: as for `AvgPool1dExt`.
        divisor_override: the divisor of the sum. Default: None, the number of elements.
    """

    _count = 2

    @checked
    def __init__(
        self,
        kernel_size: _Sizes,
        stride: _Sizes | None = None,
        padding: _Sizes = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: Positive | None = None,
    ) -> None:
        super().__init__(kernel_size, stride, padding, ceil_mode, count_include_pad)
        if divisor_override is not None:
            self.divisor_override = divisor_override


class AvgPool3dExt(AvgPool2dExt):
    """The averages over sliding windows of volumes, shape (N, C, D, H, W) or (C, D, H, W); see `AvgPool2dExt`."""

    _count = 3


class MaxPool2dExt(_Window):
    """The maxima over sliding windows of images, shape (N, C, H, W) or (C, H, W), as in `mint.nn.MaxPool2d`.

    Args:
        kernel_size: the size of the window, an int or (height, width). Default: 1.
        stride: the stride, likewise. Default: None, its size.
        padding: the elements, taken as -inf, on both ends, likewise, at most half of the window. Default: 0.
        dilation: the distance between the elements of the window, likewise. Default: 1.
        return_indices: whether to return the indices of the maxima too. Default: False.
        ceil_mode: whether the last window may reach over the end. Default: False.
    """

    @checked
    def __init__(
        self,
        kernel_size: _Sizes = 1,
        stride: _Sizes | None = None,
        padding: _Sizes = 0,
        dilation: _Sizes = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__(kernel_size, stride, padding)
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode
        self._planned()

    def _make_plan(self) -> tuple[str, tuple[Any, ...]]:
        dilation = each(single(self.dilation), 2, "dilation", self.cls_name)
        operation = "MaxPool2d with indices" if self.return_indices else "MaxPool2d"
        return operation, (*self._window(), dilation, self.ceil_mode)

    def construct(self, input: Tensor) -> Any:
        operation, window = self._plan or self._planned()
        return LAYERS[operation](input, *window)


class LPPool1d(_Window):
    """The p-norms, (sum of x ** p) ** (1 / p), over sliding windows of sequences, shape (N, C, L) or (C, L).

    Args:
        norm_type: p, a number, not 0.
        kernel_size: the size of the window, an int.
        stride: the stride, an int. Default: None, the size of the window.
        ceil_mode: whether the last window may reach over the end. Default: False.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.nn.LPPool1d(2, 2)(ms.Tensor([[3.0, 4.0, 0.0, 2.0]])))
        [[5. 2.]]
    """

    _count = 1

    @checked
    def __init__(
        self, norm_type: float, kernel_size: _Sizes, stride: _Sizes | None = None, ceil_mode: bool = False
    ) -> None:
        if self._count == 1 and isinstance(kernel_size, tuple):
            raise TypeError("'kernel_size' must be an int")
        super().__init__(kernel_size, stride)
        if norm_type == 0:
            raise ValueError("'norm_type' must not be 0")
        self.norm_type = norm_type
        self.ceil_mode = ceil_mode

    def construct(self, x: Tensor) -> Tensor:
        pool = lp_pool1d if self._count == 1 else lp_pool2d
        return pool(x, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)


class LPPool2d(LPPool1d):
    """The p-norms over sliding windows of images: `LPPool1d` with ints or (height, width)."""

    _count = 2


class FractionalMaxPool2d(Cell):
    """The maxima over windows of images with random strides, `ops.fractional_max_pool2d`.

    Args:
        kernel_size: the size of the window, an int or (height, width).
        output_size: the size of the output, an int or two. Default: None, given by `output_ratio`.
        output_ratio: the same as a fraction of the input's, a number in (0, 1) or two; if there is no `output_size`.
            Default: None.
        return_indices: whether to return the indices of the maxima too. Default: False.
        _random_samples: the random numbers, in [0, 1), of shape (N, C, 2). Default: None, drawn in each call.

    Inputs: a Tensor of shape (N, C, H, W) or (C, H, W).
    Outputs: a Tensor of shape (N, C, H', W') or (C, H', W'); with `return_indices`, that and the indices.

    Examples:
        >>> import torchspore as ms
        >>> ms.nn.FractionalMaxPool2d(2, output_ratio=0.6)(ms.ops.ones((1, 3, 9, 9))).shape
        (1, 3, 5, 5)
    """

    _count = 2

    @checked
    def __init__(
        self,
        kernel_size: _Sizes,
        output_size: _Sizes | None = None,
        output_ratio: float | tuple[float, ...] | None = None,
        return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ) -> None:
        super().__init__()
        api, count = self.cls_name, self._count
        if output_size is None and output_ratio is None:
            raise ValueError("give 'output_size' or 'output_ratio'")
        if _random_samples is not None and not isinstance(_random_samples, Tensor):
            raise TypeError("'_random_samples' must be a Tensor")
        self.kernel_size = each(kernel_size, count, "kernel_size", api)
        self.output_size = output_size if output_size is None else each(output_size, count, "output_size", api)
        self.output_ratio = output_ratio if output_size is None else None
        self.return_indices = return_indices
        self._random_samples = _random_samples

    def construct(self, input: Tensor) -> Any:
        pool = fractional.fractional_max_pool2d if self._count == 2 else fractional.fractional_max_pool3d
        size = (self.output_size, self.output_ratio)
        return pool(input, self.kernel_size, *size, self.return_indices, self._random_samples)


class FractionalMaxPool3d(FractionalMaxPool2d):
    """`FractionalMaxPool2d` of volumes, shape (N, C, D, H, W) or (C, D, H, W), with three numbers each."""

    _count = 3


class MaxUnpool2d(_Window):
    """Put the maxima of images back to where they were; everything else is zero.

    Args:
        kernel_size: the size of the window, an int or (height, width).
        stride: the stride, likewise. Default: None, its size.
        padding: the padding of the pooling, likewise. Default: 0.

    Inputs:
        - x: the maxima, a Tensor of shape (N, C, H, W) or (C, H, W).
        - indices: their indices, of the same shape, int32 or int64.
        - output_size: the sizes of the images, or the whole shape, a tuple. Default: None, the smallest that fit.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.nn.MaxUnpool2d(2)(ms.Tensor([[[5.0]]]), ms.Tensor([[[3]]])))
        [[[0. 0.]
          [0. 5.]]]
    """

    def _make_plan(self) -> tuple[Any, ...]:
        return self._window()

    def construct(self, x: Tensor, indices: Tensor, output_size: tuple[int, ...] | None = None) -> Tensor:
        if output_size is not None and not isinstance(output_size, tuple):
            raise ValueError("'output_size' must be a tuple")
        if indices.dtype not in (mstype.int32, mstype.int64):
            raise TypeError("'indices' must be of int32 or int64")
        return getattr(unpooling, f"max_unpool{self._count}d")(
            x, indices, *(self._plan or self._planned()), output_size
        )


class MaxUnpool1d(MaxUnpool2d):
    """Put the maxima of sequences, shape (N, C, L) or (C, L), back; see `MaxUnpool2d`.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.nn.MaxUnpool1d(2)(ms.Tensor([[2.0, 4.0]]), ms.Tensor([[1, 2]])))
        [[0. 2. 4. 0.]]
    """

    _count = 1


class MaxUnpool3d(MaxUnpool2d):
    """Put the maxima of volumes, shape (N, C, D, H, W) or (C, D, H, W), back; see `MaxUnpool2d`."""

    _count = 3
