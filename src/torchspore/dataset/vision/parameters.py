"""What parameters of image transforms accept, for annotations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal, TypeAlias

from torchspore.common.error_classes import WrongType, also
from torchspore.dataset.parameters import (
    MAX_FLOAT,
    TWO,
    Float32,
    Natural,
    NotNegativeFloat32,
    PositiveFloat32,
    Whole,
)
from torchspore.dataset.vision.enums import Inter
from torchspore.engine.parameters import Length, Limits, Where

__all__ = [
    "ASCENDING",
    "THREE",
    "Byte",
    "Center",
    "Degrees",
    "Fill",
    "LargeSize",
    "MovingInter",
    "Padding",
    "Pixel",
    "Position",
    "PositiveRange",
    "PositiveScale",
    "Probability",
    "ResizedTo",
    "Side",
    "Size",
    "StrengthRange",
]  # fmt: skip

Pixel = int | tuple[int, ...]

THREE = Length(3, 3, WrongType)
ASCENDING = Where("(from, to) with from <= to", lambda pair: pair[0] <= pair[1])
_NOT_A_POINT = also(ValueError, TypeError)
_IN_PAIRS = Where("one int, two (horizontal, vertical) or four", lambda borders: len(borders) in (2, 4))

Byte: TypeAlias = Annotated[int, Limits(0, 255)]
Fill: TypeAlias = Byte | Annotated[tuple[Byte, ...], THREE]
Side: TypeAlias = Annotated[int, Limits(1, MAX_FLOAT)]
Size: TypeAlias = Side | Annotated[Sequence[Side], TWO]
ResizedTo: TypeAlias = Side | Annotated[Sequence[Natural], TWO]
LargeSize: TypeAlias = Natural | Annotated[Sequence[Natural], TWO]
Position: TypeAlias = Annotated[Sequence[Whole], TWO]
Padding: TypeAlias = Whole | Annotated[Sequence[Whole], _IN_PAIRS]
Center: TypeAlias = Annotated[tuple[float, ...], Length(2, 2, _NOT_A_POINT), _NOT_A_POINT]
Degrees: TypeAlias = NotNegativeFloat32 | Annotated[Sequence[Float32], TWO, ASCENDING]
StrengthRange: TypeAlias = Annotated[Sequence[NotNegativeFloat32], TWO, ASCENDING]
PositiveRange: TypeAlias = Annotated[Sequence[PositiveFloat32], TWO, ASCENDING]
PositiveScale: TypeAlias = Annotated[StrengthRange, Where("a range that ends above 0", lambda pair: pair[1] > 0)]
Probability: TypeAlias = Annotated[float, Limits(0.0, 1.0)]
# AREA means BILINEAR where pixels move.
MovingInter: TypeAlias = Literal[Inter.NEAREST, Inter.BILINEAR, Inter.BICUBIC, Inter.AREA]
