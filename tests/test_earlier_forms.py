"""Operations and layers as earlier versions called them; the figures are those versions'."""

from __future__ import annotations

import inspect
from operator import attrgetter
from pathlib import Path

import numpy as np
import pytest

import preloaded
import torchspore as ms
from torchspore import earlier, nn, ops, serialization
from torchspore.earlier import forms

DATA = Path(__file__).parent / "data"
X = ms.Tensor(np.array([[3.0, 1, 2], [6, 5, 4]], np.float32))
OWNERS = {"ops": ops, "nn": nn, "serialization": serialization, "Tensor": ms.Tensor, "dataset": ms.dataset}
BY_NAME = [  # a call with names of parameters that only an earlier version had, and what it is today
    (lambda: ops.abs(x=X), lambda: ops.abs(X)),
    (lambda: ops.add(X, y=X), lambda: X + X),
    (lambda: ops.matmul(x1=X, x2=X.T), lambda: X @ X.T),
    (lambda: ops.reshape(input_x=X, input_shape=(3, 2)), lambda: X.reshape(3, 2)),
    (lambda: ops.transpose(X, input_perm=(1, 0)), lambda: X.T),
    (lambda: ops.ones((2,), type=ms.int32), lambda: ops.ones((2,), ms.int32)),
    (lambda: X.logsumexp(axis=1), lambda: X.logsumexp(1)),
    (lambda: X.swapaxes(axis1=0, axis2=1), lambda: X.T),
    (lambda: X.split(axis=1, output_num=3)[2], lambda: X[:, 2:]),
    (lambda: ops.split(X, axis=1, output_num=3)[2], lambda: X[:, 2:]),
    (lambda: ops.split(input_x=X, axis=1, output_num=3)[2], lambda: X[:, 2:]),
    (lambda: ops.split(X, 1, output_num=3)[2], lambda: X[:, 2:]),
    (lambda: ops.max(x=X, axis=1, keep_dims=True)[1], lambda: ops.amax(X, 1, True)),
    (lambda: ops.argmax(X, axis=0), lambda: ops.Argmax(0)(X)),
    (lambda: ops.norm(X, axis=1), lambda: ops.norm(X, dim=1)),
    (lambda: ops.SearchSorted(out_int32=True)(X[0].sort()[0], X[0]), lambda: ms.Tensor([2, 0, 1], ms.int32)),
]
IMAGE, VOLUME, LABELS = X.reshape(1, 2, 3), X.reshape(1, 1, 1, 2, 3), ops.zeros_like(X)
WEIGHTS = [ms.Parameter(ops.ones((3,), ms.float32), name="weight")]
LAYERS = [  # a layer, and its inputs by the names of an earlier version
    (lambda: nn.AdaptiveAvgPool1d(1), {"x": IMAGE}),
    (lambda: nn.AdaptiveAvgPool2d(1), {"x": IMAGE}),
    (lambda: nn.AdaptiveAvgPool3d(1), {"x": VOLUME}),
    (lambda: nn.AdaptiveMaxPool2d(1), {"input_x": IMAGE}),
    (lambda: nn.AdaptiveMaxPool3d(1), {"x": VOLUME}),
    (lambda: nn.BCELoss(), {"inputs": X / 7, "labels": LABELS}),
    (lambda: nn.BCEWithLogitsLoss(), {"logits": X, "labels": LABELS}),
    (lambda: nn.BCEWithLogitsLoss(), {"predict": X, "target": LABELS}),
    (lambda: nn.BatchNorm3d(1), {"input_x": VOLUME}),
    (lambda: nn.CosineEmbeddingLoss(), {"x1": X, "x2": X + 1, "y": ms.Tensor([1, -1], ms.int32)}),
    (lambda: nn.FocalLoss(), {"predict": X, "target": ms.Tensor([[1], [0]], ms.int32)}),
    (lambda: nn.HShrink(), {"input_x": X}),
    (lambda: nn.HSigmoid(), {"input_x": X}),
    (lambda: nn.HSigmoid(), {"x": X}),
    (lambda: nn.HSwish(), {"x": X}),
    (lambda: nn.Identity(), {"x": X}),
    (lambda: nn.L1Loss(), {"base": X, "target": LABELS}),
    (lambda: nn.MSELoss(), {"base": X, "target": LABELS}),
    (lambda: nn.ReLU(), {"x": X}),
    (lambda: nn.SmoothL1Loss(), {"base": X, "target": LABELS}),
    (lambda: nn.SoftShrink(), {"input_x": X}),
    (lambda: nn.Softmax(), {"x": X}),
    (lambda: nn.Adagrad(WEIGHTS), {"grads": (X[0],)}),
]
NOBODY_HAD_THEM = [
    lambda: ops.abs(X, foo=1),
    lambda: ops.abs(input=X, x=X),
    lambda: ops.conv2d(X, X, 1, 2, group=1),  # 1 and 2 may be today's bias and stride
    lambda: nn.Dense(2, 3, foo=1),
    lambda: nn.MSELoss()(base=X, goal=X),
    lambda: nn.MSELoss()(X, logits=X, target=X),
]
PROGRAM = """
import importlib.metadata
import sys
import mindspore as ms
from mindspore import ops
from mindspore.ops import functional as F, operations as P
from mindspore.ops.function.array_func import split
assert ms.__version__ == importlib.metadata.version("mindspore") == version + ".0"
assert ops is ms.ops is F is P and ops.split is split
sys.path.append(folder)
import record_earlier_calls as recorder, json
known = json.loads(recorder.PATH.read_text())[version]
for call, found in recorder.evaluate(version).items():
    assert found == known[call], (call, found, known[call])
"""
NETWORK = """
import mindspore as ms, numpy as np
from mindspore import Tensor, nn, ops
from mindspore.ops import operations as P
from mindspore.nn.layer.basic import Dense
assert Dense is nn.Dense
image = Tensor(np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4))
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 2, 3)
        self.pool = nn.AvgPool2d(2, 2, "valid", "NCHW")
        self.drop = nn.Dropout(1.0, ms.float32)
        self.fc = nn.Dense(8, 3)
    def construct(self, x):
        y = self.fc(self.drop(ops.flatten(self.pool(ops.relu(self.conv(x))))))
        return ops.max(y, 1)[1], ops.split(y, 1, 3)[0]
net = Net()
assert isinstance(net.fc, nn.Dense) and 0 < np.abs(net.fc.weight.asnumpy()).max() < 0.1  # drawn by 'normal'
assert net.fc.bias.asnumpy().max() == 0 and str(type(net.fc)) == "<class 'mindspore.nn.layer.basic.Dense'>"
assert str(type(net.drop)) == "<class 'mindspore.nn.layer.basic.Dropout'>"
for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE):
    ms.set_context(mode=mode)
    assert [part.shape for part in net(image)] == [(1,), (1, 1)]
from mindspore.train.serialization import load_param_into_net
assert load_param_into_net is ms.load_param_into_net
assert load_param_into_net(nn.Dense(2, 3), {"weight": ms.Parameter(ops.zeros((3, 2), ms.float32))}) == ["bias"]
import torchspore
x = ops.ones((2, 3), ms.float32)
assert torchspore.ops.split(x, 1, 1)[0].shape == (2, 1)
ops.mine = 1
assert torchspore.ops.mine == 1
own = ops.max
ops.max = lambda x: "mine"
assert ops.max(x) == ms.ops.functional.max(x) == torchspore.ops.max(x) == "mine"
ops.max = own
import inspect
assert list(inspect.signature(ops.max).parameters) == ["x", "axis", "keep_dims"]
"""
PARAMETERS = """
import mindspore as ms
from mindspore import Parameter, Tensor, nn
first, second = Parameter(Tensor([1.0])), Parameter(Tensor([2.0]))
shown = "Parameter (name=Parameter, shape=(1,), dtype=Float32, requires_grad=True)"
assert repr(first) == str(second) == str(first.data) == shown and first.has_default_name
assert first.data is first and str(Parameter(Tensor([1.0]), name="w").data).startswith("Parameter (name=w,")
first.data.set_data(Tensor([3.0]))
second.data = Tensor([4.0])
assert (first.asnumpy(), second.asnumpy()) == (3, 4)
class Net(nn.Cell):
    def __init__(self, *parameters):
        super().__init__()
        self.a, self.b = parameters
assert [each.name for each in Net(first, second).get_parameters()] == ["a", "b"]
assert first.init_finished and not first.is_param_ps and not first.push_weight_to_server
try:
    ms.ParameterTuple([Parameter(Tensor(1.0)), Parameter(Tensor(2.0))])
except ValueError as error:
    assert "two parameters have the name 'Parameter'" in str(error)
else:
    raise AssertionError
"""


