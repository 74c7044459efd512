"""Forms of operations that MindSpore 2.10 does not compute on a CPU: compared with what defines them, in NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import cases
import torchspore

# An expression, and what it has to equal: there the inputs are arrays.
ROWS = [
    ("ops.swiglu(m)", "m[:, :2] / (1 + np.exp(-m[:, :2])) * m[:, 2:]"),
    ("ops.expand(v, (2, 3))", "np.stack([v, v])"),
    ("ops.RmsNorm()(x, v)[0]", "x / np.sqrt((x * x).mean(1, keepdims=True) + 1e-6) * v"),
    ("ops.MoveTo()(x, 'CPU')", "x"),
    # losses
    ("ops.SoftMarginLoss()(x, ops.sign(y))", "np.log1p(np.exp(-np.sign(y) * x)).mean()"),
    (
        "ops.MultilabelMarginLoss()(p, Tensor([[1, -1, 0], [2, -1, 0]], ms.int32))[0]",
        "np.mean([(1 - row[label] + np.delete(row, label)).sum() / 3 for row, label in zip(p, [1, 2])])",
    ),
    (
        "ops.TripletMarginLoss()(x, y, q, Tensor(5.0))",
        "(np.linalg.norm(x - y + 1e-6, axis=1) - np.linalg.norm(x - q + 1e-6, axis=1) + 5).clip(0).mean()",
    ),
    (
        "ops.RNNTLoss()(Tensor(np.zeros((1, 2, 2, 4), np.float32)), Tensor([[1]], ms.int32), Tensor([2], ms.int32), "
        "Tensor([1], ms.int32))[0]",
        "np.log([4**3 / 2])",  # two ways of three steps, each with four equal chances
    ),
    # networks whose weights are zero: gates are halves
    ("ops.BasicLSTMCell()(x, y[:, :2], q[:, :2], ops.zeros((8, 5, 1, 1)), ops.zeros((8, 1, 1, 1)))[0]",
     "q[:, :2] / (1 + np.exp(-1))"),
    ("ops.DynamicGRUV2()(z, ops.zeros((4, 6)), ops.zeros((2, 6)), None, None, None, ops.ones((3, 2)))[0][:, 0]",
     "np.array([[0.5, 0.5], [0.25, 0.25]])"),
    ("ops.DynamicRNN()(z, ops.zeros((6, 8)), ops.zeros((8,)), None, ops.ones((1, 3, 2)), ops.ones((1, 3, 2)))[2][:, 0]",
     "np.array([[0.5, 0.5], [0.25, 0.25]])"),
    (
        "ops.DepthwiseConv2dNative(1, 2)(z.reshape((1, 2, 3, 4)), ker[:1, :2, :2, :2])[0, 1, 0, 0]",
        "(z[1, :2, :2] * ker[0, 1, :2, :2]).sum()",
    ),
    (
        "ops.incre_flash_attention(z, z, z)",
        "(lambda e: e / e.sum(-1, keepdims=True) @ z)(np.exp(z @ z.swapaxes(1, 2)))",
    ),
    (
        "ops.prompt_flash_attention(z, z, z)",
        "(lambda e: e / e.sum(-1, keepdims=True) @ z)(np.exp(z @ z.swapaxes(1, 2)))",
    ),
    # attention to parts of the keys, put together; to places in maps, between the elements and outside
    (
        "ops.ring_attention_update(z, ops.ones((3, 2, 2, 8)), ops.ones((3, 2, 2, 8)) * 2, z + 1, "
        "ops.ones((3, 2, 2, 8)) * 3, ops.ones((3, 2, 2, 8)))[0]",
        "z + np.exp(2) / (2 + np.exp(2))",
    ),
    (
        "ops.ring_attention_update(z, m[:2, :3, None].tile((8,)), q[..., None].tile((8,)), 2 * z, "
        "y[..., None].tile((8,)), p[..., None].tile((8,)), layout='TND')[0]",
        "z * (1 + 1 / (1 + q / p * np.exp(m[:2, :3] - y)))[..., None]",
    ),
    (
        "ops.ring_attention_update(z, m[:2, :3, None].tile((8,)), q[..., None].tile((8,)), 2 * z, "
        "y[..., None].tile((8,)), p[..., None].tile((8,)), layout='TND')[2][..., 7]",
        "(lambda top: q * np.exp(m[:2, :3] - top) + p * np.exp(y - top))(np.maximum(m[:2, :3], y))",
    ),
    (
        "ops.multi_scale_deformable_attn_function(img.reshape((2, 4, 36)).swapaxes(1, 2).reshape((2, 36, 2, 2)), "
        "Tensor([[4, 6], [2, 6]]), Tensor([0, 24]), Tensor(np.tile(np.array([[[5 / 6, 0.625], [-1, 0.5]], "
        "[[5 / 12, 0.25], [2, 2]]], np.float32), (2, 1, 2, 1, 1, 1))), ops.ones((2, 1, 2, 2, 2)) * 2)",
        "2 * (img[:, :, 2, 4:6].mean(2) + img[:, :, 4, 2])[:, None]",
    ),
    # what the compiler's names do
    ("ops.switch(x.sum() > 0, x, y)", "x"), ("ops.switch(x.sum() < 0, x, y)", "y"),
    ("ops.switch_layer(Tensor(1), (ops.exp, ops.sin))(x)", "np.sin(x)"),
    ("ops.tail((1, 2, 3))", "[2, 3]"), ("ops.zip_operation((1, 2), (3, 4))", "[[1, 3], [2, 4]]"),
    ("ops.array_to_scalar(s)", "s"), ("ops.DynamicShape()(z)", "[2, 3, 4]"),
    # steps of optimizers
    ("ops.FusedWeightScaleApplyMomentum()(0.1, 0.5, Parameter(x), Parameter(y), 0.01, q, 0.9)",
     "x - 0.01 * (0.9 * y + 0.5 * q + 0.1 * x)"),
    ("ops.ApplyKerasMomentum()(Parameter(x), Parameter(y), 0.01, q, 0.9)[0]", "x + 0.9 * y - 0.01 * q"),
    (
        "ops.SparseApplyAdadelta(1e-6)(Parameter(x), Parameter(q), Parameter(q), 0.01, 0.9, y, Tensor([1, 0]))[0]",
        "x - 0.01 * y[::-1] * np.sqrt((q + 1e-6) / (0.9 * q + 0.1 * y[::-1] ** 2 + 1e-6))",
    ),
    (
        "ops.SparseApplyFtrlV2(0.1, 0.0, 0.0, 0.0, -0.5)(Parameter(x), Parameter(q), Parameter(q), y, "
        "Tensor([0, 1]))[0]",
        "-(q + y - (np.sqrt(q + y * y) - np.sqrt(q)) / 0.1 * x) * 0.1 / np.sqrt(q + y * y)",
    ),
    (
        "ops.SparseApplyProximalAdagrad()(Parameter(x), Parameter(q), 0.01, 0.0, 0.0, y, Tensor([0, 1]))[0]",
        "x - 0.01 * y / np.sqrt(q + y * y)",
    ),
    (
        "ops.LARSUpdate()(x, y, (x * x).sum(), (y * y).sum(), 0.1, 0.01)",
        "(y + 0.1 * x) * 1e-3 * np.linalg.norm(x) / (np.linalg.norm(y) + 0.1 * np.linalg.norm(x) + 1e-5)",
    ),
    # random operations, where the result is certain
    ("ops.DropoutGenMask()((2, 3), Tensor(1.0))", "np.full(16, 255)"),
    ("ops.DropoutDoMask()(x, ops.DropoutGenMask()((2, 3), Tensor(1.0)), Tensor(1.0))", "x"),
    ("ops.NonDeterministicInts()((2, 3)).shape", "(2, 3)"),
    (
        "ops.ParameterizedTruncatedNormal()(Tensor([1, 4], ms.int32), Tensor([0.0]), Tensor([1.0]), Tensor([-1.0]), "
        "Tensor([1.0])).shape",
        "(1, 4)",
    ),
    ("ops.Gamma()((3, 2), Tensor([1.0, 2.0]), Tensor([1.0, 1.0])).shape", "(3, 2)"),
    ("ops.Poisson()((3, 2), Tensor([1.0, 2.0])).shape", "(3, 2)"),
    ("mint.randint_like(x, 3, 4)", "np.full((2, 3), 3)"),
    ("mint.randperm(4).sum()", "6"),
    ("mint.bernoulli(p).shape", "(2, 3)"), ("mint.multinomial(p, 2).shape", "(2, 2)"),
    ("mint.normal(0.0, 1.0, (2, 3)).shape", "(2, 3)"), ("mint.rand_like(x).shape", "(2, 3)"),
    ("mint.randn(2, 3).shape", "(2, 3)"), ("mint.randn_like(x).shape", "(2, 3)"), ("p.bernoulli().shape", "(2, 3)"),
    ("x.copy().bernoulli_(1.0)", "np.ones((2, 3))"), ("ops.bernoulli_(x.copy(), 1.0)", "np.ones((2, 3))"),
    ("x.copy().exponential_().shape", "(2, 3)"), ("ops.exponential_(x.copy()).shape", "(2, 3)"),
    ("x.copy().normal_(2.0, 0.0)", "np.full((2, 3), 2)"), ("ops.normal_(x.copy(), 2.0, 0.0)", "np.full((2, 3), 2)"),
    ("x.copy().random_(3, 4)", "np.full((2, 3), 3)"), ("ops.random_(x.copy(), 3, 4)", "np.full((2, 3), 3)"),
    ("x.copy().uniform_(2.0, 2.0)", "np.full((2, 3), 2)"), ("ops.uniform_(x.copy(), 2.0, 2.0)", "np.full((2, 3), 2)"),
    # sparse tensors
    ("ops.csr_mv(m.to_csr(), m[:1].T)", "m @ m[:1].T"), ("ops.csr_mul(m.to_csr(), m)", "(m * m).ravel()"),
    ("ops.csr_div(m.to_csr(), m)", "np.ones(12)"), ("ops.csr_reduce_sum(m.to_csr(), 1)", "m.sum(1, keepdims=True)"),
    ("ops.csr_mm(m.to_csr(), m.T.to_csr()).to_dense()", "m @ m.T"),
    ("ops.csr_gather(Tensor([0, 1, 2, 2]), Tensor([1, 2]), m, (3, 4))", "m[[0, 1], [1, 2]]"),
    ("ops.CSRGather()(Tensor([0, 1, 2, 2]), Tensor([1, 2]), m, (3, 4))", "m[[0, 1], [1, 2]]"),
    ("ops.COO2CSR()(Tensor([0, 1]), 3)", "[0, 1, 2, 2]"), ("ops.CSR2COO()(Tensor([0, 1, 2, 2]), 2)", "[0, 1]"),
    ("ops.row_tensor_get_indices(ms.RowTensor(Tensor([0, 2]), x, (3, 3)))", "[0, 2]"),
    ("ops.row_tensor_get_values(ms.RowTensor(Tensor([0, 2]), x, (3, 3)))", "x"),
    ("ops.row_tensor_get_dense_shape(ms.RowTensor(Tensor([0, 2]), x, (3, 3)))", "(3, 3)"),
    ("ops.row_tensor_add(ms.RowTensor(Tensor([0, 2]), x, (3, 3)), ops.ones((3, 3), ms.float32))",
     "np.stack([x[0] + 1, np.ones(3), x[1] + 1])"),
    # writing into the first tensor
    ("ops.tanh_(x.copy())", "np.tanh(x)"), ("ops.erfinv_(ops.erf(x))", "x"), ("x.erf().erfinv_()", "x"),
    ("x.copy().index_add_(0, Tensor([1, 0]), y)", "x + y[::-1]"),
    ("x.copy().index_copy_(0, Tensor([1, 0]), y)", "y[::-1]"),
    ("x.copy().index_fill_(0, Tensor([0, 1]), 9.0)", "np.full((2, 3), 9)"),
    ("x.copy().index_put_((Tensor([0, 1]),), y)", "y"), ("x.copy().masked_fill_(b, 9.0)", "np.where(b, 9, x)"),
    ("x.copy().masked_scatter_(b, ops.ones((2, 3), ms.float32))", "np.where(b, 1, x)"),
    ("x.copy().scatter_(0, j - j + 1, y)[0]", "x[0]"), ("x.copy().scatter_add_(0, j - j, y)[0]", "x[0] + y.sum(0)"),
    ("mint.addr_(x.copy(), v[:2], v)", "x + np.outer(v[:2], v)"), ("x.copy().assign_value(y)", "y"),
    ("ops.inplace_add(x, y, (1, 0))", "x + y[::-1]"), ("ops.inplace_sub(x, y, (1, 0))", "x - y[::-1]"),
    ("ops.inplace_update(x, y, (1, 0))", "y[::-1]"), ("ops.InplaceAdd((1, 0))(x, y)", "x + y[::-1]"),
    ("ops.InplaceSub((1, 0))(x, y)", "x - y[::-1]"), ("ops.InplaceUpdate((1, 0))(x, y)", "y[::-1]"),
    ("ops.Assign()(Parameter(x), y)", "y"), ("x.copy().set_(y)", "y"), ("x.copy().floor_divide_(y)", "x // y"),
    ("ops.Adam()(Parameter(x), Parameter(q), Parameter(q), 0.0, 0.0, 0.01, 0.9, 0.99, 0.0, y)[1]", "0.9 * q + 0.1 * y"),
    ("ops.AdamWeightDecay()(Parameter(x), Parameter(q), Parameter(q), 0.01, 0.9, 0.99, 0.0, 0.1, y)[1]",
     "0.9 * q + 0.1 * y"),
    # the rest of mint
    ("mint.batch_norm_stats(img, 1e-5)[0]", "img.mean((0, 2, 3))"),
    ("mint.batch_norm_elemt(x, v, v, x.mean(0), q[0], 0.0)", "(x - x.mean(0)) * q[0] * v + v"),
    (
        "mint.batch_norm_gather_stats_with_counts(x, y, q, None, None, 0.1, 1e-5, Tensor([2.0, 2.0]))[0]",
        "y.mean(0)",
    ),
    ("mint.conv_tbc(z, ops.ones((1, 4, 2), ms.float32), ops.zeros((2,), ms.float32))[:, :, 0]", "z.sum(2)"),
    ("mint.triangular_solve(y[:2, :2], m[:2, :2])[0]", "np.linalg.solve(np.triu(m[:2, :2]), y[:2, :2])"),
    ("msp.linalg.lu_solve(msp.linalg.lu_factor(m[:, :3]), v)", "np.linalg.solve(m[:, :3], v)"),
    ("M.SyncBatchNorm(3).set_train(False)(x)", "x / np.sqrt(1 + 1e-5)"),
    # the rest
    ("ops.bool_not(True)", "False"), ("mnp.fft.ihfftn(x)", "np.fft.ifft(np.fft.ihfft(x), axis=0)"),
    ("ops.Coalesce()(Tensor([[1, 0, 1], [2, 3, 2]]), v, Tensor([3, 4]))[1]", "[v[1], v[0] + v[2]]"),
    ("nn.Roll(1, 0)(x)", "np.roll(x, 1, 0)"),
    ("nn.InstanceNorm3d(4)(sig.reshape((2, 4, 2, 2, 2)))[0, 0, 0, 0, 0]",
     "(sig[0, 0, 0] - sig[0, 0].mean()) / np.sqrt(sig[0, 0].var() + 1e-5)"),
    (
        "ops.FusedAdaFactorWithGlobalNorm()((1e-30, 1e-3), 1.0, 0.9, 0.0, 0.0, 0.03, ops.ones((2, 3), ms.float32), "
        "Parameter(x), Parameter(x), Parameter(v[:2]), Parameter(v), Parameter(x), Tensor(1.0))",
        "x - 0.03",
    ),
    # methods
    ("m[:, :3].eigvals()", "np.linalg.eigvals(m[:, :3])"), ("sig[:, :, :4].fold((4, 4), 2, stride=2)[0, 0, 0]",
     "sig[0, [0, 1, 0, 1], [0, 0, 1, 1]]"),
    ("Tensor.from_numpy(x.asnumpy())", "x"), ("x.set_const_arg(True)", "x"),
]  # fmt: skip


@pytest.mark.parametrize(("expression", "definition"), ROWS, ids=[row[0] for row in ROWS])
def test_result(expression, definition):
    found = eval(expression, cases.namespace(torchspore))
    found = found.asnumpy() if isinstance(found, torchspore.Tensor) else np.asarray(found)
    expected = np.asarray(eval(definition, {"np": np, **cases.INPUTS}))
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=2e-5, atol=1e-5)
