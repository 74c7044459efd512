"""`import mindspore` answered by TorchSpore: one process imports a table of things, each row is a test."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import preloaded

# A package for which every rule of the finder can be tested, whatever TorchSpore contains: it is put beside
# TorchSpore's modules, and modules of MindSpore for which they stand.
DOUBLES = {
    "__init__.py": "from torchspore.doubles.tensor import Tensor, grad, tensor",
    "tensor.py": "class Tensor: ...\ndef tensor(): return 'function'\ndef grad(): return 'function'",
    "later.py": "loaded = True",
    "broken/__init__.py": "raise ModuleNotFoundError(\"No module named 'torch'\", name='torch')",
    "broken/within.py": "",
    "broken_within.py": "import torchspore.doubles.forgotten",
    "inner/__init__.py": "",
    "inner/deep.py": "name = 'deep'",
}
COUNTERPARTS = {
    "doubles.operations": "doubles",
    "doubles.operations.nn_ops": "doubles",
    "doubles.operations.grad": "doubles.tensor",
    "doubles.old_name": "doubles.later",
    "doubles.planned": "doubles.not_written",
    "doubles.elsewhere": "doubles.broken.within",
    "doubles.single.management": "doubles.later",
    "doubles.single": "doubles.inner.deep",
}

PROCESS = """
import importlib, importlib.util, json, pickle, sys
import torchspore
job = json.load(sys.stdin)
before = set(sys.modules)
import torchspore.as_mindspore as bridge
added = {name for name in set(sys.modules) - before if name.partition(".")[0] not in sys.stdlib_module_names}
torchspore.__path__.append(job["doubles"])
table = dict(bridge.COUNTERPARTS)
bridge.COUNTERPARTS.update(job["counterparts"])
own_specs = {name: module.__spec__ for name, module in sys.modules.items() if name.startswith("torchspore")}

def outcome(code, expression):
    names = dict(globals())
    try:
        exec(code, names)
        return repr(eval(expression, names))
    except Exception as error:
        return f"{type(error).__name__}: {error}"

print(json.dumps([outcome(*case) for case in job["cases"]]))
"""

CHECK_TABLE = """
import inspect
wrong = []
for name in {path.partition('.')[0] for path in table.values()}:
    if importlib.util.find_spec(f'torchspore.{name}') is not None:
        importlib.import_module(f'torchspore.{name}')
names_before = {name: dict(vars(module)) for name, module in sys.modules.items() if name.startswith('torchspore')}
for path, ours in table.items():
    try:
        module = importlib.import_module(f'mindspore.{path}')
    except ModuleNotFoundError as error:
        if "TorchSpore has no counterpart of 'mindspore." not in str(error):
            wrong.append((path, str(error)))
    else:
        if module is not sys.modules[f'torchspore.{ours}']:
            wrong.append((path, module.__name__))
