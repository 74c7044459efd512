"""Parameters and tuples of them: names, values, memory, copies, printed forms."""

from __future__ import annotations

import copy
import pickle
import threading

import numpy as np
import pytest
import torch

import torchspore as ms
from data.record_core import evaluate, recorded
from torchspore import Parameter, ParameterTuple, Tensor, ops
from torchspore.common import dtype as mstype
from torchspore.common.initializer import initializer
from torchspore.common.scopes import scope as scopes


@pytest.fixture
def p():
    return Parameter(Tensor([1.0, 2.0]), name="p")


@pytest.mark.parametrize(("program", "expected"), recorded("parameter"))
def test_as_mindspore(program, expected):
    assert evaluate(ms, program) == expected


class TestConstruction:
    @pytest.mark.parametrize(
        ("make", "error", "words"),
        [
            (lambda: Parameter("abc"), TypeError, "'input_data' must be a number"),
            (lambda: Parameter(1.0, name=3), ValueError, "'name' must be a string or None, but got 3 of type int"),
            (
                lambda: Parameter(1.0, requires_grad=1),
                TypeError,
                "'requires_grad' must be a bool, but got 1 of type int",
            ),
            (lambda: Parameter(1.0, layerwise_parallel=None), TypeError, "'layerwise_parallel' must be a bool"),
            (lambda: Parameter(1.0, parallel_optimizer="a"), TypeError, "'parallel_optimizer' must be a bool"),
            (lambda: Parameter(1.0, device="TPU"), ValueError, "must be like 'CPU'"),
        ],
    )
    def test_errors_say_what_is_wrong(self, make, error, words):
        with pytest.raises(error, match=words):
            make()

    @pytest.mark.parametrize("data", [True, (1.0, 2.0), 1j, np.float32(1), range(2), torch.ones(2)])
    def test_more_than_mindspore_takes(self, data):
        assert Parameter(data).tolist() == Tensor(data).tolist()

    def test_integers(self):
        assert [Parameter(data).dtype for data in (1, [1], np.int8(1))] == [ms.int32, ms.int64, ms.int8]

    @pytest.mark.parametrize("dtype", mstype.FROM_TORCH.values())
    def test_every_type(self, dtype):
        p = Parameter(Tensor([1, 0], dtype), name="p")
        assert (p.dtype, p.tolist()) == (dtype, [1, 0])
        assert repr(p) == f"Parameter (name=p, shape=(2,), dtype={dtype}, requires_grad=True)"

    def test_torch_tensors_are_copied(self):
        inner = torch.ones(2)
        Parameter(inner)[0] = 5
        assert inner.tolist() == [1, 1]

    def test_a_value_from_within_a_gradient_is_a_constant(self):
        def f(x):
            return x * Parameter(x * 2)

        assert ms.grad(f)(Tensor([3.0])).tolist() == [6]

    def test_an_initializer_runs_at_once(self):
        value = initializer("ones", (2,))
        p = Parameter(value)
        assert not value.has_init
        assert p.tolist() == [1, 1]
        assert p.inited_param is None

    def test_layouts_of_many_devices(self):
        p = Parameter(initializer("ones", (2,)))
        assert p.init_data(([2], [0], [1], 0, True, ""), set_sliced=True) is p
        assert p.shape == (2,)  # whole
        with pytest.raises(ValueError, match="must have 6 elements or more"):
            p.init_data(layout=(1,))
        with pytest.raises(TypeError, match="must be a tuple"):
            p.init_data(layout=1)


class TestNames:
    def test_default_names_differ_and_say_so(self):
        p, q = Parameter(1.0), Parameter(1.0)
        assert p.name != q.name
        assert p.has_default_name
        p.name = "p"
        assert not p.has_default_name
        p.name = None
        assert p.has_default_name

    def test_setting_a_wrong_name_changes_nothing(self, p):
        with pytest.raises(ValueError, match="'name' must be a string or None"):
            p.name = 3
        assert p.name == "p"


