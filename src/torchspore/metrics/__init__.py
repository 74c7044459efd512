"""Metrics: how good a model is, accumulated over the batches of a dataset.

MindSpore: `mindspore.train.metrics`, `mindspore.nn.metrics`.
"""

from __future__ import annotations

from torchspore.common.names.missing_names import suggest_names as _suggest_names
from torchspore.metrics.classification import F1, Accuracy, Fbeta, Precision, Recall
from torchspore.metrics.confusion_matrix import ConfusionMatrix, ConfusionMatrixMetric
from torchspore.metrics.distances import HausdorffDistance, MeanSurfaceDistance, RootMeanSquareDistance
from torchspore.metrics.error import MAE, MSE, Loss
from torchspore.metrics.metric import Metric, rearrange_inputs
from torchspore.metrics.occlusion_sensitivity import OcclusionSensitivity
from torchspore.metrics.registry import get_metric_fn, get_metrics, names
from torchspore.metrics.roc import ROC, auc
from torchspore.metrics.similarity import CosineSimilarity, Dice
from torchspore.metrics.text import BleuScore, Perplexity
from torchspore.metrics.topk import Top1CategoricalAccuracy, Top5CategoricalAccuracy, TopKCategoricalAccuracy

__all__ = [
    "F1", "MAE", "MSE", "ROC", "Accuracy", "BleuScore", "ConfusionMatrix", "ConfusionMatrixMetric", "CosineSimilarity",
    "Dice", "Fbeta", "HausdorffDistance", "Loss", "MeanSurfaceDistance", "Metric", "OcclusionSensitivity", "Perplexity",
    "Precision", "Recall", "RootMeanSquareDistance", "Top1CategoricalAccuracy", "Top5CategoricalAccuracy",
    "TopKCategoricalAccuracy", "auc", "get_metric_fn", "get_metrics", "names", "rearrange_inputs",
]  # fmt: skip

_suggest_names(globals())
