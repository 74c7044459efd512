"""Checks of arguments that packages with transforms and sources of their own call.

MindSpore: `mindspore.dataset.core.validator_helpers`.
"""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

from torchspore.common.error_classes import WrongType
from torchspore.dataset.parameters import Columns, File, Folder, Workers, take_as
from torchspore.dataset.sampling.samplers import choose, is_iterable
from torchspore.dataset.value_checks import outside, wrong_type
from torchspore.engine.parameters import Limits, Where

__all__ = [
    "check_2tuple", "check_columns", "check_dataset_num_shards_shard_id", "check_dict", "check_dir",
    "check_feature_shape", "check_file", "check_filename", "check_float32", "check_float32_not_zero", "check_float64",
    "check_independent_mode", "check_int32", "check_int32_not_zero", "check_list_same_size",
    "check_non_negative_float32", "check_non_negative_float64", "check_non_negative_int32",
    "check_num_parallel_workers", "check_num_samples", "check_odd", "check_padding_options", "check_pos_float32",
    "check_pos_float64", "check_pos_int32", "check_pos_int64", "check_pos_uint32", "check_positive", "check_range",
    "check_sampler_shuffle_shard_options", "check_tensor_op", "check_uint8", "check_uint32", "check_uint64",
    "check_valid_detype", "check_valid_list_tuple", "check_valid_str", "check_value", "check_value_cutoff",
    "check_value_normalize_std", "check_value_ratio", "is_iterable", "pad_arg_name", "parse_user_args", "replace_none",
    "type_check", "type_check_list", "valid_detype", "validate_dataset_param_value",
]  # fmt: skip

UINT8_MIN, UINT8_MAX = 0, 2**8 - 1
UINT32_MIN, UINT32_MAX = 0, 2**32 - 1
UINT64_MIN, UINT64_MAX = 0, 2**64 - 1
INT32_MIN, INT32_MAX = -(2**31), 2**31 - 1
INT64_MIN, INT64_MAX = -(2**63), 2**63 - 1
FLOAT_MIN_INTEGER, FLOAT_MAX_INTEGER = -(2**24), 2**24
DOUBLE_MIN_INTEGER, DOUBLE_MAX_INTEGER = -(2**53), 2**53
POS_INT_MIN = 1
valid_detype = [
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64",
    "string",
]  # fmt: skip


def _taking(api: str, annotation: Any, parameter: str = "") -> Callable[..., None]:
    """Return the check that a value is of a kind.

    Args:
        api: the name of the check.
        annotation: the kind.
        parameter: the name of the value in errors, if it is not given. Default: "".
    """

    def take(value: Any, arg_name: str = parameter) -> None:
        take_as(annotation, value, arg_name, api)

    take.__name__ = take.__qualname__ = api
    take.__doc__ = "Check that a value is of a kind."
    return take


def _but_zero(type_: type, minimum: float, maximum: float) -> Any:
    words = f"in [{minimum}, 0) or (0, {maximum}]"
    return Annotated[type_, Where(words, lambda number: number and minimum <= number <= maximum)]


_FLOAT, _DOUBLE = Limits(FLOAT_MIN_INTEGER, FLOAT_MAX_INTEGER), Limits(DOUBLE_MIN_INTEGER, DOUBLE_MAX_INTEGER)
_REFUSED = {*r'\/:*?"<>|`&;', "'"}  # characters in names of files


def _is_filename(path: str) -> bool:
    name = os.path.basename(path)
    return not _REFUSED & {*name} and name == name.strip(" ")


def _can_be_read(path: Any) -> bool:
    return os.access(path, os.R_OK)


