"""Operations of layers: products, convolutions, pooling, normalization, attention and embeddings."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch

from torchspore.serialization.mindir.building import Builder, NoForm, Value
from torchspore.serialization.mindir.open_sizes import is_open, reshaped, same_size
from torchspore.serialization.mindir.operations.expansions import expansion
from torchspore.serialization.mindir.operations.forms import form, operand

aten = torch.ops.aten


@form(aten.linear.default)
def _linear(b: Builder, x: Value, weight: Value, bias: Value | None = None) -> Value:
    flat = x if x.rank == 2 else reshaped(b, x, (-1, x.shape[-1]))
    product = b.call("MatMul", flat, weight, transpose_a=False, transpose_b=True, transpose_x1=False, transpose_x2=True)
    if bias is not None and is_open(product.shape):  # for which MindSpore Lite has no BiasAdd
        product = b.call("Add", product, bias)
    elif bias is not None:
        product = b.call("BiasAdd", product, bias, format="NCHW")
    return product if x.rank == 2 else reshaped(b, product, (*x.shape[:-1], weight.shape[0]))


@form(aten.mm.default, aten.bmm.default, aten.matmul.default)
def _matmul(b: Builder, x: Value, y: Value) -> Value:
    if x.rank == y.rank == 2:
        names = dict.fromkeys(["transpose_a", "transpose_b", "transpose_x1", "transpose_x2"], False)
        return b.call("MatMul", x, y, **names)
    if min(x.rank, y.rank) > 1 and x.rank == y.rank and all(map(same_size, x.shape[:-2], y.shape[:-2])):
        names = dict.fromkeys(["transpose_a", "transpose_b", "adj_x1", "adj_x2"], False)
        return b.call("BatchMatMul", x, y, **names)
    if y.rank == 2 and x.rank > 2:
        product = _matmul(b, reshaped(b, x, (-1, x.shape[-1])), y)
        return reshaped(b, product, (*x.shape[:-1], y.shape[-1]))
    raise NoForm(f"it multiplies tensors of {x.rank} and {y.rank} dimensions")


@form(aten._native_batch_norm_legit_no_training.default)
def _batch_norm(
    b: Builder, x: Value, weight: Value, bias: Value, mean: Value, variance: Value, momentum: float, epsilon: float
) -> tuple[Value, None, None]:
    if x.rank == 3:
        found = _batch_norm(b, b.call("ExpandDims", x, 3), weight, bias, mean, variance, momentum, epsilon)
        return b.call("Squeeze", found[0], axis=(3,)), None, None
    if x.rank != 4:  # MindSpore 1.10 takes images only
        inner = math.prod(x.shape[2:])
        image = reshaped(b, x, (x.shape[0], x.shape[1], inner, 1))
        found = _batch_norm(b, image, weight, bias, mean, variance, momentum, epsilon)
        return reshaped(b, found[0], x.shape), None, None
    found = b.call(
        "BatchNorm", x, weight, bias, mean, variance, is_training=False, epsilon=float(epsilon), momentum=0.1,
        format="NCHW",
    )  # fmt: skip
    return b.item(found, 0), None, None


@form(aten.layer_norm.default)
def _layer_norm(
    b: Builder, x: Value, shape: Sequence[int], weight: Value | None = None, bias: Value | None = None,
    epsilon: float = 1e-5, cudnn_enable: bool = True,
) -> Value:  # fmt: skip
    # MindSpore Lite 2.0 computes its LayerNorm wrongly, that of MindSpore's own files, too; it fuses these steps.
    axes = tuple(range(x.rank - len(shape), x.rank))
    centered = b.call("Sub", x, b.call("ReduceMean", x, axes, keep_dims=True))
    variance = b.call("ReduceMean", b.call("Square", centered), axes, keep_dims=True)
    result = b.call("Mul", centered, b.call("Rsqrt", b.call("Add", variance, operand(b, epsilon, x.dtype))))
    result = result if weight is None else b.call("Mul", result, weight)
    return result if bias is None else b.call("Add", result, bias)


@form(aten.embedding.default)
def _embedding(b: Builder, weight: Value, indices: Value, padding_idx: int = -1) -> Value:
    return b.call("Gather", weight, indices, 0, batch_dims=0)


@form(aten.scaled_dot_product_attention.default)
def _attention(
    b: Builder, query: Value, key: Value, value: Value, attn_mask: Value | None = None, dropout_p: float = 0.0,
    is_causal: bool = False, scale: float | None = None, enable_gqa: bool = False,
) -> Value:  # fmt: skip
    if dropout_p or is_causal or enable_gqa:
        raise NoForm("it is attention with dropout, is_causal or grouped heads")
    scale = query.shape[-1] ** -0.5 if scale is None else scale
    names = {"transpose_a": False, "transpose_b": True, "adj_x1": False, "adj_x2": True}
    scores = b.call("BatchMatMul", b.call("Mul", query, operand(b, scale, query.dtype)), key, **names)
    if attn_mask is not None:
        if attn_mask.dtype == torch.bool:
            low = torch.finfo(query.dtype).min
            mask = b.call("LogicalNot", attn_mask)
            attn_mask = b.call("Mul", b.cast(mask, query.dtype), operand(b, low, query.dtype))
        scores = b.call("Add", scores, attn_mask)
    return _matmul(b, b.call("Softmax", scores, axis=(scores.rank - 1,)), value)


@expansion(aten.scaled_dot_product_attention.default)
def _other_attention(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, attn_mask: torch.Tensor | None = None,
    dropout_p: float = 0.0, is_causal: bool = False, *, scale: float | None = None, enable_gqa: bool = False,
) -> torch.Tensor:  # fmt: skip
    scale = query.shape[-1] ** -0.5 if scale is None else scale
    if enable_gqa:
        groups = query.shape[-3] // key.shape[-3]
        key, value = [each.repeat_interleave(groups, -3) for each in (key, value)]
    scores = (query * scale) @ key.transpose(-1, -2)
    if is_causal:
        attn_mask = torch.ones(query.shape[-2], key.shape[-2], dtype=torch.bool).tril()
    if attn_mask is not None and attn_mask.dtype == torch.bool:
        attn_mask = torch.where(attn_mask, 0.0, torch.finfo(query.dtype).min).to(query.dtype)
    scores = scores if attn_mask is None else scores + attn_mask
    return torch.dropout(torch.softmax(scores, -1), dropout_p, True) @ value
