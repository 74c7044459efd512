"""The precision of operations on Ascend cards: checked, and without effect."""

from __future__ import annotations

from torchspore.engine.checks import check_bool, check_choice, check_kind

__all__ = ["conv_allow_hf32", "matmul_allow_hf32", "op_precision_mode", "precision_mode"]

_MODES = (
    "force_fp16", "allow_fp32_to_fp16", "allow_mix_precision", "must_keep_origin_dtype", "force_fp32",
    "allow_fp32_to_bf16", "allow_mix_precision_fp16", "allow_mix_precision_bf16",
)  # fmt: skip


def precision_mode(mode: str) -> None:
    """Accept the data types in which operations compute, such as "force_fp32" or "allow_mix_precision"."""
    check_choice(mode, _MODES, "mode", "precision_mode")


def op_precision_mode(path: str) -> None:
    """Accept a file with the data types of single operations."""
    check_kind(path, str, "path", "op_precision_mode")


def matmul_allow_hf32(value: bool) -> None:
    """Accept whether matrix products may round float32 to HF32."""
    check_bool(value, "value", "matmul_allow_hf32")


def conv_allow_hf32(value: bool) -> None:
    """Accept whether convolutions may round float32 to HF32."""
    check_bool(value, "value", "conv_allow_hf32")
