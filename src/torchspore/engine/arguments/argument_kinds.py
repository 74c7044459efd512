"""Kinds of data types that operations are defined for, beyond what torch checks.

Torch computes the Bessel functions of bools. For such operations, `argument_kinds.json` has MindSpore's
rules: the kinds that a parameter takes (`b` bools, `i` integers, `f` floats, `c` complex numbers), and
which two parameters must have one data type. `op` adds the checks to the wrappers of these operations only.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import torch

from torchspore.common.dtype import FROM_TORCH
from torchspore.common.error_classes import WrongType
from torchspore.engine.failures.errors import describe

__all__ = ["NAMES", "check_lines"]

_WORDS = {"b": "bools", "i": "integers", "f": "floats", "c": "complex numbers"}


def _kind(dtype: torch.dtype) -> str:
    if dtype is torch.bool:
        return "b"
    return "c" if dtype.is_complex else "f" if dtype.is_floating_point else "i"


@functools.cache
def _rules() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = json.loads(Path(__file__).with_name("argument_kinds.json").read_text())
    return found


def check_lines(body: Callable[..., Any]) -> str:
    """Return the lines of an operation's wrapper that check its converted arguments, or nothing."""
    name = f"{body.__module__.removeprefix('torchspore.')}.{body.__name__}"
    lines = [
        f"\n            if getattr({p}_, 'dtype', None) in OTHERS[{kinds!r}]: refuse_kind({p}_, API, {p!r}, {kinds!r})"
        for p, kinds in _rules()["kinds"].get(name, {}).items()
    ]
    if pair := _rules()["alike"].get(name):
        a, b = pair
        lines.append(f"\n            require_alike({a}_, {b}_, API, {a!r}, {b!r})")
    return "".join(lines)


def _refuse_kind(value: Any, api: str, parameter: str, kinds: str) -> NoReturn:
    words = " or ".join([_WORDS[kind] for kind in kinds])
    raise WrongType(f"For '{api}', '{parameter}' must be a Tensor of {words}, but got {describe(value)}.")


def _require_alike(a: Any, b: Any, api: str, name: str, other: str) -> None:
    if isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor) and a.dtype is not b.dtype:
        raise WrongType(
            f"For '{api}', '{name}' and '{other}' must have one data type, but got {describe(a)} and {describe(b)}."
        )


_USED = {kinds for rule in _rules()["kinds"].values() for kinds in rule.values()}
# What the lines refer to.
NAMES = {
    "OTHERS": {kinds: frozenset(dtype for dtype in FROM_TORCH if _kind(dtype) not in kinds) for kinds in _USED},
    "refuse_kind": _refuse_kind,
    "require_alike": _require_alike,
}
