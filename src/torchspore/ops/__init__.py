"""Operations: functions over tensors, and their primitives.

Every family of operations is a module, and its `__all__` says what it adds to this package. Editors and type checkers
read `__init__.pyi`, which `python tools/write_stubs.py` writes.
"""
# ruff: noqa: F401, F403

import types

from torchspore.engine.custom import HookBackward, InsertGradientOf
from torchspore.engine.differentiate import GradOperation, get_grad, grad, stop_gradient, value_and_grad
from torchspore.engine.op import publish
from torchspore.engine.primitive import (
    Primitive,
    PrimitiveWithCheck,
    PrimitiveWithInfer,
    _primexpr,
    constexpr,
    prim_attr_register,
)
from torchspore.engine.transforms import jacfwd, jacrev, jvp, vjp, vmap
from torchspore.ops import auto_generate, memory  # names found when asked for; methods of tensors only
from torchspore.ops.activation import *
from torchspore.ops.adaptive_pooling import *
from torchspore.ops.arithmetic import *
from torchspore.ops.assignment import *
from torchspore.ops.attention import *
from torchspore.ops.attention_parts import *
from torchspore.ops.boxes import *
from torchspore.ops.casting import *
from torchspore.ops.channels import *
from torchspore.ops.classification import *
from torchspore.ops.collectives import *
from torchspore.ops.colors import *
from torchspore.ops.communication import *
from torchspore.ops.comparison import *
from torchspore.ops.compiler_names import *
from torchspore.ops.complex_numbers import *
from torchspore.ops.composite import *
from torchspore.ops.control_flow import *
from torchspore.ops.convolution import *
from torchspore.ops.creation import *
from torchspore.ops.cropping import *
from torchspore.ops.cumulative import *
from torchspore.ops.custom_functions import *
from torchspore.ops.debug import *
from torchspore.ops.decompositions import *
from torchspore.ops.deformation import *
from torchspore.ops.dense_updates import *
from torchspore.ops.diagonals import *
from torchspore.ops.distances import *
from torchspore.ops.dropout import *
from torchspore.ops.dumping import *
from torchspore.ops.edit_distance import *
from torchspore.ops.elementwise import *
from torchspore.ops.embedding import *
from torchspore.ops.expert_exchange import *
from torchspore.ops.experts import *
from torchspore.ops.extremes import *
from torchspore.ops.facts import *
from torchspore.ops.fourier import *
from torchspore.ops.fractional_pooling import *
from torchspore.ops.fused_forms import *
from torchspore.ops.fused_updates import *
from torchspore.ops.gathering import *
from torchspore.ops.generated_names import *
from torchspore.ops.grids import *
from torchspore.ops.histograms import *
from torchspore.ops.hybrid_kernels import *
from torchspore.ops.indexed_attention import *
from torchspore.ops.inference_attention import *
from torchspore.ops.inplace import *
from torchspore.ops.integer import *
from torchspore.ops.joining import *
from torchspore.ops.kernel_descriptions import *
from torchspore.ops.linear_algebra import *
from torchspore.ops.linear_systems import *
from torchspore.ops.loss import *
from torchspore.ops.margin_losses import *
from torchspore.ops.matrix_functions import *
from torchspore.ops.normalization import *
from torchspore.ops.optimization import *
from torchspore.ops.padding import *
from torchspore.ops.paged_attention import *
from torchspore.ops.patches import *
from torchspore.ops.pooling import *
from torchspore.ops.pooling_primitives import *
from torchspore.ops.process_groups import *
from torchspore.ops.random import *
from torchspore.ops.random_primitives import *
from torchspore.ops.random_writes import *
from torchspore.ops.rearranging import *
from torchspore.ops.recurrent import *
from torchspore.ops.reduction import *
from torchspore.ops.reshaping import *
from torchspore.ops.resizing import *
from torchspore.ops.rotated_boxes import *
from torchspore.ops.sampling import *
from torchspore.ops.scatter_writes import *
from torchspore.ops.scattering import *
from torchspore.ops.searching import *
from torchspore.ops.segments import *
from torchspore.ops.sequence_losses import *
from torchspore.ops.series import *
from torchspore.ops.slicing import *
from torchspore.ops.sorting import *
from torchspore.ops.sparse import *
from torchspore.ops.sparse_attention import *
from torchspore.ops.sparse_elementwise import *
from torchspore.ops.sparse_updates import *
from torchspore.ops.special_functions import *
from torchspore.ops.summaries import *
from torchspore.ops.taylor import *
from torchspore.ops.time_frequency import *
from torchspore.ops.tokens import *
from torchspore.ops.transposed_convolution import *
from torchspore.ops.unpooling import *
from torchspore.ops.unsupported import *
from torchspore.ops.window_functions import *

__all__ = sorted(
    name
    for name, value in list(globals().items())
    if not (name.startswith("__") or name == "publish" or isinstance(value, types.ModuleType))
)
publish(globals())