class TestAttributes:
    @pytest.mark.parametrize(
        "flag", ["requires_grad", "layerwise_parallel", "parallel_optimizer", "parallel_optimizer_comm_recompute"]
    )
    def test_flags(self, p, flag):
        before = getattr(p, flag)
        assert getattr(Parameter, flag) is before
        with pytest.raises(TypeError, match=f"'{flag}' must be a bool, but got 1 of type int"):
            setattr(p, flag, 1)
        assert getattr(p, flag) is before
        setattr(p, flag, not before)
        assert getattr(p, flag) is not before
        assert getattr(Parameter(1.0), flag) is before

    def test_comm_fusion(self, p):
        p.comm_fusion = 3
        for wrong, error in ((True, TypeError), (1.0, TypeError), (-1, ValueError)):
            with pytest.raises(error, match="'comm_fusion' must be"):
                p.comm_fusion = wrong
        assert p.comm_fusion == 3

    def test_any_attribute(self, p):
        p.note = 3
        assert (p.note, copy.copy(p).note) == (3, 3)

    def test_storage_format(self):
        assert Parameter(1.0, storage_format="NCHW").storage_format == "NCHW"

    def test_requires_grad_can_be_set_by_a_method(self, p):
        assert p.requires_grad_(False) is None
        assert p.requires_grad is False
        p.requires_grad_()
        assert p.requires_grad is True
        assert ms.Tensor([1.0]).requires_grad_() is None
        with pytest.raises(NotImplementedError, match="stop_gradient"):
            ms.Tensor([1.0]).requires_grad_(False)
        with pytest.raises(TypeError, match="must be a bool"):
            p.requires_grad_(1)

    def test_requires_grad_decides_what_is_trained(self, p):
        p.requires_grad = False
        assert "requires_grad=False" in str(p)
        assert not p.torch.requires_grad

    def test_stages_of_pipelines_are_checked(self, p):
        assert p.add_pipeline_stage(1) is None
        for stage in (-1, 1.5, "1", True):
            with pytest.raises(TypeError, match="'stage' must be an int >= 0, but got"):
                p.add_pipeline_stage(stage)


class TestSetData:
    @pytest.mark.parametrize("data", [[3.0, 4.0], np.ones(2), None, "a", (1,)])
    def test_wrong_data_leaves_the_value(self, p, data):
        with pytest.raises(TypeError, match=r"'data' must be a Tensor or a number, but got .* Wrap it: Tensor\(data\)"):
            p.set_data(data)
        with pytest.raises(TypeError, match="'slice_shape' must be a bool"):
            p.set_data(Tensor([0.0, 0.0]), slice_shape=1)
        assert p.tolist() == [1, 2]

    def test_the_storage_stays(self, p):
        address, array = p.data_ptr(), p.asnumpy()
        p.set_data(Tensor([3.0, 4.0]))
        assert (p.data_ptr(), array.tolist()) == (address, [3, 4])

    def test_another_shape_is_a_storage_of_its_own(self, p):
        value = Tensor([3.0])
        p.set_data(value)
        value[0] = 9
        assert p.tolist() == [3]
        assert p._storage is p._t

    def test_a_value_given_is_not_tied(self, p):
        value = Tensor([3.0, 4.0])
        p.set_data(value)
        value[0] = 9
        assert p.tolist() == [3, 4]

    def test_within_a_gradient(self, p):
        def f(x):
            p.set_data(x * 2)
            return p * x

        x = Tensor([3.0, 4.0])
        assert ms.grad(f)(x).tolist() == [6, 8]  # what is assigned is a constant
        assert p.tolist() == [6, 8]
        assert not p.torch.requires_grad

    def test_within_a_gradient_that_fails(self, p):
        def f(x):
            p.set_data(x * 2)
            raise RuntimeError("no")

        with pytest.raises(RuntimeError, match="no"):
            ms.grad(f)(Tensor([3.0, 4.0]))
        assert p.tolist() == [1, 2]

    def test_data_within_a_gradient(self, p):
        def f(x):
            p.data = x * 2
            return p * x

        assert ms.grad(f)(Tensor([3.0, 4.0])).tolist() == [6, 8]
        assert p.tolist() == [6, 8]

    def test_data_takes_over_the_memory(self, p):
        value = Tensor([3, 4, 5])
        p.data = value
        value[0] = 9
        assert (p.tolist(), p.dtype, p.name) == ([9, 4, 5], ms.int64, "p")
        assert p._storage is p._t

    def test_set_dtype_keeps_the_parameter(self, p):
        assert p.set_dtype(ms.bfloat16) is ms.bfloat16
        assert (p.dtype, p.name, p.tolist()) == (ms.bfloat16, "p", [1, 2])
        assert p._storage is p._t
        assert ms.grad(lambda x: x * p, None, p)(Tensor([3.0, 4.0])).dtype is ms.bfloat16


