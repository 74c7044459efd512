"""Make `import mindspore` import TorchSpore.

Import this module before the first `import mindspore`, at the top of a program or in a `conftest.py`:

    import torchspore.as_mindspore
    import mindspore as ms
    from mindspore.ops import functional as F

From then on `mindspore` is the module `torchspore`, `mindspore.nn` is `torchspore.nn`, and so on. They are the same
module objects under a second name, so each class exists once, for `isinstance` and for pickles. Classes show the names
of MindSpore's modules, as in `<class 'mindspore.nn.layer.basic.Dense'>`. Pickles of objects do not need this module:
TorchSpore reads them without it, and MindSpore reads tensors, parameters and data types. `COUNTERPARTS` lists the
paths of MindSpore that TorchSpore organizes differently, such as `mindspore.ops.operations.nn_ops`. Modules are loaded
on first use.

A program of an earlier year may declare its version, before it imports `mindspore`:

    import torchspore
    torchspore.as_mindspore(version="1.10")

Operations, layers and methods of tensors whose arguments or results meant something else then have the meaning of that
version, its names are used without warnings, cells are printed as it printed them, programs of MindSpore 1 begin in
GRAPH_MODE, and NumPy has names of that time, such as `numpy.int`. `TORCHSPORE_MINDSPORE=1.10` in the environment does
the same.

`mindspore.__version__` and `importlib.metadata` return the MindSpore version that has this API, for programs that
require one, or the declared one. `hyper_parallel`, MindSpore's library for networks on meshes, is `parallel.mesh` if it
is not installed.

The effect lasts for this process and those that `multiprocessing` starts from it. A spawned process begins with a new
Python and the `sys.path` of this one, to which a folder is added whose `mindspore.py` imports this module again.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from difflib import get_close_matches
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from importlib.metadata import Distribution
from pathlib import Path
from types import ModuleType
from typing import Any

import torchspore
import torchspore.mindspore_names as mindspore_names
from torchspore import earlier
from torchspore import version as versions
from torchspore.common.names import class_modules
from torchspore.common.names.loading import load, one_import

__all__ = ["COMPATIBLE_VERSION", "COUNTERPARTS", "DECLARED_BY", "declare"]

COMPATIBLE_VERSION = "2.10.0"  # plain numbers: programs split it at the dots

DECLARED_BY = "TORCHSPORE_MINDSPORE"
"""The environment variable with the version of MindSpore that the program was written for."""

_OURS = "torchspore"
_THEIRS = "mindspore"
_ON_MESHES = "hyper_parallel"

# TorchSpore's module, and the modules of MindSpore whose public names it offers (both without the root). A path that
# both projects give the same meaning needs no entry.
_STANDS_FOR = {
    "_c_dataengine": "dataset.core.datatypes",
    "amp": "train.amp train.loss_scale_manager",
    "amp.strategies": "_c_expression.amp",
    "common": "common.dump",
    "common.dtype": "dtype",
    "common.open_shape": "common.symbol graph.symbol",
    "common.random": "common.seed",
    "common.sparse": "common.sparse_tensor",
    "common.type_numbers": "_c_expression.typing",
    "communication": "communication.management",
    "dataset": """
        dataset.engine dataset.engine.cache_client dataset.engine.datasets dataset.engine.datasets_audio
        dataset.engine.datasets_standard_format dataset.engine.datasets_text dataset.engine.datasets_user_defined
        dataset.engine.datasets_vision dataset.engine.samplers dataset.samplers
    """,
    "dataset.pipeline.callbacks": "dataset.callback dataset.callback.ds_callback",
    "dataset.argument_rules": "dataset.core.validator_helpers",
    "dataset.config": "dataset.core.config",
    "dataset.dataloader": """
        dataset.dataloader.dataloader dataset.dataloader.dataset dataset.dataloader.distributed
        dataset.dataloader.sampler dataset.dataloader._utils.collate
    """,
    "dataset.outputs.iterators": "dataset.engine.iterators",
    "dataset.debug": "dataset.debug.debug_hook dataset.debug.pre_defined_hook",
    "dataset.outputs.serializing": "dataset.engine.serializer_deserializer",
    "dataset.audio": "dataset.audio.transforms dataset.audio.utils",
    "dataset.text": "dataset.text.transforms dataset.text.utils",
    "dataset.transforms": """
        dataset.transforms.transforms dataset.transforms.c_transforms dataset.transforms.py_transforms
    """,
    "dataset.utils": "dataset.utils.browse_dataset dataset.utils.line_reader",
    "dataset.vision": "dataset.vision.transforms dataset.vision.utils dataset.vision.c_transforms",
    "earlier.transformer": """
        nn.transformer nn.transformer.transformer parallel._transformer parallel._transformer.transformer
    """,
    "earlier.transformer.layers": """
        nn.transformer.layers nn.transformer.loss parallel._transformer.layers parallel._transformer.loss
    """,
    "earlier.transformer.settings": """
        nn.transformer.moe nn.transformer.op_parallel_config parallel._transformer.moe
        parallel._transformer.op_parallel_config
    """,
    "engine.gradients.custom": "common._grad_function common.recompute",
    "engine.dynamic": "common.dynamic_shape.enable_dynamic graph.dynamic_shape.enable_dynamic",
    "engine.inline": "common.lazy_inline common.no_inline graph.lazy_inline graph.no_inline",
    "engine.api": "common.api graph.api graph.custom_pass",
    "engine.jit": "common.dynamic_shape graph graph.dynamic_shape",
    "engine.jit_config": "common.jit_config graph.jit_config",
    "engine.arguments.mutable": "common.mutable graph.mutable",
    "experimental.optim": """
        experimental.optim.adadelta experimental.optim.adagrad experimental.optim.adamax experimental.optim.adamw
        experimental.optim.asgd experimental.optim.nadam experimental.optim.radam experimental.optim.rmsprop
        experimental.optim.rprop
    """,
    "mint": "ops.functional_overload",
    "mint.distributed": "mint.distributed.distributed",
    "mint.nn": """
        mint.nn.layer mint.nn.layer.activation mint.nn.layer.basic mint.nn.layer.conv mint.nn.layer.normalization
        mint.nn.layer.padding mint.nn.layer.pooling
    """,
    "mint.nn.functional": "mint.functional",
    "mint.optim": "mint.optim.adam mint.optim.adamw mint.optim.fused_adamw mint.optim.sgd",
    "nn": """
        nn.grad nn.grad.cell_grad nn.sparse nn.sparse.sparse nn.utils nn.utils.init
        nn.layer.activation nn.layer.basic nn.layer.channel_shuffle nn.layer.combined nn.layer.container nn.layer.conv
        nn.layer.dense nn.layer.embedding nn.layer.image nn.layer.math nn.layer.padding
        nn.layer.pooling nn.layer.rnns nn.layer.timedistributed nn.layer.transformer
        nn.optim.ada_grad nn.optim.adasum nn.optim.lars nn.optim.lazyadam nn.optim.proximal_ada_grad
        nn.optim.tft_wrapper
        nn.wrap.grad_reducer nn.wrap.loss_scale
    """,
    "nn.layer.recurrent_cells": "nn.layer.rnn_cells",
    "nn.optim.second_order": "nn.optim.thor",
    "nn.probability.bijector": """
        nn.probability.bijector.bijector nn.probability.bijector.exp nn.probability.bijector.gumbel_cdf
        nn.probability.bijector.invert nn.probability.bijector.power_transform nn.probability.bijector.scalar_affine
        nn.probability.bijector.softplus
    """,
    "nn.probability.bnn_layers": """
        nn.probability.bnn_layers.bnn_cell_wrapper
        nn.probability.bnn_layers.conv_variational nn.probability.bnn_layers.dense_variational
        nn.probability.bnn_layers.layer_distribution
    """,
    "nn.probability.distribution": """
        nn.probability.distribution.bernoulli nn.probability.distribution.beta nn.probability.distribution.categorical
        nn.probability.distribution.cauchy nn.probability.distribution.distribution
        nn.probability.distribution.exponential nn.probability.distribution.gamma nn.probability.distribution.geometric
        nn.probability.distribution.gumbel nn.probability.distribution.half_normal nn.probability.distribution.laplace
        nn.probability.distribution.log_normal nn.probability.distribution.logistic nn.probability.distribution.normal
        nn.probability.distribution.poisson nn.probability.distribution.student_t
        nn.probability.distribution.transformed_distribution nn.probability.distribution.uniform
    """,
    "nn.probability.distribution.checks": "nn.probability.distribution._utils.utils",
    "numpy.steps": "numpy.utils numpy.utils_const",
    "numpy": "numpy.array_creations numpy.array_ops numpy.logic_ops numpy.math_ops",
    "numpy.types": "numpy.dtypes",
    "ops": """
        ops.composite ops.composite.base ops.composite.math_ops ops.primitive
        ops.function ops.function.array_func ops.function.clip_func ops.function.debug_func ops.function.fft_func
        ops.function.grad ops.function.grad.grad_func ops.function.image_func ops.function.linalg_func
        ops.function.math_func ops.function.nn_func ops.function.other_func ops.function.parameter_func
        ops.function.random_func ops.function.sparse_func ops.function.sparse_unary_func ops.function.spectral_func
        ops.function.vmap_func ops.extend ops.functional
        ops.operations ops.operations._csr_ops ops.operations._inner_ops
        ops.operations.array_ops ops.operations.comm_ops
        ops.operations.control_ops ops.operations.custom_ops ops.operations.debug_ops ops.operations.image_ops
        ops.operations.inner_ops ops.operations.linalg_ops ops.operations.math_ops ops.operations.nn_ops
        ops.operations.other_ops ops.operations.random_ops ops.operations.sparse_ops ops.operations.spectral_ops
    """,
    "ops.auto_generate": """
        ops._utils ops._utils.arg_dtype_cast ops.auto_generate.gen_ops_def ops.auto_generate.gen_ops_prim
        ops.auto_generate.pyboost_inner_prim ops.operations._infer_ops
    """,
    "ops.distributed.functions": "ops.function.comm_func",
    "ops.compat.multitype": """
        ops.composite.multitype_ops ops.composite.multitype_ops.add_impl
        ops.composite.multitype_ops.bitwise_and_impl ops.composite.multitype_ops.bitwise_or_impl
        ops.composite.multitype_ops.bitwise_xor_impl ops.composite.multitype_ops.div_impl
        ops.composite.multitype_ops.equal_impl ops.composite.multitype_ops.floordiv_impl
        ops.composite.multitype_ops.getitem_impl ops.composite.multitype_ops.greater_equal_impl
        ops.composite.multitype_ops.greater_impl ops.composite.multitype_ops.in_impl
        ops.composite.multitype_ops.invert_impl ops.composite.multitype_ops.left_shift_impl
        ops.composite.multitype_ops.less_equal_impl ops.composite.multitype_ops.less_impl
        ops.composite.multitype_ops.logical_and_impl ops.composite.multitype_ops.logical_not_impl
        ops.composite.multitype_ops.logical_or_impl ops.composite.multitype_ops.mod_impl
        ops.composite.multitype_ops.mul_impl ops.composite.multitype_ops.negative_impl
        ops.composite.multitype_ops.not_equal_impl ops.composite.multitype_ops.not_in_impl
        ops.composite.multitype_ops.ones_like_impl ops.composite.multitype_ops.pow_impl
        ops.composite.multitype_ops.right_shift_impl ops.composite.multitype_ops.setitem_impl
        ops.composite.multitype_ops.sub_impl ops.composite.multitype_ops.uadd_impl
        ops.composite.multitype_ops.zeros_like_impl
    """,
    "ops.compat.kernel_descriptions": "ops.op_info_register",
    "ops.compat.primitive_cache": "ops._primitive_cache",
    "ops.compat.private_functions": "common._register_for_tensor scipy.ops_wrapper",
    "ops.compat.python_classes": "ops.operations._scalar_ops ops.operations._sequence_ops",
    "ops.compat.registries": "ops._register_for_op ops._grad_experimental.grad_base",
    "ops.compat.signatures": "ops.signature",
    "parallel": """
        parallel.algo_parameter_config parallel.checkpoint_convert parallel.checkpoint_transform
        parallel.parameter_broadcast parallel.shard parallel.transform_safetensors
    """,
    "profiler": "profiler.common profiler.common.constant profiler.profiler",
    "rewrite.nodes": "rewrite.api.node",
    "rewrite.patterns": "rewrite.api.pattern_engine",
    "rewrite.symbol_tree": "rewrite.api.symbol_tree",
    "rewrite.values": "rewrite.api.node_type rewrite.api.scoped_value",
    "runtime": "runtime.executor",
    "runtime.device_manager": "device_manager",
    "runtime.limits": "runtime.device_limit runtime.stream_limit",
    "runtime.stream": "hal.event hal.stream runtime.event",
    "scipy.optimize": "scipy.optimize.line_search scipy.optimize.linear_sum_assignment scipy.optimize.minimize",
    "serialization": "train.serialization",
    "train": """
        train.data_sink train.dataset_helper
    """,
    "train.callback": """
        train.callback._backup_and_restore train.callback._early_stop
        train.callback._flops_collector train.callback._history train.callback._lambda_callback
        train.callback._loss_monitor train.callback._lr_scheduler_callback train.callback._on_request_exit
        train.callback._reduce_lr_on_plateau train.callback._summary_collector train.callback._time_monitor
        train.callback._train_fault_tolerance
    """,
    "train.callback.callback": "train.callback._callback",
    "train.callback.checkpoint": "train.callback._checkpoint",
    "train.summary": "train.summary.summary_record",
    "mindrecord.categories": "mindrecord.mindpage",
    "mindrecord.converters": """
        mindrecord.tools mindrecord.tools.cifar100_to_mr mindrecord.tools.cifar10_to_mr mindrecord.tools.csv_to_mr
        mindrecord.tools.imagenet_to_mr mindrecord.tools.mnist_to_mr
    """,
    "mindrecord.encryption": "mindrecord.config",
    "mindrecord.enums": "mindrecord.common.enums",
    "mindrecord.errors": "mindrecord.common.exceptions",
    "mindrecord.reader": "mindrecord.filereader",
    "mindrecord.tfrecord": "mindrecord.tools.tfrecord_to_mr",
    "mindrecord.writer": "mindrecord.filewriter",
    "metrics": """
        nn.metrics train.metrics
        train.metrics.accuracy train.metrics.bleu_score train.metrics.cosine_similarity train.metrics.dice
        train.metrics.fbeta train.metrics.hausdorff_distance train.metrics.loss train.metrics.mean_surface_distance
        train.metrics.perplexity train.metrics.precision train.metrics.recall
        train.metrics.root_mean_square_surface_distance
    """,
}

# Private functions of MindSpore's `ops` that packages import, and where they are.
_STEPS = {
    name: module
    for module, names in {
        "attention.multihead_steps": """
            _check_attn_mask_shape _check_kpm_shape _check_qkv_shape _in_projection _in_projection_packed
            _inner_dropout _inner_pad multi_head_attention_forward
        """,
        "compat.private_functions": """
            _get_seed _innner_log_softmax _run_op _set_prim_op_user_data _tensor_getitem _tensor_getitem_origin
            _tensor_setitem _tensor_setitem_origin argmax_with_value_impl argmin_with_value_impl core
            get_1d_shape get_broadcast_shape infer_value_for_BroadcastTo new_ones new_zeros
        """,
        "control.custom_functions": "custom_vjp",
        "compat.virtual_primitives": "_MirrorOperator _VirtualDataset _VirtualDiv _VirtualOutput",
        "image.resizing": "_interploate_ext_make_tuple _interpolate_ext_scale_factor_convert_size",
    }.items()
    for name in names.split()
}

_PRIVATE_IN_NN = {"_BatchNorm": "layer.normalization", "_Loss": "loss.loss", "_activation": "layer.activation"}

COUNTERPARTS = {
    path: ours for ours, paths in (*_STANDS_FOR.items(), *earlier.MODULES.items()) for path in paths.split()
}
"""MindSpore's module paths, each with the TorchSpore module that stands for it."""


