"""Initializers, which fill parameters and delayed tensors, under `mindspore.common.initializer`'s names.

They check their arguments when they fill a tensor, unless their documentation says otherwise: a TypeError for an
argument of the wrong type, a ValueError for one that is out of range or not finite, or for a tensor with an unsuitable
number of dimensions (weights for which inputs and outputs are counted need 2 or more).
"""

from __future__ import annotations

import math
import numbers
import operator
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from torchspore.common import dtype as mstype
from torchspore.common.error_classes import WrongType, also
from torchspore.common.initial_values.fan_in_out import (
    _calculate_correct_fan,  # noqa: F401 - packages import it from here
    _calculate_fan_in_and_fan_out,
)
from torchspore.common.initial_values.initializer_arrays import (  # packages import these from here, too
    _assignment,  # noqa: F401
    _calculate_gain,  # noqa: F401
    _calculate_in_and_out,  # noqa: F401
    _init_random_normal,  # noqa: F401
    _init_random_normal_inplace,  # noqa: F401
    _init_random_uniform,  # noqa: F401
    _init_random_uniform_inplace,  # noqa: F401
    _init_truncated_normal,  # noqa: F401
    _init_truncated_normal_inplace,  # noqa: F401
    _numpy_seed,  # noqa: F401
)
from torchspore.common.initial_values.philox import fill_normal, fill_truncated_normal, fill_uniform
from torchspore.common.names.earlier_names import EarlierMethod
from torchspore.common.names.missing_names import suggest_names as _suggest_names
from torchspore.common.names.near_names import suggestion
from torchspore.common.tensor import Tensor

__all__ = [
    "Constant", "Dirac", "HeNormal", "HeUniform", "Identity", "Initializer", "Normal", "One", "Orthogonal", "Sparse",
    "TruncatedNormal", "Uniform", "VarianceScaling", "XavierNormal", "XavierUniform", "Zero", "initializer",
]  # fmt: skip

# The standard deviation of a standard normal distribution truncated at -2 and 2.
_STD_WITHIN_2 = math.sqrt(1 - 4 * math.exp(-2) / math.sqrt(2 * math.pi) / math.erf(math.sqrt(2)))

_LINEAR = (
    "linear", "sigmoid", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d",
)  # fmt: skip
_GAINS = dict.fromkeys(_LINEAR, 1.0) | {"tanh": 5 / 3, "relu": math.sqrt(2)}


class Initializer:
    """The base of all initializers: a subclass defines `_initialize(arr)`, which fills a NumPy array in place.

    The array has the data type of the tensor, or float32 where NumPy has no such type (bfloat16, float8).

    Args:
        **kwargs: kept in `_kwargs`, for subclasses.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.common.initializer import Initializer, initializer
        >>> class Ramp(Initializer):
        ...     def _initialize(self, arr):
        ...         arr[...] = range(arr.size)
        >>> initializer(Ramp(), (3,), ms.float32).init_data()
        Tensor(shape=[3], dtype=Float32, value= [ 0.00000000e+00,  1.00000000e+00,  2.00000000e+00])
    """

    def __init__(self, **kwargs: Any) -> None:
        self._kwargs = kwargs

    def __call__(self, arr: np.ndarray[Any, Any]) -> Any:
        """Fill a NumPy array in place."""
        if not isinstance(arr, np.ndarray):
            raise TypeError(
                f"For '{type(self).__name__}', 'arr' must be a NumPy array, but got {type(arr).__name__}. "
                "Use initializer(init, shape, dtype) to make a Tensor."
            )
        return self._initialize(arr)

    def _initialize(self, arr: np.ndarray[Any, Any]) -> Any:
        raise NotImplementedError(f"For '{type(self).__name__}', an initializer must define '_initialize(self, arr)'.")

    def fill(self, tensor: torch.Tensor) -> None:
        """Fill a torch tensor of any data type and device in place."""
        numpy_type = mstype.FROM_TORCH[tensor.dtype].numpy
        array = np.zeros(tuple(tensor.shape), np.float32 if numpy_type is None else numpy_type)
        self._initialize(array)
        tensor.copy_(torch.from_numpy(array))


