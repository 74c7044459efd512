"""TorchSpore: MindSpore programs on the PyTorch engine."""

from __future__ import annotations

from torchspore import common, nn, ops
from torchspore.common.dtype import (
    Type,
    TensorType,
    bfloat16,
    bool_,
    byte,
    cdouble,
    cfloat,
    complex64,
    complex128,
    double,
    dtype_to_nptype,
    dtype_to_pytype,
    float16,
    float32,
    float64,
    float_,
    get_py_obj_dtype,
    half,
    int8,
    int16,
    int32,
    int64,
    int_,
    intc,
    intp,
    list_,
    long,
    number,
    pytype_to_dtype,
    short,
    single,
    string,
    tensor_type,
    tuple_,
    type_none,
    ubyte,
    uint,
    uint8,
    uint16,
    uint32,
    uint64,
    uintc,
    uintp,
    ushort,
)
from torchspore.common.dtype import bool as bool  # noqa: A004  (MindSpore's names for bool_, int32 and float32)
from torchspore.common.dtype import float as float  # noqa: A004
from torchspore.common.dtype import int as int  # noqa: A004
from torchspore.common.parameter import Parameter, ParameterTuple
from torchspore.common.random import (
    Generator,
    default_generator,
    get_rng_state,
    get_seed,
    initial_seed,
    manual_seed,
    seed,
    set_rng_state,
    set_seed,
)
from torchspore.common.tensor import Tensor, from_dlpack, from_numpy, is_tensor, tensor
from torchspore.context import GRAPH_MODE, PYNATIVE_MODE, get_context, set_context, set_device
from torchspore.engine.custom import recompute
from torchspore.engine.differentiate import get_grad, grad, value_and_grad
from torchspore.engine.transforms import jacfwd, jacrev, jvp, vjp, vmap

__version__ = "0.1.0"
