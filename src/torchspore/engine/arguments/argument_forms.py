"""What arguments may be given as beyond their documented types: a bool as a number, any value as a flag.

MindSpore's checks of single arguments differ. `argument_forms.json` has what they take, by API and parameter, in words:

    bool    a number may be a bool: True counts as 1
    tensor  a number or a flag may be a Tensor of one element
    numpy   a number or a flag may be NumPy's, or an array of one element; a tensor may be a number of NumPy, and the
            operand of an operator an array
    whole   an int may be a float without a fraction
    real    an int may be any float
    number  a tensor may be a number of Python
    list    the operand of an operator may be a list or tuple of numbers
    any     a flag may be any value, of which only the truth is read
    none    a flag may be None
    false   a flag is checked only when it is set: any value that counts as False is accepted
    case    the name of a choice may be in any case: "MEAN" is "mean"

What is not in the table is checked strictly, there, too. The table is read when an argument is not of the documented
type, so that usual calls pay nothing for it.
"""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

import numpy as np

from torchspore.common.tensor import Tensor

__all__ = ["as_flag", "as_number", "number_in", "takes"]


@functools.cache
def _table() -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = json.loads(Path(__file__).with_suffix(".json").read_text())
    return found


def _forms(name: str, api: str) -> list[str]:
    if name.endswith("]"):  # for elements such as `shear[0]` the name `shear[]` is noted
        name = f"{name.partition('[')[0]}[]"
    return _table().get(api.removeprefix("Tensor."), {}).get(name, "").split()


def takes(form: str, name: str, api: str) -> bool:
    """Return whether an argument of an API may be given in a form."""
    return form in _forms(name, api)


def as_flag(value: Any, name: str, api: str) -> bool | None:
    """Return the bool that a value stands for as a flag of an API; None if it is not accepted."""
    forms = _forms(name, api)
    if "any" in forms or (value is None and "none" in forms) or ("false" in forms and _is_false(value)):
        return bool(value)
    element = _element(value, forms)
    return None if element is None else bool(element)


def as_number(value: Any, name: str, api: str) -> Any:
    """Return the number that a value stands for as a number of an API; None if it is not accepted."""
    forms = _forms(name, api)
    if isinstance(value, bool):
        return int(value) if "bool" in forms else None
    number = value if isinstance(value, float) else _element(value, forms)
    if not isinstance(number, float) or number is not value or "real" in forms:
        return number
    return int(number) if "whole" in forms and number.is_integer() else None


def number_in(value: Any) -> Any:
    """Return the number in a Tensor or an array of one element, or of NumPy; other values unchanged."""
    if isinstance(value, (Tensor, np.ndarray, np.number)) and value.size == 1:
        return value.item()
    return value


def _element(value: Any, forms: list[str]) -> Any:
    """Return the element of a Tensor or of what NumPy made, if an argument may be one; otherwise None."""
    is_taken = isinstance(value, Tensor) and "tensor" in forms
    if is_taken or (isinstance(value, (np.generic, np.ndarray)) and "numpy" in forms):
        return value.item() if value.size == 1 else None
    return None


def _is_false(value: Any) -> bool:
    return value is None or (isinstance(value, (int, float, str, tuple, list)) and not value)
