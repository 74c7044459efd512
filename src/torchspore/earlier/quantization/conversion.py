"""The conversion of a network to one that trains with quantized numbers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from enum import Enum
from typing import Any

import numpy as np

from torchspore.earlier.quantization.folded import Conv2dBnFoldQuant, Conv2dBnFoldQuantOneConv
from torchspore.earlier.quantization.grids import compute_kl_threshold
from torchspore.earlier.quantization.layers import (
    Conv2dBnWithoutFoldQuant,
    Conv2dQuant,
    DenseQuant,
    RoundedAfter,
    activation_like,
)
from torchspore.earlier.quantization.observers import FakeQuantWithMinMaxObserver, QuantDtype, create_quant_config
from torchspore.engine.failures.errors import describe
from torchspore.engine.parameters import checked
from torchspore.nn.cell import Cell
from torchspore.nn.layer.combined import Conv2dBnAct, DenseBnAct
from torchspore.ops import Add, Mul, RealDiv, ReduceMean, Sub

__all__ = ["OptimizeOption", "QuantizationAwareTraining", "Quantizer"]


class OptimizeOption(Enum):
    """How the limits of grids are found: from the numbers, or trained."""

    QAT = "QAT"
    LEARNED_SCALE = "LEARNED_SCALE"

    def __str__(self) -> str:
        return self.name


class Quantizer(ABC):
    """The base of conversions of networks.

    Source: MindSpore 1.10, `compression.quant.quantizer.Quantizer`.
    """

    def __init__(self, optimize_option: OptimizeOption = OptimizeOption.QAT) -> None:
        self.optimize_option = optimize_option

    @abstractmethod
    def quantize(self, network: Cell) -> Cell:
        """Return the converted network."""


def _pair(name: str, value: Any) -> tuple[Any, Any]:
    values = tuple(value) if isinstance(value, Sequence) else (value, value)
    if len(values) not in {1, 2}:
        raise ValueError(
            f"For 'QuantizationAwareTraining', '{name}' must be one value, or one for weights and one for activations, "
            f"but got {describe(value)}."
        )
    return values[0], values[-1]


class QuantizationAwareTraining(Quantizer):
    """Convert networks to ones that train with quantized numbers.

    `Conv2dBnAct` and `DenseBnAct` get weights and results that are rounded, and so do the operations `Add`, `Sub`,
    `Mul`, `RealDiv` and `ReduceMean` that are attributes of cells. Other layers stay as they are.

    Args:
        bn_fold: whether a batch normalization is folded into the convolution's weight. Default: True.
        freeze_bn: the number of steps after which its running statistics stay; without effect if `one_conv_fold`.
            Default: 10000000.
        quant_delay: the number of steps that do not round, of weights and of activations. Default: (0, 0).
        quant_dtype: the types of the grids' numbers. Default: (QuantDtype.INT8, QuantDtype.INT8).
        per_channel: whether each channel has a grid; activations have one. Default: (False, False).
        symmetric: whether the grids are as far below 0 as above. Default: (False, False).
        narrow_range: whether the grids have one number less. Default: (False, False).
        optimize_option: how the limits are found. Default: OptimizeOption.QAT.
        one_conv_fold: whether the folded form has one convolution instead of two. Default: True.

    Raises:
        TypeError: `bn_fold` or `one_conv_fold` is not a bool.
        ValueError: another argument is not as said; or with OptimizeOption.LEARNED_SCALE, `symmetric` and
            `narrow_range` are not True, `bn_fold` is not False, or `freeze_bn` is not 0.

    Source: MindSpore 1.10, `compression.quant.QuantizationAwareTraining`.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.earlier.quantization import QuantizationAwareTraining
        >>> net = ms.nn.SequentialCell(ms.nn.Conv2dBnAct(1, 2, 3, has_bn=True, activation="relu"))
        >>> net = QuantizationAwareTraining(bn_fold=False).quantize(net)
        >>> type(net[0].conv).__name__
        'Conv2dBnWithoutFoldQuant'
    """

    @checked
    def __init__(
        self,
        bn_fold: bool = True,
        freeze_bn: int = 10000000,
        quant_delay: Any = (0, 0),
        quant_dtype: Any = (QuantDtype.INT8, QuantDtype.INT8),
        per_channel: Any = (False, False),
        symmetric: Any = (False, False),
        narrow_range: Any = (False, False),
        optimize_option: Any = OptimizeOption.QAT,
        one_conv_fold: bool = True,
    ) -> None:
        if not isinstance(optimize_option, OptimizeOption):
            raise ValueError(
                "For 'QuantizationAwareTraining', 'optimize_option' must be an OptimizeOption, but got "
                f"{describe(optimize_option)}."
            )
        super().__init__(optimize_option)
        self.bn_fold, self.freeze_bn, self.one_conv_fold = bn_fold, freeze_bn, one_conv_fold
        self.weight_dtype, self.act_dtype = _pair("quant_dtype", quant_dtype)
        options = {
            "quant_delay": _pair("quant_delay", quant_delay), "quant_dtype": (self.weight_dtype, self.act_dtype),
            "per_channel": _pair("per_channel", per_channel), "symmetric": _pair("symmetric", symmetric),
            "narrow_range": _pair("narrow_range", narrow_range),
        }  # fmt: skip
        if any(delay < 0 for delay in options["quant_delay"]):
            raise ValueError(
                f"For 'QuantizationAwareTraining', 'quant_delay' must be at least 0, but got {quant_delay}."
            )
        self._learned = optimize_option is OptimizeOption.LEARNED_SCALE
        if self._learned:
            wanted = (bn_fold, freeze_bn, options["symmetric"], options["narrow_range"])
            if wanted != (False, 0, (True, True), (True, True)):
                raise ValueError(
                    "For 'QuantizationAwareTraining', OptimizeOption.LEARNED_SCALE takes bn_fold=False, freeze_bn=0, "
                    f"symmetric=(True, True) and narrow_range=(True, True), but got {bn_fold}, {freeze_bn}, "
                    f"{symmetric} and {narrow_range}."
                )
        self.quant_config = create_quant_config(**options, mode=optimize_option.value if self._learned else "DEFAULT")
        self._after = {name: pair[1] for name, pair in options.items()}
        if self._learned:
            self._after.update(mode="LEARNED_SCALE", min_init=-16, max_init=16)

    def quantize(self, network: Cell) -> Cell:
        """Convert the layers of a network, in place, and return it.

        Args:
            network: the network.

        Raises:
            ValueError: an activation of a layer has no rounded form.
        """
        self._convert(network)
        for path, parameter in network.parameters_and_names():
            parameter.name = path
        return network

    def _convert(self, network: Cell) -> None:
        for cell in list(network.name_cells().values()):
            if isinstance(cell, Conv2dBnAct):
                self._convert_layer(cell, "conv", self._convolution(cell))
            elif isinstance(cell, DenseBnAct):
                self._convert_layer(cell, "dense", DenseQuant.from_float(cell.dense, self.quant_config))
            elif cell is not network and not isinstance(cell, FakeQuantWithMinMaxObserver):
                self._convert(cell)
        for name, value in list(vars(network).items()):
            if isinstance(value, (Add, Sub, Mul, RealDiv, ReduceMean)):
                delattr(network, name)
                setattr(network, name, RoundedAfter(value, **self._after))

    def _convolution(self, cell: Conv2dBnAct) -> Cell:
        """Return what stands for a convolution, and for the batch normalization, which is taken away."""
        config = self.quant_config
        if not cell.has_bn:
            return Conv2dQuant.from_float(cell.conv, config)
        if not self.bn_fold:
            made: Cell = Conv2dBnWithoutFoldQuant.from_float(cell, config)
        elif self.one_conv_fold:
            made = Conv2dBnFoldQuantOneConv.from_float(cell, config)
        else:
            made = Conv2dBnFoldQuant.from_float(cell, config, {"freeze_bn": self.freeze_bn})
        del cell.batchnorm
        cell.has_bn = False
        return made

    def _convert_layer(self, cell: Any, name: str, converted: Any) -> None:
        setattr(cell, name, converted)
        if self._learned:
            self._start_at_threshold(converted)
        if cell.has_act:
            cell.activation = activation_like(cell.activation, self.quant_config)
        elif cell.after_fake:
            cell.has_act = True
            cell.activation = RoundedAfter(None, **self._after)

    def _start_at_threshold(self, layer: Any) -> None:
        """Set the limits of a weight's grid to where the rounding loses the least information."""
        weight, observer = layer.weight.asnumpy(), layer.fake_quant_weight
        parts = weight if observer.per_channel else weight[None]
        limits = np.array([compute_kl_threshold(part, self.weight_dtype) for part in parts])
        observer.reset(self.weight_dtype, (-limits).tolist(), limits.tolist())
