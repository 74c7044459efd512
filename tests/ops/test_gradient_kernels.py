"""Kernels of gradients without a record, against the gradient of their forward; and the ways to call them."""

from __future__ import annotations

import numpy as np
import pytest

import cases
import torchspore as ms
from torchspore import ops
from torchspore.ops import auto_generate

NAMES = cases.namespace(ms)
_VOLUME = "img.reshape((1, 2, 4, 6, 6))"
_SMALL = f"{_VOLUME}[:, :, :3, :4, :3]"
_LOGITS_LOSS = "F.binary_cross_entropy_with_logits"

# The kernel's call, a function that is its forward, the inputs that are differentiated, and the output's gradient.
CASES = [
    ("K.SeluGrad()(y, ops.selu(x))", "lambda x: ops.selu(x)", "x", "y"),
    ("K.SoftmaxGrad()(ops.softmax(x), y)", "lambda x: ops.softmax(x)", "x", "y"),
    ("K.SoftmaxBackward()(y, ops.softmax(x, 0), 0)", "lambda x: ops.softmax(x, 0)", "x", "y"),
    ("K.GeluGradExt()(y, x)", "lambda x: F.gelu(x)", "x", "y"),
    ("K.GeluGradExt()(y, x, 'tanh')", "lambda x: F.gelu(x, approximate='tanh')", "x", "y"),
    ("K.EluGradExt()(y, x, 0.5)", "lambda x: F.elu(x, 0.5)", "x", "y"),
    ("K.EluGradExt()(y, F.elu(x, 0.5), 0.5, True)", "lambda x: F.elu(x, 0.5)", "x", "y"),
    ("K.HardtanhGrad()(y, x, -0.3, 0.6)", "lambda x: F.hardtanh(x, -0.3, 0.6)", "x", "y"),
    ("K.LeakyReLUGradExt()(y, x, 0.2)", "lambda x: F.leaky_relu(x, 0.2)", "x", "y"),
    ("K.MishGradExt()(y, x)", "lambda x: F.mish(x)", "x", "y"),
    ("K.SoftplusGradExt()(y, x, 2, 1)", "lambda x: F.softplus(x, 2, 1)", "x", "y"),
    ("K.ThresholdGrad()(y, x, 0.3)", "lambda x: F.threshold(x, 0.3, 1.0)", "x", "y"),
    ("K.LogSigmoidGrad()(y, x, x)", "lambda x: F.logsigmoid(x)", "x", "y"),
    ("K.SwigluGrad()(m[:, :2], m)", "lambda m: ops.swiglu(m)", "m", "m[:, :2]"),
    ("K.EinsumGrad('ij,jk->ik')((x, m), z[:, 0])", "lambda x, m: x @ m", "x, m", "z[:, 0]"),
    ("K.RepeatInterleaveGrad()(x, Tensor([1, 2]), 1)", "lambda t: t.repeat_interleave(Tensor([1, 2]), 1)", "x[:, :2]"
    , "x"),
    ("K.EmbeddingDenseBackward()(x, Tensor([1, 1]), 3, 2)", "lambda t: F.embedding(Tensor([1, 1]), t)", "m[:, :3]",
    "x"),
    ("K.MSELossGradExt()(s, x, y)", "lambda x: F.mse_loss(x, y)", "x", "s"),
    ("K.L1LossBackwardExt()(y, x, y, 'none')", "lambda x: F.l1_loss(x, y, 'none')", "x", "y"),
    ("K.KLDivGrad()(s, x, p)", "lambda x: F.kl_div(x, p, 'mean')", "x", "s"),
    ("K.BinaryCrossEntropyWithLogitsBackward()(s, x, p, v, q[0])", f"lambda x: {_LOGITS_LOSS}(x, p, v, 'mean', q[0])"
    , "x", "s"),
    ("K.SoftMarginLossGrad()(x, ops.sign(y), s)", "lambda x: ops.soft_margin_loss(x, ops.sign(y))", "x", "s"),
    ("K.MultilabelMarginLossGrad('sum')(s, x, Tensor([[1, -1, 0], [0, 2, -1]], ms.int32), x)",
     "lambda x: ops.multilabel_margin_loss(x, Tensor([[1, -1, 0], [0, 2, -1]], ms.int32), 'sum')", "x", "s"),
    ("K.ReflectionPad1DGrad()(sig, sig[:, :, :5], (1, 2))", "lambda t: F.pad(t, (1, 2), 'reflect')", "sig[:, :, :5]",
    "sig"),
    ("K.ReflectionPad2DGrad()(img, img[:, :, :3, :3], (1, 2, 2, 1))", "lambda t: F.pad(t, (1, 2, 2, 1), 'reflect')",
     "img[:, :, :3, :3]", "img"),
    (f"K.ReplicationPad3DGrad()({_VOLUME}, {_SMALL}, (1, 2, 1, 1, 1, 0))",
     "lambda t: F.pad(t, (1, 2, 1, 1, 1, 0), 'replicate')", _SMALL, _VOLUME),
    ("K.RmsNormGrad()(y, x, (x * x).mean(-1, True) ** -0.5, v)", "lambda x, v: ops.rms_norm(x, v, 0.0)[0]", "x, v",
    "y"),
    ("K.LayerNormGradExt()(y, x, (3,), x.mean(1, True), ops.var(x, 1, 0, True) ** -0.5, v, v)",
     "lambda x, v, w: F.layer_norm(x, (3,), v, w, 0.0)", "x, v, v", "y"),
    ("K.UpsampleBilinear2DGrad()(img, (2, 4, 3, 3), (6, 6), None, True)",
     "lambda t: F.interpolate(t, (6, 6), mode='bilinear', align_corners=True)", "img[:, :, :3, :3]", "img"),
    ("K.ConvolutionGrad()(img[:, :3, :4, :4], img, ker, None, (1, 1), (0, 0), (1, 1))[:2]",
     "lambda img, ker: F.conv2d(img, ker)", "img, ker", "img[:, :3, :4, :4]"),
    ("K.Col2ImGrad()(sig.reshape((1, 2, 4, 8)), (2, 2), (1, 1), (0, 0), (1, 1))",
     "lambda t: ops.col2im(t, Tensor([4, 8], ms.int32), (2, 2), (1, 1), (0, 0), (1, 1))",
     "ops.ones((1, 2, 4, 21))", "sig.reshape((1, 2, 4, 8))"),
    ("K.DepthwiseConv2dNativeBackpropInput(1, (3, 3))((2, 4, 6, 6), ker[:1], img[:, :, :4, :4])",
     "lambda t: ops.DepthwiseConv2dNative(1, (3, 3))(t, ker[:1])", "img", "img[:, :, :4, :4]"),
    ("K.TraceV2Grad()(v, (2, 2, 3), 0, 0, 1)", "lambda t: t.diagonal(0, 0, 1).sum(-1)",
     "ops.ones((2, 2, 3))", "v"),
]  # fmt: skip


