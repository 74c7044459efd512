"""Side effects: which functions a graph cannot repeat, because they do I/O, read the clock, or are unknown."""

from __future__ import annotations

import abc
import contextlib
import io
import logging
import os
import random
import sys
import types
from collections.abc import Callable
from typing import Any

import torch

from torchspore.common import generator
from torchspore.common.frames.stack import code_of, file_of, module_of, names_of, values_of
from torchspore.common.names import class_modules
from torchspore.engine.values.plain_reads import class_attributes, is_a, lineage

__all__ = [
    "is_c_setting",
    "is_library",
    "is_repeatable",
    "is_standard_library",
    "module_of",
    "setting",
    "unrepeatable_function",
]

# Trusted code: of this package, of torch, and of torch's dependencies.
_LIBRARIES = frozenset(
    ("torch", "torchspore", "functorch", "torchgen", "triton", "sympy", "mpmath", "networkx", "jinja2")
)
_GENERATED = ("<operation ", "<primitive ", "<captured graph>", "<guards>")  # generated code
# Their modules with side effects when the user's code calls them: files, seeds, devices, other processes.
_DRAWS = "torchspore.dataset.rows.streams"  # replaces random generators, whose states are compared afterwards
_LIBRARY_EFFECTS = (
    "torchspore.common.generator", "torchspore.context", "torchspore.dataset",
    "torchspore.device_context", "torchspore.hal", "torchspore.log", "torchspore.onnx", "torchspore.parallel_context",
    "torchspore.profiler", "torchspore.runtime", "torchspore.train.callback", "torchspore.train.model",
    "torchspore.serialization", "torchspore.train.summary",
    "torch.hub", "torch.random", "torch.cuda.random", "torch.serialization", "torch.utils.data",
)  # fmt: skip
# Modules of the standard library whose functions have side effects only through C functions, checked separately.
_PURE_PYTHON_MODULES = frozenset(
    """
    __future__ _collections_abc _pydecimal _weakrefset abc ast base64 bisect calendar cmath codecs collections
    colorsys contextlib copy copyreg dataclasses datetime decimal dis encodings enum fnmatch fractions functools
    genericpath glob graphlib hashlib heapq inspect io itertools json keyword linecache math ntpath numbers opcode
    operator os pathlib posixpath pprint random re reprlib secrets shutil sre_compile sre_constants sre_parse stat
    statistics string struct tempfile textwrap token tokenize types typing typing_extensions urllib uuid weakref
    """.split()  # noqa: SIM905
)
# C modules whose functions depend on their arguments only.
_PURE_C_MODULES = frozenset(
    """
    _abc _bisect _blake2 _codecs _collections _collections_abc _csv _decimal _functools _hashlib _heapq _json _md5
    _opcode _operator _random _sha1 _sha2 _sha256 _sha3 _sha512 _sre _stat _statistics _string _struct _typing
    _weakref array binascii builtins cmath collections datetime decimal enum functools itertools marshal math numpy
    operator random re scipy string struct torch torchspore types typing unicodedata weakref zlib
    """.split()  # noqa: SIM905
)
_IMPURE_EXCEPTIONS = frozenset(
    """
    builtins.breakpoint builtins.input builtins.open builtins.print datetime.now datetime.today datetime.utcnow
    datetime.fromtimestamp datetime.astimezone date.today date.fromtimestamp numpy.fromfile ndarray.tofile ndarray.dump
    RandomState.get_state
    """.split()  # noqa: SIM905
)
_PURE_EXCEPTIONS = frozenset(
    """
    posix.fspath nt.fspath posix._path_normpath nt._path_normpath posix._path_splitroot nt._path_splitroot
    posix._path_splitroot_ex nt._path_splitroot_ex sys._getframe sys.exc_info sys.exception
    sys.getsizeof sys.intern sys.getfilesystemencoding sys.getfilesystemencodeerrors sys._getframemodulename
    lock.__enter__ lock.__exit__ lock.acquire lock.release RLock.__enter__ RLock.__exit__ RLock.acquire RLock.release
    _thread.allocate_lock _thread.RLock
    """.split()  # noqa: SIM905
)
# Lookups by computed names or ids; lookups in the standard library are safe.
_LOOKUPS_BY_NAME = frozenset(
    "builtins.__import__ builtins.eval builtins.exec builtins.globals builtins.id _thread.get_ident".split()  # noqa: SIM905
)
# Functions whose calls a graph cannot repeat: by code, the name in messages. The text of a symbolic size is its name.
_PYTHON_EFFECTS: dict[types.CodeType, str] = {
    contextlib._RedirectStream.__enter__.__code__: "redirect_stdout",
    logging.Logger._log.__code__: "logging.Logger.log",
    os._Environ.__iter__.__code__: "os.environ",
    os._Environ.__len__.__code__: "os.environ",
    **{kind.__repr__.__code__: "str" for kind in (torch.SymInt, torch.SymFloat, torch.SymBool)},
}
# A logger that is not enabled for a level does nothing; `Logger._log` writes.
_OF_LOGGERS = (
    "debug", "info", "warning", "error", "critical", "exception", "log", "disable", "isEnabledFor", "getEffectiveLevel",
    "_acquireLock", "_releaseLock",  # before Python 3.13
)  # fmt: skip
_QUIET = frozenset(
    getattr(function, "fget", function).__code__
    for members in (logging.Logger, logging.LoggerAdapter, logging.Manager)
    for name, function in vars(members).items()
    if name in _OF_LOGGERS
) | {vars(logging)[name].__code__ for name in _OF_LOGGERS[-2:] if name in vars(logging)}
# Reading and setting states is part of a graph.
_QUIET |= {
    function.__code__
    for function in (
        generator.get_rng_state, generator.set_rng_state, generator.Generator.get_state, generator.Generator.set_state,
    )
}  # fmt: skip
_GET_STATE = random.Random.getstate.__code__
_CHECKS_INSTANCE, _CHECKS_CLASS = abc.ABCMeta.__instancecheck__.__code__, abc.ABCMeta.__subclasscheck__.__code__
# C functions without arguments that return settings.
_C_SETTINGS = frozenset(
    """
    sys.getrecursionlimit sys.getswitchinterval sys.get_int_max_str_digits gc.isenabled gc.get_threshold
    numpy.geterrobj numpy._core._multiarray_umath._get_extobj_dict
    """.split()  # noqa: SIM905
)
_SEED = random.Random.seed.__code__
_ENVIRONMENT = os._Environ.__getitem__.__code__
# Functions of this package that return settings, which may change between calls.
_SETTINGS = {
    ("torchspore.context", "get_context"),
    ("torchspore.parallel_context", "get_auto_parallel_context"),
    ("torchspore.parallel_context", "get_ps_context"),
    ("torchspore.common.random", "get_seed"),
}


