"""Write the page of unsupported names: `python tools/write_unsupported.py` (with `--check`: only compare).

`docs/unsupported.md` lists the unsupported names of MindSpore's API, from `torchspore.common.names.unsupported`,
and the examples of MindSpore's documentation with different output here, from
`tests/data/open_examples.json`.
"""

from __future__ import annotations

import json
import pathlib
import sys

from torchspore.common.names.unsupported import REASONS

ROOT = pathlib.Path(__file__).parent.parent
PAGE = ROOT / "docs" / "unsupported.md"
EXAMPLES = ROOT / "tests" / "data" / "open_examples.json"

HEAD = """# What is not supported

This page is written by `tools/write_unsupported.py`.

## Names

The names below exist, so that programs that import them run; using one raises `NotImplementedError` with the
reason and alternative in the table. In `ops.auto_generate`, this also applies to the gradient kernels of Ascend cards
(`NsaCompressGrad`): use `ms.grad`, which differentiates the operations themselves; and to all communication kernels
(`DistCommAllReduce`): use `mint.distributed`.

"""
MIDDLE = """
## Documented examples

These examples of MindSpore's documentation do not run here, or do not print what MindSpore prints or what its
documentation shows.

"""


def row(*cells: str) -> str:
    """Return a row of a table."""
    return f"| {' | '.join(cells)} |\n"


def names() -> str:
    """Return the table of the names."""
    lines = [row("Package", "Names", "Why", "Instead"), row(*["---"] * 4)]
    for package, reasons in REASONS.items():
        for reason, listed in reasons.items():
            why, _, instead = reason.partition(". ")
            shown = " ".join(f"`{name}`" for name in listed.split())
            lines.append(row(f"`{package}`", shown, why[0].upper() + why[1:].rstrip("."), instead))
    return "".join(lines)


def examples() -> str:
    """Return the table of the examples."""
    lines = [row("Why", "Examples"), row(*["---"] * 2)]
    for reason, listed in json.loads(EXAMPLES.read_text()).items():
        lines.append(row(reason, " ".join(f"`{name}`" for name in listed)))
    return "".join(lines)


def main() -> int:
    """Write or check the page."""
    text = HEAD + names() + MIDDLE + examples()
    if "--check" not in sys.argv:
        PAGE.write_text(text)
    elif not PAGE.exists() or PAGE.read_text() != text:
        print("out of step: docs/unsupported.md. Run: python tools/write_unsupported.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
