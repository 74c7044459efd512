"""The bases of sources that read a folder: one with parts for training and testing, and one of files with labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from torchspore.dataset.checks import check_folder, check_no_cache, check_usage, check_workers
from torchspore.dataset.sources import MappableDataset
from torchspore.dataset.values import Array, Row

__all__ = ["FolderDataset", "LabelledFiles"]


class FolderDataset(MappableDataset):
    """A source whose folder has a part for training and one for testing; arguments as for `MappableDataset`.

    Args:
        dataset_dir: the folder.
        usage: "train", "test" or "all". Default: None, "all".
    """

    columns: Sequence[str] = ("image", "label")

    def __init__(
        self,
        dataset_dir: str,
        usage: str | None = None,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: Any = None,
        sampler: Any = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: None = None,
    ) -> None:
        super().__init__(sampler, num_samples, shuffle, num_shards, shard_id)
        api = type(self).__name__
        self.dataset_dir = check_folder(api, dataset_dir)
        self.usage = check_usage(api, usage, ("train", "test", "all"))
        check_workers(api, num_parallel_workers)
        check_no_cache(api, cache)

    def _parts(self) -> list[str]:
        return ["train", "test"] if self.usage == "all" else [self.usage]


class LabelledFiles(MappableDataset):
    """A source of files: a row is what a file contains, and the number of its class, of int32."""

    _found: list[tuple[str, int]] | None = None

    def _find(self) -> list[tuple[str, int]]:
        """Return (path, label) of all files."""
        raise NotImplementedError

    def _content(self, path: str) -> Array:
        raise NotImplementedError

    def _files(self) -> list[tuple[str, int]]:
        if self._found is None:
            self._found = self._find()
        return self._found

    def _length(self) -> int:
        return len(self._files())

    def _store(self) -> Any:
        return None

    def labels(self, column: str) -> Array:
        """Return the labels of all rows.

        Raises:
            RuntimeError: `column` is not "label".
        """
        if column != "label":
            raise RuntimeError(
                f"For '{type(self).__name__}', the column of the classes is 'label', but got '{column}'."
            )
        return np.array([label for _, label in self._files()], np.int32)

    def _row(self, position: int) -> Row:
        path, label = self._files()[position]
        try:
            return self._content(path), np.array(label, np.int32)
        except (OSError, ValueError) as error:
            raise RuntimeError(f"For '{type(self).__name__}', the file {path!r} cannot be read: {error}") from error
