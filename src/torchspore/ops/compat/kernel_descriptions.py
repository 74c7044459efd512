"""Descriptions of kernels for MindSpore's kernel registry.

Here PyTorch computes, and no kernel is chosen by a description, so a description is just a dict. The decorators set it
as an attribute of the function, or store the function by name.
"""

from __future__ import annotations

import functools
import inspect
from collections import UserDict
from collections.abc import Callable
from types import ModuleType
from typing import Any, ClassVar

from torchspore.engine.failures.errors import describe
from torchspore.engine.failures.naming import named
from torchspore.engine.parameters import take_as
from torchspore.engine.primitive import Primitive

__all__ = [
    "AiCPURegOp", "AkgAscendRegOp", "AkgGpuRegOp", "CpuRegOp", "CustomRegOp", "DataType", "TBERegOp",
    "custom_info_register", "get_vm_impl_fn", "op_info_register", "tensor_operator_registry", "vm_impl_registry",
]  # fmt: skip

_TYPES = {
    "BOOL": "bool", "I8": "int8", "U8": "uint8", "I16": "int16", "U16": "uint16", "I32": "int32", "U32": "uint32",
    "I64": "int64", "U64": "uint64", "F16": "float16", "F32": "float32", "F64": "float64", "BF16": "bfloat16",
}  # fmt: skip
# Memory formats: the endings of the names of `DataType`, and the kernels' names where these differ.
_FORMATS = {
    "None": "", "Default": "DefaultFormat", "5HD": "NC1HWC0", "FracZ": "FRACTAL_Z", "FracNZ": "FRACTAL_NZ",
    "FracZNLSTM": "FRACTAL_ZN_LSTM", "FracZNRNN": "FRACTAL_ZN_RNN", "ND_RNNBIAS": "ND_RNN_BIAS",
}  # fmt: skip
_COMMON_FORMATS = "None Default 5HD FracZ FracNZ C1HWNCoC0 NCHW NHWC HWCN NDHWC ChannelLast"
_RARE_FORMATS = {
    "NCDHW NDC1HWC0": "I8 U8 I32 F16 F32 BF16",
    "NC1HWC0": "I8 U8",
    "DHWCN FRACTAL_Z_3D FracZNLSTM FracZNRNN ND_RNNBIAS": "F16 F32 BF16",
}


class DataType:
    """Pairs of a data type and a memory format, for `dtype_format` of descriptions: `DataType.F32_Default`.

    Examples:
        >>> import torchspore as ms
        >>> ms.ops.DataType.F32_Default
        ('float32', 'DefaultFormat')
    """

    None_None = ("", "")
    None_Default = ("", "DefaultFormat")
    C64_Default = ("complex64", "DefaultFormat")
    C64_Default_Tuple = (*C64_Default, "tuple")
    C128_Default = ("complex128", "DefaultFormat")
    C128_Default_Tuple = (*C128_Default, "tuple")


for _short, _dtype in _TYPES.items():
    _rare = [formats for formats, types in _RARE_FORMATS.items() if _short in types.split()]
    for _format in " ".join([_COMMON_FORMATS, *_rare]).split():
        setattr(DataType, f"{_short}_{_format}", (_dtype, _FORMATS.get(_format, _format)))
    for _container in ("Tuple", "List"):
        setattr(DataType, f"{_short}_Default_{_container}", (_dtype, "DefaultFormat", _container.lower()))


