"""Descriptions of the inputs of primitives for MindSpore's compiler: operations here convert their own inputs.

MindSpore: `mindspore.ops.signature`.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any, NamedTuple

from torchspore.engine.parameters import take_as

__all__: list[str] = []  # what programs import, they import by path

sig_rw = IntEnum("sig_rw", "RW_READ RW_WRITE RW_REF RW_EMPTY_DEFAULT_VALUE", start=0)
sig_kind = IntEnum(
    "sig_kind",
    "KIND_POSITIONAL_KEYWORD KIND_VAR_POSITIONAL KIND_KEYWORD_ONLY KIND_VAR_KEYWARD KIND_EMPTY_DEFAULT_VALUE",
    start=0,
)
sig_dtype = IntEnum("sig_dtype", "T T1 T2 T3 T4 T5 T6 T7 T8 T9 T_EMPTY_DEFAULT_VALUE", start=0)


class Signature(NamedTuple):
    """What a primitive does with an input: its name, whether it is written, how it is passed, its default and type."""

    name: str
    rw: sig_rw
    kind: sig_kind
    default_value: Any
    dtype: sig_dtype


def make_sig(
    name: str = "var",
    rw: sig_rw = sig_rw.RW_READ,
    kind: sig_kind = sig_kind.KIND_POSITIONAL_KEYWORD,
    default_value: Any = sig_kind.KIND_EMPTY_DEFAULT_VALUE,
    dtype: sig_dtype = sig_dtype.T_EMPTY_DEFAULT_VALUE,
) -> Signature:
    """Return the description of an input."""
    take_as(str, name, "name", "make_sig")
    for given, kind_of in (("rw", sig_rw), ("kind", sig_kind), ("dtype", sig_dtype)):
        take_as(kind_of, locals()[given], given, "make_sig")
    return Signature(name, rw, kind, default_value, dtype)
