"""Settings of the search for a way to split networks: kept, as nothing is split here."""

from __future__ import annotations

__all__: list[str] = []

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