setattr(Initializer, "to_tensor", EarlierMethod("Initializer", "to_tensor"))  # noqa: B010 - not for type checkers


class _BuiltIn(Initializer):
    """An initializer in torch: a subclass defines `_draw`, or `_fill` if rounding through floats would be wrong."""

    def fill(self, tensor: torch.Tensor) -> None:
        if type(self)._initialize is _BuiltIn._initialize:
            self._fill(tensor)
        else:  # a user's subclass of a built-in initializer, with NumPy code of its own
            super().fill(tensor)

    def _initialize(self, arr: np.ndarray[Any, Any]) -> None:
        try:
            values = torch.empty(arr.shape, dtype=mstype.to_torch(arr.dtype))
        except TypeError:  # NumPy types from other packages, such as their bfloat16
            values = torch.empty(arr.shape)
        self._fill(values)
        arr[...] = values.numpy()

    def _fill(self, tensor: torch.Tensor) -> None:
        if tensor.dtype is torch.float32 and tensor.is_contiguous():
            self._draw(tensor)
        else:
            values = torch.empty(tensor.shape, dtype=torch.float32, device=tensor.device)
            self._draw(values)
            tensor.copy_(values)

    def _draw(self, values: torch.Tensor) -> None:
        """Write the values into a contiguous tensor of float32, the type in which MindSpore draws them."""
        raise NotImplementedError

    def _wrong(self, error: type[Exception], rule: str, given: Any) -> Exception:
        return error(f"For '{type(self).__name__}', {rule}, but got {given!r} of type {type(given).__name__}.")

    def _number(self, name: str, *, minimum: float | None = None, finite: bool = True) -> float:
        """Return an argument as a float, checked: not below `minimum`, not NaN and, if `finite`, not infinite."""
        value = getattr(self, name)
        if isinstance(value, str) or not hasattr(value, "__float__"):
            raise self._wrong(TypeError, f"'{name}' must be a number", value)
        number = float(value)
        if math.isnan(number) or (finite and math.isinf(number)):
            raise self._wrong(ValueError, f"'{name}' must be a finite number", value)
        if minimum is not None and number < minimum:
            raise self._wrong(ValueError, f"'{name}' must be >= {minimum}", value)
        return number

    def _require_dims(self, values: torch.Tensor, accepted: range, words: str) -> None:
        if values.dim() not in accepted:
            raise ValueError(
                f"For '{type(self).__name__}', the tensor must have {words} dimensions, "
                f"but got shape {tuple(values.shape)}."
            )

    def _fans(self, values: torch.Tensor) -> tuple[int, int]:
        """Return fan-in and fan-out of a weight."""
        self._require_dims(values, range(2, sys.maxsize), "2 or more")
        return _calculate_fan_in_and_fan_out(values.shape)


class Zero(_BuiltIn):
    """Fill with zeros.

    Examples:
        >>> from torchspore.common.initializer import Zero, initializer
        >>> initializer(Zero(), (2,)).init_data()
        Tensor(shape=[2], dtype=Float32, value= [ 0.00000000e+00,  0.00000000e+00])
    """

    def _fill(self, tensor: torch.Tensor) -> None:
        tensor.zero_()


class One(_BuiltIn):
    """Fill with ones.

    Examples:
        >>> from torchspore.common.initializer import One, initializer
        >>> initializer(One(), (2,)).init_data()
        Tensor(shape=[2], dtype=Float32, value= [ 1.00000000e+00,  1.00000000e+00])
    """

    def _fill(self, tensor: torch.Tensor) -> None:
        tensor.fill_(1)


