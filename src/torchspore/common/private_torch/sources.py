"""Names for what symbols come from: a symbol is made with one, and only Dynamo has classes of them. It loads Dynamo."""

from __future__ import annotations

from torch._dynamo.source import ConstantSource  # a source that is just a name (2.11)

__all__ = ["ConstantSource"]
