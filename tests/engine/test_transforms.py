"""vjp, jvp, jacobians and vmap, alone and nested with grad."""

from __future__ import annotations

import numpy as np
import pytest

import torchspore as ms
from plain import values
from torchspore import Parameter, Tensor, nn, ops

X = Tensor([1.0, 2.0])
Y = Tensor([3.0, 4.0])
ONES = Tensor([1.0, 1.0])


def square(x):
    return x * x


def product(x, y):
    return x * y


class TestVjp:
    def test_inputs(self):
        output, pull_back = ms.vjp(product, X, Y)
        assert values(output) == [3, 8]
        assert values(pull_back(ONES)) == ([3, 4], [1, 2])
        assert values(pull_back(Y)) == ([9, 16], [3, 8])  # as often as wanted

    def test_several_outputs(self):
        output, pull_back = ms.vjp(lambda x: (x * x, x * 3), X)
        assert values(output) == ([1, 4], [3, 6])
        assert values(pull_back(ONES, ONES)) == values(pull_back((ONES, ONES))) == ([5, 7],)

    def test_aux(self):
        output, pull_back, aux = ms.vjp(lambda x, y: (x * y, x), X, Y, has_aux=True)
        assert values((output, aux)) == ([3, 8], [1, 2])
        assert values(pull_back(ONES)) == ([3, 4], [1, 2])

    def test_weights(self):
        p = Parameter(Tensor([3.0, 4.0]), name="p")
        assert values(ms.vjp(lambda x: x * p, X, weights=p)[1](ONES)) == (([3, 4],), [1, 2])
        assert values(ms.vjp(lambda x: x * p, X, weights=[p])[1](ONES)) == (([3, 4],), ([1, 2],))
        assert not p.torch.requires_grad

    def test_wrong_use(self):
        with pytest.raises(TypeError, match="'fn'"):
            ms.vjp(3, X)
        with pytest.raises(TypeError, match="'weights'"):
            ms.vjp(square, X, weights=3)
        with pytest.raises(ValueError, match="1 outputs, but 2 vectors"):
            ms.vjp(square, X)[1](ONES, ONES)


class TestJvp:
    def test_inputs(self):
        assert values(ms.jvp(square, X, ONES)) == ([1, 4], [2, 4])
        assert values(ms.jvp(product, (X, Y), (X, Y))) == ([3, 8], [6, 16])

    def test_several_outputs_and_aux(self):
        assert values(ms.jvp(lambda x: (x * x, x * 3), X, X)) == (([1, 4], [3, 6]), ([2, 8], [3, 6]))
        assert values(ms.jvp(lambda x, y: (x * y, x), (X, Y), (X, Y), has_aux=True)) == ([3, 8], [6, 16], [1, 2])

    def test_wrong_use(self):
        with pytest.raises(TypeError, match="'fn'"):
            ms.jvp(3, X, X)
        with pytest.raises(TypeError, match="must be Tensors"):
            ms.jvp(square, 3, X)
        with pytest.raises(ValueError, match="same shapes"):
            ms.jvp(square, X, Tensor([1.0]))


@pytest.mark.parametrize("jacobian", [ms.jacrev, ms.jacfwd])
class TestJacobian:
    def test_one_input(self, jacobian):
        assert values(jacobian(square)(X)) == [[2, 0], [0, 4]]

    def test_positions(self, jacobian):
        assert values(jacobian(product, (0, 1))(X, Y)) == ([[3, 0], [0, 4]], [[1, 0], [0, 2]])
        assert values(jacobian(product, 1)(X, Y)) == [[1, 0], [0, 2]]

    def test_aux_and_outputs(self, jacobian):
        result, aux = jacobian(lambda x, y: (x * y, x), 0, has_aux=True)(X, Y)
        assert values((result, aux)) == ([[3, 0], [0, 4]], [1, 2])
        _, several = jacobian(lambda x, y: (x * y, x, y), 0, has_aux=True)(X, Y)
        assert values(several) == ([1, 2], [3, 4])
        assert values(jacobian(lambda x: (x * x, x * 3))(X)) == ([[2, 0], [0, 4]], [[3, 0], [0, 3]])

    def test_wrong_use(self, jacobian):
        with pytest.raises(TypeError, match="'fn'"):
            jacobian(3)(X)
        with pytest.raises(TypeError, match="'grad_position'"):
            jacobian(square, "a")(X)
        with pytest.raises(ValueError, match="has no input"):
            jacobian(square, 1)(X)
        with pytest.raises(TypeError, match="position 0 must be a Tensor"):
            jacobian(square)(2.0)


