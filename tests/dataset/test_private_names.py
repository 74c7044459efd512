"""Names that programs import from below MindSpore's packages: functions of transforms, bases, cleaning up."""

from __future__ import annotations

import numpy as np
import pytest

import torchspore as ms  # noqa: F401 - expressions use it, and the next
import torchspore._c_dataengine as engine  # noqa: F401
import torchspore.dataset as ds
from torchspore.dataset import argument_rules as rules  # noqa: F401 - expressions use it
from torchspore.dataset import audio, transforms, vision
from torchspore.dataset import inner_names as names
from torchspore.dataset.outputs import iterators
from torchspore.dataset.transforms import py_transforms_util as wrappers

pytest.importorskip("PIL")

from PIL import Image

from torchspore.dataset.vision import py_transforms_util as functions

PIXELS = np.zeros((6, 8, 3), np.uint8) + np.array([50, 9, 7], np.uint8)
PICTURE = Image.fromarray(PIXELS)
WAVE = np.zeros((2, 16), np.float32)

# What MindSpore's functions return: the shape, and one value
CALLS = [
    ("adjust_brightness(p, 2.0)", (6, 8, 3), [100, 18, 14]), ("invert_color(p)", (6, 8, 3), [205, 246, 248]),
    ("resize(p, (3, 4))", (3, 4, 3), [50, 9, 7]), ("center_crop(p, 3)", (3, 3, 3), [50, 9, 7]),
    ("crop(p, 1, 2, 3, 4)", (3, 4, 3), [50, 9, 7]), ("pad(p, (1, 2, 3, 4), 0, 'constant')", (12, 12, 3), [0, 0, 0]),
    ("grayscale(p, 1)", (6, 8), None), ("horizontal_flip(p)", (6, 8, 3), [50, 9, 7]),
    ("hwc_to_chw(a)", (3, 6, 8), None), ("rgb_to_hsv(a, True)", (6, 8, 3), None),
    ("to_tensor(p, 'float32')", (3, 6, 8), None), ("to_pil(a)", (6, 8, 3), [50, 9, 7]),
    ("normalize(to_tensor(p, 'float32'), [0.5] * 3, [0.2] * 3)", (3, 6, 8), None),
    ("random_crop(p, 3, None, False, 0, 'constant')", (3, 3, 3), [50, 9, 7]),
    ("rotate(p, 90, vision.Inter.NEAREST, True, None, 0)", (8, 6, 3), [50, 9, 7]),
    ("rgb_to_bgr(a, True)", (6, 8, 3), [7, 9, 50]), ("rgb_to_bgrs(a[None], True)[0]", (6, 8, 3), [7, 9, 50]),
    ("hsv_to_rgbs(rgb_to_hsvs(a[None] / 255, True), True)[0] * 255 + 0.1", (6, 8, 3), None),
    ("linear_transform(to_tensor(p, 'float32')[:, :2, :2], np.eye(12), np.zeros(12))", (3, 2, 2), None),
    ("uniform_augment(p, [vision.Invert()], 1)", (6, 8, 3), None),
    ("rotate(p, 90, vision.Inter.BICUBIC, True, None, 0)", (8, 6, 3), None),
    ("perspective(p, [(0, 0), (7, 0), (7, 5), (0, 5)], [(0, 0), (7, 0), (7, 5), (0, 5)])", (6, 8, 3), [50, 9, 7]),
    ("random_affine(p, (0, 0), (0, 0), (1, 1), (0, 0), vision.Inter.NEAREST, 0)", (6, 8, 3), [50, 9, 7]),
    ("erase(a, 0, 0, 6, 1, 4)", (6, 8, 3), [4, 9, 7]), ("rgb_to_bgr(a, True)", (6, 8, 3), [7, 9, 50]),
    ("random_rotation(p, (0, 0), vision.Inter.NEAREST, False, None, 0)", (6, 8, 3), [50, 9, 7]),
]  # fmt: skip


