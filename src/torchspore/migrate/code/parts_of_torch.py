"""Pieces of PyTorch code for what has no counterpart in one call; a program that needs them gets their source."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["PARTS"]

_INITIALIZED = '''
def initialized(layer, **initializers):
    """Return a layer after functions have written to its weights."""
    for name, initializer in initializers.items():
        if getattr(layer, name) is not None:
            initializer(getattr(layer, name))
    return layer
'''

_SAME_PADDED = '''
def same_padded(input, kernel_size, stride, dilation=1, value=0.0):
    """Return an input padded as by pad_mode="same" of MindSpore."""
    count, padding = input.dim() - 2, []
    sizes = [each if isinstance(each, (tuple, list)) else (each,) * count for each in (kernel_size, stride, dilation)]
    for size, kernel, step, spread in reversed(list(zip(input.shape[2:], *sizes))):
        total = max((-(-size // step) - 1) * step + (kernel - 1) * spread + 1 - size, 0)
        padding += [total // 2, total - total // 2]
    return torch.nn.functional.pad(input, padding, value=value)
'''

_PADDED = '''
class Padded{kind}{d}d(torch.nn.{kind}{d}d):
    """A {kind}{d}d with the pad_mode of MindSpore."""

    def __init__(self, *args, pad_mode="{mode}", padding=0, **kwargs):
        super().__init__(*args, padding=padding if pad_mode == "pad" else 0, **kwargs)
        self.pad_mode = pad_mode

    def forward(self, input):
        if self.pad_mode == "same":
            input = same_padded(input, self.kernel_size, self.stride, self.dilation{value})
        return super().forward(input)
'''

_AVG_POOL = '''
class PaddedAvgPool{d}d(torch.nn.AvgPool{d}d):
    """An AvgPool{d}d with the pad_mode of MindSpore, which does not count what "same" pads."""

    def __init__(self, *args, pad_mode="valid", padding=0, **kwargs):
        super().__init__(*args, padding=padding if pad_mode == "pad" else 0, **kwargs)
        self.pad_mode = pad_mode

    def forward(self, input):
        if self.pad_mode != "same":
            return super().forward(input)
        pool, padding = super().forward, (self.kernel_size, self.stride)
        return pool(same_padded(input, *padding)) / pool(same_padded(torch.ones_like(input[:1, :1]), *padding))
'''

PARTS: Mapping[str, str] = {
    "initialized": _INITIALIZED,
    "same_padded": _SAME_PADDED,
    **{f"PaddedConv{d}d": _PADDED.format(kind="Conv", d=d, mode="same", value="") for d in (1, 2, 3)},
    **{
        f"PaddedMaxPool{d}d": _PADDED.format(kind="MaxPool", d=d, mode="valid", value=', -float("inf")')
        for d in (1, 2, 3)
    },
    **{f"PaddedAvgPool{d}d": _AVG_POOL.format(d=d) for d in (1, 2, 3)},
}
