"""What the texts of torch's errors say: torch raises RuntimeError for most mistakes, and only the text says which.

This is the one table of them, seen with torch 2.11 and 2.13. `tests/common/test_error_texts.py` provokes the errors.
"""

from __future__ import annotations

import re


def says(error: BaseException | str, text: re.Pattern[str]) -> re.Match[str] | None:
    """Return where an error says something, one of the texts below, or None."""
    return text.search(str(error))


# What torch lacks: a kernel for a data type, a rule for `vmap`, a computation with the parts of a cut tensor.
NO_KERNEL = re.compile(
    r"not implemented for '|Promotion for uint|[Ll]ow precision dtypes|UInt(16|32|64)|Bool(ean)? inputs|"
    r"doesn't handle types other than float|dimensions of float|bool tensor is not supported"
)
NO_RULE = re.compile(r"vmap|[Bb]atching rule|[Bb]atchedTensor|data pointer|data_ptr|functorch")
NOT_CUT = re.compile(
    "redistribute|MaskBuffer|is invalid for input of size"
    "|all __torch_dispatch__ handlers returned NotImplemented"  # of one that is being recorded
)
# Arithmetic in place: the result is of another data type, is not defined, or has no kernel.
BOOLS_OR_NUMBERS_IN_PLACE = re.compile("result type|ZeroDivisionError|Subtraction|Boolean alpha|^\"div.*'UInt64'")
# A number is beyond a data type, which the first text names, or beyond 64 bits.
BEYOND = re.compile(r"value cannot be converted to type (\S+) without overflow")
BEYOND_64_BITS = re.compile(
    r"Overflow when unpacking|int too (big|large) to convert|can't convert negative int to unsigned"
)
DIVISION_BY_ZERO = re.compile("ZeroDivisionError")
OUT_OF_RANGE = re.compile(r"out of (\w+ )?(bounds|range)")
OF_INDEX = re.compile("^index out of range in self")
LABEL = re.compile(r"Target (-?\d+) is out of bounds")
NEGATIVE_COUNTED = re.compile("non-negative")
TOO_FEW_ELEMENTS = re.compile("of elements of source")
NOT_PROBABILITIES = re.compile("target should be between")
NOT_WEIGHTS = re.compile("probability tensor|multinomial distribution")
CHANNELS = re.compile("elements not")
WRITTEN_SINCE = re.compile("modified by an inplace operation")
GPU_HAS_STOPPED = re.compile("device-side assert")
# What an error is about, as MindSpore's classes of errors distinguish: numbers of dimensions or groups, types, shapes.
OF_NUMBERS = re.compile("Input Error: Only|non-positive")
ABOUT_TYPES = re.compile(
    r"dtype|scalar type|Input type|not implemented for|not supported|can't be cast"
    r"|must be (a )?(Tensor|int|float|str|tuple)|Expected a (floating point|complex)|Name '.*' not found"
    r"|Boolean value of Tensor"
)
ABOUT_SHAPES = re.compile(
    r"size|shape|at least \dD|\b\dD\b|dimension|\bdims?\b|_dim|broadcast|elements|channels|kernel|stride|padding"
    r"|out of range|out of bounds|index|negative|stack expects|ZeroDivisionError|square matri|data points"
    r"|num groups|at least one axis"
)
ANOTHER_DTYPE = re.compile("expected scalar type|same dtype|but found|expected dtype|should be the same")