@pytest.mark.parametrize(("call", "shape", "pixel"), CALLS, ids=[call for call, _, _ in CALLS])
def test_functions_of_images(call, shape, pixel):
    names = {
        "p": PICTURE,
        "a": PIXELS,
        "vision": vision,
        "np": np,
        **{name: getattr(functions, name) for name in functions.__all__},
    }
    result = np.asarray(eval(call, names))
    assert result.shape == shape
    assert pixel is None or result[0, 0].tolist() == pixel


def test_further_functions(tmp_path):
    assert [np.asarray(part).shape for part in functions.five_crop(PICTURE, 3)] == [(3, 3, 3)] * 5
    assert functions.is_pil(PICTURE)
    assert not functions.is_pil(PIXELS)
    PICTURE.save(tmp_path / "x.png")
    assert functions.decode((tmp_path / "x.png").read_bytes()).size == (8, 6)
    assert functions.to_type(np.zeros(2), np.int32).dtype == np.int32


def test_parameters_of_functions():
    corners = [(0, 0), (7, 0), (7, 5), (0, 5)]
    assert functions.get_perspective_params(PICTURE, 0.0) == (corners, corners)
    planes = np.zeros((3, 30, 40))
    for bounded in (True, False):
        for value, shape in ((9, ()), ((1, 2, 3), (3, 1, 1)), ("random", None)):
            top, left, height, width, values = functions.get_erase_params(planes, (0.1, 0.1), (2, 2), value, bounded, 9)
            assert top + height <= 30
            assert left + width <= 40
            assert (height, width) == (8, 15) or not bounded
            assert np.shape(values) == shape or value == "random"
    assert functions.get_erase_params(planes, (2, 2), (1, 1), 0, False, 3)[:4] == (0, 0, 30, 40)
    images, labels = functions.mix_up_single(2, np.stack([planes, planes]), np.eye(2))
    assert (images.shape, labels.sum()) == ((2, 3, 30, 40), 2)


@pytest.mark.parametrize("call", ["resize(a, 3)", "crop(a, 0, 0, 1, 1)", "pad(a, 1, 0, 'edge')", "hwc_to_chw(p)"])
def test_functions_of_images_refuse_the_other_kind(call):
    with pytest.raises(TypeError, match=r"^For '"):
        eval(call, {"a": PIXELS, "p": PICTURE, **{name: getattr(functions, name) for name in functions.__all__}})


def test_functions_of_transforms():
    values = np.array([1, 2])
    assert wrappers.compose([lambda x: x + 1, lambda x: x * 2], values)[0].tolist() == [4, 6]
    assert [wrappers.all_numpy(each) for each in (values, (values, 3), 3)] == [True, False, False]
    assert wrappers.random_apply(values, [lambda x: x + 1], 1.0).tolist() == [2, 3]
    assert wrappers.random_choice(values, [lambda x: x + 1]).tolist() == [2, 3]
    assert wrappers.random_order(values, [lambda x: x + 1]).tolist() == [2, 3]
    assert wrappers.one_hot_encoding(np.array(1), 3, 0.0).dtype == np.float64
    assert wrappers.FuncWrapper(lambda x: x + 1)(3) == 4
    with pytest.raises(ValueError, match="FuncWrapper"):
        wrappers.FuncWrapper(3)
    for package in (transforms, vision):
        assert package.not_random(lambda x: x).random is False


@pytest.mark.parametrize(
    ("given", "padding"), [(2, (2, 2, 2, 2)), ([1, 2], (1, 2, 1, 2)), ((1, 2, 3, 4), (1, 2, 3, 4)), ((1,), (1,))]
)
def test_padding(given, padding):
    assert vision.parse_padding(given) == padding


def test_bases():
    assert isinstance(vision.Invert(), vision.ImageTensorOperation)
    assert isinstance(audio.Angle(), audio.AudioTensorOperation)
    assert isinstance(transforms.Compose([np.sin]), transforms.CompoundOperation)
    data = ds.NumpySlicesDataset([1, 2, 3], ["x"])
    iterator = data.create_dict_iterator()
    assert isinstance(iterator, ds.Iterator)
    next(iterator)
    ds._cleanup()
    with pytest.raises(RuntimeError, match="epochs"):
        next(iterator)