check_uint8 = _taking("check_uint8", Annotated[int, Limits(UINT8_MIN, UINT8_MAX)])
check_int32 = _taking("check_int32", Annotated[int, Limits(INT32_MIN, INT32_MAX)])
check_int32_not_zero = _taking("check_int32_not_zero", _but_zero(int, INT32_MIN, INT32_MAX))
check_non_negative_int32 = _taking("check_non_negative_int32", Annotated[int, Limits(0, INT32_MAX)])
check_pos_int32 = _taking("check_pos_int32", Annotated[int, Limits(POS_INT_MIN, INT32_MAX)])
check_uint32 = _taking("check_uint32", Annotated[int, Limits(UINT32_MIN, UINT32_MAX)])
check_pos_uint32 = _taking("check_pos_uint32", Annotated[int, Limits(POS_INT_MIN, UINT32_MAX)])
check_uint64 = _taking("check_uint64", Annotated[int, Limits(UINT64_MIN, UINT64_MAX)])
check_pos_int64 = _taking("check_pos_int64", Annotated[int, Limits(POS_INT_MIN, INT64_MAX)])
check_num_samples = _taking("check_num_samples", Annotated[int, Limits(0, INT64_MAX)], "num_samples")
check_float32 = _taking("check_float32", Annotated[float, _FLOAT])
check_float32_not_zero = _taking("check_float32_not_zero", _but_zero(float, FLOAT_MIN_INTEGER, FLOAT_MAX_INTEGER))
check_non_negative_float32 = _taking("check_non_negative_float32", Annotated[float, Limits(0, FLOAT_MAX_INTEGER)])
check_pos_float32 = _taking("check_pos_float32", Annotated[float, Limits(above=0, maximum=FLOAT_MAX_INTEGER)])
check_float64 = _taking("check_float64", Annotated[float, _DOUBLE])
check_non_negative_float64 = _taking("check_non_negative_float64", Annotated[float, Limits(0, DOUBLE_MAX_INTEGER)])
check_pos_float64 = _taking("check_pos_float64", Annotated[float, Limits(above=0, maximum=DOUBLE_MAX_INTEGER)])
check_positive = _taking("check_positive", Annotated[Any, Where("> 0", lambda value: value > 0)])
check_odd = _taking("check_odd", Annotated[Any, Where("odd", lambda value: value % 2)])
check_2tuple = _taking(
    "check_2tuple", Annotated[Any, Where("a tuple of two", lambda value: isinstance(value, tuple) and len(value) == 2)]
)
check_columns = _taking("check_columns", Columns)
check_tensor_op = _taking("check_tensor_op", Callable)
check_num_parallel_workers = _taking(
    "check_num_parallel_workers",
    Annotated[Workers, Where("an int", lambda value: value is not None, WrongType)], "num_parallel_workers",
)  # fmt: skip
check_filename = _taking(
    "check_filename",
    Annotated[str, Where(f"a name without {' '.join(sorted(_REFUSED))} and blanks around it", _is_filename)], "path",
)  # fmt: skip
check_dir = _taking("check_dir", Annotated[Folder, Where("a folder that can be read", _can_be_read)], "dataset_dir")
check_file = _taking("check_file", Annotated[File, Where("a file that can be read", _can_be_read)], "dataset_file")
check_independent_mode = _taking("check_independent_mode", Any)


def check_value(
    value: Any, valid_range: Sequence[Any], arg_name: str = "", left_open_interval: bool = False,
    right_open_interval: bool = False,
) -> None:  # fmt: skip
    """Check that a value is in an interval, of which the limits are part unless it is open there."""
    low, high = valid_range
    above = value > low if left_open_interval else value >= low
    below = value < high if right_open_interval else value <= high
    if not (above and below):
        interval = f"{'(' if left_open_interval else '['}{low}, {high}{')' if right_open_interval else ']'}"
        raise outside(value, interval, arg_name, "check_value")


check_value_cutoff = functools.partial(check_value, right_open_interval=True)
check_value_ratio = check_value_normalize_std = functools.partial(check_value, left_open_interval=True)


def check_range(values: Sequence[Any], valid_range: Sequence[Any], arg_name: str = "") -> None:
    """Check that two values are in order, and in an interval."""
    if not valid_range[0] <= values[0] <= values[1] <= valid_range[1]:
        raise outside(values, f"[{valid_range[0]}, {valid_range[1]}], in order", arg_name, "check_range")


def check_valid_detype(type_: str) -> bool:
    """Return True; the name must belong to a data type."""
    if type_ not in valid_detype:
        raise TypeError(f"For 'check_valid_detype', the type must be one of {valid_detype}, but got {type_!r}.")
    return True


def check_valid_str(value: str, valid_strings: Sequence[str], arg_name: str = "") -> None:
    """Check that a value is one of some strings."""
    take_as(str, value, arg_name, "check_valid_str")
    _one_of(value, valid_strings, arg_name, "check_valid_str")


def check_valid_list_tuple(value: Any, valid_list_tuple: Sequence[Any], data_type: Any, arg_name: str = "") -> None:
    """Check that the items of a value have a type, and that it is one of some."""
    type_check_list(value, data_type, arg_name)
    _one_of(value, valid_list_tuple, arg_name, "check_valid_list_tuple")


def _one_of(value: Any, choices: Sequence[Any], arg_name: str, api: str) -> None:
    if value not in choices:
        raise ValueError(f"For '{api}', '{arg_name}' must be one of {list(choices)}, but got {value!r}.")


def type_check(arg: Any, types: Sequence[type], arg_name: str) -> None:
    """Check that a value is of one of some types; a bool is an int only if bool is among them."""
    if not isinstance(arg, tuple(types)) or (isinstance(arg, bool) and bool not in types):
        raise wrong_type(arg, types, arg_name, "type_check")


