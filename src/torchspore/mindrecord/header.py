"""The header of a MindRecord file, a JSON text at its beginning, and its pages.

The file begins with the length of the text, 64 bits, little endian. After `header_size` bytes come the pages, of
`page_size` bytes each; the last one ends with its data. A page has rows with one value in each field, RAW_DATA, or with
blobs, BLOB_DATA. The rows of a blob page form a group, whose raw rows are in one raw page.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from torchspore.engine.storage.files import DamagedFileError, length_of, read
from torchspore.engine.storage.reading import parse_json
from torchspore.mindrecord.schema import Schema

__all__ = ["BLOB", "HEADER_SIZES", "PAGE_SIZES", "RAW", "VERSION", "Header", "Page", "read_header"]

RAW, BLOB = "RAW_DATA", "BLOB_DATA"
VERSION = "3.0"
HEADER_SIZES = (2**14, 2**27)
PAGE_SIZES = (2**15, 2**28)
_LENGTH = 8
_MAX_SHARDS = 1000


@dataclass
class Page:
    """One page.

    Args:
        number: its position in the file.
        kind: RAW or BLOB.
        order: its position among the pages of its kind.
        used: the number of its bytes that are used.
        first_row, end_row: of a blob page, the first of its rows, and the row after its last one.
        groups: the numbers of the groups of its rows, each with the position of its first byte.
    """

    number: int
    kind: str
    order: int
    used: int = 0
    first_row: int = 0
    end_row: int = 0
    groups: list[tuple[int, int]] = field(default_factory=list)

    def as_json(self, shard: int) -> dict[str, Any]:
        """Return the description of the page in the header of a shard."""
        return {
            "end_row_id": self.end_row,
            "page_id": self.number,
            "page_size": self.used,
            "page_type": self.kind,
            "page_type_id": self.order,
            "row_group_ids": [{"id": group, "offset": offset} for group, offset in self.groups],
            "shard_id": shard,
            "start_row_id": self.first_row,
        }


@dataclass
class Header:
    """What the header of a file says.

    Args:
        schema: the fields.
        index_fields: the names of the fields that the index has.
        addresses: the names of the files of all shards.
        shard: the number of this one.
        header_size, page_size: the number of bytes of the header and of each page.
        pages: the pages, in their order in the file.
        saved: the number of bytes that packing integers has saved.
    """

    schema: Schema
    index_fields: list[str]
    addresses: list[str]
    shard: int = 0
    header_size: int = 2**24
    page_size: int = 2**25
    pages: list[Page] = field(default_factory=list)
    saved: int = 0

    def start(self, page: int) -> int:
        """Return the position in the file of the first byte of a page."""
        return self.header_size + page * self.page_size

    def packed(self) -> bytes:
        """Return the bytes of the header, without the zeros up to `header_size`."""
        content = {
            "header_size": self.header_size,
            "index_fields": [{"index_field": name, "schema_id": 0} for name in self.index_fields] or None,
            "page": [page.as_json(self.shard) for page in self.pages] or None,
            "page_size": self.page_size,
            "compression_size": max(self.saved, 0),
            "schema": [self.schema.as_json()],
            "shard_addresses": self.addresses,
            "shard_id": self.shard,
            "statistics": None,
            "version": VERSION,
        }
        text = json.dumps(content, separators=(",", ":"), ensure_ascii=False).encode()
        return len(text).to_bytes(_LENGTH, "little") + text


def read_header(file: BinaryIO) -> Header:
    """Return the header of a file.

    Raises:
        DamagedFileError: it is not a file of MindRecord, damaged, or of another version.
    """
    size = length_of(file)
    if size < _LENGTH:
        raise DamagedFileError(f"it is not a MindRecord file: it has only {size} bytes")
    length = int.from_bytes(read(file, range(_LENGTH)), "little")
    if length > min(size - _LENGTH, HEADER_SIZES[1]):
        raise DamagedFileError(f"it is not a MindRecord file, or cut short: its header has {length} bytes")
    text = read(file, range(_LENGTH, _LENGTH + length))
    if text.count(b"[") + text.count(b"{") > length // 12 + 16 or text.count(b",") > length // 4 + 16:
        raise DamagedFileError("its header is not a MindRecord file's")  # it would take much memory
    try:
        return _header(parse_json(text), size)
    except DamagedFileError:
        raise
    except (ValueError, TypeError, KeyError, OverflowError, AttributeError) as error:
        raise DamagedFileError(f"its header is damaged: {error!s:.200}") from error


def _header(content: Any, size: int) -> Header:
    if not isinstance(content, dict) or content.get("version") != VERSION:
        version = content.get("version") if isinstance(content, dict) else None
        raise DamagedFileError(f"its version must be {VERSION!r}, but is {version!r:.50}")
    schemas = content["schema"]
    if not isinstance(schemas, list) or len(schemas) != 1:
        raise DamagedFileError("its header must have one schema")
    schema = Schema.of_json(schemas[0])
    index_fields = [each["index_field"] for each in content["index_fields"] or []]
    unknown = [name for name in index_fields if name not in {field.name for field in schema.raw}]
    if unknown or len(set(index_fields)) != len(index_fields):
        raise DamagedFileError(f"its index fields {index_fields!r:.100} are not fields with one value")
    result = Header(
        schema,
        index_fields,
        _addresses(content["shard_addresses"]),
        _number(content, "shard_id", _MAX_SHARDS),
        _number(content, "header_size", HEADER_SIZES[1]),
        _number(content, "page_size", PAGE_SIZES[1]),
        saved=_number(content, "compression_size", 2**63) if "compression_size" in content else 0,
    )
    if result.page_size < 1:
        raise DamagedFileError("its 'page_size' is 0")
    result.pages = _pages(content["page"] or [], result, size)
    return result


def _number(content: dict[str, Any], name: str, maximum: int) -> int:
    value = content[name]
    if type(value) is not int or not 0 <= value <= maximum:
        raise DamagedFileError(f"its header has {value!r:.50} as '{name}', which must be an int in [0, {maximum}]")
    return value


def _addresses(names: Any) -> list[str]:
    """Return the names of the files of all shards, which lie in one folder."""
    if not isinstance(names, list) or not 1 <= len(names) <= _MAX_SHARDS:
        raise DamagedFileError(f"its header must name 1 to {_MAX_SHARDS} files")
    for name in names:
        if not isinstance(name, str) or name in ("", ".", "..") or set(name) & set("/\\\0"):
            raise DamagedFileError(f"its header names the file {name!r:.100}, which is not beside it")
    if len(set(names)) != len(names):
        raise DamagedFileError("its header names a file twice")
    return list(names)


def _pages(described: Any, header: Header, size: int) -> list[Page]:
    pages = []
    for number, each in enumerate(described):
        if each["page_id"] != number or each["page_type"] not in (RAW, BLOB):
            raise DamagedFileError(f"its header describes another page than {number} at that position")
        page = Page(
            number,
            each["page_type"],
            _number(each, "page_type_id", 2**63),
            _number(each, "page_size", header.page_size),
            _number(each, "start_row_id", 2**63),
            _number(each, "end_row_id", 2**63),
            [(_number(group, "id", 2**63), _number(group, "offset", 2**63)) for group in each["row_group_ids"]],
        )
        if header.start(number) + page.used > size:
            raise DamagedFileError(f"it is cut short: page {number} is not complete")
        pages.append(page)
    return pages
