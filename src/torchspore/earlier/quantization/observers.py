"""Observers of quantization: they follow the limits of numbers, and round them to a grid between these."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from enum import Enum
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np

from torchspore import ops
from torchspore.common import dtype as mstype
from torchspore.common.parameter import Parameter
from torchspore.common.tensor import Tensor
from torchspore.engine.parameters import Fraction, NotNegative, Positive, checked
from torchspore.nn.cell import Cell
from torchspore.ops.neural import fake_quantization as kernels

__all__ = [
    "FakeQuantWithMinMaxObserver", "QuantConfig", "QuantDtype", "UniformQuantObserver", "create_quant_config",
    "quant_config_default",
]  # fmt: skip


class QuantDtype(Enum):
    """The types of quantized numbers of MindSpore 1.10: INT2 to INT8, and UINT2 to UINT8.

    Examples:
        >>> from torchspore.earlier.quantization import QuantDtype
        >>> QuantDtype.INT4.num_bits
        4
    """

    INT2, INT3, INT4, INT5, INT6, INT7, INT8 = (f"INT{bits}" for bits in range(2, 9))
    UINT2, UINT3, UINT4, UINT5, UINT6, UINT7, UINT8 = (f"UINT{bits}" for bits in range(2, 9))

    def __str__(self) -> str:
        return self.name

    @property
    def num_bits(self) -> int:
        """The width in bits."""
        return int(self.name[-1])


class UniformQuantObserver(Cell):
    """The base of observers of grids with equal steps.

    Args:
        quant_dtype: the type of the grid's numbers. Default: QuantDtype.INT8.
        per_channel: whether each channel has a grid. Default: False.
        symmetric: whether the grid is as far below 0 as above. Default: False.
        narrow_range: whether the grid has one number less. Default: False.
        num_channels: the number of channels. Default: 1.

    Source: MindSpore 1.10, `nn.layer.quant.UniformQuantObserver`.
    """

    def __init__(
        self,
        quant_dtype: QuantDtype = QuantDtype.INT8,
        per_channel: bool = False,
        symmetric: bool = False,
        narrow_range: bool = False,
        num_channels: int = 1,
    ) -> None:
        super().__init__()
        self.quant_dtype = quant_dtype
        self.num_bits = quant_dtype.num_bits
        self.per_channel = per_channel
        self.symmetric = symmetric
        self.narrow_range = narrow_range
        self.num_channels = num_channels


class FakeQuantWithMinMaxObserver(UniformQuantObserver):
    """Round numbers to a grid between limits, which follow the numbers in training.

    Args:
        min_init, max_init: the limits at first, numbers or one for each channel. Default: -6 and 6.
        ema: whether the limits are moving averages. Default: False.
        ema_decay: the weight of the old limits. Default: 0.999.
        per_channel, num_channels, quant_dtype, symmetric, narrow_range: as for `UniformQuantObserver`.
        channel_axis: the dimension of the channels. Default: 1.
        quant_delay: the number of steps of training that do not round. Default: 0.
        neg_trunc: whether the grid of the mode "LEARNED_SCALE" begins at 0. Default: False.
        mode: "DEFAULT", or "LEARNED_SCALE", whose limits are trained. Default: "DEFAULT".

    Inputs and outputs: a float32 Tensor, and one of the same shape.

    Raises:
        ValueError: the limits are not in order or not one for each channel, or the mode "LEARNED_SCALE" with a grid
            that is not symmetric and narrow, or not cut at 0.

    Source: MindSpore 1.10, `nn.FakeQuantWithMinMaxObserver`.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.earlier.quantization import FakeQuantWithMinMaxObserver
        >>> print(FakeQuantWithMinMaxObserver(min_init=0, max_init=255)(ms.Tensor([1.2, 3.9, 300.0])))
        [  1.   4. 255.]
    """

    steps: Tensor

    @checked
    def __init__(
        self,
        min_init: Any = -6,
        max_init: Any = 6,
        ema: bool = False,
        ema_decay: Fraction = 0.999,
        per_channel: bool = False,
        channel_axis: NotNegative = 1,
        num_channels: Positive = 1,
        quant_dtype: QuantDtype = QuantDtype.INT8,
        symmetric: bool = False,
        narrow_range: bool = False,
        quant_delay: NotNegative = 0,
        neg_trunc: bool = False,
        mode: Annotated[Literal["DEFAULT", "LEARNED_SCALE"], ValueError] = "DEFAULT",
    ) -> None:
        super().__init__(quant_dtype, per_channel, symmetric, narrow_range, num_channels)
        self.min_init, self.max_init = min_init, max_init
        self.ema, self.ema_decay = ema, ema_decay
        self.channel_axis = channel_axis
        self.quant_delay = quant_delay
        self.neg_trunc = neg_trunc
        self.mode = mode
        learned = mode == "LEARNED_SCALE"
        if learned and not ((symmetric and narrow_range) or (neg_trunc and not narrow_range)):
            raise ValueError(
                f"For '{self.cls_name}', 'symmetric' and 'narrow_range' must be True, or 'neg_trunc' must be True and "
                f"'narrow_range' False, in the mode 'LEARNED_SCALE', but got {symmetric}, {narrow_range} and "
                f"{neg_trunc}."
            )
        low, high = self._limits("min_init", min_init), self._limits("max_init", max_init)
        if not (low < high).all():
            raise ValueError(
                f"For '{self.cls_name}', 'min_init' must be below 'max_init', but got {min_init} and {max_init}."
            )
        self.minq = Parameter(Tensor(np.zeros_like(low) if learned and neg_trunc else low), "minq", learned)
        self.maxq = Parameter(Tensor(high), "maxq", learned)
        if learned:
            top = 2**self.num_bits - 1 if neg_trunc else 2 ** (self.num_bits - 1) - 1
            self.quant_max = Parameter(Tensor([float(top)]), "quant_max", requires_grad=False)
        if quant_delay:
            self.register_buffer("steps", Tensor(0, mstype.int32), persistent=False)

    def _limits(self, name: str, value: Any) -> Any:
        count = self.num_channels if self.per_channel else 1
        limits = np.array(value, np.float32).ravel()
        if len(limits) not in {1, count}:
            raise ValueError(
                f"For '{self.cls_name}', '{name}' must be a number or {count} numbers, but got {len(limits)} numbers."
            )
        return np.broadcast_to(limits, (count,)).copy()

    def reset(self, quant_dtype: QuantDtype = QuantDtype.INT8, min_init: Any = -6, max_init: Any = 6) -> None:
        """Set the type of the grid, and the limits, to new values."""
        self.quant_dtype, self.num_bits = quant_dtype, quant_dtype.num_bits
        self.min_init, self.max_init = min_init, max_init
        self.minq.set_data(Tensor(self._limits("min_init", min_init)))
        self.maxq.set_data(Tensor(self._limits("max_init", max_init)))

    def construct(self, x: Tensor) -> Tensor:
        if self.mode == "LEARNED_SCALE":
            return self._after_delay(x, self._learned(x))
        axis = {"channel_axis": self.channel_axis} if self.per_channel else {}
        if self.training:
            update: Any = kernels.MinMaxUpdatePerChannel if self.per_channel else kernels.MinMaxUpdatePerLayer
            low, high = update(ema=self.ema, ema_decay=self.ema_decay, **axis)(x, self.minq, self.maxq)
            ops.assign(self.minq, ops.stop_gradient(low))
            ops.assign(self.maxq, ops.stop_gradient(high))
        kind: Any = kernels.FakeQuantPerChannel if self.per_channel else kernels.FakeQuantPerLayer
        grid = kind(num_bits=self.num_bits, symmetric=self.symmetric, narrow_range=self.narrow_range, **axis)
        return self._after_delay(x, grid(x, self.minq, self.maxq))

    def _learned(self, x: Tensor) -> Tensor:
        axis = {"channel_axis": self.channel_axis} if self.per_channel else {}
        kind: Any = kernels.FakeLearnedScaleQuantPerLayer
        if self.per_channel:
            kind = kernels.FakeLearnedScaleQuantPerChannel
        rounded: Tensor = kind(neg_trunc=self.neg_trunc, **axis)(x, self.maxq, self.quant_max)
        return rounded

    def _after_delay(self, x: Tensor, rounded: Tensor) -> Tensor:
        if not self.quant_delay or not self.training:
            return rounded
        steps: Tensor = self.steps + 0
        self.steps = steps + 1
        result: Tensor = ops.where(steps < self.quant_delay, x, rounded)
        return result

    def extend_repr(self) -> str:
        return (
            f"quant_dtype={self.quant_dtype}, symmetric={self.symmetric}, narrow_range={self.narrow_range}, "
            f"ema={self.ema}({self.ema_decay}), per_channel={self.per_channel}({self.channel_axis}, "
            f"{self.num_channels}), quant_delay={self.quant_delay}, min_init={self.min_init}, max_init={self.max_init}"
        )


class QuantConfig(NamedTuple):
    """What makes the observers of weights and of activations."""

    weight: Callable[..., Cell]
    activation: Callable[..., Cell]


def _both(value: Any) -> tuple[Any, Any]:
    """Return a value for weights and one for activations."""
    values = tuple(value) if isinstance(value, Sequence) and not isinstance(value, str) else (value,)
    return values[0], values[-1]


def create_quant_config(
    quant_observer: Any = (FakeQuantWithMinMaxObserver, FakeQuantWithMinMaxObserver),
    quant_delay: Any = (0, 0),
    quant_dtype: Any = (QuantDtype.INT8, QuantDtype.INT8),
    per_channel: Any = (False, False),
    symmetric: Any = (False, False),
    narrow_range: Any = (False, False),
    mode: str = "DEFAULT",
) -> QuantConfig:
    """Return what makes the observers of weights and of activations.

    Args:
        quant_observer: the classes of the observers, of weights and of activations, or one for both.
            Default: FakeQuantWithMinMaxObserver.
        quant_delay, quant_dtype, per_channel, symmetric, narrow_range: their arguments, likewise.
        mode: their mode. Default: "DEFAULT".

    Raises:
        ValueError: activations have a grid for each channel.

    Source: MindSpore 1.10, `compression.quant.create_quant_config`.

    Examples:
        >>> from torchspore.earlier.quantization import create_quant_config
        >>> create_quant_config(per_channel=(True, False)).weight().per_channel
        True
    """
    if _both(per_channel)[1]:
        raise ValueError(
            "For 'create_quant_config', the second element of 'per_channel', for activations, must be False, but got "
            "True."
        )
    options = {
        "quant_delay": quant_delay, "quant_dtype": quant_dtype, "per_channel": per_channel, "symmetric": symmetric,
        "narrow_range": narrow_range,
    }  # fmt: skip
    return QuantConfig(
        *(
            functools.partial(kind, **{name: _both(value)[i] for name, value in options.items()}, mode=mode)
            for i, kind in enumerate(_both(quant_observer))
        )
    )


quant_config_default = QuantConfig(FakeQuantWithMinMaxObserver, FakeQuantWithMinMaxObserver)
