"""Snippets before and after rewriting."""

from __future__ import annotations

import sys
from typing import Any

import pytest
import torch

import torchspore as ms
from torchspore.migrate import rewrite

HEAD = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"

# PyTorch, MindSpore with mint, MindSpore without it (None: the same)
EXPRESSIONS = [
    ("nn.Linear(2, 3, bias=False)", "mint.nn.Linear(2, 3, bias=False)", "nn.Dense(2, 3, has_bias=False)"),
    ("nn.Conv2d(1, 2, 3)", "mint.nn.Conv2d(1, 2, 3)", "nn.Conv2d(1, 2, 3, pad_mode='pad', has_bias=True)"),
    ("nn.BatchNorm2d(4, momentum=0.01)", "mint.nn.BatchNorm2d(4, momentum=0.01).set_train()",
     "nn.BatchNorm2d(4, momentum=0.99).set_train()"),
    ("nn.MaxPool2d(3)", "mint.nn.MaxPool2d(3)", "nn.MaxPool2d(3, pad_mode='pad', stride=3)"),
    ("nn.ReLU(inplace=True)", "mint.nn.ReLU()", "nn.ReLU()"),
    ("nn.Sequential(nn.Tanh())", "nn.SequentialCell(mint.nn.Tanh())", "nn.SequentialCell(nn.Tanh())"),
    ("F.relu(torch.zeros(2))", "F.relu(mint.zeros(2))", "ops.relu(ops.zeros(2))"),
    ("torch.cat([a, b], dim=1)", "mint.cat([a, b], dim=1)", "ops.cat([a, b], axis=1)"),
    ("torch.ones(2, 3, device='cuda')", "mint.ones((2, 3))", "ops.ones((2, 3))"),
    ("torch.float32", "ms.float32", "ms.float32"),
    ("nn.init._calculate_fan_in_and_fan_out(torch.zeros(3, 4))",
     "initializer._calculate_fan_in_and_fan_out(mint.zeros((3, 4)).shape)",
     "initializer._calculate_fan_in_and_fan_out(ops.zeros((3, 4)).shape)"),
    ("torch.LongTensor([1, 2])", "ms.Tensor([1, 2], ms.int64)", "ms.Tensor([1, 2], ms.int64)"),
    ("torch.LongTensor(range(4))", "ms.Tensor(list(range(4)), ms.int64)", "ms.Tensor(list(range(4)), ms.int64)"),
    ("torch.Tensor(2, 3)", "mint.empty((2, 3), dtype=ms.float32)", "mint.empty((2, 3), dtype=ms.float32)"),
    ("torch.tensor([1]).long().size(0)", "ms.tensor([1]).long().shape[0]", "ms.tensor([1]).long().shape[0]"),
    ("torch.einsum('i,i', (a, *b))", "mint.einsum('i,i', a, *b)", "mint.einsum('i,i', a, *b)"),
    ("torch.einsum('i->', [a])", "mint.einsum('i->', a)", "mint.einsum('i->', a)"),
    ("torch.zeros(6).view(size)", "mint.zeros(6).view(size)", "ops.zeros(6).view(size)"),
    ("torch.zeros(6).view(torch.int32)", "mint.zeros(6).view(ms.int32)", "ops.zeros(6).view(ms.int32)"),
    ("torch.zeros(6).repeat(sizes)", "mint.zeros(6).repeat(sizes)", "ops.zeros(6).repeat(sizes)"),
    ("torch.utils.checkpoint.checkpoint(f, a, *b, use_reentrant=False)",
     "ms.recompute(f, a, *b, use_reentrant=False)",
     "ms.recompute(f, a, *b, use_reentrant=False)"),
    ("torch.nn.init.normal_(torch.zeros(3))",
     "initializer.initializer(initializer.Normal(1.0, 0.0), mint.zeros(3).shape, mint.zeros(3).dtype).init_data()",
     "initializer.initializer(initializer.Normal(1.0, 0.0), ops.zeros(3).shape, ops.zeros(3).dtype).init_data()"),
    ("[p.requires_grad_(False) for p in net.parameters()]", "[p.requires_grad_(False) for p in net.get_parameters()]",
     "[p.requires_grad_(False) for p in net.get_parameters()]"),
    ("torch.rand(2).detach().cpu().numpy()", "mint.rand(2).asnumpy()", "ops.rand(2).asnumpy()"),
]  # fmt: skip


