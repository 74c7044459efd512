"""Public modules show MindSpore's names and reviewed ones of ours, nothing that they import for their own use."""

from __future__ import annotations

import importlib
import sys

import pytest

from test_exports import PACKAGES
from torchspore import mindspore_names

MODULES = [
    "common.dtype", "common.initializer", "context", "log", "multiprocessing", "nn.dynamic_lr",
    "nn.learning_rate_schedule", "parallel.nn", "train.callback", "train.summary",
]  # fmt: skip
# MindSpore computes these names, so that its modules do not define them.
COMPUTED = {
    "": "ValueType convert_checkpoint_by_rank convert_checkpoints rank_list_for_convert set_op_strategy_config",
    "common.dtype": "all_types complex_type float_type int_type number_type signed_type uint_type",
    "multiprocessing": "reducer",
    "numpy": "numeric_types",
    "scipy.optimize": "LagrangeResults LineSearchResults OptimizeResults",
    "train": "flops_collection load_mindir save_mindir",
}
# What MindSpore does not have.
OURS = {
    "": "ProgressBar ResumeTraining load_training_state save_training_state summary",
    "context": "DeviceInfo get_current_device set_device",
    "dataset.text": "Implementation TextTensorOperation",
    "dataset.transforms": "PyTransform TensorOperation",
    "experimental.optim": "LBFGS Lion Muon",
    "mint.optim": "LBFGS",
    "nn.layer": "GraphCell SparseTensorDenseMatmul SparseToDense",
    "train": "ProgressBar ResumeTraining load_training_state save_training_state",
    "train.callback": "ProgressBar",
}
ELSEWHERE = {"metrics": "train.metrics", "serialization": "train.serialization"}
WITHOUT_COUNTERPART = {"debug", "parallel.mesh"}


def _paths():
    paths = [*(package.partition(".")[2] for package in PACKAGES), *MODULES]
    return [path for path in paths if path not in WITHOUT_COUNTERPART]


def _module(path):
    return importlib.import_module(f"torchspore.{path}".rstrip("."))


@pytest.mark.parametrize("path", _paths())
def test_names(path):
    module, around = _module(path), path.rpartition(".")[0]
    places = [ELSEWHERE.get(path, path), *([around] if around else [])]
    if path == "ops":  # it has the names of the modules below, too
        places += [place for place in mindspore_names._modules() if place.startswith("ops.")]
    theirs = {name for place in places for name in mindspore_names.public_names(place)}
    known = {*theirs, *COMPUTED.get(path, "").split(), *OURS.get(path, "").split()}
    for names in (dir(module), module.__all__):
        shown = {name for name in names if not name.startswith("_") and f"{module.__name__}.{name}" not in sys.modules}
        assert shown - known == set()


@pytest.mark.parametrize("path", _paths())
def test_what_is_public_is_shown(path):
    assert {*_module(path).__all__} - {*dir(_module(path))} == set()


@pytest.mark.parametrize("path", [*COMPUTED, *OURS])
def test_the_reviewed_names_are_needed(path):
    reviewed = {*COMPUTED.get(path, "").split(), *OURS.get(path, "").split()}
    assert reviewed - {*_module(path).__all__} == set()
    assert reviewed & {*mindspore_names.public_names(path)} == set()


@pytest.mark.parametrize("path", ["", "mint", "mint.linalg", "mint.nn", "mint.nn.functional", "nn", "ops", "numpy"])
def test_helpers_are_hidden(path):
    assert {"annotations", "set_public_names", "publish", "op", "Any", "importlib", "torch"} & {
        *dir(_module(path))
    } == set()
