"""Settings of the search for a way to split networks: checked and kept, as nothing is searched here."""

from __future__ import annotations

from functools import cache, partial
from typing import Annotated, Any, Literal

from torchspore.common.error_classes import also
from torchspore.engine.parameters import Kind, StrictFloat, Where, checked, kind_of
from torchspore.engine.parameters.kinds import Table

__all__: list[str] = []

_FUSION = "costmodel_allreduce_fusion_"
_DEFAULTS: dict[str, Any] = {
    "device_memory_capacity": 16.0 * 2**30, "costmodel_alpha": 1.0, "costmodel_beta": 400.0, "costmodel_gamma": 0.001,
    "costmodel_communi_threshold": 2048.0, "costmodel_communi_const": 3072.0, "costmodel_communi_bias": 1024.0,
    "run_phase": 0, f"{_FUSION}algorithm": 0, f"{_FUSION}times": 0, f"{_FUSION}tail_percent": 0.1,
    f"{_FUSION}tail_time": 0.1, f"{_FUSION}allreduce_inherent_time": 0.1, f"{_FUSION}allreduce_bandwidth": 0.1,
    f"{_FUSION}computation_time_parameter": 0.1,
}  # fmt: skip
_cost_model = dict(_DEFAULTS)
_OUT_OF_RANGE = also(ValueError, RuntimeError)
_Cost = Annotated[StrictFloat, Where(">= 0", lambda cost: cost >= 0, _OUT_OF_RANGE)]
_PositiveCost = Annotated[StrictFloat, Where("> 0", lambda cost: cost > 0, _OUT_OF_RANGE)]
_Name = Annotated[str, Where(f"one of {list(_DEFAULTS)}", _DEFAULTS.__contains__)]
_SPECIAL: dict[str, Any] = {
    **dict.fromkeys(("device_memory_capacity", "costmodel_alpha", "costmodel_beta"), _PositiveCost),
    "costmodel_gamma": Annotated[StrictFloat, Where("in [0, 1]", lambda cost: 0 <= cost <= 1, _OUT_OF_RANGE)],
    "run_phase": Literal[0, 1],
}


def _kind(name: str) -> Kind:
    usual = int if type(_DEFAULTS[name]) is int else StrictFloat if name.startswith(_FUSION) else _Cost
    return kind_of(_SPECIAL.get(name, usual))


_SETTINGS = Table({name: _kind(name) for name in _DEFAULTS})


def set_cost_model_context(**kwargs: Any) -> None:
    """Set numbers by which MindSpore's search estimates the time of strategies.

    Args:
        kwargs: the numbers by their names: `device_memory_capacity`, `run_phase`, 0 for training or 1 for inference,
            and those that begin with "costmodel_". They are floats, except for the `run_phase` and the `algorithm` and
            `times` of fusions, which are ints.

    Raises TypeError or ValueError for an unknown name, or a number of another type or range.
    """
    _cost_model.update(_SETTINGS.take(kwargs, "", "set_cost_model_context"))


@checked
def get_cost_model_context(attr_key: _Name) -> Any:
    """Return a number that `set_cost_model_context` sets."""
    return _cost_model[attr_key]


def reset_cost_model_context() -> None:
    """Reset the numbers of `set_cost_model_context` to their initial values."""
    _cost_model.update(_DEFAULTS)


class _CostModelContext:
    """All numbers as one object: each has a `get_<name>` and a `set_<name>`."""

    def __getattr__(self, name: str) -> Any:
        kind, _, setting = name.partition("_")
        if setting in _DEFAULTS and kind == "get":
            return partial(get_cost_model_context, setting)
        if setting in _DEFAULTS and kind == "set":
            return lambda value: set_cost_model_context(**{setting: value})
        raise AttributeError(f"The numbers of the search for strategies have no attribute {name!r}.")


@cache
def cost_model_context() -> _CostModelContext:
    """Return the numbers as one object."""
    return _CostModelContext()


_settings = {"rp_matmul_mem_coef": 0.1, "algo_single_loop": False, "multi_subgraphs": False}


def _set_rp_matmul_mem_coef(coef: float) -> None:
    """Set the weight of the memory of matrix products."""
    _settings["rp_matmul_mem_coef"] = coef


def _get_rp_matmul_mem_coef() -> float:
    """Return the weight of the memory of matrix products."""
    return _settings["rp_matmul_mem_coef"]


def _set_algo_single_loop(single_loop: bool = True) -> None:
    """Set whether loops are searched as one."""
    _settings["algo_single_loop"] = single_loop


def _get_algo_single_loop() -> bool:
    """Return whether loops are searched as one."""
    return bool(_settings["algo_single_loop"])


def _set_multi_subgraphs(multi_subgraph: bool = True) -> None:
    """Set whether there are several graphs."""
    _settings["multi_subgraphs"] = multi_subgraph


def _get_multi_subgraphs() -> bool:
    """Return whether there are several graphs."""
    return bool(_settings["multi_subgraphs"])
