"""Write the type stubs of the operations: `python tools/write_stubs.py` (with `--check`: only compare).

`common/operations.pyi` has the methods of tensors, `dataset/operations.pyi` those of datasets, the others the functions
and primitives of packages.
"""

from __future__ import annotations

import ast
import inspect
import pathlib
import re
import sys
from types import ModuleType
from typing import Any

import torchspore
import torchspore.mint
import torchspore.numpy
import torchspore.scipy
from torchspore.common.operations import Operations
from torchspore.dataset import Dataset
from torchspore.engine.primitive import Primitive

SOURCE = pathlib.Path(torchspore.__file__).parent
PACKAGES = [
    torchspore.ops, torchspore.mint, torchspore.mint.linalg, torchspore.mint.nn.functional, torchspore.mint.special,
    torchspore.numpy, torchspore.numpy.fft, torchspore.scipy.fft, torchspore.scipy.linalg,
]  # fmt: skip

# Annotations of operations' bodies, as their callers see them.
PUBLIC = {
    "Operand": "Tensor | bool | int | float | complex",
    "Size": "int | tuple[int, ...] | list[int]",
    "list[Tensor]": "list[Tensor] | tuple[Tensor, ...]",
    "int | tuple[int, ...]": "int | tuple[int, ...] | list[int]",
}
KNOWN = re.compile(r"(Tensor|Type|Generator|Any|None|bool|int|float|complex|str|tuple|list|[ .,|\[\]])*")
# Tensors have methods of these names, so between them the types carry their module.
SHADOWED = re.compile(r"\b(bool|int|float)\b")
HEADER = '''"""Written by tools/write_stubs.py. {what}"""

{first}from typing import Any

from torchspore.common.dtype import Type
from torchspore.common.generator import Generator
from torchspore.common.tensor import Tensor
{more}'''
DATASETS = '''"""Written by tools/write_stubs.py. The operations that are methods of datasets."""

from collections.abc import Callable, Sequence
from typing import Any

from torchspore.dataset.cache import DatasetCache
from torchspore.dataset.callbacks import DSCallback
from torchspore.dataset.combining import ConcatDataset
from torchspore.dataset.dataset import Dataset
from torchspore.dataset.items import TorchRows
from torchspore.dataset.iterators import DictIterator, TupleIterator
from torchspore.dataset.values import Row
from torchspore.dataset.text.enums import SentencePieceModel
from torchspore.dataset.text.sentencepiece import SentencePieceVocab
from torchspore.dataset.text.vocabulary import Vocab

class Operations:
'''


def annotation(given: Any) -> str:
    """Return an annotation as the caller sees it; `Any` for types that only bodies know."""
    text = "Any" if given is inspect.Signature.empty else str(given).replace("_Tensor", "Tensor").replace("mstype.", "")
    base = text.removesuffix(" | None")
    public = PUBLIC.get(base, base) + text[len(base) :]
    return public if KNOWN.fullmatch(public) else "Any"


def default(value: Any, kind: str) -> str:
    """Return a default as stub text, if it is a literal (None may also mean that another argument is given)."""
    text = repr(value)
    try:
        ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return "..."
    return "..." if value is None and not kind.endswith(("None", "Any")) else text


def signature(function: Any, *, method: bool, in_tensor: bool = False) -> str:
    """Return the parameters and the result of an operation as stub text."""

    def written(given: Any) -> str:
        return SHADOWED.sub(r"builtins.\1", annotation(given)) if in_tensor else annotation(given)

    found = inspect.signature(function)
    parts: list[str] = []
    before = None
    for p in found.parameters.values():
        if p.kind is p.KEYWORD_ONLY and before not in (p.KEYWORD_ONLY, p.VAR_POSITIONAL):
            parts.append("*")
        before = p.kind
        star = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        kind = written(p.annotation)
        value = "" if p.default is p.empty else f" = {default(p.default, kind)}"
        parts.append(f"{star}{p.name}: {kind}{value}")
    if method:
        parts[0] = "self"
    return f"({', '.join(parts)}) -> {written(found.return_annotation)}"


