"""How operations run on GPUs.

MindSpore: `mindspore.device_context.gpu.op_tuning`.
"""

from __future__ import annotations

from typing import Any

import torch

from torchspore.engine.errors import describe

__all__ = ["conv_dgrad_algo", "conv_fprop_algo", "conv_wgrad_algo"]


def _choose(mode: Any, api: str) -> None:
    """Set how cuDNN chooses its algorithms: one choice for convolutions and their gradients."""
    if not isinstance(mode, str):
        raise TypeError(f"For '{api}', 'mode' must be a string, but got {describe(mode)}.")
    if mode not in ("normal", "performance"):
        raise NotImplementedError(
            f"For '{api}', cuDNN chooses the algorithm. Use 'normal', or 'performance', which tries all of them."
        )
    torch.backends.cudnn.benchmark = mode == "performance"


def conv_fprop_algo(mode: str) -> None:
    """Choose how cuDNN finds the algorithm of convolutions.

    All convolutions and their gradients share the choice that was made last.

    Args:
        mode: "normal", by a rule, or "performance", by trying at the first call of each shape. Default of the
            environment: "normal".

    Raises:
        NotImplementedError: another mode.

    Examples:
        >>> import torchspore as ms
        >>> ms.device_context.gpu.op_tuning.conv_fprop_algo("normal")

    MindSpore: `mindspore.device_context.gpu.op_tuning.conv_fprop_algo`.
    """
    _choose(mode, "conv_fprop_algo")


def conv_wgrad_algo(mode: str) -> None:
    """Choose how cuDNN finds the algorithm of the gradients of weights of convolutions.

    All convolutions and their gradients share the choice that was made last.

    Args:
        mode: "normal", by a rule, or "performance", by trying at the first call of each shape. Default of the
            environment: "normal".

    Raises:
        NotImplementedError: another mode.

    Examples:
        >>> import torchspore as ms
        >>> ms.device_context.gpu.op_tuning.conv_wgrad_algo("normal")

    MindSpore: `mindspore.device_context.gpu.op_tuning.conv_wgrad_algo`.
    """
    _choose(mode, "conv_wgrad_algo")


def conv_dgrad_algo(mode: str) -> None:
    """Choose how cuDNN finds the algorithm of the gradients of inputs of convolutions.

    All convolutions and their gradients share the choice that was made last.

    Args:
        mode: "normal", by a rule, or "performance", by trying at the first call of each shape. Default of the
            environment: "normal".

    Raises:
        NotImplementedError: another mode.

    Examples:
        >>> import torchspore as ms
        >>> ms.device_context.gpu.op_tuning.conv_dgrad_algo("normal")

    MindSpore: `mindspore.device_context.gpu.op_tuning.conv_dgrad_algo`.
    """
    _choose(mode, "conv_dgrad_algo")
