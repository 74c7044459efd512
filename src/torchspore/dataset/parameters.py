"""What parameters of datasets accept, for annotations, and constructors that pass arguments on."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal, TypeAlias, TypeVar

from torchspore.common.error_classes import WrongType, WrongValue, also
from torchspore.dataset.cache import DatasetCache
from torchspore.dataset.value_checks import MAX_FLOAT, MAX_INT, MIN_INT
from torchspore.engine.parameters import AnyPath, Length, Limits, Rule, StrictFloat, Where, checked, take_as
from torchspore.engine.parameters.of_operations import ruled

__all__ = [
    "MAX_FLOAT", "TWO", "AnyColumns", "Boundaries", "BufferSize", "Cache", "ColumnList", "Columns", "Count", "Epochs",
    "File", "FileCount", "FileType", "Float32", "Folder", "Int32", "MapOperations", "Natural", "NotNegativeFloat32",
    "Operation", "PadInfo", "PositiveFloat32", "RowSize", "RowSizes", "Shard", "Sizes", "Times", "Whole", "Workers",
    "checked", "column_list", "declared_arguments", "extends", "ruled", "take_as",
]  # fmt: skip

_F = TypeVar("_F", bound=Callable[..., Any])

TWO = Length(2, 2, WrongType)
_NOT_MADE = also(ValueError, TypeError)


def _is_made(operation: Any) -> bool:
    return not isinstance(operation, type)


def _are_sizes(sizes: Sequence[float]) -> bool:
    are_floats = {isinstance(size, float) for size in sizes}
    return min(sizes) > 0 and (are_floats == {False} or (are_floats == {True} and abs(sum(sizes) - 1) <= 1e-6))


Int32: TypeAlias = Annotated[int, Limits(MIN_INT, MAX_INT)]
Whole: TypeAlias = Annotated[int, Limits(0, MAX_INT)]
Natural: TypeAlias = Annotated[int, Limits(1, MAX_INT)]
BufferSize: TypeAlias = Annotated[int, Limits(2, MAX_INT)]
RowSize: TypeAlias = Annotated[int, Limits(-1, MAX_INT)]
Float32: TypeAlias = Annotated[float, Limits(-MAX_FLOAT, MAX_FLOAT)]
NotNegativeFloat32: TypeAlias = Annotated[float, Limits(0, MAX_FLOAT)]
PositiveFloat32: TypeAlias = Annotated[float, Limits(above=0, maximum=MAX_FLOAT)]
RowSizes: TypeAlias = RowSize | Annotated[Sequence[RowSize], TWO] | None
Shard: TypeAlias = Int32 | None  # `choose` checks what is given together
Count: TypeAlias = Annotated[int, Limits(0, 2**63 - 1)] | None
Workers: TypeAlias = Annotated[int, Limits(1, max(256, os.cpu_count() or 1))] | None  # MindSpore: as many as cores
_Name: TypeAlias = Annotated[str, Where("a name that is not empty", bool, WrongValue)]
_DISTINCT = Where("names of columns, each once", lambda names: len(set(names)) == len(names), WrongValue)
_Names: TypeAlias = Annotated[list[_Name], _DISTINCT]
ColumnList: TypeAlias = Annotated[_Names, Where("the names of columns", bool, WrongValue)]
Columns: TypeAlias = _Name | ColumnList
Times: TypeAlias = Annotated[int, Where(f"-1 or in [1, {MAX_INT}]", lambda count: count == -1 or 0 < count <= MAX_INT)]
Operation: TypeAlias = Annotated[Callable[..., Any], Where("an instance, not a class; call it", _is_made, _NOT_MADE)]
Boundaries: TypeAlias = Annotated[list[Natural], Length(1)]
Sizes: TypeAlias = Annotated[
    Sequence[int | StrictFloat], Length(1), Where("positive ints, or fractions that sum to 1", _are_sizes)
]
MapOperations: TypeAlias = Operation | Annotated[Sequence[Operation], Length(1, error=WrongValue)]
FileCount: TypeAlias = Annotated[int, Limits(1, 1000)]
FileType: TypeAlias = Literal["mindrecord"]
Epochs: TypeAlias = Annotated[int, Limits(-1, MAX_INT), Where("-1 or positive", bool, WrongValue)]
AnyColumns: TypeAlias = str | _Names | None
PadInfo: TypeAlias = dict[str, Annotated[Sequence[Any], TWO] | None]  # (shape, value) for each column
Cache: TypeAlias = DatasetCache | None
Folder: TypeAlias = Annotated[AnyPath, Where("a folder that exists", os.path.isdir, WrongValue)]
File: TypeAlias = Annotated[AnyPath, Where("a file that exists", os.path.isfile, WrongValue)]


def column_list(columns: str | list[str] | None) -> list[str]:
    """Return a list of columns, which one may be given without; an empty one for None."""
    return [columns] if isinstance(columns, str) and columns else [*(columns or ())]


def extends(base: type, *rules: Rule) -> Callable[[_F], _F]:
    """Let a constructor check its arguments, and pass those that its base class takes, too, before its own body runs.

    Args:
        base: the base class.
        rules: relations between the arguments.
    """

    def decorate(init: _F) -> _F:
        signature = inspect.signature(init)
        shared = [name for name in inspect.signature(base).parameters if name in signature.parameters]

        @functools.wraps(init)
        def run(self: object, *args: object, **kwargs: object) -> None:
            given = signature.bind(self, *args, **kwargs)
            given.apply_defaults()
            base.__init__(self, **{name: given.arguments[name] for name in shared})  # type: ignore[misc]
            init(*given.args, **given.kwargs)

        return checked(*rules)(run)  # type: ignore[return-value]

    return decorate


def declared_arguments(cls: type, api: str = "") -> None:
    """Let the constructor of a class of this package check its arguments, if it has one that does not yet.

    It has the rules that `ruled` declares. Errors name `api` or, without it, the class.
    """
    init = vars(cls).get("__init__")
    if init is not None and cls.__module__.startswith("torchspore.") and "is_checked" not in vars(init):
        cls.__init__ = checked(*vars(init).get("rules", ()), api=api)(init)  # type: ignore[misc]
