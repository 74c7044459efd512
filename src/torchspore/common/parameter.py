"""Parameter: a named tensor that training changes."""

from __future__ import annotations

import copy
import itertools
import re
from collections.abc import Iterable, Iterator
from typing import Any

import torch

from torchspore.common import change_count, mode
from torchspore.common import dtype as mstype
from torchspore.common.conversion import as_torch, converted
from torchspore.common.lowered import own_type, type_of
from torchspore.common.names.class_modules import made_in_either
from torchspore.common.names.earlier_names import EarlierMethod
from torchspore.common.parameter_info import InfoOf, ParamInfo
from torchspore.common.scopes import scope as scopes
from torchspore.common.tensor import Tensor, wrap
from torchspore.common.weights import Flag, TrainedFlag

__all__ = ["Parameter", "ParameterTuple", "Twin"]

_numbers = itertools.count()


class Twin:
    """The torch tensor that shares a parameter's memory: a parameter or a buffer of a torch module.

    Attributes:
        value: the tensor.
        storage: the parameter's storage when both had the same memory.
        trains: whether the tensor required grad then.
    """

    __slots__ = ("storage", "trains", "value")

    def __init__(self, value: torch.Tensor, storage: torch.Tensor) -> None:
        self.value = value
        self.storage = storage
        self.trains = value.requires_grad

    def take(self, storage: torch.Tensor) -> None:
        """Give the tensor the memory of the parameter's new storage."""
        if not self.shares(storage):
            self.value.data = storage
        self.storage = storage

    def shares(self, storage: torch.Tensor) -> bool:
        """Return whether a parameter with this storage has the memory, shape and type of the tensor."""
        value = self.value
        return (
            _address(value) == _address(storage)
            and value.dtype is storage.dtype
            and value.shape == storage.shape
            and value.stride() == storage.stride()
        )


