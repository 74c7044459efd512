"""Functions for the operators of ONNX."""

from __future__ import annotations

from torchspore.serialization.onnx_graph.operations import (
    attention,
    control,
    convolutions,
    detection,
    elementwise,
    indexing,
    matrices,
    movement,
    normalizations,
    others,
    pooling,
    quantization,
    recurrent,
    reductions,
    resizing,
)
from torchspore.serialization.onnx_graph.table import Operation, Table

__all__ = ["MICROSOFT", "TABLE"]

TABLE: Table = {
    **attention.TABLE, **control.TABLE, **convolutions.TABLE, **detection.TABLE, **elementwise.TABLE,
    **indexing.TABLE, **matrices.TABLE, **movement.TABLE, **normalizations.TABLE, **others.TABLE, **pooling.TABLE,
    **quantization.TABLE, **recurrent.TABLE, **reductions.TABLE, **resizing.TABLE,
}  # fmt: skip
# Operators of ONNX Runtime.
MICROSOFT: dict[str, Operation] = {**matrices.MICROSOFT, **normalizations.MICROSOFT, **quantization.MICROSOFT}
