"""How operations run on Ascend cards: checked, and without effect."""

from __future__ import annotations

from typing import Literal

from torchspore.engine.parameters import NotNegative, checked

__all__ = ["aclnn_cache", "aoe_job_type", "aoe_tune_mode", "op_compile"]


@checked
def op_compile(value: bool) -> None:
    """Accept whether operations are compiled at their first call."""


@checked
def aoe_tune_mode(tune_mode: Literal["online", "offline"]) -> None:
    """Accept when operations are tuned: "online" or "offline"."""


@checked
def aoe_job_type(config: Literal["1", "2"]) -> None:
    """Accept what is tuned: "1" for graphs, "2" for operations."""


@checked
def aclnn_cache(enable_global_cache: bool = False, cache_queue_length: NotNegative = 10000) -> None:
    """Accept whether all threads share one cache of calls, and the number of calls in it."""
