"""Along which dimensions of inputs a batch is cut into parts for a pipeline."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, TypeAlias

from torchspore.engine.parameters import Limits, take_as

__all__ = ["BatchDimSpec"]


_Dimension: TypeAlias = Annotated[int, Limits(-1)]  # -1 is none


@dataclass(frozen=True)
class BatchDimSpec:
    """The dimension of an input along which its parts lie.

    Args:
        batch_dim: the dimension; -1: all parts are the whole input.

    Examples:
        >>> from torchspore.parallel.mesh.batches import BatchDimSpec
        >>> BatchDimSpec.from_tuple((0, 1))
        (BatchDimSpec(0), BatchDimSpec(1))
    """

    batch_dim: int

    def __post_init__(self) -> None:
        take_as(_Dimension, self.batch_dim, "batch_dim", "BatchDimSpec")

    def __repr__(self) -> str:
        return f"BatchDimSpec({self.batch_dim})"

    @staticmethod
    def from_tuple(batch_dims: tuple[int, ...]) -> tuple[BatchDimSpec, ...]:
        """Return the dimensions of the batch in several inputs.

        Args:
            batch_dims: the dimensions.
        """
        take_as(tuple, batch_dims, "batch_dims", "BatchDimSpec.from_tuple")
        return tuple([BatchDimSpec(dim) for dim in batch_dims])

    @staticmethod
    def from_dict(batch_dims: dict[str, int]) -> dict[str, BatchDimSpec]:
        """Return the dimensions of the batch in named inputs.

        Args:
            batch_dims: the dimensions, by the names.
        """
        take_as(dict, batch_dims, "batch_dims", "BatchDimSpec.from_dict")
        return {name: BatchDimSpec(dim) for name, dim in batch_dims.items()}
