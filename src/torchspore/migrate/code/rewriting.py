"""The function that rewrites a source text."""

from __future__ import annotations

from typing import Literal

from torchspore.migrate.code.result import Rewritten

__all__ = ["rewrite"]


def rewrite(source: str, *, reverse: bool = False, api: Literal["mint", "classic"] = "mint") -> Rewritten:
    """Rewrite a program from PyTorch to MindSpore, or back.

    Args:
        source: the text of a Python module.
        reverse: rewrite MindSpore to PyTorch instead.
        api: the part of MindSpore to write where both have a counterpart: `mindspore.mint`, whose functions have
            PyTorch's arguments and defaults, or the "classic" `mindspore.nn` and `mindspore.ops`.

    Returns:
        A `Rewritten` with the new `code`, the lines `left` as they were with reasons, and `notes` about differences.

    Raises:
        ImportError: LibCST is not installed.
        ValueError: `source` is not a Python module, or `api` is unknown.

    Examples:
        >>> from torchspore.migrate import rewrite
        >>> print(rewrite("from torch import nn\\n\\nlayer = nn.Linear(2, 3)  # no bias?\\n").code)
        from mindspore import mint
        <BLANKLINE>
        layer = mint.nn.Linear(2, 3)  # no bias?
        <BLANKLINE>
    """
    if api not in ("mint", "classic"):
        raise ValueError(f"For 'rewrite', the argument 'api' must be 'mint' or 'classic', but got {api!r}.")
    if not isinstance(source, str):
        raise TypeError(f"For 'rewrite', the argument 'source' must be a str, but got {type(source).__name__}.")
    try:
        import libcst  # noqa: F401
    except ImportError as error:
        raise ImportError(
            "For 'rewrite', LibCST is required, but it is not installed. Install it with "
            "`pip install torchspore[migrate]` or `pip install libcst`."
        ) from error
    from torchspore.migrate.code.passes import run

    return run(source, reverse=reverse, api=api)