_INTERNAL = f"{_OURS}.engine.capture."  # other processes, which have no `mindspore`, read objects of these classes
_with_classes: set[str] = set()  # the modules whose classes bear MindSpore's names
_modules_seen = 0  # the length of sys.modules when no class was left to name, so that a look-up need not scan it
_declared: str | None = None  # the version of MindSpore that the program was written for, if it is not today's
_own_specs: dict[str, ModuleSpec | None] = {}  # of the modules that have been imported by a name of MindSpore
_with_names: set[ModuleType] = set()  # the modules that answer for names of MindSpore


class _Finder(MetaPathFinder):
    """Finds the TorchSpore module behind `mindspore` and every path below it.

    It never declines such a name: the finders after it would load TorchSpore's files a second time. It loads nothing:
    Python holds a lock of all imports meanwhile, so that other threads would wait for each other.
    """

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != _THEIRS and not fullname.startswith(f"{_THEIRS}."):
            return None
        below = fullname[len(_THEIRS) + 1 :]
        ours = f"{_OURS}.{COUNTERPARTS.get(below, below)}" if below else _OURS
        own_spec = _own_spec(ours)
        if own_spec is None and _has_names(below):
            return ModuleSpec(fullname, _NamesLoader(), is_package=_is_package(below))
        if own_spec is None:
            raise ModuleNotFoundError(_absent(fullname), name=fullname)
        spec = ModuleSpec(fullname, _Loader(ours), origin=own_spec.origin)
        spec.submodule_search_locations = own_spec.submodule_search_locations
        return spec

    def find_distributions(self, context: Any = None) -> Iterable[Distribution]:
        """Answer `importlib.metadata.version("mindspore")`, with which packages ask whether MindSpore is there."""
        name = getattr(context, "name", None)
        return [_Distribution()] if name is None or name.lower() == _THEIRS else []


