"""The messages of MINDIR files, under the names of the classes that MindSpore has for them."""

from __future__ import annotations

from typing import Any

from torchspore.serialization.mindir import messages as _messages

__all__: list[str] = []


def __getattr__(name: str) -> Any:
    if name in _messages.Version.__members__:
        return int(_messages.Version[name])
    if name not in (*_messages.MESSAGES, "DESCRIPTOR", "Version"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    _messages.check_package("mind_ir_pb2")
    if name in _messages.MESSAGES:
        return _messages.message_class(name)
    file = _messages.message_class("ModelProto").DESCRIPTOR.file
    if name == "DESCRIPTOR":
        return file
    from google.protobuf.internal.enum_type_wrapper import EnumTypeWrapper

    return EnumTypeWrapper(file.enum_types_by_name[name])


def __dir__() -> list[str]:
    return [*globals(), *_messages.MESSAGES, "DESCRIPTOR", "Version", *_messages.Version.__members__]