class Constant(_BuiltIn):
    """Fill with one number, converted to the tensor's data type as an assignment to an array does.

    Args:
        value: a number, or an array or Tensor of one element.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.common.initializer import Constant, initializer
        >>> initializer(Constant(3), (2,), ms.int32).init_data()
        Tensor(shape=[2], dtype=Int32, value= [3, 3])
    """

    def __init__(self, value: Any) -> None:
        self.value = value

    def _fill(self, tensor: torch.Tensor) -> None:
        value = np.asarray(self.value)
        if value.dtype.kind not in "biufc":
            raise self._wrong(TypeError, "'value' must be a number", self.value)
        if value.size != 1:
            raise self._wrong(ValueError, "'value' must be a single number", self.value)
        if value.dtype.kind == "c" and not tensor.is_complex():
            raise self._wrong(TypeError, f"'value' must be real for a tensor of {tensor.dtype}", self.value)
        if not (tensor.is_floating_point() or tensor.is_complex() or np.isfinite(value).all()):
            raise self._wrong(ValueError, f"'value' must be finite for a tensor of {tensor.dtype}", self.value)
        tensor.copy_(torch.from_numpy(value.reshape(())))


class Uniform(_BuiltIn):
    """Draw from the uniform distribution over [-scale, scale].

    Args:
        scale: the bound, default: 0.07.

    Examples:
        >>> from torchspore.common.initializer import Uniform, initializer
        >>> weight = initializer(Uniform(0.5), (100,)).init_data().asnumpy()
        >>> bool((abs(weight) <= 0.5).all())
        True
    """

    def __init__(self, scale: float = 0.07) -> None:
        self.scale = scale

    def _draw(self, values: torch.Tensor) -> None:
        _uniform(values, self._number("scale"))


class Normal(_BuiltIn):
    """Draw from the normal distribution.

    Args:
        sigma: the standard deviation, default: 0.01.
        mean: the mean, default: 0.0.

    Examples:
        >>> from torchspore.common.initializer import Normal, initializer
        >>> initializer(Normal(0.0, mean=2.0), (2,)).init_data()
        Tensor(shape=[2], dtype=Float32, value= [ 2.00000000e+00,  2.00000000e+00])
    """

    def __init__(self, sigma: float = 0.01, mean: float = 0.0) -> None:
        self.sigma = sigma
        self.mean = mean

    def _draw(self, values: torch.Tensor) -> None:
        fill_normal(values, self._number("mean"), self._number("sigma", minimum=0))


class TruncatedNormal(_BuiltIn):
    """Draw from the normal distribution, given that the value lies in [a, b].

    Args:
        sigma: the standard deviation before truncation, default: 0.01.
        mean: the mean before truncation, default: 0.0.
        a: one bound of the values (not in units of `sigma`), default: -2.0.
        b: the other bound, default: 2.0.

    Examples:
        >>> from torchspore.common.initializer import TruncatedNormal, initializer
        >>> weight = initializer(TruncatedNormal(sigma=1.0, a=0.0, b=1.0), (100,)).init_data().asnumpy()
        >>> bool((weight >= 0).all() and (weight <= 1).all())
        True
    """

    def __init__(self, sigma: float = 0.01, mean: float = 0.0, a: float = -2.0, b: float = 2.0) -> None:
        self.sigma = sigma
        self.mean = mean
        self.a = a
        self.b = b

    def _draw(self, values: torch.Tensor) -> None:
        sigma, mean = self._number("sigma"), self._number("mean")
        bounds = self._number("a", finite=False), self._number("b", finite=False)
        if sigma <= 0:
            raise self._wrong(ValueError, "'sigma' must be > 0", self.sigma)
        fill_truncated_normal(values, mean, sigma, *bounds)


