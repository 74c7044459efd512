"""The device that new tensors live on."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeVar

import torch

from torchspore.common.frames.user_lines import warn_user
from torchspore.common.private_torch.error_texts import GPU_HAS_STOPPED, says

_T = TypeVar("_T")

_current: torch.device | None = None  # None until the first use or `use`
_replaced_before = False  # whether the warning that replaces an Ascend card was given

_TORCH_NAMES = {"CPU": "cpu", "GPU": "cuda", "Ascend": "npu"}


def current() -> torch.device:
    """Return the device in use: the one selected, else a GPU that torch reaches, else the CPU.

    The GPU is the first one; processes that a launcher started on one machine have one each.
    """
    global _current
    if _current is None:
        _current = torch.device("cuda", _default_index()) if _default_target() == "GPU" else torch.device("cpu")
        if _current.index:
            use(_current)  # the first one is torch's own choice
    return _current


def _default_target() -> str:
    return "GPU" if torch.cuda.is_available() else "CPU"


def _default_index() -> int:
    """Return the local rank that a launcher gave this process, or 0 if there is none or no GPU with that number."""
    text = os.environ.get("LOCAL_RANK", os.environ.get("DEVICE_ID", "0"))
    number = int(text) if text.isdecimal() else 0
    return number if number < torch.cuda.device_count() else 0


def has_gpu_for_each_process() -> bool:
    """Return whether the device in use is a GPU, and the other processes of the machine need not share it."""
    processes = os.environ.get("LOCAL_WORLD_SIZE", "1")
    return current().type == "cuda" and (not processes.isdecimal() or int(processes) <= torch.cuda.device_count())


def choose(target: str, index: int | None, api: str) -> torch.device:
    """Return the device number `index`, by default the first or this process's own, of `target`, to be used.

    Without support for Ascend cards, "Ascend" means the GPU if there is one, else the CPU, with one warning.
    """
    served = _served(target, api)
    return find(served, _default_index() if index is None and served == "GPU" else index, api)


def _served(target: str, api: str) -> str:
    """Return `target`, or the kind of device that replaces an Ascend card if `torch_npu` is missing."""
    global _replaced_before
    missing = _missing_for_ascend() if target == "Ascend" else ""
    if not missing:
        return target
    used = _default_target()
    if not _replaced_before:
        _replaced_before = True
        warn_user(
            f"For '{api}', device_target='Ascend' was asked for, and the {used} is used. The package 'torch_npu', "
            f"which would serve an Ascend card, cannot be imported: {missing}. This is said once."
        )
    return used


def find(target: str, index: int | None, api: str) -> torch.device:
    """Return the device number `index`, by default 0, of `target`: "CPU", "GPU" or "Ascend".

    Raises:
        ValueError: `target` is not one of the three, or this machine has no device of that number.
        RuntimeError: this machine, or this build of PyTorch, has no such device.
    """
    if not isinstance(target, str):
        raise TypeError(f"For '{api}', 'device_target' must be a string, but got {target!r}.")
    if target not in _TORCH_NAMES:
        raise ValueError(f"For '{api}', 'device_target' must be one of 'CPU', 'GPU', 'Ascend', but got {target!r}.")
    index = 0 if index is None else index
    if not isinstance(index, int) or isinstance(index, bool):
        raise TypeError(f"For '{api}', 'device_id' must be an int, but got {index!r}.")
    if target == "CPU":
        if index < 0:
            raise ValueError(f"For '{api}', 'device_id' must be >= 0, but got {index}.")
        return torch.device("cpu")
    count = _backend(target, api).device_count()
    if not 0 <= index < count:
        raise ValueError(f"For '{api}', 'device_id' must be in [0, {count}) on this machine, but got {index}.")
    return torch.device(_TORCH_NAMES[target], index)


def use(device: torch.device) -> None:
    """Create all tensors on a device, which `find` returned, from now on."""
    global _current
    _current = device
    if device.type != "cpu":
        getattr(torch, device.type).set_device(device.index)


def target() -> str:
    """Return MindSpore's name of the current device."""
    kind = current().type
    return next(name for name, torch_name in _TORCH_NAMES.items() if torch_name == kind)


