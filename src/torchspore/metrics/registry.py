"""Metrics by their names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torchspore.common.names.near_names import suggestion
from torchspore.engine.failures.errors import describe
from torchspore.engine.parameters import checked
from torchspore.metrics.classification import F1, Accuracy, Precision, Recall
from torchspore.metrics.confusion_matrix import ConfusionMatrix, ConfusionMatrixMetric
from torchspore.metrics.distances import HausdorffDistance, MeanSurfaceDistance, RootMeanSquareDistance
from torchspore.metrics.error import MAE, MSE, Loss
from torchspore.metrics.metric import Metric
from torchspore.metrics.occlusion_sensitivity import OcclusionSensitivity
from torchspore.metrics.roc import ROC, auc
from torchspore.metrics.similarity import CosineSimilarity, Dice
from torchspore.metrics.text import BleuScore, Perplexity
from torchspore.metrics.topk import Top1CategoricalAccuracy, Top5CategoricalAccuracy, TopKCategoricalAccuracy

__all__ = ["get_metric_fn", "get_metrics", "names"]

_BY_NAME: dict[str, Callable[..., Any]] = {
    "F1": F1,
    "acc": Accuracy,
    "accuracy": Accuracy,
    "auc": auc,
    "bleu_score": BleuScore,
    "confusion_matrix": ConfusionMatrix,
    "confusion_matrix_metric": ConfusionMatrixMetric,
    "cosine_similarity": CosineSimilarity,
    "dice": Dice,
    "hausdorff_distance": HausdorffDistance,
    "loss": Loss,
    "mae": MAE,
    "mean_surface_distance": MeanSurfaceDistance,
    "mse": MSE,
    "occlusion_sensitivity": OcclusionSensitivity,
    "perplexity": Perplexity,
    "precision": Precision,
    "recall": Recall,
    "roc": ROC,
    "root_mean_square_distance": RootMeanSquareDistance,
    "top_1_accuracy": Top1CategoricalAccuracy,
    "top_5_accuracy": Top5CategoricalAccuracy,
    "topk": TopKCategoricalAccuracy,
}


def names() -> list[str]:
    """Return the names of the metrics.

    Examples:
        >>> from torchspore.train import names
        >>> names()[:3]
        ['F1', 'acc', 'accuracy']
    """
    return sorted(_BY_NAME)


def get_metric_fn(name: str, *args: Any, **kwargs: Any) -> Any:
    """Return a new metric.

    Args:
        name (str): One of `names()`.
        args, kwargs: Its arguments.

    Raises:
        KeyError: There is no metric of this name.

    Examples:
        >>> from torchspore.train import get_metric_fn
        >>> type(get_metric_fn("precision", eval_type="multilabel")).__name__
        'Precision'
    """
    if not isinstance(name, str) or name not in _BY_NAME:
        raise KeyError(
            f"For 'get_metric_fn', 'name' must be one of {', '.join(names())}, but got {describe(name)}."
            + suggestion(str(name), names())
        )
    return _BY_NAME[name](*args, **kwargs)


@checked
def get_metrics(metrics: dict[str, Metric] | set[Any] | None) -> dict[str, Metric] | None:
    """Return metrics by name, from a dictionary of metrics or a set of names.

    Args:
        metrics (Union[dict, set]): The metrics, or their names. None returns None.

    Raises:
        KeyError: There is no metric of a name.

    Examples:
        >>> from torchspore.metrics import get_metrics
        >>> sorted(get_metrics({"mae", "mse"}))
        ['mae', 'mse']
    """
    return {name: get_metric_fn(name) for name in metrics} if isinstance(metrics, set) else metrics
