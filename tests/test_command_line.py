"""`python -m torchspore`: programs run as by Python itself, and `import mindspore` works."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy
import pytest
import torch

import preloaded
import torchspore
from torchspore import __main__ as command_line

PROGRAM = """\
import json, os, pickle, sys
import mindspore, torchspore
import beside

class Point:
    x: int = 1

def fail():
    return 1 / 0

print(json.dumps({
    "name": __name__,
    "file": __file__,
    "argv": sys.argv,
    "folder": sys.path[0],
    "package": __package__,
    "spec": __spec__ and __spec__.name,
    "ours": mindspore is torchspore,
    "annotations": repr(Point.__annotations__),
    "pickled": type(pickle.loads(pickle.dumps(Point()))) is Point,
}))
if "fail" in sys.argv:
    fail()
if "interrupt" in sys.argv:
    sys.excepthook = lambda kind, error, trace: print(kind.__name__, trace.tb_frame.f_code.co_filename, file=sys.stderr)
    raise KeyboardInterrupt
sys.exit(7)
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with a program in `pkg`, and the module beside it that it imports."""
    folder = tmp_path / "project"
    (folder / "pkg").mkdir(parents=True)
    (folder / "pkg" / "__init__.py").touch()
    (folder / "pkg" / "program.py").write_text(PROGRAM)
    (folder / "pkg" / "beside.py").touch()
    (folder / "beside.py").touch()
    return folder


def run(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return preloaded.run_module("torchspore", *arguments, folder=folder)


@pytest.mark.slow
def test_script(project: Path) -> None:
    done = run("pkg/program.py", "-x", "--epochs", "3", folder=project)
    assert (done.returncode, done.stderr) == (7, "")
    assert json.loads(done.stdout) == {
        "name": "__main__",
        "file": str(project / "pkg" / "program.py"),
        "argv": ["pkg/program.py", "-x", "--epochs", "3"],
        "folder": str(project / "pkg"),
        "package": None,
        "spec": None,
        "ours": True,
        "annotations": "{'x': <class 'int'>}",
        "pickled": True,
    }


@pytest.mark.slow
def test_module(project: Path) -> None:
    done = run("-m", "pkg.program", "info", "-m", folder=project)
    assert (done.returncode, done.stderr) == (7, "")
    facts = json.loads(done.stdout)
    program = str(project / "pkg" / "program.py")
    assert facts["argv"] == [program, "info", "-m"]
    assert (facts["name"], facts["package"], facts["spec"]) == ("__main__", "pkg", "pkg.program")
    assert (facts["file"], facts["folder"], facts["ours"]) == (program, str(project), True)


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [("pkg/program.py", "fail"), ("-m", "pkg.program", "fail")])
def test_traceback_shows_the_program_alone(project: Path, arguments: tuple[str, ...]) -> None:
    done = run(*arguments, folder=project)
    assert done.returncode == 1
    assert done.stderr.startswith("Traceback (most recent call last):\n")
    program = str(project / "pkg" / "program.py")
    assert re.findall(r'File "(.*)", line (\d+), in (.*)', done.stderr) == [
        (program, "23", "<module>"),
        (program, "9", "fail"),
    ]
    assert done.stderr.endswith("ZeroDivisionError: division by zero\n")


@pytest.mark.slow
def test_interrupted_program_ends_as_python_does_and_keeps_its_own_hook(project: Path) -> None:
    command = [sys.executable, "-m", "torchspore", "pkg/program.py", "interrupt"]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    assert done.returncode in (-signal.SIGINT, 128 + signal.SIGINT)
    assert done.stderr == f"KeyboardInterrupt {project / 'pkg' / 'program.py'}\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "code", "pattern"),
    [
        (("broken.py",), 1, r'  File ".*broken\.py", line 1\n    x = \(\n.*\nSyntaxError: .*\n'),
        (("-m", "nope.deep"), 1, r"ImportError: Error while finding module specification for 'nope\.deep' .*\n"),
        (("info.py",), 0, ""),
    ],
)
def test_program_that_cannot_begin(project: Path, arguments: tuple[str, ...], code: int, pattern: str) -> None:
    (project / "broken.py").write_text("x = (\n")
    (project / "info.py").write_text("print('a program named info')\n")
    done = run(*arguments, folder=project)
    assert done.returncode == code
    assert re.fullmatch(pattern, done.stderr)
    assert done.stdout == ("" if code else "a program named info\n")


def call(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> None:
    monkeypatch.setattr(sys, "argv", ["torchspore", *arguments])
    command_line.main()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("absent.py",), r"can't open file '.*/absent\.py': No such file or directory"),
        (("migrated",), r"can't open file '.*/migrated': No such file or directory"),
        (("folder",), r"can't open file '.*/folder': Is a directory"),
        (("-m",), r"'-m' needs the name of a module"),
        (("-c", "pass"), r"unknown option -c"),
        (("info", "gpu"), r"'info' takes no arguments, but got gpu"),
    ],
)
def test_refused(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    arguments: tuple[str, ...],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    with pytest.raises(SystemExit) as stop:
        call(monkeypatch, *arguments)
    assert stop.value.code == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert re.fullmatch(rf"torchspore: {message}\. 'python -m torchspore --help' shows the usage\.\n", printed.err)


@pytest.mark.parametrize("arguments", [(), ("-h",), ("--help",)])
def test_usage(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...]) -> None:
    call(monkeypatch, *arguments)
    printed = capsys.readouterr().out
    assert printed.startswith("usage: python -m torchspore script.py [arguments]")
    assert len(printed.splitlines()) == 8


class Backend:
    """Stands in for `torch.cuda` or `torch.npu` with two cards."""

    def is_available(self) -> bool:
        return True

    def device_count(self) -> int:
        return 2

    def get_device_name(self, index: int) -> str:
        return f"Card {index}"

    def get_device_properties(self, index: int) -> SimpleNamespace:
        return SimpleNamespace(total_memory=(index + 1) * 8 * 2**30)


NONE = {"cuda": SimpleNamespace(is_available=lambda: False), "version": SimpleNamespace(cuda=None)}


@pytest.mark.parametrize(
    ("pretended", "devices"),
    [
        (NONE, {"GPU": "none: this PyTorch has no CUDA support"}),
        (NONE | {"version": SimpleNamespace(cuda="13.0")}, {"GPU": "none: PyTorch finds none that it can use"}),
        (NONE | {"cuda": Backend()}, {"GPU 0": "Card 0, 8 GiB", "GPU 1": "Card 1, 16 GiB"}),
        (NONE | {"npu": Backend()}, {"Ascend 0": "Card 0, 8 GiB", "Ascend 1": "Card 1, 16 GiB"}),
    ],
)
def test_info(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    pretended: dict[str, object],
    devices: dict[str, str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "info").write_text("a file of that name is not what is meant")
    for name, value in pretended.items():
        monkeypatch.setattr(torch, name, value, raising=False)
    call(monkeypatch, "info")
    printed = dict(re.split(r"  +", line, maxsplit=1) for line in capsys.readouterr().out.splitlines())
    assert printed.pop("torchspore").endswith(os.path.dirname(torchspore.__file__))
    assert printed.pop("Python").startswith("{}.{}.{}".format(*sys.version_info))
    assert printed.pop("CPU") == f"{torch.get_num_threads()} threads"
    assert (printed.pop("torch"), printed.pop("numpy")) == (torch.__version__, numpy.__version__)
    assert printed == devices


def test_info_of_a_source_tree(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def not_installed(name: str) -> str:
        raise command_line.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(command_line.metadata, "version", not_installed)
    call(monkeypatch, "info")
    assert capsys.readouterr().out.startswith("torchspore  (not installed), ")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["recorder.py"], 0, ""),
        ([], 2, "'record-script' needs one path, but got 0 arguments"),
        (["a.py", "b.py"], 2, "'record-script' needs one path, but got 2 arguments"),
        (["missing/recorder.py"], 2, "can't write file 'missing/recorder.py': "),
    ],
)
def test_record_script(arguments: list[str], code: int, message: str, tmp_path: Path) -> None:
    done = run("record-script", *arguments, folder=tmp_path)
    assert done.returncode == code
    assert message in done.stderr
    if code == 0:
        assert "def record(" in (tmp_path / "recorder.py").read_text()