wrong += [
    (name, child)
    for name, names in names_before.items()
    for child, value in names.items()
    if not inspect.ismodule(value) and inspect.ismodule(vars(sys.modules[name])[child])
]
"""

CASES = [
    # code, an expression after it, its value or the error
    (
        "",
        "sorted(added)",
        "['torchspore.as_mindspore', 'torchspore.earlier', 'torchspore.earlier.forms', 'torchspore.mindspore_names']",
    ),
    ("import mindspore", "mindspore is torchspore", "True"),
    (
        "import mindspore as ms",
        "ms.__name__, ms.__spec__.name, ms.__version__",
        "('torchspore', 'torchspore', '2.10.0')",
    ),
    (
        "import mindspore.ops, mindspore.nn.layer",
        "mindspore.nn is torchspore.nn and mindspore.ops is torchspore.ops",
        "True",
    ),
    (
        "import mindspore.nn.layer as layer",
        "layer.__name__, layer.__spec__.name",
        "('torchspore.nn.layer', 'torchspore.nn.layer')",
    ),
    ("from mindspore import nn, ops", "nn is torchspore.nn and ops is torchspore.ops", "True"),
    ("from mindspore.common import dtype as mstype", "mstype is torchspore.common.dtype", "True"),
    ("from mindspore.common.dtype import float32", "float32 is torchspore.common.dtype.float32", "True"),
    ("from mindspore.common import mutable, JitConfig", "mutable is torchspore.mutable", "True"),
    ("from mindspore.common.mutable import mutable", "mutable is torchspore.mutable", "True"),
    ("import mindspore", "mindspore.common.JitConfig is torchspore.JitConfig", "True"),
    ("from mindspore.dtype import TensorType", "TensorType is torchspore.common.dtype.TensorType", "True"),
    ("from mindspore._c_expression import typing", "typing.Float is torchspore.common.dtype.Float", "True"),
    (
        "from mindspore.ops import operations as P, functional as F",
        "P is torchspore.ops and F is torchspore.ops",
        "True",
    ),
    ("import mindspore.ops.operations.nn_ops as nn_ops", "nn_ops is torchspore.ops", "True"),
    ("from mindspore.ops import composite as C", "C is torchspore.ops", "True"),  # we have a module of that name, too
    ("import mindspore.ops.composite as C", "C.GradOperation is torchspore.ops.GradOperation", "True"),
    ("from mindspore.version import __version__ as version", "version", "'2.10.0'"),
    ("import importlib.metadata", "importlib.metadata.version('mindspore')", "'2.10.0'"),
    (
        "names = [found.name for found in importlib.metadata.distributions()]",
        "names.count('mindspore'), 'torch' in names",
        "(1, True)",
    ),
    ("from mindspore.mint import Tensor", "Tensor is torchspore.Tensor", "True"),
    (
        "import mindspore",
        "mindspore.ops.operations.nn_ops is mindspore.ops.function.math_func is torchspore.ops",
        "True",
    ),
    ("import importlib.util", "importlib.util.find_spec('mindspore').origin == torchspore.__file__", "True"),
    ("", "importlib.util.find_spec('mindspore.nn.layer.basic') is torchspore.nn.__spec__", "True"),
    ("", "pickle.loads(b'cmindspore.common.dtype\\nfloat32\\n.') is torchspore.common.dtype.float32", "True"),
    # importing it again, or the root after somebody has dropped it
    ("finders = list(sys.meta_path); import torchspore.as_mindspore", "sys.meta_path == finders", "True"),
    ("del sys.modules['mindspore']; import mindspore", "mindspore is torchspore", "True"),
    # a package with a function named like the module that defines it
    ("from mindspore.doubles import tensor", "tensor()", "'function'"),
    (
        "import mindspore.doubles.tensor",
        "mindspore.doubles.tensor(), torchspore.doubles.tensor()",
        "('function', 'function')",
    ),
    ("from mindspore.doubles.tensor import Tensor", "Tensor is torchspore.doubles.Tensor", "True"),
    ("", "sys.modules['mindspore.doubles.tensor'] is sys.modules['torchspore.doubles.tensor']", "True"),
    ("import mindspore.doubles.operations.grad", "torchspore.doubles.grad()", "'function'"),
    ("from mindspore.doubles.operations.grad import Tensor", "Tensor is torchspore.doubles.Tensor", "True"),
    # modules that are loaded on first use
    ("import mindspore.doubles", "'torchspore.doubles.later' in sys.modules", "False"),
    (
        "import mindspore.doubles.old_name as old_name",
        "old_name.loaded, old_name.__name__",
        "(True, 'torchspore.doubles.later')",
    ),
    ("from mindspore.doubles import later", "later is sys.modules['torchspore.doubles.later']", "True"),
    ("from mindspore.doubles.inner.deep import name", "name", "'deep'"),
    ("import mindspore.doubles.single.management as module", "module.__name__", "'torchspore.doubles.later'"),
    # what is missing
    ("import mindspore.nope", "", "ModuleNotFoundError: TorchSpore has no counterpart of 'mindspore.nope' yet."),
    ("import mindspore.nope.deep", "", "ModuleNotFoundError: TorchSpore has no counterpart of 'mindspore.nope' yet."),
    (
        "from mindspore.nn.nope import Dense",
        "",
        "ModuleNotFoundError: TorchSpore has no counterpart of 'mindspore.nn.nope' yet.",
    ),
    (
        "import mindspore.doubles.planned",
        "",
        "ModuleNotFoundError: TorchSpore has no counterpart of 'mindspore.doubles.planned' yet.",
    ),
    (
        "import mindspore.comon.dtype",
        "",
        "ModuleNotFoundError: TorchSpore has no counterpart of 'mindspore.comon' yet. Did you mean 'mindspore.common'?",
    ),
    (
        "try: import mindspore.nn.nope\nexcept ModuleNotFoundError as error: name = error.name",
        "name",
        "'mindspore.nn.nope'",
    ),
    ("import mindspore.doubles.broken", "", "ModuleNotFoundError: No module named 'torch'"),
    ("import mindspore.doubles.elsewhere", "", "ModuleNotFoundError: No module named 'torch'"),
    (
        "import mindspore.doubles.broken_within",
        "",
        "ModuleNotFoundError: No module named 'torchspore.doubles.forgotten'",
    ),
    ("import mindspore", "mindspore.nope", "AttributeError: module 'torchspore' has no attribute 'nope'."),
    ("import mindspore_hub", "", "ModuleNotFoundError: No module named 'mindspore_hub'"),
    # the whole table: no path twice, and each against the modules that exist
    (
        "paths = [path for group in bridge._STANDS_FOR.values() for path in group.split()]",
        "[path for path in paths if paths.count(path) > 1]",
        "[]",
    ),
    (CHECK_TABLE, "wrong", "[]"),
    ("", "{name for name, spec in own_specs.items() if sys.modules[name].__spec__ is not spec}", "set()"),
]


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], str]:
    folder = tmp_path_factory.mktemp("beside_torchspore")
    for name, source in DOUBLES.items():
        file = folder / "doubles" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(source)
    cases = [(code, expression or "None") for code, expression, _ in CASES]
    job = {"doubles": str(folder), "counterparts": COUNTERPARTS, "cases": cases}
    found = json.loads(preloaded.output_of(PROCESS, text=json.dumps(job)))
    return dict(zip(((code, expression) for code, expression, _ in CASES), found, strict=True))


@pytest.mark.slow
@pytest.mark.parametrize(("code", "expression", "expected"), CASES)
def test_import(outcomes: dict[tuple[str, str], str], code: str, expression: str, expected: str) -> None:
    assert outcomes[code, expression] == expected


def test_mindspore_itself_came_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mindspore", ModuleType("mindspore"))
    monkeypatch.delitem(sys.modules, "torchspore.as_mindspore", raising=False)
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    finders = list(sys.meta_path)
    with pytest.raises(ImportError, match=r"Import 'torchspore\.as_mindspore' before the first 'import mindspore'"):
        importlib.import_module("torchspore.as_mindspore")
    assert sys.meta_path == finders


MODULES = (
    "communication.management", "dataset.engine.datasets", "dataset.vision.transforms", "dataset.text.utils",
    "nn.probability.distribution.normal", "ops.operations.nn_ops", "parallel.checkpoint_transform",
    "profiler.profiler", "rewrite.api.node", "train.callback", "train.loss_scale_manager", "train.amp",
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("first", ["", "mindspore.dataset", "mindspore.Tensor"])
def test_modules_are_attributes_without_their_import(first: str) -> None:
    """MindSpore loads its modules itself, so programs write `mindspore.dataset.engine.datasets` after one import."""
    program = f"""
