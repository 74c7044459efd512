"""The precision of operations on Ascend cards: checked, and without effect."""

from __future__ import annotations

from typing import Literal, TypeAlias

from torchspore.engine.parameters import checked

__all__ = ["conv_allow_hf32", "matmul_allow_hf32", "op_precision_mode", "precision_mode"]

_Mode: TypeAlias = Literal[
    "force_fp16", "allow_fp32_to_fp16", "allow_mix_precision", "must_keep_origin_dtype", "force_fp32",
    "allow_fp32_to_bf16", "allow_mix_precision_fp16", "allow_mix_precision_bf16",
]  # fmt: skip


@checked
def precision_mode(mode: _Mode) -> None:
    """Accept the data types in which operations compute, such as "force_fp32" or "allow_mix_precision"."""


@checked
def op_precision_mode(path: str) -> None:
    """Accept a file with the data types of single operations."""


@checked
def matmul_allow_hf32(value: bool) -> None:
    """Accept whether matrix products may round float32 to HF32."""


@checked
def conv_allow_hf32(value: bool) -> None:
    """Accept whether convolutions may round float32 to HF32."""