class TestVmap:
    def test_axes(self):
        a, b = Tensor(np.arange(6.0).reshape(2, 3), ms.float32), Tensor([1.0, 2.0, 3.0])
        assert values(ms.vmap(lambda x, y: x + y, (0, None))(a, b)) == [[1, 3, 5], [4, 6, 8]]
        assert ms.vmap(lambda x: (x, x * 2), 0, (0, 1))(a)[1].shape == (3, 2)
        assert ms.vmap(square, 1, 1)(a).shape == (2, 3)
        assert values(ms.vmap(lambda x, y: x[0] + x[1] + y, ((0, None), 0))((X, Tensor(1.0)), Y)) == [5, 7]

    def test_cells(self):
        class Weighted(nn.Cell):
            def __init__(self, w):
                super().__init__()
                self.w = Parameter(Tensor([w]))

            def construct(self, x):
                return x * self.w

        assert values(ms.vmap(Weighted(2.0))(X)) == [[2], [4]]
        if hasattr(nn, "CellList"):
            both = nn.CellList([Weighted(2.0), Weighted(3.0)])
            assert values(ms.vmap(both, in_axes=None)(X)) == [[2, 4], [3, 6]]
            assert values(ms.vmap(both, in_axes=0)(X)) == [[2], [6]]

    def test_wrong_use(self):
        with pytest.raises(TypeError, match="'fn'"):
            ms.vmap(3)(X)
        with pytest.raises(TypeError, match="'in_axes'"):
            ms.vmap(square, "a")(X)
        with pytest.raises(TypeError, match="'out_axes'"):
            ms.vmap(square, 0, 1.5)(X)
        with pytest.raises(ValueError, match="at least one input an axis"):
            ms.vmap(square, None)(X)
        with pytest.raises(ValueError, match="For 'vmap'"):
            ms.vmap(product)(X, Tensor([1.0, 2.0, 3.0]))


MATRICES = Tensor(np.cos(np.arange(24, dtype=np.float32)).reshape(2, 4, 3))
WITHOUT_RULE = {
    "unique": (lambda x: ops.unique(x), Tensor([[1, 2, 1], [0, 3, 3]])),
    "bincount": (lambda x: ops.bincount(x, minlength=4), Tensor([[1, 2, 1], [0, 3, 3]])),
    "check": (ops.CheckNumerics(), MATRICES),
    "ctc_loss": (
        lambda x: ops.CTCLoss()(
            x, Tensor([[0, 0]]), Tensor([1], ms.int32), Tensor([4], ms.int32)
        )[0],
        Tensor(MATRICES.asnumpy().reshape(2, 4, 1, 3)),
    ),
    "nested": (ms.vmap(lambda x: ops.unique(x)), Tensor([[[1, 2, 1], [0, 3, 3]]] * 2)),
    "size": (lambda size: ops.ResizeArea()(ops.ones((1, 4, 4, 2)), size), Tensor([[2, 3], [2, 3]], ms.int32)),
    "nested size": (
        ms.vmap(lambda size: ops.ResizeArea()(ops.ones((1, 4, 4, 2)), size)), Tensor([[[2, 3], [2, 3]]] * 2, ms.int32)
    ),
}  # fmt: skip


@pytest.mark.parametrize(("function", "inputs"), list(WITHOUT_RULE.values()), ids=list(WITHOUT_RULE))
def test_vmap_of_operations_that_torch_has_no_rule_for(function, inputs):
    found = ms.vmap(function)(inputs)
    each = [function(inputs[i]) for i in range(2)]
    for part, expected in zip(found, zip(*each)) if isinstance(found, tuple) else [(found, each)]:
        np.testing.assert_allclose(part.asnumpy(), [x.asnumpy() for x in expected], rtol=1e-6)


def test_vmap_of_results_of_different_sizes():
    with pytest.raises(ValueError, match="For 'unique', vmap"):
        ms.vmap(lambda x: ops.unique(x))(Tensor([[1, 2, 1], [0, 3, 4]]))


