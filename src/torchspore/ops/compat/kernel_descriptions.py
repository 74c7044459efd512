"""Descriptions of kernels for MindSpore's kernel registry.

Here PyTorch computes, and no kernel is chosen by a description, so a description is just a dict. The decorators set it
as an attribute of the function, or store the function by name.
"""

from __future__ import annotations

import functools
from collections import UserDict
from collections.abc import Callable
from types import ModuleType
from typing import Any, ClassVar

from torchspore.engine.errors import describe
from torchspore.engine.naming import named
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


def _checked(value: Any, kind: type, api: str, name: str) -> Any:
    if not isinstance(value, kind):
        raise TypeError(f"For '{api}', '{name}' must be of type {kind.__name__}, but got {describe(value)}.")
    return value


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
            _checked(value, kind, f"{type(self).__name__}.{list_name}", name)
        self._info[list_name].append(given | named)
        return self

    def _set(self, field: str, value: Any, kind: type) -> Any:
        self._info[field] = _checked(value, kind, type(self).__name__, field)
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
                _checked(part, str, api, "args")
        self._info["dtype_format"].append(args)
        return self

    def get_op_info(self) -> dict[str, Any]:
        """Return the description as a dict."""
        return self._info


class _Inputs(_Description):
    def input(
        self, index: int | None = None, name: str | None = None, param_type: str | None = None, **kwargs: Any
    ) -> Any:
        """Describe an input: its index, its name, and "required", "dynamic" or "optional"."""
        return self._add("inputs", {"index": index, "name": name, "paramType": param_type}, **kwargs)


class _HostDescription(_Inputs):
    def output(
        self, index: int | None = None, name: str | None = None, param_type: str | None = None, **kwargs: Any
    ) -> Any:
        """Describe an output: its index, its name, and "required", "dynamic" or "optional"."""
        return self._add("outputs", {"index": index, "name": name, "paramType": param_type}, **kwargs)

    def attr(
        self, name: str | None = None, value_type: str | None = None, value: str | None = None, **kwargs: Any
    ) -> Any:
        """Describe an attribute: its name, its type and its value."""
        return self._add("attr", {"name": name, "type": value_type, "value": value}, **kwargs)


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


