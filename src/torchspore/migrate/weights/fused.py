"""Queries, keys and values: one tensor for all of them on one side, and separate ones on the other."""

from __future__ import annotations

import functools

from torchspore.migrate.weights.forms import Form
from torchspore.migrate.weights.names import plain
from torchspore.migrate.weights.slots import Slot

__all__ = ["fused_pairs"]

_FUSED = {"qkv": "qkv", "inproj": "qkv", "wqkv": "qkv", "toqkv": "qkv", "cattn": "qkv", "kv": "kv", "wkv": "kv",
          "tokv": "kv", "qkvproj": "qkv", "qk": "qk", "kvproj": "kv"}  # fmt: skip
_KINDS = ("weight", "bias")

Pair = tuple[Slot, Slot, Form, str]


def fused_pairs(cell: list[Slot], torch: list[Slot]) -> list[Pair]:
    """Return the pairs of a part of a tensor on one side and a tensor of the other."""
    result = []
    for in_cell, (fused, parts) in ((False, (torch, cell)), (True, (cell, torch))):
        named = _parts(parts)
        for slot in fused:
            for first, second, rows, transposed in _split(slot, named):
                kind = "transpose" if transposed else "identity"
                form = Form(kind, cell_rows=rows) if in_cell else Form(kind, torch_rows=rows)
                pair = (second, first) if in_cell else (first, second)
                result.append((*pair, form, "a part of queries, keys and values in one"))
    return result


@functools.lru_cache(maxsize=100_000)
def _names(name: str) -> tuple[str, str, str]:
    """Return the block, the layer and the kind of a weight: "attn.in_proj_weight" is ("attn", "inproj", "weight")."""
    path, _, leaf = name.rpartition(".")
    if leaf in _KINDS:
        block, _, layer = path.rpartition(".")
        return block, plain(layer), leaf
    layer, _, kind = leaf.rpartition("_")
    return path, plain(layer), kind


def _parts(slots: list[Slot]) -> dict[tuple[str, str, str], Slot]:
    return {names: slot for slot in slots if (names := _names(slot.path))[1] in set("qkv") and names[2] in _KINDS}


def _split(fused: Slot, named: dict[tuple[str, str, str], Slot]) -> list[tuple[Slot, Slot, tuple[int, int], bool]]:
    """Return the parts of a fused weight, if the block of one set of parts is all that has them."""
    _, layer, kind = _names(fused.path)
    letters = _FUSED.get(layer)
    if letters is None or kind not in _KINDS:
        return []
    blocks = dict.fromkeys(block for block, _, _ in named)
    sets = [[named[key] for letter in letters if (key := (block, letter, kind)) in named] for block in blocks]
    complete = [parts for parts in sets if len(parts) == len(letters)]
    if len(complete) != 1 or not fused.shape:
        return []
    transposed = fused.layer == "Conv1D" and kind == "weight"
    sizes = [part.shape[0] for part in complete[0]]
    if sum(sizes) != fused.shape[-1 if transposed else 0] or any(len(p.shape) != len(fused.shape) for p in complete[0]):
        return []
    ends = [sum(sizes[: i + 1]) for i in range(len(sizes))]
    return [(part, fused, (end - size, end), transposed) for part, size, end in zip(complete[0], sizes, ends)]
