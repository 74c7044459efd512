"""Encrypted files: the key and the mode that the program has set, and the bytes of the files.

An encrypted file is a sequence of blocks, each after its length, 32 bits, big endian, and then four zeros, the name of
the mode, and a mark. The blocks are as in encrypted checkpoints.

MindSpore: `mindspore.mindrecord.config`.
"""

from __future__ import annotations

import io
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, BinaryIO

from torchspore.engine.storage.encryption import EncryptingFile, check_key, decrypted
from torchspore.engine.storage.files import DamagedFileError, length_of, read

__all__ = ["set_dec_mode", "set_enc_key", "set_enc_mode"]

_MODES = ("AES-GCM",)
_CUSTOM = b"UDF-ENC"
_MARK = b"ENCRYPT"
_END = bytes(4)
_NUMBER = 4
_NAME = 7
_BLOCK = 64 * 2**20
_KEY_LENGTHS = (16, 24, 32)

Cipher = Callable[[BinaryIO, int, BinaryIO, str], object]


class _Settings:
    """What the program has set."""

    key: str | None = None
    enc_mode: str | Cipher = "AES-GCM"
    dec_mode: str | Cipher | None = None


_settings = _Settings()


def set_enc_key(enc_key: str | None) -> None:
    """Set the key with which files are encrypted when they are committed, and decrypted when they are opened.

    Args:
        enc_key: 16, 24 or 32 characters; None for files that are not encrypted.

    Raises:
        ValueError: it is not a str of such a length.
        ModuleNotFoundError: the package cryptography is not installed.

    Examples:
        >>> from torchspore.mindrecord import set_enc_key
        >>> set_enc_key("0123456789012345")
        >>> set_enc_key(None)
    """
    if enc_key is not None:
        if not isinstance(enc_key, str) or len(enc_key.encode()) not in _KEY_LENGTHS:
            raise ValueError(
                f"For 'set_enc_key', 'enc_key' must be None or a str of {_KEY_LENGTHS} bytes, but got "
                f"{'a str of ' + str(len(enc_key)) if isinstance(enc_key, str) else type(enc_key).__name__}."
            )
        check_key(enc_key.encode(), "AES-GCM", "enc", "set_enc_key")
    _settings.key = enc_key


def set_enc_mode(enc_mode: str | Cipher = "AES-GCM") -> None:
    """Set how files are encrypted.

    Args:
        enc_mode: "AES-GCM", or a function of a file to read, its length, a file to write, and the key.
            Default: "AES-GCM".

    Raises:
        ValueError: it is another one.

    Examples:
        >>> from torchspore.mindrecord import set_enc_mode
        >>> set_enc_mode("AES-GCM")
    """
    _check_mode("set_enc_mode", "enc_mode", enc_mode)
    _settings.enc_mode = enc_mode


def set_dec_mode(dec_mode: str | Cipher | None = "AES-GCM") -> None:
    """Set how files are decrypted.

    Args:
        dec_mode: "AES-GCM", or a function of a file to read, the number of its bytes without the mark at the end, a
            file to write, and the key. None for what `set_enc_mode` says. Default: "AES-GCM".

    Raises:
        ValueError: it is another one.

    Examples:
        >>> from torchspore.mindrecord import set_dec_mode
        >>> set_dec_mode("AES-GCM")
    """
    if dec_mode is not None:
        _check_mode("set_dec_mode", "dec_mode", dec_mode)
    _settings.dec_mode = dec_mode


def _check_mode(api: str, name: str, mode: Any) -> None:
    if not callable(mode) and not (isinstance(mode, str) and mode in _MODES):
        raise ValueError(f"For '{api}', '{name}' must be one of {list(_MODES)} or a function, but got {mode!r:.50}.")


def current() -> tuple[str, str | Cipher] | None:
    """Return the key and the mode for reading, or None if files are not encrypted."""
    if _settings.key is None:
        return None
    return _settings.key, _get_dec_mode()


def _get_enc_key() -> str | None:
    """Return the key."""
    return _settings.key


def _get_enc_mode() -> str | Cipher:
    """Return how files are encrypted."""
    return _settings.enc_mode


