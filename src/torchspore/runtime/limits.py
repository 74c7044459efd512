"""Limits on the number of cores of an Ascend card in use. Other devices have no such cores, so nothing is limited."""

from __future__ import annotations

from types import TracebackType
from typing import Annotated, TypeAlias

from torchspore.engine.parameters import Limits, NotNegative, checked
from torchspore.runtime.stream import Stream

__all__ = [
    "StreamLimitCtx", "get_device_limit", "get_stream_limit", "reset_stream_limit", "set_device_limit",
    "set_stream_limit",
]  # fmt: skip

_Cores: TypeAlias = Annotated[int, Limits(-1)]


def _no_cores() -> dict[str, int]:
    return {"cube_core_num": 0, "vector_core_num": 0}


@checked
def get_device_limit(device: NotNegative) -> dict[str, int]:
    """Return the number of cores of an Ascend card that may be used: 0, as CPUs and GPUs have no such cores.

    Args:
        device: the number of the device.

    Examples:
        >>> import torchspore as ms
        >>> ms.runtime.get_device_limit(0)
        {'cube_core_num': 0, 'vector_core_num': 0}
    """
    return _no_cores()


@checked
def set_device_limit(device: NotNegative, cube_num: _Cores = -1, vector_num: _Cores = -1) -> None:
    """Accept a limit on the cores of an Ascend card; it has no effect, as CPUs and GPUs have no such cores.

    Args:
        device: the number of the device.
        cube_num: the number of cores for matrices. Default: -1, all.
        vector_num: the number of cores for vectors. Default: -1, all.

    Examples:
        >>> import torchspore as ms
        >>> ms.runtime.set_device_limit(0, 8, 8)
    """


@checked
def get_stream_limit(stream: Stream) -> dict[str, int]:
    """Return the number of cores of an Ascend card that a stream may use; see `get_device_limit`.

    Examples:
        >>> import torchspore as ms
        >>> ms.runtime.get_stream_limit(ms.runtime.current_stream())
        {'cube_core_num': 0, 'vector_core_num': 0}
    """
    return _no_cores()


@checked
def set_stream_limit(stream: Stream, cube_num: _Cores = -1, vector_num: _Cores = -1) -> None:
    """Accept a limit on the cores of an Ascend card for a stream; see `set_device_limit`.

    Examples:
        >>> import torchspore as ms
        >>> ms.runtime.set_stream_limit(ms.runtime.current_stream(), 8, 8)
    """


@checked
def reset_stream_limit(stream: Stream) -> None:
    """Accept that a stream may use all cores again; see `set_stream_limit`.

    Examples:
        >>> import torchspore as ms
        >>> ms.runtime.reset_stream_limit(ms.runtime.current_stream())
    """


class StreamLimitCtx:
    """A `with` block with a limit on the cores of an Ascend card for a stream; see `set_stream_limit`.

    Args:
        stream: the stream.
        cube_num: the number of cores for matrices. Default: -1, all.
        vector_num: the number of cores for vectors. Default: -1, all.

    Examples:
        >>> import torchspore as ms
        >>> with ms.runtime.StreamLimitCtx(ms.runtime.current_stream(), 8, 8):
        ...     total = ms.Tensor([1, 2]) + 1
    """

    @checked
    def __init__(self, stream: Stream, cube_num: _Cores = -1, vector_num: _Cores = -1) -> None:
        pass

    def __enter__(self) -> StreamLimitCtx:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None
