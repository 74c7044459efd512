"""Writing files atomically: a file is complete or unchanged, whatever stops the program."""

from __future__ import annotations

import hashlib
import os
import shutil
import socket
import stat
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from types import SimpleNamespace
from typing import Any, BinaryIO

import numpy as np

if sys.platform != "win32":
    import fcntl

__all__ = ["locked", "replacing", "replacing_several", "replacing_tree", "save_array"]

_PREFIX = ".torchspore-"  # of temporary files


@contextmanager
def replacing(path: str, *, durable: bool = True) -> Iterator[BinaryIO]:
    """Open a file for writing that replaces `path` when the block ends without an error.

    Until then it is a temporary file in the same folder, so the old file stays complete whatever stops the program. A
    later write into the folder removes what a killed program has left. The permissions of the old
    file are kept. A path that is not a regular file, such as a device, is written directly.

    Args:
        path: the file.
        durable: whether the data is synced to the disk before the rename. Default: True.

    Raises:
        FileNotFoundError: the folder does not exist.
        IsADirectoryError: `path` is a folder itself.
        OSError: the file cannot be written.
    """
    target = _checked(path)
    with _naming(path):
        if os.path.exists(target) and not os.path.isfile(target):
            with open(target, "wb") as file:
                yield file
            return
        temporary, descriptor = _reserved(target, _new_file)
        try:
            with open(descriptor, "wb") as file:
                yield file
                file.flush()
                _take_over_permissions(target, descriptor)
                if durable:
                    os.fsync(descriptor)
                os.replace(temporary, target)
        except BaseException:
            with suppress(FileNotFoundError):
                os.unlink(temporary)
            raise
        if durable:
            _sync_folder(os.path.dirname(target))


def save_array(path: str, array: np.ndarray[Any, Any]) -> None:
    """Write an array to a file in NumPy's format; see `replacing`."""
    with replacing(path, durable=False) as file:
        np.lib.format.write_array(SimpleNamespace(write=file.write), array)
        # Into what it takes for a file NumPy writes by itself, and does not say why that fails.


@contextmanager
def replacing_several(path: str) -> Iterator[str]:
    """Yield a folder to write files into; when the block ends, they replace those beside `path`, `path` itself last.

    Raises:
        FileNotFoundError, IsADirectoryError, OSError: as for `replacing`.
    """
    target = _checked(path)
    with _naming(path):
        temporary, descriptor = _reserved(target, _new_folder)
        try:
            yield temporary
            folder = os.path.dirname(target)
            names = sorted(os.listdir(temporary), key=lambda name: name == os.path.basename(target))
            for name in names:
                with open(os.path.join(temporary, name), "rb") as file:
                    _take_over_permissions(os.path.join(folder, name), file.fileno())
                    os.fsync(file.fileno())
            with locked(folder):  # others' files do not come between
                for name in names:
                    os.replace(os.path.join(temporary, name), os.path.join(folder, name))
        finally:
            shutil.rmtree(temporary)
            os.close(descriptor)
        _sync_folder(os.path.dirname(target))


@contextmanager
def replacing_tree(folder: str) -> Iterator[str]:
    """Yield a folder to write files and subfolders into; when the block ends, they replace those in `folder`.

    The folder is made if it does not exist, and is not there after an error.

    Raises:
        NotADirectoryError: `folder` is a file.
        OSError: the folder cannot be made or written.
    """
    if os.path.exists(folder) and not os.path.isdir(folder):
        raise NotADirectoryError(f"'{folder}' is a file: give the name of a folder.")
    is_new = not os.path.isdir(folder)
    os.makedirs(folder, exist_ok=True)
    with _naming(folder):
        temporary, descriptor = _reserved(os.path.join(os.path.realpath(folder), "tree"), _new_folder)
        try:
            yield temporary
            for place, _, names in os.walk(temporary):
                target = os.path.join(folder, os.path.relpath(place, temporary))
                os.makedirs(target, exist_ok=True)
                for name in names:
                    os.replace(os.path.join(place, name), os.path.join(target, name))
            is_new = False
        finally:
            shutil.rmtree(temporary)
            os.close(descriptor)
            if is_new:
                os.rmdir(folder)
        _sync_folder(folder)


@contextmanager
def locked(folder: str) -> Iterator[None]:
    """Have other threads and processes that ask for the same folder wait until the block ends.

    Where the system has no such locks, nobody waits.
    """
    if sys.platform == "win32":
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        _lock(descriptor)
        yield
    finally:
        os.close(descriptor)


