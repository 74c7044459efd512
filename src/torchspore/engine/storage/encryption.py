"""Encrypted checkpoints, as MindSpore writes them: independent blocks of up to 64 MiB.

A block is a mark for the mode, for AES-GCM the tag of 16 bytes, the length of the rest, the length of the
initialization vector, the vector, the length of the encrypted bytes, and these. Lengths are 32 bits, little endian.
"""

from __future__ import annotations

import importlib.util
import io
import os
from typing import Any, BinaryIO, Literal, TypeAlias

from torchspore.common.error_classes import WrongType
from torchspore.engine.storage.files import DamagedFileError, Sink, length_of, read

__all__ = ["MODES", "EncryptingFile", "EncryptionMode", "check_key", "decrypted", "is_encrypted"]

_BLOCK = 64 * 2**20
_MAX_CONTENT = 2**31 - 1  # what the ciphers accept in one call
_TAG = 16
_VECTOR = 16
_GCM_VECTOR = 12  # what MindSpore uses of it
_NUMBER = 4
_PADDED = 16  # the block size of AES and SM4
_GCM = "AES-GCM"

EncryptionMode: TypeAlias = Literal["AES-GCM", "AES-CBC", "SM4-CBC"]
# The mark of each mode, and its key lengths in bytes.
MODES = {_GCM: (0x7F3A5ED8, (16, 24, 32)), "AES-CBC": (0x7F3A5ED9, (16, 24, 32)), "SM4-CBC": (0x7F3A5EDA, (16,))}


def check_key(key: Any, mode: str, prefix: str, api: str) -> None:
    """Check a key, which may be None, for a mode; `prefix` begins the names of the arguments."""
    if key is None:
        return
    if not isinstance(key, bytes):  # of a network, it may be what a user's function takes
        raise WrongType(f"For '{api}', '{prefix}_key' must be bytes or None, but got {type(key).__name__}.")
    if mode not in MODES:
        raise ValueError(f"For '{api}', '{prefix}_mode' must be one of {', '.join(MODES)}, but got '{mode}'.")
    lengths = MODES[mode][1]
    if len(key) not in lengths:
        accepted = " or ".join(str(length) for length in lengths)
        raise ValueError(f"For '{api}', '{prefix}_key' must have {accepted} bytes for {mode}, but it has {len(key)}.")
    if importlib.util.find_spec("cryptography") is None:
        raise ModuleNotFoundError(
            f"For '{api}', encryption needs the package cryptography: pip install 'torchspore[crypto]'."
        )


def is_encrypted(file: BinaryIO) -> bool:
    """Return whether a file begins with the mark of an encrypted block."""
    file.seek(0)
    return int.from_bytes(file.read(_NUMBER), "little") in {mark for mark, _ in MODES.values()}


class EncryptingFile:
    """A file that encrypts what is written to it, block by block, and writes it to another file."""

    def __init__(self, file: Sink, key: bytes, mode: str) -> None:
        self._file = file
        self._key = key
        self._mode = mode
        self._pending = bytearray()

    def write(self, data: bytes | memoryview) -> None:
        """Encrypt the next bytes."""
        view = memoryview(data)
        while len(self._pending) + len(view) >= _BLOCK:
            room = _BLOCK - len(self._pending)
            if self._pending:
                self._pending += view[:room]
                self.finish()
            else:
                self._write_block(view[:room])
            view = view[room:]
        self._pending += view

    def finish(self) -> None:
        """Write the remaining bytes as a block."""
        if self._pending:
            self._write_block(memoryview(self._pending))
            self._pending = bytearray()

    def _write_block(self, data: memoryview) -> None:
        vector = os.urandom(_VECTOR)
        cipher = _cipher(self._key, self._mode, vector).encryptor()
        if self._mode == _GCM:
            parts = [cipher.update(data), cipher.finalize()]
            tag = cipher.tag
        else:
            padder = _padding().padder()
            whole = len(data) // _PADDED * _PADDED
            end = padder.update(bytes(data[whole:])) + padder.finalize()
            parts = [cipher.update(data[:whole]), cipher.update(end), cipher.finalize()]
            tag = b""
        length = sum(len(part) for part in parts)
        front = _number(len(vector)) + vector + _number(length)
        self._file.write(_number(MODES[self._mode][0]) + tag + _number(len(front) + length) + front)
        for part in parts:
            self._file.write(part)


def decrypted(file: BinaryIO, key: bytes, mode: str) -> io.BytesIO:
    """Return the decrypted content of a file; another key or mode, or damage, raises `DamagedFileError`."""
    from cryptography.exceptions import InvalidTag

    if not is_encrypted(file):
        raise DamagedFileError("it is not encrypted: load it without a key")
    result = io.BytesIO()
    position, end = 0, length_of(file)
    while position < end:
        tag, vector, content, position = _block(file, position, end, mode)
        try:
            cipher = _cipher(key, mode, vector, tag).decryptor()
            plain = memoryview(cipher.update(content))
            cipher.finalize()
            if mode != _GCM:
                unpadder = _padding().unpadder()
                result.write(plain[:-_PADDED])
                plain = memoryview(unpadder.update(bytes(plain[-_PADDED:])) + unpadder.finalize())
            result.write(plain)
        except (InvalidTag, ValueError) as error:
            raise DamagedFileError("it is encrypted with another key, or some of its bytes have changed") from error
    return result


def _block(file: BinaryIO, position: int, end: int, mode: str) -> tuple[bytes, bytes, bytes, int]:
    """Return the tag, the vector and the encrypted bytes of the block at a position, and the position after it."""
    mark, position = _part(file, position, _NUMBER, end)
    if int.from_bytes(mark, "little") != MODES[mode][0]:
        raise DamagedFileError(f"its encryption is not {mode}")
    tag, position = _part(file, position, _TAG if mode == _GCM else 0, end)
    length, position = _part(file, position, _NUMBER, end)
    vector, after_vector = _part_with_length(file, position, end)
    content, after = _part_with_length(file, after_vector, end)
    sizes_fit = len(vector) == _VECTOR and 0 < len(content) <= _MAX_CONTENT
    if not sizes_fit or after - position != int.from_bytes(length, "little"):
        raise DamagedFileError("the lengths in an encrypted block do not fit together")
    return tag, vector, content, after


def _number(value: int) -> bytes:
    return value.to_bytes(_NUMBER, "little")


def _part(file: BinaryIO, position: int, length: int, end: int) -> tuple[bytes, int]:
    """Return the bytes at a position, and the position after them."""
    if length > end - position:
        raise DamagedFileError(f"it is cut short: an encrypted part of {length} bytes has only {end - position}")
    return read(file, range(position, position + length)), position + length


def _part_with_length(file: BinaryIO, position: int, end: int) -> tuple[bytes, int]:
    length, position = _part(file, position, _NUMBER, end)
    return _part(file, position, int.from_bytes(length, "little"), end)


def _cipher(key: bytes, mode: str, vector: bytes, tag: bytes | None = None) -> Any:
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    if mode == _GCM:
        return Cipher(algorithms.AES(key), modes.GCM(vector[:_GCM_VECTOR], tag))
    algorithm = algorithms.AES(key) if mode == "AES-CBC" else algorithms.SM4(key)
    return Cipher(algorithm, modes.CBC(vector))


def _padding() -> Any:
    from cryptography.hazmat.primitives.padding import PKCS7

    return PKCS7(_PADDED * 8)
