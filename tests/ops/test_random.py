"""Random operations: shapes, dtypes, moments, seeds and errors."""

from __future__ import annotations

import numpy as np
import pytest

import preloaded
import torchspore as ms
from torchspore import Tensor, ops

N = 20000


def _f(value, dtype=ms.float32):
    return Tensor(value, dtype)


def _i(value):
    return Tensor(value, ms.int32)


@pytest.fixture(autouse=True)
def _seeded():
    ms.set_seed(42)


_SIZED = [
    ("ops.uniform((2, 3), f(1.0), f(2.0))", (2, 3), "Float32"),
    ("ops.uniform((2, 3), f([1.0, 2, 3]), f(4.0))", (2, 3), "Float32"),
    ("ops.uniform(i([2, 3]), i(1), i(9), dtype=ms.int32)", (2, 3), "Int32"),
    ("ops.uniform((), f(1.0), f(2.0))", (), "Float32"),
    ("ops.normal((2, 3), 0, 1)", (2, 3), "Float32"),
    ("ops.normal((2, 3), f([0, 5, 10]), 2.0)", (2, 3), "Float32"),
    ("ops.normal((3,), f([[0], [5]]), 1.0)", (2, 3), "Float32"),
    ("ops.normal((3,), i(0), i(1))", (3,), "Float32"),
    ("ops.normal((3,), Tensor(0.0, ms.float64), 1.0)", (3,), "Float64"),
    ("ops.standard_normal((2, 3))", (2, 3), "Float32"),
    ("ops.standard_normal(i([2, 3]))", (2, 3), "Float32"),
    ("ops.rand(2, 3)", (2, 3), "Float32"),
    ("ops.rand((2, 3))", (2, 3), "Float32"),
    ("ops.rand([2, 3], dtype=ms.float16)", (2, 3), "Float16"),
    ("ops.rand()", (1,), "Float32"),
    ("ops.rand(())", (), "Float32"),
    ("ops.rand(0)", (0,), "Float32"),
    ("ops.randn(2, dtype=ms.bfloat16)", (2,), "BFloat16"),
    ("ops.randn()", (1,), "Float32"),
    ("ops.rand_like(h)", (2,), "Float16"),
    ("ops.rand_like(h, dtype=ms.float64)", (2,), "Float64"),
    ("ops.randn_like(h)", (2,), "Float32"),
    ("ops.randn_like(i([1, 2]))", (2,), "Float32"),
    ("ops.randn_like(h, dtype=ms.float16)", (2,), "Float16"),
    ("ops.randint(1, 10, (2, 3))", (2, 3), "Int64"),
    ("ops.randint(1, 10, (2, 3), dtype=ms.int8)", (2, 3), "Int8"),
    ("ops.randint_like(i([1, 2]), 1, 10)", (2,), "Int32"),
    ("ops.randint_like(h, 1, 10, dtype=ms.int64)", (2,), "Int64"),
    ("ops.randperm(5)", (5,), "Int64"),
    ("ops.randperm(i(4), dtype=ms.float32)", (4,), "Float32"),
    ("ops.multinomial(f([0.1, 0.9]), 4)", (4,), "Int32"),
    ("ops.multinomial(f([[1.0, 2], [3, 4]]), 2, False)", (2, 2), "Int32"),
    ("ops.multinomial(i([1, 2]), 0)", (0,), "Int32"),
    ("f([0.1, 0.9]).multinomial(3)", (3,), "Int32"),
    ("ops.random_categorical(f([[1.0, 2], [3, 4]]), 3)", (2, 3), "Int64"),
    ("f([[1.0, 2], [3, 4]]).random_categorical(3, dtype=ms.int16)", (2, 3), "Int16"),
    ("ops.bernoulli(i([1, 2, 3]))", (3,), "Int32"),
    ("ops.bernoulli(h, f([0.5]))", (2,), "Float16"),
    ("ops.gamma((3, 1, 2), f([[3.0, 4], [5, 6]]), f([1.0]))", (3, 2, 2), "Float32"),
    ("ops.random_gamma(i([7, 5]), f([0.5, 1.5]))", (7, 5, 2), "Float32"),
    ("ops.poisson((4, 1), f([5.0, 10.0]))", (4, 2), "Float32"),
    ("ops.random_poisson(i([2, 2]), f([[5.0, 10], [5, 1]]), dtype=ms.float64)", (2, 2, 2, 2), "Float64"),
    ("ops.standard_laplace((2, 3))", (2, 3), "Float32"),
    ("ops.laplace((2, 3), f(0.0), f(1.0))", (2, 3), "Float32"),
    ("ops.shuffle(f(1.0))", (), "Float32"),
    ("ops.dropout(h)", (2,), "Float16"),
    ("ops.dropout1d(f([[1.0, 2], [3, 4]]))", (2, 2), "Float32"),
    ("ops.dropout3d(ops.ones((1, 2, 3, 4, 5)))", (1, 2, 3, 4, 5), "Float32"),
    ("ops.StandardNormal()((2, 3))", (2, 3), "Float32"),
    ("ops.StandardNormal(seed=2)(i([2, 3]))", (2, 3), "Float32"),
    ("ops.UniformReal(seed=2)((2, 3))", (2, 3), "Float32"),
    ("ops.UniformReal()(())", (), "Float32"),
    ("ops.UniformInt(seed=10)((2, 4), i(1), i(5))", (2, 4), "Int32"),
    ("ops.StandardLaplace(seed=1)((2,))", (2,), "Float32"),
    ("ops.Gamma(seed=3)((2,), f(1.0), f(1.0))", (2,), "Float32"),
    ("ops.RandomGamma(seed=3)((2,), f(1.0))", (2,), "Float32"),
    ("ops.Poisson(seed=3)((2,), f(1.0))", (2,), "Int32"),
    ("ops.RandomPoisson(seed=3)((2,), f(1.0))", (2,), "Int64"),
    ("ops.Multinomial(seed=10)(f([0.1, 0.9]), 2)", (2,), "Int32"),
    ("ops.Multinomial(dtype=ms.int64)(f([0.1, 0.9]), 2)", (2,), "Int64"),
    ("ops.RandomShuffle(seed=1)(h)", (2,), "Float16"),
    ("ops.RandomCategorical()(f([[1.0, 2], [3, 4]]), 3)", (2, 3), "Int64"),
    ("ops.RandpermV2(seed=3)(4)", (4,), "Int64"),
    ("ops.Bernoulli(seed=3)(h, 0.5)", (2,), "Float16"),
    ("h.uniform()", (2,), "Float16"),
    ("f([0.5, 0.5]).bernoulli()", (2,), "Float32"),
]


