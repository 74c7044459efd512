"""Layers that were others: the classes of their time."""

from __future__ import annotations

from torchspore import nn
from torchspore.common.dtype import Type, float32
from torchspore.earlier.forms import form

__all__ = []


@form("nn.Dropout", until="1.10", now="mindspore.nn.Dropout(p=1 - {keep_prob}[, dtype={dtype}])")
class Dropout(nn.Dropout):
    """Shows the probability to keep an element."""

    def __init__(self, keep_prob: float = 0.5, dtype: Type = float32) -> None:
        super().__init__(p=1 - keep_prob, dtype=dtype)
        self.keep_prob, self.p = keep_prob, None
