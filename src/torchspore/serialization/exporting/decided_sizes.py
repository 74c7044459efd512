"""Decisions on open sizes, which torch takes for the example's sizes: a file would have one choice for all inputs."""

from __future__ import annotations

import ast
import functools
import linecache
from traceback import FrameSummary

from torchspore.common.frames.user_lines import NOT_THE_USERS
from torchspore.common.private_torch import fake_mode
from torchspore.common.scopes.scope import NotRecordable

__all__ = ["refuse_decisions"]


def refuse_decisions() -> None:
    """Refuse what the user's lines of the open trace have decided by open sizes.

    Torch assumes a condition where Python asks an open size for a bool or a number. What operations ask is not a
    decision: they compute the same for all sizes that they accept. Nor is what only decides whether there is an error.

    Raises:
        NotRecordable: there is a decision.
    """
    sizes = getattr(fake_mode(), "shape_env", None)
    for guard in () if sizes is None else sizes.guards:
        asked = guard.sloc.framework_loc  # the innermost line outside of torch's symbols
        if not isinstance(asked, FrameSummary) or asked.filename.startswith(NOT_THE_USERS):
            continue
        line = asked.lineno or 0
        if not _decides_on_error(asked.filename, line):
            raise NotRecordable(
                "Python needs the value of an open size there, and a file would keep the choice for the example's size "
                "for all inputs; give this dimension a fixed size, or compute the choice from tensors, for example by "
                "ops.where",
                f"{asked.filename}:{line}",
            )


def _decides_on_error(filename: str, line: int) -> bool:
    """Return whether a line has the condition of an `assert`, or of an `if` of which one branch raises an error."""
    for node in ast.walk(_parsed("".join(linecache.getlines(filename)))):
        if isinstance(node, (ast.Assert, ast.If)) and node.test.lineno <= line <= (node.test.end_lineno or 0):
            branches = [node.body, node.orelse] if isinstance(node, ast.If) else []
            return isinstance(node, ast.Assert) or any(each and isinstance(each[-1], ast.Raise) for each in branches)
    return False


@functools.lru_cache(4)
def _parsed(source: str) -> ast.AST:
    try:
        return ast.parse(source)
    except SyntaxError:
        return ast.Module([], [])
