"""A row of the table: an API of PyTorch, its counterpart in MindSpore, and what differs between the two."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["Row"]


@dataclass(frozen=True)
class Row:
    """An API of PyTorch beside its counterpart in MindSpore.

    A row serves both directions. A name may have several rows; the first of `torch` is the one that code is rewritten
    to, and every row is one that code in MindSpore is rewritten from.

    Args:
        torch: the full public name, as in "torch.nn.Conv2d" or "torch.Tensor.view".
        mindspore: the full public name, or None if there is no counterpart; then `note` says what to do instead.
        arguments: torch's name of an argument -> MindSpore's, where they differ.
        only_torch: arguments that MindSpore lacks -> the values, as Python expressions, with which both agree.
        only_mindspore: arguments that torch lacks -> the value, as a Python expression, with which both agree. It is
            written into the rewritten call if it is not the default.
        torch_form, mindspore_form: templates, for a counterpart that is not a call with these arguments, such as
            "{input}.swapaxes({dim0}, {dim1})"; the fields are torch's names of arguments, `input` the tensor itself.
        note: what remains different with equal arguments, in a sentence; empty if nothing does.
    """

    torch: str
    mindspore: str | None
    arguments: Mapping[str, str] = field(default_factory=dict)
    only_torch: Mapping[str, str] = field(default_factory=dict)
    only_mindspore: Mapping[str, str] = field(default_factory=dict)
    torch_form: str | None = None
    mindspore_form: str | None = None
    note: str = ""
