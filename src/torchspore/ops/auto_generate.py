"""MindSpore's generated operations, `mindspore.ops.auto_generate`: names are resolved on first use.

The names follow rules:

- `Name` is a primitive and `name` a function, from `torchspore.ops`, or from `mint` as a primitive. Endings that only
  select a kernel (`AddExt`, `FmodScalar`, `TransposeView`) are ignored, and `InplaceName` writes into its first input,
  as the tensor's method `name_` does.
- `name_op` is an instance of the primitive. `NamePrim_` and `name_impl` are the primitive whose call also takes the
  attributes, and `pyboost_name(primitive, inputs)` calls it.

Kernels of gradients (`AbsGrad`) are in `ops.gradients`, as are the kernels of `ops.operations._grad_ops`. The kernels
of Ascend cards, and other operations of these cards, only raise NotImplementedError when used.
"""

from __future__ import annotations

import functools
import inspect
import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any as _Any

from torchspore import ops
from torchspore.common.names.unsupported import unsupported
from torchspore.common.tensor import Tensor
from torchspore.engine.primitive import Primitive, primitive
from torchspore.ops.compat.parameters import with_positions
from torchspore.ops.compat.unsupported import refusing
from torchspore.ops.gradients import find_kernel, kernel_names

# What the rules do not say, in `auto_generate.json`:
# - forms: functions of names that the rules do not resolve, as `_normal` writes them, by module;
# - attributes: the parameters of a function that the constructor of its primitive takes;
# - private: primitives that MindSpore keeps in private modules, and where they are; a test compares both;
# - not_of_ops: functions that differ from functions of `ops` with the same names: `mint`'s, or variants;
# - positional: functions that take by position what the operation takes by keyword;
# - parameters: names of parameters that differ there.
_TABLES = json.loads(Path(__file__).with_suffix(".json").read_text())
_FORMS = {name: (module, function) for module, names in _TABLES["forms"].items() for name, function in names.items()}
PRIVATE = {name: module for module, names in _TABLES["private"].items() for name in names}
_MODULES = ("mint.nn.functional", "mint", "mint.linalg", "mint.special", "ops")
_ENDING = re.compile(r"(ext|view|extview|scalartensor|tensorscalar|tensortensor|scalar|tensor|int|s)$")
_GRADIENT = re.compile(r"Grad|Backward|Backprop|(^|_)(grad|backward)(_|$)")
_MAYBE_GRADIENT = re.compile("grad|back", re.IGNORECASE)
_COMMUNICATION = re.compile(r"(Dist|Inner)Comm|(dist|inner)_comm_")
_load: Callable[[str], ModuleType]


def __getattr__(name: str) -> _Any:
    found = None if name.startswith("__") else _find(name)
    if found is None:
        raise AttributeError(
            f"module '{__name__}' has no attribute '{name}'. Use a function or primitive of 'torchspore.ops' or a "
            "function of 'torchspore.mint'."
        )
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *vars(ops)["__all__"]})


def _find(name: str) -> _Any:
    if name in _TABLES["not_of_ops"]:
        return _function(_normal(name))
    if name in vars(ops):
        return vars(ops)[name]
    if name in PRIVATE:
        return getattr(_module(PRIVATE[name]), name)
    if name[0].isupper() and _kernel(name) is not None:
        return _kernel(name)
    plain = re.sub(r"^pyboost_|(Prim_|_op|_impl)$", "", name)
    reason = None if name.startswith("_") else _reason(plain)
    if reason:
        return refusing(name, reason)
    if name.startswith("pyboost_"):
        form = _form(plain)
        return form and (lambda primitive, inputs: form()(*inputs))
    if plain == name:
        if name[0].isupper():
            return _form(name, _TABLES["attributes"].get(name, ()))
        function = _function(_normal(name), forms=name.startswith("inplace_"))
        renamed = _TABLES["parameters"].get(name, {})
        return (
            with_positions(function, **renamed) if function and (renamed or name in _TABLES["positional"]) else function
        )
    form = _form(plain)
    if name.endswith("Prim_"):
        return form
    known = (_primitives().get(_normal(plain)) or _kernel(plain)) if name.endswith("_op") else None
    try:
        return (known or form)()  # type: ignore[misc]
    except TypeError:  # it needs attributes, or there is none
        return form and form()


def _reason(name: str) -> str | None:
    if _GRADIENT.search(name) and _kernel(name) is None:
        return "it is a gradient kernel of Ascend cards. Use `ms.grad`, which differentiates the operation itself."
    if _COMMUNICATION.match(name):
        return "it is a communication kernel. Use `mint.distributed`."
    return _reasons().get(_normal(name))


