"""Settings of training in several processes, with the functions by which MindSpore's packages read them.

MindSpore: `mindspore.parallel._utils`.
"""

from __future__ import annotations

from torchspore.parallel_context import ParallelMode, get_auto_parallel_context

__all__: list[str] = []


def _get_parallel_mode() -> str:
    """Return the setting `parallel_mode`."""
    return str(get_auto_parallel_context("parallel_mode"))


def _is_in_data_parallel_mode() -> bool:
    """Return whether gradients are reduced over all processes."""
    return _get_parallel_mode() == ParallelMode.DATA_PARALLEL


def _get_device_num() -> int:
    """Return the setting `device_num`."""
    return int(get_auto_parallel_context("device_num"))


def _get_global_rank() -> int:
    """Return the setting `global_rank`."""
    return int(get_auto_parallel_context("global_rank"))


def _is_sharding_propagation() -> bool:
    """Return False: operations are not split over devices."""
    return False


def _get_gradients_mean() -> bool:
    """Return the setting `gradients_mean`."""
    return bool(get_auto_parallel_context("gradients_mean"))


def _get_enable_parallel_optimizer() -> bool:
    """Return the setting `enable_parallel_optimizer`."""
    return bool(get_auto_parallel_context("enable_parallel_optimizer"))


def _get_parameter_broadcast() -> bool:
    """Return the setting `parameter_broadcast`."""
    return bool(get_auto_parallel_context("parameter_broadcast"))


def _device_number_check(parallel_mode: str, device_number: int) -> None:
    """Refuse several devices without a parallel mode."""
    if parallel_mode == ParallelMode.STAND_ALONE and device_number != 1:
        raise ValueError(
            f"For 'Model', 'device_num' must be 1 in the parallel mode {parallel_mode!r}, but got {device_number}. "
            "Choose another mode with set_auto_parallel_context."
        )
