"""Writing the pages of one MindRecord file, and its header and index."""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Iterable, Sequence
from typing import Any

from torchspore.engine.storage.files import DamagedFileError, read
from torchspore.mindrecord import encryption
from torchspore.mindrecord.header import BLOB, RAW, Header, Page
from torchspore.mindrecord.index import IndexWriter
from torchspore.mindrecord.records import RecordFile

__all__ = ["FileInProgress", "TooLargeError"]


class TooLargeError(ValueError):
    """The header does not fit before the pages."""


class FileInProgress:
    """A file that is being written.

    Args:
        path: the file.
        header: its header, without pages.
    """

    def __init__(self, path: str, header: Header) -> None:
        self.header = header
        self.count = 0  # of rows
        self._path = path
        self._file = open(path, "wb")  # noqa: SIM115 - `finish` closes it
        self._index = IndexWriter(f"{path}.db", header.schema, header.index_fields)
        self._last: dict[str, Page] = {}
        self._group = -1

    def add(self, rows: Sequence[dict[str, Any]], packed: Sequence[tuple[bytes, bytes, int]]) -> None:
        """Add rows: their values, and the bytes of each in raw and in blob pages, with how many packing has saved."""
        placed = []
        new_raw_pages: list[Page] = []
        for raw, blob, saved in packed:
            self.header.saved += saved
            placed.append((*self._pages_for(len(raw), len(blob), new_raw_pages), self._group))
        for page in new_raw_pages:  # they come after the blob pages of the same call, as in MindSpore's files
            page.number = len(self.header.pages)
            self.header.pages.append(page)
        places = [
            (self.count + number, raw.number, raw_begin, raw_begin + len(data[0]), group, blob.number, blob_begin,
             blob_begin + len(data[1]))
            for number, ((raw, raw_begin, blob, blob_begin, group), data) in enumerate(zip(placed, packed))
        ]  # fmt: skip
        self._write([(place[0], place[1], data[0]) for place, data in zip(placed, packed)])
        self._write([(place[2], place[3], data[1]) for place, data in zip(placed, packed)])
        self.count += len(rows)
        self._index.add(places, rows)

    def _write(self, parts: list[tuple[Page, int, bytes]]) -> None:
        """Write bytes at positions of pages, where the positions of one page follow each other."""
        for _, of_page in itertools.groupby(parts, key=lambda part: part[0].number):
            together = list(of_page)
            page, begin, _ = together[0]
            self._file.seek(self.header.start(page.number) + begin)
            self._file.write(b"".join([data for _, _, data in together]))

    def _pages_for(self, raw_size: int, blob_size: int, new_raw_pages: list[Page]) -> tuple[Page, int, Page, int]:
        """Return the pages for the next row, new ones where those before are full, with its positions there."""
        raw, blob = self._last.get(RAW), self._last.get(BLOB)
        raw_is_full = raw is None or raw.used + raw_size > self.header.page_size
        if raw is None or raw_is_full:
            raw = self._new_page(RAW)
            new_raw_pages.append(raw)
        if blob is None or raw_is_full or blob.used + blob_size > self.header.page_size:
            row = 0 if blob is None else blob.end_row
            blob = self._new_page(BLOB)
            blob.number = len(self.header.pages)
            self.header.pages.append(blob)
            blob.first_row = blob.end_row = row
            self._group += 1
            blob.groups.append((0, 0))
            raw.groups.append((self._group, raw.used))
        begins = raw.used, blob.used
        raw.used += raw_size
        blob.used += blob_size
        blob.end_row += 1
        return raw, begins[0], blob, begins[1]

    def _new_page(self, kind: str) -> Page:
        order = self._last[kind].order + 1 if kind in self._last else 0
        page = self._last[kind] = Page(0, kind, order)
        return page

    def copy_from(self, old: RecordFile) -> None:
        """Take over all rows of a file with the same header."""
        self.header.pages, self.header.saved = old.header.pages, old.header.saved
        with encryption.readable_path(old.path) as path, open(path, "rb") as source:
            for page in self.header.pages:
                start = self.header.start(page.number)
                self._file.seek(start)
                self._file.write(read(source, range(start, start + page.used)))
                self._last[page.kind] = page
        self._group = max([page.order for page in self.header.pages if page.kind == BLOB], default=-1)
        self.count = len(old.places)
        if any(page.kind == BLOB and page.end_row > self.count for page in self.header.pages):
            raise DamagedFileError("its pages have more rows than its index")
        self._index.add(self._places_of(old), self._rows_of(old))

    def _places_of(self, old: RecordFile) -> Iterable[Sequence[int]]:
        size, first, places = self.header.page_size, self.header.header_size, old.places
        for row in range(self.count):
            raw, raw_begin = divmod(int(places.raw[row]) - first, size)
            blob, blob_begin = divmod(int(places.blob[row]) - first, size)
            group = self.header.pages[blob].order
            raw_end, blob_end = raw_begin + int(places.raw_length[row]), blob_begin + int(places.blob_length[row])
            yield row, raw, raw_begin, raw_end, group, blob, blob_begin, blob_end

    def _rows_of(self, old: RecordFile) -> Iterable[dict[str, Any]]:
        unread = [False] * len(self.header.schema.blobs)
        return (old.row(row, True, unread)[0] for row in range(self.count))

    def finish(self, name: str) -> None:
        """Write the header, complete the index, and encrypt both, for a file that will have a name."""
        header = self.header.packed()
        if len(header) > self.header.header_size:
            raise TooLargeError(
                f"the header of {len(header)} bytes does not fit into {self.header.header_size}: call "
                f"'set_header_size' or 'set_page_size' with more before rows are written"
            )
        self._file.seek(0)
        self._file.write(header)
        self._file.seek(0, os.SEEK_END)
        if self._file.tell() < self.header.header_size:
            self._file.truncate(self.header.header_size)
        self._file.close()
        self._index.close(name)
        for path in (self._path, f"{self._path}.db"):
            encryption.encrypt_in_place(path)

    def abandon(self) -> None:
        """Close the files, which are not needed."""
        with contextlib.suppress(OSError):  # of a full disk, for what is not written yet
            self._file.close()
        self._index.abandon()
