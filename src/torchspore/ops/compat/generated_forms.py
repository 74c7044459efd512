"""Variants of operations that exist only in `torchspore.ops.auto_generate`, under MindSpore's names."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

import torch
from torch import Tensor
from torch.nn import functional

from torchspore.engine.op import Operand, Size, op
from torchspore.engine.parameters import Dimensions, Ints, Limits, NotSupported, Only, PositiveFloat, Reduction, Rule
from torchspore.engine.parameters.of_operations import ruled
from torchspore.ops.array import scattering
from torchspore.ops.attention import fused as attention
from torchspore.ops.losses import elementary as loss
from torchspore.ops.neural import fused as fused_forms

__all__ = [
    "add_layernorm_v2", "batch_norm_ext", "constant_pad_nd", "convolution", "cross_entropy_loss",
    "flash_attention_score", "flip", "format_cast", "gmm", "group_norm", "grouped_matmul", "grouped_matmul_v4",
    "inplace_grouped_matmul_add", "inplace_matmul_add", "inplace_silu", "layer_norm_ext", "layer_norm_v3",
    "list_to_tuple", "log_sigmoid", "nllloss_2d", "one_hot_ext", "reflection_pad", "replication_pad", "scatter",
    "smooth_l1_loss", "tensor_scatter_elements", "tuple_to_list", "unique2", "unique_dim", "upsample_bicubic2d",
    "upsample_bilinear2d", "upsample_linear1d", "upsample_nearest",
]  # fmt: skip

# Normalizations that also return their statistics


_Split: TypeAlias = Annotated[int, Limits(0, 3)]
_Groups: TypeAlias = Annotated[int, Limits(-1, 2), Only(-1, 0, advice="For groups of columns transpose 'x'.")]


@op
def layer_norm_ext(
    input: Tensor, normalized_shape: Size, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-05
) -> tuple[Tensor, ...]:
    """Normalize over the last dimensions; also return mean and reciprocal standard deviation."""
    return torch.native_layer_norm(input, list(normalized_shape), weight, bias, eps)


@op
def group_norm(
    input: Tensor, num_groups: int, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-05
) -> tuple[Tensor, ...]:
    """Normalize groups of channels; also return mean and reciprocal standard deviation."""
    rows, channels = input.shape[:2]
    return torch.native_group_norm(
        input, weight, bias, rows, channels, input[0, 0].numel() if rows else 0, num_groups, eps
    )


@op
def batch_norm_ext(
    input: Tensor,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    running_mean: Tensor | None = None,
    runnning_var: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    epsilon: float = 1e-05,
) -> tuple[Tensor, ...]:
    """Normalize channels; also return mean and reciprocal standard deviation of the batch."""
    return torch.native_batch_norm(input, weight, bias, running_mean, runnning_var, training, momentum, epsilon)


@op
@ruled(
    Rule(
        "'begin_norm_axis' and 'begin_params_axis' must be axes of 'input_x'",
        lambda input_x, begin_norm_axis, begin_params_axis: all(
            -input_x.dim() <= axis < input_x.dim() for axis in (begin_norm_axis, begin_params_axis)
        ),
    )
)
def layer_norm_v3(
    input_x: Tensor,
    gamma: Tensor,
    beta: Tensor,
    begin_norm_axis: int = 1,
    begin_params_axis: int = 1,
    epsilon: float = 1e-07,
) -> tuple[Tensor, ...]:
    """Normalize over the dimensions from `begin_norm_axis` on; also return mean and reciprocal standard deviation.

    Args:
        input_x: a Tensor of a floating-point type.
        gamma, beta: the scale and the shift, of the input's shape from the axis `begin_params_axis` on.
        begin_norm_axis, begin_params_axis: axes of the input. Default: 1.
        epsilon: what is added to the variance. Default: 1e-7.
    """
    expected = input_x.shape[begin_params_axis:]
    if gamma.shape != expected or beta.shape != expected:
        raise ValueError(
            f"'gamma' and 'beta' must have the shape of the input from axis {begin_params_axis} on, {tuple(expected)}"
        )
    result, mean, spread = torch.native_layer_norm(input_x, input_x.shape[begin_norm_axis:], None, None, epsilon)
    return result * gamma + beta, mean, spread


@op
def log_sigmoid(input: Tensor) -> tuple[Tensor, Tensor]:
    """The logarithm of the sigmoid, and a buffer for gradients on some cards."""
    return functional.logsigmoid(input), torch.empty_like(input)


# Losses that also return intermediate results for gradients


@op(name="CrossEntropyLoss")
def cross_entropy_loss(
    input: Annotated[Tensor, Dimensions(2)],
    target: Tensor,
    weight: Tensor | None = None,
    reduction: Reduction = "mean",
    ignore_index: int = -100,
    label_smoothing: Annotated[float, Only(0.0)] = 0.0,
    lse_square_scale_for_zloss: Annotated[float, Only(0.0)] = 0.0,
    return_zloss: Annotated[bool, Only(False)] = False,
) -> tuple[Tensor, ...]:
    """`cross_entropy` of class indices, with the logarithms of the probabilities.

    Args:
        input: the scores, a Tensor of shape (N, C).
        target: the classes, integers in [0, C) of shape (N,).
        weight: the weights of the classes, of shape (C,). Default: None, all 1.
        reduction: "mean", "sum" or "none". Default: "mean".
        ignore_index: the class to ignore; a negative index ignores none. Default: -100.
        label_smoothing, lse_square_scale_for_zloss, return_zloss: 0.0, 0.0 and False.

    Returns:
        The loss, of shape (1,), or with "none" of (N,); the logarithms, of shape (N, C); and two empty Tensors.

    Raises:
        NotImplementedError: another value of the last three arguments.

    Examples:
        >>> import torchspore as ms
        >>> scores, classes = ms.Tensor([[0.2, 0.7, 0.1], [0.2, 0.7, 0.1]]), ms.Tensor([0, 1])
        >>> loss, logarithms, _, _ = ms.ops.auto_generate.CrossEntropyLoss()(scores, classes)
        >>> print(loss.asnumpy().round(4), logarithms[0].asnumpy().round(4))
        [1.0179] [-1.2679 -0.7679 -1.3679]
    """
    logarithms, ignored = input.log_softmax(-1), ignore_index if ignore_index >= 0 else -(2**63)
    result = loss.nll_loss.body(logarithms, target, weight, ignored, reduction).to(input.dtype)
    return result.reshape(-1), logarithms, input.new_empty(0), input.new_empty(0)


@op(name="NLLLoss2d")
def nllloss_2d(
    input: Tensor, target: Tensor, weight: Tensor, reduction: Reduction = "mean", ignore_index: int = -100
) -> tuple[Tensor, Tensor]:
    """`nll_loss` of images, and the total weight of the targets.

    Args:
        input: the logarithms of probabilities, a Tensor of shape (N, C, H, W) or (C, H, W).
        target: the classes, integers in [0, C) of shape (N, H, W) or (H, W).
        weight: the weights of the classes, of shape (C,).
        reduction: "mean", "sum" or "none". Default: "mean".
        ignore_index: the class to ignore. Default: -100.

    Returns:
        The loss, a scalar, or with "none" of the shape of `target`; and the total weight, a scalar, 0 with "none".

    Examples:
        >>> import torchspore as ms
        >>> x, classes = ms.Tensor([[[-1.0, -2.0]], [[-3.0, -4.0]]]), ms.Tensor([[0, 1]])
        >>> print(*ms.ops.auto_generate.NLLLoss2d()(x, classes, ms.Tensor([1.0, 0.5])))
        2.0 1.5
    """
    mode, single = loss.MODES[reduction], input.dim() == 3
    images, classes = (input.unsqueeze(0), target.unsqueeze(0)) if single else (input, target)
    images, classes = images.contiguous(), classes.long()  # else torch's gradient fails
    result, total = torch.ops.aten.nll_loss2d_forward(images, classes, weight, mode, ignore_index)
    if mode == 0:
        return result.squeeze(0) if single else result, torch.zeros_like(total)  # which CUDA does not write
    return result, total


# Padding, convolution, resizing


@op
def constant_pad_nd(input: Tensor, padding: Size, value: Operand = 0.0) -> Tensor:
    """Pad the last dimensions with a number."""
    return functional.pad(input, list(padding), "constant", value)


@op
def reflection_pad(input: Tensor, padding: Size) -> Tensor:
    """Pad the last dimensions with their reflection."""
    return functional.pad(input, list(padding), "reflect")


@op
def replication_pad(input: Tensor, padding: Size) -> Tensor:
    """Pad the last dimensions with their edge elements."""
    return functional.pad(input, list(padding), "replicate")


@op
def convolution(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Size = 1,
    padding: Any = 0,
    dilation: Size = 1,
    transposed: bool = False,
    output_padding: Size = 0,
    groups: int = 1,
) -> Tensor:
    """Convolve over all dimensions after the channels; `padding` is sizes, or "valid" or "same"."""
    if isinstance(padding, str):
        named = getattr(functional, f"conv{weight.dim() - 2}d")
        return named(input, weight, bias, stride, padding, dilation, groups)
    padding = (padding,) if isinstance(padding, int) else padding
    strides, paddings, dilations, output_paddings = (
        list(size) * (weight.dim() - 2) if len(size) == 1 else list(size)
        for size in (stride, padding, dilation, output_padding)
    )
    return torch.convolution(input, weight, bias, strides, paddings, dilations, transposed, output_paddings, groups)


def _resized(x: Tensor, output_size: Any, scales: Any, mode: str, align_corners: bool | None = None) -> Tensor:
    size = None if output_size is None else [int(n) for n in output_size]
    factors = None if scales is None else [float(n) for n in scales]
    return functional.interpolate(x, size, factors, mode, align_corners)


@op
def upsample_nearest(x: Tensor, output_size: Any = None, scales: Any = None) -> Tensor:
    """Resize the last dimensions by copying the nearest element."""
    return _resized(x, output_size, scales, "nearest")


@op
def upsample_linear1d(x: Tensor, output_size: Any = None, scales: Any = None, align_corners: bool = False) -> Tensor:
    """Resize the last dimension linearly."""
    return _resized(x, output_size, scales, "linear", align_corners)


@op
def upsample_bilinear2d(x: Tensor, output_size: Any = None, scales: Any = None, align_corners: bool = False) -> Tensor:
    """Resize the last two dimensions linearly."""
    return _resized(x, output_size, scales, "bilinear", align_corners)


@op
def upsample_bicubic2d(x: Tensor, output_size: Any = None, scales: Any = None, align_corners: bool = False) -> Tensor:
    """Resize the last two dimensions by cubic polynomials."""
    return _resized(x, output_size, scales, "bicubic", align_corners)


# Writes into the first or last argument


@op
def inplace_silu(input: Tensor) -> Tensor:
    """Replace `input` by `input * sigmoid(input)`."""
    return functional.silu(input, inplace=True)


@op
def inplace_matmul_add(x: Tensor, weight: Tensor, C: Tensor) -> Tensor:
    """Add the product of the transposed `x` and `weight` to `C`."""
    return C.add_(x.mT.to(C.dtype) @ weight.to(C.dtype))


@op
def inplace_grouped_matmul_add(x: Tensor, weight: Tensor, group_list: Tensor, out: Tensor) -> Tensor:
    """Add to each matrix of `out` the product of its group of rows of `x`, transposed, and of `weight`."""
    rows = _rows_of_groups(group_list, 0)
    products = [part.mT.to(out.dtype) @ w.to(out.dtype) for part, w in zip(x.split(rows), weight.split(rows))]
    return out.add_(torch.stack(products))


# Unique elements


@op
def unique2(input: Tensor, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False) -> Any:
    """The unique elements; optionally the index of each element among them, and their counts."""
    return torch.unique(input, sorted=sorted, return_inverse=return_inverse, return_counts=return_counts)


@op
def unique_dim(input: Tensor, sorted: bool, return_inverse: bool, dim: int) -> Any:
    """The unique slices along a dimension, the index of each slice among them, and their counts.

    Args:
        input: a Tensor.
        sorted: whether the slices are in ascending order.
        return_inverse: without effect: the indices are returned in either case.
        dim: the dimension.
    """
    return torch.unique(input, sorted=sorted, return_inverse=True, return_counts=True, dim=dim)


def list_to_tuple(input: list[Any]) -> tuple[Any, ...]:
    """Return a list's elements as a tuple."""
    return tuple(input)


