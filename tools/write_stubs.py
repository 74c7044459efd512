"""Write the type stubs of the operations: `python tools/write_stubs.py` (with `--check`: only compare).

`common/operations.pyi` has the methods of tensors, `ops/__init__.pyi` the functions and primitives of `torchspore.ops`.
"""

from __future__ import annotations

import inspect
import pathlib
import re
import sys
from typing import Any

import torchspore
from torchspore.common.operations import Operations
from torchspore.engine.primitive import Primitive

SOURCE = pathlib.Path(torchspore.__file__).parent
STUBS = {"methods": SOURCE / "common" / "operations.pyi", "functions": SOURCE / "ops" / "__init__.pyi"}

# Annotations of operations' bodies, as their callers see them.
PUBLIC = {
    "Operand": "Tensor | bool | int | float | complex",
    "Size": "int | tuple[int, ...] | list[int]",
    "list[Tensor]": "list[Tensor] | tuple[Tensor, ...]",
    "int | tuple[int, ...]": "int | tuple[int, ...] | list[int]",
    "_Tensor": "Tensor",
}
# Tensors have methods of the names `bool`, `int` and `float`, so the types of that name carry their module.
BUILTINS = re.compile(r"\b(bool|int|float|complex|str|tuple|list)\b")
KNOWN = re.compile(r"(Tensor|Type|Parameter|Any|None|bool|int|float|complex|str|tuple|list|[ .,|\[\]])*")
HEADER = '''"""Written by tools/write_stubs.py. {what}"""

import builtins
from typing import Any

from torchspore.common.dtype import Type
from torchspore.common.parameter import Parameter
from torchspore.common.tensor import Tensor
{more}'''


def annotation(given: Any) -> str:
    """Return an annotation as the caller sees it; `Any` where it names what only bodies know."""
    text = "Any" if given is inspect.Signature.empty else str(given)
    base = text.removesuffix(" | None")
    public = PUBLIC.get(base, base)
    if not KNOWN.fullmatch(public):
        return "Any"
    return BUILTINS.sub(r"builtins.\1", public + (" | None" if text != base else ""))


def parameters(function: Any, *, method: bool) -> str:
    """Return the parameters of an operation as stub text."""
    found = list(inspect.signature(function).parameters.values())
    parts: list[str] = []
    for i, p in enumerate(found):
        first_keyword = p.kind is p.KEYWORD_ONLY and (i == 0 or found[i - 1].kind is p.POSITIONAL_OR_KEYWORD)
        if first_keyword:
            parts.append("*")
        if method and i == 0:
            parts.append("self")
            continue
        star = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        default = "" if p.default is p.empty else " = ..."
        parts.append(f"{star}{p.name}: {annotation(p.annotation)}{default}")
    return ", ".join(parts)


def methods() -> str:
    """Return the stub of the methods."""
    lines = [HEADER.format(what="The operations that are methods of tensors.", more=""), "\nclass Operations:\n"]
    lines.append("    __slots__ = ()\n")
    for name, member in sorted(vars(Operations).items()):
        if isinstance(member, property):
            lines.append(f"    @property\n    def {name}(self) -> Tensor: ...\n")
        elif inspect.isfunction(member):
            result = annotation(inspect.signature(member).return_annotation)
            lines.append(f"    def {name}({parameters(member, method=True)}) -> {result}: ...\n")
    return "".join(lines)


def functions() -> str:
    """Return the stub of `torchspore.ops`."""
    imported, defined = [], []
    for name in torchspore.ops.__all__:
        member = getattr(torchspore.ops, name)
        module = getattr(member, "__module__", "")
        if module.startswith("torchspore.engine") or not (inspect.isclass(member) or inspect.isfunction(member)):
            imported.append(f"from {module or 'torchspore.ops'} import {name} as {name}\n")
        elif inspect.isclass(member) and issubclass(member, Primitive):
            defined.append(
                f"\nclass {name}(Primitive):\n"
                f"    def __init__({parameters(member.__init__, method=True)}) -> None: ...\n"
                f"    def __call__({parameters(member.__call__, method=True)}) -> Any: ...\n"
            )
        else:
            result = annotation(inspect.signature(member).return_annotation)
            defined.append(f"def {name}({parameters(member, method=False)}) -> {result}: ...\n")
    what = "The functions and primitives of torchspore.ops."
    return "".join([HEADER.format(what=what, more="".join(sorted(imported))), "\n", *defined])


def main() -> int:
    """Write or check both stubs."""
    stale = []
    for kind, path in STUBS.items():
        text = {"methods": methods, "functions": functions}[kind]()
        if "--check" not in sys.argv:
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            stale.append(str(path.relative_to(SOURCE)))
    if stale:
        print(f"out of step: {', '.join(stale)}. Run: python tools/write_stubs.py", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
