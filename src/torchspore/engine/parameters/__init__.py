"""What parameters accept, said once in their annotations: kinds of values, and `checked`, which reads them."""

from __future__ import annotations

from torchspore.engine.parameters.declarations import Rule, checked, kinds_of
from torchspore.engine.parameters.kinds import Kind, kind_of, take_as
from torchspore.engine.parameters.limits import (
    Among,
    AnyFloat,
    AnyNumber,
    AnyPath,
    Bools,
    Dimensions,
    Example,
    Floats,
    Fraction,
    IndexType,
    Indices,
    Ints,
    Length,
    Limits,
    Named,
    NotNegative,
    NotNegativeFloat,
    NotSupported,
    Only,
    Positive,
    PositiveFloat,
    Reals,
    Reduction,
    StrictFloat,
    StrictNotNegative,
    StrictPositive,
    TypeOf,
    Where,
    holding,
    one_of,
)

__all__ = [
    "Among", "AnyFloat", "AnyNumber", "AnyPath", "Bools", "Dimensions", "Example", "Floats", "Fraction", "IndexType",
    "Indices", "Ints", "Kind", "Length", "Limits", "Named", "NotNegative", "NotNegativeFloat", "NotSupported", "Only",
    "Positive", "PositiveFloat", "Reals", "Reduction", "Rule", "StrictFloat", "StrictNotNegative", "StrictPositive",
    "TypeOf", "Where", "checked", "holding", "kind_of", "kinds_of", "one_of", "take_as",
]  # fmt: skip
