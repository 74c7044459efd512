"""Available devices and their properties."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Literal, TypeAlias

import torch

from torchspore.common import device as devices
from torchspore.engine.parameters import checked

__all__ = [
    "DeviceCtx", "Target", "device_count", "find", "get_arch_list", "get_device_capability", "get_device_name",
    "get_device_properties", "is_available", "is_initialized",
]  # fmt: skip

Target: TypeAlias = Literal["CPU", "GPU", "Ascend"]


class DeviceCtx:
    """A `with` block in which tensors are created on another device.

    Args:
        name: "CPU", "GPU" or "Ascend".
        device_id: the number of the device among devices of its kind. Default: None, the first.

    Raises:
        ValueError: another kind of device, or a number that is not there.
        RuntimeError: PyTorch cannot use such a device here.
        NotImplementedError: `name` is "meta".

    Examples:
        >>> import torchspore as ms
        >>> with ms.DeviceCtx("CPU"):
        ...     print(ms.Tensor([1.0]).device)
        CPU
    """

    def __init__(self, name: str, device_id: int | None = None) -> None:
        if name == "meta":
            raise NotImplementedError("For 'DeviceCtx', tensors without memory, of 'meta', are not supported.")
        self._device = devices.choose(name, device_id, "DeviceCtx")
        self._before: list[torch.device] = []

    def __enter__(self) -> DeviceCtx:
        self._before.append(devices.current())
        devices.use(self._device)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        devices.use(self._before.pop())


def find(device_target: str | None, api: str, index: int | None = None) -> torch.device:
    """Return a device of a kind.

    Args:
        device_target: "CPU", "GPU", "Ascend", or None for the kind in use.
        api: the function that the user called.
        index: the number of the device. Default: None, the one in use, else the first.

    Raises:
        ValueError: another kind, a kind that PyTorch cannot use here, or a number that is not there.
    """
    target = devices.target() if device_target is None else device_target
    if index is None:
        index = devices.index() if target == devices.target() else 0
    try:
        device = devices.find(target, index, api)
    except RuntimeError as error:
        raise ValueError(str(error)) from None
    if device.type == "cpu" and index > 0:
        raise ValueError(f"For '{api}', 'device_id' must be 0 for the CPU, but got {index}.")
    return device


@checked
def is_available(device_target: Target) -> bool:
    """Return whether PyTorch can use a device of a kind.

    Args:
        device_target: "CPU", "GPU" or "Ascend".

    Examples:
        >>> import torchspore as ms
        >>> ms.hal.is_available("CPU")
        True
    """
    try:
        devices.find(device_target, 0, "is_available")
    except (RuntimeError, ValueError):
        return False
    return True


@checked
def is_initialized(device_target: Target) -> bool:
    """Return whether a kind of device is initialized; a CPU always is.

    Args:
        device_target: "CPU", "GPU" or "Ascend".

    Examples:
        >>> import torchspore as ms
        >>> ms.hal.is_initialized("CPU")
        True
    """
    return is_available(device_target) and bool(_module(device_target, "is_initialized").is_initialized())


def _module(target: str | None, api: str) -> Any:
    return torch.get_device_module(find(target, api))


@checked
def device_count(device_target: Target | None = None) -> int:
    """Return the number of devices of a kind; CPUs count as one.

    Args:
        device_target: "CPU", "GPU" or "Ascend". Default: None, the kind in use.

    Raises:
        ValueError: another kind, or one that PyTorch cannot use here.

    Examples:
        >>> import torchspore as ms
        >>> ms.hal.device_count("CPU")
        1
    """
    return int(_module(device_target, "device_count").device_count())


@checked
def get_device_name(device_id: int, device_target: Target | None = None) -> str:
    """Return the name of a device: "CPU", or the model of the GPU.

    Args:
        device_id: the number of the device among devices of its kind.
        device_target: "CPU", "GPU" or "Ascend". Default: None, the kind in use.

    Raises:
        ValueError: another kind, one that PyTorch cannot use here, or a number that is not there.

    Examples:
        >>> import torchspore as ms
        >>> ms.hal.get_device_name(0, "CPU")
        'CPU'
    """
    device = find(device_target, "get_device_name", device_id)
    return "CPU" if device.type == "cpu" else str(torch.get_device_module(device).get_device_name(device))


@checked
def get_device_properties(device_id: int, device_target: Target | None = None) -> Any:
    """Return torch's properties of a device: its `name`, `total_memory`, `multi_processor_count`; None for a CPU.

    Arguments and errors as for `get_device_name`.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.hal.get_device_properties(0, "CPU"))
        None
    """
    device = find(device_target, "get_device_properties", device_id)
    return None if device.type == "cpu" else torch.get_device_module(device).get_device_properties(device)


@checked
def get_device_capability(device_id: int, device_target: Target | None = None) -> tuple[int, int] | None:
    """Return the two numbers of a GPU's compute capability, such as (9, 0); None for other devices.

    Arguments and errors as for `get_device_name`.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.hal.get_device_capability(0, "CPU"))
        None
    """
    device = find(device_target, "get_device_capability", device_id)
    return torch.cuda.get_device_capability(device) if device.type == "cuda" else None


@checked
def get_arch_list(device_target: Target | None = None) -> str | None:
    """Return the GPU architectures that PyTorch is built for, as "sm_80 sm_90"; None for other devices.

    Args:
        device_target: "CPU", "GPU" or "Ascend". Default: None, the kind in use.

    Raises:
        ValueError: another kind, or one that PyTorch cannot use here.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.hal.get_arch_list("CPU"))
        None
    """
    return " ".join(torch.cuda.get_arch_list()) if find(device_target, "get_arch_list").type == "cuda" else None
