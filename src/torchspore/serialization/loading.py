"""Loading checkpoints."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Annotated, Any, TypeAlias

import torch

from torchspore.common import device as devices
from torchspore.common.parameter import Parameter
from torchspore.common.tensor import wrap
from torchspore.engine.parameters import AnyPath, Rule, Where, checked
from torchspore.engine.storage.encryption import check_key, decrypted, is_encrypted
from torchspore.engine.storage.files import DamagedFileError, length_of, read
from torchspore.nn.cell import Cell
from torchspore.serialization import background
from torchspore.serialization.checkpoint_file import read_checkpoint
from torchspore.serialization.into_network import load_param_into_net
from torchspore.serialization.safetensors_file import read_safetensors
from torchspore.serialization.saving import Format
from torchspore.serialization.tensors import Stored

__all__ = ["load_checkpoint", "load_checkpoint_async", "name_filter", "new_parameter", "read_file"]

_API = "load_checkpoint"
_Prefix: TypeAlias = Annotated[str, Where("a non-empty string, as every name begins with an empty one", bool)]
_WHOLE_FILES = Rule(
    "with 'net', remove_redundancy=True is not supported: load complete files",
    lambda remove_redundancy, net: not (remove_redundancy and net is not None),
    TypeError,
)
_TORCH_ENDINGS = (".pth", ".pt", ".bin", ".index.json")
_ARCHIVE = b"PK\3\4"  # the first bytes of what torch.save writes


@checked(_WHOLE_FILES)
def load_checkpoint(
    ckpt_file_name: AnyPath,
    net: Cell | None = None,
    strict_load: bool = False,
    filter_prefix: _Prefix | Sequence[_Prefix] | None = None,
    dec_key: bytes | None = None,
    dec_mode: str = "AES-GCM",
    specify_prefix: _Prefix | Sequence[_Prefix] | None = None,
    choice_func: Callable[[str], bool] | None = None,
    crc_check: bool = False,
    remove_redundancy: bool = False,
    format: Format = "ckpt",
) -> dict[str, Any]:
    """Load a file that `save_checkpoint` of TorchSpore or MindSpore wrote.

    The whole file is checked before the first parameter of `net` changes.

    Args:
        ckpt_file_name: the file; it ends with `format`. One that ends with `.safetensors` is read as such.
        net: a Cell to load the parameters into, see `load_param_into_net`. Default: None.
        strict_load: as for `load_param_into_net`. Default: False.
        filter_prefix: a prefix, or several, of names to leave out. Default: None.
        dec_key: the key that the file was encrypted with. Default: None, not encrypted.
        dec_mode: "AES-GCM", "AES-CBC" or "SM4-CBC". Default: "AES-GCM".
        specify_prefix: a prefix, or several, of the only names to load. Default: None.
        choice_func: a function of a name that returns whether to load the value. Default: None, all.
        crc_check: whether the checksum in the file must match; one without it gets a warning. Default: False.
        remove_redundancy: must be False with a `net`, as files of several devices are not merged; without one it has no
            effect. Default: False.
        format: "ckpt" or "safetensors". Default: "ckpt".

    Returns:
        New parameters on the device in use, and strings, by name.

    Raises:
        ValueError: the file does not exist, does not end with `format`, is damaged or encrypted with another key, or
            no name in it is selected.
        RuntimeError: shapes or types do not match those in `net`.
        ModuleNotFoundError: the file needs the package safetensors or cryptography.

    Examples:
        >>> import tempfile, torchspore as ms
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     ms.save_checkpoint(ms.nn.Dense(2, 1), f"{folder}/dense.ckpt")
        ...     ms.load_checkpoint(f"{folder}/dense.ckpt", choice_func=lambda name: "bias" in name)
        {'bias': Parameter (name=bias, shape=(1,), dtype=Float32, requires_grad=True)}
    """
    if os.fspath(ckpt_file_name).endswith(".safetensors"):
        format = "safetensors"
    check_key(dec_key, dec_mode, "dec", _API)
    without, only = _prefixes(filter_prefix), _prefixes(specify_prefix)
    background.wait(report=False)
    path = _existing(ckpt_file_name, format)

    values = read_file(_API, path, format, name_filter(without, only, choice_func), crc_check, dec_key, dec_mode)
    if not values:
        raise ValueError(
            f"For '{_API}', there is nothing to load from '{path}': the file is empty, or 'filter_prefix', "
            "'specify_prefix' and 'choice_func' exclude all of it."
        )
    # One by one, so that each tensor is freed here before the next is copied to the device.
    result = {name: new_parameter(name, values.pop(name)) for name in list(values)}
    if net is not None:
        load_param_into_net(net, result, strict_load)
    return result


def name_filter(
    without: tuple[str, ...], only: tuple[str, ...], choice_func: Callable[[str], bool] | None
) -> Callable[[str], bool]:
    """Return a function that selects names, by prefixes to exclude and to require, and by a function."""

    def wanted(name: str) -> bool:
        return (
            not name.startswith(without)
            and (not only or name.startswith(only))
            and (choice_func is None or bool(choice_func(name)))
        )

    return wanted


def read_file(
    api: str,
    path: str,
    format: str,
    wanted: Callable[[str], bool],
    crc_check: bool = False,
    dec_key: bytes | None = None,
    dec_mode: str = "AES-GCM",
) -> Stored:
    """Return the selected values of a file; a damaged file raises a ValueError."""
    try:
        with open(path, "rb") as file:
            if format == "safetensors":
                return read_safetensors(file, wanted, crc_check)
            if dec_key is None and read(file, range(min(len(_ARCHIVE), length_of(file)))) == _ARCHIVE:
                raise DamagedFileError("it is a file of torch: load it by torchspore.migrate.load_torch(net, path)")
            content = file if dec_key is None else decrypted(file, dec_key, dec_mode)
            if dec_key is None and is_encrypted(file):
                raise DamagedFileError("it is encrypted: give its key as 'dec_key', and the 'dec_mode'")
            return read_checkpoint(content, wanted, crc_check)
    except DamagedFileError as error:
        raise ValueError(f"For '{api}', '{path}' cannot be loaded: {error}.") from error


def new_parameter(name: str, value: torch.Tensor | str) -> Any:
    """Return a parameter that takes over the tensor's memory, or the string."""
    if isinstance(value, str):
        return value
    result = Parameter(wrap(value.new_empty(0)), name)
    result._hold(value.to(devices.current()))
    return result