@pytest.mark.parametrize(("api", "column"), [("mint", 1), ("classic", 2)])
@pytest.mark.parametrize("row", EXPRESSIONS, ids=[row[0] for row in EXPRESSIONS])
def test_an_expression(row: tuple[str, str, str], api: Any, column: int) -> None:
    result = rewrite(f"{HEAD}\nvalue = {row[0]}  # why\n", api=api)
    assert not result.left
    assert result.code.splitlines()[-1] == f"value = {row[column]}  # why"
    assert "torch" not in result.code


# Lines of a network's constructor, and what they become.
MEMBERS = [
    (
        "self.a = nn.ModuleList(nn.ReLU() for _ in range(2))",
        ["self.a = nn.CellList([mint.nn.ReLU() for _ in range(2)])"],
    ),
    ("self.w = nn.Parameter(data=torch.zeros(2))", ["self.w = ms.Parameter(default_input=mint.zeros(2))"]),
    ("act = nn.ReLU\n        self.c = act(inplace=True)", ["act = mint.nn.ReLU", "self.c = act()"]),
    ("act = nn.Hardtanh\n        self.c = act(0, inplace=True)", ["act = mint.nn.Hardtanh", "self.c = act(0)"]),
    ("act = nn.Hardtanh\n        self.c = act(0, inplace=k, max_val=1)", ["self.c = act(0, inplace=k, max_val=1)"]),
    ("frame = {}\n        frame.drop(1, inplace=True)", ["frame.drop(1, inplace=True)"]),
    ("n = len(self._modules)", ["n = len(self._cells)"]),
    ("self.add_module('b', nn.ReLU())", ["setattr(self, 'b', mint.nn.ReLU())"]),
    (
        "e = nn.Sequential()\n        e.add_module('f', nn.ReLU())",
        ["e = nn.SequentialCell()", "setattr(e, 'f', mint.nn.ReLU())", "e.cell_list = list(e.cells())"],
    ),
]


@pytest.mark.parametrize(("lines", "expected"), MEMBERS, ids=[row[0] for row in MEMBERS])
def test_members_of_a_network(lines: str, expected: list[str]) -> None:
    head = f"{HEAD}\nclass Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    result = rewrite(f"{head}        {lines}\n")
    assert not result.left
    assert [line.strip() for line in result.code.splitlines()][-len(expected) :] == expected


# What stays as it is, with a word of the reason.
LEFT = [
    ("from torch import *\nrelu(x)", "star import"),
    ("from .layers import *\nact = F.relu", "'F' may come from a star import"),
    ("from .layers import *\nact = nn.ReLU()", "'nn' may come from a star import"),
    ("import torch\ntorch.no_such_function(1)", "not in the table"),
    ("import torch\nx = torch.zeros(2)\nx.sum().backward()", "value_and_grad"),
    ("import torch\ntorch.save({'a': 1}, 'x')", "save_checkpoint"),
    ("import torch\nprint(torch)", "not in the table"),
    ("import torch\ndef f(x):\n    return torch.LongTensor(x)", "sizes or values"),
    ("import torch.nn as nn\nc = nn.Sequential(); c.add_module('d', nn.ReLU())", "one statement a line"),
]


@pytest.mark.parametrize(("source", "reason"), LEFT, ids=[row[0] for row in LEFT])
def test_what_is_left_is_listed(source: str, reason: str) -> None:
    result = rewrite(source)
    assert [left for left in result.left if reason in left.reason]
    assert all(left.text == source.splitlines()[left.line - 1].strip() for left in result.left)


