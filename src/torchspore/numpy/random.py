"""Random arrays; they draw from the stream of `set_seed`."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from torchspore.common import dtype as mstype
from torchspore.engine.arguments.conversions import as_int, as_size
from torchspore.engine.op import NumpyType, op
from torchspore.ops.random import distributions as random

__all__ = ["rand", "randint", "randn"]


@op
def rand(*shape: Any, dtype: NumpyType = mstype.float32) -> Tensor:
    """Draw from the uniform distribution over [0, 1).

    Args:
        shape: the sizes, as ints or as one tuple or list of them; (1,) without any.
        dtype: a floating-point type. Default: float32.

    Examples:
        >>> import torchspore.numpy as np
        >>> np.rand(2, 3).shape
        (2, 3)
    """
    return random.rand.body(*shape, dtype=dtype)


@op
def randn(*shape: Any, dtype: NumpyType = mstype.float32) -> Tensor:
    """Draw from the normal distribution with mean 0 and standard deviation 1; arguments as for `rand`."""
    return random.randn.body(*shape, dtype=dtype)


@op
def randint(minval: int, maxval: int | None = None, shape: Any = None, dtype: NumpyType = mstype.int32) -> Tensor:
    """Draw integers uniformly from [`minval`, `maxval`).

    Args:
        minval: the minimum; if it is the only bound, the integers are from [0, `minval`).
        maxval: the upper bound, excluded. Default: None.
        shape: an int or a tuple of ints. Default: None, (1,).
        dtype: a signed integer type. Default: int32.
    """
    low, high = (0, minval) if maxval is None else (minval, as_int(maxval, "randint", "maxval"))
    return random.randint.body(low, high, (1,) if shape is None else as_size(shape, "randint", "shape"), dtype=dtype)
