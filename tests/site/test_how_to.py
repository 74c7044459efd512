"""The pages beside the guides: names exist, both languages name the same ones, and examples show what they print."""

from __future__ import annotations

import contextlib
import functools
import io
import pathlib
import re

import pytest

import torchspore
from torchspore import debug, migrate

PAGES = pathlib.Path(__file__).parents[2] / "docs" / "site"
ROOTS = {"ms": torchspore, "torchspore": torchspore, "debug": debug, "migrate": migrate}
ROOTS |= {name: getattr(torchspore, name) for name in ("nn", "ops", "dataset")}
ROOTS |= {"data": torchspore.dataset.Dataset, "model": torchspore.Model}
CODE = re.compile(r"`([^`\n]+)`")
NAME = re.compile(rf"(?<![\w.])(?:{'|'.join(ROOTS)})\.[\w.]*\w")
ENGLISH = sorted(path for path in PAGES.glob("*.md") if not path.stem.endswith(".zh"))


def _names(path: pathlib.Path) -> list[str]:
    code = " ".join(CODE.findall(path.read_text(encoding="utf-8")))
    return NAME.findall(code)


@pytest.mark.parametrize("path", ENGLISH, ids=lambda path: path.stem)
def test_names_exist_and_both_languages_have_the_same(path):
    names = _names(path)
    assert _names(path.with_suffix(".zh.md")) == names
    for name in names:
        root, *rest = name.split(".")
        functools.reduce(getattr, rest, ROOTS[root])


@pytest.mark.parametrize("ending", [".md", ".zh.md"])
def test_the_first_program_prints_what_is_shown(ending):
    text = (PAGES / f"install{ending}").read_text(encoding="utf-8")
    code, output = re.search(r"```python\n(.*?)```\n\n```text\n(.*?)```", text, re.DOTALL).groups()
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(code, {})
    assert printed.getvalue() == output


@pytest.mark.parametrize("ending", [".md", ".zh.md"])
def test_the_extras_exist(ending):
    rows = re.findall(r"^\| (`.*?) \|", (PAGES / f"install{ending}").read_text(encoding="utf-8"), re.MULTILINE)
    project = (PAGES.parents[1] / "pyproject.toml").read_text(encoding="utf-8")
    extras = project.partition("[project.optional-dependencies]")[2].partition("\n[")[0]
    named = [name for row in rows for name in CODE.findall(row)]
    assert len(named) > 8
    assert [name for name in named if not re.search(rf"^{name} = ", extras, re.MULTILINE)] == []
