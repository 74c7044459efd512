"""Distributions: the functions of all, and how a family defines them by formulas."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable
from typing import Annotated, Any, ClassVar, NoReturn

import torch

from torchspore import ops
from torchspore.common import dtype as mstype
from torchspore.common.random import op_generator
from torchspore.common.tensor import Tensor
from torchspore.engine.arguments.conversions import as_size
from torchspore.engine.failures.errors import describe, explain
from torchspore.engine.parameters import Kind, Where, kind_of
from torchspore.nn.probability.parametric import Parametric, parameter

__all__ = ["Distribution", "Family", "Formulas", "dtype_of", "formula", "formulas"]

_FUNCTIONS = frozenset((
    "prob", "log_prob", "cdf", "log_cdf", "survival_function", "log_survival", "mean", "mode", "sd", "var", "entropy",
    "cross_entropy", "kl_loss", "sample", "get_dist_args", "get_dist_type",
))  # fmt: skip


def dtype_of(*accepted: mstype.Type) -> Any:
    """Return the annotation of a data type that samples can have."""
    words = f"one of {', '.join([kind.name for kind in accepted])}"
    return Annotated[mstype.Type, TypeError, Where(words, accepted.__contains__, TypeError)]


FloatType: Any = dtype_of(*mstype.float_type)


class Distribution(Parametric):
    """The base of distributions.

    A subclass defines `_log_prob` or `_prob`, and what else it has of `_cdf`, `_log_cdf`, `_survival_function`,
    `_log_survival`, `_mean`, `_mode`, `_sd`, `_var`, `_entropy`, `_cross_entropy`, `_kl_loss` and `_sample`. One of
    prob and log_prob, of the four functions of the cdf, and of sd and var determines the others. The last arguments of
    each are the parameters of the distribution; the default is what the constructor was given.

    Args:
        seed: the seed of the samples, an int >= 0; with None or 0 they follow `set_seed`.
        dtype: the dtype of the samples.
        name: the name, a str.
        param: the arguments of the constructor, a dictionary; its entry "param_dict" has the parameters by name.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.nn.probability import distribution as msd
        >>> class Triangle(msd.Distribution):
        ...     def __init__(self, width=None, seed=None, dtype=ms.float32, name="Triangle"):
        ...         super().__init__(seed, dtype, name, {"param_dict": {"width": width}})
        ...         self._width = self._add_parameter(width, "width")
        ...     def _prob(self, value, width=None):
        ...         width = self._check_param_type(width)
        ...         return ms.ops.relu(1 - abs(value) / width) / width
        >>> triangle = Triangle(2.0)
        >>> print(triangle.prob(ms.Tensor([0.0, 1.0])), triangle.log_prob(ms.Tensor([0.0]), ms.Tensor(1.0)))
        [0.5  0.25] [0.]
    """

    _transformed_by: ClassVar[Any] = None  # a function that applies a bijector; set beside TransformedDistribution

    def __init__(self, seed: int | None, dtype: Any, name: str, param: dict[str, Any]) -> None:
        if not isinstance(param, dict):
            raise TypeError("'param' must be a dictionary")
        super().__init__(name, dtype, param)
        op_generator(type(self).__name__, seed)  # refuses what is not a seed
        self._seed = seed or 0
        self._dtype = dtype

    dtype = parameter("dtype", "The dtype of the samples.")
    parameter_type = parameter("common_type", "The dtype of the parameters and of all results but samples.")
    seed = parameter("seed", "The seed of the samples.")

    @property
    def broadcast_shape(self) -> tuple[int, ...] | None:
        """The shape of one sample; None while a parameter is missing."""
        return self.batch_shape

    def construct(self, name: str, *args: Any, **kwargs: Any) -> Any:
        """Call a function by its name: `normal("prob", value)` is `normal.prob(value)`."""
        if not isinstance(name, str) or name not in _FUNCTIONS:
            raise self._missing(name if isinstance(name, str) else describe(name))
        return getattr(self, name)(*args, **kwargs)

    def prob(self, value: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        """The density at `value`, or the probability of it; more arguments are parameters, as for every function."""
        if found := self._defined("prob"):
            return found(value, *args, **kwargs)
        return ops.exp(self._required("log_prob", "prob")(value, *args, **kwargs))

    def log_prob(self, value: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        """The logarithm of `prob`."""
        if found := self._defined("log_prob"):
            return found(value, *args, **kwargs)
        return ops.log(self._required("prob", "log_prob")(value, *args, **kwargs))

    def cdf(self, value: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        """The probability of a number <= `value`."""
        if found := self._defined("cdf"):
            return found(value, *args, **kwargs)
        if found := self._defined("log_cdf"):
            return ops.exp(found(value, *args, **kwargs))
        if found := self._defined("survival_function"):
            return 1 - found(value, *args, **kwargs)
        return -ops.expm1(self._required("log_survival", "cdf")(value, *args, **kwargs))

    def log_cdf(self, value: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        """The logarithm of `cdf`."""
        if found := self._defined("log_cdf"):
            return found(value, *args, **kwargs)
        self._needs_cdf("log_cdf")
        return ops.log(self.cdf(value, *args, **kwargs))

    def survival_function(self, value: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        """The probability of a number > `value`."""
        if found := self._defined("survival_function"):
            return found(value, *args, **kwargs)
        if found := self._defined("log_survival"):
            return ops.exp(found(value, *args, **kwargs))
        self._needs_cdf("survival_function")
        return 1 - self.cdf(value, *args, **kwargs)

    def log_survival(self, value: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        """The logarithm of `survival_function`."""
        if found := self._defined("log_survival"):
            return found(value, *args, **kwargs)
        self._needs_cdf("log_survival")
        return ops.log(self.survival_function(value, *args, **kwargs))

    def mean(self, *args: Any, **kwargs: Any) -> Tensor:
        """The mean."""
        return self._required("mean")(*args, **kwargs)

    def mode(self, *args: Any, **kwargs: Any) -> Tensor:
        """The value of maximum density or probability."""
        return self._required("mode")(*args, **kwargs)

    def sd(self, *args: Any, **kwargs: Any) -> Tensor:
        """The standard deviation."""
        if found := self._defined("sd"):
            return found(*args, **kwargs)
        return ops.sqrt(self._required("var", "sd")(*args, **kwargs))

    def var(self, *args: Any, **kwargs: Any) -> Tensor:
        """The variance."""
        if found := self._defined("var"):
            return found(*args, **kwargs)
        return ops.square(self._required("sd", "var")(*args, **kwargs))

    def entropy(self, *args: Any, **kwargs: Any) -> Tensor:
        """The entropy."""
        return self._required("entropy")(*args, **kwargs)

    def kl_loss(self, dist: str, *args: Any, **kwargs: Any) -> Tensor:
        """The Kullback-Leibler divergence of this distribution from another of the same type.

        Args:
            dist: the other's type, such as "Normal".
            *args: the other's parameters, then this one's.
            **kwargs: the same by name: `mean_b` is the other's mean.
        """
        return self._required("kl_loss")(dist, *args, **kwargs)

    def cross_entropy(self, dist: str, *args: Any, **kwargs: Any) -> Tensor:
        """The cross entropy of this distribution and another of the same type: `kl_loss` and the entropy."""
        return self._required("cross_entropy")(dist, *args, **kwargs)

    def sample(self, *args: Any, **kwargs: Any) -> Tensor:
        """Draw samples.

        Args:
            *args: the `shape`, a tuple, which precedes the shape of the parameters in the result. Default: (). Then
                the parameters.
            **kwargs: the same by name.
        """
        return self._required("sample")(*args, **kwargs)

    def get_dist_args(self, *args: Any, **kwargs: Any) -> tuple[Tensor | None, ...]:
        """Return the parameters: those given, and the constructor's for those that are not."""
        return self._required("get_dist_args")(*args, **kwargs)

    def get_dist_type(self) -> str:
        """Return the type, such as "Normal"."""
        return self._required("get_dist_type")()

    # What subclasses use

    def _check_value(self, value: Any, name: str) -> Tensor:
        """Return a Tensor; refuse anything else."""
        return kind_of(Tensor).take(value, name, type(self).__name__)

    def _check_param_type(self, *args: Any) -> Any:
        """Return parameters as Tensors of one dtype and shape; None means the constructor's."""
        tensors = [Tensor(value) for value in self._resolved(dict(zip(self.parameter_names, args)))]
        return tensors[0] if len(tensors) == 1 else tuple(tensors)

    def _resolved(self, given: dict[str, Any]) -> list[torch.Tensor]:
        """Return the values of the parameters, broadcast with each other."""
        values = []
        for name, default in zip(self.parameter_names, self.default_parameters):
            value = given.get(name)
            value = default if value is None else self._check_value(value, name)
            if value is None:
                raise TypeError(
                    f"For '{type(self).__name__}', '{name}' is missing: pass it to the constructor or to this call."
                )
            values.append(value._t)
        if len({value.dtype for value in values}) > 1:
            kinds = ", ".join(describe(value) for value in values)
            names = ", ".join(repr(name) for name in self.parameter_names)
            raise TypeError(f"For '{type(self).__name__}', {names} must be of one data type, but got {kinds}.")
        values = [value.to(self._common_type.torch) for value in values]
        return [*torch.broadcast_tensors(*values)] if len(values) > 1 else values

    def _defined(self, name: str) -> Callable[..., Any] | None:
        return getattr(self, f"_{name}", None)

    def _required(self, name: str, asked: str | None = None) -> Callable[..., Any]:
        found = self._defined(name)
        if found is None:
            raise self._missing(asked or name)
        return found

    def _needs_cdf(self, asked: str) -> None:
        if not any(self._defined(name) for name in ("cdf", "log_cdf", "survival_function", "log_survival")):
            raise self._missing(asked)

    def _raise_not_implemented_error(self, func_name: str) -> Callable[..., NoReturn]:
        """Return a function that refuses to be called, for subclasses that lack one."""

        def refuse(*args: Any, **kwargs: Any) -> NoReturn:
            raise self._missing(func_name)

        return refuse

    def _missing(self, name: str) -> NotImplementedError:
        return NotImplementedError(f"For '{type(self).__name__}', '{name}' is not defined for this distribution.")


