"""Update primitives from rows of a table: their names and parameters, and the update rule that they are.

ApplyAdadelta = update_primitive(
    "ApplyAdadelta", "var accum accum_update lr rho epsilon grad", adadelta, "One step of `nn.Adadelta`."
)
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import torch

from torchspore.common.error_classes import also
from torchspore.common.private_torch import set_grad_enabled
from torchspore.common.scopes.scope import writable
from torchspore.common.tensor import Tensor, wrap
from torchspore.engine.arguments.conversions import as_float
from torchspore.engine.failures.errors import describe, explain
from torchspore.engine.primitive import Primitive, primitive
from torchspore.ops.updates.mapped import is_mapped, run_mapped
from torchspore.ops.updates.tensor_lists import check_real, fitting, writable_like

__all__ = ["REQUIRED", "update_primitive"]

REQUIRED = inspect.Parameter.empty  # of an attribute without a default

# What the rules call the inputs and attributes of primitives, where the names differ; None is for the primitive alone.
_RULE_NAMES: dict[str, str | None] = {
    "var": "parameters", "variable": "parameters", "param": "parameters",
    "grad": "gradients", "gradient": "gradients", "delta": "gradients",
    "m": "means", "mean_gradient": "means", "exp_avg": "means",
    "v": "squares", "accum": "squares", "mean_square": "squares", "ms": "squares", "exp_avg_sq": "squares",
    "gradient_squared_accumulator": "squares", "exp_avg_sq_row": "rows", "exp_avg_sq_col": "columns",
    "vhat": "max_squares", "accum_update": "steps", "accum_updata": "steps", "gradient_accumulator": "sums",
    "moment": "moments", "mom": "moments", "accumulation": "moments", "stat": "stats",
    "lr": "rate", "learning_rate": "rate", "weight_decay": "decay", "epsilon": "eps", "global_step": "count",
    "l2_shrinkage": "shrinkage", "use_nesterov": "nesterov", "update_slots": "update", "use_locking": None,
    "enable_scale_parameter": "by_parameter", "enable_first_moment": "with_mean", "enable_weight_decay": "with_decay",
}  # fmt: skip
_STATES = {
    "parameters", "means", "squares", "max_squares", "maxima", "rows", "columns", "steps", "sums", "moments", "stats",
    "linear",
}  # fmt: skip
_TO_WRITE = "a Parameter or a Tensor, which the update writes"
_ATTRIBUTES = {
    "use_locking": "without effect: updates are never disturbed.",
    "use_nesterov": "whether to use Nesterov momentum.",
    "nesterov": "whether to use Nesterov momentum; it needs `dampening` 0.",
    "update_slots": "whether `accum` is updated.",
    "lr": "the learning rate.",
    "lr_power": "the power of the sums that divides the learning rate, <= 0.",
    "l1": "the strength of the first penalty, >= 0.",
    "l2": "the strength of the second penalty, >= 0.",
    "l2_shrinkage": "`2 * l2_shrinkage * var` is added to the gradient, but not to its square.",
    "epsilon": "the term that keeps the denominator from 0.",
    "beta1": "the decay of the mean of the gradients.",
    "beta2": "the decay of the mean of their squares.",
    "rho": "the decay of the mean square.",
    "momentum": "the momentum.",
    "dampening": "the part of the gradient that does not enter the momentum.",
    "weight_decay": "the multiple of the variable that is added to its gradient.",
    "gradient_scale": "the factor of the gradient.",
    "enable_scale_parameter": "whether the learning rate is multiplied by the root mean square of the parameter.",
    "enable_first_moment": "whether the mean `exp_avg` of the updates is applied.",
    "enable_weight_decay": "whether the parameter decays.",
}


def update_primitive(
    name: str,
    inputs: str,
    rule: Callable[..., Any],
    doc: str,
    *,
    attributes: dict[str, Any] | None = None,
    returns: str | None = None,
    names: dict[str, str | None] | None = None,
    unchecked: str = "",
    numbers: bool = False,
    check: Callable[[Any], None] | None = None,
    example: str = "",
) -> type[Primitive]:
    """Make a primitive that applies an update rule in place.

    Args:
        name: the primitive's name.
        inputs: the names of what the call takes: Parameters or Tensors to write, of one shape; the gradient, in their
            data type, or rows of it where there are `indices`; numbers, or tensors without dimensions.
        rule: an update rule. It gets inputs and attributes by its own names; its lists have one element.
        doc: the docstring's first paragraphs.
        attributes: what the constructor takes, flags and floats, with their defaults; `REQUIRED` for none.
        returns: the inputs whose new values the call returns; "" for what the rule returns. Default: all written.
        names: what the rule calls inputs and attributes, where it differs from the common names.
        unchecked: inputs of any shape and data type.
        numbers: whether Tensors without dimensions are read, and the others laid out alike, as fused kernels want.
        check: checks the attributes of a new instance.
        example: the docstring's example.
    """
    names_of_inputs, settings = inputs.split(), attributes or {}
    signature = inspect.Signature(
        [
            *[inspect.Parameter(key, inspect.Parameter.POSITIONAL_OR_KEYWORD) for key in names_of_inputs],
            *[inspect.Parameter(key, inspect.Parameter.KEYWORD_ONLY, default=settings[key]) for key in settings],
        ]
    )
    rule_names = {key: {**_RULE_NAMES, **(names or {})}.get(key, key) for key in signature.parameters}
    written = [key for key in names_of_inputs if rule_names[key] in _STATES]
    returned = written if returns is None else returns.split()
    convert = _Conversion(
        name, [(key, str(rule_names[key]), key in unchecked.split()) for key in names_of_inputs], numbers
    )
    passed = [(key, str(rule_names[key])) for key in settings if rule_names[key] is not None]

    states = [str(rule_names[key]) for key in written]
    outputs = [str(rule_names[key]) for key in returned]

    def run(*values: Any, **given: Any) -> Any:
        was_enabled = torch.is_grad_enabled()
        set_grad_enabled(False)
        try:
            mapped = is_mapped(values)
            arguments = convert(values, mapped)
            for attribute, rule_name in passed:
                arguments[rule_name] = given[attribute]
            if mapped:
                result = run_mapped(rule, arguments, states, numbers=numbers, returns=not returned)
            else:
                result = rule(**arguments)
        except Exception as error:
            raise explain(error, name, dict(zip(names_of_inputs, values))) from None
        finally:
            set_grad_enabled(was_enabled)
        if not returned:
            return wrap(result)
        found = [wrap(arguments[rule_name][0]) for rule_name in outputs]
        return tuple(found) if len(found) > 1 else found[0]

    run.__name__ = run.__qualname__ = name
    run.__module__ = "torchspore.ops.updates.primitives"
    run.__signature__ = signature  # type: ignore[attr-defined]
    flags = [key for key, default in settings.items() if isinstance(default, bool)]
    kinds = {key: "bool" if key in flags else "float" for key in settings}
    run.__annotations__ = {**dict.fromkeys(names_of_inputs, "Any"), **kinds, "return": "Any"}
    required = [key for key, default in settings.items() if default is inspect.Parameter.empty]
    made = primitive(name, run, *required, **{key: settings[key] for key in settings if key not in required})
    made.__doc__ = _documentation(doc, names_of_inputs, returned, settings, example)
    if check is not None:
        _check_instances(made, check)
    return made


class _Conversion:
    """What turns the inputs of a call into the arguments of a rule."""

    def __init__(self, api: str, plan: list[tuple[str, str, bool]], numbers: bool) -> None:
        self.api, self.numbers = api, numbers
        self.sparse = any(key == "indices" for key, _, _ in plan)
        self.plan = [(key, rule_name, _kind(rule_name), unchecked) for key, rule_name, unchecked in plan]
        self.position, self.first = next((i, key) for i, (key, _, kind, _) in enumerate(self.plan) if kind == "state")

    def __call__(self, values: tuple[Any, ...], mapped: bool) -> dict[str, Any]:
        aligned = self.numbers and not mapped
        first = values[self.position]
        if not isinstance(first, Tensor):
            self._refuse_kind(self.first, first, _TO_WRITE)
        variable = first._t
        arguments: dict[str, Any] = {}
        for (key, rule_name, kind, unchecked), value in zip(self.plan, values):
            if kind == "scalar":
                arguments[rule_name] = value if unchecked or type(value) is float else self._scalar(key, value, mapped)
            elif kind == "state":
                if not isinstance(value, Tensor):
                    self._refuse_kind(key, value, _TO_WRITE)
                if not unchecked and value._t.shape != variable.shape:
                    self._refuse_shape(key, value._t, variable)
                kept = writable_like(value, variable) if aligned else writable(value)
                arguments[rule_name] = [kept.detach()]
            else:
                if not isinstance(value, Tensor):
                    self._refuse_kind(key, value, "a Tensor")
                if kind == "indices":
                    arguments[rule_name] = self._indices(key, value._t)
                else:
                    check_real(value._t, self.api, key)
                    arguments[rule_name] = [value._t if unchecked else self._gradient(key, value._t, variable, aligned)]
        return arguments

    def _refuse_kind(self, key: str, value: Any, wanted: str) -> None:
        # MindSpore takes a number for a tensor without dimensions, whose shape then does not fit.
        raise also(TypeError, ValueError)(f"For '{self.api}', '{key}' must be {wanted}, but got {describe(value)}.")

    def _refuse_shape(self, key: str, value: torch.Tensor, variable: torch.Tensor) -> None:
        raise ValueError(
            f"For '{self.api}', '{key}' must have the shape of '{self.first}', {tuple(variable.shape)}, "
            f"but got {tuple(value.shape)}."
        )

    def _gradient(self, key: str, value: torch.Tensor, variable: torch.Tensor, aligned: bool) -> torch.Tensor:
        if self.sparse:
            if value.shape[1:] != variable.shape[1:] or value.dim() != variable.dim():
                raise ValueError(
                    f"For '{self.api}', '{key}' must be rows of a Tensor of shape {tuple(variable.shape)}, but got "
                    f"{describe(value)}."
                )
        elif value.shape != variable.shape:
            self._refuse_shape(key, value, variable)
        return fitting(value.detach(), variable) if aligned else value.detach().to(variable.dtype)

    def _indices(self, key: str, value: torch.Tensor) -> torch.Tensor:
        if value.dim() != 1 or value.dtype not in (torch.int32, torch.int64):
            raise ValueError(f"For '{self.api}', '{key}' must be a Tensor of int32 or int64 with 1 dimension.")
        return value

    def _scalar(self, key: str, value: Any, mapped: bool) -> Any:
        if self.numbers and not mapped:
            return float(as_float(value, self.api, key))
        if isinstance(value, Tensor) and value._t.numel() == 1:
            return value._t.detach().reshape(())
        return value if isinstance(value, (int, float)) else as_float(value, self.api, key)


def _kind(rule_name: str) -> str:
    if rule_name in _STATES:
        return "state"
    return {"gradients": "gradient", "indices": "indices"}.get(rule_name, "scalar")


def _check_instances(made: type[Primitive], check: Callable[[Any], None]) -> None:
    """Let the constructor check the attributes."""
    init: Callable[..., None] = made.__init__

    @functools.wraps(init)
    def checked(self: Any, *args: Any, **kwargs: Any) -> None:
        init(self, *args, **kwargs)
        check(self)

    made.__init__ = checked  # type: ignore[method-assign]


def _documentation(doc: str, inputs: list[str], returned: list[str], attributes: dict[str, Any], example: str) -> str:
    call = f"The call takes ({', '.join(inputs)})"
    if returned:
        values = f"values of ({', '.join(returned)})" if len(returned) > 1 else f"value of `{returned[0]}`"
        call += f" and returns the new {values}"
    parts = [inspect.cleandoc(doc), f"{call}."]
    if attributes:
        lines = [
            f"    {key}: {_ATTRIBUTES[key]}" + ("" if default is inspect.Parameter.empty else f" Default: {default}.")
            for key, default in attributes.items()
        ]
        parts.append("\n".join(["Args:", *lines]))
    if example:
        parts.append("Examples:\n" + "\n".join(f"    {line}" for line in inspect.cleandoc(example).splitlines()))
    return "\n\n".join(parts)
