"""Activation layers: functions of `mint.nn.functional` as cells, with the functions' arguments."""

from __future__ import annotations

from torchspore import nn
from torchspore.common.tensor import Tensor
from torchspore.mint.nn import functional as F
from torchspore.nn import HShrink as Hardshrink
from torchspore.nn import HSigmoid as Hardsigmoid
from torchspore.nn import HSwish as Hardswish
from torchspore.nn import LogSigmoid, Mish, ReLU, Sigmoid, Tanh
from torchspore.nn import LogSoftmaxExt as LogSoftmax
from torchspore.nn import PReLUExt as PReLU
from torchspore.nn import SoftShrink as Softshrink
from torchspore.nn.cell import Cell

__all__ = [
    "ELU", "GELU", "GLU", "SELU", "Hardshrink", "Hardsigmoid", "Hardswish", "Hardtanh", "LogSigmoid", "LogSoftmax",
    "Mish", "PReLU", "ReLU", "ReLU6", "SiLU", "Sigmoid", "Softmax", "Softshrink", "Tanh", "Threshold",
]  # fmt: skip


class SELU(nn.SeLU):
    """The scaled exponential linear unit, `mint.nn.functional.selu`."""


class _InPlace(Cell):
    """The base of activations that may write their result into the input."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace


class ReLU6(_InPlace):
    """The elements clamped to [0, 6], with `inplace` in place, `mint.nn.functional.relu6`."""

    def construct(self, input: Tensor) -> Tensor:
        return F.relu6(input, self.inplace)


class SiLU(_InPlace):
    """The element times its sigmoid, with `inplace` in place, `mint.nn.functional.silu`."""

    def construct(self, input: Tensor) -> Tensor:
        return F.silu(input, self.inplace)


class ELU(_InPlace):
    """The exponential linear unit, `mint.nn.functional.elu`."""

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.alpha = alpha

    def construct(self, input: Tensor) -> Tensor:
        return F.elu(input, self.alpha, self.inplace)


class Hardtanh(_InPlace):
    """The elements clamped to [`min_val`, `max_val`], `mint.nn.functional.hardtanh`."""

    def __init__(self, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.min_val = min_val
        self.max_val = max_val

    def construct(self, input: Tensor) -> Tensor:
        return F.hardtanh(input, self.min_val, self.max_val, self.inplace)


class Threshold(_InPlace):
    """The elements, those not above `threshold` replaced by `value`, `mint.nn.functional.threshold`."""

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.threshold = threshold
        self.value = value

    def construct(self, input: Tensor) -> Tensor:
        return F.threshold(input, self.threshold, self.value, self.inplace)


class GELU(Cell):
    """The Gaussian error linear unit, `mint.nn.functional.gelu`."""

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate

    def construct(self, input: Tensor) -> Tensor:
        return F.gelu(input, approximate=self.approximate)


class GLU(Cell):
    """The first half along `dim` times the sigmoid of the second half, `mint.nn.functional.glu`."""

    def __init__(self, dim: int = -1) -> None:
        super().__init__()
        self.dim = dim

    def construct(self, input: Tensor) -> Tensor:
        return F.glu(input, self.dim)


class Softmax(Cell):
    """Exponentials divided by their sum along `dim`, `mint.nn.functional.softmax`.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.mint.nn.Softmax(dim=-1)(ms.Tensor([1.0, 2.0, 3.0])))
        [0.09003057 0.24472848 0.66524094]
    """

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def construct(self, input: Tensor) -> Tensor:
        return F.softmax(input, self.dim)
