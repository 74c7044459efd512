"""Settings of training in several processes, with the functions by which MindSpore's packages read them."""

from __future__ import annotations

from typing import Any

from torchspore.ops.distributed import process_groups
from torchspore.parallel_context import ParallelMode, get_auto_parallel_context, reset_auto_parallel_context

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


def _get_pipeline_stages() -> int:
    """Return the setting `pipeline_stages`."""
    return int(get_auto_parallel_context("pipeline_stages"))


def _get_full_batch() -> bool:
    """Return the setting `full_batch`."""
    return bool(get_auto_parallel_context("full_batch"))


def _get_stage_device_num() -> int:
    """Return the number of processes of each stage of a pipeline."""
    return _get_device_num() // _get_pipeline_stages()


def _get_grad_accumulation_shard() -> bool:
    """Return False: gradients are not split over processes."""
    return False


def _is_initialized() -> bool:
    """Return whether the processes are connected."""
    return process_groups.is_initialized()


def _is_in_auto_parallel_mode() -> bool:
    """Return False: nothing splits a network over devices."""
    return False


def _is_in_hybrid_parallel_mode() -> bool:
    """Return whether the program itself divides the work among processes."""
    return _get_parallel_mode() == ParallelMode.HYBRID_PARALLEL


def _is_parallel_mode() -> bool:
    """Return whether several processes train together."""
    return _get_parallel_mode() != ParallelMode.STAND_ALONE


def _need_to_full() -> bool:
    """Return False: each process has whole tensors."""
    return False


def _check_full_batch() -> None:
    """Check nothing: each process reads its own rows."""


def _parallel_predict_check() -> None:
    """Check nothing: networks are not split for predictions."""


def _device_number_check(parallel_mode: str, device_number: int) -> None:
    """Check that there is one device without parallel training.

    Raises:
        ValueError: there are more.
    """
    if parallel_mode == "stand_alone" and device_number != 1:
        raise ValueError(f"Without parallel training 'device_num' must be 1, but got {device_number}.")


def _parameter_broadcast_check(parallel_mode: str, parameter_broadcast: bool) -> None:
    """Check that there is no broadcast without parallel training.

    Raises:
        ValueError: there is one.
    """
    if parameter_broadcast and parallel_mode == "stand_alone":
        raise ValueError("Without parallel training 'parameter_broadcast' must be False, but got True.")


def _reset_auto_parallel_context() -> None:
    """Reset the settings."""
    reset_auto_parallel_context()


def _reset_op_id() -> None:
    """Reset nothing: operations have no numbers."""


def _to_full_shapes(shapes: list[Any], device_num: int) -> list[Any]:
    """Return the shapes of all processes' rows together."""
    return [[shape[0] * device_num, *shape[1:]] if len(shape) else shape for shape in shapes]