def _get_dec_mode() -> str | Cipher:
    """Return how files are decrypted."""
    return _settings.enc_mode if _settings.dec_mode is None else _settings.dec_mode


def encrypt_in_place(path: str) -> None:
    """Encrypt a file, if a key is set."""
    if _settings.key is None:
        return
    result = f"{path}.encrypted"
    with open(path, "rb") as source, open(result, "wb") as file:
        if callable(_settings.enc_mode):
            _settings.enc_mode(source, _length_and_back(source), file, _settings.key)
            name = _CUSTOM
        else:
            _encrypt(source, file, _settings.key, _settings.enc_mode)
            name = _settings.enc_mode.encode()
        file.write(_END + name + _MARK)
    os.replace(result, path)


def _length_and_back(file: BinaryIO) -> int:
    """Return the length of a file, whose position becomes its beginning."""
    size = length_of(file)
    file.seek(0)
    return size


class _Block:
    """Collects an encrypted block."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []

    def write(self, data: bytes | memoryview) -> None:
        """Collect the next bytes."""
        self.parts.append(bytes(data))


def _encrypt(source: BinaryIO, file: BinaryIO, key: str, mode: str) -> None:
    while data := source.read(_BLOCK):
        block = _Block()
        encrypting = EncryptingFile(block, key.encode(), mode)
        encrypting.write(data)
        encrypting.finish()
        file.write(sum(map(len, block.parts)).to_bytes(_NUMBER, "big"))
        file.writelines(block.parts)


@contextmanager
def readable_path(path: str) -> Iterator[str]:
    """Yield the path of a file to read: the given one, or the path of a temporary file with its decrypted content.

    Raises:
        DamagedFileError: as for `readable`.
    """
    with open(path, "rb") as file, ExitStack() as stack:
        result = readable(file, lambda: stack.enter_context(tempfile.NamedTemporaryFile()))
        yield path if result is file else result.name


def readable(file: BinaryIO, make: Callable[[], Any] = tempfile.TemporaryFile) -> BinaryIO:
    """Return a file to read: the given one, or a temporary file that has its decrypted content.

    Args:
        file: the file.
        make: makes the temporary file. Default: it has no name, and vanishes when it is closed.

    Raises:
        DamagedFileError: it is encrypted and there is no key, or the reverse; or the key is another one.
    """
    size, chosen = length_of(file), current()
    name = read(file, range(size - _NAME - len(_MARK), size - len(_MARK))) if size > _NAME + len(_MARK) else b""
    is_encrypted = bool(name) and read(file, range(size - len(_MARK), size)) == _MARK
    if not is_encrypted and chosen is None:
        return file
    if chosen is None:
        raise DamagedFileError("it is encrypted: call 'mindrecord.set_enc_key' with its key first")
    if not is_encrypted:
        raise DamagedFileError("it is not encrypted: call 'mindrecord.set_enc_key(None)' first")
    key, mode = chosen
    if name == _CUSTOM and not callable(mode):
        raise DamagedFileError("it is encrypted by a function: call 'mindrecord.set_dec_mode' with its inverse first")
    if name != _CUSTOM and (callable(mode) or name != mode.encode()):
        raise DamagedFileError(f"its encryption is {name!r}: call 'mindrecord.set_dec_mode' with that first")
    result = make()
    try:
        if callable(mode):
            file.seek(0)
            mode(file, size - len(_MARK), result, key)
        else:
            _decrypt(file, size - len(_MARK) - _NAME - len(_END), result, key, mode)
    except BaseException:
        result.close()
        raise
    result.flush()
    return result


def _decrypt(file: BinaryIO, end: int, result: BinaryIO, key: str, mode: str) -> None:
    position = 0
    while position < end:
        begin = position + _NUMBER
        position = begin + int.from_bytes(read(file, range(position, begin)), "big")
        if not begin < position <= end or position - begin > 2 * _BLOCK:
            raise DamagedFileError("an encrypted block is cut short")
        block = io.BytesIO(read(file, range(begin, position)))
        result.write(decrypted(block, key.encode(), mode).getbuffer())
