"""Lists of torch tensors, as update rules take them: their layout in memory, and pieces that fit into a cache.

The lists of one call hold tensors of one data type, on one device, with the same shape and strides at each position:
the fused kernels walk through the memory and check nothing.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import torch

from torchspore.common.private_torch import open_modes
from torchspore.common.scopes.scope import writable
from torchspore.common.tensor import Tensor
from torchspore.engine.failures.errors import describe

__all__ = [
    "NO_TENSORS", "Pieces", "Scalar", "Setting", "Tensors", "as_scalar", "can_fuse", "check_real", "fitting",
    "has_tensors", "is_recorded", "is_traced", "without_dimensions", "writable_like",
]  # fmt: skip

Tensors: TypeAlias = list[torch.Tensor]
Scalar: TypeAlias = Any  # a number; in graphs, and on devices that reading would wait for, a tensor
Setting: TypeAlias = Scalar  # a hyperparameter: a number for the optimizers, also a tensor for the primitives

NO_TENSORS: Tensors = []  # a state that an optimizer does not have

_FUSED_DEVICES = ("cpu", "cuda", "mps")  # torch's fused kernels exist there
_PIECE = 1 << 17  # elements, for each thread


def is_traced() -> bool:
    """Return whether a graph is being recorded, so that values may not be read."""
    return open_modes() > 0


def can_fuse(device: torch.device) -> bool:
    """Return whether the rules may use the fused kernels."""
    # Not in a recorded graph: a compiler may give its intermediate results strides that differ from the parameters'.
    return device.type in _FUSED_DEVICES and not is_traced()


def is_recorded(parameters: Tensors) -> bool:
    """Return whether a graph is being recorded for a device with fused kernels."""
    return is_traced() and parameters[0].device.type in _FUSED_DEVICES


def as_scalar(rate: Scalar, like: torch.Tensor) -> torch.Tensor:
    """Return a learning rate as a tensor without dimensions."""
    return without_dimensions(rate) if isinstance(rate, torch.Tensor) else torch.tensor(rate, device=like.device)


def without_dimensions(value: torch.Tensor) -> torch.Tensor:
    """Return a tensor of one element without dimensions; a graph has no operation for one that has none."""
    return value if value.dim() == 0 else value.reshape(())


def has_tensors(*scalars: Scalar) -> bool:
    """Return whether a scalar is a tensor: the kernels of PyTorch take most of them as numbers only."""
    for scalar in scalars:  # noqa: SIM110 - `any` takes longer
        if isinstance(scalar, torch.Tensor):
            return True
    return False


def fitting(gradient: torch.Tensor, parameter: torch.Tensor) -> torch.Tensor:
    """Return the gradient with the data type, the device and the strides of the parameter."""
    if (
        gradient.dtype is parameter.dtype
        and gradient.device == parameter.device
        and gradient.stride() == parameter.stride()
    ):
        return gradient
    return torch.empty_like(parameter).copy_(gradient)


def check_real(gradient: torch.Tensor, api: str, name: str = "gradient") -> None:
    """Refuse a complex gradient, whose imaginary part a step of real numbers would drop.

    Raises:
        TypeError: `gradient` is complex.
    """
    if gradient.is_complex():
        raise TypeError(
            f"For '{api}', '{name}' must hold real numbers, but got {describe(gradient)}. "
            "Take its real part, or the gradient of a real loss with respect to real parameters."
        )


def writable_like(parameter: Tensor, like: torch.Tensor) -> torch.Tensor:
    """Return the torch tensor of `parameter` to write now, after giving it the strides of `like`."""
    value = writable(parameter)
    if value.stride() != like.stride():
        value.data = torch.empty_like(like, dtype=value.dtype).copy_(value.detach())
    return value


class Pieces:
    """A division of tensors into lists of about as many elements as a processor's cache can hold.

    A rule that treats each element separately goes over memory several times. When it finishes one piece before the
    next, memory is read once. On devices other than the CPU, and in graphs, there is one piece: everything.
    """

    def __init__(self, like: Tensors) -> None:
        self.bounds: list[tuple[int, int]] | None = None
        if is_traced() or not all(value.is_cpu for value in like):
            return
        self._size = _PIECE * torch.get_num_threads()
        self._splits = [value.numel() > self._size and _is_dense(value) for value in like]
        ends = [0]
        filled = 0
        count = 0
        for value in self._flat(like):
            if filled and filled + value.numel() > self._size:
                ends.append(count)
                filled = 0
            filled += value.numel()
            count += 1
        self.bounds = list(zip(ends, [*ends[1:], count]))

    def of(self, tensors: Tensors) -> list[Tensors]:
        """Return the pieces of tensors that lie in memory like the constructor's tensors."""
        if self.bounds is None:
            return [tensors]
        flat = self._flat(tensors)
        return [flat[start:stop] for start, stop in self.bounds]

    def _flat(self, tensors: Tensors) -> Tensors:
        flat: Tensors = []
        for value, splits in zip(tensors, self._splits):
            if splits:
                flat.extend(value.as_strided((value.numel(),), (1,)).split(self._size))
            else:
                flat.append(value)
        return flat


def _is_dense(value: torch.Tensor) -> bool:
    """Return whether the elements fill a stretch of memory, in any order."""
    size = 1
    for stride, length in sorted(zip(value.stride(), value.shape)):
        if length > 1 and stride != size:
            return False
        size *= length
    return True
