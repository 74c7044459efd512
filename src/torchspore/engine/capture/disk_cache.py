"""Where compiled graphs lie on disk, so that only the first process has to compile them.

An entry is a directory, named after a hash of all that the compiled code depends on. It appears complete, by one
rename, and holds the checksums of its files: an entry that is damaged counts as missing, and is made again. Its time
of modification is that of its last use: when the store is full, what has not been used for longest goes.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from filelock import FileLock, Timeout

__all__ = ["directory", "find", "inductor_directory", "is_whole", "publish", "set_directory", "set_enabled", "shrink"]

_SUMS = "checksums.json"
_INDUCTOR = "inductor"
_SIZE = 4.0  # gigabytes that the store may have, where the environment says nothing

_chosen = ""
_enabled = True


def set_directory(path: str) -> None:
    """Keep compiled graphs in this directory; "" is $TORCHSPORE_CACHE_DIR or, without it, ~/.cache/torchspore."""
    global _chosen
    _chosen = path


def set_enabled(enabled: bool) -> None:
    """Say whether compiled graphs are read from the store and written to it; if not, they go with this process."""
    global _enabled
    _enabled = enabled


def _wanted() -> Path:
    if not _enabled:
        return Path(_own_directory().name)
    path = _chosen or os.environ.get("TORCHSPORE_CACHE_DIR") or "~/.cache/torchspore"
    return Path(path).expanduser().absolute()


def directory() -> Path:
    """Return the directory for new entries: one of this process alone where the chosen one cannot be written."""
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
    """Return where Inductor keeps what it knows: next to the entries, so that it outlives a restart of the machine."""
    return os.environ.get("TORCHINDUCTOR_CACHE_DIR") or str(directory() / _INDUCTOR)


def find(key: str) -> Path | None:
    """Return the entry of a key, or None."""
    places = [_wanted()]
    if _own_directory.cache_info().currsize:
        places.append(Path(_own_directory().name))
    found = next((place / key for place in places if is_whole(place / key)), None)
    if found is not None:
        with contextlib.suppress(OSError):  # a store that cannot be written
            os.utime(found)
    return found


def is_whole(entry: Path) -> bool:
    """Return whether an entry is there and undamaged."""
    try:
        sums = json.loads((entry / _SUMS).read_text())
        return bool(sums) and all(_sum(entry / name) == expected for name, expected in sums.items())
    except (OSError, ValueError, AttributeError):
        return False


def _sum(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def publish(files: list[Path], entry: Path) -> None:
    """Make an entry of these files, unless another process has made it."""
    made = Path(tempfile.mkdtemp(prefix="new-", dir=entry.parent))
    try:
        for file in files:
            shutil.copy(file, made)
        (made / _SUMS).write_text(json.dumps({file.name: _sum(made / file.name) for file in files}))
        if not is_whole(entry):
            shutil.rmtree(entry, ignore_errors=True)
            made.rename(entry)
    finally:
        shutil.rmtree(made, ignore_errors=True)


def largest() -> int:
    """Return the number of bytes that the store may have: $TORCHSPORE_CACHE_SIZE gigabytes or, without it, 4.

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


class _Part(NamedTuple):
    used: float  # when it was used last
    size: int
    path: Path


def shrink(place: Path) -> None:
    """Remove what was used least recently from a store that is too large, but for what was used last."""
    with contextlib.suppress(Timeout), FileLock(place / "shrink.lock", timeout=0):  # one process is enough
        parts = sorted(_parts(place))
        excess = sum(part.size for part in parts) - largest()
        for part in parts[:-1]:
            if excess <= 0:
                break
            excess -= part.size
            _remove(part.path)


def _parts(place: Path) -> Iterator[_Part]:
    """Iterate over the entries, and the files of Inductor's, as far as other processes let them be."""
    for path in place.iterdir():
        with contextlib.suppress(OSError):
            if path.name == _INDUCTOR:
                yield from (_Part(_used(file), file.stat().st_size, file) for file in path.rglob("*") if file.is_file())
            elif path.is_dir():
                yield _Part(path.stat().st_mtime, sum(file.stat().st_size for file in path.iterdir()), path)


def _used(file: Path) -> float:
    return max(file.stat().st_mtime, file.stat().st_atime)


def _remove(path: Path) -> None:
    """Remove a file or an entry; by one rename, so that no process finds a part of it."""
    with contextlib.suppress(OSError):  # another process has removed it
        if path.is_file():
            path.unlink()
            return
        with tempfile.TemporaryDirectory(prefix="old-", dir=path.parent, ignore_cleanup_errors=True) as folder:
            path.rename(Path(folder) / path.name)
