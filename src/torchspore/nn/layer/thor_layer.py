"""Layers that gather the statistics of the second-order optimizer THOR; otherwise they are plain layers."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from torchspore.common import dtype as mstype
from torchspore.common.parameter import Parameter
from torchspore.common.tensor import Tensor
from torchspore.engine.gradients.custom import InsertGradientOf
from torchspore.nn.layer.basic import Dense
from torchspore.nn.layer.conv import Conv2d
from torchspore.nn.layer.embedding import Embedding, EmbeddingLookup
from torchspore.nn.layer.window_products import window_products
from torchspore.ops.array.assignment import assign
from torchspore.ops.array.padding import pad
from torchspore.ops.array.reshaping import reshape
from torchspore.ops.array.segments import unsorted_segment_sum
from torchspore.ops.conv.blocks import ExtractImagePatches
from torchspore.ops.conv.convolution import LAYERS
from torchspore.ops.linalg.products import dense, matmul

__all__ = ["Conv2dThor", "DenseThor", "EmbeddingLookupThor", "EmbeddingThor"]

_MANY = 2**22  # the number of window elements from which a copy does not pay


def _statistic(values: np.ndarray, name: str) -> Parameter:
    return Parameter(Tensor(values, mstype.float32), name=name, requires_grad=False)


def _correlation(rows: Tensor, count: int) -> Tensor:
    """Return rows^T rows / count, in float32."""
    rows = rows.astype(mstype.float32)
    return matmul(rows.swapaxes(0, 1), rows) / count


class DenseThor(Dense):
    """A fully connected layer, `Dense`, that gathers statistics.

    While its attribute `thor` is True, each call writes `matrix_a`, the products of the inputs' elements, and each
    differentiation `matrix_g`, the products of the gradients of the outputs' elements.

    Args:
        in_channels, out_channels, has_bias, activation: as for `Dense`.
        weight_init, bias_init: as for `Dense`. Default: "normal" and "zeros".

    Inputs and outputs: a Tensor of shape (N, in_channels) becomes (N, out_channels).

    Examples:
        >>> import torchspore as ms
        >>> net = ms.nn.DenseThor(2, 3)
        >>> net(ms.Tensor([[1.0, 2.0]])).shape, net.matrix_a.shape, net.matrix_g.shape
        ((1, 3), (2, 2), (3, 3))
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        weight_init: Any = "normal",
        bias_init: Any = "zeros",
        has_bias: bool = True,
        activation: Any = None,
    ) -> None:
        super().__init__(in_channels, out_channels, weight_init, bias_init, has_bias, activation)
        self.thor = True
        self.matrix_a = _statistic(np.eye(in_channels), "matrix_a")
        self.matrix_g = _statistic(np.eye(out_channels), "matrix_g")

    def _save_gradient(self, dout: Tensor) -> Tensor:
        assign(self.matrix_g, _correlation(dout, dout.shape[0]))
        return dout

    def construct(self, x: Tensor) -> Tensor:
        output = dense(x, self.weight, self.bias if self.has_bias else None)
        if self.thor:
            assign(self.matrix_a, _correlation(x, self.in_channels))  # as MindSpore divides it
            output = InsertGradientOf(self._save_gradient)(output)
        return self.activation(output) if self.activation_flag else output


