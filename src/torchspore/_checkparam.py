"""Checks of arguments under the names that packages import from MindSpore.

MindSpore: `mindspore._checkparam`. The checks of shapes and axes are in `_checkparam_shapes`.
"""

from __future__ import annotations

import functools
import inspect
import math
import operator
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from torchspore._checkparam_shapes import *  # noqa: F403
from torchspore.common import dtype as mstype
from torchspore.engine.failures.errors import describe
from torchspore.engine.parameters import StrictFloat, take_as

__all__: list[str] = []

Rel = Validator = sys.modules[__name__]  # classes in MindSpore 1, with the same names

EQ, NE, LT, LE, GT, GE = range(1, 7)
INC_NEITHER, INC_LEFT, INC_RIGHT, INC_BOTH = range(7, 11)
IN, NOT_IN = 11, 12

_RELATIONS: dict[int, tuple[Callable[[Any, Any], bool], str]] = {
    EQ: (operator.eq, "=="),
    NE: (operator.ne, "!="),
    LT: (operator.lt, "<"),
    LE: (operator.le, "<="),
    GT: (operator.gt, ">"),
    GE: (operator.ge, ">="),
    IN: (lambda value, choices: value in choices, "in"),
    NOT_IN: (lambda value, choices: value not in choices, "not in"),
}
_RANGES: dict[int, tuple[Callable[[Any, Any], bool], Callable[[Any, Any], bool], str]] = {
    INC_NEITHER: (operator.gt, operator.lt, "({}, {})"),
    INC_LEFT: (operator.ge, operator.lt, "[{}, {})"),
    INC_RIGHT: (operator.gt, operator.le, "({}, {}]"),
    INC_BOTH: (operator.ge, operator.le, "[{}, {}]"),
}


def _names(name: str | None, api: str | None) -> tuple[str, str]:
    return name or "the argument", api or "the check"


def _is_float(value: Any, name: str | None, api: str | None) -> float:
    return float(take_as(StrictFloat, value, *_names(name, api)))


def _is_int(value: Any, name: str | None, api: str | None) -> int:
    return int(take_as(int, value, *_names(name, api)))


def _related(value: Any, limit: Any, relation: int, name: str | None, api: str | None) -> Any:
    holds, sign = _RELATIONS[relation]
    name, api = _names(name, api)
    if not holds(value, limit):
        raise ValueError(f"For '{api}', '{name}' must be {sign} {limit}, but got {describe(value)}.")
    return value


def _within(value: Any, low: Any, high: Any, ends: int, name: str | None, api: str | None) -> Any:
    above, below, form = _RANGES[ends]
    name, api = _names(name, api)
    if not (above(value, low) and below(value, high)):
        raise ValueError(f"For '{api}', '{name}' must be in {form.format(low, high)}, but got {describe(value)}.")
    return value


def check_int(arg_value: Any, value: int, rel: int, arg_name: str | None = None, prim_name: str | None = None) -> int:
    """Return an int that has a relation (`GE`, ...) to `value`."""
    return _related(_is_int(arg_value, arg_name, prim_name), value, rel, arg_name, prim_name)


def check_is_int(arg_value: Any, arg_name: str | None = None, prim_name: str | None = None) -> int:
    """Return an int."""
    return _is_int(arg_value, arg_name, prim_name)


def check_positive_int(arg_value: Any, arg_name: str | None = None, prim_name: str | None = None) -> int:
    """Return an int above 0."""
    return check_int(arg_value, 0, GT, arg_name, prim_name)


def check_non_negative_int(arg_value: Any, arg_name: str | None = None, prim_name: str | None = None) -> int:
    """Return an int from 0 on."""
    return check_int(arg_value, 0, GE, arg_name, prim_name)


