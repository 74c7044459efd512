"""Record the classes of errors that MindSpore 2.10 raises for wrong calls: renews error_classes.json.

error_classes.json maps expressions over the names of `cases.namespace` to a class, or to "no error". To add one, write
it with any class, and record: `python tests/data/record_error_classes.py`, where MindSpore is installed.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

import cases

TABLE = Path(__file__).with_name("error_classes.json")


def raised(names: dict[str, Any], expression: str) -> Exception | None:
    """Return the error of an expression, or nothing."""
    try:
        eval(expression, dict(names))
    except Exception as error:
        return error
    return None


if __name__ == "__main__":
    import mindspore

    mindspore.set_context(pynative_synchronize=True)  # else an error shows up in a later expression
    names = cases.namespace(mindspore)
    table = {}
    for expression in json.loads(TABLE.read_text(encoding="utf-8")):
        error = raised(names, expression)
        table[expression] = "no error" if error is None else type(error).__name__
    lines = ",\n".join(f"{json.dumps(expression)}: {json.dumps(kind)}" for expression, kind in table.items())
    TABLE.write_text("{\n" + lines + "\n}\n", encoding="utf-8")
