"""Primitives of MindSpore's earlier versions."""

from __future__ import annotations

from typing import Any

from torchspore.common.tensor import Tensor
from torchspore.engine.op import renamed
from torchspore.engine.parameters import take_as
from torchspore.engine.primitive import Primitive, primitive
from torchspore.ops import RandomShuffle, ResizeBilinearV2

__all__ = [
    "ControlDepend",
    "DecoderKVCache",
    "MakeRefKey",
    "PromptKVCache",
    "ResizeBilinear",
    "control_depend",
    "random_shuffle",
]

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


class DecoderKVCache(Primitive):
    """Write the keys or values of one token of each sequence into a cache, in place.

    Inputs:
        - cache: a Tensor of shape (N, heads, length, size).
        - update: a Tensor of shape (N, heads, 1, size).
        - valid_seq_len: the place of the token in each sequence; a sequence with -1 stays.
        - batch_index, seq_len_axis, new_max_seq_len, cur_max_seq_len: for kernels of Ascend cards.

    Outputs: the cache.

    Source: MindSpore 2.3, `ops.operations._inner_ops.DecoderKVCache`.
    """

    def __call__(self, cache: Tensor, update: Tensor, valid_seq_len: Tensor, *_others: Any) -> Tensor:
        """Write the token, and return the cache."""
        for i, place in enumerate(valid_seq_len.tolist()):
            if place >= 0:
                cache[i, :, place : place + update.shape[2]] = update[i]
        return cache


class PromptKVCache(Primitive):
    """Write the keys or values of prompts at the beginning of sequences of a cache, in place.

    Args:
        padding_mode: "right". Default: "right".

    Inputs:
        - cache: a Tensor of shape (N, heads, length, size).
        - update: a Tensor of shape (prompts, heads, prompt length, size).
        - valid_seq_len: for kernels of Ascend cards.
        - batch_index: the sequence of each prompt; one with -1 is left out.
        - seq_len_axis, new_max_seq_len, cur_max_seq_len: for kernels of Ascend cards.

    Outputs: the cache.

    Source: MindSpore 2.3, `ops.operations._inner_ops.PromptKVCache`.
    """

    def __init__(self, padding_mode: str = "right") -> None:
        super().__init__("PromptKVCache")
        self.padding_mode = take_as(str, padding_mode, "padding_mode", "PromptKVCache")

    def __call__(
        self, cache: Tensor, update: Tensor, _valid_seq_len: Tensor, batch_index: Tensor, *_others: Any
    ) -> Tensor:
        """Write the prompts, and return the cache."""
        for i, sequence in enumerate(batch_index.tolist()):
            if sequence >= 0:
                cache[sequence, :, : update.shape[2]] = update[i]
        return cache


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
