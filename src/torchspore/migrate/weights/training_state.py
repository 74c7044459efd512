"""What a checkpoint has besides the weights of a network: states of optimizers, counters, copies of the weights."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

__all__ = ["not_weights"]

_NUMBERS = frozenset({
    "global_step", "learning_rate", "momentum", "weight_decay", "beta1_power", "beta2_power", "epoch", "epoch_num",
    "step", "step_num", "cur_step", "loss_scale", "scale_sense", "current_iterator_step", "last_overflow_iterator_step",
})  # fmt: skip


_MOMENTS = frozenset({
    "moments", "moment", "moment1", "moment2", "momentum", "accum", "accumulation", "linear", "mean_square",
    "mean_gradient", "mean_grad", "vhat", "prev", "step_size", "exp_avg", "exp_avg_sq",
})  # fmt: skip


def not_weights(values: Mapping[str, Any]) -> dict[str, str]:
    """Return the names in a checkpoint that are not weights -> why.

    An optimizer saves its moments under the names of the weights, after a prefix: `moments.conv.weight`.
    """
    numbers = [name for name in values if name in _NUMBERS and math.prod(values[name].shape) == 1]
    result = dict.fromkeys(numbers, "a number of the training")
    prefixed = defaultdict(list)
    for name in values:
        prefix, dot, rest = name.partition(".")
        if dot:
            prefixed[prefix].append((name, rest))
    for prefix, names in prefixed.items():
        if _are_moments(prefix, names, values):
            result |= {name: f"'{prefix}' of '{rest}'" for name, rest in names}
    return result


def _are_moments(prefix: str, names: list[tuple[str, str]], values: Mapping[str, Any]) -> bool:
    """Return whether all names are names of weights after a prefix, and not just of another layer."""
    if any(rest not in values or tuple(values[rest].shape) != tuple(values[name].shape) for name, rest in names):
        return False
    return prefix in _MOMENTS or any("." in rest for _, rest in names)
