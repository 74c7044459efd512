"""Transforms of arrays of any kind."""
# ruff: noqa: F403, F405

from __future__ import annotations

from torchspore.common.names.missing_names import suggest_names as _suggest_names
from torchspore.dataset.transforms.base import (
    EXECUTORS_LIST,  # noqa: F401 - programs clear it between tests
    PyTensorOperation,  # noqa: F401 - a base of transforms of programs
    TensorOperation,
    clean_unused_executors,  # noqa: F401
)
from torchspore.dataset.transforms.compound import *
from torchspore.dataset.transforms.compound import Compound as CompoundOperation  # noqa: F401 - for `isinstance`
from torchspore.dataset.transforms.operations import *
from torchspore.dataset.transforms.py_transforms_util import not_random
from torchspore.dataset.transforms.unsupported import *

__all__ = [
    "Compose", "Concatenate", "Duplicate", "Fill", "Mask", "OneHot", "PadEnd", "Plugin", "PyTransform",
    "RandomApply", "RandomChoice", "RandomOrder", "Relational", "Slice", "TensorOperation", "TypeCast", "Unique",
    "not_random",
]  # fmt: skip

_suggest_names(globals())
