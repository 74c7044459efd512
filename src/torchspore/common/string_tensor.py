"""Tensors of strings, which hold a NumPy array: they are stored, printed and converted, but not computed with."""

from __future__ import annotations

from typing import Any

import numpy as np

from torchspore.common import dtype as mstype
from torchspore.common.names.class_modules import is_shown, made_in_either
from torchspore.common.tensor import Tensor

__all__ = ["StringTensor"]


class StringTensor(Tensor):
    """What `Tensor` becomes for a NumPy array of strings or bytes. Operations refuse it, as it has no torch tensor.

    Examples:
        >>> import numpy as np
        >>> import torchspore as ms
        >>> ms.Tensor(np.array(["a", "bc"]))
        Tensor(shape=[2], dtype=String, value= ['a', 'bc'])
    """

    __slots__ = ()

    _strings: np.ndarray[Any, Any]

    def __init__(self, input_data: np.ndarray[Any, Any], dtype: Any = None) -> None:
        if dtype not in (None, mstype.string):
            raise TypeError(f"For 'Tensor', 'dtype' must be mindspore.string for strings, but got {dtype!r}.")
        self._strings = input_data.copy()

    @property
    def shape(self) -> tuple[int, ...]:
        """The size of every dimension."""
        return self._strings.shape

    @property
    def dtype(self) -> mstype.Type:
        """`mindspore.string`."""
        return mstype.string

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return self._strings.ndim

    @property
    def size(self) -> int:
        """The number of strings."""
        return self._strings.size

    @property
    def itemsize(self) -> int:
        """The bytes of one string."""
        return self._strings.itemsize

    @property
    def nbytes(self) -> int:
        """The bytes of all strings."""
        return self._strings.nbytes

    @property
    def strides(self) -> tuple[int, ...]:
        """The bytes from one string to the next, for each dimension."""
        return self._strings.strides

    @property
    def T(self) -> Tensor:
        """The strings with the dimensions in reverse order."""
        return Tensor(self._strings.T)

    @property
    def device(self) -> str:
        """`"CPU"`."""
        return "CPU"

    def dim(self) -> int:
        """Return the number of dimensions."""
        return self._strings.ndim

    def value(self) -> Tensor:
        """Return the tensor."""
        return self

    def is_contiguous(self) -> bool:
        """Return True."""
        return True

    def __len__(self) -> int:
        return len(self._strings)

    def __bool__(self) -> bool:
        raise TypeError("For 'Tensor', strings are neither true nor false. Compare them with others.")

    def asnumpy(self) -> np.ndarray[Any, Any]:
        """Return the strings as a NumPy array, without a copy."""
        return self._strings

    numpy = asnumpy

    def tolist(self) -> Any:
        """Return nested lists of strings; a string for a tensor without dimensions."""
        return self._strings.tolist()

    def item(self) -> Any:
        """Return the only element; ValueError if there are several."""
        return self._strings.item()

    def __eq__(self, other: Any) -> Any:
        return self is other

    __hash__ = Tensor.__hash__

    def __copy__(self) -> Tensor:
        return Tensor(self._strings)

    def __deepcopy__(self, memo: dict[int, Any]) -> Tensor:
        return Tensor(self._strings)

    def __reduce__(self) -> tuple[Any, ...]:
        return made_in_either("Tensor", self._strings) if is_shown(Tensor) else (Tensor, (self._strings,))

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return self.__reduce__()

    def _shown_values(self) -> Any:
        return self._strings

    def __str__(self) -> str:
        return str(self._strings)

    def __repr__(self) -> str:
        text = np.array2string(self._strings, separator=", ")
        gap = "\n" if self.ndim > 1 else " "
        return f"Tensor(shape={list(self.shape)}, dtype=String, value={gap}{text})"


Tensor._of_strings = StringTensor
