"""Private functions of MindSpore that programs and tests import by path: the figures come from MindSpore 2.10."""

import numpy as np
import pytest

import torchspore as ms
from torchspore import Parameter, Tensor, nn, ops
from torchspore.common import dtype as dtypes
from torchspore.nn.probability.distribution import checks
from torchspore.ops.compat import signatures
from torchspore.ops.compat.kernel_descriptions import TBERegOp, op_info_register
from torchspore.ops.compat.private_functions import _run_op, get_1d_shape, get_broadcast_shape
from torchspore.ops.compat.registries import bprop_getters, get_bprop_fn
from torchspore.ops.compat.virtual_primitives import _MirrorOperator, _VirtualDataset, _VirtualDiv, _VirtualOutput
from torchspore.parallel import _auto_parallel_context, _cost_model_context, _tensor
from torchspore.train import _utils

X = Tensor([1.0, 2.0])
WHOLE = Tensor(np.arange(32, dtype=np.float32).reshape(4, 8))
LAYOUT = ([2, 4], [1, 0], [2, 2], 0, True, "", [4, 8], [2, 2], False, False, 0, 0)


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda: _tensor._get_tensor_strategy([2, 2, 2], [2, -1, 0]), [2, 1, 2]),
        (lambda: [_tensor._get_tensor_slice_index([2, 4], [2, 4], [1, 0], rank) for rank in range(8)], [*range(8)]),
        (lambda: _tensor._get_tensor_slice_index([2, 4], [4, 2], [0, 1], 5), 3),
        (lambda: _tensor._load_tensor(WHOLE, [2, 4], [1, 0]).tolist(), [[0, 1], [8, 9]]),
        (lambda: _tensor._load_tensor(WHOLE, [2, 4], [0, -1], None, 3).tolist(), [[*range(24, 32)]]),
        (lambda: _tensor._load_tensor_by_layout(WHOLE, LAYOUT, 5).asnumpy().tolist(), [[18, 19], [26, 27]]),
        (lambda: len(_tensor._chunk_tensor(np.zeros((4, 8)), [2, 4], 2)), 8),
        (
            lambda: _tensor._reshape_param_data(Tensor(np.arange(8).reshape(8, 1)), [2, 2], [1, 0]).asnumpy().tolist(),
            [[0, 2], [1, 3], [4, 6], [5, 7]],
        ),
        (lambda: get_broadcast_shape([2, 1], [1, 5], "op"), [2, 5]),
        (lambda: get_broadcast_shape([-1, 3], [1, 3], "op"), [-1, 3]),
        (lambda: get_broadcast_shape([], [1, 5], "op"), [1, 5]),
        (lambda: (get_1d_shape([2, 3]), get_1d_shape([])), ((6,), (1,))),
        (lambda: _run_op(ops.Add(), "Add", [X, X]).asnumpy().tolist(), [2, 4]),
        (lambda: _utils._to_tensor((1, "a")), (1, "a")),
        (lambda: _utils._to_tensor(np.ones(2), scaling_sens=5.0)[1].asnumpy().tolist(), 5),
        (lambda: [t.shape for t in _utils._construct_tensor_list([ms.float32], [(2, 3)], 2)], [(4, 3)]),
        (lambda: str(checks.cast_to_tensor(3, ms.int32).dtype), "Int32"),
        (lambda: checks.cast_to_tensor(X) is X, True),
        (lambda: checks.set_param_type({"a": Tensor([1.0], ms.float16), "b": None}, ms.float32), ms.float16),
        (lambda: checks.set_param_type({"a": Tensor([1])}, ms.float32), ms.float32),
        (lambda: round(checks.probs_to_logits(Tensor(0.3), True).asnumpy().item(), 4), -0.8473),
        (lambda: (checks.check_prob(Tensor([0.5])), checks.check_sum_equal_one(Tensor([0.4, 0.6]))), (None, None)),
        (
            lambda: (checks.check_greater_zero(X, "a"), checks.check_rank(X), checks.check_greater(X, X + 1)),
            (None,) * 3,
        ),
        (lambda: (dtypes._issubclass_(ms.int32, ms.int_), dtypes._issubclass_(ms.bool_, dtypes.int_)), (True, False)),
        (lambda: (dtypes._issubclass_(ms.uint8, ms.number), dtypes._issubclass_(1, ms.number)), (True, False)),
        (lambda: dtypes.pytype_to_dtype(np.dtype("int8")), ms.int8),
        (lambda: signatures.make_sig("x", signatures.sig_rw.RW_WRITE, dtype=signatures.sig_dtype.T)[:2], ("x", 1)),
        (lambda: op_info_register(TBERegOp("a").get_op_info())(lambda: 5)(), 5),
        (lambda: _VirtualDataset()(X, 1) == (X, 1), True),
        (lambda: _VirtualOutput()(X) is X, True),
        (lambda: _MirrorOperator("g", 8, True)(X) is X, True),
        (lambda: ms.grad(_VirtualDiv(4))(X).asnumpy().tolist(), [0.25, 0.25]),
        (lambda: ms.grad(_VirtualDiv())(X).asnumpy().tolist(), [1, 1]),
    ],
)
def test_figures(call, expected):
    assert call() == expected


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        (lambda: _tensor._get_tensor_strategy([2, 4], [5]), IndexError),
        (lambda: _tensor._load_tensor(WHOLE, [3], [0, -1], None, 0), ValueError),
        (lambda: _tensor._load_tensor_by_layout(WHOLE, 1, 0), TypeError),
        (lambda: _tensor._load_tensor_by_layout(WHOLE, LAYOUT[:6], 0), ValueError),
        (lambda: get_broadcast_shape([2, 3], [4], "op"), ValueError),
        (lambda: _utils._construct_tensor_list([ms.float32], [(1,), (2,)]), ValueError),
        (lambda: _utils.check_value_type("a", True, [int]), TypeError),
        (lambda: checks.cast_to_tensor(None), ValueError),
        (lambda: checks.cast_to_tensor(True), TypeError),
        (lambda: checks.check_greater_zero(0.5, "a"), AttributeError),
        (lambda: checks.check_greater_zero(None, "a"), ValueError),
        (lambda: checks.check_greater_equal_zero(Tensor([-1.0]), "a"), ValueError),
        (lambda: checks.check_greater(X, X), ValueError),
        (lambda: checks.check_prob(Parameter(Tensor([1.0]), name="p")), ValueError),
        (lambda: checks.check_sum_equal_one(Tensor([0.5, 0.6])), ValueError),
        (lambda: checks.check_sum_equal_one(None), ValueError),
        (lambda: checks.check_rank(Tensor(1.0)), ValueError),
        (lambda: checks.set_param_type({"a": X, "b": Tensor([1.0], ms.float16)}, ms.float32), TypeError),
        (lambda: checks.CheckTensor()(1, "x"), TypeError),
        (lambda: checks.CheckTuple()(1, "x"), TypeError),
        (lambda: checks.raise_none_error("x"), TypeError),
        (lambda: checks.raise_type_error("x", int, str), TypeError),
        (lambda: dtypes.dtype_to_nptype(1), KeyError),
        (lambda: dtypes._issubclass_(ms.int32, 1), TypeError),
        (lambda: signatures.make_sig("x", "a"), TypeError),
        (lambda: _cost_model_context.set_cost_model_context(costmodel_gamma=2.0), RuntimeError),
        (lambda: _cost_model_context.set_cost_model_context(costmodel_alpha=1), TypeError),
        (lambda: _cost_model_context.set_cost_model_context(run_phase=2), ValueError),
        (lambda: _cost_model_context.set_cost_model_context(other=1), ValueError),
        (lambda: _cost_model_context.get_cost_model_context("other"), ValueError),
        (lambda: _cost_model_context.cost_model_context().other, AttributeError),
        (lambda: setattr(Parameter(X, name="p"), "cache_enable", 1), TypeError),
        (lambda: ops.Add().add_prim_attr(1, 2), TypeError),
        (lambda: ops.Primitive(), TypeError),
    ],
)
def test_errors(call, kind):
    with pytest.raises(kind):
        call()


