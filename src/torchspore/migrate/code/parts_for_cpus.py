"""What MindSpore lacks on CPUs, or has there with other arguments: programs get the source of it."""

from __future__ import annotations

__all__ = ["DEFINITIONS", "PARTS"]

_LAYER_NORM_LAYER = '''\
class LayerNorm(mindspore.nn.LayerNorm):
    """Layer normalization with PyTorch's arguments."""

    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True, device=None, dtype=None):
        shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        super().__init__(shape, -len(shape), -len(shape), epsilon=eps)
        self.gamma.requires_grad = elementwise_affine
        self.beta.requires_grad = elementwise_affine and bias

    @property
    def weight(self):
        return self.gamma

    @property
    def bias(self):
        return self.beta

    @property
    def eps(self):
        return self.epsilon
'''

_BATCH_NORM = '''\
class BatchNorm{d}d(mindspore.nn.BatchNorm{d}d):
    """Batch normalization with PyTorch's arguments and names of weights."""

    def __init__(
        self, num_features, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True, device=None, dtype=None
    ):
        statistics = None if track_running_stats else True
        super().__init__(num_features, eps, 1 - momentum, affine, use_batch_statistics=statistics)

    @property
    def weight(self):
        return self.{inner}gamma

    @property
    def bias(self):
        return self.{inner}beta

    @property
    def running_mean(self):
        return self.{inner}moving_mean

    @property
    def running_var(self):
        return self.{inner}moving_variance
'''

_CONV = '''\
class Conv{d}d(mindspore.nn.Conv{d}d):
    """A convolution with PyTorch's arguments: a padding for each dimension, and a bias."""

    def __init__(
        self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True,
        padding_mode="zeros", device=None, dtype=None,
    ):
        if padding_mode != "zeros":
            raise ValueError("nn.Conv{d}d pads with zeros")
        if not isinstance(padding, (int, str)):
            padding = {pads}
        mode, padding = (padding, 0) if isinstance(padding, str) else ("pad", padding)
        super().__init__(
            in_channels, out_channels, kernel_size, stride, mode, padding, dilation, groups, has_bias=bias
        )
'''

_CROSS_ENTROPY_LOSS = '''\
class CrossEntropyLoss(mindspore.nn.Cell):
    """The cross entropy, whose labels may have 64 bits."""

    def __init__(
        self, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean", label_smoothing=0.0
    ):
        super().__init__()
        self.settings = weight, ignore_index, reduction, label_smoothing

    def construct(self, input, target):
        target = target if target.is_floating_point() else target.astype(mindspore.int32)
        return mindspore.ops.cross_entropy(input, target, *self.settings)
'''

_EMBEDDING = '''\
class Embedding(mindspore.nn.Embedding):
    """An embedding with PyTorch's arguments and name of the weight."""

    def __init__(self, num_embeddings, embedding_dim, padding_idx=None, device=None, dtype=None):
        super().__init__(num_embeddings, embedding_dim, padding_idx=padding_idx)

    @property
    def weight(self):
        return self.embedding_table
'''

_INTERPOLATE = '''\
def interpolate(
    input, size=None, scale_factor=None, mode="nearest", align_corners=None, recompute_scale_factor=None,
    antialias=False,
):
    """Resize the dimensions behind the second."""
    count = input.ndim - 2
    if size is None:
        factors = scale_factor if isinstance(scale_factor, (tuple, list)) else (scale_factor,) * count
        size = tuple(int(length * factor) for length, factor in zip(input.shape[2:], factors))
    elif isinstance(size, int):
        size = (size,) * count
    return mindspore.ops.interpolate(input, tuple(size), mode=mode, align_corners=align_corners)
'''

_UPSAMPLE = '''\
class Upsample(mindspore.nn.Cell):
    """Resizing as a layer."""

    def __init__(self, size=None, scale_factor=None, mode="nearest", align_corners=None, recompute_scale_factor=None):
        super().__init__()
        self.settings = size, scale_factor, mode, align_corners

    def construct(self, input):
        return interpolate(input, *self.settings)
'''

