"""`mint` against torch, whose signatures and results it has: values, dtypes and gradients of what MindSpore cannot run
on a CPU. The same expression is evaluated twice: over `mint` and its Tensors, and over torch and torch's."""

from __future__ import annotations

import warnings
from types import SimpleNamespace

import numpy as np
import pytest
import torch

import cases
import torchspore
from torchspore.common.dtype import FROM_TORCH

OPERATIONS = [
    "mint.exp2(x)", "mint.frac(x)", "mint.asinh(x)", "mint.atan(x)", "mint.arcsinh(x)", "mint.arctan(x)",
    "mint.log10(q)", "mint.log2(q)", "mint.acos(p)", "mint.arccos(p)", "mint.arcsin(p)", "mint.asin(p)",
    "mint.acosh(q + 1)", "mint.arccosh(q + 1)", "mint.cos(i)", "mint.exp(i)", "mint.log1p(i)", "mint.sigmoid(i)",
    "mint.tanh(i)", "mint.exp(b)", "mint.sin(b)", "mint.bitwise_not(b)", "mint.isneginf(nan)",
    "mint.round(q, decimals=1)", "mint.bitwise_not(i)", "mint.arctan2(q, y)", "mint.atan2(q, y)",
    "mint.logaddexp(q, y)", "mint.logaddexp2(q, y)", "mint.atan2(i, j)", "mint.xlogy(i, j)", "mint.bitwise_or(i, j)",
    "mint.bitwise_xor(i, j)", "mint.bitwise_and(i, 3)", "mint.bitwise_or(b, c)", "mint.equal(x, x)", "mint.equal(x, y)",
    "mint.where(b)", "mint.addcdiv(x, y, q)", "mint.addcdiv(x, y, q, value=0.5)", "mint.addcmul(x, y, q, value=2)",
    "mint.clone(x)", "mint.special.exp2(q)", "mint.special.log_softmax(x, 1)",
    "mint.special.log_softmax(x, dim=0, dtype=ms.float64)", "mint.nansum(i, dim=1, keepdim=True, dtype=ms.float32)",
    "mint.var(x)", "mint.var(x, 0)", "mint.var(z, (0, 1), correction=0, keepdim=True)", "mint.std(x)",
    "mint.std(x, dim=1)", "mint.std(x, 1, correction=0)", "mint.std_mean(x, 1)",
    "mint.var_mean(x, 1, correction=0, keepdim=True)", "mint.logsumexp(x, 0)", "mint.logsumexp(x, (0, 1), True)",
    "mint.count_nonzero(i)", "mint.count_nonzero(i, 0)", "mint.count_nonzero(x, dim=(0, 1))", "mint.norm(x)",
    "mint.norm(x, 1)", "mint.norm(x, p=2, dim=1)", "mint.norm(z, 'fro', (0, 1), True)", "mint.norm(x, float('inf'))",
    "mint.norm(h, dtype=ms.float32)", "mint.argmax(x)", "mint.argmax(x, 1)", "mint.argmax(x, dim=0, keepdim=True)",
    "mint.argmin(x)", "mint.argmin(x, 1)", "mint.argmin(x, 0, True)", "mint.median(x)", "mint.median(x, 1)",
    "mint.median(x, dim=0, keepdim=True)", "mint.kthvalue(x, 2)", "mint.kthvalue(x, 1, 0, True)", "mint.cumsum(x, 0)",
    "mint.cumsum(i, 1)", "mint.cumsum(x, dim=1, dtype=ms.float64)", "mint.cummin(x, 0)", "mint.sort(x)",
    "mint.sort(x, dim=0, descending=True)", "mint.sort(x, stable=True)", "mint.argsort(x)", "mint.argsort(x, 0, True)",
    "mint.topk(x, 2)", "mint.topk(x, 1, 0)", "mint.topk(x, 2, largest=False)", "mint.unique(i)",
    "mint.unique(i, return_inverse=True, return_counts=True)", "mint.unique(j, dim=1)", "mint.bincount(k)",
    "mint.bincount(k, Tensor([0.5, 1.5, 2.0]), 5)", "mint.histc(x, 4)", "mint.histc(x, 4, -1, 1)",
    "mint.searchsorted(mint.sort(v)[0], x, right=True, out_int32=True)", "mint.nonzero(b, as_tuple=True)",
    "mint.trace(m)", "mint.trace(i)", "mint.arange(5)", "mint.arange(1, 4)", "mint.arange(1, 2, 0.25)",
    "mint.arange(0, 6, 2, dtype=ms.float32)", "mint.full((2, 2), 3)", "mint.full((2,), 1.5)", "mint.full((2,), True)",
    "mint.full((2,), 3, dtype=ms.float16)", "mint.full_like(x, 7)", "mint.full_like(i, 2.5, dtype=ms.float32)",
    "mint.zeros_like(x)", "mint.zeros_like(x, dtype=ms.int8)", "mint.ones_like(i)",
    "mint.ones_like(i, dtype=ms.float16)", "mint.linspace(0, 1, 5)", "mint.linspace(1, 10, steps=4, dtype=ms.int64)",
    "mint.cat([x, h], dim=-1)", "mint.stack([x, y])", "mint.stack((x, y), dim=-1)", "mint.meshgrid(v, m[0])",
    "mint.meshgrid(v, m[0], indexing='ij')", "mint.meshgrid([v, m[0]])",
    "mint.meshgrid(v, m[0], indexing='xy')", "mint.repeat_interleave(x, 2)",
    "mint.repeat_interleave(x, 2, 1)", "mint.repeat_interleave(x, Tensor([1, 2, 1]), dim=1)", "mint.roll(x, 1)",
    "mint.roll(x, 1, 1)", "mint.roll(x, (1, 2), (0, 1))", "mint.diag(v)", "mint.diag(m)", "mint.diag(m, 1)",
    "mint.diag(v, diagonal=-1)", "mint.tril(m)", "mint.tril(m, 1)", "mint.index_select(m, 1, Tensor([0, 3, 0]))",
    "mint.take(m, Tensor([[0, 11], [5, -1]]))", "mint.index_add(m, 0, Tensor([2, 0]), m[:2])",
    "mint.index_add(m, dim=0, index=Tensor([1]), source=m[:1], alpha=2)",
    "mint.scatter_add(m, 1, Tensor([[0, 0], [1, 2], [3, 3]]), m[:, :2])", "mint.mm(x, m)", "mint.mv(x, v)",
    "mint.dot(v, v)", "mint.vdot(v, v)", "mint.outer(v, v)", "mint.inverse(m[:, :3])", "mint.einsum('ij,jk->ik', x, m)",
    "mint.einsum('ij->j', x)", "mint.addmm(s, x, m)", "mint.addmm(m[:2], x, m, beta=0.5, alpha=2)",
    "mint.addmv(v[:2], x, v, beta=2, alpha=0.5)", "mint.baddbmm(s, m.reshape((1, 3, 4)), m.reshape((1, 4, 3)))",
    "mint.baddbmm(s, m.reshape((1, 3, 4)), m.reshape((1, 4, 3)), beta=0.5, alpha=2)",
    "mint.addbmm(s, m.reshape((1, 3, 4)), m.reshape((1, 4, 3)))",
    "mint.addbmm(s, m.reshape((1, 3, 4)), m.reshape((1, 4, 3)), beta=0.5, alpha=2)", "mint.linalg.inv(m[:, :3])",
    "mint.linalg.qr(x)", "mint.linalg.qr(m, mode='complete')", "mint.linalg.norm(x)", "mint.linalg.norm(x, 1)",
    "mint.linalg.norm(x, 2, 1)", "mint.linalg.norm(z, dim=(0, 1), keepdim=True)", "mint.linalg.norm(x, float('inf'))",
    "mint.linalg.vector_norm(x)", "mint.linalg.vector_norm(x, 1, 0)",
    "mint.linalg.vector_norm(x, float('inf'), 1, True)", "mint.linalg.vector_norm(h, dtype=ms.float32)",
    "mint.linalg.matrix_norm(m)", "mint.linalg.matrix_norm(z, 1)",
]  # fmt: skip