class Conv2dThor(Conv2d):
    """A convolution of images, `Conv2d`, that gathers statistics.

    While its attribute `thor` is True, each call writes `matrix_a_cov`, the mean products of the windows' elements, and
    each differentiation `matrix_g_cov`, the same of the gradients of the output's channels; `a_normalizer` and
    `g_normalizer` are the numbers of positions.

    Args:
        in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group, has_bias: as for `Conv2d`.
        weight_init, bias_init: as for `Conv2d`. Default: "normal" and "zeros".

    Inputs:
        A Tensor of shape (N, in_channels, H, W). The convolution is computed in its dtype.

    Outputs: a Tensor of shape (N, out_channels, H', W').
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
    ) -> None:
        window = (kernel_size, stride, pad_mode, padding, dilation, group)
        super().__init__(in_channels, out_channels, *window, has_bias, weight_init, bias_init)
        self.thor = True
        height, width = self.kernel_size
        self.a_normalizer = _statistic(np.ones(1), "a_normalizer")
        self.g_normalizer = _statistic(np.ones(1), "g_normalizer")
        size = in_channels * height * width
        self.matrix_a_cov = _statistic(np.zeros((size, size)), "matrix_a")
        self.matrix_g_cov = _statistic(np.zeros((out_channels, out_channels)), "matrix_g")

    def _save_gradient(self, dout: Tensor) -> Tensor:
        rows = reshape(dout.transpose(0, 2, 3, 1), (-1, self.out_channels))
        assign(self.matrix_g_cov, _correlation(rows, rows.shape[0]))
        assign(self.g_normalizer, Tensor([rows.shape[0]], mstype.float32))
        return dout

    def _windows(self, x: Tensor) -> Tensor:
        """Return the elements under the kernel, as the weight orders them: a row for every position."""
        take: Any = ExtractImagePatches
        stride, padding, dilation, _ = self._geometry
        patches = take(self._kernel, stride, dilation, "same" if padding is None else "valid")(self._padded(x))
        batch, channels = x.shape[:2]
        return reshape(patches, (batch, -1, channels, patches.shape[2] * patches.shape[3])).transpose(0, 3, 2, 1)

    def _padded(self, x: Tensor) -> Tensor:
        """Return the images with their border, unless that depends on their size."""
        border: tuple[int, ...] = self._geometry[1] or (0, 0)
        top, bottom, left, right = border if len(border) == 4 else [n for n in border for _ in "12"]
        return pad(x, (left, right, top, bottom)) if any(border) else x

    def _save_inputs(self, x: Tensor, positions: int) -> None:
        """Write the statistics of the windows of the images at a number of positions."""
        size = self.matrix_a_cov.shape[0]
        (stride, _, dilation, _), (height, width) = self._geometry, self._kernel
        if positions * size >= _MANY and all(s == 1 for s in stride):
            products = window_products(self._padded(x), (height, width), dilation) / positions
        else:
            products = _correlation(reshape(self._windows(x), (-1, size)), positions)
        assign(self.matrix_a_cov, products)
        assign(self.a_normalizer, Tensor([positions], mstype.float32))

    def construct(self, x: Tensor) -> Tensor:
        bias = None if self.bias is None or not self.has_bias else self.bias.astype(x.dtype)
        operation, geometry = self._plan or self._planned()
        output = LAYERS[operation](x, self.weight.astype(x.dtype), bias, *geometry)
        if not self.thor:
            return output
        self._save_inputs(x, output.size // self.out_channels)
        return InsertGradientOf(self._save_gradient)(output)

    def extend_repr(self) -> str:
        before, _, after = super().extend_repr().partition(f", weight_init={self.weight_init}")
        return before + after.rpartition(", format=")[0]


class EmbeddingThor(Embedding):
    """A table of vectors, `Embedding`, that gathers statistics.

    While its attribute `thor` is True, each call writes `matrix_a`, the number of uses of every vector, and each
    differentiation `matrix_g`, the mean products of the elements of the vectors' gradients.

    Args: as for `Embedding`.
    """

    thor: bool
    matrix_a: Parameter
    matrix_g: Parameter

    def __init__(
        self,
        vocab_size: int,
        embedding_size: int,
        use_one_hot: bool = False,
        embedding_table: Any = "normal",
        dtype: mstype.Type = mstype.float32,
        padding_idx: int | None = None,
    ) -> None:
        super().__init__(vocab_size, embedding_size, use_one_hot, embedding_table, dtype, padding_idx)
        _add_table_statistics(self)

    def construct(self, ids: Tensor) -> Tensor:
        return _observed_rows(self, ids, super().construct(ids)) if self.thor else super().construct(ids)


class EmbeddingLookupThor(EmbeddingLookup):
    """A table of vectors, `EmbeddingLookup`, that gathers statistics as `EmbeddingThor` does.

    As in MindSpore, the table is of float16 unless a Tensor is given, and only the target "DEVICE" gathers statistics.

    Args: as for `EmbeddingLookup`, without `dtype`.
    """

    thor: bool
    matrix_a: Parameter
    matrix_g: Parameter

    def __init__(
        self,
        vocab_size: int,
        embedding_size: int,
        param_init: Any = "normal",
        target: Literal["CPU", "DEVICE"] = "CPU",
        slice_mode: str = "batch_slice",
        manual_shapes: tuple[int, ...] | None = None,
        max_norm: float | None = None,
        sparse: bool = True,
    ) -> None:
        where = (param_init, target, slice_mode, manual_shapes, max_norm, sparse)
        super().__init__(vocab_size, embedding_size, *where, mstype.float16)
        _add_table_statistics(self)

    def construct(self, indices: Tensor) -> Tensor:
        rows = super().construct(indices)
        return _observed_rows(self, indices, rows) if self.thor and self.target == "DEVICE" else rows


def _add_table_statistics(layer: Any) -> None:
    layer.thor = True
    layer.matrix_a = _statistic(np.zeros(layer.vocab_size), "matrix_a")
    layer.matrix_g = _statistic(np.zeros((layer.embedding_size,) * 2), "matrix_g")


def _observed_rows(layer: Any, ids: Tensor, rows: Tensor) -> Tensor:
    """Return `rows`, and gather their statistics."""

    def save_gradient(dout: Tensor) -> Tensor:
        gradients = reshape(dout, (-1, layer.embedding_size))
        assign(layer.matrix_g, _correlation(gradients, gradients.shape[0]))
        return dout

    flat = reshape(ids, (-1,))
    is_inside = (flat >= 0).logical_and(flat < layer.vocab_size)
    assign(layer.matrix_a, unsorted_segment_sum(is_inside.astype(mstype.float32), flat * is_inside, layer.vocab_size))
    return InsertGradientOf(save_gradient)(rows)
