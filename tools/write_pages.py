"""Write the pages of the API into a folder: `python tools/write_pages.py [FOLDER]`, by default `site`.

pdoc generates them from the docstrings: a page for every module that defines public names, and one for every package,
with a table of its names. Names without an example in their docstring get one that the tests run (`page_examples`).
"""

from __future__ import annotations

import importlib
import inspect
import pathlib
import sys
import types
import warnings
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import pdoc.doc
import pdoc.render
from page_examples import METHODS, PACKAGES, Examples, documented, identity
from write_stubs import annotation

from torchspore.common.operations import Operations
from torchspore.engine.primitive import Primitive

METHODS_PAGE = "torchspore.methods"


class Annotation:
    """An annotation of a signature, as text."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def signature(function: Any) -> inspect.Signature | None:
    """Return the signature of an operation as callers see it, or None where there is none."""
    try:
        found = inspect.signature(function)
    except (TypeError, ValueError):
        return None
    empty = inspect.Signature.empty
    parameters = [
        p if p.annotation is empty else p.replace(annotation=Annotation(annotation(p.annotation)))
        for p in found.parameters.values()
    ]
    result = found.return_annotation
    return found.replace(
        parameters=parameters, return_annotation=empty if result is empty else Annotation(annotation(result))
    )


def families(package: str) -> Iterator[types.ModuleType]:
    """Yield the modules below a package that are not packages of the API themselves."""
    inner = [other + "." for other in PACKAGES if other.startswith(package + ".")]
    for name, module in sorted(sys.modules.items()):
        below = name.startswith(package + ".") and not f"{name}.".startswith(tuple(inner))
        if below and hasattr(module, "__all__") and not hasattr(module, "__path__"):
            yield module


def places() -> dict[str, dict[str, Any]]:
    """Return the pages and what they describe: every public name once, where its package defines it."""
    pages: dict[str, dict[str, Any]] = defaultdict(dict)
    described: set[int] = set()
    for package in PACKAGES:
        module = importlib.import_module(package)
        names = {name: getattr(module, name) for name in module.__all__}
        names = {name: thing for name, thing in names.items() if callable(thing) and not inspect.ismodule(thing)}
        for family in families(package) if package != "torchspore" else ():
            for name in family.__all__:
                same = name in names and identity(getattr(family, name)) == identity(names[name])
                if same and identity(names[name]) not in described:
                    pages[family.__name__][name] = names[name]
        described |= {identity(thing) for page in pages.values() for thing in page.values()}
        rest = {name: thing for name, thing in names.items() if identity(thing) not in described}
        pages[package].update(rest)
        described |= {identity(thing) for thing in rest.values()}
    pages[METHODS_PAGE] = {
        name: member
        for name, member in sorted(vars(Operations).items())
        if not name.startswith("_") and inspect.isfunction(member)
    }
    return pages


def link(start: str, page: str, name: str = "") -> str:
    """Return a link from a page to another page, or to a name on it."""
    path = "../" * start.count(".") + page.replace(".", "/")
    return f"[{name or page.partition('.')[2]}]({path}.html{f'#{name}' if name else ''})"


def table(package: str, pages: dict[str, dict[str, Any]]) -> str:
    """Return the names of a package as links to what describes them, by page."""
    where: dict[int, tuple[str, str]] = {}
    for page, things in pages.items():
        for name, thing in things.items():
            where.setdefault(identity(thing), (page, name))
    module = importlib.import_module(package)
    names = defaultdict(set)
    for thing in (getattr(module, name) for name in module.__all__):
        if identity(thing) in where:
            names[where[identity(thing)][0]].add(where[identity(thing)][1])
    lines = [
        f"- {link(package, page)}: {', '.join(link(package, page, name) for name in sorted(names[page]))}"
        for page in sorted(names)
    ]
    if package == "torchspore":
        lines += ["", *[f"- {link(package, other)}" for other in [*PACKAGES, METHODS_PAGE] if other != package]]
    return "\n".join(lines)


def page(name: str, pages: dict[str, dict[str, Any]]) -> types.ModuleType:
    """Return the page of a module with its public names for pdoc."""
    if name == METHODS_PAGE:
        doc = "The methods that tensors have from operations. Others are in `torchspore.common.Tensor`."
    else:
        doc = inspect.getdoc(importlib.import_module(name)) or ""
        if name in PACKAGES:
            doc += f"\n\n{table(name, pages)}"
    made = types.ModuleType(name, doc)
    made.__dict__.update(pages[name], __all__=list(pages[name]))
    return made


def with_examples(module: pdoc.doc.Module, examples: Examples) -> pdoc.doc.Module:
    """Add the examples and the public signatures to what pdoc found."""
    owner = max((p for p in PACKAGES if f"{module.fullname}.".startswith(f"{p}.")), key=len)
    prefix = METHODS if module.fullname == METHODS_PAGE else owner
    for member in module.members.values():
        of_primitive = isinstance(member, pdoc.doc.Class) and issubclass(member.obj, Primitive)
        for function in member.own_members if of_primitive else [member]:
            if isinstance(function, pdoc.doc.Function) and (found := signature(function.obj)):
                function.signature = found
        example = None if documented(member.obj) else examples.find(f"{prefix}.{member.name}", member.obj)
        if example:
            member.docstring += f"\n\n###### Example\n\n```python\n{example.text()}\n```\n"
    module.docstring = module.obj.__doc__ or ""  # pdoc has taken that of a stub file
    return module


def shorten(doc: pdoc.doc.Doc[Any]) -> None:
    """Leave what the search looks through: first paragraphs, and the members that a class has itself."""
    doc.docstring = doc.docstring.partition("\n\n")[0]
    if isinstance(doc, pdoc.doc.Class):
        doc.members = {member.name: member for member in doc.own_members}
    for member in getattr(doc, "members", {}).values():
        shorten(member)


def write(folder: pathlib.Path, only: str = "") -> dict[str, pdoc.doc.Module]:
    """Write all pages, or those whose name starts with `only`; return them."""
    templates = pathlib.Path(__file__).parent / "page_templates"
    pdoc.render.configure(docformat="google", show_source=False, template_directory=templates)
    # Of annotations that pdoc cannot look up it shows the text.
    warnings.filterwarnings("ignore", message="Error parsing type annotation")
    pages = places()
    examples = Examples()
    modules = {
        name: with_examples(pdoc.doc.Module(page(name, pages)), examples)
        for name in sorted(pages)
        if name.startswith(only)
    }
    for name, module in modules.items():
        path = folder / f"{name.replace('.', '/')}.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(pdoc.render.html_module(module, modules), encoding="utf-8")
    (folder / "index.html").write_text(pdoc.render.html_index(modules), encoding="utf-8")
    for module in modules.values():
        shorten(module)
    (folder / "search.js").write_text(pdoc.render.search_index(modules), encoding="utf-8")
    return modules


if __name__ == "__main__":
    target = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "site")
    print(f"{len(write(target))} pages in {target}")
