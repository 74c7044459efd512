"""Cells: layers, losses, optimizers and training steps.

The packages and modules below say in their `__all__` what they add to this package.
"""
# ruff: noqa: F403

import importlib
import typing

from torchspore.common.missing_names import missing_name as _missing_name
from torchspore.nn import dynamic_lr as dynamic_lr
from torchspore.nn import learning_rate_schedule as learning_rate_schedule
from torchspore.nn.cell import Cell as Cell
from torchspore.nn.dynamic_lr import *
from torchspore.nn.initialization import *
from torchspore.nn.layer import *
from torchspore.nn.learning_rate_schedule import *
from torchspore.nn.loss import *
from torchspore.nn.optim import *
from torchspore.nn.public_names import set_public_names
from torchspore.nn.unsupported import *
from torchspore.nn.wrap import *

set_public_names(globals(), ("dynamic_lr", "learning_rate_schedule"), without=("LearningRateSchedule",))

_METRICS = {
    "Accuracy", "BleuScore", "ConfusionMatrix", "ConfusionMatrixMetric", "CosineSimilarity", "Dice", "F1", "Fbeta",
    "HausdorffDistance", "Loss", "MAE", "MSE", "MeanSurfaceDistance", "Metric", "OcclusionSensitivity", "Perplexity",
    "Precision", "ROC", "Recall", "RootMeanSquareDistance", "Top1CategoricalAccuracy", "Top5CategoricalAccuracy",
    "TopKCategoricalAccuracy", "auc", "get_metric_fn", "get_metrics", "names", "rearrange_inputs",
}  # fmt: skip


def __getattr__(name: str) -> typing.Any:
    if name == "probability":  # imported when it is asked for
        return importlib.import_module("torchspore.nn.probability")
    # MindSpore has the metrics here too. Their package is above this one, so it is imported when one is asked for.
    if name == "metrics":
        return importlib.import_module("torchspore.train.metrics")
    if name in _METRICS:
        return getattr(importlib.import_module("torchspore.train.metrics"), name)
    raise _missing_name(globals(), name, also=["metrics", "probability", *_METRICS])
