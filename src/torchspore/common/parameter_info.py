"""What MindSpore's engine notes about a parameter, which some optimizers read, copy and set."""

from __future__ import annotations

from typing import Any

__all__ = ["InfoOf", "ParamInfo"]

_COPIED = ("name", "requires_grad", "layerwise_parallel", "parallel_optimizer", "comm_fusion", "cache_enable")


class ParamInfo:
    """Properties of a parameter."""

    def __init__(self) -> None:
        self.name = ""
        self.requires_grad = self.parallel_optimizer = True
        self.layerwise_parallel = self.cache_enable = self.is_param_init = self.is_pipeline_shared_param = False
        self.comm_fusion = 1
        self.parameter_shape: list[int] = []
        self.storage_format = ""

    def clone(self) -> ParamInfo:
        """Return a copy."""
        copy = ParamInfo()
        for name in vars(copy):
            setattr(copy, name, getattr(self, name, getattr(copy, name)))
        return copy

    def copy_to(self, parameter: Any) -> None:
        """Set a parameter's properties to these."""
        for name in _COPIED:
            setattr(parameter, name, getattr(self, name))


class InfoOf(ParamInfo):
    """The properties of an existing parameter: its attributes, read and set through another object."""

    def __init__(self, parameter: Any) -> None:
        vars(self)["_parameter"] = parameter

    def __getattr__(self, name: str) -> Any:
        return getattr(vars(self)["_parameter"], name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._parameter, name, value)
