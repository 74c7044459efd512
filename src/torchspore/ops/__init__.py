"""Operations: functions over tensors, and their primitives.

Every family of operations is a module, and its `__all__` says what it adds to this package. Editors and type checkers
read `__init__.pyi`, which `python tools/write_stubs.py` writes.

All operations raise TypeError for an argument of a type or dtype that they do not take, and ValueError for shapes that
do not fit, numbers out of range and options that do not exist. `Raises` in a docstring names what goes beyond that.
"""
# ruff: noqa: F401, F403, F405

import sys as _sys
import types as _types

from torchspore.engine.gradients.custom import HookBackward, InsertGradientOf
from torchspore.engine.gradients.differentiate import GradOperation, get_grad, grad, stop_gradient, value_and_grad
from torchspore.engine.gradients.transforms import jacfwd, jacrev, jvp, vjp, vmap
from torchspore.engine.op import publish as _publish
from torchspore.engine.primitive import (
    Primitive,
    PrimitiveWithCheck,
    PrimitiveWithInfer,
    _primexpr,
    constexpr,
    prim_attr_register,
)
from torchspore.ops.array import memory  # methods of tensors only
from torchspore.ops.array.assignment import *
from torchspore.ops.array.casting import *
from torchspore.ops.array.creation import *
from torchspore.ops.array.diagonals import *
from torchspore.ops.array.gathering import *
from torchspore.ops.array.histograms import *
from torchspore.ops.array.index_in_place import *
from torchspore.ops.array.joining import *
from torchspore.ops.array.padding import *
from torchspore.ops.array.properties import *
from torchspore.ops.array.rearranging import *
from torchspore.ops.array.reshaping import *
from torchspore.ops.array.scatter_in_place import *
from torchspore.ops.array.scattering import *
from torchspore.ops.array.searching import *
from torchspore.ops.array.segments import *
from torchspore.ops.array.slicing import *
from torchspore.ops.array.sorting import *
from torchspore.ops.attention.from_parts import *
from torchspore.ops.attention.fused import *
from torchspore.ops.attention.indexed import *
from torchspore.ops.attention.inference import *
from torchspore.ops.attention.paged import *
from torchspore.ops.attention.sparse import *
from torchspore.ops.compat.compiler_names import *
from torchspore.ops.compat.generated_names import *
from torchspore.ops.compat.kernel_descriptions import *
from torchspore.ops.compat.parameters import rename_parameters as _rename_parameters
from torchspore.ops.compat.unsupported import *
from torchspore.ops.control.composite import *
from torchspore.ops.control.control_flow import *
from torchspore.ops.control.custom_functions import *
from torchspore.ops.control.debug import *
from torchspore.ops.control.dumping import *
from torchspore.ops.control.hybrid_kernels import *
from torchspore.ops.control.summaries import *
from torchspore.ops.conv.blocks import *
from torchspore.ops.conv.convolution import *
from torchspore.ops.conv.deformable import *
from torchspore.ops.conv.transposed import *
from torchspore.ops.distributed.functions import *
from torchspore.ops.distributed.neighbors import *
from torchspore.ops.distributed.primitives import *
from torchspore.ops.distributed.process_groups import *
from torchspore.ops.experts.exchange import *
from torchspore.ops.experts.routing import *
from torchspore.ops.experts.tokens import *
from torchspore.ops.image.boxes import *
from torchspore.ops.image.channels import *
from torchspore.ops.image.colors import *
from torchspore.ops.image.cropping import *
from torchspore.ops.image.grids import *
from torchspore.ops.image.resizing import *
from torchspore.ops.image.rotated_boxes import *
from torchspore.ops.linalg.decompositions import *
from torchspore.ops.linalg.distances import *
from torchspore.ops.linalg.matrix_functions import *
from torchspore.ops.linalg.products import *
from torchspore.ops.linalg.solvers import *
from torchspore.ops.losses.classification import *
from torchspore.ops.losses.edit_distance import *
from torchspore.ops.losses.elementary import *
from torchspore.ops.losses.margin import *
from torchspore.ops.losses.sequence import *
from torchspore.ops.math.arithmetic import *
from torchspore.ops.math.comparison import *
from torchspore.ops.math.complex_numbers import *
from torchspore.ops.math.cumulative import *
from torchspore.ops.math.elementwise import *
from torchspore.ops.math.fourier import *
from torchspore.ops.math.integer import *
from torchspore.ops.math.min_max import *
from torchspore.ops.math.reduction import *
from torchspore.ops.math.series import *
from torchspore.ops.math.special_functions import *
from torchspore.ops.math.taylor import *
from torchspore.ops.math.time_frequency import *
from torchspore.ops.math.window_functions import *
from torchspore.ops.neural.activation import *
from torchspore.ops.neural.dropout import *
from torchspore.ops.neural.embedding import *
from torchspore.ops.neural.fused import *
from torchspore.ops.neural.normalization import *
from torchspore.ops.pooling.adaptive import *
from torchspore.ops.pooling.fractional import *
from torchspore.ops.pooling.primitives import *
from torchspore.ops.pooling.unpooling import *
from torchspore.ops.pooling.windowed import *
from torchspore.ops.random.candidates import *
from torchspore.ops.random.distributions import *
from torchspore.ops.random.fill_in_place import *
from torchspore.ops.random.primitives import *
from torchspore.ops.recurrent.primitives import *
from torchspore.ops.sparse.elementwise import *
from torchspore.ops.sparse.matrices import *
from torchspore.ops.updates.primitives import *

_HELPERS = ("_publish", "_rename_parameters", "_HELPERS")
__all__ = sorted(
    name
    for name, value in list(globals().items())
    if not (name.startswith("__") or name in _HELPERS or isinstance(value, _types.ModuleType))
)
_rename_parameters(globals())
_publish(globals())
tensor_operator_registry.serve(_sys.modules[__name__])
