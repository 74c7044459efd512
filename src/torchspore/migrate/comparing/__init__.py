"""Proof that two networks are equal, or where and why they first differ."""

from __future__ import annotations

from torchspore.migrate.comparing.causes import Cause
from torchspore.migrate.comparing.compare import compare
from torchspore.migrate.comparing.dumps import record, record_script
from torchspore.migrate.comparing.report import Report
from torchspore.migrate.comparing.rows import Row

__all__ = ["Cause", "Report", "Row", "compare", "record", "record_script"]
