"""Activation layers: the functions of `torchspore.ops.neural.activation` as cells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from torchspore import ops
from torchspore.common import dtype as mstype
from torchspore.common.initializer import initializer
from torchspore.common.names.near_names import suggestion
from torchspore.common.parameter import Parameter
from torchspore.common.tensor import Tensor
from torchspore.engine.arguments.argument_forms import number_in
from torchspore.engine.failures.errors import describe
from torchspore.engine.parameter_names import with_parameters
from torchspore.engine.parameters import AnyFloat, Positive, checked
from torchspore.nn.cell import Cell
from torchspore.nn.layer.checks import rank

__all__ = [
    "CELU", "ELU", "GELU", "GLU", "FastGelu", "HShrink", "HSigmoid", "HSwish", "Hardtanh", "LeakyReLU", "LogSigmoid",
    "LogSoftmax", "LogSoftmaxExt", "Mish", "PReLU", "PReLUExt", "RReLU", "ReLU", "ReLU6", "SeLU", "SiLU", "Sigmoid",
    "SoftShrink", "Softmax", "Softmax2d", "Softmin", "Softsign", "Tanh", "Tanhshrink", "Threshold", "get_activation",
]  # fmt: skip


class _Plain(Cell):
    """An activation without arguments: the operation itself is `construct`."""

    def __init__(self) -> None:
        super().__init__()

    if TYPE_CHECKING:

        def construct(self, input: Tensor, /) -> Tensor: ...


class ReLU(_Plain):
    """The positive part, `ops.relu`.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.nn.ReLU()(ms.Tensor([-1.0, 0.5, 2.0])))
        [0.  0.5 2. ]
    """

    construct = staticmethod(ops.relu)


class ReLU6(_Plain):
    """The elements clamped to [0, 6], `ops.relu6`."""

    construct = staticmethod(ops.relu6)


class SeLU(_Plain):
    """The scaled exponential linear unit, `ops.selu`."""

    construct = staticmethod(ops.selu)


class SiLU(_Plain):
    """The element times its sigmoid, `ops.silu`."""

    construct = staticmethod(with_parameters(ops.silu, input="x"))


class Sigmoid(_Plain):
    """The logistic function, `ops.sigmoid`."""

    construct = staticmethod(with_parameters(ops.sigmoid, input="x"))


class LogSigmoid(_Plain):
    """The logarithm of the logistic function, `ops.logsigmoid`."""

    construct = staticmethod(with_parameters(ops.logsigmoid, x="input_x"))


class Tanh(_Plain):
    """The hyperbolic tangent, `ops.tanh`."""

    construct = staticmethod(with_parameters(ops.tanh, input="x"))


class Tanhshrink(_Plain):
    """The element minus its hyperbolic tangent, `ops.tanhshrink`."""

    construct = staticmethod(with_parameters(ops.tanhshrink, input="x"))


class Softsign(_Plain):
    """The element over one plus its absolute value, `ops.softsign`."""

    construct = staticmethod(ops.softsign)


class Mish(_Plain):
    """The element times the hyperbolic tangent of its softplus, `ops.mish`."""

    construct = staticmethod(with_parameters(ops.mish, x="input_x"))


class FastGelu(_Plain):
    """A quick approximation of GELU, `ops.fast_gelu`."""

    construct = staticmethod(ops.fast_gelu)


class HSwish(_Plain):
    """The element times its hard sigmoid, `ops.hardswish`."""

    construct = staticmethod(ops.hardswish)


class HSigmoid(_Plain):
    """A straight line clamped to [0, 1], `ops.hardsigmoid`."""

    construct = staticmethod(ops.hardsigmoid)


# With arguments


class GELU(Cell):
    """The Gaussian error linear unit, `ops.gelu`.

    Args:
        approximate: whether to use the formula with tanh instead of the exact one. Default: True.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.nn.GELU(approximate=False)(ms.Tensor([0.0, 1.0])))
        [0.        0.8413447]
    """

    @checked
    def __init__(self, approximate: bool = True) -> None:
        super().__init__()
        self.approximate = "tanh" if approximate else "none"

    def construct(self, x: Tensor) -> Tensor:
        return ops.gelu(x, self.approximate)


class _WithAlpha(Cell):
    """The base of activations with one argument, `alpha`."""

    def __init__(self, alpha: float = 1.0) -> None:
        super().__init__()
        self.alpha = alpha


class ELU(_WithAlpha):
    """The exponential linear unit, `ops.elu`.

    Args:
        alpha: the negative of the limit on the negative side. Default: 1.0.
    """

    def construct(self, x: Tensor) -> Tensor:
        return ops.elu(x, self.alpha)


class CELU(_WithAlpha):
    """The exponential linear unit with a smooth bend, `ops.celu`.

    Args:
        alpha: the negative of the limit on the negative side; not 0. Default: 1.0.
    """

    def construct(self, x: Tensor) -> Tensor:
        return ops.celu(x, self.alpha)


class LeakyReLU(_WithAlpha):
    """The element, with a smaller slope on the negative side, `ops.leaky_relu`.

    Args:
        alpha: the slope. Default: 0.2.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.nn.LeakyReLU(0.25)(ms.Tensor([-1.0, 2.0])))
        [-0.25  2.  ]
    """

    def __init__(self, alpha: float = 0.2) -> None:
        super().__init__(alpha)

    def construct(self, x: Tensor) -> Tensor:
        return ops.leaky_relu(x, self.alpha)


class PReLU(Cell):
    """The element, with a trained slope on the negative side, `ops.prelu`.

    Args:
        channel: the number of slopes: 1, or the length of the input's second axis. Default: 1.
        w: the initial slopes: a number, or `channel` numbers as a list or a Tensor. Default: 0.25.

    Inputs: a Tensor of shape (N, C, *).

    Examples:
        >>> import torchspore as ms
        >>> print(ms.nn.PReLU()(ms.Tensor([[-1.0, 2.0]])))
        [[-0.25  2.  ]]
    """

    @checked
    def __init__(self, channel: Positive = 1, w: float | list[float] | Tensor = 0.25) -> None:
        super().__init__()
        slopes = w if isinstance(w, Tensor) else _slopes(w, channel)
        if not slopes._t.is_floating_point():
            raise TypeError("'w' must hold floats")
        if slopes.shape != (channel,):
            raise ValueError(f"'w' must have 'channel' ({channel}) elements")
        self.w = Parameter(slopes, name="a")

    def construct(self, x: Tensor) -> Tensor:
        return ops.prelu(x, self.w)


def _slopes(w: Any, channel: int) -> Tensor:
    values = w if isinstance(w, list) else [w] * channel
    if not all(isinstance(value, (int, float, np.floating)) and not isinstance(value, bool) for value in values):
        raise TypeError("'w' must be a number, a list of numbers or a Tensor")
    return Tensor(values, mstype.float32)


class PReLUExt(Cell):
    """The element, with a trained slope on the negative side, as in `mint.nn.PReLU`.

    Args:
        num_parameters: the number of slopes: 1, or the length of the input's second dimension. Default: 1.
        init: the initial slopes. Default: 0.25.
        dtype: the data type of the slopes. Default: None, float32.
    """

    @checked
    def __init__(self, num_parameters: Positive = 1, init: Any = 0.25, dtype: mstype.Type | None = None) -> None:
        super().__init__()
        shape = (num_parameters,)
        self.weight = Parameter(initializer(number_in(init), shape, dtype or mstype.float32), name="weight")

    def construct(self, input: Tensor) -> Tensor:
        return ops.prelu(input, self.weight)


class RReLU(Cell):
    """The element, with a random slope on the negative side, `ops.rrelu`; outside training the mean of the slopes.

    Args:
        lower: the smallest slope. Default: 1 / 8.
        upper: the bound of the slopes, excluded. Default: 1 / 3.
    """

    @checked
    def __init__(self, lower: AnyFloat = 1.0 / 8, upper: AnyFloat = 1.0 / 3) -> None:
        super().__init__()
        self.lower = lower
        self.upper = upper
        if lower > upper:
            raise ValueError("'lower' must be <= 'upper'")

    def construct(self, x: Tensor) -> Tensor:
        if self.training:
            return ops.rrelu(x, self.lower, self.upper)
        # MindSpore draws at inference too, so that the result differs from call to call; the paper does not.
        return ops.leaky_relu(x, (self.lower + self.upper) / 2)


class Hardtanh(Cell):
    """The elements clamped to an interval, `ops.hardtanh`.

    Args:
        min_val: the minimum. Default: -1.0.
        max_val: the maximum. Default: 1.0.
    """

    @checked
    def __init__(self, min_val: AnyFloat = -1.0, max_val: AnyFloat = 1.0) -> None:
        super().__init__()
        self.min_val = min_val
        self.max_val = max_val
        if min_val >= max_val:
            raise ValueError("'min_val' must be < 'max_val'")

    def construct(self, x: Tensor) -> Tensor:
        return ops.hardtanh(x, self.min_val, self.max_val)


class _WithLambda(Cell):
    """The base of activations with one argument, `lambd`."""

    @checked
    def __init__(self, lambd: AnyFloat = 0.5) -> None:
        super().__init__()
        self.lambd = lambd


class HShrink(_WithLambda):
    """The elements, those within `lambd` of 0 set to 0, `ops.hardshrink`.

    Args:
        lambd: the bound. Default: 0.5.
    """

    def construct(self, input: Tensor) -> Tensor:
        return ops.hardshrink(input, self.lambd)


class SoftShrink(_WithLambda):
    """The elements moved towards 0 by `lambd`, `ops.softshrink`.

    Args:
        lambd: the distance, >= 0. Default: 0.5.
    """

    def construct(self, input: Tensor) -> Tensor:
        return ops.softshrink(input, self.lambd)


class Threshold(Cell):
    """The elements, those not above a bound replaced by a value, `ops.threshold`.

    Args:
        threshold: the bound.
        value: the value.
    """

    def __init__(self, threshold: float, value: float) -> None:
        super().__init__()
        self.threshold = threshold
        self.value = value

    def construct(self, input_x: Tensor) -> Tensor:
        return ops.threshold(input_x, self.threshold, self.value)


# Along an axis


class Softmax(Cell):
    """Exponentials divided by their sum along an axis, `ops.softmax`.

    Args:
        axis: the axis, or a tuple of one axis. Default: -1.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.nn.Softmax()(ms.Tensor([1.0, 2.0, 3.0])))
        [0.09003057 0.24472848 0.66524094]
    """

    def __init__(self, axis: int | tuple[int, ...] = -1) -> None:
        super().__init__()
        self.softmax = ops.Softmax(axis)

    def construct(self, input: Tensor) -> Tensor:
        return self.softmax(input)


class Softmax2d(_Plain):
    """`ops.softmax` over the channels of images of shape (N, C, H, W) or (C, H, W)."""

    def construct(self, x: Tensor) -> Tensor:
        if x.ndim not in (3, 4):
            raise ValueError("'x' must have 3 or 4 dimensions")
        return ops.softmax(x, -3)


class _AlongAxis(Cell):
    """The base of functions along one axis, by default the last."""

    def __init__(self, axis: int = -1) -> None:
        super().__init__()
        self.axis = axis


class LogSoftmax(_AlongAxis):
    """The logarithm of the softmax along `axis`, by default the last, `ops.log_softmax`."""

    def construct(self, x: Tensor) -> Tensor:
        return ops.log_softmax(x, self.axis)


class LogSoftmaxExt(Cell):
    """The logarithm of the softmax along a dimension, as in `mint.nn.LogSoftmax`.

    Args:
        dim: the dimension. Default: None: 0 for tensors with 0, 1 or 3 dimensions, else 1.
    """

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def construct(self, x: Tensor) -> Tensor:
        dim = self.dim
        if dim is None:
            dim = 0 if rank(x, "LogSoftmaxExt") in (0, 1, 3) else 1
        return ops.log_softmax(x, dim)


class Softmin(_AlongAxis):
    """The softmax of the negative elements along `axis`, by default the last, `ops.softmin`."""

    def construct(self, x: Tensor) -> Tensor:
        return ops.softmin(x, self.axis)


class GLU(_AlongAxis):
    """The first half along `axis`, by default the last, times the sigmoid of the second half, `ops.glu`."""

    def construct(self, x: Tensor) -> Tensor:
        return ops.glu(x, self.axis)


_activation: dict[str, type[Cell]] = {
    "softmin": Softmin, "softmax": Softmax, "softmax2d": Softmax2d, "logsoftmax": LogSoftmax,
    "logsoftmaxExt": LogSoftmaxExt, "relu": ReLU, "relu6": ReLU6, "rrelu": RReLU, "silu": SiLU, "tanh": Tanh,
    "tanhshrink": Tanhshrink, "hardtanh": Hardtanh, "gelu": GELU, "fast_gelu": FastGelu, "elu": ELU, "sigmoid": Sigmoid,
    "softsign": Softsign, "prelu": PReLU, "preluExt": PReLUExt, "leakyrelu": LeakyReLU, "hswish": HSwish,
    "hsigmoid": HSigmoid, "logsigmoid": LogSigmoid, "softshrink": SoftShrink, "hshrink": HShrink, "mish": Mish,
}  # fmt: skip


def get_activation(name: str | None, prim_name: str | None = None) -> Cell | None:
    """Return a new activation layer by its name.

    Args:
        name: the name, such as "relu", "gelu", "leakyrelu" or "softmax"; None for no layer.
        prim_name: the name for error messages. Default: None.

    Returns:
        The layer with its default arguments, or None.

    Raises:
        KeyError: no activation has the name.

    Examples:
        >>> import torchspore as ms
        >>> ms.nn.get_activation("sigmoid")
        Sigmoid()
    """
    if name is None:
        return None
    layer: Any = _activation.get(name) if isinstance(name, str) else None
    if layer is None:
        names = ", ".join(f"'{known}'" for known in _activation)
        raise KeyError(
            f"For '{prim_name or 'get_activation'}', the name of an activation must be one of {names}, "
            f"but got {describe(name)}." + suggestion(str(name), _activation)
        )
    return layer()