# Sources without anything of torch, or where its names mean something else.
UNCHANGED = [
    "",
    "from .layers import *\nnn = 1\nprint(nn, f.F, g(F=2))\n",
    "x = 1\n",
    "# torch\r\nx = [\r\n\t1,  # one\r\n]\r\n",
    "def f(nn, F, torch):\n    return nn.Linear(F.relu(torch.zeros(1)))\n",
    "import torch_like as torch\ntorch.zeros(2)\n",
    "text = 'import torch'  # \N{GREEK SMALL LETTER ALPHA}\n",
]


@pytest.mark.parametrize("source", UNCHANGED)
def test_other_code_is_unchanged(source: str) -> None:
    result = rewrite(source)
    assert result.code == source
    assert not result.left


def test_formatting_stays() -> None:
    source = (
        '#!/usr/bin/env python\n"""A net."""\nfrom torch import nn  # layers\n\n\nclass Net( nn.Module ):\n'
        "\tdef forward(self, x ,y=( 1,2 ) ) :   # odd\n\t\treturn  x [ 0 ] ;  # end\n\n# last"
    )
    expected = (
        source.replace("from torch import nn", "from mindspore import nn")
        .replace("nn.Module", "nn.Cell")
        .replace("forward", "construct")
    )
    assert rewrite(source).code == expected


def test_line_ends_stay() -> None:
    source = "import torch\r\nx = torch.zeros(2)\r\n"
    assert rewrite(source).code == "from mindspore import mint\r\nx = mint.zeros(2)\r\n"


def test_a_shadowed_name_is_not_an_import() -> None:
    source = "import torch.nn as nn\n\n\ndef f():\n    nn = 1\n    return nn.Linear\n\n\nlayer = nn.Tanh()\n"
    result = rewrite(source)
    assert "    return nn.Linear\n" in result.code
    assert "layer = mint.nn.Tanh()" in result.code


def test_a_name_of_the_program_is_not_taken() -> None:
    code = rewrite("import torch\n\nmint = 1\nx = torch.zeros(mint)\n").code
    assert "from mindspore import mint as ms_mint" in code
    assert "x = ms_mint.zeros(mint)" in code


@pytest.mark.parametrize(
    "source", ["import torch\nx = (", "import torch\n  x = 1\n", "import torch\nx = " + "(" * 5000]
)
def test_bad_sources_are_refused(source: str) -> None:
    with pytest.raises(ValueError, match="For 'rewrite', the source is"):
        rewrite(source)


@pytest.mark.parametrize(("arguments", "error"), [({"api": "other"}, ValueError), ({"source": b"x"}, TypeError)])
def test_bad_arguments_are_refused(arguments: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error, match="For 'rewrite', the argument"):
        rewrite(**{"source": "", **arguments})


# What programs say to PyTorch's compilers, and names by which only PyTorch's own modules go.
SCAFFOLDING = [
    ("a = torch.jit.is_scripting() or torch.compiler.is_compiling()", "a = False or False"),
    ("a = hasattr(F, 'relu'), hasattr(torch, 'no_such_function')", "a = True, False"),
    ("a: torch.jit.Final[bool] = True", "a: typing.Final[bool] = True"),
    ("def f(a: torch.dtype, b: torch.Size): pass", "def f(a: ms.Type, b: tuple): pass"),
    ("a = torch.Size((2, 3))", "a = tuple((2, 3))"),
    ("a = torch.pi", "a = math.pi"),
    ("with torch.autocast('cuda', enabled=False):\n    a = torch.pi", "a = math.pi"),
    ("with torch.backends.cudnn.flags(), open(a): b = 1", "with contextlib.nullcontext(), open(a): b = 1"),
    ("dd = {'device': device, 'dtype': dtype}", "dd = {'dtype': dtype}"),
    ("a = nn.modules.batchnorm.BatchNorm2d, nn.parameter.Parameter", "a = mint.nn.BatchNorm2d, ms.Parameter"),
    ("a = torch.optim.adamw.AdamW", "a = mint.optim.AdamW"),
    ("a = torch.zeros(2, 2).mean(axis=0, keepdims=True)", "a = mint.zeros((2, 2)).mean(dim=0, keepdim=True)"),
    ("a = torch.zeros(2, 2).max(dim=1).values", "a = mint.zeros((2, 2)).max(dim=1)[0]"),
    ("a = torch.zeros(2, 2).clone(memory_format=torch.channels_last)", "a = mint.zeros((2, 2)).clone()"),
    ("@torch.jit.ignore\n@torch.fx.wrap\n@torch.jit.unused()\ndef f(): pass", "def f(): pass"),
]


