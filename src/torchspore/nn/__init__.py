"""Cells: layers, losses, optimizers and training steps."""

from __future__ import annotations

import importlib
from typing import Any

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
    LogSoftmaxExt,
    Mish,
    PReLU,
    PReLUExt,
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
from torchspore.nn.layer.attention import (
    MultiheadAttention,
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
from torchspore.nn.layer.combined import (
    BiDense,
    Conv2dBnAct,
    DenseBnAct,
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
    MultiFieldEmbeddingLookup,
)
from torchspore.nn.layer.image import (
    MSSSIM,
    PSNR,
    SSIM,
    CentralCrop,
    ChannelShuffle,
    ImageGradients,
    PixelShuffle,
    PixelUnshuffle,
    Unfold,
    Upsample,
)
from torchspore.nn.layer.math import (
    DiGamma,
    IGamma,
    LBeta,
    LGamma,
    MatDet,
    MatInverse,
    MatMul,
    MatrixDiag,
    MatrixDiagPart,
    MatrixSetDiag,
    Moments,
    Range,
    ReduceLogSumExp,
)
from torchspore.nn.layer.normalization import (
    LRN,
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
from torchspore.nn.layer.padding import (
    ConstantPad1d,
    ConstantPad2d,
    ConstantPad3d,
    ReflectionPad1d,
    ReflectionPad2d,
    ReflectionPad3d,
    ReplicationPad1d,
    ReplicationPad2d,
    ReplicationPad3d,
    ZeroPad2d,
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
from torchspore.nn.layer.recurrent import (
    GRU,
    LSTM,
    RNN,
)
from torchspore.nn.layer.recurrent_cells import (
    GRUCell,
    LSTMCell,
    RNNCell,
)
from torchspore.nn.layer.sparse import (
    SparseTensorDenseMatmul,
    SparseToDense,
)
from torchspore.nn.layer.special_pooling import (
    AvgPool1dExt,
    AvgPool2dExt,
    AvgPool3dExt,
    FractionalMaxPool2d,
    FractionalMaxPool3d,
    LPPool1d,
    LPPool2d,
    MaxPool2dExt,
    MaxUnpool1d,
    MaxUnpool2d,
    MaxUnpool3d,
)
from torchspore.nn.layer.thor_layer import (
    Conv2dThor,
    DenseThor,
    EmbeddingLookupThor,
    EmbeddingThor,
)
from torchspore.nn.layer.time_distributed import (
    TimeDistributed,
)
from torchspore.nn.layer.transformer import (
    Transformer,
    TransformerDecoder,
    TransformerDecoderLayer,
    TransformerEncoder,
    TransformerEncoderLayer,
)
from torchspore.nn.learning_rate_schedule import (
    CosineDecayLR,
    ExponentialDecayLR,
    InverseDecayLR,
    NaturalExpDecayLR,
    PolynomialDecayLR,
    WarmUpLR,
)
from torchspore.nn.loss.classes import (
    CTCLoss,
    DiceLoss,
    FocalLoss,
    MultiClassDiceLoss,
    SampledSoftmaxLoss,
)
from torchspore.nn.loss.loss import (
    BCELoss,
    BCEWithLogitsLoss,
    CosineEmbeddingLoss,
    CrossEntropyLoss,
    GaussianNLLLoss,
    HuberLoss,
    KLDivLoss,
    L1Loss,
    L1LossExt,
    LossBase,
    MAELoss,
    MarginRankingLoss,
    MSELoss,
    NLLLoss,
    PoissonNLLLoss,
    RMSELoss,
    SmoothL1Loss,
    SoftmaxCrossEntropyWithLogits,
)
from torchspore.nn.loss.margin import (
    HingeEmbeddingLoss,
    MultilabelMarginLoss,
    MultiLabelSoftMarginLoss,
    MultiMarginLoss,
    SoftMarginLoss,
    TripletMarginLoss,
    TripletMarginWithDistanceLoss,
)
from torchspore.nn.optim import (
    ASGD,
    FTRL,
    LARS,
    SGD,
    Adadelta,
    AdaFactor,
    Adagrad,
    Adam,
    AdaMax,
    AdamOffload,
    AdamWeightDecay,
    AdaSumByDeltaWeightWrapCell,
    AdaSumByGradWrapCell,
    Lamb,
    LazyAdam,
    Momentum,
    Optimizer,
    OptTFTWrapper,
    ProximalAdagrad,
    RMSProp,
    Rprop,
    thor,
)
from torchspore.nn.wrap import (
    DistributedGradReducer,
    DynamicLossScaleUpdateCell,
    FixedLossScaleUpdateCell,
    ForwardValueAndGrad,
    GetNextSingleOp,
    GradAccumulationCell,
    Jvp,
    MicroBatchInterleaved,
    ParameterUpdate,
    PipelineCell,
    PipelineGradReducer,
    TrainOneStepCell,
    TrainOneStepWithLossScaleCell,
    Vjp,
    WithEvalCell,
    WithGradCell,
    WithLossCell,
)

__all__ = [
    "ASGD", "CELU", "ELU", "FTRL", "GELU", "GLU", "GRU", "LARS", "LRN", "LSTM", "MSSSIM", "PSNR", "RNN", "SGD", "SSIM",
    "AdaFactor", "AdaMax", "AdaSumByDeltaWeightWrapCell", "AdaSumByGradWrapCell", "Adadelta", "Adagrad", "Adam",
    "AdamOffload", "AdamWeightDecay", "AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveAvgPool3d",
    "AdaptiveMaxPool1d", "AdaptiveMaxPool2d", "AdaptiveMaxPool3d", "AvgPool1d", "AvgPool1dExt", "AvgPool2d",
    "AvgPool2dExt", "AvgPool3d", "AvgPool3dExt", "BCELoss", "BCEWithLogitsLoss", "BatchNorm1d", "BatchNorm2d",
    "BatchNorm3d", "BiDense", "CTCLoss", "Cell", "CellDict", "CellList", "CentralCrop", "ChannelShuffle", "ClipByNorm",
    "ConstantPad1d", "ConstantPad2d", "ConstantPad3d", "Conv1d", "Conv1dTranspose", "Conv2d", "Conv2dBnAct",
    "Conv2dThor", "Conv2dTranspose", "Conv3d", "Conv3dTranspose", "CosineDecayLR", "CosineEmbeddingLoss",
    "CrossEntropyLoss", "Dense", "DenseBnAct", "DenseThor", "DiGamma", "DiceLoss", "DistributedGradReducer", "Dropout",
    "Dropout1d", "Dropout2d", "Dropout2dExt", "Dropout3d", "DropoutExt", "DynamicLossScaleUpdateCell", "Embedding",
    "EmbeddingExt", "EmbeddingLookup", "EmbeddingLookupThor", "EmbeddingThor", "ExponentialDecayLR", "FastGelu",
    "FixedLossScaleUpdateCell", "Flatten", "FocalLoss", "ForwardValueAndGrad", "FractionalMaxPool2d",
    "FractionalMaxPool3d", "GRUCell", "GaussianNLLLoss", "GetNextSingleOp", "GradAccumulationCell", "GroupNorm",
    "HShrink", "HSigmoid", "HSwish", "Hardtanh", "HingeEmbeddingLoss", "HuberLoss", "IGamma", "Identity",
    "ImageGradients", "InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d", "InverseDecayLR", "Jvp", "KLDivLoss",
    "L1Loss", "L1LossExt", "L1Regularizer", "LBeta", "LGamma", "LPPool1d", "LPPool2d", "LSTMCell", "Lamb", "LayerNorm",
    "LayerNormExt", "LazyAdam", "LeakyReLU", "Linear", "LogSigmoid", "LogSoftmax", "LogSoftmaxExt", "LossBase",
    "MAELoss", "MSELoss", "MarginRankingLoss", "MatDet", "MatInverse", "MatMul", "MatrixDiag", "MatrixDiagPart",
    "MatrixSetDiag", "MaxPool1d", "MaxPool2d", "MaxPool2dExt", "MaxPool3d", "MaxUnpool1d", "MaxUnpool2d", "MaxUnpool3d",
    "MicroBatchInterleaved", "Mish", "Moments", "Momentum", "MultiClassDiceLoss", "MultiFieldEmbeddingLookup",
    "MultiLabelSoftMarginLoss", "MultiMarginLoss", "MultiheadAttention", "MultilabelMarginLoss", "NLLLoss",
    "NaturalExpDecayLR", "Norm", "OneHot", "OptTFTWrapper", "Optimizer", "PReLU", "PReLUExt", "Pad", "ParameterUpdate",
    "PipelineCell", "PipelineGradReducer", "PixelShuffle", "PixelUnshuffle", "PoissonNLLLoss", "PolynomialDecayLR",
    "ProximalAdagrad", "RMSELoss", "RMSProp", "RNNCell", "RReLU", "Range", "ReLU", "ReLU6", "ReduceLogSumExp",
    "ReflectionPad1d", "ReflectionPad2d", "ReflectionPad3d", "ReplicationPad1d", "ReplicationPad2d", "ReplicationPad3d",
    "Roll", "Rprop", "SampledSoftmaxLoss", "SeLU", "SequentialCell", "SiLU", "Sigmoid", "SmoothL1Loss",
    "SoftMarginLoss", "SoftShrink", "Softmax", "Softmax2d", "SoftmaxCrossEntropyWithLogits", "Softmin", "Softsign",
    "SparseTensorDenseMatmul", "SparseToDense", "SyncBatchNorm", "Tanh", "Tanhshrink", "Threshold", "TimeDistributed",
    "TrainOneStepCell", "TrainOneStepWithLossScaleCell", "Transformer", "TransformerDecoder", "TransformerDecoderLayer",
    "TransformerEncoder", "TransformerEncoderLayer", "Tril", "TripletMarginLoss", "TripletMarginWithDistanceLoss",
    "Triu", "Unflatten", "Unfold", "Upsample", "Vjp", "WarmUpLR", "WithEvalCell", "WithGradCell", "WithLossCell",
    "ZeroPad2d", "cosine_decay_lr", "dynamic_lr", "exponential_decay_lr", "get_activation", "inverse_decay_lr",
    "learning_rate_schedule", "natural_exp_decay_lr", "piecewise_constant_lr", "polynomial_decay_lr", "thor",
    "warmup_lr",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name == "probability":  # imported when it is asked for
        return importlib.import_module("torchspore.nn.probability")
    # MindSpore has the metrics here too. Their package is above this one, so it is imported when one is asked for.
    if not name.startswith("_"):
        metrics = importlib.import_module("torchspore.train.metrics")
        if name in metrics.__all__:
            return getattr(metrics, name)
        if name == "metrics":
            return metrics
    raise AttributeError(f"module 'torchspore.nn' has no attribute '{name}'")
