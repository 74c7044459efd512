"""The base of all optimizers: parameter groups, learning rates, weight decay, loss scale."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Annotated, Any, ParamSpec, TypeAlias

import torch

from torchspore.common import device
from torchspore.common import dtype as mstype
from torchspore.common.names.torch_habits import OPTIMIZER
from torchspore.common.parameter import Parameter, ParameterTuple
from torchspore.common.scopes.scope import scope, writable
from torchspore.common.tensor import Tensor, wrap
from torchspore.engine.failures.errors import describe
from torchspore.engine.parameters import AnyNumber, Limits, PositiveFloat, StrictFloat, Where, checked, kind_of
from torchspore.nn.cell import Cell
from torchspore.nn.cell_state import repeated_name
from torchspore.nn.layer.container import CellList
from torchspore.nn.learning_rate_schedule import LearningRateSchedule
from torchspore.ops.control.composite import HyperMap, Map
from torchspore.ops.updates.tensor_lists import is_traced

__all__ = ["Optimizer", "opt_init_args_register"]

_Arguments = ParamSpec("_Arguments")

Beta: TypeAlias = Annotated[StrictFloat, Limits(above=0, below=1)]
Decay: TypeAlias = Annotated[AnyNumber, Where(">= 0", lambda decay: decay >= 0)] | Cell
SCALE, _DECAY, _FLAG, _PARAMETERS = map(kind_of, (PositiveFloat, Decay, bool, Iterable[Parameter]))
_GROUP_KEYS = ("params", "lr", "weight_decay", "grad_centralization", "order_params")


def opt_init_args_register(init: Callable[_Arguments, None]) -> Callable[_Arguments, None]:
    """Keep what an optimizer's constructor was given, for wrappers that create another optimizer like it.

    The attributes `init_params` ({"params": ...}), `init_learning_rate` and `init_args` (all other arguments) hold it.
    """
    signature = inspect.signature(init)
    keywords = next((name for name, p in signature.parameters.items() if p.kind is p.VAR_KEYWORD), "")

    @functools.wraps(init)
    def register(*args: _Arguments.args, **kwargs: _Arguments.kwargs) -> None:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        if isinstance(bound.arguments.get("params"), Iterable):
            bound.arguments["params"] = list(bound.arguments["params"])  # a generator can be read only once
        init(*bound.args, **bound.kwargs)
        (_, made), *others = bound.arguments.items()
        given = dict(others)
        attributes = made.__dict__  # not by setattr, which would make a schedule a second child
        attributes["init_params"] = {"params": given.pop("params", None)}
        attributes["init_learning_rate"] = given.pop("learning_rate", None)
        further = given.pop(keywords, {})
        attributes["init_args"] = given | further

    return register


class Optimizer(Cell):
    """The base of optimizers: subclasses define `construct(gradients)`, which changes the parameters.

    Args:
        learning_rate: a number >= 0 or scalar Tensor; or the numbers for every step, as a list, tuple, iterator or
            one-dimensional Tensor; or a `LearningRateSchedule`.
        parameters: the Parameters to train, in a list, tuple or iterator; or groups of them, dicts with the keys

            - "params": the Parameters of the group,
            - "lr", "weight_decay": instead of `learning_rate` and `weight_decay`, for this group,
            - "grad_centralization": whether gradients of two and more dimensions are centralized. Default: False.

            A group {"order_params": [...]} of all Parameters sets their order.
        weight_decay: a number >= 0, the multiple of a parameter that is added to its gradient, or a Cell that computes
            it from the step. Without groups it spares parameters with "beta" or "gamma" in their names. Default: 0.0.
        loss_scale: a number > 0, by which the gradients are divided. Default: 1.0.

    Attributes for subclasses: `parameters`, `learning_rate`, `weight_decay`, `global_step`, `loss_scale`.

    Raises:
        ValueError: a number out of its range, no parameters, two of one name, or learning rates for different numbers
            of steps.
        KeyError: a group without "params", or with an unknown key.
        RuntimeError: a parameter is in two groups.

    Examples:
        >>> import torchspore as ms
        >>> class SignDescent(ms.nn.Optimizer):
        ...     def construct(self, gradients):
        ...         for parameter, gradient in zip(self.parameters, gradients):
        ...             parameter.set_data(parameter - self.get_lr() * gradient.sign())
        >>> weight = ms.Parameter(ms.Tensor([1.0, 2.0]), name="weight")
        >>> SignDescent(0.5, [weight])((ms.Tensor([3.0, -3.0]),))
        >>> print(weight.asnumpy())
        [0.5 2.5]
    """

    # What the decorator `opt_init_args_register` keeps of the constructor's arguments.
    init_params: dict[str, Any]
    init_learning_rate: Any
    init_args: dict[str, Any]
    learning_rate: Any  # a Parameter or a schedule; of groups with their own, a ParameterTuple or a CellList

    _habits = OPTIMIZER

    @checked
    def __init__(
        self, learning_rate: Any, parameters: Any, weight_decay: Decay = 0.0, loss_scale: PositiveFloat = 1.0
    ) -> None:
        super().__init__(auto_prefix=False)
        self.loss_scale = loss_scale
        self.need_scale = self.loss_scale != 1.0
        self.reciprocal_scale = Tensor(1.0 / self.loss_scale, mstype.float32)
        self.global_step = Parameter(Tensor([0], mstype.int32), name="global_step")
        self.is_group = self.is_group_lr = self.is_group_params_ordered = False
        self.use_parallel = False  # whether each process updates some of the parameters
        # For subclasses; not by setattr, which refuses what our optimizers do not compute by.
        self.__dict__.update(global_step_increase_tensor=Tensor([1], mstype.int32), map_=Map())
        self.__dict__.update(hyper_map=HyperMap(), hyper_map_reverse=HyperMap(reverse=True))
        self._unique = True

        default_decay = self._scaled(weight_decay)
        given = _as_list(parameters)
        if isinstance(given[0], dict):
            self._set_groups(given, learning_rate, default_decay)
            found = self.group_params
        else:
            found = given
            self._set_learning_rate(self._as_rate(learning_rate, "learning_rate"))
            self.grad_centralization = False
            self.decay_flags: Any = tuple("beta" not in p.name and "gamma" not in p.name for p in found)
            self.dynamic_weight_decay = isinstance(default_decay, Cell)
            self.dynamic_decay_flags: Any = self.dynamic_weight_decay
            self.exec_weight_decay = self.dynamic_weight_decay or default_decay > 0
            self.weight_decay = _as_tensor(default_decay)
        twice = repeated_name(found)
        if twice is not None:
            raise ValueError(f"two parameters have the name '{twice}'. Give each a name of its own")
        self.parameters = self._parameters = ParameterTuple(found)
        self.param_length = len(self.parameters)
        self.__dict__["optim_filter"] = (True,) * self.param_length

    # Settings

    @property
    def unique(self) -> bool:
        """Whether a sparse gradient's repeated rows are summed first; gradients here are dense: no difference."""
        return self._unique

    @unique.setter
    @checked
    def unique(self, unique: bool) -> None:
        self.__dict__["_unique"] = unique

    @property
    def target(self) -> str:
        """The device that the parameters are updated on: the one in use."""
        return device.target()

    @target.setter
    def target(self, value: str) -> None:
        if value != device.target():
            raise NotImplementedError(
                f"For '{type(self).__name__}', 'target' can only be the device in use, {device.target()!r}, "
                f"but got {value!r}."
            )

    def construct(self, *gradients: Any) -> Any:
        """Change the parameters; every subclass defines it."""
        raise NotImplementedError(f"For '{type(self).__name__}', the method 'construct' is not defined. Define it.")

    # What subclasses use in `construct`

    def get_lr(self) -> Any:
        """Return the learning rate of this step: one, or one for each parameter when groups have their own.

        Returns:
            A constant one is the Parameter itself, others are scalar Tensors.
        """
        if not self.dynamic_lr:
            return self.learning_rate
        if self.is_group_lr:
            return tuple([wrap(cell(self.global_step)._t.reshape(())) for cell in self.learning_rate])
        return wrap(self.learning_rate(self.global_step)._t.reshape(()))

    def get_weight_decay(self) -> Any:
        """Return the weight decay of this step, times the loss scale: one, or with groups one for each parameter."""
        if self.is_group:
            return tuple([self._current(decay) for decay in self.weight_decay])
        return self._current(self.weight_decay)

    def get_lr_parameter(self, param: Parameter | list[Parameter]) -> Any:
        """Return what holds the learning rate of a parameter, or of each in a list.

        Args:
            param: a Parameter of the optimizer, or a list of them.

        Returns:
            A Parameter (constant: scalar; a number for every step: one-dimensional) or the `LearningRateSchedule`.

        Raises:
            TypeError: the argument is not a Parameter and no list of them.
            ValueError: the optimizer does not have the parameter.
        """
        if isinstance(param, list):
            return [self._rate_holder(p) for p in param]
        return self._rate_holder(param)

    def flatten_gradients(self, gradients: Any) -> Any:
        """Return the gradients: parameters are not flattened into one piece of memory."""
        return gradients

    def decay_weight(self, gradients: Any) -> Any:
        """Return the gradients with the weight decay added."""
        if not self.exec_weight_decay:
            return gradients
        decays = self.get_weight_decay() if self.is_group else (self.get_weight_decay(),) * self.param_length
        return tuple(
            [
                wrap(gradient._t + decay._t.reshape(()) * parameter._t) if flag else gradient
                for gradient, parameter, decay, flag in zip(gradients, self.parameters, decays, self.decay_flags)
            ]
        )

    def gradients_centralization(self, gradients: Any) -> Any:
        """Return the gradients; groups with "grad_centralization" subtract their mean over all but the first axis.

        As in MindSpore, this concerns gradients whose second dimension is a multiple of 16.
        """
        if not self.grad_centralization:
            return gradients
        flags = self.grad_centralization_flags
        return tuple([wrap(centralized(g._t)) if flag else g for g, flag in zip(gradients, flags)])

    def scale_grad(self, gradients: Any) -> Any:
        """Return the gradients divided by the loss scale."""
        if not self.need_scale:
            return gradients
        return tuple([wrap(gradient._t * self.reciprocal_scale._t) for gradient in gradients])

    def broadcast_params(self, optim_result: Any) -> Any:
        """Return what the update returned: every process updates all parameters."""
        return optim_result

    def _grad_sparse_indices_deduplicate(self, gradients: Any) -> Any:
        return gradients  # they are dense

    def _is_dynamic_lr_or_weight_decay(self) -> bool:
        return self.dynamic_lr or self.dynamic_weight_decay

    def _set_base_target(self, value: str) -> None:
        self.target = value

    def assignadd(self, variable: Parameter, value: Tensor) -> Parameter:
        """Add `value` to a parameter; `assignadd(self.global_step, self.global_step_increase_tensor)` ends a step."""
        writable(variable).add_(value._t)
        return variable

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        # The tuple of the groups' learning rates, and not the parameter in it that has the same name.
        self.__dict__["learning_rate"] = state["learning_rate"]

    # Construction

    def _set_groups(self, groups: list[dict[str, Any]], learning_rate: Any, default_decay: Any) -> None:
        """Set the attributes with a value for each parameter: `group_...`, and those derived from them."""
        default_rate = self._as_rate(learning_rate, "learning_rate")
        settings: dict[Parameter, tuple[Any, Any, bool]] = {}
        order = None
        for index, group in enumerate(groups):
            if "order_params" in group:
                if order is not None:
                    raise ValueError("'order_params' is given twice. Give the order in one group.")
                order = _as_order(group)
                continue
            rate = default_rate
            if "lr" in group:
                self.is_group_lr = True
                rate = self._as_rate(group["lr"], f"learning_rate_group_{index}")
            decay, api = default_decay, type(self).__name__
            if "weight_decay" in group:
                decay = self._scaled(_DECAY.take(group["weight_decay"], "weight_decay", api))
            centralizes = _FLAG.take(group.get("grad_centralization", False), "grad_centralization", api)
            for parameter in _as_group(group):
                if parameter in settings:
                    raise RuntimeError(
                        f"For 'Optimizer', the parameter '{parameter.name}' is in two groups. List it in one of them."
                    )
                settings[parameter] = (rate, decay, centralizes)
        if order is not None:
            self.is_group_params_ordered = True
            if len(order) != len(settings) or any(parameter not in settings for parameter in order):
                raise ValueError(
                    f"'order_params' must have the parameters of all groups, each once: {[p.name for p in settings]}, "
                    f"but got {[p.name for p in order]}"
                )
            settings = {parameter: settings[parameter] for parameter in order}

        self.is_group = True
        self.group_params = list(settings)
        rates, decays, centralizations = [list(column) for column in zip(*settings.values())]
        every_step = [rate for rate in (default_rate, *rates) if isinstance(rate, _RateOfEveryStep)]
        counts = {rate.learning_rate.shape[0] for rate in every_step}
        if len(counts) > 1:
            raise ValueError(
                f"lists of learning rates must be for one number of steps, but got lengths {sorted(counts)}"
            )
        self.group_weight_decay = decays
        self.group_grad_centralization = centralizations
        self.grad_centralization_flags = tuple(centralizations)
        self.grad_centralization = any(centralizations)
        self.dynamic_decay_flags = tuple(isinstance(decay, Cell) for decay in decays)
        self.decay_flags = tuple(isinstance(decay, Cell) or decay > 0 for decay in decays)
        self.dynamic_weight_decay = any(self.dynamic_decay_flags)
        self.exec_weight_decay = any(self.decay_flags)
        self.weight_decay = tuple(_as_tensor(decay) for decay in decays)
        if not self.is_group_lr:
            self.group_lr: list[Any] = rates
            self._set_learning_rate(default_rate)
        elif any(isinstance(rate, Cell) for rate in (default_rate, *rates)):
            cells = {rate: rate if isinstance(rate, Cell) else _ConstantRate(rate) for rate in rates}
            self.group_lr = [cells[rate] for rate in rates]
            self.dynamic_lr = True
            self.learning_rate = CellList(self.group_lr, auto_prefix=False)
        else:
            self.group_lr = rates
            self.dynamic_lr = False
            self.learning_rate = ParameterTuple(rates)

    def _set_learning_rate(self, rate: Any) -> None:
        self.dynamic_lr = isinstance(rate, Cell)
        self.learning_rate = rate

    def _as_rate(self, value: Any, name: str) -> Any:
        """Return a learning rate as a Parameter, a cell with the rates of all steps, or the given schedule."""
        if isinstance(value, LearningRateSchedule):
            return value
        if isinstance(value, (int, float)):
            if not value >= 0:
                raise ValueError(f"the learning rate must be >= 0, but got {value}")
            return Parameter(Tensor(value, mstype.float32), name=name)
        if isinstance(value, Tensor):
            if value.ndim > 1:
                raise ValueError(f"a learning rate must have at most one dimension, but got {describe(value)}")
            rate = Parameter(wrap(value._t.detach().to(torch.float32)), name=name)
            return rate if value.ndim == 0 else _RateOfEveryStep(rate, type(self).__name__)
        if isinstance(value, Iterable) and not isinstance(value, (str, bytes, dict)):
            rates = list(value)
            if not rates:
                raise ValueError("the list of learning rates must not be empty")
            for step, rate in enumerate(rates):
                if not hasattr(rate, "__float__"):
                    raise TypeError(
                        f"a list of learning rates must hold numbers, but at {step} it has {describe(rate)}"
                    )
            values = Parameter(Tensor([float(rate) for rate in rates], mstype.float32), name=name)
            return _RateOfEveryStep(values, type(self).__name__)
        raise TypeError(
            "the learning rate must be a number, a Tensor, a list of numbers or a LearningRateSchedule, but got "
            f"{describe(value)}"
        )

    def _scaled(self, weight_decay: float | Cell) -> Any:
        """Return the weight decay times the loss scale, as a float or a cell."""
        if isinstance(weight_decay, Cell):
            return _ScaledDecay(weight_decay, self.loss_scale)
        return weight_decay * self.loss_scale

    def _current(self, decay: Any) -> Tensor:
        return decay(self.global_step) if isinstance(decay, Cell) else decay

    def _rate_holder(self, parameter: Any) -> Any:
        if not isinstance(parameter, Parameter):
            raise TypeError(
                f"For 'get_lr_parameter', 'param' must be a Parameter or a list of them, but got {describe(parameter)}."
            )
        position = next((i for i, known in enumerate(self.parameters) if known is parameter), None)
        if position is None:
            raise ValueError(f"For 'get_lr_parameter', the optimizer does not have the parameter '{parameter.name}'.")
        rate = self.group_lr[position] if self.is_group_lr else self.learning_rate
        return rate.learning_rate if isinstance(rate, (_ConstantRate, _RateOfEveryStep)) else rate


