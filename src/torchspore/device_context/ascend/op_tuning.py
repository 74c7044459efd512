"""How operations run on Ascend cards: checked, and without effect."""

from __future__ import annotations

from torchspore.engine.checks import check_bool, check_choice, check_int

__all__ = ["aclnn_cache", "aoe_job_type", "aoe_tune_mode", "op_compile"]


def op_compile(value: bool) -> None:
    """Accept whether operations for an Ascend card are compiled at their first call.

    Args:
        value: whether they are.

    Examples:
        >>> import torchspore as ms
        >>> ms.device_context.ascend.op_tuning.op_compile(True)
    """
    check_bool(value, "value", "op_compile")


def aoe_tune_mode(tune_mode: str) -> None:
    """Accept when operations for an Ascend card are tuned.

    Args:
        tune_mode: "online" or "offline".

    Examples:
        >>> import torchspore as ms
        >>> ms.device_context.ascend.op_tuning.aoe_tune_mode("online")
    """
    check_choice(tune_mode, ("online", "offline"), "tune_mode", "aoe_tune_mode")


def aoe_job_type(config: str) -> None:
    """Accept what is tuned for an Ascend card.

    Args:
        config: "1" for graphs, "2" for operations.

    Examples:
        >>> import torchspore as ms
        >>> ms.device_context.ascend.op_tuning.aoe_job_type("2")
    """
    check_choice(config, ("1", "2"), "config", "aoe_job_type")


def aclnn_cache(enable_global_cache: bool = False, cache_queue_length: int = 10000) -> None:
    """Accept how calls of operations on an Ascend card are cached.

    Args:
        enable_global_cache: whether all threads share one cache. Default: False.
        cache_queue_length: the number of cached calls, >= 0. Default: 10000.

    Examples:
        >>> import torchspore as ms
        >>> ms.device_context.ascend.op_tuning.aclnn_cache(True, 100)
    """
    check_bool(enable_global_cache, "enable_global_cache", "aclnn_cache")
    check_int(cache_queue_length, "cache_queue_length", "aclnn_cache", minimum=0)
