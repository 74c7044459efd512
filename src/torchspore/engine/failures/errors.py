"""Exceptions of torch, Python and inner operations, translated to MindSpore's types and the name that was called.

An error names the outermost API between the user's line and its origin: `nn.Dense` rather than the `dense` that it
calls. The name is read from the stack when an error is raised, so a call that succeeds pays nothing for it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from pathlib import Path
from types import FrameType, MappingProxyType, TracebackType
from typing import Any

import numpy as np
import torch

from torchspore.common import device as devices
from torchspore.common.dtype import FROM_TORCH, Type
from torchspore.common.error_classes import also, widened
from torchspore.common.frames.stack import (
    caller,
    code_of,
    file_of,
    module_of,
    names_of,
    owner_of,
    steps,
    upwards,
    was_raised,
)
from torchspore.common.private_torch.error_texts import (
    ABOUT_SHAPES,
    ABOUT_TYPES,
    BEYOND_64_BITS,
    LABEL,
    OF_INDEX,
    OF_NUMBERS,
    says,
)
from torchspore.common.tensor import Tensor
from torchspore.engine.failures.type_names import named_as_here, without_torch

__all__ = ["called_api", "describe", "explain", "kind_of", "of_value"]

_NAMED = re.compile(r"For '([^']*)'")
_PACKAGE = str(Path(__file__).parents[2])
_QUOTED = re.compile(r"'(\w+)'")
_SAYS_WHAT = re.compile(r"\bgot\b|, but |\bgiven:")

# What torch raises for bad arguments.
_FROM_TORCH = (RuntimeError, TypeError, ValueError, IndexError, NotImplementedError)
# What Python raises when code of this package, or of torch, gets an unexpected argument.
_FROM_PYTHON = (ArithmeticError, AssertionError, AttributeError, LookupError, NameError, SystemError)
_NOT_PYTHONS = (RuntimeError, IndexError, *_FROM_PYTHON)
# The wording of Python's own TypeErrors and ValueErrors.
_OF_PYTHON = re.compile(
    r"unsupported operand|'[\w.]+' object|object is not|not subscriptable|to unpack \(expected|not supported between"
    r"|(positional|keyword) argument|argument (of type|after)|unhashable|must be (real number|str|int), not"
    r"|indices must be|can only concatenate|expected (at|str)|invalid literal|empty sequence"
)
_OF_MACHINERY = ("torch.fx", "torch._", "torchspore.")
_LIBRARIES = sys.stdlib_module_names | {"PIL", "numpy", "opt_einsum", "scipy", "torch", "torchspore"}
# The search for the name goes up through these modules, and ends at one that sets `RUNS_USER_CODE`: what it calls was
# passed to it by the user.
_APIS = re.compile(r"torchspore\.(ops|mint|numpy|scipy|common|nn\.(layer|loss|cell$|probability))\b")
_RUNS_USER_CODE = "RUNS_USER_CODE"
_CALLS = ("__init__", "__call__", "_call", "construct", "_run", "_compute", "_construct")  # of classes


def describe(value: Any) -> str:
    """Describe a value in a few words: shape and dtype of a tensor, type and value of anything else."""
    if isinstance(value, Tensor):
        return f"Tensor(shape={value.shape}, dtype={value.dtype})"
    if isinstance(value, torch.Tensor):
        return f"Tensor(shape={tuple(value.shape)}, dtype={FROM_TORCH.get(value.dtype, value.dtype)})"
    if isinstance(value, np.ndarray):
        return f"numpy.ndarray(shape={value.shape}, dtype={value.dtype})"
    if value is None or isinstance(value, (bool, int, float, complex, str)):
        return f"{value!r}" if value is None else f"{value!r} ({type(value).__name__})"
    if isinstance(value, type):
        return f"the class {value.__name__}"
    if isinstance(value, Type):
        return f"the data type {value.name}"
    if isinstance(value, (tuple, list)) and len(value) <= 8:
        inside = ", ".join(describe(v) if isinstance(v, (Tensor, torch.Tensor)) else _shown(v) for v in value)
        return f"({inside}{',' * (len(value) == 1)})" if isinstance(value, tuple) else f"[{inside}]"
    return f"an object of type {type(value).__name__}"


def _shown(value: Any) -> str:
    if isinstance(value, (tuple, list)) and any(isinstance(item, (Tensor, torch.Tensor)) for item in value):
        return f"{len(value)} Tensors"
    try:
        return repr(value)[:40]
    except RecursionError:  # nested too deeply
        return f"an object of type {type(value).__name__}"


def of_value(value: Any, *accepted: type) -> type[Exception]:
    """Return the class of the error for a value that is not accepted.

    MindSpore's operations do not agree whether one that is of no accepted type either is a TypeError: here it is both.
    """
    return ValueError if isinstance(value, accepted) else also(ValueError, TypeError)


def explain(
    error: Exception, api: str, given: dict[str, Any], defaults: Mapping[str, Any] = MappingProxyType({})
) -> Exception:
    """Return the exception to raise instead of `error`: MindSpore's type, the name that was called, what was given.

    Returns `error` itself, with its traceback, if user code raised it. What this package raised keeps its traceback;
    its text, `raise ValueError("'p' must be 1 or 2")`, gets the API's name before it and the arguments that it names
    after it. An error of Python becomes the cause of the new one, so that its traceback is kept; of torch's errors only
    the text is kept. An error about an argument can be caught as each class that MindSpore's operations raise for one.

    Args:
        error: the error.
        api: the name of what was called; the name of an API that called it in turn takes its place.
        given: the arguments, by the names of their parameters.
        defaults: the defaults of parameters that were not given.
    """
    if _is_for_the_machinery(error) or _is_the_users(error.__traceback__):
        return error
    _forget_probe(error)
    name = _called(caller(), api)
    text = str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error)
    if devices.has_stopped(error):
        return devices.stopped(name)
    named = _NAMED.match(text)
    if named is not None:
        if len(error.args) == 1:
            error.args = (f"For '{name}'{without_torch(text[named.end() :])}",)
        return widened(error)
    if isinstance(error, (TypeError, ValueError)) and was_raised(error, _PACKAGE):
        error.args = (f"For '{name}', {_with_values(text.rstrip('.'), given, defaults)}.",)
        return widened(error)
    kind = _kind(error, text)
    if kind is None:
        return error
    summary = named_as_here((text.strip() or type(error).__name__).split("\n")[0].rstrip("."))
    if says(text, BEYOND_64_BITS):
        kind, summary = ValueError, "an int is beyond 64 bits"
    elif says(text, OF_INDEX):
        summary = _out_of_range(given) or summary
    elif label := says(text, LABEL):
        summary = _not_a_class(int(label[1]), given) or summary
    elif isinstance(error, _FROM_PYTHON) and not isinstance(error, (IndexError, TypeError)):
        summary = f"{type(error).__name__}: {summary}"
    arguments = ", ".join(f"{parameter}={describe(value)}" for parameter, value in given.items())
    kinds = _catchable(kind, error)
    explained = widened(also(*kinds)(f"For '{name}', {summary}." + (f" Given: {arguments}." if given else "")))
    if (isinstance(error, _FROM_PYTHON) and not isinstance(error, TypeError)) or (
        isinstance(error, (TypeError, ValueError)) and _OF_PYTHON.search(text)
    ):
        explained.__cause__ = error
    explained.__suppress_context__ = True
    return explained


def _with_values(text: str, given: dict[str, Any], defaults: Mapping[str, Any]) -> str:
    """Return the text of an error with the arguments that it names, or with all, unless it says what they were."""
    if _SAYS_WHAT.search(text):
        return text
    values = {**defaults, **given}
    named = {name: values[name] for name in dict.fromkeys(_QUOTED.findall(text)) if name in values}
    shown = ", ".join([f"{name}={describe(value)}" for name, value in (named or given).items()])
    if not named:
        return f"{text}. Given: {shown}" if given else text
    mistake, dot, advice = text.partition(". ")
    return f"{mistake}, but got {shown if len(named) > 1 else describe(*named.values())}{dot}{advice}"


def _out_of_range(given: dict[str, Any]) -> str | None:
    """Return which index of a tensor of integers is beyond the table that it selects from, and the range."""
    tensors = [value for value in given.values() if isinstance(value, Tensor)]
    axis = given.get("axis", 0)
    if len(tensors) < 2 or not isinstance(axis, int):
        return None
    table, indices = tensors[1::-1] if tensors[1].is_floating_point() else tensors[:2]
    size = table.shape[axis]
    wrong = [index for index in indices.asnumpy().ravel() if not 0 <= index < size]
    if not wrong:
        return None
    return f"index {wrong[0]} is out of range for dimension {axis} of size {size}: use 0 to {size - 1}"


def _not_a_class(label: int, given: dict[str, Any]) -> str | None:
    """Return that a label is beyond the classes, which are the second dimension of the scores."""
    scores = next((value for value in given.values() if isinstance(value, Tensor)), None)
    if scores is None or not scores.ndim:
        return None
    classes = scores.shape[min(1, scores.ndim - 1)]
    return f"the label {label} is not a class: the scores of shape {scores.shape} have the classes 0 to {classes - 1}"


def _catchable(kind: Any, error: Exception) -> list[Any]:
    """Return a class, and as what else its errors can be caught: what torch or Python raised, and so MindSpore may."""
    if kind is RuntimeError:  # of which MindSpore mostly says that a type or a value is wrong
        return [RuntimeError, ValueError, TypeError]
    if kind not in (TypeError, ValueError):
        return [kind]
    if isinstance(error, IndexError):
        return [kind, IndexError, RuntimeError]
    return [kind, *[other for other in (RuntimeError, AttributeError) if isinstance(error, other)]]


def kind_of(error: Exception) -> type[Exception]:
    """Return MindSpore's exception type for an error of torch; the error's own type if it is not about arguments."""
    kind = None if _is_for_the_machinery(error) else _kind(error, str(error))
    return also(*_catchable(kind, error)) if kind else type(error)


def _forget_probe(error: BaseException | None) -> None:
    """Hide from the traceback that the operation first tried to read the `_t` of a wrong argument."""
    while error is not None:
        if isinstance(error.__context__, AttributeError) and error.__context__.name == "_t":
            error.__suppress_context__ = True
        error = error.__cause__


def _kind(error: Exception, text: str) -> type[Exception] | None:
    """Return the type of the exception that replaces this one; None if it is not about the arguments."""
    if isinstance(error, RecursionError):
        return ValueError if _is_deep(error.__traceback__) else None
    if says(text, OF_NUMBERS):
        return ValueError  # the number of dimensions, or of groups
    if isinstance(error, (TypeError, NotImplementedError, AttributeError)):
        return TypeError
    if isinstance(error, (NameError, SystemError)):
        return RuntimeError
    if isinstance(error, MemoryError):
        return MemoryError
    if isinstance(error, RuntimeError) and says(text, ABOUT_TYPES):
        return TypeError
    if isinstance(error, (ValueError, *_FROM_PYTHON)) or (isinstance(error, RuntimeError) and says(text, ABOUT_SHAPES)):
        return ValueError
    return RuntimeError if isinstance(error, RuntimeError) else None


def _is_for_the_machinery(error: Exception) -> bool:
    # Tracing uses exceptions for control flow, and running out of memory is not the argument's fault.
    if isinstance(error, torch.linalg.LinAlgError):  # type: ignore[attr-defined]  # missing in torch's stubs
        return False
    return isinstance(error, torch.OutOfMemoryError) or type(error).__module__.startswith(_OF_MACHINERY)


def _is_the_users(trace: TracebackType | None) -> bool:
    """Return whether an error arose in user code that an operation ran, not in a library or in its own body."""
    frames = [step.tb_frame for step in steps(trace)]  # torch.fx generates some of their code
    roots = ["torch" if file_of(f).startswith("<eval_with_key>") else module_of(f).split(".")[0] for f in frames]
    return any(root not in _LIBRARIES and root not in roots[:2] for root in roots)


def _is_deep(trace: TracebackType | None) -> bool:
    """Return whether the operation itself overflowed the stack: its argument is nested too deeply."""
    return len(list(steps(trace))) > sys.getrecursionlimit() // 2


def _called(frame: FrameType | None, api: str) -> str:
    """Return the name of the outermost API among the callers of an operation, up to the user's line."""
    name = api
    for each in upwards(frame):
        if _RUNS_USER_CODE in names_of(each) or not _is_of_an_api(each):
            break
        name = _own_name(each) or name
    return name


def _is_of_an_api(frame: FrameType) -> bool:
    return bool(_APIS.match(module_of(frame))) or file_of(frame).startswith("<operation ")


def called_api(frame: FrameType | None, otherwise: str) -> str:
    """Return the name of the outermost API that is running at a frame; `otherwise` if it is the user's or torch's."""
    for each in upwards(frame):
        if _is_of_an_api(each):
            return _called(each, otherwise)
        if module_of(each).split(".")[0] not in ("torch", "torchspore"):
            break
    return otherwise


def _own_name(frame: FrameType) -> str | None:
    """Return the public name of the function or object that a frame runs."""
    code, names = code_of(frame), names_of(frame)
    if code.co_filename.startswith("<operation "):
        return str(names["API"])
    owner = owner_of(frame)
    if isinstance(owner, Tensor):
        methods = (code.co_name, code.co_name.removeprefix("_"))
        return next((m for m in methods if getattr(getattr(Tensor, m, None), "__code__", None) is code), None)
    if owner is None or isinstance(owner, torch.Tensor):
        return code.co_name if code.co_name in names.get("__all__", ()) else None
    return type(owner).__name__ if code.co_name in _CALLS else None
