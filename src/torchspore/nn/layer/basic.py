"""Basic layers: dense, dropout, flatten and other small ones."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Annotated, Any, TypeAlias

import numpy as np

from torchspore.common import dtype as mstype
from torchspore.common.initializer import HeUniform, Uniform
from torchspore.common.parameter import Parameter
from torchspore.common.tensor import Tensor
from torchspore.engine.parameters import Limits, Positive, PositiveFloat, StrictFloat, checked, take_as
from torchspore.engine.parameters.limits import Strict
from torchspore.engine.primitive import Primitive
from torchspore.nn.cell import Cell
from torchspore.nn.layer.activation import get_activation
from torchspore.nn.layer.checks import initial_parameter, rank
from torchspore.nn.layer.planned import Planned
from torchspore.ops.array.gathering import one_hot
from torchspore.ops.array.padding import MirrorPad
from torchspore.ops.array.padding import Pad as PadWithZeros
from torchspore.ops.array.rearranging import roll
from torchspore.ops.array.reshaping import flatten, reshape
from torchspore.ops.array.slicing import tril, triu
from torchspore.ops.linalg.matrix_functions import norm
from torchspore.ops.linalg.products import dense
from torchspore.ops.math.elementwise import abs, maximum
from torchspore.ops.math.reduction import sum
from torchspore.ops.neural.dropout import dropout, dropout1d, dropout2d, dropout3d

__all__ = [
    "ClipByNorm", "Dense", "Dropout", "Dropout1d", "Dropout2d", "Dropout2dExt", "Dropout3d", "DropoutExt", "Flatten",
    "Identity", "L1Regularizer", "Linear", "Norm", "OneHot", "Pad", "Roll", "Tril", "Triu", "Unflatten",
]  # fmt: skip


_Dropped: TypeAlias = Annotated[float, Limits(0, below=1)]


class Dense(Cell):
    r"""A fully connected layer.

    .. math::
        output = activation(x \cdot weight^T + bias)

    Args:
        in_channels: the size of the input's last dimension.
        out_channels: the size of the output's last dimension.
        weight_init: the weight's initializer, its name, a number, or a Tensor of shape (out_channels, in_channels).
            Default: None, the uniform distribution over [-1/sqrt(in_channels), 1/sqrt(in_channels)].
        bias_init: the same for the bias, of shape (out_channels,). Default: None, the same distribution.
        has_bias: whether there is a bias. Default: True.
        activation: what follows: the name of an activation such as "relu", a Cell or a Primitive. Default: None.
        dtype: the data type of the parameters. Default: float32.

    Inputs and outputs: a Tensor of shape (*, in_channels), of the parameters' dtype, becomes (*, out_channels).

    Raises:
        KeyError: no activation has the name.

    Examples:
        >>> import torchspore as ms
        >>> net = ms.nn.Dense(3, 4)
        >>> print(net(ms.Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])).shape)
        (2, 4)
    """

    @checked
    def __init__(
        self,
        in_channels: Positive,
        out_channels: Positive,
        weight_init: Any = None,
        bias_init: Any = None,
        has_bias: bool = True,
        activation: Any = None,
        dtype: mstype.Type = mstype.float32,
    ) -> None:
        super().__init__()
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.has_bias = has_bias
        self.weight, self.bias = _dense_parameters(in_channels, out_channels, weight_init, bias_init, has_bias, dtype)
        self.activation = _activation(activation, "Dense")
        self.activation_flag = self.activation is not None

    def construct(self, x: Tensor) -> Tensor:
        output = dense(x, self.weight, self.bias if self.has_bias else None)
        return output if not self.activation_flag or self.activation is None else self.activation(output)

    def extend_repr(self) -> str:
        text = f"input_channels={self.in_channels}, output_channels={self.out_channels}"
        if self.has_bias:
            text += f", has_bias={self.has_bias}"
        return f"{text}, activation={self.activation}" if self.activation_flag else text


def _activation(activation: Any, api: str) -> Any:
    if isinstance(activation, str):
        return get_activation(activation, api)
    if activation is not None and not isinstance(activation, (Cell, Primitive)):
        raise TypeError("'activation' must be a string, a Cell or a Primitive")
    return activation


def _dense_parameters(
    inputs: int, outputs: int, weight_init: Any, bias_init: Any, has_bias: bool, dtype: mstype.Type
) -> tuple[Parameter, Parameter | None]:
    """Return weight and bias, drawn from U(-1/sqrt(inputs), 1/sqrt(inputs)) unless initial values are given."""
    weight = initial_parameter(weight_init, HeUniform(math.sqrt(5)), (outputs, inputs), dtype, "weight")
    if not has_bias:
        return weight, None
    return weight, initial_parameter(bias_init, Uniform(1 / math.sqrt(inputs)), (outputs,), dtype, "bias")


class Linear(Cell):
    """A fully connected layer: `Dense` under other names, without an activation.

    Args:
        in_features: the size of the input's last dimension.
        out_features: the size of the output's last dimension.
        bias: whether there is a bias. Default: True.
        weight_init, bias_init: as for `Dense`. Default: None.
        dtype: the data type of the parameters. Default: None, float32.
    """

    @checked
    def __init__(
        self,
        in_features: Positive,
        out_features: Positive,
        bias: bool = True,
        weight_init: Any = None,
        bias_init: Any = None,
        dtype: mstype.Type | None = None,
    ) -> None:
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.has_bias = bias
        self.weight, self.bias = _dense_parameters(
            in_features, out_features, weight_init, bias_init, bias, dtype or mstype.float32
        )

    def construct(self, x: Tensor) -> Tensor:
        return dense(x, self.weight, self.bias)

    def extend_repr(self) -> str:
        text = f"input_features={self.in_features}, output_features={self.out_features}"
        return f"{text}, has_bias={self.has_bias}" if self.has_bias else text


class Dropout(Cell):
    """Set elements to zero at random while training, and scale up the others to keep the mean.

    Args:
        keep_prob: the probability to keep an element, in (0, 1]; deprecated, give `p`. Default: 0.5.
        p: the probability of zero, in [0, 1). Default: None, 1 - `keep_prob`.
        dtype: deprecated: the output is of the input's dtype. Default: float32.

    Inputs: a floating-point Tensor.
    Outputs: a Tensor of the input's shape and dtype; outside training, the input.

    Examples:
        >>> import torchspore as ms
        >>> net = ms.nn.Dropout(p=0.5).set_train()
        >>> x = net(ms.Tensor([1.0, 1.0, 1.0]))
        >>> bool(((x == 0) | (x == 2)).all())
        True
    """

    def __init__(self, keep_prob: float = 0.5, p: float | None = None, dtype: mstype.Type = mstype.float32) -> None:
        super().__init__()
        if dtype is not mstype.float32:
            _deprecated("For 'Dropout', 'dtype' is deprecated: the output is of the input's dtype. Leave it out.")
        if p is None:
            _deprecated("For 'Dropout', 'keep_prob' is deprecated. Give p, which is 1 - keep_prob.")
            if not 0 < take_as(StrictFloat, keep_prob, "keep_prob", "Dropout") <= 1:
                raise ValueError("'keep_prob' must be in (0, 1]")
        else:
            take_as(_Dropped, p, "p", "Dropout")
        self.keep_prob = keep_prob
        self.p = p

    @property
    def _kept(self) -> float:
        return self.keep_prob if self.p is None else 1 - self.p

    def construct(self, x: Tensor) -> Tensor:
        if self.training and self.keep_prob != 1:  # as in MindSpore, this counts with any `p`
            rate = 1 - self.keep_prob if self.p is None else self.p
            return dropout(x, rate) if rate else x
        return x

    def extend_repr(self) -> str:
        return f"keep_prob={self.keep_prob}" if self.p is None else f"p={self.p}"


def _deprecated(message: str) -> None:
    warnings.warn(message, DeprecationWarning, stacklevel=3)


class DropoutExt(Cell):
    """Dropout of elements, as in `mint.nn.Dropout`.

    Args:
        p: the probability of zero, in [0, 1]. Default: 0.5.
        inplace: whether the input is overwritten. Default: False.
    """

    _drop = staticmethod(dropout)

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        self.p = p
        self.inplace = bool(inplace)

    def construct(self, input: Tensor) -> Tensor:
        if not (self.training and self.p):
            return input
        output = self._drop(input, self.p)
        return input.copy_(output) if self.inplace else output


class Dropout2dExt(DropoutExt):
    """Dropout of whole channels of an input of shape (N, C, H, W), as in `mint.nn.Dropout2d`; see `DropoutExt`."""

    _drop = staticmethod(dropout2d)


class Dropout1d(Cell):
    """Set whole channels to zero at random while training, and scale up the others to keep the mean.

    Args:
        p: the probability of zero, a float in [0, 1]. Default: 0.5.

    Inputs: a Tensor of shape (N, C, L) or (C, L).
    Outputs: a Tensor of the input's shape and dtype; outside training, the input.
    """

    @checked
    def __init__(self, p: Annotated[float, Strict(), Limits(0, 1)] = 0.5) -> None:
        super().__init__()
        self.p = p

    @property
    def _kept(self) -> float:
        return 1 - self.p

    def construct(self, x: Tensor) -> Tensor:
        return dropout1d(x, self.p) if self.training and self.p else x


class Dropout2d(Dropout1d):
    """Dropout of whole channels of an input of shape (N, C, H, W); see `Dropout1d`."""

    _shown = ("p",)

    def construct(self, x: Tensor) -> Tensor:
        return dropout2d(x, self.p) if self.training and self.p else x


class Dropout3d(Dropout2d):
    """Dropout of whole channels of an input of shape (N, C, D, H, W); see `Dropout1d`."""

    def construct(self, x: Tensor) -> Tensor:
        return dropout3d(x, self.p) if self.training and self.p else x


class Flatten(Cell):
    """Merge dimensions into one.

    Args:
        start_dim: the first dimension to merge. Default: 1.
        end_dim: the last dimension to merge. Default: -1.

    Examples:
        >>> import torchspore as ms
        >>> ms.nn.Flatten()(ms.ops.zeros((2, 3, 4))).shape
        (2, 12)
    """

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim = start_dim
        self.end_dim = end_dim

    def construct(self, x: Tensor) -> Tensor:
        start, end = self.start_dim, self.end_dim
        dims = rank(x, "Flatten") or 1
        if not (-dims <= start < dims and -dims <= end < dims):
            raise ValueError(
                f"'start_dim' and 'end_dim' must be in [{-dims}, {dims}), the dimensions of the input, but got {start} "
                f"and {end}"
            )
        return flatten(x, start_dim=start, end_dim=end)


class Identity(Cell):
    """Return the input; all arguments of the constructor are accepted and have no effect."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def construct(self, input: Any) -> Any:
        return input