def load_checkpoint_async(
    ckpt_file_name: str | os.PathLike[str],
    net: Cell | None = None,
    strict_load: bool = False,
    filter_prefix: str | list[str] | tuple[str, ...] | None = None,
    dec_key: bytes | None = None,
    dec_mode: str = "AES-GCM",
    specify_prefix: str | list[str] | tuple[str, ...] | None = None,
    choice_func: Callable[[str], bool] | None = None,
) -> Future[dict[str, Any]]:
    """Load a file in the background. Arguments as for `load_checkpoint`.

    Returns:
        A future, whose `result()` waits for the result of `load_checkpoint` and raises its errors.

    Examples:
        >>> import tempfile, torchspore as ms
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     ms.save_checkpoint(ms.nn.Dense(2, 1), f"{folder}/dense.ckpt")
        ...     list(ms.load_checkpoint_async(f"{folder}/dense.ckpt").result())
        ['weight', 'bias']
    """
    executor = ThreadPoolExecutor(1, "torchspore-load")
    future = executor.submit(
        load_checkpoint, ckpt_file_name, net, strict_load, filter_prefix, dec_key, dec_mode, specify_prefix, choice_func
    )
    executor.shutdown(wait=False)
    return future


# Arguments


def _prefixes(given: str | Sequence[str] | None) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given or ())


def _existing(path: AnyPath, format: str) -> str:
    full = os.path.realpath(path)
    if full.endswith(_TORCH_ENDINGS):
        raise ValueError(
            f"For '{_API}', '{path}' is a file of torch, not a checkpoint of MindSpore: load it by "
            "torchspore.migrate.load_torch(net, path)."
        )
    if not full.endswith(format) and not os.fspath(path).endswith(format):  # a link may have another name
        raise ValueError(f"For '{_API}', the file's name must end with '{format}', its 'format', but got '{path}'.")
    if not os.path.isfile(full):
        raise ValueError(f"For '{_API}', there is no file '{full}'. Check 'ckpt_file_name'.")
    return full