@pytest.mark.parametrize(("kernel", "forward", "inputs", "cotangent"), CASES, ids=[case[0] for case in CASES])
def test_a_kernel_is_the_gradient_of_its_forward(kernel, forward, inputs, cotangent):
    found = eval(kernel, NAMES)
    primals = eval(f"({inputs},)", NAMES)
    _, vjp = ms.vjp(eval(forward, NAMES), *primals)[:2]
    expected = vjp(eval(cotangent, NAMES))
    found, expected = (value if isinstance(value, tuple) else (value,) for value in (found, expected))
    assert len(found) == len(expected)
    for ours, theirs in zip(found, expected):
        assert ours.dtype == theirs.dtype
        np.testing.assert_allclose(ours.asnumpy(), theirs.asnumpy(), rtol=2e-5, atol=2e-5)


def test_every_spelling_of_a_kernel():
    x, dy = ms.Tensor([0.3, -0.9]), ms.Tensor([1.0, 2.0])
    expected = [0.0, 2.0]
    assert auto_generate.HShrinkGrad(0.5)(dy, x).asnumpy().tolist() == expected
    assert auto_generate.hshrink_grad_impl(dy, x, 0.5).asnumpy().tolist() == expected
    assert auto_generate.HShrinkGradPrim_()(dy, x, 0.5).asnumpy().tolist() == expected
    assert auto_generate.relu_grad_op(dy, x).asnumpy().tolist() == [1.0, 0.0]
    assert auto_generate.pyboost_relu_grad(auto_generate.relu_grad_op, [dy, x]).asnumpy().tolist() == [1.0, 0.0]
    assert auto_generate.swiglu_grad(dy[:1], x).shape == (2,)


def test_kernels_in_a_bprop_and_in_graphs_and_under_vmap():
    class Shrink(ms.nn.Cell):
        def construct(self, x):
            return ops.hardshrink(x)

        def bprop(self, x, out, dout):
            return (auto_generate.HShrinkGrad()(dout, x),)

    x = ms.Tensor([[0.3, -0.9], [2.0, 0.1]])
    expected = [[0.0, 1.0], [1.0, 0.0]]
    assert ms.grad(Shrink())(x).asnumpy().tolist() == expected
    captured = ms.jit(lambda x: auto_generate.HShrinkGrad()(ops.ones_like(x), x))
    assert [captured(x).asnumpy().tolist() for _ in range(2)] == [expected] * 2
    mapped = ms.vmap(lambda x: auto_generate.HShrinkGrad()(ops.ones_like(x), x))
    assert mapped(x).asnumpy().tolist() == expected


def test_gradients_of_a_kernel():
    x = ms.Tensor([0.5, -1.2])
    second = ms.grad(lambda x: auto_generate.SiLUGrad()(ops.ones_like(x), x).sum())(x)
    expected = ms.grad(lambda x: ms.grad(ops.silu)(x).sum())(x)
    np.testing.assert_allclose(second.asnumpy(), expected.asnumpy(), rtol=1e-5)
    assert ms.grad(lambda x: ms.grad(ops.abs)(x))(x).asnumpy().tolist() == [0.0, 0.0]


def test_errors_of_a_kernel_name_it():
    with pytest.raises(TypeError, match="For 'HShrinkGrad', "):
        auto_generate.HShrinkGrad()("text", ms.Tensor([1.0]))
    with pytest.raises(ValueError, match="For 'MaxPoolGrad', "):
        auto_generate.MaxPoolGrad(2, 2)(*[ms.ops.ones((1, 1, 4, 4))] * 3)