class Unflatten(Cell):
    """Split a dimension into several.

    Args:
        axis: the dimension.
        unflattened_size: the sizes, a tuple or list; one may be -1, to be inferred.

    Examples:
        >>> import torchspore as ms
        >>> ms.nn.Unflatten(1, (2, -1))(ms.ops.zeros((3, 6))).shape
        (3, 2, 3)
    """

    @checked
    def __init__(self, axis: int, unflattened_size: Sequence[Any]) -> None:
        super().__init__()
        self.axis = axis
        self.unflattened_size = unflattened_size

    def construct(self, input_x: Tensor) -> Tensor:
        dims = rank(input_x, "Unflatten")
        shape = input_x.shape
        if not -dims <= self.axis < dims:
            raise ValueError(f"the input has no dimension {self.axis}: its shape is {shape}")
        axis = self.axis % dims
        return reshape(input_x, (*shape[:axis], *self.unflattened_size, *shape[axis + 1 :]))


class Pad(Planned):
    """Pad every dimension.

    Args:
        paddings: a tuple of pairs (before, after), one for each dimension in order, at most 4.
        mode: "CONSTANT" pads with zeros, "REFLECT" mirrors without repeating the edge, "SYMMETRIC" repeats it.
            Default: "CONSTANT".

    Examples:
        >>> import torchspore as ms
        >>> print(ms.nn.Pad(((0, 1), (1, 1)), mode="SYMMETRIC")(ms.Tensor([[1, 2]])))
        [[1 1 2 2]
         [1 1 2 2]]
    """

    def __init__(self, paddings: tuple[tuple[int, int], ...], mode: str = "CONSTANT") -> None:
        super().__init__()
        self.paddings = paddings
        self.mode = mode
        self._planned()

    def _make_plan(self) -> tuple[Any, tuple[Any, ...]]:
        mode = self.mode
        if mode not in ("CONSTANT", "REFLECT", "SYMMETRIC"):
            raise ValueError(f"'mode' must be 'CONSTANT', 'REFLECT' or 'SYMMETRIC', but got {mode!r}")
        zeros = PadWithZeros(self.paddings)
        if len(self.paddings) > 4:
            raise ValueError(f"'paddings' must hold at most 4 pairs, but got {len(self.paddings)}")
        return (zeros, ()) if mode == "CONSTANT" else (MirrorPad(mode), (np.array(self.paddings),))

    def construct(self, x: Tensor) -> Tensor:
        operation, arguments = self._plan or self._planned()
        return operation(x, *arguments)

    # What subclasses and strategies use of the plan.

    @property
    def _padding(self) -> Any:
        return (self._plan or self._planned())[0]

    @property
    def _is_constant(self) -> bool:
        return self.mode == "CONSTANT"

    @property
    def _amounts(self) -> Any:
        return (self._plan or self._planned())[1][0]


