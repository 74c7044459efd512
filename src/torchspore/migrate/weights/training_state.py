"""What a checkpoint has beside the weights of a network: states of optimizers, counters, copies of the weights."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

__all__ = ["not_weights"]

_NUMBERS = frozenset({
    "global_step", "learning_rate", "momentum", "weight_decay", "beta1_power", "beta2_power", "epoch", "epoch_num",
    "step", "step_num", "cur_step", "loss_scale", "scale_sense", "current_iterator_step", "last_overflow_iterator_step",
})  # fmt: skip


def not_weights(values: Mapping[str, Any]) -> dict[str, str]:
    """Return the names in a checkpoint that are not weights -> why.

    An optimizer saves its moments under the names of the weights, after a prefix: `moments.conv.weight`.
    """
    result = {
        name: "a number of the training" for name, value in values.items() if name in _NUMBERS and not value.shape
    }
    prefixed = defaultdict(list)
    for name in values:
        prefix, dot, rest = name.partition(".")
        if dot:
            prefixed[prefix].append((name, rest))
    for prefix, names in prefixed.items():
        if all(rest in values for _, rest in names):
            result |= {name: f"'{prefix}' of '{rest}'" for name, rest in names}
    return result