class Formulas:
    """The methods of a family defined by formulas; `_type` is what `get_dist_type` returns."""

    _type: ClassVar[str]
    _seed: int
    parameter_names: list[str]
    default_parameters: list[Tensor | None]

    def cross_entropy(self: Any, dist: str, *args: Any, **kwargs: Any) -> Tensor:
        """The cross entropy of this distribution and another of the same type: `kl_loss` and the entropy."""
        divergence = self._required("kl_loss", "cross_entropy")(dist, *args, **kwargs)
        own = {name: value for name, value in kwargs.items() if not name.endswith("_b")}
        others = len(self.parameter_names) - (len(kwargs) - len(own))
        return self.entropy(*args[others:], **own) + divergence

    def _get_dist_type(self) -> str:
        return self._type

    def _get_dist_args(self: Any, *args: Any, **kwargs: Any) -> tuple[Tensor | None, ...]:
        given = _bound(self, self.parameter_names, args, kwargs)
        pairs = zip(self.parameter_names, self.default_parameters)
        return tuple(
            [default if given.get(name) is None else self._check_value(given[name], name) for name, default in pairs]
        )

    def _generator(self) -> torch.Generator | None:
        return op_generator(type(self).__name__, self._seed)

    def _uniform(self, shape: tuple[int, ...], like: torch.Tensor) -> torch.Tensor:
        """Draw numbers between 0 and 1, both excluded."""
        numbers = torch.rand(shape, generator=self._generator(), dtype=like.dtype, device=like.device)
        return numbers.clamp_min(torch.finfo(like.dtype).tiny)

    def _normal(self, shape: tuple[int, ...], like: torch.Tensor) -> torch.Tensor:
        """Draw numbers from the standard normal distribution."""
        return torch.randn(shape, generator=self._generator(), dtype=like.dtype, device=like.device)


