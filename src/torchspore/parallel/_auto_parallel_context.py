"""The settings of parallel training as one object, as packages import it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

from torchspore import parallel_context
from torchspore.engine.parameters import Positive, checked
from torchspore.parallel_context import (
    get_auto_parallel_context,
    reset_auto_parallel_context,
    set_auto_parallel_context,
)

__all__: list[str] = []

_SECOND_NAMES = {"strategy_search_mode": "auto_parallel_search_mode"}
_FUSION_DEFAULTS: dict[str, Any] = {
    "all_gather": False, "all_reduce": False, "reduce_scatter": False, "indices": [], "sizes": []
}  # fmt: skip
_fusion = dict(_FUSION_DEFAULTS)


class _AutoParallelContext:
    """All settings: each has a `get_<name>`, a `set_<name>`, and `get_<name>_is_set` says whether it was set.

    Settings of how messages are sent together are only stored.
    """

    def get_all_reduce_fusion_split_indices(self) -> list[int]:
        """Return at which gradients sums over processes are split into messages."""
        return list(_fusion["indices"])

    @checked
    def set_all_reduce_fusion_split_indices(self, indices: list[int], group: str = "") -> None:
        """Set at which gradients sums over processes are split into messages, of a group of processes."""
        set_auto_parallel_context(all_reduce_fusion_config=indices)
        if not group:
            _fusion["indices"] = list(indices)

    def get_all_reduce_fusion_split_sizes(self) -> list[int]:
        """Return the sizes of messages of gradients."""
        return list(_fusion["sizes"])

    @checked
    def set_all_reduce_fusion_split_sizes(self, sizes: list[Positive], group: str = "") -> None:
        """Set the sizes of messages of gradients, of a group of processes."""
        if not group:
            _fusion["sizes"] = list(sizes)

    def get_enable_all_reduce_fusion(self) -> bool:
        """Return whether sums over processes are sent together."""
        return bool(_fusion["all_reduce"])

    @checked
    def set_enable_all_reduce_fusion(self, enable_fusion: bool) -> None:
        """Set whether sums over processes are sent together."""
        _fusion["all_reduce"] = enable_fusion

    def get_enable_all_gather_fusion(self) -> bool:
        """Return whether parts of tensors are sent together."""
        return bool(_fusion["all_gather"])

    @checked
    def set_enable_all_gather_fusion(self, enable_fusion: bool) -> None:
        """Set whether parts of tensors are sent together."""
        _fusion["all_gather"] = enable_fusion

    def get_enable_reduce_scatter_fusion(self) -> bool:
        """Return whether parts of sums are sent together."""
        return bool(_fusion["reduce_scatter"])

    @checked
    def set_enable_reduce_scatter_fusion(self, enable_fusion: bool) -> None:
        """Set whether parts of sums are sent together."""
        _fusion["reduce_scatter"] = enable_fusion

    def __getattr__(self, name: str) -> Callable[..., Any]:
        kind, _, setting = name.partition("_")
        setting = _SECOND_NAMES.get(setting, setting)
        if kind == "get" and setting.endswith("_is_set"):
            return partial(parallel_context.is_set, setting.removesuffix("_is_set"))
        if kind == "get" and parallel_context.has_setting(setting):
            return partial(get_auto_parallel_context, setting)
        if kind == "set" and parallel_context.has_setting(setting):
            return lambda value: set_auto_parallel_context(**{setting: value})
        raise AttributeError(f"The settings of parallel training have no attribute {name!r}.")

    def reset(self) -> None:
        """Reset all settings."""
        _fusion.update(_FUSION_DEFAULTS)
        reset_auto_parallel_context()


@cache
def auto_parallel_context() -> _AutoParallelContext:
    """Return the settings."""
    return _AutoParallelContext()


_set_auto_parallel_context = set_auto_parallel_context
_get_auto_parallel_context = get_auto_parallel_context
_reset_auto_parallel_context = reset_auto_parallel_context
