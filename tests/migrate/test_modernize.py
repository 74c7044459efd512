"""Programs for earlier versions of MindSpore, rewritten to today's names and arguments."""

from __future__ import annotations

import pytest

from torchspore.migrate import modernize
from torchspore.migrate.code.command import main

IMPORTS = "import mindspore as ms\nfrom mindspore import nn, ops\nfrom mindspore.ops import operations as P\n"
WITHOUT_A_VERSION = [  # what today's MindSpore does not have
    ("ops.pack((x, y))", "ops.stack((x, y))"),
    ("P.pack((x, y))", "ops.stack((x, y))"),
    ("ops.tile(x, multiples=(2, 1))", "ops.tile(x, dims=(2, 1))"),
    ("ops.matmul(x1=a, x2=b.T)", "ops.matmul(input=a, other=b.T)"),
    ("ms.ms_function(f)", "ms.jit(f)"),
    ("nn.GumbelCDF()", "nn.probability.bijector.GumbelCDF()"),
    ("ops.split(x, axis=1, output_num=3)", "ops.Split(1, 3)(x)"),
    ("ops.norm(x, epsilon=1e-6, axis=k)", "ops.LpNorm(k, 2, False, 1e-6)(x)"),
    ("ops.conv2d(x, w, group=2)", "ops.conv2d(x, w, groups=2)"),
    ("ops.max(x, 1)", "ops.max(x, 1)"),  # which may be today's
    ("ops.relu(x)", "ops.relu(x)"),
]
OF_1_10 = [  # and what means something else today
    ("ops.max(x, axis=1)", "ops.ArgMaxWithValue(1, False)(x)"),
    ("ops.argmax(x)", "ops.Argmax(-1)(x)"),
    ("ops.argmax(x, 0, ms.int64)", "ops.Argmax(0, ms.int64)(x)"),
    ("ops.argmin(x)", "ops.argmin(x, axis=-1)"),
    ("ops.dropout(x, p=a + b)", "ops.Dropout(1 - (a + b), 0, 0)(x)"),
    ("ops.conv2d(x, w, 'pad', 1, 2)", "ops.conv2d(x, w, pad_mode='pad', padding=1, stride=2)"),
    ("ops.matmul(x, y)", "ops.matmul(x, y)"),
    ("nn.Dense(2, 3)", "nn.Dense(2, 3, weight_init='normal', bias_init='zeros')"),
    ("nn.Dense(2, 3, 'ones')", "nn.Dense(2, 3, 'ones', bias_init='zeros')"),
    ("nn.Dropout(0.9)", "nn.Dropout(p=1 - 0.9)"),
    ("nn.AvgPool2d(2, 2, 'same', 'NCHW')", "nn.AvgPool2d(2, 2, 'same', data_format='NCHW')"),
    ("nn.BCELoss(w)", "nn.BCELoss(w, reduction='none')"),
]
LEFT = [
    ("P.ResizeBilinear((3, 3))", "MindSpore 2.10 has no mindspore.ops.ResizeBilinear; use ops.ResizeBilinearV2"),
    ("nn.NoSuchLayer()", "MindSpore 2.10 has no mindspore.nn.NoSuchLayer"),
    ("ops.interpolate(x, sizes=(2, 2))", "computed something else; use mindspore.ops.interpolate with size"),
    ("ops.split(output_num=2, *x)", "the arguments behind * may be those of another version"),
]


def rewritten(expression, version=None):
    result = modernize(f"{IMPORTS}result = {expression}\n", version)
    return result.code.rpartition("result = ")[2].rstrip(), result


@pytest.mark.parametrize(
    ("version", "old", "new"),
    [(None, *case) for case in WITHOUT_A_VERSION] + [("1.10", *case) for case in [*WITHOUT_A_VERSION[:9], *OF_1_10]],
)
def test_a_call(version, old, new):
    found, result = rewritten(old, version)
    assert found == new
    assert result.left == []
    assert result.converted == (old != new)


@pytest.mark.parametrize(("old", "reason"), LEFT)
def test_what_is_left(old, reason):
    found, result = rewritten(old)
    assert found == old
    assert [each.line for each in result.left] == [4]
    assert reason in result.left[0].reason


def test_a_module_with_its_imports():
    source = '''"""A module."""
import mindspore.dataset.vision.c_transforms as C
from mindspore import Tensor, context, ms_function  # what it needs
from mindspore.nn import Dense
from mindspore.ops.operations import TensorAdd

resize = C.Resize((2, 2))
again = ms_function


class Net:
    def __init__(self, layer=Dense):
        self.add = TensorAdd()  # which is still there
'''
    expected = '''"""A module."""
import mindspore as ms
from mindspore.dataset import vision
from mindspore import Tensor, context  # what it needs
from mindspore.nn import Dense
from mindspore.ops.operations import TensorAdd

resize = vision.Resize((2, 2))
again = ms.jit


class Net:
    def __init__(self, layer=Dense):
        self.add = TensorAdd()  # which is still there
'''
    assert modernize(source).code == expected


def test_wrong_arguments():
    with pytest.raises(ValueError, match="A version of MindSpore is written as in"):
        modernize("import mindspore", "one")
    with pytest.raises(ValueError, match="For 'modernize', the source is not valid Python: line 1"):
        modernize("import mindspore as")
    with pytest.raises(TypeError, match="For 'modernize', the argument 'source' must be a str"):
        modernize(None)


def test_the_command(tmp_path, capsys):
    path = tmp_path / "old.py"
    path.write_text(f"{IMPORTS}y = ops.max(x, 1)\n")
    assert main("modernize", [str(path), "--mindspore", "1.10", "--in-place"]) == 0
    assert path.read_text().endswith("y = ops.ArgMaxWithValue(1, False)(x)\n")
    assert "1 places converted, 0 left" in capsys.readouterr().err
