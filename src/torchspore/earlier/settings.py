"""Settings of MindSpore's earlier versions, and what belongs to them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torchspore import ops
from torchspore.common import dtype as mstype
from torchspore.common.initializer import Initializer
from torchspore.common.tensor import Tensor
from torchspore.engine.failures.errors import describe
from torchspore.engine.parameters import checked

__all__ = ["MetaTensor", "get_offload_context", "init_status", "no_server", "set_offload_context"]

_offload: dict[str, Any] = {
    "offload_path": "./offload", "offload_cpu_size": "0GB", "offload_disk_size": "0GB", "hbm_ratio": 1.0,
    "cpu_ratio": 1.0, "enable_aio": True, "aio_block_size": "1GB", "aio_queue_depth": 1024,
    "enable_pinned_mem": True, "auto_offload": True, "host_mem_block_size": "1GB",
}  # fmt: skip


@checked
def set_offload_context(offload_config: dict[str, Any]) -> None:
    """Keep the settings of memory outside of the device; they change nothing, because memory is PyTorch's.

    Args:
        offload_config: settings by name.

    Raises:
        TypeError: `offload_config` is not a dict.
        ValueError: a name is not one of a setting.

    Source: MindSpore 2.0, `set_offload_context`.

    Examples:
        >>> from torchspore.earlier.settings import get_offload_context, set_offload_context
        >>> set_offload_context({"hbm_ratio": 0.5})
        >>> get_offload_context()["hbm_ratio"]
        0.5
    """
    unknown = offload_config.keys() - _offload.keys()
    if unknown:
        raise ValueError(
            f"For 'set_offload_context', 'offload_config' must have keys of {', '.join(_offload)}, but got "
            f"{describe(min(unknown))}."
        )
    _offload.update(offload_config)


def get_offload_context() -> dict[str, Any]:
    """Return the settings of memory outside of the device.

    Source: MindSpore 2.0, `get_offload_context`.
    """
    return dict(_offload)


def init_status() -> Tensor:
    """Return the state of Ascend's test of overflows: zeros, because numbers are tested themselves.

    Source: MindSpore 1.10, `amp.init_status`.
    """
    zeros: Tensor = ops.zeros(8, mstype.float32)
    return zeros


def MetaTensor(dtype: mstype.Type, shape: Sequence[int], init: Initializer | None = None) -> Tensor:
    """Return a Tensor that is known by its shape and data type.

    Args:
        dtype: its data type.
        shape: its shape.
        init: what makes its values. Default: None, zeros.

    Source: MindSpore 1.1, `common.tensor.MetaTensor`.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.earlier.settings import MetaTensor
        >>> MetaTensor(ms.float32, (2, 3)).shape
        (2, 3)
    """
    if init is None:
        zeros: Tensor = ops.zeros(tuple(shape), dtype)
        return zeros
    return Tensor(shape=tuple(shape), dtype=dtype, init=init).init_data()


def no_server() -> bool:
    """Return False: there are no parameter servers.

    Source: MindSpore 2.0, `parallel._ps_context._is_ps_mode` and others.
    """
    return False