def test_living_iterators_are_listed():
    ds._cleanup()
    assert iterators.check_iterator_cleanup()
    first, second = numbers().create_tuple_iterator(), numbers().create_dict_iterator()
    assert not iterators.check_iterator_cleanup()
    assert [each() for each in iterators.ITERATORS_LIST] == [first, second]
    del first
    assert [each() for each in iterators.ITERATORS_LIST] == [second]
    second.stop()
    second.stop()
    assert iterators.ITERATORS_LIST == []
    iterators._set_iterator_cleanup()
    assert iterators.check_iterator_cleanup()
    iterators._unset_iterator_cleanup()
    assert not iterators.check_iterator_cleanup()


def test_the_data_of_a_training_is_noted():
    assert ds._get_training_dataset() is None
    with pytest.raises(RuntimeError, match="no training"):
        names._reset_training_dataset(5, 4)
    iterator = numbers().create_tuple_iterator(num_epochs=2)
    ds._set_training_dataset(iterator)
    assert ds._get_training_dataset() is iterator
    names._reset_training_dataset(5, 4)
    assert [int(x) for (x,) in iterator] == [1, 2, 3]
    ds._set_training_dataset(None)


def numbers():
    return ds.NumpySlicesDataset([0, 1, 2, 3], ["x"], shuffle=False)


def test_arguments_are_attributes():
    data = numbers().batch(2, drop_remainder=True)
    assert (data.batch_size, data.drop_remainder, data.num_parallel_workers, data.dataset_size) == (2, True, None, None)
    assert (data.get_dataset_size(), data.dataset_size, data.children[0].num_parallel_workers) == (2, 2, 1)
    data.dataset_size = 1
    assert data.get_dataset_size() == 1
    assert numbers().filter(len, "x").input_columns == ["x"]
    with pytest.raises(AttributeError, match="'BatchDataset' object has no attribute 'batchsize'"):
        data.batchsize  # noqa: B018


# Functions of MindSpore's machinery: the call, and what it returns there
MACHINERY = [
    ("names._get_operator_process()", ({}, True)), ("names._main_process_already_exit()", False),
    ("names._init_device_info()", None), ("names._set_auto_workers_config(1)", None),
    ("names._get_enable_shared_mem()", True), ("names._cleanup_the_iterators_if_created(len)", len),
    ("names.check_add_offload_sink_mode(1, 2, 3)", 3), ("transforms.clean_unused_executors()", None),
    ("transforms.EXECUTORS_LIST", {}), ("numbers().create_tuple_iterator().offload_model", None),
    ("names.flatten_single_lists([[[1, 2]]])", [1, 2]), ("names.flatten_single_lists([[[1]], 3])", [[1], 3]),
    ("[names.to_list(each) for each in (None, 3, (1, 2), [4])]", [[], [3], [1, 2], [4]]),
    ("names.is_numpy(np.zeros(2)), names.is_numpy([0])", (True, False)), ("repr(names.KeyErrorParse('a'))", "a"),
    ("type(names.select_sampler(None, None, False, 2, 1)).__name__", "DistributedSampler"),
    ("[names.shuffle_to_shuffle_mode(each).name for each in (None, True, False, ds.Shuffle.FILES)]",
     ["GLOBAL", "GLOBAL", "FALSE", "FILES"]),
    ("str(engine.nptype_to_detype(np.int32)), engine.nptype_to_detype(np.complex64)", ("int32", None)),
    ("[str(each) for each in engine.mstypelist_to_detypelist([ms.float32, None, ms.string])]",
     ["float32", "unknown", "string"]),
    ("engine.DataType('int8') == engine.Tensor(np.zeros(2, np.int8)).type()", True),
    ("str(engine.Tensor(np.zeros((2, 3))).shape()), engine.TensorShape([2]).as_list()", ("<2,3>", [2])),
    ("rules.parse_user_args(lambda self, a, b=2: 0, 1)[0]", [1, 2]), ("rules.pad_arg_name('x')", "x "),
    ("rules.replace_none(0, 1), rules.replace_none(None, 1)", (0, 1)), ("rules.UINT32_MAX", 2**32 - 1),
]  # fmt: skip


@pytest.mark.parametrize(("call", "result"), MACHINERY, ids=[call for call, _ in MACHINERY])
def test_machinery(call, result):
    assert eval(call) == result


