"""MindSpore's optimizers that are not supported, each with the reason and what to use instead."""

from __future__ import annotations

from typing import Any, NoReturn

__all__ = ["AdaSumByDeltaWeightWrapCell", "AdaSumByGradWrapCell", "OptTFTWrapper", "thor"]

_BETWEEN_DEVICES = "it adds up gradients of 16 or more devices. Average them by mint.distributed.all_reduce."


class AdaSumByDeltaWeightWrapCell:
    """Not supported: adaptive summation of weight changes between devices.

    Raises:
        NotImplementedError: always.

    MindSpore: `mindspore.nn.AdaSumByDeltaWeightWrapCell`.
    """

    def __init__(self, optimizer: Any) -> None:
        raise NotImplementedError(f"For 'AdaSumByDeltaWeightWrapCell', there is no implementation: {_BETWEEN_DEVICES}")


class AdaSumByGradWrapCell:
    """Not supported: adaptive summation of gradients between devices.

    Raises:
        NotImplementedError: always.

    MindSpore: `mindspore.nn.AdaSumByGradWrapCell`.
    """

    def __init__(self, optimizer: Any) -> None:
        raise NotImplementedError(f"For 'AdaSumByGradWrapCell', there is no implementation: {_BETWEEN_DEVICES}")


class OptTFTWrapper:
    """Not supported: reports to MindIO, a service that exists on Ascend devices only.

    Raises:
        NotImplementedError: always.

    MindSpore: `mindspore.nn.OptTFTWrapper`.
    """

    def __init__(self, opt: Any, **kwargs: Any) -> None:
        raise NotImplementedError(
            "For 'OptTFTWrapper', there is no implementation: it reports to MindIO, a service of Ascend devices. Use "
            "the optimizer itself, and save checkpoints."
        )


def thor(net: Any, learning_rate: Any, damping: Any, momentum: float, *args: Any, **kwargs: Any) -> NoReturn:
    """Not supported: THOR, an optimizer of second order.

    Raises:
        NotImplementedError: always.

    MindSpore: `mindspore.nn.thor`.
    """
    raise NotImplementedError(
        "For 'thor', there is no implementation: it needs layers that keep second moments of their inputs and "
        "gradients. Use nn.Lamb or nn.AdamWeightDecay."
    )