@pytest.mark.parametrize(("expression", "shape", "dtype"), _SIZED, ids=[row[0] for row in _SIZED])
def test_shape_and_dtype(expression, shape, dtype):
    result = eval(expression, {"ops": ops, "ms": ms, "f": _f, "i": _i, "Tensor": Tensor, "h": _f([1, 2], ms.float16)})
    assert result.shape == shape
    assert str(result.dtype) == dtype


_MOMENTS = [  # mean, standard deviation, min, max
    ("ops.uniform((N,), f(1.0), f(3.0))", 2, 2 / 12**0.5, 1, 3),
    ("ops.uniform((N,), f(1.0), f(3.0), seed=5)", 2, 2 / 12**0.5, 1, 3),
    ("ops.uniform((N,), i(1), i(5), dtype=ms.int32)", 2.5, 1.25**0.5, 1, 4),
    ("ops.normal((N,), 3.0, 2.0)", 3, 2, -9, 15),
    ("ops.normal((N,), f(3.0), f(2.0), seed=7)", 3, 2, -9, 15),
    ("ops.standard_normal((N,))", 0, 1, -6, 6),
    ("ops.rand(N)", 0.5, 12**-0.5, 0, 1),
    ("ops.randn(N, seed=3)", 0, 1, -6, 6),
    ("ops.rand_like(x, seed=3)", 0.5, 12**-0.5, 0, 1),
    ("ops.randn_like(x)", 0, 1, -6, 6),
    ("ops.randint(1, 5, (N,))", 2.5, 1.25**0.5, 1, 4),
    ("ops.randint_like(x, -2, 3, seed=1, dtype=ms.int32)", 0, 2**0.5, -2, 2),
    ("ops.standard_laplace((N,))", 0, 2**0.5, -20, 20),
    ("ops.laplace((N,), f(1.0), f(2.0), seed=1)", 1, 8**0.5, -40, 40),
    ("ops.gamma((N,), f(3.0), f(2.0))", 1.5, 0.75**0.5, 0, 20),
    ("ops.random_gamma((N,), f(3.0), seed=1)", 3, 3**0.5, 0, 30),
    ("ops.poisson((N,), f(4.0))", 4, 2, 0, 25),
    ("ops.random_poisson((N,), f(4.0), seed=1)", 4, 2, 0, 25),
    ("ops.bernoulli(x, 0.25)", 0.25, 0.1875**0.5, 0, 1),
    ("ops.bernoulli(x, f(0.25), seed=3)", 0.25, 0.1875**0.5, 0, 1),
    ("ops.multinomial(f([1.0, 0.0, 3.0]), N)", 1.5, 0.75**0.5, 0, 2),
    ("ops.multinomial(f([1.0, 0.0, 3.0]), N, seed=3)", 1.5, 0.75**0.5, 0, 2),
    ("ops.random_categorical(ops.log(f([[1.0, 3.0]])), N)", 0.75, 0.1875**0.5, 0, 1),
    ("ops.dropout(x, 0.25)", 1, (1 / 3) ** 0.5, 0, 4 / 3),
    ("ops.dropout(x, 0.25, seed=3)", 1, (1 / 3) ** 0.5, 0, 4 / 3),
    ("ops.dropout1d(ops.ones((N, 2, 1)), 0.25)", 1, (1 / 3) ** 0.5, 0, 4 / 3),
    ("ops.dropout2d(ops.ones((N, 2, 1, 1)), 0.25)", 1, (1 / 3) ** 0.5, 0, 4 / 3),
    ("ops.Dropout(0.75)(x)[0]", 1, (1 / 3) ** 0.5, 0, 4 / 3),
    ("ops.Dropout(0.75, 1, 2)(x)[1]", 0.75, 0.1875**0.5, 0, 1),
    ("ops.Dropout2D(0.75)(ops.ones((N, 2, 1, 1)))[0]", 1, (1 / 3) ** 0.5, 0, 4 / 3),
    ("f(np.zeros(N)).uniform_(1, 3)", 2, 2 / 12**0.5, 1, 3),
    ("f(np.zeros(N)).normal_(3, 2)", 3, 2, -9, 15),
    ("ops.normal_(f(np.zeros(N)), std=2.0)", 0, 2, -12, 12),
    ("f(np.zeros(N)).random_(1, 5)", 2.5, 1.25**0.5, 1, 4),
    ("f(np.zeros(N)).bernoulli_(0.25)", 0.25, 0.1875**0.5, 0, 1),
    ("f(np.zeros(N)).bernoulli_(f(np.full(N, 0.25)))", 0.25, 0.1875**0.5, 0, 1),
    ("f(np.zeros(N)).exponential_(2.0)", 0.5, 0.5, 0, 10),
    ("f(np.zeros(N)).uniform(-1, 1)", 0, 3**-0.5, -1, 1),
    ("f(np.full(N, 0.25)).bernoulli()", 0.25, 0.1875**0.5, 0, 1),
]