def tuple_to_list(input: tuple[Any, ...]) -> list[Any]:
    """Return a tuple's elements as a list."""
    return list(input)


# Scattering


@op(name="Scatter")
def scatter(input: Tensor, dim: int, index: Tensor, src: Operand, reduce: str = "none") -> Tensor:
    """Write elements along a dimension of a copy, or combine them with its elements."""
    if reduce == "none":
        return input.scatter(dim, index.long(), scattering.part_read(src, index))
    values = torch.as_tensor(scattering.part_read(src, index), dtype=input.dtype, device=input.device)
    values = values.expand(index.shape)
    return input.scatter_reduce(dim, index.long(), values, {"add": "sum", "multiply": "prod"}[reduce])


@op(name="OneHotExt")
def one_hot_ext(tensor: Tensor, num_classes: int, on_value: Operand, off_value: Operand, axis: int = -1) -> Tensor:
    """`on_value` at the indices given by a tensor along a new dimension, `off_value` elsewhere."""
    count = num_classes if num_classes >= 0 else int(tensor.max()) + 1
    classes = torch.arange(count, device=tensor.device)
    chosen = (tensor.unsqueeze(-1) == classes).movedim(-1, axis)
    on, off = (torch.as_tensor(value, device=tensor.device) for value in (on_value, off_value))
    return torch.where(chosen, on, off)


