"""Moving networks between PyTorch and MindSpore, and proving them equal.

- `table`: which API of PyTorch corresponds to which of MindSpore.
- `code`: rewriting programs.
"""

from __future__ import annotations

from torchspore.migrate.code import Left as Left
from torchspore.migrate.code import Note as Note
from torchspore.migrate.code import Rewritten as Rewritten
from torchspore.migrate.code import rewrite as rewrite

__all__ = ["Left", "Note", "Rewritten", "rewrite"]
