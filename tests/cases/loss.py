"""Losses as functions and primitives."""

import numpy as np

_PAIR = ["mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"]
_REDUCTIONS = ("mean", "sum", "none")
_INVALID = ("'a'", "None", "1")
_CLASS_WEIGHTS = "Tensor([1.0, 2.0, 0.5, 3.0, 1.5])"
_MAP_LABELS = "Tensor(np.arange(72).reshape(2, 6, 6) % 4, ms.int32)"
_VOLUME_LABELS = "Tensor(np.arange(72).reshape(2, 3, 2, 6) % 4, ms.int32)"
_ROW_LABELS = "Tensor([[0, 1, 2, 1], [2, 0, 0, 1]], ms.int32)"
_DISTRIBUTION = "ops.softmax(d).astype(ms.float32)"
_ONE_EACH = "Tensor([1, -1], ms.int32)"

CASES = [
    # distances
    *[f"ops.{name}({tensors})" for name in _PAIR for tensors in ("x, y", "x, m", "h, h * 2", "h, x", "x, h", "x, d")],
    *[f"ops.{name}({tensors})" for name in _PAIR for tensors in ("s, s * 2", "x, 1.0", "1.0, x", "x")],
    *[f"ops.{name}({tensors})" for name in _PAIR for tensors in ("x, v", "v, x")],
    *[f"ops.{name}(x, y, reduction='{reduction}')" for name in _PAIR for reduction in _REDUCTIONS],
    *[f"ops.{name}(x, y, reduction={reduction})" for name in _PAIR if name[0] != "s" for reduction in _INVALID],
    *[f"ops.{name}(x, i)" for name in _PAIR if name[0] != "s"],
    "ops.mse_loss(i, j)", "ops.l1_loss(i, j)", "ops.smooth_l1_loss(i, j)", "ops.smooth_l1_loss(e, e)",
    "ops.smooth_l1_loss(x, y, 0.5)", "ops.smooth_l1_loss(x, y, beta=2.0, reduction='mean')",
    "ops.smooth_l1_loss(x, y, reduction='a')", "ops.smooth_l1_loss(x, y, 0.0)", "ops.smooth_l1_loss(x, y, -1.0)",
    "ops.smooth_l1_loss(x, y, 1)", "ops.smooth_l1_loss(x, y, 'a')", "ops.SmoothL1Loss(0.5, 'mean')(x, y)",
    "ops.SmoothL1Loss()(x, y)", "ops.huber_loss(x, y, delta=0.5)", "ops.huber_loss(x, y, 'sum', 2.0)",
    "ops.huber_loss(x, y, delta=0.0)", "ops.huber_loss(x, y, delta=-1.0)", "ops.huber_loss(x, y, delta=1)",
    "ops.huber_loss(x, y, delta='a')", "ops.L2Loss()(x)", "ops.L2Loss()(h)",
    # cross entropy of class indices
    *[
        f"ops.cross_entropy(logits, Tensor({several}, ms.int32), {arguments})"
        for several in ([[1, 0]] * 4, [[0, 1, 2, 3, 4]] * 4)
        for arguments in ("", "ignore_index=0", f"{_CLASS_WEIGHTS}", "reduction='none'")
    ],
    "ops.nll_loss(logits, Tensor([[1, 0]] * 4, ms.int32))", "ops.cross_entropy(v, Tensor([0, 2], ms.int32))",
    "ops.cross_entropy(img, (img * 2).astype(ms.int32) * 0 + 1)",
    "ops.cross_entropy(logits, labels)", "ops.cross_entropy(logits, labels.astype(ms.int64))",
    *[
        f"ops.cross_entropy(logits, labels, {arguments}reduction='{reduction}')"
        for reduction in _REDUCTIONS
        for arguments in (
            "",
            "label_smoothing=0.1, ",
            "ignore_index=0, ",
            "ignore_index=4, label_smoothing=0.2, ",
            f"weight={_CLASS_WEIGHTS}, ",
            f"weight={_CLASS_WEIGHTS}, label_smoothing=0.2, ",
            f"weight={_CLASS_WEIGHTS}, label_smoothing=0.2, ignore_index=0, ",
        )
    ],
    "ops.cross_entropy(logits, labels * 0 + 2, ignore_index=2)", "ops.cross_entropy(logits, labels * 0 - 100)",
    "ops.cross_entropy(logits[0], labels[0])", "ops.cross_entropy(logits[0], labels[:1])",
    f"ops.cross_entropy(z, {_ROW_LABELS})", f"ops.cross_entropy(z, {_ROW_LABELS}, reduction='none')",
    f"ops.cross_entropy(z, {_ROW_LABELS}, Tensor([1.0, 2.0, 3.0]), label_smoothing=0.1)",
    f"ops.cross_entropy(img, {_MAP_LABELS})", f"ops.cross_entropy(img, {_MAP_LABELS}, reduction='none')",
    f"ops.cross_entropy(img.reshape(2, 4, 3, 2, 6), {_VOLUME_LABELS})",
    f"ops.cross_entropy(img.reshape(2, 4, 3, 2, 6), {_VOLUME_LABELS}, label_smoothing=0.3)",
    "ops.cross_entropy(logits.astype(ms.float64), labels)", "ops.cross_entropy(h, k[:2])",
    "ops.cross_entropy(h, k[:2], Tensor([1.0, 2.0, 3.0]))", "ops.cross_entropy(i, k[:2])",
    # cross entropy of probabilities
    *[
        f"ops.cross_entropy(x, p, {arguments}reduction='{reduction}')"
        for reduction in _REDUCTIONS
        for arguments in (
            "",
            "label_smoothing=0.1, ",
            "weight=Tensor([1.0, 2.0, 0.5]), ",
            "weight=Tensor([1.0, 2.0, 0.5]), label_smoothing=0.1, ",
        )
    ],
    *[f"ops.cross_entropy(z, z / 9 + 0.5, reduction='{reduction}')" for reduction in _REDUCTIONS],
    "ops.cross_entropy(x, p, ignore_index=1)", "ops.cross_entropy(x, p.astype(ms.float16))",
    "ops.cross_entropy(v, v / 2 + 0.5)", "ops.cross_entropy(h, h)", "ops.cross_entropy(h, p)",
    # cross entropy, errors
    "ops.cross_entropy(logits, labels, reduction='a')", "ops.cross_entropy(logits, labels, label_smoothing=2.0)",
    "ops.cross_entropy(logits, labels, label_smoothing='a')", "ops.cross_entropy(logits, labels, ignore_index='a')",
    "ops.cross_entropy(logits, labels, 'a')", "ops.cross_entropy(logits, labels, v)",
    "ops.cross_entropy(logits, labels[:3])", "ops.cross_entropy(logits, [1, 0, 4, 2])", "ops.cross_entropy(logits)",
    "ops.cross_entropy('a', labels)", "ops.cross_entropy(x, c)", "ops.cross_entropy(x, m)", "ops.cross_entropy(z, j)",
    "ops.cross_entropy(s, labels[0])", "ops.cross_entropy(logits, labels, None, 1.5)",
    "ops.cross_entropy(logits, labels + 1)", "ops.cross_entropy(logits, labels - 1)",
    "ops.cross_entropy(logits, labels.reshape(2, 2))", "ops.cross_entropy(logits, labels.reshape(4, 1))",
    "ops.nll_loss(logits, labels.reshape(4, 1), reduction='none')",
    # negative log likelihood
    *[
        f"ops.nll_loss(logits, labels, {arguments}reduction='{reduction}')"
        for reduction in _REDUCTIONS
        for arguments in (
            "",
            "ignore_index=4, ",
            "label_smoothing=0.1, ",
            "ignore_index=4, label_smoothing=0.2, ",
            f"weight={_CLASS_WEIGHTS}, ",
            f"weight={_CLASS_WEIGHTS}, label_smoothing=0.2, ",
            f"weight={_CLASS_WEIGHTS}, label_smoothing=0.2, ignore_index=0, ",
        )
    ],
    f"ops.nll_loss(z, {_ROW_LABELS})", "ops.nll_loss(logits[0], labels[0])", f"ops.nll_loss(img, {_MAP_LABELS})",
    f"ops.nll_loss(img, {_MAP_LABELS}, label_smoothing=0.3, reduction='none')",
    f"ops.nll_loss(img, {_MAP_LABELS}, Tensor([1.0, 2.0, 0.5, 3.0]), label_smoothing=0.3)",
    *[
        f"{loss}(x, Tensor([0, 2], ms.int32), v + 2, {arguments})"
        for loss in ("ops.nll_loss", "ops.cross_entropy")
        for arguments in (
            "2", "-100, 'sum'", "2, 'none'", "-100, 'mean', 0.1", "-100, 'sum', 0.1", "2, 'none', 0.1",
        )
    ],
    "ops.cross_entropy(v, Tensor(1, ms.int32), v + 2)", "ops.NLLLoss()(x, Tensor([0, 2], ms.int32), v + 2)",
    "ops.cross_entropy(z, Tensor([[0, 1, 2, 1], [2, 0, 0, 1]], ms.int32), v + 2)",
    "ops.nll_loss(logits[0], labels[0], label_smoothing=0.1)", "ops.nll_loss(logits, labels.astype(ms.int64))",
    "ops.nll_loss(logits, labels + 1)", "ops.nll_loss(logits, labels.astype(ms.float32))",
    "ops.nll_loss(logits, labels, reduction='a')", "ops.nll_loss(logits, labels, v)",
    "ops.nll_loss(logits, labels[:2])", "ops.nll_loss(logits, labels, label_smoothing=2.0)",
    f"ops.NLLLoss()(logits, labels, {_CLASS_WEIGHTS})",
    f"ops.NLLLoss('none')(logits, labels, {_CLASS_WEIGHTS})",
    f"ops.NLLLoss(ignore_index=0)(logits, labels, {_CLASS_WEIGHTS})", "ops.NLLLoss()(logits, labels, None)",
    # softmax cross entropy primitives
    f"ops.SoftmaxCrossEntropyWithLogits()(x, {_DISTRIBUTION})", "ops.SoftmaxCrossEntropyWithLogits()(h, h)",
    "ops.SoftmaxCrossEntropyWithLogits()(z, z)", "ops.SoftmaxCrossEntropyWithLogits()(x, m)",
    "ops.SoftmaxCrossEntropyWithLogits()(v, v)", "ops.SoftmaxCrossEntropyWithLogits()(x, j)",
    "ops.SparseSoftmaxCrossEntropyWithLogits()(logits, labels)",
    "ops.SparseSoftmaxCrossEntropyWithLogits(is_grad=True)(ops.stop_gradient(logits), labels)",
    "ops.SparseSoftmaxCrossEntropyWithLogits()(logits, labels.astype(ms.int64))",
    "ops.SparseSoftmaxCrossEntropyWithLogits()(logits, labels + 1)",
    "ops.SparseSoftmaxCrossEntropyWithLogits()(logits, labels - 1)",
    "ops.SparseSoftmaxCrossEntropyWithLogits()(z, j)", "ops.SparseSoftmaxCrossEntropyWithLogits(is_grad=1)",
    "ops.SparseSoftmaxCrossEntropyWithLogits()(logits, labels[:3])",
    "ops.SparseSoftmaxCrossEntropyWithLogits()(logits[0], labels[0])",
    "ops.SparseSoftmaxCrossEntropyWithLogits()(logits, logits[:, 0])",
    "ops.SparseSoftmaxCrossEntropyWithLogits()(h, k[:2])", "repr(ops.SparseSoftmaxCrossEntropyWithLogits())",
    "repr(ops.SoftmaxCrossEntropyWithLogits())",
    # binary cross entropy
    *[f"ops.binary_cross_entropy(p, ops.sigmoid(y), reduction='{reduction}')" for reduction in _REDUCTIONS],
    "ops.binary_cross_entropy(p, p * 0 + 1, weight=q)", "ops.binary_cross_entropy(p, p * 0, q, 'none')",
    "ops.binary_cross_entropy(p, p, Tensor([1.0, 2.0, 3.0]))", "ops.binary_cross_entropy(p, p[0])",
    "ops.binary_cross_entropy(p, b)", "ops.binary_cross_entropy(p, j)", "ops.binary_cross_entropy(p, p, reduction='a')",
    "ops.binary_cross_entropy(p, p, 'a')", "ops.binary_cross_entropy(ops.sigmoid(h), ops.sigmoid(h))",
    "ops.binary_cross_entropy(p, p.astype(ms.float16))", "ops.BinaryCrossEntropy()(p, p)",
    "ops.binary_cross_entropy(Tensor([0.0, 1.0]), Tensor([1.0, 1.0]))", "ops.BinaryCrossEntropy('none')(p, p, q)",
    *[f"ops.binary_cross_entropy_with_logits(x, p, reduction='{reduction}')" for reduction in _REDUCTIONS],
    "ops.binary_cross_entropy_with_logits(x, p)", "ops.binary_cross_entropy_with_logits(x, p, q)",
    "ops.binary_cross_entropy_with_logits(x, p, q, q + 1)",
    "ops.binary_cross_entropy_with_logits(x, p, v + 2, v + 3, 'sum')",
    "ops.binary_cross_entropy_with_logits(x, p, pos_weight=v + 3, reduction='none')",
    "ops.binary_cross_entropy_with_logits(x * 50, p)", "ops.binary_cross_entropy_with_logits(x, p[0])",
    "ops.binary_cross_entropy_with_logits(h, h)", "ops.binary_cross_entropy_with_logits(h, p)",
    "ops.binary_cross_entropy_with_logits(x, p, h)", "ops.binary_cross_entropy_with_logits(x, p, reduction='a')",
    "ops.binary_cross_entropy_with_logits(x, p, 'a')", "ops.binary_cross_entropy_with_logits(x, m)",
    "ops.binary_cross_entropy_with_logits(x, p, m)", "ops.BCEWithLogitsLoss()(x, p, q, q)",
    "ops.BCEWithLogitsLoss('sum')(x, p)", "ops.BCEWithLogitsLoss('none')(x, p, q)",
    "ops.SigmoidCrossEntropyWithLogits()(x, p)", "ops.SigmoidCrossEntropyWithLogits()(x, v)",
    "ops.SigmoidCrossEntropyWithLogits()(h, h)",
    # Kullback-Leibler divergence
    *[f"ops.kl_div(x, p, '{reduction}')" for reduction in (*_REDUCTIONS, "batchmean", "a")],
    "ops.kl_div(x, p)", "ops.kl_div(x, p * 0)", "ops.kl_div(h, ops.sigmoid(h))", "ops.kl_div(x, p[0])",
    "ops.kl_div(p[0], p[0], 'batchmean')", "ops.kl_div(d, ops.sigmoid(d))", "ops.kl_div(x, 1.0)",
    *[f"ops.KLDivLoss('{reduction}')(x, p)" for reduction in (*_REDUCTIONS, "batchmean")],
    *[f"ops.kl_div(x, y, '{reduction}')" for reduction in (*_REDUCTIONS, "batchmean")], "ops.kl_div(x, -p, 'none')",
    "ops.kl_div(x.log(), y, 'none')", "ops.kl_div(nan, Tensor([0.0, -1.0, 0.0, 0.5, 1.0]), 'none')",
    "ops.kl_div(v, Tensor([np.nan, np.inf, 0.0], ms.float32), 'none')", "ops.kl_div(h, -h, 'none')",
    # directions and orders
    *[f"ops.cosine_embedding_loss(x, y, {_ONE_EACH}, reduction='{reduction}')" for reduction in _REDUCTIONS],
    *[f"ops.cosine_embedding_loss(x, y, -{_ONE_EACH}, 0.2, '{reduction}')" for reduction in _REDUCTIONS],
    "ops.cosine_embedding_loss(x, y, Tensor([1, -1]))", "ops.cosine_embedding_loss(x, y, Tensor([1.0, -1.0]))",
    "ops.cosine_embedding_loss(v, v * 2, Tensor(1))",
    "ops.cosine_embedding_loss(z, z + 1, Tensor([[1, -1, 1, 1], [1, 1, -1, -1]], ms.int32))",
    f"ops.cosine_embedding_loss(x, y, {_ONE_EACH}, 2.0)", f"ops.cosine_embedding_loss(x, y, {_ONE_EACH}, 1)",
    "ops.cosine_embedding_loss(x, y, Tensor([1, 0]))", f"ops.cosine_embedding_loss(x, m, {_ONE_EACH})",
    f"ops.cosine_embedding_loss(x, y, {_ONE_EACH}, reduction='a')", "ops.cosine_embedding_loss(x, y, k)",
    f"ops.cosine_embedding_loss(h, h * 2, {_ONE_EACH})", f"ops.cosine_embedding_loss(x, y, {_ONE_EACH}, 'a')",
    *[f"ops.margin_ranking_loss(x, y, ops.sign(x), reduction='{reduction}')" for reduction in _REDUCTIONS],
    "ops.margin_ranking_loss(x, y, ops.sign(x), 0.5)", "ops.margin_ranking_loss(v, v * 2, ops.sign(v), 0.5)",
    "ops.margin_ranking_loss(x, v, ops.sign(x))", "ops.margin_ranking_loss(x, m, x)",
    "ops.margin_ranking_loss(x, y, x, 'a')", "ops.margin_ranking_loss(x, y, x, reduction='a')",
    "ops.margin_ranking_loss(h, h, h)", "ops.margin_ranking_loss(s, s, s)", "ops.margin_ranking_loss(x, y, 1.0)",
]  # fmt: skip

