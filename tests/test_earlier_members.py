"""Methods that earlier versions had; the figures are MindSpore 1.10's."""

from __future__ import annotations

import numpy as np
import pytest

import preloaded
import torchspore as ms
from torchspore import earlier, nn
from torchspore.common.initializer import Initializer, One, initializer

X = ms.Tensor([[1.0, 2.0]])


def data():
    rows = [(np.ones((i, 2), np.float32), np.ones((5, i), np.int32)) for i in (1, 2, 3)]
    return ms.dataset.GeneratorDataset(rows, ["x", "y"], shuffle=False)


def net():
    return nn.SequentialCell(nn.Dense(2, 3, weight_init="ones", has_bias=False))


def parameter():
    return ms.Parameter(X, name="weight")


def ones():
    made = One()
    made.shape, made.dtype = (2,), ms.float32
    return made


CALLS = [  # an object, the method, its arguments, and the result
    (parameter, "set_param_ps", (True,), None),
    (parameter, "set_param_fl", (True, True, False), None),
    (net, "set_param_ps", (True, True), None),
    (net, "set_param_fl", (True,), None),
    (net, "place", ("MS_WORKER", 0), None),
    (net, "set_auto_parallel", (), None),
    (net, "remove_redundant_parameters", (), None),
    (net, "load_parameter_slice", (None,), None),
    (net, "set_parallel_input_with_inputs", (X,), None),
    (net, "do_parameter_broadcast", (), None),
    (net, "flatten_weights", (1024,), None),
    (net, "cast_param", (3,), 3),
    (net, "auto_cast_inputs", ((X,),), [X.tolist()]),
    (net, "run_construct", ((X,), {}), [[3, 3, 3]]),
    (lambda: initializer("ones", (2,), ms.float32), "to_tensor", (), [1, 1]),
    (ones, "to_tensor", (), [1, 1]),
    (data, "close_pool", (), None),
    (data, "notify_watchdog", (), None),
    (data, "get_sync_notifiers", (), {}),
    (data, "set_dynamic_columns", ({"x": [None, 2]},), None),
]


@pytest.fixture(autouse=True)
def _quiet():
    earlier._say.cache_clear()


def called(made, method, *args):
    found = getattr(made, method)
    with pytest.warns(RuntimeWarning, match=rf"'mindspore.*\.{method}' was in MindSpore up to .* Today: "):
        return found(*args)


@pytest.mark.parametrize(("make", "method", "args", "expected"), CALLS)
def test_methods_that_are_gone(make, method, args, expected):
    found = called(make(), method, *args)
    found = [each.tolist() for each in found] if isinstance(found, tuple) else found
    assert (found.tolist() if isinstance(found, ms.Tensor) else found) == expected
    with pytest.raises(TypeError):
        getattr(make(), method)(*[None] * 9, foo=1)


def test_inputs_in_the_precision_of_a_cell():
    assert called(net().to_float(ms.float16), "auto_cast_inputs", (X,))[0].dtype == ms.float16


def test_parameters_of_the_process():
    network = net()
    assert called(network, "infer_param_pipeline_stage") == network.trainable_params()
    assert network.parallel_parameter_name_list == ()


@pytest.mark.filterwarnings("ignore:.* was in MindSpore")
def test_sizes_of_rows():
    columns = {"x": [None, 2], "y": [5, None]}
    rows = data()
    rows.set_dynamic_columns(columns)
    assert rows.dynamic_min_max_shapes() == ([[1, 2], [5, 1]], [[3, 2], [5, 3]])
    for wrong, words in [
        ({}, "name the columns by 'set_dynamic_columns' first"),
        ({"x": [None, 2]}, "rows of 'y' have different shapes"),
        ({**columns, "z": [1]}, "columns must be among x, y, but got z"),
        ({**columns, "x": [None, 3]}, r"rows of 'x' must have the shape \[None, 3\], but got \(1, 2\)"),
    ]:
        rows.set_dynamic_columns(wrong)
        with pytest.raises(RuntimeError, match=words):
            rows.dynamic_min_max_shapes()
    with pytest.raises(TypeError, match="'columns' must be a dict of shapes by column, but got"):
        rows.set_dynamic_columns([1])


@pytest.mark.filterwarnings("ignore:.* was in MindSpore")
def test_a_dataset_that_sends_rows():
    sends = data().to_device(send_epoch_end=False)
    assert type(sends) is type(data().device_que())
    assert sends.get_dataset_size() == 3


@pytest.mark.parametrize("made", [X, parameter(), net(), Initializer(), data()])
def test_methods_that_no_version_had(made):
    with pytest.raises(AttributeError, match="set_param_xyz"):
        _ = made.set_param_xyz
    assert not hasattr(type(made), "to_tensor")


def test_methods_of_a_declared_version():
    done = preloaded.run(
        "import torchspore\ntorchspore.as_mindspore(version='1.10')\n"
        "import mindspore as ms\n"
        "from mindspore.common.initializer import initializer\n"
        "assert initializer('ones', (2,), ms.float32).to_tensor().tolist() == [1, 1]\n"
        "ms.nn.Dense(2, 3).set_auto_parallel()\n"
        "ms.Parameter(ms.Tensor(1.0)).set_param_ps()\n"
    )
    assert done.returncode == 0, done.stderr
    assert "was in MindSpore" not in done.stderr
