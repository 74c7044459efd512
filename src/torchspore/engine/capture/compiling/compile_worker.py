"""The process that compiles a graph to a library.

    python -m torchspore.engine.capture.compiling.compile_worker ENTRY NICENESS

It reads a pickled `Request` from its standard input and makes the entry in the disk cache. If that fails, the last line
of its output says why. That Python starts with the whole package matters: its own operations may be in the graph.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import torch
from filelock import FileLock

from torchspore.common.private_torch import FakeTensorMode, inductor
from torchspore.engine.capture.compiling import disk_cache
from torchspore.engine.capture.compiling.library import CONDITION, Request, rebuild
from torchspore.engine.capture.recording.symbols import Symbols

# torch's runner calls this function of a library, which it finds by its name, and holds Python's global lock meanwhile:
# other threads of the program, which load data perhaps, would stand still. This one stands before it and releases the
# lock.
_ENTRY = """
#include <dlfcn.h>
#include <stddef.h>
extern "C" {
void *PyEval_SaveThread(void);
void PyEval_RestoreThread(void *);
typedef int (*Run)(void *, void **, size_t, void **, size_t, void *, void *);
int AOTInductorModelContainerRun(void *model, void **inputs, size_t input_count, void **outputs, size_t output_count,
                                 void *stream, void *executor) {
    static const Run run = (Run)dlsym(RTLD_NEXT, "AOTInductorModelContainerRun");
    void *thread = PyEval_SaveThread();
    const int error = run(model, inputs, input_count, outputs, output_count, stream, executor);
    PyEval_RestoreThread(thread);
    return error;
}
}
"""


def main() -> None:
    """Make one entry."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("it was stopped"))
    entry = Path(sys.argv[1])
    os.nice(int(sys.argv[2]))
    request: Request = pickle.load(sys.stdin.buffer)
    try:
        with FileLock(f"{entry}.lock"):
            if not disk_cache.is_complete(entry):
                with tempfile.TemporaryDirectory() as folder:
                    disk_cache.publish(_files(request, entry.name, Path(folder)), entry)
        disk_cache.shrink(entry.parent)
    except Exception as error:
        sys.exit(f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0]}")


def _files(request: Request, name: str, folder: Path) -> list[Path]:
    """Compile; return the files of the entry."""
    torch.set_num_threads(request.threads)
    torch.use_deterministic_algorithms(request.deterministic)
    torch.set_default_dtype(request.dtype)
    inputs, symbols = _inputs(request)
    path = str(folder / f"{name}.so")
    options = {**request.options, "aot_inductor.output_path": path, **inductor.without_line_tables()}
    with torch.no_grad():
        made = inductor.aot_compile(rebuild(request.operations), tuple(inputs), options=options)
    library = Path(str(made))
    by_name = [file.rename(folder / "run.json") for file in folder.glob("*.wrapper.json")]  # operations called by name
    if symbols is not None:
        by_name.append(folder / CONDITION)
        by_name[-1].write_text(symbols.code())
    return [library, _compile_entry(library), *by_name]


def _inputs(request: Request) -> tuple[list[torch.Tensor], Symbols | None]:
    """Return fake inputs, and the symbols of their open sizes."""
    real = [torch.empty_strided(shape, stride, dtype=dtype) for shape, stride, dtype in request.inputs]
    if any(request.open_sizes):
        symbols = Symbols(real, request.open_sizes)
        return symbols.fakes, symbols
    mode = FakeTensorMode()
    return [mode.from_tensor(value) for value in real], None


def _compile_entry(library: Path) -> Path:
    """Compile the entry point before the library."""
    folder = library.parent
    (folder / "run.cpp").write_text(_ENTRY)
    options = ["-O2", "-shared", "-fPIC", "-Wl,--no-as-needed", "-Wl,-rpath,$ORIGIN"]
    # The library goes by its name, which no other has: libraries of the same name are one for the loader.
    command = [inductor.get_cpp_compiler(), *options, "run.cpp", library.name, "-o", "run.so", "-ldl"]
    subprocess.run(command, cwd=folder, check=True)
    return folder / "run.so"


if __name__ == "__main__":
    main()
