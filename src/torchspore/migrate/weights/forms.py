"""The forms of a weight on the two sides: equal, with other dimensions, transposed, or a part of a tensor."""

from __future__ import annotations

from dataclasses import dataclass

import torch

__all__ = ["Form", "form_between", "squeezed"]


@dataclass(frozen=True)
class Form:
    """How a weight of a cell is made from one of torch, and the reverse.

    Attributes:
        kind: "identity", "reshape" (dimensions of size 1 differ) or "transpose".
        cell_rows, torch_rows: the rows that correspond, if one side has several weights in one tensor.
    """

    kind: str = "identity"
    cell_rows: tuple[int, int] | None = None
    torch_rows: tuple[int, int] | None = None

    def __str__(self) -> str:
        parts = [] if self.kind == "identity" else [self.kind]
        parts += [f"rows {self.cell_rows[0]}:{self.cell_rows[1]} of the cell's"] if self.cell_rows else []
        parts += [f"rows {self.torch_rows[0]}:{self.torch_rows[1]} of torch's"] if self.torch_rows else []
        return ", ".join(parts) or self.kind

    def cell_part(self, tensor: torch.Tensor) -> torch.Tensor:
        """Return the view of the cell's tensor that corresponds."""
        return tensor[slice(*self.cell_rows)] if self.cell_rows else tensor

    def torch_part(self, tensor: torch.Tensor) -> torch.Tensor:
        """Return the view of torch's tensor that corresponds, in torch's form."""
        if self.torch_rows is None:
            return tensor
        return tensor[..., slice(*self.torch_rows)] if self.kind == "transpose" else tensor[slice(*self.torch_rows)]

    def changed(self, tensor: torch.Tensor, shape: tuple[int, ...]) -> torch.Tensor:
        """Return a part in the other side's form, which has `shape`."""
        if self.kind == "transpose":
            tensor = tensor.reshape(squeezed(tuple(tensor.shape))).mT
        return tensor.reshape(shape)


def squeezed(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return a shape without sizes of 1."""
    return tuple(size for size in shape if size != 1)


def form_between(cell: tuple[int, ...], other: tuple[int, ...], transposed: bool = False) -> Form | None:
    """Return the form of weights of two shapes, or None if they do not correspond.

    Args:
        cell, other: the shapes.
        transposed: whether a transposed matrix is acceptable. Default: False.
    """
    if cell == other:
        return Form()
    short, other_short = squeezed(cell), squeezed(other)
    if short == other_short:
        return Form("reshape")
    if transposed and len(short) == 2 and short == other_short[::-1]:
        return Form("transpose")
    return None
