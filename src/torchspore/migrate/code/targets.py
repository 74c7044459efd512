"""How the rewritten code spells the names of the other side, and the import lines it needs for them.

While the code is rewritten, a name of the other side starts with a stand-in for the module that it is taken from. The
stand-ins become names when the rest is known: what else the program calls `nn` decides whether `nn` is free.
"""

from __future__ import annotations

import re

import libcst as cst

from torchspore.migrate.code.definitions import DEFINITIONS

__all__ = ["ALIASES", "Targets"]

# Module -> the names to import it by, in the order of preference. A longer module wins over its parent.
ALIASES: dict[str, tuple[str, ...]] = {
    "mindspore": ("ms", "mindspore"),
    "mindspore.nn": ("nn", "ms_nn"),
    "mindspore.ops": ("ops", "ms_ops"),
    "mindspore.mint": ("mint", "ms_mint"),
    "mindspore.mint.nn.functional": ("F", "mint_functional"),
    "mindspore.numpy": ("mnp", "ms_numpy"),
    "mindspore.dataset": ("ds", "ms_dataset"),
    "mindspore.dataset.vision": ("vision", "ms_vision"),
    "mindspore.common.initializer": ("initializer", "ms_initializer"),
    "mindspore.experimental.optim": ("optim", "ms_optim"),
    "mindspore.experimental.optim.lr_scheduler": ("lr_scheduler", "ms_lr_scheduler"),
    "math": ("math",),
    "typing": ("typing",),
    "torch": ("torch",),
    "torch.nn": ("nn", "torch_nn"),
    "torch.nn.functional": ("F", "torch_functional"),
    "torch.nn.utils": ("nn_utils", "torch_nn_utils"),
    "torch.nn.init": ("init", "torch_init"),
    "torch.optim": ("optim", "torch_optim"),
    "torch.optim.lr_scheduler": ("lr_scheduler", "torch_lr_scheduler"),
    "torch.utils.data": ("data", "torch_data"),
}
_STAND_IN = "__spelled_later_"
_DEFINED = "def "  # before the name of a function that the program gets, among the modules


class Targets:
    """The names of the other side that rewritten code uses."""

    def __init__(self) -> None:
        self._modules: list[str] = []
        self._definitions: dict[str, str] = {}

    def expression(self, full: str) -> cst.BaseExpression:
        """Return the expression for a full name, such as "mindspore.nn.Conv2d"."""
        module = max((m for m in ALIASES if full.startswith(f"{m}.")), key=len, default=None)
        if module is None:
            if full not in ALIASES:
                raise ValueError(f"no module is known for {full}")
            module = full
        node: cst.BaseExpression = self._stand_in(module)
        for part in full[len(module) + 1 :].split(".") if full != module else ():
            node = cst.Attribute(node, cst.Name(part))
        return node

    def definition(self, full: str) -> cst.Name:
        """Return the name of a function that the program gets the definition of."""
        name = self._stand_in(f"{_DEFINED}{full.rpartition('.')[2]}")
        if full not in self._definitions:
            source = DEFINITIONS[full].replace(f"def {full.rpartition('.')[2]}(", f"def {name.value}(")
            self._definitions[full] = self.in_template(source)
        return name

    def definitions(self) -> list[cst.FunctionDef]:
        """Return the functions that the program needs the definitions of."""
        found = [cst.parse_statement(source) for source in self._definitions.values()]
        return [each.with_changes(leading_lines=[cst.EmptyLine()] * 2) for each in found]  # type: ignore[misc]

    def _stand_in(self, module: str) -> cst.Name:
        if module not in self._modules:
            self._modules.append(module)
        return cst.Name(f"{_STAND_IN}{self._modules.index(module)}")

    def code(self, full: str) -> str:
        """Return the expression for a full name as text."""
        return cst.Module([]).code_for_node(self.expression(full))

    def in_template(self, template: str) -> str:
        """Return a template with the full names in it replaced."""
        return re.sub(r"\b(?:mindspore|torch)(?:\.[A-Za-z_]\w*)+", lambda match: self.code(match[0]), template)

    def used(self, code: str) -> list[str]:
        """Return the modules whose stand-ins are in a text."""
        return [m for i, m in enumerate(self._modules) if re.search(rf"\b{_STAND_IN}{i}\b", code)]

    def spell(self, code: str, names: dict[str, str]) -> str:
        """Return the text with each stand-in replaced by the name that its module got."""
        return re.sub(rf"{_STAND_IN}(\d+)\b", lambda match: names[self._modules[int(match[1])]], code)


def choose_names(modules: list[str], taken: set[str]) -> dict[str, str]:
    """Return a name for each module that is neither in `taken` nor given to another module."""
    chosen: dict[str, str] = {}
    for module in modules:
        names = ALIASES.get(module) or (module.removeprefix(_DEFINED),)
        candidates = [*names, *(f"{names[-1]}_{number}" for number in range(2, 1000))]
        chosen[module] = next(name for name in candidates if name not in taken and name not in chosen.values())
    return chosen


def import_lines(names: dict[str, str]) -> list[str]:
    """Return the import statements that bind modules to names, those of one package in one line."""
    plain: list[str] = []
    parents: dict[str, list[str]] = {}
    for module, name in names.items():
        if module.startswith(_DEFINED):
            continue
        parent, _, last = module.rpartition(".")
        if not parent:
            plain.append(f"import {module}" if name == module else f"import {module} as {name}")
        elif (module, name) in (("torch.nn.functional", "F"), ("torch.nn", "nn"), ("torch.optim", "optim")):
            plain.append(f"import {module} as {name}")
        else:
            parents.setdefault(parent, []).append(last if last == name else f"{last} as {name}")
    return sorted(plain) + [f"from {parent} import {', '.join(sorted(parents[parent]))}" for parent in sorted(parents)]
