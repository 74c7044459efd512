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


def by_index(y):
    y[1] = 5.0
    return y


def by_mask(y):
    y[Tensor([False, True, False])] = 0.0
    return y


def by_sum(y):
    y[0] += 1
    return y


def through_a_view(y):
    y[1:][0] = 3.0
    return y


def in_place(y):
    y.mul_(Tensor([1.0, 0.0, 1.0]))
    return y


class Doubled(nn.Cell):
    """A cell that writes into what it returns."""

    def __init__(self, write):
        super().__init__()
        self.write = write
        self.w = Parameter(Tensor([2.0, 2.0, 2.0]), name="w")

    def construct(self, x):
        return self.write(x * self.w)


class Counting(nn.Cell):
    """A cell that writes a parameter that its gradient needs."""

    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([2.0, 2.0]), name="w")
        self.steps = Parameter(Tensor([1.0, 3.0]), name="steps", requires_grad=False)

    def construct(self, x):
        y = x * self.steps * self.w
        ops.assign_add(self.steps, ops.ones_like(self.steps))
        return y * y


@pytest.mark.parametrize("write", [by_index, by_mask, by_sum, through_a_view, in_place])
class TestResultsThatWereWritten:
    X, ONES = Tensor([1.0, 2.0, 3.0]), Tensor([1.0, 1.0, 1.0])

    def test_vjp(self, write):
        expected = [2.0, 2.0, 2.0] if write is by_sum else [2.0, 0.0, 2.0]
        net = Doubled(write)
        for fn in (
            net,
            lambda x: net(x),
            *([ms.jit(net)] if write is not through_a_view else []),
        ):  # in a graph, a copy
            assert values(ms.vjp(fn, self.X)[1](self.ONES)) == (expected,)
        assert values(ms.vjp(net, self.X, weights=net.w)[1](self.ONES)) == (
            (expected,), [e / 2 * x for e, x in zip(expected, (1, 2, 3))]
        )  # fmt: skip
        several = lambda x: (net(x), (x * 3, net(x)))  # noqa: E731
        assert values(ms.vjp(several, self.X)[1](*[self.ONES] * 3)) == ([2 * e + 3 for e in expected],)
        assert values(ms.vjp(several, self.X, has_aux=True)[1](self.ONES)) == (expected,)
        batch = Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
        assert values(ms.vmap(lambda x: ms.vjp(net, x)[1](self.ONES)[0])(batch)) == [expected] * 2
        assert values(ms.grad(lambda x: ms.vjp(lambda x: net(x) * x, x)[1](self.ONES)[0])(self.X)) == [
            2 * e for e in expected
        ]

    def test_a_recorded_pass(self, write):
        net = Doubled(write)
        net.set_grad()
        net(self.X)
        assert values(ms.grad(net)(self.X)) == values(ms.grad(Doubled(write))(self.X))


