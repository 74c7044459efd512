"""Starting a program in several processes: `msrun`."""

from __future__ import annotations

__all__: list[str] = []
