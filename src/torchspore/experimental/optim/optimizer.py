"""The base of optimizers with groups of parameters, each with its options, as in PyTorch."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from typing import Annotated, Any, ClassVar, TypeAlias

import numpy as np
import torch

from torchspore.common import dtype as mstype
from torchspore.common import mode
from torchspore.common.error_classes import WrongType, also
from torchspore.common.parameter import Parameter, ParameterTuple
from torchspore.common.scopes.scope import writable
from torchspore.common.tensor import Tensor
from torchspore.engine.failures.errors import describe
from torchspore.engine.parameters import Kind, Limits, Rule, Where, kinds_of
from torchspore.nn.cell import Cell
from torchspore.ops.updates.rules import decayed, shrink_by
from torchspore.ops.updates.tensor_lists import (
    Pieces,
    Scalar,
    Tensors,
    can_fuse,
    check_real,
    fitting,
    is_traced,
    without_dimensions,
    writable_like,
)

__all__ = ["NESTEROV", "Betas", "ElementwiseOptimizer", "NotNegativeNumber", "Optimizer", "Rate", "Step", "value_of"]


def _are_betas(betas: Any) -> bool:
    is_list = isinstance(betas, (tuple, list, Tensor, np.ndarray))
    return is_list and len(betas) == 2 and all(0 <= beta < 1 for beta in betas)


Betas: TypeAlias = Annotated[Any, Where("two floats in [0, 1)", _are_betas, also(ValueError, TypeError))]
NotNegativeNumber: TypeAlias = Annotated[int | float, Limits(0)]
_RateTensor: TypeAlias = Annotated[Tensor, Where("a Tensor of a number >= 0", lambda rate: 0 <= rate.item() < np.inf)]
Rate: TypeAlias = NotNegativeNumber | _RateTensor
NESTEROV = Rule(
    "'nesterov' needs 'momentum' > 0 and 'dampening' 0",
    lambda nesterov, momentum, dampening: not nesterov or (momentum > 0 and dampening == 0),
)


def _common(
    lr: Rate, betas: Betas, eps: NotNegativeNumber, weight_decay: NotNegativeNumber, maximize: bool, amsgrad: bool
) -> None:
    """Declare the options that most optimizers have."""


class Step:
    """What a rule needs to update one group: torch tensors that lie in memory alike, and the group's options.

    `states` has a list for each kind of state; `fused` is whether fused kernels may be used; `number` is the group's;
    `on_parts` is whether the rule may go over the parts of this process instead of tensors that are cut.
    """

    __slots__ = ("fused", "gradients", "number", "options", "parameters", "rate", "states")

    def __init__(
        self, number: int, group: dict[str, Any], gradients: Tensors, states: list[Any], on_parts: bool
    ) -> None:
        self.number = number
        self.options = group
        self.parameters = [writable(parameter) for parameter in group["params"]]
        self.fused = all(can_fuse(value.device) for value in self.parameters)
        is_cut = mode.reader is not None and any(map(mode.reader.holds, self.parameters))
        align = writable_like if self.fused and not is_cut else lambda state, value: writable(state)
        self.states = [[align(state, value) for state, value in zip(kind, self.parameters)] for kind in states]
        if is_cut and on_parts and mode.cut is None:
            gradients = self._take_parts(gradients)
        self.gradients = [fitting(gradient, value) for gradient, value in zip(gradients, self.parameters)]
        if group.get("maximize", False):
            self.gradients = list(torch._foreach_neg(self.gradients))
        self.rate = value_of(group["lr"])

    def _take_parts(self, gradients: Tensors) -> Tensors:
        """Replace parameters and states that are cut by the parts of this process; return the gradients' parts."""
        wholes = self.parameters
        placements = list(map(mode.reader.updated_as, wholes))
        self.parameters = list(map(mode.reader.part, wholes, placements))
        self.states = [list(map(mode.reader.part, kind, placements)) for kind in self.states]
        parts: Tensors = mode.reader.parts(gradients, wholes, placements)
        return parts

    def hyperparameters(self, names: dict[str, str]) -> dict[str, Any]:
        """Return options by the names that a rule has for them: `names` has the options' names; "betas" are two."""
        found = {name: self.options[option] for name, option in names.items()}
        if "betas" in self.options:
            found["beta1"], found["beta2"] = self.options["betas"]
        return found