def check_int_range(
    arg_value: Any,
    lower_limit: int,
    upper_limit: int,
    rel: int,
    arg_name: str | None = None,
    prim_name: str | None = None,
) -> int:
    """Return an int between two limits; `rel` says which of them are in: `INC_BOTH`, ..."""
    return _within(_is_int(arg_value, arg_name, prim_name), lower_limit, upper_limit, rel, arg_name, prim_name)


def check_float(
    arg_value: Any, value: float, rel: int, arg_name: str | None = None, prim_name: str | None = None
) -> float:
    """Return a float that has a relation (`GE`, ...) to `value`."""
    return _related(_is_float(arg_value, arg_name, prim_name), value, rel, arg_name, prim_name)


def check_is_float(arg_value: Any, arg_name: str | None = None, prim_name: str | None = None) -> float:
    """Return a float."""
    return _is_float(arg_value, arg_name, prim_name)


def check_positive_float(arg_value: Any, arg_name: str | None = None, prim_name: str | None = None) -> float:
    """Return a float above 0."""
    return check_float(arg_value, 0, GT, arg_name, prim_name)


def check_non_negative_float(arg_value: Any, arg_name: str | None = None, prim_name: str | None = None) -> float:
    """Return a float from 0 on."""
    return check_float(arg_value, 0, GE, arg_name, prim_name)


def check_float_range(
    arg_value: Any,
    lower_limit: float,
    upper_limit: float,
    rel: int,
    arg_name: str | None = None,
    prim_name: str | None = None,
) -> float:
    """Return a float between two limits; `rel` says which of them are in: `INC_BOTH`, ..."""
    return _within(_is_float(arg_value, arg_name, prim_name), lower_limit, upper_limit, rel, arg_name, prim_name)


def _limited(check: Callable[..., Any], relation: int, doc: str) -> Callable[..., Any]:
    """Return a check of a number against 0."""

    def checked(arg_value: Any, arg_name: str | None = None, prim_name: str | None = None) -> Any:
        return check(arg_value, 0, relation, arg_name, prim_name)

    checked.__doc__ = doc
    return checked


check_negative_int = _limited(check_int, LT, "Return an int below 0.")
check_non_positive_int = _limited(check_int, LE, "Return an int up to 0.")
check_negative_float = _limited(check_float, LT, "Return a float below 0.")
check_non_positive_float = _limited(check_float, LE, "Return a float up to 0.")


def check_equal_int(arg_value: Any, value: int, arg_name: str | None = None, prim_name: str | None = None) -> int:
    """Return an int that is equal to `value`."""
    return check_int(arg_value, value, EQ, arg_name, prim_name)


def _each(check: Callable[..., Any], doc: str) -> Callable[..., Any]:
    """Return a check of all elements of a sequence."""

    def checked(sequence: Any, arg_name: str | None = None, prim_name: str | None = None) -> Any:
        for number, element in enumerate(sequence):
            check(element, f"{arg_name or 'the argument'}[{number}]", prim_name)
        return sequence

    checked.__doc__ = doc
    return checked


check_positive_int_sequence = _each(check_positive_int, "Return a sequence of ints above 0.")
check_non_negative_int_sequence = _each(check_non_negative_int, "Return a sequence of ints from 0 on.")
check_positive_float_sequence = _each(check_positive_float, "Return a sequence of floats above 0.")


def check(
    arg_name: str,
    arg_value: Any,
    value_name: str,
    value: Any,
    rel: int = EQ,
    prim_name: str | None = None,
    excp_cls: type[Exception] = ValueError,
) -> Any:
    """Return a value that has a relation to another one, whose name the error has too."""
    holds, sign = _RELATIONS[rel]
    if not holds(arg_value, value):
        named = f"{value_name} ({value})" if value_name else str(value)
        raise excp_cls(
            f"For '{prim_name or 'the check'}', '{arg_name}' must be {sign} {named}, but got {describe(arg_value)}."
        )
    return arg_value


def check_number(arg_name: str, arg_value: Any, value: float, rel: int, prim_name: str | None) -> Any:
    """Return a number that has a relation to `value`."""
    return _related(arg_value, value, rel, arg_name, prim_name)