def _checked(path: str) -> str:
    """Return the resolved path of a file in an existing folder."""
    target = os.path.realpath(path)
    if os.path.isdir(target):
        raise IsADirectoryError(f"'{path}' is a folder: give the name of a file in it.")
    folder = os.path.dirname(target)
    if not os.path.isdir(folder):
        raise FileNotFoundError(f"The folder '{folder}' does not exist: make it first.")
    return target


@contextmanager
def _naming(path: str) -> Iterator[None]:
    """Add the name of the file to system errors of a block, such as the error of a full disk."""
    try:
        yield
    except OSError as error:
        if error.errno is None and type(error) is OSError:  # NumPy's
            raise OSError(f"'{path}' could not be written: {error}.") from error
        is_of_this = error.filename is None or os.path.basename(str(error.filename)).startswith(_PREFIX)
        if error.errno is None or not is_of_this:
            raise
        raise type(error)(error.errno, error.strerror, path) from error


def _take_over_permissions(old: str, descriptor: int) -> None:
    """Copy the owner, where that is allowed, and the permissions of the file that is replaced."""
    with suppress(FileNotFoundError):
        before = os.stat(old)
        if hasattr(os, "fchown") and (before.st_uid, before.st_gid) != (os.geteuid(), os.getegid()):
            with suppress(PermissionError):
                os.fchown(descriptor, before.st_uid, before.st_gid)
        if hasattr(os, "fchmod"):
            os.fchmod(descriptor, stat.S_IMODE(before.st_mode))


def _sync_folder(folder: str) -> None:
    """Sync the folder to the disk, where the system supports that."""
    with suppress(OSError):  # Windows opens no folders, some network file systems sync none
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


# The writer holds a lock on its temporary file that the system releases when the process ends in any way: one that can
# be locked is abandoned. Names have the host, as locks may not reach others, and the target, whose own files are found
# without a search.

_HOST = hashlib.sha256(socket.gethostname().encode()).hexdigest()[:8]
_SWEEP_PAUSE = 100  # times as long as a look through a folder takes, before the next one
_sweep_from: dict[str, float] = {}  # by folder, when this process looks again for what others have left


def _reserved(target: str, make: Callable[[str], int]) -> tuple[str, int]:
    """Return a new temporary file or folder for a target, and its locked descriptor."""
    folder, name = os.path.split(target)
    _sweep(folder)
    key = hashlib.sha256(name.encode(errors="surrogateescape")).hexdigest()[:16]
    temporaries = (os.path.join(folder, f"{_PREFIX}{_HOST}-{key}-{number}.tmp") for number in count())
    for temporary in temporaries:
        _remove_abandoned(temporary)
        try:
            descriptor = make(temporary)
        except FileExistsError:
            continue
        _lock(descriptor)
        if _is_at(descriptor, temporary):  # nobody removed it as abandoned before it was locked
            break
        os.close(descriptor)
    for other in temporaries:
        if not os.path.lexists(other):
            break
        _remove_abandoned(other)
    return temporary, descriptor


def _sweep(folder: str) -> None:
    """Remove what killed programs have left in a folder, unless it was looked through a short time ago."""
    start = time.monotonic()
    if start >= _sweep_from.get(folder, start):
        for name in os.listdir(folder):
            if name.startswith(f"{_PREFIX}{_HOST}-"):
                _remove_abandoned(os.path.join(folder, name))
        end = time.monotonic()
        _sweep_from[folder] = end + _SWEEP_PAUSE * (end - start)


def _new_file(path: str) -> int:
    return os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | getattr(os, "O_BINARY", 0), 0o666)


def _new_folder(path: str) -> int:
    os.mkdir(path)
    return os.open(path, os.O_RDONLY)


def _remove_abandoned(path: str) -> None:
    """Remove a temporary file or folder whose lock is free; keep it where the system has no locks."""
    if sys.platform == "win32":
        return
    with suppress(OSError):
        is_folder = stat.S_ISDIR(os.lstat(path).st_mode)
        descriptor = os.open(path, (os.O_RDONLY if is_folder else os.O_RDWR) | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _is_at(descriptor, path):
                (shutil.rmtree if is_folder else os.unlink)(path)
        finally:
            os.close(descriptor)


def _lock(descriptor: int) -> None:
    if sys.platform != "win32":
        with suppress(OSError):  # some network file systems have no locks; nothing on them is removed
            fcntl.flock(descriptor, fcntl.LOCK_EX)


def _is_at(descriptor: int, path: str) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), os.lstat(path))
    except FileNotFoundError:
        return False