def methods() -> str:
    """Return the stub of the methods."""
    lines = [HEADER.format(what="The operations that are methods of tensors.", first="import builtins\n", more="")]
    lines.append("\nclass Operations:\n    __slots__ = ()\n")
    for name, member in sorted(vars(Operations).items()):
        if isinstance(member, property):
            lines.append(f"    @property\n    def {name}(self) -> Tensor: ...\n")
        elif name in ("__eq__", "__ne__"):  # a bool only beside what no tensor can be compared with
            lines.append(f"    def {name}(self, other: Any) -> Tensor: ...  # type: ignore[override]\n")
        elif inspect.isfunction(member):
            lines.append(f"    def {name}{signature(member, method=True, in_tensor=True)}: ...\n")
    return "".join(lines)


def as_written(found: inspect.Signature) -> str:
    """Return the parameters and the result of a method with the annotations of the source."""
    itself, *others = found.parameters.values()
    parts = [itself.name]
    for p in others:
        parts.append(f"{p.name}: {p.annotation}{'' if p.default is p.empty else f' = {p.default!r}'}")
    return f"({', '.join(parts)}) -> {found.return_annotation}"


def methods_of_datasets() -> str:
    """Return the stub of the methods that modules attach to `Dataset`, annotated as they are."""
    lines = [DATASETS]
    for name, member in sorted(vars(Dataset).items()):
        if inspect.isfunction(member) and member.__module__ != Dataset.__module__:
            lines.append(f"    def {name}{as_written(inspect.signature(member))}: ...\n")
    return "".join(lines)


def named(member: Any) -> bool:
    """Return whether a member has its own name."""
    return inspect.isclass(member) or inspect.isroutine(member) or inspect.ismodule(member)


def functions(package: ModuleType) -> str:
    """Return the stub of a package of operations."""
    imported, defined = [], []
    for name in package.__all__:
        member = getattr(package, name)
        module = getattr(member, "__module__", "")
        if isinstance(member, Primitive):
            defined.append(f"{name}: {member.name}\n")
        elif member is None or isinstance(member, (int, float)):
            defined.append(f"{name}: {'None' if member is None else type(member).__name__}\n")
        elif not (named(member) or hasattr(sys.modules.get(module), name)):
            defined.append(f"{name}: Any\n")
        elif module and not module.startswith("torchspore"):
            imported.append(f"from {module} import {member.__name__} as {name}\n")
        elif module.startswith("torchspore.engine") or not (inspect.isclass(member) or inspect.isfunction(member)):
            imported.append(f"from {module or package.__name__} import {name} as {name}\n")
        elif inspect.isclass(member) and issubclass(member, Primitive):
            defined.append(
                f"\nclass {name}(Primitive):\n"
                f"    def __init__{signature(member.__init__, method=True)}: ...\n"
                f"    def __call__{signature(member.__call__, method=True)}: ...\n"
            )
        else:
            defined.append(f"def {name}{signature(member, method=False)}: ...\n")
    what = f"The functions and primitives of {package.__name__}."
    return "".join([HEADER.format(what=what, first="", more="".join(sorted(imported))), "\n", *defined])


def main() -> int:
    """Write or check the stubs."""
    stale = []
    texts = {
        SOURCE / "common" / "operations.pyi": methods(),
        SOURCE / "dataset" / "operations.pyi": methods_of_datasets(),
    }
    for package in PACKAGES:
        texts[pathlib.Path(str(package.__file__)).with_suffix(".pyi")] = functions(package)
    for path, text in texts.items():
        if "--check" not in sys.argv:
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            stale.append(str(path.relative_to(SOURCE)))
    if stale:
        print(f"out of step: {', '.join(stale)}. Run: python tools/write_stubs.py", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
