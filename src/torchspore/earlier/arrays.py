"""Arrays of MindSpore's earlier versions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from torchspore import ops
from torchspore.common.dtype import Type
from torchspore.common.tensor import Tensor
from torchspore.engine.failures.errors import describe

__all__ = ["TensorArray", "random_normal"]


class TensorArray:
    """A list of tensors of one shape and data type, that grows.

    Args:
        dtype: their data type.
        element_shape: their shape.
        dynamic_size: whether it grows beyond `size`. Default: True.
        size: the number of tensors at the beginning, zeros. Default: 0.
        name: its name. Default: "TA".

    Raises:
        IndexError: an index is beyond the tensors, and `dynamic_size` is False.
        ValueError: a tensor of another shape.

    Source: MindSpore 1.10, `nn.TensorArray`.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.earlier.arrays import TensorArray
        >>> numbers = TensorArray(ms.int64, ())
        >>> numbers.write(0, 1), numbers.write(1, 2)
        (True, True)
        >>> print(numbers.stack(), numbers.size())
        [1 2] 2
    """

    def __init__(
        self, dtype: Type, element_shape: Sequence[int], dynamic_size: bool = True, size: int = 0, name: str = "TA"
    ) -> None:
        self.dtype = dtype
        self.element_shape = tuple(element_shape)
        self.dynamic_size = dynamic_size
        self.name = name
        self._tensors = [self._zeros() for _ in range(size)]

    def _zeros(self) -> Tensor:
        zeros: Tensor = ops.zeros(self.element_shape, self.dtype)
        return zeros

    def write(self, index: int, value: Any) -> bool:
        """Set the tensor at an index, and return True; those before it that are not set are zeros."""
        index, tensor = int(index), Tensor(value, self.dtype)
        if tensor.shape != self.element_shape:
            raise ValueError(
                f"For 'TensorArray', 'value' must have the shape {self.element_shape}, but got {describe(value)}."
            )
        if index >= len(self._tensors):
            if not self.dynamic_size:
                raise IndexError(
                    f"For 'TensorArray', 'index' must be below {len(self._tensors)}, but got {index}. 'dynamic_size' "
                    "lets it grow."
                )
            self._tensors += [self._zeros() for _ in range(index + 1 - len(self._tensors))]
        self._tensors[index] = tensor
        return True

    def read(self, index: int) -> Tensor:
        """Return the tensor at an index."""
        return self._tensors[int(index)]

    def stack(self) -> Tensor:
        """Return all tensors as one."""
        stacked: Tensor = ops.stack(self._tensors)
        return stacked

    def size(self) -> Tensor:
        """Return the number of tensors."""
        return Tensor(len(self._tensors))

    def clear(self) -> bool:
        """Remove all tensors, and return True."""
        self._tensors.clear()
        return True

    def close(self) -> bool:
        """Remove all tensors, for good, and return True."""
        return self.clear()


def random_normal(shape: Sequence[int], mean: float = 0.0, std: float = 1.0) -> Any:
    """Return an array of normally distributed float32 numbers.

    Args:
        shape: its shape.
        mean: their mean. Default: 0.0.
        std: their standard deviation. Default: 1.0.

    Source: MindSpore 1.1, `common.initializer.random_normal`.

    Examples:
        >>> from torchspore.earlier.arrays import random_normal
        >>> random_normal((2, 3)).shape
        (2, 3)
    """
    return np.random.normal(mean, std, shape).astype(np.float32)
