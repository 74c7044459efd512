"""Tensor methods about memory: where the elements lie, and whose they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import torch

from torchspore.common.tensor import Tensor, from_dlpack, to_dlpack, wrap
from torchspore.common.unsupported import unsupported
from torchspore.engine.errors import describe, explain
from torchspore.engine.naming import named
from torchspore.engine.op import attach

__all__: list[str] = []


def _storage(self: Tensor) -> torch.UntypedStorage:
    """Return the bytes underneath, which views of the tensor share: torch's `UntypedStorage`."""
    return self._t.untyped_storage()


def _is_shared(self: Tensor) -> bool:
    """Return whether the elements lie in memory that processes share."""
    return bool(self._t.is_shared())


def _pin_memory(self: Tensor) -> Tensor:
    """Return a copy in page-locked memory, from which copies to a GPU need not be waited for; without a GPU, a copy."""
    return wrap(self._t.pin_memory() if torch.cuda.is_available() else self._t.clone())


def _to_(self: Tensor, device: str | None = None, non_blocking: bool = False) -> Tensor:
    """Move the tensor itself to a device, and return it.

    Args:
        device: "CPU", "GPU", "GPU:1" or "Ascend". Default: None: it stays.
        non_blocking: whether the program may go on while the copy is made. Default: False.
    """
    if device is not None:
        self.data = self.to(device=device, non_blocking=non_blocking)
    return self


def _set_(self: Tensor, source: Any = None, storage_offset: int = 0, size: Any = None, stride: Any = None) -> Tensor:
    """Let the tensor have the memory of another, and return it.

    Args:
        source: a Tensor of the same dtype, or what `storage()` returns. Default: None: no elements.
        storage_offset: the place of the first element. Default: 0.
        size: the shape. Default: None: that of `source`.
        stride: the elements to step in each dimension. Default: None: that of `source`, or row-major order.

    Raises:
        ValueError: the memory is too small.
    """
    fresh = torch.empty(0, dtype=self._t.dtype, device=self._t.device)
    if source is None:
        self.data = wrap(fresh)
        return self
    value = source._t if isinstance(source, Tensor) else source
    fits = value.dtype is fresh.dtype if isinstance(value, torch.Tensor) else isinstance(value, torch.UntypedStorage)
    if not fits:
        raise TypeError(f"For 'set_', 'source' must be a {self.dtype} Tensor or a storage, but got {describe(source)}.")
    try:
        if size is None:
            fresh.set_(value)  # type: ignore[arg-type]  # the stubs know storages only
        else:
            fresh.set_(value, storage_offset, tuple(size), () if stride is None else tuple(stride))  # type: ignore[arg-type]
    except Exception as error:
        raise explain(error, "set_", {"source": source, "size": size, "stride": stride}) from None
    self.data = wrap(fresh)
    return self


def _index(self: Tensor, indices: Any) -> Tensor:
    """Return `x[indices]`, for a tuple or list of Tensors of ints or bools."""
    if not isinstance(indices, (tuple, list)) or not all(isinstance(index, Tensor) for index in indices):
        raise TypeError(f"For 'index', 'indices' must be a tuple or list of Tensors, but got {describe(indices)}.")
    return self[tuple(indices)]


def _is_init(self: Tensor) -> bool:
    """Return the flag that `set_init_flag` sets; False before."""
    return bool(self.__dict__.get("init_flag", False))


def _set_init_flag(self: Tensor, flag: bool) -> None:
    """Set a flag that `is_init` returns, for programs that note there which tensors they have filled."""
    self.__dict__["init_flag"] = flag


def _flush_from_cache(self: Tensor) -> None:
    """Do nothing: no values wait in a cache."""


def _wait_pipeline(self: Tensor) -> None:
    """Do nothing: operations do not wait in a queue of ours."""


def _data_sync(self: Tensor, wait: bool = True) -> None:
    """Wait until the tensor's device has computed what it was given.

    Args:
        wait: whether to wait at all. Default: True.
    """
    if wait and self._t.device.type != "cpu":
        torch.accelerator.synchronize(self._t.device)


def _offload(self: Tensor, file_path: str) -> bool:
    """Write the elements of a tensor on the CPU into a file, and read them from there from now on.

    The memory is free then: the system reads the parts of the file that are used, and writes to the tensor do not
    change the file.

    Args:
        file_path: the file, which is made or overwritten.

    Returns:
        True.

    Raises:
        ValueError: the tensor is on another device.
        OSError: the file cannot be written.

    Examples:
        >>> import os, tempfile
        >>> import torchspore as ms
        >>> x = ms.Tensor([1.0, 2.0])
        >>> x.offload(os.path.join(tempfile.mkdtemp(), "x.data"))
        True
        >>> print(x)
        [1. 2.]
    """
    if not isinstance(file_path, str):
        raise TypeError(f"For 'Tensor.offload', 'file_path' must be a string, but got {describe(file_path)}.")
    value = self._t.detach()
    if value.device.type != "cpu":
        raise ValueError(
            f"For 'Tensor.offload', the tensor must be on the CPU, but it is on {self.device}. Use 'move_to' first."
        )
    value.contiguous().reshape(-1).view(torch.uint8).numpy().tofile(file_path)
    if value.numel():
        mapped = torch.from_file(file_path, shared=False, size=value.numel(), dtype=value.dtype)
        self.data = wrap(mapped.reshape(value.shape))
    self.__dict__["offloaded_to"] = file_path
    return True


def _offload_file_path(self: Tensor) -> str:
    """Return the file that `offload` has written, or "".

    Examples:
        >>> import torchspore as ms
        >>> ms.Tensor([1.0]).offload_file_path()
        ''
    """
    return str(self.__dict__.get("offloaded_to", ""))


for _method in (
    _is_shared, _pin_memory, _to_, _set_, _index, _is_init, _set_init_flag, _flush_from_cache, _storage, _data_sync,
    _wait_pipeline, _offload, _offload_file_path,
):  # fmt: skip
    attach(named(_method), _method.__name__[1:])
attach(_storage, "untyped_storage")
attach(Tensor.assign_value, "assign_value_cpp")
attach(property(lambda self: self._t.is_meta, doc="Whether the tensor has a shape, but no elements."), "is_meta")
attach(to_dlpack, "to_dlpack")
attach(staticmethod(from_dlpack), "from_dlpack")


def _refusing(name: str, reason: str) -> Callable[..., NoReturn]:
    def refuse(self: Tensor, *args: Any, **named: Any) -> NoReturn:
        raise NotImplementedError(f"For 'Tensor.{name}', {reason}")

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = f"Not supported: {reason}"
    return refuse


for _name, _reason in unsupported("Tensor").items():
    attach(_refusing(_name, _reason), _name)