class _Description:
    """The base of the descriptions. Every method returns the description, so calls can be chained."""

    _fields: ClassVar[dict[str, Any]] = {}

    def __init__(self, op_name: str) -> None:
        if not isinstance(op_name, str):
            raise ValueError(f"For '{type(self).__name__}', 'op_name' must be a string, but got {describe(op_name)}.")
        self._info: dict[str, Any] = {
            "op_name": op_name, "inputs": [], "outputs": [], "attr": [], "fusion_type": "", "dtype_format": [],
            **{name: [] if default == [] else default for name, default in self._fields.items()},
        }  # fmt: skip

    def _add(self, list_name: str, entries: dict[str, Any], **named: Any) -> Any:
        """Add a dict to a list, without the entries whose value is None."""
        given = {name: value for name, value in entries.items() if value is not None}
        for name, value in (given | named).items():
            kind = {"index": int, "needCompile": bool, "need_compile": bool}.get(name, str if name in given else object)
            take_as(kind, value, name, f"{type(self).__name__}.{list_name}")
        self._info[list_name].append(given | named)
        return self

    def _set(self, field: str, value: Any, kind: type) -> Any:
        self._info[field] = take_as(kind, value, field, type(self).__name__)
        return self

    def fusion_type(self, fusion_type: str) -> Any:
        """Set how the operation may be fused with others: "OPAQUE", "ELEMWISE", ..."""
        return self._set("fusion_type", fusion_type, str)

    def dtype_format(self, *args: tuple[str, ...]) -> Any:
        """Add data types and formats, a member of `DataType` for each input and output."""
        api = f"{type(self).__name__}.dtype_format"
        expected = len(self._info["inputs"]) + len(self._info["outputs"])
        if len(args) != expected:
            raise ValueError(
                f"For '{api}', there must be a member of 'DataType' for each of the {expected} inputs and outputs, but "
                f"got {len(args)}."
            )
        for member in args:
            if not isinstance(member, tuple) or len(member) not in (2, 3):
                raise ValueError(
                    f"For '{api}', every argument must be a tuple of a data type, a format and optionally 'tuple' or "
                    f"'list', but got {describe(member)}."
                )
            for part in member:
                take_as(str, part, "args", api)
        self._info["dtype_format"].append(args)
        return self

    def get_op_info(self) -> dict[str, Any]:
        """Return the description as a dict."""
        return self._info


# The keys of the entries of a description, where they differ from the names of the parameters.
_KEYS = {
    "param_type": "paramType", "value_type": "type", "default_value": "defaultValue", "value_depend": "valueDepend",
}  # fmt: skip
_NO_DEFAULT = inspect.Parameter.empty


def _method(store: Callable[..., Any], doc: str, defaults: dict[str, Any]) -> Callable[..., Any]:
    """Return a method with these parameters, which calls `store` with the description and all values."""
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [inspect.Parameter(name, kind, default=default) for name, default in defaults.items()]
    signature = inspect.Signature([inspect.Parameter("self", kind), *parameters])

    def method(*args: Any, **kwargs: Any) -> Any:
        named = {name: kwargs.pop(name) for name in [*kwargs] if name not in defaults}
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return store(*bound.arguments.values(), **named)

    method.__signature__, method.__doc__ = signature, doc  # type: ignore[attr-defined]
    return method


def _lister(field: str, what: str, names: str, param_type: str | None = None) -> Callable[..., Any]:
    """Return a method that adds an entry to a list of a description; its further keyword arguments are entries, too.

    Args:
        field: the list: "inputs", "outputs" or "attr".
        what: what an entry describes.
        names: the parameters, which are None by default.
        param_type: the default of the parameter of that name.
    """
    keys = [_KEYS.get(name, name) for name in names.split()]
    if field == "inputs":
        keys = ["needCompile" if key == "need_compile" else key for key in keys]

    def add(description: _Description, *values: Any, **named: Any) -> Any:
        return description._add(field, dict(zip(keys, values)), **named)

    defaults = {name: param_type if name == "param_type" else None for name in names.split()}
    return _method(add, f"Describe {what} by its {names.replace(' ', ', ')}.", defaults)


def _setter(name: str, field: str, what: str, kind: type, default: Any = _NO_DEFAULT) -> Callable[..., Any]:
    """Return a method with a parameter `name` that sets a field, of the type `kind`, of a description."""

    def set_field(description: _Description, value: Any) -> Any:
        return description._set(field, value, kind)

    return _method(set_field, f"Set {what}.", {name: default})


class _HostDescription(_Description):
    input = _lister("inputs", "an input", "index name param_type")
    output = _lister("outputs", "an output", "index name param_type")
    attr = _lister("attr", "an attribute", "name value_type value")


class CpuRegOp(_HostDescription):
    """The description of a CPU kernel.

    Args:
        op_name: the operation's name, a string, else ValueError is raised.

    Examples:
        >>> import torchspore as ms
        >>> info = ms.ops.CpuRegOp("Neg").input(0, "x").output(0, "y")
        >>> info.get_op_info()["inputs"]
        [{'index': 0, 'name': 'x'}]
    """

    _fields: ClassVar[dict[str, Any]] = {"imply_type": "CPU"}


class AiCPURegOp(_HostDescription):
    """The description of a kernel for the CPUs of Ascend cards; see `CpuRegOp`.

    Examples:
        >>> import torchspore as ms
        >>> ms.ops.AiCPURegOp("Neg").input(0, "x").output(0, "y").get_op_info()["imply_type"]
        'AiCPU'
    """

    _fields: ClassVar[dict[str, Any]] = {"imply_type": "AiCPU"}