def check_is_number(arg_value: Any, arg_type: type, arg_name: str | None = None, prim_name: str | None = None) -> Any:
    """Return a finite number of a type."""
    name, api = _names(arg_name, prim_name)
    check_value_type(name, arg_value, arg_type, api)
    if isinstance(arg_value, float) and not math.isfinite(arg_value):
        raise ValueError(f"For '{api}', '{name}' must be finite, but got {arg_value}.")
    return arg_value


def check_number_range(
    arg_value: Any,
    lower_limit: float,
    upper_limit: float,
    rel: int,
    value_type: type,
    arg_name: str | None = None,
    prim_name: str | None = None,
) -> Any:
    """Return a number of a type between two limits."""
    check_value_type(*_names(arg_name, None)[:1], arg_value, value_type, prim_name)
    return _within(arg_value, lower_limit, upper_limit, rel, arg_name, prim_name)


def check_bool(arg_value: Any, arg_name: str | None = None, prim_name: str | None = None) -> bool:
    """Return a bool."""
    return bool(take_as(bool, arg_value, *_names(arg_name, prim_name)))


def check_string(arg_value: Any, valid_values: Any, arg_name: str | None = None, prim_name: str | None = None) -> str:
    """Return a string that is among some."""
    if not isinstance(arg_value, str) or arg_value not in valid_values:
        name, api = _names(arg_name, prim_name)
        raise ValueError(f"For '{api}', '{name}' must be one of {valid_values}, but got {describe(arg_value)}.")
    return arg_value


def check_value_type(arg_name: str, arg_value: Any, valid_types: Any, prim_name: str | None = None) -> Any:
    """Return a value of one of some types; a bool is of type bool alone."""
    kinds = _as_tuple(valid_types)
    if not isinstance(arg_value, kinds) or (isinstance(arg_value, bool) and bool not in kinds):
        wanted = " or ".join([getattr(kind, "__name__", str(kind)) for kind in kinds])
        name, api = _names(arg_name, prim_name)
        raise TypeError(f"For '{api}', '{name}' must be of type {wanted}, but got {describe(arg_value)}.")
    return arg_value


def check_isinstance(arg_name: str, arg_value: Any, classes: Any) -> Any:
    """Return an instance of a class."""
    if not isinstance(arg_value, classes):
        raise ValueError(f"'{arg_name}' must be an instance of {classes}, but got {describe(arg_value)}.")
    return arg_value


def _as_tuple(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, (list, tuple, set, frozenset)) else (value,)


def _refuse_type(name: str, api: str | None, wanted: Iterable[Any], got: Any) -> None:
    names = " or ".join(str(getattr(kind, "__name__", kind)) for kind in wanted)
    raise TypeError(f"For '{api or 'the check'}', '{name}' must be {names}, but got {got}.")


def check_element_type_of_iterable(
    arg_name: str, arg_value: Any, valid_types: Any, prim_name: str | None = None
) -> None:
    """Check the types of the elements of a list or tuple."""
    check_value_type(arg_name, arg_value, (list, tuple), prim_name)
    for element in arg_value:
        if not isinstance(element, _as_tuple(valid_types)):
            _refuse_type(arg_name, prim_name, _as_tuple(valid_types), describe(element))


def check_element_type_of_dict(
    arg_name: str, arg_value: Any, key_types: Any, value_types: Any, prim_name: str | None = None
) -> None:
    """Check the types of the keys and values of a dictionary."""
    check_value_type(arg_name, arg_value, dict, prim_name)
    check_element_type_of_iterable(arg_name, [*arg_value], key_types, prim_name)
    check_element_type_of_iterable(arg_name, [*arg_value.values()], value_types, prim_name)


