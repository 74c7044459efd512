"""Layers that normalize over batches and groups, with torch's arguments."""

from __future__ import annotations

import torch

from torchspore.common import dtype as mstype
from torchspore.common.initializer import initializer
from torchspore.common.parameter import Parameter
from torchspore.common.tensor import Tensor
from torchspore.engine.parameters import NotNegativeFloat, Positive, checked
from torchspore.mint.nn import functional as F
from torchspore.nn import LayerNormExt as LayerNorm
from torchspore.nn.cell import Cell
from torchspore.nn.layer.checks import DIVISIBLE, rank
from torchspore.ops.array.assignment import assign, assign_add

__all__ = ["BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "GroupNorm", "LayerNorm", "SyncBatchNorm"]


def _scale_and_shift(
    shape: tuple[int, ...], dtype: mstype.Type, is_trained: bool = True
) -> tuple[Parameter, Parameter]:
    weight = Parameter(initializer("ones", shape, dtype), name="weight", requires_grad=is_trained)
    return weight, Parameter(initializer("zeros", shape, dtype), name="bias", requires_grad=is_trained)


class BatchNorm1d(Cell):
    """Normalize every channel over batch and length, then scale and shift it.

    In training, and without running statistics, the statistics come from the batch; in training the running ones
    move towards them: running = (1 - momentum) * running + momentum * observed, with the unbiased variance.

    Args:
        num_features: the number of channels.
        eps: what is added to the variance. Default: 1e-5.
        momentum: the weight of the observed statistics, in [0, 1]; with None the running ones are the mean of all
            that were observed. Default: 0.1.
        affine: whether there are `weight` and `bias`. Default: True.
        track_running_stats: whether there are running statistics. Default: True.
        dtype: the data type of the parameters. Default: None, float32.

    Inputs: a Tensor of shape (N, C) or (N, C, L).
    Outputs: a Tensor of the same shape and dtype.

    Examples:
        >>> import torchspore as ms
        >>> norm = ms.mint.nn.BatchNorm1d(1).set_train()
        >>> print(norm(ms.Tensor([[1.0], [3.0]])))
        [[-0.999995]
         [ 0.999995]]
        >>> print(norm.running_mean.asnumpy(), norm.num_batches_tracked.asnumpy())
        [0.2] 1
    """

    _shown = ("num_features", "eps", "momentum", "affine", "track_running_stats")
    _keeps_parameter_types = True
    _dims: tuple[int, ...] = (2, 3)

    @checked
    def __init__(
        self,
        num_features: Positive,
        eps: float = 1e-5,
        momentum: NotNegativeFloat | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        dtype: mstype.Type | None = None,
    ) -> None:
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        if momentum is not None:
            self.momentum = momentum
            if self.momentum > 1:
                raise ValueError("'momentum' must be <= 1")
        self.affine = affine
        self.track_running_stats = track_running_stats
        self.dtype = dtype or mstype.float32
        shape = (self.num_features,)
        self.weight: Parameter | None = None
        self.bias: Parameter | None = None
        if affine:
            self.weight, self.bias = _scale_and_shift(shape, self.dtype)
        self.running_mean = self.running_var = self.num_batches_tracked = None
        if track_running_stats:
            zeros, ones = initializer("zeros", shape, self.dtype), initializer("ones", shape, self.dtype)
            self.running_mean = Parameter(zeros, name="running_mean", requires_grad=False)
            self.running_var = Parameter(ones, name="running_var", requires_grad=False)
            count = Tensor(0, mstype.int64)
            self.num_batches_tracked = Parameter(count, name="num_batches_tracked", requires_grad=False)

    def construct(self, input: Tensor) -> Tensor:
        if rank(input, self.cls_name) not in self._dims:
            accepted = " or ".join(str(count) for count in self._dims)
            raise ValueError(f"the input must have {accepted} dimensions")
        if self.training and self.num_batches_tracked is not None:
            assign_add(self.num_batches_tracked, 1)
        mean, variance, count = self.running_mean, self.running_var, self.num_batches_tracked
        of_batch = self.training or not self.track_running_stats
        if self.momentum is not None or not self.training or mean is None or variance is None or count is None:
            momentum = self.momentum or 0.0
            return F.batch_norm(input, mean, variance, self.weight, self.bias, of_batch, momentum, self.eps)
        before = mean + 0, variance + 0
        result = F.batch_norm(input, mean, variance, self.weight, self.bias, of_batch, 1.0, self.eps)
        for statistic, old in zip((mean, variance), before):
            assign(statistic, old + (statistic - old) / count)
        return result


class BatchNorm2d(BatchNorm1d):
    """Normalize every channel of images, shape (N, C, H, W), over batch and space; see `BatchNorm1d`."""

    _dims = (4,)


class BatchNorm3d(BatchNorm1d):
    """Normalize every channel of volumes, shape (N, C, D, H, W), over batch and space; see `BatchNorm1d`."""

    _dims = (5,)


class SyncBatchNorm(BatchNorm1d):
    """Batch normalization over the batches of all processes; in a single process as `BatchNorm1d` does.

    Args:
        process_group: the group of processes that share statistics. Default: None, all.

    The other arguments are as for `BatchNorm1d`; the input has 2 to 5 dimensions.

    Raises:
        NotImplementedError: there are several processes.
    """

    _dims = (2, 3, 4, 5)

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        process_group: str | None = None,
        dtype: mstype.Type | None = None,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, dtype)
        distributed = torch.distributed
        if distributed.is_available() and distributed.is_initialized() and distributed.get_world_size() > 1:
            raise NotImplementedError(
                "For 'SyncBatchNorm', statistics over several processes are not supported. Use BatchNorm2d, with a "
                "batch per process that is large enough for statistics of its own."
            )
        self.process_group = process_group


class GroupNorm(Cell):
    """Normalize over groups of channels and the space, then scale and shift every channel.

    Args:
        num_groups, num_channels, eps: as for `nn.GroupNorm`.
        affine: whether `weight` and `bias` are trained; otherwise they stay 1 and 0. Default: True.
        dtype: the data type of the parameters. Default: None, float32.
    """

    _shown = ("num_groups", "num_channels", "eps", "affine")
    _keeps_parameter_types = True

    @checked(DIVISIBLE)
    def __init__(
        self,
        num_groups: Positive,
        num_channels: Positive,
        eps: float = 1e-5,
        affine: bool = True,
        dtype: mstype.Type | None = None,
    ) -> None:
        super().__init__()
        self.num_groups, self.num_channels = num_groups, num_channels
        if not isinstance(eps, (int, float)):
            raise TypeError("'eps' must be a number")
        self.eps = eps
        self.affine = affine
        self.weight, self.bias = _scale_and_shift((self.num_channels,), dtype or mstype.float32, affine)

    def construct(self, input: Tensor) -> Tensor:
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)
