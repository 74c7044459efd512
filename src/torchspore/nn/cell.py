"""Cell: the building block of networks, a function with parameters and child cells."""

from __future__ import annotations

import re
import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar

import torch
from torch import Tensor as TorchTensor

from torchspore.common import change_count, mode
from torchspore.common.error_classes import also
from torchspore.common.frames.tracebacks import shorten
from torchspore.common.names.earlier_names import answer_of_cell, earlier_method
from torchspore.common.names.missing_names import MissingNameError
from torchspore.common.names.torch_habits import CELL, hinted
from torchspore.common.parameter import Parameter, ParameterTuple
from torchspore.common.scopes.scope import scope
from torchspore.common.tensor import Tensor
from torchspore.engine.capture.function import METHODS
from torchspore.engine.failures.errors import describe
from torchspore.engine.failures.naming import explain_call, name_constructor
from torchspore.engine.gradients.custom import call_with_bprop, check_recompute_options, recompute
from torchspore.engine.gradients.recording import Record, record
from torchspore.engine.parameters import take_as
from torchspore.engine.values.torch_values import has_torch_tensor
from torchspore.nn.cell_graph import CellGraph, compiler_hint
from torchspore.nn.cell_hooks import CellHooks
from torchspore.nn.cell_parallel import CellParallel
from torchspore.nn.cell_precision import CellPrecision
from torchspore.nn.cell_state import MEMBER_NAME, PATH, CellState, repeated_name
from torchspore.nn.member_operations import member_operation, note_operation
from torchspore.nn.precision import Precision
from torchspore.nn.torch_arguments import call_with_tensors
from torchspore.ops.array.assignment import assign

if TYPE_CHECKING:
    from typing import ParamSpec, Protocol, TypeVar

    from typing_extensions import Self

    P = ParamSpec("P")
    R = TypeVar("R", covariant=True)

    class Constructs(Protocol[P, R]):
        """What has a method `construct`."""

        def construct(self, *args: P.args, **kwargs: P.kwargs) -> R:
            """Compute the outputs."""


__all__ = ["Cell"]

_REGISTRIES = ("_params", "_cells", "_buffers")


class Members(OrderedDict[str, Any]):
    """The members of one kind of a cell, by name; adding or removing one also sets or deletes the attribute."""

    def __init__(self, cell: Cell, members: Iterable[tuple[str, Any]] = ()) -> None:
        self._cell = weakref.ref(cell)
        super().__init__(members)

    def __setitem__(self, name: str, value: Any) -> None:
        change_count.increase()
        super().__setitem__(name, value)
        self._cell().__dict__[name] = value

    def __delitem__(self, name: str) -> None:
        change_count.increase()
        super().__delitem__(name)
        self._cell().__dict__.pop(name, None)

    def pop(self, name: str, *default: Any) -> Any:
        value = super().get(name, *default) if default else self[name]
        if name in self:
            del self[name]
        return value

    def clear(self) -> None:
        for name in list(self):
            del self[name]

    def __reduce__(self) -> tuple[Any, ...]:
        return OrderedDict, (list(self.items()),)


