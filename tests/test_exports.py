"""The packages' lists of public names: they exist, once each, and no family's names are missing."""

from __future__ import annotations

import builtins
import importlib
import inspect
import pkgutil

import pytest

import torchspore

PACKAGES = [
    "torchspore", "torchspore.boost", "torchspore.common", "torchspore.communication", "torchspore.dataset",
    "torchspore.dataset.audio", "torchspore.dataset.text", "torchspore.dataset.transforms",
    "torchspore.dataset.vision", "torchspore.debug",
    "torchspore.device_context.ascend", "torchspore.device_context.cpu", "torchspore.device_context.gpu",
    "torchspore.experimental", "torchspore.experimental.optim", "torchspore.experimental.optim.lr_scheduler",
    "torchspore.hal", "torchspore.mindrecord", "torchspore.mint",
    "torchspore.mint.distributed", "torchspore.mint.linalg", "torchspore.mint.nn", "torchspore.mint.nn.functional",
    "torchspore.mint.nn.layer", "torchspore.mint.optim", "torchspore.mint.special", "torchspore.nn",
    "torchspore.nn.layer", "torchspore.nn.loss", "torchspore.nn.optim", "torchspore.nn.probability",
    "torchspore.nn.probability.bijector", "torchspore.nn.probability.bnn_layers",
    "torchspore.nn.probability.distribution", "torchspore.nn.wrap",
    "torchspore.numpy", "torchspore.numpy.fft", "torchspore.ops", "torchspore.parallel", "torchspore.parallel.mesh",
    "torchspore.parallel.nn",
    "torchspore.profiler", "torchspore.rewrite", "torchspore.runtime", "torchspore.safeguard", "torchspore.scipy",
    "torchspore.scipy.fft", "torchspore.scipy.linalg", "torchspore.scipy.optimize", "torchspore.train",
    "torchspore.metrics", "torchspore.serialization", "torchspore.utils",
]  # fmt: skip
# What the families have in common, and names that are public in their module only.
INTERNAL = {
    "torchspore.experimental.optim.optimizer", "torchspore.nn.cell_graph", "torchspore.nn.cell_hooks",
    "torchspore.nn.cell_markup",
    "torchspore.nn.cell_parallel", "torchspore.nn.cell_precision",
    "torchspore.nn.cell_state", "torchspore.nn.layer.checks",
    "torchspore.nn.layer.planned", "torchspore.nn.layer.thor_conversion", "torchspore.nn.layer.window_products",
    "torchspore.nn.member_operations", "torchspore.nn.optim.fused", "torchspore.nn.precision",
    "torchspore.nn.probability.distribution.base",
    "torchspore.nn.probability.distribution.functions", "torchspore.nn.probability.parametric",
    "torchspore.nn.saved_tensors", "torchspore.train.second_order_steps",
    "torchspore.numpy.arrays", "torchspore.ops.attention.masks_and_scores", "torchspore.ops.attention.generated",
    "torchspore.ops.auto_generate", "torchspore.ops.losses.cell_losses", "torchspore.ops.losses.ctc_kernel",
    "torchspore.ops.array.division", "torchspore.ops.compat.generated_forms", "torchspore.ops.updates.loss_scaling",
    "torchspore.ops.recurrent.layer_operation",
    "torchspore.ops.recurrent.lstm_kernel", "torchspore.ops.attention.multihead", "torchspore.ops.array.overloads",
    "torchspore.ops.updates.generated", "torchspore.ops.experts.quantization", "torchspore.ops.recurrent.cells",
    "torchspore.ops.random.stateless", "torchspore.ops.updates.tensor_lists", "torchspore.ops.updates.recorded",
    "torchspore.ops.conv.windows", "torchspore.ops.updates.update_primitive", "torchspore.ops.updates.rules",
    "torchspore.ops.compat.multitype", "torchspore.ops.compat.python_classes",
    "torchspore.ops.compat.private_primitives", "torchspore.ops.compat.python_values",
    "torchspore.ops.compat.parameters", "torchspore.ops.compat.private_kernels",
    "torchspore.ops.image.regions", "torchspore.ops.neural.fake_quantization",
    "torchspore.ops.distributed.agreement", "torchspore.ops.distributed.exchanges",
    "torchspore.ops.distributed.meeting",
    "torchspore.ops.neural.channel_statistics",
    "torchspore.ops.recurrent.flat", "torchspore.ops.updates.rows", "torchspore.ops.distributed.starting",
    "torchspore.ops.sparse.csr_kernels", "torchspore.ops.sparse.kernels",
    *[
        f"torchspore.ops.gradients.{name}"
        for name in (
            "blocks", "derived", "formulas", "images", "normalization", "pull_back", "recurrent", "shapes", "windows",
        )
    ],
    *[
        f"torchspore.ops.updates.rules.{name}"
        for name in ("adam", "arithmetic", "descent", "layers", "matrices", "scaled", "signs")
    ],
}  # fmt: skip
UNEXPORTED = {
    "CellModule", "ModuleCell", "as_cell", "as_module", "call_with_tensors", "cells", "modules", "pair", "parameter_of",
    "refresh", "swapping", "torch_parameter_of",
    "CommonHeadLastFN", "CompiledFunction", "Count", "LearningRateSchedule", "gradient_accumulation_op",
    "gradient_clear_op", "in_graphs", "is_mapped", "opt_init_args_register", "principal_components", "run_mapped",
}  # fmt: skip
# Packages of packages: the one that exports the names too; by default the top one.
EXPORTING = {
    "torchspore.experimental.optim": "torchspore.experimental.optim",
    "torchspore.experimental.optim.lr_scheduler": "torchspore.experimental.optim.lr_scheduler",
    "torchspore.mint.nn": "torchspore.mint.nn",
    "torchspore.mint.nn.functional": "torchspore.mint.nn.functional",
    "torchspore.mint.nn.layer": "torchspore.mint.nn",
    "torchspore.mint.optim": "torchspore.mint.optim",
    "torchspore.nn.probability.distribution": "torchspore.nn.probability.distribution",
}
FAMILIES = [
    info.name
    for info in pkgutil.walk_packages(torchspore.__path__, "torchspore.")
    if info.name.split(".")[1] in ("boost", "experimental", "mint", "nn", "numpy", "ops")
    and info.name not in {*PACKAGES, *INTERNAL}
    and not (info.ispkg and info.name.startswith("torchspore.ops."))
]


