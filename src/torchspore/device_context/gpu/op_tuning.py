"""How operations run on GPUs."""

from __future__ import annotations

from typing import Any

import torch

from torchspore.engine.parameters import take_as

__all__ = ["conv_dgrad_algo", "conv_fprop_algo", "conv_wgrad_algo"]


def _choose(mode: Any, api: str) -> None:
    """Set how cuDNN chooses its algorithms: one choice for convolutions and their gradients."""
    if take_as(str, mode, "mode", api) not in ("normal", "performance"):
        raise NotImplementedError(
            f"For '{api}', cuDNN chooses the algorithm. Use 'normal', or 'performance', which tries all of them."
        )
    torch.backends.cudnn.benchmark = mode == "performance"


def conv_fprop_algo(mode: str) -> None:
    """Choose how cuDNN finds the algorithm for convolutions.

    The last choice holds for all convolutions and their gradients.

    Args:
        mode: "normal", by a heuristic (the default), or "performance", by benchmarking each new shape.

    Raises:
        NotImplementedError: another mode.

    Examples:
        >>> import torchspore as ms
        >>> ms.device_context.gpu.op_tuning.conv_fprop_algo("normal")
    """
    _choose(mode, "conv_fprop_algo")


def conv_wgrad_algo(mode: str) -> None:
    """Choose how cuDNN finds the algorithm for the gradients of convolution weights; see `conv_fprop_algo`.

    Examples:
        >>> import torchspore as ms
        >>> ms.device_context.gpu.op_tuning.conv_wgrad_algo("normal")
    """
    _choose(mode, "conv_wgrad_algo")


def conv_dgrad_algo(mode: str) -> None:
    """Choose how cuDNN finds the algorithm for the gradients of convolution inputs; see `conv_fprop_algo`.

    Examples:
        >>> import torchspore as ms
        >>> ms.device_context.gpu.op_tuning.conv_dgrad_algo("normal")
    """
    _choose(mode, "conv_dgrad_algo")
