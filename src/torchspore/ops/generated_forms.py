"""Forms of operations that only `torchspore.ops.auto_generate` offers, under MindSpore's names in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from torchspore.common import device as devices
from torchspore.common import dtype as mstype
from torchspore.engine.op import Operand, Size, Type, op
from torchspore.ops import attention, loss, scattering

__all__ = [
    "adamw", "batch_norm_ext", "bernoulli_ext", "constant_pad_nd", "convolution", "dropout_ext",
    "flash_attention_score", "flip", "format_cast", "gmm", "group_norm", "grouped_matmul", "grouped_matmul_v4",
    "inplace_grouped_matmul_add", "inplace_matmul_add", "inplace_normal", "inplace_silu", "inplace_uniform",
    "layer_norm_ext", "layer_norm_v3", "list_to_tuple", "log_sigmoid", "moe_compute_expert_tokens",
    "moe_finalize_routing", "multinomial_ext", "one_hot_ext", "rand_ext", "rand_like_ext", "randint", "randn",
    "randn_like", "randperm_ext", "reflection_pad", "replication_pad", "scatter", "smooth_l1_loss",
    "tensor_scatter_elements", "tuple_to_list", "uniform_ext", "unique2", "unique_dim", "upsample_bicubic2d",
    "upsample_bilinear2d", "upsample_linear1d", "upsample_nearest",
]  # fmt: skip

# Normalisations that return their statistics, too


@op
def layer_norm_ext(
    input: Tensor, normalized_shape: Size, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-05
) -> tuple[Tensor, ...]:
    """Normalise over the last dimensions; also return mean and reciprocal deviation."""
    return torch.native_layer_norm(input, list(normalized_shape), weight, bias, eps)


@op
def group_norm(
    input: Tensor, num_groups: int, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-05
) -> tuple[Tensor, ...]:
    """Normalise groups of channels; also return mean and reciprocal deviation."""
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
    """Normalise channels; also return mean and reciprocal deviation of the batch."""
    return torch.native_batch_norm(input, weight, bias, running_mean, runnning_var, training, momentum, epsilon)


@op
def layer_norm_v3(
    input_x: Tensor,
    gamma: Tensor,
    beta: Tensor,
    begin_norm_axis: int = 1,
    begin_params_axis: int = 1,
    epsilon: float = 1e-07,
) -> tuple[Tensor, ...]:
    """Normalise over the dimensions from `begin_norm_axis` on; also return mean and reciprocal deviation."""
    result, mean, spread = torch.native_layer_norm(input_x, input_x.shape[begin_norm_axis:], None, None, epsilon)
    return result * gamma + beta, mean, spread


@op
def log_sigmoid(input: Tensor) -> tuple[Tensor, Tensor]:
    """The logarithm of the sigmoid, and what its gradient needs on some cards."""
    return functional.logsigmoid(input), torch.empty_like(input)


# Padding, convolution, resizing


@op
def constant_pad_nd(input: Tensor, padding: Size, value: Operand = 0.0) -> Tensor:
    """Pad the last dimensions by a number."""
    return functional.pad(input, list(padding), "constant", value)


@op
def reflection_pad(input: Tensor, padding: Size) -> Tensor:
    """Pad the last dimensions by their mirror image."""
    return functional.pad(input, list(padding), "reflect")


@op
def replication_pad(input: Tensor, padding: Size) -> Tensor:
    """Pad the last dimensions by their outermost elements."""
    return functional.pad(input, list(padding), "replicate")


@op
def convolution(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Size = 1,
    padding: Size = 0,
    dilation: Size = 1,
    transposed: bool = False,
    output_padding: Size = 0,
    groups: int = 1,
) -> Tensor:
    """Convolve in as many dimensions as there are."""
    steps, pads, gaps, more = (
        list(given) * (weight.dim() - 2) if len(given) == 1 else list(given)
        for given in (stride, padding, dilation, output_padding)
    )
    return torch.convolution(input, weight, bias, steps, pads, gaps, transposed, more, groups)


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
    """Replace `x` by `x * sigmoid(x)`."""
    return functional.silu(input, inplace=True)


@op
def inplace_matmul_add(x: Tensor, weight: Tensor, C: Tensor) -> Tensor:
    """Add the product of the transposed `x` and `weight` to `C`."""
    return C.add_(x.mT.to(C.dtype) @ weight.to(C.dtype))


@op
def inplace_grouped_matmul_add(x: Tensor, weight: Tensor, group_list: Tensor, out: Tensor) -> Tensor:
    """Add to every matrix of `out` the product of its rows of the transposed `x` and of `weight`."""
    rows = _rows_of_groups(group_list, 0)
    products = [one.mT.to(out.dtype) @ w.to(out.dtype) for one, w in zip(x.split(rows), weight.split(rows))]
    return out.add_(torch.stack(products))


# Unique elements


@op
def unique2(input: Tensor, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False) -> Any:
    """The different elements, and with them where each element is, and how often each occurs."""
    return torch.unique(input, sorted=sorted, return_inverse=return_inverse, return_counts=return_counts)


@op
def unique_dim(input: Tensor, sorted: bool, return_inverse: bool, dim: int) -> Any:
    """The different slices along a dimension, where each is, and how often each occurs."""
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
    """Put elements along a dimension, or combine them with what is there, in a copy."""
    if reduce == "none":
        return input.scatter(dim, index.long(), src)
    values = torch.as_tensor(src, dtype=input.dtype, device=input.device).expand(index.shape)
    return input.scatter_reduce(dim, index.long(), values, {"add": "sum", "multiply": "prod"}[reduce])


@op(name="OneHotExt")
def one_hot_ext(tensor: Tensor, num_classes: int, on_value: Operand, off_value: Operand, axis: int = -1) -> Tensor:
    """One value at the places that a tensor names along a new dimension, another elsewhere."""
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
    """Return the attention as the last of four; the others, which kernels need for gradients, are None."""
    result = attention.flash_attention_score(
        query, key, value, head_num, real_shift, drop_mask, padding_mask, attn_mask, prefix, actual_seq_qlen,
        actual_seq_kvlen, keep_prob, scale_value, pre_tokens, next_tokens, inner_precise, input_layout, sparse_mode,
    )  # fmt: skip
    return None, None, None, result


# Mixtures of experts


def _rows_of_groups(group_list: Tensor, group_list_type: int) -> list[int]:
    ends = group_list.tolist()
    return ends if group_list_type else [end - start for start, end in zip([0, *ends], ends)]


def _grouped(x: list[Tensor], weight: list[Tensor], bias: Any, group_list: Any, group_list_type: int = 0) -> Any:
    biases = [None] * len(weight) if bias is None else [one._t for one in bias]
    if group_list is None:
        return [_added(one @ w, b) for one, w, b in zip(x, weight, biases)]
    parts = x[0].split(_rows_of_groups(group_list._t, group_list_type))
    experts = [None] * len(weight[0]) if biases[0] is None else biases[0]
    return [torch.cat([_added(part @ w, b) for part, w, b in zip(parts, weight[0], experts)])]


def _added(product: Tensor, bias: Tensor | None) -> Tensor:
    return product if bias is None else product + bias


def _none(api: str, **given: Any) -> None:
    for name, value in given.items():
        if value is not None:
            raise NotImplementedError(f"For '{api}', '{name}' belongs to quantisation, which is not supported.")


@op(name="GroupedMatmul")
def grouped_matmul(
    x: list[Tensor],
    weight: list[Tensor],
    bias: Any = None,
    scale: Any = None,
    offset: Any = None,
    antiquant_scale: Any = None,
    antiquant_offset: Any = None,
    group_list: Any = None,
    split_item: int = 0,
    group_type: int = -1,
    transpose_a: bool = False,
    transpose_b: bool = False,
) -> Any:
    """Multiply groups of rows, each with a matrix of its own.

    Args:
        x: a list of one Tensor of shape (rows, n); or without `group_list`, of several.
        weight: a list of one Tensor of shape (groups, n, m); or of several matrices.
        bias: a list of one Tensor of shape (groups, m), or of several vectors. Default: None.
        scale, offset, antiquant_scale, antiquant_offset: not supported.
        group_list: where each group of rows ends. Default: None, each Tensor of `x` is a group.
        split_item, group_type: how MindSpore's kernel is to be run; they follow from the arguments.
        transpose_a, transpose_b: whether to transpose `x` and `weight`. Default: False.

    Returns:
        A list of Tensors.
    """
    _none(
        "GroupedMatmul", scale=scale, offset=offset, antiquant_scale=antiquant_scale, antiquant_offset=antiquant_offset
    )
    x = [one.mT for one in x] if transpose_a else x
    return _grouped(x, [one.mT for one in weight] if transpose_b else weight, bias, group_list)


@op(name="GroupedMatmulV4")
def grouped_matmul_v4(
    x: list[Tensor],
    weight: list[Tensor],
    bias: Any = None,
    scale: Any = None,
    offset: Any = None,
    antiquant_scale: Any = None,
    antiquant_offset: Any = None,
    pre_token_scale: Any = None,
    group_list: Any = None,
    activation_input: Any = None,
    activation_quant_scale: Any = None,
    activation_quant_offset: Any = None,
    split_item: int = 0,
    group_type: int = -1,
    group_list_type: int = 0,
    act_type: int = 0,
    output_dtype: Any = None,
) -> Any:
    """Do `grouped_matmul`; with `group_list_type=1`, `group_list` has the numbers of rows."""
    _none(
        "GroupedMatmulV4", scale=scale, offset=offset, antiquant_scale=antiquant_scale,
        antiquant_offset=antiquant_offset, pre_token_scale=pre_token_scale, activation_input=activation_input,
        activation_quant_scale=activation_quant_scale, activation_quant_offset=activation_quant_offset,
        act_type=act_type or None, output_dtype=output_dtype,
    )  # fmt: skip
    return _grouped(x, weight, bias, group_list, group_list_type)


@op(name="Gmm")
def gmm(
    x: list[Tensor],
    weight: list[Tensor],
    bias: Any = None,
    group_list: Any = None,
    group_type: int = 0,
    group_list_type: int = 0,
) -> Any:
    """Do `grouped_matmul`; with `group_list_type=1`, `group_list` has the numbers of rows."""
    return _grouped(x, weight, bias, group_list, group_list_type)


@op(name="QuantV2")
def quant_v2(
    x: Tensor,
    scale: Tensor,
    offset: Tensor,
    sqrt_mode: bool = False,
    rounding_mode: str = "ROUND",
    dst_type: Type = mstype.int8,
) -> Tensor:
    """Numbers as integers: `scale * x + offset`, rounded to the nearest even one, within the limits of `dst_type`.

    Args:
        x: a Tensor of a floating point type.
        scale, offset: Tensors of that type, which are broadcast to `x`.
        sqrt_mode: whether to scale twice. Default: False.
        rounding_mode: "ROUND". Default: "ROUND".
        dst_type: the data type of the result, int8. Default: int8.

    Raises:
        ValueError: another rounding mode or data type.
    """
    if rounding_mode.upper() != "ROUND" or dst_type is not torch.int8:
        raise ValueError(f"'rounding_mode' must be 'ROUND' and 'dst_type' int8, but got {rounding_mode!r}, {dst_type}")
    scaled = x * scale * scale if sqrt_mode else x * scale
    return (scaled + offset).round().clamp(-128, 127).to(dst_type)


@op(name="MoeFinalizeRouting")
def moe_finalize_routing(
    expanded_x: Tensor,
    x1: Tensor,
    x2: Tensor | None,
    bias: Tensor,
    scales: Tensor,
    expanded_row_idx: Tensor,
    expanded_expert_idx: Tensor,
) -> Tensor:
    """Add to every token the weighted results of its experts.

    Args:
        expanded_x: the experts' results, of shape (k * tokens, n).
        x1, x2: what they are added to, of shape (tokens, n); `x2` may be None.
        bias: an addend for each expert, of shape (experts, n).
        scales: the weights, of shape (tokens, k).
        expanded_row_idx: the row of each result, first those of every token's first expert.
        expanded_expert_idx: the experts of each token, of shape (tokens, k).
    """
    results = expanded_x[expanded_row_idx.long()].view(scales.shape[1], *x1.shape).transpose(0, 1)
    added = ((results + bias[expanded_expert_idx.long()]) * scales.unsqueeze(2)).sum(1)
    return x1 + added if x2 is None else x1 + x2 + added


@op(name="MoeComputeExpertTokens")
def moe_compute_expert_tokens(sorted_experts: Tensor, num_expert: int) -> Tensor:
    """Where each expert's tokens end among those sorted by expert."""
    experts = torch.arange(num_expert, device=sorted_experts.device, dtype=sorted_experts.dtype)
    return torch.searchsorted(sorted_experts, experts, right=True).to(sorted_experts.dtype)


