"""The origins of symbols, which creating a symbol requires. Only Dynamo has classes for them, and it is loaded here."""

from __future__ import annotations

from torch._dynamo.source import ConstantSource  # a source that is just a name (2.11)

__all__ = ["ConstantSource"]
