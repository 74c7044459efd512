"""The lists of the level "auto" by primitives, under the names that programs import from `mindspore.train.amp`."""

from __future__ import annotations

import functools
from collections import defaultdict
from typing import Any

from torchspore.ops import auto_generate

__all__ = ["listed"]

_LISTS = {
    "AMP_AUTO_WHITE_LIST": (
        "Conv2D Conv3D Conv2DExt Conv3DExt ConvTranspose2D Conv2DTranspose Conv3DTranspose Convolution MatMul "
        "MatMulExt BatchMatMul BatchMatMulExt PReLU Einsum Dense Addmm Addbmm Addmv Baddbmm Mv"
    ),
    "AMP_AUTO_BLACK_LIST": (
        "Pow ACos Asin Cosh Erfinv Exp Expm1 Log Log10 Log1p Log2 Reciprocal Rsqrt Sinh Tan Softplus SoftplusExt "
        "LayerNorm LayerNormExt BatchNorm BatchNormExt GroupNorm Norm KLDivLoss SmoothL1Loss MultilabelMarginLoss "
        "SoftMarginLoss TripletMarginLoss MultiMarginLoss BCEWithLogitsLoss Pdist Cdist Renorm ReduceProd Softmax "
        "LogSoftmax LogSoftmaxExt CumProd CumSum CumsumExt ProdExt SumExt L1LossExt MSELossExt NLLLoss NLLLoss2d"
    ),
    # Which arguments of a primitive are converted; one that is not listed converts all.
    "AMP_PRIM_ARG_TABLE": None,
}


@functools.cache
def listed(name: str) -> Any:
    """Return the primitives of a list, or the table of arguments; looking up the primitives takes a while."""
    names = _LISTS[name]
    return defaultdict(list) if names is None else [getattr(auto_generate, each) for each in names.split()]
