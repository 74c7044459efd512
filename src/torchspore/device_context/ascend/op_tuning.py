"""How operations run on Ascend cards: checked, and without effect."""

from __future__ import annotations

from torchspore.engine.checks import check_bool, check_choice, check_int

__all__ = ["aclnn_cache", "aoe_job_type", "aoe_tune_mode", "op_compile"]


def op_compile(value: bool) -> None:
    """Accept whether operations are compiled at their first call."""
    check_bool(value, "value", "op_compile")


def aoe_tune_mode(tune_mode: str) -> None:
    """Accept when operations are tuned: "online" or "offline"."""
    check_choice(tune_mode, ("online", "offline"), "tune_mode", "aoe_tune_mode")


def aoe_job_type(config: str) -> None:
    """Accept what is tuned: "1" for graphs, "2" for operations."""
    check_choice(config, ("1", "2"), "config", "aoe_job_type")


def aclnn_cache(enable_global_cache: bool = False, cache_queue_length: int = 10000) -> None:
    """Accept whether all threads share one cache of calls, and the number of calls in it."""
    check_bool(enable_global_cache, "enable_global_cache", "aclnn_cache")
    check_int(cache_queue_length, "cache_queue_length", "aclnn_cache", minimum=0)
