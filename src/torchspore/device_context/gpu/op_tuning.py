"""How operations run on GPUs."""

from __future__ import annotations

from collections.abc import Callable

import torch

from torchspore.engine.checks import check_string

__all__ = ["conv_dgrad_algo", "conv_fprop_algo", "conv_wgrad_algo"]


def _algorithm_setting(name: str, computed: str) -> Callable[[str], None]:
    """Return a function that sets how cuDNN chooses its algorithms: one choice for convolutions and their gradients."""

    def choose(mode: str) -> None:
        if check_string(mode, "mode", name) not in ("normal", "performance"):
            raise NotImplementedError(
                f"For '{name}', cuDNN chooses the algorithm. Use 'normal', or 'performance', which tries all of them."
            )
        torch.backends.cudnn.benchmark = mode == "performance"

    choose.__name__ = choose.__qualname__ = name
    choose.__doc__ = f"""Choose how cuDNN finds the algorithm for {computed}.

    The last choice holds for all convolutions and their gradients.

    Args:
        mode: "normal", by a heuristic (the default), or "performance", by benchmarking each new shape.

    Raises:
        NotImplementedError: another mode.

    Examples:
        >>> import torchspore as ms
        >>> ms.device_context.gpu.op_tuning.{name}("normal")
    """
    return choose


conv_fprop_algo = _algorithm_setting("conv_fprop_algo", "convolutions")
conv_wgrad_algo = _algorithm_setting("conv_wgrad_algo", "the gradients of convolution weights")
conv_dgrad_algo = _algorithm_setting("conv_dgrad_algo", "the gradients of convolution inputs")