import torchspore.as_mindspore, functools, types, mindspore
{first}
for path in {MODULES}:
    assert isinstance(functools.reduce(getattr, path.split("."), mindspore), types.ModuleType), path
"""
    preloaded.output_of(program)


STARTED = """
import multiprocessing, sys
import mindspore as ms
from mindspore import Tensor, nn

def tell(queue, tensor):
    import mindspore.ops as ops
    queue.put((type(nn.Dense(2, 2)).__module__, ops.ReLU()(tensor).asnumpy().tolist(), ms.__version__))

if __name__ == "__main__":
    multiprocessing.set_start_method(sys.argv[1])
    queue = multiprocessing.Queue()
    process = multiprocessing.Process(target=tell, args=(queue, Tensor([-1.0, 2.0])))
    process.start()
    print(queue.get(timeout=100))
    process.join()
    print(process.exitcode)
"""


@pytest.mark.slow
@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_started_processes_import_mindspore(method: str, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(STARTED)
    command = [sys.executable, "-m", "torchspore", str(program), method]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.stdout.splitlines() == ["('mindspore.nn.layer.basic', [0.0, 2.0], '2.10.0')", "0"], done.stderr


@pytest.mark.slow
def test_the_check_of_the_installation_names_mindspore() -> None:
    program = "import torchspore.as_mindspore, mindspore; mindspore.set_device('CPU'); mindspore.run_check()"
    assert preloaded.output_of(program).startswith(
        "MindSpore version:  2.10.0\nThe result of multiplication calculation is correct"
    )


@pytest.mark.slow
def test_names_of_mindspore_1() -> None:
    program = """
import torchspore, io, numpy as np
torchspore.as_mindspore(version="1.10")
import mindspore.dataset.vision.c_transforms as C
import mindspore.dataset.vision.py_transforms as P
import mindspore.dataset.transforms.c_transforms as C2
from mindspore.dataset.transforms import py_transforms
from mindspore import ms_function, Tensor
from mindspore.common.api import ms_function as again
from PIL import Image
assert again is ms_function and ms_function(lambda x: x * 2)(Tensor([1.0])).asnumpy() == [2]
assert C2.OneHot(3)(np.array(1)).tolist() == [0, 1, 0]
file = io.BytesIO()
Image.new("RGB", (6, 4), (255, 0, 0)).save(file, "png")
content = np.frombuffer(file.getvalue(), np.uint8)
assert C.Decode()(content).shape == (4, 6, 3)
ops = py_transforms.Compose([P.Decode(), P.Resize((2, 2)), P.ToTensor(), P.Normalize([0.5] * 3, [0.5] * 3)])
assert np.asarray(ops(content)[0]).shape == (3, 2, 2)
assert np.asarray(ops(content)[0])[:, 0, 0].tolist() == [1, -1, -1]
"""
    preloaded.output_of(program)
