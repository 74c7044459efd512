"""Every name that a module of MindSpore has can be imported; what TorchSpore lacks refuses to be used."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from torchspore import log

PROCESS = """
import importlib, json, sys, warnings
warnings.simplefilter("error")
import torchspore.as_mindspore
import mindspore
from torchspore import mindspore_names

def outcome(code):
    names = {}
    try:
        *lines, last = code.split("; ")
        exec("\\n".join(lines), names)
        return repr(eval(last, names))
    except Exception as error:
        return f"{type(error).__name__}: {error}"

def absent():
    for path, groups in mindspore_names._modules().items():
        module = importlib.import_module(f"mindspore.{path}".rstrip("."))
        names = [*groups.get("=", ()), *mindspore_names._origins(path)]
        yield from (f"{path}.{name}" for name in names if not hasattr(module, name))

print(json.dumps([*map(outcome, json.load(sys.stdin)), list(absent())]))
"""

_REFUSAL = "NotImplementedError: For 'mindspore."
CASES = [
    ("from mindspore.ops.operations import _grad_ops; _grad_ops.__name__", "'mindspore.ops.operations._grad_ops'"),
    ("from mindspore.ops.operations.nn_ops import Conv2D; Conv2D.__name__", "'Conv2D'"),
    ("from mindspore.ops.function.array_func import Tensor; Tensor.__module__", "'torchspore.common.tensor'"),
    ("from mindspore.dataset import MindDataset, GeneratorDataset; GeneratorDataset.__name__", "'GeneratorDataset'"),
    ("import mindspore.dataset as ds; ds.MindDataset('file')", _REFUSAL),
    ("import mindspore as ms; ms.mindrecord.FileWriter('file')", _REFUSAL),
    ("from mindspore.mindrecord import *; FileWriter('file')", _REFUSAL),
    ("from mindspore.mindrecord import FileWriter\nclass Own(FileWriter): pass; Own('file')", _REFUSAL),
    ("from mindspore.mindrecord import FileWriter; isinstance(1, FileWriter)", "False"),
    ("from mindspore.mindrecord import FileWriter, FileWriter as other; FileWriter is other", "True"),
    ("from mindspore import mindrecord; mindrecord.FileWriter is mindrecord.filewriter.FileWriter", "True"),
    ("from mindspore._c_expression import GradOperation_; GradOperation_()", _REFUSAL),
    (
        "import mindspore as ms; x = ms._c_expression.pyboost_empty([[2, 3], ms.int32, None]); x.shape, x.dtype.name",
        "((2, 3), 'int32')",
    ),
    ("from mindspore._c_expression import MSContext as C; C.get_instance().get_ascend_soc_version()", "''"),
    (
        "from mindspore._c_expression import MSContext, ms_ctx_param as p; MSContext.get_instance().get_param(p.mode)",
        "1",
    ),
    ("from mindspore._c_expression import TensorPy, Cell_; import mindspore as ms; TensorPy is ms.Tensor", "True"),
    ("from mindspore._c_expression.typing import Float; import mindspore as ms; isinstance(ms.float16, Float)", "True"),
    ("from mindspore.multiprocessing import Process, Queue, _MsProcess; Process is _MsProcess", "True"),
    (
        "from mindspore.communication._comm_helper import _is_initialized as f, Backend; [f(), Backend('NCCL')]",
        "[False, 'nccl']",
    ),
    ("from mindspore.communication._comm_helper import check_parameter_available as c; c(lambda: 1)()", "RuntimeError"),
    (
        "from mindspore.parallel._utils import _get_pipeline_stages as f, _is_in_auto_parallel_mode as g; f(), g()",
        "(1, False)",
    ),
    ("from mindspore.parallel._utils import _device_number_check; _device_number_check('stand_alone', 2)", "ValueErr"),
    (
        "from mindspore.parallel._auto_parallel_context import auto_parallel_context as c; c().get_device_num_is_set()",
        "False",
    ),
    ("from mindspore.parallel._auto_parallel_context import auto_parallel_context as c; c().get_loss()", "AttributeE"),
    (
        "from mindspore.parallel._auto_parallel_context import auto_parallel_context as c; "
        "c().set_gradients_mean(True); c().get_gradients_mean_is_set(), c().get_gradients_mean(), c().reset()",
        "(True, True, None)",
    ),
    (
        "from mindspore.parallel._cost_model_context import _set_multi_subgraphs as f, _get_multi_subgraphs as g; "
        "f(); g()",
        "True",
    ),
    ("from mindspore.common.file_system import FileSystem; FileSystem().create_args", "('ab',)"),
    (
        "from mindspore.common._utils import is_shape_unknown as f, is_dim_unknown as g; f((2, -1)), g((2, -1))",
        "(True, False)",
    ),
    ("from mindspore.graph._parse.standard_method import H; H(1)", _REFUSAL),
    ("from mindspore.common.dynamic_shape.auto_dynamic_shape import SHAPE_DIM_ANY; SHAPE_DIM_ANY", "-1"),
    ("import mindspore.rewrite.ast_helpers; mindspore.rewrite.ast_helpers.__name__", "'mindspore.rewrite.ast_helpers'"),
    ("import mindspore; mindspore.mindrecord.FileWrite", "AttributeError: module 'mindspore.mindrecord' has no attr"),
    ("import mindspore; mindspore.nn.Dens", "AttributeError: module 'torchspore.nn' has no attribute 'Dens'. Did you"),
    ("from mindspore.nn import Dens; Dens", "ImportError: cannot import name 'Dens' from 'torchspore.nn'"),
    ("import mindspore.mindrecord.nope; mindspore", "ModuleNotFoundError: TorchSpore has no counterpart of 'mindspore"),
]


def test_warnings_once(capsys: pytest.CaptureFixture[str]) -> None:
    for key in ("a", "a", "b"):

        @log._LogActionOnce(log, key=key)
        def answer() -> int:
            log.warning("seen by %s", answer.__name__)
            return 3

        assert answer() + answer() == 6
    assert capsys.readouterr().err.count("seen by answer") == 2
    log._LogActionOnce(log, "c", no_warning=True)(log.warning)("never")
    log.warning("always")
    assert "never" not in capsys.readouterr().err


@pytest.fixture(scope="module")
def outcomes() -> list[str]:
    codes = json.dumps([code for code, _ in CASES])
    done = subprocess.run([sys.executable, "-c", PROCESS], input=codes, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize(("number", "code", "expected"), [(number, *case) for number, case in enumerate(CASES)])
def test_name(outcomes: list[str], number: int, code: str, expected: str) -> None:
    assert outcomes[number].startswith(expected)


def test_every_recorded_name_is_there(outcomes: list[str]) -> None:
    assert outcomes[-1] == []