FUNCTIONS = [
    "F.relu6(x)", "F.logsigmoid(x)", "F.mish(x)", "F.selu(x)", "F.gelu(x)", "F.elu(x)", "F.leaky_relu(x)",
    "F.hardtanh(x)", "F.gelu(x, approximate='tanh')", "F.elu(x, 2.0)", "F.leaky_relu(x, 0.25)",
    "F.hardtanh(x, -0.5, 0.5)", "F.threshold(x, 0.1, 20.0)", "F.log_softmax(x)", "F.log_softmax(x, dim=0)",
    "F.normalize(x)", "F.normalize(x, 1.0, 0)", "F.normalize(x, p=3.0, dim=1, eps=0.5)", "F.one_hot(labels)",
    "F.one_hot(k, 4)", "F.one_hot(k, num_classes=-1)", "F.dropout2d(img, 0.5, training=False)", "F.mse_loss(x, y)",
    "F.l1_loss(x, y)", "F.soft_margin_loss(x, Tensor([[1.0, -1.0, 1.0], [-1.0, 1.0, 1.0]]))", "F.kl_div(x, p)",
    "F.mse_loss(x, y, reduction='sum')", "F.l1_loss(x, y, reduction='sum')",
    "F.soft_margin_loss(x, Tensor([[1.0, -1.0, 1.0], [-1.0, 1.0, 1.0]]), reduction='sum')",
    "F.kl_div(x, p, reduction='sum')", "F.mse_loss(x, y, reduction='none')", "F.l1_loss(x, y, reduction='none')",
    "F.soft_margin_loss(x, Tensor([[1.0, -1.0, 1.0], [-1.0, 1.0, 1.0]]), reduction='none')",
    "F.kl_div(x, p, reduction='none')", "F.kl_div(x, p, reduction='batchmean')", "F.kl_div(x, y, log_target=True)",
    "F.cross_entropy(logits, labels)", "F.cross_entropy(logits, labels, reduction='none')",
    "F.cross_entropy(logits, labels, Tensor([4.0, 3.0, 5.0, 4.5, 4.0]), label_smoothing=0.1)",
    "F.cross_entropy(logits, mint.softmax(logits, -1))", "F.cosine_embedding_loss(x, y, Tensor([1, -1]))",
    "F.cosine_embedding_loss(x, y, Tensor([1, -1]), 0.2, reduction='none')", "F.embedding(k, m)",
    "F.embedding(k, m, 1)", "F.conv1d(sig, ker[:, :, 0])", "F.conv1d(sig, ker[:, :, 0], v, 2, 1)",
    "F.conv1d(sig, ker[:, :, 0], padding='same')", "F.conv2d(img, ker)", "F.conv2d(img, ker, v, (2, 1), (1, 0), 2)",
    "F.conv2d(img, ker, padding='same')", "F.conv2d(img, ker, padding='valid')", "F.conv2d(img, ker[:2, :2], groups=2)",
    "F.conv2d(img[0], ker)", "F.conv3d(img.reshape((1, 4, 2, 6, 6)), ker.reshape((3, 4, 1, 3, 3)), v, 1, 1)",
    "F.conv_transpose2d(img[:, :3], ker)", "F.conv_transpose2d(img[:, :3], ker, None, 2, 1, 1)",
    "F.batch_norm(img, Tensor([0.1, 0.2, -0.3, 0.4]), Tensor([1.0, 2.0, 3.0, 4.0]))",
    "F.batch_norm(img, Tensor([0.1, 0.2, -0.3, 0.4]), Tensor([1.0, 2.0, 3.0, 4.0]), m[2], m[0])",
    "F.batch_norm(x, None, None, training=True)", "F.layer_norm(x, (3,))", "F.layer_norm(z, (3, 4), m, m)",
    "F.layer_norm(x, [3], v, None, 0.1)", "F.avg_pool1d(sig, 2)", "F.avg_pool1d(sig, 3, 2, 1, True, False)",
    "F.avg_pool2d(img, 2)", "F.avg_pool2d(img, (3, 2), 2, (1, 0), count_include_pad=False)",
    "F.avg_pool2d(img, 2, divisor_override=3)", "F.avg_pool3d(img.reshape((1, 4, 2, 6, 6)), 2)",
    "F.avg_pool3d(img.reshape((1, 4, 2, 6, 6)), 2, 1, 1, True, False)", "F.max_pool2d(img, 2)",
    "F.max_pool2d(img, 3, 2, 1, 1, True)", "F.max_pool2d(img, 3, 1, return_indices=True)",
    "F.max_unpool2d(*F.max_pool2d(img, 2, return_indices=True), 2)", "F.adaptive_avg_pool1d(sig, 3)",
    "F.adaptive_avg_pool2d(img, 4)", "F.adaptive_avg_pool2d(img, (None, 3))",
    "F.adaptive_avg_pool3d(img.reshape((1, 4, 2, 6, 6)), (1, 3, 2))", "F.adaptive_max_pool1d(sig, 4)",
    "F.adaptive_max_pool1d(sig, 4, True)", "F.fold(F.unfold(img, 2), (6, 6), 2)", "F.unfold(img, 3)",
    "F.unfold(img, (2, 3), 1, 1, 2)", "F.pad(x, (1, 2))", "F.pad(x, [1, 0, 0, 1], value=7.0)",
    "F.pad(sig, (2, 1), 'reflect')", "F.pad(img, (1, 1, 2, 0), mode='replicate')",
    "F.interpolate(sig, 5, mode='linear')", "F.interpolate(img, (4, 8), mode='bilinear')",
    "F.interpolate(img, (4, 8), mode='bilinear', align_corners=True)", "F.interpolate(img, (4, 8), mode='bicubic')",
    "F.interpolate(img, scale_factor=(1.5, 2.0), mode='bilinear', recompute_scale_factor=True)",
    "F.upsample(img, scale_factor=2.0, mode='bilinear')", "F.relu_(mint.mul(x, 1))", "F.elu_(mint.mul(x, 1))",
    "F.hardtanh_(mint.mul(x, 1))", "F.sigmoid_(mint.mul(x, 1))", "F.threshold_(mint.mul(x, 1), 0.1, 20.0)",
    "F.relu(mint.mul(x, 1), True)", "F.silu(mint.mul(x, 1), inplace=True)",
]  # fmt: skip

