"""Batch normalization over the batches of several processes."""

from __future__ import annotations

import itertools
from typing import Any

from torchspore.common import dtype as mstype
from torchspore.common.tensor import Tensor
from torchspore.engine.gradients.differentiate import stop_gradient
from torchspore.nn.layer.normalization import BatchNorm
from torchspore.ops.array.assignment import assign
from torchspore.ops.array.joining import concat
from torchspore.ops.distributed.primitives import AllReduce
from torchspore.ops.distributed.process_groups import get_rank, get_world_size, new_group

__all__ = ["SyncBatchNorm"]


class SyncBatchNorm(BatchNorm):
    """Batch normalization over the batches of all processes; in a single process the same as `BatchNorm2d`.

    Gradients are computed for the sum of the losses of all processes.

    Args:
        process_groups: the groups that share statistics, a list of lists of ranks. Default: None, one group of all
            processes.

    The other arguments are as for `BatchNorm1d`; the input has 2 or 4 dimensions.

    Examples:
        >>> import torchspore as ms
        >>> norm = ms.nn.SyncBatchNorm(1).set_train()
        >>> print(norm(ms.Tensor([[1.0], [3.0]])).round())
        [[-1.]
         [ 1.]]
    """

    _dims = (2, 4)

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.9,
        affine: bool = True,
        gamma_init: Any = "ones",
        beta_init: Any = "zeros",
        moving_mean_init: Any = "zeros",
        moving_var_init: Any = "ones",
        use_batch_statistics: bool | None = None,
        process_groups: Any = None,
        dtype: mstype.Type = mstype.float32,
    ) -> None:
        inits = (gamma_init, beta_init, moving_mean_init, moving_var_init)
        super().__init__(num_features, eps, momentum, affine, *inits, use_batch_statistics, dtype=dtype)
        members = _own_group(process_groups)
        self.process_groups = process_groups
        make: Any = AllReduce
        self._sum = make(group=new_group(members)) if len(members) > 1 else None

    def construct(self, x: Tensor) -> Tensor:
        if self._sum is None or not self._uses_batch() or not isinstance(x, Tensor) or x.ndim not in self._dims:
            return super().construct(x)
        axes = (0, *range(2, x.ndim))
        shape = (1, -1, *[1] * (x.ndim - 2))
        values = x.astype(mstype.float32)
        count = Tensor([x.size / self.num_features], mstype.float32)
        sums = self._sum(concat([values.sum(axes), count]))
        total = stop_gradient(sums[-1])
        mean = sums[:-1] / total
        centered = values - mean.reshape(shape)
        variance = self._sum((centered * centered).sum(axes)) / total
        self._move(self.moving_mean, mean)
        self._move(self.moving_variance, variance * (total / (total - 1)))
        normalized = centered * (variance + self.eps).rsqrt().reshape(shape)
        return (normalized * self.gamma.reshape(shape) + self.beta.reshape(shape)).astype(x.dtype)

    def _move(self, moving: Any, observed: Tensor) -> None:
        assign(moving, moving * (1 - self.momentum) + stop_gradient(observed).astype(moving.dtype) * self.momentum)


def _own_group(groups: Any) -> list[int]:
    """Return the processes that share statistics with this one."""
    size, rank = get_world_size(), get_rank()
    if groups is None:
        return list(range(size))
    if not (isinstance(groups, list) and all(isinstance(group, list) for group in groups)):
        raise TypeError("'process_groups' must be a list of lists or None")
    ranks = list(itertools.chain(*groups))
    if not all(isinstance(member, int) and not isinstance(member, bool) for member in ranks):
        raise TypeError("'process_groups' must hold ints")
    if len(set(ranks)) < len(ranks) or not all(0 <= member < size for member in ranks):
        raise ValueError(f"'process_groups' must hold ranks below {size}, each once")
    return next((group for group in groups if rank in group), [rank])
