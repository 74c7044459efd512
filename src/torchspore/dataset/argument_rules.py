"""Checks of arguments that packages with transforms and sources of their own call.

MindSpore: `mindspore.dataset.core.validator_helpers`.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from torchspore.dataset import checks
from torchspore.dataset.parameters import File, Folder, Workers, take_as
from torchspore.dataset.sampling.samplers import choose, is_iterable
from torchspore.dataset.value_checks import check_bool, check_int, check_number, check_string, outside, wrong_type

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

_Check = Callable[..., None]


def _integer(name: str, minimum: int, maximum: int, zero: bool = True) -> _Check:
    """Return the check of a value that must be an int in an interval."""

    def check(value: Any, arg_name: str = "") -> None:
        check_int(value, arg_name, name, minimum=minimum, maximum=maximum)
        if not zero and value == 0:
            raise outside(value, f"[{minimum}, 0) or (0, {maximum}]", arg_name, name)

    check.__name__ = check.__qualname__ = name
    check.__doc__ = f"Check that a value is an int in [{minimum}, {maximum}]{'' if zero else ', and not 0'}."
    return check


def _number(name: str, minimum: float, maximum: float, above: float | None = None, zero: bool = True) -> _Check:
    """Return the check of a value that must be a number in an interval."""

    def check(value: Any, arg_name: str = "") -> None:
        check_number(value, arg_name, name, minimum=minimum, maximum=maximum, above=above)
        if not zero and value == 0:
            raise outside(value, f"[{minimum}, 0) or (0, {maximum}]", arg_name, name)

    check.__name__ = check.__qualname__ = name
    start = f"[{minimum}" if above is None else f"({above}"
    check.__doc__ = f"Check that a value is a number in {start}, {maximum}]{'' if zero else ', and not 0'}."
    return check


check_uint8 = _integer("check_uint8", UINT8_MIN, UINT8_MAX)
check_int32 = _integer("check_int32", INT32_MIN, INT32_MAX)
check_int32_not_zero = _integer("check_int32_not_zero", INT32_MIN, INT32_MAX, zero=False)
check_non_negative_int32 = _integer("check_non_negative_int32", 0, INT32_MAX)
check_pos_int32 = _integer("check_pos_int32", 1, INT32_MAX)
check_uint32 = _integer("check_uint32", UINT32_MIN, UINT32_MAX)
check_pos_uint32 = _integer("check_pos_uint32", 1, UINT32_MAX)
check_uint64 = _integer("check_uint64", UINT64_MIN, UINT64_MAX)
check_pos_int64 = _integer("check_pos_int64", 1, INT64_MAX)
check_float32 = _number("check_float32", FLOAT_MIN_INTEGER, FLOAT_MAX_INTEGER)
check_float32_not_zero = _number("check_float32_not_zero", FLOAT_MIN_INTEGER, FLOAT_MAX_INTEGER, zero=False)
check_non_negative_float32 = _number("check_non_negative_float32", 0, FLOAT_MAX_INTEGER)
check_pos_float32 = _number("check_pos_float32", 0, FLOAT_MAX_INTEGER, above=0)
check_float64 = _number("check_float64", DOUBLE_MIN_INTEGER, DOUBLE_MAX_INTEGER)
check_non_negative_float64 = _number("check_non_negative_float64", 0, DOUBLE_MAX_INTEGER)
check_pos_float64 = _number("check_pos_float64", 0, DOUBLE_MAX_INTEGER, above=0)


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


def check_value_cutoff(value: Any, valid_range: Sequence[Any], arg_name: str = "") -> None:
    """Check that a value is in an interval without its upper limit."""
    check_value(value, valid_range, arg_name, right_open_interval=True)


def check_value_ratio(value: Any, valid_range: Sequence[Any], arg_name: str = "") -> None:
    """Check that a value is in an interval without its lower limit."""
    check_value(value, valid_range, arg_name, left_open_interval=True)


check_value_normalize_std = check_value_ratio


def check_range(values: Sequence[Any], valid_range: Sequence[Any], arg_name: str = "") -> None:
    """Check that two values are in order, and in an interval."""
    if not valid_range[0] <= values[0] <= values[1] <= valid_range[1]:
        raise outside(values, f"[{valid_range[0]}, {valid_range[1]}], in order", arg_name, "check_range")


def check_positive(value: Any, arg_name: str = "") -> None:
    """Check that a value is positive."""
    if value <= 0:
        raise ValueError(f"For 'check_positive', '{arg_name}' must be greater than 0, but got {value}.")


def check_odd(value: Any, arg_name: str = "") -> None:
    """Check that a value is odd."""
    if value % 2 != 1:
        raise ValueError(f"For 'check_odd', '{arg_name}' must be odd, but got {value}.")


def check_2tuple(value: Any, arg_name: str = "") -> None:
    """Check that a value is a tuple of two."""
    if not isinstance(value, tuple) or len(value) != 2:
        raise ValueError(f"For 'check_2tuple', '{arg_name}' must be a tuple of two, but got {value!r}.")


def check_valid_detype(type_: str) -> bool:
    """Return True; the name must belong to a data type."""
    if type_ not in valid_detype:
        raise TypeError(f"For 'check_valid_detype', the type must be one of {valid_detype}, but got {type_!r}.")
    return True


def check_valid_str(value: str, valid_strings: Sequence[str], arg_name: str = "") -> None:
    """Check that a value is one of some strings."""
    check_string(value, arg_name, "check_valid_str")
    _check_one_of(value, valid_strings, arg_name, "check_valid_str")


def check_valid_list_tuple(value: Any, valid_list_tuple: Sequence[Any], data_type: Any, arg_name: str = "") -> None:
    """Check that the items of a value have a type, and that it is one of some."""
    type_check_list(value, data_type, arg_name)
    _check_one_of(value, valid_list_tuple, arg_name, "check_valid_list_tuple")


def _check_one_of(value: Any, choices: Sequence[Any], arg_name: str, api: str) -> None:
    if value not in choices:
        raise ValueError(f"For '{api}', '{arg_name}' must be one of {list(choices)}, but got {value!r}.")


def check_columns(columns: str | Sequence[str], name: str) -> None:
    """Check that there are names of columns, each once."""
    checks.as_names("check_columns", name, columns)


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


def check_filename(path: str) -> None:
    """Check that a path is a string, and a name that all systems accept."""
    check_string(path, "path", "check_filename")
    name = os.path.basename(path)
    if any(character in r'\/:*?"<>|`&;' + "'" for character in name) or name.startswith(" ") or name.endswith(" "):
        raise ValueError(rf"""For 'check_filename', 'path' must not contain any of \:*?"<>|`&;', but got {path!r}.""")


