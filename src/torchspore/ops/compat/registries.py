"""Registries by primitive: gradients of one's own, and rules that PyTorch makes unnecessary.

MindSpore: `mindspore.ops._register_for_op`, `mindspore.ops._grad_experimental.grad_base`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from torchspore.engine.gradients.custom import call_with_bprop
from torchspore.engine.primitive import Primitive

__all__: list[str] = []  # what packages import, they import by path


def _name(prim: Any) -> str:
    return prim if isinstance(prim, str) else getattr(prim, "__name__", None) or prim.name


class Registry(dict[str, Any]):
    """Functions by the name of a primitive: `@registry.register(Primitive)` enters one."""

    def register(self, prim: Any) -> Callable[[Any], Any]:
        """Return a decorator that enters a function for a primitive: a class, or a name."""

        def enter(function: Any) -> Any:
            self[_name(prim)] = function
            return function

        return enter

    def get(self, prim_obj: Any, default: Any = None) -> Any:
        """Return the function of a primitive or name, or `default`."""
        return super().get(_name(prim_obj), default)


class BpropRegistry(Registry):
    """Gradients of primitives: `register` makes calls of a class of primitives use them.

    A function in it takes the primitive and returns its `bprop`, which takes the inputs, the output and the gradient
    of the output, and returns a tuple of the gradients of the inputs.
    """

    def register(self, prim: Any) -> Callable[[Any], Any]:
        """Return a decorator that enters a function for a class of primitives, or a name, and uses it for the class."""
        enter = super().register(prim)

        def use(getter: Any) -> Any:
            if isinstance(prim, type) and issubclass(prim, Primitive):
                _differentiate(prim, getter)
            return enter(getter)

        return use


def _differentiate(prim: Any, getter: Callable[[Any], Callable[..., Any]]) -> None:
    compute = getattr(prim.__call__, "__wrapped__", prim.__call__)

    @functools.wraps(compute)
    def call(self: Any, *args: Any) -> Any:
        return call_with_bprop(_name(prim), lambda *given: compute(self, *given), getter(self), args, {}, [])

    prim.__call__ = call


bprop_getters = BpropRegistry()
bprops = Registry()


def get_bprop_fn(prim: Primitive) -> Any:
    """Return the `bprop` that `bprop_getters` has for a primitive, or None."""
    getter = bprop_getters.get(prim)
    return None if getter is None else getter(prim)
