"""What to write instead of names and arguments of PyTorch that MindSpore does not have: one line each, for errors.

Only what is more than another name is here. A hint is put into an error when it arises; nothing is looked up before.
"""

from __future__ import annotations

import linecache
import re
import sys
from collections.abc import Collection
from typing import Any, NoReturn

from torchspore.common.frames.stack import file_of, steps
from torchspore.common.names.near_names import suggestion

__all__ = [
    "CELL", "OPTIMIZER", "TENSOR", "MissingMember", "hinted", "keyword_hint", "module_hint", "note_called_size",
]  # fmt: skip

_DEVICE = "tensors and cells are on the device of ms.set_device or device_target; x.move_to('CPU') moves one"
_GRADIENT = "there is no backward(): use ms.value_and_grad(function, None, weights), which returns the gradients"
_PARAMETERS = "use net.trainable_params(), or net.parameters_and_names() for the names too"
_TRAIN = "use net.set_train() or net.set_train(False)"
_DTYPE = "use net.to_float(ms.float16) to compute in a type, net.to(ms.float16) to convert the parameters"
_CHILDREN = "use net.cells_and_names(), or net.name_cells() for the direct children"
_NO_ZERO = "gradients are not accumulated: ms.value_and_grad returns new ones, so leave this out"

TENSOR: dict[str, str] = {
    **dict.fromkeys(("cuda", "cpu", "npu", "is_cuda", "get_device"), _DEVICE),
    **dict.fromkeys(("detach", "detach_"), "use ops.stop_gradient(x); outside of grad a tensor has no gradient"),
    **dict.fromkeys(("backward", "grad", "retain_grad", "grad_fn", "is_leaf"), _GRADIENT),
    "requires_grad": "only a Parameter has it; ms.grad(function, position) names the inputs to differentiate",
    "share_memory_": "use Python's shared memory with x.asnumpy()",
    "element_size": "use x.itemsize",
}
CELL: dict[str, str] = {
    **dict.fromkeys(("train", "eval"), _TRAIN),
    **dict.fromkeys(("parameters", "named_parameters", "get_parameter"), _PARAMETERS),
    **dict.fromkeys(("modules", "named_modules", "children", "named_children", "get_submodule"), _CHILDREN),
    **dict.fromkeys(("cuda", "cpu", "npu"), "cells are on the device of ms.set_device or device_target; see net.to"),
    **dict.fromkeys(("half", "float", "double", "bfloat16"), _DTYPE),
    "zero_grad": _NO_ZERO,
    "forward": "define and call 'construct', or call the cell: net(x)",
    "requires_grad_": "set parameter.requires_grad = False for each of net.get_parameters()",
    "register_parameter": "use net.insert_param_to_cell(name, parameter)",
    **dict.fromkeys(("add_module", "register_module"), "use net.insert_child_to_cell(name, cell)"),
}
OPTIMIZER: dict[str, str] = {
    **{name: hint for name, hint in CELL.items() if name != "parameters"},
    "step": "call the optimizer with the gradients of ms.value_and_grad: opt(gradients)",
    "zero_grad": _NO_ZERO,
    "param_groups": "use opt.parameters and opt.get_lr(); groups are given to the constructor",
    "add_param_group": "give all groups to the constructor: [{'params': ..., 'lr': ...}, ...]",
}
_MODULES: dict[str, dict[str, str]] = {
    "torchspore": {
        **dict.fromkeys(
            ("no_grad", "inference_mode", "enable_grad", "set_grad_enabled"),
            "nothing is recorded outside of ms.grad and ms.value_and_grad, so leave it out",
        ),
        "device": "use ms.set_device('GPU') once; devices of tensors are strings such as 'CPU'",
        "cuda": "use ms.hal or ms.runtime for devices and memory",
        "optim": "optimizers are in nn (nn.Adam), and with torch's groups in mint.optim",
        "Module": "use nn.Cell, with 'construct' in place of 'forward'",
        "save": "use ms.save_checkpoint(net, file)",
    },
    "torchspore.nn": {
        "Module": "use nn.Cell, with 'construct' in place of 'forward'; a torch.nn.Module can be a child of a Cell",
        "functional": "use ops (ops.relu), or mint.nn.functional with torch's arguments",
        "Parameter": "use ms.Parameter(tensor, name=...)",
        "ModuleList": "use nn.CellList", "ModuleDict": "use nn.CellDict", "Sequential": "use nn.SequentialCell",
        "init": "use torchspore.common.initializer: ms.Parameter(initializer('normal', shape))",
        "utils": "gradients are clipped by ops.clip_by_global_norm(gradients, 1.0)",
        "ConvTranspose1d": "use nn.Conv1dTranspose", "ConvTranspose3d": "use nn.Conv3dTranspose",
        "ConvTranspose2d": "use nn.Conv2dTranspose, or mint.nn.ConvTranspose2d",
        "Bilinear": "use nn.BiDense", "Hardswish": "use nn.HSwish", "LocalResponseNorm": "use ops.LRN",
        "Softplus": "use ops.softplus in 'construct'",
        "DataParallel": "use ms.set_auto_parallel_context(parallel_mode='data_parallel') in several processes",
        "AdamW": "use nn.AdamWeightDecay, which corrects no bias, or mint.optim.AdamW",
        **{name: f"use mint.nn.{name}" for name in ("Fold", "ZeroPad1d", "ZeroPad3d")},
        **{name: f"use mint.nn.{name}" for name in ("UpsamplingBilinear2d", "UpsamplingNearest2d")},
        **{name: f"use experimental.optim.{name}" for name in ("LBFGS", "Muon", "NAdam", "RAdam")},
        **dict.fromkeys(("ParameterList", "ParameterDict"), "use ms.ParameterTuple, or attributes of the cell"),
    },
    "torchspore.utils": {"data": "use ms.dataset: GeneratorDataset(source, names).batch(32)"},
    "torchspore.ops": {
        "no_grad": "nothing is recorded outside of ms.grad and ms.value_and_grad, so leave it out",
        "Linear": "use ops.dense(x, weight, bias), or nn.Dense",
    },
}  # fmt: skip
# Torch's names of arguments, and what they may be called here.
_KEYWORDS: dict[str, tuple[str, ...]] = {
    "dim": ("axis",), "dims": ("axis", "axes", "perm"), "keepdim": ("keep_dims", "keepdims"),
    "keepdims": ("keep_dims", "keepdim"), "axis": ("dim",), "keep_dims": ("keepdim",),
    "bias": ("has_bias",), "in_features": ("in_channels",), "out_features": ("out_channels",),
    "num_embeddings": ("vocab_size",), "embedding_dim": ("embedding_size",), "eps": ("epsilon",),
    "negative_slope": ("alpha",), "lr": ("learning_rate",),
}  # fmt: skip


