"""Settings of MindSpore's search for parallel strategies: checked and kept, as nothing is searched here."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

from torchspore.common.error_classes import also
from torchspore.engine.parameters import Positive, StrictFloat, Where, checked, kind_of

__all__ = ["get_algo_parameters", "reset_algo_parameters", "set_algo_parameters"]

_DEFAULTS: dict[str, Any] = {
    "fully_use_devices": False,
    "elementwise_op_strategy_follow": False,
    "enable_algo_approxi": False,
    "algo_approxi_epsilon": 0.1,
    "tensor_slice_align_enable": False,
    "tensor_slice_align_size": 16,
}
_settings = dict(_DEFAULTS)
_OUT_OF_RANGE = also(ValueError, RuntimeError)


class _Settings(TypedDict, total=False):
    fully_use_devices: bool
    elementwise_op_strategy_follow: bool
    enable_algo_approxi: bool
    algo_approxi_epsilon: Annotated[StrictFloat, Where("in (0, 1]", lambda x: 0 < x <= 1, _OUT_OF_RANGE)]
    tensor_slice_align_enable: bool
    tensor_slice_align_size: Annotated[Positive, Where("in [1, 1024]", lambda n: n <= 1024, _OUT_OF_RANGE)]


_SETTINGS = kind_of(_Settings)


def set_algo_parameters(**kwargs: Any) -> None:
    """Configure MindSpore's search for parallel strategies; nothing is searched here.

    Args:
        fully_use_devices: whether to use all devices. Initially False.
        elementwise_op_strategy_follow: whether elementwise operations follow their inputs. Initially False.
        enable_algo_approxi: whether to leave out strategies that are nearly as good. Initially False.
        algo_approxi_epsilon: the tolerance for that, a float in (0, 1]. Initially 0.1.
        tensor_slice_align_enable: whether to check the sizes of slices. Initially False.
        tensor_slice_align_size: the number that divides them, in [1, 1024]. Initially 16.

    Raises TypeError or ValueError for an unknown setting, or a value of a wrong type or range.

    Examples:
        >>> import torchspore as ms
        >>> ms.set_algo_parameters(tensor_slice_align_size=8)
        >>> ms.get_algo_parameters("tensor_slice_align_size")
        8
        >>> ms.reset_algo_parameters()
    """
    _settings.update(_SETTINGS.take(kwargs, "", "set_algo_parameters"))


@checked
def get_algo_parameters(attr_key: Annotated[str, Where(f"one of {list(_DEFAULTS)}", _DEFAULTS.__contains__)]) -> Any:
    """Return a setting of the search for parallel strategies; see `set_algo_parameters`.

    Examples:
        >>> import torchspore as ms
        >>> ms.get_algo_parameters("fully_use_devices")
        False
    """
    return _settings[attr_key]


def reset_algo_parameters() -> None:
    """Reset the settings of the search for parallel strategies to their initial values.

    Examples:
        >>> import torchspore as ms
        >>> ms.reset_algo_parameters()
    """
    _settings.update(_DEFAULTS)
