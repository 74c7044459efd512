"""Data types without a torch kernel, computed in a wider one.

MindSpore computes with unsigned integers of 16, 32 and 64 bits, with bools in arithmetic, and with float16 on a CPU,
for which torch often has no kernel; on a GPU it has none for products of integers. `op` tries this after torch has
raised, so that other calls pay nothing.
Operations without a rule for `vmap`, and those that read an argument's value, run for each sample (`per_sample.py`).
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, TypeVar

import torch

from torchspore.common.conversion import fitted
from torchspore.common.private_torch import tree_leaves, tree_map_only
from torchspore.common.private_torch.error_texts import BEYOND, NO_KERNEL, NO_RULE, says
from torchspore.common.scopes.scope import number
from torchspore.common.tensor import Tensor, wrap
from torchspore.engine.per_sample import for_each_sample
from torchspore.engine.values.nested import unwrap_tree, wrap_tree

__all__ = [
    "UNSIGNED", "alike", "comparing", "cut_integers", "dividing", "each_call", "in_floats", "of_integers", "ordering",
    "widened", "wrapping",
]  # fmt: skip

_Body = TypeVar("_Body", bound=Callable[..., Any])

UNSIGNED = frozenset((torch.uint16, torch.uint32, torch.uint64))
_INTEGERS = (torch.uint16, torch.uint32, torch.uint64, torch.bool)
_HALVES = (torch.float16, torch.bfloat16)
_C_TYPES = {
    "int": torch.int32, "c10::Half": torch.float16, "c10::BFloat16": torch.bfloat16, "float": torch.float32,
    "c10::complex<float>": torch.complex64, "c10::Float8_e4m3fn": torch.float8_e4m3fn,
    "c10::Float8_e5m2": torch.float8_e5m2,
    **{f"{sign}int{bits}{end}": getattr(torch, f"{sign}int{bits}")
       for sign in ("", "u") for bits in (8, 16, 32, 64) for end in ("", "_t")},
}  # fmt: skip
_STRUCTURE = ("int", "Size", "bool")  # how annotations begin whose arguments are not elements of tensors
_OF_INTEGERS: dict[Callable[..., Any], Callable[..., Any]] = {}
_TORCH_ERRORS = (RuntimeError, TypeError, ValueError, IndexError)

_HALF = 2**63  # subtracted, it keeps the order of uint64 in int64


class _Trait(set[Callable[..., Any]]):
    """Functions with a property, and the decorator that gives it to one."""

    def __call__(self, body: _Body) -> _Body:
        self.add(body)
        return body


# What lets an operation of uint64 use the bits of int64: it wraps around alike, compares the elements of a tensor, or
# compares all its arguments. Functions of torch and Python are listed; others are decorated where they are defined.
wrapping = _Trait((operator.add, operator.sub, torch.add, torch.neg, torch.square, torch.Tensor.add, torch.Tensor.sub))
ordering = _Trait((torch.max, torch.min, torch.amax, torch.amin))
comparing = _Trait((
    operator.lt, operator.le, operator.gt, operator.ge, torch.lt, torch.le, torch.gt, torch.ge,
    torch.maximum, torch.minimum, torch.fmax, torch.fmin, torch.Tensor.clamp,
))  # fmt: skip
dividing = _Trait((operator.truediv,))  # quotients are exact for a number that their tensor's data type does not hold


def alike(body: _Body, function: Callable[..., Any]) -> _Body:
    """Give a body the properties of the function that it calls."""
    for trait in (wrapping, ordering, comparing, dividing):
        trait.update([body] if function in trait else ())
    return body


def widened(error: Exception, body: Callable[..., Any], args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """Return the result, computed in a wider type, of an operation for which torch raised.

    Args:
        error: what torch raised.
        body: the operation over torch tensors.
        args: its arguments.
        named: its keyword arguments.

    Returns:
        The result in its proper type; `error` itself if the type is not the reason, or if the operation writes into
        an argument.
    """
    if says(error, NO_RULE):
        return for_each_sample(error, body, args, named)
    if says(error, BEYOND):
        return _fitted(error, body, args, named)
    if not isinstance(error, (RuntimeError, TypeError)) or not says(error, NO_KERNEL):
        return error
    leaves = [getattr(leaf, "_t", leaf) for leaf in tree_leaves((args, named))]
    dtypes = [getattr(leaf, "dtype", leaf) for leaf in leaves if isinstance(leaf, (torch.Tensor, torch.dtype))]
    try:
        if body in _OF_INTEGERS and not (args[0].is_floating_point() or args[0].is_complex()):
            body = _OF_INTEGERS[body]
            if args[0].dtype not in _INTEGERS[:3]:
                return body(*args, **named).to(args[0].dtype)
        if torch.uint64 in dtypes and _fits_bits(body, leaves, named):
            return _in_bits(body, args, named, error)
        for narrow in _INTEGERS:
            if narrow in dtypes:
                return _in_int64(narrow, body, args, named, error)
        halves = [half for half in _HALVES if half in dtypes]
        if len(halves) == 1 and torch.float32 not in dtypes and torch.float64 not in dtypes:
            return _in_float32(halves[0], body, args, named, error)
    except _TORCH_ERRORS:
        pass
    return _on_the_cpu(error, body, args, named)


def each_call(error: Exception, operation: Callable[..., Any], args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """Return the result, computed for each sample alone, of an operation that could not convert an argument.

    Args:
        error: what the conversion raised: under `vmap`, the value of an argument cannot be read.
        operation: the operation over Tensors.
        args: its arguments.
        named: its keyword arguments.

    Returns:
        The result; `error` itself if `vmap` is not the reason, or if the operation also fails for a sample.
    """
    if not says(error, NO_RULE):
        return error

    def body(*given: Any, **by_name: Any) -> Any:
        return unwrap_tree(operation(*wrap_tree(given), **wrap_tree(by_name)))

    result = for_each_sample(error, body, unwrap_tree(args), unwrap_tree(named))
    return result if result is error else wrap_tree(result)


def of_integers(function: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorate a body that torch defines for floats: another function computes tensors of integers."""

    def mark(body: Callable[..., Any]) -> Callable[..., Any]:
        _OF_INTEGERS[body] = function
        return body

    return mark


