"""The step of optimizers whose rule treats every element by itself, in passes over pieces of the parameters."""

from __future__ import annotations

from typing import Any

from torchspore.nn.optim.fused import Bucket, FusedOptimizer
from torchspore.ops.updates.rules import Scalar, Tensors, decayed
from torchspore.ops.updates.unfused_rules import Pieces

__all__ = ["PiecewiseOptimizer"]


class PiecewiseOptimizer(FusedOptimizer):
    """An optimizer of which a subclass gives the states and the rule for a piece, `_rule`."""

    def _update(self, bucket: Bucket, gradients: Tensors, rate: Scalar, decay: Scalar, fused: bool) -> None:
        if bucket.memo is None:
            pieces = Pieces(bucket.parameters)
            bucket.memo = pieces, list(zip(pieces.of(bucket.parameters), *map(pieces.of, bucket.states)))
        pieces, known = bucket.memo
        settings = self._settings(bucket, rate)
        for (parameters, *states), given in zip(known, pieces.of(gradients)):
            self._rule(parameters, decayed(parameters, given, decay), states, settings)
        self._end_update(bucket, rate)

    def _settings(self, bucket: Bucket, rate: Scalar) -> Any:
        """Return what the rule needs to know in this step, by default the learning rate."""
        return rate

    def _rule(self, parameters: Tensors, gradients: Tensors, states: Any, settings: Any) -> None:
        """Change some parameters and their states."""
        raise NotImplementedError(f"For '{type(self).__name__}', define '_rule'.")

    def _end_update(self, bucket: Bucket, rate: Scalar) -> None:
        """Change what the parameters of a bucket share."""
