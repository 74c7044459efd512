"""The type checkers mypy and pyright over the programs in `editors`: what each reports, by file and line."""

from __future__ import annotations

import json
import os
import pathlib
import re
import subprocess
import sys
from typing import NamedTuple

HERE = pathlib.Path(__file__).parent / "editors"
ROOT = HERE.parent.parent
SOURCE = ROOT / "src"
TABLE = HERE / "types_of_expressions.py"
READ = [str(HERE / "programs"), str(TABLE)]
STUBS_TOOL = ROOT / "tools" / "write_mindspore_stubs.py"
_MYPY_LINE = re.compile(r"(.+\.py):(\d+): (error|note): (.*?)(?:  \[([\w-]+)\])?$")


class Report(NamedTuple):
    """What a checker says of a line: `kind` is its name of the mistake, and "revealed" for a type."""

    file: str
    line: int
    kind: str
    text: str


def write_stubs(folder: pathlib.Path) -> None:
    """Write the stubs of MindSpore into a folder, in another process: this one must not know `mindspore`."""
    command = [sys.executable, str(STUBS_TOOL), str(folder / "mindspore")]
    subprocess.run(command, check=True, env=os.environ | {"PYTHONPATH": str(SOURCE)})


def mypy(stubs: pathlib.Path) -> list[Report]:
    """Return what mypy reports with its default settings; its cache is kept from run to run."""
    settings = stubs / "mypy.ini"
    settings.write_text("[mypy]\n")
    command = [sys.executable, "-m", "mypy", "--config-file", str(settings), "--cache-dir"]
    command += [str(ROOT / ".mypy_cache" / "editors"), "--python-version", "3.10", "--no-error-summary", *READ]
    path = os.pathsep.join([str(stubs), str(SOURCE)])
    done = subprocess.run(command, env=os.environ | {"MYPYPATH": path}, capture_output=True, text=True, cwd=HERE)
    assert not done.stderr, done.stderr
    found = []
    for line in done.stdout.splitlines():
        match = _MYPY_LINE.match(line)
        assert match, line
        file, number, kind, text, code = match.groups()
        if kind == "error":
            found.append(Report(pathlib.Path(file).name, int(number), code, text))
        elif text.startswith("Revealed type is "):
            found.append(Report(pathlib.Path(file).name, int(number), "revealed", text.split('"')[1]))
    return found


def pyright(stubs: pathlib.Path) -> list[Report]:
    """Return what pyright reports with its default settings, but for its note that `mindspore` has only stubs."""
    settings = {
        "include": READ,
        "typeCheckingMode": "standard",
        "pythonVersion": "3.10",
        "stubPath": str(stubs),
        "extraPaths": [str(SOURCE)],
        "reportMissingModuleSource": "none",
    }
    (stubs / "pyrightconfig.json").write_text(json.dumps(settings))
    command = [sys.executable, "-m", "basedpyright", "--outputjson", "--pythonpath", sys.executable, "--project"]
    done = subprocess.run([*command, str(stubs / "pyrightconfig.json")], capture_output=True, text=True, cwd=HERE)
    assert not done.stderr, done.stderr
    found = []
    for report in json.loads(done.stdout)["generalDiagnostics"]:
        file, line = pathlib.Path(report["file"]).name, report["range"]["start"]["line"] + 1
        text = report["message"].splitlines()[0]
        if report["severity"] == "information":
            found.append(Report(file, line, "revealed", text.partition('" is "')[2][:-1]))
        else:
            found.append(Report(file, line, report["rule"], text))
    return found
