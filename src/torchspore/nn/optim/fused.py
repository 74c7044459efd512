"""The step of the optimizers here: one call of an update rule for all parameters of a group, checked beforehand."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import is_
from typing import Any, ClassVar

import torch

from torchspore.common import dtype as mstype
from torchspore.common import mode
from torchspore.common.parameter import Parameter, ParameterTuple
from torchspore.common.private_torch import no_modes, set_grad_enabled
from torchspore.common.scopes.scope import concrete, scope, writable
from torchspore.common.tensor import Tensor
from torchspore.engine.failures.errors import describe
from torchspore.nn.cell import Cell
from torchspore.nn.layer.checks import FLOATS
from torchspore.nn.optim.optimizer import SCALE, Optimizer, _ConstantRate, centralized
from torchspore.ops.updates.rules import decayed
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

__all__ = ["Bucket", "FusedOptimizer", "PiecewiseOptimizer", "scalar_of"]


class Bucket:
    """The torch tensors that one call of the rule updates: of one dtype, with one rate, decay and centralization.

    `positions` are where its parameters are among all, None for all; `states` has one list for each kind of state;
    `settings` are the hyperparameters; `memo` is what the optimizer remembers about these tensors.
    """

    __slots__ = ("centralizes", "decay", "memo", "parameters", "positions", "rate", "settings", "states")

    def __init__(self, positions: list[int] | None, rate: Any, decay: Any, centralizes: bool) -> None:
        self.positions = positions
        self.rate = rate
        self.decay = decay
        self.centralizes = centralizes
        self.parameters: Tensors = []
        self.states: list[Tensors] = []
        self.settings: dict[str, Any] = {}
        self.memo: Any = None

    def of(self, tensors: Tensors) -> Tensors:
        """Return the tensors at the bucket's positions."""
        positions = self.positions
        return tensors if positions is None else [tensors[position] for position in positions]