class TestValue:
    def test_a_copy_that_gradients_flow_through(self, p):
        value = p.value()
        ops.assign(p, Tensor([7.0, 8.0]))
        assert value.tolist() == [1, 2]
        assert ms.grad(lambda x: x * p.value(), None, p)(Tensor([3.0, 4.0])).tolist() == [3, 4]

    def test_data_shares(self, p):
        data = p.data
        ops.assign(p, Tensor([7.0, 8.0]))
        assert (type(data), data.tolist()) == (Tensor, [7, 8])


class TestCopies:
    @pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda p: pickle.loads(pickle.dumps(p))])
    def test_everything_but_memory_and_hooks(self, duplicate):
        p = Parameter(Tensor([1.0, 2.0]), "p", False, layerwise_parallel=True)
        p.comm_fusion = 2
        p.register_hook(lambda g: g)
        q = duplicate(p)
        q[0] = 9
        assert (p.tolist(), q.tolist()) == ([1, 2], [9, 2])
        assert (q.name, q.requires_grad, q.layerwise_parallel, q.comm_fusion, q.hooks()) == ("p", False, True, 2, [])
        assert type(q) is Parameter
        assert q._storage is q._t

    @pytest.mark.parametrize("dtype", [ms.bfloat16, mstype.float8_e4m3fn, ms.complex64])
    def test_types_that_numpy_lacks(self, dtype):
        p = Parameter(Tensor([1.5, -2.0], dtype), name="p")
        for q in (copy.deepcopy(p), pickle.loads(pickle.dumps(p)), p.clone()):
            assert (q.dtype, q.tolist()) == (dtype, [1.5, -2.0])

    def test_a_default_name_stays_one(self):
        p = Parameter(1.0)
        for q in (copy.copy(p), copy.deepcopy(p), pickle.loads(pickle.dumps(p)), p.clone()):
            assert q.has_default_name
            assert q.name == p.name

    @pytest.mark.parametrize(("init", "error"), [("foo", ValueError), (None, TypeError), ([1], TypeError)])
    def test_clone_refuses_what_is_no_initializer(self, p, init, error):
        with pytest.raises(error, match="'init'"):
            p.clone(init)

    def test_clone_by_a_tensor(self, p):
        assert p.clone(Tensor([5.0, 6.0])).tolist() == [5, 6]
        assert p.clone(init=7).tolist() == [7, 7]


