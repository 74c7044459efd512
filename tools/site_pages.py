"""The pages of the API: one for each package, with a table of its names, and one for each name."""

from __future__ import annotations

import inspect
import pathlib
import re
from collections.abc import Iterator

from page_examples import Examples, documented, key_in_tables
from site_names import Name, Package, page_of, pytorch_page

from torchspore.engine.primitive import Primitive
from torchspore.migrate.table import all_rows, lookup, rows_of

ROOT = pathlib.Path(__file__).resolve().parent.parent

# What the pages say besides the docstrings.
_WORDS = {
    "en": {
        "api": "API", "name": "Name", "description": "Description", "functions": "Functions", "classes": "Classes",
        "members": "Methods and attributes", "constants": "Constants", "examples": "Examples",
        "elsewhere": "In other frameworks", "same": "The same under other names", "call": "Calling it",
        "ours": "This is an addition, which MindSpore does not have.",
        "intro": "Every public name, by the package that is written before it. Each page has the arguments, the "
        "errors, an example that the tests run, and the counterparts in MindSpore and PyTorch.",
    },
    "zh": {
        "api": "API", "name": "名称", "description": "说明", "functions": "函数", "classes": "类",
        "members": "方法与属性", "constants": "常量", "examples": "样例",
        "elsewhere": "在其他框架中", "same": "同一功能的其他名称", "call": "调用",
        "ours": "这是TorchSpore新增的功能，MindSpore没有。",
        "intro": "按书写时的包名列出全部公开名称。"
        "每一页都有参数、异常、经过测试运行的样例，以及MindSpore和PyTorch中的对应名称。",
    },
}  # fmt: skip
_ENDS_OF_SENTENCES = re.compile(r"(?<=[.:])\s")
_PLURAL = re.compile(r"(?<!`)`[^`]+`(?=\w)")  # `name`s
_IN_RST = re.compile(r"(``[^`]+``|`[^`]+`)|([*|\\]|(?<=\w)_(?!\w))")


def escaped(text: str) -> str:
    """Return a text of a docstring with the characters that reStructuredText would take for markup escaped."""
    return _PLURAL.sub(r"\g<0>\\ ", _IN_RST.sub(lambda found: found[1] or f"\\{found[2]}", text))


def summary(thing: object) -> str:
    """Return the first sentence of a docstring."""
    paragraph = (inspect.getdoc(thing) or "").partition("\n\n")[0].replace("\n", " ")
    return escaped(_ENDS_OF_SENTENCES.split(paragraph)[0])


def source_of(thing: object) -> str | None:
    """Return the file that defines a thing, as a path in the project."""
    while hasattr(thing, "__wrapped__"):
        thing = thing.__wrapped__
    try:
        path = pathlib.Path(inspect.getsourcefile(getattr(thing, "fget", None) or thing) or "")  # type: ignore[arg-type]
    except TypeError:
        return None
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else None


