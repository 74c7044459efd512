"""Conversions of single arguments, and the errors for those that cannot be converted.

The wrappers that `op` generates call them when an argument is not already of the type that its annotation names.
"""

from __future__ import annotations

import operator
from typing import Any, NoReturn

import numpy as np
import torch

from torchspore.common.conversion import as_torch
from torchspore.common.dtype import FROM_TORCH
from torchspore.common.dtype import to_torch as as_dtype
from torchspore.common.error_classes import WrongType, also
from torchspore.common.scopes.scope import scope
from torchspore.common.sparse_base import Matrix
from torchspore.common.tensor import Tensor, wrap
from torchspore.engine.arguments.argument_forms import as_flag, as_number, takes
from torchspore.engine.arguments.mutable import _Bool
from torchspore.engine.failures.errors import describe

__all__ = [
    "NUMBERS",
    "SequenceTerm",
    "SparseProduct",
    "as_array_dtype",
    "as_bool",
    "as_dtype",
    "as_factor",
    "as_float",
    "as_int",
    "as_ints",
    "as_numpy_dtype",
    "as_operand",
    "as_quotients_part",
    "as_size",
    "as_string",
    "as_tensor",
    "as_tensors",
    "as_term",
    "refuse_as_tensor",
]  # fmt: skip

# Including the symbolic numbers of graphs that serve many shapes.
NUMBERS: frozenset[Any] = frozenset((int, float, bool, complex, torch.SymInt, torch.SymFloat, torch.SymBool))
_INT = frozenset((int,))


class SparseProduct(TypeError):
    """Raised for the sparse factor of a dense tensor: the product is sparse, and no operation of torch tensors."""

    def __init__(self, factor: Matrix) -> None:
        super().__init__("a dense tensor is multiplied by a sparse one")
        self.factor = factor


class SequenceTerm(TypeError):
    """Raised for numbers in a list that are an operand of a tensor: they take its data type."""

    def __init__(self, values: list[Any] | tuple[Any, ...], api: str, parameter: str) -> None:
        super().__init__("a list is an operand of a tensor")
        self.values, self.given_as = values, (api, parameter)

    def terms(self, input: Any, other: Any) -> tuple[Any, Any]:
        """Return the two operands, with a tensor in place of the list."""
        is_first = input is self.values
        if not is_first and other is not self.values:
            raise _refuse(self.values, *self.given_as, "a number")
        tensor = other if is_first else input
        try:
            values = as_torch(self.values, None)
        except (TypeError, ValueError):
            raise _refuse(self.values, *self.given_as, "a Tensor or a number, or numbers in nested lists") from None
        if isinstance(tensor, Tensor):
            values = values.to(tensor._t.device, tensor._t.dtype)
        return (wrap(values), other) if is_first else (input, wrap(values))


def _refuse(value: Any, api: str, parameter: str, accepted: str) -> Exception:
    return WrongType(f"For '{api}', '{parameter}' must be {accepted}, but got {describe(value)}.")


def _strided(value: torch.Tensor, api: str, parameter: str) -> torch.Tensor:
    """Return a torch tensor that a Tensor can hold.

    Raises:
        TypeError: it is sparse, nested or quantized.
    """
    if value.layout is not torch.strided or value.is_nested or value.is_quantized or value.dtype not in FROM_TORCH:
        raise WrongType(
            f"For '{api}', '{parameter}' must be a dense Tensor, but got a torch tensor of layout {value.layout} and "
            f"dtype {value.dtype}. Convert it, for example by to_dense()."
        )
    return value


def _as_element(value: Any, api: str, parameter: str) -> torch.Tensor:
    return _strided(value, api, parameter) if isinstance(value, torch.Tensor) else as_torch(value, None)


def as_tensor(value: Any, api: str, parameter: str) -> torch.Tensor:
    """Return a torch tensor unchanged, with its autograd history; the caller has handled Tensors.

    Raises:
        TypeError: the argument is not a tensor.
    """
    if isinstance(value, torch.Tensor):
        return _strided(value, api, parameter)
    form = "numpy" if isinstance(value, np.number) else "number"
    if isinstance(value, (int, float, np.number)) and takes(form, parameter, api):
        return as_torch(value, None)
    return refuse_as_tensor(value, api, parameter)


def refuse_as_tensor(value: Any, api: str, parameter: str) -> NoReturn:
    """Raise the error for an argument that is not a Tensor."""
    # Some of MindSpore's functions look for attributes of the tensor first, others compute with a number as a tensor.
    kind = also(TypeError, AttributeError, ValueError)
    raise kind(f"For '{api}', '{parameter}' must be a Tensor, but got {describe(value)}.")


def as_operand(value: Any, api: str, parameter: str) -> Any:
    """Return a NumPy number as a Python number, a torch tensor unchanged, for some operations a list as a tensor."""
    if isinstance(value, torch.Tensor):
        return _strided(value, api, parameter)
    if isinstance(value, np.generic) and value.dtype.kind in "biufc":
        return value.item()
    if isinstance(value, (list, tuple)) and takes("list", parameter, api):
        return as_torch(value, None)
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf" and takes("numpy", parameter, api):
        return torch.as_tensor(value)
    # Some of MindSpore's functions look for attributes of the tensor first.
    kind = also(TypeError, AttributeError, ValueError, RuntimeError)
    raise kind(f"For '{api}', '{parameter}' must be a Tensor or a number, but got {describe(value)}.")


