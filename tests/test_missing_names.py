"""The error for a mistyped name suggests the nearest one, loads nothing, and is cheap."""

from __future__ import annotations

import copy
import importlib
import pickle
import sys

import pytest

import preloaded
import torchspore as ms
from torchspore import nn
from torchspore.common.names import missing_names

MISTYPED = [
    ("torchspore", "Tensr", "Tensor"),
    ("torchspore", "load_chekpoint", "load_checkpoint"),
    ("torchspore", "numpyy", "numpy"),
    ("torchspore.nn", "Dens", "Dense"),
    ("torchspore.nn", "dense", "Dense"),
    ("torchspore.nn", "Acuracy", "Accuracy"),
    ("torchspore.ops", "sofmax", "softmax"),
    ("torchspore.mint", "sofmax", "softmax"),
    ("torchspore.mint.nn", "Liner", "Linear"),
    ("torchspore.mint.nn.functional", "rleu", "relu"),
    ("torchspore.mint.linalg", "nrom", "norm"),
    ("torchspore.numpy", "linspce", "linspace"),
    ("torchspore.scipy.linalg", "cho_slove", "cho_solve"),
    ("torchspore.dataset", "GeneratorDatset", "GeneratorDataset"),
    ("torchspore.dataset.vision", "Resise", "Resize"),
    ("torchspore.train", "Modl", "Model"),
    ("torchspore.metrics", "Acuracy", "Accuracy"),
    ("torchspore.amp", "auto_mixed_precison", "auto_mixed_precision"),
    ("torchspore.common.initializer", "XavierUnifrom", "XavierUniform"),
    ("torchspore.common.dtype", "flot32", "float32"),
    ("torchspore.experimental.optim", "AdmW", "AdamW"),
]


@pytest.mark.parametrize(("package", "name", "meant"), MISTYPED)
def test_packages(package, name, meant):
    module = importlib.import_module(package)
    loaded = set(sys.modules)
    with pytest.raises(AttributeError) as caught:
        getattr(module, name)
    assert str(caught.value) == f"module '{package}' has no attribute '{name}'. Did you mean '{meant}'?"
    assert (caught.value.name, caught.value.obj) == (name, module)
    with pytest.raises(ImportError) as caught:
        exec(f"from {package} import {name}")
    assert f"cannot import name '{name}' from '{package}'" in str(caught.value)
    assert str(caught.value).endswith("?")
    assert set(sys.modules) == loaded


def test_nothing_is_near():
    with pytest.raises(AttributeError, match=r"^module 'torchspore.nn' has no attribute 'xyzzy'\.$"):
        _ = nn.xyzzy


def test_cells():
    net = nn.SequentialCell([nn.Dense(2, 3)])
    with pytest.raises(AttributeError, match=r"The 'Dense' object has no attribute 'wieght'\. Did you mean 'weight'\?"):
        _ = net[0].wieght
    net.layer = nn.ReLU()
    with pytest.raises(AttributeError, match=r"'SequentialCell' .*Did you mean 'layer'\?") as caught:
        _ = net.layr
    assert (caught.value.name, caught.value.obj) == ("layr", net)


@pytest.mark.slow
def test_tensors_leave_it_to_python():
    """A `__getattr__` of Tensor would slow all attributes down; Python suggests when it prints the error."""
    with pytest.raises(AttributeError) as caught:
        _ = ms.Tensor([1]).reshap
    assert (caught.value.name, type(caught.value.obj)) == ("reshap", ms.Tensor)
    done = preloaded.run("import torchspore as ms; ms.Tensor([1]).reshap")
    assert done.stderr.rstrip().endswith("Did you mean: 'reshape'?")


def test_probes_do_not_look_for_a_suggestion(monkeypatch):
    monkeypatch.setattr(missing_names, "suggestion", None)  # fails if it is called
    net = nn.Dense(2, 3)
    for probed in (net, nn, ms, ms.ops, ms.mint):
        for name in ("foo", "_private", "__wrapped__", "_repr_png_", "__array__", "_ipython_display_"):
            assert not hasattr(probed, name)
    copy.deepcopy(net)


def test_the_error_pickles():
    with pytest.raises(AttributeError) as caught:
        _ = nn.Dens
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_the_names_of_lazy_packages_are_those_packages_names():
    listed = {name for name in ms.__all__ if name in vars(ms)} | set(ms._NAMES) | ms._LAZY
    for package, names in ms._PACKAGES.items():
        assert names == set(importlib.import_module(f"torchspore.{package}").__all__) - listed, package
        listed |= names
