"""`export` and `load`: networks in files."""

from __future__ import annotations

import functools
import io
import itertools
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, BinaryIO, Literal

from torchspore.common.error_classes import also
from torchspore.common.frames.user_lines import warn_of_unknown
from torchspore.engine.exported_graph import ExportedGraph, ModelInfo, NotReadable
from torchspore.engine.failures.errors import describe
from torchspore.engine.parameters import AnyPath, checked
from torchspore.engine.storage.encryption import EncryptingFile, check_key, decrypted, is_encrypted
from torchspore.engine.storage.files import DamagedFileError
from torchspore.engine.storage.writing import replacing
from torchspore.serialization.exporting.graph_file import read_graph, write_graph
from torchspore.serialization.exporting.onnx_file import check_packages, write_onnx
from torchspore.serialization.exporting.program import network_of
from torchspore.serialization.mindir.messages import check_package
from torchspore.serialization.mindir.reading import read_mindir
from torchspore.serialization.mindir.writing import write_mindir
from torchspore.serialization.onnx_graph.model_file import read_onnx

__all__ = ["export", "load", "prepared_path"]

_SUFFIXES = {"MINDIR": ".mindir", "PT2": ".pt2", "ONNX": ".onnx"}
_ZIP = b"PK\x03\x04"
_MODE = "AES-GCM"


@checked
def export(
    net: Any,
    *inputs: Any,
    file_name: AnyPath,
    file_format: Literal["MINDIR", "PT2", "ONNX", "AIR"],
    enc_key: Any = None,
    enc_mode: str | Callable[[bytes, Any], bytes] = _MODE,
    dataset: Any = None,
    incremental: bool = False,
    custom_func: Callable[[ModelInfo], Any] | None = None,
    **kwargs: Any,
) -> None:
    """Write a network in inference mode to a file.

    A MINDIR file has MindSpore's primitives: MindSpore from 1.10 on and MindSpore Lite run it, and so does `load`. The
    file appears whole or not at all. More than 1 GiB of weights is written as MindSpore does it: NAME_graph.mindir is
    the file to load, and the folder NAME_variables, which must stay beside it, has the weights.

    Args:
        net: a Cell or a function, without side effects in Python. Where it has conditions on values of tensors, up to
            six in sequence, the file computes all paths and picks the results, of the same shapes, by value. A `while`
            that runs until a value is reached becomes a loop whose variables keep their shapes and data types.
        inputs: its arguments: tensors, whose shapes and dtypes hold for the file, numbers, strings, None, and tuples,
            lists and dicts of them. `Tensor(shape=[None, 3], dtype=...)` leaves a size open, and so does `set_inputs`
            of the Cell. The length of a list or tuple holds for the file; if `mutable` leaves it open, there is a
            warning. Default: those that `set_inputs` declared.
        file_name: the file; the suffix is added when it is missing, and folders are made.
        file_format: "MINDIR" for MindSpore and devices, with the suffix .mindir; "PT2" for PyTorch, .pt2; "ONNX" for
            other programs, .onnx. `load` and `nn.GraphCell` run all of them.
        enc_key: 16, 24 or 32 bytes to encrypt the file with; not for "ONNX". Default: None, not encrypted.
        enc_mode: "AES-GCM", "AES-CBC" or "SM4-CBC"; or a function that takes the file's bytes and the key and
            returns the encrypted bytes. Default: "AES-GCM".
        dataset: must be None: preprocessing is not exported. Default: None.
        incremental: must be False: files are written whole. Default: False.
        custom_func: a function that may change the file's description of the model, an object with `producer_name`,
            `producer_version` and the dict `user_info`; not for "ONNX". Default: None.
        kwargs: others give a warning and have no effect.

    Raises:
        TypeError: an argument of another type, or inputs that the network does not take.
        ValueError: an unknown format, a key that does not fit, or a network that cannot be exported.
        NotImplementedError: "AIR", `dataset` or `incremental`.
        ModuleNotFoundError: a package for ONNX or encryption is missing.

    Examples:
        >>> import tempfile, torchspore as ms
        >>> net = ms.nn.Dense(2, 1, weight_init="ones", has_bias=False)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     ms.export(net, ms.Tensor([[1.0, 2.0]]), file_name=f"{folder}/dense", file_format="PT2")
        ...     print(ms.nn.GraphCell(ms.load(f"{folder}/dense.pt2"))(ms.Tensor([[3.0, 4.0]])))
        [[7.]]
    """
    warn_of_unknown(kwargs, "export", ["enc_key", "enc_mode", "dataset", "incremental", "custom_func"])
    if file_format == "AIR":
        raise NotImplementedError("For 'export', 'AIR' is for Ascend cards. Use 'MINDIR' or 'ONNX'.")
    if dataset is not None:
        kind = also(NotImplementedError, TypeError)
        raise kind("For 'export', 'dataset' is not supported: preprocess the inputs yourself.")
    if incremental:
        raise NotImplementedError("For 'export', 'incremental' is not supported: the file is written whole.")
    if file_format == "ONNX":
        if enc_key is not None or custom_func is not None:
            raise ValueError("For 'export', 'enc_key' and 'custom_func' are not supported for 'ONNX'. Leave them out.")
        check_packages("export")
        network = network_of(net, inputs, "export")
        with prepared_path(file_name, _SUFFIXES[file_format]) as path:
            write_onnx(network, path, "export")
        return
    if isinstance(enc_mode, str):
        check_key(enc_key, enc_mode, "enc", "export")
    if file_format == "MINDIR":
        check_package("export")
    network = network_of(net, inputs, "export")
    info = ModelInfo()
    if custom_func is not None:
        custom_func(info)
    encrypt = None if enc_key is None else functools.partial(_encrypted, key=enc_key, mode=enc_mode)
    with prepared_path(file_name, _SUFFIXES[file_format]) as path:
        if file_format == "MINDIR":
            write_mindir(network, info, path, encrypt, "export")
            return
        with replacing(path) as file:
            if encrypt is None:
                write_graph(network, info, file, "export")
            else:
                content = io.BytesIO()
                write_graph(network, info, content, "export")
                file.write(encrypt(content.getvalue()))