@pytest.mark.parametrize(("before", "after"), SCAFFOLDING)
def test_what_only_its_own_compilers_read_goes(before: str, after: str) -> None:
    result = rewrite(f"{HEAD}\n{before}\n")
    assert not result.left
    assert result.code.splitlines()[-1] == after
    assert "torch" not in result.code


def test_a_name_that_is_imported_for_other_modules_stays() -> None:
    source = "try:\n    from torch import _assert\nexcept ImportError:\n    def _assert(a, b): pass\n"
    assert rewrite(source).code == source


def test_children_behind_a_star_are_added() -> None:
    head = f"{HEAD}\nclass Net(nn.Module):\n    def __init__(self, stage):\n        super().__init__()\n"
    result = rewrite(f"{head}        self.add_module(*stage)\n")
    assert not result.left
    assert result.code.splitlines()[-1].strip() == "setattr(self, *stage)"


ATTENTION = ["is_causal=True", "scale=0.7", "attn_mask=None, dropout_p=0.0", "attn_mask=m + 1", "attn_mask=m > 0"]


@pytest.mark.parametrize("arguments", ATTENTION)
def test_attention_takes_all_arguments(arguments: str) -> None:
    source = f"{HEAD}\ndef f(q, k, v, m):\n    return F.scaled_dot_product_attention(q, k, v, {arguments})\n"
    result = rewrite(source)
    assert not result.left
    theirs: dict[str, Any] = {}
    names: dict[str, Any] = {}
    exec(source, theirs)
    exec(result.code.replace("mindspore", "torchspore"), names)
    values = [*torch.linspace(-1, 1, 72).reshape(3, 2, 3, 4), torch.eye(3) + torch.linspace(-1, 1, 9).reshape(3, 3)]
    found = names["f"](*map(ms.Tensor, values))
    torch.testing.assert_close(found.torch.cpu(), theirs["f"](*values))


def test_a_function_that_the_program_imports_is_defined_once() -> None:
    head = "from torch.nn.functional import rms_norm\n\n\ndef f(x, w):\n"
    code = rewrite(f"{head}    return rms_norm(x, (4,), w) + rms_norm(x, (4,))\n").code
    assert code.count("def rms_norm") == 1
    assert "torch" not in code
    names: dict[str, Any] = {}
    exec(code.replace("mindspore", "torchspore"), names)
    x, w = torch.linspace(-2, 2, 8).reshape(2, 4), torch.linspace(0.5, 1, 4)
    expected = torch.nn.functional.rms_norm(x, (4,), w) + torch.nn.functional.rms_norm(x, (4,))
    torch.testing.assert_close(names["f"](ms.Tensor(x), ms.Tensor(w)).torch.cpu(), expected)


