"""`jit`: functions and cells as captured graphs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torchspore.engine.capture.function import CapturedFunction
from torchspore.engine.capture.levels import LEVELS
from torchspore.engine.checks import check_bool
from torchspore.engine.errors import describe

__all__ = ["jit"]

_CAPTURE_MODES = ("ast", "bytecode", "trace")
_BACKENDS = ("", "ms_backend")


def jit(
    function: Callable[..., Any] | None = None,
    *,
    capture_mode: str = "ast",
    jit_level: str = "O0",
    dynamic: int = 0,
    fullgraph: bool = False,
    backend: str = "",
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
            kernels and uses CUDA graphs on a GPU. Default: "O0".
        dynamic: 0: a graph for each shape. 1, one graph for varying shapes, is not supported yet. Default: 0.
        fullgraph: whether a function that cannot be captured is an error. Default: False.
        backend: "" or "ms_backend". Default: "".
        options: none; MindSpore's options tune its own compiler.

    Returns:
        A function with the same arguments and results; `captures` counts its graphs, `graph(*args)` shows one.

    Raises:
        TypeError: `function` is not callable, or an argument is of the wrong type or unknown.
        ValueError: an argument is out of its range.
        NotImplementedError: `dynamic=1`, or the backend "GE", which needs an Ascend card.

    Examples:
        >>> import torchspore as ms
        >>> double = ms.jit(lambda x: x * 2)
        >>> print(double(ms.Tensor([1.0, 2.0])), double(ms.Tensor([3.0, 4.0])), double.captures)
        [2. 4.] [6. 8.] 1

    MindSpore: `mindspore.jit`.
    """
    if capture_mode not in _CAPTURE_MODES:
        raise ValueError(f"For 'jit', 'capture_mode' must be one of {_CAPTURE_MODES}, but got {capture_mode!r}.")
    if jit_level not in LEVELS:
        raise ValueError(f"For 'jit', 'jit_level' must be one of {LEVELS}, but got {jit_level!r}.")
    if dynamic not in (0, 1) or isinstance(dynamic, bool):
        raise ValueError(f"For 'jit', 'dynamic' must be 0 or 1, but got {dynamic!r}.")
    if dynamic == 1:
        raise NotImplementedError("For 'jit', dynamic=1 is not supported yet. Use 0: a graph for each shape.")
    check_bool(fullgraph, "fullgraph", "jit")
    if backend == "GE":
        raise NotImplementedError("For 'jit', the backend 'GE' needs an Ascend card. Leave it out.")
    if backend not in _BACKENDS:
        raise ValueError(f"For 'jit', 'backend' must be one of {_BACKENDS}, but got {backend!r}.")
    if options:
        raise TypeError(f"For 'jit', there is no option {', '.join(map(repr, options))}. Leave it out.")
    if function is None:
        return lambda fn: jit(fn, jit_level=jit_level, fullgraph=fullgraph)
    if not callable(function):
        raise TypeError(f"For 'jit', 'function' must be a function, a method or a Cell, but got {describe(function)}.")
    return CapturedFunction(function, jit_level, fullgraph)
