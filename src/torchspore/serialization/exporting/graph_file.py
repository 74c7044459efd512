"""Graphs in files of torch's format `.pt2`: an archive with a description in JSON, and the tensors' bytes.

Torch's own reader may unpickle parts of such a file, load libraries from it, and evaluate texts in it. This one reads
the description and plain bytes, so that files from untrusted sources can be opened; decision 9 gives the limits.
"""

from __future__ import annotations

import dataclasses
import io
import json
import math
import zipfile
from typing import Any, BinaryIO

import torch

from torchspore.common import device as devices
from torchspore.engine.exported_graph import ExportedGraph, ModelInfo, NotReadable
from torchspore.engine.storage.files import DamagedFileError, length_of
from torchspore.engine.storage.reading import parse_json
from torchspore.serialization.exporting.graph_json import DTYPES, build, is_readable
from torchspore.serialization.exporting.program import Network, quiet
from torchspore.serialization.tensors import check_bools

__all__ = ["read_graph", "write_graph"]

_METADATA = "torchspore.json"  # the file in the archive for what torch does not store
_VERSION = 1
# What torch records with operations about the program that made them, including paths of the computer.
_NOTES = ("stack_trace", "nn_module_stack", "torch_fn", "source_fn_stack", "from_node")
# The errors that an invalid description causes in the reader.
_DAMAGES = (
    LookupError, TypeError, ValueError, AttributeError, RuntimeError, ArithmeticError, OSError, EOFError, StopIteration,
    MemoryError,
)  # fmt: skip
# The bytes of tensors for each byte of the file: tensors may share or repeat bytes, but within limits.
_MAX_EXPANSION = 16
_EXTRA_BYTES = 2**20
_MODEL = "models/model.json"
_WEIGHTS = ("data/weights/", "data/weights/model_weights_config.json")
_CONSTANTS = ("data/constants/", "data/constants/model_constants_config.json")


def write_graph(network: Network, info: ModelInfo, file: BinaryIO, api: str) -> None:
    """Write a network to a file.

    Raises:
        ValueError: it uses an operation that is not one of torch's.
    """
    program = network.program
    for node in network.nodes():
        if node.op == "call_function" and not is_readable(node.target):
            raise ValueError(f"For '{api}', the network uses '{node.target}', which cannot be in a file.")
        for note in _NOTES:
            node.meta.pop(note, None)
    program.example_inputs = None
    inputs = {f"input {number}": name for number, name in enumerate(network.inputs)}
    metadata = {"version": _VERSION, "names": network.names | inputs, "info": dataclasses.asdict(info)}
    sink = _Sink(file)
    with quiet():
        torch.export.save(program, sink, extra_files={_METADATA: json.dumps(metadata)})  # type: ignore[arg-type]
    if sink.error is not None:
        raise sink.error


def read_graph(file: BinaryIO) -> ExportedGraph:
    """Return the graph in a file.

    Raises:
        NotReadable: it is not such a file, is damaged, or has something in it that cannot be read safely.
    """
    try:
        with zipfile.ZipFile(file) as archive:
            return _read(_Archive(archive, length_of(file)))
    except (NotReadable, DamagedFileError):
        raise
    except (zipfile.BadZipFile, *_DAMAGES) as error:
        raise NotReadable(f"it is damaged ({type(error).__name__}: {error!s:.200})") from error


class _Sink(io.RawIOBase):
    """A file for torch's writer, in which an exception would end the process: it is kept, and writing stops."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.error: BaseException | None = None

    def writable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True  # torch requires it, and seeks to the beginning at the end

    def seek(self, offset: int, whence: int = 0, /) -> int:
        return offset

    def write(self, data: Any) -> int:
        if self.error is None:
            try:
                self._file.write(data)
            except BaseException as error:
                self.error = error
        return len(data)


class _Archive:
    """The members of an archive of `length` bytes, without the folder that they are all in."""

    def __init__(self, archive: zipfile.ZipFile, length: int) -> None:
        members = archive.infolist()
        self._archive = archive
        self._members = {member.filename.partition("/")[2]: member for member in members}
        if len(self._members) < len(members):
            raise NotReadable("two files in it have the same name")
        if sum(member.compress_size for member in members) > length:
            raise NotReadable("the files in it overlap")
        self._values: dict[str, torch.Tensor] = {}
        self._bytes_left = _MAX_EXPANSION * length + _EXTRA_BYTES

    def has(self, name: str) -> bool:
        return name in self._members

    def bytes(self, name: str) -> bytes:
        if name not in self._members:
            raise NotReadable(f"it has no '{name}'")
        member = self._members[name]
        if member.compress_type != zipfile.ZIP_STORED:
            raise NotReadable(f"'{name}' in it is compressed")
        return self._archive.read(member)

    def json(self, name: str) -> Any:
        return parse_json(self.bytes(name))

    def tensor(self, folder: str, described: dict[str, Any]) -> torch.Tensor:
        if described["use_pickle"]:
            raise NotReadable("a tensor in it is a pickle, which can run any program when it is opened")
        path = folder + described["path_name"]
        if path not in self._values:
            content = self.bytes(path)
            self._values[path] = torch.frombuffer(bytearray(content), dtype=torch.uint8) if content else torch.empty(0)
        return self._tensor(self._values[path], described["tensor_meta"])

    def _tensor(self, content: torch.Tensor, described: dict[str, Any]) -> torch.Tensor:
        dtype = DTYPES[described["dtype"]]
        shape, strides = ([size["as_int"] for size in described[key]] for key in ("sizes", "strides"))
        if math.prod(shape) == 0:
            return torch.empty(shape, dtype=dtype, device=devices.current())
        self._bytes_left -= math.prod(shape) * dtype.itemsize
        if self._bytes_left < 0:
            raise NotReadable(
                f"its tensors need more memory than a file of its length may request; one has {shape!r:.100}"
            )
        flat = content.view(dtype)
        check_bools(flat)
        # Torch refuses to read bytes beyond the content.
        values = flat.as_strided(shape, strides, described["storage_offset"]["as_int"])
        return values.clone(memory_format=torch.preserve_format).to(devices.current())


def _read(archive: _Archive) -> ExportedGraph:
    if not archive.has(_MODEL):
        raise NotReadable("it has no graph: it may be a checkpoint, or a program compiled by torch's Inductor")
    metadata: dict[str, Any] = {"version": _VERSION}
    if archive.has(f"extra/{_METADATA}"):
        metadata = archive.json(f"extra/{_METADATA}")
    if metadata["version"] != _VERSION:
        raise NotReadable(f"it is of the version {metadata['version']}, and this is TorchSpore for version {_VERSION}")
    weights, constants = ((folder, archive.json(index)["config"]) for folder, index in (_WEIGHTS, _CONSTANTS))

    def tensor(name: str, is_constant: bool) -> tuple[torch.Tensor, bool]:
        folder, described = constants if is_constant or name not in weights[1] else weights
        return archive.tensor(folder, described[name]), described[name]["is_param"]

    info = ModelInfo(**metadata["info"]) if "info" in metadata else ModelInfo("torch")
    return build(archive.json(_MODEL), tensor, metadata.get("names", {}), info)
