"""Tensor methods about memory: storage, devices and files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import torch

from torchspore.common.names.unsupported import unsupported
from torchspore.common.parameter import Parameter
from torchspore.common.tensor import Tensor, from_dlpack, to_dlpack, wrap
from torchspore.engine.failures.errors import describe, explain
from torchspore.engine.failures.naming import named
from torchspore.engine.op import attach
from torchspore.engine.parameters import take_as
from torchspore.ops.array.overloads import documented

__all__: list[str] = []


def _storage(self: Tensor) -> torch.UntypedStorage:
    """Return torch's `UntypedStorage`, which views of the tensor share."""
    return self._t.untyped_storage()


def _is_shared(self: Tensor) -> bool:
    """Return whether the tensor is in shared memory."""
    return bool(self._t.is_shared())


def _pin_memory(self: Tensor) -> Tensor:
    """Return a copy in pinned memory, for asynchronous copies to a GPU; without a GPU, an ordinary copy."""
    return wrap(self._t.pin_memory() if torch.cuda.is_available() else self._t.clone())


def _to_(self: Tensor, device: str | None = None, non_blocking: bool = False) -> Tensor:
    """Move the tensor itself to a device, and return it.

    Args:
        device: "CPU", "GPU", "GPU:1" or "Ascend". Default: None: no move.
        non_blocking: whether to copy asynchronously. Default: False.
    """
    if device is not None:
        self._take_over(self.to(device=device, non_blocking=non_blocking))
    return self


def _set_(self: Tensor, source: Any = None, storage_offset: int = 0, size: Any = None, stride: Any = None) -> Tensor:
    """Make the tensor share the memory of another, and return it.

    Args:
        source: a Tensor of the same dtype, or a storage. Default: None: no elements.
        storage_offset: the offset of the first element. Default: 0.
        size: the shape. Default: None: the shape of `source`.
        stride: the strides. Default: None: the strides of `source`, or row-major order.

    Raises:
        ValueError: the memory is too small.
    """
    fresh = torch.empty(0, dtype=self._t.dtype, device=self._t.device)
    if source is None:
        self._take_over(wrap(fresh))
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
    self._take_over(wrap(fresh))
    return self


def _index(self: Tensor, indices: Any) -> Tensor:
    """Return `x[indices]`, for a tuple or list of Tensors of ints or bools."""
    if not isinstance(indices, (tuple, list)) or not all(isinstance(index, Tensor) for index in indices):
        raise TypeError(f"For 'index', 'indices' must be a tuple or list of Tensors, but got {describe(indices)}.")
    return self[tuple(indices)]


def _is_init(self: Tensor) -> bool:
    """Return the flag set by `set_init_flag`; False by default."""
    return bool(self.__dict__.get("init_flag", False))


def _set_init_flag(self: Tensor, flag: bool) -> None:
    """Set the flag that `is_init` returns, for programs that mark initialized tensors."""
    self.__dict__["init_flag"] = flag


def _flush_from_cache(self: Tensor) -> None:
    """Do nothing: there is no cache."""


def _wait_pipeline(self: Tensor) -> None:
    """Do nothing: there is no queue of operations."""


def _data_sync(self: Tensor, wait: bool = True) -> None:
    """Wait for the pending work of the tensor's device, unless `wait` is False."""
    if wait and self._t.device.type != "cpu":
        torch.accelerator.synchronize(self._t.device)


def _offload(self: Tensor, file_path: str) -> bool:
    """Write a tensor on the CPU into a file, map it from there to free its memory, and return True.

    The system reads the parts of the file that are used. Writes to the tensor do not change the file.

    Args:
        file_path: the file, which is created or overwritten.

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
        self._take_over(wrap(mapped.reshape(value.shape)))
    self.__dict__["offloaded_to"] = file_path
    return True


def _offload_file_path(self: Tensor) -> str:
    """Return the file written by `offload`, or "".

    Examples:
        >>> import torchspore as ms
        >>> ms.Tensor([1.0]).offload_file_path()
        ''
    """
    return str(self.__dict__.get("offloaded_to", ""))


def _requires_grad_(self: Tensor, requires_grad: bool = True, /) -> None:
    """Set whether a Parameter is trained; other tensors get the gradients that `grad` and its relatives ask for.

    Args:
        requires_grad: whether it is. Default: True.

    Raises:
        NotImplementedError: False for a tensor that is not a Parameter.

    Examples:
        >>> import torchspore as ms
        >>> weight = ms.Parameter(ms.Tensor([1.0]))
        >>> weight.requires_grad_(False)
        >>> weight.requires_grad
        False
    """
    wanted = take_as(bool, requires_grad, "requires_grad", "Tensor.requires_grad_")
    if isinstance(self, Parameter):
        self.requires_grad = wanted
    elif not wanted:
        raise NotImplementedError("For 'Tensor.requires_grad_', False is for Parameters: use ops.stop_gradient(x).")


for _method in (
    _is_shared, _pin_memory, _to_, _set_, _index, _is_init, _set_init_flag, _flush_from_cache, _storage, _data_sync,
    _wait_pipeline, _offload, _offload_file_path, _requires_grad_,
):  # fmt: skip
    _method.__name__ = _method.__name__[1:]
    _method.__qualname__ = f"Tensor.{_method.__name__}"
    attach(named(_method), _method.__name__)
attach(_storage, "untyped_storage")
attach(Tensor.assign_value, "assign_value_cpp")
attach(property(lambda self: self._t.is_meta, doc="Whether the tensor has a shape, but no elements."), "is_meta")
attach(to_dlpack, "to_dlpack")
attach(staticmethod(from_dlpack), "from_dlpack")


def _refusing(name: str, reason: str) -> Callable[..., NoReturn]:
    def refuse(self: Tensor, *args: Any, **named: Any) -> NoReturn:
        raise NotImplementedError(f"For 'Tensor.{name}', {reason}")

    return documented(refuse, name, f"Not supported: {reason}")


for _name, _reason in unsupported("Tensor").items():
    attach(_refusing(_name, _reason), _name)
