"""Groups of parameters, and new optimizers with the settings of given ones."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

from torchspore.boost.less_batch_normalization import CommonHeadLastFN
from torchspore.common.parameter import Parameter
from torchspore.engine.failures.errors import describe
from torchspore.nn.cell import Cell
from torchspore.nn.layer.conv import Conv2d
from torchspore.nn.optim import LARS, Optimizer

__all__ = ["OptimizerProcess", "ParameterProcess"]


class OptimizerProcess:
    """Create an optimizer with the settings of another, with gradient centralization.

    Args:
        opt: an optimizer of `torchspore.nn`, or one whose constructor is decorated with `opt_init_args_register`.

    Examples:
        >>> import torchspore as ms
        >>> net = ms.nn.Dense(16, 2)
        >>> groups = [{"params": net.trainable_params(), "weight_decay": 0.1}]
        >>> process = ms.boost.OptimizerProcess(ms.nn.Momentum(groups, 0.1, 0.9))
        >>> process.add_grad_centralization(net)
        >>> process.generate_new_optimizer().grad_centralization_flags
        (True, False)
    """

    def __init__(self, opt: Optimizer) -> None:
        self.is_lars = isinstance(opt, LARS)
        inner: Any = opt.opt if isinstance(opt, LARS) else opt
        if not isinstance(inner, Optimizer) or not hasattr(inner, "init_args"):
            raise TypeError(
                "For 'OptimizerProcess', 'opt' must be an optimizer of torchspore.nn, or one whose constructor "
                f"'opt_init_args_register' decorates, but got {describe(opt)}."
            )
        self.single_opt = inner
        self.opt_class: Any = type(inner)
        self.opt_init_args = inner.init_args
        self.lars_init_args = opt.init_args if isinstance(opt, LARS) else {}
        self.learning_rate = inner.init_learning_rate
        self.origin_params = inner.init_params["params"]

    @staticmethod
    def build_params_dict(network: Cell) -> dict[int, Cell]:
        """Return the cells that hold the parameters of a network, by the parameters' `id`."""
        return {id(p): cell for _, cell in network.cells_and_names() for p in cell.get_parameters(expand=False)}

    @staticmethod
    def build_gc_params_group(
        params_dict: dict[int, Cell], parameters: Iterable[dict[str, Any]]
    ) -> list[dict[str, Any]]:
        """Return groups of parameters, with separate groups for those whose gradients are to be centralized.

        These are all except parameters with "beta", "gamma" or "bias" in their names, of grouped convolutions and of
        normalised heads.

        Args:
            params_dict: the result of `build_params_dict`.
            parameters: the groups, as optimizers take them.
        """
        groups = []
        for group in parameters:
            if "order_params" in group:
                groups.append(group)
                continue
            centralized = [p for p in group["params"] if _is_centralized(p, params_dict[id(p)])]
            others = [p for p in group["params"] if not _is_centralized(p, params_dict[id(p)])]
            if centralized:
                groups.append({**group, "params": centralized, "grad_centralization": True})
            if others:
                groups.append({**group, "params": others})
        return groups

    def add_grad_centralization(self, network: Cell) -> None:
        """Let the new optimizer of the network's parameters centralize gradients; as in MindSpore, only in groups.

        Raises:
            ValueError: the optimizer has no parameters.
        """
        parameters = _as_list(self.origin_params)
        if isinstance(parameters[0], Parameter):
            warnings.warn(
                "For 'add_grad_centralization', the optimizer must have groups of parameters, so nothing is changed. "
                "Give it [{'params': net.trainable_params()}].",
                UserWarning,
                stacklevel=2,
            )
            return
        self.origin_params = self.build_gc_params_group(self.build_params_dict(network), parameters)

    def generate_new_optimizer(self) -> Optimizer:
        """Return an optimizer with the settings of the old one."""
        return self._create(self.origin_params, self.learning_rate)

    def _create(self, params: Any, learning_rate: Any) -> Optimizer:
        inner = self.opt_class(params=params, learning_rate=learning_rate, **self.opt_init_args)
        return LARS(inner, **self.lars_init_args) if self.is_lars else inner


class ParameterProcess:
    """Arrange parameters in groups.

    Examples:
        >>> import torchspore as ms
        >>> net = ms.nn.Dense(2, 3)
        >>> groups = ms.boost.ParameterProcess.generate_group_params(net.trainable_params()[:1], net.trainable_params())
        >>> [parameter.name for parameter in groups[0]["params"]]
        ['weight']
    """

    def __init__(self) -> None:
        self._parameter_indices = 1

    @staticmethod
    def generate_group_params(parameters: list[Parameter], origin_params: Any) -> list[dict[str, Any]]:
        """Return groups of parameters with the settings that an optimizer has for the parameters of the same names.

        Args:
            parameters: the parameters.
            origin_params: the argument of the optimizer: Parameters, or groups of them.

        Returns:
            A list of groups. Parameters that are in no group of `origin_params` form one with the settings of the group
            that has the most settings.

        Raises:
            ValueError: `origin_params` is empty.
            TypeError: its elements are neither Parameters nor groups.
        """
        origin = _as_list(origin_params)
        if isinstance(origin[0], Parameter):
            return [{"params": parameters}]
        rest = {parameter.name: parameter for parameter in parameters}
        groups: list[dict[str, Any]] = []
        for group in origin:
            if "order_params" in group:
                groups.append({**group, "order_params": parameters})
                continue
            found = [rest.pop(p.name) for p in group["params"] if p.name in rest]
            if found:
                groups.append({**group, "params": found})
        if rest:
            settings = max((group for group in origin if "order_params" not in group), key=len)
            groups.append({**settings, "params": list(rest.values())})
        return groups

    def assign_parameter_group(self, parameters: list[Parameter], split_point: list[int] | None = None) -> Any:
        """Set the attribute `comm_fusion` of parameters, the index of their communication group, and return them.

        Args:
            parameters: the parameters.
            split_point: the positions where a new group starts. Default: None, in the middle.
        """
        if not isinstance(parameters, (list, tuple)) or not parameters:
            return parameters
        starts = split_point or [len(parameters) // 2]
        for position, parameter in enumerate(parameters):
            self._parameter_indices += position in starts
            parameter.comm_fusion = self._parameter_indices
        return parameters


def _is_centralized(parameter: Parameter, cell: Cell) -> bool:
    if any(part in parameter.name for part in ("beta", "gamma", "bias")):
        return False
    return not (isinstance(cell, CommonHeadLastFN) or (isinstance(cell, Conv2d) and cell.group > 1))


def _as_list(parameters: Any) -> list[Any]:
    found = list(parameters or ())
    if not found:
        raise ValueError("For 'boost', the optimizer must have parameters, but has none.")
    if not isinstance(found[0], (dict, Parameter)):
        raise TypeError(f"For 'boost', parameters must be Parameters or groups of them, but got {describe(found[0])}.")
    return found
