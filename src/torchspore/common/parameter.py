"""Parameter: a named tensor that training changes."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import Any

import torch

from torchspore.common import dtype as mstype
from torchspore.common import scope as scopes
from torchspore.common.tensor import Tensor, _packed, _unpacked, as_torch

__all__ = ["Parameter", "ParameterTuple"]

_numbers = itertools.count()  # a parameter without a name is `Parameter#0`, `Parameter#1`, ... until a cell takes it


class Parameter(Tensor):
    """A tensor that a cell owns and an optimizer updates.

    Args:
        default_input: the value: a Tensor (an initializer's is initialised now), a number, nested lists, a NumPy array.
        name: the name; a cell replaces None by the name of the attribute. Default: None.
        requires_grad: whether `trainable_params` lists it. Default: True.
        layerwise_parallel, parallel_optimizer, storage_format: kept as attributes for parallel training.
        device: "CPU", "GPU" or "Ascend", default: the device in use.

    Raises:
        TypeError: `name` is no string, a flag is no bool, or `default_input` is nothing that a Tensor can hold.

    Examples:
        >>> import torchspore as ms
        >>> ms.Parameter(ms.Tensor([1.0, 2.0]), name="w")
        Parameter (name=w, shape=(2,), dtype=Float32, requires_grad=True)

    MindSpore: `mindspore.Parameter`.
    """

    # `_storage` holds the value between differentiation scopes; `_t` is the same torch tensor, except inside a scope.
    _storage: torch.Tensor

    def __init__(
        self,
        default_input: Any,
        name: str | None = None,
        requires_grad: bool = True,
        layerwise_parallel: bool = False,
        parallel_optimizer: bool = True,
        storage_format: str = "",
        device: str | None = None,
    ) -> None:
        _check_flag("requires_grad", requires_grad)
        _check_flag("layerwise_parallel", layerwise_parallel)
        _check_flag("parallel_optimizer", parallel_optimizer)
        if isinstance(default_input, Tensor) and default_input.has_init:
            default_input.init_data()
        super().__init__(default_input, device=device)
        shares = isinstance(default_input, (Tensor, torch.Tensor))  # their memory; a parameter has its own
        self._t = self._storage = self._t.detach().clone() if shares else self._t.detach()
        if name is None and isinstance(default_input, Parameter):
            name = default_input.name
        self.has_default_name = name is None
        self.name = f"Parameter#{next(_numbers)}" if name is None else name
        self.requires_grad = requires_grad
        self.layerwise_parallel = layerwise_parallel
        self.parallel_optimizer = parallel_optimizer
        self.storage_format = storage_format
        self.comm_fusion = 1
        self.parallel_optimizer_comm_recompute = False

    @property
    def name(self) -> str:
        """The name, by which checkpoints and optimizers know the parameter."""
        return self._name

    @name.setter
    def name(self, name: str) -> None:
        if not isinstance(name, str):
            raise TypeError(f"For 'Parameter', 'name' must be a string, but got {name!r} of type {type(name).__name__}.")
        self._name = name

    @property
    def requires_grad(self) -> bool:
        """Whether the parameter is trained."""
        return self._requires_grad

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        _check_flag("requires_grad", value)
        self._requires_grad = value

    @property
    def inited_param(self) -> Parameter | None:
        """The parameter that initialisation replaced this one by: none, initialisation is in place."""
        return None

    def set_data(self, data: Any, slice_shape: bool = False) -> Parameter:
        """Set the value, converted to the parameter's data type, and return the parameter.

        Args:
            data: a Tensor (an initializer's is initialised now) or a number.
            slice_shape: whether another shape than the parameter's is expected. Default: False; a tensor of another
                shape replaces the value all the same, as MindSpore's does.

        Raises:
            TypeError: `data` is no Tensor and no number, or its data type cannot be converted without loss of kind
                (floating point to integer).

        Examples:
            >>> import torchspore as ms
            >>> w = ms.Parameter(ms.Tensor([1.0, 2.0]), name="w")
            >>> print(w.set_data(ms.Tensor([3.0, 4.0])).asnumpy())
            [3. 4.]
        """
        _check_flag("slice_shape", slice_shape, "Parameter.set_data")
        if not isinstance(data, (Tensor, bool, int, float)):
            raise TypeError(
                f"For 'Parameter.set_data', 'data' must be a Tensor or a number, but got {type(data).__name__}. "
                "Wrap it: Tensor(data)."
            )
        if isinstance(data, Tensor) and data.has_init:
            data.init_data()
        value = as_torch(data, None)
        if not torch.can_cast(value.dtype, self._t.dtype):
            raise TypeError(
                f"For 'Parameter.set_data', 'data' of dtype {mstype.FROM_TORCH[value.dtype]} cannot become "
                f"{self.dtype}, the dtype of parameter '{self.name}'. Convert it: data.astype(...)."
            )
        value = value.to(self._t.dtype)
        if scopes.scope.depth:
            scopes.rebind(self, value)
        elif value.shape == self._t.shape:
            scopes.rebind(self, value)
        else:
            self._t = self._storage = value.detach().clone()
        return self

    def init_data(self, layout: Any = None, set_sliced: bool = False) -> Parameter:  # type: ignore[override]
        """Return the parameter: its value was initialised when it was made."""
        if layout is not None or set_sliced:
            raise NotImplementedError("For 'Parameter.init_data', layouts of parallel training are not supported.")
        return self

    def clone(self, init: Any = "same") -> Parameter:
        """Return a new parameter of the same name, shape and dtype.

        Args:
            init: "same" copies the value; an initializer, its name or a number fills the new parameter. Default: "same".
        """
        from torchspore.common.initializer import initializer

        value = Tensor(self._t.detach().clone()) if _is_same(init) else initializer(init, self.shape, self.dtype)
        result = Parameter(value, self.name, self.requires_grad, self.layerwise_parallel, self.parallel_optimizer)
        result.comm_fusion = self.comm_fusion
        return result

    def value(self) -> Tensor:
        """Return the value as a Tensor over the same memory."""
        result = object.__new__(Tensor)
        result._t = self._t
        return result

    def __repr__(self) -> str:
        return (
            f"Parameter (name={self.name}, shape={self.shape}, dtype={self.dtype}, requires_grad={self.requires_grad})"
        )

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return str(self) if not spec else format(self.item(), spec)

    def __copy__(self) -> Parameter:
        return _rebuild(self._storage, self.__dict__)

    def __deepcopy__(self, memo: dict[int, Any]) -> Parameter:
        memo[id(self)] = result = _rebuild(self._t.detach().clone(), self.__dict__)
        return result

    def __reduce__(self) -> tuple[Any, ...]:
        attributes = {name: value for name, value in self.__dict__.items() if name != "_storage"}
        return _unpickle, (*_packed(self._t), attributes)


class ParameterTuple(tuple):  # noqa: SLOT001
    """A tuple of parameters.

    Raises:
        TypeError: an element is not a Parameter.

    Examples:
        >>> import torchspore as ms
        >>> weights = ms.ParameterTuple([ms.Parameter(ms.Tensor([1.0]), name="w")])
        >>> [copy.name for copy in weights.clone("moments")]
        ['moments.w']

    MindSpore: `mindspore.ParameterTuple`.
    """

    def __new__(cls, iterable: Iterable[Parameter]) -> ParameterTuple:
        parameters = list(iterable)
        for parameter in parameters:
            if not isinstance(parameter, Parameter):
                raise TypeError(
                    f"For 'ParameterTuple', every element must be a Parameter, but got {type(parameter).__name__}."
                )
        return super().__new__(cls, parameters)

    def __iter__(self) -> Iterator[Parameter]:
        return super().__iter__()

    def clone(self, prefix: str, init: Any = "same") -> ParameterTuple:
        """Return new parameters whose names carry `prefix.` in front, with the same values or filled by `init`."""
        if not isinstance(prefix, str):
            raise TypeError(f"For 'ParameterTuple.clone', 'prefix' must be a string, but got {type(prefix).__name__}.")
        clones = []
        for parameter in self:
            copy = parameter.clone(init)
            copy.name = f"{prefix}.{parameter.name}"
            clones.append(copy)
        return ParameterTuple(clones)

    def __deepcopy__(self, memo: dict[int, Any]) -> ParameterTuple:
        from copy import deepcopy

        return ParameterTuple([deepcopy(parameter, memo) for parameter in self])


def _is_same(init: Any) -> bool:
    return isinstance(init, str) and init == "same"


def _check_flag(flag: str, value: Any, api: str = "Parameter") -> None:
    if not isinstance(value, bool):
        raise TypeError(f"For '{api}', '{flag}' must be a bool, but got {value!r} of type {type(value).__name__}.")


def _rebuild(storage: torch.Tensor, attributes: dict[str, Any]) -> Parameter:
    result = object.__new__(Parameter)
    result.__dict__.update(attributes)
    result._t = result._storage = storage
    return result


def _unpickle(array: Any, dtype: mstype.Type, attributes: dict[str, Any]) -> Parameter:
    return _rebuild(_unpacked(array, dtype), attributes)