LAYERS = [
    "M.ReLU6()(x)", "M.LogSigmoid()(x)", "M.Mish()(x)", "M.SELU()(x)", "M.GELU()(x)", "M.ELU()(x)", "M.Hardtanh()(x)",
    "M.GELU('tanh')(x)", "M.ELU(0.5)(x)", "M.Hardtanh(-0.5, 0.5)(x)", "M.Threshold(0.1, 20.0)(x)", "M.LogSoftmax(1)(x)",
    "M.LogSoftmax()(x)", "M.MSELoss()(x, y)", "M.L1Loss()(x, y)",
    "M.SoftMarginLoss()(x, Tensor([[1.0, -1.0, 1.0], [-1.0, 1.0, 1.0]]))", "M.KLDivLoss()(x, p)",
    "M.MSELoss(reduction='sum')(x, y)", "M.L1Loss(reduction='sum')(x, y)",
    "M.SoftMarginLoss(reduction='sum')(x, Tensor([[1.0, -1.0, 1.0], [-1.0, 1.0, 1.0]]))",
    "M.KLDivLoss(reduction='sum')(x, p)", "M.MSELoss(reduction='none')(x, y)", "M.L1Loss(reduction='none')(x, y)",
    "M.SoftMarginLoss(reduction='none')(x, Tensor([[1.0, -1.0, 1.0], [-1.0, 1.0, 1.0]]))",
    "M.KLDivLoss(reduction='none')(x, p)", "M.KLDivLoss(reduction='batchmean', log_target=True)(x, y)",
    "M.CrossEntropyLoss()(logits, labels)",
    "M.CrossEntropyLoss(Tensor([4.0, 3.0, 5.0, 4.5, 4.0]), ignore_index=2, reduction='sum')(logits, labels)",
    "M.CosineEmbeddingLoss()(x, y, Tensor([1, -1]))",
    "M.CosineEmbeddingLoss(0.2, reduction='none')(x, y, Tensor([1, -1]))", "M.BatchNorm1d(3)(x)",
    "M.BatchNorm2d(4)(img)", "M.BatchNorm1d(8, affine=False)(mint.permute(sig, (0, 2, 1)))",
    "M.BatchNorm2d(4, track_running_stats=False)(img)", "M.BatchNorm3d(4)(img.reshape((2, 4, 1, 6, 6)))",
    "M.LayerNorm(3)(x)", "M.LayerNorm((3, 4), 0.1)(z)", "M.LayerNorm([3], elementwise_affine=False)(x)",
    "M.Conv2d(4, 3, 3)(img).shape", "M.Conv2d(4, 3, (3, 2), 2, 1, padding_mode='reflect')(img).shape",
    "M.Conv2d(4, 2, 3, padding='same', bias=False)(img).shape", "M.Conv1d(4, 3, 3)(sig).shape",
    "M.Conv3d(4, 3, 2)(img.reshape((2, 4, 2, 3, 6))).shape", "M.ConvTranspose2d(4, 3, 3, 2, 1, 1)(img).shape",
    "M.AvgPool1d(2)(sig)", "M.AvgPool1d(3, 2, 1, True, False)(sig)", "M.AvgPool2d(2)(img)",
    "M.AvgPool2d(3, 2, 1, count_include_pad=False, divisor_override=5)(img)",
    "M.AvgPool3d(2)(img.reshape((2, 4, 2, 3, 6)))", "M.MaxPool2d(2)(img)",
    "M.MaxPool2d(3, 1, 1, return_indices=True)(img)", "M.MaxUnpool2d(2)(*F.max_pool2d(img, 2, return_indices=True))",
    "M.AdaptiveAvgPool1d(3)(sig)", "M.AdaptiveAvgPool2d((None, 3))(img)",
    "M.AdaptiveAvgPool3d(2)(img.reshape((2, 4, 2, 3, 6)))", "M.AdaptiveMaxPool1d(4)(sig)",
    "M.AdaptiveMaxPool1d(4, True)(sig)", "M.Unfold(3)(img)", "M.Fold((6, 6), 2)(M.Unfold(2)(img))",
    "M.ConstantPad1d(1, 7.0)(x)", "M.ConstantPad2d((1, 0, 2, 1), 7.0)(img)", "M.ConstantPad3d(1, 0.5)(img)",
    "M.AvgPool2d([2, 3], [1, 2], [1, 0])(img)", "M.MaxPool2d([2, 3], [1, 2], [1, 0])(img)",
    "M.ConstantPad1d([1, 2], 7.0)(x)", "M.ZeroPad2d([1, 0, 2, 1])(img)",
    "M.ZeroPad1d((1, 2))(x)", "M.ZeroPad2d(1)(img)", "M.ZeroPad3d(1)(img)", "M.ReflectionPad1d((2, 1))(sig)",
    "M.ReflectionPad2d(1)(img)", "M.ReflectionPad3d(1)(img.reshape((2, 4, 2, 3, 6)))", "M.ReplicationPad1d(2)(sig)",
    "M.ReplicationPad2d((1, 0, 2, 1))(img)", "M.ReplicationPad3d(1)(img.reshape((2, 4, 2, 3, 6)))",
    "M.Upsample(scale_factor=2.0, mode='bilinear')(img)", "M.UpsamplingBilinear2d((3, 9))(img)",
]  # fmt: skip


