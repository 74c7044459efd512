"""Names of MindSpore's earlier versions work as they did there; the figures are MindSpore 1.10's and 2.0's."""

from __future__ import annotations

import functools
import subprocess
import sys
from contextlib import nullcontext

import numpy as np
import pytest

import torchspore as ms
from torchspore import earlier, nn, ops
from torchspore.earlier.mixed_precision import add_loss_network, keep_batchnorm_fp32

IMAGE = ms.Tensor(np.arange(24, dtype=np.float32).reshape(1, 2, 3, 4))


@pytest.fixture(autouse=True)
def _quiet():
    earlier._say.cache_clear()


def old(path):
    """Return an earlier name; it warns."""
    package, _, name = path.rpartition(".")
    with pytest.warns(RuntimeWarning, match=f"'mindspore.{path}' was in MindSpore up to"):
        return getattr(functools.reduce(getattr, package.split("."), ms), name)


@pytest.mark.parametrize(
    ("package", "name"), [(package, name) for package, names in earlier._names().items() for name in names]
)
def test_every_name_is_found(package, name):
    refuses = "why" in earlier._names()[package][name]
    with nullcontext() if refuses else pytest.warns(RuntimeWarning, match=f"{name}' was in MindSpore up to"):
        found = earlier.find(package, name)
    if refuses:
        with pytest.raises(NotImplementedError, match=f"For '{name}', MindSpore had it up to"):
            found()


@pytest.mark.parametrize(
    ("options", "given", "first"),
    [
        ({}, {"size": (5, 5)}, [0.0, 0.8, 1.6, 2.4, 3.0, 2.4, 3.2, 4.0, 4.8, 5.4]),
        ({}, {"scale_factor": 2}, [0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.0, 2.0, 2.5]),
        ({}, {"size": (5, 5), "align_corners": True}, [0.0, 0.75, 1.5, 2.25, 3.0, 2.0, 2.75, 3.5, 4.25, 5.0]),
        ({"half_pixel_centers": True}, {"size": (5, 5)}, [0.0, 0.7, 1.5, 2.3, 3.0, 1.6, 2.3, 3.1, 3.9, 4.6]),
    ],
)
def test_resize_bilinear(options, given, first):
    layer = old("nn.ResizeBilinear")(**options)
    np.testing.assert_allclose(layer(IMAGE, **given).asnumpy().ravel()[:10], first, rtol=1e-5)
    if "size" in given:
        resize = old("ops.ResizeBilinear")(given["size"], given.get("align_corners", False), **options)
        np.testing.assert_allclose(resize(IMAGE).asnumpy().ravel()[:10], first, rtol=1e-5)


@pytest.mark.parametrize(
    ("given", "kind"),
    [({}, ValueError), ({"size": (5, 5), "scale_factor": 2}, ValueError), ({"scale_factor": 1.5}, TypeError)],
)
def test_resize_bilinear_refuses(given, kind):
    with pytest.raises(kind, match="For 'ResizeBilinear'"):
        old("nn.ResizeBilinear")()(IMAGE, **given)


def test_tensor_array():
    array = old("nn.TensorArray")(ms.int64, ())
    array.write(0, 1)
    array.write(2, 3)
    assert array.read(2) == 3
    assert array.stack().tolist() == [1, 0, 3]
    with pytest.raises(ValueError, match=r"'value' must have the shape \(\)"):
        array.write(0, [1, 2])
    array.clear()
    assert array.size() == 0
    fixed = type(array)(ms.float32, (2,), dynamic_size=False, size=1)
    with pytest.raises(IndexError, match="'index' must be below 1"):
        fixed.write(1, [1.0, 2.0])


def test_others():
    norm, today = old("nn.GlobalBatchNorm")(2), nn.BatchNorm2d(2)
    np.testing.assert_array_equal(norm(IMAGE).asnumpy(), today(IMAGE).asnumpy())
    assert old("ops.pack") is ops.stack
    assert sorted(old("ops.random_shuffle")(ms.Tensor([3, 1, 2]), seed=1).tolist()) == [1, 2, 3]
    assert old("ops.ControlDepend")()(IMAGE, 2) == 2
    assert old("common.initializer.random_normal")((2, 3)).dtype == np.float32