def check_size_and_element_type_of_tuple(
    arg_name: str, arg_value: Any, expect_size: int, expect_element_type: Any, prim_name: str | None = None
) -> None:
    """Check the number and the types of the elements of a tuple."""
    check_value_type(arg_name, arg_value, tuple, prim_name)
    check_equal_int(len(arg_value), expect_size, f"{arg_name} size", prim_name)
    check_element_type_of_iterable(arg_name, arg_value, expect_element_type, prim_name)


def check_type_name(arg_name: str, arg_type: Any, valid_types: Any, prim_name: str | None) -> Any:
    """Return a type that is among some; for the type of a tensor, the type of its elements."""
    kind = arg_type.element if isinstance(arg_type, mstype.TensorType) else arg_type
    if not any(kind is valid or kind == valid for valid in _as_tuple(valid_types)):
        _refuse_type(arg_name, prim_name, _as_tuple(valid_types), arg_type)
    return kind


def _is_subclass(type_: Any, template: Any) -> bool:
    if isinstance(template, mstype.Type):  # `number` stands for all numbers, `tensor_type` for all tensors' types
        general = template in (mstype.tensor_type, mstype.number, mstype.int_, mstype.uint, mstype.float_)
        return type_ == template or (general and isinstance(type_, type(template)))
    if isinstance(type_, type):
        return type_ is template
    return isinstance(template, type) and isinstance(type_, template)


def check_subclass(
    arg_name: str, type_: Any, template_types: Any, prim_name: str | None, addition_error_info: str | None = None
) -> None:
    """Check that a type is one of some, or of one of some kinds such as `number`."""
    if not any(_is_subclass(type_, template) for template in _as_tuple(template_types)):
        more = "" if addition_error_info is None else f" {addition_error_info}"
        _refuse_type(arg_name, prim_name, _as_tuple(template_types), f"{type_}{more}")


def check_tensor_dtype_valid(arg_name: str, arg_type: Any, valid_dtypes: Any, prim_name: str | None) -> None:
    """Check the type of a tensor with a given element type."""
    check_tensors_dtypes_same_and_valid({arg_name: arg_type}, valid_dtypes, prim_name)


def check_tensors_dtypes_same_and_valid(args: dict[str, Any], valid_dtypes: Any, prim_name: str | None) -> None:
    """Check that types of tensors are among some and equal."""
    check_types_same_and_valid(args, [mstype.TensorType(kind) for kind in _as_tuple(valid_dtypes)], prim_name)


def check_types_same_and_valid(args: dict[str, Any], valid_values: Any, prim_name: str | None) -> None:
    """Check that types are among some and equal."""
    first = next(iter(args))
    for name, kind in args.items():
        check_subclass(name, kind, valid_values, prim_name)
        if kind != args[first]:
            raise TypeError(
                f"For '{prim_name}', the types of '{first}' and '{name}' must be equal, but got {args[first]} and "
                f"{kind}."
            )


def check_scalar_or_tensor_types_same(
    args: dict[str, Any], valid_values: Any, prim_name: str | None, allow_mix: bool = False
) -> None:
    """Check that element types are among some and equal; a number and a tensor only pass with `allow_mix`."""
    kinds = {name: kind.element if isinstance(kind, mstype.TensorType) else kind for name, kind in args.items()}
    if not allow_mix and len({isinstance(kind, mstype.TensorType) for kind in args.values()}) > 1:
        raise TypeError(f"For '{prim_name}', {list(args)} must all be tensors or all be numbers.")
    for name, kind in kinds.items():
        check_type_name(name, kind, valid_values, prim_name)
    if len(set(kinds.values())) > 1:
        raise TypeError(
            f"For '{prim_name}', the types of {list(args)} must be equal, but got {[*map(str, kinds.values())]}."
        )


def check_type_support(dtype: Any, device: str, supported_dtypes: Any) -> bool:
    """Return whether a type is among some, if the device is the one in use."""
    from torchspore.common import device as devices

    return dtype in supported_dtypes or devices.target() != device


