"""Layers."""

from __future__ import annotations

from torchspore.nn.layer.activation import (
    CELU,
    ELU,
    GELU,
    GLU,
    FastGelu,
    Hardtanh,
    HShrink,
    HSigmoid,
    HSwish,
    LeakyReLU,
    LogSigmoid,
    LogSoftmax,
    Mish,
    PReLU,
    ReLU,
    ReLU6,
    RReLU,
    SeLU,
    Sigmoid,
    SiLU,
    Softmax,
    Softmax2d,
    Softmin,
    SoftShrink,
    Softsign,
    Tanh,
    Tanhshrink,
    Threshold,
    get_activation,
)
from torchspore.nn.layer.basic import (
    ClipByNorm,
    Dense,
    Dropout,
    Dropout1d,
    Dropout2d,
    Dropout2dExt,
    Dropout3d,
    DropoutExt,
    Flatten,
    Identity,
    L1Regularizer,
    Linear,
    Norm,
    OneHot,
    Pad,
    Roll,
    Tril,
    Triu,
    Unflatten,
)
from torchspore.nn.layer.container import (
    CellDict,
    CellList,
    SequentialCell,
)
from torchspore.nn.layer.conv import (
    Conv1d,
    Conv1dTranspose,
    Conv2d,
    Conv2dTranspose,
    Conv3d,
    Conv3dTranspose,
)
from torchspore.nn.layer.embedding import (
    Embedding,
    EmbeddingExt,
    EmbeddingLookup,
)
from torchspore.nn.layer.normalization import (
    BatchNorm1d,
    BatchNorm2d,
    BatchNorm3d,
    GroupNorm,
    InstanceNorm1d,
    InstanceNorm2d,
    InstanceNorm3d,
    LayerNorm,
    LayerNormExt,
    SyncBatchNorm,
)
from torchspore.nn.layer.pooling import (
    AdaptiveAvgPool1d,
    AdaptiveAvgPool2d,
    AdaptiveAvgPool3d,
    AdaptiveMaxPool1d,
    AdaptiveMaxPool2d,
    AdaptiveMaxPool3d,
    AvgPool1d,
    AvgPool2d,
    AvgPool3d,
    MaxPool1d,
    MaxPool2d,
    MaxPool3d,
)
from torchspore.nn.layer.sparse import (
    SparseTensorDenseMatmul,
    SparseToDense,
)

__all__ = [
    "CELU", "ELU", "GELU", "GLU", "AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveAvgPool3d", "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d", "AdaptiveMaxPool3d", "AvgPool1d", "AvgPool2d", "AvgPool3d", "BatchNorm1d", "BatchNorm2d",
    "BatchNorm3d", "CellDict", "CellList", "ClipByNorm", "Conv1d", "Conv1dTranspose", "Conv2d", "Conv2dTranspose",
    "Conv3d", "Conv3dTranspose", "Dense", "Dropout", "Dropout1d", "Dropout2d", "Dropout2dExt", "Dropout3d",
    "DropoutExt", "Embedding", "EmbeddingExt", "EmbeddingLookup", "FastGelu", "Flatten", "GroupNorm", "HShrink",
    "HSigmoid", "HSwish", "Hardtanh", "Identity", "InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d", "L1Regularizer",
    "LayerNorm", "LayerNormExt", "LeakyReLU", "Linear", "LogSigmoid", "LogSoftmax", "MaxPool1d", "MaxPool2d",
    "MaxPool3d", "Mish", "Norm", "OneHot", "PReLU", "Pad", "RReLU", "ReLU", "ReLU6", "Roll", "SeLU", "SequentialCell",
    "SiLU", "Sigmoid", "SoftShrink", "Softmax", "Softmax2d", "Softmin", "Softsign", "SparseTensorDenseMatmul",
    "SparseToDense", "SyncBatchNorm", "Tanh", "Tanhshrink", "Threshold", "Tril", "Triu", "Unflatten", "get_activation",
]  # fmt: skip