_ARGUMENT = ("a wrong argument is a ValueError", {"error": "ValueError"})
_LABELS = ("a label that is not a class is a ValueError", {"error": "ValueError"})

DIFFERENCES = {
    "ops.cross_entropy(h, k[:2], Tensor([1.0, 2.0, 3.0]))": (
        "computed in float32, the dtype of the result, from the start",
        {"results": [{"shape": [], "dtype": "Float32", "values": [0.95124996]}]},
    ),
    "ops.kl_div(v, Tensor([np.nan, np.inf, 0.0], ms.float32), 'none')": (
        "a nan that disappears hides an error",
        {"results": [{"shape": [3], "dtype": "Float32", "values": [np.nan, np.inf, 0.0]}]},
    ),
    "ops.smooth_l1_loss(x, y, 0.0)": _ARGUMENT,
    "ops.smooth_l1_loss(x, y, -1.0)": _ARGUMENT,
    "ops.cross_entropy(logits, labels, label_smoothing=2.0)": _ARGUMENT,
    "ops.cross_entropy(logits, labels, v)": _ARGUMENT,
    "ops.nll_loss(logits, labels, label_smoothing=2.0)": _ARGUMENT,
    "ops.nll_loss(logits, labels, v)": _ARGUMENT,
    "ops.cross_entropy(logits, labels + 1)": _LABELS,
    "ops.cross_entropy(z, j)": _LABELS,
    "ops.nll_loss(logits, labels + 1)": _LABELS,
    "ops.SparseSoftmaxCrossEntropyWithLogits()(logits, labels + 1)": _LABELS,
    "ops.SparseSoftmaxCrossEntropyWithLogits()(logits, labels - 1)": _LABELS,
    "ops.binary_cross_entropy(Tensor([0.0, 1.0]), Tensor([1.0, 1.0]))": (
        "the logarithm of 0 counts as -100, as in PyTorch, not as -27.6",
        {"results": [{"shape": [], "dtype": "Float32", "values": [50.0]}]},
    ),
    "ops.binary_cross_entropy(p, p, Tensor([1.0, 2.0, 3.0]))": (
        "MindSpore multiplies by the weights in the first row only",
        {"results": [{"shape": [], "dtype": "Float32", "values": [1.0488876]}]},
    ),
}

WARNINGS = {
    "ops.cross_entropy(logits, labels - 1)": "negative labels count from the last class",
    "ops.nll_loss(logits, labels, reduction='a')": "'none' is used",
}