class TestParameterTuple:
    @pytest.mark.parametrize(
        ("make", "error", "words"),
        [
            (lambda: ParameterTuple([1]), TypeError, "every element must be a Parameter, but got int"),
            (
                lambda: ParameterTuple([Parameter(1.0, "a"), Parameter(2.0, "a")]),
                ValueError,
                "two parameters have the name 'a'",
            ),
            (lambda: ParameterTuple([]).clone(3), TypeError, "'prefix' must be a string, but got int"),
            (lambda: ParameterTuple([]).clone(""), ValueError, "letters, digits, '_' and '.', but got ''"),
            (lambda: ParameterTuple([]).clone("é"), ValueError, "letters, digits, '_' and '.', but got 'é'"),
        ],
    )
    def test_errors_say_what_is_wrong(self, make, error, words):
        with pytest.raises(error, match=words):
            make()

    def test_clone_by_name_number_and_value(self):
        weights = ParameterTuple(
            [Parameter(Tensor([1.0, 2.0]), "w"), Parameter(Tensor([3.0]), "b", requires_grad=False)]
        )
        for init, expected in (("same", [[1, 2], [3]]), ("zeros", [[0, 0], [0]]), (5, [[5, 5], [5]])):
            clones = weights.clone("m.v", init)
            assert [clone.tolist() for clone in clones] == expected
            assert [clone.name for clone in clones] == ["m.v.w", "m.v.b"]
            assert [clone.requires_grad for clone in clones] == [True, False]
            clones[0][0] = 9
            assert weights[0].tolist() == [1, 2]

    def test_deepcopy_keeps_who_is_who(self):
        p = Parameter(1.0, "p")
        weights, q = copy.deepcopy((ParameterTuple([p]), p))
        assert weights[0] is q
        assert q is not p


@pytest.fixture
def open_scope():
    """Open a differentiation scope, without a function in it."""
    scopes.scope.depth += 1
    yield
    scopes.scope.depth -= 1
    scopes.discard()


class TestScope:
    """What scopes remember of writes; tests/engine/test_differentiate.py tries it through gradients."""

    def test_outside_writes_go_to_the_storage(self, p):
        storage = p._storage
        assert scopes.writable(p) is scopes.stored_value(p) is storage
        scopes.replace_value(p, torch.tensor([5.0, 6.0]))
        assert p._t is p._storage is storage
        assert storage.tolist() == [5, 6]
        assert not scopes.scope.writes

    def test_inside_they_wait_for_the_end(self, p, open_scope):
        storage = p._storage
        scopes.writable(p).mul_(2)
        scopes.replace_value(p, p._t + 1)
        assert (p.tolist(), storage.tolist()) == ([3, 5], [1, 2])
        assert scopes.stored_value(p) is storage
        scopes.commit()
        assert p._t is p._storage is storage
        assert storage.tolist() == [3, 5]
        assert not scopes.scope.writes

    def test_or_are_dropped(self, p, open_scope):
        storage = p._storage
        scopes.writable(p).mul_(2)
        scopes.discard()
        assert p._t is p._storage is storage
        assert storage.tolist() == [1, 2]

    def test_another_shape_gets_a_storage_at_the_end(self, p, open_scope):
        scopes.replace_value(p, torch.ones(3))
        scopes.commit()
        assert p._t is p._storage
        assert p.shape == (3,)

    def test_an_input_is_written_back(self, open_scope):
        caller = torch.tensor([1.0, 2.0])
        x = Tensor(caller.detach().requires_grad_())
        scopes.writable(x).mul_(3)
        assert caller.tolist() == [1, 2]
        scopes.commit()
        assert caller.tolist() == x.tolist() == [3, 6]

    def test_an_intermediate_result_is_written_at_once(self, open_scope):
        x = Tensor([1.0, 2.0])
        assert scopes.writable(x) is x._t

    def test_stashed_results_are_cut_off(self, open_scope):
        x = Tensor(torch.ones(2, requires_grad=True) * 2)
        scopes.stash([x])
        scopes.commit()
        assert not x.torch.requires_grad
        assert not scopes.scope.stashed

    def test_each_thread_has_its_own(self, open_scope):
        depths = []
        thread = threading.Thread(target=lambda: depths.append(scopes.scope.depth))
        thread.start()
        thread.join()
        assert depths == [0]
        assert scopes.scope.depth == 1
