"""Functions of compiled libraries, which programs write in C, C++ or CUDA, as operations."""

from __future__ import annotations

import ctypes
import functools
import inspect
import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from typing import Any

import torch

from torchspore.common.dtype import FROM_TORCH, to_torch
from torchspore.common.tensor import Tensor, wrap
from torchspore.engine.failures.errors import describe

__all__ = ["CompiledFunction"]

_COMPILERS = {".cc": ("c++", "g++"), ".cpp": ("c++", "g++"), ".cu": ("nvcc",)}


class CompiledFunction:
    """A function of a library, called with the memory of its inputs and outputs.

    It has the C signature `int name(int count, void **memory, int *dimensions, int64_t **shapes, const char **types,
    void *stream, void *extra)`; the outputs follow the inputs, and 0 means success.

    Args:
        path: "library.so:name", or "source.cc:name" or "source.cu:name", which is compiled first.
        out_shape: the shape of the output, a tuple of several, or a function of the shapes of the inputs.
        out_dtype: the data type of the output, a tuple of several, or a function of the inputs' data types.
    """

    def __init__(self, path: Any, out_shape: Any, out_dtype: Any) -> None:
        if not isinstance(path, str) or ":" not in path:
            raise TypeError(
                f"For 'Custom', 'func' must be a str such as \"./library.so:name\" with func_type='aot', "
                f"but got {describe(path)}."
            )
        if out_shape is None or out_dtype is None:
            raise ValueError("For 'Custom', 'out_shape' and 'out_dtype' must be given with func_type='aot'.")
        self._file, _, self._name = path.rpartition(":")
        self._out_shape, self._out_dtype = out_shape, out_dtype

    def __call__(self, *inputs: Any) -> Any:
        """Return the output, or a tuple of several.

        Raises:
            RuntimeError: there is no such library or function, it cannot be compiled, or the function returns an error.
            NotImplementedError: the function has attributes, which MindSpore's own header declares.
        """
        values = [(x if isinstance(x, Tensor) else Tensor(x))._t.detach().contiguous() for x in inputs]
        shapes = _made(self._out_shape, [list(value.shape) for value in values])
        dtypes = _made(self._out_dtype, [FROM_TORCH[value.dtype] for value in values])
        several = len(shapes) > 0 and isinstance(shapes[0], (tuple, list))
        if not several:
            shapes = [shapes]
        if not isinstance(dtypes, (tuple, list)):
            dtypes = [dtypes] * len(shapes)
        device = values[0].device if values else torch.device("cpu")
        outputs = [
            torch.empty(tuple(shape), dtype=to_torch(dtype, "Custom"), device=device)
            for shape, dtype in zip(shapes, dtypes, strict=True)
        ]
        self._run([*values, *outputs])
        results = tuple([wrap(output) for output in outputs])
        return results if several else results[0]

    def _run(self, values: Sequence[torch.Tensor]) -> None:
        """Call the function with the memory of tensors."""
        function = _function(self._file, self._name)
        count = len(values)
        shapes = [(ctypes.c_int64 * max(value.dim(), 1))(*value.shape) for value in values]
        error = function(
            count,
            (ctypes.c_void_p * count)(*[value.data_ptr() for value in values]),
            (ctypes.c_int * count)(*[value.dim() for value in values]),
            (ctypes.c_void_p * count)(*[ctypes.addressof(shape) for shape in shapes]),
            (ctypes.c_char_p * count)(*[str(value.dtype).removeprefix("torch.").encode() for value in values]),
            torch.cuda.current_stream().cuda_stream if values and values[0].is_cuda else None,
            None,
        )
        if error != 0:
            raise RuntimeError(
                f"For 'Custom', the function '{self._name}' of '{self._file}' returned the error {error}."
            )


def _made(given: Any, arguments: list[Any]) -> Any:
    """Return a shape or data type: as it was given, or of the function that was given."""
    return given(*arguments) if inspect.isroutine(given) else given


def _function(file: str, name: str) -> Any:
    """Return a function of a library, which is compiled if its source is given."""
    if not os.path.isfile(file):
        raise RuntimeError(f"For 'Custom', there is no file '{file}'. Build the library, or give its path.")
    library = _library(os.path.abspath(file), os.stat(file).st_mtime_ns)
    if hasattr(library, f"{name}Init"):
        raise NotImplementedError(
            f"For 'Custom', the function '{name}' reads attributes by '{name}Init', which needs MindSpore's own header "
            "custom_aot_extra.h. Pass them as inputs."
        )
    try:
        function = getattr(library, name)
    except AttributeError:
        raise RuntimeError(f"For 'Custom', '{file}' has no function '{name}'. Declare it with extern \"C\".") from None
    function.restype = ctypes.c_int
    return function


@functools.cache
def _library(file: str, time: int) -> ctypes.CDLL:
    """Load a library; `time`, when it was written, tells a new one of the same name."""
    names = _COMPILERS.get(os.path.splitext(file)[1])
    if names is None:
        return _load(file)
    compiler = _first(names)
    if compiler is None:
        raise RuntimeError(f"For 'Custom', compiling '{file}' needs one of the compilers {names}, and there is none.")
    with tempfile.TemporaryDirectory() as folder:
        built = os.path.join(folder, "library.so")
        flags = ["--compiler-options", "-fPIC"] if compiler.endswith("nvcc") else ["-fPIC", "-std=c++17", "-O2"]
        done = subprocess.run([compiler, "-shared", *flags, "-o", built, file], capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"For 'Custom', '{file}' cannot be compiled:\n{done.stderr}")
        return _load(built)


def _load(file: str) -> ctypes.CDLL:
    """Load a library."""
    try:
        return ctypes.CDLL(file)
    except OSError as error:
        raise RuntimeError(f"For 'Custom', the library '{file}' cannot be loaded: {error}.") from None


def _first(names: Sequence[str]) -> str | None:
    """Return the path of the first program that there is."""
    return next((path for name in names if (path := shutil.which(name)) is not None), None)
