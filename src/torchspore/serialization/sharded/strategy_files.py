"""MindSpore's strategy files: the layout of each parameter, as protocol buffers or as JSON.

A message has the stage (field 1), repeated operators (field 2: name, and a message with the stage and the cuts) and
repeated parameters (field 3: name, and the layout). A layout has the device matrix (field 1), the tensor map (2),
uneven parts (3 and 4), the field of an embedding (5), and the step and size of the optimizer's shards (6, 7); the first
four are messages with repeated numbers. In a file of several stages the names of parameters begin with `STAGE-`.
"""

from __future__ import annotations

import io
import json
import os
import re
from collections.abc import Callable, Mapping
from typing import Any, BinaryIO

from torchspore.engine.parameters import checked
from torchspore.engine.storage.files import DamagedFileError, read
from torchspore.engine.storage.reading import parse_json
from torchspore.engine.storage.writing import replacing
from torchspore.serialization.sharded.layouts import ParameterLayout, flat_form
from torchspore.serialization.wire import bytes_header, fields, read_varint, varint_field

__all__ = [
    "Strategy", "build_searched_strategy", "merge_pipeline_strategys", "read_strategy", "restore_group_info_list",
    "stages_of", "write_strategy",
]  # fmt: skip

Strategy = dict[str, ParameterLayout]

_STAGE, _OPERATOR, _PARAMETER = 1, 2, 3
_MATRIX, _MAP, _SPLIT, _OFFSETS, _FIELD, _STEP, _SIZE = range(1, 8)
_OF_STAGE = re.compile(r"(\d+)-(.+)", re.DOTALL)
_UINT64 = 2**64


def write_strategy(path: str, layouts: Mapping[str, ParameterLayout], stage: int = 0) -> None:
    """Write the layouts of parameters to a file that MindSpore also reads.

    Args:
        path: the file; JSON if it ends with `.json`, else a protocol buffer.
        layouts: the layouts by the names of the parameters.
        stage: the number of the pipeline's stage. Default: 0.

    Raises:
        ValueError: a layout cuts a dimension by axes that are not neighbours.

    Examples:
        >>> import tempfile
        >>> from torchspore.serialization.sharded import ParameterLayout, read_strategy, write_strategy
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     write_strategy(f"{folder}/strategy.ckpt", {"weight": ParameterLayout((2, 4), (0, -1))})
        ...     read_strategy(f"{folder}/strategy.ckpt")
        {'weight': ParameterLayout(device_matrix=(2, 4), tensor_map=(0, -1), optimizer_shards=0, optimizer_step=0)}
    """
    try:
        content = _as_json(layouts, stage) if path.endswith(".json") else _as_message(layouts, stage)
    except ValueError as error:
        raise ValueError(f"For 'write_strategy', '{path}' cannot be written: {error}.") from None
    with replacing(path) as file:
        file.write(content)


def read_strategy(path: str, api: str = "read_strategy") -> Strategy:
    """Return the layouts in a strategy file by the names of the parameters.

    Args:
        path: the file.
        api: the function that errors name. Default: "read_strategy".

    Raises:
        ValueError: there is no such file, it is not a strategy, or it has uneven parts, which are not supported.
    """
    content = _content(path, api)
    try:
        return _from_json(content) if path.endswith(".json") else _from_message(content)
    except (DamagedFileError, ValueError, UnicodeDecodeError) as error:
        raise ValueError(
            f"For '{api}', '{path}' is not a strategy file: {error}. It must be a protocol buffer, or JSON where the "
            "name ends with '.json'."
        ) from None


@checked
def build_searched_strategy(strategy_filename: str) -> Strategy:
    """Return the layouts in a strategy file by the names of the parameters.

    Args:
        strategy_filename: the file.

    Raises ValueError if there is no such file or it is not a strategy.

    Examples:
        >>> import tempfile, torchspore as ms
        >>> from torchspore.serialization.sharded import ParameterLayout, write_strategy
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     write_strategy(f"{folder}/strategy.ckpt", {"weight": ParameterLayout((2,), (-1, 0))})
        ...     ms.build_searched_strategy(f"{folder}/strategy.ckpt")["weight"].tensor_map
        (-1, 0)
    """
    return read_strategy(strategy_filename, "build_searched_strategy")


def stages_of(strategy: Strategy) -> list[Strategy]:
    """Return the layouts of each stage of a pipeline, with the parameters' own names."""
    found = {name: _OF_STAGE.fullmatch(name) for name in strategy}
    if not all(found.values()) or not found:
        return [strategy]
    stages: dict[int, Strategy] = {}
    for name, match in found.items():
        if match:
            stages.setdefault(int(match[1]), {})[match[2]] = strategy[name]
    if sorted(stages) != list(range(len(stages))):
        raise ValueError(f"the stages {sorted(stages)} are not 0 to {len(stages) - 1}: some are missing")
    return [stages[stage] for stage in range(len(stages))]