def value_of(number: Any) -> Scalar:
    """Return a number or the value of a Tensor: as a Python number if that does not wait for a device."""
    if not isinstance(number, Tensor):
        return number
    value = number._t
    return value.item() if value.is_cpu and not is_traced() else without_dimensions(value)


class Optimizer(Cell):
    """The base of optimizers with groups of parameters: subclasses name the states and the rule.

    Args:
        params: the Parameters to train, in a list or tuple; or groups of them: dicts with "params" and any of the
            options, which then differ from `defaults` for that group.
        defaults: the options and their values. Those that most optimizers have are

            - "lr": the learning rate, a number or a Tensor,
            - "betas": two factors, in [0, 1),
            - "eps": a term that keeps a denominator from 0, >= 0,
            - "weight_decay": the multiple of a parameter that is added to its gradient, >= 0. Default: 0.0,
            - "maximize": whether to ascend instead. Default: False.

    Attributes:
        param_groups: a list with a dict for each group. "lr" is a Parameter: changed by `ops.assign` it stays an input
            of captured graphs; another object in its place, or another option, is captured anew.
        parameters: all Parameters.
        group_start_id: where each group starts among `parameters`, and their number.

    Raises:
        TypeError: `params` holds something other than Parameters or dicts, or an option is of a wrong type.
        ValueError: there is no parameter, one appears twice, or an option is unknown or out of range.
        KeyError: a group has no "params".

    Examples:
        >>> import torchspore as ms
        >>> class SignDescent(ms.experimental.optim.Optimizer):
        ...     def construct(self, gradients):
        ...         for group, start in zip(self.param_groups, self.group_start_id):
        ...             for i, parameter in enumerate(group["params"]):
        ...                 ms.ops.assign_sub(parameter, group["lr"] * gradients[start + i].sign())
        >>> weight = ms.Parameter(ms.Tensor([1.0, 2.0]), name="weight")
        >>> SignDescent([weight], {"lr": 0.5})((ms.Tensor([3.0, -3.0]),))
        >>> print(weight.asnumpy())
        [0.5 2.5]
    """

    _rule: Callable[..., None]  # a function of `ops.updates.rules`, as a static method
    _is_elementwise = True  # whether each element is updated without regard to the others of its parameter
    # The attributes with a state for each parameter, in the order of the rule.
    _state_names: tuple[str, ...] = ()
    _rules: tuple[Rule, ...] = ()  # about several options of a group, its Parameters, and the groups before
    # What the rule calls the hyperparameters, and the options that hold them.
    _hyperparameters: ClassVar[dict[str, str]] = {}
    _step_name = ""
    _caches = Cell._caches | {"defaults"}  # no step reads them
    _counts_first = False  # whether the number of steps is before the states among the parameters

    def __init__(self, params: Any, defaults: dict[str, Any]) -> None:
        super().__init__()
        self.defaults = defaults
        self.param_groups: list[dict[str, Any]] = []
        self.group_start_id = [0]
        self.parameters = ParameterTuple(())
        for name in self._state_names:
            setattr(self, name, ParameterTuple(()))
        groups = [self._taken(group) for group in _groups(params, self.cls_name)]
        if self._counts_first:
            self._make_step()
        self._add_states(groups)
        if self._step_name and not self._counts_first:
            self._make_step()
        for number in range(len(groups)):
            self._add_numbers(number)

    @property
    def lrs(self) -> tuple[Any, ...]:
        """The learning rates of the groups; set them in `param_groups`."""
        return tuple([group["lr"] for group in self.param_groups])

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add Parameters: a dict with "params" and any of the options.

        Raises:
            TypeError: `param_group` is not a dict, "params" holds something other than Parameters, or an option is of a
                wrong type.
            ValueError: a parameter is there already, or an option is unknown or out of range.
            KeyError: there is no "params".
        """
        self._add_states([self._taken(param_group)])
        self._add_numbers(len(self.param_groups) - 1)

    def _taken(self, param_group: Any) -> dict[str, Any]:
        """Check a group, add its Parameters, and return it with all options."""
        api = self.cls_name
        if not isinstance(param_group, dict):
            raise TypeError(f"For '{api}', a group must be a dict with 'params', but got {describe(param_group)}.")
        if "params" not in param_group:
            raise KeyError(f"For '{api}', a group needs the key 'params', but has {list(param_group)}.")
        given = param_group["params"]
        parameters = [given] if isinstance(given, Parameter) else list(given)
        known = set(self.parameters)
        for parameter in parameters:
            if not isinstance(parameter, Parameter):
                raise TypeError(f"For '{api}', 'params' must hold Parameters, but got {describe(parameter)}.")
            if not parameter._t.is_floating_point():
                raise TypeError(f"For '{api}', Parameters must hold floats, but '{parameter.name}' does not.")
            if parameter in known:
                raise ValueError(f"For '{api}', the Parameter '{parameter.name}' is given twice.")
            known.add(parameter)
        unknown = sorted(param_group.keys() - self.defaults.keys() - {"params"})
        if unknown:
            raise ValueError(f"For '{api}', a group may have the options {sorted(self.defaults)}, but got {unknown}.")
        group = {**param_group, "params": parameters}
        group = {**group, **{name: value for name, value in self.defaults.items() if name not in group}}
        kinds = self._kinds()
        group |= {name: kinds[name].take(value, name, api) for name, value in group.items() if name in kinds}
        for rule in self._rules:
            rule.check({**group, "param_groups": self.param_groups}, self.cls_name)
        name = f"learning_rate_group_{len(self.param_groups)}"
        rate = group["lr"] if isinstance(group["lr"], Tensor) else Tensor(float(group["lr"]), mstype.float32)
        group["lr"] = Parameter(rate, name=name)
        self.param_groups.append(group)
        self.parameters = ParameterTuple((*self.parameters, *parameters))
        self.group_start_id = [*self.group_start_id, len(self.parameters)]
        return group

    def _add_states(self, groups: list[dict[str, Any]]) -> None:
        """Add the states of groups: kind by kind."""
        for kind in self._state_names:
            for group in groups:
                added = ParameterTuple(group["params"]).clone(prefix=kind, init=self._initial(kind, group))
                setattr(self, kind, ParameterTuple((*getattr(self, kind), *added)))

    def _add_numbers(self, group: int) -> None:
        for kind, value in self._numbers().items():
            state = Parameter(Tensor(value, mstype.float32), name=f"{kind}_group_{group}", requires_grad=False)
            setattr(self, kind, ParameterTuple((*getattr(self, kind, ()), state)))

    def _numbers(self) -> dict[str, float]:
        """Return the names of numbers that each group has as states, and what they start with."""
        return {}

    def _change(self, step: Step, kind: str, rule: Callable[[Scalar], Scalar]) -> Scalar:
        """Change a number of a group, and return its new value."""
        state = getattr(self, kind)[step.number]
        value = rule(value_of(state))
        writable(state).fill_(value)
        return value

    def _initial(self, kind: str, group: dict[str, Any]) -> float:
        """Return what a kind of state starts with."""
        return 0.0

    @classmethod
    def _kinds(cls) -> dict[str, Kind]:
        """Return the kinds of the options: the kinds of the checked constructors' parameters, by their names."""
        constructors: list[Any] = [vars(each).get("__init__") for each in reversed(cls.__mro__)]
        found = [kinds_of(inspect.unwrap(init)) for init in constructors if hasattr(init, "is_checked")]
        return {name: kind for kinds in [kinds_of(_common), *found] for name, kind in kinds.items()}

    def construct(self, gradients: Any) -> bool:
        """Change the parameters by their gradients, a tuple or list of Tensors in the order of `parameters`.

        Returns:
            True.

        Raises:
            TypeError: `gradients` is not a tuple or list of Tensors, or one is complex.
            ValueError: their number or a shape differs from the parameters'. Nothing was changed then.
        """
        given = self._accepted(gradients)
        with torch.no_grad():
            self._begin()
            bounds = zip(self.group_start_id, self.group_start_id[1:])
            for number, (group, (start, stop)) in enumerate(zip(self.param_groups, bounds)):
                states = [getattr(self, name)[start:stop] for name in self._state_names]
                if stop > start:
                    self._update(Step(number, group, given[start:stop], states, self._is_elementwise))
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
        given = [gradient._t for gradient in gradients]
        for parameter, gradient in zip(self.parameters, given):
            if parameter._t.shape != gradient.shape:
                raise ValueError(
                    f"For '{api}', the gradient of '{parameter.name}' must have its shape, {parameter.shape}, "
                    f"but got {describe(gradient)}."
                )
            check_real(gradient, api)
        return given

    def _begin(self) -> None:
        """Change what all parameters share: the number of steps, if the optimizer has one."""
        if self._step_name:
            writable(getattr(self, self._step_name)).add_(1)

    def _count(self) -> Scalar:
        """Return the number of this step, in a graph and on a device as a tensor of double precision."""
        count = value_of(getattr(self, self._step_name))
        return count.double() if isinstance(count, torch.Tensor) else count

    def _make_step(self) -> None:
        """Add the number of steps, a Parameter."""
        setattr(self, self._step_name, Parameter(Tensor(0, mstype.int32), name=self._step_name))

    def _update(self, step: Step) -> None:
        """Apply the rule to a group."""
        raise NotImplementedError(f"For '{self.cls_name}', define '_update'.")

    def __repr__(self) -> str:
        groups = []
        for number, group in enumerate(self.param_groups):
            options = {**group, "lr": str(group["lr"].asnumpy())}
            rows = [f"    {name}: {options[name]}\n" for name in sorted(options) if name != "params"]
            groups.append(f"Parameter Group {number}\n{''.join(rows)}")
        return f"{self.cls_name} (\n" + "\n".join(groups) + ")"


