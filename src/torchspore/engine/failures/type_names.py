"""Torch's names of data types in the texts of its errors, replaced by those that programs use here."""

from __future__ import annotations

import re

from torchspore.common.dtype import FROM_TORCH
from torchspore.common.private_torch.error_texts import ANOTHER_DTYPE, says

__all__ = ["named_as_here", "without_torch"]

_OF_TORCH = {
    "BFloat16": "BFloat16", "Bool": "Bool", "Byte": "UInt8", "Char": "Int8", "ComplexDouble": "Complex128",
    "ComplexFloat": "Complex64", "Double": "Float64", "Float": "Float32", "Half": "Float16", "Int": "Int32",
    "Long": "Int64", "Short": "Int16",
}  # fmt: skip
_OF_PYTHON = {
    **{str(torch_type): str(our_type) for torch_type, our_type in FROM_TORCH.items()},  # by "torch.float16"
    **{f"torch.{name}Tensor": f"a Tensor of {our_type}" for name, our_type in _OF_TORCH.items()},
    **{f"{device}{name}Type": f"a Tensor of {ours}" for device in ("CPU", "CUDA") for name, ours in _OF_TORCH.items()},
}
_OF_CPP = {
    "bool": "Bool", "double": "Float64", "float": "Float32", "int": "Int32", "long int": "Int64",
    "short int": "Int16", "signed char": "Int8", "unsigned char": "UInt8",
}  # fmt: skip
_CPP = "|".join(_OF_CPP)
_NAME = re.compile(
    rf"\b(?:c10::)?({'|'.join(_OF_TORCH)})\b"  # scalar type Half, c10::Half
    rf"|\b({_CPP})(?= != )|(?<= != )({_CPP})\b|(?<=dtype )({_CPP})\b"  # float != c10::Half
    r"|\b(torch\.\w+|(?:CPU|CUDA)\w+Type)\b"
)
_DTYPE = re.compile(r"\btorch\.\w+")


def named_as_here(text: str) -> str:
    """Return the text of an error with MindSpore's names of data types, and how to cast where two of them differ.

    Examples:
        >>> from torchspore.engine.failures.type_names import named_as_here
        >>> named_as_here("expected scalar type Half but found Float")
        'expected scalar type Float16 but found Float32: cast one, for example with x.astype(ms.float32)'
    """
    found = set()

    def here(match: re.Match[str]) -> str:
        word = match[match.lastindex or 0]
        name = _OF_TORCH.get(word) or _OF_CPP.get(word) or _OF_PYTHON.get(word)
        if name is None:
            return word
        found.add(name)
        return name

    named = _NAME.sub(here, text)
    if len(found) == 2 and says(text, ANOTHER_DTYPE):
        named += ": cast one, for example with x.astype(ms.float32)"
    return named


def without_torch(text: str) -> str:
    """Return a text of ours with MindSpore's names of data types.

    Examples:
        >>> from torchspore.engine.failures.type_names import without_torch
        >>> without_torch("both must be of one dtype, but got torch.float16")
        'both must be of one dtype, but got Float16'
    """
    return _DTYPE.sub(lambda match: _OF_PYTHON.get(match[0], match[0]), text) if "torch." in text else text