class TestWritesAfterTheCall:
    def test_of_the_output(self):
        output, pull_back = ms.vjp(ops.exp, X)
        output[0] = 0
        assert pull_back(ONES)[0].asnumpy() == pytest.approx(np.exp([1.0, 2.0]), rel=1e-6)
        net = nn.Tanh()
        net.set_grad()
        net(X)[0] = 0
        assert ms.grad(net)(X).asnumpy() == pytest.approx(1 - np.tanh([1.0, 2.0]) ** 2, rel=1e-6)

    def test_of_the_output_inside_a_scope(self):
        def fn(x):
            output, pull_back = ms.vjp(square, x)
            output[0] = 0
            return pull_back(ONES)[0] + output

        assert values(ms.grad(fn)(X)) == [2, 6]

    def test_of_an_input(self):
        x, w = Tensor([1.0, 2.0]), Parameter(Tensor([1.0, 2.0]), name="w")
        _, pull_back = ms.vjp(lambda x: x * x * w, x, weights=w)
        w.set_data(Y)
        with pytest.raises(RuntimeError, match=r"For 'vjp', the gradient needs the values .* Call vjp again"):
            pull_back(ONES)


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
class TestStateThatTheGradientNeeds:
    @pytest.fixture(autouse=True)
    def _in_mode(self, mode):
        ms.set_context(mode=mode)
        yield
        ms.set_context(mode=ms.PYNATIVE_MODE)

    @pytest.mark.parametrize("recomputed", [False, True])
    @pytest.mark.parametrize("how", ["grad", "vjp", "set_grad"])
    def test_writes(self, mode, how, recomputed):
        net, x = Counting(), Tensor([1.0, 2.0])
        if recomputed:
            net.recompute()
        if how == "vjp":
            (of_x,), of_w = ms.vjp(net, x, weights=net.w)[1](ONES)
        else:
            if how == "set_grad" and mode == ms.PYNATIVE_MODE:
                net.set_grad()
                net(x)
            of_x, of_w = ms.grad(net, 0, net.w)(x)
        assert (values(of_x), values(of_w), values(net.steps)) == ([8, 144], [4, 144], [2, 4])

    def test_blocks_inside_each_other(self, mode):
        def gradient(recomputed):
            first, second = Counting(), Counting()
            inner = nn.SequentialCell(second, first)
            outer = nn.SequentialCell(first, inner, second)
            if recomputed:
                inner.recompute()
                outer.recompute()
            return values(ms.grad(outer)(X)), values(first.steps), values(second.steps)

        assert gradient(recomputed=True) == gradient(recomputed=False)


def written_directly(x, c):
    y = x * 2

    def inner(z):
        y.add_(z.sum() * x)
        return (z * z * y).sum()

    return y * ms.grad(inner)(x)


def written_through_an_inner_view(x, c):
    y = x * 2

    def inner(z):
        y[1:].mul_(z[0])
        return (z * z * y).sum()

    return y * ms.grad(inner)(x)


def read_through_a_view(x, c):
    view = c[1:]
    c.add_(x)
    return view * x[1:]


def constant_through_a_view(x, c):
    c[1:].add_(x[1:])
    return c * x


def constant_through_another_shape(x, c):
    view = c.reshape(3, 1)
    view[0] = ops.tanh(view).sum()
    return c * x


def several_views(x, c):
    first, last = c[:2], c[1:]
    first[0] = x[0]
    c.mul_(x)
    last[0] = 1.0
    return c * x + first.sum() * last.sum()


@pytest.mark.parametrize(
    "fn",
    [
        written_directly, written_through_an_inner_view, read_through_a_view, constant_through_a_view,
        constant_through_another_shape, several_views,
    ],
)  # fmt: skip
def test_writes_to_outer_tensors_inside_transforms(fn):
    def closed(row=None):
        c = Tensor([0.9, -0.8, 0.7], ms.float64)
        return lambda x: fn(x, c) if row is None else fn(x, c)[row]

    x = Tensor([0.5, 1.0, 2.0], ms.float64)
    rows = closed()(x).shape[0]
    expected = np.stack([ms.grad(closed(row))(x).asnumpy() for row in range(rows)])
    np.testing.assert_allclose(ms.jacrev(closed())(x).asnumpy(), expected)
    np.testing.assert_allclose(ms.jacfwd(closed())(x).asnumpy(), expected)
    np.testing.assert_allclose(ms.jvp(closed(), x, ops.ones_like(x))[1].asnumpy(), expected.sum(1))


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

    def test_numbers_where_a_mask_says(self):
        def fn(x):
            y = x * 1
            y[y > 2] = 0.5
            y[:, Tensor([True, False])] = x[0, 0]
            return y

        x = Tensor([[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [1.0, 1.0]]])
        assert values(ms.vmap(fn)(x)) == values(ops.stack([fn(x[0]), fn(x[1])]))

    def test_an_axis_out_of_range(self):
        with pytest.raises(ValueError, match="For 'vmap'"):
            ms.vmap(lambda x: x, 0, -3)(ms.Tensor([[1.0]]))