@pytest.mark.parametrize(("expression", "mean", "deviation", "least", "greatest"), _MOMENTS)
def test_moments(expression, mean, deviation, least, greatest):
    x = ops.ones((N,), ms.float32)
    result = eval(expression, {"ops": ops, "ms": ms, "np": np, "f": _f, "i": _i, "x": x, "N": N})
    values = result.asnumpy().astype(np.float64).ravel()
    assert values.mean() == pytest.approx(mean, abs=5 * deviation / values.size**0.5)
    assert values.std() == pytest.approx(deviation, rel=0.05)
    assert values.min() >= least
    assert values.max() <= greatest + 1e-6


_SEEDED = [
    "ops.uniform((4,), Tensor(1.0), Tensor(2.0), seed=1)",
    "ops.uniform((9,), Tensor(1, ms.int32), Tensor(99, ms.int32), seed=1, dtype=ms.int32)",
    "ops.normal((4,), 0.0, 1.0, seed=1)",
    "ops.standard_normal((4,), seed=1)",
    "ops.standard_normal((4,), seed=0)",
    "ops.rand(4, seed=1)",
    "ops.randn(4, seed=1)",
    "ops.rand_like(x, seed=1)",
    "ops.randn_like(x, seed=1)",
    "ops.randint(0, 1000, (9,), seed=1)",
    "ops.randint_like(x, 0, 1000, seed=1, dtype=ms.int32)",
    "ops.randperm(50, 1, 1)",
    "ops.randperm(50)",
    "ops.randperm(50, -1)",
    "ops.multinomial(x, 50, seed=1)",
    "ops.random_categorical(x.reshape(1, -1), 50, seed=1)",
    "ops.bernoulli(ops.ones((50,)), seed=1)",
    "ops.bernoulli(ops.ones((50,)), seed=-1)",
    "ops.gamma((4,), Tensor(1.0), Tensor(1.0), seed=1)",
    "ops.random_gamma((4,), Tensor(1.0), seed=1)",
    "ops.poisson((50,), Tensor(9.0), seed=1)",
    "ops.random_poisson((50,), Tensor(9.0), seed=1)",
    "ops.standard_laplace((4,), seed=1)",
    "ops.laplace((4,), Tensor(0.0), Tensor(1.0), seed=1)",
    "ops.shuffle(ops.arange(50), seed=1)",
    "ops.choice_with_mask(ops.ones((50,), ms.bool_), 20, seed=1)[0]",
    "ops.dropout(ops.ones((50,)), seed=1)",
    "ops.dropout(ops.ones((50,)))",
    "ops.StandardNormal(1, 2)((4,))",
    "ops.UniformReal(seed2=2)((4,))",
    "ops.Dropout(0.5, 1)(ops.ones((50,)))[0]",
    "ops.Bernoulli(seed=3)(ops.ones((50,)), 0.5)",
    "ops.RandomChoiceWithMask(20, 3)(ops.ones((50,), ms.bool_))[0]",
    "nn.Dropout(p=0.5).set_train()(ops.ones((50,)))",
]


