"""Quantized tensors: small integers or floats with scales, and products of such matrices.

MindSpore has kernels for these on Ascend cards. Here the formulas are computed on any device; products are computed
with the numbers themselves, so they are exact, but not faster than others.
"""

from __future__ import annotations

from typing import Annotated

import torch
from torch import Tensor
from torch.nn import functional

from torchspore.common import dtype as mstype
from torchspore.engine.failures.errors import describe
from torchspore.engine.op import Type, op
from torchspore.engine.parameters import Among, Dimensions, Floats, NotSupported, Only, Positive, holding

__all__ = [
    "dequant_swiglu_quant", "dynamic_block_quant", "dynamic_quant_ext", "quant_batch_matmul", "quant_matmul",
    "quant_v2", "quantize_rows", "weight_quant_batch_matmul",
]  # fmt: skip

_SMALL_FLOATS = (torch.float8_e4m3fn, torch.float8_e5m2)


def quantize_rows(x: Tensor) -> tuple[Tensor, Tensor]:
    """Return numbers as int8, scaled so that the maximum of each row is 127, and the scales of the rows."""
    wide = x.float()
    scale = wide.abs().amax(-1) / 127
    return (wide / _divisor(scale).unsqueeze(-1)).round().to(torch.int8), scale


def _divisor(scale: Tensor) -> Tensor:
    return scale.masked_fill(scale == 0, 1)  # for rows of zeros


def _int8(x: Tensor) -> Tensor:
    return x.round().clamp(-128, 127).to(torch.int8)


def _unpacked(scale: Tensor) -> Tensor:
    """Return scales; int64 and uint64 numbers hold the bits of a float32 in their lower half."""
    if scale.dtype not in (torch.int64, torch.uint64):
        return scale
    return scale.contiguous().view(torch.int32)[..., ::2].contiguous().view(torch.float32)


@op(name="QuantV2")
def quant_v2(
    x: Tensor,
    scale: Tensor,
    offset: Tensor,
    sqrt_mode: bool = False,
    rounding_mode: str = "ROUND",
    dst_type: Type = mstype.int8,
) -> Tensor:
    """Quantize numbers: `scale * x + offset`, rounded half to even and clamped to the range of `dst_type`.

    Args:
        x: a floating-point Tensor.
        scale, offset: Tensors of the same dtype that broadcast to `x`.
        sqrt_mode: whether to apply the scale twice. Default: False.
        rounding_mode: "ROUND". Default: "ROUND".
        dst_type: the data type of the result, int8. Default: int8.

    Raises ValueError for another rounding mode or data type.

    Examples:
        >>> import torchspore as ms
        >>> x, scale, offset = ms.Tensor([1.25, -9.0]), ms.Tensor([2.0, 90.0]), ms.Tensor([0.0, 0.5])
        >>> print(ms.ops.auto_generate.QuantV2()(x, scale, offset))
        [   2 -128]
    """
    if rounding_mode.upper() != "ROUND" or dst_type is not torch.int8:
        raise ValueError(f"'rounding_mode' must be 'ROUND' and 'dst_type' int8, but got {rounding_mode!r}, {dst_type}")
    scaled = x * scale * scale if sqrt_mode else x * scale
    return _int8(scaled + offset)


@op(name="DynamicQuantExt")
def dynamic_quant_ext(
    x: Annotated[Floats, "... K"], smooth_scales: Annotated[Tensor, "K"] | None = None
) -> tuple[Tensor, Tensor]:
    """Quantize numbers to int8, with a scale per row that follows from its maximum.

    Args:
        x: a floating-point Tensor with at least 1 dimension.
        smooth_scales: factors of the columns before, of the size of the last dimension. Default: None.

    Returns:
        An int8 Tensor y of the shape of `x`, and a float32 Tensor of the shape without the last dimension: the maximum
        absolute value of a row divided by 127, so that `y * scale` approximates `x`.

    Raises:
        TypeError: `x` is not floating-point.
        ValueError: `x` has no dimensions, or `smooth_scales` another size.

    Examples:
        >>> import torchspore as ms
        >>> y, scale = ms.ops.auto_generate.DynamicQuantExt()(ms.Tensor([[1.0, -2.0, 0.5], [0.0, 12.7, 5.0]]))
        >>> print(y, scale)
        [[  64 -127   32]
         [   0  127   50]] [0.01574803 0.1       ]
    """
    return quantize_rows(x if smooth_scales is None else x.float() * smooth_scales)


