"""Record the names of every module of MindSpore: `python record_module_names.py FILE`, with MindSpore.

For each module path the file has the names that its own code defines, those that it imports from other modules of
MindSpore (by the path of the module that defines them), and the values of simple constants.
"""

from __future__ import annotations

import importlib
import json
import os
import pkgutil
import sys
import types
import warnings
from pathlib import Path
from typing import Any

os.environ.setdefault("GLOG_v", "4")
warnings.simplefilter("ignore")

ROOT = "mindspore"
COMPILER_PARTS = (
    "_akg", "include", "lib.", ".proto", "ops_generate", "graph_kernel", "parallel_compile",
    "_op_impl.", "profiler.analysis.", "profiler.common.", "pijit.", "cluster.process_entity.",
)  # fmt: skip
CONSTANTS = (bool, int, float, str, type(None))


def names_of(module: types.ModuleType) -> dict[str, Any]:
    """Return the names of a module: constants under "=", others under the path of the module that defines them."""
    found: dict[str, Any] = {}
    listed = getattr(module, "__all__", None) or ()
    for name in dir(module):
        value = getattr(module, name, None)
        if name.startswith("__") or isinstance(value, types.ModuleType):
            continue
        if isinstance(value, CONSTANTS):
            if len(repr(value)) < 60 and "/" not in repr(value):
                found.setdefault("=", {})[name] = value
            continue
        origin = getattr(value, "__module__", None) if callable(value) else type(value).__module__
        is_message = hasattr(value, "DESCRIPTOR")  # protobuf's classes do not name their module
        if name in listed or is_message or str(origin).split(".")[0] == ROOT:
            inside = callable(value) and str(origin).startswith(f"{ROOT}.") and origin != module.__name__
            found.setdefault(str(origin)[len(ROOT) + 1 :] if inside else "", []).append(name)
    return {key: " ".join(names) if key != "=" else names for key, names in sorted(found.items())}


def main() -> None:
    modules = {"": names_of(importlib.import_module(ROOT))}
    package = sys.modules[ROOT]
    for info in pkgutil.walk_packages(package.__path__, f"{ROOT}.", onerror=lambda _: None):
        if not any(part in info.name for part in COMPILER_PARTS):
            try:
                modules[info.name[len(ROOT) + 1 :]] = names_of(importlib.import_module(info.name))
            except ImportError:  # for other devices
                modules[info.name[len(ROOT) + 1 :]] = {}
    lines = [f"{json.dumps(path)}: {json.dumps(names)}" for path, names in sorted(modules.items())]
    Path(sys.argv[1]).write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    os._exit(0)  # MindSpore's threads would keep the process


main()
