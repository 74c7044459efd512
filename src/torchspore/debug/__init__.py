"""Finding faults in networks: NaN and infinities, shapes, gradients, and the learning rate.

MindSpore has no such module. `from torchspore import debug` loads it. The functions leave networks as they were, and
notebooks show their results as tables and plots.

- `find_nonfinite` names the operation that made the first NaN or infinity.
- `check_shapes` lists the inputs and outputs of all cells, also without computing anything.
- `check_gradients` compares gradients with central differences.
- `find_learning_rate` trains a few steps with a growing learning rate.
"""

from __future__ import annotations

from torchspore.debug.gradients import GradientReport, GradientRow, check_gradients
from torchspore.debug.learning_rate import LearningRates, find_learning_rate
from torchspore.debug.nonfinite import NonFinite, find_nonfinite
from torchspore.debug.shapes import CellCall, ShapeReport, check_shapes

__all__ = [
    "CellCall", "GradientReport", "GradientRow", "LearningRates", "NonFinite", "ShapeReport", "check_gradients",
    "check_shapes", "find_learning_rate", "find_nonfinite",
]  # fmt: skip
