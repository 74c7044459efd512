"""Primitives of MindSpore's earlier versions."""

from __future__ import annotations

from typing import Any

from torchspore.common.tensor import Tensor
from torchspore.engine.op import renamed
from torchspore.engine.primitive import Primitive, primitive
from torchspore.ops import RandomShuffle, ResizeBilinearV2

__all__ = ["ControlDepend", "MakeRefKey", "ResizeBilinear", "control_depend", "random_shuffle"]

_resize: Any = renamed(vars(ResizeBilinearV2)["operation"].__func__, "ResizeBilinear", __name__)
ResizeBilinear: Any = primitive("ResizeBilinear", _resize, "size", align_corners=False, half_pixel_centers=False)


class ControlDepend(Primitive):
    """Have one operation run after another; they run in the program's order anyway.

    Args:
        depend_mode: 0 or 1, for MindSpore's compiler. Default: 0.

    Inputs:
        - src, dst: what is computed first and what second, Tensors or tuples of them.

    Outputs: `dst`.

    Source: MindSpore 1.1, `ops.ControlDepend`.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.earlier.operations import ControlDepend
        >>> print(ControlDepend()(ms.Tensor([1]), ms.Tensor([2])))
        [2]
    """

    def __init__(self, depend_mode: int = 0) -> None:
        super().__init__("ControlDepend")
        self.depend_mode = depend_mode

    def __call__(self, src: Any, dst: Tensor) -> Tensor:
        """Return `dst`."""
        return dst


control_depend = ControlDepend()


class MakeRefKey(Primitive):
    """Name a Parameter for MindSpore's compiler; a call returns the name.

    Args:
        tag: the name.

    Source: MindSpore 1.7, `ops.MakeRefKey`.
    """

    def __init__(self, tag: str) -> None:
        super().__init__("MakeRefKey")
        self.tag = tag

    def __call__(self) -> str:
        """Return the name."""
        return self.tag


def random_shuffle(x: Tensor, seed: int = 0, seed2: int = 0) -> Tensor:
    """Shuffle a Tensor along the first dimension.

    Args:
        x: a Tensor.
        seed, seed2: seeds of the stream. Default: 0.

    Source: MindSpore 1.10, `ops.random_shuffle`.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.earlier.operations import random_shuffle
        >>> sorted(random_shuffle(ms.Tensor([3, 1, 2])).tolist())
        [1, 2, 3]
    """
    shuffled: Tensor = RandomShuffle(seed, seed2)(x)
    return shuffled
