"""Metrics: how good a model is, gathered over the batches of a data set.

MindSpore: `mindspore.train.metrics`, `mindspore.nn.metrics`.
"""

from __future__ import annotations

from torchspore.common.missing_names import suggest_names as _suggest_names
from torchspore.train.metrics.classification import F1, Accuracy, Fbeta, Precision, Recall
from torchspore.train.metrics.confusion_matrix import ConfusionMatrix, ConfusionMatrixMetric
from torchspore.train.metrics.distances import HausdorffDistance, MeanSurfaceDistance, RootMeanSquareDistance
from torchspore.train.metrics.error import MAE, MSE, Loss
from torchspore.train.metrics.metric import Metric, rearrange_inputs
from torchspore.train.metrics.occlusion_sensitivity import OcclusionSensitivity
from torchspore.train.metrics.registry import get_metric_fn, get_metrics, names
from torchspore.train.metrics.roc import ROC, auc
from torchspore.train.metrics.similarity import CosineSimilarity, Dice
from torchspore.train.metrics.text import BleuScore, Perplexity
from torchspore.train.metrics.topk import Top1CategoricalAccuracy, Top5CategoricalAccuracy, TopKCategoricalAccuracy

__all__ = [
    "F1",
    "MAE",
    "MSE",
    "ROC",
    "Accuracy",
    "BleuScore",
    "ConfusionMatrix",
    "ConfusionMatrixMetric",
    "CosineSimilarity",
    "Dice",
    "Fbeta",
    "HausdorffDistance",
    "Loss",
    "MeanSurfaceDistance",
    "Metric",
    "OcclusionSensitivity",
    "Perplexity",
    "Precision",
    "Recall",
    "RootMeanSquareDistance",
    "Top1CategoricalAccuracy",
    "Top5CategoricalAccuracy",
    "TopKCategoricalAccuracy",
    "auc",
    "get_metric_fn",
    "get_metrics",
    "names",
    "rearrange_inputs",
]

_suggest_names(globals())
