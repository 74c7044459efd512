"""Documents name only files and folders that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
# `folder/file.py` in backquotes, and the targets of links
NAMED = re.compile(r"`((?:[a-z0-9_.]+/)+[a-z0-9_.-]*|[a-z_]+\.py)`|\]\(([\w./-]+)[#)]")
# Files of other projects, or of users.
FOREIGN = {"docs/packages.md"}
BARE = ("docs/architecture.md", "docs/decisions")  # where a file may be named without its folder
FOLDERS = {path.name for base in (ROOT, ROOT / "src/torchspore") for path in base.iterdir() if path.is_dir()}
FILES = {path.name for path in (ROOT / "src").rglob("*.py")} | {path.name for path in (ROOT / "tools").glob("*.py")}


def missing(document: Path) -> list[str]:
    """Return the paths that a document names and that do not exist."""
    shown = str(document.relative_to(ROOT))
    found = []
    for code, link in NAMED.findall(document.read_text()):
        if link:
            places = (document.parent / link, ROOT / "docs" / link)  # pages of the site are in its root
            exists = link.startswith("mailto") or any(place.exists() for place in places)
        elif "/" in code:
            first = code.split("/")[0]
            places = (ROOT / code, ROOT / "src/torchspore" / code, document.parent / code)
            exists = first not in FOLDERS or any(place.exists() for place in places)
        else:
            exists = not shown.startswith(BARE) or code in FILES
        if not exists and shown not in FOREIGN:
            found.append(code or link)
    return found


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_named_paths_exist(document):
    assert missing(document) == []
