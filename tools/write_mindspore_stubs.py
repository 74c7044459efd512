"""Write stubs of MindSpore's modules: `python tools/write_mindspore_stubs.py [FOLDER]`, by default for `make stubs`.

With them, type checkers and editors know `import mindspore`: each module of MindSpore that TorchSpore has is a file
that imports its names from where TorchSpore has them. A name that TorchSpore refuses is left out: checkers report it.
"""

from __future__ import annotations

import ast
import functools
import importlib
import keyword
import pathlib
import shutil
import sys
from collections.abc import Iterable, Iterator
from types import ModuleType
from typing import Any

import torchspore

ROOT = pathlib.Path(torchspore.__file__).parent
FOLDER = pathlib.Path(__file__).parent.parent / "stubs" / "mindspore-stubs"
HEADER = '"""Written by tools/write_mindspore_stubs.py. What TorchSpore has of {}."""\n\n'


def source_of(module: str) -> pathlib.Path | None:
    """Return the file in which type checkers read a module of TorchSpore."""
    place = ROOT.joinpath(*module.split(".")[1:])
    found = [place / "__init__.pyi", place / "__init__.py", place.with_suffix(".pyi"), place.with_suffix(".py")]
    return next((path for path in found if path.is_file()), None)


@functools.cache
def names_in(module: str) -> frozenset[str]:
    """Return the names that type checkers see in a module of TorchSpore: what it defines and what it exports."""
    path = source_of(module)
    if path is None:
        return frozenset()
    tree = ast.parse(path.read_text())
    exported = getattr(sys.modules.get(module), "__all__", ()) if path.suffix == ".py" else ()
    return frozenset(_names(tree.body, exported))


def _names(body: list[ast.stmt], exported: Iterable[str]) -> Iterator[str]:
    """Yield the names that statements define; of imports those under their own names by `as`, and exported ones."""
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                yield from (leaf.id for leaf in ast.walk(target) if isinstance(leaf, ast.Name))
        elif isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
            yield from (name for name in names_in(str(node.module)) if not name.startswith("_"))
        elif isinstance(node, ast.ImportFrom):
            names = {alias.asname or alias.name: alias for alias in node.names}
            yield from (name for name, alias in names.items() if alias.asname == alias.name or name in exported)


@functools.cache
def _places() -> dict[int, list[tuple[str, str]]]:
    """Return, by the identity of every object of TorchSpore's modules, the modules and names that have it."""
    found: dict[int, list[tuple[str, str]]] = {}
    modules = {module.__name__: module for name, module in sys.modules.items() if name.startswith("torchspore")}
    for name, module in sorted(modules.items(), key=lambda item: (item[0].count("."), item[0])):
        for member in sorted(names_in(name)):
            if member in vars(module) and not isinstance(vars(module)[member], (int, float, str, type(None))):
                found.setdefault(id(vars(module)[member]), []).append((name, member))
    return found


def place_of(module: ModuleType, name: str, value: Any) -> tuple[str, str] | None:
    """Return the module and the name under which type checkers find what a module of MindSpore has, or None."""
    if name in names_in(module.__name__):
        return module.__name__, name
    places = _places().get(id(value), [])
    return next((place for place in places if place[1] == name), places[0] if places else None)


def stub(path: str, module: ModuleType, names: list[str], children: set[str]) -> str:
    """Return the stub of a module of MindSpore.

    Args:
        path: the module's path without the root.
        module: what TorchSpore has for it.
        names: MindSpore's and TorchSpore's names in it.
        children: the modules below it that have stubs, too.
    """
    root = f"mindspore.{path}".rstrip(".")
    imported: dict[str, list[str]] = {root: [f"{child} as {child}" for child in sorted(children)]}
    assigned = []
    for name in sorted({*names} - children):
        if keyword.iskeyword(name) or (name.startswith("__") and name != "__version__"):
            continue
        try:
            value = getattr(module, name)
        except (AttributeError, ImportError):
            continue
        place = place_of(module, name, value)
        if place is not None:
            is_same = place[1] == name  # only then does the import export it
            imported.setdefault(place[0], []).append(f"{place[1]} as {name if is_same else f'_{name}'}")
            assigned += [] if is_same else [f"{name} = _{name}\n"]
        elif isinstance(value, (bool, int, float, str)):
            assigned.append(f"{name}: {type(value).__name__}\n")
    lines = [f"from {place} import {', '.join(names)}\n" for place, names in imported.items() if names]
    return HEADER.format(root) + "".join(lines + assigned) if lines or assigned else ""


def write(folder: pathlib.Path) -> int:
    """Write all stubs into a folder, and return their number."""
    import torchspore.as_mindspore
    from torchspore import mindspore_names

    found: dict[str, tuple[ModuleType, list[str]]] = {}
    for path in {**mindspore_names._modules(), **torchspore.as_mindspore.COUNTERPARTS}:
        try:
            module = importlib.import_module(f"mindspore.{path}".rstrip("."))
        except ImportError:
            continue
        names = [*mindspore_names._origins(path), *mindspore_names._modules().get(path, {}).get("=", ())]
        if not names:  # a path of older versions
            names = list(getattr(module, "__all__", ()))
        is_same = module.__name__ == f"torchspore.{path}".rstrip(".")  # else one module stands for many
        found[path] = module, [*names, *(getattr(module, "__all__", ()) if is_same else ())]
    shutil.rmtree(folder, ignore_errors=True)
    texts: dict[str, str] = {}
    for path in sorted(found, key=lambda path: -path.count(".") - bool(path)):  # children first
        module, names = found[path]
        children = {below.rpartition(".")[2] for below in texts if below.rpartition(".")[0] == path and below}
        text = stub(path, module, names, children)
        if text:
            texts[path] = text
    packages = {path.rpartition(".")[0] for path in texts if path}
    for path, text in texts.items():
        place = folder.joinpath(*path.split("."))
        file = place / "__init__.pyi" if path in packages or not path else place.with_suffix(".pyi")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    (folder / "py.typed").write_text("partial\n")  # for other modules, checkers look into an installed MindSpore
    (folder / "VERSION").write_text(f"{torchspore.__version__}\n")  # of the package of stubs
    return len(texts)


if __name__ == "__main__":
    print(f"{write(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)} stubs")
