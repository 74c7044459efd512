"""How checkpoints are opened, under the names of `mindspore.common.file_system`."""

from __future__ import annotations

__all__ = ["FileSystem"]


class FileSystem:
    """The functions that open files for writing and reading, with their modes."""

    def __init__(self) -> None:
        self.create = self.open = open
        self.create_args, self.open_args = ("ab",), ("rb",)
        self.backend = "basic"


def _register_basic_file_system(fs: FileSystem) -> bool:
    """Let a FileSystem use Python's `open`."""
    vars(fs).update(vars(FileSystem()))
    return True


def _register_mindio_file_system(fs: FileSystem) -> bool:
    """Return False: MindIO is not here."""
    return False


def _init_mindio() -> None:
    """Return None: MindIO is not here."""
