"""Event files in TensorBoard's format, written by the package tensorboard and torch's functions for it."""

from __future__ import annotations

import importlib.util
import os
import socket
import time
from collections.abc import Callable
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
    """A file of events, made when the first is written.

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
        self._writer: Any = None

    def write(self, step: int, values: list[Any]) -> None:
        """Write the values of a step: messages of the type Summary."""
        from tensorboard.compat.proto.event_pb2 import Event
        from tensorboard.compat.proto.summary_pb2 import Summary
        from tensorboard.summary.writer.record_writer import RecordWriter

        if self._writer is None:
            self._writer = RecordWriter(open(self.path, "wb"))  # noqa: SIM115
            self._append(Event(wall_time=time.time(), file_version="brain.Event:2"))
        summary = Summary(value=[value for message in values for value in message.value])
        self._append(Event(wall_time=time.time(), step=step, summary=summary))

    def _append(self, event: Any) -> None:
        data = event.SerializeToString()
        size = self._size + len(data) + 16  # a length and two checksums
        if self._max_size is not None and size > self._max_size:
            if not self._full:
                log.warning("%s has reached its maximum size: later events are not written.", self.path)
            self._full = True
        if not self._full:
            self._writer.write(data)
            self._size = size

    def flush(self) -> None:
        """Flush the file to disk."""
        if self._writer is not None:
            self._writer.flush()

    def close(self) -> None:
        """Close the file."""
        if self._writer is not None:
            self._writer.close()


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
