"""The precision of operations on Ascend cards: checked, and without effect."""

from __future__ import annotations

from torchspore.engine.checks import check_bool, check_choice, check_kind

__all__ = ["conv_allow_hf32", "matmul_allow_hf32", "op_precision_mode", "precision_mode"]

_MODES = (
    "force_fp16", "allow_fp32_to_fp16", "allow_mix_precision", "must_keep_origin_dtype", "force_fp32",
    "allow_fp32_to_bf16", "allow_mix_precision_fp16", "allow_mix_precision_bf16",
)  # fmt: skip


def precision_mode(mode: str) -> None:
    """Accept the data types in which operations on an Ascend card compute.

    Args:
        mode: "force_fp16", "allow_fp32_to_fp16", "allow_mix_precision", "must_keep_origin_dtype", "force_fp32",
            "allow_fp32_to_bf16", "allow_mix_precision_fp16" or "allow_mix_precision_bf16".

    Examples:
        >>> import torchspore as ms
        >>> ms.device_context.ascend.op_precision.precision_mode("must_keep_origin_dtype")
    """
    check_choice(mode, _MODES, "mode", "precision_mode")


def op_precision_mode(path: str) -> None:
    """Accept a file with the data types of single operations on an Ascend card.

    Args:
        path: the file.

    Examples:
        >>> import torchspore as ms
        >>> ms.device_context.ascend.op_precision.op_precision_mode("modes.ini")
    """
    check_kind(path, str, "path", "op_precision_mode")


def matmul_allow_hf32(value: bool) -> None:
    """Accept whether matrix products on an Ascend card may round float32 to HF32.

    Args:
        value: whether they may.

    Examples:
        >>> import torchspore as ms
        >>> ms.device_context.ascend.op_precision.matmul_allow_hf32(False)
    """
    check_bool(value, "value", "matmul_allow_hf32")


def conv_allow_hf32(value: bool) -> None:
    """Accept whether convolutions on an Ascend card may round float32 to HF32.

    Args:
        value: whether they may.

    Examples:
        >>> import torchspore as ms
        >>> ms.device_context.ascend.op_precision.conv_allow_hf32(True)
    """
    check_bool(value, "value", "conv_allow_hf32")
