"""The passes of rewriting: training loops, then names, calls and classes, then imports."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager

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
from torchspore.migrate.table.rows import all_rows, without_cpu_kernels

__all__ = ["parsed", "run"]

_DOMAINS = ("torchvision.", "torchaudio.", "torchtext.")


def run(
    source: str, *, reverse: bool, api: str, target: str = "torchspore", rows: tuple[Row, ...] | None = None
) -> Rewritten:
    """Rewrite a source text to run on a target; `rows` replaces the table."""
    package = "mindspore" if reverse else "torch"
    if package not in source and "import *" not in source:
        return Rewritten(source)
    with parsed("rewrite", source) as module:
        absent = without_cpu_kernels() if target == "mindspore-cpu" else frozenset[str]()
        sides = Sides(rows or _rows(reverse), reverse=reverse, api=api, source=source, absent=absent)
        return _rewritten(source, module, package, reverse, sides)


@contextmanager
def parsed(api: str, source: str) -> Iterator[cst.Module]:
    """Parse a source text for a block that works on it.

    Args:
        api: the function that does, for errors.
        source: the text.

    Raises:
        ValueError: the text is not Python, or nested too deeply.
    """
    too_deep = f"For '{api}', the source is nested too deeply to be analyzed."
    try:
        ast.parse(source)  # whose limits are below those of LibCST's parser, which ends the process
    except (RecursionError, MemoryError):
        raise ValueError(too_deep) from None
    except (SyntaxError, ValueError) as error:
        if "too many" in str(error) or "null byte" in str(error):
            raise ValueError(f"For '{api}', the source is not valid Python: {error}.") from None
    try:
        with garbage_collection_paused():  # many small nodes make it run often, without a find
            yield cst.parse_module(source)
    except cst.ParserSyntaxError as error:
        raise ValueError(
            f"For '{api}', the source is not valid Python: line {error.raw_line}, column {error.raw_column}: "
            f"{error.message}."
        ) from None
    except RecursionError:
        raise ValueError(too_deep) from None


def _rows(reverse: bool) -> tuple[Row, ...]:
    """Return the rows of a direction; a pipeline of `mindspore.dataset` is not a dataset of torchvision."""
    return (
        (*FROM_MINDSPORE, *(row for row in all_rows() if not row.torch.startswith(_DOMAINS))) if reverse else all_rows()
    )


def _rewritten(source: str, module: cst.Module, package: str, reverse: bool, sides: Sides) -> Rewritten:
    targets = Targets()
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
