"""Classes under the names of MindSpore's modules, in programs that import `mindspore`."""

from __future__ import annotations

import pytest

import preloaded
import torchspore as ms

# Recorded with MindSpore 2.10.
SHOWN = {
    "ms.Tensor": "<class 'mindspore.common.tensor.Tensor'>",
    "type(ms.Tensor(1))": "<class 'mindspore.common.tensor.Tensor'>",
    "ms.Parameter": "<class 'mindspore.common.parameter.Parameter'>",
    "ms.float32": "mindspore.float32",
    "str(ms.float32)": "'Float32'",
    "ms.Model": "<class 'mindspore.train.model.Model'>",
    "ms.JitConfig": "<class 'mindspore.graph.jit_config.JitConfig'>",
    "ms.nn.Cell": "<class 'mindspore.nn.cell.Cell'>",
    "ms.nn.Dense": "<class 'mindspore.nn.layer.basic.Dense'>",
    "ms.nn.ReLU": "<class 'mindspore.nn.layer.activation.ReLU'>",
    "ms.nn.Adam": "<class 'mindspore.nn.optim.adam.Adam'>",
    "ms.nn.MSELoss": "<class 'mindspore.nn.loss.loss.MSELoss'>",
    "ms.ops.ReLU": "<class 'mindspore.ops.auto_generate.gen_ops_prim.ReLU'>",
    "ms.ops.GradOperation": "<class 'mindspore.ops.composite.base.GradOperation'>",
    "ms.train.LossMonitor": "<class 'mindspore.train.callback._loss_monitor.LossMonitor'>",
    "ds.GeneratorDataset": "<class 'mindspore.dataset.engine.datasets_user_defined.GeneratorDataset'>",
    "repr(ds.GeneratorDataset([1], ['a']))[:71]":
        "'<mindspore.dataset.engine.datasets_user_defined.GeneratorDataset object'",
    "ds.vision.Resize": "<class 'mindspore.dataset.vision.transforms.Resize'>",
    "ds.RandomSampler": "<class 'mindspore.dataset.engine.samplers.RandomSampler'>",
}  # fmt: skip

PROGRAM = """
import copy, pickle, sys
import torchspore.as_mindspore
import mindspore as ms, mindspore.dataset as ds
shown = {shown!r}
for text, expected in shown.items():
    assert repr(eval(text)) == expected, (text, repr(eval(text)))
for module in [module for name, module in sys.modules.items() if name.startswith("torchspore.")]:
    for kind in list(vars(module).values()):
        if isinstance(kind, type) and kind.__module__.startswith("mindspore."):
            assert pickle.loads(pickle.dumps(kind)) is kind, kind
net = ms.nn.SequentialCell(ms.nn.Dense(3, 2), ms.nn.ReLU())
for other in (copy.deepcopy(net), pickle.loads(pickle.dumps(net))):
    assert type(other[0]) is ms.nn.Dense
assert pickle.loads(pickle.dumps(ms.float32)) is ms.float32

# Captured functions tell this package's classes from the user's as before.
optimizer = ms.nn.Adam(net.trainable_params())
gradient = ms.value_and_grad(lambda x: net(x).sum(), None, optimizer.parameters)

@ms.jit(fullgraph=True)
def step(x):
    loss, gradients = gradient(x)
    optimizer(gradients)
    return loss

x = ms.ops.ones((4, 3), ms.float32)
step(x), step(x)
assert step.captures == 1
try:
    net[0](3)
except TypeError as error:
    assert str(error).startswith("For 'Dense'"), error
"""


@pytest.mark.slow
def test_under_mindspores_names():
    preloaded.output_of(PROGRAM.format(shown=SHOWN))


def test_under_our_names():
    assert repr(ms.Tensor) == "<class 'torchspore.common.tensor.Tensor'>"
    assert repr(ms.float32) == "torchspore.float32"


WRITTEN = """
import pathlib, pickle
import torchspore.as_mindspore
import mindspore as ms, numpy as np
from mindspore import nn
from mindspore.dataset import vision
marked = ms.Tensor([1.0, 2.0])
marked.mark = "late"
weight = ms.Parameter(ms.Tensor([1.0, 2.0], ms.bfloat16), "w", False, False, False)
net = nn.SequentialCell(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.Flatten(), nn.Dense(8, 3))
train = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.Adam(net.trainable_params()))
types = [ms.Tensor([0, 1], dtype) for dtype in ms.common.dtype.FROM_TORCH.values()]
arrays = [ms.Tensor(3), ms.Tensor(np.zeros((0, 3))), ms.Tensor(np.array(["a", "bc"]))]
sparse = ms.COOTensor(ms.Tensor([[0, 1]]), ms.Tensor([1.0]), (2, 2))
values = [marked, weight, *types, *arrays, [ms.float32, ms.string], train, sparse, nn.Accuracy(), ms.ops.Conv2D(3, 2),
          vision.Resize(3, vision.Inter.CUBIC), nn.ExponentialDecayLR(0.1, 0.9, 3)]
for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
    data = pickle.dumps((values, repr(values[:-6])), protocol)
    assert repr(pickle.loads(data)[0][:-6]) == repr(values[:-6])
    (pathlib.Path() / str(protocol)).write_bytes(data)
"""

READ = """
import pathlib, pickle, sys
for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
    values, shown = pickle.loads((pathlib.Path() / str(protocol)).read_bytes())
    assert repr(values[:-6]).replace("torchspore", "mindspore") == shown, (repr(values[:-6]), shown)
    assert values[0].mark == "late"
    assert (values[1].name, values[1].requires_grad, values[1].parallel_optimizer) == ("w", False, False)
    assert [type(value).__module__.partition(".")[0] for value in values if type(value) is not list].count("torchspore")
    train = next(value for value in values if type(value).__name__ == "TrainOneStepCell")
    assert [p.name for p in train.optimizer.parameters] == [p.name for p in train.network.trainable_params()]
    assert all(p is q for p, q in zip(train.optimizer.parameters, train.network.trainable_params()))
    values[-2].interpolation
assert not any(name.startswith("mindspore") for name in sys.modules)
"""


@pytest.mark.slow
def test_pickles_are_read_without_mindspores_names(tmp_path):
    preloaded.output_of(WRITTEN, folder=tmp_path)
    preloaded.output_of(READ, folder=tmp_path)