class ElementwiseOptimizer(Optimizer):
    """The base of those whose rule treats each element separately; `_decoupled` is how the weights decay."""

    _decoupled = False

    def _update(self, step: Step) -> None:
        pieces = Pieces(step.parameters)
        settings = {**step.hyperparameters(self._hyperparameters), **self._settings(step)}
        decay = step.options["weight_decay"]
        if self._decoupled and decay:
            shrink_by(step.parameters, step.rate, decay)
            decay = 0.0
        states = self._used_states(step)
        for parameters, gradients, *parts in zip(*map(pieces.of, (step.parameters, step.gradients, *states))):
            self._rule(parameters, decayed(parameters, gradients, decay), *parts, **settings)

    def _settings(self, step: Step) -> dict[str, Any]:
        """Return the rule's arguments that change with the step, by default the learning rate."""
        return {"rate": step.rate}

    def _used_states(self, step: Step) -> list[Tensors]:
        """Return the states; an empty list stands for those that the group's options do not need."""
        return step.states


def _groups(params: Any, api: str) -> Iterator[dict[str, Any]]:
    given = list(params) if isinstance(params, Iterable) and not isinstance(params, (Tensor, dict, str)) else None
    if given is None:
        raise WrongType(f"For '{api}', 'params' must be a list of Parameters or of dicts, but got {describe(params)}.")
    if not given:
        raise ValueError(f"For '{api}', 'params' must hold at least one Parameter, but is empty.")
    if all(isinstance(group, dict) for group in given):
        yield from given
    else:
        yield {"params": given}