@checked
def merge_pipeline_strategys(src_strategy_dirs: str, dst_strategy_file: str) -> None:
    """Join the strategy files of a pipeline's stages into one.

    Args:
        src_strategy_dirs: the folder with one file per stage, or several equal ones.
        dst_strategy_file: the new file; JSON if it ends with `.json`.

    Raises:
        NotADirectoryError: there is no such folder.
        ValueError: it has no files, or one of them is not a strategy.

    Examples:
        >>> import os, tempfile, torchspore as ms
        >>> from torchspore.serialization.sharded import ParameterLayout, write_strategy
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     os.mkdir(f"{folder}/stages")
        ...     write_strategy(f"{folder}/stages/0.ckpt", {"first": ParameterLayout((2,), (0, -1))})
        ...     write_strategy(f"{folder}/stages/1.ckpt", {"last": ParameterLayout((2,), (-1, 0))}, stage=1)
        ...     ms.merge_pipeline_strategys(f"{folder}/stages", f"{folder}/all.ckpt")
        ...     [*ms.build_searched_strategy(f"{folder}/all.ckpt")]
        ['0-first', '1-last']
    """
    api = "merge_pipeline_strategys"
    if not os.path.isdir(src_strategy_dirs):
        raise NotADirectoryError(f"For '{api}', there is no folder '{src_strategy_dirs}'. Check 'src_strategy_dirs'.")
    files = sorted(entry.path for entry in os.scandir(src_strategy_dirs) if entry.is_file())
    if not files:
        raise ValueError(f"For '{api}', the folder '{src_strategy_dirs}' has no files. Check 'src_strategy_dirs'.")
    merged: dict[int, Strategy] = {}
    for path in files:
        layouts = read_strategy(path, api)
        merged.setdefault(_stage_of(_content(path, api), path.endswith(".json")), {}).update(layouts)
    joined = {f"{stage}-{name}": layout for stage in sorted(merged) for name, layout in merged[stage].items()}
    write_strategy(dst_strategy_file, joined, max(merged))


@checked
def restore_group_info_list(group_info_file_name: str) -> list[int]:
    """Return the ranks whose checkpoints are equal to this one's, from a file that MindSpore's GROUP_INFO_FILE names.

    Raises ValueError if there is no such file or it is damaged.

    Examples:
        >>> import tempfile, torchspore as ms
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with open(f"{folder}/group_info.pb", "wb") as file:
        ...         size = file.write(bytes([18, 4, 8, 0, 8, 2]))
        ...     ms.restore_group_info_list(f"{folder}/group_info.pb")
        [0, 2]
    """
    api = "restore_group_info_list"
    content = _content(group_info_file_name, api)
    file = io.BytesIO(content)
    try:
        for number, value in fields(file, range(len(content))):
            if number == 2 and isinstance(value, range):
                return _numbers(file, value)
    except DamagedFileError as error:
        raise ValueError(f"For '{api}', '{group_info_file_name}' is not a group information file: {error}.") from None
    raise ValueError(f"For '{api}', '{group_info_file_name}' lists no ranks. Check 'group_info_file_name'.")


def _content(path: str, api: str) -> bytes:
    if not os.path.isfile(path):
        raise ValueError(f"For '{api}', there is no file '{path}'.")
    with open(path, "rb") as file:
        content = file.read()
    if not content:
        raise ValueError(f"For '{api}', the file '{path}' is empty.")
    return content


# Protocol buffers


def _as_message(layouts: Mapping[str, ParameterLayout], stage: int) -> bytes:
    parts = [varint_field(_STAGE, stage)]
    for name in layouts:
        match = _OF_STAGE.fullmatch(name)
        # MindSpore takes a file without operators for an empty one.
        operator = _field(1, name.encode()) + _field(2, varint_field(1, int(match[1]) if match else stage))
        parts.append(_field(_OPERATOR, operator))
    for name, layout in layouts.items():
        matrix, axes = flat_form(layout)
        body = [
            _field(_MATRIX, b"".join(varint_field(1, size) for size in matrix)),
            _field(_MAP, b"".join(varint_field(1, axis % _UINT64) for axis in axes)),
            _field(_SPLIT, b""), _field(_OFFSETS, b""), varint_field(_FIELD, 0),
            varint_field(_STEP, layout.optimizer_step), varint_field(_SIZE, layout.optimizer_shards % _UINT64),
        ]  # fmt: skip
        parts.append(_field(_PARAMETER, _field(1, name.encode()) + _field(2, b"".join(body))))
    return b"".join(parts)


