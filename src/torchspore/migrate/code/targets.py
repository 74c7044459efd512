"""How the rewritten code spells the names of the other side, and the import lines it needs for them.

While the code is rewritten, a name of the other side starts with a stand-in for the module that it is taken from. The
stand-ins become names when the rest is known: what else the program calls `nn` decides whether `nn` is free.
"""

from __future__ import annotations

import re

import libcst as cst

from torchspore.migrate.code import parts_for_cpus, parts_of_mindspore, parts_of_torch

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
    "contextlib": ("contextlib",),
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
_DEFINED = "def "  # before the name of a part, among the modules
_PARTS = {**parts_of_mindspore.PARTS, **parts_for_cpus.PARTS, **parts_of_torch.PARTS}
_PART = re.compile(rf"(?<![.\w])(?:{'|'.join(_PARTS)})(?=[(:])")


class Targets:
    """The names of the other side that rewritten code uses."""

    def __init__(self) -> None:
        self._modules: list[str] = []
        self._parts: dict[str, str] = {}

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

    def part(self, name: str) -> cst.Name:
        """Return the name of a function or class that the program gets the source of."""
        if name not in self._parts:
            self._parts[name] = ""
            source = _PART.sub(lambda match: self.part(match[0]).value, _PARTS[name])
            self._parts[name] = self.in_template(source)
        return self._stand_in(f"{_DEFINED}{name}")

    @property
    def has_parts(self) -> bool:
        """Whether a part was asked for."""
        return bool(self._parts)

    def parts(self, names: set[str]) -> list[cst.BaseStatement]:
        """Return the definitions of the parts among the names of a program, and of those that these use."""
        by_name = {self._stand_in(f"{_DEFINED}{name}").value: source for name, source in self._parts.items()}
        used = [source for name, source in by_name.items() if name in names]
        inside = [
            source for name, source in by_name.items() if source not in used and any(name in each for each in used)
        ]
        found = [cst.parse_statement(source.strip() + "\n") for source in [*inside, *used]]
        return [each.with_changes(leading_lines=[cst.EmptyLine(indent=False)] * 2) for each in found]

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

    def used(self, names: set[str]) -> list[str]:
        """Return the modules and parts whose stand-ins are among the names."""
        return [m for i, m in enumerate(self._modules) if f"{_STAND_IN}{i}" in names]

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
    """Return the import statements that bind modules to names, with one line per package."""
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
