"""How exact operations are on GPUs."""

from __future__ import annotations

import torch

from torchspore.engine.parameters import checked

__all__ = ["conv_allow_tf32", "matmul_allow_tf32"]


@checked
def matmul_allow_tf32(value: bool) -> None:
    """Allow float32 matrix products to round their inputs to TF32, which has 10 bits of mantissa.

    Args:
        value: whether they may. Default of the environment: False.

    Examples:
        >>> import torchspore as ms
        >>> ms.device_context.gpu.op_precision.matmul_allow_tf32(False)
    """
    torch.backends.cuda.matmul.allow_tf32 = value


@checked
def conv_allow_tf32(value: bool) -> None:
    """Allow float32 convolutions to round their inputs to TF32, which has 10 bits of mantissa.

    Args:
        value: whether they may. Default of the environment: True.

    Examples:
        >>> import torchspore as ms
        >>> ms.device_context.gpu.op_precision.conv_allow_tf32(True)
    """
    torch.backends.cudnn.allow_tf32 = value
