"""Write the site into a folder: `python tools/write_site.py [FOLDER]`, by default `site`.

The pages in both languages are in `FOLDER/VERSION/en` and `FOLDER/VERSION/zh`, so that several versions can share a
folder; `FOLDER/versions.json` lists them, and `FOLDER/index.html` leads to the newest. The pages of the API are made
from the docstrings (`site_pages`), the others from `docs/site` and `docs/guides`; Sphinx writes them.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
from collections.abc import Callable

from site_bars import bars
from site_names import Package, names, other_forms
from site_pages import ROOT, Pages, found_examples

from torchspore.version import __version__

DOCS = ROOT / "docs"
SPHINX_LANGUAGES = {"en": "en", "zh": "zh_CN"}
# The documents beside the guides, which are written in English.
REFERENCES = (
    "stability", "differences", "unsupported", "without_effect", "migration_table", "packages", "graphs", "scaling",
)  # fmt: skip
_LINK_OR_CODE = re.compile(
    r"^```.*?^```$|\[(?P<text>[^]]*)\]\((?!https?:|#)(?P<path>[^)#]+)(?P<anchor>#[\w-]*)?\)", re.DOTALL | re.MULTILINE
)


def write_sources(folder: pathlib.Path, language: str, pages: Pages) -> None:
    """Write what Sphinx reads for a language."""
    shutil.rmtree(folder, ignore_errors=True)
    pages.write(folder / "api")
    ending = "" if language == "en" else f".{language}"
    for path in sorted((DOCS / "site").glob("*.md")):
        if path.name == f"{path.name.partition('.')[0]}{ending}.md":
            text = path.read_text(encoding="utf-8").replace("{{ bars }}", bars(language))
            _put(folder / f"{path.name.partition('.')[0]}.md", text, path)
    for guide in sorted((DOCS / "guides").glob("*.md")):
        if guide.name == f"{guide.name.partition('.')[0]}{ending}.md":
            name = guide.name.partition(".")[0]
            _put(folder / "guides" / f"{name}.md", _linked(guide), guide)
            shutil.copy(guide.with_suffix(".ipynb"), folder / "guides" / f"{name}.ipynb")
    for name in REFERENCES:
        page = DOCS / f"{name}.md"
        _put(folder / "reference" / page.name, _linked(page), page)


def _put(target: pathlib.Path, text: str, source: pathlib.Path) -> None:
    """Write a page that says which file it is made of."""
    target.parent.mkdir(parents=True, exist_ok=True)
    rest = text.removeprefix("---\n") if text.startswith("---\n") else f"---\n{text}"
    target.write_text(f"---\nsource: {source.relative_to(ROOT).as_posix()}\n{rest}", encoding="utf-8")


def _linked(page: pathlib.Path) -> str:
    """Return a page whose links to documents lead to the pages of the site; those to others become plain text."""

    def link(found: re.Match[str]) -> str:
        if found["path"] is None:
            return found[0]
        target = (page.parent / found["path"]).resolve()
        name = target.name.removesuffix(".md").removesuffix(".zh")
        place = {DOCS / "guides": "guides", DOCS: "reference" if name in REFERENCES else None}.get(target.parent)
        return f"[{found['text']}](/{place}/{name}.md{found['anchor'] or ''})" if place else found["text"]

    return _LINK_OR_CODE.sub(link, page.read_text(encoding="utf-8"))


def build(sources: pathlib.Path, folder: pathlib.Path, language: str) -> subprocess.Popen[bytes]:
    """Start Sphinx for a language."""
    command = [
        sys.executable, "-m", "sphinx", "--builder", "html", "--quiet", "--fail-on-warning", "--keep-going",
        "--conf-dir", str(DOCS / "site"), "--define", f"language={SPHINX_LANGUAGES[language]}",
        "--doctree-dir", str(sources.parent / f"doctrees-{language}"), str(sources), str(folder),
    ]  # fmt: skip
    return subprocess.Popen(command, env=os.environ | {"PYTHONWARNINGS": "ignore"})


def write(folder: pathlib.Path, chosen: Callable[[Package], bool] = lambda package: True) -> pathlib.Path:
    """Write the site with the API of the chosen packages; return the folder of this version."""
    found = list(names(chosen))
    others, examples = other_forms(found), found_examples(found)
    version = folder / __version__
    running = []
    for language in SPHINX_LANGUAGES:
        sources = ROOT / "build" / "site" / language
        write_sources(sources, language, Pages(language, found, others, examples))
        shutil.rmtree(version / language, ignore_errors=True)
        running.append(build(sources, version / language, language))
    statuses = [process.wait() for process in running]
    if any(statuses):
        sys.exit("Sphinx has failed.")
    versions = sorted((path.parent.name for path in folder.glob("*/en")), key=_number, reverse=True)
    (folder / "versions.json").write_text(json.dumps(versions), encoding="utf-8")
    (folder / "index.html").write_text(_FIRST.format(version=versions[0]), encoding="utf-8")
    return version


def _number(version: str) -> list[int]:
    return [int(part) for part in re.findall(r"\d+", version)]


_FIRST = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>TorchSpore</title>
<script>location.replace("{version}/" + (navigator.language.startsWith("zh") ? "zh" : "en") + "/index.html")</script>
<a href="{version}/en/index.html">English</a> <a href="{version}/zh/index.html">中文</a>
</html>
"""


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", nargs="?", default="site", type=pathlib.Path)
    parser.add_argument("--only", nargs="+", metavar="PACKAGE", help="the API of these packages alone, such as mint.nn")
    arguments = parser.parse_args()
    print(write(arguments.folder, lambda package: arguments.only is None or package.path in arguments.only))
