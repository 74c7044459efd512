"""The data types: MindSpore's names, each bound to its torch and NumPy counterpart."""

from __future__ import annotations

import builtins
from typing import Any, TypeVar

import numpy as np
import torch

from torchspore.common.error_classes import WrongType, also
from torchspore.common.names import class_modules
from torchspore.common.names.missing_names import suggest_names as _suggest_names
from torchspore.common.np_dtype import bfloat16_type

__all__ = [
    "TensorType", "Type", "all_types", "bfloat16", "bool", "bool_", "byte", "cdouble", "cfloat", "complex64",
    "complex128", "complex_type", "double", "dtype_to_nptype", "dtype_to_pytype", "float", "float8_e4m3fn",
    "float8_e5m2", "float16", "float32", "float64", "float_", "float_type", "function", "get_py_obj_dtype", "half",
    "hifloat8", "int", "int8", "int16", "int32", "int64", "int_", "int_type", "intc", "intp", "list_", "long", "number",
    "number_type", "pytype_to_dtype", "qint4x2", "short", "signed_type", "single", "string", "tensor_type", "tuple_",
    "type_none", "type_size_in_bytes", "type_type", "ubyte", "uint", "uint8", "uint16", "uint32", "uint64", "uint_type",
    "uintc", "uintp", "ushort",
]  # fmt: skip


class Type:
    """A data type such as `float32`: compares and hashes by identity, prints by name.

    `str(float32)` is `Float32`, the name that printed tensors carry; `repr(float32)` is `torchspore.float32`.
    `torch` is the matching `torch.dtype`, or None for types that tensors cannot have.

    Examples:
        >>> import torchspore as ms
        >>> type(ms.float16).__name__, ms.float16.itemsize, ms.float16.is_floating_point
        ('Float', 2, True)
    """

    __slots__ = ("name", "numpy", "title", "torch")

    def __init__(self, name: str, title: str, torch_dtype: torch.dtype | None = None) -> None:
        self.name = name
        self.title = title
        self.torch = torch_dtype
        self.numpy = _numpy_of(torch_dtype)

    @property
    def itemsize(self) -> builtins.int:
        """The number of bytes of an element."""
        return type_size_in_bytes(self)

    @property
    def is_floating_point(self) -> builtins.bool:
        """Whether it is a floating-point type."""
        return self in float_type

    @property
    def is_complex(self) -> builtins.bool:
        """Whether it is a type of complex numbers."""
        return self in complex_type

    @property
    def is_signed(self) -> builtins.bool:
        """Whether it has negative numbers."""
        return self in signed_type

    def to_real(self) -> Type:
        """Return the type of the real part.

        Raises:
            TypeError: it is not a type of numbers that tensors can have.

        Examples:
            >>> import torchspore as ms
            >>> ms.complex64.to_real(), ms.int8.to_real()
            (torchspore.float32, torchspore.int8)
        """
        if self.torch is None:
            raise TypeError(f"For 'to_real', the type must be one of numbers in tensors, but it is {self.name}.")
        return FROM_TORCH[self.torch.to_real()] if self.torch.is_complex else self

    def to_complex(self) -> Type:
        """Return the complex type whose parts have this type; complex64 for bfloat16, too.

        Raises:
            TypeError: no complex type has parts of this type.

        Examples:
            >>> import torchspore as ms
            >>> ms.float32.to_complex(), ms.float64.to_complex()
            (torchspore.complex64, torchspore.complex128)
        """
        wide = {torch.float32: complex64, torch.bfloat16: complex64, torch.float64: complex128}
        found = self if self.is_complex else wide.get(self.torch) if self.torch else None
        if found is None:
            raise TypeError(f"For 'to_complex', no complex type has parts of {self.name}: use float32 or float64.")
        return found

    def __repr__(self) -> str:
        return f"{type(self).__module__.partition('.')[0]}.{self.name}"

    def __str__(self) -> str:
        return self.title

    def __reduce__(self) -> tuple[Any, ...]:
        if class_modules.is_shown(type(self)):
            return class_modules.found_in_either(f"common.dtype.{_PLACES[self.name]}")
        return _by_name, (self.name,)

    def __copy__(self) -> Type:
        return self

    def __deepcopy__(self, memo: dict[Any, Any]) -> Type:
        return self


