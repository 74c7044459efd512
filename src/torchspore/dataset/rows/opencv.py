"""OpenCV, with which some image kernels are faster; it is optional.

Only OpenCV functions are used that return what MindSpore returns, or that differ from it as rarely as NumPy kernels.
They release the interpreter's lock.
"""

from __future__ import annotations

import functools
import importlib
import sys
from typing import Any

import numpy as np

from torchspore.dataset.rows.values import Array

__all__ = ["installed_for", "like", "module", "prepare_fork", "use_one_thread"]

_TYPES = (np.dtype(np.uint8), np.dtype(np.float32))
_MAX_SIDE = 2**15 - 1  # positions in its maps have 16 bits


class _Threads:
    single = False


@functools.cache
def module() -> Any:
    """Return the module `cv2`, or None if it is not installed, or too old."""
    try:
        cv2 = importlib.import_module("cv2")
    except ImportError:
        return None
    if _Threads.single:
        cv2.setNumThreads(0)
    return cv2 if hasattr(cv2, "IMREAD_COLOR_RGB") else None  # 4.11 or later


def installed_for(image: Array, types: tuple[np.dtype[Any], ...] = _TYPES[:1]) -> Any:
    """Return the module `cv2` if it is installed and supports such images, else None.

    Args:
        image: an array (height, width) or (height, width, channels).
        types: the data types for which the caller's result is the same. Default: uint8.
    """
    if image.dtype not in types or not image.size or max(image.shape) > _MAX_SIDE:
        return None
    return module() if image.ndim == 2 or (image.ndim == 3 and image.shape[2] in (1, 3, 4)) else None


def use_one_thread() -> None:
    """Let OpenCV compute in the calling thread, from when it is loaded: a worker process has one core."""
    _Threads.single = True
    cv2 = sys.modules.get("cv2")
    if cv2 is not None:
        cv2.setNumThreads(0)


def prepare_fork() -> None:
    """Let OpenCV make its data of this thread: the lock for that may be held for ever in a forked process.

    A thread that ends takes the lock after `Thread.join` has returned.
    """
    cv2 = sys.modules.get("cv2")
    if cv2 is not None:
        cv2.warpAffine(np.zeros((2, 2, 3), np.uint8), np.eye(2, 3), (2, 2))


def like(image: Array, result: Array) -> Array:
    """Return a result with the dimension for the channels that the image has: OpenCV drops it for one channel."""
    return result if result.ndim == image.ndim else result[:, :, None]
