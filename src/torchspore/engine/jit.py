"""`jit`: functions and cells as captured graphs; `jit_class`; `set_recursion_limit`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, overload

from torchspore.common.frames.user_lines import warn_user
from torchspore.engine.bytecode import CountedFunction
from torchspore.engine.capture.compiling.levels import LEVELS
from torchspore.engine.capture.function import CapturedFunction
from torchspore.engine.failures.errors import describe, of_value
from torchspore.engine.jit_config import JitConfig, check_options
from torchspore.engine.parameters import NotNegative, Positive, take_as

__all__ = ["jit", "jit_class", "set_recursion_limit"]

_Function = TypeVar("_Function", bound=Callable[..., Any])
_Class = TypeVar("_Class", bound=type)

_CAPTURE_MODES = ("ast", "bytecode", "trace")
_BACKENDS = ("", "ms_backend", "GE")
# Arguments that `jit` had in older versions of MindSpore. It still takes them, and drops them.
_OLDER = ("mode", "input_signature", "hash_args", "compile_once")


@overload
def jit(
    function: _Function,
    *,
    capture_mode: str = "ast",
    jit_level: str | None = None,
    dynamic: int = 0,
    fullgraph: bool = False,
    backend: str = "",
    jit_config: JitConfig | None = None,
    **options: Any,
) -> _Function: ...
@overload
def jit(
    function: None = None,
    *,
    capture_mode: str = "ast",
    jit_level: str | None = None,
    dynamic: int = 0,
    fullgraph: bool = False,
    backend: str = "",
    jit_config: JitConfig | None = None,
    **options: Any,
) -> Callable[[_Function], _Function]: ...
def jit(
    function: Callable[..., Any] | None = None,
    *,
    capture_mode: str = "ast",
    jit_level: str | None = None,
    dynamic: int = 0,
    fullgraph: bool = False,
    backend: str = "",
    jit_config: JitConfig | None = None,
    **options: Any,
) -> Any:
    """Run a function as a captured graph: forward, backward and parameter updates in one.

    The function runs once for each signature (shapes and dtypes of the tensors, the other arguments, the state of the
    cells that it uses), and its graph is called from then on. What cannot be part of a graph makes that signature run
    eagerly, with one warning that says where and why; any Python is accepted.

    Args:
        function: the function, method or Cell; without one, a decorator is returned.
        capture_mode: "ast", "bytecode" or "trace"; all three capture in the same way here. Default: "ast".
        jit_level: "O0" runs the operations one by one, "O1" compiles them with Inductor, "O2" searches longer for fast
            kernels and uses CUDA graphs on a GPU. Default: None: the level of `jit_config`, else of `set_context`,
            else "O0".
        dynamic: 0: a graph for each shape. 1: one graph for all sizes for which the function does the same; sizes 0
            and 1 have graphs of their own. Default: 0.
        fullgraph: whether a function that cannot be captured is an error. Default: False.
        backend: "", "ms_backend" or "GE", the compiler for an Ascend card; all are the same here. Default: "".
        jit_config: more settings, and those above in another form. Default: None.
        options: `fn` is an older name of `function`. `auto_offload`, `disable_format_transform`, `exec_order` and
            `infer_boost` tune MindSpore's compiler; `mode` ("PSJit" or "PIJit"), `input_signature`, `hash_args` and
            `compile_once` are older arguments. These are without effect; others give a warning.

    Returns:
        A function with the same arguments and results; `captures` counts its graphs, `graph(*args)` shows one.

    Examples:
        >>> import torchspore as ms
        >>> double = ms.jit(lambda x: x * 2)
        >>> print(double(ms.Tensor([1.0, 2.0])), double(ms.Tensor([3.0, 4.0])), double.captures)
        [2. 4.] [6. 8.] 1
    """
    if capture_mode not in _CAPTURE_MODES:
        raise ValueError(f"For 'jit', 'capture_mode' must be one of {_CAPTURE_MODES}, but got {capture_mode!r}.")
    if jit_level is not None and jit_level not in LEVELS:
        raise ValueError(f"For 'jit', 'jit_level' must be one of {LEVELS}, but got {jit_level!r}.")
    if take_as(NotNegative, dynamic, "dynamic", "jit") > 1:
        raise ValueError(f"For 'jit', 'dynamic' must be 0 or 1, but got {dynamic!r}.")
    take_as(bool, fullgraph, "fullgraph", "jit")
    if backend not in _BACKENDS:
        raise of_value(backend, str)(f"For 'jit', 'backend' must be one of {_BACKENDS}, but got {backend!r}.")
    if not (jit_config is None or isinstance(jit_config, JitConfig)):
        warn_user(f"For 'jit', 'jit_config' has no effect: it is not a JitConfig, but {describe(jit_config)}.")
        jit_config = None
    function = options.pop("fn", function)  # its name in MindSpore up to 2.5
    _check_older(options)
    check_options({name: value for name, value in options.items() if name not in _OLDER}, "jit")
    settings = {"strict": False} | (jit_config.settings() if jit_config else {})
    settings |= {"level": jit_level} if jit_level else {}
    settings |= {"strict": True} if fullgraph else {}
    settings |= {"dynamic": bool(dynamic)}

    def wrap(wrapped: Callable[..., Any]) -> Callable[..., Any]:
        if not callable(wrapped):
            return _refusing(wrapped)
        kind = CountedFunction if capture_mode == "bytecode" or options.get("mode") == "PIJit" else CapturedFunction
        return kind(wrapped, settings)

    return wrap if function is None else wrap(function)


def _refusing(given: Any) -> Callable[..., Any]:
    """Return what refuses to be called: MindSpore, too, looks at what it captures in the first call."""

    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise TypeError(f"For 'jit', 'function' must be a function, a method or a Cell, but got {describe(given)}.")

    return refuse


def _check_older(options: dict[str, Any]) -> None:
    if options.get("mode", "PSJit") not in ("PSJit", "PIJit"):
        warn_user(f"For 'jit', 'mode' has no effect: it is not 'PSJit' or 'PIJit', but {describe(options['mode'])}.")
    if "compile_once" in options:
        take_as(bool, options["compile_once"], "compile_once", "jit")


def jit_class(cls: _Class) -> _Class:
    """Mark a class whose objects captured functions use; any class may be used here, so this only marks it.

    Args:
        cls: the class.

    Returns:
        The same class.

    Raises:
        TypeError: `cls` is not a class, or a class of cells, or a built-in class.

    Examples:
        >>> import torchspore as ms
        >>> @ms.jit_class
        ... class Scale:
        ...     def __init__(self, factor):
        ...         self.factor = factor
        >>> scale = Scale(3)
        >>> print(ms.jit(lambda x: x * scale.factor)(ms.Tensor([1.0, 2.0])))
        [3. 6.]
    """
    if not isinstance(cls, type):
        raise TypeError(f"For 'jit_class', 'cls' must be a class, but got {describe(cls)}.")
    if hasattr(cls, "cells_and_names"):
        raise TypeError(f"For 'jit_class', 'cls' must not be a class of cells, but got {cls.__name__}. Leave it out.")
    cls.__ms_class__ = True  # type: ignore[attr-defined]
    return cls


def set_recursion_limit(recursion_limit: int = 1000) -> None:
    """Check a limit of nested calls for MindSpore's compiler; here, Python's own limit holds.

    Args:
        recursion_limit: a positive number. Default: 1000.

    Examples:
        >>> import torchspore as ms
        >>> ms.set_recursion_limit(2000)
    """
    take_as(Positive, recursion_limit, "recursion_limit", "set_recursion_limit")
