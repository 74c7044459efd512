"""Custom backward: bprop, InsertGradientOf, HookBackward, _Function, hooks, recomputation."""

from __future__ import annotations

import gc

import pytest
import torch

import torchspore as ms
from plain import values
from torchspore import Parameter, Tensor, nn, ops
from torchspore.engine.gradients.custom import _Function

X = Tensor([1.0, 2.0])
Y = Tensor([3.0, 4.0])


def with_bprop(bprop, construct=None):
    """Return a cell of two inputs and a weight, with the given bprop."""

    class Custom(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = Parameter(Tensor([5.0]))

        def construct(self, x, y):
            return construct(x, y) if construct else x * y * self.w

        def bprop(self, x, y, out, dout):
            return bprop(self, x, y, out, dout)

    return Custom()


class TestBprop:
    @pytest.mark.parametrize(
        ("bprop", "expected"),
        [
            (lambda s, x, y, out, dout: (dout * y, dout * x), ([3, 4], [1, 2])),
            (lambda s, x, y, out, dout: (dout * y, dout * x, dout), ([3, 4], [1, 2])),
            (lambda s, x, y, out, dout: (dout * y, None), ([3, 4], [0, 0])),
            (lambda s, x, y, out, dout: dout * y, ([3, 4], [0, 0])),
            (lambda s, x, y, out, dout: (out, 1), ([15, 40], 1)),
            (lambda s, x, y, out, dout: 100.0, (100, [0, 0])),
            (lambda s, x, y, out, dout: (Tensor([1, 2]), dout), ([1, 2], [1, 1])),
        ],
    )
    def test_results(self, bprop, expected):
        assert values(ms.grad(with_bprop(bprop), (0, 1))(X, Y)) == expected

    def test_forward_is_construct(self):
        assert values(with_bprop(lambda s, *a: 1 / 0)(X, Y)) == [15, 40]

    def test_inside_other_functions(self):
        cell = with_bprop(lambda s, x, y, out, dout: (dout * y, dout * x))
        assert values(ms.grad(lambda x: cell(x * 2, Y) * 3)(X)) == [18, 24]

    def test_second_order(self):
        cell = with_bprop(lambda s, x, y, out, dout: (dout * x * x * y, dout * 0))
        assert values(ms.grad(lambda x: ms.grad(cell)(x, Y))(X)) == [6, 16]

    def test_weights(self):
        cell = with_bprop(lambda s, x, y, out, dout: ((dout * y, dout * x), {s.w: Tensor([7.0])}))
        assert values(ms.grad(cell, None, cell.trainable_params())(X, Y)) == ([7],)
        silent = with_bprop(lambda s, x, y, out, dout: (dout * y, dout * x))
        assert values(ms.grad(silent, None, silent.trainable_params())(X, Y)) == ([0],)

    def test_several_outputs(self):
        def bprop(self, x, y, out, dout):
            assert isinstance(out, tuple)
            assert values(out) == ([2, 4], [3, 4])
            return dout[0] * 10, dout[1] * 100

        cell = with_bprop(bprop, construct=lambda x, y: (x * 2, y))
        assert values(ms.grad(cell, (0, 1))(X, Y)) == ([10, 10], [100, 100])

    def test_other_arguments_pass(self):
        class Scaled(nn.Cell):
            def construct(self, x, k):
                return x * k

            def bprop(self, x, k, out, dout):
                return dout * k * 2, None

        assert values(ms.grad(Scaled())(X, 3)) == [6, 6]

    @pytest.mark.parametrize(
        ("call", "given"),
        [
            (lambda cell: cell(X), ([1, 2], 3, [3, 4], 7)),
            (lambda cell: cell(X, 5), ([1, 2], 5, [3, 4], 7)),
            (lambda cell: cell(X, m=X), ([1, 2], 3, [1, 2], 7)),
            (lambda cell: cell(X, only=9, k=6), ([1, 2], 6, [3, 4], 9)),
        ],
    )
    def test_keywords_and_defaults(self, call, given):
        class Optional(nn.Cell):
            def construct(self, x, k=3, m=Y, *, only=7):
                return x * 2

            def bprop(self, x, k, m, only, out, dout):
                self.given = values(x), k, values(m), only
                return dout * 5, None, dout, None

        cell = Optional()
        assert values(ms.grad(lambda x: call(lambda _, *rest, **names: cell(x, *rest, **names)))(X)) == [5, 5]
        assert cell.given == given
        with pytest.raises(TypeError, match=r"construct\(\) got an unexpected keyword argument 'z'"):
            ms.grad(lambda x: cell(x, z=3))(X)

    @pytest.mark.parametrize(
        "bprop",
        [
            lambda x, pair, dout: (dout, (dout * 2, dout * 3)),
            lambda x, pair, dout: [dout, [dout * 2, dout * 3]],
            lambda x, pair, dout: (dout, dout * 2, dout * 3),
        ],
    )
    def test_gradients_of_a_tuple(self, bprop):
        class Paired(nn.Cell):
            def construct(self, x, pair):
                return x + pair[0] + pair[1]

            def bprop(self, x, pair, out, dout):
                return bprop(x, pair, dout)

        cell = Paired()
        assert values(ms.grad(lambda a, b, c: cell(a, (b, c)), (0, 1, 2))(X, Y, Y)) == ([1, 1], [2, 2], [3, 3])

    def test_a_context_of_its_own_and_inputs_changed_in_place(self):
        class Doubled(_Function):
            @staticmethod
            def forward(x, k):
                return x.mul_(k)

            @staticmethod
            def setup_context(ctx, inputs, output):
                ctx.mark_dirty(inputs[0])
                ctx.k = inputs[1]

            @staticmethod
            def backward(ctx, dout):
                return dout * ctx.k, None

        assert values(ms.value_and_grad(lambda x: Doubled.apply(x * 1, 2.0))(X)) == ([2, 4], [2, 2])

    def test_outputs_without_gradient(self):
        cell = with_bprop(lambda s, x, y, out, dout: dout[0] * 2, construct=lambda x, y: (x * 1, x.astype(ms.int32)))
        assert values(ms.grad(cell)(X, Y)) == [2, 2]

    def test_under_vmap(self):
        cell = with_bprop(lambda s, x, y, out, dout: (dout * y, dout * x), construct=lambda x, y: x * y)
        assert values(ms.vmap(ms.grad(cell))(X, Y)) == [3, 4]

    @pytest.mark.parametrize(
        ("bprop", "error", "text"),
        [
            (lambda s, *a: "a", TypeError, "a gradient must be a Tensor, a number or None"),
            (lambda s, *a: None, TypeError, "it returned None"),
            (lambda s, *a: (a[-1],), RuntimeError, "must return gradients of the 2 inputs, but it returned 1"),
            (lambda s, *a: (), RuntimeError, "it returned 0"),
            (lambda s, *a: Tensor([1.0, 2.0, 3.0]), ValueError, r"must have the shape .*\(2,\)"),
        ],
    )
    def test_wrong_results(self, bprop, error, text):
        with pytest.raises(error, match=text):
            ms.grad(with_bprop(bprop))(X, Y)

    def test_wrong_number_of_inputs(self):
        class Wrong(nn.Cell):
            def construct(self, x, y):
                return x * y

            def bprop(self, y, out, dout):
                return y

        cell = Wrong()
        assert values(cell(X, Y)) == [3, 8]
        with pytest.raises(TypeError, match="'bprop' takes 1 inputs, but 'construct' was called with 2"):
            ms.grad(cell)(X, Y)


class TestInsertGradientOf:
    @pytest.mark.parametrize(
        ("f", "expected"),
        [(lambda d: d * 3, [6, 6]), (lambda d: None, [2, 2]), (lambda d: 100.0, 100), (lambda d: Tensor(5.0), [5, 5])],
    )
    def test_results(self, f, expected):
        insert = ops.InsertGradientOf(f)
        assert values(insert(X)) == [1, 2]
        assert values(ms.grad(lambda x: insert(x) * 2)(X)) == expected

    def test_wrong_use(self):
        with pytest.raises(TypeError, match="'f' must be a function"):
            ops.InsertGradientOf(3)
        with pytest.raises(TypeError, match="'x' must be a Tensor"):
            ops.InsertGradientOf(abs)(3)
        with pytest.raises(ValueError, match="shape"):
            ms.grad(ops.InsertGradientOf(lambda d: Tensor([1.0, 2.0, 3.0])))(X)


class TestHookBackward:
    def test_shows_and_replaces(self):
        seen = []
        assert values(ms.grad(lambda x: ops.HookBackward(seen.append)(x * 2) * 3)(X)) == [6, 6]
        assert values(seen[0]) == ([3, 3],)
        assert values(ms.grad(lambda x: ops.HookBackward(lambda g: (g[0] * 2,))(x * 2) * 3)(X)) == [12, 12]
        assert values(ms.grad(lambda x: ops.HookBackward(lambda g: g[0] * 2)(x * 2) * 3)(X)) == [12, 12]

    def test_several(self):
        seen = []
        hook = ops.HookBackward(seen.append)

        def product(x, y):
            a, b = hook(x, y)
            return a * b

        assert values(ms.grad(product, (0, 1))(X, Y)) == ([3, 4], [1, 2])
        assert values(seen[0]) == ([3, 4], [1, 2])

    def test_wrong_use(self):
        with pytest.raises(TypeError, match="'hook_fn' must be a function"):
            ops.HookBackward(3)
        with pytest.raises(TypeError, match="'cell_id'"):
            ops.HookBackward(abs, 3)
        with pytest.raises(ValueError, match="got 1 gradients, but returned 2"):
            ms.grad(lambda x: ops.HookBackward(lambda g: (g[0], g[0]))(x))(X)


class TestTensorHooks:
    def test_inside(self):
        def fn(a):
            b = a * 2
            b.register_hook(lambda d: d * 10)
            return b * b

        assert values(ms.grad(fn)(X)) == [80, 160]

    def test_on_inputs_and_weights(self):
        x = Tensor([1.0, 2.0])
        handle = x.register_hook(lambda d: d * 10)
        assert values(ms.grad(lambda a: a * a)(x)) == [20, 40]
        handle.remove()
        assert values(ms.grad(lambda a: a * a)(x)) == [2, 4]
        p = Parameter(Tensor([1.0]), name="p")
        p.register_hook(lambda d: d * 3)
        assert values(ms.grad(lambda a: a * p, None, [p])(Tensor([2.0]))) == ([6],)

    def test_wrong_use(self):
        with pytest.raises(TypeError, match="'hook' must be a function"):
            Tensor([1.0]).register_hook(3)


class TestCellHooks:
    @pytest.fixture
    def cell(self):
        class Product(nn.Cell):
            def construct(self, x, y):
                return x * y

        return Product()

    def test_forward(self, cell):
        seen = []
        cell.register_forward_pre_hook(lambda c, inputs: seen.append(("pre", values(inputs))))
        cell.register_forward_hook(lambda c, inputs, out: seen.append(("post", values(out))))
        cell(X, Y)
        assert seen == [("pre", ([1, 2], [3, 4])), ("post", [3, 8])]

    def test_forward_hooks_replace(self, cell):
        first = cell.register_forward_pre_hook(lambda c, inputs: (inputs[0] * 2, inputs[1]))
        assert values(cell(X, Y)) == [6, 16]
        second = cell.register_forward_hook(lambda c, inputs, out: out + 1)
        assert values(cell(X, Y)) == [7, 17]
        first.remove()
        second.remove()
        second.remove()
        assert values(cell(X, Y)) == [3, 8]

    def test_order_and_keywords(self, cell):
        order = []
        cell.register_forward_hook(lambda c, i, o: order.append("first"))
        cell.register_forward_hook(lambda c, i, k, o: order.append(sorted(k)), prepend=True, with_kwargs=True)
        cell.register_forward_pre_hook(lambda c, i, k: (i, {"y": k["y"] * 2}), with_kwargs=True)
        assert values(cell(X, y=Y)) == [6, 16]
        assert order == [["y"], "first"]

    def test_always_called(self, cell):
        seen = []
        cell.register_forward_hook(lambda c, i, o: seen.append(o), always_call=True)
        with pytest.raises(TypeError):
            cell(X)
        assert seen == [None]

    def test_backward(self, cell):
        seen = []
        cell.register_backward_pre_hook(lambda c, out: seen.append(values(out)))
        cell.register_backward_hook(lambda c, inp, out: seen.append((values(inp), values(out))))
        assert values(ms.grad(cell, (0, 1))(X, Y)) == ([3, 4], [1, 2])
        assert seen == [([1, 1],), (([3, 4], [1, 2]), ([1, 1],))]

    def test_backward_hooks_replace(self, cell):
        first = cell.register_backward_pre_hook(lambda c, out: (out[0] * 2,))
        assert values(ms.grad(cell)(X, Y)) == [6, 8]
        cell.register_backward_hook(lambda c, inp, out: (inp[0] * 100, inp[1]))
        assert values(ms.grad(cell)(X, Y)) == [600, 800]
        first.remove()
        assert values(ms.grad(cell)(X, Y)) == [300, 400]

    @pytest.mark.parametrize(
        "register", ["forward_pre_hook", "forward_hook", "backward_pre_hook", "backward_hook", "state_dict_pre_hook"]
    )
    def test_wrong_use(self, cell, register):
        with pytest.raises(TypeError, match="a hook must be a function"):
            getattr(cell, f"register_{register}")(3)

    def test_wrong_results(self, cell):
        cell.register_forward_pre_hook(lambda c, i, k: i, with_kwargs=True)
        cell.register_forward_pre_hook(lambda c, i, k: 3, with_kwargs=True)
        with pytest.raises(ValueError, match=r"must return None or .*inputs, kwargs"):
            cell(X, Y, z=1)


class Scaled(_Function):
    @staticmethod
    def forward(ctx, x, y, k):
        ctx.save_for_backward(x, y)
        ctx.k = k
        ctx.needed = ctx.needs_input_grad
        return x * y * k

    @staticmethod
    def backward(ctx, dout):
        x, y = ctx.saved_tensors
        assert ctx.needed == (True, True, False)
        return dout * y * 10, dout * x, None


class TestFunction:
    def test_gradient(self):
        assert values(Scaled.apply(X, Y, 2.0)) == [6, 16]
        assert values(ms.grad(lambda x, y: Scaled.apply(x, y, 2.0), (0, 1))(X, Y)) == ([30, 40], [1, 2])

    def test_second_order(self):
        class Square(_Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x * x

            @staticmethod
            def backward(ctx, dout):
                (x,) = ctx.saved_tensors
                return dout * x * 2

        assert values(ms.grad(ms.grad(Square.apply))(X)) == [2, 2]

    def test_outputs_without_gradient(self):
        class Pair(_Function):
            @staticmethod
            def forward(ctx, x):
                rest = x * 5
                ctx.mark_non_differentiable(rest)
                return x * 2, rest

            @staticmethod
            def backward(ctx, first, second):
                return first * 2

        assert values(ms.grad(Pair.apply)(X)) == [2, 2]

    @pytest.mark.parametrize("materialize", [True, False])
    def test_missing_gradients(self, materialize):
        class Pair(_Function):
            @staticmethod
            def forward(ctx, x):
                ctx.set_materialize_grads(materialize)
                return x * 2, x * 3

            @staticmethod
            def backward(ctx, first, second):
                assert (second is None) is not materialize
                return first * 2

        assert values(ms.grad(lambda x: Pair.apply(x)[0])(X)) == [2, 2]

    def test_wrong_use(self):
        with pytest.raises(NotImplementedError, match="forward"):
            _Function.apply(X)

        class Short(Scaled):
            @staticmethod
            def backward(ctx, dout):
                return (dout,)

        with pytest.raises(ValueError, match="for each of the 3 inputs"):
            ms.grad(lambda x: Short.apply(x, Y, 2.0))(X)


class TestCheckedBprop:
    @pytest.fixture(autouse=True)
    def settings(self):
        ms.set_context(check_bprop=True)
        yield
        ms.set_context(check_bprop=False, mode=ms.PYNATIVE_MODE)

    @pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
    @pytest.mark.parametrize(
        ("result", "kind"),
        [
            (lambda x: (x, Tensor([1.0])), ValueError),
            (lambda x: (x, Tensor([1, 1])), TypeError),
            (lambda x: (x,), TypeError),
            (lambda x: x, TypeError),
        ],
        ids=["shape", "dtype", "number", "no tuple"],
    )
    def test_what_a_bprop_returns_fits_the_inputs(self, result, kind, mode):
        class Net(nn.Cell):
            def construct(self, x, y):
                return x * y

            def bprop(self, x, y, out, dout):
                return result(dout)

        ms.set_context(mode=mode)
        with pytest.raises(kind, match="For 'Net', 'bprop' must return a"):
            ops.GradOperation(get_all=True)(Net())(X, X)

    def test_what_fits_is_used(self):
        class Net(nn.Cell):
            def construct(self, x, k):
                return x * k

            def bprop(self, x, k, out, dout):
                return dout * 7, None

        assert values(ms.grad(Net())(X, 2)) == [7, 7]


class TestRecompute:
    def test_function_runs_again(self):
        runs = []

        def block(x):
            runs.append(1)
            return x * x

        assert values(ms.grad(lambda x: ms.recompute(block, x) * 3)(X)) == [6, 12]
        assert len(runs) == 2

    def test_custom_gradients_inside_are_used(self):
        double = ops.InsertGradientOf(lambda dout: dout * 2)
        assert values(ms.grad(lambda x: ms.recompute(lambda y: double(y * y) * y, x))(X)) == [5, 20]

    def test_cell(self):
        class Weighted(nn.Cell):
            def __init__(self):
                super().__init__()
                self.w = Parameter(Tensor([2.0]))
                self.runs = 0

            def construct(self, x):
                self.runs += 1
                return x * x * self.w

        cell = Weighted()
        cell.recompute()
        assert values(ms.grad(cell, 0, [cell.w])(X)) == ([4, 8], ([5],))
        assert cell.runs == 2

    def test_wrong_use(self):
        with pytest.raises(TypeError, match="'block'"):
            ms.recompute(3, X)
        with pytest.raises(NotImplementedError, match="context_fn"):
            ms.recompute(abs, X, context_fn=abs)
        with pytest.raises(NotImplementedError, match="context_fn"):
            nn.Cell().recompute(context_fn=abs)


def test_bprop_wins_over_insert_gradient_of():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.clip = ops.InsertGradientOf(lambda d: d * 0)

        def construct(self, x, y):
            return self.clip(x) * y

        def bprop(self, x, y, out, dout):
            return 100.0

    assert values(ms.grad(Net())(X, Y)) == 100


class TestGradientsInsideABackward:
    """A `bprop` may compute gradients: the documented form of recomputation."""

    class Recomputed(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = Parameter(Tensor([3.0]), name="w")

        def inner(self, x):
            return x * x * self.w

        def construct(self, x):
            return self.inner(x)

        def bprop(self, x, out, dout):
            of_x, (of_w,) = ms.grad(self.inner, 0, [self.w], sens_param=True)(x, dout)
            return (of_x,), {self.w: of_w}

    @pytest.mark.parametrize("compiled", [lambda f: f, ms.jit])
    def test_in_bprop(self, compiled):
        net = self.Recomputed()
        of_x, (of_w,) = compiled(ms.grad(lambda x: net(x) * 5, 0, [net.w]))(Tensor([2.0]))
        assert values((of_x, of_w)) == ([60], [20])
        assert values(ms.grad(lambda x: ms.grad(net)(x))(Tensor([2.0]))) == [6]

    def test_in_other_backward_functions(self):
        square = lambda x: x * x  # noqa: E731
        x = Tensor([2.0])
        assert values(ms.grad(lambda x: ops.InsertGradientOf(lambda g: ms.grad(square)(g) * g)(x) * 3)(x)) == [18]

        def with_hook(x):
            y = x * 1
            y.register_hook(lambda g: ms.grad(square)(x))
            return y * 3

        assert values(ms.grad(with_hook)(x)) == [4]

        class Square(_Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x * x

            @staticmethod
            def backward(ctx, gradient):
                (x,) = ctx.saved_tensors
                return ms.grad(square)(x) * gradient

        assert values(ms.grad(lambda x: Square.apply(x) * 3)(x)) == [12]
        assert values(ms.grad(ms.grad(lambda x: Square.apply(x) * 3))(x)) == [6]


@pytest.mark.parametrize(
    ("hooks", "gradient", "seen"),
    [  # recorded: f and F replace the output, p the input; b and B see gradients
        ("b", 40, [(40, 10)]),
        ("fb", 120, [(120, 10)]),
        ("bf", 120, [(120, 10)]),
        ("fB", 120, [10]),
        ("Bf", 120, [10]),
        ("bBf", 120, [10, (120, 10)]),
        ("Bfb", 120, [10, (120, 10)]),
        ("pb", 1000, [(200, 10)]),
        ("bp", 1000, [(200, 10)]),
        ("pfbB", 3000, [10, (600, 10)]),
        ("bfF", 840, [(840, 10)]),
        ("fbF", 840, [(840, 10)]),
    ],
)
def test_backward_hooks_stand_around_forward_hooks(hooks, gradient, seen):
    class Square(nn.Cell):
        def construct(self, x):
            return x * x

    cell, log = Square(), []
    first = lambda gradients: gradients[0].asnumpy().item()  # noqa: E731
    register = {
        "f": lambda: cell.register_forward_hook(lambda cell, inputs, output: output * 3),
        "F": lambda: cell.register_forward_hook(lambda cell, inputs, output: output * 7),
        "p": lambda: cell.register_forward_pre_hook(lambda cell, inputs: (inputs[0] * 5,)),
        "b": lambda: cell.register_backward_hook(lambda cell, inner, outer: log.append((first(inner), first(outer)))),
        "B": lambda: cell.register_backward_pre_hook(lambda cell, outer: log.append(first(outer))),
    }
    for hook in hooks:
        register[hook]()
    assert values(ms.grad(lambda x: cell(x) * 10)(Tensor([2.0]))) == [gradient]
    assert log == seen


@pytest.mark.slow
def test_a_bprop_leaves_no_cycles():
    cell = with_bprop(lambda s, x, y, out, dout: (dout * y, dout * x))
    ms.grad(cell)(X, Y)
    gc.collect()
    gc.disable()
    try:
        before = sum(type(thing) is torch.Tensor for thing in gc.get_objects())
        for _ in range(5):
            ms.grad(cell)(X, Y)
        assert sum(type(thing) is torch.Tensor for thing in gc.get_objects()) == before
    finally:
        gc.enable()