class _Plan:
    """What a step needs, prepared once; valid until a parameter or state gets another tensor."""

    def __init__(self, optimizer: FusedOptimizer) -> None:
        self.parameters = optimizer.parameters
        states: list[ParameterTuple] = [getattr(optimizer, name) for name in optimizer._state_names]
        for parameter, *own in zip(self.parameters, *states):
            FLOATS.take(parameter, parameter.name, type(optimizer).__name__)
            for state in own:
                if state._t.shape != parameter._t.shape:
                    raise ValueError(
                        f"For '{type(optimizer).__name__}', the state '{state.name}' has the shape {state.shape}, but "
                        f"'{parameter.name}' now has {parameter.shape}. Create the optimizer again."
                    )
        values = [writable(parameter) for parameter in self.parameters]
        self.whole = values
        is_elementwise = optimizer._is_elementwise and not optimizer.grad_centralization
        cutting = None if mode.reader is None else mode.reader.cutting
        is_cut = cutting is not None and any(map(cutting.holds, values))
        self.cutting: Any = cutting if is_cut else None
        self.is_whole = self.cutting is not None and not is_elementwise
        self.placements: list[Any] = []
        if self.cutting is not None:
            self.placements = list(map(self.cutting.updated_as, values))
            values = list(map(self._part, values, self.placements))
        self.fused = all(can_fuse(value.device) for value in values if not value.is_meta)
        align = writable_like if self.fused and self.cutting is None else lambda state, value: writable(state)
        kept = [[align(state, value) for state, value in zip(kind, values)] for kind in states]
        self.tensors: list[Parameter] = [*self.parameters, *[state for kind in states for state in kind]]
        self.known_tensors: Tensors = [*self.whole, *[value for kind in kept for value in kind]]
        if self.cutting is not None:
            kept = [list(map(self._part, kind, self.placements)) for kind in kept]
        self.values = values
        self.updated = [*values, *[value for kind in kept for value in kind]]
        self.shapes = [value.shape for value in values]
        self.strides = [value.stride() for value in values]
        self.dtypes = [value.dtype for value in values]
        self.devices = [value.device for value in values]
        # Parameters on "meta" belong to another process.
        self.buckets = [bucket for bucket in _buckets(optimizer, values) if not bucket.of(values)[0].is_meta]
        for bucket in self.buckets:
            bucket.parameters = bucket.of(values)
            bucket.states = [bucket.of(kind) for kind in kept]
            bucket.settings = optimizer._settings()
        self.done = (True,) * len(values) if optimizer._returns_each else True

    def is_valid(self) -> bool:
        """Return whether parameters and states still have the same tensors."""
        return not self.is_whole and all(map(is_, [parameter._t for parameter in self.tensors], self.known_tensors))

    def _part(self, value: torch.Tensor, placements: Any) -> torch.Tensor:
        """Return what this process updates of a tensor that is cut: its part, or all of it."""
        part: torch.Tensor = self.cutting.whole(value) if self.is_whole else self.cutting.part(value, placements)
        return part

    def write_back(self) -> None:
        """Give all processes what they hold of the parameters that others have updated."""
        if self.is_whole:
            for value, whole in zip(self.known_tensors, self.updated):
                self.cutting.write(value, whole)
        else:
            for value, placements in zip(self.whole, self.placements):
                self.cutting.gather(value, placements)

    def accept(self, gradients: Any, api: str) -> Tensors:
        """Return the torch tensors of the gradients, laid out like the parameters'."""
        try:
            given: Tensors = [gradient._t for gradient in gradients]
        except AttributeError:
            odd = next((i, g) for i, g in enumerate(gradients) if not hasattr(g, "_t"))
            raise TypeError(
                f"For '{api}', the gradients must be Tensors, but at {odd[0]} got {describe(odd[1])}."
            ) from None
        if self.cutting is not None and len(given) == len(self.whole):
            if self.is_whole:
                given = list(map(self.cutting.whole, given))
            else:
                given = self.cutting.parts(given, self.whole, self.placements)
        if [value.shape for value in given] != self.shapes:
            raise ValueError(self._explain(given, api))
        if (
            [value.stride() for value in given] != self.strides
            or [value.dtype for value in given] != self.dtypes
            or [value.device for value in given] != self.devices
        ):
            for value in given:
                check_real(value, api)
            given = [fitting(gradient, value) for gradient, value in zip(given, self.values)]
        return given

    def _explain(self, given: Tensors, api: str) -> str:
        if len(given) != len(self.shapes):
            return (
                f"For '{api}', there must be one gradient for each of the {len(self.shapes)} parameters, "
                f"but got {len(given)}."
            )
        parameter, gradient = next((p, g) for p, g in zip(self.parameters, given) if g.shape != p._t.shape)
        return (
            f"For '{api}', the gradient of '{parameter.name}' must have its shape, {parameter.shape}, "
            f"but got {describe(gradient)}."
        )


