"""Transforms of arrays of any kind."""
# ruff: noqa: F403, F405

from __future__ import annotations

from torchspore.common.missing_names import suggest_names as _suggest_names
from torchspore.dataset.transforms.base import TensorOperation
from torchspore.dataset.transforms.compound import *
from torchspore.dataset.transforms.operations import *

PyTensorOperation = TensorOperation  # MindSpore's base of the transforms that Python code computes

__all__ = [
    "Compose", "Concatenate", "Duplicate", "Fill", "Mask", "OneHot", "PadEnd", "PyTransform", "RandomApply",
    "RandomChoice", "RandomOrder", "Relational", "Slice", "TensorOperation", "TypeCast", "Unique",
]  # fmt: skip

_suggest_names(globals())
