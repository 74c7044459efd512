"""Bijectors: transformations that can be inverted, and the logarithms of their Jacobians.

Their parameters take part in the dtype of the value.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Annotated, Any, ClassVar

import torch
from torch import Tensor

from torchspore import ops
from torchspore.common import dtype as mstype
from torchspore.common.names.missing_names import suggest_names as _suggest_names
from torchspore.common.tensor import Tensor as _Tensor
from torchspore.engine.failures.errors import explain
from torchspore.engine.parameters import Where, checked, kind_of
from torchspore.nn.probability.parametric import POSITIVE, Parametric, parameter

__all__ = ["Bijector", "Exp", "GumbelCDF", "Invert", "PowerTransform", "ScalarAffine", "Softplus"]

_OF_FLOATS = Where("of floats", lambda value: value.dtype in mstype.float_type, TypeError)
_TENSOR, _FLOATS = kind_of(_Tensor), kind_of(Annotated[_Tensor, _OF_FLOATS])
_FUNCTIONS = frozenset(("forward", "inverse", "forward_log_jacobian", "inverse_log_jacobian"))


class Bijector(Parametric):
    """The base of bijectors: a subclass defines `_forward`, `_inverse` and the logarithms of their Jacobians,
    `_forward_log_jacobian` and `_inverse_log_jacobian`, as functions of the value.

    Args:
        is_constant_jacobian: whether the Jacobian is the same everywhere. Default: False.
        is_injective: whether no two values are mapped to one. Default: True.
        name: the name, a str.
        dtype: the dtype of the parameters. Default: None, their own.
        param: the arguments of the constructor, a dictionary; its entry "param_dict" has the parameters by name.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.nn.probability import bijector as msb
        >>> class Cube(msb.Bijector):
        ...     def __init__(self):
        ...         super().__init__(name="Cube", param={})
        ...     def _forward(self, value):
        ...         return value**3
        >>> print(Cube().forward(ms.Tensor([2.0])))
        [8.]

    A bijector called with a distribution returns the transformed distribution.
    """

    @checked
    def __init__(
        self, is_constant_jacobian: bool = False, is_injective: bool = True, name: Any = None, dtype: Any = None,
        param: dict[Any, Any] | None = None,
    ) -> None:  # fmt: skip
        super().__init__(name, dtype, param or {})
        self._dtype = dtype
        self._is_constant_jacobian = is_constant_jacobian
        self._is_injective = is_injective

    dtype = parameter("dtype", "The dtype that the constructor was given.")
    is_constant_jacobian = parameter("is_constant_jacobian", "Whether the Jacobian is the same everywhere.")
    is_injective = parameter("is_injective", "Whether no two values are mapped to one.")

    def cast_param_by_value(self, value: _Tensor, para: _Tensor) -> _Tensor:
        """Return a parameter in the dtype of a value, for subclasses."""
        return para.astype(value.dtype)

    def _check_value(self, value: Any, name: str) -> _Tensor:
        """Return a Tensor, for subclasses.

        Raises:
            TypeError: the value is not a Tensor.
        """
        return _TENSOR.take(value, name, type(self).__name__)

    def _check_value_dtype(self, value: Any) -> _Tensor:
        """Return a Tensor of floats, for subclasses.

        Raises:
            TypeError: the value is not such a Tensor.
        """
        return _FLOATS.take(value, "value", type(self).__name__)

    def shape_mapping(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """Return the shape of transformed values: unchanged."""
        return shape

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Transform a distribution, or call a function by its name."""
        transformed = getattr(type(args[0]), "_transformed_by", None) if args else None
        if transformed is not None:
            return transformed(args[0], self, *args[1:], **kwargs)
        return super().__call__(*args, **kwargs)

    def construct(self, name: str, *args: Any, **kwargs: Any) -> _Tensor:
        """Call a function by its name: `exp("forward", value)` is `exp.forward(value)`."""
        if not isinstance(name, str) or name not in _FUNCTIONS:
            raise ValueError(f"'name' must be one of {', '.join(sorted(_FUNCTIONS))}")
        return getattr(self, name)(*args, **kwargs)

    def forward(self, value: _Tensor, *args: Any, **kwargs: Any) -> _Tensor:
        """Transform a value."""
        return self._call("forward", value, args, kwargs)

    def inverse(self, value: _Tensor, *args: Any, **kwargs: Any) -> _Tensor:
        """Transform a value back."""
        return self._call("inverse", value, args, kwargs)

    def forward_log_jacobian(self, value: _Tensor, *args: Any, **kwargs: Any) -> _Tensor:
        """The logarithm of the absolute derivative of `forward`."""
        return self._call("forward_log_jacobian", value, args, kwargs)

    def inverse_log_jacobian(self, value: _Tensor, *args: Any, **kwargs: Any) -> _Tensor:
        """The logarithm of the absolute derivative of `inverse`."""
        return self._call("inverse_log_jacobian", value, args, kwargs)

    def _call(self, function: str, value: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Tensor:
        api = f"{type(self).__name__}.{function}"
        found = getattr(self, f"_{function}", None)
        if found is None:
            raise NotImplementedError(f"For '{api}', the method '_{function}' is not defined. Define it.")
        return found(_FLOATS.take(value, "value", api), *args, **kwargs)

    def _is_decreasing(self) -> _Tensor | None:
        """Return where `forward` decreases, as bools; None if it increases everywhere."""
        return None


def _mapping(function: Callable[..., Tensor]) -> Callable[..., _Tensor]:
    """Make a formula over torch tensors, the value and the parameters, a method of a bijector."""

    @functools.wraps(function)
    def method(self: Any, value: _Tensor) -> _Tensor:
        parameters = [parameter._t.to(value._t.dtype) for parameter in self.default_parameters]
        try:
            return _Tensor(function(self, value._t, *parameters))
        except Exception as error:
            raise explain(error, type(self).__name__, {"value": value}) from None

    return method


def _mappings(family: type) -> type:
    """Apply `_mapping` to the formulas of a family of bijectors."""
    for name, method in list(vars(family).items()):
        if name[1:] in _FUNCTIONS:
            setattr(family, name, _mapping(method))
    return family


class _Family(Bijector):
    """A family of bijectors, with its parameters as keywords."""

    _is_constant: ClassVar[bool] = False

    def __init__(self, name: str, **parameters: Any) -> None:
        for key, value in parameters.items():
            if value is None:
                raise TypeError(f"'{key}' must be a float, not None")
        given = {**parameters, "name": name, "param_dict": parameters}
        super().__init__(self._is_constant, True, name, None, given)
        self._keep(parameters)


@_mappings
class PowerTransform(_Family):
    """The power transformation, `(1 + c * x)**(1 / c)` for the power `c`, and `exp(x)` for the power 0.

    Args:
        power: the power, >= 0: a float, a list, an array or a Tensor of floats. Default: 0.0.
        name: the name. Default: "PowerTransform".

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.nn.probability import bijector as msb
        >>> print(msb.PowerTransform(0.5).forward(ms.Tensor([0.0, 2.0])))
        [1. 4.]
    """

    _accepted = (("power", Where("at least 0", lambda values: values >= 0)),)

    def __init__(self, power: Any = 0.0, name: str = "PowerTransform") -> None:
        super().__init__(name, power=power)

    power = parameter("power", "The power.")

    def _forward(self, value: Tensor, power: Tensor) -> Tensor:
        is_exp, divisor = _split_zero(power)
        return torch.where(is_exp, value, torch.log1p(value * power) / divisor).exp()

    def _inverse(self, value: Tensor, power: Tensor) -> Tensor:
        is_exp, divisor = _split_zero(power)
        return torch.where(is_exp, value.log(), torch.expm1(value.log() * power) / divisor)

    def _forward_log_jacobian(self, value: Tensor, power: Tensor) -> Tensor:
        is_exp, divisor = _split_zero(power)
        return torch.where(is_exp, value, (1 / divisor - 1) * torch.log1p(value * power))

    def _inverse_log_jacobian(self, value: Tensor, power: Tensor) -> Tensor:
        return (power - 1) * value.log()


def _split_zero(power: Tensor) -> tuple[Tensor, Tensor]:
    """Return where numbers are 0, and the numbers with 1 instead of 0."""
    is_zero = power == 0
    return is_zero, torch.where(is_zero, 1, power)


@_mappings
class Exp(PowerTransform):
    """The exponential function.

    Args:
        name: the name. Default: "Exp".

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.nn.probability import bijector as msb
        >>> print(msb.Exp().forward(ms.Tensor([0.0])), msb.Exp().inverse_log_jacobian(ms.Tensor([1.0])))
        [1.] [-0.]
    """

    def __init__(self, name: str = "Exp") -> None:
        super().__init__(0.0, name)

    def extend_repr(self) -> str:
        """Return "exp"."""
        return "exp"

    def _forward(self, value: Tensor, power: Tensor) -> Tensor:
        return value.exp()

    def _inverse(self, value: Tensor, power: Tensor) -> Tensor:
        return value.log()

    def _forward_log_jacobian(self, value: Tensor, power: Tensor) -> Tensor:
        return value


@_mappings
class ScalarAffine(_Family):
    """The affine function `scale * x + shift`.

    Args:
        scale: the factor: a float, a list, an array or a Tensor of floats. Default: 1.0.
        shift: the shift, likewise. Default: 0.0.
        name: the name. Default: "ScalarAffine".

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.nn.probability import bijector as msb
        >>> affine = msb.ScalarAffine(2.0, 1.0)
        >>> print(affine.forward(ms.Tensor([1.0])), affine.forward_log_jacobian(ms.Tensor([1.0])))
        [3.] 0.6931472
    """

    _scale: _Tensor

    _is_constant = True

    def __init__(self, scale: Any = 1.0, shift: Any = 0.0, name: str = "ScalarAffine") -> None:
        super().__init__(name, scale=scale, shift=shift)

    scale = parameter("scale", "The factor.")
    shift = parameter("shift", "The shift.")

    def _forward(self, value: Tensor, scale: Tensor, shift: Tensor) -> Tensor:
        return scale * value + shift

    def _inverse(self, value: Tensor, scale: Tensor, shift: Tensor) -> Tensor:
        return (value - shift) / scale

    def _forward_log_jacobian(self, value: Tensor, scale: Tensor, shift: Tensor) -> Tensor:
        return scale.abs().log()

    def _inverse_log_jacobian(self, value: Tensor, scale: Tensor, shift: Tensor) -> Tensor:
        return -scale.abs().log()

    def _is_decreasing(self) -> _Tensor | None:
        return ops.less(self._scale, 0)


@_mappings
class Softplus(_Family):
    """The softplus function, `log(1 + exp(k * x)) / k` for the sharpness `k`.

    Args:
        sharpness: the sharpness: a float, a list, an array or a Tensor of floats. Default: 1.0.
        name: the name. Default: "Softplus".

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.nn.probability import bijector as msb
        >>> print(msb.Softplus().forward(ms.Tensor([0.0])))
        [0.6931472]
    """

    def __init__(self, sharpness: Any = 1.0, name: str = "Softplus") -> None:
        super().__init__(name, sharpness=sharpness)

    sharpness = parameter("sharpness", "The sharpness.")

    def _forward(self, value: Tensor, sharpness: Tensor) -> Tensor:
        return -torch.nn.functional.logsigmoid(-sharpness * value) / sharpness

    def _inverse(self, value: Tensor, sharpness: Tensor) -> Tensor:
        scaled = sharpness * value
        return value + (-torch.expm1(-scaled)).log() / sharpness

    def _forward_log_jacobian(self, value: Tensor, sharpness: Tensor) -> Tensor:
        return torch.nn.functional.logsigmoid(sharpness * value)

    def _inverse_log_jacobian(self, value: Tensor, sharpness: Tensor) -> Tensor:
        return -(-torch.expm1(-sharpness * value)).log()


@_mappings
class GumbelCDF(_Family):
    """The cdf of a Gumbel distribution, `exp(-exp(-(x - loc) / scale))`.

    Args:
        loc: the location: a float, a list, an array or a Tensor of floats. Default: 0.0.
        scale: the scale, greater than 0, likewise. Default: 1.0.
        name: the name. Default: "GumbelCDF".

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.nn.probability import bijector as msb
        >>> print(msb.GumbelCDF(1.0, 2.0).forward(ms.Tensor([1.0])))
        [0.36787945]
    """

    _accepted = (("scale", POSITIVE),)

    def __init__(self, loc: Any = 0.0, scale: Any = 1.0, name: str = "GumbelCDF") -> None:
        super().__init__(name, loc=loc, scale=scale)

    loc = parameter("loc", "The location.")
    scale = parameter("scale", "The scale.")

    def _forward(self, value: Tensor, loc: Tensor, scale: Tensor) -> Tensor:
        return torch.exp(-torch.exp((loc - value) / scale))

    def _inverse(self, value: Tensor, loc: Tensor, scale: Tensor) -> Tensor:
        return loc - scale * (-value.log()).log()

    def _forward_log_jacobian(self, value: Tensor, loc: Tensor, scale: Tensor) -> Tensor:
        distance = (value - loc) / scale
        return -(distance + torch.exp(-distance)) - scale.log()

    def _inverse_log_jacobian(self, value: Tensor, loc: Tensor, scale: Tensor) -> Tensor:
        return (scale / (-value * value.log())).log()


class Invert(Bijector):
    """The inverse of another bijector.

    Args:
        bijector: the other, a Bijector.
        name: the name; "" for "Invert" and the other's name. Default: "".

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.nn.probability import bijector as msb
        >>> print(msb.Invert(msb.ScalarAffine(2.0, 1.0)).forward(ms.Tensor([3.0])))
        [1.]
    """

    @checked
    def __init__(self, bijector: Bijector, name: str = "") -> None:
        name = name or f"Invert{bijector.name}"
        given = {"bijector": bijector, "name": name}
        super().__init__(bijector.is_constant_jacobian, bijector.is_injective, name, bijector.dtype, given)
        self._bijector = bijector

    bijector = parameter("bijector", "The bijector that is inverted.")

    @property
    def batch_shape(self) -> tuple[int, ...] | None:
        """The common shape of the bijector's parameters."""
        return self._bijector.batch_shape

    @property
    def is_scalar_batch(self) -> bool:
        """Whether no parameter of the bijector has dimensions."""
        return self._bijector.is_scalar_batch

    def forward(self, value: _Tensor, *args: Any, **kwargs: Any) -> _Tensor:
        """Transform a value, as the bijector's `inverse` does."""
        return self._bijector.inverse(value, *args, **kwargs)

    def inverse(self, value: _Tensor, *args: Any, **kwargs: Any) -> _Tensor:
        """Transform a value back, as the bijector's `forward` does."""
        return self._bijector.forward(value, *args, **kwargs)

    def forward_log_jacobian(self, value: _Tensor, *args: Any, **kwargs: Any) -> _Tensor:
        """The logarithm of the absolute derivative of `forward`."""
        return self._bijector.inverse_log_jacobian(value, *args, **kwargs)

    def inverse_log_jacobian(self, value: _Tensor, *args: Any, **kwargs: Any) -> _Tensor:
        """The logarithm of the absolute derivative of `inverse`."""
        return self._bijector.forward_log_jacobian(value, *args, **kwargs)

    def _is_decreasing(self) -> _Tensor | None:
        return self._bijector._is_decreasing()


_suggest_names(globals())
