"""`JitConfig`, settings of captured graphs.

The level of a graph is, in this order:

1. the function's or cell's own: `jit(jit_level=...)`, `jit(jit_config=...)`, `Cell.set_jit_config`;
2. the last of `set_context(jit_level=...)` and `set_context(jit_config={"jit_level": ...})`;
3. "O0".

A changed level applies to graphs that are captured afterwards.
"""

from __future__ import annotations

from typing import Any, Literal

from torchspore.common.frames.user_lines import warn_user
from torchspore.engine.parameters import checked, take_as

__all__ = ["JitConfig", "check_options"]

# MindSpore's options for its compiler. They change no results there, and nothing here.
_OPTIONS: dict[str, Any] = {
    "backend": Literal["", "ms_backend", "GE"],
    "auto_offload": Literal["", "weight", "activation", "all"],
    "disable_format_transform": bool,
    "exec_order": Literal["bfs", "dfs"],
    "infer_boost": Literal["on", "off"],
}


class JitConfig:
    """Settings of captured graphs, for `Cell.set_jit_config` and `jit(jit_config=...)`.

    Args:
        jit_level: "O0" runs the operations one by one, "O1" compiles them with Inductor, "O2" searches longer for fast
            kernels and uses CUDA graphs on a GPU; "" is what `set_context` says, else "O0". Default: "".
        exc_mode: "auto", "sink" or "no_sink"; without effect. Default: "auto".
        jit_syntax_level: "STRICT" refuses what cannot be captured, as `fullgraph=True` does; "COMPATIBLE" and "LAX"
            run it eagerly; "" is what `set_context` says, else "LAX". Default: "".
        debug_level: "RELEASE" or "DEBUG"; without effect. Default: "RELEASE".
        infer_boost: "on" or "off"; without effect. Default: "off".
        tiered: whether calls run at level O0 while the graph is being compiled for `jit_level`, "O1" or "O2", instead
            of waiting; None is what `set_context` says, else True unless `deterministic` is "ON". Not in MindSpore.
            Default: None.
        fullgraph: whether a function that cannot be captured is an error; not in MindSpore. Default: False.
        kwargs: `backend`, `auto_offload`, `disable_format_transform` and `exec_order`, as for `jit`; without effect.

    Raises:
        TypeError: an option that is not listed above, or a flag that is not a bool.
        ValueError: a value that is not listed above.

    Examples:
        >>> import torchspore as ms
        >>> net = ms.nn.ReLU()
        >>> net.set_jit_config(ms.JitConfig(jit_level="O1"))
        >>> net.jit_config_dict["jit_level"]
        'O1'
    """

    @checked
    def __init__(
        self,
        jit_level: Literal["", "O0", "O1", "O2"] = "",
        exc_mode: Literal["auto", "sink", "no_sink"] = "auto",
        jit_syntax_level: Literal["", "STRICT", "COMPATIBLE", "LAX"] = "",
        debug_level: Literal["RELEASE", "DEBUG"] = "RELEASE",
        infer_boost: Literal["on", "off"] = "off",
        *,
        tiered: bool | None = None,
        fullgraph: bool = False,
        **kwargs: Any,
    ) -> None:
        check_options(kwargs, "JitConfig")
        self.jit_config_dict: dict[str, Any] = {
            **kwargs,
            "jit_level": jit_level,
            "exc_mode": exc_mode,
            "jit_syntax_level": jit_syntax_level,
            "debug_level": debug_level,
            "infer_boost": infer_boost,
            **({} if tiered is None else {"tiered": tiered}),
            **({"fullgraph": True} if fullgraph else {}),
        }
        if jit_level:
            self.jit_config_dict.setdefault("backend", "GE" if jit_level == "O2" else "ms_backend")

    def settings(self) -> dict[str, Any]:
        """Return the settings of `CapturedFunction` that this configures."""
        given = self.jit_config_dict
        said: dict[str, Any] = {}
        if given["jit_level"]:
            said["level"] = given["jit_level"]
        fullgraph = given.get("fullgraph", False)
        if "tiered" in given:
            said["tiered"] = given["tiered"]
        if given["jit_syntax_level"] or fullgraph:
            said["strict"] = fullgraph or given["jit_syntax_level"] == "STRICT"
        return said

    def __repr__(self) -> str:
        return f"JitConfig({', '.join(f'{name}={value!r}' for name, value in self.jit_config_dict.items())})"


def check_options(options: dict[str, Any], api: str) -> None:
    """Check MindSpore's options for its compiler; warn of those that there are not, which MindSpore ignores.

    Raises:
        TypeError: a flag is not a bool.
        ValueError: an option has no such value.
    """
    for name, value in options.items():
        if name not in _OPTIONS:
            warn_user(f"For '{api}', there is no option '{name}': it has no effect. Options: {', '.join(_OPTIONS)}.")
        else:
            take_as(_OPTIONS[name], value, name, api)
