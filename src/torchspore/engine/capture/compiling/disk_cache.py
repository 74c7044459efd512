"""The cache of compiled graphs on disk: only the first process has to compile a graph.

An entry is a directory, named after a hash of everything that the compiled code depends on. It appears complete, by one
rename, and contains the checksums of its files: a damaged entry counts as missing, and is compiled again. Its time of
modification is the time of its last use: when the cache is full, the least recently used entries are removed.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

__all__ = [
    "directory", "find", "inductor_directory", "is_complete", "publish", "set_directory", "set_enabled", "shrink",
]  # fmt: skip

_SUMS = "checksums.json"
_INDUCTOR = "inductor"
_SECONDS_TO_PUBLISH = 3600  # at most, between the first file and the rename
_SIZE = 4.0  # the maximum size in gigabytes, unless the environment sets another

_chosen = ""
_enabled = True


def set_directory(path: str) -> None:
    """Keep compiled graphs in this directory; "" is $TORCHSPORE_CACHE_DIR or, without it, ~/.cache/torchspore."""
    global _chosen
    _chosen = path


def set_enabled(enabled: bool) -> None:
    """Set whether to use the cache; if not, compiled graphs last as long as this process."""
    global _enabled
    _enabled = enabled


def _wanted() -> Path:
    if not _enabled:
        return Path(_own_directory().name)
    path = _chosen or os.environ.get("TORCHSPORE_CACHE_DIR") or "~/.cache/torchspore"
    return Path(path).expanduser().absolute()


def directory() -> Path:
    """Return the directory for new entries: a temporary one if the chosen one cannot be written."""
    path = _wanted()
    try:
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            return path
    except OSError:
        return Path(_own_directory().name)


@functools.cache
def _own_directory() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="torchspore-")


def inductor_directory() -> str:
    """Return the directory of Inductor's own cache: next to the entries, so that it survives a restart."""
    return os.environ.get("TORCHINDUCTOR_CACHE_DIR") or str(directory() / _INDUCTOR)


def find(key: str) -> Path | None:
    """Return the entry of a key, or None."""
    places = [_wanted()]
    if _own_directory.cache_info().currsize:
        places.append(Path(_own_directory().name))
    found = next((place / key for place in places if is_complete(place / key)), None)
    if found is not None:
        with contextlib.suppress(OSError):  # a read-only cache
            os.utime(found)
    return found


def is_complete(entry: Path) -> bool:
    """Return whether an entry exists and is undamaged."""
    try:
        sums = json.loads((entry / _SUMS).read_text())
        return bool(sums) and all(_checksum(entry / name) == expected for name, expected in sums.items())
    except (OSError, ValueError, AttributeError):
        return False


def _checksum(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def publish(files: list[Path], entry: Path) -> None:
    """Make an entry of these files, unless another process already has."""
    made = Path(tempfile.mkdtemp(prefix="new-", dir=entry.parent))
    try:
        for file in files:
            shutil.copy(file, made)
        (made / _SUMS).write_text(json.dumps({file.name: _checksum(made / file.name) for file in files}))
        if not is_complete(entry):
            shutil.rmtree(entry, ignore_errors=True)
            made.rename(entry)
    finally:
        shutil.rmtree(made, ignore_errors=True)


def max_bytes() -> int:
    """Return the maximum number of bytes of the cache: $TORCHSPORE_CACHE_SIZE gigabytes or, without it, 4.

    Raises:
        ValueError: the variable is not a number, or below 0.
    """
    text = os.environ.get("TORCHSPORE_CACHE_SIZE", "")
    try:
        size = float(text or _SIZE)
    except ValueError:
        size = -1.0
    if not size >= 0:
        raise ValueError(f"TORCHSPORE_CACHE_SIZE must be a number of gigabytes, such as 0.5, but is {text!r}.")
    return int(min(size, 1e9) * 1e9)


class _Item(NamedTuple):
    used: float  # the time of the last use
    size: int
    path: Path


def shrink(place: Path) -> None:
    """Remove what killed processes have left, and from a cache that is too large the least recently used items.

    The last one used stays.
    """
    from filelock import FileLock, Timeout  # it registers a function that runs at exit

    with contextlib.suppress(Timeout), FileLock(place / "shrink.lock", timeout=0):  # one process is enough
        for left in (*place.glob("new-*"), *place.glob("old-*")):
            with contextlib.suppress(OSError):  # another process has removed it
                if time.time() - left.stat().st_mtime > _SECONDS_TO_PUBLISH:
                    shutil.rmtree(left)
        items = sorted(_items(place))
        excess = sum(part.size for part in items) - max_bytes()
        for part in items[:-1]:
            if excess <= 0:
                break
            excess -= part.size
            _remove(part.path)


def _items(place: Path) -> Iterator[_Item]:
    """Iterate over the entries and Inductor's files, without those that another process removes meanwhile."""
    for path in place.iterdir():
        with contextlib.suppress(OSError):
            if path.name == _INDUCTOR:
                yield from (_Item(_used(file), file.stat().st_size, file) for file in path.rglob("*") if file.is_file())
            elif path.is_dir():
                yield _Item(path.stat().st_mtime, sum(file.stat().st_size for file in path.iterdir()), path)


def _used(file: Path) -> float:
    return max(file.stat().st_mtime, file.stat().st_atime)


def _remove(path: Path) -> None:
    """Remove a file or an entry; by one rename, so that no process sees a partial entry."""
    with contextlib.suppress(OSError):  # another process has removed it
        if path.is_file():
            path.unlink()
            return
        with tempfile.TemporaryDirectory(prefix="old-", dir=path.parent, ignore_cleanup_errors=True) as folder:
            path.rename(Path(folder) / path.name)
