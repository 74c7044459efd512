"""How operations are launched on the device."""

from __future__ import annotations

from collections.abc import Sequence

from torchspore.common import device
from torchspore.engine.parameters import Positive, checked

__all__ = ["dispatch_threads_num", "launch_blocking", "set_kernel_launch_capture", "set_kernel_launch_group"]


def launch_blocking() -> None:
    """Wait for every operation on the GPU, so that an error points at the operation that caused it.

    On a CPU that is always the case.

    Raises:
        RuntimeError: the GPU is in use already: CUDA reads this setting once, when it starts.

    Examples:
        >>> import torchspore as ms
        >>> ms.set_device("CPU")
        >>> ms.runtime.launch_blocking()
    """
    if device.current().type == "cpu":
        return
    try:
        device.set_synchronous(True)
    except RuntimeError:
        raise RuntimeError("For 'launch_blocking', call it before the first use of the GPU.") from None


@checked
def dispatch_threads_num(threads_num: Positive) -> None:
    """Accept the number of threads that launch operations; it has no effect.

    PyTorch launches them from the calling thread.

    Args:
        threads_num: the number, > 0.

    Examples:
        >>> import torchspore as ms
        >>> ms.runtime.dispatch_threads_num(4)
    """


@checked
def set_kernel_launch_group(thread_num: Positive = 2, kernel_group_num: Positive = 8) -> None:
    """Accept the number of groups in which operations are launched; it has no effect, like `dispatch_threads_num`.

    Args:
        thread_num: the number of threads, > 0. Default: 2.
        kernel_group_num: the number of groups, > 0. Default: 8.

    Examples:
        >>> import torchspore as ms
        >>> ms.runtime.set_kernel_launch_group(2, 8)
    """


@checked
def set_kernel_launch_capture(enable_capture_graph: bool, op_capture_skip: Sequence[str] | None = None) -> None:
    """Accept whether an Ascend card replays the launches of a graph; it has no effect on other devices.

    Args:
        enable_capture_graph: whether it does.
        op_capture_skip: names of operations that it does not replay. Default: None.

    Examples:
        >>> import torchspore as ms
        >>> ms.runtime.set_kernel_launch_capture(True, ["matmul"])
    """
