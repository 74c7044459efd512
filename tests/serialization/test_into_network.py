"""`load_param_into_net`: what is set, what is reported, and that an error changes nothing.

What MindSpore 2.10 does with the same arguments was looked up there; where TorchSpore differs on purpose, it is said.
"""

from __future__ import annotations

import logging

import numpy as np
import pytest

import torchspore as ms
from torchspore import nn

F = np.float32


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.d = nn.Dense(2, 3)
        self.e = nn.Dense(3, 1, has_bias=False)


class One(nn.Cell):
    def __init__(self, value):
        super().__init__()
        self.w = ms.Parameter(value)


SHAPES = {"d.weight": (3, 2), "d.bias": (3,), "e.weight": (1, 3)}
NAMES = list(SHAPES)


def values(prefix="", value=1.0, names=NAMES):
    return {prefix + name: ms.Parameter(ms.Tensor(np.full(SHAPES[name], value, F))) for name in names}


# The dictionary; what the parameters are then, None for unchanged; not loaded; not used.
LOADED = {
    "all": (values(), [1, 1, 1], [], []),
    "more": ({**values(), "x": ms.Parameter(1.0)}, [1, 1, 1], [], ["x"]),
    "fewer": (values(names=["d.weight"]), [1, None, None], ["d.bias", "e.weight"], []),
    "none": ({}, [None, None, None], NAMES, []),
    "strings": ({**values(), "s": "text"}, [1, 1, 1], [], ["s"]),
    "a string for a parameter": ({**values(), "d.bias": "text"}, [1, None, 1], ["d.bias"], ["d.bias"]),
    "tensors": ({name: ms.Tensor(value) for name, value in values().items()}, [1, 1, 1], [], []),
    "a prefix": (values("pre."), [1, 1, 1], [], [f"pre.{name}" for name in NAMES]),
    "a long prefix": (values("net.a."), [1, 1, 1], [], [f"net.a.{name}" for name in NAMES]),
    "the first of two prefixes": (
        {**values("y.", 2), **values("x.")},
        [2, 2, 2],
        [],
        [f"{prefix}.{name}" for prefix in "yx" for name in NAMES],
    ),
    "prefixes of some": (
        {**values("pre.", 3, NAMES[:1]), **values("", 2, ["d.bias"])},
        [3, 2, None],
        ["e.weight"],
        ["pre.d.weight"],
    ),
    "several prefixes": (
        {**values("x.", 2, NAMES[:1]), **values("y.", 3, NAMES[1:])},
        [2, 3, 3],
        [],
        ["x.d.weight", "y.d.bias", "y.e.weight"],
    ),
    # MindSpore takes these:
    "no prefix, for want of a dot": (values("pre"), [None] * 3, NAMES, [f"pre{name}" for name in NAMES]),
    "moments are not weights": (
        {**values("", 2, NAMES[:2]), **values("moments.", 7)},
        [2, 2, None],
        ["e.weight"],
        [f"moments.{name}" for name in NAMES],
    ),
    # MindSpore raises an error here:
    "another shape behind a prefix": (
        {"x.d.bias": ms.Parameter(ms.Tensor(np.ones(5, F)))},
        [None] * 3,
        NAMES,
        ["x.d.bias"],
    ),
}


@pytest.mark.parametrize("case", LOADED)
def test_loaded(case):
    given, expected, missing, unused = LOADED[case]
    net = Net()
    before = [parameter.asnumpy().copy() for parameter in net.get_parameters()]
    assert ms.load_param_into_net(net, given) == (missing, unused)
    for parameter, old, value in zip(net.get_parameters(), before, expected):
        np.testing.assert_array_equal(parameter.asnumpy(), old if value is None else np.full(old.shape, value, F))


def test_strict_loading_takes_no_prefixes():
    net = Net()
    assert ms.load_param_into_net(net, values("pre."), strict_load=True) == (NAMES, [f"pre.{name}" for name in NAMES])
    assert ms.load_param_into_net(net, values(), strict_load=True) == ([], [])


def test_a_network_with_longer_names_takes_none():
    class Outer(nn.Cell):
        def __init__(self):
            super().__init__()
            self.backbone = Net()

    assert ms.load_param_into_net(Outer(), values()) == ([f"backbone.{name}" for name in NAMES], NAMES)


def test_training_steps_and_optimizers():
    net = Net()
    optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer)
    missing, unused = ms.load_param_into_net(step, values())
    assert set(missing) & set(NAMES) == set()
    assert "moments.d.weight" in missing
    assert unused == []
    np.testing.assert_array_equal(net.e.weight.asnumpy(), np.ones((1, 3), F))
    assert ms.load_param_into_net(optimizer, {p.name: p.clone() for p in optimizer.get_parameters()}) == ([], [])


FLOATS = ["float16", "float32", "float64", "bfloat16"]
INTS = ["int8", "int16", "int32", "int64"]
OTHERS = ["bool_", "uint8", "uint16", "complex64", "complex128"]


