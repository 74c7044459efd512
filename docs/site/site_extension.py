"""What the site needs besides Sphinx's own extensions."""

from __future__ import annotations

import html
import inspect
import re
import textwrap
from collections.abc import Iterator
from typing import Any

import latex2mathml.converter
from docutils import nodes
from site_pages import escaped
from sphinx import addnodes, search
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator
from write_stubs import annotation

DESCRIPTION = 160  # characters of a page's description for search engines
_HAN = re.compile(r"[\u3400-\u9fff]+")
_SECTION = re.compile(r"(\s*)([A-Z]\w+):$")
_ENTRY = re.compile(r"(\s*)(?:- )?(?=[\w*., ]+:(\s|$))")  # of arguments
_NAMES = re.compile(r"\s*[\w*]+(, [\w*]+)*,$")  # of arguments that continue in the next line
_LITERAL = re.compile(r"\s*(>>>|\.\. )")


class ChineseWords(search.SearchLanguage):
    """Search in Chinese by pairs of characters, so that no list of words is needed."""

    lang = "zh"
    language_name = "Chinese"
    js_splitter_code = r"""
var splitQuery = (query) => Array.from(query.matchAll(/[\u3400-\u9fff]+|[\p{L}\p{N}_.]+/gu), (found) => found[0])
  .flatMap((word) => (word.length > 1 && /^[\u3400-\u9fff]+$/.test(word) ? pairs(word) : [word]));
var pairs = (word) => Array.from({length: word.length - 1}, (_, start) => word.slice(start, start + 2));
"""

    def split(self, input: str) -> list[str]:
        """Return the pairs of Chinese characters, and the words of other scripts."""
        return [*_pairs(input), *self._word_re.findall(_HAN.sub(" ", input))]

    def stem(self, word: str) -> str:
        """Return a word as it is searched for."""
        return word.lower()


def _pairs(text: str) -> Iterator[str]:
    for run in _HAN.findall(text):
        yield from (run[i : i + 2] for i in range(max(1, len(run) - 1)))


def _math(self: HTML5Translator, node: nodes.math) -> None:
    self.body.append(latex2mathml.converter.convert(node.astext()))
    raise nodes.SkipNode


def _math_block(self: HTML5Translator, node: nodes.math_block) -> None:
    formula = latex2mathml.converter.convert(node.astext(), display="block")
    self.body.append(f'<div class="formula">{formula}</div>')
    raise nodes.SkipNode


def _docstring(app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Escape what reStructuredText would take for markup; leave examples and formulas alone."""
    _arrange(what, lines)
    indent = None  # of the directive or example that is being read
    for index, line in enumerate(lines):
        if indent is not None and (not line.strip() or len(line) - len(line.lstrip()) >= indent):
            continue
        if found := _LITERAL.match(line):
            indent = len(line) - len(line.lstrip()) + (1 if found[1] == ".. " else 0)
            continue
        indent = None
        lines[index] = escaped(line)


def _arrange(what: str, lines: list[str]) -> None:
    """Arrange what napoleon would read differently: text before a colon, and names in several lines."""
    is_value = what in ("attribute", "data", "property")
    arranged = ["..", ""] if is_value else []  # an empty comment: else what is before the first colon is the type
    section, names = "", ""
    for index, line in enumerate(lines):
        if found := _SECTION.match(line):
            section = found[2]
            if section == "Inputs" and index + 1 < len(lines) and not _ENTRY.match(lines[index + 1]):
                line = f"{found[1]}Input:"  # in words
        elif section in ("Args", "Inputs") and _NAMES.match(line):
            names += f" {line.strip()}" if names else line
            continue
        elif section == "Inputs":
            line = _ENTRY.sub(r"\1", line, count=1)  # without a bullet
        arranged.append(f"{names} {line.strip()}" if names else line)
        names = ""
    lines[:] = arranged


def _signature(
    app: Sphinx, what: str, name: str, thing: Any, options: Any, signature: str | None, result: str | None
) -> tuple[str | None, str | None] | None:
    """Return a signature with the types as users know them; none for dispatchers of several signatures."""
    try:
        found = inspect.signature(thing)
    except (TypeError, ValueError):
        return None
    empty = inspect.Signature.empty
    parameters = [
        p.replace(annotation=empty if p.annotation is empty else _Shown(annotation(p.annotation)))
        for p in found.parameters.values()
        if p.name != "self"
    ]
    given = found.return_annotation
    arguments = str(found.replace(parameters=parameters, return_annotation=empty))
    return arguments, None if given is empty or inspect.isclass(thing) else annotation(given)


class _Shown:
    """An annotation of a signature, as text."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def _page(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Tell the templates where the other language is, which file a page is made of, and what it is about."""
    context["other_language"] = "en" if app.config.language == "zh_CN" else "zh"
    meta = context.get("meta") or {}
    context["source"] = meta.get("source") or "docs"
    first = next(doctree.findall(nodes.paragraph), None) if doctree else None
    about = meta.get("description") or (first.astext() if first else f"{app.config.html_title}: {page}")
    shortened = html.escape(textwrap.shorten(about, DESCRIPTION, placeholder=" …"))
    context["metatags"] = context.get("metatags", "") + f'<meta name="description" content="{shortened}" />'


def _code_or_name(
    name: str, rawtext: str, text: str, line: int, inliner: Any, options: Any = None, content: Any = ()
) -> tuple[list[nodes.Node], list[nodes.system_message]]:
    """Return code, as a link if it is a class of the API, or any name that is written with its package."""
    environment = inliner.document.settings.env
    code = nodes.literal(text, text)
    if not (text[:1].isupper() or "." in text):
        return [code], []  # it may be an argument
    own = environment.docname
    package, _, last = text.rpartition(".")
    places = [own, own.rpartition("/")[0], "api/ms", "api/nn", "api/ops"]
    for page in [f"api/{package}/{last}"] if package else [f"{place}/{last}" for place in places]:
        if page in environment.found_docs and page != own:
            target = {"refdomain": "std", "reftype": "doc", "reftarget": f"/{page}", "refexplicit": True}
            return [addnodes.pending_xref("", code, refdoc=own, refwarn=True, **target)], []
    return [code], []


def setup(app: Sphinx) -> dict[str, Any]:
    """Add it to Sphinx."""
    search.languages["zh"] = f"{__name__}.{ChineseWords.__name__}"
    app.add_role("code_or_name", _code_or_name)
    app.add_node(nodes.math, override=True, html=(_math, None))
    app.add_node(nodes.math_block, override=True, html=(_math_block, None))
    app.connect("autodoc-process-docstring", _docstring, priority=400)  # before napoleon
    app.connect("autodoc-process-signature", _signature)
    app.connect("html-page-context", _page, priority=400)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