class _AkgDescription(_Inputs):
    def output(self, index: int | None = None, name: str | None = None, **kwargs: Any) -> Any:
        """Describe an output: its index and its name."""
        return self._add("outputs", {"index": index, "name": name}, **kwargs)

    def attr(
        self, name: str | None = None, param_type: str | None = None, value_type: str | None = None, **kwargs: Any
    ) -> Any:
        """Describe an attribute: its name, "required" or "optional", and its type."""
        return self._add("attr", {"name": name, "paramType": param_type, "type": value_type}, **kwargs)


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

    def input(
        self, index: int | None = None, name: str | None = None, param_type: str = "required", **kwargs: Any
    ) -> Any:
        """Describe an input: its index, its name, and "required", "dynamic" or "optional"."""
        return self._add("inputs", {"index": index, "name": name, "paramType": param_type}, **kwargs)

    def output(
        self, index: int | None = None, name: str | None = None, param_type: str = "required", **kwargs: Any
    ) -> Any:
        """Describe an output: its index, its name, and "required", "dynamic" or "optional"."""
        return self._add("outputs", {"index": index, "name": name, "paramType": param_type}, **kwargs)

    def attr(
        self,
        name: str | None = None,
        param_type: str | None = None,
        value_type: str | None = None,
        default_value: str | None = None,
        **kwargs: Any,
    ) -> Any:
        """Describe an attribute: its name, "required" or "optional", its type and its default."""
        entries = {"name": name, "paramType": param_type, "type": value_type, "defaultValue": default_value}
        return self._add("attr", entries, **kwargs)

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

    def input(
        self,
        index: int | None = None,
        name: str | None = None,
        need_compile: bool | None = None,
        param_type: str | None = None,
        shape: str | None = None,
        value_depend: str | None = None,
        **kwargs: Any,
    ) -> Any:
        """Describe an input: its index, name, whether it is compiled in, its kind, shape and use of its value."""
        entries = {
            "index": index, "name": name, "needCompile": need_compile, "paramType": param_type, "shape": shape,
            "valueDepend": value_depend,
        }  # fmt: skip
        return self._add("inputs", entries, **kwargs)

    def output(
        self,
        index: int | None = None,
        name: str | None = None,
        need_compile: bool | None = None,
        param_type: str | None = None,
        shape: str | None = None,
        **kwargs: Any,
    ) -> Any:
        """Describe an output: its index, name, whether it is compiled in, its kind and shape."""
        entries = {"index": index, "name": name, "need_compile": need_compile, "paramType": param_type, "shape": shape}
        return self._add("outputs", entries, **kwargs)

    def attr(
        self,
        name: str | None = None,
        param_type: str | None = None,
        value_type: str | None = None,
        value: str | None = None,
        default_value: str | None = None,
        **kwargs: Any,
    ) -> Any:
        """Describe an attribute: its name, "required" or "optional", its type, value and default."""
        entries = {
            "name": name, "paramType": param_type, "type": value_type, "value": value, "defaultValue": default_value,
        }  # fmt: skip
        return self._add("attr", entries, **kwargs)

    def async_flag(self, async_flag: bool = False) -> Any:
        """Set whether the kernel runs asynchronously."""
        return self._set("async_flag", async_flag, bool)

    def binfile_name(self, binfile_name: str) -> Any:
        """Set the file name of the kernel."""
        return self._set("binfile", binfile_name, str)

    def compute_cost(self, compute_cost: int = 10) -> Any:
        """Set the cost of the kernel."""
        return self._set("compute_cost", compute_cost, int)

    def kernel_name(self, kernel_name: str) -> Any:
        """Set the name of the kernel."""
        return self._set("kernel", kernel_name, str)

    def partial_flag(self, partial_flag: bool = True) -> Any:
        """Set whether the kernel may compute a part of the output."""
        return self._set("partial_flag", partial_flag, bool)

    def reshape_type(self, reshape_type: str) -> Any:
        """Set how shapes of lower rank are extended to the format."""
        return self._set("reshape_type", reshape_type, str)

    def dynamic_shape(self, dynamic_shape: bool = False) -> Any:
        """Set whether the sizes may be unknown."""
        return self._set("dynamicShapeSupport", dynamic_shape, bool)

    def dynamic_rank_support(self, dynamic_rank_support: bool) -> Any:
        """Set whether the number of dimensions may be unknown."""
        return self._set("dynamicRankSupport", dynamic_rank_support, bool)

    def dynamic_compile_static(self, dynamic_compile_static: bool = False) -> Any:
        """Set whether a kernel for unknown sizes is used for known ones, too."""
        return self._set("dynamicCompileStatic", dynamic_compile_static, bool)

    def need_check_supported(self, need_check_supported: bool = False) -> Any:
        """Set whether to check that the kernel supports its inputs."""
        return self._set("needCheckSupport", need_check_supported, bool)

    def is_dynamic_format(self, is_dynamic_format: bool = False) -> Any:
        """Set whether the kernel chooses the format."""
        return self._set("dynamicFormat", is_dynamic_format, bool)

    def op_pattern(self, pattern: str | None = None) -> Any:
        """Set how formats and types are inferred: "broadcast", "reduce" or "formatAgnostic"."""
        return self if pattern is None else self._set("op_pattern", pattern, str)

    def real_input_index(self, real_input_index: list[int]) -> Any:
        """Set the order of the inputs."""
        return self._set("real_input_index", real_input_index, list)

    def input_to_attr_index(self, input_to_attr_index: list[int]) -> Any:
        """Set which inputs are attributes of the kernel."""
        return self._set("input_to_attr_index", input_to_attr_index, list)

    def unknown_shape_formats(self, unknown_shape_formats: list[str]) -> Any:
        """Add the formats for unknown sizes."""
        _checked(unknown_shape_formats, list, "TBERegOp", "unknown_shape_formats")
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