class _RateOfEveryStep(LearningRateSchedule):
    """The learning rates of all steps in one Parameter."""

    def __init__(self, learning_rate: Parameter, optimizer: str) -> None:
        super().__init__()
        self.learning_rate = learning_rate
        self._optimizer = optimizer

    def construct(self, global_step: Tensor) -> Tensor:
        if is_traced():
            rates = self.learning_rate._t
            step = global_step._t.long()
            if scope.tracing is not None:
                scope.tracing.explanation = lambda: self._ended(int(global_step))
            try:
                return wrap(rates[step if rates.device.type == "cpu" else step.clamp(max=len(rates) - 1)])
            finally:
                if scope.tracing is not None:
                    scope.tracing.explanation = None
        return wrap(self._at(int(global_step)).reshape(global_step.shape))

    def _at(self, step: int) -> torch.Tensor:
        rates = self.learning_rate._t
        if step >= len(rates):
            raise self._ended(step)
        return rates[step]

    def _ended(self, step: int) -> RuntimeError:
        return RuntimeError(
            f"For '{self._optimizer}', the learning rates end after {len(self.learning_rate._t)} steps, and this is "
            f"step {step + 1}. Give one for every step."
        )


class _ConstantRate(LearningRateSchedule):
    """A constant learning rate among schedules."""

    def __init__(self, learning_rate: Parameter) -> None:
        super().__init__()
        self.learning_rate = learning_rate

    def construct(self, global_step: Tensor) -> Tensor:
        return self.learning_rate.value()


