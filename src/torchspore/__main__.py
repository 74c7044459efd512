"""The command line: `python -m torchspore` runs MindSpore programs unchanged."""

from __future__ import annotations

import os
import platform
import runpy
import sys
from collections.abc import Callable
from importlib import metadata
from types import ModuleType
from typing import Any, NoReturn

from torchspore.common.frames.stack import names_of, steps

USAGE = """\
usage: python -m torchspore script.py [arguments]          run a MindSpore program, `import mindspore` being TorchSpore
       python -m torchspore -m package.module [arguments]  run a module of one
       python -m torchspore --mindspore VERSION ...        the same, for a program written for that version: 1.8
       python -m torchspore migrate PATH ... -o PATH       rewrite PyTorch code to MindSpore, or back
       python -m torchspore modernize PATH ... -o PATH     rewrite code for earlier MindSpores to today's
       python -m torchspore convert FROM TO                rewrite a graph or weights in another format, by the suffix
       python -m torchspore record-script PATH             write the file that records networks where MindSpore runs
       python -m torchspore info                           print versions and devices
"""


def main() -> None:
    """Run what the arguments of the command line ask for."""
    if len(sys.argv) == 1 or sys.argv[1] in ("-h", "--help"):
        print(USAGE, end="")
        return
    first, *rest = sys.argv[1:]
    if first == "--mindspore":
        first, *rest = _declare(rest)
    if first == "info":
        if rest:
            _refuse(f"'info' takes no arguments, but got {' '.join(rest)}")
        _print_info()
    elif first in ("migrate", "modernize"):
        from torchspore.migrate.code.command import main as rewrite

        sys.exit(rewrite(first, rest))
    elif first == "convert":
        from torchspore.serialization.convert_command import main as convert

        sys.exit(convert(rest))
    elif first == "record-script":
        if len(rest) != 1:
            _refuse(f"'record-script' needs one path, but got {len(rest)} arguments")
        _write_recorder(rest[0])
    elif first == "-m":
        if not rest:
            _refuse("'-m' needs the name of a module")
        _run_module(rest[0], rest)
    elif first.startswith("-"):
        _refuse(f"unknown option {first}")
    else:
        _run_script(first, [first, *rest])


def _declare(rest: list[str]) -> list[str]:
    """Declare the version that comes first; return what follows."""
    if len(rest) < 2:
        _refuse("'--mindspore' needs a version and the program")
    from torchspore import as_mindspore

    try:
        as_mindspore.declare(rest[0])
    except ValueError as error:
        _refuse(str(error).rstrip("."))
    return rest[1:]


def _refuse(reason: str) -> NoReturn:
    print(f"torchspore: {reason}. 'python -m torchspore --help' shows the usage.", file=sys.stderr)
    sys.exit(2)


def _write_recorder(path: str) -> None:
    from torchspore.migrate import record_script

    try:
        record_script(path)
    except OSError as error:
        reason = error.strerror or str(error).rstrip(".")
        _refuse(f"can't write file {path!r}: {reason}")


def _run_script(script: str, argv: list[str]) -> None:
    path = os.path.abspath(script)
    try:
        with open(path, "rb") as file:
            source = file.read()
    except OSError as error:
        _refuse(f"can't open file {path!r}: {error.strerror}")
    module = ModuleType("__main__")
    module.__file__ = path

    def start() -> None:
        sys.modules["__main__"] = module
        exec(compile(source, path, "exec", dont_inherit=True), vars(module))

    _run(start, argv, os.path.dirname(os.path.realpath(path)))


def _run_module(name: str, argv: list[str]) -> None:
    _run(lambda: runpy.run_module(name, run_name="__main__", alter_sys=True), argv, os.getcwd())


def _run(start: Callable[[], object], argv: list[str], folder: str) -> None:
    """Call `start` in the surroundings that Python gives a program: its arguments, its folder first in the path."""
    import torchspore.as_mindspore  # noqa: F401

    sys.argv = argv
    if not getattr(sys.flags, "safe_path", False):  # Python 3.10 has no such flag
        sys.path[0] = folder
    try:
        start()
    except SystemExit as end:
        if end.code not in (None, 0):
            _record_for_launchers(end)
        raise
    except BaseException as error:
        _show_from_the_program_on(error)
        _record_for_launchers(error)
        raise


def _record_for_launchers(error: BaseException) -> None:
    """Write the error where msrun and torchrun read which process failed first."""
    if os.environ.get("TORCHELASTIC_ERROR_FILE"):
        from torch.distributed.elastic.multiprocessing.errors import get_error_handler

        get_error_handler().record_exception(error)


def _show_from_the_program_on(error: BaseException) -> None:
    """Have the traceback of `error` begin at the program's first frame.

    The exception still ends the process in Python's own way, which prints it through `sys.excepthook` (the program may
    have set its own) and chooses the exit code.
    """
    trace = next((step for step in steps(error.__traceback__) if not _is_ours(names_of(step.tb_frame))), None)
    if trace is None:  # the program never began: what runpy went through to find that out helps nobody
        error.__cause__, error.__suppress_context__ = None, True
    show = sys.excepthook
    sys.excepthook = lambda kind, value, _: show(kind, value.with_traceback(trace), trace)


def _is_ours(namespace: dict[str, Any]) -> bool:
    return namespace is globals() or namespace is vars(runpy)


def _print_info() -> None:
    import numpy
    import torch

    try:
        version = metadata.version("torchspore")
    except metadata.PackageNotFoundError:
        version = "(not installed)"
    rows = [
        ("torchspore", f"{version}, {os.path.dirname(os.path.abspath(__file__))}"),
        ("Python", f"{platform.python_version()}, {platform.system()} {platform.machine()}"),
        ("torch", torch.__version__),
        ("numpy", numpy.__version__),
        ("CPU", f"{torch.get_num_threads()} threads"),
        *_accelerators(),
    ]
    for name, value in rows:
        print(f"{name:<12}{value}")


def _accelerators() -> list[tuple[str, str]]:
    import torch

    found = []
    for kind, backend in (("GPU", torch.cuda), ("Ascend", getattr(torch, "npu", None))):  # torch_npu adds torch.npu
        if backend is not None and backend.is_available():
            for index in range(backend.device_count()):
                memory = backend.get_device_properties(index).total_memory
                found.append((f"{kind} {index}", f"{backend.get_device_name(index)}, {memory / 2**30:.0f} GiB"))
    if found:
        return found
    reason = "this PyTorch has no CUDA support" if torch.version.cuda is None else "PyTorch finds none that it can use"
    return [("GPU", f"none: {reason}")]


if __name__ == "__main__":
    main()
