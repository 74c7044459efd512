"""Names and constants in the source of a network."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any

from torchspore.engine.failures.errors import describe
from torchspore.engine.parameters import take_as

__all__ = ["NodeType", "ScopedValue", "ValueType"]

_API = "ScopedValue"


class ValueType(Enum):
    """The kinds of a `ScopedValue`.

    Examples:
        >>> from torchspore.rewrite import ScopedValue
        >>> ScopedValue.create_variable_value(2).type
        <ValueType.ConstantValue: 0>
    """

    ConstantValue = 0
    TupleValue = 20
    ListValue = 21
    DictValue = 22
    NamingValue = 40
    CustomObjValue = 41
    UnsupportedValue = 50


class NodeType(Enum):
    """The kinds of statements in a network's source.

    Examples:
        >>> from torchspore.rewrite import NodeType
        >>> NodeType.CallCell
        <NodeType.CallCell: 1>
    """

    Unknown, CallCell, CallPrimitive, CallModule, CallFunction, CallMethod, Python = range(7)
    Input, Output, Tree, CellContainer, MathOps, ControlFlow = range(7, 13)


_CONTAINERS: dict[Any, ValueType] = {tuple: ValueType.TupleValue, list: ValueType.ListValue, dict: ValueType.DictValue}


class ScopedValue:
    """A value in a network's source: a constant, or a name with what it belongs to.

    Args:
        arg_type: its kind, a `ValueType`.
        scope: what a name belongs to, such as "self". Default: "".
        value: the name, or the constant. Default: None.

    Examples:
        >>> from torchspore.rewrite import ScopedValue
        >>> ScopedValue.create_naming_value("conv", "self")
        self.conv
    """

    def __init__(self, arg_type: ValueType, scope: str = "", value: Any = None) -> None:
        if not isinstance(arg_type, ValueType):
            raise TypeError(f"For '{_API}', 'arg_type' must be a ValueType, but got {describe(arg_type)}.")
        self.type = arg_type
        self.scope = take_as(str, scope, "scope", _API)
        self.value = value

    @classmethod
    def create_variable_value(cls, value: Any) -> ScopedValue:
        """Return the value of an object: of a number, string or None, of a tuple, list or dict, or of another.

        Args:
            value: the object; what is in a container becomes a ScopedValue, too.

        Examples:
            >>> from torchspore.rewrite import ScopedValue
            >>> print(ScopedValue.create_variable_value(2))
            2
        """
        if value is None or isinstance(value, (bool, int, float, str)):
            return cls(ValueType.ConstantValue, "", value)
        kind = _CONTAINERS.get(type(value))
        if kind is None:
            return cls(ValueType.CustomObjValue, "", value)
        if kind is ValueType.DictValue:
            return cls(kind, "", {key: cls.create_variable_value(item) for key, item in value.items()})
        return cls(kind, "", type(value)(cls.create_variable_value(item) for item in value))

    @classmethod
    def create_naming_value(cls, name: str, scope: str = "") -> ScopedValue:
        """Return the value of a name.

        Args:
            name: the name.
            scope: what it belongs to. Default: "", nothing.

        Examples:
            >>> from torchspore.rewrite import ScopedValue
            >>> print(ScopedValue.create_naming_value("conv", "self"))
            self.conv
        """
        return cls(ValueType.NamingValue, scope, take_as(str, name, "name", _API))

    @staticmethod
    def create_name_values(names: Sequence[str], scopes: Sequence[str] | None = None) -> list[ScopedValue]:
        """Return the values of names.

        Args:
            names: the names, a list or tuple of strings.
            scopes: what each belongs to, a list or tuple as long as `names`. Default: None, nothing.

        Raises:
            TypeError: an argument is not a list or tuple of strings.
            ValueError: there are more names than scopes, or fewer.

        Examples:
            >>> from torchspore.rewrite import ScopedValue
            >>> print(ScopedValue.create_name_values(["z", "z_1"], ["self", "self"]))
            [self.z, self.z_1]
        """
        scopes = [""] * len(names) if scopes is None else scopes
        for given, argument in ((names, "names"), (scopes, "scopes")):
            if not isinstance(given, (list, tuple)):
                raise TypeError(f"For '{_API}', '{argument}' must be a list or tuple, but got {describe(given)}.")
            for item in given:
                take_as(str, item, argument, _API)
        if len(names) != len(scopes):
            raise ValueError(f"For '{_API}', there are {len(names)} 'names' and {len(scopes)} 'scopes'. Give as many.")
        return [ScopedValue.create_naming_value(name, scope) for name, scope in zip(names, scopes)]

    def __str__(self) -> str:
        if self.type is ValueType.ConstantValue:
            return str(self.value)
        if self.type is ValueType.NamingValue:
            return f"{self.scope}.{self.value}" if self.scope else str(self.value)
        if self.type is ValueType.CustomObjValue:
            return f"CustomObj: {self.value}"
        return f"Illegal ValueType: {self.type}"

    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ScopedValue):
            return NotImplemented
        return (self.type, self.scope, self.value) == (other.type, other.scope, other.value)

    def __hash__(self) -> int:
        return hash((self.type, self.scope))