class MissingMember:
    """A class attribute that says what to use instead; `hasattr` is False for it."""

    def __init__(self, owner: str, name: str, hint: str) -> None:
        self._owner, self._name, self._hint = owner, name, hint

    def __get__(self, instance: Any, owner: type | None = None) -> NoReturn:
        text = f"For '{self._owner}.{self._name}', MindSpore has no such attribute: {self._hint}."
        raise AttributeError(text, name=self._name, obj=instance)


def hinted(hints: dict[str, str], name: str) -> str:
    """Return the sentence for a missing name, or nothing."""
    return f" In MindSpore, {hints[name]}." if name in hints else ""


def module_hint(package: str, name: str) -> str:
    """Return the sentence for a name that a package lacks, or nothing; torch has the operations of `ops` at its top."""
    found = hinted(_MODULES.get(package, {}), name)
    if found or package != "torchspore":
        return found
    likely = ("nn",) if name[:1].isupper() else ("ops", "mint")
    loaded = {home: sys.modules.get(f"{package}.{home}") for home in likely}  # a question by hasattr imports nothing
    homes = [home for home, module in loaded.items() if name in getattr(module, "__all__", ())]
    return f" In MindSpore, use {' or '.join(f'{home}.{name}' for home in homes)}." if homes else ""


def keyword_hint(text: str, names: Collection[str]) -> str:
    """Return the sentence for Python's error about an unexpected keyword argument, or nothing.

    Args:
        text: the text of the error.
        names: the names that the function takes.
    """
    found = re.search(r"got an unexpected keyword argument '(\w+)'$", text)  # newer versions of Python suggest one
    if found is None:
        return ""
    ours = next((known for known in _KEYWORDS.get(found[1], ()) if known in names), None)
    close = suggestion(found[1], names)
    return f". In MindSpore, the argument is named '{ours}'." if ours else f".{close}" if close else ""


def note_called_size(error: BaseException) -> None:
    """Add to the error of `x.size()` that `size` is a number."""
    if type(error) is not TypeError or str(error) != "'int' object is not callable" or error.__traceback__ is None:
        return
    *_, last = steps(error.__traceback__)
    if ".size(" in linecache.getline(file_of(last.tb_frame), last.tb_lineno):
        error.args = (f"{error}. In MindSpore, x.size is the number of elements; use x.shape, or x.shape[axis].",)
