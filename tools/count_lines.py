"""Count the lines of code of each package and compare them with the budget in `pyproject.toml`.

    python tools/count_lines.py            # print a table; exit 1 when a package is over its budget
    python tools/count_lines.py --write    # set the budget to the current figures

A line of code is one that is not blank, not a comment and not part of a docstring. A package that needs more lines
needs a change of the budget, which a reviewer sees.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[1]
_SOURCE = _ROOT / "src/torchspore"
_SECTION = "[tool.torchspore.budget]"
_SKIPPED = {
    tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING,
    tokenize.ENDMARKER,
}  # fmt: skip


def code_lines(source: str) -> int:
    """Return the number of lines of code in a module's source."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in _SKIPPED:
            lines.update(range(token.start[0], token.end[0] + 1))
    return len(lines - _docstring_lines(source))


def _docstring_lines(source: str) -> set[int]:
    lines: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) or not node.body:
            continue
        first = node.body[0]
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
            lines.update(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    return lines


def packages() -> dict[str, int]:
    """Return the number of lines of code of each package; single modules count together, as "modules"."""
    found: dict[str, int] = {}
    for path in sorted(_SOURCE.rglob("*.py")):
        inside = path.relative_to(_SOURCE).parts
        name = inside[0] if len(inside) > 1 else "modules"
        found[name] = found.get(name, 0) + code_lines(path.read_text())
    return dict(sorted(found.items()))


def budget() -> dict[str, int]:
    """Return the budget of each package."""
    _, _, section = (_ROOT / "pyproject.toml").read_text().partition(f"\n{_SECTION}\n")
    entries = re.findall(r"^(\w+) = (\d+)$", section.partition("\n[")[0], re.MULTILINE)
    return {name: int(lines) for name, lines in entries}


def overruns(found: dict[str, int], allowed: dict[str, int]) -> list[str]:
    """Return a sentence for each package that is over its budget, or has none."""
    sentences = []
    for name, lines in found.items():
        if name not in allowed:
            sentences.append(f"'{name}' has no budget: add it to {_SECTION} in pyproject.toml.")
        elif lines > allowed[name]:
            sentences.append(f"'{name}' has {lines} lines of code, {lines - allowed[name]} over its budget.")
    return sentences


def _write(found: dict[str, int]) -> None:
    path = _ROOT / "pyproject.toml"
    before, _, section = path.read_text().partition(f"\n{_SECTION}\n")
    _, bracket, after = section.partition("\n[")
    entries = "".join(f"{name} = {lines}\n" for name, lines in found.items())
    path.write_text(f"{before.rstrip()}\n\n{_SECTION}\n{entries}{bracket}{after}")


def main(arguments: list[str]) -> int:
    """Print the table, or write the budget; return the exit status."""
    found = packages()
    if arguments == ["--write"]:
        _write(found)
    allowed = budget()
    for name, lines in found.items():
        print(f"{name:16}{lines:8}{allowed.get(name, 0):8}")
    print(f"{'total':16}{sum(found.values()):8}{sum(allowed.values()):8}")
    over = overruns(found, allowed)
    print("\n".join(over))
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
