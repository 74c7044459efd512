"""`mint.nn.functional`: what MindSpore computes on a CPU."""

CASES = [
    "F.relu(x)", "F.silu(x)", "F.sigmoid(x)", "F.tanh(x)", "F.hardsigmoid(x)", "F.hardswish(x)", "F.softplus(x)",
    "F.hardshrink(x)", "F.softshrink(x)", "F.softplus(x, 2, 3)", "F.hardshrink(x, 1.0)", "F.softshrink(x, 1.0)",
    "F.prelu(x, v)", "F.prelu(x, s.reshape((1,)))", "F.glu(m)", "F.glu(m, 1)", "F.softmax(x)", "F.softmax(x, 0)",
    "F.softmax(x, dim=1, dtype=ms.float64)", "F.dropout(x, 0.3, training=False)", "F.dropout(x, 0.0)",
    "F.smooth_l1_loss(x, y)", "F.smooth_l1_loss(x, y, reduction='sum')", "F.smooth_l1_loss(x, y, 'none')",
    "F.smooth_l1_loss(x, y, beta=0.5)", "F.binary_cross_entropy(p, p * p)",
    "F.binary_cross_entropy(p, p * p, q, 'sum')", "F.binary_cross_entropy_with_logits(x, p)",
    "F.binary_cross_entropy_with_logits(x, p, q, 'none', v)", "F.nll_loss(logits, labels)",
    "F.nll_loss(logits, labels.astype(ms.int64), Tensor([4.0, 3.0, 5.0, 4.5, 4.0]), 2, 'sum')", "F.linear(x, m.T)",
    "F.linear(x, m.T, m[0])", "F.group_norm(img, 2)", "F.group_norm(img, 2, m[0], m[1], 0.1)",
    "F.adaptive_max_pool2d(img, 3)", "F.adaptive_max_pool2d(img, (2, 3), True)", "F.pixel_shuffle(img, 2)",
    "F.flatten(z)", "F.flatten(z, 1)", "F.pad(sig, (2, 1), 'circular')",
    "F.pad(sig, (2, 1), 'circular', 0.0)", "F.interpolate(sig, 4)", "F.interpolate(sig, scale_factor=2.0)",
    "F.interpolate(img, (3, 9))", "F.upsample(img, (3, 9))",
    "F.grid_sample(img, ops.tanh(img[:, :2].transpose((0, 2, 3, 1))), align_corners=False)",
    "F.grid_sample(img, ops.tanh(img[:, :2].transpose((0, 2, 3, 1))), 'nearest', 'border', True)", "F.relu('a')",
    "F.softmax(x, 5)", "F.softmax(x, 1.5)", "F.mse_loss(x, y, 'a')", "F.linear(x, x.T)", "F.pixel_shuffle(img, 3)",
    "F.pad(x, (1,))", "F.pad(sig, (2, 1), 'circular', 1.0)", "F.interpolate(img)", "F.dropout(x, 2.0)",
    "F.gelu(x, approximate='a')", "F.layer_norm(x, (5,))", "F.avg_pool2d(img, 0)", "F.group_norm(img, 3)",
    "F.elu('a')", "F.threshold(x, 'a', 1)",
]  # fmt: skip