def is_library(frame: types.FrameType) -> bool:
    """Return whether a frame runs code of this package, or of torch."""
    return module_of(frame).partition(".")[0] in _LIBRARIES or file_of(frame).startswith(_GENERATED)


def is_standard_library(frame: types.FrameType) -> bool:
    """Return whether a frame runs code of the standard library, of NumPy, or generated by `namedtuple`."""
    root = module_of(frame).partition(".")[0]
    return root in sys.stdlib_module_names or root == "numpy" or root.startswith("namedtuple_")


def setting(frame: types.FrameType) -> tuple[Callable[..., Any], tuple[Any, ...]] | None:
    """Return the function and arguments with which a frame is about to read a setting; None if it does not."""
    code = code_of(frame)
    if code is _ENVIRONMENT:
        return values_of(frame)["self"].get, (values_of(frame)["key"],)
    if code is _GET_STATE:
        return values_of(frame)["self"].getstate, ()
    if code is _CHECKS_INSTANCE:  # `register` of the class changes the answer
        return abc.ABCMeta.__subclasscheck__, (values_of(frame)["cls"], type(values_of(frame)["instance"]))
    if code is _CHECKS_CLASS:
        return abc.ABCMeta.__subclasscheck__, (values_of(frame)["cls"], values_of(frame)["subclass"])
    if (module_of(frame), code.co_name) in _SETTINGS:
        names = code.co_varnames[: code.co_argcount]
        return names_of(frame)[code.co_name], tuple([values_of(frame)[name] for name in names])
    return None


def is_c_setting(function: Any) -> bool:
    """Return whether a C function without arguments returns a setting."""
    return is_a(function.__self__, types.ModuleType) and f"{function.__module__}.{function.__name__}" in _C_SETTINGS


def unrepeatable_function(frame: types.FrameType) -> str:
    """Return the name of a Python function that a graph cannot repeat if a frame is about to run it; else ""."""
    code, module = code_of(frame), module_of(frame)
    if code in _PYTHON_EFFECTS:
        return _PYTHON_EFFECTS[code]
    if code is _SEED:
        values = values_of(frame)
        if values.get("a") is None and not hasattr(values.get("self"), "_notimplemented"):
            return "random.Random without a seed"
    if code in _QUIET:
        return ""
    is_pure = module.partition(".")[0] in _PURE_PYTHON_MODULES or module.startswith(("numpy", "importlib._boot"))
    if (is_library(frame) or is_pure) and (module == _DRAWS or not module.startswith(_LIBRARY_EFFECTS)):
        return ""
    return f"{module}.{code.co_name}"


def is_repeatable(function: Any, by_python: bool) -> bool:
    """Return whether a C function depends on its arguments only.

    Args:
        function: the function, or a bound method.
        by_python: whether the standard library calls it.
    """
    owner = function.__self__
    if owner is None or is_a(owner, types.ModuleType):
        module = function.__module__ or getattr(owner, "__name__", "")
    else:
        kind = owner if is_a(owner, type) else type(owner)
        defined = [base for base in lineage(kind) if function.__name__ in class_attributes(base)]
        # A Python method of this name may have called it, by `super()`.
        in_c = (base for base in defined if not is_a(class_attributes(base)[function.__name__], types.FunctionType))
        kind = next(in_c, kind)
        if kind in (io.StringIO, io.BytesIO) and owner not in (sys.stdout, sys.stderr, sys.stdin):
            return True
        module = class_modules.module_of(kind)
        if f"{kind.__name__}.{function.__name__}" in _IMPURE_EXCEPTIONS:
            return False
        if f"{kind.__name__}.{function.__name__}" in _PURE_EXCEPTIONS:
            return True
    name = f"{module}.{function.__name__}"
    if name in _IMPURE_EXCEPTIONS or (name in _LOOKUPS_BY_NAME and not by_python):
        return False
    return module.partition(".")[0] in _PURE_C_MODULES or name in _PURE_EXCEPTIONS or name in _LOOKUPS_BY_NAME
