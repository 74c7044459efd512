"""Max unpooling: writing maxima back to the positions where pooling found them."""

from __future__ import annotations

from typing import Any

import torch.nn.functional as F
from torch import Tensor

from torchspore.engine.op import op
from torchspore.engine.primitive import as_primitive
from torchspore.engine.widening import in_floats
from torchspore.ops.array.overloads import documented
from torchspore.ops.conv.windows import each
from torchspore.ops.pooling.windowed import check_rank

__all__ = ["MaxUnpool2D", "MaxUnpool3D", "max_unpool1d", "max_unpool2d", "max_unpool3d"]

_FUNCTIONS: dict[int, Any] = {
    count: in_floats(function, keeps_dtype=True)
    for count, function in enumerate((F.max_unpool1d, F.max_unpool2d, F.max_unpool3d), 1)
}


def _unpooled(
    api: str, count: int, x: Tensor, indices: Tensor, kernel_size: Any, stride: Any, padding: Any, output_size: Any
) -> Tensor:
    check_rank(x, count)
    kernel = each(kernel_size, count, "kernel_size", api)
    strides = kernel if stride is None else each(stride, count, "stride", api)
    paddings = each(padding, count, "padding", api, minimum=0)
    sizes = tuple(output_size)[-count:] if output_size else None  # batch and channels may be named too
    return _FUNCTIONS[count](x, indices.long(), kernel, strides, paddings, sizes)


def _max_unpool(count: int, doc: str | None = None) -> Any:
    name = f"max_unpool{count}d"

    def body(
        x: Tensor,
        indices: Tensor,
        kernel_size: int | tuple[int, ...],
        stride: int | tuple[int, ...] | None = None,
        padding: int | tuple[int, ...] = 0,
        output_size: int | tuple[int, ...] | None = None,
    ) -> Tensor:
        """Undo max pooling of images: put the maxima back to where they were; all other elements are zero.

        Args:
            x: the maxima, a Tensor of shape (N, C, H, W) or (C, H, W).
            indices: their indices, as `max_pool2d` returns them, of the same shape, int32 or int64.
            kernel_size: the size of the window, an int or (height, width).
            stride: the stride of the pooling, an int or two. Default: None, the size of the window.
            padding: the padding of the pooling, an int or two. Default: 0.
            output_size: the size of the images, or the whole shape, as several may fit. Default: None, the smallest.

        Examples:
            >>> import torchspore as ms
            >>> print(ms.ops.max_unpool1d(ms.Tensor([[2.0, 4.0]]), ms.Tensor([[1, 2]]), 2))
            [[0. 2. 4. 0.]]
        """
        sizes = (output_size,) if count == 1 and isinstance(output_size, int) else output_size
        return _unpooled(name, count, x, indices, kernel_size, stride, padding, sizes)

    return op(documented(body, name, doc))


max_unpool1d = _max_unpool(1, "`max_unpool2d` for sequences, shape (N, C, L) or (C, L).")
max_unpool2d = _max_unpool(2)
max_unpool3d = _max_unpool(3, "`max_unpool2d` for volumes, shape (N, C, D, H, W) or (C, D, H, W).")


def _max_unpool_primitive(count: int, formats: tuple[str, str], doc: str | None = None) -> Any:
    name = f"MaxUnpool{count}D"

    def body(
        x: Tensor,
        argmax: Tensor,
        *,
        ksize: int | tuple[int, ...],
        strides: int | tuple[int, ...] = 0,
        pads: int | tuple[int, ...] = 0,
        output_shape: Any = (),
        data_format: str = formats[0],
    ) -> Tensor:
        """`max_unpool2d` with fixed attributes.

        Args:
            x, argmax: the maxima and their indices.
            ksize, pads: its `kernel_size` and `padding`.
            strides: its `stride`; 0 is the size of the window. Default: 0.
            output_shape: the shape of the result. Default: (), the smallest that fits.
            data_format: "NCHW" or "NHWC". Default: "NCHW".
        """
        if data_format not in formats:
            raise ValueError(
                f"For '{name}', 'data_format' must be '{formats[0]}' or '{formats[1]}', but got {data_format!r}."
            )
        stride = None if strides in (0, (0,) * count) else strides
        if data_format == formats[0]:
            return _unpooled(name, count, x, argmax, ksize, stride, pads, output_shape)
        x, argmax = x.movedim(-1, 1), argmax.movedim(-1, 1)
        return _unpooled(name, count, x, argmax, ksize, stride, pads, output_shape[1:-1]).movedim(1, -1)

    return as_primitive(documented(body, name, doc))


MaxUnpool2D = _max_unpool_primitive(2, ("NCHW", "NHWC"))
MaxUnpool3D = _max_unpool_primitive(3, ("NCDHW", "NDHWC"), '`MaxUnpool2D` for volumes, in "NCDHW" or "NDHWC".')
