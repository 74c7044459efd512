"""NumPy's functions on tensors, with MindSpore's rules for data types: Python's numbers are int32 and float32.

The names are those of `mindspore.numpy`. "An array" is anything that `asarray` takes. All functions raise a TypeError
if an argument has the wrong type, and a ValueError if shapes do not match, a dimension does not exist, or an argument
has none of the documented values. Their documentation lists further errors.
"""
# ruff: noqa: F403, F405

from __future__ import annotations

from torchspore.engine.op import publish
from torchspore.numpy import fft
from torchspore.numpy.calculus import diff, ediff1d, gradient, interp, trapz, unwrap
from torchspore.numpy.creation import *
from torchspore.numpy.grids import *
from torchspore.numpy.histograms import histogram, histogram2d, histogram_bin_edges, histogramdd
from torchspore.numpy.linear_algebra import *
from torchspore.numpy.logic import *
from torchspore.numpy.manipulation import *
from torchspore.numpy.math import *
from torchspore.numpy.padding import pad
from torchspore.numpy.polynomials import polyadd, polyder, polyint, polymul, polysub, polyval
from torchspore.numpy.random import rand, randint, randn
from torchspore.numpy.selection import *
from torchspore.numpy.statistics import *
from torchspore.numpy.types import *
from torchspore.numpy.windows import bartlett, blackman, hamming, hanning

__all__ = [
    "NINF", "PINF", "abs", "absolute", "add", "amax", "amin", "append", "apply_along_axis", "apply_over_axes", "arange",
    "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh", "argmax", "argmin", "argwhere", "around",
    "array", "array_equal", "array_equiv", "array_split", "array_str", "asarray", "asfarray", "atleast_1d",
    "atleast_2d", "atleast_3d", "average", "bartlett", "bincount", "bitwise_and", "bitwise_not", "bitwise_or",
    "bitwise_xor", "blackman", "bool_", "broadcast_arrays", "broadcast_to", "cbrt", "ceil", "choose", "clip",
    "column_stack", "concatenate", "convolve", "copy", "copysign", "corrcoef", "correlate", "cos", "cosh",
    "count_nonzero", "cov", "cross", "cumprod", "cumsum", "deg2rad", "diag", "diag_indices", "diagflat", "diagonal",
    "diff", "digitize", "divide", "divmod", "dot", "dsplit", "dstack", "ediff1d", "empty", "empty_like", "equal", "exp",
    "exp2", "expand_dims", "expm1", "eye", "fabs", "fft", "fix", "flip", "fliplr", "flipud", "float16", "float32",
    "float64", "float_", "float_power", "floor", "floor_divide", "fmod", "full", "full_like", "gcd", "geomspace",
    "gradient", "greater", "greater_equal", "hamming", "hanning", "heaviside", "histogram", "histogram2d",
    "histogram_bin_edges", "histogramdd", "hsplit", "hstack", "hypot", "identity", "in1d", "indices", "inf", "inner",
    "int8", "int16", "int32", "int64", "int_", "interp", "intersect1d", "invert", "isclose", "isfinite", "isin",
    "isinf", "isnan", "isneginf", "isposinf", "isscalar", "ix_", "kron", "lcm", "less", "less_equal", "linspace", "log",
    "log1p", "log2", "log10", "logaddexp", "logaddexp2", "logical_and", "logical_not", "logical_or", "logical_xor",
    "logspace", "matmul", "matrix_power", "max", "maximum", "mean", "meshgrid", "mgrid", "min", "minimum", "mod",
    "moveaxis", "multi_dot", "multiply", "nan", "nancumsum", "nanmax", "nanmean", "nanmin", "nanstd", "nansum",
    "nanvar", "negative", "norm", "not_equal", "numeric_types", "ogrid", "ones", "ones_like", "outer", "pad", "pi",
    "piecewise", "polyadd", "polyder", "polyint", "polymul", "polysub", "polyval", "positive", "power", "promote_types",
    "ptp", "rad2deg", "radians", "rand", "randint", "randn", "ravel", "ravel_multi_index", "reciprocal", "remainder",
    "repeat", "reshape", "result_type", "rint", "roll", "rollaxis", "rot90", "round", "searchsorted", "select",
    "setdiff1d", "sign", "signbit", "sin", "sinh", "size", "sometrue", "split", "sqrt", "square", "squeeze", "stack",
    "std", "subtract", "sum", "swapaxes", "take", "take_along_axis", "tan", "tanh", "tensordot", "tile", "trace",
    "transpose", "trapz", "tri", "tril", "tril_indices", "tril_indices_from", "triu", "triu_indices",
    "triu_indices_from", "true_divide", "trunc", "uint", "uint8", "uint16", "uint32", "uint64", "unique",
    "unravel_index", "unwrap", "vander", "var", "vsplit", "vstack", "where", "zeros", "zeros_like",
]  # fmt: skip

publish(globals())