# Definitions and a function of a tensor of floats; its values and gradients must be equal on both sides.
PROGRAMS = {
    "limits": """
def f(x):
    floats = [torch.finfo(t) for t in (torch.float16, torch.bfloat16, torch.float32, torch.float64)]
    ints = [torch.iinfo(t) for t in (torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64)]
    limits = [[i.bits, i.eps, i.max, i.min, i.tiny] for i in floats] + [[i.bits, i.max, i.min] for i in ints]
    return x.masked_fill(x < 0, torch.finfo(x.dtype).min) * sum(hash(str(each)) % 97 for each in limits[4:])
""",
    "an autograd function": """
from torch.autograd.function import once_differentiable

class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.save_for_backward(x)
        ctx.scale = scale
        return x * x

    @staticmethod
    @once_differentiable
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * ctx.scale * x, None

def f(x):
    return Square.apply(x * 2, 7)
""",
    "a function that sets up its context": """
class Square(torch.autograd.Function):
    @staticmethod
    def forward(x, scale):
        return x * x

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, ctx.scale = inputs
        ctx.save_for_backward(x, output)

    @staticmethod
    def backward(ctx, g):
        x, output = ctx.saved_tensors
        return g * ctx.scale * x + output, None

def f(x):
    return Square.apply(x * 2, 7)
""",
    "a view by strides": """
def f(x):
    return torch.as_strided(x[1:], (2, 2), (1, 2)) * x.as_strided((2, 1), (1, 1))
""",
    "the gradient of a softmax": """
def f(x):
    return torch._softmax_backward_data(x * 2, x.softmax(-1), -1, x.dtype)
""",
    "weight norm": """
def f(x):
    results = 0.0
    for dim in (0, 1, None):
        torch.manual_seed(0)
        net = nn.utils.parametrizations.weight_norm(nn.Linear(3, 2), dim=dim)
        with torch.no_grad():
            for i, (_, weight) in enumerate(sorted(net.named_parameters())):
                weight.copy_(torch.arange(1.0, weight.numel() + 1).reshape(weight.shape) + i)
        results = results + net(x.view(2, 3))
    return results
""",
    "sizes of a buffer": """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("places", torch.arange(6.0).reshape(2, 3))
        self.register_buffer("zeros", torch.zeros(self.places.size()))

    def forward(self, x):
        def back(states):
            return states.transpose(0, 1).contiguous().view(-1)

        return back((self.places + self.zeros).view(3, 2)) * x

def f(x):
    return Net()(x)
""",
}


@pytest.mark.parametrize("source", PROGRAMS.values(), ids=PROGRAMS)
def test_a_program_computes_the_same(source: str) -> None:
    result = rewrite(HEAD + source)
    assert not result.left
    theirs: dict[str, Any] = {"__name__": "theirs"}
    ours: dict[str, Any] = {"__name__": "ours"}
    exec(HEAD + source, theirs)
    code = result.code.replace("mindspore", "torchspore")
    exec(code.replace("common._grad_function", "engine.gradients.custom"), ours)
    x = torch.linspace(-1, 2, 6).requires_grad_()
    expected = theirs["f"](x)
    value, gradient = ms.value_and_grad(lambda x: ours["f"](x).sum())(ms.Tensor(x.detach()))
    torch.testing.assert_close(value.torch.cpu(), expected.detach().sum())
    torch.testing.assert_close(gradient.torch.cpu(), torch.autograd.grad(expected.sum(), x)[0])


def test_a_missing_libcst_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "libcst", None)
    with pytest.raises(ImportError, match=r"pip install torchspore\[migrate\]"):
        rewrite("import torch\n")


@pytest.mark.parametrize("mask", [torch.ones(3, 3).tril().bool(), torch.linspace(-1, 1, 9).reshape(3, 3)])
def test_attention_takes_masks_of_bools_and_floats(mask: torch.Tensor) -> None:
    code = rewrite(
        f"{HEAD}\ndef f(q, k, v, m):\n    return F.scaled_dot_product_attention(q, k, v, attn_mask=m)\n"
    ).code
    names: dict[str, Any] = {}
    exec(code.replace("mindspore", "torchspore"), names)
    q, k, v = torch.linspace(-1, 1, 72).reshape(3, 2, 3, 4)
    expected = torch.nn.functional.scaled_dot_product_attention(q, k, v, mask)
    found = names["f"](*[ms.Tensor(each) for each in (q, k, v, mask)])
    torch.testing.assert_close(found.torch.cpu(), expected)
