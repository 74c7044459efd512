"""Names of the widths of quantized numbers."""

from __future__ import annotations

from enum import Enum

__all__ = ["QuantDtype"]


class QuantDtype(Enum):
    """The types of quantized numbers by their width in bits: INT1 to INT16, and UINT1 to UINT16.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.QuantDtype.INT8, ms.QuantDtype.INT8.value(), ms.QuantDtype.UINT16.value())
        INT8 7 115

    MindSpore: `mindspore.QuantDtype`.
    """

    INT1 = 0
    INT2 = 1
    INT3 = 2
    INT4 = 3
    INT5 = 4
    INT6 = 5
    INT7 = 6
    INT8 = 7
    INT9 = 8
    INT10 = 9
    INT11 = 10
    INT12 = 11
    INT13 = 12
    INT14 = 13
    INT15 = 14
    INT16 = 15
    UINT1 = 100
    UINT2 = 101
    UINT3 = 102
    UINT4 = 103
    UINT5 = 104
    UINT6 = 105
    UINT7 = 106
    UINT8 = 107
    UINT9 = 108
    UINT10 = 109
    UINT11 = 110
    UINT12 = 111
    UINT13 = 112
    UINT14 = 113
    UINT15 = 114
    UINT16 = 115

    def __str__(self) -> str:
        return self.name

    def value(self) -> int:  # type: ignore[override]  # as in MindSpore, a method
        """Return the number of the type."""
        return int(self._value_)
