"""Two levels for one graph: generated Python runs at once, and the library as soon as it is compiled."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import torch

from torchspore.common.frames.user_lines import warn_user
from torchspore.engine.capture.compiling.compilation import Compilation
from torchspore.engine.capture.compiling.library import NoLibrary

__all__ = ["Tiered", "warn_of_level_zero"]

_Run = Callable[..., list[torch.Tensor]]


class Tiered:
    """A function of a graph's inputs that switches to compiled code between two calls.

    Args:
        python_code: what runs until then.
        compilation: the compilation, polled before each call.
        load: returns what runs afterwards, given the path of the library.
    """

    def __init__(self, python_code: _Run, compilation: Compilation, load: Callable[[Path], _Run]) -> None:
        self._run = python_code
        self._load = load
        self._compilation: Compilation | None = compilation
        self._look(compilation)

    def __call__(self, *values: torch.Tensor) -> list[torch.Tensor]:
        """Run the graph."""
        if self._compilation is not None:
            self._look(self._compilation)
        return self._run(*values)

    def _look(self, compilation: Compilation) -> None:
        """Switch to the library if it is ready."""
        try:
            if compilation.finished():
                self._run = self._load(compilation.result())
                self._compilation = None
        except NoLibrary as error:
            self._compilation = None
            warn_of_level_zero(str(error))


def warn_of_level_zero(reason: str) -> None:
    """Warn that a graph cannot be compiled, with the first line of the reason."""
    warn_user(f"a graph stays at level O0, it cannot be compiled: {reason.strip().partition(chr(10))[0]}")