def check_dir(dataset_dir: str) -> None:
    """Check that there is a folder."""
    take_as(Folder, dataset_dir, "dataset_dir", "check_dir")
    if not os.access(dataset_dir, os.R_OK):
        raise ValueError(f"For 'check_dir', the folder {dataset_dir!r} cannot be read.")


def check_file(dataset_file: str) -> None:
    """Check that there is a file."""
    take_as(File, dataset_file, "dataset_file", "check_file")
    if not os.access(dataset_file, os.R_OK):
        raise ValueError(f"For 'check_file', the file {dataset_file!r} cannot be read.")


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


def check_num_parallel_workers(value: int) -> None:
    """Check the number of workers."""
    if value is None:
        raise wrong_type(value, (int,), "num_parallel_workers", "check_num_parallel_workers")
    take_as(Workers, value, "num_parallel_workers", "check_num_parallel_workers")


def check_num_samples(value: int) -> None:
    """Check the number of rows."""
    check_int(value, "num_samples", "check_num_samples", minimum=0, maximum=INT64_MAX)


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
            check_bool(value, name, "validate_dataset_param_value")
        type_check(value, (param_type,), name)
        if name == "num_parallel_workers":
            check_num_parallel_workers(value)
        if name == "num_samples":
            check_num_samples(value)


def check_tensor_op(param: Any, param_name: str) -> None:
    """Check that a value is a transform or a function."""
    if not callable(param):
        raise TypeError(f"For 'check_tensor_op', '{param_name}' must be a transform or a function, but got {param!r}.")


def check_feature_shape(data: Any, shape: int, param_name: str) -> None:
    """Check that the arrays of a dict have two dimensions, and the length of the first one."""
    for key, value in data.items() if isinstance(data, dict) else ():
        if len(value.shape) != 2 or value.shape[0] != shape:
            raise ValueError(
                f"For 'check_feature_shape', '{param_name}[{key!r}]' must have the shape ({shape}, N), but has "
                f"{value.shape}."
            )


def check_independent_mode(feature_name: str, condition: bool = True) -> None:
    """Do nothing: the rows are computed in this process."""


def pad_arg_name(arg_name: str) -> str:
    """Return a name with a blank after it, or nothing."""
    return f"{arg_name} " if arg_name else arg_name


def replace_none(value: Any, default: Any) -> Any:
    """Return a value, or the default where it is None."""
    return default if value is None else value