@op(name="AdamW")
def adamw(
    var: Tensor,
    m: Tensor,
    v: Tensor,
    max_v: Tensor,
    gradient: Tensor,
    step: Any,
    lr: Any,
    beta1: Any,
    beta2: Any,
    decay: Any,
    eps: Any,
    amsgrad: bool = False,
    maximize: bool = False,
) -> tuple[Tensor, ...]:
    """Do a step of AdamW in place: of the weights `var`, the moments `m` and `v`, and the greatest `v`, `max_v`."""
    step, lr, beta1, beta2, decay, eps = (float(value) for value in (step, lr, beta1, beta2, decay, eps))
    gradient = -gradient if maximize else gradient
    var.mul_(1 - lr * decay)
    m.lerp_(gradient.to(m.dtype), 1 - beta1)
    v.mul_(beta2).addcmul_(gradient.to(v.dtype), gradient.to(v.dtype), value=1 - beta2)
    if amsgrad:
        torch.maximum(max_v, v, out=max_v)
    spread = ((max_v if amsgrad else v) / (1 - beta2**step)).sqrt() + eps
    var.sub_((lr / (1 - beta1**step) * m / spread).to(var.dtype))
    return var, m, v


@op(name="FormatCast")
def format_cast(input: Tensor, acl_format: int) -> Tensor:
    """Choose the layout of a tensor in an Ascend card's memory; it does not change what the tensor is."""
    return input


