"""Tensor: one torch tensor behind MindSpore's attributes, constructors and conversions.

The operations (`x.reshape`, `x + y`, ...) are added to the class by the `op` decorator where each is defined.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, Protocol

import numpy as np
import torch
from torch import Tensor as TorchTensor

from torchspore.common import change_count, indexing, mode, weights
from torchspore.common import device as devices
from torchspore.common import dtype as mstype
from torchspore.common.conversion import (
    as_shape,
    as_torch,
    converted,
    from_bytes,
    packed,
    readable,
    share_numpy,
    unpacked,
)
from torchspore.common.error_classes import WrongType, WrongValue, also
from torchspore.common.foreign_calls import numpy_functions, torch_functions
from torchspore.common.hook_handle import HookHandle, unwrap_gradient
from torchspore.common.names import class_modules, torch_habits
from torchspore.common.names.earlier_names import EarlierMethod
from torchspore.common.np_dtype import bfloat16_type
from torchspore.common.operations import Operations
from torchspore.common.scopes.scope import concrete, number, replace_value, scope, writable
from torchspore.common.showing import printing

__all__ = ["Tensor", "from_dlpack", "from_numpy", "is_tensor", "tensor", "to_dlpack"]

_new = object.__new__


class Filler(Protocol):
    """What makes the values of a tensor: an `Initializer`."""

    def fill(self, tensor: TorchTensor) -> None:
        """Fill a torch tensor in place."""


class _TensorMeta(type):
    """What packages extend for classes of tensors; Tensor itself is a plain class: `isinstance` is faster."""


class Tensor(Operations):
    """A multi-dimensional array of one data type, on the device in use.

    Args:
        input_data: numbers, nested lists or tuples of them, a NumPy array (copied), a Tensor or a torch tensor (both
            share their memory with the new one). Python ints become int64, floats float32, complex numbers complex128.
            Without it and `shape` the tensor has no elements: it describes an input of any shape.
        dtype: the data type, default: the type of `input_data`.
        shape: with `init`, the shape of a tensor that `init_data` fills; without it, of zeros.
        init: an `Initializer`, its name or a number, which makes the values when `init_data` is called (zeros until
            then).
        const_arg: mark the tensor as a constant for graph compilation; kept as an attribute.
        device: "CPU", "GPU", "Ascend", or "meta" for a shape without memory; default: the device in use.

    Raises:
        TypeError: `input_data` or `dtype` is of a type that is not listed above, or nested lists have unequal lengths.
        ValueError: `input_data` is given together with `shape` or `init`.
        RuntimeError: this machine has no such device.

    Examples:
        >>> import torchspore as ms
        >>> ms.Tensor([[1, 2], [3, 4]], ms.float32)
        Tensor(shape=[2, 2], dtype=Float32, value=
        [[ 1.00000000e+00,  2.00000000e+00],
         [ 3.00000000e+00,  4.00000000e+00]])
    """

    __slots__ = ("__dict__", "__weakref__", "_t")

    _t: TorchTensor

    init: Filler | None = None
    const_arg = False

    # Returns the initializer of a name or number. Set by `initializer`, which imports this module.
    _filler: ClassVar[Callable[[Any], Filler]]
    # Makes the tensor one without elements if the shape is open. Set by `open_shape`, which imports this module.
    _opened: ClassVar[Callable[[Tensor, Any, Any], bool]]
    _of_strings: ClassVar[type[Tensor]]  # set by `string_tensor`, likewise

    def __init__(
        self,
        input_data: Any = None,
        dtype: Any = None,
        shape: Any = None,
        init: Filler | str | float | None = None,
        const_arg: bool = False,
        device: str | None = None,
    ) -> None:
        if not isinstance(const_arg, bool):
            raise TypeError(f"For 'Tensor', 'const_arg' must be a bool, but got {type(const_arg).__name__}.")
        if input_data.__class__ is self._of_strings:
            input_data = input_data.asnumpy()
        if input_data.__class__ is np.ndarray and input_data.dtype.kind in "US" and type(self) is Tensor:
            self.__class__ = self._of_strings
            self.__init__(input_data, dtype)  # type: ignore[misc]
            return
        torch_dtype = None if dtype is None else mstype.to_torch(dtype, "Tensor")
        place = None if device is None else devices.parse(device, "Tensor")
        if input_data is None and init is None and dtype is not None and self._opened(shape, dtype):
            return
        filler = Tensor._filler(init) if isinstance(init, (str, int, float)) else init
        if input_data is None:
            self._t = _zeros(shape, torch_dtype, filler, place)
        elif shape is not None or init is not None:
            raise ValueError("For 'Tensor', give 'input_data' alone, or 'shape' and 'dtype' with or without 'init'.")
        else:
            self._t = as_torch(input_data, torch_dtype, place)
        if filler is not None:
            self.init = filler
        if const_arg:
            self.const_arg = True

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
        """The strides of the dimensions in bytes, of a contiguous tensor of this shape; `stride()` has a view's own."""
        sizes = self._t.shape
        return tuple(math.prod(sizes[axis + 1 :]) * self._t.itemsize for axis in range(len(sizes)))

    @property
    def device(self) -> str:
        """The device that holds the elements, for example `CPU` or `GPU:0`."""
        return devices.describe(self._t.device)

    @property
    def data(self) -> Tensor:
        """A tensor over the same memory, outside any gradient. Assigned, it takes over another tensor's memory."""
        return wrap(self._t.detach())

    @data.setter
    def data(self, value: Tensor) -> None:
        self._take_over(value)

    def _take_over(self, value: Tensor) -> None:
        """Share the memory of another tensor. Subclasses of packages have a `data` of their own."""
        if not isinstance(value, Tensor):
            raise TypeError(f"For 'Tensor.data', the new value must be a Tensor, but got {type(value).__name__}.")
        if self.init is not value.init:
            self.init = value.init
        if scope.depth:
            replace_value(self, value._t)
        else:
            self._hold(value._t.detach())

    def _hold(self, value: TorchTensor) -> None:
        self._t = value

    @property
    def torch(self) -> TorchTensor:
        """The torch tensor underneath: the same memory, and the same autograd history.

        Examples:
            >>> import torchspore as ms
            >>> ms.Tensor([1.0, 2.0]).torch
            tensor([1., 2.])
        """
        return self._t

    def dim(self) -> int:
        """Return the number of dimensions."""
        return self._t.dim()

    ndimension = dim

    def numel(self) -> int:
        """Return the number of elements."""
        return self._t.numel()

    nelement = numel

    def stride(self, dim: int | None = None) -> list[int] | int:
        """Return the stride of dimension `dim`, or of each, in elements."""
        try:
            return list(self._t.stride()) if dim is None else self._t.stride(dim)
        except (IndexError, TypeError) as error:
            raise type(error)(f"For 'Tensor.stride', {error}.") from None

    def storage_offset(self) -> int:
        """Return the position of the first element in the storage."""
        return int(self._t.storage_offset())

    def data_ptr(self) -> int:
        """Return the address of the first element."""
        return self._t.data_ptr()

    def is_contiguous(self) -> bool:
        """Return whether the elements are contiguous in row-major order."""
        return self._t.is_contiguous()

    def is_floating_point(self) -> bool:
        """Return whether the data type is a floating point type."""
        return self._t.is_floating_point()

    def is_complex(self) -> bool:
        """Return whether the data type is complex."""
        return self._t.is_complex()

    def is_signed(self) -> bool:
        """Return whether the data type has negative numbers."""
        return self._t.is_signed()

    def is_pinned(self) -> bool:
        """Return whether the elements are in page-locked memory, from which copies to a GPU can be asynchronous."""
        return self._t.is_pinned()

    def set_const_arg(self, const_arg: bool = True) -> Tensor:
        """Mark the tensor as a constant for graph compilation, or not, and return it."""
        if not isinstance(const_arg, bool):
            raise TypeError(
                f"For 'Tensor.set_const_arg', 'const_arg' must be a bool, but got {type(const_arg).__name__}."
            )
        self.const_arg = const_arg
        return self

    # Delayed initialisation

    @property
    def has_init(self) -> bool:
        """Whether an initializer waits for `init_data`."""
        return self.init is not None

    def init_data(self, slice_index: Any = None, shape: Any = None, opt_shard_group: Any = None) -> Tensor:
        """Fill the tensor with its initializer, once, and return it.

        Args:
            slice_index: the number of the part of the tensor that a process has, an int. Default: None.
            shape: the shape of that part, which the tensor gets; its values are drawn for it alone. Default: None.
            opt_shard_group: the group of processes that have parts of it, a string. Default: None.

        Raises:
            TypeError: the tensor has no initializer, or it was used already.

        Examples:
            >>> import torchspore as ms
            >>> from torchspore.common.initializer import initializer
            >>> print(initializer("ones", [2, 3], ms.float32).init_data())
            [[1. 1. 1.]
             [1. 1. 1.]]
        """
        for name, value, kind in (("slice_index", slice_index, int), ("opt_shard_group", opt_shard_group, str)):
            if value is not None and not isinstance(value, kind):
                raise TypeError(f"For 'Tensor.init_data', '{name}' must be of type {kind.__name__}, but got {value!r}.")
        if self.init is None:
            raise TypeError(
                "For 'Tensor.init_data', the tensor has no initializer, or was initialised before: "
                "a tensor made by 'initializer(...)' can be initialised once."
            )
        if shape is not None:
            self._t = self._t.new_empty(tuple(shape))
        with torch.no_grad():
            self.init.fill(self._t)
        self.init = None
        return self

    # Conversions

    def asnumpy(self) -> np.ndarray[Any, Any]:
        """Return a NumPy array that shares the memory of a CPU tensor (float8: a float32 copy; bfloat16 too, unless
        the package ml_dtypes is installed, which has NumPy's bfloat16).

        A tensor with an initializer is initialised first. The gradient does not flow through the array.
        """
        if self.init is not None:
            self.init_data()
        value = devices.read(torch.Tensor.cpu, concrete(self).detach().resolve_conj().resolve_neg(), "asnumpy")
        if self.dtype.numpy is not None:
            return value.numpy()
        kind = bfloat16_type() if value.dtype is torch.bfloat16 else None
        return converted(value, torch.float32).numpy() if kind is None else value.view(torch.int16).numpy().view(kind)

    numpy = asnumpy

    def item(self) -> Any:
        """Return the only element as a Python number.

        Raises:
            ValueError: the tensor has more or less than one element.
        """
        if self._t.numel() != 1:
            raise WrongValue(f"For 'Tensor.item', the tensor must have one element, but its shape is {self.shape}.")
        dtype = self._t.dtype
        if scope.tracing is None or dtype.is_floating_point or dtype.is_complex:
            return devices.read(torch.Tensor.item, readable(concrete(self)), "item")
        return number(self, bool if dtype is torch.bool else int)

    def tolist(self) -> Any:
        """Return nested lists of Python numbers; a number for a tensor without dimensions."""
        return readable(concrete(self)).tolist()

    def value(self) -> Tensor:
        """Return the value as a tensor."""
        return wrap(self._t)

    def assign_value(self, value: Tensor) -> Tensor:
        """Share the memory, the shape and the data type of `value`, and return the tensor.

        An initializer's `value` is initialised now: operations on the tensor need its values.
        """
        if isinstance(value, Tensor) and value.init is not None:
            value.init_data()
        self._take_over(value)
        return self

    def set_dtype(self, dtype: Any) -> mstype.Type:
        """Convert the tensor itself to a data type, which is returned.

        Examples:
            >>> import torchspore as ms
            >>> x = ms.Tensor([1.5, 2.5])
            >>> x.set_dtype(ms.int32)
            torchspore.int32
            >>> print(x)
            [1 2]
        """
        self._take_over(wrap(converted(self._t, mstype.to_torch(dtype, "Tensor.set_dtype"))))
        return self.dtype

    def move_to(self, to: str, blocking: bool = True) -> Tensor:
        """Return the tensor on a device; a tensor that is already there shares its memory.

        Args:
            to: "CPU", "GPU" or "Ascend".
            blocking: whether to wait for the copy. Default: True.

        Raises:
            ValueError: there is no device of that name.
            RuntimeError: this machine has no such device.
        """
        if not isinstance(blocking, bool):
            raise also(ValueError, TypeError)(f"For 'Tensor.move_to', 'blocking' must be a bool, but got {blocking!r}.")
        return wrap(self._t.to(devices.parse(to, "Tensor.move_to"), non_blocking=not blocking))

    def get_bytes(self) -> bytes:
        """Return the elements as bytes, in row-major order."""
        return packed(self._t)[0].tobytes()

    @staticmethod
    def convert_bytes_to_tensor(bytes_data: bytes, dims: Any, tensor_type: mstype.Type) -> Tensor:
        """Return the tensor of shape `dims` and data type `tensor_type` whose `get_bytes()` is `bytes_data`.

        Raises:
            ValueError: such a tensor has another number of bytes.

        Examples:
            >>> import torchspore as ms
            >>> ms.Tensor.convert_bytes_to_tensor(ms.Tensor([1, 2], ms.int8).get_bytes(), (2,), ms.int8)
            Tensor(shape=[2], dtype=Int8, value= [1, 2])
        """
        return wrap(from_bytes(bytes_data, dims, tensor_type, "Tensor.convert_bytes_to_tensor"))

    @staticmethod
    def from_numpy(array: np.ndarray[Any, Any]) -> Tensor:
        """Return a tensor that shares the memory of a NumPy array."""
        return from_numpy(array)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        array = self.asnumpy()
        converts = dtype is not None and array.dtype != dtype
        if copy is False and (converts or self.dtype.numpy is None or self._t.device.type != "cpu"):
            raise ValueError(
                f"For 'Tensor', copy=False is not possible: a NumPy array {'' if dtype is None else f'of {dtype} '}"
                f"of a tensor of dtype {self.dtype} on {self.device} does not share its memory."
            )
        if converts:
            return array.astype(dtype)
        return array.copy() if copy else array

    def __array_ufunc__(self, function: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        return numpy_functions.call(function, method, inputs, options)

    @classmethod
    def __torch_function__(cls, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return torch_functions.call(function, args, kwargs or {}, wrap)

    def __dlpack__(self, **options: Any) -> Any:
        return self._t.detach().__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self._t.__dlpack_device__()

    def __bool__(self) -> bool:
        return self._number(bool)

    def __int__(self) -> int:
        return self._number(int)

    def __float__(self) -> float:
        return self._number(float)

    def __complex__(self) -> complex:
        return self._number(complex)

    def __index__(self) -> int:
        if self._t.numel() != 1 or self._t.is_floating_point() or self._t.is_complex():
            raise WrongType(
                f"For 'Tensor', only an integer tensor of one element can serve as an index, but its shape is "
                f"{self.shape} and its dtype {self.dtype}. Use int(x) to truncate."
            )
        return number(self, int)

    def _number(self, kind: type) -> Any:
        if self._t.numel() != 1:
            hint = " Use x.any() or x.all()." if kind is bool else ""
            raise ValueError(
                f"For '{kind.__name__}(Tensor)', the tensor must have one element, but its shape is {self.shape}.{hint}"
            )
        if kind in (int, float) and self._t.is_complex():
            raise TypeError(f"For '{kind.__name__}(Tensor)', the tensor must be real, but its dtype is {self.dtype}.")
        return number(self, kind)

    # Python protocols

    def __len__(self) -> int:
        if self._t.dim() == 0:
            raise TypeError("For 'len', a tensor without dimensions has no length.")
        return self._t.shape[0]

    def __iter__(self) -> Iterator[Tensor]:
        if self._t.dim() == 0:
            raise TypeError("For 'iter', a tensor without dimensions cannot be iterated over.")
        if self._t.requires_grad:  # torch refuses to differentiate rows of `unbind` after a write to the tensor
            return iter([wrap(self._t.select(0, i)) for i in range(self._t.shape[0])])
        return iter([wrap(row) for row in self._t.unbind(0)])

    def __getitem__(self, index: Any) -> Tensor:
        result = _new(Tensor)
        result._t = indexing.get(self._t, index)
        return result

    def __setitem__(self, index: Any, value: Any) -> None:
        indexing.put(writable(self), index, value)

    def __init_subclass__(cls, **named: Any) -> None:
        """Let the tensors of a package's own subclass become weights by setting `requires_grad`."""
        super().__init_subclass__(**named)
        if not hasattr(cls, "requires_grad"):
            flag = weights.TrainedFlag()
            flag.__set_name__(cls, "requires_grad")
            cls.requires_grad = flag  # type: ignore[attr-defined]
            cls.grad = None  # type: ignore[attr-defined]  # where older versions' optimizers look for the gradient

    def __contains__(self, element: Any) -> bool:
        equal = self == element  # a bool, compared with what is neither a tensor nor numbers
        return bool(wrap(equal._t.any()) if isinstance(equal, Tensor) else equal)

    def __hash__(self) -> int:
        return id(self)

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if name not in torch_habits.TENSOR or hasattr(self, name)]

    def __repr__(self) -> str:
        if self.init is not None:
            self.init_data()
        return printing.to_repr(self._t)

    def __str__(self) -> str:
        if self.init is not None:
            self.init_data()
        return printing.to_str(self._t)

    def _repr_html_(self) -> str:
        from torchspore.common.showing.tensor_markup import tensor_page  # only notebooks ask

        return tensor_page(self)

    def _shown_values(self) -> Any:
        """Return what holds the values; None if they do not exist, as while they are recorded."""
        has_none = self.init is not None or scope.tracing is not None or self._t.is_meta
        return None if has_none else self._t.detach()

    def __format__(self, spec: str) -> str:
        if not spec:
            return str(self)
        if self._t.numel() != 1:
            raise TypeError(
                f"For 'format', only a tensor of one element takes a format such as {spec!r}, "
                f"but its shape is {self.shape}. Format x.asnumpy() or single elements."
            )
        if self.init is not None:
            self.init_data()
        return format(self.item(), spec)

    def _attributes(self) -> dict[str, Any]:
        """Return the attributes that a copy has too: all but the hooks, and the torch tensor over the same memory."""
        return {name: value for name, value in self.__dict__.items() if name not in ("_hooks", "_storage", "twin")}

    def __copy__(self) -> Tensor:
        return _rebuilt(self.__class__, _copied(self._t), self._attributes())

    def __deepcopy__(self, memo: dict[int, Any]) -> Tensor:
        memo[id(self)] = result = _rebuilt(self.__class__, _copied(self._t), {})
        result.__dict__.update(copy.deepcopy(self._attributes(), memo))
        weights.note(result)
        return result

    def __reduce__(self) -> tuple[Any, ...]:
        if class_modules.is_shown(self.__class__):
            return (*self._made_in_either(attributes := self._attributes()), attributes or None)
        return _unpickle, (self.__class__, *packed(self._t), self._attributes())

    def _made_in_either(self, attributes: dict[str, Any]) -> tuple[Any, ...]:
        """Return how a pickle makes the tensor in either package; take out the attributes that this sets."""
        array, dtype = packed(self._t)
        args = (array,) if dtype.numpy is not None else (readable(self._t.detach()).float().cpu().numpy(), dtype)
        return class_modules.made_in_either("Tensor", *args)

    def register_hook(self, hook: Callable[[Tensor], Tensor | None]) -> Any:
        """Call `hook(gradient)` when the gradient of this tensor is computed; a result replaces the gradient.

        The hook is called inside functions that `grad` differentiates; elsewhere it has no effect. Returns a handle
        whose `remove()` removes the hook.

        Examples:
            >>> import torchspore as ms
            >>> def function(x):
            ...     y = x * 2
            ...     y.register_hook(lambda gradient: gradient * 10)
            ...     return y.sum()
            >>> print(ms.grad(function)(ms.Tensor([1.0, 2.0])))
            [20. 20.]
        """
        if not callable(hook):
            raise TypeError(f"For 'Tensor.register_hook', 'hook' must be a function, but got {type(hook).__name__}.")
        hooks = self.__dict__.setdefault("_hooks", {})
        handle = HookHandle(hooks)
        hooks[handle] = hook
        change_count.increase()
        if self._t.requires_grad or (scope.integers is not None and scope.integers.real(self._t) is not None):
            handle.inner = self._t.register_hook(lambda gradient: unwrap_gradient(hook(wrap(gradient)), gradient))
        return handle

    def hooks(self) -> list[Callable[[Tensor], Tensor | None]]:
        """Return the registered hooks."""
        return list(self.__dict__.get("_hooks", {}).values())


for _name, _hint in torch_habits.TENSOR.items():
    setattr(Tensor, _name, torch_habits.MissingMember("Tensor", _name, _hint))
setattr(Tensor, "to_tensor", EarlierMethod("Tensor", "to_tensor"))  # noqa: B010 - type checkers shall not see it


def wrap(value: TorchTensor) -> Tensor:
    """Return a Tensor around a torch tensor, sharing it."""
    result = _new(Tensor)
    result._t = value
    return result


def is_tensor(obj: Any) -> bool:
    """Return whether `obj` is a Tensor.

    Examples:
        >>> import torchspore as ms
        >>> ms.is_tensor(ms.Tensor(1.0))
        True
    """
    return isinstance(obj, Tensor)


def tensor(
    input_data: Any = None,
    dtype: Any = None,
    shape: Any = None,
    init: Any = None,
    const_arg: bool = False,
    device: str | None = None,
) -> Tensor:
    """Return `Tensor(input_data, dtype, shape, init, const_arg, device)`.

    Examples:
        >>> import torchspore as ms
        >>> ms.tensor([1.5, 2.5])
        Tensor(shape=[2], dtype=Float32, value= [ 1.50000000e+00,  2.50000000e+00])
    """
    return Tensor(input_data, dtype, shape, init, const_arg, device)


def from_numpy(array: np.ndarray[Any, Any]) -> Tensor:
    """Return a tensor that shares the memory of a NumPy array (on the CPU; elsewhere a copy).

    Examples:
        >>> import numpy as np
        >>> import torchspore as ms
        >>> array = np.zeros(2, np.float32)
        >>> x = ms.from_numpy(array)
        >>> array[0] = 5
        >>> print(x)
        [5. 0.]
    """
    if not isinstance(array, np.ndarray):
        raise TypeError(f"For 'from_numpy', 'array' must be a NumPy array, but got {type(array).__name__}.")
    return wrap(printing.print_as_array(share_numpy(array).to(devices.current())))


def from_dlpack(external: Any) -> Tensor:
    """Return a tensor that shares the memory of an object or capsule of the DLPack protocol.

    Examples:
        >>> import numpy as np
        >>> import torchspore as ms
        >>> print(ms.from_dlpack(np.array([1, 2])))
        [1 2]
    """
    if not hasattr(external, "__dlpack__") and type(external).__name__ != "PyCapsule":
        raise TypeError(
            f"For 'from_dlpack', 'external' must have '__dlpack__' or be a capsule, but got {type(external).__name__}."
        )
    return wrap(torch.utils.dlpack.from_dlpack(external))


def to_dlpack(tensor: Tensor) -> Any:
    """Return a DLPack capsule over the tensor's memory, to be consumed once.

    Examples:
        >>> from torchspore.common.tensor import Tensor, from_dlpack, to_dlpack
        >>> print(from_dlpack(to_dlpack(Tensor([1, 2]))))
        [1 2]
    """
    if not isinstance(tensor, Tensor):
        raise TypeError(f"For 'to_dlpack', 'tensor' must be a Tensor, but got {type(tensor).__name__}.")
    return tensor.__dlpack__()


def _zeros(shape: Any, dtype: torch.dtype | None, init: Filler | None, device: torch.device | None) -> TorchTensor:
    if init is not None and not hasattr(init, "fill"):
        raise TypeError(
            f"For 'Tensor', 'init' must be an Initializer, its name or a number, but got {type(init).__name__}."
        )
    if shape is None or dtype is None:
        raise WrongType(
            "For 'Tensor', give 'input_data' (a number, a list or tuple of numbers, a NumPy array or a Tensor), "
            "or 'shape' and 'dtype', but got None."
        )
    return torch.zeros(as_shape(shape, "Tensor"), dtype=dtype, device=device or devices.current())


def _rebuilt(kind: type[Tensor], value: TorchTensor, attributes: dict[str, Any]) -> Tensor:
    result = _new(kind)
    result.__dict__.update(attributes)
    weights.note(result)
    result._hold(value)
    return result


def _copied(value: TorchTensor) -> TorchTensor:
    is_held = mode.reader is not None and mode.reader.holds(value)
    return mode.reader.copy(value) if is_held else value.detach().clone()


def _unpickle(
    kind: type[Tensor], array: np.ndarray[Any, Any], dtype: mstype.Type, attributes: dict[str, Any]
) -> Tensor:
    return _rebuilt(kind, unpacked(array, dtype), attributes)
