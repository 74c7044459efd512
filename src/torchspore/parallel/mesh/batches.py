"""Along which dimensions of inputs a batch is cut into parts for a pipeline."""

from __future__ import annotations

from dataclasses import dataclass

from torchspore.engine.arguments.checks import check_int, check_kind

__all__ = ["BatchDimSpec"]


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
        check_int(self.batch_dim, "batch_dim", "BatchDimSpec", minimum=-1)

    def __repr__(self) -> str:
        return f"BatchDimSpec({self.batch_dim})"

    @staticmethod
    def from_tuple(batch_dims: tuple[int, ...]) -> tuple[BatchDimSpec, ...]:
        """Return the dimensions of the batch in several inputs.

        Args:
            batch_dims: the dimensions.
        """
        check_kind(batch_dims, tuple, "batch_dims", "BatchDimSpec.from_tuple")
        return tuple([BatchDimSpec(dim) for dim in batch_dims])

    @staticmethod
    def from_dict(batch_dims: dict[str, int]) -> dict[str, BatchDimSpec]:
        """Return the dimensions of the batch in named inputs.

        Args:
            batch_dims: the dimensions, by the names.
        """
        check_kind(batch_dims, dict, "batch_dims", "BatchDimSpec.from_dict")
        return {name: BatchDimSpec(dim) for name, dim in batch_dims.items()}