class _MeshFinder(MetaPathFinder):
    """Finds MindSpore's library `hyper_parallel`, where it is not installed: its modules have names of ours."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if path or fullname.partition(".")[0] != _ON_MESHES:  # a library that is installed has paths
            return None
        return ModuleSpec(fullname, _MeshLoader(), is_package=True)


class _MeshLoader(Loader):
    """Makes a module of `hyper_parallel`, with some names of ours."""

    def exec_module(self, module: ModuleType) -> None:
        ours = load(f"{_OURS}.parallel.mesh.{_ON_MESHES}")
        names = ours.names_of(module.__name__[len(_ON_MESHES) + 1 :])
        if names is None:
            raise ModuleNotFoundError(f"No module named {module.__name__!r}", name=module.__name__)
        vars(module).update(names, __all__=[name for name in names if not name.startswith("_")])


class _Distribution(Distribution):
    """What `importlib.metadata` says of MindSpore."""

    def read_text(self, filename: str) -> str | None:
        return f"Name: {_THEIRS}\nVersion: {versions.__version__}\n" if filename == "METADATA" else None

    def locate_file(self, path: Any) -> Any:
        return Path(str(torchspore.__file__)).parent.parent / path


class _Loader(Loader):
    """Loads a TorchSpore module for a MindSpore name: the module itself, not a copy."""

    def __init__(self, ours: str) -> None:
        self._ours = ours

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        with one_import:
            module = load(self._ours)
            # The import system is about to put the spec of the MindSpore name there.
            self._own_spec = _own_specs.setdefault(self._ours, module.__spec__)
            return _shown(module)

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self._own_spec
        if self._ours == _OURS:
            with suppress(ImportError):  # MindSpore loads it: programs write `PIL.Image` after `import PIL`
                importlib.import_module("PIL.Image")
        _bind_loaded()


class _NamesLoader(Loader):
    """Makes a module for a path that TorchSpore has no module for: its names are looked up one by one."""

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return mindspore_names.NamesModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        pass


class _Callable(ModuleType):
    """This module, which a program may call as a function: `torchspore.as_mindspore(version="1.8")`."""

    def __call__(self, version: str | None = None) -> None:
        if version is not None:
            declare(version)


def declare(version: str) -> None:
    """Declare the version of MindSpore that the program was written for.

    Args:
        version: the version, as in "1.8". One that is not before today's changes nothing.

    Raises:
        ValueError: `version` is not a version.
        RuntimeError: `mindspore` has been imported already, or another version is declared.
    """
    global _declared
    full = version if version.count(".") > 1 else f"{version}.0"
    if not earlier.is_before(full, COMPATIBLE_VERSION) and _declared is None:
        return
    if _declared not in (None, full):
        raise RuntimeError(f"The program has declared MindSpore {_declared}, so it cannot declare {full}, too.")
    if _declared is None and _THEIRS in sys.modules:
        raise RuntimeError(f"The version of MindSpore must be declared before the first 'import {_THEIRS}'.")
    is_new = _declared is None
    _declared = torchspore.__version__ = versions.__version__ = full
    if is_new:
        earlier.declare(full)
    os.environ[DECLARED_BY] = version  # for processes that this one starts


def _shown(module: ModuleType) -> ModuleType:
    """Return a module of ours as a program sees it under its name in MindSpore."""
    if _declared is None or not f"{module.__name__}.".startswith(f"{_OURS}."):
        return module
    from torchspore.earlier.modules import as_declared

    return as_declared(module)


def _has_names(path: str) -> bool:
    """Return whether some version of MindSpore had a module at a path, with or without names of its own."""
    return mindspore_names.has_module(path) or path in earlier.paths() or _is_package(path)


def _is_package(path: str) -> bool:
    """Return whether some version of MindSpore had modules below a path."""
    below = f"{path}."
    return mindspore_names.is_package(path) or any(
        known.startswith(below) for known in (*COUNTERPARTS, *earlier.paths())
    )


def _own_spec(ours: str) -> ModuleSpec | None:
    """Return the spec of a module of ours, which is not loaded for that."""
    spec: ModuleSpec | None = torchspore.__spec__
    places: Sequence[str] | None = torchspore.__path__
    name = _OURS
    for part in ours.split(".")[1:]:
        name = f"{name}.{part}"
        spec = PathFinder.find_spec(name, places) if places else None
        places = spec.submodule_search_locations if spec else None
    return spec


def _absent(fullname: str) -> str:
    prefix = f"{_THEIRS}."
    paths = [name.removeprefix(prefix) for name in list(sys.modules) if name.startswith(prefix)]
    close = get_close_matches(fullname.removeprefix(prefix), paths, cutoff=0.8)
    hint = f" Did you mean {' or '.join(repr(prefix + path) for path in close)}?" if close else ""
    return f"TorchSpore has no counterpart of {fullname!r} yet.{hint}"


def _bind_loaded() -> None:
    with one_import:
        _bind()


def _bind() -> None:
    """Enter every loaded TorchSpore module under its MindSpore names.

    MindSpore's packages load their modules themselves, so programs reach them as attributes without importing them
    (`ms.ops.operations.ReLU`). And where a package has a function of the same name as a module in it
    (`common.tensor`), importing that module afresh would overwrite the function: one entered here is only looked up.
    """
    for name, module in list(sys.modules.items()):
        path = name[len(_OURS) + 1 :]
        if name.startswith(f"{_OURS}.") and path not in COUNTERPARTS and _is_ready(module):
            sys.modules.setdefault(f"{_THEIRS}.{path}", _shown(module))
            _add_names(path, module)
    _name_classes()
    for path in sorted(COUNTERPARTS):  # packages before what is in them
        package_path, _, child = f"{_THEIRS}.{path}".rpartition(".")
        package, counterpart = sys.modules.get(package_path), sys.modules.get(f"{_OURS}.{COUNTERPARTS[path]}")
        if package is not None and counterpart is not None:
            sys.modules[f"{_THEIRS}.{path}"] = _shown(counterpart)
            package = getattr(package, "_today", package)
            if isinstance(vars(package).get(child, counterpart), ModuleType):  # but not a function of that name
                setattr(package, child, counterpart)


def _bind_new() -> None:
    """Do the same if modules were loaded since: a look-up of a name may load the module that has it.

    While another thread imports, nothing is entered: that thread will do it when it is done.
    """
    if len(sys.modules) != _modules_seen and one_import.acquire(blocking=False):
        try:
            _bind()
        finally:
            one_import.release()


def _is_ready(module: ModuleType) -> bool:
    return not getattr(module.__spec__, "_initializing", False)


def _name_classes() -> None:
    """Let the classes that are loaded say that they are from the modules of MindSpore that define them."""
    global _modules_seen
    count = len(sys.modules)  # at the start: looking for a class may load more
    loaded = [name for name in list(sys.modules) if name.startswith(f"{_OURS}.") and not name.startswith(_INTERNAL)]
    new = set(loaded) - _with_classes
    ready = {name for name in new if _is_ready(sys.modules[name])}
    _with_classes.update(ready)
    for name in ready:
        for key, kind in list(vars(sys.modules[name]).items()):
            own = isinstance(kind, type) and kind.__module__ == name and kind.__qualname__ == key
            if own and (path := _path_of_class(name[len(_OURS) + 1 :], key, kind)):
                class_modules.show_as(kind, f"{_THEIRS}.{path}")
    _modules_seen = count if ready == new else 0


def _path_of_class(path: str, name: str, kind: type) -> str:
    """Return the path of MindSpore's module that defines a class, else of our module; "" if neither offers it."""
    package = path.partition(".")[0]
    known = mindspore_names.defining_modules().get(name, ())
    for candidate in (*sorted(known, key=lambda it: (it != path, it.partition(".")[0] != package)), path):
        ours = sys.modules.get(f"{_OURS}.{COUNTERPARTS.get(candidate, candidate)}")
        if ours is not None and mindspore_names.own(ours, name) is kind:
            return candidate
    return ""