_T = TypeVar("_T")


class _Kind(type):
    """The class of kinds of types.

    Called with a number of bits, a kind is the type of that size, `Int(32)`; without, the type of all sizes, `Int()`.
    """

    def __call__(cls: builtins.type[_T], *arguments: Any) -> _T:
        if not arguments:
            for found in _NAMED:
                if type(found) is cls and found.name.strip("_").isalpha():
                    return found
        if len(arguments) != 1 or not isinstance(arguments[0], builtins.int):
            return super().__call__(*arguments)  # type: ignore[misc]
        for found in all_types:
            if type(found) is cls and found.name == f"{cls.__name__.lower()}{arguments[0]}":
                return found
        raise TypeError(f"For '{cls.__name__}', there is no data type of {arguments[0]} bits.")


class Number(Type, metaclass=_Kind):
    """The type of numbers; each kind of them is a class of its own: `isinstance(float16, Float)`."""

    __slots__ = ()


class Bool(Number):
    """The type of bools."""

    __slots__ = ()


class Int(Number):
    """A type of ints with a sign."""

    __slots__ = ()


class UInt(Number):
    """A type of ints without a sign."""

    __slots__ = ()


class Float(Number):
    """A type of floats, except for `bfloat16`."""

    __slots__ = ()


class BFloat(Number):
    """The type `bfloat16`."""

    __slots__ = ()


class Complex(Number):
    """A type of complex numbers."""

    __slots__ = ()


class String(Type, metaclass=_Kind):
    """The type of strings."""

    __slots__ = ()


class List(Type, metaclass=_Kind):
    """The type of lists."""

    __slots__ = ()


class Tuple(Type, metaclass=_Kind):
    """The type of tuples."""

    __slots__ = ()


class Function(Type, metaclass=_Kind):
    """The type of functions."""

    __slots__ = ()


class TensorType(Type):
    """The type of a tensor with a given element type, as in annotations and signatures; equal for equal elements.

    Examples:
        >>> import torchspore as ms
        >>> ms.TensorType(ms.float32), ms.TensorType(ms.float32) == ms.get_py_obj_dtype(ms.Tensor([1.0]))
        (torchspore.tensor[float32], True)
    """

    __slots__ = ("element",)

    def __init__(self, element: Type | None = None) -> None:
        if element is not None and not isinstance(element, Type):
            raise TypeError(f"For 'TensorType', 'element' must be a data type, but got {element.__class__.__name__}.")
        of = f"[{element.name}]" if element else ""
        super().__init__(f"tensor{of}", f"Tensor[{element}]" if element else "Tensor")
        self.element = element

    def element_type(self) -> Type | None:
        """Return the element type."""
        return self.element

    def __eq__(self, other: object) -> builtins.bool:
        return isinstance(other, TensorType) and other.element is self.element

    def __hash__(self) -> builtins.int:
        return hash((TensorType, self.element))

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return TensorType, (self.element,)


def _numpy_of(torch_dtype: torch.dtype | None) -> np.dtype[Any] | None:
    try:
        return None if torch_dtype is None else torch.empty(0, dtype=torch_dtype).numpy().dtype
    except TypeError:  # bfloat16 and the float8 types: NumPy has no such type
        return None


def _by_name(name: str) -> Type:
    return next(t for t in _NAMED if t.name == name)


bool_ = Bool("bool", "Bool", torch.bool)
int8 = byte = Int("int8", "Int8", torch.int8)
int16 = short = Int("int16", "Int16", torch.int16)
int32 = intc = Int("int32", "Int32", torch.int32)
int64 = intp = long = Int("int64", "Int64", torch.int64)
uint8 = ubyte = UInt("uint8", "UInt8", torch.uint8)
uint16 = ushort = UInt("uint16", "UInt16", torch.uint16)
uint32 = uintc = UInt("uint32", "UInt32", torch.uint32)
uint64 = uintp = UInt("uint64", "UInt64", torch.uint64)
float16 = half = Float("float16", "Float16", torch.float16)
float32 = single = Float("float32", "Float32", torch.float32)
float64 = double = Float("float64", "Float64", torch.float64)
bfloat16 = BFloat("bfloat16", "BFloat16", torch.bfloat16)
float8_e4m3fn = Float("float8_e4m3fn", "Float8E4M3FN", torch.float8_e4m3fn)
float8_e5m2 = Float("float8_e5m2", "Float8E5M2", torch.float8_e5m2)
complex64 = cfloat = Complex("complex64", "Complex64", torch.complex64)
complex128 = cdouble = Complex("complex128", "Complex128", torch.complex128)