class _ScaledDecay(Cell):
    """A weight decay that changes with the step, times the loss scale."""

    def __init__(self, weight_decay: Cell, loss_scale: float) -> None:
        super().__init__(auto_prefix=False)
        self.weight_decay = weight_decay
        self.loss_scale = loss_scale

    def construct(self, global_step: Tensor) -> Tensor:
        return wrap(self.weight_decay(global_step)._t * self.loss_scale)


def centralized(gradient: torch.Tensor) -> torch.Tensor:
    """Return the gradient less its mean over all axes but the first."""
    if gradient.dim() < 2 or gradient.shape[1] % 16:
        return gradient
    return gradient - gradient.mean(dim=tuple(range(1, gradient.dim())), keepdim=True)


def _as_tensor(decay: Any) -> Any:
    return decay if isinstance(decay, Cell) else Tensor(decay, mstype.float32)


def _as_list(parameters: Any) -> list[Any]:
    """Return the parameters or the groups as a list, all of one kind."""
    if parameters is None:
        raise ValueError("For 'Optimizer', 'parameters' must not be None. Give a list of Parameters or of groups.")
    if not isinstance(parameters, Iterable):
        raise TypeError(
            f"For 'Optimizer', 'parameters' must be a list of Parameters or of groups, but got {describe(parameters)}."
        )
    given = list(parameters)
    if not given:
        raise ValueError(
            "For 'Optimizer', 'parameters' must not be empty. Is a parameter of the network trainable? Layers in a "
            "list are found only if it is an nn.CellList, and tensors only if they are Parameters."
        )
    if not (all(isinstance(p, Parameter) for p in given) or all(isinstance(p, dict) for p in given)):
        odd = next((p for p in given if not isinstance(p, (Parameter, dict))), given[0])
        hint = "" if isinstance(odd, (Parameter, dict)) else f" of type {type(odd).__name__}"
        raise TypeError(
            f"For 'Optimizer', the elements of 'parameters' must all be Parameters, or all be dicts (groups), "
            f"but got {'an element' + hint if hint else 'both'}."
        )
    return given


def _as_group(group: dict[str, Any]) -> list[Parameter]:
    """Return the parameters of a group, after checking its keys."""
    unknown = [key for key in group if key not in _GROUP_KEYS]
    if unknown:
        raise KeyError(f"For 'Optimizer', the keys of a group must be among {_GROUP_KEYS}, but got {unknown}.")
    if "params" not in group:
        raise KeyError(f"For 'Optimizer', a group needs the key 'params', but has {list(group)}.")
    return _as_parameters(group["params"], "params")


def _as_order(group: dict[str, Any]) -> list[Parameter]:
    if len(group) > 1:
        raise ValueError(f"a group with 'order_params' must have no other key, but has {list(group)}")
    return _as_parameters(group["order_params"], "order_params")


def _as_parameters(value: Any, key: str) -> list[Parameter]:
    parameters: list[Parameter] = _PARAMETERS.take(value, key, "Optimizer")
    if not parameters:
        raise ValueError(f"'{key}' of a group must not be empty")
    return parameters
