"""The passes of rewriting: training loops, then names, calls and classes, then imports."""

from __future__ import annotations

import ast

import libcst as cst
from libcst.metadata import MetadataWrapper, ParentNodeProvider, PositionProvider, ScopeProvider

from torchspore.engine.capture.recording.escapes import garbage_collection_paused
from torchspore.migrate.code.imports import exchange_imports, offered_names
from torchspore.migrate.code.kinds import Kinds
from torchspore.migrate.code.loops import Loops
from torchspore.migrate.code.names import Names
from torchspore.migrate.code.result import Rewritten
from torchspore.migrate.code.rewriter import Rewriter
from torchspore.migrate.code.rows import Sides
from torchspore.migrate.code.targets import Targets
from torchspore.migrate.code.tree import descendants
from torchspore.migrate.table.from_mindspore import FROM_MINDSPORE
from torchspore.migrate.table.row import Row
from torchspore.migrate.table.rows import all_rows

__all__ = ["run"]

_DOMAINS = ("torchvision.", "torchaudio.", "torchtext.")
_TOO_DEEP = "For 'rewrite', the source is nested too deeply to be analyzed."


def run(source: str, *, reverse: bool, api: str, rows: tuple[Row, ...] | None = None) -> Rewritten:
    """Rewrite a source text; `rows` replaces the table."""
    package = "mindspore" if reverse else "torch"
    if package not in source and "import *" not in source:
        return Rewritten(source)
    _check_depth(source)
    try:
        with garbage_collection_paused():  # many small nodes make it run often, without a find
            return _rewritten(source, package, reverse, api, _rows(reverse) if rows is None else rows)
    except cst.ParserSyntaxError as error:
        raise ValueError(
            f"For 'rewrite', the source is not valid Python: line {error.raw_line}, column {error.raw_column}: "
            f"{error.message}."
        ) from None
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None


def _rows(reverse: bool) -> tuple[Row, ...]:
    """Return the rows of a direction; a pipeline of `mindspore.dataset` is not a dataset of torchvision."""
    return (
        (*FROM_MINDSPORE, *(row for row in all_rows() if not row.torch.startswith(_DOMAINS))) if reverse else all_rows()
    )


def _check_depth(source: str) -> None:
    """Refuse code that is nested more deeply than Python allows, which overflows the stack of LibCST's parser."""
    try:
        ast.parse(source)
    except (RecursionError, MemoryError):
        raise ValueError(_TOO_DEEP) from None
    except (SyntaxError, ValueError) as error:
        if "too many" in str(error) or "null byte" in str(error):
            raise ValueError(f"For 'rewrite', the source is not valid Python: {error}.") from None


def _rewritten(source: str, package: str, reverse: bool, api: str, rows: tuple[Row, ...]) -> Rewritten:
    module = cst.parse_module(source)
    targets = Targets()
    sides = Sides(rows, reverse=reverse, api=api, source=source)
    loops = None
    if not reverse and ".backward(" in source:
        loops = _with_steps(module, targets)
        module, loops_pass = loops
    wrapper = MetadataWrapper(module, unsafe_skip_copy=True)
    names = Names(dict(wrapper.resolve(ScopeProvider)))
    kinds = Kinds(module, names, reverse)
    rewriter = Rewriter(module, names, kinds, lambda: wrapper.resolve(PositionProvider), sides, targets, reverse)
    changed = module.visit(rewriter)
    code = exchange_imports(changed, targets, package, offered_names(module, names, package))
    if loops is not None:
        rewriter.in_lines_of(source, module.code)
        rewriter.add(loops_pass.left, loops_pass.notes, loops_pass.converted)
    rewriter.finish(source)
    return Rewritten(code, sorted(rewriter.left), sorted(rewriter.notes), rewriter.converted)


def _with_steps(module: cst.Module, targets: Targets) -> tuple[cst.Module, Loops]:
    """Return the module with its training steps converted, parsed again, and the pass that did it."""
    wrapper = MetadataWrapper(module, unsafe_skip_copy=True)
    names = Names(dict(wrapper.resolve(ScopeProvider)))
    taken = {node.value for node in descendants(module, cst.Name)}
    positions, parents = wrapper.resolve(PositionProvider), wrapper.resolve(ParentNodeProvider)
    loops = Loops(names, Kinds(module, names, False), dict(positions), dict(parents), targets, taken)
    return cst.parse_module(module.visit(loops).code), loops
