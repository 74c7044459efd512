"""Written by tools/write_stubs.py. The names of torchspore."""

from torchspore import amp as amp
from torchspore import boost as boost
from torchspore import common as common
from torchspore import communication as communication
from torchspore import dataset as dataset
from torchspore import device_context as device_context
from torchspore import experimental as experimental
from torchspore import hal as hal
from torchspore import log as log
from torchspore import mindrecord as mindrecord
from torchspore import mint as mint
from torchspore import nn as nn
from torchspore import numpy as numpy
from torchspore import onnx as onnx
from torchspore import ops as ops
from torchspore import parallel as parallel
from torchspore import profiler as profiler
from torchspore import rewrite as rewrite
from torchspore import runtime as runtime
from torchspore import safeguard as safeguard
from torchspore import scipy as scipy
from torchspore import train as train
from torchspore import utils as utils
from torchspore.amp import DynamicLossScaleManager as DynamicLossScaleManager
from torchspore.amp import FixedLossScaleManager as FixedLossScaleManager
from torchspore.amp import LossScaleManager as LossScaleManager
from torchspore.amp import build_train_network as build_train_network
from torchspore.common.buffers import UntypedStorage as UntypedStorage
from torchspore.common.buffers import frombuffer as frombuffer
from torchspore.common.buffers import swap_tensors as swap_tensors
from torchspore.common.dtype import TensorType as TensorType
from torchspore.common.dtype import Type as Type
from torchspore.common.dtype import bfloat16 as bfloat16
from torchspore.common.dtype import bool as bool
from torchspore.common.dtype import bool_ as bool_
from torchspore.common.dtype import byte as byte
from torchspore.common.dtype import cdouble as cdouble
from torchspore.common.dtype import cfloat as cfloat
from torchspore.common.dtype import complex128 as complex128
from torchspore.common.dtype import complex64 as complex64
from torchspore.common.dtype import double as double
from torchspore.common.dtype import dtype_to_nptype as dtype_to_nptype
from torchspore.common.dtype import dtype_to_pytype as dtype_to_pytype
from torchspore.common.dtype import float as float
from torchspore.common.dtype import float16 as float16
from torchspore.common.dtype import float32 as float32
from torchspore.common.dtype import float64 as float64
from torchspore.common.dtype import float8_e4m3fn as float8_e4m3fn
from torchspore.common.dtype import float8_e5m2 as float8_e5m2
from torchspore.common.dtype import float_ as float_
from torchspore.common.dtype import get_py_obj_dtype as get_py_obj_dtype
from torchspore.common.dtype import half as half
from torchspore.common.dtype import hifloat8 as hifloat8
from torchspore.common.dtype import int as int
from torchspore.common.dtype import int16 as int16
from torchspore.common.dtype import int32 as int32
from torchspore.common.dtype import int64 as int64
from torchspore.common.dtype import int8 as int8
from torchspore.common.dtype import int_ as int_
from torchspore.common.dtype import intc as intc
from torchspore.common.dtype import intp as intp
from torchspore.common.dtype import list_ as list_
from torchspore.common.dtype import long as long
from torchspore.common.dtype import number as number
from torchspore.common.dtype import pytype_to_dtype as pytype_to_dtype
from torchspore.common.dtype import qint4x2 as qint4x2
from torchspore.common.dtype import short as short
from torchspore.common.dtype import single as single
from torchspore.common.dtype import string as string
from torchspore.common.dtype import tensor_type as tensor_type
from torchspore.common.dtype import tuple_ as tuple_
from torchspore.common.dtype import type_none as type_none
from torchspore.common.dtype import ubyte as ubyte
from torchspore.common.dtype import uint as uint
from torchspore.common.dtype import uint16 as uint16
from torchspore.common.dtype import uint32 as uint32
from torchspore.common.dtype import uint64 as uint64
from torchspore.common.dtype import uint8 as uint8
from torchspore.common.dtype import uintc as uintc
from torchspore.common.dtype import uintp as uintp
from torchspore.common.dtype import ushort as ushort
from torchspore.common.generator import Generator as Generator
from torchspore.common.generator import default_generator as default_generator
from torchspore.common.generator import get_rng_state as get_rng_state
from torchspore.common.generator import initial_seed as initial_seed
from torchspore.common.generator import manual_seed as manual_seed
from torchspore.common.generator import seed as seed
from torchspore.common.generator import set_rng_state as set_rng_state
from torchspore.common.open_shape import Symbol as Symbol
from torchspore.common.parameter import Parameter as Parameter
from torchspore.common.parameter import ParameterTuple as ParameterTuple
from torchspore.common.quantization import QuantDtype as QuantDtype
from torchspore.common.random import get_seed as get_seed
from torchspore.common.random import set_seed as set_seed
from torchspore.common.sparse import COOTensor as COOTensor
from torchspore.common.sparse import CSRTensor as CSRTensor
from torchspore.common.sparse import RowTensor as RowTensor
from torchspore.common.sparse import SparseTensor as SparseTensor
from torchspore.common.tensor import Tensor as Tensor
from torchspore.common.tensor import from_dlpack as from_dlpack
from torchspore.common.tensor import from_numpy as from_numpy
from torchspore.common.tensor import is_tensor as is_tensor
from torchspore.common.tensor import tensor as tensor
from torchspore.common.tensor import to_dlpack as to_dlpack
from torchspore.context import COMPATIBLE as COMPATIBLE
from torchspore.context import GRAPH_MODE as GRAPH_MODE
from torchspore.context import LAX as LAX
from torchspore.context import PYNATIVE_MODE as PYNATIVE_MODE
from torchspore.context import ParallelMode as ParallelMode
from torchspore.context import STRICT as STRICT
from torchspore.context import get_auto_parallel_context as get_auto_parallel_context
from torchspore.context import get_context as get_context
from torchspore.context import get_current_device as get_current_device
from torchspore.context import get_ps_context as get_ps_context
from torchspore.context import reset_auto_parallel_context as reset_auto_parallel_context
from torchspore.context import set_auto_parallel_context as set_auto_parallel_context
from torchspore.context import set_context as set_context
from torchspore.context import set_device as set_device
from torchspore.context import set_ps_context as set_ps_context
from torchspore.engine.arguments.mutable import mutable as mutable
from torchspore.engine.dynamic import enable_dynamic as enable_dynamic
from torchspore.engine.gradients.custom import recompute as recompute
from torchspore.engine.gradients.differentiate import get_grad as get_grad
from torchspore.engine.gradients.differentiate import grad as grad
from torchspore.engine.gradients.differentiate import value_and_grad as value_and_grad
from torchspore.engine.gradients.transforms import jacfwd as jacfwd
from torchspore.engine.gradients.transforms import jacrev as jacrev
from torchspore.engine.gradients.transforms import jvp as jvp
from torchspore.engine.gradients.transforms import vjp as vjp
from torchspore.engine.gradients.transforms import vmap as vmap
from torchspore.engine.inline import lazy_inline as lazy_inline
from torchspore.engine.inline import no_inline as no_inline
from torchspore.engine.jit import jit as jit
from torchspore.engine.jit import jit_class as jit_class
from torchspore.engine.jit import set_recursion_limit as set_recursion_limit
from torchspore.engine.jit_config import JitConfig as JitConfig
from torchspore.engine.primitive import constexpr as constexpr
from torchspore.hal.device import DeviceCtx as DeviceCtx
from torchspore.hal.memory import ms_memory_recycle as ms_memory_recycle
from torchspore.log import get_level as get_level
from torchspore.log import get_log_config as get_log_config
from torchspore.nn.layer.thor_conversion import ConvertNetUtils as ConvertNetUtils
from torchspore.nn.saved_tensors import register_saved_tensors_hooks as register_saved_tensors_hooks
from torchspore.nn.saved_tensors import saved_tensors_hooks as saved_tensors_hooks
from torchspore.parallel import Layout as Layout
from torchspore.parallel import convert_checkpoint_by_rank as convert_checkpoint_by_rank
from torchspore.parallel import convert_checkpoints as convert_checkpoints
from torchspore.parallel import get_algo_parameters as get_algo_parameters
from torchspore.parallel import load_segmented_checkpoints as load_segmented_checkpoints
from torchspore.parallel import merge_pipeline_strategys as merge_pipeline_strategys
from torchspore.parallel import rank_list_for_convert as rank_list_for_convert
from torchspore.parallel import rank_list_for_transform as rank_list_for_transform
from torchspore.parallel import reset_algo_parameters as reset_algo_parameters
from torchspore.parallel import set_algo_parameters as set_algo_parameters
from torchspore.parallel import shard as shard
from torchspore.parallel import transform_checkpoint_by_rank as transform_checkpoint_by_rank
from torchspore.parallel import transform_checkpoints as transform_checkpoints
from torchspore.parallel import unified_safetensors as unified_safetensors
from torchspore.profiler import Profiler as Profiler
from torchspore.rewrite import Node as Node
from torchspore.rewrite import NodeType as NodeType
from torchspore.rewrite import ScopedValue as ScopedValue
from torchspore.rewrite import SymbolTree as SymbolTree
from torchspore.rewrite import ValueType as ValueType
from torchspore.runtime import Event as Event
from torchspore.runtime import MemPool as MemPool
from torchspore.runtime import PluggableAllocator as PluggableAllocator
from torchspore.runtime import Stream as Stream
from torchspore.runtime import StreamCtx as StreamCtx
from torchspore.runtime import StreamLimitCtx as StreamLimitCtx
from torchspore.runtime import communication_stream as communication_stream
from torchspore.runtime import current_stream as current_stream
from torchspore.runtime import default_stream as default_stream
from torchspore.runtime import dispatch_threads_num as dispatch_threads_num
from torchspore.runtime import empty_cache as empty_cache
from torchspore.runtime import get_device_limit as get_device_limit
from torchspore.runtime import get_stream_limit as get_stream_limit
from torchspore.runtime import launch_blocking as launch_blocking
from torchspore.runtime import max_memory_allocated as max_memory_allocated
from torchspore.runtime import max_memory_reserved as max_memory_reserved
from torchspore.runtime import memory_allocated as memory_allocated
from torchspore.runtime import memory_reserved as memory_reserved
from torchspore.runtime import memory_stats as memory_stats
from torchspore.runtime import memory_summary as memory_summary
from torchspore.runtime import reset_max_memory_allocated as reset_max_memory_allocated
from torchspore.runtime import reset_max_memory_reserved as reset_max_memory_reserved
from torchspore.runtime import reset_peak_memory_stats as reset_peak_memory_stats
from torchspore.runtime import reset_stream_limit as reset_stream_limit
from torchspore.runtime import set_cpu_affinity as set_cpu_affinity
from torchspore.runtime import set_cur_stream as set_cur_stream
from torchspore.runtime import set_device_limit as set_device_limit
from torchspore.runtime import set_kernel_launch_capture as set_kernel_launch_capture
from torchspore.runtime import set_kernel_launch_group as set_kernel_launch_group
from torchspore.runtime import set_memory as set_memory
from torchspore.runtime import set_stream_limit as set_stream_limit
from torchspore.runtime import synchronize as synchronize
from torchspore.runtime import use_mem_pool as use_mem_pool
from torchspore.runtime.device_manager import set_deterministic as set_deterministic
from torchspore.train import Accuracy as Accuracy
from torchspore.train import BackupAndRestore as BackupAndRestore
from torchspore.train import BleuScore as BleuScore
from torchspore.train import Callback as Callback
from torchspore.train import CheckpointConfig as CheckpointConfig
from torchspore.train import ConfusionMatrix as ConfusionMatrix
from torchspore.train import ConfusionMatrixMetric as ConfusionMatrixMetric
from torchspore.train import ConvertModelUtils as ConvertModelUtils
from torchspore.train import CosineSimilarity as CosineSimilarity
from torchspore.train import DatasetHelper as DatasetHelper
from torchspore.train import Dice as Dice
from torchspore.train import EarlyStopping as EarlyStopping
from torchspore.train import F1 as F1
from torchspore.train import Fbeta as Fbeta
from torchspore.train import FlopsUtilizationCollector as FlopsUtilizationCollector
from torchspore.train import HausdorffDistance as HausdorffDistance
from torchspore.train import History as History
from torchspore.train import LambdaCallback as LambdaCallback
from torchspore.train import LearningRateScheduler as LearningRateScheduler
from torchspore.train import Loss as Loss
from torchspore.train import LossMonitor as LossMonitor
from torchspore.train import MAE as MAE
from torchspore.train import MSE as MSE
from torchspore.train import MeanSurfaceDistance as MeanSurfaceDistance
from torchspore.train import Metric as Metric
from torchspore.train import Model as Model
from torchspore.train import ModelCheckpoint as ModelCheckpoint
from torchspore.train import OcclusionSensitivity as OcclusionSensitivity
from torchspore.train import OnRequestExit as OnRequestExit
from torchspore.train import Perplexity as Perplexity
from torchspore.train import Precision as Precision
from torchspore.train import ProgressBar as ProgressBar
from torchspore.train import ROC as ROC
from torchspore.train import Recall as Recall
from torchspore.train import ReduceLROnPlateau as ReduceLROnPlateau
from torchspore.train import ResumeTraining as ResumeTraining
from torchspore.train import RootMeanSquareDistance as RootMeanSquareDistance
from torchspore.train import RunContext as RunContext
from torchspore.train import SummaryCollector as SummaryCollector
from torchspore.train import SummaryRecord as SummaryRecord
from torchspore.train import TimeMonitor as TimeMonitor
from torchspore.train import Top1CategoricalAccuracy as Top1CategoricalAccuracy
from torchspore.train import Top5CategoricalAccuracy as Top5CategoricalAccuracy
from torchspore.train import TopKCategoricalAccuracy as TopKCategoricalAccuracy
from torchspore.train import async_ckpt_thread_status as async_ckpt_thread_status
from torchspore.train import auc as auc
from torchspore.train import build_searched_strategy as build_searched_strategy
from torchspore.train import ckpt_to_safetensors as ckpt_to_safetensors
from torchspore.train import connect_network_with_dataset as connect_network_with_dataset
from torchspore.train import data_sink as data_sink
from torchspore.train import export as export
from torchspore.train import get_ckpt_path_with_strategy as get_ckpt_path_with_strategy
from torchspore.train import get_metric_fn as get_metric_fn
from torchspore.train import load as load
from torchspore.train import load_checkpoint as load_checkpoint
from torchspore.train import load_checkpoint_async as load_checkpoint_async
from torchspore.train import load_distributed_checkpoint as load_distributed_checkpoint
from torchspore.train import load_mindir as load_mindir
from torchspore.train import load_param_into_net as load_param_into_net
from torchspore.train import load_training_state as load_training_state
from torchspore.train import merge_sliced_parameter as merge_sliced_parameter
from torchspore.train import names as names
from torchspore.train import rearrange_inputs as rearrange_inputs
from torchspore.train import restore_group_info_list as restore_group_info_list
from torchspore.train import safetensors_to_ckpt as safetensors_to_ckpt
from torchspore.train import save_checkpoint as save_checkpoint
from torchspore.train import save_mindir as save_mindir
from torchspore.train import save_training_state as save_training_state
from torchspore.train.dumping import set_dump as set_dump
from torchspore.train.summary_table import summary as summary
from torchspore.utils import MsDispatchMode as MsDispatchMode
from torchspore.utils.checking import run_check as run_check
from torchspore.utils.mindio import mindio_preload as mindio_preload
from torchspore.utils.mindio import set_mindio_server_info as set_mindio_server_info
from torchspore.version import __version__ as __version__

