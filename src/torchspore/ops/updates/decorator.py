"""The `update_rule` decorator: a function that changes torch tensors in place becomes a primitive.

    @update_rule
    def ApplyGradientDescent(var: Written, alpha: Scalar, delta: Gradient) -> Any:
        return var.sub_(delta * alpha)

The annotations say what an input is; keyword-only parameters are the attributes, which the constructor takes.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeAlias

import torch

from torchspore.common.scope import writable
from torchspore.common.tensor import Tensor
from torchspore.engine.arguments import as_float
from torchspore.engine.checks import check_bool
from torchspore.engine.errors import describe, explain
from torchspore.engine.nested import wrap_tree
from torchspore.engine.primitive import Primitive, primitive
from torchspore.ops.updates.rules import check_real

__all__ = ["Given", "Gradient", "Indices", "Scalar", "Slot", "Written", "update_rule"]

Written: TypeAlias = torch.Tensor  # a Parameter or Tensor to write, of the shape of the first one
Slot: TypeAlias = torch.Tensor  # a Parameter or Tensor to write, of any shape
Given: TypeAlias = torch.Tensor  # a Tensor of any shape and dtype
Gradient: TypeAlias = (
    torch.Tensor
)  # a Tensor of the first one's shape, in its dtype; rows of it where there are indices
Scalar: TypeAlias = Any  # a number, or a Tensor with one element; the rule gets it without dimensions
Indices: TypeAlias = torch.Tensor  # a Tensor of int32 or int64 of shape (rows of the gradient,)


def update_rule(body: Callable[..., Any]) -> type[Primitive]:
    """Make a function that changes torch tensors in place a primitive of its name.

    Args:
        body: the function. It returns the new values, which are wrapped. Bools among the attributes are checked when
            the primitive is called, and `use_locking` has no effect.
    """
    api, signature = body.__name__, inspect.signature(body)
    inputs = {p.name: str(p.annotation) for p in signature.parameters.values() if p.kind is not p.KEYWORD_ONLY}
    attributes = {p.name: p for p in signature.parameters.values() if p.kind is p.KEYWORD_ONLY}
    sparse = "Indices" in inputs.values()

    def run(*values: Any, **given: Any) -> Any:
        for name, value in given.items():
            if attributes[name].annotation == "bool":
                check_bool(value, name, api)
        with torch.no_grad():
            converted = _converted(api, inputs, values, sparse)
            try:
                result = body(*converted, **given)
            except Exception as error:
                raise explain(error, api, dict(zip(inputs, values))) from None
        return wrap_tree(result)

    run.__name__ = run.__qualname__ = api
    run.__module__ = body.__module__
    run.__signature__ = signature  # type: ignore[attr-defined]
    run.__annotations__ = {**dict.fromkeys(inputs, "Any"), **{n: p.annotation for n, p in attributes.items()}}
    run.__annotations__["return"] = "Any"
    required = [name for name, p in attributes.items() if p.default is p.empty]
    made = primitive(api, run, *required, **{n: p.default for n, p in attributes.items() if n not in required})
    made.__doc__ = f"{inspect.getdoc(body)}\n\nMindSpore: `mindspore.ops.{api}`.\n"
    return made


def _converted(api: str, inputs: dict[str, str], values: tuple[Any, ...], sparse: bool) -> list[Any]:
    first, shape = None, torch.Size()
    converted: list[Any] = []
    for (name, kind), value in zip(inputs.items(), values):
        if kind in ("Scalar", "Any"):
            converted.append(_scalar(api, name, value) if kind == "Scalar" else value)
            continue
        if not isinstance(value, Tensor):
            wanted = "a Parameter or a Tensor, which the update writes" if kind in ("Written", "Slot") else "a Tensor"
            raise TypeError(f"For '{api}', '{name}' must be {wanted}, but got {describe(value)}.")
        tensor = value._t
        if kind in ("Written", "Slot"):
            tensor = writable(value).detach()
            first = tensor if first is None else first
            shape = first.shape
        if kind == "Written" and tensor.shape != shape:
            raise ValueError(f"For '{api}', '{name}' must be of shape {tuple(shape)}, but got {describe(value)}.")
        if kind == "Gradient" and first is not None:
            fits = tensor.shape[1:] == shape[1:] if sparse else tensor.shape == shape
            if not fits or tensor.dim() != len(shape):
                rows = "rows of " if sparse else ""
                raise ValueError(
                    f"For '{api}', '{name}' must be {rows}a Tensor of shape {tuple(shape)}, but got {describe(value)}."
                )
            check_real(tensor, api, name)
            tensor = tensor.detach().to(first.dtype)
        if kind == "Given":
            check_real(tensor, api, name)
        if kind == "Indices" and (tensor.dim() != 1 or tensor.dtype not in (torch.int32, torch.int64)):
            raise ValueError(f"For '{api}', '{name}' must be a Tensor of int32 or int64 with 1 dimension.")
        converted.append(tensor)
    return converted


def _scalar(api: str, name: str, value: Any) -> Any:
    if isinstance(value, Tensor) and value._t.numel() == 1:
        return value._t.detach().reshape(())
    return value if isinstance(value, (int, float)) else as_float(value, api, name)
