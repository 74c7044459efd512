"""A row of the table: an API of PyTorch, its counterpart in MindSpore, and what differs between the two."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["GENERAL", "Row"]

# Arguments of many functions of torch that MindSpore's often lack -> the value with which they do not matter.
GENERAL: Mapping[str, str] = {
    "out": "None", "device": "None", "layout": "None", "requires_grad": "False", "pin_memory": "False",
    "memory_format": "None", "non_blocking": "False", "inplace": "False", "size_average": "None", "reduce": "None",
    "generator": "None", "_stacklevel": "3", "foreach": "None", "fused": "None", "capturable": "False",
    "differentiable": "False", "enable_nested_tensor": "True", "mask_check": "True",
}  # fmt: skip


@dataclass(frozen=True)
class Row:
    """An API of PyTorch and its counterpart in MindSpore.

    A row serves both directions. A name may have several rows: code is rewritten to the first whose `only_torch` values
    agree with the call, and from every row of a name in MindSpore.

    Args:
        torch: the full public name, as in "torch.nn.Conv2d" or "torch.Tensor.view".
        mindspore: the full public name, or None if there is no counterpart; then `note` says what to do instead.
        arguments: torch's name of an argument -> MindSpore's, where they differ.
        only_torch: arguments that MindSpore lacks -> the values, as Python expressions, with which both agree. The
            arguments of `GENERAL` are not repeated here.
        only_mindspore: arguments that torch lacks -> the value, as a Python expression, with which both agree. It is
            written into the rewritten call if it is not the default.
        implied: torch's arguments whose default stands for the value of another -> a template of that value, as in
            {"stride": "{kernel_size}"}.
        to_mindspore: MindSpore's arguments that are computed from torch's -> templates, as in {"momentum":
            "1 - {momentum}"} or {"beta1": "{betas}[0]"}. One is written if the call has an argument of the template, or
            if torch's defaults make a value that is not MindSpore's default.
        to_torch: torch's arguments that are computed from MindSpore's -> templates in those.
        torch_form, mindspore_form: templates, for a counterpart that is not a call with these arguments, such as
            "{input}.swapaxes({dim0}, {dim1})"; the fields are torch's names of arguments with the values of the call or
            torch's defaults, `input` the tensor itself, and `arguments` all arguments that no other field has. A row
            with `mindspore_form` alone serves only the way to MindSpore; it may do without a counterpart, as
            "{input}" for `x.cuda()`.
        note: what remains different with equal arguments, in a sentence; empty if nothing does.
    """

    torch: str
    mindspore: str | None
    arguments: Mapping[str, str] = field(default_factory=dict)
    only_torch: Mapping[str, str] = field(default_factory=dict)
    only_mindspore: Mapping[str, str] = field(default_factory=dict)
    implied: Mapping[str, str] = field(default_factory=dict)
    to_mindspore: Mapping[str, str] = field(default_factory=dict)
    to_torch: Mapping[str, str] = field(default_factory=dict)
    torch_form: str | None = None
    mindspore_form: str | None = None
    note: str = ""