class OneHot(Planned):
    """Turn every index into a vector with one value at that index and another elsewhere.

    Args:
        axis: the position of the new dimension in the result. Default: -1.
        depth: the length of the vectors. Default: 1.
        on_value: the value at the index. Default: 1.0.
        off_value: the value elsewhere. Default: 0.0.
        dtype: the data type of the vectors. Default: float32.
    """

    def __init__(
        self,
        axis: int = -1,
        depth: int = 1,
        on_value: float = 1.0,
        off_value: float = 0.0,
        dtype: mstype.Type = mstype.float32,
    ) -> None:
        super().__init__()
        self.axis = axis
        self.depth = depth
        self.dtype = dtype
        self.on_value = Tensor(on_value, dtype)
        self.off_value = Tensor(off_value, dtype)

    def construct(self, indices: Tensor) -> Tensor:
        on_value, off_value = self._plan or self._planned()
        return one_hot(indices, self.depth, on_value, off_value, self.axis)

    def _make_plan(self) -> tuple[Tensor, Tensor]:
        def typed(value: Any) -> Tensor:
            return value if isinstance(value, Tensor) and value.dtype is self.dtype else Tensor(value, self.dtype)

        return typed(self.on_value), typed(self.off_value)


class Norm(Cell):
    """The Euclidean norm.

    Args:
        axis: the dimensions to reduce, an int or a tuple; () for all. Default: ().
        keep_dims: whether they stay, with size 1. Default: False.
    """

    _shown = ("axis", "keep_dims")

    @checked
    def __init__(self, axis: int | Sequence[int] = (), keep_dims: bool = False) -> None:
        super().__init__()
        self.axis = axis
        self.keep_dims = keep_dims

    def construct(self, x: Tensor) -> Tensor:
        return norm(x, None, None if self.axis == () else self.axis, self.keep_dims)


