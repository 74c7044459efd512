"""Record how functions and primitives are called by keyword: `python record_parameter_names.py FILE`, with MindSpore.

For each module and name the file has the parameters that may be given by keyword, a `?` after those with a default; for
a class also, under `name()`, the ones of its calls. Functions of any arguments are left out.
"""

from __future__ import annotations

import importlib
import inspect
import json
import os
import sys
from pathlib import Path
from typing import Any

os.environ.setdefault("GLOG_v", "4")
MODULES = "ops mint mint.nn mint.nn.functional mint.linalg mint.special mint.optim nn numpy scipy.linalg scipy.optimize"


def parameters_of(function: Any, skip: int = 0) -> str | None:
    """Return the names of the parameters, or None if they are not known or not to be given by keyword."""
    try:
        parameters = list(inspect.signature(function).parameters.values())[skip:]
    except (TypeError, ValueError):
        return None
    if any(p.kind is not p.POSITIONAL_OR_KEYWORD and p.kind is not p.KEYWORD_ONLY for p in parameters):
        return None
    return " ".join(p.name + "?" * (p.default is not p.empty) for p in parameters) or None


def main() -> None:
    found: dict[str, dict[str, str]] = {}
    for path in MODULES.split():
        module = importlib.import_module(f"mindspore.{path}")
        names: dict[str, str | None] = {}
        for name in getattr(module, "__all__", dir(module)):
            member = getattr(module, name, None)  # some names in `__all__` are absent
            names[name] = parameters_of(member)
            call = vars(member).get("__call__") if inspect.isclass(member) else None
            if inspect.isfunction(call):
                names[f"{name}()"] = parameters_of(call, skip=1)
        found[path] = {name: text for name, text in sorted(names.items()) if text}
    lines = [f"{json.dumps(path)}: {json.dumps(names)}" for path, names in found.items()]
    Path(sys.argv[1]).write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    os._exit(0)  # MindSpore's threads would keep the process


main()