def type_check_list(args: Sequence[Any], types: Sequence[type], arg_names: str | Sequence[str]) -> None:
    """Check the type of each of several values, which have names or are the items of one argument."""
    type_check(args, (list, tuple), arg_names if isinstance(arg_names, str) else "args")
    if not isinstance(arg_names, str) and len(arg_names) not in (0, len(args)):
        raise ValueError(
            f"For 'type_check_list', there must be a name for each of the {len(args)} values, but got {arg_names!r}."
        )
    for at, arg in enumerate(args):
        type_check(arg, types, f"{arg_names}[{at}]" if isinstance(arg_names, str) else arg_names[at])


def check_dict(data: Any, key_type: type, value_type: type, param_name: str) -> None:
    """Check that a value is a dict, and the types of its keys and values."""
    type_check(data, (dict,), param_name)
    for key, value in data.items():
        type_check(key, (key_type,), f"{param_name}, key {key!r}")
        type_check(value, (value_type,), f"{param_name}[{key!r}]")


def parse_user_args(method: Callable[..., Any], *args: Any, **kwargs: Any) -> tuple[list[Any], dict[str, Any]]:
    """Return the arguments of a method without `self`, defaults included, and all of them by name."""
    bound = inspect.signature(method).bind(method, *args, **kwargs)
    bound.apply_defaults()
    by_name = dict(bound.arguments)
    return list(by_name.values())[1:], by_name


def check_list_same_size(
    list1: Sequence[Any], list2: Sequence[Any], list1_name: str = "", list2_name: str = ""
) -> None:
    """Check that two lists are equally long."""
    if len(list1) != len(list2):
        raise ValueError(
            f"For 'check_list_same_size', '{list1_name}' and '{list2_name}' must be equally long, but have "
            f"{len(list1)} and {len(list2)} items."
        )


def check_sampler_shuffle_shard_options(param_dict: Mapping[str, Any]) -> None:
    """Check that the arguments of a source that choose its rows do not exclude each other."""
    sampler, shuffle, shards, shard = (
        param_dict.get(name) for name in ("sampler", "shuffle", "num_shards", "shard_id")
    )
    choose("check_sampler_shuffle_shard_options", sampler, shuffle, None, shards, shard)


def check_padding_options(param_dict: Mapping[str, Any]) -> None:
    """Check the arguments of `MindDataset` that add rows."""
    sample, count = param_dict.get("padded_sample"), param_dict.get("num_padded")
    if (sample is None) != (count is None) or (sample is not None and not param_dict.get("columns_list")):
        raise RuntimeError(
            "For 'check_padding_options', 'padded_sample', 'num_padded' and 'columns_list' must be given together."
        )
    if sample is not None:
        type_check(sample, (dict,), "padded_sample")
        check_non_negative_int32(count, "num_padded")


def check_dataset_num_shards_shard_id(num_shards: int | None, shard_id: int | None) -> None:
    """Check that the number of shards, and the number of one shard, are given together."""
    if (num_shards is None) != (shard_id is None):
        raise ValueError("For 'check_dataset_num_shards_shard_id', 'num_shards' and 'shard_id' must be given together.")
    if num_shards is not None and shard_id is not None and shard_id >= num_shards:
        raise outside(shard_id, f"[0, {num_shards - 1}]", "shard_id", "check_dataset_num_shards_shard_id")


def validate_dataset_param_value(param_list: Sequence[str], param_dict: Mapping[str, Any], param_type: type) -> None:
    """Check the given ones among some arguments: their type, and the number of workers and rows."""
    given = {name: param_dict[name] for name in param_list if param_dict.get(name) is not None}
    for name, value in given.items():
        if param_type is bool:
            take_as(bool, value, name, "validate_dataset_param_value")
        type_check(value, (param_type,), name)
        if name == "num_parallel_workers":
            check_num_parallel_workers(value)
        if name == "num_samples":
            check_num_samples(value)


def check_feature_shape(data: Any, shape: int, param_name: str) -> None:
    """Check that the arrays of a dict have two dimensions, and the length of the first one."""
    for key, value in data.items() if isinstance(data, dict) else ():
        if len(value.shape) != 2 or value.shape[0] != shape:
            raise ValueError(
                f"For 'check_feature_shape', '{param_name}[{key!r}]' must have the shape ({shape}, N), but has "
                f"{value.shape}."
            )


def pad_arg_name(arg_name: str) -> str:
    """Return a name with a blank after it, or nothing."""
    return f"{arg_name} " if arg_name else arg_name


def replace_none(value: Any, default: Any) -> Any:
    """Return a value, or the default where it is None."""
    return default if value is None else value
