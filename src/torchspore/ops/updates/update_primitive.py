"""Update primitives from rows of a table: the names of their inputs, and the update rule that they are.

ApplyAdadelta = update_primitive(
    "ApplyAdadelta", "var accum accum_update lr rho epsilon grad", adadelta, "One step of Adadelta, in place."
)
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import torch

from torchspore.common.scope import writable
from torchspore.common.tensor import Tensor, wrap
from torchspore.engine.arguments import as_float
from torchspore.engine.checks import check_bool
from torchspore.engine.errors import describe, explain
from torchspore.engine.primitive import Primitive, primitive
from torchspore.ops.updates.tensor_lists import check_real, fitting, writable_like

__all__ = ["update_primitive"]

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
_WRITTEN = {
    "parameters", "means", "squares", "max_squares", "maxima", "rows", "columns", "steps", "sums", "moments", "stats",
    "linear",
}  # fmt: skip
_ATTRIBUTES = {
    "use_locking": "without effect: updates are never disturbed.",
    "use_nesterov": "whether the gradient is taken where the momentum leads to.",
    "nesterov": "whether the gradient is taken where the momentum leads to; it needs `dampening` 0.",
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
    "gradient_scale": "must be 1.0.",
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
    returns: str | None = None,
    names: dict[str, str | None] | None = None,
    unchecked: str = "",
    numbers: bool = False,
    check: Callable[[Any], None] | None = None,
    example: str = "",
    **attributes: Any,
) -> type[Primitive]:
    """Make a primitive that applies an update rule in place.

    Args:
        name: the name of the class.
        inputs: the names of what the call takes. The rule gets them, and the attributes, by its own names: Parameters
            or Tensors to write, of one shape; the gradient, in their data type, or rows of it where there are
            "indices"; all others are numbers, or tensors without dimensions.
        rule: an update rule. Lists have one element.
        doc: the docstring's first paragraphs.
        returns: the inputs whose new values the call returns; "" for what the rule returns. Default: all written.
        names: what the rule calls inputs and attributes, where it differs from the common names.
        unchecked: inputs of any shape and data type.
        numbers: whether Tensors without dimensions are read, and the others laid out alike, as fused kernels want.
        check: checks the attributes of a new instance.
        example: the docstring's example.
        attributes: what the constructor takes, with defaults, or the type `float` where there is none.
    """
    order = inputs.split()
    rule_names = {key: ({**_RULE_NAMES, **(names or {})}).get(key, key) for key in (*order, *attributes)}
    written = [key for key in order if rule_names[key] in _WRITTEN]
    returned = written if returns is None else returns.split()
    plan = [(key, str(rule_names[key]), key in unchecked.split()) for key in order]
    convert = _Conversion(name, plan, written[0], numbers)
    passed = [(key, str(rule_names[key])) for key in attributes if rule_names[key] is not None]

    def run(*values: Any, **given: Any) -> Any:
        with torch.no_grad():
            arguments = convert(values)
            for attribute, rule_name in passed:
                arguments[rule_name] = given[attribute]
            try:
                result = rule(**arguments)
            except Exception as error:
                raise explain(error, name, dict(zip(order, values))) from None
        found = [wrap(arguments[str(rule_names[key])][0]) for key in returned]
        return (tuple(found) if len(found) > 1 else found[0]) if found else wrap(result)

    required = [key for key, value in attributes.items() if value is float]
    defaults = {key: value for key, value in attributes.items() if value is not float}
    _describe_call(run, name, order, attributes)
    made = primitive(name, run, *required, **defaults)
    made.__doc__ = _documentation(name, doc, order, returned, attributes, example)
    _check_instances(made, [key for key, value in defaults.items() if isinstance(value, bool)], check)
    return made


class _Conversion:
    """What turns the inputs of a call into the arguments of a rule."""

    def __init__(self, api: str, plan: list[tuple[str, str, bool]], first: str, numbers: bool) -> None:
        self.api, self.plan, self.first, self.numbers = api, plan, first, numbers
        self.sparse = any(key == "indices" for key, _, _ in plan)

    def __call__(self, values: tuple[Any, ...]) -> dict[str, Any]:
        variable = self._variable(values)
        arguments: dict[str, Any] = {}
        for (key, rule_name, unchecked), value in zip(self.plan, values):
            if rule_name in _WRITTEN:
                self._check_tensor(key, value, "a Parameter or a Tensor, which the update writes")
                if not unchecked:
                    self._check_shape(key, value._t, variable)
                kept = writable_like(value, variable) if self.numbers else writable(value)
                arguments[rule_name] = [kept.detach()]
            elif rule_name == "gradients":
                self._check_tensor(key, value, "a Tensor")
                check_real(value._t, self.api, key)
                arguments[rule_name] = [value._t if unchecked else self._gradient(key, value._t, variable)]
            elif rule_name == "indices":
                self._check_tensor(key, value, "a Tensor")
                if value._t.dim() != 1 or value._t.dtype not in (torch.int32, torch.int64):
                    raise ValueError(f"For '{self.api}', '{key}' must be a Tensor of int32 or int64 with 1 dimension.")
                arguments[rule_name] = value._t
            else:
                arguments[rule_name] = value if unchecked else self._scalar(key, value)
        return arguments

    def _variable(self, values: tuple[Any, ...]) -> torch.Tensor:
        """Return the tensor whose shape the others must have."""
        value = values[next(i for i, (key, _, _) in enumerate(self.plan) if key == self.first)]
        self._check_tensor(self.first, value, "a Parameter or a Tensor, which the update writes")
        return value._t

    def _check_tensor(self, key: str, value: Any, wanted: str) -> None:
        if not isinstance(value, Tensor):
            raise TypeError(f"For '{self.api}', '{key}' must be {wanted}, but got {describe(value)}.")

    def _check_shape(self, key: str, value: torch.Tensor, variable: torch.Tensor) -> None:
        if value.shape != variable.shape:
            raise ValueError(
                f"For '{self.api}', '{key}' must have the shape of '{self.first}', {tuple(variable.shape)}, "
                f"but got {tuple(value.shape)}."
            )

    def _gradient(self, key: str, value: torch.Tensor, variable: torch.Tensor) -> torch.Tensor:
        if not self.sparse:
            self._check_shape(key, value, variable)
        elif value.shape[1:] != variable.shape[1:] or value.dim() != variable.dim():
            raise ValueError(
                f"For '{self.api}', '{key}' must be rows of a Tensor of shape {tuple(variable.shape)}, but got "
                f"{describe(value)}."
            )
        value = value.detach()
        return fitting(value, variable) if self.numbers else value.to(variable.dtype)

    def _scalar(self, key: str, value: Any) -> Any:
        if self.numbers:
            return float(as_float(value, self.api, key))
        if isinstance(value, Tensor) and value._t.numel() == 1:
            return value._t.detach().reshape(())
        return value if isinstance(value, (int, float)) else as_float(value, self.api, key)


def _describe_call(run: Any, name: str, inputs: list[str], attributes: dict[str, Any]) -> None:
    """Give a function the signature from which `primitive` makes a class."""
    kinds = {key: "float" if value is float else type(value).__name__ for key, value in attributes.items()}
    run.__name__ = run.__qualname__ = name
    run.__module__ = "torchspore.ops.updates.primitives"
    run.__annotations__ = {**dict.fromkeys(inputs, "Any"), **kinds, "return": "Any"}
    kind = inspect.Parameter
    run.__signature__ = inspect.Signature(
        [kind(key, kind.POSITIONAL_OR_KEYWORD, annotation="Any") for key in inputs]
        + [
            kind(key, kind.KEYWORD_ONLY, default=kind.empty if value is float else value, annotation=kinds[key])
            for key, value in attributes.items()
        ]
    )


def _check_instances(made: type[Primitive], flags: list[str], check: Callable[[Any], None] | None) -> None:
    """Let the constructor check the attributes."""
    init: Callable[..., None] = made.__init__

    @functools.wraps(init)
    def checked(self: Any, *args: Any, **kwargs: Any) -> None:
        init(self, *args, **kwargs)
        for flag in flags:
            check_bool(getattr(self, flag), flag, made.__name__)
        if check is not None:
            check(self)

    if flags or check:
        made.__init__ = checked  # type: ignore[method-assign]


def _documentation(
    name: str, doc: str, inputs: list[str], returned: list[str], attributes: dict[str, Any], example: str
) -> str:
    call = f"The call takes ({', '.join(inputs)})"
    if returned:
        values = f"values of ({', '.join(returned)})" if len(returned) > 1 else f"value of `{returned[0]}`"
        call += f" and returns the new {values}"
    parts = [inspect.cleandoc(doc), f"{call}."]
    if attributes:
        lines = [
            f"    {key}: {_ATTRIBUTES[key]}" + ("" if value is float else f" Default: {value}.")
            for key, value in attributes.items()
        ]
        parts.append("\n".join(["Args:", *lines]))
    parts.append("Raises:\n    TypeError: an argument is of a wrong type.\n    ValueError: the shapes do not fit.")
    if example:
        parts.append("Examples:\n" + "\n".join(f"    {line}" for line in inspect.cleandoc(example).splitlines()))
    parts.append(f"MindSpore: `mindspore.ops.{name}`.\n")
    return "\n\n".join(parts)
