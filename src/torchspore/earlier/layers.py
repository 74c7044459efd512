"""Layers of MindSpore's earlier versions."""

from __future__ import annotations

from typing import Any

from torchspore import ops
from torchspore.common.tensor import Tensor
from torchspore.communication import get_group_size
from torchspore.earlier import operations
from torchspore.engine.failures.errors import describe
from torchspore.nn.cell import Cell
from torchspore.nn.layer.sync_batch_norm import SyncBatchNorm

__all__ = ["GlobalBatchNorm", "LinSpace", "ResizeBilinear"]


class ResizeBilinear(Cell):
    """Resize images by bilinear interpolation.

    Args:
        half_pixel_centers: whether positions are the elements' centres instead of their upper left corners.
            Default: False.

    Inputs:
        - x (Tensor): of shape (N, C, H, W).
        - size (tuple of two ints or None): the new height and width. Default: None.
        - scale_factor (int or None): by what the sizes are multiplied, instead of `size`. Default: None.
        - align_corners (bool): whether the centres of the corner elements stay where they are. Default: False.

    Outputs: a Tensor of shape (N, C, *size).

    Raises:
        TypeError: `scale_factor` is not an int.
        ValueError: neither or both of `size` and `scale_factor` are given, or the shape does not fit.

    Source: MindSpore 1.10, `nn.ResizeBilinear`.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.earlier.layers import ResizeBilinear
        >>> print(ResizeBilinear()(ms.Tensor([[[[1.0, 3.0]]]]), size=(1, 3), align_corners=True))
        [[[[1. 2. 3.]]]]
    """

    def __init__(self, half_pixel_centers: bool = False) -> None:
        super().__init__()
        self.half_pixel_centers = half_pixel_centers

    def construct(
        self,
        x: Tensor,
        size: tuple[int, int] | None = None,
        scale_factor: int | None = None,
        align_corners: bool = False,
    ) -> Tensor:
        if (size is None) == (scale_factor is None):
            raise ValueError("For 'ResizeBilinear', give either 'size' or 'scale_factor'.")
        if size is None:
            if not isinstance(scale_factor, int) or isinstance(scale_factor, bool):
                raise TypeError(
                    f"For 'ResizeBilinear', 'scale_factor' must be an int, but got {describe(scale_factor)}."
                )
            size = (x.shape[2] * scale_factor, x.shape[3] * scale_factor)
        result: Tensor = operations.ResizeBilinear(size, align_corners, self.half_pixel_centers)(x)
        return result


class GlobalBatchNorm(SyncBatchNorm):
    """Batch normalization over the batches of groups of processes.

    Args:
        num_features, eps, momentum, affine, gamma_init, beta_init, moving_mean_init, moving_var_init,
            use_batch_statistics: as for `SyncBatchNorm`.
        device_num_each_group: the number of processes in a group. Default: 2.

    Source: MindSpore 1.10, `nn.GlobalBatchNorm`.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.earlier.layers import GlobalBatchNorm
        >>> GlobalBatchNorm(2)(ms.ops.ones((1, 2, 3, 3))).shape
        (1, 2, 3, 3)
    """

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
        device_num_each_group: int = 2,
    ) -> None:
        count = get_group_size()
        groups = [list(range(first, first + device_num_each_group)) for first in range(0, count, device_num_each_group)]
        super().__init__(
            num_features, eps, momentum, affine, gamma_init, beta_init, moving_mean_init, moving_var_init,
            use_batch_statistics, groups if count > 1 else None,
        )  # fmt: skip


class LinSpace(Cell):
    """Numbers at equal distances; a call returns them.

    Args:
        start, stop: the first and the last number.
        num: how many there are.

    Source: MindSpore 1.0, `nn.LinSpace`.

    Examples:
        >>> from torchspore.earlier.layers import LinSpace
        >>> print(LinSpace(1, 10, 4)())
        [ 1.  4.  7. 10.]
    """

    def __init__(self, start: float, stop: float, num: int) -> None:
        super().__init__()
        self.start, self.stop, self.num = float(start), float(stop), num

    def construct(self) -> Tensor:
        numbers: Tensor = ops.linspace(self.start, self.stop, self.num)
        return numbers
