"""Python's `multiprocessing`, under MindSpore's name: Tensors pass from process to process."""

from __future__ import annotations

import multiprocessing as _python
from multiprocessing import *  # noqa: F403
from typing import Any

from torchspore.common.names.public_names import list_public_names as _list_public_names

__all__ = [*_python.__all__]


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return getattr(_python, "Process" if name == "_MsProcess" else name)


_list_public_names(globals())
