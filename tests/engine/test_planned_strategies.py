"""Strategies for devices that are not there: what MindSpore's compiler refuses is refused, in a single process."""

import copy
import json
import pickle
import sys
from pathlib import Path

import numpy as np
import pytest

import torchspore as ms
from torchspore import Parameter, Tensor, nn, ops
from torchspore.engine.api import _cell_graph_executor
from torchspore.engine.distributed.cutting import changed_classes, planned
from torchspore.engine.primitive import PrimitiveWithInfer, prim_attr_register

DATA = Path(__file__).parents[1] / "data"
sys.path.insert(0, str(DATA))
from strategy_cases import OPERATIONS, cuts_of, strategy_of  # noqa: E402

RECORDED = json.loads((DATA / "strategies.json").read_text())
PLAN = planned.Plan(devices=8, rows=1, has_rank=True)
X = Tensor(np.ones((32, 64), np.float32))


def called(name, as_parameters=False):
    """Return the arguments of a primitive, the inputs of its call and the shapes of the tensors among them."""
    settings, inputs = OPERATIONS[name]
    shapes = []

    def made(kind):
        def make(*shape):
            shapes.append(shape)
            value = Tensor(np.ones(shape), kind)
            return Parameter(value, name=f"p{len(shapes)}") if as_parameters else value

        return make

    names = {"f": made(ms.float32), "i": made(ms.int32), "b": made(ms.bool_), "p": made(ms.float32)}
    return settings, eval(f"({inputs},)", names), shapes


def primitive(name, settings, strategy):
    return eval(f"ops.{name.partition(':')[0]}{settings}", {"ops": ops}).shard(strategy)


def is_refused(name, settings, inputs, strategy):
    try:
        planned.check_call(primitive(name, settings, strategy), inputs, PLAN)
    except RuntimeError:
        return True
    return False


@pytest.fixture
def names_that_say_nothing():
    kinds = {getattr(ops, name.partition(":")[0]) for name in OPERATIONS}
    before = {kind: kind.__name__ for kind in kinds}
    for kind in kinds:
        kind.__name__ = "Other"
    yield
    changed_classes._changed.cache_clear()
    for kind, name in before.items():
        kind.__name__ = name


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.usefixtures("names_that_say_nothing")
def test_as_mindspore(name):
    settings, inputs, shapes = called(name)
    refused = [
        " ".join(f"{a}.{d}" for a, d in cuts)
        for cuts in cuts_of(shapes)
        if is_refused(name, settings, inputs, strategy_of(shapes, cuts))
    ]
    short = strategy_of(shapes, ())[:-1] or ((1,),)
    assert [*refused, *(["short"] if is_refused(name, settings, inputs, short) else [])] == RECORDED["refused"][name]


@pytest.mark.parametrize("name", RECORDED["layouts"])
def test_layouts_of_parameters(name):
    for strategy, layouts in RECORDED["layouts"][name]:
        settings, inputs, _ = called(name, as_parameters=True)
        found = planned.Recorded()
        planned.set_recorded(found)
        try:
            planned.check_call(primitive(name, settings, tuple(map(tuple, strategy))), inputs, PLAN)
        finally:
            planned.set_recorded(None)
        assert {key: list(map(_plain, layout)) for key, layout in found.layouts.items()} == layouts


def _plain(value):
    return list(value) if isinstance(value, (tuple, list)) else value


class Product(nn.Cell):
    def __init__(self, *strategies):
        super().__init__()
        self.w = Parameter(Tensor(np.ones((64, 64), np.float32)), name="w")
        self.product = ops.MatMul().shard(*strategies)

    def construct(self, x):
        return self.product(x, self.w)


GOOD, BAD = ((2, 2), (2, 2)), ((2, 2), (4, 2))


@pytest.fixture(autouse=True)
def devices():
    ms.set_auto_parallel_context(
        device_num=8, global_rank=0, parallel_mode="semi_auto_parallel", dataset_strategy="full_batch"
    )
    yield
    ms.reset_auto_parallel_context()


