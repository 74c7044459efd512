"""The messages of MINDIR files, made by the protobuf library from a table of their fields."""

from __future__ import annotations

import functools
import threading
from enum import IntEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "MESSAGES", "AttributeKind", "DataType", "PrimitiveKind", "Version", "check_package", "message_class",
    "new_message",
]  # fmt: skip


class DataType(IntEnum):
    """The types of the elements of tensors."""

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

    PRIMITIVE = 1
    PRIMITIVE_FUNCTION = 2


class FunctorKind(IntEnum):
    """What computes a shape."""

    SHAPE_CALC_FUNCTOR = 1
    ANY_FUNCTOR = 2


class Compression(IntEnum):
    """How the bytes of a tensor are compressed."""

    NO_COMPRESSION = 0
    INDEXING = 1
    SPARSE = 2
    FSE = 3
    BIT_PACKING = 4
    FSE_INT = 5
    FSE_INFER = 6


class Version(IntEnum):
    """The versions of the layout."""

    IR_VERSION_START = 0
    IR_VERSION = 1
    IR_VERSION_WITH_PRIM_FUNCTION = 2
    IR_VERSION_WITH_SCALAR_GRAPH_HOLDER = 3


# The fields of each message of MindSpore 2.10: name, number and type, with * if it is repeated. Versions from 1.8 on
# have the same, and fewer.
_FIELDS: Mapping[str, str] = {
    "AttributeProto": (
        "name 1 string, f 2 float, i 3 int64, d 4 double, s 5 bytes, t 6 TensorProto, g 7 GraphProto, "
        "floats 8 float*, doubles 9 double*, ints 10 int64*, strings 11 bytes*, tensors 12 TensorProto*, "
        "graphs 13 GraphProto*, doc_string 14 string, ref_attr_name 15 string, type 16 AttributeProto.AttributeType, "
        "values 17 AttributeProto*, seq_info 18 AttributeProto.SeqInfoProto, functor 19 FunctorProto, "
        "graph_holder 20 ScalarGraphHolderProto"
    ),
    "AttributeProto.SeqInfoProto": "is_dyn_len 1 bool, tuple_elem_item 2 AttributeProto",
    "FunctorProto": "type 1 FunctorProto.FunctorType, name 2 string, values 3 AttributeProto*",
    "ValueInfoProto": (
        "name 1 string, tensor 2 TensorProto*, doc_string 3 string, denotation 4 string, attr_info 5 AttributeProto"
    ),
    "NodeProto": (
        "input 1 string*, output 2 string*, name 3 string, op_type 4 string, attribute 5 AttributeProto*, "
        "doc_string 6 string, domain 7 string, node_attr 8 AttributeProto*, primal_attr 9 AttributeProto*"
    ),
    "ModelProto": (
        "ir_version 1 string, producer_name 2 string, producer_version 3 string, domain 4 string, "
        "model_version 5 string, doc_string 6 string, graph 7 GraphProto, functions 8 GraphProto*, "
        "preprocessor 9 PreprocessorProto, little_endian 10 bool, parallel 11 ParallelProto, "
        "primitives 12 PrimitiveProto*, mind_ir_version 13 int64, user_info 14 ModelProto.UserInfoEntry*"
    ),
    "ModelProto.UserInfoEntry": "key 1 string, value 2 string",
    "PreprocessorProto": "op 1 PreprocessOpProto*",
    "PreprocessOpProto": (
        "input_columns 1 string, output_columns 2 string, project_columns 3 string, op_type 4 string, "
        "operations 5 string, offload 6 bool"
    ),
    "GraphProto": (
        "node 1 NodeProto*, name 2 string, parameter 3 TensorProto*, doc_string 4 string, input 5 ValueInfoProto*, "
        "output 6 ValueInfoProto*, bprop_hash 7 string, attribute 8 AttributeProto*, bprop_filepath 9 string, "
        "map_parameter 10 MapTensorProto*"
    ),
    "TensorProto": (
        "dims 1 int64*, data_type 2 int32, float_data 3 float*, int32_data 4 int32*, string_data 5 bytes*, "
        "int64_data 6 int64*, name 7 string, doc_string 8 string, raw_data 9 bytes, double_data 10 double*, "
        "uint64_data 11 uint64*, external_data 12 TensorProto.ExternalDataProto, ref_key 13 string, "
        "min_dims 14 int64*, max_dims 15 int64*, compression_type 16 TensorProto.CompressionType, "
        "quant_params 17 TensorProto.QuantParamProto*"
    ),
    "TensorProto.ExternalDataProto": "location 1 string, offset 2 int64, length 3 int64",
    "TensorProto.QuantParamProto": "quant_algo_name 1 string, attribute 2 AttributeProto*",
    "MapTensorProto": (
        "name 1 string, default_value 2 AttributeProto, key_tensor 3 TensorProto, value_tensor 4 TensorProto, "
        "status_tensor 5 TensorProto"
    ),
    "ParallelProto": "layout 1 LayoutProto*",
    "LayoutProto": (
        "name 1 string, device_arrangement_int 2 int64*, tensor_map_int 3 int64*, slice_shape_int 4 int64*, "
        "field_size 5 int64, uniform_split 6 bool, opt_shard_group 7 string, pipeline_shared 8 bool, is_send 9 bool, "
        "peer_rank 10 int64, sr_tag 11 int64, opt_shard_slice_shape_int 12 int64*"
    ),
    "PrimitiveProto": (
        "name 1 string, op_type 2 string, attribute 3 AttributeProto*, instance_name 4 string, "
        "prim_type 5 PrimitiveProto.PrimType"
    ),
    "ScalarNodeProto": "scalar_op_type 1 int64, in_index 2 int64*, value 3 int64*",
    "ScalarGraphHolderProto": "scalar_node 1 ScalarNodeProto*, input_shape_index 2 uint64*",
}  # fmt: skip
MESSAGES = tuple([name for name in _FIELDS if "." not in name])
"""The names of the messages that are not within others."""
# The types of numbers with names, by the message and the name in it.
_ENUMERATIONS: Mapping[tuple[str, str], type[IntEnum]] = {
    ("AttributeProto", "AttributeType"): AttributeKind,
    ("FunctorProto", "FunctorType"): FunctorKind,
    ("TensorProto", "DataType"): DataType,
    ("TensorProto", "CompressionType"): Compression,
    ("PrimitiveProto", "PrimType"): PrimitiveKind,
    ("", "Version"): Version,
}


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
    return message_class(kind)(**fields)