class XavierUniform(_BuiltIn):
    r"""Draw from the uniform distribution over [-bound, bound].

    .. math::
        bound = gain \cdot \sqrt{6 / (inputs + outputs)}

    For a weight of shape (o, i, k, ...), inputs = i·k·... and outputs = o·k·...

    Args:
        gain: the factor, default: 1.

    Examples:
        >>> from torchspore.common.initializer import XavierUniform, initializer
        >>> weight = initializer(XavierUniform(), (2, 4)).init_data().asnumpy()
        >>> bool((abs(weight) <= 1).all())
        True
    """

    def __init__(self, gain: float = 1) -> None:
        self.gain = gain

    def _draw(self, values: torch.Tensor) -> None:
        _uniform(values, self._number("gain") * math.sqrt(6 / sum(self._fans(values))))


class XavierNormal(_BuiltIn):
    r"""Draw from the normal distribution with mean 0 and standard deviation sigma.

    .. math::
        sigma = gain \cdot \sqrt{2 / (inputs + outputs)}

    For a weight of shape (o, i, k, ...), inputs = i·k·... and outputs = o·k·...

    Args:
        gain: the factor, default: 1.

    Examples:
        >>> from torchspore.common.initializer import XavierNormal, initializer
        >>> initializer(XavierNormal(), (2, 4)).init_data().shape
        (2, 4)
    """

    def __init__(self, gain: float = 1) -> None:
        self.gain = gain

    def _draw(self, values: torch.Tensor) -> None:
        fill_normal(values, 0, self._number("gain", minimum=0) * math.sqrt(2 / sum(self._fans(values))))


class _He(_BuiltIn):
    def __init__(
        self, negative_slope: float | None = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu"
    ) -> None:
        self.negative_slope = negative_slope
        self.mode = mode
        self.nonlinearity = nonlinearity

    def _std(self, values: torch.Tensor) -> float:
        if not isinstance(self.mode, str):
            raise self._wrong(TypeError, "'mode' must be a str", self.mode)
        fans = dict(zip(("fan_in", "fan_out"), self._fans(values), strict=True))
        if self.mode.lower() not in fans:
            raise self._wrong(ValueError, "'mode' must be 'fan_in' or 'fan_out'", self.mode)
        return self._gain() / math.sqrt(fans[self.mode.lower()])

    def _gain(self) -> float:
        if self.nonlinearity != "leaky_relu":
            if self.nonlinearity not in _GAINS:
                accepted = ", ".join(repr(name) for name in ("leaky_relu", *_GAINS))
                raise self._wrong(ValueError, f"'nonlinearity' must be one of {accepted}", self.nonlinearity)
            return _GAINS[self.nonlinearity]
        slope = 0.01 if self.negative_slope is None else self.negative_slope
        if not isinstance(slope, numbers.Real) or isinstance(slope, bool):
            raise self._wrong(ValueError, "'negative_slope' must be an int or a float", slope)
        return math.sqrt(2 / (1 + float(slope) ** 2))


class HeUniform(_He):
    r"""Draw from the uniform distribution over [-bound, bound].

    .. math::
        bound = gain \cdot \sqrt{3 / fan}

    For a weight of shape (o, i, k, ...), fan is i·k·... or o·k·..., as `mode` says.

    Args:
        negative_slope: the slope of the leaky ReLU that follows (None: 0.01), default: 0.
        mode: "fan_in" keeps the variance of the forward pass, "fan_out" of the backward pass, default: "fan_in".
        nonlinearity: what follows, default: "leaky_relu". The gain is sqrt(2 / (1 + negative_slope²)) for "leaky_relu",
            sqrt(2) for "relu", 5/3 for "tanh", and 1 for "sigmoid", "linear", "conv1d" to "conv3d" and
            "conv_transpose1d" to "conv_transpose3d".

    Examples:
        >>> from torchspore.common.initializer import HeUniform, initializer
        >>> weight = initializer(HeUniform(), (2, 6)).init_data().asnumpy()
        >>> bool((abs(weight) <= 1).all())
        True
    """

    def _draw(self, values: torch.Tensor) -> None:
        _uniform(values, math.sqrt(3) * self._std(values))


