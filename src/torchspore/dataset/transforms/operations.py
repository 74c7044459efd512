"""Transforms of arrays of any kind: types, one-hot, masks, slices, padding."""

from __future__ import annotations

import enum
import operator
from types import EllipsisType
from typing import Annotated, Any, TypeAlias

import numpy as np

from torchspore.common import dtype as mstype
from torchspore.dataset.parameters import Int32, Natural
from torchspore.dataset.rows.values import padded
from torchspore.dataset.transforms.base import Array, TensorOperation
from torchspore.dataset.value_checks import wrong_type
from torchspore.engine.parameters import AnyNumber, Limits, Where

__all__ = ["Concatenate", "Duplicate", "Fill", "Mask", "OneHot", "PadEnd", "Relational", "Slice", "TypeCast", "Unique"]


Scalar: TypeAlias = AnyNumber | str | bytes
_Row: TypeAlias = Annotated[Array, Where("an array of one dimension", lambda array: array.ndim == 1)]
_Length: TypeAlias = Annotated[int, Limits(1, 2**63 - 1)]
TEXT_TYPES = (mstype.string, str, np.str_, "string")


def numpy_type(api: str, given: Any, name: str = "data_type", numpy: bool = True) -> np.dtype[Any]:
    """Return the NumPy type of a data type, given as MindSpore's, NumPy's or a name.

    Args:
        api, given: what was called, and the data type.
        name: the name of the argument.
        numpy: whether NumPy's types and names are accepted too.
    """
    kind: Any = given.numpy if isinstance(given, mstype.Type) else given if numpy else None
    try:
        found = None if kind is None else np.dtype(kind)
    except TypeError:
        found = None
    if found is None or found.kind not in "biufc":
        raise wrong_type(given, (mstype.Type, np.dtype) if numpy else (mstype.Type,), name, api)
    return found


class TypeCast(TensorOperation):
    """Converts numbers to a data type.

    Args:
        data_type: MindSpore's or NumPy's data type, or its name; a type of strings leaves strings unchanged.

    Raises:
        TypeError: strings would be converted to numbers, or the reverse (when called).

    Examples:
        >>> import numpy as np
        >>> import torchspore as ms
        >>> import torchspore.dataset.transforms as transforms
        >>> transforms.TypeCast(ms.float32)(np.array([1, 2]))
        array([1., 2.], dtype=float32)
    """

    def __init__(self, data_type: Any) -> None:
        is_text = data_type in TEXT_TYPES
        self.data_type = np.dtype(str) if is_text else numpy_type(type(self).__name__, data_type)

    def _apply(self, value: Array) -> Array:
        if (value.dtype.kind in "US") != (self.data_type.kind == "U"):
            raise TypeError(f"For '{type(self).__name__}', {value.dtype} cannot be converted to {self.data_type}.")
        return value.astype(self.data_type)


class OneHot(TensorOperation):
    """Makes a vector for each class number, with one at its index and zeros elsewhere; sizes of 1 are left out.

    Args:
        num_classes: the length of the vectors, at least 1.
        smoothing_rate: the amount, in [0, 1], to take from the one and spread over all classes; the result is then
            float64. Default: 0.0.

    Raises:
        TypeError: an argument, or the value, has another type.
        ValueError: a number is not a class.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.transforms as transforms
        >>> transforms.OneHot(3)(np.array([2, 0]))
        array([[0, 0, 1],
               [1, 0, 0]])
    """

    def __init__(self, num_classes: Natural, smoothing_rate: Annotated[float, Limits(0.0, 1.0)] = 0.0) -> None:
        self.num_classes = num_classes
        self.smoothing_rate = smoothing_rate

    def _apply(self, value: Array) -> Array:
        if value.dtype.kind not in "iu":
            raise TypeError(f"For 'OneHot', the value must hold ints, but got {value.dtype}.")
        numbers = value.reshape(-1)
        if value.squeeze().ndim > 1:
            raise ValueError(
                f"For 'OneHot', the value must have at most one dimension whose size is not 1, but got {value.shape}."
            )
        if len(numbers) and not 0 <= numbers.min() <= numbers.max() < self.num_classes:
            raise ValueError(
                f"For 'OneHot', class numbers must be in [0, {self.num_classes - 1}], 'num_classes' less one, but got "
                f"{numbers.tolist()!r:.100}."
            )
        vectors = numbers[:, None] == np.arange(self.num_classes)
        if self.smoothing_rate:
            off = self.smoothing_rate / self.num_classes
            result = np.where(vectors, 1 - self.smoothing_rate + off, off)
        else:
            result = vectors.astype(value.dtype)
        return result[0] if len(numbers) == 1 else result