class _AkgDescription(_Description):
    input = _lister("inputs", "an input", "index name param_type")
    output = _lister("outputs", "an output", "index name")
    attr = _lister("attr", "an attribute", "name param_type value_type")


class AkgAscendRegOp(_AkgDescription):
    """The description of a kernel that the compiler AKG generates for Ascend cards; see `CpuRegOp`.

    Examples:
        >>> import torchspore as ms
        >>> ms.ops.AkgAscendRegOp("Neg").input(0, "x").output(0, "y").get_op_info()["processor"]
        'AiCore'
    """

    _fields: ClassVar[dict[str, Any]] = {"imply_type": "AKG", "processor": "AiCore"}


class AkgGpuRegOp(_AkgDescription):
    """The description of a kernel that the compiler AKG generates for GPUs; see `CpuRegOp`.

    Examples:
        >>> import torchspore as ms
        >>> ms.ops.AkgGpuRegOp("Neg").input(0, "x").output(0, "y").get_op_info()["processor"]
        'CUDA'
    """

    _fields: ClassVar[dict[str, Any]] = {"imply_type": "AKG", "processor": "CUDA"}


class CustomRegOp(_Description):
    """The description of a function that `Custom` calls.

    Args:
        op_name: as for `CpuRegOp`. Default: "Custom".

    Examples:
        >>> import torchspore as ms
        >>> ms.ops.CustomRegOp().input(0, "x").output(0, "y").target("CPU").get_op_info()["target"]
        'CPU'
    """

    _fields: ClassVar[dict[str, Any]] = {"target": "UnKnown"}

    def __init__(self, op_name: str = "Custom") -> None:
        super().__init__(op_name)

    input = _lister("inputs", "an input", "index name param_type", param_type="required")
    output = _lister("outputs", "an output", "index name param_type", param_type="required")
    attr = _lister("attr", "an attribute", "name param_type value_type default_value")

    def target(self, target: str | None = None) -> CustomRegOp:
        """Set the device: "Ascend", "GPU" or "CPU"."""
        return self if target is None else self._set("target", target, str)


class TBERegOp(_Description):
    """The description of a kernel that TBE, a compiler for Ascend cards, generates; see `CpuRegOp`.

    Examples:
        >>> import torchspore as ms
        >>> ms.ops.TBERegOp("Neg").input(0, "x").output(0, "y").get_op_info()["imply_type"]
        'TBE'
    """

    _fields: ClassVar[dict[str, Any]] = {
        "imply_type": "TBE", "async_flag": False, "binfile": "", "compute_cost": 10, "kernel": "",
        "partial_flag": False, "reshape_type": "", "dynamicRankSupport": False, "dynamicShapeSupport": False,
        "dynamicCompileStatic": False, "needCheckSupport": False, "dynamicFormat": False, "op_pattern": "",
        "real_input_index": [], "input_to_attr_index": [], "unknown_shape_formats": [],
    }  # fmt: skip

    input = _lister("inputs", "an input", "index name need_compile param_type shape value_depend")
    output = _lister("outputs", "an output", "index name need_compile param_type shape")
    attr = _lister("attr", "an attribute", "name param_type value_type value default_value")

    async_flag = _setter("async_flag", "async_flag", "whether the kernel runs asynchronously", bool, False)
    binfile_name = _setter("binfile_name", "binfile", "the file name of the kernel", str)
    compute_cost = _setter("compute_cost", "compute_cost", "the cost of the kernel", int, 10)
    kernel_name = _setter("kernel_name", "kernel", "the name of the kernel", str)
    partial_flag = _setter(
        "partial_flag", "partial_flag", "whether the kernel may compute a part of the output", bool, True
    )
    reshape_type = _setter("reshape_type", "reshape_type", "how shapes of lower rank are extended to the format", str)
    dynamic_shape = _setter("dynamic_shape", "dynamicShapeSupport", "whether the sizes may be unknown", bool, False)
    dynamic_rank_support = _setter(
        "dynamic_rank_support", "dynamicRankSupport", "whether the number of dimensions may be unknown", bool
    )
    dynamic_compile_static = _setter(
        "dynamic_compile_static",
        "dynamicCompileStatic",
        "whether a kernel for unknown sizes is used for known ones, too",
        bool,
        False,
    )
    need_check_supported = _setter(
        "need_check_supported", "needCheckSupport", "whether to check that it supports its inputs", bool, False
    )
    is_dynamic_format = _setter(
        "is_dynamic_format", "dynamicFormat", "whether the kernel chooses the format", bool, False
    )
    real_input_index = _setter("real_input_index", "real_input_index", "the order of the inputs", list)
    input_to_attr_index = _setter(
        "input_to_attr_index", "input_to_attr_index", "which inputs are attributes of the kernel", list
    )

    def op_pattern(self, pattern: str | None = None) -> Any:
        """Set how formats and types are inferred: "broadcast", "reduce" or "formatAgnostic"."""
        return self if pattern is None else self._set("op_pattern", pattern, str)

    def unknown_shape_formats(self, unknown_shape_formats: list[str]) -> Any:
        """Add the formats for unknown sizes."""
        take_as(list, unknown_shape_formats, "unknown_shape_formats", "TBERegOp")
        self._info["unknown_shape_formats"].append(unknown_shape_formats)
        return self


