"""The base of the optimizers of `mint.optim`: groups of parameters, each with options of its own, as in PyTorch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import torch

from torchspore.common import dtype as mstype
from torchspore.common.parameter import Parameter, ParameterTuple
from torchspore.common.scope import writable
from torchspore.common.tensor import Tensor
from torchspore.engine.errors import describe
from torchspore.nn.cell import Cell
from torchspore.ops.optimization import Tensors, can_fuse, fitting, is_traced, writable_like

__all__ = ["Optimizer"]


class Step:
    """What a rule needs to update one group: torch tensors that lie in memory alike, and the group's options.

    `states` has a list for each kind of state; `fused` tells whether fused kernels may be used.
    """

    __slots__ = ("fused", "gradients", "options", "parameters", "rate", "states")

    def __init__(self, optimizer: Optimizer, group: dict[str, Any], gradients: Tensors, states: list[Any]) -> None:
        self.options = group
        self.parameters = [writable(parameter) for parameter in group["params"]]
        self.fused = all(can_fuse(value.device) for value in self.parameters)
        align = writable_like if self.fused else lambda state, value: writable(state)
        self.states = [[align(state, value) for state, value in zip(kind, self.parameters)] for kind in states]
        self.gradients = [fitting(gradient, value) for gradient, value in zip(gradients, self.parameters)]
        rate = group["lr"]
        if isinstance(rate, Tensor):
            rate = rate._t.item() if rate._t.is_cpu and not is_traced() else rate._t
        self.rate = rate


class Optimizer(Cell):
    """The base of optimizers with groups of parameters: subclasses give the kinds of state and the rule.

    Args:
        params: the Parameters to train, in a list or tuple; or groups of them: dicts with "params" and any of the
            options, which then differ from `defaults` for that group.
        defaults: the options and their values.

    Attributes:
        param_groups: a list with a dict for each group. "lr" is a Parameter: change it by `ops.assign`, which captured
            graphs see too.
        parameters: all Parameters.

    Raises:
        TypeError: `params` holds something else than Parameters or dicts.
        ValueError: there is no parameter, one appears twice, or an option is unknown or out of range.
    """

    # The attributes with a state for each parameter.
    _state_names: tuple[str, ...] = ()

    def __init__(self, params: Any, defaults: dict[str, Any]) -> None:
        super().__init__()
        self.defaults = defaults
        self.param_groups: list[dict[str, Any]] = []
        self.parameters = ParameterTuple(())
        for name in self._state_names:
            setattr(self, name, ParameterTuple(()))
        for group in _groups(params, self.cls_name):
            self.add_param_group(group)

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add Parameters: a dict with "params" and any of the options.

        Raises:
            TypeError: `param_group` is no dict, or "params" holds something else than Parameters.
            ValueError: a parameter is there already, or an option is unknown or out of range.
        """
        api = self.cls_name
        if not isinstance(param_group, dict) or "params" not in param_group:
            raise TypeError(f"For '{api}', a group must be a dict with 'params', but got {describe(param_group)}.")
        given = param_group["params"]
        parameters = [given] if isinstance(given, Parameter) else list(given)
        for parameter in parameters:
            if not isinstance(parameter, Parameter):
                raise TypeError(f"For '{api}', 'params' must hold Parameters, but got {describe(parameter)}.")
            if not parameter._t.is_floating_point():
                raise TypeError(f"For '{api}', Parameters must hold floats, but '{parameter.name}' does not.")
            if any(parameter is other for other in self.parameters):
                raise ValueError(f"For '{api}', the Parameter '{parameter.name}' is given twice.")
        unknown = sorted(param_group.keys() - self.defaults.keys() - {"params"})
        if unknown:
            raise ValueError(f"For '{api}', a group may have the options {sorted(self.defaults)}, but got {unknown}.")
        group = {**self.defaults, **param_group, "params": parameters}
        self._check(group)
        name = f"learning_rate_group_{len(self.param_groups)}"
        rate = group["lr"] if isinstance(group["lr"], Tensor) else Tensor(float(group["lr"]), mstype.float32)
        group["lr"] = Parameter(rate, name=name, requires_grad=False)
        self.param_groups.append(group)
        self.parameters = ParameterTuple((*self.parameters, *parameters))
        for kind in self._state_names:
            more = ParameterTuple(parameters).clone(prefix=kind, init="zeros")
            setattr(self, kind, ParameterTuple((*getattr(self, kind), *more)))

    def _check(self, group: dict[str, Any]) -> None:
        """Check the options of a group."""
        rate = group["lr"]
        if not isinstance(rate, (int, float, Tensor)):
            raise ValueError(f"For '{self.cls_name}', 'lr' must be a number or a Tensor, but got {describe(rate)}.")
        self._check_least("lr", rate if not isinstance(rate, Tensor) else rate.item())
        self._check_least("weight_decay", group["weight_decay"])

    def _check_least(self, name: str, value: Any) -> None:
        if isinstance(value, bool) or not isinstance(value, (int, float)) or value < 0:
            raise ValueError(f"For '{self.cls_name}', '{name}' must be a number >= 0, but got {describe(value)}.")

    def construct(self, gradients: Any) -> bool:
        """Change the parameters by their gradients, a tuple or list of Tensors in the order of `parameters`.

        Returns:
            True.

        Raises:
            TypeError: `gradients` is no tuple or list of Tensors.
            ValueError: their number, or the shape of one, is not that of the parameters. Nothing was changed then.
        """
        given = self._accepted(gradients)
        with torch.no_grad():
            self._begin()
            start = 0
            for group in self.param_groups:
                stop = start + len(group["params"])
                states = [getattr(self, name)[start:stop] for name in self._state_names]
                if stop > start:
                    self._update(Step(self, group, given[start:stop], states))
                start = stop
        return True

    def _accepted(self, gradients: Any) -> Tensors:
        api = self.cls_name
        if not isinstance(gradients, (tuple, list)) or not all(isinstance(g, Tensor) for g in gradients):
            raise TypeError(
                f"For '{api}', the gradients must be a tuple or list of Tensors, but got {describe(gradients)}."
            )
        if len(gradients) != len(self.parameters):
            raise ValueError(
                f"For '{api}', there must be one gradient for each of the {len(self.parameters)} parameters, "
                f"but got {len(gradients)}."
            )
        for parameter, gradient in zip(self.parameters, gradients):
            if parameter.shape != gradient.shape:
                raise ValueError(
                    f"For '{api}', the gradient of '{parameter.name}' must have its shape, {parameter.shape}, "
                    f"but got {describe(gradient)}."
                )
        return [gradient._t for gradient in gradients]

    def _begin(self) -> None:
        """Change what all parameters share."""

    def _update(self, step: Step) -> None:
        """Apply the rule to a group."""
        raise NotImplementedError(f"For '{self.cls_name}', define '_update'.")

    def __repr__(self) -> str:
        groups = []
        for number, group in enumerate(self.param_groups):
            options = {**group, "lr": group["lr"].item()}
            rows = [f"    {name}: {options[name]}\n" for name in sorted(options) if name != "params"]
            groups.append(f"Parameter Group {number}\n{''.join(rows)}")
        return f"{self.cls_name} (\n" + "\n".join(groups) + ")"


def _groups(params: Any, api: str) -> Iterator[dict[str, Any]]:
    given = list(params) if isinstance(params, Iterable) and not isinstance(params, (Tensor, dict, str)) else None
    if given is None:
        raise TypeError(f"For '{api}', 'params' must be a list of Parameters or of dicts, but got {describe(params)}.")
    if not given:
        raise ValueError(f"For '{api}', 'params' must hold at least one Parameter, but is empty.")
    if all(isinstance(group, dict) for group in given):
        yield from given
    else:
        yield {"params": given}