class Fill(TensorOperation):
    """Replaces all elements with one value, in their data type.

    Args:
        fill_value: a number, a bool, a str or bytes.

    Raises:
        TypeError: it is a str, but the elements are numbers, or the reverse.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.transforms as transforms
        >>> transforms.Fill(3)(np.array([1, 2]))
        array([3, 3])
    """

    def __init__(self, fill_value: Scalar) -> None:
        self.fill_value = fill_value

    def _apply(self, value: Array) -> Array:
        fill = np.array(self.fill_value)
        kinds = [kind if kind in "US" else "number" for kind in (fill.dtype.kind, value.dtype.kind)]
        if kinds[0] != kinds[1]:
            wanted = {"U": "a str", "S": "bytes", "number": "a number"}[kinds[1]]
            raise TypeError(
                f"For 'Fill', 'fill_value' must be {wanted} as the value has type {value.dtype}, but got "
                f"{self.fill_value!r}."
            )
        return np.full(value.shape, fill if fill.dtype.kind in "US" else fill.astype(value.dtype))


class Relational(enum.IntEnum):
    """How `Mask` compares.

    Examples:
        >>> import torchspore.dataset.transforms as transforms
        >>> transforms.Relational.EQ.name
        'EQ'
    """

    EQ = 0
    NE = 1
    GT = 2
    GE = 3
    LT = 4
    LE = 5


class Mask(TensorOperation):
    """Compares each element with a constant.

    Args:
        operator: the comparison, a `Relational`.
        constant: the constant.
        dtype: the data type of the result. Default: bool.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.transforms as transforms
        >>> transforms.Mask(transforms.Relational.GT, 1)(np.array([1, 2]))
        array([False,  True])
    """

    def __init__(self, operator: Relational, constant: Scalar, dtype: Any = mstype.bool_) -> None:
        self.operator = operator
        self.constant = constant
        self.dtype = numpy_type("Mask", dtype, "dtype", numpy=False)

    def _apply(self, value: Array) -> Array:
        if (value.dtype.kind in "US") != isinstance(self.constant, (str, bytes)):
            raise TypeError(f"For 'Mask', a value of {value.dtype} cannot be compared with {self.constant!r}.")
        compared = getattr(operator, self.operator.name.lower())(value, self.constant)
        return np.asarray(compared, self.dtype)


class Slice(TensorOperation):
    """Slices along each dimension, and keeps all dimensions.

    Args:
        *slices: for each dimension an int, a list of ints, a slice, or None, True or an Ellipsis for all of it.

    Raises:
        ValueError: there are more slices than dimensions, a list is empty, or an int is out of bounds (when called).

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.transforms as transforms
        >>> transforms.Slice(slice(1, 3))(np.array([1, 2, 3, 4]))
        array([2, 3])
        >>> transforms.Slice(None, 0)(np.array([[1, 2], [3, 4]]))
        array([[1],
               [3]])
    """

    def __init__(self, *slices: int | list[int] | slice | bool | EllipsisType | None) -> None:
        self.slices = slices

    def _apply(self, value: Array) -> Array:
        if len(self.slices) > value.ndim:
            raise ValueError(
                f"For 'Slice', a value of {value.ndim} dimensions cannot be sliced along {len(self.slices)}."
            )
        for axis, each in enumerate(self.slices):
            if each is None or each is True or each is Ellipsis:
                continue
            if each == []:
                raise ValueError(f"For 'Slice', the indices for dimension {axis} must not be empty.")
            part = [each] if isinstance(each, int) else each
            try:
                value = value[(slice(None),) * axis + (part,)]
            except IndexError:
                raise ValueError(
                    f"For 'Slice', an index must be in [{-value.shape[axis]}, {value.shape[axis] - 1}] for dimension "
                    f"{axis}, but got {each}."
                ) from None
        return value