def check_valid_input(arg_name: str, arg_value: Any, prim_name: str | None) -> Any:
    """Return a value other than None."""
    if arg_value is None:
        raise ValueError(f"For '{prim_name}', '{arg_name}' must be a value other than None, but got None.")
    return arg_value


def args_type_check(*type_args: Any, **type_kwargs: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that checks the types of a function's arguments; None is always accepted."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        signature = inspect.signature(function)
        kinds = signature.bind_partial(*type_args, **type_kwargs).arguments

        @functools.wraps(function)
        def checked(*args: Any, **kwargs: Any) -> Any:
            for name, value in signature.bind(*args, **kwargs).arguments.items():
                if name in kinds and value is not None and not isinstance(value, kinds[name]):
                    raise TypeError(
                        f"For '{function.__name__}', '{name}' must be of type {kinds[name]}, but got {describe(value)}."
                    )
            return function(*args, **kwargs)

        return checked

    return decorate


def check_input_data(*data: Any, data_class: Any) -> None:
    """Check that data, or the elements of lists, tuples and dictionaries, are of some classes."""
    for item in data:
        elements = item.values() if isinstance(item, dict) else item if isinstance(item, (list, tuple)) else (item,)
        for element in elements:
            if not isinstance(element, _as_tuple(data_class)):
                _refuse_type("the input data", None, _as_tuple(data_class), describe(element))


def check_input_dataset(*dataset: Any, dataset_type: Any) -> bool:
    """Return whether all are datasets of a type."""
    return bool(dataset) and all(isinstance(item, dataset_type) for item in dataset)


def check_output_data(data: Any) -> None:
    """Check that a network has returned something."""
    if data is None:
        raise RuntimeError("The network must return a value other than None. Return something in its construct.")


def check_input_format(input_param: Any) -> Any:
    """Return "NCHW"."""
    if input_param != "NCHW":
        raise ValueError(f"The data format must be 'NCHW', but got {input_param!r}.")
    return input_param


def check_hook_fn(hook_fn: Any) -> None:
    """Check that a hook can be called."""
    if not callable(hook_fn):
        raise TypeError(f"The hook must be a function, but got {describe(hook_fn)}.")


def _matches(target: Any, pattern: str, flag: Any, api: str | None) -> bool:
    if re.match(pattern, target, flag) is None:
        raise ValueError(f"For '{api or 'the check'}', the text must match {pattern!r}, but got {target!r}.")
    return True


def check_str_by_regular(
    target: Any, reg: str | None = None, flag: Any = re.ASCII, prim_name: str | None = None
) -> bool:
    """Return True for text that matches a regular expression, by default an identifier with dots."""
    return _matches(target, reg or r"^\w+[0-9a-zA-Z\_\.]*$", flag, prim_name)


def check_str_and_none_by_regular(
    target: Any, reg: str | None = None, flag: Any = re.ASCII, prim_name: str | None = None
) -> bool:
    """Return True for text, perhaps empty, that matches a regular expression."""
    return _matches(target, reg or r"^\w*[0-9a-zA-Z\_\.\-]*$", flag, prim_name)


def check_file_name_by_regular(target: Any, reg: str | None = None, prim_name: str | None = None) -> bool:
    """Return True for the name of a file without characters that file systems refuse."""
    return _matches(target, reg or r"^[0-9a-zA-Z@\_\-\.\:\/\\]+$", 0, prim_name)


def max_(*args: Any) -> Any:
    """Return Python's `max`."""
    return max(*args)


def min_(*args: Any) -> Any:
    """Return Python's `min`."""
    return min(*args)


def is_stub_tensor(tensor: Any) -> bool:
    """Return False: a tensor here is never a stand-in for one."""
    return False


def tuple_slice(tup: Sequence[Any], start: int | None, end: int | None) -> Sequence[Any]:
    """Return a slice of a sequence."""
    return tup[start:end]
