"""Loss scalers for custom training functions, so that small gradients do not underflow in float16."""

from __future__ import annotations

import abc
from typing import Annotated, Any, TypeAlias

from torchspore.common import dtype as mstype
from torchspore.common.parameter import Parameter
from torchspore.common.tensor import Tensor
from torchspore.engine.parameters import Limits, Positive, checked
from torchspore.engine.values.nested import map_tensors
from torchspore.ops.array.assignment import assign
from torchspore.ops.array.gathering import select
from torchspore.ops.math.elementwise import maximum

__all__ = ["DynamicLossScaler", "LossScaler", "Scale", "StaticLossScaler"]

Scale: TypeAlias = Annotated[int | float, Limits(1)]


def _grad_scale_map(scale: Tensor, inputs: Any) -> Any:
    """Return the tensors of a nesting multiplied by a scale, in their own types.

    MindSpore's documentation has subclasses of `LossScaler` use this and the next function by these names.
    """
    return map_tensors(lambda tensor: tensor * scale.astype(tensor.dtype), inputs)


def _grad_unscale_map(scale: Tensor, inputs: Any) -> Any:
    """Return the tensors of a nesting divided by a scale, in their own types."""
    return map_tensors(lambda tensor: tensor / scale.astype(tensor.dtype), inputs)


class LossScaler(abc.ABC):
    """Multiplies a loss before differentiation and divides the gradients after it; subclasses define the scale.

    Examples:
        >>> import torchspore as ms
        >>> class Doubled(ms.amp.LossScaler):
        ...     def scale(self, inputs):
        ...         return inputs * 2
        ...     def unscale(self, inputs):
        ...         return tuple(x / 2 for x in inputs)
        ...     def adjust(self, grads_finite):
        ...         return True
        >>> scaler = Doubled()
        >>> gradient = ms.grad(lambda x: scaler.scale(3 * x))(ms.Tensor(1.0))
        >>> print(gradient, scaler.unscale((gradient,))[0])
        6.0 3.0
    """

    @abc.abstractmethod
    def scale(self, inputs: Any) -> Any:
        """Return the inputs multiplied by the scale.

        Args:
            inputs: a Tensor, or a tuple or list of Tensors.
        """

    @abc.abstractmethod
    def unscale(self, inputs: Any) -> Any:
        """Return the inputs divided by the scale.

        Args:
            inputs: a Tensor, or a tuple or list of Tensors.
        """

    @abc.abstractmethod
    def adjust(self, grads_finite: Any) -> Any:
        """Change the scale after a step.

        Args:
            grads_finite: whether all gradients of the step were finite.
        """


class StaticLossScaler(LossScaler):
    """A constant loss scale.

    Args:
        scale_value: the scale, 1 or more.

    Examples:
        >>> import torchspore as ms
        >>> scaler = ms.amp.StaticLossScaler(8)
        >>> print(scaler.scale(ms.Tensor(2.0)), scaler.unscale((ms.Tensor(16.0),)))
        16.0 (Tensor(shape=[], dtype=Float32, value= 2),)
    """

    @checked
    def __init__(self, scale_value: Scale) -> None:
        self.scale_value = Parameter(Tensor(scale_value, mstype.float32), name="scale_value")

    def scale(self, inputs: Any) -> Any:
        """Return the inputs multiplied by the scale."""
        return _grad_scale_map(self.scale_value, inputs)

    def unscale(self, inputs: Any) -> Any:
        """Return the inputs divided by the scale."""
        return _grad_unscale_map(self.scale_value, inputs)

    def adjust(self, grads_finite: Any) -> bool:
        """Leave the scale unchanged; return False."""
        return False


class DynamicLossScaler(StaticLossScaler):
    """A loss scale that shrinks when gradients overflow, and grows after a number of steps in a row in which none did.

    Args:
        scale_value: the first scale, 1 or more.
        scale_factor: the factor by which the scale grows, and shrinks down to 1.
        scale_window: the number of steps after which it grows.

    Raises:
        ValueError: `scale_value` is less than 1, or another argument less than 1.

    Examples:
        >>> import torchspore as ms
        >>> scaler = ms.amp.DynamicLossScaler(scale_value=1024, scale_factor=2, scale_window=1)
        >>> gradients = (ms.Tensor([float("inf"), 1.0]),)
        >>> scaler.adjust(ms.amp.all_finite(gradients))
        True
        >>> print(scaler.scale_value.asnumpy())
        512.0
    """

    @checked
    def __init__(self, scale_value: Scale, scale_factor: Positive, scale_window: Positive) -> None:
        super().__init__(scale_value)
        self.scale_factor, self.scale_window = scale_factor, scale_window
        self.counter = Parameter(Tensor(0, mstype.int32), name="counter")

    def adjust(self, grads_finite: Any) -> bool:
        """Change the scale after a step; return True."""
        finite = grads_finite if isinstance(grads_finite, Tensor) else Tensor(bool(grads_finite))
        scale = self.scale_value
        grown = scale * self.scale_factor
        may_grow = (self.counter == self.scale_window - 1).logical_and(grown.isfinite())
        kept = select(may_grow, grown, scale * 1.0)
        assign(self.scale_value, select(finite, kept, maximum(scale / self.scale_factor, 1.0)))
        assign(self.counter, (self.counter + 1) % self.scale_window * finite.astype(mstype.int32))
        return True
