"""The Python code of a changed network, and the network that it makes."""

from __future__ import annotations

import ast
import builtins
import copy
import linecache
from pathlib import Path
from types import ModuleType
from typing import Any

from torchspore.engine.storage.writing import replacing
from torchspore.nn.cell import Cell, Members
from torchspore.rewrite.flattening import Names
from torchspore.rewrite.parsing import Function, namespace

__all__ = ["Code", "share_members"]


def share_members(network: Cell, origin: Cell) -> None:
    """Give a network the parameters, child cells and other attributes of another."""
    for name, value in vars(origin).items():
        if isinstance(value, Members):
            vars(network)[name] = Members(network, value.items())
        else:
            vars(network)[name] = copy.copy(value) if isinstance(value, dict) and name.startswith("_") else value


class Code:
    """The code of a network: the functions and networks that it calls, and its class.

    Args:
        tree: the `SymbolTree` of the network.
    """

    def __init__(self, tree: Any) -> None:
        self._network = tree._network
        self._parts: list[tuple[str, str, dict[str, Any]]] = []  # name, code, what it refers to
        self._classes: dict[str, tuple[type, str]] = {}  # the class that each derives from, and its code
        self._names = Names(set())
        self._name = self._add_tree(tree, tree._name)
        self.text = "\n\n".join((_imports(self._parts), *(code for _, code, _ in self._parts))) + "\n"

    def save(self, path: Path) -> None:
        """Write the code to a file."""
        with replacing(str(path), durable=False) as file:
            file.write(self.text.encode())

    def run(self, path: Path) -> Cell:
        """Write the code to a file, run it, and return the network."""
        self.save(path)
        linecache.checkcache(str(path))
        made: dict[str, Any] = {}
        for name, code, names in self._parts:
            line = self.text[: self.text.index(code)].count("\n")
            scope = {**names, **{key: made[key] for key in names.get(_MADE, ()) if key in made}}
            exec(compile("\n" * line + code, str(path), "exec"), scope)
            made[name] = scope[name]
        return made[self._name](self._network)

    def _add_tree(self, tree: Any, name: str) -> str:
        """Add the code of a network, and return the name of its class: an equal class's, if there is one."""
        made = set()
        lines = []
        for path, inner in tree._paths():
            class_name = self._add_tree(inner, f"{type(inner._network).__name__}Opt")
            made.add(class_name)
            lines.append(f"        {path} = {class_name}({path})\n")
        methods = list(tree._methods.values())
        for method in methods:
            made |= self._add_functions(method)
        kind = type(tree._network)
        definition = ast.parse(_CLASS.format(base=kind.__name__) + "".join(lines)).body[0]
        assert isinstance(definition, ast.ClassDef)
        definition.body += [method.write() for method in methods]
        code = ast.unparse(ast.fix_missing_locations(definition))
        names = {**namespace(tree._main.function), **tree._objects}
        names |= {kind.__name__: kind, tree._kind.__name__: tree._kind, **_base_names()}
        for part, given in self._classes.items():
            if given == (kind, code):
                return part
        name = self._names.unique(name)
        self._classes[name] = (kind, code)
        code = code.replace(f"class {_NAME}(", f"class {name}(", 1)
        self._parts.append((name, code, {**names, _MADE: made}))
        return name

    def _add_functions(self, function: Function) -> set[str]:
        """Add the code of the functions that a function calls, and return their names."""
        names = set()
        for used in function.uses:
            made = self._add_functions(used)
            name = used.definition.name
            scope = {**namespace(used.function), **used.tree._objects, _MADE: made}
            self._parts.append((name, ast.unparse(used.write()), scope))
            names.add(name)
        return names


_MADE = "__made__"  # the names of earlier parts that a part refers to
_NAME = "_Changed"
_CLASS = f"""class {_NAME}({{base}}, nn.Cell):
    def __init__(self, obj):
        nn.Cell.__init__(self)
        share_members(self, obj)
"""


def _base_names() -> dict[str, Any]:
    """Return what every class refers to."""
    from torchspore import nn

    return {"nn": nn, "share_members": share_members}


def _imports(parts: list[tuple[str, str, dict[str, Any]]]) -> str:
    """Return the import statements for the names that code refers to."""
    lines = set()
    made = {name for name, _, _ in parts}
    for _, code, names in parts:
        for part in ast.walk(ast.parse(code)):
            if (
                isinstance(part, ast.Name)
                and part.id in names
                and part.id not in made
                and not hasattr(builtins, part.id)
            ):
                lines.add(_import(part.id, names[part.id], names.get("__name__", "")))
    return "\n".join(sorted(lines))


def _import(name: str, value: Any, module: str) -> str:
    """Return an import statement for a name that a module refers to."""
    if isinstance(value, ModuleType):
        return f"import {value.__name__}" if value.__name__ == name else f"import {value.__name__} as {name}"
    source = getattr(value, "__module__", None) or module
    own = getattr(value, "__name__", name)
    if getattr(value, "__qualname__", name) != own:
        source, own = module, name
    return f"from {source} import {own}" + ("" if own == name else f" as {name}")