@pytest.mark.parametrize("target", [*FLOATS, *INTS, *OTHERS])
@pytest.mark.parametrize("source", [*FLOATS, *INTS, *OTHERS])
def test_types(source, target):
    """Floating point types, and signed integers, are converted into each other, unless loading is strict."""
    net = One(ms.Tensor([2, 2], getattr(ms, target)))
    given = {"w": ms.Parameter(ms.Tensor([1, 0], getattr(ms, source)))}
    convertible = source == target or any(source in kind and target in kind for kind in (FLOATS, INTS))
    if source == target:
        assert ms.load_param_into_net(net, given, strict_load=True) == ([], [])
    else:
        with pytest.raises(RuntimeError, match=r"'w' has the data type .*, but .* in the network"):
            ms.load_param_into_net(net, given, strict_load=True)
    if convertible:
        assert ms.load_param_into_net(net, given) == ([], [])
        assert net.w.dtype is getattr(ms, target)
        np.testing.assert_array_equal(net.w.astype(ms.complex64).asnumpy(), [1, 0])
    else:
        with pytest.raises(RuntimeError, match="'w' has the data type"):
            ms.load_param_into_net(net, given)


@pytest.mark.parametrize(
    ("shape", "given", "fits"),
    [((), (1,), True), ((1,), (), False), ((1, 1), (1,), False), ((3, 1), (1, 3), False), ((3,), (4,), False)],
)
def test_shapes(shape, given, fits):
    """One element may stand for a scalar; MindSpore gives the parameter that shape, here it keeps its own."""
    net = One(ms.Tensor(np.zeros(shape, F)))
    given = {"w": ms.Parameter(ms.Tensor(np.ones(given, F)))}
    if fits:
        assert ms.load_param_into_net(net, given) == ([], [])
        np.testing.assert_array_equal(net.w.asnumpy(), np.ones(shape, F))
    else:
        with pytest.raises(RuntimeError, match=r"'w' has the shape \(.*\), but \(.*\) in the network"):
            ms.load_param_into_net(net, given)


def test_an_error_changes_nothing_and_names_all():
    net = Net()
    before = [parameter.asnumpy().copy() for parameter in net.get_parameters()]
    wrong = {**values(), "d.bias": ms.Parameter(ms.Tensor([1, 2, 3])), "e.weight": ms.Parameter(ms.Tensor([1.0]))}
    with pytest.raises(RuntimeError) as error:
        ms.load_param_into_net(net, wrong)
    assert "'d.bias' has the data type Int64, but Float32 in the network" in str(error.value)
    assert "'e.weight' has the shape (1,), but (1, 3) in the network" in str(error.value)
    assert all((old == new.asnumpy()).all() for old, new in zip(before, net.get_parameters()))


def test_parameters_keep_their_memory_and_flags():
    net = Net()
    memory = net.d.weight._t.data_ptr()
    net.d.weight.requires_grad = False
    ms.load_param_into_net(net, values())
    assert net.d.weight._t.data_ptr() == memory
    assert not net.d.weight.requires_grad
    assert net.d.weight.name == "d.weight"


def test_parameters_of_the_network_itself_may_change_places():
    net = nn.SequentialCell(nn.Dense(2, 2), nn.Dense(2, 2))
    first, second = (cell.weight.asnumpy().copy() for cell in net)
    ms.load_param_into_net(net, {"0.weight": net[1].weight, "1.weight": net[0].weight})
    np.testing.assert_array_equal(net[0].weight.asnumpy(), second)
    np.testing.assert_array_equal(net[1].weight.asnumpy(), first)


def test_what_is_not_found_is_logged_with_close_names(caplog):
    with caplog.at_level(logging.WARNING):
        ms.load_param_into_net(Net(), {**values(names=NAMES[:2]), "e.weigth": ms.Parameter(1.0)})
    assert "1 parameters of the network were not loaded: 'e.weight' (close: 'e.weigth')" in caplog.text
    caplog.clear()
    ms.load_param_into_net(Net(), values("pre."))
    assert "3 parameters were loaded from names with a prefix: 'd.weight' from 'pre.d.weight'" in caplog.text
    caplog.clear()
    ms.load_param_into_net(Net(), {**values(), "moments.d.weight": ms.Parameter(1.0)})
    assert caplog.text == ""


@pytest.mark.parametrize(
    ("message", "arguments"),
    [
        ("'net' must be a Cell", (3, {})),
        ("'parameter_dict' must be a dict", (Net(), [ms.Parameter(1.0)])),
        ("'a key of parameter_dict' must be a string", (Net(), {3: ms.Parameter(1.0)})),
        ("'parameter_dict\\['d.bias'\\]' must be a Tensor or a string", (Net(), {"d.bias": np.ones(3)})),
        ("'parameter_dict\\['d.bias'\\]' must be a Tensor or a string", (Net(), {"d.bias": 3})),
        ("'strict_load' must be a bool", (Net(), {}, 3)),
        ("'remove_redundancy' must be a bool", (Net(), {}, False, 3)),
        ("remove_redundancy=True is not supported", (Net(), {}, False, True)),
    ],
)
def test_errors(message, arguments):
    with pytest.raises(TypeError, match=f"^For 'load_param_into_net', .*{message}"):
        ms.load_param_into_net(*arguments)
