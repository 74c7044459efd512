"""`mint.nn.functional`: what the layers of `mint.nn` compute, with torch's signatures."""

from __future__ import annotations

from torchspore.engine.op import publish
from torchspore.mint.nn.functional.activation import (
    elu,
    elu_,
    gelu,
    glu,
    hardshrink,
    hardsigmoid,
    hardswish,
    hardtanh,
    hardtanh_,
    leaky_relu,
    log_softmax,
    logsigmoid,
    mish,
    prelu,
    relu,
    relu6,
    relu_,
    selu,
    sigmoid,
    sigmoid_,
    silu,
    softmax,
    softplus,
    softshrink,
    tanh,
    threshold,
    threshold_,
)
from torchspore.mint.nn.functional.layers import (
    batch_norm,
    conv1d,
    conv2d,
    conv3d,
    conv_transpose2d,
    dropout,
    dropout2d,
    embedding,
    group_norm,
    layer_norm,
    linear,
    normalize,
    one_hot,
)
from torchspore.mint.nn.functional.loss import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    cosine_embedding_loss,
    cross_entropy,
    kl_div,
    l1_loss,
    mse_loss,
    nll_loss,
    smooth_l1_loss,
    soft_margin_loss,
)
from torchspore.mint.nn.functional.pooling import (
    adaptive_avg_pool1d,
    adaptive_avg_pool2d,
    adaptive_avg_pool3d,
    adaptive_max_pool1d,
    adaptive_max_pool2d,
    avg_pool1d,
    avg_pool2d,
    avg_pool3d,
    max_pool2d,
    max_unpool2d,
)
from torchspore.mint.nn.functional.vision import (
    flatten,
    fold,
    grid_sample,
    interpolate,
    pad,
    pixel_shuffle,
    unfold,
    upsample,
)

__all__ = [
    "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d", "adaptive_max_pool1d", "adaptive_max_pool2d",
    "avg_pool1d", "avg_pool2d", "avg_pool3d", "batch_norm", "binary_cross_entropy", "binary_cross_entropy_with_logits",
    "conv1d", "conv2d", "conv3d", "conv_transpose2d", "cosine_embedding_loss", "cross_entropy", "dropout", "dropout2d",
    "elu", "elu_", "embedding", "flatten", "fold", "gelu", "glu", "grid_sample", "group_norm", "hardshrink",
    "hardsigmoid", "hardswish", "hardtanh", "hardtanh_", "interpolate", "kl_div", "l1_loss", "layer_norm", "leaky_relu",
    "linear", "log_softmax", "logsigmoid", "max_pool2d", "max_unpool2d", "mish", "mse_loss", "nll_loss", "normalize",
    "one_hot", "pad", "pixel_shuffle", "prelu", "relu", "relu6", "relu_", "selu", "sigmoid", "sigmoid_",
    "silu", "smooth_l1_loss", "soft_margin_loss", "softmax", "softplus", "softshrink", "tanh", "threshold",
    "threshold_", "unfold", "upsample",
]  # fmt: skip

publish(globals())
