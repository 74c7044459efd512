"""Programs in processes of their own that need not import torch again: forked from one that has imported TorchSpore.

A program that depends on how Python starts (its options, environment variables that are read at import, what happens at
exit) is a real `subprocess` instead.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import subprocess
import sys
import tempfile
import types
import warnings
from collections.abc import Sequence
from pathlib import Path
from subprocess import CompletedProcess, TimeoutExpired
from typing import Any

_FORKING = multiprocessing.get_context("forkserver")
_FORKING.set_forkserver_preload(
    [  # TorchSpore as its import leaves it, and what takes longest of torch
        "torchspore", "torch._dynamo", "torch.distributed.fsdp", "torch.distributed.pipelining",
        "torch.distributed.tensor.experimental", "torch.distributed.tensor.parallel",
    ]
)  # fmt: skip
STREAMS = ("stdin", "stdout", "stderr")


def run(
    code: str,
    *,
    arguments: tuple[str, ...] = ("-c",),
    folder: Path | str = ".",
    text: str = "",
    ignored: tuple[str, ...] = (),
    environment: dict[str, str] | None = None,
    timeout: float = 300,
) -> CompletedProcess[str]:
    """Run a program with warnings as errors; return what it printed and how it ended.

    Args:
        code: the program.
        arguments: its `sys.argv`.
        folder: where it runs.
        text: its standard input.
        ignored: beginnings of the warnings that are none.
        environment: variables of the environment to set.
        timeout: the seconds after which it is killed.
    """
    with tempfile.TemporaryDirectory() as files:
        paths = [Path(files, name) for name in STREAMS]
        paths[0].write_text(text, encoding="utf-8")
        process = start(code, paths, arguments=arguments, folder=folder, ignored=ignored, environment=environment)
        process.join(timeout)
        if process.exitcode is None:
            process.kill()
            process.join()
            raise TimeoutExpired(arguments, timeout, paths[1].read_text(), paths[2].read_text())
        out, errors = [path.read_text(encoding="utf-8") if path.exists() else "" for path in paths[1:]]
        return CompletedProcess(arguments, process.exitcode, out, errors)


def output_of(code: str, **options: Any) -> str:
    """Return what a program prints that must end well; the options are the ones of `run`."""
    ran = run(code, **options)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def run_module(name: str, *arguments: str, folder: Path | str = ".") -> CompletedProcess[str]:
    """Run a module with these arguments, as `python -m` does."""
    return run(code_of_module(name), arguments=("-m", *arguments), folder=folder)


def run_script(path: Path, *arguments: str, folder: Path | str = ".") -> CompletedProcess[str]:
    """Run a file with these arguments, as `python path` does."""
    return run(code_of_script(path), arguments=(str(path), *arguments), folder=folder)


def output_of_script(path: Path, *arguments: str, **options: Any) -> str:
    """Return what a file prints that must end well; the options are those of `run`."""
    return output_of(code_of_script(path), arguments=(str(path), *arguments), **options)


def code_of_module(name: str) -> str:
    """Return a program that runs a module."""
    return f"import runpy\nrunpy._run_module_as_main({name!r})\n"


def code_of_script(path: Path | str) -> str:
    """Return a program that runs a file."""
    folder = str(Path(path).parent)
    return f"import runpy, sys\nsys.path[0] = {folder!r}\nrunpy.run_path({str(path)!r}, run_name='__main__')\n"


def start(
    code: str,
    streams: Sequence[Path | str],
    *,
    arguments: Sequence[str] = ("-c",),
    folder: Path | str = ".",
    ignored: tuple[str, ...] = (),
    environment: dict[str, str] | None = None,
) -> multiprocessing.process.BaseProcess:
    """Start a program, with the arguments of `run`; return its process.

    Args:
        code: the program.
        streams: the files of its standard input, which may be absent, output and error.
        arguments, folder, ignored, environment: as for `run`.
    """
    paths = [str(path) for path in streams]
    given = (code, arguments, os.path.abspath(folder), ignored, paths, environment or {})
    process = _FORKING.Process(target=_run, args=given)
    process.start()
    return process


def run_from_the_start(
    code: str, *, folder: Path | str = ".", text: str = "", ignored: tuple[str, ...] = (), timeout: float = 300
) -> CompletedProcess[str]:
    """Run a program, with the arguments of `run`, in a new Python: for programs that start processes."""
    options = [option for message in ignored for option in ("-W", f"ignore:{message}")]
    return subprocess.run(
        [sys.executable, "-W", "error", *options, "-c", code],
        cwd=folder, input=text, timeout=timeout, text=True, encoding="utf-8", capture_output=True, check=False,
    )  # fmt: skip


def _run(
    code: str,
    arguments: Sequence[str],
    folder: str,
    ignored: tuple[str, ...],
    paths: list[str],
    environment: dict[str, str],
) -> None:
    """Be the program, in a process that has just been forked."""
    gc.freeze()  # collections need not visit all that has been imported, which would copy its memory, too
    os.environ.update(environment)
    for number, (name, path) in enumerate(zip(STREAMS, paths)):
        os.dup2(os.open(path, (os.O_WRONLY | os.O_APPEND if number else os.O_RDONLY) | os.O_CREAT, 0o600), number)
        stream = open(number, "w" if number else "r", encoding="utf-8", closefd=False)  # noqa: SIM115
        setattr(sys, name, stream)
    os.chdir(folder)
    sys.argv = list(arguments)
    sys.path.insert(0, "")
    warnings.resetwarnings()
    warnings.simplefilter("error")
    for message in ignored:
        warnings.filterwarnings("ignore", message)
    main = sys.modules["__main__"] = types.ModuleType("__main__")
    try:
        exec(compile(code, "<string>", "exec"), vars(main))
    except SystemExit:
        raise
    except BaseException as error:
        sys.excepthook(type(error), error, error.__traceback__ and error.__traceback__.tb_next)
        sys.exit(1)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
