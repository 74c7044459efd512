"""The compiler of graphs: torch.compile would trace the Python program a second time, by its own rules. (All 2.11.)"""

from __future__ import annotations

from typing import Any

import torch._inductor.config as config
from torch._guards import TracingContext, tracing  # what the compiler asks for the symbols; its disk cache needs one
from torch._inductor import aot_compile, compile  # a graph -> a library, a graph -> a function
from torch._inductor.cpp_builder import get_cpp_compiler  # the C++ compiler that it found

__all__ = ["TracingContext", "aot_compile", "compile", "get_cpp_compiler", "tracing", "without_line_tables"]


def without_line_tables() -> dict[str, Any]:
    """Return the options that keep tables of source lines out of libraries. torch 2.11 does not write any. (2.12)"""
    has_option = hasattr(config.aot_inductor, "enable_line_tables")
    return {"aot_inductor.enable_line_tables": False} if has_option else {}