def flash_attention_score(
    query: Any,
    key: Any,
    value: Any,
    real_shift: Any = None,
    drop_mask: Any = None,
    padding_mask: Any = None,
    attn_mask: Any = None,
    prefix: Any = None,
    actual_seq_qlen: Any = None,
    actual_seq_kvlen: Any = None,
    head_num: int = 1,
    keep_prob: float = 1.0,
    scale_value: float = 1.0,
    pre_tokens: int = 2147483647,
    next_tokens: int = 2147483647,
    inner_precise: int = 0,
    input_layout: str = "BSH",
    sparse_mode: int = 0,
) -> tuple[None, None, None, Any]:
    """Return the attention as the last of four results; the others, for gradients of kernels, are None."""
    result = attention.flash_attention_score(
        query, key, value, head_num, real_shift, drop_mask, padding_mask, attn_mask, prefix, actual_seq_qlen,
        actual_seq_kvlen, keep_prob, scale_value, pre_tokens, next_tokens, inner_precise, input_layout, sparse_mode,
    )  # fmt: skip
    return None, None, None, result


# Groups of matrix products


def _rows_of_groups(group_list: Tensor, group_list_type: int) -> list[int]:
    ends = group_list.tolist()
    return ends if group_list_type else [end - start for start, end in zip([0, *ends], ends)]