class FusedOptimizer(Optimizer):
    """An optimizer of which a subclass names the update rule, its states and its hyperparameters."""

    _rule: Callable[..., None]  # a function of `ops.updates.rules`, as a static method
    # The attributes with a state for each parameter, in the order of the rule and of `Bucket.states`.
    _state_names: tuple[str, ...] = ()
    # What the rule calls the hyperparameters, and the attributes that hold them.
    _hyperparameters: ClassVar[dict[str, str]] = {}
    _returns_each = True  # whether a step returns a tuple of True for the parameters, or one True, as in MindSpore
    _is_elementwise = True  # whether each element is updated without regard to the others of its parameter
    _centralizes = True  # whether "grad_centralization" of groups has an effect, as in MindSpore
    _plan: _Plan | None = None
    _caches = Cell._caches | {"_plan", "_known", "init_params", "init_args"}  # no step reads the last two

    def _states(self, prefix: str, init: str | float) -> ParameterTuple:
        """Return a new state for each parameter, ordered in memory like it: the kernels walk through both at once."""
        states = self.parameters.clone(prefix, init)
        for state, parameter in zip(states, self.parameters):
            writable_like(state, parameter._t)
        return states

    def construct(self, gradients: Any) -> tuple[bool, ...] | bool:
        """Change the parameters by their gradients, a tuple or list of Tensors in the order of `parameters`.

        Returns:
            A tuple of True, one for each parameter; of `ASGD` and `Rprop` True.

        Raises:
            TypeError: `gradients` is not a tuple or list of Tensors, or one is complex.
            ValueError: their number or a shape differs from the parameters'. Nothing was changed then.
        """
        if not isinstance(gradients, (tuple, list)):
            raise TypeError(
                f"For '{type(self).__name__}', the gradients must be a tuple or list of Tensors, "
                f"but got {describe(gradients)}. The gradients of the parameters come from "
                "ms.value_and_grad(function, None, optimizer.parameters)."
            )
        was_enabled = torch.is_grad_enabled()
        set_grad_enabled(False)
        try:
            plan = self._current_plan()
            given = plan.accept(gradients, type(self).__name__)
            # Whatever can fail comes before the first write.
            settings = [(self._rate(bucket.rate), self._decay(bucket.decay)) for bucket in plan.buckets]
            correction = self._begin_step()
            for bucket, (rate, decay) in zip(plan.buckets, settings):
                values = bucket.of(given)
                if self.need_scale:
                    values = list(torch._foreach_mul(values, self.reciprocal_scale._t))
                if bucket.centralizes:
                    values = [centralized(value) for value in decayed(bucket.parameters, values, decay)]
                    decay = 0.0
                self._update(bucket, values, rate * correction, decay, plan.fused)
            if plan.cutting is not None:
                plan.write_back()
            self._end_step()
        finally:
            set_grad_enabled(was_enabled)
        return plan.done

    def _update(self, bucket: Bucket, gradients: Tensors, rate: Scalar, decay: Scalar, fused: bool) -> None:
        """Apply the rule to the parameters of a bucket."""
        self._rule(bucket.parameters, gradients, *bucket.states, rate=rate, decay=decay, fused=fused, **bucket.settings)

    def _settings(self) -> dict[str, Any]:
        """Return the hyperparameters, by the rule's names; they hold until an attribute is assigned."""
        return {name: getattr(self, attribute) for name, attribute in self._hyperparameters.items()}

    def _begin_step(self) -> Scalar:
        """Change what all parameters share; return a factor of the learning rate."""
        return 1.0

    def _end_step(self) -> None:
        if is_traced():
            writable(self.global_step).add_(1)
        else:
            self._write("global_step", self._read("global_step") + 1)

    # The plan, rebuilt when an attribute is assigned

    def _current_plan(self) -> _Plan:
        if scope.depth or is_traced():
            return _Plan(self)
        plan = self._plan
        if plan is None or not plan.is_valid():
            plan = self.__dict__["_plan"] = _Plan(self)
        return plan

    def __setattr__(self, name: str, value: Any) -> None:
        self.__dict__["_plan"] = None
        before: Any = self.__dict__.get(name)
        super().__setattr__(name, value)
        if "param_length" in self.__dict__:  # the constructor is done
            if name == "loss_scale":
                self._rescale(before)
            elif name == "weight_decay":
                self._note_decay()

    def _rescale(self, before: float) -> None:
        """Update what depends on the loss scale, such as the weight decay, a multiple of it."""
        scale = SCALE.take(self.loss_scale, "loss_scale", type(self).__name__)
        self.need_scale = scale != 1.0
        self.reciprocal_scale = Tensor(1.0 / scale, mstype.float32)

        def rescaled(decay: Any) -> Any:
            if not isinstance(decay, Cell):
                return decay * (scale / before)
            decay.loss_scale = scale
            return decay

        decays = self.weight_decay
        self.weight_decay = tuple(map(rescaled, decays)) if self.is_group else rescaled(decays)

    def _note_decay(self) -> None:
        """Update the flags that say whether there is a weight decay."""
        if self.is_group:
            self.decay_flags = tuple([isinstance(decay, Cell) or bool(decay > 0) for decay in self.weight_decay])
            self.exec_weight_decay = any(self.decay_flags)
        else:
            self.exec_weight_decay = isinstance(self.weight_decay, Cell) or bool(self.weight_decay > 0)

    def __getstate__(self) -> dict[str, Any]:
        return super().__getstate__() | {"_plan": None, "_known": {}}

    # Values of one element

    def _read(self, name: str) -> Any:
        """Return the value of a parameter with one element as a number.

        It is read from a device other than the CPU only after another write to it: reading waits for the device.
        """
        value = concrete(self.__dict__[name])
        if _reads_at_once(value):
            return value.item()
        known = self._remembered().get(name)
        if known is None or known[0] is not value or known[1] != value._version:
            with no_modes():
                known = self._remembered()[name] = (value, value._version, value.item())
        return known[2]

    def _write(self, name: str, number: Any) -> None:
        value = writable(self.__dict__[name])
        value.fill_(number)
        if not _reads_at_once(value):
            self._remembered()[name] = (value, value._version, number)

    def _multiply(self, name: str, factor: float) -> Scalar:
        """Multiply a parameter of one element by a number; return the new value, as a tensor in a graph."""
        if is_traced():
            return writable(self.__dict__[name]).mul_(factor).reshape(())
        value = self._read(name) * factor
        self._write(name, value)
        return value

    def _count(self) -> Scalar:
        """Return the number of this step, from 1 on, as a tensor in a graph."""
        return self.global_step._t.reshape(()) + 1 if is_traced() else self._read("global_step") + 1

    def _remembered(self) -> dict[str, tuple[torch.Tensor, int, Any]]:
        """Return the values last read or written, by name: the torch tensor, its version, the number."""
        return self.__dict__.setdefault("_known", {})

    def _rate(self, source: Any) -> Scalar:
        """Return the learning rate of this step: as a number if that does not wait for a device."""
        if isinstance(source, Parameter):
            rate = source._t
        elif source._at is not None and not is_traced():
            rate = source._at(self._read("global_step"))
            if isinstance(rate, float):
                return rate
        else:
            rate = source(self.global_step)._t
        return scalar_of(rate)

    def _decay(self, source: Any) -> Scalar:
        """Return the weight decay of this step, for gradients that are divided by the loss scale."""
        if not isinstance(source, Cell):
            return source
        return scalar_of(source(self.global_step)._t) / self.loss_scale


