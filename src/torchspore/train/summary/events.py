"""Event files in TensorBoard's format, written by the package tensorboard and torch's functions for it."""

from __future__ import annotations

import importlib.util
import io
import os
import socket
import time
from collections.abc import Callable
from io import FileIO
from itertools import count
from typing import Any

import numpy as np
import torch

from torchspore import log

__all__ = ["PLUGINS", "EventFile", "check_installed"]

_BINS = 64
_number = count()  # of the process's files


def check_installed(api: str) -> None:
    """Check that the package tensorboard is installed."""
    if importlib.util.find_spec("tensorboard") is None:
        raise ModuleNotFoundError(
            f"For '{api}', event files need the package tensorboard: pip install 'torchspore[tensorboard]'."
        )


class EventFile:
    """A file of events, made when the first is written. After a failed write it ends with the last whole event.

    Args:
        folder: its folder.
        prefix, suffix: the beginning and end of its name.
        max_size: the maximum number of bytes, or None. Further events are dropped, with one warning.
    """

    def __init__(self, folder: str, prefix: str, suffix: str, max_size: int | None) -> None:
        # TensorBoard looks for "tfevents" in the names of files.
        name = f"{prefix}.out.tfevents.{int(time.time())}.{socket.gethostname()}.{os.getpid()}.{next(_number)}{suffix}"
        self.path = os.path.join(folder, name)
        self._max_size, self._size, self._full = max_size, 0, False
        self._file: FileIO | None = None

    def write(self, step: int, values: list[Any]) -> None:
        """Write the values of a step: messages of the type Summary."""
        from tensorboard.compat.proto.event_pb2 import Event
        from tensorboard.compat.proto.summary_pb2 import Summary

        self._file = self._file or open(self.path, "wb", buffering=0)  # noqa: SIM115 - `close` closes it
        if not self._size:
            self._append(Event(wall_time=time.time(), file_version="brain.Event:2"))
        summary = Summary(value=[value for message in values for value in message.value])
        self._append(Event(wall_time=time.time(), step=step, summary=summary))

    def _append(self, event: Any) -> None:
        from tensorboard.summary.writer.record_writer import RecordWriter

        framed = io.BytesIO()
        RecordWriter(framed).write(event.SerializeToString())
        if self._max_size is not None and self._size + framed.tell() > self._max_size:
            if not self._full:
                log.warning("%s has reached its maximum size: later events are not written.", self.path)
            self._full = True
        if self._full or self._file is None:
            return
        try:
            rest = framed.getbuffer()
            while rest:
                rest = rest[self._file.write(rest) :]
        except OSError as error:
            error.filename = self.path
            self._file.truncate(self._size)
            self._file.seek(self._size)
            raise
        self._size += framed.tell()

    def flush(self) -> None:
        """Sync the file to the disk."""
        if self._file is not None:
            os.fsync(self._file.fileno())

    def close(self) -> None:
        """Sync the file to the disk and close it."""
        if self._file is not None:
            with self._file as file:
                os.fsync(file.fileno())


def _scalar(tag: str, value: np.ndarray[Any, Any]) -> Any:
    from torch.utils.tensorboard.summary import scalar

    return scalar(tag, float(value.reshape(())))


def _image(tag: str, value: np.ndarray[Any, Any]) -> Any:
    from torch.utils.tensorboard.summary import image

    return image(tag, value if value.dtype == np.uint8 else _to_uint8(value), dataformats="NCHW")


def _to_uint8(image: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Scale an image to 0 ... 255; with negative values, so that 0 becomes the middle."""
    image = np.nan_to_num(image.astype(np.float64))
    minimum, maximum = image.min(), image.max()
    if minimum < 0:
        return np.asarray(127.5 + image * (127.5 / max(-minimum, maximum))).astype(np.uint8)
    return np.asarray(image * (255 / maximum if maximum > 0 else 1)).astype(np.uint8)


def _histogram(tag: str, value: np.ndarray[Any, Any]) -> Any:
    from torch.utils.tensorboard.summary import histogram

    finite = value.astype(np.float64)[np.isfinite(value)]
    if finite.size < value.size:
        log.warning("The histogram %r leaves out %d values that are not finite.", tag, value.size - finite.size)
    return histogram(tag, finite if finite.size else np.zeros(1), _BINS)


def _tensor(tag: str, value: np.ndarray[Any, Any]) -> Any:
    from torch.utils.tensorboard.summary import tensor_proto

    return tensor_proto(tag, torch.from_numpy(np.ascontiguousarray(value).reshape(value.shape)))


def _text(tag: str, value: Any) -> Any:
    """Return the message of a text: a dictionary becomes a table, anything else a preformatted block."""
    from torch.utils.tensorboard.summary import text

    if isinstance(value, dict):
        cells = [[str(part).replace("|", "\\|") for part in row] for row in value.items()]
        rows = [f"| {name} | {item} |" for name, item in cells]
        return text(tag, "\n".join(["| name | value |", "| --- | --- |", *rows]))
    return text(tag, "\n".join(f"    {line}" for line in str(value).splitlines()))


PLUGINS: dict[str, Callable[[str, Any], Any]] = {
    "scalar": _scalar,
    "image": _image,
    "histogram": _histogram,
    "tensor": _tensor,
    "graph": _text,
    "train_lineage": _text,
    "eval_lineage": _text,
    "custom_lineage_data": _text,
}
"""The functions that make the messages of each kind of value."""
