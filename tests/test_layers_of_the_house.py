"""Every package imports only from those below it, as pyproject.toml says, and no modules form a circle."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import grimp

ROOT = Path(__file__).parents[1]


def test_contracts() -> None:
    # In a separate process: import-linter's logging configuration silences all other loggers.
    program = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))"
    ended = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout + ended.stderr


def circles(imports: dict[str, set[str]]) -> Iterator[tuple[str, ...]]:
    """Yield the groups of modules that reach one another: Tarjan's strongly connected components of several."""
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    open_ones: list[str] = []

    def visit(module: str) -> Iterator[tuple[str, ...]]:
        number[module] = lowest[module] = len(number)
        open_ones.append(module)
        for other in sorted(imports[module]):
            if other not in number:
                yield from visit(other)
                lowest[module] = min(lowest[module], lowest[other])
            elif other in open_ones:
                lowest[module] = min(lowest[module], number[other])
        if lowest[module] == number[module]:
            start = open_ones.index(module)
            found = tuple(sorted(open_ones[start:]))
            del open_ones[start:]
            if len(found) > 1:
                yield found

    for module in sorted(imports):
        if module not in number:
            yield from visit(module)


def test_circles_are_found() -> None:
    imports = {"a": {"b"}, "b": {"c", "d"}, "c": {"a"}, "d": {"e"}, "e": {"d", "f"}, "f": set()}
    assert sorted(circles(imports)) == [("a", "b", "c"), ("d", "e")]


def test_no_circles() -> None:
    graph = grimp.build_graph("torchspore", cache_dir=None)
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    found = {tuple([module.removeprefix("torchspore.") for module in circle]) for circle in circles(imports)}
    assert found == set()


def test_no_folder_is_crowded() -> None:
    folders = [folder for folder in (ROOT / "src/torchspore").rglob("*") if folder.is_dir()]
    counts = {folder.relative_to(ROOT).as_posix(): len(list(folder.glob("*.py"))) for folder in folders}
    assert {folder: count for folder, count in counts.items() if count > 30} == {}
