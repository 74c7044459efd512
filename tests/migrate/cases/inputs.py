"""The inputs of the cases: arrays by name, the same for both sides."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["arrays"]


def arrays() -> dict[str, Any]:
    """Return the arrays, new at each call."""
    draw = np.random.default_rng(7)

    def normal(*shape: int) -> Any:
        return draw.standard_normal(shape).astype(np.float32)

    square = normal(3, 3)
    return {
        "a": normal(3, 4),
        "b": normal(3, 4),
        "c": normal(3, 4),
        "scalar": np.float32(0.5),
        "p": draw.uniform(0.1, 0.9, (3, 4)).astype(np.float32),
        "q": draw.uniform(0.1, 0.9, (3, 4)).astype(np.float32),
        "v": normal(4),
        "w": normal(4),
        "t": normal(4, 5),
        "m": square,
        "rows": normal(3, 1),
        "spd": (square @ square.T + 3 * np.eye(3)).astype(np.float32),
        "lower": np.linalg.cholesky(square @ square.T + 3 * np.eye(3)).astype(np.float32),
        "many": normal(2, 3, 4),
        "more": normal(2, 4, 5),
        "seq": normal(2, 4, 8),
        "images": normal(2, 4, 6, 6),
        "volumes": normal(2, 4, 4, 4, 4),
        "i": draw.integers(0, 3, (3, 4)),
        "j": draw.integers(1, 5, (3, 4)),
        "mean": np.linspace(0, 1, 4, dtype=np.float32),
        "variance": np.linspace(1, 2, 4, dtype=np.float32),
        "labels": np.array([0, 2, 1]),
        "signs": np.where(draw.random((3, 4)) < 0.5, -1.0, 1.0).astype(np.float32),
        "one_sign": np.array([1.0, -1.0, 1.0], np.float32),
        "mask": draw.random((3, 4)) < 0.5,
        "other_mask": draw.random((3, 4)) < 0.5,
        "permutation": np.array([2, 0, 1]),
        "z": (normal(3, 4) + 1j * normal(3, 4)).astype(np.complex64),
        "pairs": normal(3, 4, 2),
        "places": np.tile(np.arange(0, 8, 2), (3, 1)),
        "sorted": np.array([0.0, 0.5, 1.0, 1.5], np.float32),
        "counts": np.array([1, 2, 2, 0]),
        "probabilities": np.full((3, 4), 0.25, np.float32),
    }
