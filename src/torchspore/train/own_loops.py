"""What packages that have a training loop of their own import from MindSpore's: private names of `mindspore.train`."""

from __future__ import annotations

import os
from typing import Any

from torchspore.common.tensor import Tensor
from torchspore.engine.errors import describe
from torchspore.train.callback.callback import Callback

__all__: list[str] = []


class _StepSync(Callback):
    """A callback that waits after each step: operations are complete when their values are read."""


def _transfer_tensor_to_tuple(inputs: Any) -> Any:
    """Return a tuple of a single tensor; everything else as it is."""
    return (inputs,) if isinstance(inputs, Tensor) else inputs


def _make_directory(path: str, arg_name: str = "path") -> str:
    """Make a directory with its parents unless it exists, and return its real path."""
    if not isinstance(path, str):
        raise TypeError(f"For '_make_directory', '{arg_name}' must be a str, but got {describe(path)}.")
    if not path.strip():
        raise ValueError(f"For '_make_directory', '{arg_name}' must not be blank, but got {path!r}.")
    real = os.path.realpath(path)
    os.makedirs(real, exist_ok=True)
    return real
