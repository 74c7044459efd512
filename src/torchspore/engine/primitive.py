"""Primitives: operations as classes, whose constructor takes the attributes and whose call takes the inputs.

    ReduceSum = primitive("ReduceSum", sum, keep_dims=False)     # ReduceSum(keep_dims=True)(x, axis) -> sum(x, axis, ...)

A primitive that differs from the function in more than this is a short class with a body of its own.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

__all__ = ["Primitive", "primitive"]


class Primitive:
    """The base of all primitives.

    Args:
        name: the primitive's name. Default: the name of the class.

    MindSpore: `mindspore.ops.Primitive`.
    """

    def __init__(self, name: str | None = None) -> None:
        self.name = name or type(self).__name__

    def __call__(self, *inputs: Any) -> Any:
        """Compute the outputs; every primitive defines it."""
        raise NotImplementedError(f"For '{type(self).__name__}', define '__call__' in the subclass.")

    @property
    def attrs(self) -> dict[str, Any]:
        """The attributes."""
        return {name: value for name, value in self.__dict__.items() if name != "name"}

    def add_prim_attr(self, name: str, value: Any) -> Primitive:
        """Set an attribute and return the primitive."""
        self.__dict__[name] = value
        return self

    def del_prim_attr(self, name: str) -> Primitive:
        """Delete an attribute and return the primitive."""
        self.__dict__.pop(name, None)
        return self

    def set_prim_instance_name(self, name: str) -> Primitive:
        """Set the attribute `instance_name` and return the primitive."""
        return self.add_prim_attr("instance_name", name)

    def init_prim_io_names(self, inputs: list[str], outputs: list[str]) -> None:
        """Set the attributes `input_names` and `output_names`."""
        self.add_prim_attr("input_names", inputs)
        self.add_prim_attr("output_names", outputs)

    def __repr__(self) -> str:
        attributes = ", ".join(f"{name}={value}" for name, value in self.attrs.items())
        return f"Prim[{self.name}]" + (f"<{attributes}>" if attributes else "")


def primitive(name: str, function: Callable[..., Any], *required: str, **defaults: Any) -> type[Primitive]:
    """Make the primitive class of an operation.

    Args:
        name: the name of the class.
        function: the operation.
        required: names of the operation's parameters that the constructor takes, without a default.
        defaults: the same with a default.

    Returns:
        A class: its constructor takes the attributes, its call the operation's other parameters, in their order.
    """
    parameters = inspect.signature(function).parameters
    attributes = [*required, *defaults]
    unknown = [attribute for attribute in attributes if attribute not in parameters]
    if unknown:
        raise TypeError(f"primitive '{name}': the operation '{function.__name__}' has no parameters {unknown}")
    constructor = ", ".join(["self", *required, *[f"{attribute}=defaults[{attribute!r}]" for attribute in defaults]])
    stored = "".join(f"\n    self.{attribute} = {attribute}" for attribute in attributes)
    taken, passed = ["self"], []
    for p in parameters.values():
        if p.name in attributes:
            passed.append(f"{p.name}=self.{p.name}")
        elif p.kind is p.VAR_POSITIONAL:
            taken.append(f"*{p.name}")
            passed.append(f"*{p.name}")
        else:
            taken.append(p.name if p.default is p.empty else f"{p.name}=inputs[{p.name!r}]")
            passed.append(p.name if p.kind is not p.KEYWORD_ONLY else f"{p.name}={p.name}")
    passed.sort(key=lambda argument: "=" in argument)
    source = (
        f"def __init__({constructor}):\n    self.name = {name!r}{stored}\n\n"
        f"def __call__({', '.join(taken)}):\n    return function({', '.join(passed)})\n"
    )
    inputs = {p.name: p.default for p in parameters.values() if p.default is not p.empty}
    namespace: dict[str, Any] = {"function": function, "defaults": defaults, "inputs": inputs}
    exec(compile(source, f"<primitive {name}>", "exec"), namespace)
    doc = f"The operation `{function.__name__}` as a primitive.\n\nMindSpore: `mindspore.ops.{name}`.\n"
    members = {
        "__init__": namespace["__init__"],
        "__call__": namespace["__call__"],
        "__doc__": doc,
        "__module__": function.__module__,
    }
    return type(name, (Primitive,), members)