def as_term(value: Any, api: str, parameter: str) -> Any:
    """Return an operand of a sum: a sparse tensor is made dense. A list is raised: it takes the other's data type."""
    if isinstance(value, (list, tuple)):
        raise SequenceTerm(value, api, parameter)
    return value.to_dense()._t if isinstance(value, Matrix) else as_operand(value, api, parameter)


def as_factor(value: Any, api: str, parameter: str) -> Any:
    """Return an operand of a product. A sparse tensor is raised: the product is sparse, too."""
    if isinstance(value, Matrix):
        raise SparseProduct(value)
    return as_quotients_part(value, api, parameter)


def as_quotients_part(value: Any, api: str, parameter: str) -> Any:
    """Return an operand of a quotient or remainder, which may be a list in captured functions only."""
    if scope.captured and isinstance(value, (list, tuple)):
        raise SequenceTerm(value, api, parameter)
    return as_operand(value, api, parameter)


def as_numpy_dtype(value: Any, api: str) -> torch.dtype:
    """Return a data type as MindSpore's NumPy functions read it: `int` and `float` have 64 bits."""
    return torch.int64 if value is int else torch.float64 if value is float else as_dtype(value, api)


def as_array_dtype(value: Any, api: str) -> torch.dtype:
    """Return a data type as MindSpore's NumPy functions that create arrays read it: `int` and `float` have 32 bits."""
    return torch.int32 if value is int else as_dtype(value, api)


def as_tensors(value: Any, api: str, parameter: str) -> list[torch.Tensor]:
    """Return the torch tensors of a list or tuple of tensors, or the rows of one tensor."""
    if isinstance(value, (list, tuple)):
        try:
            return [tensor._t for tensor in value]
        except AttributeError:
            if all(isinstance(element, (Tensor, torch.Tensor, int, float)) for element in value):
                return [_as_element(element, api, parameter) for element in value]
    elif isinstance(value, Tensor):
        return list(value._t.unbind(0))
    elif isinstance(value, torch.Tensor):
        return list(_strided(value, api, parameter).unbind(0))
    raise _refuse(value, api, parameter, "a list or tuple of Tensors")


def as_int(value: Any, api: str, parameter: str) -> int:
    """Return an int given as a NumPy int or a Tensor of one int; bools are ints for some only."""
    if isinstance(value, torch.SymInt):
        return value  # type: ignore[return-value]
    if not isinstance(value, (bool, np.bool_)):
        try:
            return operator.index(value)
        except TypeError:
            pass
    number = as_number(value, parameter, api)
    if isinstance(number, int) or (number is not None and takes("real", parameter, api)):
        return number
    raise _refuse(value, api, parameter, "an int")


def as_ints(value: Any, api: str, parameter: str) -> Any:
    """Return an int, or a tuple of ints given as a tuple, list, range, NumPy array or Tensor."""
    if value.__class__ is tuple and _INT.issuperset(map(type, value)):
        return value
    if isinstance(value, (tuple, list, range)):
        return tuple([as_int(element, api, parameter) for element in value])
    if isinstance(value, (Tensor, torch.Tensor, np.ndarray)) and value.ndim == 1:
        is_recorded = isinstance(value, Tensor) and scope.tracing is not None  # each int is a condition of the graph
        return tuple([as_int(element, api, parameter) for element in (value if is_recorded else value.tolist())])
    try:
        return as_int(value, api, parameter)
    except TypeError:
        raise _refuse(value, api, parameter, "an int or a tuple of ints") from None


def as_size(value: Any, api: str, parameter: str) -> tuple[int, ...]:
    """Return a tuple of ints given as an int, several ints, or anything that `as_ints` takes."""
    if value.__class__ is tuple:
        for element in value:
            if element.__class__ is not int:
                break
        else:
            return value
        if len(value) == 1:
            value = value[0]  # x.reshape((2, 3)) beside x.reshape(2, 3)
    ints = as_ints(value, api, parameter)
    return ints if isinstance(ints, tuple) else (ints,)


def as_float(value: Any, api: str, parameter: str) -> Any:
    """Return a number given as an int, a NumPy number or a Tensor of one number; bools are numbers for some only."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return value
    if isinstance(value, np.number) or (isinstance(value, Tensor) and value.size == 1):
        return value.item()
    if isinstance(value, (torch.SymInt, torch.SymFloat)):
        return value
    number = as_number(value, parameter, api)
    if number is not None:
        return number
    raise _refuse(value, api, parameter, "a number")


def as_bool(value: Any, api: str, parameter: str) -> bool:
    """Return a bool given as a NumPy bool, by `mutable`, or by any value for a flag whose truth MindSpore reads."""
    if isinstance(value, (np.bool_, _Bool)):
        return bool(value)
    flag = as_flag(value, parameter, api)
    if flag is not None:
        return flag
    raise _refuse(value, api, parameter, "a bool")


def as_string(value: Any, api: str, parameter: str) -> str:
    """Return a string; as a group also one of torch's, which meshes have."""
    if isinstance(value, str):
        return value
    if parameter == "group" and isinstance(value, torch.distributed.ProcessGroup):
        return value  # type: ignore[return-value]
    raise _refuse(value, api, parameter, "a string")


# What generated code refers to.
NAMES: dict[str, Any] = {name: globals()[name] for name in __all__}