class ClipByNorm(Cell):
    """Scale a tensor down to a maximum Euclidean norm.

    Args:
        axis: the dimensions to take the norm over, an int or a tuple; None for all. Default: None.

    Inputs: (x, clip_norm), a Tensor, and the maximum norm as a Tensor that broadcasts with it.
    """

    def __init__(self, axis: int | tuple[int, ...] | None = None) -> None:
        super().__init__()
        self.axis = axis

    def construct(self, x: Tensor, clip_norm: Tensor) -> Tensor:
        return x * (clip_norm / maximum(norm(x, None, self.axis, True), clip_norm))


class L1Regularizer(Cell):
    """The sum of absolute values, times a factor.

    Args:
        scale: the factor, > 0 and finite.
    """

    @checked
    def __init__(self, scale: PositiveFloat) -> None:
        super().__init__()
        self.scale = scale

    def construct(self, weights: Tensor) -> Tensor:
        return sum(abs(weights)) * float(self.scale)


class Tril(Cell):
    """Set the elements above the diagonal `k` of matrices to zero: `Tril()(x, k=0)`."""

    def __init__(self) -> None:
        super().__init__()

    def construct(self, x: Tensor, k: int = 0) -> Tensor:
        return tril(x, k)


class Triu(Cell):
    """Set the elements below the diagonal `k` of matrices to zero: `Triu()(x, k=0)`."""

    def __init__(self) -> None:
        super().__init__()

    def construct(self, x: Tensor, k: int = 0) -> Tensor:
        return triu(x, k)


class Roll(Cell):
    """Shift the elements cyclically.

    Args:
        shift: the distance, an int, or one for each of several dimensions.
        axis: the dimension, or dimensions.
    """

    @checked
    def __init__(self, shift: int | Sequence[int], axis: int | Sequence[int]) -> None:
        super().__init__()
        self.shift = [shift] if isinstance(shift, int) else shift
        self.axis = [axis] if isinstance(axis, int) else axis
        if len(self.shift) != len(self.axis):
            raise ValueError("'shift' and 'axis' must have the same length")

    def construct(self, input_x: Tensor) -> Tensor:
        return roll(input_x, self.shift, self.axis)
