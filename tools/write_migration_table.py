"""Write the page of the two APIs: `python tools/write_migration_table.py` (with `--check`: only compare).

`docs/migration_table.md` shows the table in `torchspore.migrate.table`.
"""

from __future__ import annotations

import inspect
import pathlib
import sys
from collections.abc import Iterator

from torchspore.migrate.table import ROWS, Row, default_differences

PAGE = pathlib.Path(__file__).parent.parent / "docs" / "migration_table.md"

HEAD = """# PyTorch and MindSpore, name by name

This page is written by `tools/write_migration_table.py`.

The first counterpart of a name is the one that `python -m torchspore migrate` writes; `migrate.lookup` prints the rows of
one name. Names without a description have the same arguments and defaults on both sides. Arguments of PyTorch that
choose a device, a format in memory or a deprecated behaviour are left out here.

"""


def escaped(text: str) -> str:
    """Return a text for a cell of a table."""
    return text.replace("|", "\\|")


def differences(row: Row) -> Iterator[str]:
    """Yield what differs between the two sides of a row."""
    if row.mindspore_form is not None:
        yield f"written as `{row.mindspore_form}`"
    yield from (f"`{torch}` is `{mindspore}`" for torch, mindspore in row.arguments.items() if torch != mindspore)
    if row.mindspore_form is None:
        yield from (f"`{name}` is `{template}`" for name, template in row.to_mindspore.items())
    yield from (f"no `{name}` (as `{value}`)" for name, value in row.only_torch.items() if not name.startswith("_"))
    yield from (f"`{name}={value}`" for name, value in row.only_mindspore.items())
    for name, (torch, mindspore) in default_differences(row).items():
        shown = "required" if mindspore is inspect.Parameter.empty else f"`{mindspore}`"
        yield f"default of `{name}`: `{getattr(torch, '__name__', torch)}` in PyTorch, {shown} in MindSpore"


def lines_of(row: Row) -> str:
    """Return the line of a row."""
    told = "; ".join(differences(row))
    told = f"{told[:1].upper()}{told[1:]}." if told else ""
    right = f"`{row.mindspore}`" if row.mindspore else "none"
    return f"| `{row.torch}` | {right} | {escaped(' '.join(filter(None, (told, row.note))))} |\n"


def package(name: str) -> str:
    """Return the package or class that a name belongs to."""
    return name.rpartition(".")[0]


def page() -> str:
    """Return the page."""
    text = HEAD
    for name in dict.fromkeys(package(row.torch) for row in ROWS):
        text += f"\n## {name}\n\n| PyTorch | MindSpore | Differences |\n| --- | --- | --- |\n"
        rows = [row for row in ROWS if package(row.torch) == name]
        order = {torch: number for number, torch in enumerate(dict.fromkeys(sorted(row.torch for row in rows)))}
        text += "".join(lines_of(row) for row in sorted(rows, key=lambda row: order[row.torch]))
    return text.replace("\n\n\n", "\n\n")


def main() -> int:
    """Write or check the page."""
    text = page()
    if "--check" not in sys.argv:
        PAGE.write_text(text)
    elif not PAGE.exists() or PAGE.read_text() != text:
        print("out of step: docs/migration_table.md. Run: python tools/write_migration_table.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