@pytest.fixture(autouse=True)
def _quiet():
    earlier._say.cache_clear()


@pytest.mark.parametrize(("call", "today"), BY_NAME)
def test_names_of_parameters_that_an_earlier_version_had(call, today):
    with pytest.warns(RuntimeWarning, match="was in MindSpore up to .* Today: "):
        found = call()
    np.testing.assert_array_equal(found.asnumpy(), today().asnumpy())
    assert found.dtype == today().dtype


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
@pytest.mark.parametrize(("make", "inputs"), LAYERS)
def test_names_of_inputs_that_an_earlier_version_had(make, inputs, mode):
    ms.set_context(mode=mode)
    with pytest.warns(RuntimeWarning, match=r"\(.*=...\)' was in MindSpore up to .* Today: "):
        found = make()(**inputs)
    today = make()(*inputs.values())
    np.testing.assert_array_equal(np.array(found), np.array(today))


def test_a_layer_inside_a_network_is_called_by_earlier_names():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.loss = nn.MSELoss()

        def construct(self, x):
            return self.loss(base=x, target=x + 1)

    for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE):
        earlier._say.cache_clear()
        ms.set_context(mode=mode)
        with pytest.warns(RuntimeWarning, match="nn.MSELoss.construct.* was in MindSpore up to 1.3"):
            assert ms.value_and_grad(Net())(X)[0] == 1