hifloat8 = Float("hifloat8", "HiFloat8", torch.bits8)  # of Ascend cards: tensors hold its codes, without arithmetic
qint4x2 = Int("int4", "Int4")

int_ = Int("int", "Int")
uint = UInt("uint", "UInt")
float_ = Float("float", "Float")
number = Number("number", "Number")
string = String("string_", "String")
list_ = List("list_", "List")
tuple_ = Tuple("tuple_", "Tuple")
type_none = Type("type_none", "None")
type_type = Type("type_type", "TypeType")
function = Function("function", "Func")
tensor_type = TensorType()

int_type = (int8, int16, int32, int64)
uint_type = (uint8, uint16, uint32, uint64)
float_type = (float16, float32, float64, bfloat16, float8_e4m3fn, float8_e5m2, hifloat8)
complex_type = (complex64, complex128)
number_type = (*int_type, *uint_type, *float_type[:4], *complex_type, qint4x2, *float_type[4:])
signed_type = tuple(t for t in number_type if t not in uint_type)
all_types = (bool_, *number_type)

_NAMED = (
    *all_types, int_, uint, float_, number, string, list_, tuple_, type_none, type_type, function, tensor_type,
)  # fmt: skip

# The names in this module, by the names of the types.
_PLACES = {t.name: key for key, t in list(globals().items()) if isinstance(t, Type)}

FROM_TORCH: dict[torch.dtype, Type] = {t.torch: t for t in all_types if t.torch is not None}
_FROM_NUMPY = {t.numpy: t for t in all_types if t.numpy is not None}
_FROM_NAME = {name: t for t in FROM_TORCH.values() for name in (t.name, t.title.lower())} | {
    "bool_": bool_, "float": float32, "int": int32, "half": float16, "double": float64, "long": int64,
}  # fmt: skip
_FROM_PYTHON = {builtins.bool: bool_, builtins.int: int64, builtins.float: float32, complex: complex128}
_NoCounterpart = also(TypeError, KeyError)
_NOT_IN_TENSORS: dict[type, Type] = {str: string, list: list_, tuple: tuple_, type(None): type_none}

# MindSpore's names for these three shadow Python's; they come last so that the code above reads as Python.
bool = bool_
int = int32
float = float32


def to_torch(dtype: Any, api: str = "Tensor") -> torch.dtype:
    """Return the torch dtype of a MindSpore type, of its name (`"float32"`), or of a NumPy or Python type.

    Raises:
        TypeError: `dtype` is none of these; the message names `api`.
    """
    if isinstance(dtype, torch.dtype):
        return dtype
    found = dtype if isinstance(dtype, Type) else _look_up(dtype)
    if found is not None and found.torch is not None:
        return found.torch
    accepted = ", ".join(t.name for t in FROM_TORCH.values())
    raise WrongType(
        f"For '{api}', 'dtype' must be a data type such as float32, but got {dtype!r}. Accepted: {accepted}."
    )


def _look_up(name: Any) -> Type | None:
    if isinstance(name, str):
        return _FROM_NAME.get(name.lower())
    if isinstance(name, type) and name in _FROM_PYTHON:
        return _FROM_PYTHON[name]
    try:
        return None if name is None else _FROM_NUMPY.get(np.dtype(name))  # NumPy would read None as float64
    except (TypeError, ValueError):
        return None


def dtype_to_nptype(type_: Type) -> Any:
    """Return the NumPy scalar type of a data type.

    Raises:
        TypeError: `type_` is not a data type, or NumPy has no such type: float8, and bfloat16 without
            the package ml_dtypes.

    Examples:
        >>> import torchspore as ms
        >>> ms.dtype_to_nptype(ms.float32)
        <class 'numpy.float32'>
    """
    if type_ is bfloat16 and bfloat16_type() is not None:
        return bfloat16_type()
    if not isinstance(type_, Type) or type_.numpy is None:
        hint = " Convert to float32 first." if isinstance(type_, Type) and type_.torch is not None else ""
        raise _NoCounterpart(f"For 'dtype_to_nptype', NumPy has no counterpart of {type_!r}.{hint}")
    return type_.numpy.type


