"""Primitives: operations as classes, whose constructor takes the attributes and whose call takes the inputs.

    ReduceSum = primitive("ReduceSum", sum, keep_dims=False)  # ReduceSum(keep_dims=True)(x, axis) -> sum(x, axis, ...)

A primitive that differs from the function in more than this is a short class with a body of its own.
"""

from __future__ import annotations

import functools
import inspect
import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from torchspore.common.names.class_modules import module_of
from torchspore.engine.arguments import conversions as arguments
from torchspore.engine.distributed.cutting.planned import make_checked
from torchspore.engine.distributed.cutting.rules import aligned, cut_by
from torchspore.engine.distributed.strategies import check_strategies, in_several_processes
from torchspore.engine.failures.errors import describe, explain
from torchspore.engine.failures.naming import name_constructor
from torchspore.engine.generated_functions import argument, define, generated, parameter_list
from torchspore.engine.inferred import compiled_call, described_outputs
from torchspore.engine.op import check_of, op
from torchspore.engine.parameters import take_as

__all__ = [
    "Primitive", "PrimitiveWithCheck", "PrimitiveWithInfer", "_primexpr", "as_primitive", "constexpr",
    "prim_attr_register", "primitive", "primitives",
]  # fmt: skip

_HIDDEN = ("name", "init_attrs", "instance_name")
_IO_NAMES = ("input_names", "output_names")


@functools.cache
def _recorded(file: str) -> dict[str, Any]:
    """Return what a file says of MindSpore's primitives, by their names."""
    found: dict[str, Any] = json.loads(Path(__file__).with_name(file).read_text())
    return found


def _of_class(kind: type, file: str) -> Any:
    return _recorded(file).get(kind.__name__, ()) if module_of(kind).startswith("torchspore.") else ()


def _io_names(kind: type) -> dict[str, list[str]]:
    """Return the attributes `input_names` and `output_names` of a class of primitives, if it has them."""
    return {name: list(value) for name, value in zip(_IO_NAMES, _of_class(kind, "primitive_inputs.json"))}


def _notes(kind: type) -> dict[str, Any]:
    """Return the attributes that tell MindSpore's compiler of side effects and limits; they do nothing here."""
    return dict(_of_class(kind, "primitive_notes.json"))


@functools.cache
def _is_of_program(kind: Any) -> bool:
    """Return whether a class of primitives extends none of the library's operations: its attributes are those noted."""
    bases = [base for base in kind.__mro__ if module_of(base).startswith("torchspore.")]
    return {base.__name__ for base in bases} <= {"Primitive", "PrimitiveWithInfer", "PrimitiveWithCheck"}


