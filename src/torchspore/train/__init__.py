"""Training: `Model`, callbacks, metrics, checkpoints."""

# ruff: noqa: F403, F405

from __future__ import annotations

import torchspore.runtime  # noqa: F401 - before a module in it: threads may import both
from torchspore.amp import DynamicLossScaleManager, FixedLossScaleManager, LossScaleManager, build_train_network
from torchspore.common.names.missing_names import suggest_names as _suggest_names
from torchspore.common.names.unsupported import refusing as _refusing
from torchspore.metrics import *
from torchspore.nn.layer.thor_conversion import ConvertNetUtils
from torchspore.serialization import *
from torchspore.serialization.mindir.model_messages import load_mindir, save_mindir
from torchspore.train import metrics as metrics
from torchspore.train import mind_ir_pb2 as mind_ir_pb2
from torchspore.train import serialization as serialization
from torchspore.train.callback import *
from torchspore.train.model import Model
from torchspore.train.resume import ResumeTraining, load_training_state, save_training_state
from torchspore.train.second_order_steps import ConvertModelUtils
from torchspore.train.sinking import DatasetHelper, connect_network_with_dataset, data_sink
from torchspore.train.summary import SummaryRecord

export_split_mindir = _refusing("train", "export_split_mindir")
flops_collection = _refusing("train", "flops_collection")

__all__ = [
    "F1", "MAE", "MSE", "ROC", "Accuracy", "BackupAndRestore", "BleuScore", "Callback", "CheckpointConfig",
    "ConfusionMatrix", "ConfusionMatrixMetric", "ConvertModelUtils", "ConvertNetUtils", "CosineSimilarity",
    "DatasetHelper", "Dice", "DynamicLossScaleManager", "EarlyStopping", "Fbeta", "FixedLossScaleManager",
    "FlopsUtilizationCollector", "HausdorffDistance", "History", "LambdaCallback", "LearningRateScheduler", "Loss",
    "LossMonitor", "LossScaleManager", "MeanSurfaceDistance", "Metric", "Model", "ModelCheckpoint",
    "OcclusionSensitivity", "OnRequestExit", "Perplexity", "Precision", "ProgressBar", "Recall", "ReduceLROnPlateau",
    "ResumeTraining", "RootMeanSquareDistance", "RunContext", "SummaryCollector", "SummaryLandscape", "SummaryRecord",
    "TimeMonitor", "Top1CategoricalAccuracy", "Top5CategoricalAccuracy", "TopKCategoricalAccuracy",
    "TrainFaultTolerance", "async_ckpt_thread_status", "auc", "build_searched_strategy", "build_train_network",
    "ckpt_to_safetensors", "connect_network_with_dataset", "data_sink", "export", "export_split_mindir",
    "flops_collection", "get_ckpt_path_with_strategy", "get_metric_fn", "load", "load_checkpoint",
    "load_checkpoint_async", "load_distributed_checkpoint", "load_mindir", "load_param_into_net",
    "load_training_state", "merge_sliced_parameter", "names", "rearrange_inputs", "restore_group_info_list",
    "safetensors_to_ckpt", "save_checkpoint", "save_mindir", "save_training_state",
]  # fmt: skip

_suggest_names(globals())
