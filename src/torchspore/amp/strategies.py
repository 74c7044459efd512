"""Mixed precision by operation, as declared to MindSpore's own runtime."""

from __future__ import annotations

import enum
from typing import Any, NoReturn

__all__: list[str] = []


class AmpLevel(enum.Enum):
    """The names of the levels, which packages use in signatures."""

    AmpO0 = 0
    AmpO1 = 1
    AmpO2 = 2
    AmpO3 = 3
    AmpAuto = 4


def create_amp_strategy(*args: Any) -> NoReturn:
    """Raise NotImplementedError: networks do not use strategies."""
    raise NotImplementedError(
        "For 'create_amp_strategy', it serves MindSpore's own runtime. Use `amp.auto_mixed_precision`, or "
        "`amp.custom_mixed_precision` with a list."
    )


push_amp_strategy = pop_amp_strategy = create_amp_strategy