def _field(number: int, content: bytes) -> bytes:
    return bytes_header(number, len(content)) + content


def _from_message(content: bytes) -> Strategy:
    file = io.BytesIO(content)
    layouts: Strategy = {}
    for number, value in fields(file, range(len(content))):
        if number not in (_STAGE, _OPERATOR, _PARAMETER) or isinstance(value, int) != (number == _STAGE):
            raise DamagedFileError(f"it has a field {number} of another kind")
        if number == _PARAMETER and isinstance(value, range):
            inside = {inner: part for inner, part in fields(file, value) if isinstance(part, range)}
            name = str(read(file, inside.get(1, range(0))), "utf-8")
            layouts[name] = _layout_of(name, _message_numbers(file, inside.get(2, range(0))).__getitem__)
    return layouts


def _message_numbers(file: BinaryIO, message: range) -> dict[int, list[int]]:
    """Return the numbers of a layout by field, in lists."""
    found: dict[int, list[int]] = {number: [] for number in range(_MATRIX, _SIZE + 1)}
    for number, value in fields(file, message):
        found.setdefault(number, []).extend([_signed(value)] if isinstance(value, int) else _numbers(file, value))
    return found


def _numbers(file: BinaryIO, message: range) -> list[int]:
    """Return the numbers in field 1 of a message, each with a key or packed together."""
    result = []
    for number, value in fields(file, message):
        if number != 1:
            continue
        if isinstance(value, int):
            result.append(_signed(value))
            continue
        position = value.start
        while position < value.stop:
            one, position = read_varint(file, position, value.stop)
            result.append(_signed(one))
    return result


def _signed(value: int) -> int:
    return value - _UINT64 if value >= _UINT64 // 2 else value


def _layout_of(name: str, numbers: Callable[[int], list[int]]) -> ParameterLayout:
    """Return a layout, given a function from the numbers of fields to their values."""
    if any(numbers(_SPLIT)) or any(numbers(_OFFSETS)) or any(numbers(_FIELD)):
        raise ValueError(f"'{name}' is cut into parts of different sizes, which are not supported")
    step, size = (numbers(field)[0] if numbers(field) else 0 for field in (_STEP, _SIZE))
    try:
        return ParameterLayout(tuple(numbers(_MATRIX)), tuple(numbers(_MAP)), size, step)
    except ValueError as error:
        raise ValueError(f"of '{name}', {error}") from None


def _stage_of(content: bytes, is_json: bool) -> int:
    if is_json:
        return int(parse_json(content)["current_stage"])
    found = fields(io.BytesIO(content), range(len(content)))
    return next((value for number, value in found if number == _STAGE and isinstance(value, int)), 0)


# JSON

_KEYS = {
    _MATRIX: "dev_matrix", _MAP: "tensor_map", _SPLIT: "param_split_shape", _OFFSETS: "indices_offset",
    _FIELD: "field", _STEP: "opt_weight_shard_step", _SIZE: "opt_weight_shard_size",
}  # fmt: skip


def _as_json(layouts: Mapping[str, ParameterLayout], stage: int) -> bytes:
    operators, parameters = {}, {}
    for name, layout in layouts.items():
        match = _OF_STAGE.fullmatch(name)
        matrix, axes = flat_form(layout)
        operators[name] = {"stage": int(match[1]) if match else stage, "parallel_strategy": []}
        parameters[name] = {
            "dev_matrix": matrix, "tensor_map": axes, "tensor_shape": [], "field": 0,
            "opt_weight_shard_step": layout.optimizer_step, "opt_weight_shard_size": layout.optimizer_shards,
        }  # fmt: skip
    content = {"current_stage": stage, "parallel_strategy_item": operators, "parallel_layout_item": parameters}
    return json.dumps(content).encode()


def _from_json(content: bytes) -> Strategy:
    found = parse_json(content)
    items = found.get("parallel_layout_item") if isinstance(found, dict) else None
    if not isinstance(items, dict) or not isinstance(found.get("current_stage"), int):
        raise ValueError("it has no 'parallel_layout_item' with the layouts, or no 'current_stage'")

    def numbers_of(name: str, item: Any) -> Callable[[int], list[int]]:
        def numbers(field: int) -> list[int]:
            value = item.get(_KEYS[field], []) if isinstance(item, dict) else None
            value = [value] if isinstance(value, int) else value
            if not isinstance(value, list) or not all(isinstance(one, int) for one in value):
                raise ValueError(f"of '{name}', '{_KEYS[field]}' is not a list of numbers")
            return value

        return numbers

    return {name: _layout_of(name, numbers_of(name, item)) for name, item in items.items()}