@pytest.mark.parametrize("expression", _SEEDED)
def test_one_seed_gives_a_stream_that_set_seed_starts_anew(expression):
    names = {
        "ops": ops,
        "ms": ms,
        "nn": ms.nn,
        "Tensor": Tensor,
        "x": Tensor(np.linspace(0.1, 1, 40, dtype=np.float32)),
    }
    first, second = [eval(expression, names).asnumpy() for _ in range(2)]
    assert not np.array_equal(first, second)
    ms.set_seed(42)
    again = [eval(expression, names).asnumpy() for _ in range(2)]
    np.testing.assert_array_equal(again[0], first)
    np.testing.assert_array_equal(again[1], second)
    ms.set_seed(43)
    assert not np.array_equal(eval(expression, names).asnumpy(), first)


def test_seeds_are_streams_of_their_own():
    alone = [ops.rand(3, seed=1).asnumpy() for _ in range(2)]
    ms.set_seed(42)
    first = ops.rand(3, seed=1).asnumpy()
    ops.rand(3)
    ops.rand(3, seed=2)
    ops.randn(3, seed=1)
    np.testing.assert_array_equal([first, ops.rand(3, seed=1).asnumpy()], alone)
    assert not np.array_equal(ops.StandardNormal(1, 2)((3,)).asnumpy(), ops.StandardNormal(2, 1)((3,)).asnumpy())


@pytest.mark.slow
def test_a_program_that_runs_again_draws_the_same_numbers():
    program = (
        "import torchspore as ms\n"
        "from torchspore import Tensor, ops\n"
        "low, high = Tensor(1.0, ms.float32), Tensor(2.0, ms.float32)\n"
        "for _ in range(2):\n"
        "    print(ops.uniform((1, 4), low, high, seed=1), ops.StandardNormal(seed=4)((2,)), ops.randperm(9, 1))\n"
    )
    output = preloaded.output_of(program)
    assert output == preloaded.run_from_the_start(program).stdout
    first, second = output.splitlines()
    assert first != second