@checked
def load(
    file_name: AnyPath,
    *,
    dec_key: Any = None,
    dec_mode: str | Callable[[str, Any], bytes] = _MODE,
    **kwargs: Any,
) -> ExportedGraph:
    """Read a graph that `export`, MindSpore or `torch.export.save` wrote, or an ONNX file of any program.

    No code in the file is run and nothing is unpickled, so untrusted files are safe: a graph uses only operations of a
    list, none of which accesses memory other than its own, and reading takes memory of a small multiple of the file's
    length.

    All parameters of a MINDIR file are parameters of the cell, trainable as in MindSpore. Files of MindSpore 1.10, 2.0
    and 2.10 are tested.

    Parameters of an ONNX file are its tensors of floating-point numbers, under their names, except scalars and what is
    only read as sizes or scales of integers. Tensors in other files are read if these are in the folder of the file, or
    of what a link leads to.

    Args:
        file_name: a file whose name ends with .mindir, .pt2 or .onnx.
        dec_key: the key of an encrypted file; not for .onnx. Default: None, not encrypted.
        dec_mode: "AES-GCM", "AES-CBC" or "SM4-CBC"; or a function that takes the file's name and the key and returns
            the decrypted bytes. Default: "AES-GCM".
        kwargs: others give a warning and have no effect.

    Returns:
        The graph, for `nn.GraphCell`. Its tensors are on the device in use.

    Raises:
        ValueError: the file does not exist, has another suffix, cannot be read as a graph, or the key does not fit; it
            has an operator or a primitive that has no counterpart.
        ModuleNotFoundError: the file needs the package protobuf, cryptography or onnx.

    Examples:
        >>> import tempfile, torchspore as ms
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     ms.export(ms.nn.ReLU(), ms.Tensor([1.0, -2.0]), file_name=f"{folder}/relu", file_format="PT2")
        ...     ms.load(f"{folder}/relu.pt2")
        ExportedGraph(inputs: input; 0 parameters)
    """
    warn_of_unknown(kwargs, "load", ["dec_key", "dec_mode"])
    path = os.fspath(file_name)
    if not path.endswith(tuple(_SUFFIXES.values())):
        raise ValueError(f"For 'load', 'file_name' must end with .mindir, .pt2 or .onnx, but got '{path}'.")
    is_onnx = path.endswith(_SUFFIXES["ONNX"])
    if is_onnx and dec_key is not None:
        raise ValueError("For 'load', 'dec_key' is not supported for ONNX files. Leave it out.")
    if not os.path.isfile(path):
        raise ValueError(f"For 'load', there is no file '{path}'.")
    if isinstance(dec_mode, str):
        check_key(dec_key, dec_mode, "dec", "load")
    try:
        if is_onnx:
            return read_onnx(path, "load")
        with open(path, "rb") as file:
            content = _content(file, dec_key, dec_mode)
            content.seek(0)
            if content.read(len(_ZIP)) == _ZIP:
                return read_graph(content)
            check_package("load")
            folder = os.path.dirname(os.path.realpath(path))
            return read_mindir(content, folder, lambda weights: _content(weights, dec_key, dec_mode))
    except (DamagedFileError, NotReadable) as error:
        raise ValueError(f"For 'load', '{path}' cannot be read: {error}.") from error


@contextmanager
def prepared_path(file_name: AnyPath, suffix: str) -> Iterator[str]:
    """Yield the path of a file to write, with its suffix; its folder is made, and is not left behind by an error."""
    path = os.fspath(file_name)
    path = path if path.endswith(suffix) else path + suffix
    folder = os.path.dirname(os.path.abspath(path))
    new = list(itertools.takewhile(lambda each: not os.path.lexists(each), _with_parents(folder)))
    os.makedirs(folder, exist_ok=True)
    try:
        yield path
    except BaseException:
        for each in new:
            with suppress(OSError):  # others use it
                os.rmdir(each)
        raise


def _with_parents(folder: str) -> Iterator[str]:
    while folder:
        yield folder
        folder = os.path.dirname(folder)


def _encrypted(content: bytes | memoryview, key: bytes, mode: str | Callable[[bytes, Any], bytes]) -> Any:
    if callable(mode):
        return _as_bytes(mode(bytes(content), key), "export", "enc_mode")
    result = io.BytesIO()
    encrypting = EncryptingFile(result, key, mode)
    encrypting.write(content)
    encrypting.finish()
    return result.getbuffer()


def _as_bytes(value: Any, api: str, function: str) -> Any:
    if not isinstance(value, (bytes, bytearray, memoryview)):
        raise TypeError(f"For '{api}', the function '{function}' must return bytes, but it returned {describe(value)}.")
    return value


def _content(file: BinaryIO, key: bytes | None, mode: str | Callable[[str, Any], bytes]) -> BinaryIO:
    """Return a file, decrypted."""
    if callable(mode) and key is not None:
        return io.BytesIO(_as_bytes(mode(file.name, key), "load", "dec_mode"))
    if key is not None:
        file = decrypted(file, key, str(mode))
    elif is_encrypted(file):
        raise DamagedFileError("it is encrypted: give its key as 'dec_key', and the 'dec_mode'")
    return file
