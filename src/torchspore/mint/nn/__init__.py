"""`mint.nn`: layers with torch's arguments. Where those of `torchspore.nn` are the same, so are the layers."""

from __future__ import annotations

from torchspore.common.missing_names import suggest_names as _suggest_names
from torchspore.mint.nn import functional
from torchspore.mint.nn.layer.activation import (
    ELU,
    GELU,
    GLU,
    SELU,
    Hardshrink,
    Hardsigmoid,
    Hardswish,
    Hardtanh,
    LogSigmoid,
    LogSoftmax,
    Mish,
    PReLU,
    ReLU,
    ReLU6,
    Sigmoid,
    SiLU,
    Softmax,
    Softshrink,
    Tanh,
    Threshold,
)
from torchspore.mint.nn.layer.conv import (
    Conv1d,
    Conv2d,
    Conv3d,
    ConvTranspose2d,
)
from torchspore.mint.nn.layer.loss import (
    BCELoss,
    BCEWithLogitsLoss,
    CosineEmbeddingLoss,
    CrossEntropyLoss,
    KLDivLoss,
    L1Loss,
    MSELoss,
    NLLLoss,
    SmoothL1Loss,
    SoftMarginLoss,
)
from torchspore.mint.nn.layer.normalization import (
    BatchNorm1d,
    BatchNorm2d,
    BatchNorm3d,
    GroupNorm,
    LayerNorm,
    SyncBatchNorm,
)
from torchspore.mint.nn.layer.padding import (
    ConstantPad1d,
    ConstantPad2d,
    ConstantPad3d,
    ReflectionPad1d,
    ReflectionPad2d,
    ReflectionPad3d,
    ReplicationPad1d,
    ReplicationPad2d,
    ReplicationPad3d,
    ZeroPad1d,
    ZeroPad2d,
    ZeroPad3d,
)
from torchspore.mint.nn.layer.pooling import (
    AdaptiveAvgPool1d,
    AdaptiveAvgPool2d,
    AdaptiveAvgPool3d,
    AdaptiveMaxPool1d,
    AdaptiveMaxPool2d,
    AvgPool1d,
    AvgPool2d,
    AvgPool3d,
    MaxPool2d,
    MaxUnpool2d,
)
from torchspore.mint.nn.layer.vision import (
    Fold,
    PixelShuffle,
    Unfold,
    Upsample,
    UpsamplingBilinear2d,
    UpsamplingNearest2d,
)
from torchspore.nn import Dropout2dExt as Dropout2d
from torchspore.nn import DropoutExt as Dropout
from torchspore.nn import EmbeddingExt as Embedding
from torchspore.nn import Flatten, Identity, Linear
from torchspore.nn.cell import Cell  # noqa: F401 - annotations say `mint.nn.Cell`

__all__ = [
    "ELU", "GELU", "GLU", "SELU", "AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveAvgPool3d", "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d", "AvgPool1d", "AvgPool2d", "AvgPool3d", "BCELoss", "BCEWithLogitsLoss", "BatchNorm1d",
    "BatchNorm2d", "BatchNorm3d", "ConstantPad1d", "ConstantPad2d", "ConstantPad3d", "Conv1d", "Conv2d", "Conv3d",
    "ConvTranspose2d", "CosineEmbeddingLoss", "CrossEntropyLoss", "Dropout", "Dropout2d", "Embedding", "Flatten",
    "Fold", "GroupNorm", "Hardshrink", "Hardsigmoid", "Hardswish", "Hardtanh", "Identity", "KLDivLoss", "L1Loss",
    "LayerNorm", "Linear", "LogSigmoid", "LogSoftmax", "MSELoss", "MaxPool2d", "MaxUnpool2d", "Mish", "NLLLoss",
    "PReLU", "PixelShuffle", "ReLU", "ReLU6", "ReflectionPad1d", "ReflectionPad2d", "ReflectionPad3d",
    "ReplicationPad1d", "ReplicationPad2d", "ReplicationPad3d", "SiLU", "Sigmoid", "SmoothL1Loss", "SoftMarginLoss",
    "Softmax", "Softshrink", "SyncBatchNorm", "Tanh", "Threshold", "Unfold", "Upsample", "UpsamplingBilinear2d",
    "UpsamplingNearest2d", "ZeroPad1d", "ZeroPad2d", "ZeroPad3d", "functional",
]  # fmt: skip

_suggest_names(globals())
