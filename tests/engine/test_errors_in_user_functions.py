"""An error in a function of the user's is the user's: no function of ours that runs it takes the blame.

The functions that take functions are found by the names of their parameters.
"""

from __future__ import annotations

import importlib
import inspect
import itertools
import re

import numpy as np
import pytest

import torchspore as ms
import torchspore.dataset as ds
from torchspore import Parameter, Tensor, nn, ops, train
from torchspore.experimental.optim import lr_scheduler

PACKAGES = [
    ".", ".ops", ".mint", ".mint.nn", ".mint.nn.functional", ".nn", ".numpy", ".scipy.linalg", ".scipy.optimize",
    ".amp", ".train", ".boost", ".experimental.optim", ".experimental.optim.lr_scheduler", ".runtime", ".hal",
    ".profiler", ".parallel", ".dataset", ".dataset.transforms", ".utils",
]  # fmt: skip
TAKEN = re.compile(
    r"(^|_)(fns?|func|funcs|functions?|fun|callables?|callbacks?|hooks?|operation|predicate|bprop|forward|(?<!num_)ops)$"
)
X = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)


class Mine(Exception):
    pass


def failing(own):
    """Return a function that fails in an operation or by itself, and knows whether it was called."""

    def fails(*args, **kwargs):
        fails.called = True
        if own:
            raise Mine("mine")
        return ops.matmul(ops.ones((2, 3)), ops.ones((2, 3)))

    fails.called = False
    return fails


def trained(*callbacks):
    data = ds.NumpySlicesDataset((X, X), ["x", "y"], shuffle=False).batch(1)
    net = nn.Dense(2, 2)
    train.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params())).train(1, data, callbacks=list(callbacks))


def hooked(register, run=lambda net: ms.grad(lambda x: net(x).sum())(Tensor(X))):
    def way(function):
        net = nn.Dense(2, 2)
        getattr(net, register)(function)
        return run(net)

    return way


def in_init(function):
    class Net(nn.Cell):
        @ms.lazy_inline
        def __init__(self):
            super().__init__()
            function()

    return Net()


def with_saved(function):
    with ms.saved_tensors_hooks(function, function):
        return ms.grad(lambda x: (x * x).sum())(Tensor(X))


def on_a_tensor(function):
    def loss(x):
        y = x * 2
        y.register_hook(function)
        return y.sum()

    return ms.grad(loss)(Tensor(X))


def chosen(function, tmp_path):
    path = str(tmp_path / "net.ckpt")
    ms.save_checkpoint(nn.Dense(2, 2), path)
    return ms.load_checkpoint(path, choice_func=function)


def callback(function):
    return type("Called", (train.Callback,), {"step_end": lambda self, context: function()})()


# Functions that need more than arguments of common types before they call what they are given.
WAYS = {
    "Tensor.register_hook": on_a_tensor,
    "lazy_inline": in_init,
    "saved_tensors_hooks": with_saved,
    "LearningRateScheduler": lambda f: trained(train.LearningRateScheduler(f)),
    "Model.train": lambda f: trained(callback(f)),
    "data_sink": lambda f: ms.data_sink(f, ds.NumpySlicesDataset([X], ["x"]))(),
    "load_checkpoint": chosen,
    "ops.HookBackward": lambda f: ms.grad(lambda x: (ops.HookBackward(f)(x) * 2).sum())(Tensor(X)),
    **{f"nn.Cell.register_{name}": hooked(f"register_{name}") for name in (
        "backward_hook", "backward_pre_hook", "forward_hook", "forward_pre_hook")},
    **{f"nn.Cell.register_state_dict_{when}_hook":
       hooked(f"register_state_dict_{when}_hook", lambda net: net.state_dict()) for when in ("pre", "post")},
    **{f"nn.Cell.register_load_state_dict_{when}_hook":
       hooked(f"register_load_state_dict_{when}_hook", lambda net: net.load_state_dict(nn.Dense(2, 2).state_dict()))
       for when in ("pre", "post")},
    "scipy.optimize.minimize":
        lambda f: importlib.import_module("torchspore.scipy.optimize").minimize(f, Tensor([1.0, 2.0]), method="bfgs"),
    "experimental.optim.lr_scheduler.CyclicLR": lambda f: lr_scheduler.CyclicLR(
        ms.experimental.optim.SGD([Parameter(Tensor([1.0]))], 0.1), 0.1, 0.2, scale_fn=f).step(),
    "dataset.Dataset.map": lambda f: list(ds.NumpySlicesDataset(X, ["x"]).map(f, ["x"])),
    "dataset.Dataset.bucket_batch_by_length": lambda f: list(
        ds.NumpySlicesDataset(X, ["x"]).bucket_batch_by_length(["x"], [2], [1, 1], f)),
    "dataset.GeneratorDataset": lambda f: list(ds.GeneratorDataset(f, ["x"])),
}  # fmt: skip

