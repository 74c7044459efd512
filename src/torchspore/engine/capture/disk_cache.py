"""Where compiled graphs lie on disk, so that only the first process has to compile them.

An entry is a directory, named after a hash of all that the compiled code depends on. It appears complete, by one
rename, and holds the checksums of its files: an entry that is damaged counts as missing, and is made again.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import shutil
import tempfile
from pathlib import Path

__all__ = ["directory", "find", "inductor_directory", "is_whole", "publish", "set_directory"]

_SUMS = "checksums.json"

_chosen = ""


def set_directory(path: str) -> None:
    """Keep compiled graphs in this directory; "" is $TORCHSPORE_CACHE_DIR or, without it, ~/.cache/torchspore."""
    global _chosen
    _chosen = path


def _wanted() -> Path:
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
    return os.environ.get("TORCHINDUCTOR_CACHE_DIR") or str(directory() / "inductor")


def find(key: str) -> Path | None:
    """Return the entry of a key, or None."""
    places = [_wanted()]
    if _own_directory.cache_info().currsize:
        places.append(Path(_own_directory().name))
    return next((place / key for place in places if is_whole(place / key)), None)


def is_whole(entry: Path) -> bool:
    """Tell whether an entry is there and undamaged."""
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