def _add_names(path: str, module: ModuleType) -> None:
    """Let a module answer for the names that MindSpore's modules have for which it stands."""
    stands_for = [path, *_STANDS_FOR.get(path, "").split(), *earlier.MODULES.get(path, "").split()]
    if module not in _with_names and any(
        mindspore_names.has_module(place) or place in earlier.paths() for place in stands_for
    ):
        _with_names.add(module)
        mindspore_names.add_names(module, stands_for, _bind_new)
        if not hasattr(module, "__path__") and any(map(_is_package, stands_for)):
            module.__path__ = []  # so that modules below it can be imported


def _find_in_nn(name: str) -> Any:
    """Answer for layers that are `mint`'s under MindSpore's names in `nn`, and for private names."""
    if name in _PRIVATE_IN_NN:
        return getattr(load(f"{_OURS}.nn.{_PRIVATE_IN_NN[name]}"), name)
    mint_name = name.removesuffix("Ext")
    if mint_name != name:
        found = getattr(load(f"{_OURS}.mint.nn"), mint_name, None)
        if found is not None:
            return found
    return _find_lazily_in_nn(name)


def _find_in_common(name: str) -> Any:
    """Answer for what MindSpore has in `common` as well as at the top."""
    at_once = name in torchspore.__all__ and name in vars(torchspore)
    public = at_once or name in torchspore._NAMES  # type: ignore[attr-defined]  # stubs lack it
    found = getattr(torchspore, name, None) if public else None
    if found is None or isinstance(found, ModuleType):
        return _find_lazily_in_common(name)
    return found