class Pages:
    """The pages in a language.

    Args:
        language: "en" or "zh".
        found: the names, those with pages and those in tables.
        others: the other names of each.
        examples: the examples that are not in docstrings.
    """

    def __init__(
        self, language: str, found: list[Name], others: dict[Name, list[Name]], examples: dict[Name, str]
    ) -> None:
        self.language = language
        self.words = _WORDS[language]
        self.found = found
        self.places = {name: place for place, name in enumerate(found)}
        self.others = others
        self.examples = examples
        self.packages = dict.fromkeys(name.package for name in found)

    def write(self, folder: pathlib.Path) -> None:
        """Write all pages into a folder."""
        packages: dict[Package, list[Name]] = {package: [] for package in self.packages}
        for name in self.found:
            packages[name.package].append(name)
            if name.kind != "data":
                path = folder / f"{name.page}.rst"
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text("\n".join(self._name(name)), encoding="utf-8")
        for package, names in packages.items():
            path = folder / f"{page_of(package)}.rst"
            path.write_text("\n".join(self._package(package, names)), encoding="utf-8")
        (folder / "index.rst").write_text("\n".join(self._index(list(packages))), encoding="utf-8")

    def _index(self, packages: list[Package]) -> Iterator[str]:
        yield from _title(self.words["api"])
        yield from (self.words["intro"], "")
        yield from _table(
            (
                f":doc:`{page_of(package)} </api/{page_of(package)}>`",
                package.chinese if self.language == "zh" else package.title,
            )
            for package in packages
        )
        yield from (".. toctree::", "   :hidden:", "", *(f"   {page_of(package)}" for package in packages), "")

    def _package(self, package: Package, names: list[Name]) -> Iterator[str]:
        yield from _title(page_of(package))
        yield from (package.chinese if self.language == "zh" else package.title, "")
        if package.ours:
            yield from (self.words["ours"], "")
        kinds = {
            "functions": ["function"], "members": ["method", "attribute"], "classes": ["class"], "constants": ["data"],
        }  # fmt: skip
        for title, wanted in kinds.items():
            chosen = [name for name in names if name.kind in wanted]
            if chosen:
                yield from _title(self.words[title], "-")
                rows = ((self._link(name), self._summary(name)) for name in chosen)
                yield from _table(rows)

    def _link(self, name: Name) -> str:
        if name.kind == "data":
            return f"``{name.name}``"
        return f":doc:`{name.name} </api/{name.page}>`"

    def _summary(self, name: Name) -> str:
        if name.kind != "data":
            return summary(name.thing)
        plain = type(name.thing).__repr__ is object.__repr__
        return f"``{type(name.thing).__name__ if plain else str(name.thing)[:60].strip()}``"

    def _name(self, name: Name) -> Iterator[str]:
        yield from (":orphan:", f":source: {source_of(name.thing) or ''}", f":description: {summary(name.thing)}", "")
        yield from _title(escaped(name.written))
        yield from (f":doc:`{self.words['api']} </api/index>` / :doc:`/api/{page_of(name.package)}`", "")
        is_first = all(self.places[name] < self.places[other] for other in self.others[name])  # others are not indexed
        pages = [package for package in self.packages if package.path == name.name and not name.package.path]
        options = [*([] if pages else _options(name)), *([] if is_first else ["   :no-index:"])]
        yield from (f".. auto{name.kind}:: {name.path}", *options, "")
        if name in self.examples:
            yield from (f".. rubric:: {self.words['examples']}", "", *_code(self.examples[name]), "")
        for package in pages:  # the members have pages
            yield from (f".. rubric:: {self.words['members']}", "", f":doc:`/api/{page_of(package)}`", "")
        yield from self._elsewhere(name)
        if others := self.others[name]:
            links = ", ".join(f":doc:`{other.written} </api/{other.page}>`" for other in others)
            yield from (f".. rubric:: {self.words['same']}", "", links, "")

    def _elsewhere(self, name: Name) -> Iterator[str]:
        """Yield links to the counterparts in MindSpore and PyTorch, and what differs from the latter."""
        full = name.path.replace("torchspore", "mindspore", 1)
        links = []
        if address := name.mindspore_page(self.language):
            links.append(f"MindSpore: `{full} <{address}>`__")
        torch = dict.fromkeys(row.torch for row in rows_of(full) if row.torch in _EXISTING)
        links += [f"PyTorch: `{other} <{pytorch_page(other)}>`__" for other in torch]
        if not links:
            return
        yield from (f".. rubric:: {self.words['elsewhere']}", "", *(f"- {link}" for link in links), "")
        told = [line for line in str(lookup(full)).splitlines() if line.startswith("  ")] if torch else []
        if told:
            yield from (".. code-block:: text", "", *(f"   {line}" for line in str(lookup(full)).splitlines()), "")


# Methods without an underscore that only this package calls.
_INTERNAL = (
    "construct", "operation", "labels", "limits_its_rows", "long_and_safe", "on_objects", "check_results", "refuses",
)  # fmt: skip
_EXISTING = {row.torch for row in all_rows() if not row.torch.startswith(("torchvision.", "torchaudio."))}


def found_examples(found: list[Name]) -> dict[Name, str]:
    """Return the examples of names whose docstrings have none."""
    examples = Examples()
    result = {}
    for name in found:
        if name.kind != "data" and not documented(name.thing):
            example = examples.find(key_in_tables(name), name.thing)
            if example:
                result[name] = example.text()
    return result


def _options(name: Name) -> list[str]:
    """Return the options of a directive: a class shows the methods that it defines itself, unless it is torch's."""
    if name.kind != "class" or name.thing.__module__.startswith("torch."):
        return []
    calls = issubclass(name.thing, Primitive) and "__call__" in vars(name.thing)
    return [
        "   :members:",
        f"   :exclude-members: {', '.join(_INTERNAL)}",
        *(["   :special-members: __call__"] if calls else []),
    ]


def _code(example: str) -> Iterator[str]:
    """Yield the lines of an example: sessions are known by their prompts."""
    if example.startswith(">>>"):
        yield from example.splitlines()
    else:
        yield from (".. code-block:: python", "", *(f"   {line}" for line in example.splitlines()))


def _title(text: str, line: str = "=") -> Iterator[str]:
    yield from (text, line * (2 * len(text)), "")


def _table(rows: Iterator[tuple[str, str]]) -> Iterator[str]:
    yield from (".. list-table::", "   :widths: 30 70", "   :class: names", "")
    for left, right in rows:
        yield from (f"   * - {left}", f"     - {right}")
    yield ""