# Functions that do not call it, or whose tests are elsewhere.
NOT_CALLED = {
    "it takes cells or names": "build_train_network Model scipy.optimize.OptimizeResults "
    "experimental.optim.LBFGS experimental.optim.Muon Model.eval Model.fit",
    "it needs files of several processes, or such a process": "load_segmented_checkpoints unified_safetensors shard "
    "load_checkpoint_async",
    "it reads the function's code": "ops.kernel rearrange_inputs",
    "it changes or encrypts graphs of other formats": "export",
    "it is refused": "nn.Cell.recompute",
    "what the methods of `train.Model` and `saved_tensors_hooks` do": "register_saved_tensors_hooks "
    "nn.Cell.register_saved_tensors_hooks nn.Cell.register_parameter_forward_hook",
    "it is called in the steps of data pipelines, see tests/dataset": "dataset.Dataset.sync_wait",
}

_POOL = [lambda: Tensor(X), lambda: 2, lambda: (Tensor(X[0]),), lambda: (0,), lambda: nn.Dense(2, 2), lambda: "mean",
         lambda: [ms.float32]]  # fmt: skip


def _members():
    for path in PACKAGES:
        package = importlib.import_module(f"torchspore{path.rstrip('.')}")
        for name in package.__all__:
            kind = getattr(package, name, None)
            yield f"{path}.{name}".lstrip("."), kind
            if name in ("Tensor", "Cell", "Model", "Dataset"):
                for method, function in inspect.getmembers(kind):
                    if not method.startswith("_"):
                        yield f"{path}.{name}.{method}".lstrip("."), function


def _found():
    """Return the functions and classes by name, each with the parameters that are functions."""
    found, seen = {}, set()
    for name, value in _members():
        if not callable(value) or id(value) in seen:
            continue
        seen.add(id(value))
        try:
            parameters = inspect.signature(value).parameters.values()
        except (TypeError, ValueError):
            continue
        taken = [p for p in parameters if TAKEN.search(p.name) and p.kind is not p.VAR_KEYWORD]
        if taken:
            found[name] = (value, [p for p in parameters if p.name != "self"], taken)
    return found


FOUND = _found()
EXCEPTIONS = {name for names in NOT_CALLED.values() for name in names.split()}


def _target(name, value):
    owner, _, method = name.rpartition(".")
    made = {"Tensor": lambda: Tensor(X), "nn.Cell": lambda: nn.Dense(2, 2),
            "dataset.Dataset": lambda: ds.NumpySlicesDataset(X, ["x"])}  # fmt: skip
    return getattr(made[owner](), method) if owner in made else value


def _uses(result, function):
    """Yield the ways to use what a function returned: to call it, to iterate over it, to differentiate it."""
    x = Tensor(X)
    if callable(result):
        for args in ((), (x,), (x, x), (x, x, x), ((x, x),), (0, 2, function, x), (function, function, x)):
            yield lambda args=args: result(*args)
    if isinstance(result, ds.Dataset):
        yield lambda: list(result.create_tuple_iterator(num_epochs=1))
    if isinstance(result, tuple) and result and callable(result[-1]):
        yield lambda: result[-1](x)


def _error(call, function):
    """Return the error of a call, if it called the function."""
    try:
        return call(), None
    except Exception as error:
        return None, error if function.called else None


def _attempts(name, function):
    """Yield the calls of a function, with arguments of common types for what it requires."""
    value, parameters, taken = FOUND[name]
    target = _target(name, value)
    required = [p for p in parameters if p.default is p.empty and p not in taken and p.kind is p.POSITIONAL_OR_KEYWORD]
    optional = [[p] for p in taken if p.default is not p.empty] or [[]]
    for extra in optional:
        given = dict.fromkeys([p.name for p in taken if p.default is p.empty] + [p.name for p in extra], function)
        for others in itertools.islice(itertools.product(_POOL, repeat=len(required)), 60):
            yield lambda others=others, given=given: target(
                **given, **{p.name: make() for p, make in zip(required, others)}
            )


def _first_error(name, function):
    for attempt in _attempts(name, function):
        result, error = _error(attempt, function)
        pending = [result]
        for _ in range(2):  # decorators return what makes the function
            results, pending = pending, []
            for each in results:
                for use in _uses(each, function):
                    if error is None and not function.called:
                        made, error = _error(use, function)
                        pending.append(made)
        if error is not None or function.called:
            return error
    return None


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("name", [name for name in FOUND if name not in EXCEPTIONS])
def test_an_error_names_what_the_user_called(name, own, tmp_path):
    function = failing(own)
    if name in WAYS:
        with pytest.raises(Exception) as caught:  # noqa: PT011 - what it is is checked below
            WAYS[name](*[function, tmp_path][: WAYS[name].__code__.co_argcount])
        error = caught.value
    else:
        error = _first_error(name, function)
    assert function.called, "add it to WAYS, or to NOT_CALLED"
    text = str(error)
    expected = [type(error) is Mine, text == "mine"] if own else [text.startswith("For 'matmul'")]
    assert all(expected) or ("function 'fails'" in text and ("Mine: mine" if own else "For 'matmul'") in text), text


def test_exceptions_are_found():
    assert (EXCEPTIONS | set(WAYS)) <= set(FOUND)
