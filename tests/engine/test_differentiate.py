"""Gradients: positions, weights, nesting, writes inside scopes, wrong use."""

from __future__ import annotations

import numpy as np
import pytest

import torchspore as ms
from plain import values
from torchspore import Parameter, Tensor, nn, ops
from torchspore.engine.gradients import gradient_inputs

X = Tensor([1.0, 2.0])
Y = Tensor([3.0, 4.0])


@pytest.fixture
def p():
    return Parameter(Tensor([3.0, 4.0]), name="p")


@pytest.mark.parametrize(
    ("position", "expected"),
    [(0, [3, 4]), (1, [1, 2]), ((0,), [3, 4]), ((0, 1), ([3, 4], [1, 2])), ((1, 0), ([1, 2], [3, 4]))],
)
def test_positions(position, expected):
    assert values(ms.grad(lambda x, y: x * y, position)(X, Y)) == expected


def test_outputs_are_summed():
    assert values(ms.grad(lambda x: (x * 2, x * 3))(X)) == [5, 5]


def test_aux_is_returned_and_not_differentiated():
    gradient, rest = ms.grad(lambda x: (x * 2, x * 3, 4), has_aux=True)(X)
    assert values(gradient) == [2, 2]
    assert values(rest[:1]) == ([3, 6],)
    assert rest[1] == 4
    outputs, gradient = ms.value_and_grad(lambda x: (x * 2, x * 3), has_aux=True)(X)
    assert values(outputs) == ([2, 4], [3, 6])
    assert values(gradient) == [2, 2]


def test_weights(p):
    assert values(ms.grad(lambda x: x * p, 0, p)(X)) == ([3, 4], [1, 2])
    assert values(ms.grad(lambda x: x * p, None, [p])(X)) == ([1, 2],)
    assert values(ms.grad(lambda x: x * p, None, p)(X)) == [1, 2]
    assert values(ms.grad(lambda x: x * p, None, ms.ParameterTuple([p]))(X)) == ([1, 2],)
    assert values(ms.value_and_grad(lambda x: x * p, (0,), [p])(X)) == ([3, 8], ([3, 4], ([1, 2],)))


def test_a_weight_named_twice_gets_its_gradient_twice(p):
    assert values(ms.grad(lambda x: x * p, None, [p, p])(X)) == ([1, 2], [1, 2])


def test_unused_inputs_and_weights_have_zero_gradients(p):
    assert values(ms.grad(lambda x, y: y * 2, (0, 1))(X, Y)) == ([0, 0], [2, 2])
    assert values(ms.grad(lambda x: x * 1, None, [p])(X)) == ([0, 0],)
    assert values(ms.grad(lambda x: 3.0)(X)) == [0, 0]
    assert values(ms.grad(lambda x: None)(X)) == [0, 0]


def test_ids(p):
    single = ms.grad(lambda x, y: x * y, 0, return_ids=True)(X, Y)
    assert (single[0], values(single[1])) == (0, [3, 4])
    both = ms.grad(lambda x, y: x * y * p, (0, 1), [p], return_ids=True)(X, Y)
    assert [pair[0] for pair in both[0]] == [0, 1]
    assert [pair[0] for pair in both[1]] == ["p"]
    assert values(ms.get_grad(both, p)) == [3, 8]
    assert values(ms.get_grad(both, 1)) == [3, 8]


def test_nested_inputs_keep_their_nesting():
    gradient = ms.grad(lambda t: t[0] * t[1]["k"])((X, {"k": Y}))
    assert values(gradient[0]) == [3, 4]
    assert values(gradient[1]["k"]) == [1, 2]


def test_keyword_arguments_pass_through():
    assert values(ms.grad(lambda x, y=1.0: x * y)(X, y=Y)) == [3, 4]


