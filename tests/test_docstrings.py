"""Every public name has a docstring, and every example in one runs and prints what it shows."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import pathlib
import pkgutil
import re
from typing import ParamSpec, TypeVar

import pytest

import torchspore
from torchspore import context

PACKAGES = [
    "torchspore", "torchspore.amp", "torchspore.boost", "torchspore.common", "torchspore.communication",
    "torchspore.dataset", "torchspore.dataset.audio", "torchspore.dataset.text", "torchspore.dataset.transforms",
    "torchspore.dataset.vision", "torchspore.debug",
    "torchspore.device_context.ascend", "torchspore.device_context.cpu", "torchspore.device_context.gpu",
    "torchspore.experimental.optim", "torchspore.experimental.optim.lr_scheduler", "torchspore.hal", "torchspore.log",
    "torchspore.mindrecord",
    "torchspore.mint", "torchspore.mint.distributed", "torchspore.mint.linalg", "torchspore.mint.nn",
    "torchspore.mint.nn.functional", "torchspore.mint.optim", "torchspore.mint.special", "torchspore.nn",
    "torchspore.numpy", "torchspore.numpy.fft", "torchspore.ops", "torchspore.parallel", "torchspore.parallel.mesh",
    "torchspore.parallel.nn",
    "torchspore.profiler", "torchspore.rewrite", "torchspore.runtime", "torchspore.safeguard", "torchspore.scipy.fft",
    "torchspore.scipy.linalg", "torchspore.scipy.optimize", "torchspore.train", "torchspore.metrics",
    "torchspore.utils",
]  # fmt: skip
# Classes of torch under their own names: torch documents them, or does not.
OF_TORCH = {"UntypedStorage"}
MODULES = sorted(
    info.name for info in pkgutil.walk_packages(torchspore.__path__, "torchspore.") if not info.name.endswith("__")
)


def documented(module):
    """Yield (name, docstring) of a module and all that it defines; operations are written by `exec`, so doctest's own
    search would pass them over."""
    yield module.__name__, module.__doc__
    for name, thing in vars(module).items():
        if getattr(thing, "__module__", None) != module.__name__ or isinstance(thing, TypeVar | ParamSpec):
            continue  # it is of another module, or has its class's docstring
        yield name, getattr(thing, "__doc__", None)
        if inspect.isclass(thing):
            for member_name, member in vars(thing).items():
                yield f"{name}.{member_name}", getattr(member, "__doc__", None)


@pytest.mark.slow
@pytest.mark.parametrize("name", [m for m in MODULES if m != "torchspore.as_mindspore"])
def test_examples(name, monkeypatch):
    monkeypatch.setattr(context, "_settings", dict(context._settings))  # examples change some
    module = importlib.import_module(name)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    for place, docstring in documented(module):
        if isinstance(docstring, str) and ">>>" in docstring:
            runner.run(doctest.DocTestParser().get_doctest(docstring, {}, f"{name}.{place}", None, 0))
    assert runner.failures == 0


@pytest.mark.parametrize("package", PACKAGES)
def test_public_names_are_documented(package):
    module = importlib.import_module(package)
    without = [
        name
        for name in module.__all__
        if name not in OF_TORCH
        and (inspect.isclass(getattr(module, name)) or inspect.isfunction(getattr(module, name)))
        and not inspect.getdoc(getattr(module, name))
    ]
    assert without == []


def found(path):
    """Return what a path below `torchspore` names, or None."""
    try:
        return pkgutil.resolve_name(f"torchspore.{path}")
    except (AttributeError, ImportError):
        return None


@pytest.mark.slow
def test_no_docstring_names_the_same_path_of_mindspore():
    """`torchspore.a.b` is `mindspore.a.b`: a line `MindSpore: ...` is for what is elsewhere."""
    line = re.compile(r"^ *MindSpore: `mindspore\.([\w.]+)`\.?$", re.M)
    repeated = [
        path
        for file in pathlib.Path(torchspore.__file__).parent.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, (ast.ClassDef, ast.FunctionDef))
        for path in line.findall(ast.get_docstring(node) or "")
        if path.rpartition(".")[2] == node.name and found(path)
    ]
    assert repeated == []