class Duplicate(TensorOperation):
    """Returns the value twice, for two columns.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.transforms as transforms
        >>> transforms.Duplicate()(np.array([1, 2]))
        (array([1, 2]), array([1, 2]))
    """

    def _apply(self, value: Array) -> tuple[Array, Array]:
        return value, value.copy()


class Concatenate(TensorOperation):
    """Concatenates one-dimensional values of several columns, and constants before and after them.

    Args:
        axis: 0 or -1. Default: 0.
        prepend: an array to put first. Default: None.
        append: an array to put last. Default: None.

    Raises:
        TypeError: the data types differ.
        ValueError: a value does not have one dimension.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.transforms as transforms
        >>> transforms.Concatenate(0, prepend=np.array([0]))(np.array([1, 2]))
        array([0, 1, 2])
    """

    _several = True

    def __init__(
        self, axis: Annotated[Int32, Where("0 or -1", (0, -1).__contains__)] = 0, prepend: _Row | None = None,
        append: _Row | None = None,
    ) -> None:  # fmt: skip
        self.prepend = [] if prepend is None else [prepend]
        self.append = [] if append is None else [append]

    def _transform(self, values: list[Any]) -> Array:
        parts = [*self.prepend, *values, *self.append]
        if any(part.ndim != 1 for part in parts):
            raise ValueError(f"For 'Concatenate', values must have one dimension, but got {[p.ndim for p in parts]}.")
        text = {part.dtype.kind in "US" for part in parts} == {True}
        if len({part.dtype for part in parts}) > 1 and not text:
            raise TypeError(
                f"For 'Concatenate', values must have one data type, but got {[str(part.dtype) for part in parts]}."
            )
        return np.concatenate(parts)


class Unique(TensorOperation):
    """Returns the unique elements in order of appearance, the index of each element among them, and their counts.

    The value has two dimensions or more: batch the rows before.

    Raises:
        TypeError: the value holds strings.
        ValueError: it has fewer dimensions.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.transforms as transforms
        >>> values, indexes, counts = transforms.Unique()(np.array([[3, 1], [3, 2]]))
        >>> values, indexes, counts
        (array([3, 1, 2]), array([0, 1, 0, 2], dtype=int32), array([2, 1, 1], dtype=int32))
    """

    def _apply(self, value: Array) -> tuple[Array, Array, Array]:
        if value.dtype.kind in "US":
            raise TypeError(f"For 'Unique', the value must hold numbers, but got {value.dtype}.")
        if value.ndim < 2:
            raise ValueError(f"For 'Unique', the value must have at least 2 dimensions, but got {value.ndim}.")
        flat = value.reshape(-1)
        values, first, indexes, counts = np.unique(flat, return_index=True, return_inverse=True, return_counts=True)
        order = np.argsort(first)
        rank = np.argsort(order)
        return values[order], rank[indexes].astype(np.int32), counts[order].astype(np.int32)


class PadEnd(TensorOperation):
    """Pads or cuts each dimension at its end; a value without dimensions does not change.

    Args:
        pad_shape: the shape of the result; None keeps a dimension.
        pad_value: the value to pad with. Default: None, zero or an empty str.

    Raises:
        ValueError: the value has a different number of dimensions (when called).

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.transforms as transforms
        >>> transforms.PadEnd([4], -1)(np.array([1, 2]))
        array([ 1,  2, -1, -1])
    """

    def __init__(self, pad_shape: list[_Length | None], pad_value: Scalar | None = None) -> None:
        self.pad_shape = pad_shape
        self.pad_value = pad_value

    def _apply(self, value: Array) -> Array:
        if not value.ndim:
            padded("PadEnd", value, (), self.pad_value)  # which checks the value to pad with
            return value
        kept = value.shape if value.ndim == len(self.pad_shape) else (0,) * len(self.pad_shape)
        shape = [old if size is None else size for size, old in zip(self.pad_shape, kept)]
        return padded("PadEnd", value, shape, self.pad_value)
