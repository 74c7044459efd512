"""Cells: layers, losses, optimizers and training steps."""

from __future__ import annotations

from torchspore.nn import (
    dynamic_lr,
    learning_rate_schedule,
)
from torchspore.nn.cell import (
    Cell,
)
from torchspore.nn.dynamic_lr import (
    cosine_decay_lr,
    exponential_decay_lr,
    inverse_decay_lr,
    natural_exp_decay_lr,
    piecewise_constant_lr,
    polynomial_decay_lr,
    warmup_lr,
)
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
from torchspore.nn.learning_rate_schedule import (
    CosineDecayLR,
    ExponentialDecayLR,
    InverseDecayLR,
    NaturalExpDecayLR,
    PolynomialDecayLR,
    WarmUpLR,
)
from torchspore.nn.loss.loss import (
    BCELoss,
    BCEWithLogitsLoss,
    CosineEmbeddingLoss,
    CrossEntropyLoss,
    HuberLoss,
    KLDivLoss,
    L1Loss,
    LossBase,
    MAELoss,
    MarginRankingLoss,
    MSELoss,
    NLLLoss,
    SmoothL1Loss,
    SoftmaxCrossEntropyWithLogits,
)
from torchspore.nn.optim import (
    SGD,
    Adam,
    AdamWeightDecay,
    Momentum,
    Optimizer,
)
from torchspore.nn.wrap import (
    DynamicLossScaleUpdateCell,
    FixedLossScaleUpdateCell,
    TrainOneStepCell,
    TrainOneStepWithLossScaleCell,
    WithEvalCell,
    WithLossCell,
)

__all__ = [
    "CELU", "ELU", "GELU", "GLU", "SGD", "Adam", "AdamWeightDecay", "AdaptiveAvgPool1d", "AdaptiveAvgPool2d",
    "AdaptiveAvgPool3d", "AdaptiveMaxPool1d", "AdaptiveMaxPool2d", "AdaptiveMaxPool3d", "AvgPool1d", "AvgPool2d",
    "AvgPool3d", "BCELoss", "BCEWithLogitsLoss", "BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "Cell", "CellDict",
    "CellList", "ClipByNorm", "Conv1d", "Conv1dTranspose", "Conv2d", "Conv2dTranspose", "Conv3d", "Conv3dTranspose",
    "CosineDecayLR", "CosineEmbeddingLoss", "CrossEntropyLoss", "Dense", "Dropout", "Dropout1d", "Dropout2d",
    "Dropout2dExt", "Dropout3d", "DropoutExt", "DynamicLossScaleUpdateCell", "Embedding", "EmbeddingExt",
    "EmbeddingLookup", "ExponentialDecayLR", "FastGelu", "FixedLossScaleUpdateCell", "Flatten", "GroupNorm", "HShrink",
    "HSigmoid", "HSwish", "Hardtanh", "HuberLoss", "Identity", "InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d",
    "InverseDecayLR", "KLDivLoss", "L1Loss", "L1Regularizer", "LayerNorm", "LayerNormExt", "LeakyReLU", "Linear",
    "LogSigmoid", "LogSoftmax", "LossBase", "MAELoss", "MSELoss", "MarginRankingLoss", "MaxPool1d", "MaxPool2d",
    "MaxPool3d", "Mish", "Momentum", "NLLLoss", "NaturalExpDecayLR", "Norm", "OneHot", "Optimizer", "PReLU", "Pad",
    "PolynomialDecayLR", "RReLU", "ReLU", "ReLU6", "Roll", "SeLU", "SequentialCell", "SiLU", "Sigmoid", "SmoothL1Loss",
    "SoftShrink", "Softmax", "Softmax2d", "SoftmaxCrossEntropyWithLogits", "Softmin", "Softsign",
    "SparseTensorDenseMatmul", "SparseToDense", "SyncBatchNorm", "Tanh", "Tanhshrink", "Threshold", "TrainOneStepCell",
    "TrainOneStepWithLossScaleCell", "Tril", "Triu", "Unflatten", "WarmUpLR", "WithEvalCell", "WithLossCell",
    "cosine_decay_lr", "dynamic_lr", "exponential_decay_lr", "get_activation", "inverse_decay_lr",
    "learning_rate_schedule", "natural_exp_decay_lr", "piecewise_constant_lr", "polynomial_decay_lr", "warmup_lr",
]  # fmt: skip
