"""The flags of cells, and the data types in which they compute."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from torchspore.common import dtype as mstype
from torchspore.engine.failures.errors import describe
from torchspore.engine.values.nested import map_tensors
from torchspore.nn.precision import MixedPrecisionType, Precision, cast

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["CellPrecision"]

_CAST_FLAGS = {"fp16": mstype.float16, "fp32": mstype.float32, "bf16": mstype.bfloat16}


class CellPrecision:
    """The part of `Cell` that keeps flags, and says in which data types a cell computes."""

    cells_and_names: Callable[..., Iterator[tuple[str, Any]]]
    training: bool
    _flags: dict[str, Any]
    _mode_is_set: bool
    _refresh_plain: Callable[[], None]

    def to_float(self, dst_type: mstype.Type) -> Self:
        """Compute in a floating-point type: inputs, parameters and tensors of this cell and all inside are cast.

        The parameters themselves keep their type, and so do their gradients.

        Args:
            dst_type: float16, bfloat16 or float32.
        """
        if dst_type not in _CAST_FLAGS.values():
            raise ValueError(
                "For 'Cell.to_float', 'dst_type' must be float16, bfloat16 or float32, "
                f"but got {_describe_type(dst_type)}."
            )
        for _, cell in self.cells_and_names():
            cell.add_flags(**{flag: dst_type is dtype for flag, dtype in _CAST_FLAGS.items()})
            cell._set_precision(Precision(dst_type.torch))
        return self

    def _set_precision(self, precision: Precision | None) -> None:
        """Set the precision of this cell, without those inside."""
        self.__dict__["_precision"] = precision
        self._refresh_plain()

    @property
    def mixed_precision_type(self) -> MixedPrecisionType | None:
        """What `to_float` has set, or None."""
        return next((kind for kind in MixedPrecisionType if self._flags.get(kind.name.lower())), None)

    def get_mixed_precision_type(self) -> MixedPrecisionType:
        """Return what `to_float` has set, or `MixedPrecisionType.NOTSET`."""
        return self.mixed_precision_type or MixedPrecisionType.NOTSET

    def cast_inputs(self, inputs: Any, dst_type: mstype.Type) -> Any:
        """Return the inputs with floating point tensors cast to `dst_type`."""
        dtype = mstype.to_torch(dst_type, "Cell.cast_inputs")
        return map_tensors(lambda tensor: cast(tensor, dtype), inputs)

    def add_flags(self, **flags: Any) -> Self:
        """Set flags, which are attributes too; return the cell."""
        self._flags.update(flags)
        for name, value in flags.items():
            setattr(self, name, value)
        return self

    def add_flags_recursive(self, **flags: Any) -> Self:
        """Set flags on this cell and all inside; return the cell."""
        for _, cell in self.cells_and_names():
            cell.add_flags(**flags)
        return self

    def get_flags(self) -> dict[str, Any]:
        """Return the flags; "training" is one of them once `set_train` has been called."""
        return {"training": self.training, **self._flags} if self._mode_is_set else self._flags


def _describe_type(dtype: Any) -> str:
    """Name a data type, or describe what is given instead of one."""
    return str(dtype) if isinstance(dtype, mstype.Type) else describe(dtype)