def test_higher_orders():
    cube = lambda x: x * x * x  # noqa: E731
    two = Tensor(2.0)
    assert values(ms.grad(ms.grad(cube))(two)) == 12
    assert values(ms.grad(ms.grad(ms.grad(cube)))(two)) == 6
    mixed = ms.grad(lambda x, y: ms.grad(lambda a, b: a * a * b, 0)(x, y), 1)
    assert values(mixed(Tensor(3.0), Tensor(5.0))) == 6
    value, (first, second) = ms.value_and_grad(ms.value_and_grad(cube), 0)(two), (None, None)
    del first, second
    assert values(value[0][0]) == 8


def test_second_order_through_weights(p):
    inner = lambda x: ms.grad(lambda a: a * a * p * p, 0)(x)  # noqa: E731
    assert values(ms.grad(inner, None, [p])(X)) == ([12, 32],)


def test_results_carry_no_graph(p):
    value, (gradient,) = ms.value_and_grad(lambda x: (x * p).sum(), None, [p])(X)
    assert not value.torch.requires_grad
    assert not gradient.torch.requires_grad
    assert not p.torch.requires_grad


def test_nothing_is_recorded_outside_a_scope(p):
    assert not (X * p).torch.requires_grad


def test_a_failing_function_leaves_everything_as_it_was(p):
    def broken(x):
        ops.assign(p, p * 2)
        raise RuntimeError("no")

    with pytest.raises(RuntimeError, match="no"):
        ms.grad(broken, 0, [p])(X)
    assert p.asnumpy().tolist() == [3, 4]
    assert not p.torch.requires_grad
    assert values(ms.grad(lambda x: x * p)(X)) == [3, 4]


class TestWrites:
    def test_the_value_is_seen_at_once_and_stored_once(self, p):
        before = p.torch

        def step(x):
            ops.assign(p, p * 2)
            return (x * p).sum()

        value, gradients = ms.value_and_grad(step, 0, [p])(X)
        assert values(value) == 22
        assert values(gradients) == ([6, 8], ([1, 2],))  # the parameter stays a leaf
        assert p.asnumpy().tolist() == [6, 8]
        assert p.torch is before

    def test_a_value_saved_for_the_backward_pass_survives(self, p):
        def step(x):
            y = x * p  # saves p
            ops.assign(p, Tensor([0.0, 0.0]))
            return (y * p).sum() + y.sum()

        assert values(ms.grad(step)(X)) == [3, 4]
        assert p.asnumpy().tolist() == [0, 0]

    def test_slices(self, p):
        def step(x):
            p[0] = 10.0
            return (x * p).sum()

        assert values(ms.grad(step)(X)) == [10, 4]
        assert p.asnumpy().tolist() == [10, 4]

    def test_in_nested_scopes(self, p):
        def inner(x):
            ops.assign(p, p + 1)
            return (x * x * p).sum()

        assert values(ms.grad(lambda x: ms.grad(inner)(x).sum())(X)) == [8, 10]
        assert p.asnumpy().tolist() == [4, 5]

    def test_of_an_input(self):
        x = Tensor([1.0, 2.0])

        def step(a):
            a[0] = 5.0
            return (a * a).sum()

        assert values(ms.grad(step)(x)) == [0, 4]
        assert x.asnumpy().tolist() == [5, 2]

    def test_set_data_inside(self, p):
        def step(x):
            p.set_data(Tensor([1.0, 1.0]))
            return (x * p).sum()

        assert values(ms.grad(step)(X)) == [1, 1]
        assert p.asnumpy().tolist() == [1, 1]

    def test_results_kept_on_a_cell_are_cut_from_the_graph(self, p):
        class Keeping(nn.Cell):
            def __init__(self):
                super().__init__()
                self.p = p
                self.hidden = Tensor([0.0, 0.0])

            def construct(self, x):
                self.hidden = self.hidden * 0.5 + x * self.p
                return self.hidden.sum()

        cell = Keeping()
        for _ in range(2):
            assert values(ms.grad(cell, 0)(X)) == [3, 4]
            assert not cell.hidden.torch.requires_grad
        assert cell.hidden.asnumpy().tolist() == [4.5, 12]