def compiled(*strategies, **settings):
    ms.set_auto_parallel_context(**settings)
    net = Product(*strategies)
    net.set_train()
    _cell_graph_executor.compile(net, X, phase="train")
    return net


@pytest.mark.parametrize(
    ("settings", "refuses"),
    [
        ({}, True),
        ({"parallel_mode": "auto_parallel", "search_mode": "sharding_propagation"}, True),
        ({"parallel_mode": "auto_parallel", "search_mode": "dynamic_programming"}, True),
        ({"parallel_mode": "auto_parallel", "search_mode": "recursive_programming"}, False),
        ({"parallel_mode": "data_parallel", "dataset_strategy": "data_parallel"}, False),
        ({"parallel_mode": "stand_alone", "dataset_strategy": "data_parallel"}, False),
    ],
)
def test_modes(settings, refuses):
    compiled(GOOD, **settings)
    if refuses:
        with pytest.raises(RuntimeError, match=r"cuts one dimension of .* into 2 parts and into 4"):
            compiled(BAD, **settings)
    else:
        assert compiled(BAD, **settings).parameter_layout_dict == {}


@pytest.mark.parametrize(
    ("strategies", "settings", "words"),
    [
        ((((16, 1), (1, 1)),), {}, "needs 16 devices of 8"),
        ((((1, 1), (1, 3)),), {}, "cuts a dimension of 64 into 3 parts"),
        ((((1, 1),),), {}, "needs a number for each dimension"),
        ((GOOD,), {"device_num": 4}, "needs 8 devices of 4"),
        ((GOOD,), {"pipeline_stages": 2}, "needs 8 devices of 4"),
        ((GOOD,), {"global_rank": 8}, "'global_rank' of the program is not one"),
        ((GOOD, ((2, 1),)), {}, "has outputs cut into"),
    ],
)
def test_errors(strategies, settings, words):
    with pytest.raises(RuntimeError, match=words):
        compiled(*strategies, **settings)


@pytest.mark.parametrize(
    ("operation", "inputs", "strategy", "is_good"),
    [
        (ops.StridedSlice(), (X, (0, 0), (32, -1), (1, 1)), ((1, 2),), False),
        (ops.StridedSlice(), (X, (0, 0), (99, 64), (1, 1)), ((2, 2),), True),
        (ops.StridedSlice(shrink_axis_mask=1), (X, (0, 0), (1, 64), (1, 1)), ((2, 2),), True),  # not known
        (ops.Slice(), (X, (0, 32), (-1, -1)), ((2, 1),), True),
        (ops.Slice(), (X, (0, 32), (-1, -1)), ((1, 2),), False),
        (ops.Gather(), (X, Tensor([1]), Tensor(0)), ((2, 2), (1,)), True),
        (ops.Gather(), (X, Tensor(1), 0), ((2, 2),), True),
        (ops.Add(), (X, 2.0), ((2, 2), ()), True),
        (ops.Add(), (X, Tensor(2.0)), ((2, 2), ()), True),
        (ops.Concat(-1), ([X, X],), ((2, 1), (2, 1)), True),
        (ops.OneHot(), (Tensor([1, 2]), 8, Tensor(1.0), Tensor(0.0)), ((2, 4), (), ()), True),  # of the output
    ],
)
def test_other_calls(operation, inputs, strategy, is_good):
    operation.shard(strategy)
    if is_good:
        planned.check_call(operation, inputs, PLAN)
    else:
        with pytest.raises(RuntimeError, match="must be whole"):
            planned.check_call(operation, inputs, PLAN)


GRID = ms.Layout((2, 2, 2), ("dp", "sp", "mp"))


