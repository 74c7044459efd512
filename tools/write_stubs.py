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

NUMBER = "bool | int | float | complex"
PUBLIC = {
    "Operand": f"Tensor | {NUMBER}",
    "Size": "int | tuple[int, ...] | list[int]",
    "list[Tensor]": "list[Tensor] | tuple[Tensor, ...]",
    "int | tuple[int, ...]": "int | tuple[int, ...] | list[int]",
}
HEADER = '''"""Written by tools/write_stubs.py. {what}"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import torch

from torchspore.common.dtype import Type
from torchspore.common.parameter import Parameter, ParameterTuple
from torchspore.common.tensor import Tensor
'''


def annotation(text: Any) -> str:
    """Return an annotation of an operation's body as its caller sees it."""
    text = str(text)
    optional = text.endswith(" | None")
    base = text.removesuffix(" | None")
    public = PUBLIC.get(base, base)
    unknown = not re.fullmatch(r"[\w\s.|,\[\]]*", public) or "TypeAlias" in public
    return ("Any" if unknown else public) + (" | None" if optional else "")


def signature(function: Any, *, method: bool) -> str:
    """Return the signature of an operation as stub text."""
    parts: list[str] = []
    parameters = list(inspect.signature(function).parameters.values())
    keyword_only = False
    for i, p in enumerate(parameters):
        if p.kind is p.KEYWORD_ONLY and not keyword_only:
            keyword_only = True
            if not any(q.kind is q.VAR_POSITIONAL for q in parameters):
                parts.append("*")
        if method and i == 0:
            parts.append("self")
            continue
        star = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        kind = "" if p.annotation is p.empty else f": {annotation(p.annotation)}"
        default = "" if p.default is p.empty else (" = ..." if kind else "=...")
        parts.append(f"{star}{p.name}{kind}{default}")
    returned = inspect.signature(function).return_annotation
    result = "Any" if returned is inspect.Signature.empty else annotation(returned)
    return f"({', '.join(parts)}) -> {result}"


def methods() -> str:
    """Return the stub of the methods."""
    lines = [
        HEADER.format(what="The operations that are methods of tensors."),
        "\nclass Operations:\n    __slots__ = ()\n",
    ]
    for name, member in sorted(vars(Operations).items()):
        if isinstance(member, property):
            lines.append(f"    @property\n    def {name}(self) -> Tensor: ...\n")
        elif inspect.isfunction(member):
            ignore = "  # type: ignore[override]" if name in ("__eq__", "__ne__") else ""
            lines.append(f"    def {name}{signature(member, method=True)}: ...{ignore}\n")
    return "".join(lines)


def functions() -> str:
    """Return the stub of `torchspore.ops`."""
    lines = [HEADER.format(what="The functions and primitives of torchspore.ops.")]
    imported, defined = [], []
    for name, member in sorted(vars(torchspore.ops).items()):
        if name.startswith("_") or inspect.ismodule(member) or name == "annotations":
            continue
        module = getattr(member, "__module__", "")
        if (inspect.isclass(member) and not issubclass(member, Primitive)) or module.startswith("torchspore.engine"):
            imported.append(f"from {module} import {member.__name__} as {name}\n")
        elif inspect.isclass(member):
            call = signature(member.__call__, method=True).rsplit(" -> ", 1)[0]
            defined.append(
                f"\nclass {name}(Primitive):\n    def __init__{signature(member.__init__, method=True)}: ...\n"
                f"    def __call__{call} -> Any: ...\n".replace(
                    ") -> Any: ...\n    def __call__", ") -> None: ...\n    def __call__"
                )
            )
        elif callable(member):
            defined.append(f"def {name}{signature(member, method=False)}: ...\n")
        else:
            defined.append(f"{name}: Any\n")
    return "".join(lines + sorted(imported) + ["\n"] + defined)


def main() -> int:
    """Write or check both stubs."""
    stale = []
    for kind, path in STUBS.items():
        text = {"methods": methods, "functions": functions}[kind]()
        if "--check" in sys.argv:
            if not path.exists() or path.read_text() != text:
                stale.append(str(path.relative_to(SOURCE)))
        else:
            path.write_text(text)
    if stale:
        print(f"out of step: {', '.join(stale)}. Run: python tools/write_stubs.py", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