class TestGradOperation:
    def test_flags(self, p):
        product = lambda x, y: x * y * p  # noqa: E731
        assert values(ops.GradOperation()(product)(X, Y)) == [9, 16]
        assert values(ops.GradOperation(get_all=True)(product)(X, Y)) == ([9, 16], [3, 8])
        assert values(ops.GradOperation(get_by_list=True)(product, [p])(X, Y)) == ([3, 8],)
        assert values(ops.GradOperation(get_by_list=True)(product, p)(X, Y)) == [3, 8]
        both = ops.GradOperation(get_all=True, get_by_list=True)(product, [p])(X, Y)
        assert values(both) == (([9, 16], [3, 8]), ([3, 8],))

    def test_sens(self):
        assert values(ops.GradOperation(sens_param=True)(lambda x: x * 2)(X, Y)) == [6, 8]
        assert values(ops.GradOperation(get_all=True, sens_param=True)(lambda x: x * 2)(X, Y)) == ([6, 8],)
        two = ops.GradOperation(sens_param=True)(lambda x: (x * 2, x))
        assert values(two(X, (Y, X))) == [7, 10]
        assert values(ms.grad(lambda x, y: x * y, (0, 1), sens_param=True)(X, Y, Y)) == ([9, 16], [3, 8])
        assert values(ms.value_and_grad(lambda x, y: x * y, 0, sens_param=True)(X, Y, sens=X)) == ([3, 8], [3, 8])

    def test_get_all_skips_what_is_no_tensor(self):
        assert values(ops.GradOperation(get_all=True)(lambda x, k: x * k)(X, 2)) == ([2, 2],)
        gradients = ops.GradOperation(get_all=True)(lambda x, i: x * i)(X, Tensor([1, 2]))
        assert values(gradients[0]) == [1, 2]
        assert gradients[1].dtype == ms.int64

    def test_wrong_use(self, monkeypatch):
        with pytest.raises(TypeError, match="For 'GradOperation', 'get_all' must be a bool"):
            ops.GradOperation(get_all=1)
        with monkeypatch.context() as patch:
            patch.setattr(gradient_inputs, "MAX_LOCATIONS", 0)
            with pytest.raises(ValueError, match="needs the weights"):
                ops.GradOperation(get_by_list=True)(lambda x: x * X)
        with pytest.raises(ValueError, match="For 'grad', sens_param=True needs the output's gradient"):
            ms.grad(lambda x, y: x * y, sens_param=True)()
        with pytest.raises(TypeError, match="For 'grad', 'sens_param' must be a bool"):
            ms.grad(lambda x, y: x * y, sens_param=1)
        with pytest.raises(ValueError, match="must have the shape of the output"):
            ops.GradOperation(sens_param=True)(lambda x: x * 2)(X, Tensor([1.0, 2.0, 3.0]))


@pytest.mark.parametrize(
    ("arguments", "call", "error", "text"),
    [
        ((3,), (), TypeError, "'fn' must be a function"),
        ((abs, "a"), (), TypeError, "'grad_position' must be an int or a tuple of ints"),
        ((abs, True), (), TypeError, "'grad_position'"),
        ((abs, -1), (), ValueError, "'grad_position' must be >= 0"),
        ((abs, (0, 0)), (), ValueError, "names an input twice"),
        ((abs, None), (), ValueError, "nothing is asked for"),
        ((abs, None, 3), (), TypeError, "'weights' must be a Parameter"),
        ((abs, None, [3]), (), TypeError, "every element of 'weights' must be a Parameter"),
        ((abs, 0, None, 1), (), TypeError, "'has_aux' must be a bool"),
        ((abs, 0, None, False, 1), (), TypeError, "'return_ids' must be a bool"),
        ((abs, 1), (X,), ValueError, "has no input"),
        ((abs, 1), (X,), TypeError, "has no input"),
    ],
)
@pytest.mark.parametrize("transform", [ms.grad, ms.value_and_grad])
def test_wrong_use(transform, arguments, call, error, text):
    with pytest.raises(error, match=text):
        transform(*arguments)(*call)


