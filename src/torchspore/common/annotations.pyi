"""What operations accept, as their stubs name it. Only type checkers read this file: programs find no such module."""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import torch

from torchspore.common.dtype import Type
from torchspore.common.tensor import Tensor

Operand: TypeAlias = Tensor | bool | int | float | complex | np.generic | list[Any] | tuple[Any, ...]
Tensors: TypeAlias = Sequence[Tensor] | Tensor
Ints: TypeAlias = int | Sequence[int]
TypeLike: TypeAlias = Type | str | type[Any] | np.dtype[Any] | torch.dtype