def message_class(kind: str) -> Any:
    """Return the class of the messages of a kind."""
    with _making_classes:  # messages of two sets of classes do not mix
        return _classes()[kind]


_making_classes = threading.Lock()


@functools.cache
def _classes() -> dict[str, Any]:
    """Return the classes of the messages, by their names."""
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    file = descriptor_pb2.FileDescriptorProto(name="mind_ir.proto", package="mind_ir")
    described: dict[str, Any] = {"": file}
    for name in _FIELDS:
        outer, _, own = name.rpartition(".")
        described[name] = (described[outer].nested_type if outer else file.message_type).add(name=own)
    for (outer, name), values in _ENUMERATIONS.items():
        enumeration = described[outer].enum_type.add(name=name)
        for value in values:
            enumeration.value.add(name=value.name, number=value)
    for name, fields in _FIELDS.items():
        for field in fields.split(", "):
            _add_field(described[name], *field.split())
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return {
        name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{file.package}.{name}")) for name in _FIELDS
    }


def _add_field(message: Any, name: str, number: str, kind: str) -> None:
    from google.protobuf.descriptor_pb2 import FieldDescriptorProto

    type_name = kind.removesuffix("*")
    label = FieldDescriptorProto.LABEL_REPEATED if kind.endswith("*") else FieldDescriptorProto.LABEL_OPTIONAL
    added = message.field.add(name=name, number=int(number), label=label)
    if type_name in _FIELDS:
        added.type, added.type_name = FieldDescriptorProto.TYPE_MESSAGE, f".mind_ir.{type_name}"
    elif tuple(type_name.split(".")) in _ENUMERATIONS:
        added.type, added.type_name = FieldDescriptorProto.TYPE_ENUM, f".mind_ir.{type_name}"
    else:
        added.type = FieldDescriptorProto.Type.Value(f"TYPE_{type_name.upper()}")