@pytest.mark.parametrize(
    ("make", "kwargs"),
    [
        (functools.partial(nn.EmbeddingLookup, 3, 2), {"vocab_cache_size": 0}),
        (nn.SoftmaxCrossEntropyWithLogits, {"is_grad": False, "sparse": True}),
        (functools.partial(nn.BatchNorm3d, 2), {"data_format": "NCDHW"}),
        (functools.partial(nn.InstanceNorm2d, 2), {"use_batch_statistics": True}),
        (ms.dataset.vision.Decode, {"rgb": True}),
    ],
)
def test_arguments_that_are_gone(make, kwargs):
    name = next(iter(kwargs))
    with pytest.warns(RuntimeWarning, match=f"'{getattr(make, 'func', make).__name__}\\({name}=...\\)' was in"):
        made = make(**kwargs)
    assert type(made) is getattr(make, "func", make)
    with pytest.raises(TypeError, match="unexpected keyword argument 'nothing'"):
        make(nothing=1)


def test_it_is_said_once_with_the_users_line(tmp_path):
    (tmp_path / "program.py").write_text(
        "import mindspore\nfrom mindspore.nn import ResizeBilinear\nmindspore.nn.ResizeBilinear\n"
    )
    run = [sys.executable, "-m", "torchspore", str(tmp_path / "program.py")]
    said = subprocess.run(run, capture_output=True, text=True, check=True).stderr
    assert said.count("was in MindSpore up to 2.0") == 1
    assert "program.py:2: RuntimeWarning" in said


def test_names_that_no_version_had():
    with pytest.raises(AttributeError, match="has no attribute 'ResizeBilinears'"):
        _ = ms.nn.ResizeBilinears


@pytest.mark.filterwarnings("ignore:.* was in MindSpore")
def test_settings():
    ms.set_offload_context({"hbm_ratio": 0.5})
    assert ms.context.get_offload_context()["hbm_ratio"] == 0.5
    with pytest.raises(ValueError, match="For 'set_offload_context', 'offload_config' must have keys of"):
        ms.set_offload_context({"ratio": 1})
    assert ms.amp.init_status().tolist() == [0] * 8
    assert ms.common.MetaTensor(ms.float16, (2, 3), ms.common.initializer.One()).sum() == 6
    assert ms.common.MetaTensor(ms.float16, (2, 3)).sum() == 0
    assert [ms.issubclass_(ms.int32, kind) for kind in (ms.number, ms.int_, ms.float_)] == [True, True, False]


