"""Diagonals and bands of matrices: extraction, replacement, multiplication.

A band is stored as in MindSpore: a row for each diagonal, from the uppermost `k[1]` down to the lowest `k[0]`, padded
to the length of the longest. `align` is the alignment of superdiagonals and of subdiagonals: "RIGHT_LEFT" aligns the
former right and the latter left.
"""

from __future__ import annotations

import functools
from typing import Annotated

import torch
from torch import Tensor

from torchspore.engine.failures.errors import of_value
from torchspore.engine.op import Operand, op
from torchspore.engine.primitive import as_primitive, primitive

__all__ = [
    "FillDiagonal", "MatrixBandPart", "MatrixDiagPartV3", "MatrixDiagV3", "MatrixSetDiagV3", "TridiagonalMatMul",
    "matrix_band_part", "matrix_diag", "matrix_diag_part", "matrix_set_diag",
]  # fmt: skip

_ALIGNMENTS = ("RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT")


def _limits(k: int | tuple[int, ...], align: str, api: str) -> tuple[int, int]:
    """Return the lowest and the uppermost diagonal."""
    if align not in _ALIGNMENTS:
        raise of_value(align, str)(f"For '{api}', 'align' must be one of {_ALIGNMENTS}, but got {align!r}.")
    ks = k if isinstance(k, tuple) else (k,)
    if len(ks) not in (1, 2) or ks[0] > ks[-1]:
        raise ValueError(f"For '{api}', 'k' must be an int, or two in ascending order, but got {k}.")
    return ks[0], ks[-1]


def _matrix_of(x: Tensor, lowest: int, highest: int) -> tuple[int, int]:
    if x.dim() < 2:
        raise ValueError("'x' must have at least 2 dimensions")
    rows, columns = x.shape[-2:]
    if lowest <= -rows or highest >= columns:
        raise ValueError(f"'k' must be in ({-rows}, {columns})")
    return rows, columns


def _length(diagonal: Tensor | int, rows: int, columns: int) -> Tensor | int:
    if isinstance(diagonal, int):
        return min(rows + min(diagonal, 0), columns - max(diagonal, 0))
    return torch.minimum(rows + diagonal.clamp(max=0), columns - diagonal.clamp(min=0))


def _longest(lowest: int, highest: int, rows: int, columns: int) -> int:
    return max(int(_length(k, rows, columns)) for k in range(lowest, highest + 1))


def _starts(diagonals: Tensor, rows: int, columns: int, longest: int, align: str) -> Tensor:
    """Return the position in its row of the band where each diagonal starts."""
    above, below = [side == "RIGHT" for side in align.split("_")]
    padding = longest - _length(diagonals, rows, columns)
    return torch.where(diagonals >= 0, above * padding, below * padding)


def _positions_in_band(
    rows: int, columns: int, lowest: int, highest: int, longest: int, align: str, device: torch.device
) -> tuple[Tensor, Tensor, Tensor]:
    """Return for each element of a matrix whether it is in the band, and its row and column there."""
    row, column = torch.arange(rows, device=device).unsqueeze(1), torch.arange(columns, device=device)
    diagonal = column - row
    is_inside = (lowest <= diagonal) & (diagonal <= highest)
    position = torch.minimum(row, column) + _starts(diagonal, rows, columns, longest, align)
    return is_inside, torch.where(is_inside, highest - diagonal, 0), torch.where(is_inside, position, 0)