def cut_integers(body: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a function of floats so that it takes integers, too; its float32 result is truncated."""
    return of_integers(lambda x, *args, **named: body(x.float(), *args, **named).to(x.dtype))(body)


def in_floats(kernel: Callable[..., Any], *, keeps_dtype: bool = False) -> Callable[..., Any]:
    """Let a torch function that has no kernel for integers compute them as floats, with results in float32.

    Args:
        kernel: the function; its first argument is a tensor.
        keeps_dtype: whether they are computed in float64 and truncated to the integers' dtype. Default: False.
    """

    def function(x: torch.Tensor, *args: Any, **named: Any) -> Any:
        if x.is_floating_point() or x.is_complex():
            return kernel(x, *args, **named)
        result = kernel(x.double() if keeps_dtype else x.float(), *args, **named)
        if not keeps_dtype:
            return result
        return tree_map_only(torch.Tensor, lambda y: y.to(x.dtype) if y.is_floating_point() else y, result)

    return function


def _on_the_cpu(error: Exception, body: Callable[..., Any], args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """Return the result, computed on the CPU, of an operation that has no kernel on a GPU for such numbers."""
    device = next((x.device for x in tree_leaves(unwrap_tree((args, named))) if getattr(x, "is_cuda", False)), None)
    if device is None:
        return error

    def moved(x: Any) -> Any:
        return wrap(x._t.cpu()) if isinstance(x, Tensor) else x.cpu()

    given, by_name = tree_map_only((Tensor, torch.Tensor), moved, (args, named))
    copies = [x for x in tree_leaves(unwrap_tree((given, by_name))) if isinstance(x, torch.Tensor)]
    before = [x._version for x in copies]
    try:
        result = body(*given, **by_name)
    except _TORCH_ERRORS as again:
        result = widened(again, body, given, by_name)
        if result is again:
            return error
    if [x._version for x in copies] != before:
        return error
    return tree_map_only(torch.Tensor, lambda x: x.to(device), result)


def _fitted(error: Exception, body: Callable[..., Any], args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """Return the result for numbers as a data type holds them, if they are why torch raised; quotients are exact."""
    beyond = says(error, BEYOND)
    dtype = beyond and _C_TYPES.get(beyond[1])
    if dtype is None:
        return error
    is_integer = not dtype.is_floating_point and not dtype.is_complex
    if body in dividing and is_integer and dtype not in (torch.uint8, *UNSIGNED):
        narrow = next(x.dtype for x in tree_leaves(args) if isinstance(x, torch.Tensor))
        exact = body(*tree_map_only(torch.Tensor, lambda x: x.long() if x.dtype is narrow else x, args), **named)
        return exact if exact.is_floating_point() else exact.to(narrow)
    annotations = getattr(body, "__annotations__", {})
    places = dict(enumerate(annotations.values()))

    def fit(value: Any, annotation: Any) -> Any:
        if str(annotation).startswith(_STRUCTURE):
            return value
        if isinstance(value, torch.Tensor) and value.is_floating_point() and not value.dim() and not is_integer:
            return value.to(dtype)  # whose value a kernel reads
        return tree_map_only((int, float, complex), lambda x: x if x.__class__ is bool else fitted(x, dtype), value)

    try:
        given = [fit(value, places.get(i)) for i, value in enumerate(args)]
        return body(*given, **{name: fit(value, annotations.get(name)) for name, value in named.items()})
    except _TORCH_ERRORS:
        return error


def _fits_bits(body: Callable[..., Any], leaves: list[Any], named: dict[str, Any]) -> bool:
    """Return whether an operation of uint64 can use the bits of int64 for these arguments."""
    if isinstance(named.get("initial"), (int, torch.Tensor)) or any(isinstance(leaf, float) for leaf in leaves):
        return False
    dtypes = {leaf.dtype for leaf in leaves if isinstance(leaf, torch.Tensor)}
    if body in comparing:
        return dtypes == {torch.uint64} and all(0 <= leaf < 2 * _HALF for leaf in leaves if type(leaf) is int)
    return (body in wrapping or body in ordering) and not any(dtype.is_floating_point for dtype in dtypes)


def _in_bits(body: Callable[..., Any], args: tuple[Any, ...], named: dict[str, Any], error: Exception) -> Any:
    """Compute uint64 in int64 with all 64 bits."""
    if body in wrapping:
        return _in_int64(torch.uint64, body, args, named, error, lambda x: x.view(torch.int64))
    if body in comparing:
        args, named = tree_map_only(int, lambda n: torch.tensor(n, dtype=torch.uint64), (args, named))
    flip = -_HALF  # its one bit, the only one that a subtraction of 2**63 changes
    shifted, back = (lambda x: x.view(torch.int64) ^ flip), (lambda x: (x ^ flip).view(torch.uint64))
    return _in_int64(torch.uint64, body, args, named, error, shifted, back)


def _below_half(x: torch.Tensor) -> torch.Tensor:
    if x.dtype is torch.uint64 and number(wrap((x.view(torch.int64) < 0).any()), bool):
        raise TypeError("numbers from 2**63 on are beyond int64")
    return x.to(torch.int64)


def _in_int64(
    narrow: torch.dtype,
    body: Callable[..., Any],
    args: tuple[Any, ...],
    named: dict[str, Any],
    error: Exception,
    wide: Callable[[torch.Tensor], torch.Tensor] = _below_half,
    back: Callable[[torch.Tensor], torch.Tensor] | None = None,
) -> Any:
    """Compute in int64; convert back the results whose type follows the arguments, as a run in int32 shows."""
    result, is_pure = _converted(body, args, named, narrow, torch.int64, wide)
    args, named = tree_map_only(int, lambda number: fitted(number, torch.int32), (args, named))
    sample, _ = _converted(body, args, named, narrow, torch.int32, lambda x: (x.to(torch.int64) & 127).to(torch.int32))
    if not is_pure:
        return error
    samples = iter([leaf.dtype for leaf in tree_leaves(sample) if isinstance(leaf, torch.Tensor)])

    def narrowed(x: torch.Tensor) -> torch.Tensor:
        if next(samples) is not torch.int32 or x.dtype is not torch.int64:
            return x
        return x.to(narrow) if back is None else back(x)

    return tree_map_only(torch.Tensor, narrowed, result)


def _in_float32(
    half: torch.dtype, body: Callable[..., Any], args: tuple[Any, ...], named: dict[str, Any], error: Exception
) -> Any:
    """Compute in float32 and round the result."""
    result, is_pure = _converted(body, args, named, half, torch.float32, torch.Tensor.float)
    if not is_pure:
        return error
    return tree_map_only(torch.Tensor, lambda x: x.to(half) if x.dtype is torch.float32 else x, result)


def _converted(
    body: Callable[..., Any],
    args: tuple[Any, ...],
    named: dict[str, Any],
    narrow: torch.dtype,
    wide: torch.dtype,
    convert: Callable[[torch.Tensor], torch.Tensor],
) -> tuple[Any, bool]:
    """Return the result for converted arguments, and whether the operation left them unmodified."""
    copies: list[torch.Tensor] = []

    def copy(x: Any) -> Any:
        if isinstance(x, Tensor):  # of arguments that are not converted
            return wrap(copy(x._t))
        if x.dtype is narrow:
            copies.append(x := convert(x))
        return x

    given, by_name = tree_map_only((Tensor, torch.Tensor), copy, (args, named))
    given, by_name = tree_map_only(torch.dtype, lambda dtype: wide if dtype is narrow else dtype, (given, by_name))
    before = [x._version for x in copies]
    try:
        result = body(*given, **by_name)
    except RuntimeError as error:
        result = _fitted(error, body, given, by_name)
        if result is error:
            raise
    return result, [x._version for x in copies] == before