__all__ = [
    'COMPATIBLE',
    'GRAPH_MODE',
    'LAX',
    'PYNATIVE_MODE',
    'STRICT',
    'COOTensor',
    'CSRTensor',
    'ConvertNetUtils',
    'DynamicLossScaleManager',
    'FixedLossScaleManager',
    'Generator',
    'JitConfig',
    'LossScaleManager',
    'ParallelMode',
    'Parameter',
    'ParameterTuple',
    'RowTensor',
    'SparseTensor',
    'Symbol',
    'Tensor',
    'TensorType',
    'Type',
    '__version__',
    'amp',
    'bfloat16',
    'bool_',
    'build_train_network',
    'byte',
    'cdouble',
    'cfloat',
    'common',
    'complex64',
    'complex128',
    'constexpr',
    'default_generator',
    'double',
    'dtype_to_nptype',
    'dtype_to_pytype',
    'enable_dynamic',
    'float8_e4m3fn',
    'float8_e5m2',
    'float16',
    'float32',
    'float64',
    'float_',
    'from_dlpack',
    'from_numpy',
    'get_auto_parallel_context',
    'get_context',
    'get_current_device',
    'get_grad',
    'get_level',
    'get_log_config',
    'get_ps_context',
    'get_py_obj_dtype',
    'get_rng_state',
    'get_seed',
    'grad',
    'half',
    'hifloat8',
    'initial_seed',
    'int8',
    'int16',
    'int32',
    'int64',
    'int_',
    'intc',
    'intp',
    'is_tensor',
    'jacfwd',
    'jacrev',
    'jit',
    'jit_class',
    'jvp',
    'lazy_inline',
    'list_',
    'log',
    'long',
    'manual_seed',
    'mint',
    'mutable',
    'nn',
    'no_inline',
    'number',
    'ops',
    'pytype_to_dtype',
    'qint4x2',
    'recompute',
    'register_saved_tensors_hooks',
    'reset_auto_parallel_context',
    'saved_tensors_hooks',
    'seed',
    'set_auto_parallel_context',
    'set_context',
    'set_device',
    'set_ps_context',
    'set_recursion_limit',
    'set_rng_state',
    'set_seed',
    'short',
    'single',
    'string',
    'tensor',
    'tensor_type',
    'to_dlpack',
    'tuple_',
    'type_none',
    'ubyte',
    'uint',
    'uint8',
    'uint16',
    'uint32',
    'uint64',
    'uintc',
    'uintp',
    'ushort',
    'value_and_grad',
    'vjp',
    'vmap',
    'Accuracy',
    'BackupAndRestore',
    'BleuScore',
    'Callback',
    'CheckpointConfig',
    'ConfusionMatrix',
    'ConfusionMatrixMetric',
    'ConvertModelUtils',
    'CosineSimilarity',
    'DatasetHelper',
    'DeviceCtx',
    'Dice',
    'EarlyStopping',
    'Event',
    'F1',
    'Fbeta',
    'FlopsUtilizationCollector',
    'HausdorffDistance',
    'History',
    'LambdaCallback',
    'Layout',
    'LearningRateScheduler',
    'Loss',
    'LossMonitor',
    'MAE',
    'MSE',
    'MeanSurfaceDistance',
    'MemPool',
    'Metric',
    'Model',
    'ModelCheckpoint',
    'MsDispatchMode',
    'Node',
    'NodeType',
    'OcclusionSensitivity',
    'OnRequestExit',
    'Perplexity',
    'PluggableAllocator',
    'Precision',
    'Profiler',
    'ProgressBar',
    'QuantDtype',
    'ROC',
    'Recall',
    'ReduceLROnPlateau',
    'ResumeTraining',
    'RootMeanSquareDistance',
    'RunContext',
    'ScopedValue',
    'Stream',
    'StreamCtx',
    'StreamLimitCtx',
    'SummaryCollector',
    'SummaryLandscape',
    'SummaryRecord',
    'SymbolTree',
    'TimeMonitor',
    'Top1CategoricalAccuracy',
    'Top5CategoricalAccuracy',
    'TopKCategoricalAccuracy',
    'TrainFaultTolerance',
    'UntypedStorage',
    'ValueType',
    'async_ckpt_thread_status',
    'auc',
    'build_searched_strategy',
    'ckpt_to_safetensors',
    'communication_stream',
    'connect_network_with_dataset',
    'convert_checkpoint_by_rank',
    'convert_checkpoints',
    'current_stream',
    'data_sink',
    'default_stream',
    'dispatch_threads_num',
    'empty_cache',
    'export',
    'export_split_mindir',
    'flops_collection',
    'frombuffer',
    'get_algo_parameters',
    'get_ckpt_path_with_strategy',
    'get_device_limit',
    'get_metric_fn',
    'get_stream_limit',
    'launch_blocking',
    'load',
    'load_checkpoint',
    'load_checkpoint_async',
    'load_distributed_checkpoint',
    'load_mindir',
    'load_obf_params_into_net',
    'load_param_into_net',
    'load_segmented_checkpoints',
    'load_training_state',
    'max_memory_allocated',
    'max_memory_reserved',
    'memory_allocated',
    'memory_replay',
    'memory_reserved',
    'memory_stats',
    'memory_summary',
    'merge_pipeline_strategys',
    'merge_sliced_parameter',
    'mindio_preload',
    'ms_memory_recycle',
    'names',
    'obfuscate_ckpt',
    'parameter_broadcast',
    'rank_list_for_convert',
    'rank_list_for_transform',
    'rearrange_inputs',
    'reset_algo_parameters',
    'reset_max_memory_allocated',
    'reset_max_memory_reserved',
    'reset_peak_memory_stats',
    'reset_stream_limit',
    'restore_group_info_list',
    'run_check',
    'safetensors_to_ckpt',
    'save_checkpoint',
    'save_mindir',
    'save_training_state',
    'set_algo_parameters',
    'set_cpu_affinity',
    'set_cur_stream',
    'set_deterministic',
    'set_device_limit',
    'set_dump',
    'set_kernel_launch_capture',
    'set_kernel_launch_group',
    'set_memory',
    'set_mindio_server_info',
    'set_op_strategy_config',
    'set_stream_limit',
    'shard',
    'summary',
    'swap_tensors',
    'sync_pipeline_shared_parameters',
    'synchronize',
    'transform_checkpoint_by_rank',
    'transform_checkpoints',
    'unified_safetensors',
    'use_mem_pool',
]