@op
def matrix_diag_part(x: Tensor, k: int | tuple[int, ...], padding_value: Operand, align: str = "RIGHT_LEFT") -> Tensor:
    """Extract diagonals of matrices.

    Args:
        x: a Tensor of shape (..., rows, columns).
        k: the diagonal, 0 for the main one, positive above it; or the lowest and the uppermost diagonal of a band.
        padding_value: the padding of shorter diagonals.
        align: their alignment: "RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT" or "RIGHT_RIGHT". Default: "RIGHT_LEFT".

    Returns:
        A Tensor of shape (..., length) for one diagonal, (..., diagonals, length) for a band, the uppermost first.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.matrix_diag_part(ms.Tensor([[1, 2, 3], [4, 5, 6]]), (-1, 0), 0))
        [[1 5]
         [4 0]]
    """
    lowest, highest = _limits(k, align, "matrix_diag_part")
    rows, columns = _matrix_of(x, lowest, highest)
    longest = _longest(lowest, highest, rows, columns)
    diagonals = torch.arange(highest, lowest - 1, -1, device=x.device).unsqueeze(1)
    position = torch.arange(longest, device=x.device) - _starts(diagonals, rows, columns, longest, align)
    is_inside = (position >= 0) & (position < _length(diagonals, rows, columns))
    row = torch.where(is_inside, position - diagonals.clamp(max=0), 0)
    column = torch.where(is_inside, position + diagonals.clamp(min=0), 0)
    band = torch.where(is_inside, x[..., row, column], _as(x, padding_value))
    return band.squeeze(-2) if lowest == highest else band


def _as(x: Tensor, value: Operand) -> Operand:
    return value.to(x.dtype) if isinstance(value, Tensor) else torch.full((), value, dtype=x.dtype, device=x.device)