def test_fourier():
    with pytest.warns(RuntimeWarning):
        forward, back = ops.FFT3D(), ops.IFFT3D()
    real = ms.Tensor(np.random.default_rng(0).standard_normal((2, 3, 4)).astype(np.float32))
    np.testing.assert_allclose(forward(real).asnumpy(), np.fft.rfftn(real.asnumpy()), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(back(forward(real)).asnumpy(), 24 * real.asnumpy(), rtol=1e-4, atol=1e-4)


@pytest.mark.filterwarnings("ignore:.* was in MindSpore")
def test_primitives():
    positive, where = ops.ReLUV2()(ms.Tensor([-1.0, 2.0]))
    assert (positive.tolist(), where.tolist()) == ([0, 2], [0, 1])
    assert ops.MakeRefKey("name")() == "name"
    assert ops.control_depend(IMAGE, 2) == 2


@pytest.mark.filterwarnings("ignore:.* was in MindSpore")
def test_transforms():
    image = np.arange(24, dtype=np.uint8).reshape(2, 4, 3)
    assert (ms.dataset.vision.RgbToBgr()(image) == image[..., ::-1]).all()
    py = earlier.find("dataset.vision.py_transforms", "RgbToBgr")
    assert (py()(image.transpose(2, 0, 1)) == image[..., ::-1].transpose(2, 0, 1)).all()
    cut = earlier.find("dataset.vision.py_transforms", "Cutout")(8, 50)(np.ones((3, 8, 8), np.uint8))
    assert (cut[0] == cut[1]).all()
    assert (cut == 0).sum() > 0
    with pytest.raises(ValueError, match="an image must have three channels"):
        py(is_hwc=True)(image.transpose(2, 0, 1))
    with pytest.raises(TypeError, match="an image must be a NumPy array"):
        py()([1, 2])
    assert nn.LinSpace(1, 10, 4)().tolist() == [1, 4, 7, 10]
    data = ms.dataset.NumpySlicesDataset([image], shuffle=False).map(ms.dataset.vision.RgbToBgr())
    assert (next(data.create_tuple_iterator(output_numpy=True))[0] == image[..., ::-1]).all()


def test_records_by_their_earlier_name(tmp_path):
    path = str(tmp_path / "file.mindrecord")
    writer = ms.mindrecord.FileWriter(path, 1)
    writer.add_schema({"a": {"type": "int32"}}, "numbers")
    writer.write_raw_data([{"a": 3}])
    writer.commit()
    with pytest.warns(RuntimeWarning, match=r"'mindspore.dataset.MindDataset\(dataset_file=...\)' was in MindSpore up"):
        data = ms.dataset.MindDataset(dataset_file=path, columns_list=["a"])
    assert [row["a"] for row in data.create_dict_iterator(num_epochs=1, output_numpy=True)] == [3]
    with pytest.raises(TypeError, match="unexpected keyword argument 'file'"):
        ms.dataset.MindDataset(file=path)


@pytest.mark.parametrize(("name", "first"), [("MaxPool", [5, 7]), ("AvgPool", [2.5, 4.5])])
def test_pools_of_1_0(name, first):
    with pytest.warns(RuntimeWarning, match=rf"'mindspore.ops.{name}\(ksize=..., padding=...\)' was in MindSpore up"):
        pool = getattr(ops, name)(ksize=2, strides=2, padding="VALID")
    assert pool(IMAGE).asnumpy().ravel()[:2].tolist() == first


@pytest.mark.filterwarnings("ignore:.* was in MindSpore")
def test_caches_of_tokens():
    cache, rows = ms.ops.zeros((3, 1, 4, 2)), np.arange(6, dtype=np.float32).reshape(3, 1, 1, 2) + 1
    found = ops.DecoderKVCache()(cache, ms.Tensor(rows), ms.Tensor([2, -1, 0]), ms.Tensor([0, 1, 2]))
    expected = np.zeros((3, 1, 4, 2))
    expected[0, 0, 2], expected[2, 0, 0] = [1, 2], [5, 6]
    np.testing.assert_array_equal(found.asnumpy(), expected)
    np.testing.assert_array_equal(cache.asnumpy(), expected)
    prompts = np.ones((2, 1, 3, 2), np.float32)
    ops.PromptKVCache()(cache, ms.Tensor(prompts), ms.Tensor([3, 3]), ms.Tensor([1, -1]))
    expected[1, 0, :3] = 1
    np.testing.assert_array_equal(cache.asnumpy(), expected)


MODULES = [
    "from mindspore.nn.metrics.topk import TopKCategoricalAccuracy",
    "from mindspore.nn.metrics.metric import Metric, rearrange_inputs",
    "from mindspore.parallel.nn.transformer import VocabEmbedding",
    "from mindspore.compression.common import QuantDtype",
    "import mindspore.dataset.transforms.vision.c_transforms as C; C.Resize",
    "from mindspore.dataset.transforms.vision.py_transforms import ToTensor",
    "from mindspore.dataset import py_transforms; py_transforms.Compose",
    "from mindspore.ops.composite.clip_ops import clip_by_value",
    "from mindspore.ops._selected_ops import ReduceMean",
    "from mindspore.nn.acc import AutoAcc",
    "from mindspore.common.api import ms_function, ms_class",
    "from mindspore.ops.operations.sponge_ops import BondEnergy",
    "from mindspore.nn.layer.lstm import LSTM",
    "from mindspore.ops.operations._inner_ops import DecoderKVCache, PromptKVCache",
    "from mindspore.parallel._ps_context import _is_role_pserver, _is_ps_mode; assert not _is_ps_mode()",
    "from mindspore.nn.layer.basic import check_dense_input_shape",
    "from mindspore.parallel._ps_context import _insert_hash_table_size, _set_cache_size, _set_sparse_format",
    "from mindspore.train.amp import _add_loss_network, _config_level, _do_keep_batchnorm_fp32",
    "from mindspore.ops.operations._rl_inner_ops import BatchAssign, PriorityReplayBufferCreate",
]


def test_modules_that_are_gone(tmp_path):
    (tmp_path / "program.py").write_text("\n".join(MODULES))
    run = [sys.executable, "-m", "torchspore", str(tmp_path / "program.py")]
    assert subprocess.run(run, capture_output=True, text=True, check=False).returncode == 0


@pytest.mark.parametrize("level", ["O0", "O2", "O3"])
def test_the_parts_of_a_training_step_in_mixed_precision(level):
    settings = ms.amp._config_level[level]
    network = nn.SequentialCell(nn.Dense(2, 3), nn.BatchNorm1d(3))
    if settings["cast_model_type"] == ms.float16:
        network.to_float(ms.float16)
    if settings["keep_batchnorm_fp32"]:
        keep_batchnorm_fp32(network)
    loss = add_loss_network(network, nn.MSELoss(), settings["cast_model_type"])
    assert loss(ops.ones((4, 2), ms.float32), ops.ones((4, 3), ms.float32)).dtype == ms.float32
    assert network(ops.ones((4, 2), ms.float32)).dtype == settings["cast_model_type"]
    assert (settings["loss_scale_manager"] is not None) == (level == "O2")


def test_a_buffer_keeps_the_newest_rows():
    """As MindSpore 2.0's, which copies the wrong rows of several where they go beyond the end."""
    shapes, dtypes = [(2,), ()], [ms.float32, ms.int32]
    data = [ms.Parameter(ops.zeros((3, 2))), ms.Parameter(ops.zeros((3,), ms.int32))]
    count, head = (ms.Parameter(ms.Tensor(0, ms.int32), name=name) for name in ("count", "head"))
    append, get = old("ops.BufferAppend")(3, shapes, dtypes), old("ops.BufferGetItem")(3, shapes, dtypes)
    for number, places in enumerate([(1, 0), (2, 0), (3, 0), (3, 1)]):
        append(data, [ms.Tensor([number, 0.5]), ms.Tensor(number, ms.int32)], count, head)
        assert (count, head) == places
    append(data, [ms.Tensor([[4, 0.5], [5, 0.5]]), ms.Tensor([4, 5], ms.int32)], count, head)
    assert [get(data, count, head, index)[1] for index in (0, 1, 2, -1, ms.Tensor(-2))] == [3, 4, 5, 5, 4]
    assert get(data, count, head, 0)[0].tolist() == [3, 0.5]
    sample = old("ops.BufferSample")(3, 3, shapes, dtypes, seed=1, unique=True)
    assert sorted(sample(data, count, head)[1].tolist()) == [3, 4, 5]
    drawn = type(sample)(3, 2, shapes, dtypes)(data, count, head)
    assert drawn[0][:, 0].astype(ms.int32).tolist() == drawn[1].tolist()
    with pytest.raises(IndexError, match=r"'index' must be in \[-3, 2\]"):
        get(data, count, head, 3)
    with pytest.raises(ValueError, match="must have at least 3 rows"):
        sample(data, ms.Tensor(2), head)
    with pytest.raises(ValueError, match="must have the same length"):
        type(append)(3, shapes, dtypes[:1])


@pytest.mark.parametrize("name", ["cg", "bicgstab", "gmres"])
def test_iterative_solvers(name):
    """With a matrix, a sparse one and a function."""
    with pytest.warns(RuntimeWarning, match=f"'mindspore.scipy.sparse.linalg.{name}' was in"):
        solve = earlier.find("scipy.sparse.linalg", name)
    matrix, b = ms.Tensor([[4.0, 1.0, 0.5], [1.0, 3.0, 0.0], [0.5, 0.0, 2.0]]), ms.Tensor([1.0, -2.0, 3.0])
    for form in (matrix, matrix.to_csr(), lambda x: matrix @ x):
        x, info = solve(form, b, tol=1e-6)
        assert info == 0
        np.testing.assert_allclose((matrix @ x).asnumpy(), b.asnumpy(), atol=1e-5)
    assert solve(matrix, ops.zeros_like(b))[0].tolist() == [0, 0, 0]
    with pytest.raises(ValueError, match="'A' must be a square matrix"):
        solve(matrix[:2], b)