class HeNormal(_He):
    r"""Draw from the normal distribution with mean 0 and standard deviation sigma.

    .. math::
        sigma = gain / \sqrt{fan}

    For a weight of shape (o, i, k, ...), fan is i·k·... or o·k·..., as `mode` says.

    Args:
        negative_slope: the slope of the leaky ReLU that follows (None: 0.01), default: 0.
        mode: "fan_in" keeps the variance of the forward pass, "fan_out" of the backward pass, default: "fan_in".
        nonlinearity: what follows, with the gains of `HeUniform`, default: "leaky_relu".

    Examples:
        >>> from torchspore.common.initializer import HeNormal, initializer
        >>> initializer(HeNormal(mode="fan_out", nonlinearity="relu"), (2, 6)).init_data().shape
        (2, 6)
    """

    def _draw(self, values: torch.Tensor) -> None:
        fill_normal(values, 0, self._std(values))


class VarianceScaling(_BuiltIn):
    r"""Draw with mean 0 and a standard deviation that follows from the size of the weight.

    .. math::
        sigma = \sqrt{scale / n}

    For a weight of shape (o, i, k, ...), n is inputs = i·k·..., outputs = o·k·... or the mean of both.

    Args:
        scale: the factor of the variance, default: 1.0.
        mode: which n: "fan_in", "fan_out" or "fan_avg", default: "fan_in".
        distribution: "uniform" over [-sqrt(3)·sigma, sqrt(3)·sigma], "untruncated_normal", or "truncated_normal": cut
            off at twice the standard deviation of a normal distribution that is so wide that sigma is what remains;
            default: "truncated_normal".

    Raises:
        ValueError: `scale` is not positive and finite, `mode` or `distribution` is not one of those listed, or, when
            filling, the tensor has less than 2 dimensions.

    Examples:
        >>> from torchspore.common.initializer import VarianceScaling, initializer
        >>> initializer(VarianceScaling(2.0, "fan_out", "uniform"), (3, 2)).init_data().shape
        (3, 2)

    MindSpore 2.10 documents "truncated_normal" the same way, but draws from the uniform distribution.
    """

    def __init__(self, scale: float = 1.0, mode: str = "fan_in", distribution: str = "truncated_normal") -> None:
        self.scale = scale
        self.mode = mode
        self.distribution = distribution
        if self._number("scale") <= 0:
            raise self._wrong(ValueError, "'scale' must be > 0", scale)
        if mode not in ("fan_in", "fan_out", "fan_avg"):
            raise self._wrong(ValueError, "'mode' must be 'fan_in', 'fan_out' or 'fan_avg'", mode)
        if distribution not in ("uniform", "truncated_normal", "untruncated_normal"):
            raise self._wrong(
                ValueError, "'distribution' must be 'uniform', 'truncated_normal' or 'untruncated_normal'", distribution
            )

    def _draw(self, values: torch.Tensor) -> None:
        inputs, outputs = self._fans(values)
        count = {"fan_in": inputs, "fan_out": outputs, "fan_avg": (inputs + outputs) / 2}[self.mode]
        std = math.sqrt(self._number("scale") / max(1, count))
        if self.distribution == "uniform":
            _uniform(values, math.sqrt(3) * std)
        elif self.distribution == "untruncated_normal":
            fill_normal(values, 0, std)
        else:
            sigma = std / _STD_WITHIN_2
            fill_truncated_normal(values, 0.0, sigma, -2 * sigma, 2 * sigma)


class Identity(_BuiltIn):
    """Fill a matrix with ones on the main diagonal and zeros elsewhere.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.common.initializer import Identity, initializer
        >>> initializer(Identity(), (2, 2), ms.int32).init_data()
        Tensor(shape=[2, 2], dtype=Int32, value=
        [[1, 0],
         [0, 1]])
    """

    def _draw(self, values: torch.Tensor) -> None:
        self._require_dims(values, range(2, 3), "2")
        values.zero_().fill_diagonal_(1)


