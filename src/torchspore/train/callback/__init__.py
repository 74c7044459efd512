"""Callbacks for training and evaluation."""

from __future__ import annotations

from torchspore.common.names.missing_names import suggest_names as _suggest_names
from torchspore.common.names.unsupported import refusing as _refusing
from torchspore.train.callback.callback import Callback, RunContext
from torchspore.train.callback.checkpoint import CheckpointConfig, ModelCheckpoint
from torchspore.train.callback.exits import BackupAndRestore, OnRequestExit
from torchspore.train.callback.flops_collector import FlopsUtilizationCollector
from torchspore.train.callback.history import History, LambdaCallback
from torchspore.train.callback.monitored import EarlyStopping, ReduceLROnPlateau
from torchspore.train.callback.monitors import LossMonitor, TimeMonitor
from torchspore.train.callback.progress import ProgressBar
from torchspore.train.callback.schedules import LearningRateScheduler
from torchspore.train.callback.summary_collector import SummaryCollector

SummaryLandscape = _refusing("train", "SummaryLandscape")
TrainFaultTolerance = _refusing("train", "TrainFaultTolerance")

__all__ = [
    "BackupAndRestore", "Callback", "CheckpointConfig", "EarlyStopping", "FlopsUtilizationCollector", "History",
    "LambdaCallback", "LearningRateScheduler", "LossMonitor", "ModelCheckpoint", "OnRequestExit", "ProgressBar",
    "ReduceLROnPlateau", "RunContext", "SummaryCollector", "SummaryLandscape", "TimeMonitor", "TrainFaultTolerance",
]  # fmt: skip

_suggest_names(globals())
