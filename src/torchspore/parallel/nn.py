"""Cells that process a batch in parts."""

from __future__ import annotations

from torchspore.common.names.missing_names import suggest_names as _suggest_names
from torchspore.nn import GradAccumulationCell as GradAccumulation
from torchspore.nn import MicroBatchInterleaved, PipelineCell, PipelineGradReducer
from torchspore.nn import PipelineCell as Pipeline

__all__ = ["GradAccumulation", "MicroBatchInterleaved", "Pipeline", "PipelineCell", "PipelineGradReducer"]

_suggest_names(globals())