class Cell(CellGraph, CellHooks, CellParallel, CellPrecision, CellState):
    """A layer or a network: subclasses make parameters and child cells in `__init__` and compute in `construct`.

    Args:
        auto_prefix: whether the names of the children's parameters start with the attribute's name. Default: True.
        flags: attributes to set, as `add_flags` does. Default: None.

    A new cell is in inference mode (`training` is False); `set_train()` changes that.

    Examples:
        >>> import torchspore as ms
        >>> class Affine(ms.nn.Cell):
        ...     def __init__(self):
        ...         super().__init__()
        ...         self.scale = ms.Parameter(ms.Tensor([2.0]))
        ...     def construct(self, x):
        ...         return x * self.scale
        >>> print(Affine()(ms.Tensor([3.0])))
        [6.]
    """

    # Every parameter, child and buffer is in the instance's __dict__, where Python finds it at once, and in one of
    # the registries `_params`, `_cells`, `_buffers`, which keep the order.

    training: bool
    _mode_is_set: bool  # whether `set_train` has been called
    cell_type: str | None
    _auto_prefix: bool
    _param_prefix: str
    _requires_grad: bool
    _flags: dict[str, Any]
    _precision: Precision | None
    _recompute: bool

    # Whether `to_float` does not convert the parameters (normalizations: statistics need float32).
    _keeps_parameter_types = False
    # The attributes that `repr` shows.
    _shown: tuple[str, ...] = ()
    _brackets = ("(", ")", "\n)")  # in `repr`: the first, the last, and the last below other cells
    # What captured graphs do not depend on.
    _caches: frozenset[str] = frozenset(
        ("_record", "_plain", "_graphs", METHODS, "_jit_config", "_inputs_hint", "_scope", "_asks", "_mode_is_set",
         "_operations", "_has_run")
    )  # fmt: skip
    # The attributes that every cell has.
    _internals: frozenset[str] = frozenset()
    _record: Record | None = None
    _has_run = False  # the first call makes the names of parameters unique
    _asks = False  # whether a call asks `mode.cut` how it runs: the cell is in a network with stages
    _operations: dict[str, Any] | None = None  # operations of its own by name, with the usual ones
    _habits: ClassVar[dict[str, str]] = CELL
    # Return a torch module as a child, and the Parameter for torch's; set by `module_cell`, which imports this module.
    _of_module: ClassVar[Any]
    _of_torch_parameter: ClassVar[Any]

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        name_constructor(cls)

    def __init__(self, auto_prefix: bool = True, flags: dict[str, Any] | None = None) -> None:
        attributes = self.__dict__
        for registry in _REGISTRIES:
            attributes[registry] = Members(self)
        attributes["training"] = False
        attributes["_mode_is_set"] = False
        attributes["_requires_grad"] = False
        attributes["cell_type"] = None
        attributes["_auto_prefix"] = auto_prefix
        attributes["_param_prefix"] = ""
        attributes["_flags"] = {}
        attributes["_precision"] = None
        attributes["_recompute"] = False
        self._init_hooks()
        self._init_state()
        self._refresh_plain()
        if flags:
            self.add_flags(**flags)

    # Running

    def construct(self, *args: Any, **kwargs: Any) -> Any:
        """Compute the outputs; every subclass defines it."""
        raise AttributeError(
            f"For '{type(self).__name__}', the method 'construct' is not defined. "
            + ("Rename its method 'forward' to 'construct'." if hasattr(type(self), "forward") else "Define it.")
        )

    def _call(self, *args: Any, **kwargs: Any) -> Any:
        """Run the cell."""
        for argument in args:
            if argument.__class__ is TorchTensor:
                return call_with_tensors(self, self._run, args, kwargs)
        if kwargs and has_torch_tensor(kwargs.values()):
            return call_with_tensors(self, self._run, args, kwargs)
        try:
            if mode.graph and scope.depth == 0 and scope.tracing is None:
                if self._inputs_hint is not None:
                    self._inputs_hint.check(args, kwargs, type(self).__name__)
                if not self._has_run:
                    self._prepare_first_call()
                return self._captured(*args, **kwargs)
            if self._plain:
                return self.construct(*args, **kwargs)
            if not self._has_run:
                self._prepare_first_call()
                if self._is_plain():
                    return self.construct(*args, **kwargs)
            if self._requires_grad and scope.depth == 0 and (scope.captured or not mode.graph):
                output, self.__dict__["_record"] = record(self._run, args, kwargs, self.trainable_params())
                return output
            return self._run(*args, **kwargs)
        except Exception as error:
            answer = answer_of_cell(self, args, kwargs) if kwargs and isinstance(error, TypeError) else None
            if answer is not None:
                return answer()
            explained = explain_call(error, self, args, kwargs)
            shorten(error)
            try:
                if explained is error:
                    raise
                raise explained
            finally:
                del explained  # else the traceback's frames keep themselves alive

    if TYPE_CHECKING:  # a call has the arguments and the result of `construct`

        def __call__(self: Constructs[P, R], *args: P.args, **kwargs: P.kwargs) -> R: ...

    else:
        __call__ = _call

    def _refresh_plain(self) -> None:
        """Note whether a call is `construct` and nothing else."""
        change_count.increase()
        self.__dict__["_plain"] = self._has_run and self._is_plain()

    def _is_plain(self) -> bool:
        return not (
            self._requires_grad
            or self._recompute
            or self._precision is not None
            or self._has_hooks()
            or self._asks
            or self._operations is not None
            or hasattr(type(self), "bprop")
        )

    def _prepare_first_call(self) -> None:
        """Name the parameters by their attribute paths before the first call, if two have the same name."""
        if scope.captured or scope.tracing is not None:  # the outermost cell has done it
            return
        self.__dict__.update(_has_run=True, _plain=self._is_plain())
        names = [parameter.name for parameter in self.get_parameters()]
        if len(set(names)) < len(names):
            self.update_parameters_name()

    def _run(self, *args: Any, **kwargs: Any) -> Any:
        if self._asks and mode.cut is not None and mode.cut.stages > 1:
            return mode.cut.call(self, self._run_here, args, kwargs)
        return self._with_hooks(self._compute, args, kwargs)

    def _run_here(self, *args: Any, **kwargs: Any) -> Any:
        return self._with_hooks(self._compute, args, kwargs)

    def _compute(self, *args: Any, **kwargs: Any) -> Any:
        if self._recompute and scope.depth and not hasattr(type(self), "bprop"):
            return recompute(self._in_precision, *args, **kwargs)
        return self._in_precision(*args, **kwargs)

    def _in_precision(self, *args: Any, **kwargs: Any) -> Any:
        if self._precision is None:
            return self._construct(args, kwargs)
        held = [] if self._keeps_parameter_types else list(self.__dict__.values())
        return self._precision.call(self._construct, held, args, kwargs)

    def _construct(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        construct = self._hooked_construct()
        if scope.depth and hasattr(type(self), "bprop"):
            weights = [p for p in self.trainable_params() if p._t.requires_grad]
            bprop = self.bprop  # type: ignore[attr-defined]  # of the subclass
            return call_with_bprop(type(self).__name__, construct, bprop, args, kwargs, weights, self.construct)
        return construct(*args, **kwargs)

    # Attributes

    def __setattr__(self, name: str, value: Any) -> None:
        if "_params" not in self.__dict__:
            if isinstance(value, (Parameter, ParameterTuple, Cell, torch.nn.Module)):
                raise AttributeError(
                    f"For '{type(self).__name__}', the attribute '{name}' was assigned before the cell was set up. "
                    "Call super().__init__() first in __init__."
                )
            object.__setattr__(self, name, value)
        elif isinstance(value, Parameter):
            MEMBER_NAME.take(name, "name", type(self).__name__)
            self._insert_parameter(name, value)
        elif isinstance(value, ParameterTuple):
            self._insert_parameter_tuple(name, value)
        elif isinstance(value, Cell):
            MEMBER_NAME.take(name, "name", type(self).__name__)
            note_operation(self, name, value)
            self._replace("_cells", name, value)
            if self._auto_prefix:
                value.update_parameters_name(name + ".")
        elif isinstance(value, torch.nn.Module):
            self.__setattr__(name, self._of_module(self, value))
        elif value.__class__ is torch.nn.Parameter:
            self._insert_parameter(name, self._of_torch_parameter(value))
        elif name in self._params:
            self._assign_to_parameter(name, value)
        elif name in self._cells:
            if value is not None:
                raise TypeError(
                    f"For '{type(self).__name__}', the attribute '{name}' is a cell: assign a Cell or None, "
                    f"but got {describe(value)}. Delete the attribute first to use the name otherwise."
                )
            self._cells[name] = None
        elif name in self._buffers:
            self._set_buffer(name, value)
        else:
            change_count.increase()
            if isinstance(value, (tuple, list)) and value and all(isinstance(each, Parameter) for each in value):
                twice = repeated_name({id(each): each for each in value if not each.has_default_name}.values())
                if twice is not None:
                    raise ValueError(
                        f"For '{type(self).__name__}', parameters in the attribute '{name}' must have different names, "
                        f"but two are '{twice}'."
                    )
            note_operation(self, name, value)
            object.__setattr__(self, name, value)
            if scope.depth and isinstance(value, Tensor):
                scope.stashed[id(value)] = value

    def __delattr__(self, name: str) -> None:
        for registry in _REGISTRIES:
            if name in self.__dict__.get(registry, ()):
                del self.__dict__[registry][name]
                return
        change_count.increase()
        object.__delattr__(self, name)

    def _missing(self, name: str) -> Any:
        if hasattr(type(self), name):
            return object.__getattribute__(self, name)  # a property that failed: show its own error
        if "_params" not in self.__dict__ and not name.startswith("__"):
            raise AttributeError(
                f"For '{type(self).__name__}', the attribute '{name}' was read before the cell was set up. "
                "Call super().__init__() first in __init__."
            )
        for registry in _REGISTRIES:  # packages call `__getattr__` themselves
            if name in self.__dict__.get(registry, ()):
                return self.__dict__[registry][name]
        operation = None if name.startswith("_") else member_operation(self, name)
        if operation is None:
            operation = earlier_method("nn.Cell", self, name)
        if operation is not None:
            return operation
        hint = hinted(self._habits, name)
        text = f"The '{type(self).__name__}' object has no attribute '{name}'.{compiler_hint(name)}{hint}"
        raise MissingNameError(text, list if hint else super().__dir__, name=name, obj=self)

    if not TYPE_CHECKING:  # checkers report attributes that no method of the class assigns
        __getattr__ = _missing

    def __getstate__(self) -> dict[str, Any]:
        state = {name: value for name, value in self.__dict__.items() if name not in ("_record", "_graphs", METHODS)}
        return state | {registry: list(state[registry].items()) for registry in _REGISTRIES if registry in state}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        for registry in _REGISTRIES:
            if registry in state:
                self.__dict__[registry] = Members(self, state[registry])

    def _replace(self, registry: str, name: str, value: Any) -> None:
        """Set `value` under `name` in one registry; refuse the name of another kind of member."""
        self._check_free(registry, name)
        for other in _REGISTRIES:
            if other != registry:
                self.__dict__[other].pop(name, None)
        self.__dict__[registry][name] = value

    def _check_free(self, registry: str, name: str, *, new: bool = False) -> None:
        """Refuse a name that is not free for a member of this kind; with `new`, also a plain attribute's name."""
        others = [other for other in _REGISTRIES if other != registry]
        if (
            any(self.__dict__[other].get(name) is not None for other in others)
            or hasattr(type(self), name)
            or (new and name in self.__dict__ and not any(name in self.__dict__[known] for known in _REGISTRIES))
        ):
            raise KeyError(
                f"For '{type(self).__name__}', the attribute '{name}' exists already and is of another kind. "
                "Delete it first, or use another name."
            )

    def _assign_to_parameter(self, name: str, value: Any) -> None:
        parameter = self._params[name]
        if value is None:
            self._params[name] = None
        elif isinstance(value, Tensor) and parameter is not None:
            parameter.set_data(value)
        elif isinstance(value, Tensor):
            del self._params[name]
            object.__setattr__(self, name, value)
        elif parameter is not None and isinstance(value, (bool, int, float)) and (mode.graph or scope.captured):
            assign(parameter, value)
        else:
            raise TypeError(
                f"For '{type(self).__name__}', the attribute '{name}' is a parameter: assign a Parameter, a Tensor "
                f"(its new value) or None, but got {describe(value)}."
            )

    def _insert_parameter(self, name: str, parameter: Parameter) -> None:
        self._replace("_params", name, parameter)
        if parameter.has_default_name:
            parameter.name = name

    def _insert_parameter_tuple(self, name: str, parameters: ParameterTuple) -> None:
        if isinstance(getattr(type(self), name, None), property):
            object.__setattr__(self, name, parameters)
            return
        # Its parameters are members under their own names; those without a name are numbered within the cell.
        unknown = [p for p in parameters if not any(p is known for known in self._params.values())]
        number = sum(known.startswith("Parameter$") for known in self._params)
        names = []
        for parameter in unknown:
            number += parameter.has_default_name
            names.append(f"Parameter${number}" if parameter.has_default_name else parameter.name)
            self._check_free("_params", names[-1], new=True)
        for registry in _REGISTRIES:
            self.__dict__[registry].pop(name, None)
        for key, parameter in zip(names, unknown):
            self._insert_parameter(key, parameter)
        object.__setattr__(self, name, parameters)

    # Parameters

    def insert_param_to_cell(
        self, param_name: str, param: Parameter | None, check_name_contain_dot: bool = True
    ) -> None:
        """Add a parameter under an attribute name.

        Args:
            param_name: the name of the attribute; a parameter without a name takes it.
            param: the parameter, or None to declare an absent one.
            check_name_contain_dot: whether a dot in the name is refused. Default: True.

        Raises:
            KeyError: the name is empty or has a dot, or an attribute of another kind has it.
        """
        (MEMBER_NAME if check_name_contain_dot else PATH).take(param_name, "param_name", "insert_param_to_cell")
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(
                f"For 'insert_param_to_cell', 'param' must be a Parameter or None, but got {describe(param)}."
            )
        self._check_free("_params", param_name, new=True)
        if param is None:
            self._replace("_params", param_name, None)
        else:
            self._insert_parameter(param_name, param)

    def get_parameters(self, expand: bool = True) -> Iterator[Parameter]:
        """Iterate over the parameters: the cell's own and, with `expand`, those in all cells inside."""
        for _, parameter in self.parameters_and_names(expand=expand):
            yield parameter

    def parameters_and_names(self, name_prefix: str = "", expand: bool = True) -> Iterator[tuple[str, Parameter]]:
        """Iterate over (attribute path, parameter), each parameter once."""
        seen: set[int] = set()
        cells = self.cells_and_names(name_prefix=name_prefix) if expand else iter([(name_prefix, self)])
        for path, cell in cells:
            for name, parameter in cell._params.items():
                if parameter is not None and id(parameter) not in seen:
                    seen.add(id(parameter))
                    yield (f"{path}.{name}" if path else name), parameter

    def parameters_dict(self, recurse: bool = True) -> OrderedDict[str, Parameter]:
        """Return the parameters by their names."""
        return OrderedDict((parameter.name, parameter) for parameter in self.get_parameters(expand=recurse))

    def trainable_params(self, recurse: bool = True) -> list[Parameter]:
        """Return the parameters with `requires_grad`."""
        return [parameter for parameter in self.get_parameters(expand=recurse) if parameter.requires_grad]

    def untrainable_params(self, recurse: bool = True) -> list[Parameter]:
        """Return the parameters without `requires_grad`."""
        return [parameter for parameter in self.get_parameters(expand=recurse) if not parameter.requires_grad]

    def update_parameters_name(self, prefix: str = "", recurse: bool = True) -> None:
        """Name every parameter by `prefix` and its attribute path.

        Raises:
            ValueError: `prefix` has other characters than letters, digits, '_', '-' and '.'.
        """
        if not isinstance(prefix, str):
            raise TypeError(f"For 'update_parameters_name', 'prefix' must be a string, but got {describe(prefix)}.")
        if not re.fullmatch(r"[\w.\-]*", prefix, re.ASCII):
            raise ValueError(
                "For 'update_parameters_name', 'prefix' must be of letters, digits, '_', '-' and '.', "
                f"but got {prefix!r}."
            )
        for path, parameter in self.parameters_and_names(expand=recurse):
            parameter.name = prefix + path

    def check_names(self) -> None:
        """Check that no two parameters have the same name.

        Raises:
            ValueError: two have.
        """
        names: dict[str, str] = {}
        for path, parameter in self.parameters_and_names():
            if parameter.name in names:
                raise ValueError(
                    f"For '{type(self).__name__}', the parameters '{names[parameter.name]}' and '{path}' have the same "
                    f"name '{parameter.name}'. Give each parameter a name of its own."
                )
            names[parameter.name] = path

    def check_names_and_refresh_name(self) -> None:
        """Check the names, then name every parameter without a name by its attribute path."""
        self.check_names()
        for path, parameter in self.parameters_and_names():
            if parameter.has_default_name:
                parameter.name = path

    def init_parameters_data(self, auto_parallel_mode: bool = False) -> dict[Parameter, Parameter]:
        """Return the replacement of each parameter: itself, as it was initialized when it was created.

        Args:
            auto_parallel_mode: whether parameters may be cut. Default: False.
        """
        return {parameter: parameter for parameter in self.get_parameters()}

    # Child cells

    def insert_child_to_cell(self, child_name: str, child_cell: Cell | None) -> None:
        """Add a child cell under an attribute name, with errors as `insert_param_to_cell`.

        Unlike an assignment, this does not rename its parameters.
        """
        MEMBER_NAME.take(child_name, "child_name", "insert_child_to_cell")
        if isinstance(child_cell, torch.nn.Module):
            child_cell = self._of_module(self, child_cell)
        if child_cell is not None and not isinstance(child_cell, Cell):
            raise TypeError(
                f"For 'insert_child_to_cell', 'child_cell' must be a Cell or None, but got {describe(child_cell)}."
            )
        self._check_free("_cells", child_name, new=True)
        self._replace("_cells", child_name, child_cell)

    def cells(self) -> Any:
        """Return the direct children."""
        return self.name_cells().values()

    def name_cells(self) -> OrderedDict[str, Cell]:
        """Return the direct children by their names, each once."""
        children: OrderedDict[str, Cell] = OrderedDict()
        for name, cell in self._cells.items():
            if cell is not None and not any(cell is known for known in children.values()):
                children[name] = cell
        return children

    def cells_and_names(self, cells: set[Cell] | None = None, name_prefix: str = "") -> Iterator[tuple[str, Cell]]:
        """Iterate over (attribute path, cell): this cell first, then all inside, each once."""
        seen = set() if cells is None else cells
        if self in seen:
            return
        seen.add(self)
        yield name_prefix, self
        for name, cell in self._cells.items():
            if cell is not None:
                yield from cell.cells_and_names(seen, f"{name_prefix}.{name}" if name_prefix else name)

    def get_sub_cell(self, target: str) -> Cell:
        """Return the cell at an attribute path such as `"layer1.0"`; "" is this cell.

        Raises:
            AttributeError: there is no such cell.
        """
        if not isinstance(target, str):
            raise TypeError(f"For 'get_sub_cell', 'target' must be a string, but got {describe(target)}.")
        cell: Any = self
        for name in filter(None, target.split(".")):
            cell = getattr(cell, name)
        if not isinstance(cell, Cell):
            raise AttributeError(f"For 'get_sub_cell', '{target}' is not a Cell, but {describe(cell)}.")
        return cell

    def apply(self, fn: Callable[[Cell], Any]) -> Self:
        """Call `fn` on every cell inside, children first, and on this one; return this one."""
        take_as(Callable, fn, "fn", "Cell.apply")
        for cell in self.cells():
            cell.apply(fn)
        fn(self)
        return self

    # Modes and settings

    def set_train(self, mode: bool = True) -> Self:
        """Put this cell and all inside into training (True) or inference (False) mode; return the cell."""
        mode = bool(mode)
        done: set[Cell] = set()
        for _, cell in self.cells_and_names():
            if cell not in done:
                done.update(cell._set_mode(mode))
        self.phase = "train" if mode else "predict"
        return self

    def _set_mode(self, training: bool) -> Iterable[Cell]:
        """Set the mode of this cell; return the cells inside that have it now, too."""
        if self.training is not training:
            change_count.increase()
            self.__dict__["training"] = training
        self.__dict__["_mode_is_set"] = True
        return ()

    def set_grad(self, requires_grad: bool = True) -> Self:
        """Keep the forward pass of every call for a later `grad` of this cell on the same inputs; return the cell."""
        self.__dict__["_requires_grad"] = bool(requires_grad)
        self.__dict__["_record"] = None
        self._refresh_plain()
        return self

    @property
    def requires_grad(self) -> bool:
        """Whether the forward passes are kept, as `set_grad` says."""
        return self._requires_grad

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        self.set_grad(value)

    def recompute(
        self,
        *,
        use_reentrant: bool = True,
        output_recompute: bool = False,
        early_stop: bool = True,
        context_fn: Any = None,
        mp_comm_recompute: bool = True,
        parallel_optimizer_comm_recompute: bool = False,
        recompute_slice_activation: bool = False,
    ) -> None:
        """Recompute the intermediate results of this cell in the backward pass instead of keeping them.

        The options are bools that tune MindSpore's engine and its parallel modes, and do not change results;
        `context_fn` is refused.
        """
        check_recompute_options(
            "Cell.recompute", use_reentrant=use_reentrant, output_recompute=output_recompute, early_stop=early_stop,
            mp_comm_recompute=mp_comm_recompute, parallel_optimizer_comm_recompute=parallel_optimizer_comm_recompute,
            recompute_slice_activation=recompute_slice_activation,
        )  # fmt: skip
        if context_fn is not None:
            # Without `use_reentrant=False`, MindSpore says that the value is wrong.
            kind = also(NotImplementedError, ValueError) if use_reentrant else NotImplementedError
            raise kind("For 'Cell.recompute', 'context_fn' is not supported. Leave it out.")
        self.__dict__["_recompute"] = True
        self.add_flags(output_recompute=output_recompute)
        self._mark_recomputed()
        self._refresh_plain()

    def __dir__(self) -> list[str]:
        # Programs look for primitives among these names, and for the rest in the registries, as MindSpore has them.
        registered = {*self._params, *self._cells, *self._buffers}
        return [name for name in super().__dir__() if name not in registered]

    @property
    def param_prefix(self) -> str:
        """The attribute path of this cell, after `update_cell_prefix` of the outermost one."""
        return self._param_prefix

    def update_cell_prefix(self) -> None:
        """Set `param_prefix` of all cells inside."""
        for path, cell in self.cells_and_names():
            cell.__dict__["_param_prefix"] = path

    def update_cell_type(self, cell_type: str) -> None:
        """Set the attribute `cell_type`."""
        self.cell_type = cell_type

    @property
    def cls_name(self) -> str:
        """The name of the class."""
        return type(self).__name__

    # Printing

    def extend_repr(self) -> str:
        """Return what `repr` shows between the parentheses; layers override it or list attributes in `_shown`."""
        return ", ".join(f"{name}={getattr(self, name)}" for name in self._shown)

    def __repr__(self) -> str:
        extra = self.extend_repr()
        first, last, last_below = self._brackets
        if not self._cells and "\n" not in extra:
            return f"{type(self).__name__}{first}{extra}{last}"
        lines = [extra.replace("\n", "\n  ")] if extra else []
        for name, cell in self._cells.items():
            lines.append(f"({name}): {cell!r}".replace("\n", "\n  "))
        return f"{type(self).__name__}{first}\n  " + "\n  ".join(lines) + last_below

    def _repr_html_(self) -> str:
        from torchspore.nn.cell_markup import cell_page  # only notebooks ask

        return cell_page(self)


Cell._internals = Cell._caches | vars(Cell()).keys()


name_constructor(Cell)
