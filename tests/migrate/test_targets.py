"""Code that is rewritten for MindSpore on CPUs uses what has kernels there."""

from __future__ import annotations

import re

import pytest

from torchspore.migrate import rewrite
from torchspore.migrate.table.rows import without_cpu_kernels

IMPORTS = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\n"
EXPRESSIONS = [  # what is rewritten, and what stands in the code for CPUs
    ("nn.Conv2d(1, 2, 3)", "nn.Conv2d(1, 2, 3, pad_mode='pad', has_bias=True)"),
    ("nn.Linear(2, 3)", "nn.Dense(2, 3)"),
    ("x.clone()", "x.copy()"),
    ("torch.clone(x)", "x.copy()"),
    ("F.embedding(i, w)", "ops.gather(w, i, 0)"),
    ("torch.roll(x, 1, 0)", "roll(x, 1, 0)"),
    ("F.layer_norm(x, (4,))", "layer_norm(x, (4,))"),
    ("F.interpolate(x, scale_factor=2)", "interpolate(x, scale_factor=2)"),
    ("nn.LayerNorm(4)", "LayerNorm(4)"),
    ("nn.CrossEntropyLoss()", "CrossEntropyLoss()"),
    ("torch.full((2,), 0.5)", "full((2,), 0.5)"),
]
LEFT = ["torch.einsum('ij,jk->ik', x, y)", "nn.CTCLoss()", "torch.matrix_exp(x)", "x.masked_fill_(m, 0.0)"]


@pytest.mark.parametrize(("old", "new"), EXPRESSIONS)
def test_a_call(old, new):
    result = rewrite(f"{IMPORTS}result = {old}\n", target="mindspore-cpu")
    assert result.left == []
    assert re.sub(r"\s+", " ", result.code.rpartition("result = ")[2]).strip() == new


@pytest.mark.parametrize("old", LEFT)
def test_what_has_no_kernel_is_left(old):
    result = rewrite(f"{IMPORTS}def f(x: torch.Tensor, y, m):\n    return {old}\n", target="mindspore-cpu")
    assert len(result.left) == 1
    assert re.search(r"MindSpore has no kernel of mindspore\.\S+ for CPUs", result.left[0].reason)
    assert rewrite(f"{IMPORTS}def f(x: torch.Tensor, y, m):\n    return {old}\n").left == []


def test_what_is_recorded():
    names = without_cpu_kernels()
    assert {"mindspore.mint.nn.Conv2d", "mindspore.ops.roll"} <= names
    assert names.isdisjoint({"mindspore.nn.Conv2d", "mindspore.ops.matmul", "mindspore.Tensor.reshape"})


def test_an_unknown_target():
    with pytest.raises(ValueError, match=r"'target' must be one of .* but got 'npu'"):
        rewrite("import torch", target="npu")
