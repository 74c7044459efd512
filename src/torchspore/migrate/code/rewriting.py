"""The functions that rewrite a source text."""

from __future__ import annotations

from typing import Literal

from torchspore.earlier.forms import TODAY, is_before
from torchspore.migrate.code.result import Rewritten

__all__ = ["TARGETS", "modernize", "rewrite"]

TARGETS = ("torchspore", "mindspore-cpu", "mindspore-ascend")


def rewrite(
    source: str,
    *,
    reverse: bool = False,
    api: Literal["mint", "classic"] | None = None,
    target: Literal["torchspore", "mindspore-cpu", "mindspore-ascend"] = "torchspore",
) -> Rewritten:
    """Rewrite a program from PyTorch to MindSpore, or back.

    Args:
        source: the text of a Python module.
        reverse: rewrite MindSpore to PyTorch instead.
        api: the part of MindSpore to write where both have a counterpart: `mindspore.mint`, whose functions have
            PyTorch's arguments and defaults, or the "classic" `mindspore.nn` and `mindspore.ops`. Default: "classic"
            for MindSpore on CPUs, else "mint".
        target: where the program shall run. MindSpore has fewer kernels for CPUs: what it lacks there is written in
            other terms, or left. Default: "torchspore", which runs everything, as MindSpore on Ascend cards does.

    Returns:
        A `Rewritten` with the new `code`, the lines `left` as they were with reasons, and `notes` about differences.

    Raises:
        ImportError: LibCST is not installed.
        ValueError: `source` is not a Python module, or `api` or `target` is unknown.

    Examples:
        >>> from torchspore.migrate import rewrite
        >>> print(rewrite("from torch import nn\\n\\nlayer = nn.Linear(2, 3)  # no bias?\\n").code)
        from mindspore import mint
        <BLANKLINE>
        layer = mint.nn.Linear(2, 3)  # no bias?
        <BLANKLINE>
    """
    if target not in TARGETS:
        raise ValueError(
            f"For 'rewrite', the argument 'target' must be one of {', '.join(TARGETS)}, but got {target!r}."
        )
    api = api or ("classic" if target == "mindspore-cpu" else "mint")
    if api not in ("mint", "classic"):
        raise ValueError(f"For 'rewrite', the argument 'api' must be 'mint' or 'classic', but got {api!r}.")
    _check_source("rewrite", source)
    from torchspore.migrate.code.passes import run

    return run(source, reverse=reverse, api=api, target=target)


def modernize(source: str, version: str | None = None) -> Rewritten:
    """Rewrite a program for an earlier version of MindSpore to today's.

    Args:
        source: the text of a Python module.
        version: the version that it was written for, as in "1.10". What has another meaning today is then rewritten,
            too. Default: only names and arguments that today's MindSpore does not have.

    Returns:
        A `Rewritten` with the new `code`, and the lines `left` for which there is nothing to write.

    Raises:
        ImportError: LibCST is not installed.
        ValueError: `source` is not a Python module, or `version` is not a version.

    Examples:
        >>> from torchspore.migrate import modernize
        >>> print(modernize("from mindspore import ops\\n\\ny = ops.tile(x, multiples=(2, 1))\\n").code)
        from mindspore import ops
        <BLANKLINE>
        y = ops.tile(x, dims=(2, 1))
        <BLANKLINE>
    """
    if version is not None:
        is_before(version, TODAY)
    _check_source("modernize", source)
    from torchspore.migrate.code.modernizing import run

    return run(source, version)


def _check_source(api: str, source: str) -> None:
    if not isinstance(source, str):
        raise TypeError(f"For '{api}', the argument 'source' must be a str, but got {type(source).__name__}.")
    try:
        import libcst  # noqa: F401
    except ImportError as error:
        raise ImportError(
            f"For '{api}', LibCST is required, but it is not installed. Install it with "
            "`pip install torchspore[migrate]` or `pip install libcst`."
        ) from error
