"""Record the public names that some version of MindSpore had and 2.10 has not, in `earlier_names.json`.

    python tests/data/record_earlier_names.py FOLDER

FOLDER has a folder for each version, named by it, with the Python files of its wheel: `FOLDER/1.10.0/mindspore/...`.
The wheels are `mindspore-gpu` for 1.x and `mindspore` for 2.x of the package index. Files are parsed, never run.

A module's names are its `__all__`, or else the classes and functions that it defines. Written is, by module path
without the root, the first and the last version that had names, and the names.
"""

from __future__ import annotations

import ast
import json
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

# What no program uses: by the start of a path, why its names are left out.
LEFT_OUT = {
    "_": "private",
    "common._": "private",
    "dataset.core": "checks of arguments",
    "dataset.engine.validators": "checks of arguments",
    "dataset.audio.validators": "checks of arguments",
    "dataset.transforms.validators": "checks of arguments",
    "dataset.vision.validators": "checks of arguments",
    "dataset.engine.obs": "a service of one cloud",
    "experimental.es": "a service of Ascend's hosts",
    "experimental.llm_boost": "kernels of Ascend",
    "include": "headers",
    "lib": "libraries",
    "lite": "another package",
    "offline_debug": "a service of MindInsight",
    "ops._": "private",
    "ops.auto_generate": "generated code",
    "ops.bprop_mindir": "generated code",
    "ops_generate": "generates code",
    "parallel.cluster": "a program",
    "profiler": "parts of a program that reads Ascend's files",
    "rewrite.": "parts of a compiler",
}
LAST = "2.10"


class Module:
    """What a file defines and imports."""

    def __init__(self, path: str, is_package: bool, tree: ast.Module) -> None:
        self.path, self.is_package = path, is_package
        self.own: dict[str, ast.stmt] = {}
        self.imported: dict[str, str] = {}
        self.stars: list[str] = []
        self.listed: list[ast.expr] = []  # the parts of its `__all__`
        self.has_list = False
        self._read(tree.body)

    def public(self) -> set[str]:
        return {
            name
            for name, node in self.own.items()
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not name.startswith("_")
        }

    def _read(self, body: list[ast.stmt]) -> None:
        for node in body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                self.own[node.name] = node
            elif isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
                self._read_assignment(node)
            elif isinstance(node, ast.Expr):
                self._read_call(node.value)
            elif isinstance(node, ast.Import):
                self.imported.update({alias.asname: alias.name for alias in node.names if alias.asname})
            elif isinstance(node, ast.ImportFrom):
                base = self._base(node)
                self.stars += [base for alias in node.names if alias.name == "*"]
                self.imported.update({a.asname or a.name: f"{base}.{a.name}" for a in node.names if a.name != "*"})
            for inner in ("body", "orelse", "finalbody"):
                if isinstance(node, (ast.If, ast.Try, ast.With)):
                    self._read(getattr(node, inner, []))

    def _read_assignment(self, node: ast.Assign | ast.AnnAssign | ast.AugAssign) -> None:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        names = {part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)}
        self.own.update(dict.fromkeys(names, node))
        if "__all__" in names and node.value is not None:
            self.has_list = True
            self.listed = [*self.listed, node.value] if isinstance(node, ast.AugAssign) else [node.value]

    def _read_call(self, call: ast.expr) -> None:
        """Read `__all__.extend(...)` and `__all__.append(...)`."""
        if isinstance(call, ast.Call) and call.args and ast.unparse(call.func).startswith("__all__."):
            self.has_list = True
            self.listed.append(call.args[0])

    def _base(self, node: ast.ImportFrom) -> str:
        if not node.level:
            return node.module or ""
        parts = ["mindspore", *self.path.split(".")] if self.path else ["mindspore"]
        up = node.level - self.is_package
        return ".".join([*parts[: len(parts) - up], *([node.module] if node.module else [])])


class Version:
    """The modules of a version."""

    def __init__(self, folder: Path) -> None:
        self.modules: dict[str, Module] = {}
        self._listed: dict[str, set[str] | None] = {}
        self._bound: dict[str, set[str]] = {}
        for file in (folder / "mindspore").rglob("*.py"):
            parts = file.relative_to(folder).with_suffix("").parts[1:]
            is_package = parts[-1] == "__init__"
            path = ".".join(parts[:-1] if is_package else parts)
            try:
                self.modules[path] = Module(path, is_package, ast.parse(file.read_text(errors="replace")))
            except SyntaxError:
                continue

    def listed(self, path: str) -> set[str] | None:
        """Return a module's `__all__`, or None if it has none."""
        module = self.modules.get(path)
        if path not in self._listed:
            self._listed[path] = None  # what a circle of imports sees
            if module is not None and module.has_list:
                self._listed[path] = {name for part in module.listed for name in self._elements(module, part)}
        return self._listed[path]

    def _elements(self, module: Module, node: ast.expr) -> Iterator[str]:
        if isinstance(node, ast.Constant):
            yield str(node.value)
        elif isinstance(node, (ast.List, ast.Tuple)):
            for element in node.elts:
                yield from self._elements(module, element)
        elif isinstance(node, ast.BinOp):
            yield from self._elements(module, node.left)
            yield from self._elements(module, node.right)
        elif isinstance(node, ast.Call) and node.args:
            yield from self._elements(module, node.args[0])
        elif isinstance(node, (ast.Attribute, ast.Name)):
            first, _, rest = ast.unparse(node).removesuffix(".__all__").partition(".")
            known = module.own.get(first)
            if isinstance(known, ast.Assign):
                yield from self._elements(module, known.value)
            else:
                place = module.imported.get(first, f"mindspore.{module.path}.{first}").removesuffix(".__all__")
                path = ".".join(filter(None, (place.removeprefix("mindspore").lstrip("."), rest)))
                yield from self.listed(path) or ()

    def bound(self, path: str) -> set[str]:
        """Return all names that a module has."""
        if path not in self._bound:
            self._bound[path] = set()  # what a circle of imports sees
            self._bound[path] = self._names(path)
        return self._bound[path]

    def _names(self, path: str) -> set[str]:
        module = self.modules.get(path)
        if module is None:
            return set()
        names = {*module.own, *module.imported, *(self.listed(path) or ())}
        for star in module.stars:
            place = star.removeprefix("mindspore").lstrip(".")
            inner = {name for name in self.bound(place) if not name.startswith("_")}
            names |= self.listed(place) or inner
        below = f"{path}." if path else ""
        return names | {other[len(below) :].split(".")[0] for other in self.modules if other.startswith(below)}


def main() -> None:
    folders = sorted(Path(sys.argv[1]).iterdir(), key=lambda folder: [int(part) for part in folder.name.split(".")])
    spans: dict[str, dict[str, list[str]]] = defaultdict(dict)
    for folder in folders:
        version, number = Version(folder), ".".join(folder.name.split(".")[:2])
        for path, module in version.modules.items():
            for name in version.listed(path) or module.public():
                spans[path].setdefault(name, [number, number])[1] = number
    assert number == LAST, f"the last folder must be of {LAST}"
    gone: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for path, names in spans.items():
        private = any(part.startswith("_") for part in path.split("."))
        kept = () if private or path.startswith(tuple(LEFT_OUT)) else names.keys() - version.bound(path)
        for name in sorted(kept):
            if not name.startswith("_"):
                gone[path][" ".join(names[name])].append(name)
    rows = {
        path: {span: " ".join(names) for span, names in sorted(spans.items())} for path, spans in sorted(gone.items())
    }
    Path(__file__).with_name("earlier_names.json").write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