def _form(name: str, attributes: Sequence[str] = ()) -> type[Primitive] | None:
    """Return the primitive whose call takes the arguments of the function other than its attributes."""
    function = _function(_normal(name))
    if function is None:
        return None
    title = name if name[0].isupper() else "".join(part[:1].upper() + part[1:] for part in name.split("_"))
    try:
        parameters = inspect.signature(function).parameters
    except ValueError:  # a builtin without a signature
        return None
    given = {attribute: parameters[attribute].default for attribute in attributes}
    required = [attribute for attribute, value in given.items() if value is inspect.Parameter.empty]
    return primitive(title, function, *required, **{a: value for a, value in given.items() if a not in required})


def _normal(name: str) -> str:
    """Return a name in lower case, without underscores except for one at its end."""
    return name[:-1].replace("_", "").lower() + name[-1:].lower()


def _kernel(name: str) -> type[Primitive] | None:
    """Return the kernel of a gradient by any spelling of its name."""
    return find_kernel(_kernels().get(_normal(name), "")) if _MAYBE_GRADIENT.search(name) else None


@functools.cache
def _kernels() -> dict[str, str]:
    """Return the names of the kernels of gradients by their normal names."""
    return {_normal(name): name for name in kernel_names()}


def _function(name: str, forms: bool = True) -> Callable[..., _Any] | None:
    """Return the function of a normal name, from `_FORMS` or else by the rules; in reverse order without `forms`."""
    if _kernel(name) is not None:
        return _kernel(name).operation  # type: ignore[union-attr]
    found = (_by_form(name) or _by_rule(name)) if forms else (_by_rule(name) or _by_form(name))
    if found is None and name in _private():
        title = _private()[name]
        found = getattr(getattr(_module(PRIVATE[title]), title), "operation", None)
    return found


@functools.cache
def _private() -> dict[str, str]:
    """Return the names of private primitives by their normal names."""
    return {_normal(name): name for name in PRIVATE}


def _by_form(name: str) -> Callable[..., _Any] | None:
    if name not in _FORMS:
        return None
    module, function = _FORMS[name]
    found = getattr(_module(module), function)
    return _as_function(found) if module == "Tensor" else found


def _by_rule(name: str) -> Callable[..., _Any] | None:
    for stem in (name, _ENDING.sub("", name)):
        for module in _MODULES:
            if stem in _functions(module):
                return _functions(module)[stem]
    written = name.removeprefix("inplace").removesuffix("_")
    for stem in (f"{written}_", _ENDING.sub("", written) + "_"):
        if stem in _methods() and name != written:
            return _as_function(_methods()[stem])
    return None


def _as_function(method: Callable[..., _Any]) -> Callable[..., _Any]:
    """Return a method as a function whose first parameter is `input`."""

    def function(*args: _Any, **kwargs: _Any) -> _Any:
        return method(*args, **kwargs)

    first, *others = inspect.signature(method).parameters.values()
    function.__signature__ = inspect.Signature([first.replace(name="input"), *others])  # type: ignore[attr-defined]
    function.__name__, function.__doc__, function.__module__ = method.__name__, method.__doc__, method.__module__
    return function


def load_packages_with(load: Callable[[str], ModuleType]) -> None:
    """Set the function that imports a module of `torchspore` by its path: most are of packages above this one."""
    global _load
    _load = load


def _module(name: str) -> _Any:
    return Tensor if name == "Tensor" else _load(name)


@functools.cache
def _functions(module: str) -> dict[str, _Any]:
    members = {name: getattr(_module(module), name) for name in _module(module).__all__}
    return {_normal(name): member for name, member in members.items() if inspect.isroutine(member)}


@functools.cache
def _methods() -> dict[str, _Any]:
    names = [name for name in dir(Tensor) if name.endswith("_") and name[0] != "_" and hasattr(Tensor, name)]
    return {_normal(name): getattr(Tensor, name) for name in names}


@functools.cache
def _primitives() -> dict[str, _Any]:
    members = {name: vars(ops)[name] for name in vars(ops)["__all__"]}
    return {
        _normal(name): member
        for name, member in members.items()
        if inspect.isclass(member) and issubclass(member, Primitive)
    }


@functools.cache
def _reasons() -> dict[str, str]:
    return {
        _normal(name): reason for name, reason in {**unsupported("ops"), **unsupported("ops.auto_generate")}.items()
    }