def op_info_register(op_info: dict[str, Any] | str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that sets the description of an operation as the attribute `op_info` of a function.

    Args:
        op_info: the result of `get_op_info`, or the same as JSON.

    Examples:
        >>> import torchspore as ms
        >>> @ms.ops.op_info_register(ms.ops.CpuRegOp("Neg").input(0, "x").output(0, "y").get_op_info())
        ... def negate(x):
        ...     return -x
        >>> negate(3), negate.op_info["op_name"]
        (-3, 'Neg')
    """
    if not isinstance(op_info, (dict, str)):
        raise TypeError(f"For 'op_info_register', 'op_info' must be a dict or a string, but got {describe(op_info)}.")
    return functools.partial(_with_attribute, name="op_info", value=op_info)


def custom_info_register(*reg_info: dict[str, Any] | str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that sets descriptions as the attribute `reg_info` of a function for `Custom`.

    Args:
        reg_info: results of `get_op_info`, or the same as JSON.

    Examples:
        >>> import torchspore as ms
        >>> @ms.ops.custom_info_register(ms.ops.CustomRegOp().target("CPU").get_op_info())
        ... def negate(x):
        ...     return -x
        >>> negate.reg_info[0]["target"]
        'CPU'
    """
    for info in reg_info:
        if not isinstance(info, (dict, str)):
            raise TypeError(f"For 'custom_info_register', give dicts or strings, but got {describe(info)}.")
    return functools.partial(_with_attribute, name="reg_info", value=reg_info)


def _with_attribute(fn: Callable[..., Any], name: str, value: Any) -> Callable[..., Any]:
    @functools.wraps(fn)
    def call(*args: Any, **kwargs: Any) -> Any:
        return fn(*args, **kwargs)

    setattr(call, name, value)
    return call


class _Implementations(UserDict[str, Any]):
    """The registered functions, by the name of their primitive."""

    def register(self, prim: str | type[Primitive]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Return a decorator that registers a function for a primitive.

        Args:
            prim: the primitive's name or class. The function takes the argument of `get_vm_impl_fn` and returns the
                function that computes.
        """
        if not isinstance(prim, str) and not (isinstance(prim, type) and issubclass(prim, Primitive)):
            raise TypeError(
                f"For 'vm_impl_registry.register', 'prim' must be a name or a class of primitives, but got "
                f"{describe(prim)}."
            )

        def store(fn: Callable[..., Any]) -> Callable[..., Any]:
            self[prim if isinstance(prim, str) else prim.__name__] = fn
            return fn

        return store


vm_impl_registry = _Implementations()


@named
def get_vm_impl_fn(prim: Primitive | str) -> Callable[..., Any] | None:
    """Return the function of `vm_impl_registry` that computes a primitive in Python, or None.

    Args:
        prim: the primitive or its name.

    Examples:
        >>> import torchspore as ms
        >>> @ms.ops.vm_impl_registry.register("Kind")
        ... def kind(prim):
        ...     return lambda x: type(x)
        >>> ms.ops.get_vm_impl_fn("Kind")(1.0)
        <class 'float'>
    """
    implementation = vm_impl_registry.get(prim.name if isinstance(prim, Primitive) else prim)
    return None if implementation is None else implementation(prim)


class _TensorOperators:
    """The functions of `torchspore.ops` by name, in place of MindSpore's registry of them."""

    _package: ModuleType

    def serve(self, package: ModuleType) -> None:
        """Look names up in a package from now on: `torchspore.ops`, once it is complete."""
        self._package = package

    def get(self, obj_str: str) -> Any:
        """Return the function of a name, or raise AttributeError."""
        return getattr(self._package, obj_str)


tensor_operator_registry = _TensorOperators()