# Random numbers from a seed and an offset, which MindSpore's generator gives


def _generator(seed: Any, offset: Any, device: torch.device) -> torch.Generator:
    return torch.Generator(device).manual_seed((int(seed) * 0x9E3779B1 + int(offset)) % 2**63)


@op(name="DropoutExt")
def dropout_ext(input: Tensor, p: float, seed: Any, offset: Any) -> tuple[Tensor, Tensor]:
    """Replace elements by zeros with probability `p`, and scale the others; also return which were kept."""
    kept = torch.rand(input.shape, generator=_generator(seed, offset, input.device), device=input.device) >= p
    return input * kept / (1 - p), kept


@op(name="RandExt")
def rand_ext(shape: Size, seed: Any, offset: Any, dtype: Type | None = None, device: Any = None) -> Tensor:
    """Uniform numbers from 0 to 1."""
    place = devices.current()
    return torch.rand(shape, generator=_generator(seed, offset, place), dtype=dtype, device=place)


@op(name="Randn")
def randn(shape: Size, seed: Any, offset: Any, dtype: Type | None = None, device: Any = None) -> Tensor:
    """Numbers of the standard normal distribution."""
    place = devices.current()
    return torch.randn(shape, generator=_generator(seed, offset, place), dtype=dtype, device=place)


