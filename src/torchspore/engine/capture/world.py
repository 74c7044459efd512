"""What a graph cannot repeat: functions that read or write the world outside, or that nothing is known about."""

from __future__ import annotations

import contextlib
import io
import os
import random
import sys
import types
from collections.abc import Callable
from typing import Any

__all__ = ["is_library", "is_pythons", "is_repeated", "module_of", "python_obstacle", "setting"]

# Whose code is trusted: ours and torch's, with what torch itself is written with.
_LIBRARIES = frozenset(
    ("torch", "torchspore", "functorch", "torchgen", "triton", "sympy", "mpmath", "networkx", "jinja2")
)
_GENERATED = ("<operation ", "<primitive ", "<captured graph>", "<guards>")  # code that we have written
# What of them a graph cannot repeat when the user's code calls it: files, seeds, devices, other processes.
_DRAWS = "torchspore.dataset.streams"  # stands in for random number generators, whose states are compared afterwards
_LIBRARY_EFFECTS = (
    "torchspore.common.generator", "torchspore.context", "torchspore.dataset",
    "torchspore.device_context", "torchspore.hal", "torchspore.log", "torchspore.onnx", "torchspore.parallel_context",
    "torchspore.profiler", "torchspore.runtime", "torchspore.train.callback", "torchspore.train.model",
    "torchspore.serialization", "torchspore.train.summary",
    "torch.hub", "torch.random", "torch.cuda.random", "torch.serialization", "torch.utils.data",
)  # fmt: skip
# Modules of Python's library whose functions do nothing but through C, which is judged for itself.
_PYTHON = frozenset(
    """
    __future__ _collections_abc _pydecimal _weakrefset abc ast base64 bisect calendar cmath codecs collections
    colorsys contextlib copy copyreg dataclasses datetime decimal dis encodings enum fnmatch fractions functools
    genericpath glob graphlib hashlib heapq inspect io itertools json keyword linecache math ntpath numbers opcode
    operator os pathlib posixpath pprint random re reprlib secrets shutil sre_compile sre_constants sre_parse stat
    statistics string struct tempfile textwrap token tokenize types typing typing_extensions urllib uuid weakref
    """.split()  # noqa: SIM905
)
# Modules in C whose functions and types depend on their arguments alone.
_C = frozenset(
    """
    _abc _bisect _blake2 _codecs _collections _collections_abc _csv _decimal _functools _hashlib _heapq _json _md5
    _opcode _operator _random _sha1 _sha2 _sha256 _sha3 _sha512 _sre _stat _statistics _string _struct _typing
    _weakref array binascii builtins cmath collections datetime decimal enum functools itertools marshal math numpy
    operator random re scipy string struct torch torchspore types typing unicodedata weakref zlib
    """.split()  # noqa: SIM905
)
_BUT = frozenset(
    """
    builtins.breakpoint builtins.input builtins.open builtins.print datetime.now datetime.today datetime.utcnow
    datetime.fromtimestamp datetime.astimezone date.today date.fromtimestamp numpy.fromfile ndarray.tofile ndarray.dump
    """.split()  # noqa: SIM905
)
_AND = frozenset(
    """
    posix.fspath nt.fspath posix._path_normpath nt._path_normpath posix._path_splitroot nt._path_splitroot
    posix._path_splitroot_ex nt._path_splitroot_ex sys._getframe sys.exc_info sys.exception sys.getrecursionlimit
    sys.getsizeof sys.intern sys.getfilesystemencoding sys.getfilesystemencodeerrors sys._getframemodulename
    lock.__enter__ lock.__exit__ lock.acquire lock.release RLock.__enter__ RLock.__exit__ RLock.acquire RLock.release
    _thread.allocate_lock _thread.RLock
    """.split()  # noqa: SIM905
)
# What finds things that only a run knows; Python's own library does so in ways that are safe.
_BY_NAME = frozenset(
    "builtins.__import__ builtins.eval builtins.exec builtins.globals builtins.id _thread.get_ident".split()  # noqa: SIM905
)
# Python's functions that do more than they seem to: by code, the name in messages.
_PYTHON_EFFECTS: dict[types.CodeType, str] = {
    contextlib._RedirectStream.__enter__.__code__: "redirect_stdout",
    os._Environ.__iter__.__code__: "os.environ",
    os._Environ.__len__.__code__: "os.environ",
}
_SEED = random.Random.seed.__code__
_ENVIRONMENT = os._Environ.__getitem__.__code__
# Functions of ours that return what may have been set since, for their arguments.
_SETTINGS = {
    ("torchspore.context", "get_context"),
    ("torchspore.parallel_context", "get_auto_parallel_context"),
    ("torchspore.parallel_context", "get_ps_context"),
    ("torchspore.common.random", "get_seed"),
}