def test_permutations_and_choices():
    assert sorted(ops.randperm(50).tolist()) == list(range(50))
    rows = Tensor(np.arange(12).reshape(6, 2))
    shuffled = ops.shuffle(rows).asnumpy()
    assert shuffled[shuffled[:, 0].argsort()].tolist() == rows.asnumpy().tolist()
    assert sorted(ops.multinomial(Tensor([1.0, 2.0, 3.0]), 3, replacement=False).tolist()) == [0, 1, 2]
    index, mask = ops.choice_with_mask(Tensor([[True, False], [True, True]]), 5)
    assert index.shape == (5, 2)
    assert str(index.dtype) == "Int32"
    assert sorted(index.asnumpy()[:3].tolist()) == [[0, 0], [1, 0], [1, 1]]
    assert mask.tolist() == [True, True, True, False, False]
    assert len(set(ops.choice_with_mask(ops.ones((9,), ms.bool_), 4)[0].asnumpy().ravel().tolist())) == 4


def test_dropout_of_channels_keeps_or_clears_them_whole():
    for result in (
        ops.dropout1d(ops.ones((8, 8, 5))),
        ops.dropout1d(ops.ones((8, 5))),
        ops.dropout2d(ops.ones((8, 8, 2, 3))),
        ops.dropout3d(ops.ones((8, 8, 2, 2, 2))),
        ops.Dropout3D()(ops.ones((8, 8, 2, 2, 2)))[0],
    ):
        array = result.asnumpy()
        array = array.reshape(*array.shape[: 1 if array.ndim == 2 else 2], -1)
        assert (array == array[..., :1]).all()
        assert set(np.unique(array)) == {0.0, 2.0}
    output, mask = ops.Dropout2D(0.5)(ops.ones((8, 8, 2, 3)))
    assert str(mask.dtype) == "Bool"
    np.testing.assert_array_equal(output.asnumpy(), 2.0 * mask.asnumpy())


def test_dropout_at_the_ends_of_its_range():
    x = Tensor([1.0, 2.0])
    assert ops.dropout(x, 0.0).tolist() == [1.0, 2.0]
    assert ops.dropout(x, 1.0).tolist() == [0.0, 0.0]
    assert ops.dropout(x, 1.0, seed=3).tolist() == [0.0, 0.0]
    assert ops.dropout(x, 0.5, training=False).tolist() == [1.0, 2.0]
    assert ops.dropout2d(ops.ones((1, 2, 2, 2)), 0.5, False).sum() == 8


def test_gradients():
    x = Tensor(np.ones(50, np.float32))
    for seed in (None, 3):

        def masked(x, seed=seed):
            return ops.dropout(x, 0.5, seed=seed)

        y, gradient = ms.value_and_grad(lambda x: (masked(x) * 1).sum(), 0)(x)
        assert set(np.unique(gradient.asnumpy())) == {0.0, 2.0}
        assert float(y) == gradient.asnumpy().sum()
    assert ms.grad(lambda x: (ops.shuffle(x) * x).sum())(x).asnumpy().sum() == 100
    assert ms.grad(lambda x: (ops.randn_like(x) + x).sum())(x).asnumpy().tolist() == [1.0] * 50
    mean_gradient = ms.grad(lambda mean: ops.normal((4,), mean, 1.0).sum())(Tensor(0.0))
    assert float(mean_gradient) == 4


def test_in_place_draws_return_the_tensor_and_respect_scopes():
    x = Tensor(np.zeros(4, np.float32))
    assert x.uniform_(2, 3) is x
    assert (x.asnumpy() >= 2).all()
    weight = ms.Parameter(np.ones(4, np.float32), name="w")
    weight.normal_()
    before = weight.asnumpy().copy()

    def fails():
        weight.uniform_(5, 6)
        raise KeyError

    with pytest.raises(KeyError):
        ms.grad(fails, None, [weight])()
    np.testing.assert_array_equal(weight.asnumpy(), before)

    def draws():
        weight.uniform_(5, 6)
        return (weight * 2).sum()

    ms.grad(draws, None, [weight])()
    assert (weight.asnumpy() >= 5).all()


