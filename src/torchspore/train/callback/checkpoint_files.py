"""The checkpoint files of a training, for callbacks that save them themselves.

MindSpore: `mindspore.train.callback._checkpoint.CheckpointManager`.
"""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["CheckpointManager"]


class CheckpointManager:
    """The checkpoint files in a folder with one prefix, oldest first.

    Args:
        ckpt_format: the ending of their names. Default: "ckpt".
    """

    def __init__(self, ckpt_format: str = "ckpt") -> None:
        self._format = ckpt_format
        self._ckpoint_filelist: list[str] = []

    @property
    def ckpoint_filelist(self) -> list[str]:
        """The paths of the files."""
        return self._ckpoint_filelist

    @property
    def ckpoint_num(self) -> int:
        """The number of files."""
        return len(self._ckpoint_filelist)

    def update_ckpoint_filelist(self, directory: str, prefix: str) -> None:
        """Find the files: `PREFIX-EPOCH_STEP`, perhaps with a number after the prefix."""
        files = [file for file in Path(directory).glob(f"*.{self._format}") if self._belongs(file.name, prefix)]
        self._ckpoint_filelist = [str(file) for file in sorted(files, key=lambda file: file.stat().st_mtime)]

    def _belongs(self, name: str, prefix: str) -> bool:
        rest = name.removesuffix(f".{self._format}").removeprefix(prefix)
        return name.startswith(prefix) and not rest.strip("0123456789_-") and "-" in rest

    def remove_ckpoint_file(self, file_name: str) -> None:
        """Remove a file."""
        if file_name in self._ckpoint_filelist:
            self._ckpoint_filelist.remove(file_name)
        Path(file_name).unlink(missing_ok=True)

    def remove_oldest_ckpoint_file(self) -> None:
        """Remove the oldest file."""
        if self._ckpoint_filelist:
            self.remove_ckpoint_file(self._ckpoint_filelist[0])

    def keep_one_ckpoint_per_minutes(self, minutes: float, cur_time: float) -> None:
        """Remove the files of the last minutes except for the oldest of them."""
        recent = [file for file in self._ckpoint_filelist if cur_time - os.path.getmtime(file) <= minutes * 60]
        for file in recent[1:]:
            self.remove_ckpoint_file(file)
