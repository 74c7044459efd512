"""Each guide is one program: its blocks run in sequence and print what it shows. Both languages show the same."""

from __future__ import annotations

import json
import re
import runpy
from pathlib import Path
from typing import Any

import pytest

import forked_python
import preloaded

ROOT = Path(__file__).parents[1]
WRITER: dict[str, Any] = runpy.run_path(str(ROOT / "tools" / "write_notebooks.py"))
GUIDES = sorted(WRITER["GUIDES"].glob("*.md"))
CHINESE = [guide for guide in GUIDES if guide.stem.endswith(".zh")]
ENGLISH = [guide for guide in GUIDES if guide not in CHINESE]

IGNORED = ("`torch.jit.script",)  # of torch's own code, on its first use of forward mode and of Inductor

# Runs the blocks of a guide as a notebook does, in one namespace and with their source, and prints their outputs.
RUN = """
import contextlib, io, json, linecache, sys
names, outputs = {"__name__": "__main__"}, []
for number, code in enumerate(json.loads(sys.stdin.read()), 1):
    linecache.cache[f"block {number}"] = len(code), None, code.splitlines(True), f"block {number}"
    with contextlib.redirect_stdout(io.StringIO()) as output:
        exec(compile(code, f"block {number}", "exec"), names)
    outputs.append(output.getvalue())
print(json.dumps(outputs))
"""


def blocks(guide: Path) -> list[tuple[str, str | None]]:
    return [(block["code"], block["output"]) for block in WRITER["BLOCK"].finditer(guide.read_text(encoding="utf-8"))]


def blocks_without_comments(guide: Path) -> list[tuple[str, str | None]]:
    return [(re.sub(r" *#.*", "", code), output) for code, output in blocks(guide)]


@pytest.mark.slow
@pytest.mark.parametrize("guide", ENGLISH, ids=lambda guide: guide.stem)
def test_guide_prints_what_it_shows(guide: Path, tmp_path: Path) -> None:
    codes, shown = zip(*blocks(guide), strict=True)
    with forked_python.at(tmp_path) as python:
        program = f"import sys; sys.executable = {python!r}\n{RUN}"
        output = preloaded.output_of(program, folder=tmp_path, text=json.dumps(codes), ignored=IGNORED)
    assert json.loads(output) == [text or "" for text in shown]


@pytest.mark.parametrize("guide", GUIDES, ids=lambda guide: guide.stem)
def test_notebook_is_current(guide: Path) -> None:
    assert WRITER["is_current"](guide), f"run tools/write_notebooks.py: {guide.name} has changed"


def test_each_guide_is_in_both_languages() -> None:
    assert [guide.with_suffix(".zh.md") for guide in ENGLISH] == CHINESE


@pytest.mark.parametrize("guide", ENGLISH, ids=lambda guide: guide.stem)
def test_both_languages_show_the_same_programs(guide: Path) -> None:
    assert blocks_without_comments(guide) == blocks_without_comments(guide.with_suffix(".zh.md"))
