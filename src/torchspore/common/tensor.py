"""Tensor: one torch tensor behind MindSpore's attributes, constructors and conversions.

The operations (`x.reshape`, `x + y`, ...) are added to the class by the `op` decorator where each is defined.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor as TorchTensor

from torchspore.common import device as devices
from torchspore.common import dtype as mstype
from torchspore.common import indexing, printing
from torchspore.common.operations import Operations
from torchspore.common.scope import writable

if TYPE_CHECKING:
    from torchspore.common.initializer import Initializer

__all__ = ["Tensor", "from_dlpack", "from_numpy", "is_tensor", "tensor"]

_new = object.__new__


class Tensor(Operations):
    """A multi-dimensional array of one data type, on the device in use.

    Args:
        input_data: numbers, nested lists or tuples of them, a NumPy array (copied), a Tensor or a torch tensor (both
            share their memory with the new one). Python ints become int64, floats float32.
        dtype: the data type, default: that of `input_data`.
        shape: with `init`, the shape of a tensor that `init_data` fills; without it, of zeros.
        init: an `Initializer` that makes the values when `init_data` is called (zeros until then).
        const_arg: mark the tensor as a constant for graph compilation; kept as an attribute.
        device: "CPU", "GPU" or "Ascend", default: the device in use.

    Raises:
        TypeError: `input_data` or `dtype` is of a type that is not listed above.
        ValueError: nested lists of unequal lengths, or `input_data` given together with `init`.

    Examples:
        >>> import torchspore as ms
        >>> ms.Tensor([[1, 2], [3, 4]], ms.float32)
        Tensor(shape=[2, 2], dtype=Float32, value=
        [[ 1.00000000e+00,  2.00000000e+00],
         [ 3.00000000e+00,  4.00000000e+00]])

    MindSpore: `mindspore.Tensor`.
    """

    __slots__ = ("__dict__", "__weakref__", "_t")

    _t: TorchTensor

    init: Initializer | None = None
    const_arg = False

    def __init__(
        self,
        input_data: Any = None,
        dtype: Any = None,
        shape: Any = None,
        init: Initializer | None = None,
        const_arg: bool = False,
        device: str | None = None,
    ) -> None:
        torch_dtype = None if dtype is None else mstype.to_torch(dtype, "Tensor")
        if input_data is None:
            self._t = _zeros(shape, torch_dtype, init)
        else:
            if init is not None:
                raise ValueError("For 'Tensor', give 'input_data' or 'init' with 'shape' and 'dtype', but not both.")
            self._t = as_torch(input_data, torch_dtype)
            if shape is not None and tuple(self._t.shape) != as_shape(shape, "Tensor"):
                raise ValueError(f"For 'Tensor', 'shape' is {shape}, but 'input_data' has shape {tuple(self._t.shape)}.")
        if init is not None:
            self.init = init
        if const_arg:
            self.const_arg = True
        if device is not None:
            self._t = self._t.to(_torch_device(device))

    # Shape and type

    @property
    def shape(self) -> tuple[int, ...]:
        """The size of every dimension."""
        return tuple(self._t.shape)

    @property
    def dtype(self) -> mstype.Type:
        """The data type of the elements."""
        return mstype.FROM_TORCH[self._t.dtype]

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return self._t.dim()

    @property
    def size(self) -> int:
        """The number of elements."""
        return self._t.numel()

    @property
    def itemsize(self) -> int:
        """The bytes of one element."""
        return self._t.itemsize

    @property
    def nbytes(self) -> int:
        """The bytes of all elements."""
        return self._t.nbytes

    @property
    def strides(self) -> tuple[int, ...]:
        """The bytes to step in each dimension."""
        return tuple(step * self._t.itemsize for step in self._t.stride())

    @property
    def device(self) -> str:
        """The device that holds the elements, for example `CPU` or `GPU:0`."""
        return devices.describe(self._t.device)

    @property
    def data(self) -> Tensor:
        """A tensor over the same memory, outside any gradient."""
        return wrap(self._t.detach())

    @property
    def torch(self) -> TorchTensor:
        """The torch tensor underneath: the same memory, and the same autograd history."""
        return self._t

    def dim(self) -> int:
        """Return the number of dimensions."""
        return self._t.dim()

    def ndimension(self) -> int:
        """Return the number of dimensions."""
        return self._t.dim()

    def numel(self) -> int:
        """Return the number of elements."""
        return self._t.numel()

    def nelement(self) -> int:
        """Return the number of elements."""
        return self._t.numel()

    def stride(self, dim: int | None = None) -> list[int] | int:
        """Return the elements to step in dimension `dim`, or in each."""
        return list(self._t.stride()) if dim is None else self._t.stride(dim)

    def storage_offset(self) -> int:
        """Return the position of the first element in the storage."""
        return int(self._t.storage_offset())

    def data_ptr(self) -> int:
        """Return the address of the first element."""
        return self._t.data_ptr()

    def is_contiguous(self) -> bool:
        """Tell whether the elements lie in memory in row-major order."""
        return self._t.is_contiguous()

    def is_floating_point(self) -> bool:
        """Tell whether the data type is a floating point type."""
        return self._t.is_floating_point()

    def is_complex(self) -> bool:
        """Tell whether the data type is complex."""
        return self._t.is_complex()

    def is_signed(self) -> bool:
        """Tell whether the data type has negative numbers."""
        return self._t.is_signed()

    # Delayed initialisation

    @property
    def has_init(self) -> bool:
        """Whether an initializer waits for `init_data`."""
        return self.init is not None

    def init_data(self, slice_index: Any = None, shape: Any = None, opt_shard_group: Any = None) -> Tensor:
        """Fill the tensor by its initializer, once, and return it.

        Raises:
            TypeError: the tensor has no initializer, or it was used already.
            NotImplementedError: a slice of a sharded parameter is asked for.
        """
        if slice_index is not None or shape is not None or opt_shard_group is not None:
            raise NotImplementedError("For 'Tensor.init_data', slices for parallel training are not supported.")
        if self.init is None:
            raise TypeError(
                "For 'Tensor.init_data', the tensor has no initializer, or was initialised before: "
                "a tensor made by 'initializer(...)' can be initialised once."
            )
        with torch.no_grad():
            self.init.fill(self._t)
        self.init = None
        return self

    # Conversions

    def asnumpy(self) -> np.ndarray[Any, Any]:
        """Return a NumPy array that shares the memory of a CPU tensor (bfloat16: a float32 copy).

        A tensor with an initializer is initialised first. The gradient does not flow through the array.
        """
        if self.init is not None:
            self.init_data()
        value = self._t.detach().resolve_conj().resolve_neg().cpu()
        return value.float().numpy() if value.dtype is torch.bfloat16 else value.numpy()

    numpy = asnumpy

    def item(self) -> Any:
        """Return the only element as a Python number.

        Raises:
            ValueError: the tensor has more or less than one element.
        """
        if self._t.numel() != 1:
            raise ValueError(f"For 'Tensor.item', the tensor must have one element, but its shape is {self.shape}.")
        return self._t.item()

    def tolist(self) -> Any:
        """Return nested lists of Python numbers; a number for a tensor without dimensions."""
        return self._t.tolist()

    def value(self) -> Tensor:
        """Return the value as a tensor."""
        return wrap(self._t)

    @staticmethod
    def from_numpy(array: np.ndarray[Any, Any]) -> Tensor:
        """Return a tensor that shares the memory of a NumPy array."""
        return from_numpy(array)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        array = self.asnumpy()
        if dtype is not None and array.dtype != dtype:
            return array.astype(dtype)
        return array.copy() if copy else array

    def __dlpack__(self, **options: Any) -> Any:
        return self._t.detach().__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self._t.__dlpack_device__()

    def __bool__(self) -> bool:
        return bool(self._single("bool"))

    def __int__(self) -> int:
        return int(self._single("int"))

    def __float__(self) -> float:
        return float(self._single("float"))

    def __complex__(self) -> complex:
        return complex(self._single("complex"))

    def __index__(self) -> int:
        if self._t.numel() != 1 or self._t.is_floating_point() or self._t.is_complex():
            raise TypeError(
                f"Only an integer tensor of one element can serve as an index, but got shape {self.shape}, "
                f"dtype {self.dtype}. Use int(x) to truncate."
            )
        return int(self._t)

    def _single(self, kind: str) -> TorchTensor:
        if self._t.numel() != 1:
            hint = " Use x.any() or x.all()." if kind == "bool" else ""
            raise ValueError(f"For '{kind}(Tensor)', the tensor must have one element, but its shape is {self.shape}.{hint}")
        return self._t

    # Python protocols

    def __len__(self) -> int:
        if self._t.dim() == 0:
            raise TypeError("For 'len', a tensor without dimensions has no length.")
        return self._t.shape[0]

    def __iter__(self) -> Iterator[Tensor]:
        if self._t.dim() == 0:
            raise TypeError("For 'iter', a tensor without dimensions cannot be iterated over.")
        return iter([wrap(row) for row in self._t.unbind(0)])

    def __getitem__(self, index: Any) -> Tensor:
        result = _new(Tensor)
        result._t = indexing.get(self._t, index)
        return result

    def __setitem__(self, index: Any, value: Any) -> None:
        indexing.put(writable(self), index, value)

    def __contains__(self, element: Any) -> bool:
        return bool((self._t == getattr(element, "_t", element)).any())

    def __hash__(self) -> int:
        return id(self)

    def __repr__(self) -> str:
        if self.init is not None:
            self.init_data()
        return printing.to_repr(self._t)

    def __str__(self) -> str:
        if self.init is not None:
            self.init_data()
        return printing.to_str(self._t)

    def __format__(self, spec: str) -> str:
        return str(self) if not spec else format(self.item(), spec)

    def __copy__(self) -> Tensor:
        return wrap(self._t)

    def __deepcopy__(self, memo: dict[int, Any]) -> Tensor:
        result = wrap(self._t.detach().clone())
        result.__dict__.update(self.__dict__)
        memo[id(self)] = result
        return result

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (*_packed(self._t), self.__dict__)

    def register_hook(self, hook: Callable[[Tensor], Tensor | None]) -> Any:
        """Call `hook(gradient)` when the gradient of this tensor is known; what it returns replaces the gradient.

        The hook works where gradients are taken, inside the function that `grad` differentiates; elsewhere it is kept
        without effect. Returns a handle whose `remove()` takes the hook away.

        Raises:
            TypeError: `hook` is not callable.
        """
        if not callable(hook):
            raise TypeError(f"For 'Tensor.register_hook', 'hook' must be a function, but got {type(hook).__name__}.")
        hooks = self.__dict__.setdefault("_hooks", {})
        handle = HookHandle(hooks)
        hooks[handle] = hook
        if self._t.requires_grad:
            handle.inner = self._t.register_hook(lambda gradient: unwrap_gradient(hook(wrap(gradient)), gradient))
        return handle

    def hooks(self) -> list[Callable[[Tensor], Tensor | None]]:
        """Return the registered hooks."""
        return list(self.__dict__.get("_hooks", {}).values())


class HookHandle:
    """Takes a hook away again: `handle.remove()`."""

    def __init__(self, hooks: dict[Any, Any]) -> None:
        self._hooks = hooks
        self.inner: Any = None

    def remove(self) -> None:
        """Remove the hook; a second call has no effect."""
        self._hooks.pop(self, None)
        if self.inner is not None:
            self.inner.remove()


def wrap(value: TorchTensor) -> Tensor:
    """Return a Tensor around a torch tensor, sharing it."""
    result = _new(Tensor)
    result._t = value
    return result


def unwrap_gradient(gradient: Any, like: TorchTensor) -> TorchTensor | None:
    """Return a user's gradient (a Tensor, a number or None) as a torch tensor of `like`'s shape and dtype."""
    if gradient is None:
        return None
    value = as_torch(gradient, None)
    if value.dtype is not like.dtype:
        value = value.to(like.dtype)
    return value if value.shape == like.shape else value.expand(like.shape)


def is_tensor(obj: Any) -> bool:
    """Tell whether `obj` is a Tensor.

    Examples:
        >>> import torchspore as ms
        >>> ms.is_tensor(ms.Tensor(1.0))
        True
    """
    return isinstance(obj, Tensor)


def tensor(input_data: Any = None, dtype: Any = None, shape: Any = None, init: Any = None, const_arg: bool = False) -> Tensor:
    """Return `Tensor(input_data, dtype, shape, init, const_arg)`.

    Examples:
        >>> import torchspore as ms
        >>> ms.tensor([1.5, 2.5])
        Tensor(shape=[2], dtype=Float32, value= [ 1.50000000e+00,  2.50000000e+00])
    """
    return Tensor(input_data, dtype, shape, init, const_arg)


def from_numpy(array: np.ndarray[Any, Any]) -> Tensor:
    """Return a tensor that shares the memory of a NumPy array (on the CPU; elsewhere a copy).

    Raises:
        TypeError: `array` is not a NumPy array of a type that tensors can have.
    """
    if not isinstance(array, np.ndarray):
        raise TypeError(f"For 'from_numpy', 'array' must be a NumPy array, but got {type(array).__name__}.")
    return wrap(_share_numpy(array).to(devices.current()))


def from_dlpack(external: Any) -> Tensor:
    """Return a tensor that shares the memory of an object or capsule of the DLPack protocol."""
    return wrap(torch.from_dlpack(external))


def as_torch(data: Any, dtype: torch.dtype | None) -> TorchTensor:
    """Return `data` as a torch tensor on the device in use: tensors share, everything else is copied."""
    if isinstance(data, Tensor):
        value = data._t
    elif isinstance(data, TorchTensor):
        value = data
    elif isinstance(data, (np.ndarray, np.generic)):
        value = _share_numpy(np.array(data))
    elif isinstance(data, (bool, int, float, complex)):
        value = _from_numbers(data)
    elif isinstance(data, (list, tuple, range)):
        value = _from_sequence(data)
    else:
        raise TypeError(
            f"For 'Tensor', 'input_data' must be a number, a list or tuple of numbers, a NumPy array or a Tensor, "
            f"but got {type(data).__name__}."
        )
    return value.to(devices.current(), dtype)


def _from_numbers(data: Any) -> TorchTensor:
    # Python's complex is 128 bits wide, and stays so in MindSpore; torch would take its default, complex64.
    array = np.asarray(data)
    if array.dtype == np.complex128:
        return torch.from_numpy(array)
    return torch.tensor(data, dtype=torch.float32) if array.dtype == np.float64 else torch.tensor(data)


def _from_sequence(data: Any) -> TorchTensor:
    first = data
    while isinstance(first, (list, tuple)) and first:
        first = first[0]
    if isinstance(first, (Tensor, TorchTensor)):
        return torch.stack([as_torch(element, None) for element in data])
    try:
        if isinstance(first, (np.ndarray, np.generic)):
            return _share_numpy(np.array(data))
        return _from_numbers(data) if len(data) else torch.empty(0)
    except (ValueError, TypeError, RuntimeError, OverflowError) as error:
        raise TypeError(
            f"For 'Tensor', 'input_data' must be numbers in nested lists of equal lengths, but got {data!r:.200}."
        ) from error


def _share_numpy(array: np.ndarray[Any, Any]) -> TorchTensor:
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    if not array.flags.writeable or any(step < 0 for step in array.strides):
        array = array.copy()  # torch has neither read-only memory nor negative strides
    try:
        return torch.from_numpy(array)
    except TypeError:
        raise TypeError(
            f"For 'Tensor', a NumPy array must hold numbers or bools, but got dtype {array.dtype}."
        ) from None


def as_shape(shape: Any, api: str) -> tuple[int, ...]:
    """Return a shape given as an int, a list or tuple of ints, or a Tensor.

    Raises:
        TypeError: something else, or a dimension that is not an int.
        ValueError: a negative dimension.
    """
    try:
        sizes = (operator.index(shape),)
    except TypeError:
        try:
            sizes = tuple(operator.index(size) for size in shape)
        except TypeError:
            raise TypeError(f"For '{api}', 'shape' must be an int or a tuple of ints, but got {shape!r}.") from None
    if any(size < 0 for size in sizes):
        raise ValueError(f"For '{api}', every dimension of 'shape' must be >= 0, but got {sizes}.")
    return sizes


def _zeros(shape: Any, dtype: torch.dtype | None, init: Initializer | None) -> TorchTensor:
    if shape is None or dtype is None:
        raise TypeError(
            "For 'Tensor', give 'input_data' (a number, a list or tuple of numbers, a NumPy array or a Tensor), "
            "or 'shape' and 'dtype', but got None."
        )
    if init is not None and not hasattr(init, "fill"):
        raise TypeError(f"For 'Tensor', 'init' must be an Initializer, but got {type(init).__name__}.")
    return torch.zeros(as_shape(shape, "Tensor"), dtype=dtype, device=devices.current())


def _torch_device(name: str) -> torch.device:
    return devices.parse(name, "Tensor")


_BITS = {1: torch.int8, 2: torch.int16}  # same-sized integers carry the types that NumPy lacks


def _packed(value: TorchTensor) -> tuple[Any, mstype.Type]:
    value = value.detach().cpu().contiguous()
    named = mstype.FROM_TORCH[value.dtype]
    return (value.numpy() if named.numpy is not None else value.view(_BITS[value.itemsize]).numpy()), named


def _unpacked(array: np.ndarray[Any, Any], dtype: mstype.Type) -> TorchTensor:
    value = torch.from_numpy(np.array(array))
    return (value if dtype.numpy is not None else value.view(dtype.torch)).to(devices.current())


def _rebuild(array: np.ndarray[Any, Any], dtype: mstype.Type, attributes: dict[str, Any]) -> Tensor:
    result = wrap(_unpacked(array, dtype))
    result.__dict__.update(attributes)
    return result