class PiecewiseOptimizer(FusedOptimizer):
    """An optimizer whose rule treats each element separately and has no fused kernel: it goes over small pieces."""

    def _update(self, bucket: Bucket, gradients: Tensors, rate: Scalar, decay: Scalar, fused: bool) -> None:
        if bucket.memo is None:
            pieces = Pieces(bucket.parameters)
            bucket.memo = pieces, list(zip(pieces.of(bucket.parameters), *map(pieces.of, bucket.states)))
        pieces, known = bucket.memo
        settings = self._step_settings(bucket, rate)
        for (parameters, *states), given in zip(known, pieces.of(gradients)):
            self._rule(parameters, decayed(parameters, given, decay), *states, **settings)
        self._end_update(bucket, rate)

    def _step_settings(self, bucket: Bucket, rate: Scalar) -> dict[str, Any]:
        """Return the hyperparameters of this step, by default the learning rate and those that do not change."""
        return {"rate": rate, **bucket.settings}

    def _end_update(self, bucket: Bucket, rate: Scalar) -> None:
        """Change what the parameters of a bucket share."""


def _reads_at_once(value: torch.Tensor) -> bool:
    """Return whether the value can be read without waiting."""
    return value.is_cpu and not is_traced()


def scalar_of(value: torch.Tensor) -> Scalar:
    """Return a value of one element: as a number if that does not wait for a device."""
    return value.item() if _reads_at_once(value) else without_dimensions(value)


def _buckets(optimizer: FusedOptimizer, values: Tensors) -> list[Bucket]:
    count = len(values)
    rates: Iterable[Any] = optimizer.learning_rate if optimizer.is_group_lr else (optimizer.learning_rate,) * count
    decays = optimizer.weight_decay if optimizer.is_group else (optimizer.weight_decay,) * count
    groups = optimizer.is_group and optimizer._centralizes
    centralizes = optimizer.grad_centralization_flags if groups else (False,) * count
    scale = float(optimizer.reciprocal_scale) if optimizer.need_scale else 1.0
    found: dict[Any, Bucket] = {}
    for position, (rate, decay, flag, centralize, value) in enumerate(
        zip(rates, decays, optimizer.decay_flags, centralizes, values)
    ):
        if isinstance(rate, _ConstantRate):
            rate = rate.learning_rate
        if not flag or not optimizer.exec_weight_decay:
            decay = 0.0
        elif not isinstance(decay, Cell):
            decay = float(decay) * scale
        key = (rate, decay, centralize, value.dtype, value.device)
        bucket = found.setdefault(key, Bucket([], rate, decay, centralize))
        assert bucket.positions is not None
        bucket.positions.append(position)
    if len(found) == 1:
        next(iter(found.values())).positions = None
    return list(found.values())
