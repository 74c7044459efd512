"""Parameters that MindSpore names differently in one of the forms of an operation."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from torchspore.engine.parameter_names import with_parameters

__all__ = ["rename_parameters", "with_positions"]

# By function, and by primitive for its call: the operation's name=MindSpore's.
_FUNCTIONS = {
    "arcsin": "input=x",
    "deg2rad": "input=x",
    "floor_div": "input=x other=y",
    "floormod": "input=x other=y",
    "invert": "input=x",
    "isnan_ext": "input=tensor",
    "rad2deg": "input=x",
    "shape_": "input_x=x",
    "sqrt": "input=x",
    "tensor_mod": "input=x other=y",
    "tensor_slice": "input_x=input",
    "true_divide": "input=dividend other=divisor",
    "vstack": "tensors=inputs",
}
_CALLS = {
    "BCEWithLogitsLoss": "pos_weight=posWeight",
    "BinaryCrossEntropy": "logits=input labels=target",
    "Cast": "input=input_x",
    "FloorMod": "input=x other=y",
    "LeftShift": "input=x1 other=x2",
    "LogicalAnd": "input=x other=y",
    "LogicalOr": "input=x other=y",
    "Rank": "input_x=x",
    "ReverseV2": "x=input",
    "RightShift": "input=input_x other=input_y",
    "ScalarToTensor": "input_x=x",
    "Shape": "input_x=x",
    "Slice": "input_x=input",
    "SmoothL1Loss": "input=prediction",
    "Sqrt": "input=x",
    "TensorScatterElements": "input_x=data",
    "TensorToTuple": "input_tensor=x",
    "TransposeExtView": "axis0=dim0 axis1=dim1",
    "TransposeView": "dims=input_perm",
}


def _pairs(names: str) -> dict[str, str]:
    return dict(name.split("=") for name in names.split())


def rename_parameters(names: dict[str, Any]) -> None:
    """Give the operations of a package the parameters that MindSpore has there.

    Args:
        names: the names of the package, whose functions are replaced.
    """
    for name, pairs in _FUNCTIONS.items():
        names[name] = with_parameters(names[name], **_pairs(pairs))
    for name, pairs in _CALLS.items():
        names[name].__call__ = with_parameters(names[name].__call__, **_pairs(pairs))


def with_positions(function: Callable[..., Any], **renamed: str) -> Callable[..., Any]:
    """Return a function that takes its keyword-only parameters by position, too.

    Args:
        function: the function.
        renamed: other names of its parameters, the function's name=the new one.
    """
    parameters = list(inspect.signature(function).parameters.values())
    order = [p.name for p in parameters]
    by_keyword = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]
    count = len(order) - len(by_keyword)
    old = {new: name for name, new in renamed.items()}

    def form(*args: Any, **named: Any) -> Any:
        given = {old.get(name, name): value for name, value in named.items()}
        return function(*args[:count], **dict(zip(by_keyword, args[count:])), **given)

    taken = [
        p.replace(name=renamed.get(p.name, p.name), kind=p.POSITIONAL_OR_KEYWORD if p.name in by_keyword else p.kind)
        for p in parameters
    ]
    form.__signature__ = inspect.Signature(taken)  # type: ignore[attr-defined]
    form.__name__, form.__doc__, form.__module__ = function.__name__, function.__doc__, function.__module__
    return form