@op
def matrix_diag(
    x: Tensor,
    k: int | tuple[int, ...] = 0,
    num_rows: int = -1,
    num_cols: int = -1,
    padding_value: Operand = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:
    """Construct matrices from diagonals; the inverse of `matrix_diag_part`.

    Args:
        x: a Tensor of shape (..., length) for one diagonal, (..., diagonals, length) for a band.
        k, align: as for `matrix_diag_part`. Default: 0, the main diagonal, and "RIGHT_LEFT".
        num_rows, num_cols: the size of the matrices. Default: -1: the minimum; if neither is given, they are square.
        padding_value: the other elements. Default: 0.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.matrix_diag(ms.Tensor([1, 2]), 1))
        [[0 1 0]
         [0 0 2]
         [0 0 0]]
    """
    lowest, highest = _limits(k, align, "matrix_diag")
    band = x.unsqueeze(-2) if lowest == highest else x
    if band.dim() < 2 or band.shape[-2] != highest - lowest + 1:
        raise ValueError(f"'x' must have a row for each of the diagonals {lowest} to {highest}")
    longest = band.shape[-1]
    rows, columns = _size(longest - min(highest, 0), longest + max(lowest, 0), num_rows, num_cols)
    if longest != _longest(lowest, highest, rows, columns):
        raise ValueError(f"diagonals of length {longest} do not fit into a matrix of {rows} rows and {columns} columns")
    is_inside, row, column = _positions_in_band(rows, columns, lowest, highest, longest, align, x.device)
    return torch.where(is_inside, band[..., row, column], _as(x, padding_value))


def _size(min_rows: int, min_columns: int, rows: int, columns: int) -> tuple[int, int]:
    if rows == -1 and columns == -1:
        rows = columns = max(min_rows, min_columns)
    return min_rows if rows == -1 else rows, min_columns if columns == -1 else columns


@op
def matrix_set_diag(x: Tensor, diagonal: Tensor, k: int | tuple[int, ...] = 0, align: str = "RIGHT_LEFT") -> Tensor:
    """Replace diagonals of matrices.

    Args:
        x: a Tensor of shape (..., rows, columns).
        diagonal: the new elements, a Tensor as `matrix_diag_part` returns it.
        k, align: as for `matrix_diag_part`. Default: 0, the main diagonal, and "RIGHT_LEFT".
    """
    lowest, highest = _limits(k, align, "matrix_set_diag")
    rows, columns = _matrix_of(x, lowest, highest)
    longest = _longest(lowest, highest, rows, columns)
    band = diagonal.unsqueeze(-2) if lowest == highest else diagonal
    if band.shape != (*x.shape[:-2], highest - lowest + 1, longest):
        raise ValueError(
            f"'diagonal' must hold the diagonals {lowest} to {highest} of a tensor of shape {tuple(x.shape)}, "
            f"{longest} elements each"
        )
    is_inside, row, column = _positions_in_band(rows, columns, lowest, highest, longest, align, x.device)
    dtype = torch.promote_types(band.dtype, x.dtype)
    return torch.where(is_inside, band[..., row, column].to(dtype), x.to(dtype))


@op
def matrix_band_part(x: Tensor, lower: Operand, upper: Operand) -> Tensor:
    """Set the elements of matrices outside a band to 0.

    Args:
        x: a Tensor of shape (..., rows, columns).
        lower, upper: the number of diagonals to keep below and above the main one, ints or scalar Tensors; -1: all.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.matrix_band_part(ms.Tensor([[1, 2, 3], [4, 5, 6], [7, 8, 9]]), 0, 1))
        [[1 2 0]
         [0 5 6]
         [0 0 9]]
    """
    if x.dim() < 2 or any(isinstance(bound, Tensor) and bound.dim() for bound in (lower, upper)):
        raise ValueError("'x' must have at least 2 dimensions, 'lower' and 'upper' none")
    diagonal = torch.arange(x.shape[-1], device=x.device) - torch.arange(x.shape[-2], device=x.device).unsqueeze(1)
    is_kept = ((diagonal >= -lower) | (lower < 0)) & ((diagonal <= upper) | (upper < 0))
    return torch.where(is_kept, x, x.new_zeros(()))


@op(method="fill_diagonal")
def _fill_diagonal(input_x: Tensor, fill_value: float, wrap: bool = False) -> Tensor:
    """Set the elements of the main diagonal to a number.

    Args:
        input_x: a matrix, or a Tensor with more dimensions of equal size.
        fill_value: the number.
        wrap: whether to repeat the diagonal in tall matrices, one row further down. Default: False.
    """
    sizes = input_x.shape
    if len(sizes) < 2 or (len(sizes) > 2 and len(set(sizes)) > 1):
        raise ValueError(f"the tensor must be a matrix, or have dimensions of one size, but got {tuple(sizes)}")
    first, *others = torch.meshgrid(*[torch.arange(size, device=input_x.device) for size in sizes], indexing="ij")
    if wrap and len(sizes) == 2:
        first = first % (sizes[1] + 1)
    is_diagonal = functools.reduce(torch.logical_and, [first == other for other in others])
    return torch.where(is_diagonal, _as(input_x, fill_value), input_x)


@as_primitive
def TridiagonalMatMul(
    superdiag: Annotated[Tensor, "*B 1 M"],
    maindiag: Annotated[Tensor, "*B 1 M"],
    subdiag: Annotated[Tensor, "*B 1 M"],
    rhs: Annotated[Tensor, "*B M N"],
) -> Tensor:
    """Multiply tridiagonal matrices, given by their diagonals of shape (..., 1, m), by matrices.

    Args:
        superdiag: the diagonal above the main one; its last element is ignored.
        maindiag: the main diagonal.
        subdiag: the diagonal below it; its first element is ignored.
        rhs: a Tensor of shape (..., m, n).

    Returns:
        A Tensor of the shape of `rhs`.
    """
    above, main, below = superdiag.mT[..., :-1, :], maindiag.mT, subdiag.mT[..., 1:, :]
    next_rows = torch.nn.functional.pad(above * rhs[..., 1:, :], (0, 0, 0, 1))
    rows_before = torch.nn.functional.pad(below * rhs[..., :-1, :], (0, 0, 1, 0))
    return rows_before + main * rhs + next_rows


FillDiagonal = primitive("FillDiagonal", _fill_diagonal, "fill_value", wrap=False)
MatrixBandPart = primitive("MatrixBandPart", matrix_band_part)
MatrixDiagPartV3 = primitive("MatrixDiagPartV3", matrix_diag_part, align="RIGHT_LEFT")
MatrixDiagV3 = primitive("MatrixDiagV3", matrix_diag, align="RIGHT_LEFT")
MatrixSetDiagV3 = primitive("MatrixSetDiagV3", matrix_set_diag, align="RIGHT_LEFT")
