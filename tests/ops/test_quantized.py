"""Numbers of 8 bits with scales: compared with their formulas, in NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import torchspore as ms
from torchspore import Tensor
from torchspore.ops import auto_generate

random = np.random.default_rng(5)
X = random.normal(size=(2, 3, 4)).astype(np.float32) * 3
A = random.integers(-128, 128, (3, 6)).astype(np.int8)
B = random.integers(-128, 128, (6, 5)).astype(np.int8)
COLUMNS, ROWS = random.random(5).astype(np.float32) / 500, random.random(3).astype(np.float32)
BIAS = random.normal(size=5).astype(np.float32) * 100
PRODUCT = A.astype(np.int64) @ B.astype(np.int64)


def int8(x):
    return np.clip(np.round(x), -128, 127)


def check(found, expected, dtype, rtol=1e-5):
    assert found.dtype == dtype
    expected = np.asarray(expected)
    assert found.shape == expected.shape
    np.testing.assert_allclose(found.astype(ms.float32).asnumpy(), expected, rtol=rtol, atol=1e-6)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (([1.25, 1.5, -9.0], [2.0, 1.0, 90.0], [0.0, 1.0, 0.5]), [2, 2, -128]),
        (([1.5], [3.0], [1.0], True), [14]),
        (([100.0, 150.0], [80.0, 40.0], [0.0, 2.0], False, "Round"), [127, 127]),  # MindSpore's documented example
    ],
)
def test_quant(arguments, expected):
    given = [Tensor(one) if isinstance(one, list) else one for one in arguments]
    check(auto_generate.QuantV2()(*given), expected, ms.int8)


@pytest.mark.parametrize("dtype", [ms.float32, ms.float16, ms.bfloat16])
@pytest.mark.parametrize("smooth", [None, np.float32([1.0, 0.5, 2.0, 4.0])])
def test_scales_of_rows(dtype, smooth):
    given = Tensor(X).astype(dtype)
    y, scale = auto_generate.DynamicQuantExt()(given, None if smooth is None else Tensor(smooth))
    exact = given.astype(ms.float32).asnumpy() * (1 if smooth is None else smooth)
    greatest = np.abs(exact).max(-1)
    check(scale, greatest / 127, ms.float32)
    check(y, np.round(exact * (127 / greatest[..., None])), ms.int8)


def test_rows_of_zeros():
    y, scale = auto_generate.DynamicQuantExt()(Tensor(np.zeros((2, 3), np.float32)))
    check(y, np.zeros((2, 3)), ms.int8)
    check(scale, np.zeros(2), ms.float32)


@pytest.mark.parametrize(
    ("dtype", "greatest", "part"), [(ms.float8_e4m3fn, 448, 1 / 16), (ms.float8_e5m2, 57344, 1 / 8)]
)
@pytest.mark.parametrize("blocks", [(1, 128), (2, 3), (4, 4), (3, 7)])
def test_scales_of_blocks(dtype, greatest, part, blocks):
    x = random.normal(size=(5, 9)).astype(np.float32)
    x[:3, :3] = 0
    y, scale = auto_generate.DynamicBlockQuant()(Tensor(x), 1e-4, "rint", dtype, *blocks)
    starts = range(0, 5, blocks[0]), range(0, 9, blocks[1])
    expected = [
        [np.abs(x[i : i + blocks[0], j : j + blocks[1]]).max() / greatest for j in starts[1]] for i in starts[0]
    ]
    expected = np.maximum(expected, 1e-4)
    check(scale, expected, ms.float32)
    assert y.dtype == dtype
    back = y.astype(ms.float32).asnumpy() * np.kron(expected, np.ones(blocks))[:5, :9]
    np.testing.assert_allclose(back, x, rtol=part, atol=1e-4 * 2**-6)


def bits(scale):
    """Scales as the lower half of int64 numbers."""
    return Tensor(scale.view(np.uint32).astype(np.int64))


def test_products_of_int8():
    a, b, columns, rows = Tensor(A), Tensor(B), Tensor(COLUMNS), Tensor(ROWS)
    scaled = PRODUCT * COLUMNS.astype(np.float64)
    product = auto_generate.QuantBatchMatmul()
    check(product(a, b, columns), scaled, ms.float16, 1e-3)
    check(product(a, b, bits(COLUMNS)), scaled, ms.float16, 1e-3)
    check(product(a, b, bits(COLUMNS).astype(ms.uint64)), scaled, ms.float16, 1e-3)
    check(product(a, b, columns, None, None, rows), scaled * ROWS[:, None], ms.float16, 1e-3)
    check(product(a, b, columns, None, Tensor(BIAS)), scaled + BIAS, ms.float16, 1e-3)
    whole = BIAS.astype(np.int32)
    check(
        product(a, b, columns, None, Tensor(whole), rows), (PRODUCT + whole) * COLUMNS * ROWS[:, None], ms.float16, 1e-3
    )
    check(product(a, b, Tensor([0.5])), PRODUCT * 0.5, ms.float16, 1e-3)
    turned = auto_generate.QuantBatchMatmul(True, True, ms.bfloat16)
    check(turned(Tensor(A.T.copy()), Tensor(B.T.copy()), columns), scaled, ms.bfloat16, 1e-2)
    to_int8 = auto_generate.QuantBatchMatmul(dtype=ms.int8)
    check(to_int8(a, b, columns, Tensor(BIAS / 10)), int8(scaled + BIAS / 10), ms.int8)
    check(auto_generate.quant_batch_matmul(a, b, columns), scaled, ms.float16, 1e-3)
    stacked = Tensor(np.stack([A, A])), Tensor(np.stack([B, -B.clip(-127)]))
    check(product(*stacked, columns)[0], scaled, ms.float16, 1e-3)


def test_products_are_exact():
    """float32 could not hold these sums."""
    a = Tensor(np.full((1, 4096), 127, np.int8))
    b = np.full((4096, 1), 127, np.int8)
    b[0] = 126
    found = auto_generate.QuantBatchMatmul(dtype=ms.int8)(a, Tensor(b), Tensor([1.0]), Tensor([-(4096 * 127 * 127.0)]))
    assert found.asnumpy().tolist() == [[-127]]


def test_products_of_small_floats():
    x, y = (random.integers(-8, 9, shape).astype(np.float32) for shape in ((2, 3, 4), (2, 4, 5)))
    a, b = Tensor(x).astype(ms.float8_e4m3fn), Tensor(y).astype(ms.float8_e5m2)
    exact = (x @ y) * COLUMNS * ROWS[:, None]
    product = auto_generate.QuantMatmul()
    check(product(a, b, Tensor(COLUMNS), None, Tensor(ROWS), None, ms.float32), exact, ms.float32)
    given = {"pertoken_scale": Tensor(ROWS), "output_dtype": ms.bfloat16, "bias": Tensor(BIAS)}
    check(auto_generate.quant_matmul(a, b, Tensor(COLUMNS), **given), exact + BIAS, ms.bfloat16, 1e-2)
    large = Tensor(COLUMNS * 1000)
    check(product(a, b, large, None, Tensor(ROWS)), int8(exact * 1000), ms.int8)
    check(product(a, b, large, Tensor(BIAS), Tensor(ROWS)), int8(exact * 1000 + BIAS), ms.int8)
    given = {
        "x1_dtype": ms.float8_e4m3fn,
        "x2_dtype": ms.float16,
        "output_dtype": ms.float32,
        "scale_dtype": ms.float16,
    }
    found = product(Tensor(x), Tensor(y), Tensor(COLUMNS), None, Tensor(ROWS), pertoken_scale_dtype=ms.float16, **given)
    check(found, (x @ y) * np.float32(np.float16(COLUMNS)) * np.float32(np.float16(ROWS))[:, None], ms.float32)


W_OFFSET, W_SCALE = (random.normal(size=(3, 5)).astype(np.float32) for _ in range(2))


def test_weights_of_int8():
    x = X[:, :, :3].repeat(2, -1)  # (2, 3, 6)
    one_scale = ((B + W_OFFSET[0]) * W_SCALE[0]).astype(np.float32)
    product = auto_generate.WeightQuantBatchMatmul()
    given = Tensor(x), Tensor(B), Tensor(W_SCALE[0])
    check(product(*given), x @ (B * W_SCALE[0]), ms.float32, 1e-4)
    check(product(*given, Tensor(W_OFFSET[0])), x @ one_scale, ms.float32, 1e-4)
    check(product(*given, Tensor(W_OFFSET[:1]), bias=Tensor(BIAS)), x @ one_scale + BIAS, ms.float32, 1e-4)
    turned = auto_generate.WeightQuantBatchMatmul(True, True)
    there = Tensor(x.swapaxes(1, 2).copy()), Tensor(B.T.copy()), Tensor(W_SCALE[:1].T.copy()), Tensor(W_OFFSET[0])
    check(turned(*there[:3]), x @ (B * W_SCALE[0]), ms.float32, 1e-4)
    groups = (B + W_OFFSET.repeat(2, 0)) * W_SCALE.repeat(2, 0)
    of_two = Tensor(W_SCALE), Tensor(W_OFFSET)
    check(auto_generate.WeightQuantBatchMatmul(False, False, 2)(*given[:2], *of_two), x @ groups, ms.float32, 1e-4)
    turned = auto_generate.WeightQuantBatchMatmul(False, True, 2)
    check(turned(given[0], there[1], *[Tensor(one.asnumpy().T.copy()) for one in of_two]), x @ groups, ms.float32, 1e-4)
    uneven = W_SCALE[:2].repeat(4, 0)[:6]
    check(auto_generate.WeightQuantBatchMatmul(False, False, 4)(*given[:2], Tensor(W_SCALE[:2])), x @ (B * uneven),
          ms.float32, 1e-4)  # fmt: skip
    exact = x @ (B * W_SCALE[0])
    check(product(*given, None, Tensor(COLUMNS)), int8(exact * COLUMNS), ms.int8)
    check(product(*given, None, bits(COLUMNS), Tensor(BIAS / 10)), int8(exact * COLUMNS + BIAS / 10), ms.int8)
    assert product(Tensor(x, ms.float16), *given[1:]).dtype == ms.float16


def test_weights_of_int8_let_gradients_through():
    x, weight, scale = Tensor(X[0, :, :3].repeat(2, -1)), Tensor(B), Tensor(W_SCALE[0])
    loss = lambda x, scale: (auto_generate.WeightQuantBatchMatmul()(x, weight, scale) * Tensor(X[0, :, :1])).sum()  # noqa: E731
    of_x, of_scale = ms.grad(loss, (0, 1))(x, scale)
    check(of_x, X[0, :, :1] @ (B * W_SCALE[0]).sum(1)[None], ms.float32, 1e-4)
    check(of_scale, (x.asnumpy().T @ X[0, :, :1] * B).sum(0), ms.float32, 1e-4)


@pytest.mark.parametrize("left", [True, False])
def test_gates(left):
    x = random.integers(-1000, 1000, (3, 10)).astype(np.int32)
    columns, rows = np.abs(random.normal(size=10)).astype(np.float32) / 200, ROWS[:, None]
    silu = lambda x: x / (1 + np.exp(-x))  # noqa: E731
    for bias in (None, np.arange(10, dtype=np.int32) * 10, np.arange(10, dtype=np.float32) / 10):
        whole, real = (0 if bias is None or bias.dtype != kind else bias for kind in (np.int32, np.float32))
        one, other = np.split((x + whole) * columns * rows + real, 2, 1)
        gated = (silu(one) * other if left else silu(other) * one) * W_SCALE[0]
        y, scale = auto_generate.DequantSwigluQuant()(
            Tensor(x), Tensor(columns), Tensor(rows), None if bias is None else Tensor(bias), Tensor(W_SCALE[0]),
            activate_left=left, quant_mode="dynamic",
        )  # fmt: skip
        greatest = np.abs(gated).max(1)
        check(scale, greatest / 127, ms.float32)
        assert y.dtype == ms.int8
        np.testing.assert_allclose(y.asnumpy(), gated * 127 / greatest[:, None], atol=0.501)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: auto_generate.DynamicQuantExt()(x, x[0]),
        lambda x: auto_generate.DynamicBlockQuant()(x, 0.0, "rint", ms.float8_e4m3fn, 2, 3)[1],
        lambda x: auto_generate.QuantBatchMatmul()(Tensor(A), Tensor(B[:, :4].copy()), x[0]),
        lambda x: auto_generate.WeightQuantBatchMatmul()(x, Tensor(B[:4]), Tensor(COLUMNS)),
        lambda x: auto_generate.QuantV2()(x, x[0], x[1]),
    ],
)
def test_graphs_do_the_same(function):
    graph = ms.jit(function)
    for given in (X[0], X[1]):
        found, expected = (
            one if isinstance(one, tuple) else (one,) for one in (graph(Tensor(given)), function(Tensor(given)))
        )
        for one, other in zip(found, expected, strict=True):
            assert one.dtype == other.dtype
            assert (one.asnumpy() == other.asnumpy()).all()


x, a, b, columns, rows = Tensor(X[0]), Tensor(A), Tensor(B), Tensor(COLUMNS), Tensor(ROWS)
f8 = Tensor(np.ones((3, 6), np.float32)).astype(ms.float8_e4m3fn)
ERRORS = [
    (lambda g: g.QuantV2()(x, x, x, rounding_mode="FLOOR"), ValueError, "'rounding_mode'"),
    (lambda g: g.QuantV2()(x, x, x, dst_type=ms.int32), ValueError, "'dst_type' int8"),
    (lambda g: g.DynamicQuantExt()(a), TypeError, "'x' must hold floats"),
    (lambda g: g.DynamicQuantExt()(x, columns), ValueError, "'smooth_scales'"),
    (lambda g: g.DynamicQuantExt()(Tensor(1.0)), ValueError, "'x' must be of shape"),
    (lambda g: g.DynamicBlockQuant()(x, 0.0, "floor"), NotImplementedError, "'round_mode' must be 'rint'"),
    (lambda g: g.DynamicBlockQuant()(x, 0.0, "rint", ms.int8), NotImplementedError, "'dst_type'"),
    (lambda g: g.DynamicBlockQuant()(Tensor(X)), ValueError, "must have 2 dimensions"),
    (lambda g: g.DynamicBlockQuant()(x, row_block_size=0), ValueError, "'row_block_size' must be > 0"),
    (lambda g: g.QuantBatchMatmul()(x, b, columns), TypeError, "must hold int8"),
    (lambda g: g.QuantBatchMatmul()(a, b, columns, columns), ValueError, "without an offset"),
    (lambda g: g.QuantBatchMatmul(dtype=ms.float32)(a, b, columns), ValueError, "'dtype' must be float16"),
    (lambda g: g.QuantBatchMatmul()(a, a, columns), ValueError, "For 'QuantBatchMatmul'"),
    (lambda g: g.QuantMatmul()(a, b, columns, None, rows), ValueError, "Use 'QuantBatchMatmul'"),
    (lambda g: g.QuantMatmul()(f8, f8.T, rows), ValueError, "'pertoken_scale' must be given"),
    (lambda g: g.QuantMatmul()(f8, f8.T, rows, rows, rows, None, ms.float16), ValueError, "'offset' is for"),
    (lambda g: g.QuantMatmul()(f8, f8.T, rows, None, rows, group_sizes=(1, 1, 32)), NotImplementedError, "group_sizes"),
    (lambda g: g.WeightQuantBatchMatmul()(x, x, columns), TypeError, "'weight' must hold int8"),
    (lambda g: g.WeightQuantBatchMatmul(antiquant_group_size=-1)(f8, b, columns), ValueError, "must be >= 0"),
    (lambda g: g.WeightQuantBatchMatmul()(f8, b, columns, quant_offset=columns), ValueError, "needs 'quant_scale'"),
    (lambda g: g.DequantSwigluQuant()(a, columns, rows), NotImplementedError, "'quant_mode' must be 'dynamic'"),
    (lambda g: g.DequantSwigluQuant()(a, columns, rows, group_index=rows, quant_mode="dynamic"), NotImplementedError,
     "'group_index'"),
    (lambda g: g.DequantSwigluQuant()(a, columns, rows, quant_mode="dynamic"), TypeError, "must hold int32"),
    (lambda g: g.DequantSwigluQuant()(a.astype(ms.int32), columns, rows, quant_mode="dynamic"), ValueError,
     "one number per row"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "error", "text"), ERRORS, ids=[f"{i} {row[2]}" for i, row in enumerate(ERRORS)])
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call(auto_generate)