def test_layouts_as_strategies():
    net = compiled((GRID(("dp", "sp"), "mp"), GRID("mp", "None")))
    assert net.parameter_layout_dict["w"][:3] == ([2, 2, 2], [0, -1], [32, 64])
    with pytest.raises(RuntimeError, match="along different axes"):
        compiled((GRID("dp", "mp"), GRID("sp", "mp")))
    with pytest.raises(RuntimeError, match="has a grid of"):
        compiled(tuple(ms.Layout((2, 2), ("dp", "mp"))(*axes) for axes in (("dp", "mp"), ("mp", "None"))))


def test_outputs_cut_along_the_inner_dimension():
    compiled(GOOD, ((2, 2),))
    compiled(GOOD, ((4, 2),))


def test_what_a_compilation_finds():
    net = nn.TrainOneStepCell(net := Product(GOOD), nn.Momentum(net.trainable_params(), 0.1, 0.9))
    _cell_graph_executor.compile(net, X, phase="train")
    assert _cell_graph_executor._get_shard_strategy(net) == {"Default/MatMul-op0": [[2, 2], [2, 2]]}
    assert net.parameter_layout_dict["moments.w"] == net.parameter_layout_dict["w"]
    assert _cell_graph_executor._get_shard_strategy(Product(GOOD)) == {}


def test_rows_of_all_devices():
    """Each process gives its part of the rows, unless the program says otherwise."""
    compiled(((1, 1), (1, 8)), dataset_strategy="data_parallel")
    net = Product(((8, 1), (1, 1)))
    _cell_graph_executor.compile(net, X[:4], phase="train")
    ms.set_auto_parallel_context(dataset_strategy="full_batch")
    with pytest.raises(RuntimeError, match="cuts a dimension of 4 into 8"):
        _cell_graph_executor.compile(Product(((8, 1), (1, 1))), X[:4], phase="train")


def test_calls_of_either_mode_and_after_a_reset():
    for mode in (ms.GRAPH_MODE, ms.PYNATIVE_MODE):
        ms.set_context(mode=mode)
        with pytest.raises(RuntimeError, match="into 2 parts and into 4"):
            Product(BAD)(X)
        assert Product(GOOD)(X).shape == (32, 64)
    net = Product(BAD)
    ms.reset_auto_parallel_context()
    assert net(X).shape == (32, 64)
    ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel")  # no number of devices: the program's
    assert net(X).shape == (32, 64)


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))])
def test_copies_check_too(duplicate):
    operation = duplicate(ops.MatMul(transpose_b=True).shard(BAD))
    assert isinstance(operation, ops.MatMul)
    assert (operation.transpose_b, type(operation).__name__) == (True, "MatMul")
    with pytest.raises(RuntimeError, match="the strategy"):
        operation(X, X)


class OnlyCompiled(PrimitiveWithInfer):
    @prim_attr_register
    def __init__(self):
        """Nothing."""

    def __call__(self, x):
        raise NotImplementedError

    def infer_shape(self, x):
        return [len(x)]

    def infer_dtype(self, x):
        return x

    def get_bprop(self):
        return lambda x, out, dout: (ops.zeros_like(x),)


class WithGradient(nn.Cell):
    def __init__(self, net):
        super().__init__()
        self.net = net

    def construct(self, x):
        return ops.GradOperation(get_all=True)(self.net)(x)


def test_a_primitive_with_rules_only():
    net = nn.SequentialCell(Product(GOOD), Loss := nn.Cell())
    Loss.construct = OnlyCompiled()
    for tried in (net, WithGradient(net)):
        assert _cell_graph_executor.compile(tried, X, phase="train") == ("train", True)
        with pytest.raises(NotImplementedError):
            tried(X)


def test_rules_of_a_primitive():
    described = OnlyCompiled().__infer__({"shape": [2, 3], "dtype": ms.float32, "value": None})
    assert described == {"shape": [2], "dtype": ms.float32, "value": None}

    class Constant(PrimitiveWithInfer):
        def infer_value(self, x):
            return 2 * x

    assert Constant("c")(3) == 6