class _Layers:
    """torch's layers, outside training as MindSpore's are at first."""

    def __getattr__(self, name):
        return lambda *args, **named: getattr(torch.nn, name)(*args, **named).eval()


def _torch_names():
    names = {name: torch.tensor(array) for name, array in cases.INPUTS.items()}
    names["labels"] = names["labels"].long()  # torch takes no others
    functions = SimpleNamespace(**{**vars(torch.nn.functional), "sigmoid_": torch.sigmoid_})
    return {**names, "mint": torch, "ms": torch, "Tensor": torch.tensor, "F": functions, "M": _Layers()}


def _weights(shape):
    count = int(np.prod(shape))
    return torch.linspace(0.5, 2.5, max(count, 1))[:count].reshape(shape)


def _evaluated(expression):
    """Return torch's results, and the gradients with respect to the float32 inputs."""
    names = _torch_names()
    inputs = {name: names[name].requires_grad_() for name in cases.names_in(expression) if _is_float32(names[name])}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch's advice on its defaults
        results = cases._flat(eval(expression, names))
    floats = [part for part in results if isinstance(part, torch.Tensor) and part.requires_grad]
    if not floats:
        return results, None
    total = sum((part * _weights(part.shape).to(part.dtype)).sum() for part in floats)
    gradients = torch.autograd.grad(total, list(inputs.values()), allow_unused=True)
    return results, dict(zip(inputs, gradients))