def test_get_grad_wrong_use():
    gradients = ms.grad(lambda x: x * x, 0, return_ids=True)(X)
    with pytest.raises(ValueError, match="no gradient has the id 7"):
        ms.get_grad(gradients, 7)
    with pytest.raises(TypeError, match="'identifier'"):
        ms.get_grad(gradients, 1.5)


def test_stop_gradient():
    assert values(ms.grad(lambda x: ops.stop_gradient(x) * x)(X)) == [1, 2]
    assert ops.stop_gradient(2) == 2


def test_complex_inputs():
    x = Tensor([1 + 2j, 3 + 0j], ms.complex64)
    gradient = ms.grad(lambda a: (a * a.conj()).real())(x) if hasattr(x, "conj") else ms.grad(lambda a: abs(a))(x)
    assert gradient.dtype == ms.complex64


class TestRecording:
    """`Cell.set_grad()`: one forward pass, not two."""

    @pytest.fixture
    def cell(self, p):
        class Counting(nn.Cell):
            def __init__(self):
                super().__init__()
                self.p = p
                self.runs = 0

            def construct(self, x):
                self.runs += 1
                return x * x * self.p

        return Counting()

    def test_one_pass(self, cell, p):
        cell.set_grad()
        assert values(cell(X)) == [3, 16]
        assert values(ms.value_and_grad(cell, 0, [p])(X)) == ([3, 16], ([6, 16], ([1, 4],)))
        assert cell.runs == 1

    def test_used_once(self, cell):
        cell.set_grad()
        cell(X)
        ms.grad(cell)(X)
        ms.grad(cell)(X)
        assert cell.runs == 2

    @pytest.mark.parametrize("change", ["input", "weight", "data", "other weights", "off"])
    def test_not_used_when_something_changed(self, cell, p, change):
        cell.set_grad()
        x = Tensor([1.0, 2.0])
        cell(x)
        weights = [p]
        if change == "input":
            x[0] = 5.0
        elif change == "weight":
            p.set_data(Tensor([1.0, 1.0]))
        elif change == "data":
            x = Tensor([1.0, 2.0])
        elif change == "other weights":
            weights = [p, Parameter(Tensor([1.0]), name="q")]
        else:
            cell.set_grad(False)
        expected = [2 * a * b for a, b in zip(x.asnumpy().tolist(), p.asnumpy().tolist())]
        assert values(ms.grad(cell, 0, weights)(x)[0]) == expected
        assert cell.runs == 2

    def test_without_set_grad_the_function_runs_again(self, cell):
        cell(X)
        ms.grad(cell)(X)
        assert cell.runs == 2


def test_gradients_of_many_shapes_and_types():
    for dtype in (ms.float16, ms.bfloat16, ms.float32, ms.float64):
        for shape in ((), (1,), (2, 3), (0, 3)):
            x = Tensor(np.ones(shape), dtype)
            gradient = ms.grad(lambda a: a * 3)(x)
            assert gradient.dtype == dtype
            assert gradient.shape == shape


@pytest.mark.parametrize("output", [lambda x: 2 * x, lambda x: (2 * x,)])
@pytest.mark.parametrize(
    "differentiate",
    [
        lambda f, x: ms.grad(f, has_aux=True)(x),
        lambda f, x: ms.value_and_grad(f, has_aux=True)(x),
        lambda f, x: ms.vjp(f, x, has_aux=True),
        lambda f, x: ms.jvp(f, (x,), (x,), has_aux=True),
        lambda f, x: ms.jacrev(f, has_aux=True)(x),
    ],
)
def test_has_aux_needs_further_outputs(output, differentiate):
    with pytest.raises(ValueError, match="must return a tuple of two outputs or more"):
        differentiate(output, Tensor([3.0]))