def index() -> int:
    """Return the number of the current device among devices of its kind."""
    return current().index or 0


def set_deterministic(on: bool) -> None:
    """Make torch use deterministic algorithms."""
    torch.use_deterministic_algorithms(on, warn_only=True)


def set_synchronous(on: bool) -> None:
    """Wait for every operation on the GPU, so that an error points at the operation that caused it.

    Raises:
        RuntimeError: the GPU is in use already: CUDA reads this setting once, when it starts.
    """
    if on and torch.cuda.is_initialized():
        raise RuntimeError("For 'set_context', set pynative_synchronize=True before the first use of the GPU.")
    os.environ["CUDA_LAUNCH_BLOCKING"] = "1" if on else "0"


def describe(device: torch.device) -> str:
    """Return MindSpore's name of a torch device: `CPU`, `GPU:0`, `Ascend:0`."""
    name = next((name for name, torch_name in _TORCH_NAMES.items() if torch_name == device.type), device.type)
    return name if device.index is None else f"{name}:{device.index}"


def parse(name: str, api: str) -> torch.device:
    """Return the torch device of a name such as `CPU`, `GPU` or `GPU:1` (torch's `cuda:1` too).

    Tensors on "meta" have a shape and a data type, but no memory.

    Raises:
        ValueError: no device has that name, or this machine no device of that number.
        RuntimeError: this machine, or this build of PyTorch, has no such device.
    """
    kind, colon, number = str(name).partition(":")
    if kind == "meta" and not colon:
        return torch.device("meta")
    found = next((ours for ours, torchs in _TORCH_NAMES.items() if kind.lower() in (ours.lower(), torchs)), None)
    if found is None or (colon and not number.isdecimal()):
        raise ValueError(f"For '{api}', the device must be like 'CPU', 'GPU' or 'GPU:0', or 'meta', but got {name!r}.")
    found = _served(found, api)
    # Without a number: the device in use, if it is of that kind, else the first.
    return find(found, int(number) if number else index() if found == target() else 0, api)


def _backend(target: str, api: str) -> Any:
    if target == "GPU":
        if torch.cuda.is_available():
            return torch.cuda
        reason = "has no CUDA support" if torch.version.cuda is None else "finds no usable GPU"
        raise RuntimeError(
            f"For '{api}', device_target='GPU' was asked for, but PyTorch {torch.__version__} {reason}. "
            "Install a CUDA build of PyTorch and check the driver, or use device_target='CPU'."
        )
    missing = _missing_for_ascend()
    if missing:
        raise RuntimeError(
            f"For '{api}', device_target='Ascend' needs the package 'torch_npu', which cannot be imported: {missing}. "
            "Install it on a machine with an Ascend card, or use device_target='CPU' or 'GPU'."
        )
    return torch.npu  # type: ignore[attr-defined]


def _missing_for_ascend() -> str:
    """Return why `torch_npu` cannot be imported, or ""."""
    try:
        import torch_npu  # noqa: F401
    except ImportError as error:
        return str(error)
    return ""


def has_stopped(error: Exception) -> bool:
    """Return whether a GPU raised this error because a kernel has failed, so that the process has lost it."""
    return says(error, GPU_HAS_STOPPED) is not None


def stopped(api: str) -> RuntimeError:
    """Return the error for that: a GPU reports it late, and to whichever operation is next."""
    return RuntimeError(
        f"For '{api}', the GPU has stopped, because this or an earlier operation got an index or a label that is out "
        "of range (CUDA error: device-side assert triggered). This process cannot use the GPU any more. To see which "
        "operation it was, run the program again after set_device('CPU'), or with "
        "set_context(pynative_synchronize=True) before the first use of the GPU."
    )


def read(function: Callable[[torch.Tensor], _T], value: torch.Tensor, api: str) -> _T:
    """Return what a function reads of a tensor's elements, or explain that the GPU has failed before."""
    try:
        return function(value)
    except RuntimeError as error:
        if has_stopped(error):
            raise stopped(f"Tensor.{api}") from None
        raise
