"""Rewriting code from PyTorch to MindSpore and back, and from earlier versions of MindSpore to today's.

`rewrite` and `modernize` convert a source text, `python -m torchspore migrate` and `modernize` files and folders.
Comments and formatting are kept. What cannot be converted is left unchanged and listed. The names come from
`migrate.table` and `earlier`. LibCST is needed, the extra `migrate`, when code is rewritten.
"""

from __future__ import annotations

from torchspore.migrate.code.result import Left, Note, Rewritten
from torchspore.migrate.code.rewriting import modernize, rewrite

__all__ = ["Left", "Note", "Rewritten", "modernize", "rewrite"]
