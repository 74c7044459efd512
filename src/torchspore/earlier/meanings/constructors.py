"""Arguments of layers and primitives as MindSpore 1 had them: each function returns today's."""

from __future__ import annotations

from typing import Any

from torchspore.common.dtype import int32, int64
from torchspore.earlier.forms import form

__all__ = []


@form("ops.SearchSorted", until="1.10", now="mindspore.ops.SearchSorted with dtype=mindspore.int32")
def search_sorted(out_int32: bool = False, right: bool = False) -> dict[str, Any]:
    """Positions are int64 unless int32 is asked for."""
    return {"dtype": int32 if out_int32 else int64, "right": right}
