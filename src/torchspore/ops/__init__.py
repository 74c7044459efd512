"""Operations: functions over tensors, and their primitives."""

from __future__ import annotations

from torchspore.engine.custom import HookBackward, InsertGradientOf
from torchspore.engine.differentiate import GradOperation, get_grad, grad, stop_gradient, value_and_grad
from torchspore.engine.primitive import Primitive
from torchspore.engine.transforms import jacfwd, jacrev, jvp, vjp, vmap
from torchspore.ops.casting import Cast, cast, type_as
from torchspore.ops.elementwise import *
from torchspore.ops.reduction import (
    mean,
    sum,
)
