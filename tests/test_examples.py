"""The examples, and the Python blocks in the documents, do what they say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import preloaded

ROOT = Path(__file__).parents[1]
DOCUMENTS = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
LINK = re.compile(r"\]\((?!\w+:)([^)#]+)")
FENCED = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)

# A block of Python, with the output that the document shows right after it, if it does.
BLOCK = re.compile(r"^```python\n(?P<code>.*?)^```\n(?:\n```text\n(?P<output>.*?)^```\n)?", re.DOTALL | re.MULTILINE)
BLOCKS = [
    pytest.param(block["code"], block["output"], id=f"{document.relative_to(ROOT)}-{number}")
    for document in DOCUMENTS
    if document.parent.name != "guides"  # test_guides.py runs these
    for number, block in enumerate(BLOCK.finditer(document.read_text(encoding="utf-8")), 1)
]


@pytest.mark.slow
@pytest.mark.parametrize(("code", "output"), BLOCKS)
def test_block(code: str, output: str | None, tmp_path: Path) -> None:
    ran = preloaded.run(code, folder=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert ran.stderr == ""
    if output is not None:
        assert ran.stdout == output


def test_both_readmes_show_the_same_programs() -> None:
    english, chinese = [(ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "README_zh.md")]
    programs = [re.sub(r" *#.*", "", "".join(b["code"] for b in BLOCK.finditer(text))) for text in (english, chinese)]
    assert programs[0] == programs[1]
    assert re.findall(r"^ *make \w+", english, re.MULTILINE) == re.findall(r"^ *make \w+", chinese, re.MULTILINE)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(document: Path) -> None:
    targets = LINK.findall(FENCED.sub("", document.read_text(encoding="utf-8")))
    # The pages of the site are written into a folder that has the guides in it.
    folders = [document.parent, *([document.parents[1]] if document.parent.name == "site" else [])]
    assert [target for target in targets if not any((folder / target).exists() for folder in folders)] == []


@pytest.mark.slow
def test_lenet_learns_digits(tmp_path: Path) -> None:
    ran = preloaded.run_script(ROOT / "examples" / "lenet_digits.py", folder=tmp_path)
    assert ran.returncode == 0, ran.stderr
    accuracy = re.fullmatch(r"test accuracy: (\d+\.\d+)% \(\d+ of 360 images\)\n", ran.stdout)
    assert accuracy is not None, ran.stdout
    assert float(accuracy[1]) >= 97
    assert re.search(r"epoch 15/15: 100%.*accuracy=\d+\.\d%, loss=0\.\d+", ran.stderr)


@pytest.mark.slow
def test_lenet_says_so_when_it_has_learned_too_little(tmp_path: Path) -> None:
    ran = preloaded.run_script(ROOT / "examples" / "lenet_digits.py", "--epochs", "1", folder=tmp_path)
    assert ran.returncode == 1, ran.stderr
    assert ran.stdout.startswith("test accuracy: ")