def dtype_to_pytype(type_: Type) -> type:
    """Return the Python type that holds one element: bool, int, float or complex.

    Raises:
        TypeError: `type_` is not a data type, or Python has no such type.

    Examples:
        >>> import torchspore as ms
        >>> ms.dtype_to_pytype(ms.float16), ms.dtype_to_pytype(ms.int64)
        (<class 'float'>, <class 'int'>)
    """
    if isinstance(type_, Type):
        if type_ is bool_:
            return builtins.bool
        if type_ in (*int_type, *uint_type, qint4x2, int_, uint):
            return builtins.int
        if type_ in complex_type:
            return complex
        if type_ in (*float_type, float_, number):
            return builtins.float
        for python_type, named in _NOT_IN_TENSORS.items():
            if type_ is named:
                return python_type
    raise _NoCounterpart(f"For 'dtype_to_pytype', {type_!r} has no Python counterpart.")


def pytype_to_dtype(obj: Any) -> Type:
    """Return the data type of a Python or NumPy type: `float` gives float64, `int` int64, as MindSpore's does.

    Raises:
        NotImplementedError: no data type stands for it.

    Examples:
        >>> import numpy as np
        >>> import torchspore as ms
        >>> ms.pytype_to_dtype(type(1.5)), ms.pytype_to_dtype(np.int8)
        (torchspore.float64, torchspore.int8)
    """
    if isinstance(obj, Type):
        return obj
    if isinstance(obj, np.dtype) and obj in _FROM_NUMPY:
        return _FROM_NUMPY[obj]
    if not isinstance(obj, type):
        raise TypeError(f"For 'pytype_to_dtype', 'obj' must be a type such as int, but got {obj!r}. Give type(obj).")
    if obj is builtins.float:
        return float64
    if issubclass(obj, np.str_):
        return string
    found = _FROM_PYTHON.get(obj) or _NOT_IN_TENSORS.get(obj)
    if found is None and issubclass(obj, np.generic):
        found = _FROM_NUMPY.get(np.dtype(obj))
    if found is None:
        raise NotImplementedError(f"For 'pytype_to_dtype', no data type stands for {obj!r}.")
    return found


def get_py_obj_dtype(obj: Any) -> Type:
    """Return the data type of a Python object, or the one that a type stands for; for a tensor its `TensorType`.

    Examples:
        >>> import torchspore as ms
        >>> ms.get_py_obj_dtype(1.5), ms.get_py_obj_dtype(ms.Tensor([1.5]))
        (torchspore.float64, torchspore.tensor[float32])
    """
    element = getattr(obj, "dtype", None)
    if isinstance(element, Type):
        return TensorType(element)
    if isinstance(obj, Type):
        return type_type
    return pytype_to_dtype(obj if isinstance(obj, type) else type(obj))


def _issubclass_(type_: Any, dtype: Any) -> builtins.bool:
    """Return whether a data type is of a general one, such as `number`, `int_` or itself."""
    if not isinstance(dtype, Type):
        raise TypeError(f"For '_issubclass_', 'dtype' must be a data type, but got {dtype!r}.")
    if not isinstance(type_, Type):
        return False
    return type_ == dtype or (dtype in (number, int_, uint, float_) and isinstance(type_, type(dtype)))


_simple_types = {
    **_NOT_IN_TENSORS, **_FROM_PYTHON, builtins.float: float64, np.str_: string,
    **{kind.numpy.type: kind for kind in (bool_, *int_type, *uint_type, float16, float32, float64) if kind.numpy},
}  # fmt: skip
_pytype_to_dtype, _dtype_to_nptype = pytype_to_dtype, dtype_to_nptype


def type_size_in_bytes(dtype: Type) -> builtins.int:
    """Return the bytes that one element takes."""
    return 1 if dtype is qint4x2 else to_torch(dtype, "type_size_in_bytes").itemsize


_suggest_names(globals())
