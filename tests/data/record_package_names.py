"""Record which names of MindSpore published packages use: `python record_package_names.py FOLDER...`, with MindSpore.

A folder holds an unpacked package and the `.dist-info` beside it. Names that this MindSpore does not have are left out.
"""

from __future__ import annotations

import ast
import importlib
import json
import sys
from pathlib import Path


def dotted(node: ast.expr) -> list[str]:
    """Return the parts of `a.b.c`, or nothing."""
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return [node.id, *reversed(parts)] if isinstance(node, ast.Name) else []


def names_in(tree: ast.AST) -> set[str]:
    """Return the names below `mindspore` that a file imports, and the attributes that it takes of them."""
    known, used = {}, set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "mindspore":
                    known[alias.asname or "mindspore"] = alias.name if alias.asname else "mindspore"
                    used.add(alias.name)
        elif isinstance(node, ast.ImportFrom) and not node.level and (node.module or "").split(".")[0] == "mindspore":
            for alias in node.names:
                known[alias.asname or alias.name] = f"{node.module}.{alias.name}"
                used.add(node.module if alias.name == "*" else f"{node.module}.{alias.name}")
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            first, *rest = dotted(node) or [""]
            if first in known:
                used.add(".".join([known[first], *rest]))
    return used


def exists(name: str) -> bool:
    """Return whether MindSpore has a name."""
    found, parts = importlib.import_module("mindspore"), name.split(".")
    for number, part in enumerate(parts[1:], 2):
        if not hasattr(found, part):
            try:
                importlib.import_module(".".join(parts[:number]))
            except ImportError:
                return False
        found = getattr(found, part)
    return True


def main() -> None:
    recorded = {}
    for folder in map(Path, sys.argv[1:]):
        package = next(folder.glob("*.dist-info")).name.removesuffix(".dist-info").replace("-", " ")
        used = set()
        for file in folder.rglob("*.py"):
            try:
                used |= names_in(ast.parse(file.read_text()))
            except SyntaxError:
                continue
        recorded[package] = sorted(filter(exists, used))
    print(json.dumps(recorded, indent=0))


main()