def _grouped(x: list[Tensor], weight: list[Tensor], bias: Any, group_list: Any, group_list_type: int = 0) -> Any:
    biases = [None] * len(weight) if bias is None else [vector._t for vector in bias]
    if group_list is None:
        return [_with_bias(part @ w, b) for part, w, b in zip(x, weight, biases)]
    parts = x[0].split(_rows_of_groups(group_list._t, group_list_type))
    experts = [None] * len(weight[0]) if biases[0] is None else biases[0]
    return [torch.cat([_with_bias(part @ w, b) for part, w, b in zip(parts, weight[0], experts)])]


def _with_bias(product: Tensor, bias: Tensor | None) -> Tensor:
    return product if bias is None else product + bias


@op(name="GroupedMatmul")
def grouped_matmul(
    x: list[Tensor],
    weight: list[Tensor],
    bias: Any = None,
    scale: NotSupported = None,
    offset: NotSupported = None,
    antiquant_scale: NotSupported = None,
    antiquant_offset: NotSupported = None,
    group_list: Any = None,
    split_item: _Split = 0,
    group_type: _Groups = -1,
    transpose_a: bool = False,
    transpose_b: bool = False,
) -> Any:
    """Multiply each group of rows by its own matrix.

    Args:
        x: a list of one Tensor of shape (rows, n); or without `group_list`, of several.
        weight: a list of one Tensor of shape (groups, n, m); or of several matrices.
        bias: a list of one Tensor of shape (groups, m), or of several vectors. Default: None.
        scale, offset, antiquant_scale, antiquant_offset: not supported.
        group_list: where each group of rows ends. Default: None, each Tensor of `x` is a group.
        split_item: how MindSpore's kernel splits, 0 to 3; without effect here. Default: 0.
        group_type: -1 for several Tensors in `x`, 0 for groups of rows; without effect here. Default: -1.
        transpose_a, transpose_b: whether to transpose `x` and `weight`. Default: False.

    Returns:
        A list of Tensors.

    Raises:
        NotImplementedError: an argument for quantization is given, or `group_type` is 2, groups of columns.
    """
    x = [matrix.mT for matrix in x] if transpose_a else x
    return _grouped(x, [matrix.mT for matrix in weight] if transpose_b else weight, bias, group_list)


