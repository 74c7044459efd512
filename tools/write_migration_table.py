"""Write the page of the two APIs: `python tools/write_migration_table.py` (with `--check`: only compare).

`docs/migration_table.md` shows the table in `torchspore.migrate.table`.
"""

from __future__ import annotations

import inspect
import pathlib
import sys
from collections.abc import Iterable, Iterator

from torchspore.migrate.table import Row, all_rows, default_differences

PAGE = pathlib.Path(__file__).parent.parent / "docs" / "migration_table.md"

HEAD = """# PyTorch and MindSpore, name by name

This page is written by `tools/write_migration_table.py`.

First come names with the same arguments and defaults on both sides, then those that differ. The first counterpart of a
name is the one that `python -m torchspore migrate` writes; `migrate.lookup` prints the rows of one name. Arguments of
PyTorch that choose a device, a format in memory or a deprecated behaviour are left out here.
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


def described(row: Row) -> str:
    """Return the description of a row; empty if both sides are equal."""
    told = "; ".join(differences(row))
    told = f"{told[:1].upper()}{told[1:]}." if told else ""
    return escaped(" ".join(filter(None, (told, row.note))))


def names(rows: Iterable[Row], side: str) -> str:
    """Return the different names of rows, without the package for names of packages."""
    return " ".join(dict.fromkeys(f"`{getattr(row, side).rpartition('.')[2]}`" for row in rows))


def equal_names(rows: list[Row]) -> str:
    """Return the paragraphs of the names that are equal on both sides."""
    text = ""
    for other in dict.fromkeys(package(row.mindspore) for row in rows if row.mindspore):
        shown = " ".join(short(row) for row in rows if package(row.mindspore or "") == other)
        text += f"\nEqual in `{other}`: {shown}.\n"
    return text


def short(row: Row) -> str:
    """Return the name of a row of equal arguments, and the other one if it differs."""
    one, other = row.torch.rpartition(".")[2], str(row.mindspore).rpartition(".")[2]
    return f"`{one}`" if one == other else f"`{one}` (`{other}`)"


def different_names(rows: list[tuple[Row, str]]) -> str:
    """Return the table of the names that differ; names without counterpart share a line if they share the reason."""
    text = "\n| PyTorch | MindSpore | Differences |\n| --- | --- | --- |\n"
    reasons = dict.fromkeys(told for row, told in rows if row.mindspore is None)
    for row, told in sorted(rows, key=lambda item: item[0].torch):
        if row.mindspore is not None:
            text += f"| `{row.torch.rpartition('.')[2]}` | `{row.mindspore}` | {told} |\n"
    for reason in reasons:
        text += f"| {names((row for row, told in rows if row.mindspore is None and told == reason), 'torch')} "
        text += f"| none | {reason} |\n"
    return text


def package(name: str) -> str:
    """Return the package or class that a name belongs to."""
    return name.rpartition(".")[0]


def page() -> str:
    """Return the page."""
    text = HEAD
    for name in dict.fromkeys(package(row.torch) for row in all_rows()):
        told = {id(row): described(row) for row in all_rows() if package(row.torch) == name}
        rows = [row for row in all_rows() if id(row) in told]
        different = [(row, told[id(row)]) for row in rows if told[id(row)]]
        text += f"\n## {name}\n{equal_names([row for row in rows if not told[id(row)]])}"
        text += different_names(different) if different else ""
    return text


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
