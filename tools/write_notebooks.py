"""Write the guides in `docs/guides` as notebooks: their text as Markdown cells, their Python blocks as cells to run.

    python tools/write_notebooks.py           # write them beside the guides
    python tools/write_notebooks.py --check   # exit 1 if a notebook is not current

The outputs that a guide shows are the outputs of the cells.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

GUIDES = Path(__file__).resolve().parents[1] / "docs" / "guides"
BLOCK = re.compile(r"^```python\n(?P<code>.*?)^```\n(?:\n```text\n(?P<output>.*?)^```\n)?", re.DOTALL | re.MULTILINE)
LINK_TO_GUIDE = re.compile(r"\]\((\w+(?:\.zh)?)\.md\)")


def main() -> None:
    """Write or check all notebooks."""
    stale = [guide for guide in sorted(GUIDES.glob("*.md")) if not is_current(guide)]
    if "--check" in sys.argv[1:]:
        sys.exit(f"Not current: {', '.join(guide.name for guide in stale)}." if stale else 0)
    for guide in stale:
        path_of(guide).write_text(notebook(guide.read_text(encoding="utf-8")), encoding="utf-8")


def path_of(guide: Path) -> Path:
    """Return the path of a guide's notebook."""
    return guide.with_suffix(".ipynb")


def is_current(guide: Path) -> bool:
    """Return whether a guide's notebook says what the guide says."""
    path = path_of(guide)
    return path.exists() and path.read_text(encoding="utf-8") == notebook(guide.read_text(encoding="utf-8"))


def notebook(guide: str) -> str:
    """Return the text of a notebook, in format 4.5, with the cells of a guide."""
    cells = [{"id": f"cell-{number}", **cell} for number, cell in enumerate(_cells(guide), 1)]
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    contents = {"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(contents, indent=1, ensure_ascii=False) + "\n"


def _cells(guide: str) -> Iterator[dict[str, Any]]:
    end = 0
    for number, block in enumerate(BLOCK.finditer(guide), 1):
        yield from _text(guide[end : block.start()])
        end = block.end()
        yield {
            "cell_type": "code",
            "execution_count": number,
            "metadata": {},
            "outputs": _outputs(block["output"]),
            "source": _lines(block["code"]),
        }
    yield from _text(guide[end:])


def _text(markdown: str) -> Iterator[dict[str, Any]]:
    if markdown.strip():
        linked = LINK_TO_GUIDE.sub(r"](\1.ipynb)", markdown)
        yield {"cell_type": "markdown", "metadata": {}, "source": _lines(linked)}


def _outputs(text: str | None) -> list[dict[str, Any]]:
    return [] if text is None else [{"name": "stdout", "output_type": "stream", "text": text.splitlines(keepends=True)}]


def _lines(text: str) -> list[str]:
    return text.strip("\n").splitlines(keepends=True)


if __name__ == "__main__":
    main()