def test_generators():
    generator = ms.Generator().manual_seed(3)
    x = Tensor(np.zeros(4, np.float32))
    draws = {
        "uniform_": lambda g: x.uniform_(generator=g),
        "normal_": lambda g: x.normal_(generator=g),
        "random_": lambda g: x.random_(generator=g),
        "bernoulli_": lambda g: Tensor(np.zeros(64, np.float32)).bernoulli_(generator=g),
        "exponential_": lambda g: x.exponential_(generator=g),
        "uniform": lambda g: x.uniform(generator=g),
        "bernoulli": lambda g: Tensor(np.full(64, 0.5, np.float32)).bernoulli(generator=g),
    }
    for name, draw in draws.items():
        generator.manual_seed(3)
        first, second = draw(generator).asnumpy().copy(), draw(generator).asnumpy().copy()
        assert not np.array_equal(first, second), name
        generator.manual_seed(3)
        np.testing.assert_array_equal(draw(generator).asnumpy(), first)
        with pytest.raises(TypeError, match=f"For '{name}', 'generator' must be a Generator"):
            draw(3)


def test_random_fills_to_the_end_of_the_type():
    x = Tensor(np.zeros(1000, np.int8)).random_()
    assert x.asnumpy().min() >= 0
    assert x.asnumpy().max() > 100
    assert (Tensor(np.zeros(9, np.int8)).random_(120).asnumpy() >= 120).all()


def test_printed_primitives():
    assert repr(ops.StandardNormal(seed=3)) == "Prim[StandardNormal]<seed=3, seed2=0, side_effect_hidden=True>"
    assert repr(ops.Dropout()) == "Prim[Dropout]<keep_prob=0.5, Seed0=0, Seed1=0, side_effect_hidden=True>"


