"""The `recordable` decorator: in recorded graphs an update is one operation, which a compiler gets in simple ones."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import torch

from torchspore.engine.capture.compiling.decomposition import in_simple_operations
from torchspore.ops.updates.tensor_lists import Pieces, as_scalar, can_fuse, fitting, has_tensors, is_recorded

__all__ = ["recordable"]

_library = torch.library.Library("torchspore", "FRAGMENT")
_IN_SCHEMA = {
    "Scalar": "Tensor",
    "Setting": "float",
    "float": "float",
    "bool": "bool",
    "tuple[float, float]": "float[]",
}


def recordable(
    name: str | None = None, kernel: Callable[..., None] | None = None
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Decorate an update rule so that a recorded graph has one operation of it.

    Args:
        name: the operation's name. Default: the name of the rule.
        kernel: a function of the same arguments that takes the step by a fused kernel, for devices that have it.
            Without one, the operation runs the rule in `Pieces`, as it must treat each element separately.

    The rule's annotations are read: `Tensors` are lists that it writes, but for `gradients`; a `Scalar` may change from
    step to step and becomes a tensor; a `Setting` is a constant of the graph, or a tensor, and then there is no such
    operation.
    """

    def decorate(rule: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(rule)
        kinds = {parameter: value.annotation for parameter, value in signature.parameters.items()}
        scalars = [parameter for parameter, kind in kinds.items() if kind == "Scalar"]
        settings = [parameter for parameter, kind in kinds.items() if kind == "Setting"]
        overload = _define(name or f"{rule.__name__}_", rule, kernel, kinds)

        @functools.wraps(rule)
        def call(*args: Any, **kwargs: Any) -> None:
            if not is_recorded(args[0] if args else kwargs["parameters"]):
                rule(*args, **kwargs)
                return
            bound = signature.bind(*args, **kwargs)
            bound.apply_defaults()
            given = bound.arguments
            if has_tensors(*[given[setting] for setting in settings]):
                rule(**given)
                return
            for scalar in scalars:
                given[scalar] = as_scalar(given[scalar], given["parameters"][0])
            overload(**given)

        return call

    return decorate


def _define(name: str, rule: Callable[..., None], kernel: Callable[..., None] | None, kinds: dict[str, str]) -> Any:
    """Define the operation in torch's library; return it."""
    lists = [parameter for parameter, kind in kinds.items() if kind == "Tensors"]
    scalars = [parameter for parameter, kind in kinds.items() if kind == "Scalar"]

    def schema(letter: str, parameter: str, kind: str) -> str:
        written = "Tensor[]" if parameter == "gradients" else f"Tensor({letter}!)[]"
        return f"{_IN_SCHEMA.get(kind, written)} {parameter}"

    def run(*args: Any) -> None:
        given = dict(zip(kinds, args))
        gradients, parameters = given["gradients"], given["parameters"]
        if [g.stride() for g in gradients] != [p.stride() for p in parameters]:  # the graph has the same data types
            given["gradients"] = [fitting(g, p) for g, p in zip(gradients, parameters)]
        for scalar in scalars:
            given[scalar] = given[scalar].item() if given[scalar].is_cpu else given[scalar]
        if kernel is not None:
            (kernel if can_fuse(given["parameters"][0].device) else rule)(**given)
            return
        pieces = Pieces(given["parameters"])
        for piece in zip(*[pieces.of(given[parameter]) for parameter in lists]):
            rule(**{**given, **dict(zip(lists, piece))})

    arguments = ", ".join(schema(letter, *pair) for letter, pair in zip("abcdefghijklmnop", kinds.items()))
    _library.define(f"{name}({arguments}) -> ()")
    _library.impl(name, run, "CompositeExplicitAutograd")
    _library.impl(name, lambda *args: None, "Meta")
    overload = getattr(torch.ops.torchspore, name).default
    in_simple_operations[overload] = rule
    return overload