class Dirac(_BuiltIn):
    """Fill a convolution's weight so that it passes its first input channels through unchanged.

    Args:
        groups: the groups of the convolution, default: 1.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.common.initializer import Dirac, initializer
        >>> initializer(Dirac(), (2, 2, 3), ms.int32).init_data()
        Tensor(shape=[2, 2, 3], dtype=Int32, value=
        [[[0, 1, 0],
          [0, 0, 0]],
         [[0, 0, 0],
          [0, 1, 0]]])
    """

    def __init__(self, groups: int = 1) -> None:
        self.groups = groups

    def _draw(self, values: torch.Tensor) -> None:
        self._require_dims(values, range(3, 6), "3, 4 or 5")
        try:
            groups = operator.index(self.groups)
        except TypeError:
            raise self._wrong(TypeError, "'groups' must be an int", self.groups) from None
        outputs, field = values.shape[0], values.shape[2:]
        if groups <= 0 or outputs % groups:
            raise self._wrong(ValueError, f"'groups' must be positive and divide the outputs, {outputs}", self.groups)
        values.zero_()
        for group in values.split(outputs // groups):
            for size in field:
                group = group.select(2, size // 2)
            group.fill_diagonal_(1)


class Orthogonal(_BuiltIn):
    """Draw a matrix with orthonormal rows or columns, whichever are fewer, times `gain`.

    A tensor of more than 2 dimensions is filled as the matrix in which all but the first are joined.

    Args:
        gain: the factor, default: 1.0.

    Examples:
        >>> from torchspore.common.initializer import Orthogonal, initializer
        >>> rows = initializer(Orthogonal(), (2, 3)).init_data().asnumpy()
        >>> bool(abs((rows * rows).sum(1) - 1).max() < 1e-5)
        True
    """

    def __init__(self, gain: float = 1.0) -> None:
        self.gain = gain

    def _draw(self, values: torch.Tensor) -> None:
        self._fans(values)
        gain = self._number("gain")
        matrix = values.new_empty(values.shape[0], math.prod(values.shape[1:]))
        fill_normal(matrix, 0, 1)
        wide = matrix.shape[0] < matrix.shape[1]
        q, r = torch.linalg.qr(matrix.T if wide else matrix)
        q *= r.diag().sign()  # makes the distribution uniform over all such matrices
        values.copy_((q.T if wide else q).reshape(values.shape)).mul_(gain)


class Sparse(_BuiltIn):
    """Draw a matrix from a normal distribution and put zeros at random places, as many in every column.

    Args:
        sparsity: the part of each column that becomes zero, rounded up to whole elements; from 1 on, all.
        sigma: the standard deviation of the other elements, default: 0.01.

    Examples:
        >>> from torchspore.common.initializer import Sparse, initializer
        >>> weight = initializer(Sparse(0.5), (4, 3)).init_data().asnumpy()
        >>> (weight == 0).sum(0).tolist()
        [2, 2, 2]
    """

    def __init__(self, sparsity: float, sigma: float = 0.01) -> None:
        self.sparsity = sparsity
        self.sigma = sigma

    def _draw(self, values: torch.Tensor) -> None:
        self._require_dims(values, range(2, 3), "2")
        zeros = math.ceil(self._number("sparsity", minimum=0) * values.shape[0])
        fill_normal(values, 0, self._number("sigma", minimum=0))
        for column in range(values.shape[1]):
            values[np.random.permutation(values.shape[0])[:zeros].tolist(), column] = 0


_CLASSES: tuple[type[Initializer], ...] = (
    Dirac, HeNormal, HeUniform, Identity, Normal, One, Orthogonal, TruncatedNormal, Uniform, VarianceScaling,
    XavierNormal, XavierUniform, Zero,
)  # fmt: skip
_ALIASES: dict[str, type[Initializer]] = {
    "he_normal": HeNormal,
    "he_uniform": HeUniform,
    "ones": One,
    "xavier_normal": XavierNormal,
    "xavier_uniform": XavierUniform,
    "zeros": Zero,
}
_INITIALIZER_ALIAS = {cls.__name__.lower(): cls for cls in _CLASSES} | _ALIASES


def _register(*aliases: str) -> Callable[[type[Initializer]], type[Initializer]]:
    """Return a decorator that gives a class of initializers its own name and more names, in small letters."""

    def register(cls: type[Initializer]) -> type[Initializer]:
        _INITIALIZER_ALIAS.update(dict.fromkeys((cls.__name__.lower(), *map(str.lower, aliases)), cls))
        return cls

    return register


def initializer(
    init: Tensor | str | Initializer | numbers.Number | float,
    shape: int | tuple[int, ...] | list[int] | None = None,
    dtype: mstype.Type = mstype.float32,
) -> Tensor:
    """Return a tensor that `init_data` will fill.

    Args:
        init: an `Initializer`; its name in any case, such as "normal", "zeros", "ones", "xavier_uniform" or
            "he_normal"; a number, to fill with; or a Tensor, which is returned unchanged, whatever `dtype` says.
        shape: the shape; with a Tensor, None or the Tensor's shape. Default: None.
        dtype: the data type, default: float32.

    Returns:
        A Tensor, zeros until its `init_data` is called.

    Raises:
        TypeError: `init`, `shape` or `dtype` is of a wrong type, or `init` is "sparse", which needs an argument.
        ValueError: no initializer has the name `init`, a dimension of `shape` is not a positive int, `shape` is
            missing, or a Tensor has another shape.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.common.initializer import initializer
        >>> initializer("ones", [1, 2], ms.float32).init_data()
        Tensor(shape=[1, 2], dtype=Float32, value=
        [[ 1.00000000e+00,  1.00000000e+00]])
    """
    if isinstance(init, Tensor):
        if shape is not None and _checked_shape(shape) != init.shape:
            raise ValueError(
                f"For 'initializer', 'shape' must be the shape of the Tensor given as 'init', {init.shape}, "
                f"but got {shape}."
            )
        return init
    if shape is None:
        raise also(ValueError, AttributeError)(
            "For 'initializer', 'shape' must be given unless 'init' is a Tensor, but got None."
        )
    return Tensor(shape=_checked_shape(shape), dtype=dtype, init=_resolve(init))


def _resolve(init: Any) -> Initializer:
    if isinstance(init, Initializer):
        return init
    if isinstance(init, numbers.Number):
        return Constant(init)
    if not isinstance(init, str):
        given = f"the class {init.__name__}" if isinstance(init, type) else type(init).__name__
        raise TypeError(
            f"For 'initializer', 'init' must be a Tensor, a number, a str or an Initializer instance, but got {given}."
        )
    name = init.lower()
    if name == "sparse":
        raise TypeError("For 'initializer', 'sparse' needs a sparsity: give Sparse(sparsity) instead of the name.")
    if name not in _INITIALIZER_ALIAS:
        raise ValueError(
            f"For 'initializer', 'init' must be one of {', '.join(sorted(_INITIALIZER_ALIAS))}, but got {init!r}."
            + suggestion(name, _INITIALIZER_ALIAS)
        )
    return _INITIALIZER_ALIAS[name]()


Tensor._filler = _resolve


def _checked_shape(shape: Any) -> tuple[int, ...]:
    sizes = (shape,) if isinstance(shape, numbers.Number) else shape
    if not isinstance(sizes, (tuple, list)):
        raise WrongType(f"For 'initializer', 'shape' must be an int, a tuple or a list, but got {shape!r}.")
    if not all(isinstance(size, int) and size > 0 for size in sizes):
        raise ValueError(f"For 'initializer', every dimension of 'shape' must be a positive int, but got {shape!r}.")
    return tuple(sizes)


def _uniform(values: torch.Tensor, bound: float) -> None:
    fill_uniform(values, -bound, bound)


_suggest_names(globals())