@pytest.mark.parametrize("call", NOBODY_HAD_THEM)
def test_names_that_no_version_had(call):
    with pytest.raises(TypeError, match=r"\(\) got (an unexpected keyword argument|multiple values)"):
        call()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: ops.split(X, 1, 3),
            r"took \(input_x, axis, output_num\).*--mindspore 1.10.*ops.Split\(axis",
        ),
        (lambda: ops.pad(X, ((1, 0), (0, 2))), r"took \(input_x, paddings\)"),
        (lambda: ops.avg_pool2d(X, 2, 2, "same"), "took .*pad_mode.* or write mindspore.ops.AvgPool"),
    ],
)
def test_an_error_says_what_a_call_meant(call, words):
    with pytest.raises((TypeError, ValueError), match=f"In MindSpore up to 1.10, it {words}"):
        call()


@pytest.mark.parametrize("name", sorted(forms._table()))
def test_a_form_leads_to_parameters_of_today(name):
    owner, _, attribute = name.partition(".")
    today = attrgetter(attribute)(OWNERS[owner])
    for form in forms._table()[name]:
        assert set(form.takes.values()) <= set(inspect.signature(today).parameters)
        assert forms.is_before(form.until, "2.10")


@pytest.mark.parametrize(
    ("version", "declaration"), [("1.10", "function"), ("1.10", "environment"), ("2.0", "function")]
)
def test_a_program_that_declares_its_version(version, declaration):
    program = f"version, folder = {version!r}, {str(DATA)!r}\n{PROGRAM}"
    if declaration == "function":
        done = preloaded.run(f"import torchspore\ntorchspore.as_mindspore(version={version!r})\n{program}")
    else:
        variables = {"TORCHSPORE_MINDSPORE": version}
        done = preloaded.run(f"import torchspore.as_mindspore\n{program}", environment=variables)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("call", "columns", "first"),
    [
        (lambda it: it.map(lambda x: (x, x + 1), ["x"], ["a", "b"], column_order=["b", "a", "y"]), "b a y", [2, 1, 4]),
        (lambda it: it.map(operations=[abs], input_columns="x", column_order=["y", "x"]), "y x", [4, 1]),
        (lambda it: it.batch(2, column_order=["y", "x"]), "y x", [[4, 5], [1, 2]]),
        (lambda it: it.batch(2, pad_info={}, drop_remainder=True), "x y", [[1, 2], [4, 5]]),
    ],
)
def test_datasets_that_order_columns(call, columns, first):
    data = ms.dataset.NumpySlicesDataset({"x": [1, 2, 3], "y": [4, 5, 6]}, shuffle=False)
    with pytest.warns(RuntimeWarning, match=r"'mindspore.dataset.Dataset.\w+\(.*\)' was in MindSpore up to"):
        made = call(data)
    assert made.get_col_names() == columns.split()
    assert [value.tolist() for value in next(made.create_tuple_iterator(output_numpy=True))] == first


def test_datasets_refuse_what_no_version_had():
    data = ms.dataset.NumpySlicesDataset([1], ["x"])
    with pytest.raises(TypeError, match=r"Dataset.map\(\) got an unexpected keyword argument 'foo'"):
        data.map(abs, foo=1)
    with pytest.warns(RuntimeWarning), pytest.raises(NotImplementedError, match="pad in 'per_batch_map'"):
        data.batch(2, per_batch_map=lambda x, _: (x,), pad_info={})


def test_a_layer_of_its_time():
    done = preloaded.run(f"import torchspore\ntorchspore.as_mindspore(version='1.10')\n{NETWORK}")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("version", ["1.10", "2.0"])
def test_parameters_of_their_time(version):
    done = preloaded.run(f"import torchspore\ntorchspore.as_mindspore(version='{version}')\n{PARAMETERS}")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("torchspore.as_mindspore(version='new')", "ValueError: A version of MindSpore is written as in '1.10'"),
        ("import torchspore.as_mindspore, mindspore; torchspore.as_mindspore('1.8')", "before the first 'import mind"),
        ("torchspore.as_mindspore('1.8'); torchspore.as_mindspore('1.9')", "has declared MindSpore 1.8.0"),
    ],
)
def test_wrong_declarations(program, words):
    assert words in preloaded.run(f"import torchspore; {program}").stderr


def test_today_is_no_declaration():
    program = "import torchspore; torchspore.as_mindspore('2.10.1'); import mindspore; print(mindspore.__version__)"
    assert preloaded.output_of(program).strip() == "2.10.0"


def test_an_error_of_an_operation_loads_no_layers():
    program = """
import sys, torchspore as ms
try:
    ms.ops.reshape(ms.Tensor([1.0]), (3,))
except ValueError:
    pass
assert not {f"torchspore.earlier.meanings.{name}" for name in ("layers", "methods", "files")} & sys.modules.keys()
"""
    done = preloaded.run(program)
    assert done.returncode == 0, done.stderr
