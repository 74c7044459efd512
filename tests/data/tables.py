"""Recorded tables as JSON text, one case per line: what the scripts beside this file write."""

from __future__ import annotations

import json
from typing import Any


def dump(tables: dict[str, Any]) -> str:
    """Return the text of tables of cases, each a dictionary or a list."""
    parts = []
    for title, table in tables.items():
        if isinstance(table, dict):
            cases = ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in table.items())
            parts.append(f"{json.dumps(title)}: {{\n{cases}\n}}")
        else:
            cases = ",\n".join(json.dumps(case) for case in table)
            parts.append(f"{json.dumps(title)}: [\n{cases}\n]")
    return "{\n" + ",\n".join(parts) + "\n}\n"
