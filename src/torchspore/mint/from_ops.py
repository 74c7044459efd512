"""The operations of `torchspore.ops` that `mint` has unchanged, some of them under another name."""
# ruff: noqa: F403, F405

from torchspore.ops import *
from torchspore.ops import acos as arccos
from torchspore.ops import acosh as arccosh
from torchspore.ops import asinh as arcsinh
from torchspore.ops import atan as arctan
from torchspore.ops import atan2 as arctan2
from torchspore.ops import atanh as arctanh
from torchspore.ops import clamp as clip
from torchspore.ops import equal as eq
from torchspore.ops import gather_elements as gather  # type: ignore[assignment]  # instead of the one of `ops`
from torchspore.ops import gelu as npu_gelu
from torchspore.ops import trunc as fix
from torchspore.ops.math.elementwise import sqrt  # `ops.sqrt` calls its parameter `x`

__all__ = [
    "abs", "acos", "acosh", "addbmm", "addmm", "addmv", "arange", "arccos", "arccosh", "arcsin", "arcsinh", "arctan",
    "arctan2", "arctanh", "argmax", "asin", "asinh", "atan", "atan2", "atanh", "bitwise_and", "bitwise_or",
    "bitwise_xor", "broadcast_to", "ceil", "clamp", "clip", "cos", "cosh", "cross", "cumprod", "div", "divide",
    "dstack", "einsum", "eq", "erf", "erfc", "erfinv", "exp", "exp2", "expm1", "eye", "fix", "flip", "float_power",
    "floor", "floor_divide", "fmod", "full_like", "gather", "gcd", "ge", "greater", "greater_equal", "gt", "histc",
    "hstack", "inverse", "isclose", "isfinite", "isinf", "isneginf", "le", "lerp", "less", "less_equal", "log", "log1p",
    "log2", "log10", "logaddexp", "logaddexp2", "logical_and", "logical_not", "logical_or", "logical_xor", "logsumexp",
    "lt", "masked_select", "matmul", "maximum", "minimum", "mm", "mul", "nan_to_num", "ne", "neg", "negative",
    "nonzero", "not_equal", "npu_gelu", "ones_like", "outer", "polar", "ravel", "real", "reciprocal", "remainder",
    "reshape", "roll", "round", "rsqrt", "searchsorted", "sigmoid", "sign", "sin", "sinc", "sinh", "sqrt", "square",
    "sum", "swapaxes", "take", "tan", "tanh", "tile", "tril", "triu", "trunc", "unbind", "unique_consecutive",
    "unsqueeze", "xlogy", "zeros_like",
]  # fmt: skip