@op(name="GroupedMatmulV4")
def grouped_matmul_v4(
    x: list[Tensor],
    weight: list[Tensor],
    bias: Any = None,
    scale: NotSupported = None,
    offset: NotSupported = None,
    antiquant_scale: NotSupported = None,
    antiquant_offset: NotSupported = None,
    pre_token_scale: NotSupported = None,
    group_list: Any = None,
    activation_input: NotSupported = None,
    activation_quant_scale: NotSupported = None,
    activation_quant_offset: NotSupported = None,
    split_item: _Split = 0,
    group_type: _Groups = -1,
    group_list_type: int = 0,
    act_type: Annotated[int, Only(0)] = 0,
    output_dtype: NotSupported = None,
) -> Any:
    """`grouped_matmul`; with `group_list_type=1`, `group_list` holds the sizes of the groups."""
    return _grouped(x, weight, bias, group_list, group_list_type)


@op(name="Gmm")
def gmm(
    x: list[Tensor],
    weight: list[Tensor],
    bias: Any = None,
    group_list: Any = None,
    group_type: _Groups = 0,
    group_list_type: int = 0,
) -> Any:
    """`grouped_matmul`; with `group_list_type=1`, `group_list` holds the sizes of the groups."""
    return _grouped(x, weight, bias, group_list, group_list_type)


@op(name="FormatCast")
def format_cast(input: Tensor, acl_format: int) -> Tensor:
    """Return the tensor; the format is its layout in the memory of Ascend cards."""
    return input


# Functions of `ops` whose parameters have other names


@op
def flip(input: Tensor, axis: Size) -> Tensor:
    """Reverse the order of the elements along the given dimensions."""
    return input.flip(axis)


@op
def smooth_l1_loss(
    prediction: Annotated[Tensor, "*S"],
    target: Annotated[Tensor, "*S"],
    beta: PositiveFloat = 1.0,
    reduction: Reduction = "none",
) -> Tensor:
    """`ops.smooth_l1_loss`."""
    return loss.smooth_l1_loss.body(prediction, target, beta, reduction)


@op
def tensor_scatter_elements(
    data: Tensor, indices: Ints, updates: Tensor, axis: int = 0, reduce: Literal["none", "add"] = "none"
) -> Tensor:
    """`ops.tensor_scatter_elements`."""
    return scattering.tensor_scatter_elements.body(data, indices, updates, axis, reduce)


@op(name="AddLayerNormV2")
def add_layernorm_v2(
    x1: Tensor, x2: Tensor, gamma: Tensor, beta: Tensor, epsilon: float = 1e-05, additionalOut: bool = False
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """`ops.add_layer_norm`."""
    return fused_forms.add_layer_norm.body(x1, x2, gamma, beta, epsilon, additionalOut)
