"""Count the habits that are to become rarer, and compare them with the limits in `pyproject.toml`.

    python tools/count_habits.py            # print a table; exit 1 when a figure is over its limit
    python tools/count_habits.py --write    # lower the limits to the current figures

A limit may only fall: whoever needs a higher one writes a decision record that says why.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[1]
_SOURCE = _ROOT / "src/torchspore"
_SECTION = "[tool.torchspore.habits]"
_NAMES = {"api", "__name__", "__qualname__", "__module__"}  # what names an operation, a class or a module
_FRAMES = {
    "_getframe", "currentframe", "f_back", "f_code", "f_globals", "f_locals", "get_referrers", "getrefcount",
    "setprofile", "settrace",
}  # fmt: skip


def habits(source: str) -> Counter[str]:
    """Count the habits in a module's source.

    Returns:
        The numbers of `private_torch` (imports and uses of torch's private names), `any_parameters` (parameters
        annotated as `Any`), `decided_by_name` (comparisons of an operation's, a class's or a module's name with text),
        `frames` (uses of frames, profilers and counts of references), `names_of_checks` (functions called `check...`,
        of which declared parameters have none) and `raises` (statements that raise an error).
    """
    return Counter(kind for node in ast.walk(ast.parse(source)) for kind in _kinds(node))


def _kinds(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.ImportFrom) and _is_private(node.module or ""):
        yield from ["private_torch"] * len(node.names)
    elif isinstance(node, ast.Import):
        yield from ["private_torch" for alias in node.names if _is_private(alias.name)]
    elif isinstance(node, ast.Attribute):
        if _is_private(ast.unparse(node)) and not _is_private(ast.unparse(node.value)):
            yield "private_torch"
        if node.attr in _FRAMES:
            yield "frames"
    elif isinstance(node, ast.FunctionDef) and re.match("_?check(ed|s)?(_|$)", node.name):
        yield "names_of_checks"
    elif isinstance(node, ast.Raise):
        yield "raises"
    elif isinstance(node, ast.arg) and node.annotation is not None and ast.unparse(node.annotation) == "Any":
        yield "any_parameters"
    elif isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.Eq, ast.NotEq, ast.In, ast.NotIn)):
        sides = [node.left, *node.comparators]
        if any(map(_is_name, sides)) and any(map(_has_text, sides)) and "'__main__'" not in ast.unparse(node):
            yield "decided_by_name"


def _is_private(path: str) -> bool:
    """Return whether a dotted path has a private name of torch."""
    return re.match(r"torch(\.\w+)*\._[a-z]", path, re.IGNORECASE) is not None


def _is_name(node: ast.expr) -> bool:
    return (isinstance(node, ast.Name) and node.id in _NAMES) or (
        isinstance(node, ast.Attribute) and node.attr in _NAMES
    )


def _has_text(node: ast.expr) -> bool:
    """Return whether a side of a comparison is a text, several, or a table of the module."""
    texts = any(isinstance(part, ast.Constant) and isinstance(part.value, str) for part in ast.walk(node))
    return texts or (isinstance(node, ast.Name) and node.id.isupper())


def figures() -> dict[str, int]:
    """Return the figures of the package."""
    names = ("any_parameters", "decided_by_name", "frames", "names_of_checks", "private_torch", "raises")
    counts = Counter(dict.fromkeys(names, 0))
    for path in sorted(_SOURCE.rglob("*.py")):
        found = habits(path.read_text(encoding="utf-8"))
        if path.name.startswith("_checkparam"):  # whose functions MindSpore names
            del found["names_of_checks"]
        counts.update(found)
    return dict(counts)


def limits() -> dict[str, int]:
    """Return the limits."""
    _, _, section = (_ROOT / "pyproject.toml").read_text(encoding="utf-8").partition(f"\n{_SECTION}\n")
    entries = re.findall(r"^(\w+) = (\d+)$", section.partition("\n[")[0], re.MULTILINE)
    return {name: int(number) for name, number in entries}


def overruns(found: dict[str, int], allowed: dict[str, int]) -> list[str]:
    """Return a sentence for each figure that is over its limit."""
    return [
        f"'{name}' is {number}, {number - allowed.get(name, 0)} over its limit in pyproject.toml: limits may only fall."
        for name, number in found.items()
        if number > allowed.get(name, 0)
    ]


def _write(found: dict[str, int], allowed: dict[str, int]) -> None:
    path = _ROOT / "pyproject.toml"
    before, _, section = path.read_text(encoding="utf-8").partition(f"\n{_SECTION}\n")
    _, bracket, after = section.partition("\n[")
    lower = {name: min(number, allowed.get(name, number)) for name, number in found.items()}
    entries = "".join(f"{name} = {number}\n" for name, number in lower.items())
    path.write_text(f"{before.rstrip()}\n\n{_SECTION}\n{entries}{bracket}{after}", encoding="utf-8")


def main(arguments: list[str]) -> int:
    """Print the table, or lower the limits; return the exit status."""
    found = figures()
    if arguments == ["--write"]:
        _write(found, limits())
    allowed = limits()
    for name, number in found.items():
        print(f"{name:16}{number:8}{allowed.get(name, 0):8}")
    over = overruns(found, allowed)
    print("\n".join(over))
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