_WRONG = [
    ("ops.uniform((2,), 1.0, 2.0)", TypeError, "For 'uniform', 'minval' must be a Tensor"),
    ("ops.uniform((2,), f(1.0), f(2.0), dtype=ms.float16)", TypeError, "'dtype' must be float32 or int32"),
    ("ops.uniform((2,), f(1.0), i(2))", TypeError, "must be of dtype Float32"),
    ("ops.uniform((2,), i([1, 2]), i(5), dtype=ms.int32)", ValueError, "must have no dimensions"),
    ("ops.uniform((2,), i(5), i(2), dtype=ms.int32)", ValueError, "must be less than"),
    ("ops.uniform((-1,), f(1.0), f(2.0))", ValueError, "For 'uniform'"),
    ("ops.uniform((2,), f(1.0), f(2.0), seed=-1)", ValueError, "'seed' must be >= 0"),
    ("ops.uniform((2,), f(1.0), f(2.0), seed='a')", TypeError, "'seed' must be an int"),
    ("ops.uniform((2,), f(1.0), f(2.0), seed=1.0)", TypeError, "'seed' must be an int"),
    ("ops.uniform('a', f(1.0), f(2.0))", TypeError, "'shape'"),
    ("ops.normal((2,), 'a', 1.0)", TypeError, "For 'normal', 'mean' must be a Tensor or a number"),
    ("ops.normal((2,), f([1.0, 2, 3]), 1.0)", ValueError, "For 'normal'"),
    ("ops.rand(2.0)", TypeError, "For 'rand', 'size'"),
    ("ops.rand(2, 'a')", TypeError, "For 'rand', 'size'"),
    ("ops.rand(-1)", ValueError, "For 'rand'"),
    (
        "ops.rand(2, dtype=ms.int32)",
        ValueError,
        "For 'rand', 'dtype' must be a floating-point type, but got the data type int32",
    ),
    ("ops.randn(2, dtype=ms.int32)", ValueError, "For 'randn', 'dtype'"),
    ("ops.rand_like(i([1, 2]))", ValueError, "For 'rand_like', 'dtype'"),
    ("ops.rand_like(3)", TypeError, "For 'rand_like', 'input' must be a Tensor"),
    ("ops.randn_like(f(1.0), dtype=ms.int32)", ValueError, "For 'randn_like', 'dtype'"),
    ("ops.randint(1, 10, (2,), dtype=ms.float32)", ValueError, "For 'randint', 'dtype' must be a signed integer type"),
    ("ops.randint(1.0, 10, (2,))", TypeError, "For 'randint', 'low' must be an int"),
    ("ops.randint(10, 1, (2,))", ValueError, "For 'randint', the lower bound"),
    ("ops.randint(0, 1000, (2,), dtype=ms.int8)", ValueError, "For 'randint'"),
    ("ops.randint_like(f(1.0), 1, 10)", ValueError, "For 'randint_like', 'dtype'"),
    ("ops.randint_like(3, 1, 10)", TypeError, "For 'randint_like', 'input'"),
    ("ops.randperm(0)", ValueError, "For 'randperm', 'n' must be > 0"),
    ("ops.randperm(2.0)", TypeError, "For 'randperm', 'n' must be an int"),
    ("ops.randperm(2, -2)", ValueError, "For 'randperm', 'seed'"),
    ("ops.multinomial(f([0.1, 0.9]), 3, replacement=False)", ValueError, "For 'multinomial'"),
    ("ops.multinomial(ops.ones((1, 2, 3)), 2)", ValueError, "must have 1 or 2 dimensions"),
    ("ops.multinomial(f([0.1, 0.9]), -1)", ValueError, "must be >= 0"),
    ("ops.multinomial(f([0.1, 0.9]), 2.0)", TypeError, "'num_samples' must be an int"),
    ("ops.random_categorical(f([0.1, 0.9]), 2)", ValueError, "'logits' must have 2 dimensions"),
    ("ops.random_categorical(f([[0.1, 0.9]]), 2, dtype=ms.float32)", TypeError, "'dtype' must be int16"),
    ("ops.bernoulli(f([1.0, 2]), f([0.1, 0.2, 0.3]))", ValueError, "'p' must be of the shape of 'input'"),
    ("ops.bernoulli(f([1.0, 2]), 1.5)", ValueError, "'p' must be in"),
    ("ops.bernoulli(f([1.0, 2]), 'a')", TypeError, "'p' must be a Tensor or a number"),
    ("ops.bernoulli(f([1.0, 2]), seed=-3)", ValueError, "'seed' must be >= 0"),
    ("ops.gamma((2,), 1.0, 2.0)", TypeError, "'alpha' must be a Tensor"),
    ("ops.gamma((2,), i(1), i(2))", TypeError, "must hold floats"),
    ("ops.gamma((2,), f([1.0, 2, 3]), f(1.0))", ValueError, "For 'gamma'"),
    ("ops.poisson((2,), f([1.0, 2, 3]))", ValueError, "For 'poisson'"),
    ("ops.laplace((2,), 0.0, 1.0)", TypeError, "'mean' must be a Tensor"),
    ("ops.laplace((2,), i(0), f(1.0))", TypeError, "must hold float32"),
    ("ops.shuffle(3)", TypeError, "For 'shuffle', 'x' must be a Tensor"),
    ("ops.choice_with_mask(f([1.0]))", TypeError, "'input_x' must hold bools"),
    ("ops.choice_with_mask(Tensor(True))", ValueError, "must have 1 to 5 dimensions"),
    ("ops.choice_with_mask(Tensor([True]), 0)", ValueError, "'count' must be > 0"),
    ("ops.dropout(f([1.0]), 1.5)", ValueError, "For 'dropout', 'p' must be in"),
    ("ops.dropout(f([1.0]), -0.5)", ValueError, "For 'dropout', 'p' must be in"),
    ("ops.dropout(f([1.0]), 'a')", TypeError, "For 'dropout', 'p' must be a number"),
    ("ops.dropout(f([1.0]), 0.5, training=1)", TypeError, "'training' must be a bool"),
    ("ops.dropout(i([1]))", TypeError, "must be of a floating-point type"),
    ("ops.dropout(f([1.0]), seed='a')", TypeError, "'seed' must be an int"),
    ("ops.dropout(3)", TypeError, "'input' must be a Tensor"),
    ("ops.dropout1d(ops.ones((1, 2, 3, 4)))", ValueError, "For 'dropout1d', 'input' must have 2 or 3 dimensions"),
    ("ops.dropout1d(ops.ones((1, 2, 3)), 1.5)", ValueError, "For 'dropout1d', 'p' must be in"),
    ("ops.dropout2d(ops.ones((1, 2, 3)))", ValueError, "For 'dropout2d', 'input' must have 4 dimensions"),
    ("ops.dropout3d(ops.ones((1, 2, 3)))", ValueError, "For 'dropout3d', 'input' must have 5 dimensions"),
    ("ops.Dropout(keep_prob=1.5)", ValueError, "For 'Dropout', 'keep_prob' must be in"),
    ("ops.Dropout2D(keep_prob='a')", TypeError, "For 'Dropout2D', 'keep_prob' must be a number"),
    ("ops.Dropout3D()(ops.ones((1, 2, 3)))", ValueError, "For 'Dropout3D', 'input' must have 5 dimensions"),
    ("ops.StandardNormal(seed=-1)", ValueError, "For 'StandardNormal', 'seed' must be >= 0"),
    ("ops.StandardNormal(seed2='a')", TypeError, "For 'StandardNormal', 'seed2' must be an int"),
    ("ops.UniformInt()((2,), 1, 5)", TypeError, "'minval' must be a Tensor"),
    ("ops.Multinomial(dtype=ms.float32)", TypeError, "For 'Multinomial', 'dtype' must be int32 or int64"),
    ("ops.Bernoulli(seed=-2)", ValueError, "For 'Bernoulli', 'seed' must be >= -1"),
    ("ops.Bernoulli(offset='a')", TypeError, "For 'Bernoulli', 'offset' must be an int"),
    ("f([1.0]).uniform_('a')", TypeError, "For 'uniform_', 'from_' must be a number"),
    ("i([1]).normal_()", TypeError, "For 'normal_'"),
    ("f([1.0]).normal_(std=-1.0)", RuntimeError, "For 'normal_'"),
    ("f([1.0]).random_(1.5)", TypeError, "For 'random_', 'from_' must be an int"),
    ("f([1.0]).bernoulli_('a')", TypeError, "For 'bernoulli_', 'p' must be a number"),
    ("ops.normal_(3)", TypeError, "For 'normal_', 'input' must be a Tensor"),
]


