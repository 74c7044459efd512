"""The names of MindSpore that published packages use, see `data/record_package_names.py`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import preloaded
import torchspore as ms
from torchspore import _checkparam as checks
from torchspore import _extends, nn, ops
from torchspore.common import dtype as mstype
from torchspore.common.initializer import _calculate_correct_fan, _calculate_fan_in_and_fan_out
from torchspore.engine.api import _function_forbid_reuse, _pynative_executor
from torchspore.nn.layer.recurrent_cells import RNNCellBase
from torchspore.ops.compat import private_functions as private
from torchspore.ops.compat.primitive_cache import _get_cache_prim

NAMES = Path(__file__).parent / "data/package_names.json"

PROCESS = """
import importlib, json, sys
import torchspore.as_mindspore, mindspore

def exists(name):
    found, parts = mindspore, name.split('.')
    for number, part in enumerate(parts[1:], 2):
        try:
            found = getattr(found, part)
        except AttributeError:
            try:
                found = importlib.import_module('.'.join(parts[:number]))
            except ImportError:
                return False
    return True

packages = json.load(open(sys.argv[1]))
print(json.dumps({package: [name for name in names if not exists(name)] for package, names in packages.items()}))
"""


# Members that are not there, and why.
OPEN = {
    "it is a part of the code of a class of MindSpore": "Tensor._make_subclass",
    "MindIO, which runs on Ascend cards alone": "train.callback.TrainFaultTolerance.get_optimizer_wrapper"
    " utils._tft_handler.init",
}


@pytest.fixture(scope="module")
def missing():
    return json.loads(preloaded.output_of(PROCESS, arguments=("-c", str(NAMES)), ignored=("",)))


@pytest.mark.slow
@pytest.mark.parametrize("package", json.loads(NAMES.read_text()))
def test_names_that_packages_use(missing, package):
    known = {f"mindspore.{name}" for names in OPEN.values() for name in names.split()}
    assert set(missing[package]) <= known


@pytest.mark.slow
def test_open_names_are_still_open(missing):
    known = {f"mindspore.{name}" for names in OPEN.values() for name in names.split()}
    assert known == {name for names in missing.values() for name in names}


@pytest.mark.parametrize(
    ("check", "error"),
    [
        (lambda: checks.check_positive_int(1, "a", "b"), None),
        (lambda: checks.check_positive_int(0, "a", "b"), ValueError),
        (lambda: checks.check_positive_int(True, "a", "b"), TypeError),
        (lambda: checks.check_positive_int(1.5), TypeError),
        (lambda: checks.check_non_negative_int(0), None),
        (lambda: checks.check_non_negative_int(-1), ValueError),
        (lambda: checks.check_int(3, 3, checks.NE), ValueError),
        (lambda: checks.check_is_int(-3), None),
        (lambda: checks.check_int_range(2, 0, 2, checks.INC_BOTH), None),
        (lambda: checks.check_int_range(2, 0, 2, checks.INC_LEFT), ValueError),
        (lambda: checks.check_positive_float(1e-3), None),
        (lambda: checks.check_positive_float(1), TypeError),
        (lambda: checks.check_non_negative_float(-0.5), ValueError),
        (lambda: checks.check_is_float(0.0), None),
        (lambda: checks.check_float_range(0.0, 0.0, 1.0, checks.INC_NEITHER), ValueError),
        (lambda: checks.check_float_range(1.0, 0.0, 1.0, checks.INC_RIGHT), None),
        (lambda: checks.check_bool(1), TypeError),
        (lambda: checks.check_string("a", ["a"]), None),
        (lambda: checks.check_string("b", ["a"]), ValueError),
        (lambda: checks.check_value_type("a", 1, [int, str]), None),
        (lambda: checks.check_value_type("a", 1.5, [int, str]), TypeError),
        (lambda: checks.check_value_type("a", True, int), TypeError),
        (lambda: checks.check_isinstance("a", 1, int), None),
        (lambda: checks.check_isinstance("a", 1, str), ValueError),
        (lambda: checks.check("a", 1, "b", 2, checks.LT, "P"), None),
        (lambda: checks.check("a", 3, "", [1, 2], checks.IN, "P"), ValueError),
        (lambda: checks.check("a", [1], "b", [2], checks.EQ, "P", TypeError), TypeError),
        (lambda: checks.check_number("a", 0.5, 1, checks.GT, "P"), ValueError),
        (lambda: checks.check_number_range(2, 1, 3, checks.INC_BOTH, int), None),
        (lambda: checks.check_number_range("x", 1, 3, checks.INC_BOTH, float, "a"), TypeError),
        (lambda: checks.check_is_number(float("nan"), float), ValueError),
        (lambda: checks.check_equal_int(1, 2, "a"), ValueError),
        (lambda: checks.check_non_positive_int(1), ValueError),
        (lambda: checks.check_positive_int_sequence((1, 0), "a", "P"), ValueError),
        (lambda: checks.check_type_name("a", ms.int32, [ms.float16, ms.float32], "P"), TypeError),
        (lambda: checks.check_type_name("a", mstype.TensorType(ms.int32), ms.int32, "P"), None),
        (lambda: checks.check_subclass("a", ms.float32, ms.number, "P"), None),
        (lambda: checks.check_subclass("a", ms.float32, mstype.number_type, "P"), None),
        (lambda: checks.check_subclass("a", ms.float32, [ms.int32], "P"), TypeError),
        (lambda: checks.check_subclass("a", mstype.TensorType(ms.int8), mstype.tensor_type, "P"), None),
        (lambda: checks.check_subclass("a", bool, int, "P"), TypeError),
        (lambda: checks.check_tensor_dtype_valid("a", mstype.TensorType(ms.int8), [ms.int32], "P"), TypeError),
        (lambda: checks.check_types_same_and_valid({"a": ms.int8, "b": ms.int32}, mstype.int_type, "P"), TypeError),
        (lambda: checks.check_element_type_of_iterable("a", [1, "x"], int, "P"), TypeError),
        (lambda: checks.check_element_type_of_dict("a", {"x": 1}, str, [int], "P"), None),
        (lambda: checks.check_size_and_element_type_of_tuple("a", (1,), 2, int, "P"), ValueError),
        (lambda: checks.check_valid_input("a", None, "P"), ValueError),
        (lambda: checks.check_input_data({"a": 1}, data_class=(ms.Tensor, int)), None),
        (lambda: checks.check_input_data(3, data_class=ms.Tensor), TypeError),
        (lambda: checks.check_output_data(None), RuntimeError),
        (lambda: checks.check_hook_fn(3), TypeError),
        (lambda: checks.check_str_by_regular("a b"), ValueError),
        (lambda: checks.check_file_name_by_regular("a/b.txt"), None),
        (lambda: checks.check_axis_in_range(5, 3), ValueError),
        (lambda: checks.check_axis_valid((0, 0), 3), ValueError),
        (lambda: checks.check_axis_type([1], True, True, False), TypeError),
        (lambda: checks.check_transpose_axis((1,), 2), ValueError),
        (lambda: checks.prepare_shape_for_squeeze((1, 2), 1), ValueError),
        (lambda: checks.check_reduce_shape([2, 3], [2], [1], "P", "x", "y"), None),
        (lambda: checks.check_reduce_shape([2, 3], [3], [1], "P", "x", "y"), ValueError),
        (lambda: checks.check_pad_value_by_mode("same", 1, "P"), ValueError),
        (lambda: checks.twice((1, 2, 3)), TypeError),
        (lambda: checks.twice_sequence([1, 2]), None),
        (lambda: checks.check_csr_tensor_dtype(ms.float32, ms.int32), TypeError),
        (lambda: checks.check_coo_tensor_shape((3, 2), (2,), (4, 5)), ValueError),
        (lambda: checks.check_csr_tensor_shape((4,), (3,), (3,), (3, 5)), None),
        (lambda: checks.check_sparse_tensor_input(1, ms.Tensor([1]), (3,)), TypeError),
    ],
)
def test_checks(check, error):
    if error is None:
        check()
    else:
        with pytest.raises(error, match="must"):
            check()


def test_types_of_arguments():
    @checks.args_type_check(count=int, name=(str, list))
    def function(count, name="", rest=None):
        """Return the arguments."""
        return count, name, rest

    assert function.__doc__ == "Return the arguments."
    assert [function(1), function(None, name=["a"])] == [(1, "", None), (None, ["a"], None)]
    for wrong in (lambda: function("1"), lambda: function(1, name=2)):
        with pytest.raises(TypeError, match=r"For 'function', .* must be of type"):
            wrong()


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (lambda: _calculate_fan_in_and_fan_out((4, 3, 2)), (6, 8)),
        (lambda: _calculate_correct_fan((4, 3, 2), "fan_out"), 8),
        (lambda: [checks.infer_out_shape((2, 1), (1, 3)), checks.expanded_shape(4, 3, 1)], [(2, 3), (1, 3, 1, 1)]),
        (lambda: [checks.check_axis_valid(None, 3), checks.check_swapaxes_axis((0, -1), 2)], [(0, 1, 2), (0, 1)]),
        (lambda: [checks.check_transpose_axis((), 2), checks.check_reshape_shp(([2, 3],))], [(1, 0), (2, 3)]),
        (lambda: [checks.check_astype_dtype(kind) for kind in ("Float32", float)], [ms.float32, ms.float64]),
        (lambda: [checks.once(1), checks.triple((1, 2, 3)), checks.max_([1, 2])], [(1,), (1, 2, 3), 2]),
        (lambda: [isinstance(ms.float16, k) for k in (mstype.Float, mstype.Number, mstype.Int)], [True, True, False]),
        (lambda: [type(t).__name__ for t in (ms.bfloat16, ms.uint8, ms.bool_, ms.complex64)],
         ["BFloat", "UInt", "Bool", "Complex"]),
        (lambda: _get_cache_prim(ops.Softmax)(-1) is _get_cache_prim(ops.Softmax)(-1), True),
        (lambda: _get_cache_prim(ops.Softmax)(0) is _get_cache_prim(ops.Softmax)(-1), False),
        (lambda: _get_cache_prim(ops.Transpose)()(ms.ops.ones((2, 3)), (1, 0)).shape, (3, 2)),
        (lambda: _function_forbid_reuse(len) is _extends.cell_attr_register(len) is len, True),
        (lambda: _extends.cell_attr_register(attrs=["a"])(len) is len, True),
        (lambda: private._get_seed(5, "a") == (ms.get_seed() or 0, 5), True),
        (lambda: private._set_prim_op_user_data(ops.ReLU(), "a", 1).get_user_data("a"), 1),
        (lambda: private._innner_log_softmax(ms.Tensor([[3.0, 3.0]]), 1).exp().tolist(), [[0.5, 0.5]]),
        (lambda: private._tensor_setitem(ms.Tensor([1, 2]), 0, 5).tolist(), [5, 2]),
        (lambda: private._tensor_setitem_origin(ms.Tensor([1, 2]), 0, 5)[0].tolist(), [5, 2]),
        (lambda: private._tensor_getitem(ms.Tensor([1, 2]), 1).item(), 2),
        (lambda: private.argmax_with_value_impl(ms.Tensor([[1.0, 2.0]]), 1, False)[0].tolist(), [1]),
        (lambda: private.infer_value_for_BroadcastTo(ms.Tensor([1]), (2,)).tolist(), [1, 1]),
        (lambda: private.tensor_operator_registry.get("reshape") is ops.reshape, True),
        (lambda: private.tensor_operator_registry.get("tolist")(ms.Tensor([1])), [1]),
        (lambda: checks.Validator.check_int_range(1, 0, 2, checks.Rel.INC_LEFT), 1),
        (lambda: RNNCellBase(2, 3, True, num_chunks=4).weight_ih.shape, (12, 2)),
        (lambda: nn.LayerNorm((2,)).layer_norm(ms.Tensor([[1.0, 3.0]]), ms.Tensor([1.0, 1.0]), ms.Tensor([0.0, 0.0]))[1]
         .asnumpy().tolist(), [[2.0]]),
        (lambda: nn.Conv2d(1, 2, 1).bias_add(ops.zeros((1, 2, 1, 1)), ms.Tensor([1.0, 2])).flatten().tolist(), [1, 2]),
        (lambda: nn.GroupNorm(1, 2)._cal_output(ops.ones((1, 2, 1, 1))).flatten().tolist(), [0, 0]),
    ],
)  # fmt: skip
def test_values(value, expected):
    assert value() == expected


def test_fans_of_other_shapes_and_names():
    with pytest.raises(ValueError, match="'mode' must be"):
        _calculate_correct_fan((4, 3), "fan")
    with pytest.raises(ValueError, match="2 or more dimensions"):
        _calculate_fan_in_and_fan_out((4,))


def test_gradients_can_be_turned_off():
    def function(x):
        before = _pynative_executor.enable_grad()
        _pynative_executor.set_enable_grad(False)
        factor = x * x
        _pynative_executor.set_enable_grad(before)
        return factor * x

    assert ms.grad(function)(ms.Tensor(3.0)).item() == 9.0
    _pynative_executor.sync()


class Signs(nn.Optimizer):
    """An optimizer of the kind that packages have: signs of gradients, in `HyperMap`."""

    update = ops.MultitypeFuncGraph("update")

    def construct(self, gradients):
        gradients = self._grad_sparse_indices_deduplicate(self.flatten_gradients(gradients))
        assert not self._is_dynamic_lr_or_weight_decay()
        step = ops.partial(self.update, self.get_lr())
        done = self.hyper_map(step, self._parameters, gradients, self.optim_filter)
        self._set_base_target("CPU")
        return self.broadcast_params(done) if self.use_parallel else done


@Signs.update.register("Tensor", "Tensor", "Tensor", "Bool")
def _update(rate, parameter, gradient, wanted):
    return ops.assign_sub(parameter, rate * ops.sign(gradient)) if wanted else parameter


def test_an_optimizer_of_a_package():
    weight = ms.Parameter(ms.Tensor([1.0, 2.0]), name="weight")
    Signs(0.5, [weight])((ms.Tensor([0.1, -3.0]),))
    assert weight.asnumpy().tolist() == [0.5, 2.5]


def test_packages_enter_operations():
    registry = private.Registry()
    registry.register("count", len)
    assert registry.get("count")([1, 2]) == registry.count([1, 2]) == 2
    with pytest.raises(AttributeError, match="there is no operation 'counts'"):
        registry.get("counts")
