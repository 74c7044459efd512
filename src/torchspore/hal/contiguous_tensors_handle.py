"""Tensors beside each other in one block of memory: MindSpore's private `hal.contiguous_tensors_handle`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import torch

from torchspore.common.tensor import Tensor, wrap
from torchspore.engine.failures.errors import describe

__all__ = ["ContiguousTensorsHandle", "combine_tensor_list_contiguous"]


class ContiguousTensorsHandle:
    """A block of memory that tensors share, each from the place where the previous one ends.

    Args:
        tensor_list: the tensors, of one data type; their memory moves into the block.
        enable_mem_align: without effect: torch's kernels need no gaps between tensors. Default: True.
    """

    def __init__(self, tensor_list: Sequence[Tensor], enable_mem_align: bool = True) -> None:
        api = "combine_tensor_list_contiguous"
        if not isinstance(enable_mem_align, bool):
            raise TypeError(f"For '{api}', 'enable_mem_align' must be a bool, but got {describe(enable_mem_align)}.")
        if not tensor_list or not all(isinstance(tensor, Tensor) for tensor in tensor_list):
            raise TypeError(f"For '{api}', 'tensor_list' must be a list of Tensors, but got {describe(tensor_list)}.")
        if len({tensor.dtype for tensor in tensor_list}) > 1:
            raise ValueError(f"For '{api}', the tensors must have one data type, but got {describe(tensor_list)}.")
        self.tensor_list, self.enable_mem_align = tensor_list, enable_mem_align
        values = [tensor._t.detach() for tensor in tensor_list]
        self._block = torch.cat([value.reshape(-1) for value in values])
        self._ends = [0, *accumulate(value.numel() for value in values)]
        for tensor, start, end in zip(tensor_list, self._ends, self._ends[1:]):
            tensor._hold(self._block[start:end].view(tensor.shape))

    def slice_by_tensor_index(self, start: int | None = None, end: int | None = None) -> Tensor:
        """Return the memory of the tensors from `start` to `end`, exclusive, as a vector; by default of all."""
        places = range(len(self.tensor_list))[start:end]
        return wrap(self._block[self._ends[places.start] : self._ends[max(places.start, places.stop)]])

    def __getitem__(self, item: Any) -> Tensor:
        return wrap(self._block[item : item + 1] if isinstance(item, int) else self._block[item])

    def __str__(self) -> str:
        return f"Handle total size: {self._block.nbytes}"


def combine_tensor_list_contiguous(
    tensor_list: Sequence[Tensor], enable_mem_align: bool = True
) -> ContiguousTensorsHandle:
    """Move the memory of tensors into one block, and return the block.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.hal.contiguous_tensors_handle import combine_tensor_list_contiguous
        >>> weight, bias = ms.Tensor([[1.0, 2.0]]), ms.Tensor([3.0])
        >>> print(combine_tensor_list_contiguous([weight, bias]).slice_by_tensor_index())
        [1. 2. 3.]
    """
    return ContiguousTensorsHandle(tensor_list, enable_mem_align)