@pytest.mark.parametrize(("expression", "error", "message"), _WRONG, ids=[row[0] for row in _WRONG])
def test_errors(expression, error, message):
    with pytest.raises(error, match=message):
        eval(expression, {"ops": ops, "ms": ms, "f": _f, "i": _i, "Tensor": Tensor})


@pytest.mark.parametrize(
    ("weights", "count", "possible"),
    [
        ([0.0, 0.0, 0.0], 3, {0, 1, 2}),
        ([0.0, float("nan"), 1.0], 1, {2}),
        ([-1.0, 2.0, float("inf")], 1, {1}),
        ([[0.0, 0.0], [0.0, 0.0]], 2, {0, 1}),
    ],
)
def test_weights_that_are_no_probabilities(weights, count, possible):
    with pytest.warns(RuntimeWarning, match="For 'multinomial', some weights are negative or not finite"):
        drawn = ops.multinomial(_f(weights), count, replacement=False).asnumpy()
    assert set(drawn.ravel().tolist()) == possible


@pytest.mark.parametrize("dtype", [ms.float16, ms.float32, ms.float64])
def test_uniform_primitive_in_the_shape_of_a_tensor(dtype):
    drawn = ops.Uniform(-1.0, 3.0, seed=1, offset=2)(Tensor(np.zeros((50, 20)), dtype))
    assert (drawn.shape, drawn.dtype) == ((50, 20), dtype)
    values = drawn.asnumpy().astype(np.float64)
    assert -1 <= values.min() < -0.9
    assert 2.9 < values.max() <= 3


@pytest.mark.parametrize("dtype", [ms.int8, ms.int64, ms.float16, ms.float64])
def test_dropout_of_channels_keeps_the_dtype(dtype):
    x = Tensor(np.arange(1, 9).reshape(1, 2, 2, 2), dtype)
    kept, mask = ops.Dropout2D(0.5)(x)
    assert (kept.dtype, mask.dtype) == (dtype, ms.bool_)
    np.testing.assert_array_equal(kept.asnumpy(), x.asnumpy() * mask.asnumpy() * 2)
