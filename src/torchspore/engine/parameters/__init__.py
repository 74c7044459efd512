"""What parameters accept, said once in their annotations: kinds of values, and `checked`, which reads them."""

from __future__ import annotations

from torchspore.engine.parameters.checked import Rule, checked
from torchspore.engine.parameters.limits import (
    AnyFloat,
    Fraction,
    Length,
    Limits,
    NotNegative,
    Positive,
    PositiveFloat,
    StrictFloat,
)

__all__ = [
    "AnyFloat", "Fraction", "Length", "Limits", "NotNegative", "Positive", "PositiveFloat", "Rule", "StrictFloat",
    "checked",
]  # fmt: skip
