"""Settings of MindSpore's search for parallel strategies: checked and kept, as nothing is searched here."""

from __future__ import annotations

from typing import Any

from torchspore.common.error_classes import also
from torchspore.engine.arguments.checks import check_bool, check_float, check_int
from torchspore.engine.failures.errors import describe

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
    for name, value in kwargs.items():
        _check(name, value)
    _settings.update(kwargs)


def _check(name: str, value: Any) -> None:
    api = "set_algo_parameters"
    if name not in _DEFAULTS:
        raise ValueError(f"For '{api}', there is no setting {name!r}. Settings: {', '.join(_DEFAULTS)}.")
    if name == "algo_approxi_epsilon":
        if not 0 < check_float(value, name, api) <= 1:
            raise also(ValueError, RuntimeError)(f"For '{api}', '{name}' must be in (0, 1], but got {value}.")
    elif name == "tensor_slice_align_size":
        if check_int(value, name, api) > 1024:
            raise also(ValueError, RuntimeError)(f"For '{api}', '{name}' must be in [1, 1024], but got {value}.")
    else:
        check_bool(value, name, api)


def get_algo_parameters(attr_key: str) -> Any:
    """Return a setting of the search for parallel strategies; see `set_algo_parameters`.

    Examples:
        >>> import torchspore as ms
        >>> ms.get_algo_parameters("fully_use_devices")
        False
    """
    if attr_key not in _settings:
        raise ValueError(
            f"For 'get_algo_parameters', there is no setting {describe(attr_key)}. Settings: {', '.join(_DEFAULTS)}."
        )
    return _settings[attr_key]


def reset_algo_parameters() -> None:
    """Reset the settings of the search for parallel strategies to their initial values.

    Examples:
        >>> import torchspore as ms
        >>> ms.reset_algo_parameters()
    """
    _settings.update(_DEFAULTS)
