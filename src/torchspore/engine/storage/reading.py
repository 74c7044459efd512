"""Reading small files as a whole: bytes, text, JSON, and arrays in MNIST's format.

Whatever is at the path, these functions raise only OSError or ValueError. A loader adds its name and the path.
"""

from __future__ import annotations

import json
import math
import os
import stat
from typing import Any

import numpy as np

__all__ = ["check_regular", "idx_array", "parse_json", "read_bytes", "read_json", "read_text"]


def check_regular(path: str | os.PathLike[str]) -> None:
    """Check that a path is a regular file: reading a pipe or a device may never end.

    Raises:
        OSError: there is nothing, or something else.
    """
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise OSError(f"{os.fspath(path)!r} is a folder, a pipe or a device, not a file")


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """Return the bytes of a file.

    Raises:
        OSError: it cannot be read.
    """
    check_regular(path)
    with open(path, "rb") as file:
        return file.read()


_IDX_TYPES: dict[int, np.dtype[Any]] = {0x8: np.dtype(np.uint8), 0xC: np.dtype(">i4")}  # by their codes in files


def idx_array(content: bytes | np.ndarray[Any, Any], rank: int, code: int = 0x8) -> np.ndarray[Any, Any]:
    """Return the array in the content of an idx file, the format of MNIST's files.

    Args:
        content: the bytes.
        rank: the number of dimensions that it must have.
        code: the code of its data type: 0x8 for bytes, 0xC for ints. Default: 0x8.

    Raises:
        ValueError: the content is not such an array.
    """
    start, kind = 4 * (rank + 1), _IDX_TYPES[code]
    if len(content) >= start:
        magic, *shape = np.frombuffer(content, ">i4", rank + 1).tolist()
        if magic == code << 8 | rank and min(shape) >= 0 and len(content) == start + math.prod(shape) * kind.itemsize:
            return np.frombuffer(content, kind, offset=start).reshape(shape)
    raise ValueError(f"it must be an idx file of {kind.name} with {rank} dimensions")


def read_text(path: str | os.PathLike[str], newline: str | None = None) -> str:
    """Return the text of a file in UTF-8.

    Args:
        path: the file.
        newline: as for `open`. Default: None, every end of a line is a line feed.

    Raises:
        OSError: it cannot be read.
        ValueError: it is in another encoding.
    """
    check_regular(path)
    with open(path, encoding="utf-8", newline=newline) as file:
        return file.read()


def read_json(path: str | os.PathLike[str], kind: type = object) -> Any:
    """Return the value in a JSON file.

    Args:
        path: the file.
        kind: what it must be: dict or list. Default: anything.

    Raises:
        OSError: it cannot be read.
        ValueError: it is not JSON, or of another kind.
    """
    value = parse_json(read_text(path))
    if not isinstance(value, kind):
        raise ValueError(f"it must hold a {kind.__name__}, but holds a {type(value).__name__}")
    return value


def parse_json(text: str | bytes) -> Any:
    """Return the value of a JSON text.

    Raises:
        ValueError: it is not JSON.
    """
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply for JSON") from None