def module_of(frame: types.FrameType) -> str:
    """Return the name of the module whose code a frame runs."""
    return str(frame.f_globals.get("__name__", ""))


def is_library(frame: types.FrameType) -> bool:
    """Return whether a frame runs code of ours, or of torch."""
    return module_of(frame).partition(".")[0] in _LIBRARIES or frame.f_code.co_filename.startswith(_GENERATED)


def is_pythons(frame: types.FrameType) -> bool:
    """Return whether a frame runs code of Python's own library, or of NumPy; `namedtuple` makes such code."""
    root = module_of(frame).partition(".")[0]
    return root in sys.stdlib_module_names or root == "numpy" or root.startswith("namedtuple_")


def setting(frame: types.FrameType) -> tuple[Callable[..., Any], tuple[Any, ...]] | None:
    """Return the function that reads the setting that a frame is about to read, and its arguments; None: it is not."""
    code = frame.f_code
    if code is _ENVIRONMENT:
        return frame.f_locals["self"].get, (frame.f_locals["key"],)
    if (module_of(frame), code.co_name) in _SETTINGS:
        names = code.co_varnames[: code.co_argcount]
        return frame.f_globals[code.co_name], tuple([frame.f_locals[name] for name in names])
    return None


def python_obstacle(frame: types.FrameType) -> str:
    """Return the name of a Python function that a graph cannot repeat, when it is about to run; else ""."""
    code, module = frame.f_code, module_of(frame)
    if code in _PYTHON_EFFECTS:
        return _PYTHON_EFFECTS[code]
    if code is _SEED and frame.f_locals.get("a") is None and not hasattr(frame.f_locals.get("self"), "_notimplemented"):
        return "random.Random without a seed"
    known = is_library(frame) or module.partition(".")[0] in _PYTHON or module.startswith(("numpy", "importlib._boot"))
    if known and (module == _DRAWS or not module.startswith(_LIBRARY_EFFECTS)):
        return ""
    return f"{module}.{code.co_name}"


def is_repeated(function: Any, by_python: bool) -> bool:
    """Return whether what a function in C does depends on its arguments alone.

    Args:
        function: the function, or a bound method.
        by_python: whether Python's own library calls it.
    """
    owner = function.__self__
    if owner is None or isinstance(owner, types.ModuleType):
        module = function.__module__ or getattr(owner, "__name__", "")
    else:
        kind = _definer(owner if isinstance(owner, type) else type(owner), function.__name__)
        if kind in (io.StringIO, io.BytesIO) and owner not in (sys.stdout, sys.stderr, sys.stdin):
            return True
        module = kind.__module__
        if f"{kind.__name__}.{function.__name__}" in _BUT:
            return False
        if f"{kind.__name__}.{function.__name__}" in _AND:
            return True
    name = f"{module}.{function.__name__}"
    if name in _BUT or (name in _BY_NAME and not by_python):
        return False
    return module.partition(".")[0] in _C or name in _AND or name in _BY_NAME


def _definer(kind: type, name: str) -> type:
    """Return the class that defines a method."""
    return next((base for base in kind.__mro__ if name in vars(base)), kind)