def _find_in_ops(name: str) -> Any:
    """Answer for operations that MindSpore's `ops` has in addition to its public names."""
    if name == "functional_overload":
        return load(f"{_OURS}.mint")
    if name in _STEPS:
        return getattr(load(f"{_OURS}.ops.{_STEPS[name]}"), name)
    found = getattr(load(f"{_OURS}.ops.auto_generate"), name, None)
    return _find_lazily_in_ops(name) if found is None else found


if sys.modules.get(_THEIRS, torchspore) is not torchspore:
    raise ImportError(
        "MindSpore itself is already imported in this program. Import 'torchspore.as_mindspore' before the first "
        "'import mindspore'."
    )
torchspore.__version__ = versions.__version__ = COMPATIBLE_VERSION
sys.meta_path.insert(0, _Finder())
sys.meta_path.append(_MeshFinder())
sys.path.insert(1, str(Path(str(torchspore.__file__)).parent / "for_spawned_processes"))
_find_lazily_in_nn = vars(torchspore.nn)["__getattr__"].today
_find_lazily_in_ops = vars(torchspore.ops)["__getattr__"].today
_find_lazily_in_common = vars(torchspore.common)["__getattr__"].today
# What `import *` takes from two packages of MindSpore that offer the names of others, too.
for _package, _others in ((torchspore.nn, torchspore.metrics), (torchspore.common, torchspore)):
    _offered = set(mindspore_names.public_names(_package.__name__.partition(".")[2]))
    vars(_package)["__all__"] += [name for name in _others.__all__ if name in _offered.difference(_package.__all__)]
vars(torchspore.nn)["__getattr__"] = _find_in_nn
vars(torchspore.common)["__getattr__"] = _find_in_common
for _path in COUNTERPARTS:  # functions that MindSpore has in modules of their names: `common.mutable` is the function
    if _path.startswith("common.") and _path[7:] in torchspore.__all__:
        vars(torchspore.common).setdefault(_path[7:], getattr(torchspore, _path[7:]))
vars(load(f"{_OURS}.ops"))["__getattr__"] = _find_in_ops
_add_names("", torchspore)
sys.modules[__name__].__class__ = _Callable
if os.environ.get(DECLARED_BY):
    declare(os.environ[DECLARED_BY])
