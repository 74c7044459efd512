"""Write the type stubs: `python tools/write_stubs.py` (with `--check`: only compare).

`common/operations.pyi` has the methods of tensors, `dataset/pipeline/operations.pyi` the methods of datasets, the
stubs of packages of operations their functions and primitives, and the stubs of packages that import names when
they are asked for, these names.
"""

from __future__ import annotations

import ast
import inspect
import pathlib
import re
import sys
import textwrap
from types import ModuleType
from typing import Any

import torchspore
import torchspore.mint
import torchspore.numpy
import torchspore.scipy
from torchspore.common.names.unsupported import REASONS, unsupported
from torchspore.common.operations import Operations
from torchspore.dataset import Dataset, parameters
from torchspore.engine.primitive import Primitive

SOURCE = pathlib.Path(torchspore.__file__).parent
PACKAGES = [
    torchspore.ops, torchspore.mint, torchspore.mint.distributed, torchspore.mint.linalg,
    torchspore.mint.nn.functional, torchspore.mint.special, torchspore.numpy, torchspore.numpy.fft,
    torchspore.scipy.fft, torchspore.scipy.linalg,
]  # fmt: skip

# Annotations of operations' bodies, as their callers see them.
PUBLIC = {
    "Operand": "Tensor | bool | int | float | complex",
    "Size": "int | tuple[int, ...] | list[int]",
    "list[Tensor]": "list[Tensor] | tuple[Tensor, ...]",
    "int | tuple[int, ...]": "int | tuple[int, ...] | list[int]",
}
KNOWN = re.compile(r"(Tensor|Type|Generator|Any|None|bool|int|float|complex|str|tuple|list|NoReturn|[ .,|\[\]])*")
# The types of arguments are shown, and checked, under the names that `common/annotations.pyi` gives them.
ALIASES = {
    "Tensor | bool | int | float | complex": "Operand",
    "list[Tensor] | tuple[Tensor, ...]": "Tensors",
    "int | tuple[int, ...] | list[int]": "Ints",
}
# What an operation returns with and without a flag.
FLAGS = {
    "as_tuple": ("tuple[Tensor, ...]", "Tensor"),
    "compute_uv": ("tuple[Tensor, Tensor, Tensor]", "Tensor"),
    "return_indices": ("tuple[Tensor, Tensor]", "Tensor"),
}
# What depends on which arguments are given: the signatures before the general one.
_EXTREME = (
    "(self) -> Tensor",
    "(self, dim: builtins.int, keepdim: builtins.bool = False) -> tuple[Tensor, Tensor]",
    "(self, *, axis: Ints | None, keepdims: builtins.bool = False) -> Tensor",
)
_MINT_EXTREME = (
    "(input: Tensor) -> Tensor",
    "(input: Tensor, dim: int, keepdim: bool = False) -> tuple[Tensor, Tensor]",
    "(input: Tensor, other: Tensor) -> Tensor",
)
OVERLOADS = {
    "Tensor": {"max": _EXTREME, "min": _EXTREME},
    "torchspore.mint": {
        "max": _MINT_EXTREME,
        "min": _MINT_EXTREME,
        "median": _MINT_EXTREME[:2],
        "where": (
            "(condition: Tensor) -> tuple[Tensor, ...]",
            "(condition: Tensor, input: Operand, other: Operand) -> Tensor",
        ),
    },
}
# Tensors have methods of these names, so between them the types carry their module.
SHADOWED = re.compile(r"\b(bool|int|float)\b")
HEADER = '''"""Written by tools/write_stubs.py. {what}"""

{first}from typing import Any, Literal, NoReturn, overload

from torchspore.common.annotations import Ints, Operand, Tensors, TypeLike
from torchspore.common.dtype import Type
from torchspore.common.generator import Generator
from torchspore.common.tensor import Tensor
{more}'''
SELF = "from typing_extensions import Self\n"
DATASETS = '''"""Written by tools/write_stubs.py. The operations that are methods of datasets."""

from collections.abc import Callable, Sequence
from typing import Any

from typing_extensions import Self

from torchspore.dataset.parameters import {parameters}
from torchspore.dataset.pipeline.callbacks import DSCallback
from torchspore.dataset.steps.combining import ConcatDataset
from torchspore.dataset.pipeline.dataset import Dataset
from torchspore.dataset.outputs.items import TorchRows
from torchspore.dataset.outputs.iterators import DictIterator, TupleIterator
from torchspore.dataset.rows.values import Row
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


def accepted(given: Any) -> str:
    """Return the annotation of a parameter as stub text."""
    text = annotation(given)
    for long, short in ALIASES.items():
        text = text.replace(long, short)
    return re.sub(r"\b(Numpy|Array)?Type\b", "TypeLike", text)


def signature(function: Any, *, method: bool, in_tensor: bool = False, flag: tuple[str, bool] | None = None) -> str:
    """Return the parameters and the result of an operation as stub text; with `flag`, for this value of a flag."""

    def within(text: str) -> str:
        return SHADOWED.sub(r"builtins.\1", text) if in_tensor else text

    found = inspect.signature(function)
    parts: list[str] = []
    before = None
    for p in found.parameters.values():
        fixed = flag is not None and p.name == flag[0]
        is_given = fixed and p.default is not flag[1]  # by name: the parameters before it may be absent
        if (p.kind is p.KEYWORD_ONLY or is_given) and before not in (p.KEYWORD_ONLY, p.VAR_POSITIONAL):
            parts.append("*")
        before = p.KEYWORD_ONLY if is_given else p.kind if before is not p.KEYWORD_ONLY else before
        star = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        kind = within(f"Literal[{flag[1]}]" if fixed else accepted(p.annotation))
        value = "" if p.default is p.empty or is_given else f" = {default(p.default, kind)}"
        parts.append(f"{star}{p.name}: {kind}{value}")
    if method:
        parts[0] = "self"
    result = FLAGS[flag[0]][not flag[1]] if flag else annotation(found.return_annotation)
    return f"({', '.join(parts)}) -> {within(result)}"


def definitions(owner: str, name: str, function: Any, **options: Any) -> str:
    """Return a function as stub text: with overloads where its result depends on a flag, or on what is given."""
    first = list(OVERLOADS.get(owner, {}).get(name, ()))
    found = inspect.signature(function)
    if annotation(found.return_annotation) == "Any" and not first:
        for flag in FLAGS.keys() & found.parameters.keys():
            first = [signature(function, flag=(flag, value), **options) for value in (True, False)]
    general = signature(function, **options)
    body = summary(function) if options.get("in_tensor") else "..."
    if not first:
        return f"def {name}{general}: {body}\n"
    return "".join(f"@overload\ndef {name}{text}: {body}\n" for text in (*first, general))


def summary(function: Any) -> str:
    """Return the first paragraph of a docstring as the body of a stub: editors find no source of attached methods."""
    text = " ".join((inspect.getdoc(function) or "").partition("\n\n")[0].split())
    return repr(text) if text else "..."


def methods() -> str:
    """Return the stub of the methods."""
    lines = [HEADER.format(what="The operations that are methods of tensors.", first="import builtins\n", more=SELF)]
    lines.append("\nclass Operations:\n    __slots__ = ()\n")
    for name, member in sorted(vars(Operations).items()):
        if isinstance(member, property):
            lines.append(f"    @property\n    def {name}(self) -> Tensor: ...\n")
        elif name in ("__eq__", "__ne__"):  # a bool only beside what no tensor can be compared with
            lines.append(f"    def {name}(self, other: Any) -> Tensor: ...  # type: ignore[override]\n")
        elif name.startswith("__i") and f"__{name[3:]}" in vars(Operations):
            # in a cell, `self.steps += 1` is valid where `steps` is a Parameter
            lines.append(f"    def {name}(self, other: Operand) -> Self: ...\n")
        elif inspect.isfunction(member):
            lines.append(textwrap.indent(definitions("Tensor", name, member, method=True, in_tensor=True), "    "))
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
    lines = []
    for name, member in sorted(vars(Dataset).items()):
        if inspect.isfunction(member) and member.__module__ != Dataset.__module__:
            text = as_written(inspect.signature(member))
            # So that programs may write `data = data.map(...)` for a variable that has the type of a source.
            text = re.sub("-> Dataset$", "-> Self", text)
            lines.append(f"    def {name}{text}: ...\n")
    methods = "".join(lines)
    used = [name for name in parameters.__all__ if re.search(rf"\b{name}\b", methods)]
    return DATASETS.format(parameters=", ".join(used)) + methods


def named(member: Any) -> bool:
    """Return whether a member has its own name."""
    return inspect.isclass(member) or inspect.isroutine(member) or inspect.ismodule(member)


def functions(package: ModuleType) -> str:
    """Return the stub of a package of operations."""
    imported, defined = [], []
    for name in package.__all__:
        member = getattr(package, name)
        module = getattr(member, "__module__", "")
        is_primitive = inspect.isclass(member) and issubclass(member, Primitive)
        if isinstance(member, Primitive):
            defined.append(f"{name}: {member.name}\n")
        elif member is None or isinstance(member, (int, float)):
            defined.append(f"{name}: {'None' if member is None else type(member).__name__}\n")
        elif not (named(member) or hasattr(sys.modules.get(module), name)):
            defined.append(f"{name}: Any\n")
        elif (
            not (is_primitive or inspect.isfunction(member))
            or not module.startswith("torchspore.")
            or (module.startswith("torchspore.engine"))
        ):
            is_here = inspect.ismodule(member) or hasattr(sys.modules.get(module), name)
            own = name if is_here else getattr(member, "__name__", name)
            imported.append(f"from {module or package.__name__} import {own} as {'' if own == name else '_'}{name}\n")
            defined += [] if own == name else [f"{name} = _{name}\n"]
        elif is_primitive:
            defined.append(
                f"\nclass {name}(Primitive):\n"
                f"    def __init__{signature(member.__init__, method=True)}: ...\n"
                f"    def __call__{signature(member.__call__, method=True)}: ...\n"
            )
        else:
            defined.append(definitions(package.__name__, name, member, method=False))
    what = f"The functions and primitives of {package.__name__}."
    return "".join([HEADER.format(what=what, first="", more="".join(sorted(imported))), "\n", *defined])


def exports(package: ModuleType, asked_for: dict[str, str]) -> str:
    """Return the stub of a package: what it imports, and by their modules the names that it imports when asked for.

    Names that are always refused are left out, so that checkers report them.
    """
    places = dict(asked_for)
    stars = []
    for node in ast.parse(pathlib.Path(str(package.__file__)).read_text()).body:
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("torchspore"):
            stars += [str(node.module)] if node.names[0].name == "*" else []
            places |= {alias.asname or alias.name: str(node.module) for alias in node.names}
    refused = {(name, f"torchspore.{where}") for where in REASONS for name in unsupported(where)}
    public = [place for place in places.items() if place not in refused and re.match(r"[^*_]|__version__", place[0])]
    lines = [f"from {module} import {name} as {name}\n" for name, module in sorted(public, key=_by_module)]
    lines += [f"from {module} import *\n" for module in stars]
    names = "".join(f"    {name!r},\n" for name in package.__all__)
    what = f'"""Written by tools/write_stubs.py. The names of {package.__name__}."""'
    return f"{what}\n\n{''.join(lines)}\n__all__ = [\n{names}]\n"


def asked_for() -> dict[str, str]:
    """Return the modules of the names that the main package imports when they are asked for."""
    places = dict.fromkeys(torchspore._LAZY, "torchspore")
    places |= {name: f"torchspore.{module}" for name, module in torchspore._NAMES.items()}
    for package, names in torchspore._PACKAGES.items():
        places |= dict.fromkeys(names, f"torchspore.{package}")
    return places


def _by_module(place: tuple[str, str]) -> tuple[str, str]:
    return place[1], place[0]


def main() -> int:
    """Write or check the stubs."""
    stale = []
    metrics = {
        name: "torchspore.metrics" for name in torchspore.metrics.__all__ if not hasattr(torchspore.nn.layer, name)
    }
    metrics |= {"probability": "torchspore.nn"}
    texts = {
        SOURCE / "__init__.pyi": exports(torchspore, asked_for()),
        SOURCE / "nn" / "__init__.pyi": exports(torchspore.nn, metrics),
        SOURCE / "common" / "operations.pyi": methods(),
        SOURCE / "dataset" / "pipeline" / "operations.pyi": methods_of_datasets(),
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