def test_grad_of_vmap_of_operations_that_torch_has_no_rule_for():
    assert values(ms.grad(lambda x: ms.vmap(ops.CheckNumerics())(x) * x)(X)) == [2, 4]


class TestNesting:
    def test_grad_of_vmap(self):
        assert values(ms.grad(lambda x: ms.vmap(square)(x))(X)) == [2, 4]

    def test_vmap_of_grad(self):
        assert values(ms.vmap(ms.grad(square))(X)) == [2, 4]

    def test_vmap_of_value_and_grad_with_weights(self):
        p = Parameter(Tensor(3.0), name="p")
        value, (of_x, of_p) = ms.vmap(ms.value_and_grad(lambda x: x * x * p, 0, p))(X)
        assert values((value, of_x, of_p)) == ([3, 12], [6, 12], [1, 4])

    def test_hessians(self):
        cubes = lambda x: (x * x * x).sum()  # noqa: E731
        expected = [[6, 0], [0, 12]]
        assert values(ms.jacfwd(ms.jacrev(cubes))(X)) == expected
        assert values(ms.jacrev(ms.jacfwd(cubes))(X)) == expected
        assert values(ms.jacrev(ms.grad(cubes))(X)) == expected

    def test_jvp_of_grad(self):
        assert values(ms.jvp(ms.grad(lambda x: x * x * x), X, ONES)) == ([3, 12], [6, 12])

    def test_grad_of_jvp(self):
        assert values(ms.grad(lambda x: ms.jvp(lambda a: a * a * a, x, ONES)[1])(X)) == [6, 12]

    def test_grad_of_vjp(self):
        assert values(ms.grad(lambda x: ms.vjp(square, x)[1](ONES)[0])(X)) == [2, 2]


@pytest.mark.parametrize(
    ("run", "printed"),
    [
        (lambda fn: ms.vmap(fn)(X), "[1. 2.]\n[3. 6.]\n"),
        (lambda fn: ms.jvp(fn, X, ONES), "[1. 2.]\n[3. 6.]\n"),
        (lambda fn: ms.vjp(fn, X), "[1. 2.]\n[3. 6.]\n"),
        (lambda fn: ms.vmap(ms.grad(fn))(X), "[1. 2.]\n[3. 6.]\n"),
    ],
    ids=["vmap", "jvp", "vjp", "vmap of grad"],
)
def test_values_can_be_printed_inside(run, printed, capsys):
    def function(x):
        print(x)
        print(x * 3)
        return x * 2

    run(function)
    assert capsys.readouterr().out == printed


class TestVmapOutputs:
    """Recorded: numbers are stacked like tensors, lists become tuples, negative axes count from the end."""

    @pytest.mark.parametrize(
        ("function", "out_axes", "expected"),
        [
            (lambda x: 3, 0, [3, 3]),
            (lambda x: (x[0], 3), 0, ([0.0, 3.0], [3, 3])),
            (lambda x: (x[0], 2.5, True), 0, ([0.0, 3.0], [2.5, 2.5], [True, True])),
            (lambda x: [x[0], 3], 0, ([0.0, 3.0], [3, 3])),
            (lambda x: (x[0], (3, 4.5)), -1, ([0.0, 3.0], ([3, 3], [4.5, 4.5]))),
            (lambda x: (x[0], 3), (0, None), ([0.0, 3.0], 3)),
            (lambda x: x, -1, [[0.0, 3.0], [1.0, 4.0], [2.0, 5.0]]),
            (lambda x: (x, x), (-2, -1), ([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]], [[0.0, 3.0], [1.0, 4.0], [2.0, 5.0]])),
            (lambda x: ms.Tensor([1.0, 2.0]), -1, [[1.0, 1.0], [2.0, 2.0]]),
        ],
    )
    def test_outputs(self, function, out_axes, expected):
        def plain(value):
            if isinstance(value, (tuple, list)):
                return type(value)(map(plain, value))
            return value.asnumpy().tolist() if isinstance(value, ms.Tensor) else value

        x = ms.Tensor([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]])
        assert plain(ms.vmap(function, 0, out_axes)(x)) == expected

    def test_an_axis_out_of_range(self):
        with pytest.raises(ValueError, match="For 'vmap'"):
            ms.vmap(lambda x: x, 0, -3)(ms.Tensor([[1.0]]))
