"""What parameters accept, said once in their annotations: kinds of values, and `checked`, which reads them."""

from __future__ import annotations

from torchspore.engine.parameters.declarations import Rule, checked, kinds_of
from torchspore.engine.parameters.kinds import Kind, kind_of
from torchspore.engine.parameters.limits import (
    AnyFloat,
    AnyNumber,
    AnyPath,
    Bools,
    Dimensions,
    Example,
    Fraction,
    Ints,
    Length,
    Limits,
    Named,
    NotNegative,
    NotNegativeFloat,
    Positive,
    PositiveFloat,
    StrictFloat,
    StrictNotNegative,
    StrictPositive,
    Where,
    one_of,
)

__all__ = [
    "AnyFloat", "AnyNumber", "AnyPath", "Bools", "Dimensions", "Example", "Fraction", "Ints", "Kind", "Length",
    "Limits", "Named", "NotNegative", "NotNegativeFloat", "Positive", "PositiveFloat", "Rule", "StrictFloat",
    "StrictNotNegative", "StrictPositive", "Where", "checked", "kind_of", "kinds_of", "one_of",
]  # fmt: skip