@op(name="RandInt")
def randint(
    low: int, high: int, shape: Size, seed: Any, offset: Any, dtype: Type | None = None, device: Any = None
) -> Tensor:
    """Uniform ints from `low` to below `high`."""
    place = devices.current()
    return torch.randint(low, high, shape, generator=_generator(seed, offset, place), dtype=dtype, device=place)


@op(name="RandpermExt")
def randperm_ext(n: int, seed: Any, offset: Any, dtype: Type | None = None) -> Tensor:
    """The ints below `n` in random order."""
    place = devices.current()
    return torch.randperm(n, generator=_generator(seed, offset, place), dtype=dtype or torch.int64, device=place)


def _like(draw: Callable[..., Any], name: str) -> Any:
    @op(name=name)
    def like(input: Tensor, seed: Any, offset: Any, dtype: Type | None = None, device: Any = None) -> Tensor:
        generator = _generator(seed, offset, input.device)
        return draw(input.shape, generator=generator, dtype=dtype or input.dtype, device=input.device)

    return like


rand_like_ext, randn_like = _like(torch.rand, "RandLikeExt"), _like(torch.randn, "RandnLike")


@op(name="UniformExt")
def uniform_ext(tensor: Tensor, a: float, b: float, seed: Any, offset: Any) -> Tensor:
    """Uniform numbers from `a` to `b`, as many as a tensor has."""
    return torch.empty_like(tensor).uniform_(float(a), float(b), generator=_generator(seed, offset, tensor.device))


@op(name="BernoulliExt")
def bernoulli_ext(input: Tensor, seed: Any, offset: Any) -> Tensor:
    """1 with the probabilities of a tensor, else 0."""
    return torch.bernoulli(input, generator=_generator(seed, offset, input.device))


@op(name="MultinomialExt")
def multinomial_ext(input: Tensor, num_samples: int, replacement: bool, seed: Any, offset: Any) -> Tensor:
    """Draw indices with the weights of a tensor."""
    return torch.multinomial(input, num_samples, replacement, generator=_generator(seed, offset, input.device))


@op(name="InplaceUniform")
def inplace_uniform(input: Tensor, from_: float, to: float, seed: Any, offset: Any) -> Tensor:
    """Replace the elements by uniform numbers."""
    return input.uniform_(float(from_), float(to), generator=_generator(seed, offset, input.device))


@op(name="InplaceNormal")
def inplace_normal(input: Tensor, mean: float, std: float, seed: Any, offset: Any) -> Tensor:
    """Replace the elements by numbers of a normal distribution."""
    return input.normal_(float(mean), float(std), generator=_generator(seed, offset, input.device))


# Functions of `ops` with other names of parameters


@op
def flip(input: Tensor, axis: Size) -> Tensor:
    """Reverse the order of the elements along the given dimensions."""
    return input.flip(axis)


@op
def smooth_l1_loss(prediction: Tensor, target: Tensor, beta: float = 1.0, reduction: str = "none") -> Tensor:
    """The absolute difference with a parabola in place of its kink; see `ops.smooth_l1_loss`."""
    return loss.smooth_l1_loss.body(prediction, target, beta, reduction)


@op
def tensor_scatter_elements(
    data: Tensor, indices: Tensor, updates: Tensor, axis: int = 0, reduce: str = "none"
) -> Tensor:
    """Put single elements into a copy of a tensor; see `ops.tensor_scatter_elements`."""
    return scattering.tensor_scatter_elements.body(data, indices, updates, axis, reduce)
