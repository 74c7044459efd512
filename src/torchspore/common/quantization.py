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
    """

    INT1, INT2, INT3, INT4, INT5, INT6, INT7, INT8 = range(8)
    INT9, INT10, INT11, INT12, INT13, INT14, INT15, INT16 = range(8, 16)
    UINT1, UINT2, UINT3, UINT4, UINT5, UINT6, UINT7, UINT8 = range(100, 108)
    UINT9, UINT10, UINT11, UINT12, UINT13, UINT14, UINT15, UINT16 = range(108, 116)

    def __str__(self) -> str:
        return self.name

    def value(self) -> int:  # type: ignore[override]  # as in MindSpore, a method
        """Return the number of the type."""
        return int(self._value_)