def _is_float32(value):
    return isinstance(value, torch.Tensor) and value.dtype is torch.float32


def _gradients(expression, inputs):
    """Return ours, of the same sum."""
    names = cases.namespace(torchspore)

    def total(*values):
        parts = cases._flat(eval(expression, {**names, **dict(zip(inputs, values))}))
        floats = [part for part in parts if isinstance(part, torchspore.Tensor) and "Float" in str(part.dtype)]
        return sum((part * torchspore.Tensor(_weights(part.shape)).astype(part.dtype)).sum() for part in floats)

    found = torchspore.grad(total, tuple(range(len(inputs))))(*[names[name] for name in inputs])
    return found if isinstance(found, tuple) else (found,)


@pytest.mark.parametrize("expression", [*OPERATIONS, *FUNCTIONS, *LAYERS])
def test_equals_torch(expression):
    expected, expected_gradients = _evaluated(expression)
    found = cases._flat(eval(expression, cases.namespace(torchspore)))
    assert len(found) == len(expected)
    for ours, theirs in zip(found, expected):
        if not isinstance(theirs, torch.Tensor):
            assert ours == theirs
            continue
        assert ours.dtype == FROM_TORCH[theirs.dtype]
        torch.testing.assert_close(ours.torch, theirs.detach(), equal_nan=True)
    if expected_gradients is not None:
        inputs = list(expected_gradients)
        for ours, (name, theirs) in zip(_gradients(expression, inputs), expected_gradients.items()):
            theirs = torch.zeros(ours.shape) if theirs is None else theirs
            torch.testing.assert_close(ours.torch, theirs, msg=lambda text, name=name: f"gradient of {name}: {text}")
