"""Transforms of arrays of every kind.

MindSpore: `mindspore.dataset.transforms`.
"""

from __future__ import annotations

from torchspore.common.missing_names import suggest_names as _suggest_names
from torchspore.dataset.transforms.base import (
    TensorOperation,
)
from torchspore.dataset.transforms.compound import (
    Compose,
    PyTransform,
    RandomApply,
    RandomChoice,
    RandomOrder,
)
from torchspore.dataset.transforms.operations import (
    Concatenate,
    Duplicate,
    Fill,
    Mask,
    OneHot,
    PadEnd,
    Relational,
    Slice,
    TypeCast,
    Unique,
)

__all__ = [
    "Compose",
    "Concatenate",
    "Duplicate",
    "Fill",
    "Mask",
    "OneHot",
    "PadEnd",
    "PyTransform",
    "RandomApply",
    "RandomChoice",
    "RandomOrder",
    "Relational",
    "Slice",
    "TensorOperation",
    "TypeCast",
    "Unique",
]

_suggest_names(globals())