_ELU = '''\
class ELU(mindspore.nn.Cell):
    """The exponential linear unit."""

    def __init__(self, alpha=1.0, inplace=False):
        super().__init__()
        self.alpha = alpha

    def construct(self, input):
        result = mindspore.ops.elu(input)
        return result if self.alpha == 1.0 else mindspore.ops.where(input > 0, input, self.alpha * result)
'''

_FULL = '''\
def full(size, fill_value, dtype=None, device=None, requires_grad=False):
    """A tensor of one value, of the type that PyTorch chooses for it."""
    if dtype is None:
        kind = type(fill_value)
        dtype = {bool: mindspore.bool_, int: mindspore.int64}.get(kind, mindspore.float32)
    return mindspore.ops.full(tuple(size), fill_value, dtype=dtype)
'''

_NORM = '''\
def norm(input, p="fro", dim=None, keepdim=False, dtype=None):
    """The p-norm over dimensions, by default over all."""
    if dim is None and not keepdim:
        input, dim = input.reshape(-1), 0
    return mindspore.ops.norm(input, None if p in ("fro", 2) else p, dim, keepdim)
'''

_ROLL = '''\
def roll(input, shifts, dims=None):
    """Move the elements along dimensions; the last become the first."""
    if dims is None:
        return roll(input.reshape(-1), shifts, 0).reshape(input.shape)
    pairs = [(shifts, dims)] if isinstance(dims, int) else zip(shifts, dims)
    for shift, dim in pairs:
        size = input.shape[dim]
        if shift % size:
            first, last = mindspore.ops.split(input, [size - shift % size, shift % size], dim)
            input = mindspore.ops.concat((last, first), dim)
    return input
'''

_LAYER_NORM = '''\
def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    """Normalize over the last dimensions."""
    axes = tuple(range(-len(normalized_shape), 0))
    centered = input - mindspore.ops.mean(input, axes, True)
    result = centered * mindspore.ops.rsqrt(mindspore.ops.mean(centered * centered, axes, True) + eps)
    result = result if weight is None else result * weight
    return result if bias is None else result + bias
'''

_NORMALIZE = '''\
def normalize(input, p=2.0, dim=1, eps=1e-12):
    """Divide by the norm over a dimension."""
    norm = mindspore.ops.pow(mindspore.ops.pow(mindspore.ops.abs(input), p).sum(dim, keepdims=True), 1 / p)
    return input / mindspore.ops.clamp(norm, eps)
'''

_PADS = {1: "padding[0]", 2: "(padding[0],) * 2 + (padding[1],) * 2", 3: "tuple(p for p in padding for _ in range(2))"}
_INNER = {1: "", 2: "", 3: "bn2d."}

PARTS = {
    "CrossEntropyLoss": _CROSS_ENTROPY_LOSS,
    "ELU": _ELU,
    "Embedding": _EMBEDDING,
    "LayerNorm": _LAYER_NORM_LAYER,
    "Upsample": _UPSAMPLE,
    "full": _FULL,
    "interpolate": _INTERPOLATE,
    "layer_norm": _LAYER_NORM,
    "norm": _NORM,
    "normalize": _NORMALIZE,
    "roll": _ROLL,
    **{f"BatchNorm{d}d": _BATCH_NORM.format(d=d, inner=inner) for d, inner in _INNER.items()},
    **{f"Conv{d}d": _CONV.format(d=d, pads=pads) for d, pads in _PADS.items()},
}

# Full name -> the part that replaces it on CPUs. Layers are replaced if the program needs PyTorch's form of them.
DEFINITIONS = {
    "torch.nn.functional.interpolate": "interpolate",
    "torch.nn.functional.layer_norm": "layer_norm",
    "torch.nn.functional.normalize": "normalize",
    "torch.full": "full",
    "torch.norm": "norm",
    "torch.roll": "roll",
    **{f"torch.nn.{name}": name for name in PARTS if name[0].isupper()},
}
