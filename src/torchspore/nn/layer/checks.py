"""The inputs and the initial values of layers."""

from __future__ import annotations

from typing import Annotated, Any

from torchspore.common.dtype import Type
from torchspore.common.error_classes import also
from torchspore.common.initializer import initializer
from torchspore.common.parameter import Parameter
from torchspore.common.tensor import Tensor
from torchspore.engine.failures.errors import describe
from torchspore.engine.parameters import Kind, Rule, Where, kind_of

__all__ = ["DIVISIBLE", "FLOATS", "SAME_TYPE", "holding", "initial_parameter", "rank"]

# Of the inputs of `construct`.
FLOATS = kind_of(Annotated[Tensor, Where("of floats", lambda tensor: tensor._t.is_floating_point(), TypeError)])
SAME_TYPE = Rule("the inputs must be of one dtype", lambda x, y: x.dtype == y.dtype, TypeError)

# Of the constructors that take them.
DIVISIBLE = Rule(
    "'num_channels' must be a multiple of 'num_groups'",
    lambda num_channels, num_groups: not num_channels % num_groups,
)


def holding(*dtypes: Type) -> Kind:
    """Return the kind of Tensors of one of some data types."""
    words = f"of {' or '.join(map(str, dtypes))}"
    return kind_of(Annotated[Tensor, Where(words, lambda tensor: tensor.dtype in dtypes, TypeError)])


def rank(x: Any, api: str) -> int:
    """Return the number of dimensions of a tensor."""
    try:
        return x._t.dim()
    except AttributeError:
        raise also(TypeError, AttributeError)(
            f"For '{api}', the input must be a Tensor, but got {describe(x)}."
        ) from None


def initial_parameter(init: Any, default: Any, shape: tuple[int, ...], dtype: Type, name: str) -> Parameter:
    """Return a parameter with the value that a constructor got as `<name>_init`; None means the default."""
    if isinstance(init, Tensor) and init.shape != shape:
        raise ValueError(f"'{name}_init' must be of shape {shape}")
    return Parameter(initializer(default if init is None else init, shape, dtype), name=name)
