"""The base of distributions and bijectors: a name, and parameters that broadcast with each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import torch

from torchspore.common import dtype as mstype
from torchspore.common.dtype import Type
from torchspore.common.private_torch import is_functorch_wrapped_tensor
from torchspore.common.tensor import Tensor
from torchspore.engine.failures.errors import describe
from torchspore.engine.parameters import Where, checked
from torchspore.nn.cell import Cell
from torchspore.ops.updates.tensor_lists import is_traced

__all__ = ["POSITIVE", "PROBABILITY", "Parametric", "parameter"]

POSITIVE = Where("greater than 0", lambda values: values > 0)
PROBABILITY = Where("between 0 and 1", lambda values: (values > 0) & (values < 1))

_KEPT = (mstype.float16, mstype.bfloat16, mstype.float32)


class Parametric(Cell):
    """A cell with a name and parameters: numbers, lists, arrays, Tensors, or None for what every call passes.

    Args:
        name: the name.
        dtype: the dtype of what numbers and lists become, where no parameter is a Tensor or an array.
        given: the arguments of the constructor. `given["param_dict"]` are the parameters.
    """

    _accepted: ClassVar[Sequence[tuple[str, Where]]] = ()  # what must hold of the elements of parameters
    _labels: ClassVar[dict[str, str]] = {}  # what parameters are called when the cell is printed

    @checked
    def __init__(self, name: str, dtype: Any, given: Any) -> None:
        super().__init__()
        self._name = name
        self._given = {key: value for key, value in given.items() if key not in ("self", "__class__")}
        self._common_type = self._type_of(self._given.get("param_dict", {}), dtype)
        self._reset_parameters()

    @property
    def name(self) -> str:
        """The name."""
        return self._name

    @property
    def parameters(self) -> dict[str, Any]:
        """The arguments of the constructor."""
        return self._given

    @property
    def batch_shape(self) -> tuple[int, ...] | None:
        """The common shape of the parameters; None while one is missing."""
        shapes = [value.shape for value in self.default_parameters if value is not None]
        return tuple(torch.broadcast_shapes(*shapes)) if len(shapes) == len(self.default_parameters) else None

    @property
    def is_scalar_batch(self) -> bool:
        """Whether no parameter has dimensions."""
        return not any(value is not None and value.shape for value in self.default_parameters)

    def extend_repr(self) -> str:
        """Return the parameters' values, or their common shape."""
        if not self.parameter_names:
            return ""
        if not self.is_scalar_batch and self.batch_shape is not None:
            return f"batch_shape = {self.batch_shape}"
        pairs = zip(self.parameter_names, self.default_parameters)
        return ", ".join(f"{self._labels.get(name, name)} = {value}" for name, value in pairs)

    def _reset_parameters(self) -> None:
        """Remove all parameters."""
        self.parameter_names: list[str] = []
        self.default_parameters: list[Tensor | None] = []

    def _add_parameter(self, value: Any, name: str) -> Tensor | None:
        """Add a parameter, and return it as a Tensor."""
        tensor = None if value is None else self._as_parameter(value, name)
        self.parameter_names.append(name)
        self.default_parameters.append(tensor)
        return tensor

    def _keep(self, parameters: dict[str, Any]) -> None:
        """Add parameters, and make them attributes: `rate` becomes `_rate`."""
        for name, value in parameters.items():
            is_taken = callable(getattr(type(self), name, None))  # `_mean` and `_sd` are functions of distributions
            setattr(self, f"_{name}{'_value' * is_taken}", self._add_parameter(value, name))
        for name, where in self._accepted:
            values = self._known(name)
            if values is not None and not bool(where.holds(values).all()):
                raise ValueError(f"'{name}' must be {where.words}, but got {values.tolist()}")
        try:
            torch.broadcast_shapes(*[value.shape for value in self.default_parameters if value is not None])
        except RuntimeError:
            raise ValueError(
                f"For '{type(self).__name__}', the parameters must be of shapes that broadcast with each other, "
                f"but got {', '.join(f'{name}={describe(value)}' for name, value in parameters.items())}."
            ) from None

    def _as_parameter(self, value: Any, name: str) -> Tensor:
        if isinstance(value, Tensor):
            return value if value.dtype == self._common_type else value.astype(self._common_type)
        try:
            return Tensor(value, self._common_type)
        except TypeError:
            raise TypeError(
                f"For '{type(self).__name__}', '{name}' must be a number, a list, an array or a Tensor, "
                f"but got {describe(value)}."
            ) from None

    def _known(self, name: str) -> torch.Tensor | None:
        """Return the values of a parameter where they are known: given, and not being traced."""
        value = self.default_parameters[self.parameter_names.index(name)]
        if value is None or is_traced() or is_functorch_wrapped_tensor(value._t):
            return None
        return value._t.detach()

    def _type_of(self, parameters: dict[str, Any], dtype: Any) -> Type:
        """Return the dtype of the parameters: the dtype of the Tensors and arrays; without them, `dtype`."""
        types = {}
        for name, value in parameters.items():
            if isinstance(value, bool):
                raise TypeError(f"'{name}' must be a number, but got {describe(value)}")
            if isinstance(value, Tensor):
                types[name] = value.dtype
            elif isinstance(value, np.ndarray):
                types[name] = mstype.pytype_to_dtype(value.dtype.type)
        if len(set(types.values())) > 1:
            given = ", ".join(f"{name} of {kind}" for name, kind in types.items())
            raise TypeError(f"Tensors and arrays must be of the same dtype, but got {given}")
        for kind in types.values():
            return kind if kind in _KEPT else mstype.float32
        return dtype if dtype in mstype.float_type else mstype.float32


def parameter(name: str, description: str) -> Any:
    """Return the property of a parameter, or of another argument of the constructor."""
    return property(lambda self: getattr(self, f"_{name}"), doc=description)