class Parameter(Tensor):
    """A tensor that a cell owns and an optimizer updates.

    Args:
        default_input: the value, copied: a Tensor (an initializer's is initialised now), a number (an int is int32),
            nested lists, a NumPy array.
        name: the name; a cell replaces None, or "", by the name of the attribute. Default: None.
        requires_grad: whether `trainable_params` lists it. Default: True.
        layerwise_parallel, parallel_optimizer, storage_format: kept as attributes for parallel training.
        device: "CPU", "GPU" or "Ascend", default: the device in use.

    Raises:
        TypeError: a flag is not a bool, or `default_input` is nothing that a Tensor can hold.
        ValueError: `name` is not a string.

    Examples:
        >>> import torchspore as ms
        >>> ms.Parameter(ms.Tensor([1.0, 2.0]), name="w")
        Parameter (name=w, shape=(2,), dtype=Float32, requires_grad=True)
    """

    # `_storage` holds the value between differentiation scopes; `_t` is the same torch tensor, except inside a scope.
    _storage: torch.Tensor

    requires_grad = TrainedFlag(True)
    layerwise_parallel = Flag(False)
    parallel_optimizer = Flag(True)
    parallel_optimizer_comm_recompute = Flag(False)

    # Attributes of MindSpore's distributed training and embedding caches.
    storage_format = ""
    sliced = False
    unique = False  # type: ignore[assignment]  # in MindSpore, too, it hides the operation
    cache_enable = Flag(False)
    cache_shape: Iterable[int] = ()
    key = -1
    requires_aggr = True
    is_in_parallel = False
    is_in_shard = False
    is_default_input_init = False
    init_mode: Tensor | None = None
    twin: Twin | None = None

    # A parameter without a name is `Parameter#0`, `Parameter#1`, ... until a cell names it.
    default_name = "Parameter#"

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
        if isinstance(default_input, Tensor) and default_input.has_init:
            default_input.init_data()
        super().__init__(default_input, mstype.int32 if default_input.__class__ is int else None, device=device)
        shares = isinstance(default_input, (Tensor, torch.Tensor))  # their memory; a parameter has its own
        self._hold(self._t.detach().clone() if shares else self._t.detach())
        self.name = name
        self.requires_grad = requires_grad
        self.layerwise_parallel = layerwise_parallel
        self.parallel_optimizer = parallel_optimizer
        if storage_format:
            self.storage_format = storage_format

    def _hold(self, value: torch.Tensor) -> None:
        change_count.increase()
        self._t = self._storage = value
        if self.twin is not None:
            self.twin.take(value)

    def _made_in_either(self, attributes: dict[str, Any]) -> tuple[Any, ...]:
        names = ("_name", "requires_grad", "layerwise_parallel", "parallel_optimizer")
        args = [attributes.pop(name) for name in names]
        return made_in_either("Parameter", wrap(self._t), *args)

    @property
    def name(self) -> str:
        """The name, by which checkpoints and optimizers know the parameter."""
        return self._name

    @name.setter
    def name(self, name: str | None) -> None:
        if name is not None and not isinstance(name, str):
            raise ValueError(
                f"For 'Parameter', 'name' must be a string or None, but got {name!r} of type {type(name).__name__}."
            )
        number = next(_numbers) if self.default_name.endswith("#") else ""
        self._name = (name or "").strip() or f"{self.default_name}{number}"

    @property
    def dtype(self) -> mstype.Type:
        """The data type of the elements, during calls of cells with `to_float` too."""
        return mstype.FROM_TORCH[type_of(self)]

    @property
    def has_default_name(self) -> bool:
        """Whether the name is still the default one."""
        is_numbered = self.default_name.endswith("#")
        return self._name.startswith(self.default_name) if is_numbered else self._name == self.default_name

    @property
    def comm_fusion(self) -> int:
        """The number of the group in which distributed training sends the gradient."""
        return self.__dict__.get("_comm_fusion", 1)

    @comm_fusion.setter
    def comm_fusion(self, value: int) -> None:
        if not isinstance(value, int) or isinstance(value, bool):
            raise TypeError(f"For 'Parameter', 'comm_fusion' must be an int, but got {value!r}.")
        if value < 0:
            raise ValueError(f"For 'Parameter', 'comm_fusion' must be >= 0, but got {value}.")
        self._comm_fusion = value

    @property  # type: ignore[override]
    def is_init(self) -> bool:
        """Whether a parameter server initialised the parameter."""
        return self.__dict__.get("_is_init", False)

    @is_init.setter
    def is_init(self, value: bool) -> None:
        self._is_init = value

    @property
    def param_info(self) -> ParamInfo:
        """What MindSpore's engine notes about the parameter: its attributes. Setting it copies them from another."""
        return InfoOf(self)

    @param_info.setter
    def param_info(self, info: ParamInfo) -> None:
        if not isinstance(info, ParamInfo):
            raise TypeError(
                f"For 'Parameter', 'param_info' must come from a Parameter, but got {type(info).__name__}. "
                "Take it by other.param_info.clone()."
            )
        info.copy_to(self)

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

        Examples:
            >>> import torchspore as ms
            >>> w = ms.Parameter(ms.Tensor([1.0, 2.0]), name="w")
            >>> print(w.set_data(ms.Tensor([3.0, 4.0])).asnumpy())
            [3. 4.]
        """
        _check_flag("slice_shape", slice_shape, "Parameter.set_data")
        if not isinstance(data, (Tensor, torch.Tensor, int, float)):
            raise TypeError(
                f"For 'Parameter.set_data', 'data' must be a Tensor or a number, but got {type(data).__name__}. "
                "Wrap it: Tensor(data)."
            )
        if isinstance(data, Tensor) and data.has_init:
            data.init_data()
        with own_type(self):
            value = converted(as_torch(data, None, self._t.device), self._t.dtype)
            if scopes.scope.depth or value.shape == self._t.shape:
                scopes.replace_value(self, value)
            else:
                self._hold(value.detach().clone())
        return self

    def init_data(self, layout: Any = None, set_sliced: bool = False) -> Parameter:  # type: ignore[override]
        """Return the parameter: its value was initialised when it was made.

        Args:
            layout: how MindSpore's compiler cuts it, a tuple as in `parameter_layout_dict`; values are whole here.
                Default: None.
            set_sliced: whether it counts as cut. Default: False.

        Raises:
            ValueError: the layout is too short.
            NotImplementedError: there is a layout, and tensors are cut over processes.
        """
        if layout is not None and not isinstance(layout, tuple):
            raise TypeError(f"For 'Parameter.init_data', 'layout' must be a tuple, but got {layout!r}.")
        if layout is not None and len(layout) < 6:
            raise ValueError(f"For 'Parameter.init_data', 'layout' must have 6 elements or more, but got {layout}.")
        if mode.cut is not None and (layout is not None or set_sliced):
            raise NotImplementedError("For 'Parameter.init_data', strategies say how parameters are cut. Use 'shard'.")
        return self

    def clone(self, init: Any = "same") -> Parameter:
        """Return a new parameter of the same name, shape and dtype.

        Args:
            init: "same" copies the value; an initializer, its name or a number fills the new one. Default: "same".
        """
        from torchspore.common.initializer import initializer

        if _is_same(init):
            if mode.reader is not None and mode.reader.holds(self._t):
                return copy.copy(self)
            value = Tensor(self._t.detach().clone())
        else:
            value = initializer(init, self.shape, self.dtype)
            if mode.reader is not None and mode.reader.holds(self._t):
                value = wrap(mode.reader.like(value.init_data()._t, self._t))
        result = Parameter(value, self.name, self.requires_grad, self.layerwise_parallel, self.parallel_optimizer)
        result.comm_fusion = self.comm_fusion
        return result

    def value(self) -> Tensor:
        """Return a copy of the value, which later updates of the parameter do not change."""
        return wrap(self._t.clone())

    def add_pipeline_stage(self, stage: int) -> None:
        """Check the number of a stage of a pipeline, without effect: a parameter is on the stages of its cells."""
        if not isinstance(stage, int) or isinstance(stage, bool) or stage < 0:
            raise TypeError(f"For 'Parameter.add_pipeline_stage', 'stage' must be an int >= 0, but got {stage!r}.")

    def __repr__(self) -> str:
        return (
            f"Parameter (name={self.name}, shape={self.shape}, dtype={self.dtype}, requires_grad={self.requires_grad})"
        )

    __str__ = __repr__

    def _repr_html_(self) -> str:
        from torchspore.common.showing.tensor_markup import tensor_page  # only notebooks ask

        return tensor_page(self, self.name, "" if self.requires_grad else "not trained")


for _name in ("set_param_fl", "set_param_ps"):
    setattr(Parameter, _name, EarlierMethod("Parameter", _name))


class ParameterTuple(tuple[Parameter, ...]):
    """A tuple of parameters.

    Raises:
        TypeError: an element is not a Parameter.
        ValueError: two different parameters have the same name.

    Examples:
        >>> import torchspore as ms
        >>> weights = ms.ParameterTuple([ms.Parameter(ms.Tensor([1.0]), name="w")])
        >>> [copy.name for copy in weights.clone("moments")]
        ['moments.w']
    """

    def __new__(cls, iterable: Iterable[Parameter]) -> ParameterTuple:
        if not isinstance(iterable, Iterable):
            raise TypeError(
                f"For 'ParameterTuple', 'iterable' must hold Parameters, but got {type(iterable).__name__}."
            )
        parameters = list(iterable)
        names: dict[str, Parameter] = {}
        for parameter in parameters:
            if not isinstance(parameter, Parameter):
                raise TypeError(
                    f"For 'ParameterTuple', every element must be a Parameter, but got {type(parameter).__name__}."
                )
            if names.setdefault(parameter.name, parameter) is not parameter:
                raise ValueError(
                    f"For 'ParameterTuple', two parameters have the name '{parameter.name}'. "
                    "Give each parameter a name of its own."
                )
        return super().__new__(cls, parameters)

    def __iter__(self) -> Iterator[Parameter]:
        return super().__iter__()

    def clone(self, prefix: str, init: Any = "same") -> ParameterTuple:
        """Return new parameters with names prefixed by `prefix.`, and the same values or values from `init`.

        Args:
            prefix: letters, digits, underscores and dots.
            init: as for `Parameter.clone`. Default: "same".

        Raises:
            ValueError: `prefix` is empty or has other characters.
        """
        if not isinstance(prefix, str):
            raise TypeError(f"For 'ParameterTuple.clone', 'prefix' must be a string, but got {type(prefix).__name__}.")
        if not re.fullmatch(r"\w[\w.]*", prefix, re.ASCII):
            raise ValueError(
                f"For 'ParameterTuple.clone', 'prefix' must be of letters, digits, '_' and '.', but got {prefix!r}."
            )
        clones = []
        for parameter in self:
            clone = parameter.clone(init)
            clone.name = f"{prefix}.{parameter.name}"
            clones.append(clone)
        return ParameterTuple(clones)

    def __deepcopy__(self, memo: dict[int, Any]) -> ParameterTuple:
        return ParameterTuple([copy.deepcopy(parameter, memo) for parameter in self])


def _address(value: torch.Tensor) -> int:
    """Return where the elements are: of a tensor that is cut, the elements of this process."""
    is_cut = mode.reader is not None and mode.reader.holds(value)
    return (mode.reader.local(value) if is_cut else value).data_ptr()


def _is_same(init: Any) -> bool:
    return isinstance(init, str) and init == "same"


def _check_flag(flag: str, value: Any, api: str = "Parameter") -> None:
    if not isinstance(value, bool):
        raise TypeError(f"For '{api}', '{flag}' must be a bool, but got {value!r} of type {type(value).__name__}.")
