"""Primitives of Python's values whose names other modules of MindSpore give to functions.

`mindspore.ops.operations._scalar_ops` and `_sequence_ops` have the classes.
"""

from __future__ import annotations

import math
from typing import Any

from torchspore.engine.primitive import primitive

__all__ = ["bit_and", "bit_or", "bool_not", "list_equal", "make_range", "shape_mul", "tuple_equal"]

bit_and = primitive("bit_and", lambda x, y: x & y)
bit_or = primitive("bit_or", lambda x, y: x | y)
bool_not = primitive("bool_not", lambda x: not x)
list_equal = primitive("list_equal", lambda x, y: x == y)
tuple_equal = primitive("tuple_equal", lambda x, y: x == y)
shape_mul = primitive("shape_mul", lambda shape: math.prod(shape))


def _range(*limits: Any) -> tuple[int, ...]:
    return tuple(range(*limits))


make_range = primitive("make_range", _range)
