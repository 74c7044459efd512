"""The messages of MINDIR files, made by the protobuf library from a table of their fields."""

from __future__ import annotations

import functools
import threading
from enum import IntEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["AttributeKind", "DataType", "PrimitiveKind", "check_package", "new_message"]


class DataType(IntEnum):
    """The types of the elements of tensors."""

    FLOAT = 1
    UINT8 = 2
    INT8 = 3
    UINT16 = 4
    INT16 = 5
    INT32 = 6
    INT64 = 7
    STRING = 8
    BOOL = 9
    FLOAT16 = 10
    DOUBLE = 11
    UINT32 = 12
    UINT64 = 13
    COMPLEX64 = 14
    COMPLEX128 = 15
    BFLOAT16 = 16
    FLOAT64 = 17
    QINT4X2 = 18


class AttributeKind(IntEnum):
    """The kinds of values: those of attributes, constants, inputs and outputs."""

    UNDEFINED = 0
    FLOAT = 1
    UINT8 = 2
    INT8 = 3
    UINT16 = 4
    INT16 = 5
    INT32 = 6
    INT64 = 7
    STRING = 8
    BOOL = 9
    FLOAT16 = 10
    DOUBLE = 11
    UINT32 = 12
    UINT64 = 13
    COMPLEX64 = 14
    COMPLEX128 = 15
    BFLOAT16 = 16
    TENSOR = 17
    GRAPH = 18
    TENSORS = 19
    TUPLE = 20
    LIST = 21
    DICT = 22
    UMONAD = 23
    IOMONAD = 24
    NONE = 25
    PRIMITIVECLOSURE = 26
    FUNCGRAPHCLOSURE = 27
    PARTIALCLOSURE = 28
    UNIONFUNCCLOSURE = 29
    CSR_TENSOR = 30
    COO_TENSOR = 31
    ROW_TENSOR = 32
    CLASS_TYPE = 33
    NAME_SPACE = 34
    SYMBOL = 35
    TYPE_NULL = 36
    MAP_TENSOR = 37
    FUNCTOR = 38
    SCALAR = 39
    SCALAR_GRAPH_HOLDER = 40


class PrimitiveKind(IntEnum):
    """How a primitive takes its attributes: of its own, or as inputs behind the tensors (from MindSpore 2.3 on)."""

    WITH_ATTRIBUTES = 1
    WITH_INPUTS = 2


# The fields of each message: its name, its number, and its type, within a list if it is repeated. Fields that are not
# here (training on several devices, preprocessing) are kept by the library when a message is written again.
_FIELDS: Mapping[str, tuple[tuple[str, int, Any], ...]] = {
    "ModelProto": (
        ("ir_version", 1, "string"), ("producer_name", 2, "string"), ("producer_version", 3, "string"),
        ("model_version", 5, "string"), ("graph", 7, "GraphProto"), ("functions", 8, ["GraphProto"]),
        ("little_endian", 10, "bool"), ("primitives", 12, ["PrimitiveProto"]), ("mind_ir_version", 13, "int64"),
        ("user_info", 14, ["UserInfoEntry"]),
    ),
    "UserInfoEntry": (("key", 1, "string"), ("value", 2, "string")),
    "GraphProto": (
        ("node", 1, ["NodeProto"]), ("name", 2, "string"), ("parameter", 3, ["TensorProto"]),
        ("input", 5, ["ValueInfoProto"]), ("output", 6, ["ValueInfoProto"]), ("attribute", 8, ["AttributeProto"]),
        ("map_parameter", 10, ["MapTensorProto"]),
    ),
    "NodeProto": (
        ("input", 1, ["string"]), ("output", 2, ["string"]), ("name", 3, "string"), ("op_type", 4, "string"),
        ("attribute", 5, ["AttributeProto"]), ("domain", 7, "string"),
    ),
    "PrimitiveProto": (
        ("name", 1, "string"), ("op_type", 2, "string"), ("attribute", 3, ["AttributeProto"]),
        ("instance_name", 4, "string"), ("prim_type", 5, "int32"),
    ),
    "ValueInfoProto": (
        ("name", 1, "string"), ("tensor", 2, ["TensorProto"]), ("denotation", 4, "string"),
        ("attr_info", 5, "AttributeProto"),
    ),
    "AttributeProto": (
        ("name", 1, "string"), ("f", 2, "float"), ("i", 3, "int64"), ("d", 4, "double"), ("s", 5, "bytes"),
        ("floats", 8, ["float"]), ("doubles", 9, ["double"]), ("ints", 10, ["int64"]), ("strings", 11, ["bytes"]),
        ("tensors", 12, ["TensorProto"]), ("type", 16, "int32"), ("values", 17, ["AttributeProto"]),
        ("seq_info", 18, "SeqInfoProto"),
    ),
    "SeqInfoProto": (("is_dyn_len", 1, "bool"), ("tuple_elem_item", 2, "AttributeProto")),
    "TensorProto": (
        ("dims", 1, ["int64"]), ("data_type", 2, "int32"), ("name", 7, "string"), ("raw_data", 9, "bytes"),
        ("external_data", 12, "ExternalDataProto"), ("ref_key", 13, "string"), ("min_dims", 14, ["int64"]),
        ("max_dims", 15, ["int64"]), ("compression_type", 16, "int32"), ("quant_params", 17, ["QuantParamProto"]),
    ),
    "ExternalDataProto": (("location", 1, "string"), ("offset", 2, "int64"), ("length", 3, "int64")),
    "QuantParamProto": (("quant_algo_name", 1, "string"), ("attribute", 2, ["AttributeProto"])),
    "MapTensorProto": (("name", 1, "string"),),
}  # fmt: skip


def check_package(api: str) -> None:
    """Check that the library is installed.

    Raises:
        ModuleNotFoundError: it is not.
    """
    try:
        import google.protobuf  # noqa: F401
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            f"For '{api}', MINDIR needs the package protobuf: pip install 'torchspore[mindir]'."
        ) from None


def new_message(kind: str, /, **fields: Any) -> Any:
    """Return a message of a kind, with these fields."""
    with _making_classes:  # messages of two sets of classes do not mix
        classes = _classes()
    return classes[kind](**fields)


_making_classes = threading.Lock()


@functools.cache
def _classes() -> dict[str, Any]:
    """Return the classes of the messages, by their names."""
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    kind = descriptor_pb2.FieldDescriptorProto
    file = descriptor_pb2.FileDescriptorProto(name="torchspore/mindir.proto", package="torchspore.mindir")
    for name, fields in _FIELDS.items():
        message = file.message_type.add(name=name)
        for field, number, declared in fields:
            type_name = declared[0] if isinstance(declared, list) else declared
            added = message.field.add(name=field, number=number)
            added.label = kind.LABEL_REPEATED if isinstance(declared, list) else kind.LABEL_OPTIONAL
            if type_name in _FIELDS:
                added.type, added.type_name = kind.TYPE_MESSAGE, f".{file.package}.{type_name}"
            else:
                added.type = kind.Type.Value(f"TYPE_{type_name.upper()}")
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return {
        name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{file.package}.{name}")) for name in _FIELDS
    }