def test_settings_of_the_search_for_strategies():
    model = _cost_model_context.cost_model_context()
    model.set_costmodel_alpha(2.0)
    assert (model.get_costmodel_alpha(), _cost_model_context.get_cost_model_context("costmodel_beta")) == (2.0, 400.0)
    _cost_model_context.reset_cost_model_context()
    assert _cost_model_context.get_cost_model_context("costmodel_alpha") == 1.0


def test_settings_of_fused_messages():
    context = _auto_parallel_context.auto_parallel_context()
    for name in ("all_reduce", "all_gather", "reduce_scatter"):
        getattr(context, f"set_enable_{name}_fusion")(True)
        assert getattr(context, f"get_enable_{name}_fusion")() is True
    context.set_all_reduce_fusion_split_indices([1, 2])
    context.set_all_reduce_fusion_split_sizes([32], "group")
    assert (context.get_all_reduce_fusion_split_indices(), context.get_all_reduce_fusion_split_sizes()) == ([1, 2], [])
    assert context.get_strategy_search_mode() == "recursive_programming"
    context.reset()
    assert context.get_enable_all_reduce_fusion() is False


def test_gradients_of_registered_primitives():
    class Power(ops.Primitive):
        def __call__(self, x):
            return x * x

    assert get_bprop_fn(Power("p")) is None
    bprop_getters.register(Power)(lambda self: lambda x, out, dout: (dout * 100,))
    assert get_bprop_fn(Power())(X, X, 1) == (100,)


def test_what_set_dump_notes():
    cell, primitive = nn.ReLU(), ops.Add()
    for target in (cell, primitive):
        ms.set_dump(target, False)
    assert (cell.get_flags()["dump"], primitive.attrs["dump"]) == (False, "false")


def test_types_and_shapes_of_a_dataset():
    rows = ms.dataset.NumpySlicesDataset({"x": np.ones((4, 2), np.float32)}).batch(2)
    assert _utils._get_types_and_shapes(rows) == ([ms.float32], [[2, 2]])