@op(name="DynamicBlockQuant")
def dynamic_block_quant(
    x: Annotated[Tensor, Dimensions(2)],
    min_scale: float = 0.0,
    round_mode: Annotated[str, Only("rint")] = "rint",
    dst_type: Annotated[Type, Among(_SMALL_FLOATS, NotImplementedError)] = mstype.float8_e5m2,
    row_block_size: Positive = 1,
    col_block_size: Positive = 128,
) -> tuple[Tensor, Tensor]:
    """Quantize numbers to 8-bit floats, with a scale per block that follows from its maximum.

    Args:
        x: a floating-point Tensor with 2 dimensions.
        min_scale: the minimum scale. Default: 0.0.
        round_mode: "rint", to the nearest number. Default: "rint".
        dst_type: float8_e4m3fn or float8_e5m2. Default: float8_e5m2.
        row_block_size, col_block_size: the sizes of the blocks; the last ones may be smaller. Default: 1 and 128.

    Returns:
        A Tensor of the shape of `x`, and a float32 Tensor with an element per block: the maximum absolute value divided
        by the maximum of `dst_type`, so that `y * scale` approximates `x`.

    Raises:
        ValueError: `x` does not have 2 dimensions, or a size of the blocks is below 1.
        NotImplementedError: another `round_mode` or `dst_type`.

    Examples:
        >>> import torchspore as ms
        >>> x = ms.Tensor([[448.0, 7.0, 2.0], [224.0, 14.0, 1.0]])
        >>> y, scale = ms.ops.auto_generate.DynamicBlockQuant()(x, 0.0, "rint", ms.float8_e4m3fn, 2, 2)
        >>> print(scale)
        [[1.         0.00446429]]
    """
    rows, columns = x.shape
    blocks = -(-rows // row_block_size), -(-columns // col_block_size)
    padding = 0, blocks[1] * col_block_size - columns, 0, blocks[0] * row_block_size - rows
    whole = functional.pad(x.float(), padding).view(blocks[0], row_block_size, blocks[1], col_block_size)
    scale = (whole.abs().amax((1, 3), keepdim=True) / torch.finfo(dst_type).max).clamp(min=min_scale)
    result = (whole / _divisor(scale)).flatten(2).flatten(0, 1)[:rows, :columns]
    return result.to(dst_type), scale.flatten(2).flatten(0, 1)


def _with_bias(product: Tensor, bias: Tensor | None, integers: bool) -> Tensor:
    """Add a bias if it is of integers, or if it is not: one is added before the scale, the other after it."""
    return product if bias is None or bias.is_floating_point() is integers else product + bias


@op(name="QuantBatchMatmul")
def quant_batch_matmul(
    x1: Annotated[Tensor, holding(torch.int8)], x2: Annotated[Tensor, holding(torch.int8)], scale: Tensor,
    offset: Tensor | None = None, bias: Tensor | None = None,
    pertokenScaleOptional: Tensor | None = None, transpose_x1: bool = False, transpose_x2: bool = False,
    dtype: Type = mstype.float16,
) -> Tensor:  # fmt: skip
    """The product of int8 matrices, scaled.

    Args:
        x1: an int8 Tensor of shape (..., m, k).
        x2: an int8 Tensor of shape (..., k, n).
        scale: the scales of the columns, of shape (n,) or (1,): floats, or int64 or uint64 with the bits of float32.
        offset: what is added at the end, for a result of int8. Default: None.
        bias: an addend of shape (n,) or (batch, 1, n): integers before the product is scaled, floats after that.
            Default: None.
        pertokenScaleOptional: the scales of the rows, of shape (m,). Default: None.
        transpose_x1, transpose_x2: whether to swap the last two dimensions of a matrix. Default: False.
        dtype: float16, bfloat16 or int8, for which the result is rounded. Default: float16.

    Returns a Tensor of shape (..., m, n).

    Raises:
        TypeError: the matrices are of other types.
        ValueError: the shapes do not fit, another `dtype`, or an offset for a floating-point result.

    Examples:
        >>> import torchspore as ms
        >>> x = ms.Tensor([[10, 10], [1, 2]], ms.int8)
        >>> print(ms.ops.auto_generate.QuantBatchMatmul()(x, x, ms.Tensor([0.5, 0.25])))
        [[55.  30. ]
         [ 6.   3.5]]
    """
    if dtype not in (torch.float16, torch.bfloat16, torch.int8) or (offset is not None and dtype is not torch.int8):
        raise ValueError("'dtype' must be float16 or bfloat16 without an offset, or int8")
    x1, x2 = x1.mT if transpose_x1 else x1, x2.mT if transpose_x2 else x2
    return _scaled_product(x1.double(), x2.double(), scale, pertokenScaleOptional, bias, offset, dtype)


def _scaled_product(
    x1: Tensor, x2: Tensor, scale: Tensor, of_rows: Tensor | None, bias: Tensor | None, offset: Tensor | None,
    dtype: torch.dtype,
) -> Tensor:  # fmt: skip
    product = _with_bias(x1 @ x2, bias, True) * _unpacked(scale)
    product = _with_bias(product if of_rows is None else product * of_rows.unsqueeze(-1), bias, False)
    product = product if offset is None else product + offset
    return _int8(product) if dtype is torch.int8 else product.to(dtype)


@op(name="QuantMatmul")
def quant_matmul(
    x1: Tensor, x2: Tensor, scale: Tensor, offset: Tensor | None = None, pertoken_scale: Tensor | None = None,
    bias: Tensor | None = None, output_dtype: Type | None = None, x1_dtype: Type | None = None,
    x2_dtype: Type | None = None, pertoken_scale_dtype: Type | None = None, scale_dtype: Type | None = None,
    group_sizes: NotSupported = None,
) -> Tensor:  # fmt: skip
    """The product of matrices of 8-bit floats, with scales for its rows and columns.

    Args:
        x1, x2, scale, offset, bias: as for `QuantBatchMatmul`, but of floats.
        pertoken_scale: the scales of the rows, of shape (m,). Required.
        output_dtype: the data type of the result. Default: None: int8, for which it is rounded.
        x1_dtype, x2_dtype, pertoken_scale_dtype, scale_dtype: types to convert the tensors to before. Default: None.
        group_sizes: not supported.

    Returns a Tensor of shape (..., m, n).

    Raises:
        ValueError: the shapes do not fit, `x1` is of int8 or int32, there is no `pertoken_scale`, or an offset for a
            floating-point result.
        NotImplementedError: `group_sizes` is given.

    Examples:
        >>> import torchspore as ms
        >>> x = ms.Tensor([[1.0, 2.0], [3.0, 4.0]]).astype(ms.float8_e4m3fn)
        >>> columns, rows = ms.Tensor([0.5, 1.0]), ms.Tensor([1.0, 10.0])
        >>> product = ms.ops.auto_generate.quant_matmul(x, x, columns, pertoken_scale=rows, output_dtype=ms.float32)
        >>> print(product.flatten())
        [  3.5  10.   75.  220. ]
    """
    if x1.dtype in (torch.int8, torch.int32):
        raise ValueError(f"'x1' must be of floats, but got {describe(x1)}. Use 'QuantBatchMatmul'.")
    if pertoken_scale is None:
        raise ValueError("'pertoken_scale' must be given")
    result_type = output_dtype or torch.int8
    if offset is not None and result_type is not torch.int8:
        raise ValueError(f"'offset' is for a result of int8, but 'output_dtype' is {output_dtype}")
    x1, x2 = _converted(x1, x1_dtype).float(), _converted(x2, x2_dtype).float()
    scale, of_rows = _converted(scale, scale_dtype), _converted(pertoken_scale, pertoken_scale_dtype)
    return _scaled_product(x1, x2, scale.float(), of_rows.float(), bias, offset, result_type)


def _converted(x: Tensor, dtype: torch.dtype | None) -> Tensor:
    return x if dtype is None else x.to(dtype)


@op(name="WeightQuantBatchMatmul")
def weight_quant_batch_matmul(
    x: Floats, weight: Annotated[Tensor, holding(torch.int8)], antiquant_scale: Tensor,
    antiquant_offset: Tensor | None = None,
    quant_scale: Tensor | None = None, quant_offset: Tensor | None = None, bias: Tensor | None = None,
    transpose_x: bool = False, transpose_weight: bool = False, antiquant_group_size: int = 0,
) -> Tensor:  # fmt: skip
    """The product of a matrix with int8 weights: `x @ ((weight + antiquant_offset) * antiquant_scale) + bias`.

    Args:
        x: a floating-point Tensor of shape (..., m, k).
        weight: an int8 Tensor of shape (..., k, n).
        antiquant_scale: the scales of the columns, of shape (n,), (1, n) or (1,); for groups of shape (groups, n).
        antiquant_offset: what is added to the weights, likewise. Default: None.
        quant_scale, quant_offset: scales of an int8 result, of shape (n,) or (1,), and what is added then.
            Default: None.
        bias: an addend of shape (n,). Default: None.
        transpose_x: whether `x` is of shape (..., k, m). Default: False.
        transpose_weight: whether `weight` is of shape (..., n, k), its scale and offset of (n,) or (n, 1), for groups
            of (n, groups). Default: False.
        antiquant_group_size: the number of rows that share a scale. Default: 0: all.

    Returns a Tensor of shape (..., m, n), of the data type of `x`, or of int8 with `quant_scale`.

    Raises:
        TypeError: `x` is not floating-point, or `weight` is not of int8.
        ValueError: the shapes do not fit, a negative group size, or `quant_offset` without `quant_scale`.

    Examples:
        >>> import torchspore as ms
        >>> weight, scale = ms.Tensor([[1, 2], [3, 4]], ms.int8), ms.Tensor([0.5, 2.0])
        >>> print(ms.ops.auto_generate.WeightQuantBatchMatmul()(ms.Tensor([[1.0, 10.0]]), weight, scale))
        [[15.5 84. ]]
    """
    if antiquant_group_size < 0 or (quant_scale is None and quant_offset is not None):
        raise ValueError("'antiquant_group_size' must be >= 0, and 'quant_offset' needs 'quant_scale'")
    rows = weight.shape[-1 if transpose_weight else -2]
    weight = weight.mT if transpose_weight else weight

    def spread(given: Tensor) -> Tensor:
        given = given.mT if transpose_weight and given.dim() > 1 else given
        return given.repeat_interleave(antiquant_group_size, -2)[..., :rows, :] if antiquant_group_size else given

    weights = weight.to(x.dtype)
    weights = weights if antiquant_offset is None else weights + spread(antiquant_offset).to(x.dtype)
    product = (x.mT if transpose_x else x) @ (weights * spread(antiquant_scale).to(x.dtype))
    product = product if bias is None else (product + bias).to(x.dtype)
    if quant_scale is None:
        return product
    scaled = product.float() * _unpacked(quant_scale)
    return _int8(scaled if quant_offset is None else scaled + quant_offset)


@op(name="DequantSwigluQuant")
def dequant_swiglu_quant(
    x: Annotated[Tensor, holding(torch.int32)], weight_scale: Tensor, activation_scale: Tensor,
    bias: Tensor | None = None,
    quant_scale: Tensor | None = None, quant_offset: NotSupported = None, group_index: NotSupported = None,
    activate_left: bool = False, quant_mode: Annotated[str, Only("dynamic")] = "static",
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """Scale a product of int8 matrices, apply SwiGLU to each row, and quantize the result to int8.

    Args:
        x: the product, an int32 Tensor of shape (..., 2 * n).
        weight_scale: the scales of the columns, of shape (2 * n,) or (1, 2 * n).
        activation_scale: the scales of the rows, of shape (..., 1).
        bias: an addend of shape (2 * n,): integers before the product is scaled, floats after that. Default: None.
        quant_scale: the factors of the gated rows, of shape (n,) or (1,). Default: None.
        quant_offset: None; it is for the mode "static".
        group_index: not supported.
        activate_left: whether `silu` applies to the left half, else to the right one. Default: False.
        quant_mode: "dynamic": the scales follow from the rows. The default of MindSpore, "static", is not supported.

    Returns an int8 Tensor of shape (..., n), and its scales, as from `DynamicQuantExt`.

    Raises:
        NotImplementedError: `group_index` or `quant_offset` is given, or another `quant_mode`.

    Examples:
        >>> import torchspore as ms
        >>> x, columns, rows = ms.Tensor([[10, 20, 30, -10]], ms.int32), ms.Tensor([0.1] * 4), ms.Tensor([[1.0]])
        >>> y, scale = ms.ops.auto_generate.DequantSwigluQuant()(x, columns, rows, quant_mode="dynamic")
        >>> print(y, scale.asnumpy().round(4))
        [[127 -24]] [0.0225]
    """
    if x.dim() < 2 or x.shape[-1] % 2 or activation_scale.shape != (*x.shape[:-1], 1):
        raise ValueError(
            "'x' must have 2 dimensions or more, the last of even size, and 'activation_scale' one number per row"
        )
    scaled = _with_bias(x, bias, True).float() * weight_scale * activation_scale
    left, right = _with_bias(scaled, bias, False).chunk(2, -1)
    gated = functional.silu(left) * right if activate_left else functional.silu(right) * left
    return quantize_rows(gated if quant_scale is None else gated * quant_scale)