class Primitive:
    """The base of all primitives.

    Args:
        name: the primitive's name. Default: the name of the class.

    Examples:
        >>> import torchspore as ms
        >>> ms.ops.Primitive("add").add_prim_attr("scale", 2)
        Prim[add]<scale=2>
    """

    name: str
    _cutting: Any = None  # the rule for its strategies (`engine/distributed/cutting/rules.py`)
    _shows_output = False  # whether the strategy of its first input is that of its output

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.name = cls.__name__
        name_constructor(cls)

    def __init__(self, name: str | None = None) -> None:
        if name is not None or type(self) is Primitive:
            take_as(str, name, "name", type(self).__name__)
        self.name = name or type(self).__name__

    def __call__(self, *inputs: Any, **named: Any) -> Any:
        """Compute the outputs; every primitive defines it."""
        raise NotImplementedError(f"For '{type(self).__name__}', define '__call__' in the subclass.")

    @property
    def attrs(self) -> dict[str, Any]:
        """The attributes."""
        if _is_of_program(type(self)):  # type: ignore[arg-type]
            noted = dict.fromkeys((*self.init_attrs, *self.__dict__.get("_added", ())))
            return {name: self.__dict__[name] for name in noted if name in self.__dict__ and name not in _HIDDEN}
        names = {} if "input_names" in self.__dict__ else _io_names(type(self))
        own = {name: value for name, value in self.__dict__.items() if name not in _HIDDEN and name[:1] != "_"}
        return names | own | {name: value for name, value in _notes(type(self)).items() if name not in own}

    def __getattr__(self, name: str) -> Any:
        """Return the names of the inputs or outputs, or a note, where MindSpore's primitive has them."""
        names = _io_names(type(self)) if name in _IO_NAMES else _notes(type(self))
        if name in names:
            return names[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'", name=name, obj=self)

    @functools.cached_property
    def init_attrs(self) -> dict[str, Any]:
        """The attributes that the constructor takes."""
        parameters = inspect.signature(type(self).__init__).parameters
        return {name: self.__dict__[name] for name in parameters if name in self.__dict__}

    def add_prim_attr(self, name: str, value: Any) -> Primitive:
        """Set an attribute and return the primitive."""
        take_as(str, name, "name", "Primitive.add_prim_attr")
        self.__dict__[name] = value
        self.__dict__.setdefault("_added", {})[name] = None
        return self

    def del_prim_attr(self, name: str) -> Primitive:
        """Delete an attribute and return the primitive."""
        self.__dict__.pop(name, None)
        return self

    def set_prim_instance_name(self, instance_name: str) -> Primitive:
        """Set the attribute `instance_name` and return the primitive."""
        return self.add_prim_attr("instance_name", instance_name)

    def init_prim_io_names(self, inputs: list[str], outputs: list[str]) -> None:
        """Set the attributes `input_names` and `output_names`."""
        self.add_prim_attr("input_names", inputs)
        self.add_prim_attr("output_names", outputs)

    # Outside its parallel and graph modes, MindSpore also only stores these attributes.

    def shard(self, in_strategy: Any = None, out_strategy: Any = None) -> Primitive:
        """Set the attributes `in_strategy` and `out_strategy`, for parallel modes, and return the primitive.

        Each is a tuple with a tuple of ints, or a Layout, for each tensor: the parts of its dimensions.

        Raises:
            ValueError: `out_strategy` without `in_strategy`, or one with ints and the other with Layouts.
        """
        check_strategies(in_strategy, out_strategy, f"{self.name}.shard")
        for name, strategy in (("in_strategy", in_strategy), ("out_strategy", out_strategy)):
            if strategy is not None:
                self.add_prim_attr(name, strategy)
        if in_strategy is not None and in_several_processes():
            from torchspore.engine.distributed.cutting.operations import make_cutting

            make_cutting(self)
        elif in_strategy is not None:
            make_checked(self)
        return self

    def set_stage(self, stage: int) -> Primitive:
        """Set the attribute `stage`, for pipelines of several devices, and return the primitive."""
        return self.add_prim_attr("stage", stage)

    def set_device(self, device_target: str) -> Primitive:
        """Set the attribute `primitive_target`, for graph mode, and return the primitive."""
        return self.add_prim_attr("primitive_target", device_target)

    def place(self, role: str, rank_id: int) -> None:
        """Set the attributes `ms_role` and `rank_id`, for graphs that are split over processes.

        Raises:
            ValueError: `role` is not "MS_WORKER", or `rank_id` is below 0.
        """
        if not isinstance(rank_id, int):
            raise TypeError(f"For 'Primitive.place', 'rank_id' must be an int, but got {describe(rank_id)}.")
        if role != "MS_WORKER" or rank_id < 0:
            raise ValueError(
                "For 'Primitive.place', 'role' must be 'MS_WORKER' and 'rank_id' at least 0, but got "
                f"{describe(role)} and {rank_id}."
            )
        self.add_prim_attr("ms_role", role)
        self.add_prim_attr("rank_id", rank_id)

    def set_user_data(self, key: str, value: Any) -> None:
        """Keep a value that `get_user_data` returns."""
        self.__dict__.setdefault("_user_data", {})[key] = value

    def get_user_data(self, key: str) -> Any:
        """Return what `set_user_data` keeps, or None."""
        return self.__dict__.get("_user_data", {}).get(key)

    def add_attr(self, name: str, value: Any) -> None:
        """Set an attribute."""
        self.add_prim_attr(name, value)

    def del_attr(self, name: str) -> None:
        """Delete an attribute."""
        self.del_prim_attr(name)

    def get_attr_dict(self) -> dict[str, Any]:
        """Return the attributes."""
        return self.attrs

    def set_instance_name(self, instance_name: str) -> None:
        """Set the attribute `instance_name`."""
        self.add_prim_attr("instance_name", instance_name)

    def check_elim(self, *args: Any) -> tuple[bool, Any]:
        """Return whether MindSpore's compiler may replace the call by a value, and the value: (False, None)."""
        return False, None

    # Notes for MindSpore's compiler, which change no result.

    def set_const_prim(self, value: bool) -> None:
        """Note whether the primitive is a constant of graphs."""
        take_as(bool, value, "value", "Primitive.set_const_prim")

    def set_inplace_prim(self, value: bool) -> None:
        """Note whether the primitive writes to its inputs."""
        take_as(bool, value, "value", "Primitive.set_inplace_prim")

    def set_const_input_indexes(self, indexes: Sequence[int]) -> None:
        """Note which inputs are constants of graphs."""
        take_as(Sequence, indexes, "indexes", "Primitive.set_const_input_indexes")

    def set_signatures(self, signatures: Sequence[Any]) -> None:
        """Note how the compiler converts the inputs; operations convert their own."""
        take_as(Sequence, signatures, "signatures", "Primitive.set_signatures")

    def recompute(self, mode: bool = True) -> Primitive:
        """Set the attribute `recompute`, for graph mode, and return the primitive."""
        return self.add_prim_attr("recompute", mode)

    def __repr__(self) -> str:
        attributes = ", ".join(f"{name}={value}" for name, value in self.attrs.items() if name not in _IO_NAMES)
        return f"Prim[{self.name}]" + (f"<{attributes}>" if attributes else "")


class PrimitiveWithInfer(Primitive):
    """A primitive with rules (`infer_shape`, `infer_dtype`) that are not needed here: the results have shape and dtype.

    Examples:
        >>> import torchspore as ms
        >>> class Twice(ms.ops.PrimitiveWithInfer):
        ...     def infer_shape(self, shape):
        ...         return shape
        ...     def __call__(self, x):
        ...         return 2 * x
        >>> print(Twice("twice")(ms.Tensor([1.0, 2.0])))
        [2. 4.]
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "__call__" in vars(cls):
            cls.__call__ = _or_compiled(cls.__call__)  # type: ignore[method-assign]

    def infer_shape(self, *args: Any) -> Any:
        """Return the shape of the output for the inputs' shapes; a primitive may define it."""

    def infer_dtype(self, *args: Any) -> Any:
        """Return the data type of the output for the inputs' data types; a primitive may define it."""

    def infer_value(self, *args: Any) -> Any:
        """Return the output if it follows from inputs that are constants, or None; a primitive may define it."""

    def __infer__(self, *args: dict[str, Any]) -> dict[str, Any]:
        """Return "shape", "dtype" and "value" of the output, given the same of the inputs."""
        return described_outputs(self, args)

    def __call__(self, *inputs: Any, **named: Any) -> Any:
        """Return the output that follows from the inputs, or which the rules describe to a compiler."""
        value = self.infer_value(*inputs, **named)
        result = compiled_call(self, inputs) if value is None else value
        return super().__call__(*inputs, **named) if result is NotImplemented else result


def _or_compiled(call: Callable[..., Any]) -> Callable[..., Any]:
    """Return the `__call__` of a primitive; one that refuses can still be compiled."""

    def compute(self: Any, *inputs: Any, **named: Any) -> Any:
        try:
            return call(self, *inputs, **named)
        except NotImplementedError:
            result = compiled_call(self, inputs)
            if result is NotImplemented:
                raise
            return result

    compute.__name__, compute.__qualname__, compute.__doc__ = call.__name__, call.__qualname__, call.__doc__
    return compute


class PrimitiveWithCheck(Primitive):
    """A primitive with checks (`check_shape`, `check_dtype`) that are not needed: operations check their arguments.

    Examples:
        >>> import torchspore as ms
        >>> class Twice(ms.ops.PrimitiveWithCheck):
        ...     def check_shape(self, shape):
        ...         return shape
        ...     def __call__(self, x):
        ...         return 2 * x
        >>> print(Twice("twice")(ms.Tensor([1.0, 2.0])))
        [2. 4.]
    """

    def check_shape(self, *args: Any) -> Any:
        """Check the shapes of the inputs; a primitive may define it."""

    def check_dtype(self, *args: Any) -> Any:
        """Check the data types of the inputs; a primitive may define it."""

    def check_value(self, *args: Any) -> Any:
        """Check the inputs that are constants; a primitive may define it."""

    def __check__(self, *args: dict[str, Any]) -> None:
        """Check "dtype", "shape" and "value" of the inputs."""
        for name, check in (("dtype", self.check_dtype), ("shape", self.check_shape), ("value", self.check_value)):
            check(*[given[name] for given in args])


def prim_attr_register(fn: Callable[..., None]) -> Callable[..., None]:
    """Decorate the `__init__` of a primitive so that its arguments become attributes.

    Args:
        fn: the `__init__` method.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.engine.primitive import prim_attr_register
        >>> class Scale(ms.ops.Primitive):
        ...     @prim_attr_register
        ...     def __init__(self, factor=2):
        ...         pass
        ...     def __call__(self, x):
        ...         return x * self.factor
        >>> print(Scale(3)(ms.Tensor([1.0, 2.0])))
        [3. 6.]
    """
    signature = inspect.signature(take_as(Callable, fn, "fn", "prim_attr_register"))

    @functools.wraps(fn)
    def init(self: Primitive, *args: Any, **kwargs: Any) -> None:
        Primitive.__init__(self)
        bound = signature.bind(self, *args, **kwargs)
        bound.apply_defaults()
        self.init_attrs = dict(list(bound.arguments.items())[1:])
        self.__dict__.update(self.init_attrs)
        fn(self, *args, **kwargs)

    return init


def constexpr(
    fn: Callable[..., Any] | None = None,
    get_instance: bool = True,
    name: str | None = None,
    reuse_result: bool = True,
    check: bool = True,
) -> Any:
    """Mark a function of constants, which MindSpore's compiler runs at compile time; here it is returned unchanged.

    Args:
        fn: the function; without it, a decorator is returned.
        get_instance: whether to return the function; else a class, whose instances are called like it. Default: True.
        name: the name of that class. Default: the function's.
        reuse_result, check: for MindSpore's compiler; they do not change results.

    Examples:
        >>> from torchspore.engine.primitive import constexpr
        >>> @constexpr
        ... def double(n):
        ...     return 2 * n
        >>> double(3)
        6
    """

    if name is not None:
        take_as(str, name, "name", "constexpr")
    for flag, value in (("get_instance", get_instance), ("reuse_result", reuse_result), ("check", check)):
        take_as(bool, value, flag, "constexpr")

    def mark(function: Callable[..., Any]) -> Any:
        if get_instance:
            return function
        members = {"__call__": lambda self, *args, **kwargs: function(*args, **kwargs), "__doc__": function.__doc__}
        return type(name or function.__name__, (Primitive,), members)

    return mark if fn is None else mark(take_as(Callable, fn, "fn", "constexpr"))


_primexpr = constexpr


def primitive(name: str, function: Callable[..., Any], *required: str, **defaults: Any) -> type[Primitive]:
    """Make the primitive class of an operation.

    Args:
        name: the name of the class.
        function: the operation.
        required: names of the operation's parameters that the constructor takes, without a default.
        defaults: the same with a default.

    Returns:
        A class: its constructor takes the attributes, its call the operation's other parameters, in their order.
    """
    parameters = inspect.signature(function).parameters
    attributes = [*required, *defaults]
    unknown = [attribute for attribute in attributes if attribute not in parameters]
    if unknown:
        raise TypeError(f"primitive '{name}': the operation '{function.__name__}' has no parameters {unknown}")
    annotations = dict(function.__annotations__)
    own = {a: annotations.pop(a) for a in attributes if a in annotations} | {"return": "None"}
    taken = [parameters[a].replace(kind=_EITHER, default=defaults.get(a, inspect.Parameter.empty)) for a in attributes]
    inputs = _inputs(p for p in parameters.values() if p.name not in attributes)
    members = {
        "__init__": _method(_generate_constructor, "__init__", name, function, taken, own),
        "__call__": _method(_generate_call, "__call__", name, function, inputs, annotations),
        "operation": staticmethod(function),
        "__doc__": f"The operation `{function.__name__}` as a primitive.",
        "__module__": function.__module__,
    }
    return type(name, (Primitive,), members)


_EITHER = inspect.Parameter.POSITIONAL_OR_KEYWORD
_SELF = inspect.Parameter("self", _EITHER)


def _inputs(parameters: Iterable[inspect.Parameter]) -> list[inspect.Parameter]:
    """Return the parameters of a primitive's call: by position, too, if the order of defaults allows it."""
    taken: list[inspect.Parameter] = []
    by_name = False
    for p in parameters:
        if p.kind is p.KEYWORD_ONLY:
            after_default = bool(taken) and taken[-1].default is not p.empty
            by_name = by_name or (p.default is p.empty and after_default)
            p = p if by_name else p.replace(kind=_EITHER)
        by_name = by_name or p.kind is p.VAR_POSITIONAL
        taken.append(p)
    return taken


def _method(
    generate: Any, name: str, owner: str, function: Any, parameters: list[inspect.Parameter], annotations: Any
) -> Any:
    """Return a method of a primitive."""
    scope = {"API": owner, "function": function, "parameters": parameters}
    method = generated(generate, name, function.__module__, **scope)
    method.__qualname__, method.__annotations__ = f"{owner}.{name}", annotations
    first = parameters[0].kind if parameters else _SELF.kind
    own = _SELF.replace(kind=first) if first is inspect.Parameter.POSITIONAL_ONLY else _SELF
    method.__signature__ = inspect.Signature(
        [own, *parameters], return_annotation=annotations.get("return", inspect.Signature.empty)
    )
    return method


def _generate_constructor(scope: dict[str, Any]) -> Any:
    """Generate the constructor of a primitive, which checks its attributes as the operation does, and stores them."""
    parameters, api = scope["parameters"], scope["API"]
    scope |= arguments.NAMES
    checks = "".join([check_of(scope["function"], p.name) for p in parameters])
    stored = "".join([f"\n    self.{p.name} = {p.name}" for p in parameters])
    taken = parameter_list([_SELF, *parameters], scope)
    return define(f"def __init__({taken}):{checks}\n    self.name = API{stored}\n", f"primitive {api}", scope)


def _generate_call(scope: dict[str, Any]) -> Any:
    """Generate the call of a primitive, which calls the operation."""
    function, inputs = scope["function"], {p.name: p for p in scope["parameters"]}
    passed = []
    for p in inspect.signature(function).parameters.values():
        value = p.name if p.name in inputs else f"self.{p.name}"
        passed.append(argument(p, value))
    call = f"return function({', '.join(passed)})"
    if not hasattr(function, "body"):  # an operation explains its errors itself
        scope["explain"] = explain
        given = ", ".join([f"{name}={name}" for name in inputs])
        call = (
            f"try: {call}\n    except Exception as error:\n"
            f"        explained = explain(error, API, dict({given}))\n"
            "        try:\n            if explained is error: raise\n            raise explained\n"
            "        finally: del explained"
        )
    taken = parameter_list([_SELF, *inputs.values()], scope)
    return define(f"def __call__({taken}):\n    {call}\n", f"call of primitive {scope['API']}", scope)


def primitives(**operations: Callable[..., Any]) -> dict[str, type[Primitive]]:
    """Make the primitive classes of element-wise operations, whose constructors take nothing.

    Args:
        operations: the operations, by the names of their classes.
    """
    made = {name: primitive(name, function) for name, function in operations.items()}
    cut_by(aligned, *made.values())
    return made


def as_primitive(body: Callable[..., Any]) -> type[Primitive]:
    """Make a function over torch tensors a primitive of its name.

    Args:
        body: the function, annotated as `op` wants it. Its keyword-only parameters are the attributes, which the
            constructor takes; its other parameters are what the call takes.
    """
    parameters = inspect.signature(body).parameters.values()
    attributes = {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY}
    required = [name for name, default in attributes.items() if default is inspect.Parameter.empty]
    defaults = {name: default for name, default in attributes.items() if name not in required}
    made = primitive(body.__name__, op(body), *required, **defaults)
    made.__doc__ = inspect.getdoc(body)
    return made