@pytest.mark.parametrize("package", PACKAGES)
def test_public_names_exist(package):
    module = importlib.import_module(package)
    assert [name for name in module.__all__ if not hasattr(module, name)] == []
    assert len(set(module.__all__)) == len(module.__all__)


def test_no_module_hides_an_operation():
    """Importing a module binds its name in the package."""
    assert [name for name in torchspore.ops.__all__ if inspect.ismodule(getattr(torchspore.ops, name))] == []


@pytest.mark.parametrize("family", FAMILIES)
def test_packages_have_the_names_of_their_families(family):
    names = set(importlib.import_module(family).__all__) - UNEXPORTED
    package, top = family.rpartition(".")[0], ".".join(family.split(".")[:2])
    if package.startswith("torchspore.ops."):  # a group of families, which exports nothing itself
        package = top
    for exporting in (package, EXPORTING.get(package, top)):
        assert names - set(importlib.import_module(exporting).__all__) == set(), exporting


def test_a_star_imports_what_is_documented_and_hides_nothing_of_python():
    names: dict[str, object] = {}
    exec("from torchspore import *", names)
    assert {"Model", "Tensor", "export", "jit", "load_checkpoint", "nn", "ops", "float32"} <= set(names)
    assert [name for name in names if name in vars(builtins) and name != "__builtins__"] == []
    assert [name for name in names if name.startswith("_")] == ["__builtins__", "__version__"]
