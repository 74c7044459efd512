"""An attribute of a layer that is set later counts as if the layer had been made with it.

The constructors come from the tables of `tests/cases`, and from `_more` for the layers that those have once. For two
constructors of a class, the public attributes in which their layers differ are copied from one to the other: then both
must compute the same, eagerly and in a graph that was captured before. A new layer that keeps a second copy of an
attribute fails here, and one without two constructors too, unless `WITHOUT` says why.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import itertools
import warnings
from collections import defaultdict

import numpy as np
import pytest

import cases
import fuzz
import late_attributes
import torchspore as ms
from ops.test_recorded import FAMILIES
from torchspore import nn


def _more():
    """Return calls of the layers that the tables do not make twice: constructors, separated by `;`, and inputs."""
    for row in late_attributes.LAYERS.strip().splitlines():
        constructors, _, inputs = row.rpartition("|")
        for constructor in constructors.split(";"):
            yield f"({constructor.strip()})({inputs.strip()})"


_PARAMETERS = "the arguments make parameters"
_NETWORK = "the argument is a network, or the processes that take part"
_ALONE = "see test_late_attributes_of_optimizers_count and test_a_step_follows_its_scale"

# Classes with arguments of which no two constructors are compared, and why.
WITHOUT = {
    **dict.fromkeys(
        ("M.Linear", "M.PReLU", "nn.BiDense", "nn.EmbeddingLookupThor", "nn.GRUCell", "nn.LSTMCell", "nn.Linear",
         "nn.PReLU", "nn.PReLUExt"), _PARAMETERS,
    ),
    **dict.fromkeys(
        ("nn.DistributedGradReducer", "nn.GradAccumulationCell", "nn.GraphCell", "nn.Jvp", "nn.MicroBatchInterleaved",
         "nn.ParameterUpdate", "nn.PipelineCell", "nn.PipelineGradReducer", "nn.TransformerDecoder",
         "nn.TransformerEncoder", "nn.VirtualDatasetCellTriple", "nn.Vjp", "nn.WithGradCell",
         "nn.WithLossCell", "nn.thor"), _NETWORK,
    ),
    **dict.fromkeys(("M.ReLU6", "M.SiLU"), "`inplace` can only be False"),
    **dict.fromkeys(
        ("nn.ASGD", "nn.AdaFactor", "nn.AdaMax", "nn.Adadelta", "nn.Adagrad", "nn.Adam", "nn.AdamOffload",
         "nn.AdamWeightDecay", "nn.FTRL", "nn.LARS", "nn.Lamb", "nn.LazyAdam", "nn.Momentum", "nn.Optimizer",
         "nn.ProximalAdagrad", "nn.RMSProp", "nn.Rprop", "nn.SGD", "nn.TrainOneStepCell",
         "nn.TrainOneStepWithLossScaleCell"), _ALONE,
    ),
    **dict.fromkeys(("nn.CellDict", "nn.CellList"), "containers"),
    **dict.fromkeys(
        ("nn.DynamicLossScaleUpdateCell", "nn.FixedLossScaleUpdateCell"), "see test_late_attributes_of_loss_scales"
    ),
    "nn.LossBase": "its subclasses are compared",
    "nn.SparseTensorDenseMatmul": "it takes sparse tensors",
}  # fmt: skip


def _constructions():
    """Return the (constructor, inputs) of the calls in the tables, by class."""
    found = defaultdict(dict)
    tables = [importlib.import_module(f"cases.{family}").CASES for family in FAMILIES]
    for expression in itertools.chain(*tables, _more()):
        for node in ast.walk(ast.parse(expression, mode="eval")):
            name = isinstance(node, ast.Call) and _class_of(node.func)
            if name:
                given = [*map(ast.unparse, node.args), *map(ast.unparse, node.keywords)]
                found[name][ast.unparse(node.func), ", ".join(given)] = None
    return {name: list(calls) for name, calls in sorted(found.items())}


def _class_of(node):
    """Return the name of the layer that an expression makes, also in training mode or with other parameters."""
    while isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute) and node.func.attr in ("set_train", "set_eval"):
            node = node.func.value
        elif isinstance(node.func, ast.Name) and node.func.id == "filled":
            node = node.args[0]
        else:
            name = ast.unparse(node.func)
            return name if isinstance(_LAYERS.get(name), type) else None
    return None


_LAYERS = {
    f"{prefix}.{name}": getattr(module, name)
    for prefix, module in (("nn", nn), ("M", ms.mint.nn))
    for name in module.__all__
    if isinstance(getattr(module, name), type) and issubclass(getattr(module, name), nn.Cell)
}
_CONSTRUCTIONS = _constructions()


def _made(constructor):
    ms.set_seed(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return eval(constructor, cases.namespace(ms))
        except Exception:  # the tables also have constructors that refuse
            return None


def _computed(cell, inputs):
    ms.set_seed(3)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = eval(f"cell({inputs})", {**cases.namespace(ms), "cell": cell})
    except Exception as error:
        return type(error).__name__
    return [part.asnumpy() if isinstance(part, ms.Tensor) else part for part in cases._flat(result)]


def _agree(found, expected):
    if isinstance(found, str) or isinstance(expected, str):
        return found == expected
    return len(found) == len(expected) and all(
        np.array_equal(one, other, equal_nan=one.dtype.kind in "fc") if isinstance(one, np.ndarray) else one == other
        for one, other in zip(found, expected)
    )


def _same_value(one, other):
    if isinstance(one, ms.Tensor) and isinstance(other, ms.Tensor):
        return one.dtype == other.dtype and np.array_equal(one.asnumpy(), other.asnumpy())
    if isinstance(one, ms.ops.Primitive) or callable(one):
        return one is other
    if isinstance(one, (tuple, list)) and type(one) is type(other):
        return len(one) == len(other) and all(map(_same_value, one, other))
    return type(one) is type(other) and one == other


def _parameters(cell):
    return {name: (p.shape, p.dtype) for name, p in cell.parameters_and_names()}


def _names(cell):
    """Return the attributes for users: public ones, and those named as an argument."""
    arguments = inspect.signature(type(cell).__init__).parameters
    properties = [name for name, _ in inspect.getmembers(type(cell), lambda value: isinstance(value, property))]
    known = {*vars(cell), *(name for name in properties if name in arguments)}
    return {name for name in known if name not in cell._params and (name[0] != "_" or name in arguments)}


def _copy_attributes(source, target):
    """Set the attributes of `target` in which `source` differs; return how many, or None if the two are built apart."""
    if type(source) is not type(target) or _names(source) != _names(target):
        return None
    count = 0
    for name in sorted(_names(source)):
        value, old = getattr(source, name), getattr(target, name)
        if isinstance(value, nn.Cell) and type(value) is type(old):
            inner = _copy_attributes(value, old)
            if inner is None:
                return None
            count += inner
        elif not _same_value(value, old):
            try:
                setattr(target, name, value)
            except TypeError:  # a cell cannot become a function
                return None
            count += 1
    return count


def _late(first, second, inputs, before=lambda cell: None):
    """Return what a layer computes that was made by `first` and then got the attributes of `second`, and should."""
    made, expected = _made(first), _made(second)
    if made is None or expected is None or _parameters(made) != _parameters(expected):
        return None
    before(made)
    if not _copy_attributes(expected, made):
        return None
    for old, new in zip(made.get_parameters(), expected.get_parameters()):
        old.set_data(new)
    made.set_train(expected.training)
    return made, expected


def _pairs(name):
    """Return (constructor, another constructor, inputs of that) of a class."""
    calls = _CONSTRUCTIONS[name]
    constructors = list(dict.fromkeys(constructor for constructor, _ in calls))
    return [(first, second, inputs) for first in constructors for second, inputs in calls if first != second]


def _neighbours(name):
    """Return the pairs whose constructors follow each other in the tables."""
    calls = _CONSTRUCTIONS.get(name, [])
    return [(first, *second) for (first, _), second in zip([*calls[-1:], *calls], calls) if first != second[0]]


def _check(first, second, inputs, before=lambda cell: None):
    pair = _late(first, second, inputs, before)
    if pair is None:
        return False
    made, expected = [_computed(cell, inputs) for cell in pair]
    assert _agree(made, expected), f"{first}, later {second}, on {inputs}: {made} instead of {expected}"
    return not isinstance(expected, str)


def _takes_arguments(cls):
    return bool(inspect.signature(cls).parameters.keys() - {"args", "kwargs", "auto_prefix", "flags"})


@pytest.mark.slow
@pytest.mark.parametrize("name", _LAYERS)
def test_late_attributes_count(name):
    compared = [_check(*pair) for pair in _neighbours(name)]
    accounted = any(compared) or name in WITHOUT or not _takes_arguments(_LAYERS[name])
    assert accounted, f"Add two constructors of {name} to the tables, or to _more."


@pytest.mark.slow
def test_late_attributes_count_between_any_two():
    drawn = fuzz.drawn(13)
    names = [name for name in _CONSTRUCTIONS if _pairs(name)]
    for _ in range(fuzz.inputs(300)):
        _check(*drawn.choice(_pairs(drawn.choice(names))))


def test_late_attributes_count_in_captured_graphs():
    drawn = fuzz.drawn(14)
    names = [name for name in _CONSTRUCTIONS if _pairs(name)]
    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        for _ in range(fuzz.inputs(60)):
            first, second, inputs = drawn.choice(_pairs(drawn.choice(names)))
            _check(first, second, inputs, before=lambda cell, given=inputs: _computed(cell, given))
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)


@pytest.mark.parametrize(
    ("constructor", "inputs"),
    [
        ("nn.Dense(3, 2", "x"), ("nn.BiDense(3, 3, 2", "x, y"),
        ("nn.Conv1d(4, 2, 3", "sig"), ("nn.Conv2d(4, 2, 3", "img"), ("nn.Conv2dTranspose(4, 2, 3", "img"),
        ("nn.RNNCell(3, 2", "x, ops.ones((2, 2))"), ("nn.LSTM(4, 2", "z"), ("nn.GRU(4, 2, 2", "z"),
    ],
)  # fmt: skip
def test_a_bias_can_be_left_out_later(constructor, inputs):
    made = _made(f"{constructor}, has_bias=True)")
    with_bias = _computed(made, inputs)
    made.has_bias = False
    without = _computed(made, inputs)
    assert not _agree(with_bias, without)
    for name, parameter in made.parameters_and_names():
        if "bias" in name:
            parameter.set_data(ms.ops.zeros_like(parameter))
    made.has_bias = True
    for found, expected in zip(_computed(made, inputs), without):
        np.testing.assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.parametrize(
    ("constructor", "inputs"),
    [
        ("M.Linear(3, 2, bias=", "x"), ("M.Conv1d(4, 2, 3, bias=", "sig"), ("M.Conv2d(4, 2, 3, bias=", "img"),
        ("M.ConvTranspose2d(4, 2, 3, bias=", "img"), ("M.LayerNorm(3, bias=", "x"),
    ],
)  # fmt: skip
def test_a_bias_is_whatever_the_attribute_holds(constructor, inputs):
    made = _made(f"{constructor}False)")
    without = _computed(made, inputs)
    made.bias = ms.Parameter(ms.ops.full_like(_made(f"{constructor}True)").bias, 3.0))
    for found, expected in zip(_computed(made, inputs), without):
        np.testing.assert_allclose(found, expected + 3, rtol=1e-5)
    assert "bias" in [p.name for p in made.trainable_params()]
    made.bias = None
    for found, expected in zip(_computed(made, inputs), without):
        np.testing.assert_array_equal(found, expected)


def test_a_bias_that_is_missing_is_named():
    net = nn.Conv2d(4, 2, 3)
    net.has_bias = True
    with pytest.raises(ValueError, match="For 'Conv2d', 'has_bias' is True, but the layer has no bias"):
        net(ms.ops.ones((1, 4, 6, 6)))


@pytest.mark.parametrize(
    ("name", "value", "reduction"),
    [("reduce", False, "none"), ("average", False, "sum"), ("reduce", True, "mean"), ("reduction", "sum", "sum")],
)
def test_attributes_of_a_reduction_are_one(name, value, reduction):
    loss = nn.MSELoss()
    setattr(loss, name, value)
    assert (loss.reduction, loss.reduce, loss.average) == (reduction, reduction != "none", reduction != "sum")
    x, y = ms.Tensor([1.0, 2.0]), ms.Tensor([3.0, 5.0])
    np.testing.assert_array_equal(loss(x, y).asnumpy(), nn.MSELoss(reduction)(x, y).asnumpy())


@pytest.mark.parametrize(
    ("setting", "value", "zeros"),
    [("p", 0.0, 0.0), ("p", 0.9, 0.9), ("keep_prob", 1.0, 0.0), ("keep_prob", 0.9, 0.5)],
)
def test_dropout_follows_its_probability(setting, value, zeros):
    net = nn.Dropout(p=0.5).set_train()
    x = ms.ops.ones((10000,))
    net(x)
    setattr(net, setting, value)
    assert abs(float((net(x) == 0).astype(ms.float32).mean()) - zeros) < 0.03


_DECAY = {"weight_decay": 0.1}
_SCALED = {"weight_decay": 0.1, "loss_scale": 4.0}
_BETAS = {"beta1": 0.5, "beta2": 0.6, "eps": 0.1}

# For each optimizer: settings, and others.
OPTIMIZERS = {
    "SGD": ({}, {"momentum": 0.9, "dampening": 0.1, **_SCALED}),
    "Momentum": ({"momentum": 0.9}, {"momentum": 0.5, "use_nesterov": True, **_SCALED}),
    "Adam": ({}, {**_BETAS, "use_nesterov": True, **_SCALED}),
    "AdamWeightDecay": ({}, {**_BETAS, **_DECAY}),
    "LazyAdam": ({}, {**_BETAS, "use_nesterov": True, **_SCALED}),
    "AdamOffload": ({}, {**_BETAS, "use_nesterov": True, **_SCALED}),
    "AdaMax": ({}, {**_BETAS, **_SCALED}),
    "Adagrad": ({}, {"update_slots": False, **_SCALED}),
    "Adadelta": ({}, {"rho": 0.5, "epsilon": 0.1, **_SCALED}),
    "FTRL": ({}, {"lr_power": -0.6, "l1": 0.1, "l2": 0.1, **_SCALED}),
    "Lamb": ({}, {**_BETAS, **_DECAY}),
    "ProximalAdagrad": ({}, {"l1": 0.1, "l2": 0.2, **_SCALED}),
    "RMSProp": ({}, {"decay": 0.5, "momentum": 0.5, "epsilon": 0.1, **_SCALED}),
    "Rprop": ({}, _DECAY),
    "ASGD": ({}, {"lambd": 0.1, "alpha": 0.3, "t0": 1.0, **_DECAY}),
    "AdaFactor": (
        {"learning_rate": None},
        {"learning_rate": None, "eps": (0.1, 0.01), "clip_threshold": 0.5, "decay_rate": 0.3, **_SCALED},
    ),
}


def _optimizer(name, settings):
    weight = ms.Parameter(ms.Tensor([1.0, 2.0, 3.0]), name="w")
    return getattr(nn, name)([weight], **{"learning_rate": 0.1, **settings}), weight


def _trained(optimizer, weight):
    for step in (1, 2, 3):
        optimizer((ms.Tensor([1.0, -2.0, 0.5]) * step,))
    return weight.asnumpy()


@pytest.mark.parametrize(
    ("name", "setting"), [(name, setting) for name, (_, other) in OPTIMIZERS.items() for setting in (None, *other)]
)
def test_late_attributes_of_optimizers_count(name, setting):
    settings, others = OPTIMIZERS[name]
    others = others if setting is None else {**settings, setting: others[setting]}
    expected, (optimizer, weight) = _optimizer(name, others), _optimizer(name, settings)
    changed = [key for key in others if hasattr(optimizer, key) and key != "learning_rate"]
    for key in changed:
        is_tensor = isinstance(getattr(optimizer, key), ms.Tensor)
        setattr(optimizer, key, ms.Tensor(others[key], ms.float32) if is_tensor else others[key])
    if changed:  # others are attributes under another name, or none at all
        np.testing.assert_allclose(_trained(optimizer, weight), _trained(*expected), rtol=1e-5)


@pytest.mark.parametrize("sens", [3.0, ms.Tensor(3.0)])
def test_a_step_follows_its_scale_and_what_it_returns(sens):
    net = nn.Dense(2, 1, "ones", "zeros")
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params(), 0.1))
    x, y = ms.Tensor([[1.0, 2.0]]), ms.Tensor([[0.0]])
    step.sens, step.return_grad = sens, True
    _, gradients = step(x, y)
    np.testing.assert_allclose(gradients["weight"].asnumpy(), [[18.0, 36.0]])


def test_late_attributes_of_loss_scales():
    manager = nn.DynamicLossScaleUpdateCell(1024, 2, 100)
    manager.scale_factor, scale = 4, ms.Parameter(ms.Tensor(1024.0))
    manager(scale, ms.Tensor(True))
    assert float(scale) == 256.0
    fixed = nn.FixedLossScaleUpdateCell(8)
    fixed.loss_scale_value = 16
    assert fixed.get_loss_scale() == 16


def test_members_by_an_explicit_call():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.layer, self.weight = nn.ReLU(), ms.Parameter(ms.Tensor([1.0]), name="weight")

        def construct(self, x):
            return self.__getattr__("layer")(x) * self.__getattr__("weight")

    net = Net()
    assert net(ms.Tensor([2.0])).asnumpy() == [2]
    assert ms.jit(net.construct)(ms.Tensor([3.0])).asnumpy() == [3]
    with pytest.raises(AttributeError, match="lyer"):
        net.__getattr__("lyer")


@pytest.mark.parametrize("cls", [nn.LSTM, nn.GRU, nn.RNN])
@pytest.mark.parametrize("kind", [list, ms.ParameterTuple])
def test_lists_of_recurrent_parameters_count(cls, kind):
    net, x = cls(2, 3, 2, bidirectional=True), ms.ops.ones((4, 1, 2))
    lists = ("w_ih_list", "w_hh_list", "b_ih_list", "b_hh_list")
    for name in lists:
        before = net(x)[0].asnumpy()
        setattr(net, name, kind([ms.Parameter(p * 0.5 + 0.1, name=p.name) for p in getattr(net, name)]))
        assert not np.allclose(net(x)[0].asnumpy(), before)
    parameters = [parameter for name in lists for parameter in getattr(net, name)]
    assert {id(p) for p in net.get_parameters()} == {id(p) for p in parameters}
    with pytest.raises(ValueError, match=f"For '{cls.__name__}', 'w_ih_list' must have 4 parameters, for weight_ih_l0"):
        net.w_ih_list = kind(net.w_ih_list[:2])
    with pytest.raises(TypeError, match="'b_hh_list' must be a ParameterTuple or a list of Parameters, but got"):
        net.b_hh_list = 3
