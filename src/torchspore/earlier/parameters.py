"""Parameters as earlier versions named and showed them, for programs that declare one of them."""

from __future__ import annotations

from typing import Any

from torchspore.common.parameter import Parameter
from torchspore.common.tensor import Tensor
from torchspore.earlier.forms import is_before

__all__ = ["show_parameters_of"]

# What the engine noted about parameter servers and graphs, for a parameter that has its value.
_NOTES = {
    "init_finished": True, "init_flag": False, "init_in_server": False, "is_param_ps": False,
    "pull_weight_from_server": False, "push_weight_to_server": False, "slice_num": 1, "virtual_flag": False,
    "_cast_type": None,
}  # fmt: skip


def show_parameters_of(version: str) -> None:
    """Give parameters the default name, `data` and attributes that they had in a version."""
    its_time: dict[str, Any] = {}
    if is_before(version, "2.4"):
        its_time |= {"default_name": "Parameter"}
    if is_before(version, "2.1"):
        its_time |= {"data": property(lambda parameter: parameter, Tensor._take_over)}  # `data` was another name for it
        its_time |= _NOTES
    for name, value in its_time.items():
        setattr(Parameter, name, value)