# Checks of arguments, and what they raise in MindSpore
CHECKS = [
    ("check_value(3, (1, 5), 'x')", None), ("check_value(7, (1, 5), 'x')", ValueError),
    ("check_value(5, (1, 5), 'x', right_open_interval=True)", ValueError),
    ("check_value_cutoff(50, (0, 50))", ValueError), ("check_value_cutoff(0, (0, 50))", None),
    ("check_value_ratio(0, (0, 50))", ValueError), ("check_value_normalize_std(50, (0, 50))", None),
    ("check_range((1, 3), (0, 5))", None), ("check_range((3, 1), (0, 5))", ValueError),
    ("check_positive(0)", ValueError), ("check_odd(2)", ValueError), ("check_2tuple([1, 2])", ValueError),
    ("check_int32_not_zero(0)", ValueError), ("check_int32_not_zero(2.0)", TypeError), ("check_uint8(255)", None),
    ("check_uint8(256)", ValueError), ("check_int32(True)", TypeError), ("check_pos_int32(0)", ValueError),
    ("check_uint64(2**64)", ValueError), ("check_float32(1)", None), ("check_float32('a')", TypeError),
    ("check_pos_float32(0)", ValueError), ("check_non_negative_float64(-1)", ValueError),
    ("check_float32_not_zero(0.0)", ValueError), ("check_valid_detype('int32')", None),
    ("check_valid_detype('x')", TypeError), ("check_valid_str('c', ['a'])", ValueError),
    ("check_valid_str(3, ['a'])", TypeError), ("check_columns([], 'x')", ValueError),
    ("check_columns(['a', 3], 'x')", TypeError), ("type_check(True, (int,), 'x')", TypeError),
    ("type_check(True, (bool, int), 'x')", None), ("type_check_list([1, '2'], (int,), ['a', 'b'])", TypeError),
    ("check_filename('a*b')", ValueError), ("check_filename(3)", TypeError), ("check_dir('/nothing')", ValueError),
    ("check_file('/nothing')", ValueError), ("check_list_same_size([1], [2, 3])", ValueError),
    ("check_sampler_shuffle_shard_options({'num_shards': 2})", RuntimeError),
    ("check_padding_options({'padded_sample': {'a': 1}})", RuntimeError), ("check_num_samples(-1)", ValueError),
    ("check_num_parallel_workers(0)", ValueError), ("check_tensor_op(3, 'x')", TypeError),
    ("validate_dataset_param_value(['n', 'm'], {'n': 'a'}, int)", TypeError),
    ("check_dataset_num_shards_shard_id(2, 2)", ValueError), ("check_dict({'a': 'b'}, str, int, 'x')", TypeError),
    ("check_feature_shape({'a': np.zeros((2, 3))}, 3, 'x')", ValueError), ("check_independent_mode('x')", None),
    ("check_valid_list_tuple([1], [[1]], (int,))", None), ("check_list_same_size([1], [2])", None),
]  # fmt: skip


@pytest.mark.parametrize(("call", "error"), CHECKS, ids=[call for call, _ in CHECKS])
def test_checks_of_arguments(call, error):
    expression = f"rules.{call}"
    if error is None:
        eval(expression)
    else:
        with pytest.raises(error, match=r"^For '"):
            eval(expression)


def test_errors_of_other_threads():
    try:
        {}["a"]
    except KeyError:
        handled = names.ExceptionHandler(where="in a thread")
    assert handled.where == "in a thread"
    with pytest.raises(KeyError, match=r"Traceback(.|\n)*KeyError: 'a'"):
        handled.reraise()


def test_permissions_of_saved_files(tmp_path):
    for number in range(2):
        (tmp_path / f"x{number}").write_bytes(b"")
    names._set_dataset_permissions(str(tmp_path / "x"), 2)
    assert [(tmp_path / f"x{number}").stat().st_mode & 0o777 for number in range(2)] == [0o600, 0o600]


@pytest.mark.parametrize(("package", "name"), [(transforms, "Plugin")])
def test_refused(package, name):
    with pytest.raises(NotImplementedError, match=f"^For '{name}'"):
        getattr(package, name)(1, 2)