class Family(Formulas, Distribution):
    """A family of distributions, with its parameters as keywords."""

    _dtype_kind: ClassVar[Kind] = kind_of(FloatType)  # of the samples

    def __init__(self, seed: int | None, dtype: Any, name: str, **parameters: Any) -> None:
        dtype = self._dtype_kind.take(dtype, "dtype", type(self).__name__)
        given = {**parameters, "seed": seed, "dtype": dtype, "name": name, "param_dict": parameters}
        super().__init__(seed, dtype, name, given)
        self._keep(parameters)


def formulas(family: type) -> type:
    """Apply `formula` to the methods of a family that return a torch tensor."""
    for name, method in list(vars(family).items()):
        if name[1:] in _FUNCTIONS and getattr(method, "__annotations__", {}).get("return") == "Tensor":
            setattr(family, name, formula(method))
    return family


def formula(function: Callable[..., torch.Tensor]) -> Callable[..., Any]:
    """Make a method over torch tensors a function of a family.

    Its first parameter says what comes before the family's own parameters, which are of one dtype and shape: `value`;
    `shape`, the shape of the samples; a name ending with `_b`: the parameters of another distribution.
    """
    first = [*inspect.signature(function).parameters, ""][1]

    @functools.wraps(function)
    def of_parameters(self: Any, *args: Any, **kwargs: Any) -> Tensor:
        return _rounded(self, _computed(function, self, [], _bound(self, self.parameter_names, args, kwargs)))

    @functools.wraps(function)
    def of_value(self: Any, value: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        given = _bound(self, self.parameter_names, args, kwargs)
        kind = self._common_type.torch
        if self._dtype in mstype.float_type:
            kind = torch.promote_types(kind, self._dtype.torch)
        tensor = self._check_value(value, "value")._t.to(kind)
        return Tensor(_computed(function, self, [tensor], given).to(kind))

    @functools.wraps(function)
    def of_shape(self: Any, shape: tuple[int, ...] = (), *args: Any, **kwargs: Any) -> Tensor:
        if not isinstance(shape, tuple):
            raise TypeError(f"For '{type(self).__name__}', 'shape' must be a tuple, but got {describe(shape)}.")
        sizes = as_size(shape, type(self).__name__, "shape")
        given = _bound(self, self.parameter_names, args, kwargs)

        def drawn(self: Any, *values: torch.Tensor) -> torch.Tensor:
            return function(self, sizes + tuple(values[0].shape), *values)

        return Tensor(_computed(drawn, self, [], given).to(self.dtype.torch))

    @functools.wraps(function)
    def of_two(self: Any, dist: str, *args: Any, **kwargs: Any) -> Tensor:
        if dist != self._type:
            raise ValueError(
                f"For '{type(self).__name__}', 'dist' must be {self._type!r}, the type of both, but got {dist!r}."
            )
        others = [f"{name}_b" for name in self.parameter_names]
        given = _bound(self, [*others, *self.parameter_names], args, kwargs)
        tensors = [self._check_value(given.get(name), name)._t.to(self._common_type.torch) for name in others]
        return _rounded(self, _computed(function, self, tensors, given))

    if first.endswith("_b"):
        return of_two
    if first == "value":
        return of_value
    return of_shape if first == "shape" else of_parameters


def _bound(cell: Any, names: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """Return arguments by the names of parameters. MindSpore calls some `mean_a`, and `probs` `probs1`."""
    if not args and not kwargs:
        return kwargs
    given = dict(zip(names, args))
    for name, value in kwargs.items():
        meant = re.sub("^probs1", "probs", name.removesuffix("_a"))
        if meant not in names or meant in given:
            raise TypeError(f"For '{type(cell).__name__}', there is no parameter {name!r}, or it is given twice.")
        given[meant] = value
    if len(args) > len(names):
        raise TypeError(
            f"For '{type(cell).__name__}', there are at most {len(names)} parameters, {', '.join(names)}, "
            f"but got {len(args)}."
        )
    return given


def _computed(
    function: Callable[..., torch.Tensor], cell: Any, first: list[torch.Tensor], given: dict[str, Any]
) -> torch.Tensor:
    """Compute a formula, in float32 or float64."""
    try:
        tensors = [*first, *cell._resolved(given)]
        wide = torch.promote_types(tensors[0].dtype, torch.float32)
        return function(cell, *[tensor.to(wide) for tensor in tensors])
    except Exception as error:
        raise explain(error, type(cell).__name__, {"value": first[0]} if first else given) from None


def _rounded(cell: Any, result: torch.Tensor) -> Tensor:
    return Tensor(result.to(cell._common_type.torch) if result.is_floating_point() else result)
