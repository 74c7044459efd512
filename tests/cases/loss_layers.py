"""Loss cells."""

_PAIR = ["MSELoss", "L1Loss", "MAELoss", "SmoothL1Loss", "HuberLoss"]
_WITH_REDUCTION = [
    "CrossEntropyLoss", "NLLLoss", "SoftmaxCrossEntropyWithLogits", "BCELoss", "MarginRankingLoss", "L1Loss",
    "SmoothL1Loss", "HuberLoss",
]  # fmt: skip
_ALL = [*_PAIR, *_WITH_REDUCTION[:5], "BCEWithLogitsLoss", "KLDivLoss", "CosineEmbeddingLoss", "LossBase"]
_REDUCTIONS = ("mean", "sum", "none")
_CLASS_WEIGHTS = "Tensor([1.0, 2.0, 3.0, 4.0, 5.0])"
_PROBABILITIES = "ops.sigmoid(d).astype(ms.float32)"
_SPARSE_CALLS = (
    "logits, labels", "logits, labels.astype(ms.int64)", "logits, labels + 1", "logits, labels - 1", "logits, logits",
    "logits, labels[:3]", "logits[0], labels[0]", "logits, labels.reshape(2, 2)", "logits, labels.astype(ms.float32)",
)  # fmt: skip

CASES = [
    *[f"repr(nn.{name}())" for name in _ALL],
    *[f"nn.{name}(reduction={reduction})" for name in _ALL for reduction in ("'a'", "None", "1")],
    *[f"nn.{name}(reduction='sum').reduction" for name in _WITH_REDUCTION],
    *[f"nn.{name}(reduction='none').reduce" for name in _WITH_REDUCTION],
    *[f"nn.{name}(reduction='sum').average" for name in _WITH_REDUCTION],
    *[f"nn.{name}()({tensors})" for name in _PAIR for tensors in ("x, y", "x, v", "x, m", "h, h * 2", "h, x", "x, d")],
    *[f"nn.{name}()({tensors})" for name in _PAIR for tensors in ("x, 1.0", "1.0, x", "x")],
    *[f"nn.{name}(reduction='{reduction}')(x, y)" for name in _PAIR for reduction in _REDUCTIONS],
    *[f"nn.{name}()(x, i)" for name in _PAIR if name != "SmoothL1Loss"],
    "nn.SmoothL1Loss(0.5)(x, y)", "nn.SmoothL1Loss(beta=2, reduction='mean')(x, y)", "nn.SmoothL1Loss('a')",
    "nn.SmoothL1Loss(0.0)(x, y)", "nn.HuberLoss(delta=0.5)(x, y)", "nn.HuberLoss('sum', 2)(x, y)",
    "nn.HuberLoss(delta=0.0)(x, y)", "nn.HuberLoss(delta='a')(x, y)",
    # classes
    "nn.CrossEntropyLoss()(logits, labels)", "nn.CrossEntropyLoss()(x, p)",
    f"nn.CrossEntropyLoss({_CLASS_WEIGHTS})(logits, labels)",
    "nn.CrossEntropyLoss(ignore_index=4, reduction='none')(logits, labels)",
    "nn.CrossEntropyLoss(label_smoothing=0.1)(logits, labels)",
    "nn.CrossEntropyLoss(reduction='sum', label_smoothing=0.1)(logits, labels)",
    "nn.CrossEntropyLoss()(z, Tensor([[0, 1, 2, 1], [2, 0, 0, 1]], ms.int32))", "nn.CrossEntropyLoss()(logits, 3)",
    "nn.CrossEntropyLoss('a')", "nn.CrossEntropyLoss(ignore_index='a')", "nn.CrossEntropyLoss(ignore_index=1.0)",
    "nn.CrossEntropyLoss(label_smoothing='a')", "nn.CrossEntropyLoss(label_smoothing=1.5)",
    "nn.CrossEntropyLoss(label_smoothing=-0.1)", "nn.CrossEntropyLoss(Tensor([1.0, 2]))(logits, labels)",
    "nn.NLLLoss()(logits, labels)", f"nn.NLLLoss({_CLASS_WEIGHTS})(logits, labels)",
    "nn.NLLLoss(ignore_index=4, reduction='none')(logits, labels)", "nn.NLLLoss('a')", "nn.NLLLoss(ignore_index='a')",
    "nn.NLLLoss(reduction='sum')(logits, labels)", "nn.NLLLoss()(logits, logits)",
    *[
        f"nn.SoftmaxCrossEntropyWithLogits(True, '{reduction}')({tensors})"
        for reduction in _REDUCTIONS
        for tensors in _SPARSE_CALLS
    ],
    *[
        f"nn.SoftmaxCrossEntropyWithLogits(False, '{reduction}')({tensors})"
        for reduction in _REDUCTIONS
        for tensors in ("x, ops.softmax(d).astype(ms.float32)", "x, y")  # labels whose sum is 1, and others
    ],
    "nn.SoftmaxCrossEntropyWithLogits(True, 'mean')(z, j)", "nn.SoftmaxCrossEntropyWithLogits(True, 'mean')(h, k[:2])",
    "nn.SoftmaxCrossEntropyWithLogits()(x, j)", "nn.SoftmaxCrossEntropyWithLogits()(x, m)",
    "nn.SoftmaxCrossEntropyWithLogits()(h, h)", "nn.SoftmaxCrossEntropyWithLogits()(z, z)",
    "nn.SoftmaxCrossEntropyWithLogits(sparse=1)", "nn.SoftmaxCrossEntropyWithLogits()(logits, labels)",
    "nn.SoftmaxCrossEntropyWithLogits()(x, 1)",
    # yes or no
    *[f"nn.BCELoss(reduction='{reduction}')(p, {_PROBABILITIES})" for reduction in _REDUCTIONS],
    "nn.BCELoss(Tensor([[1.0, 2.0, 3.0], [4.0, 3.3, 2.2]]))(p, p)", "nn.BCELoss()(p, p[0])", "nn.BCELoss()(p, 1.0)",
    "nn.BCELoss('a')(p, p)", "nn.BCELoss(weight=Tensor([1.0, 2.0]))(p, p)",
    *[f"nn.BCEWithLogitsLoss('{reduction}')(x, p)" for reduction in _REDUCTIONS],
    "nn.BCEWithLogitsLoss('mean', Tensor([1.0, 2.0, 3.0]), Tensor([3.0, 2.0, 1.0]))(x, p)",
    "nn.BCEWithLogitsLoss(pos_weight=Tensor([3.0, 2.0, 1.0]))(x, p)", "nn.BCEWithLogitsLoss(weight='a')(x, p)",
    "nn.BCEWithLogitsLoss(pos_weight='a')(x, p)", "nn.BCEWithLogitsLoss()(x, v)",
    # distributions, directions, orders
    *[f"nn.KLDivLoss('{reduction}')(x, {_PROBABILITIES})" for reduction in (*_REDUCTIONS, "batchmean")],
    "nn.KLDivLoss()(x, v)", "nn.KLDivLoss()(x, 1)",
    *[f"nn.CosineEmbeddingLoss(reduction='{reduction}')(x, y, Tensor([1, -1], ms.int32))" for reduction in _REDUCTIONS],
    "nn.CosineEmbeddingLoss(0.5)(x, y, Tensor([-1, -1], ms.int32))", "nn.CosineEmbeddingLoss('a')",
    "nn.CosineEmbeddingLoss(2.0)", "nn.CosineEmbeddingLoss()(x * 0, y, Tensor([1, 1], ms.int32))",
    "nn.CosineEmbeddingLoss()(x, y, 1)", "nn.CosineEmbeddingLoss()(x, y, k)",
    "nn.CosineEmbeddingLoss()(x, m, Tensor([1, 1], ms.int32))",
    *[f"nn.MarginRankingLoss(reduction='{reduction}')(x, y, ops.sign(x))" for reduction in _REDUCTIONS],
    "nn.MarginRankingLoss(0.5)(x, y, ops.sign(x))", "nn.MarginRankingLoss('a')(x, y, x)",
    "nn.MarginRankingLoss()(x, y, 1.0)", "nn.MarginRankingLoss()(x, m, x)",
    # the base
    "nn.LossBase().construct(x, y)", "nn.LossBase()(x, y)",
    *[
        f"nn.LossBase('{reduction}').get_loss({arguments})"
        for reduction in _REDUCTIONS
        for arguments in ("x", "x, 2.0", "x, y", "h, weights=v", "i")
    ],
    "nn.LossBase().get_loss(x, m)", "nn.LossBase().get_loss(x, None)", "nn.LossBase().get_loss(x, 'a')",
    "nn.LossBase().get_axis(z)", "nn.LossBase().get_axis(s)", "nn.LossBase().get_loss(s)",
    "nn.LossBase().get_loss(z, v[0])", "nn.LossBase().get_loss(d)", "nn.LossBase().get_loss(x, 2)",
    "nn.LossBase().get_loss(x, True)", "nn.LossBase().get_loss(x, np.float32(2))",
]  # fmt: skip

_ARGUMENT = ("a wrong argument is a ValueError, at once", {"error": "ValueError"})

DIFFERENCES = {
    **{
        f"nn.{name}(reduction={reduction})": _ARGUMENT
        for name in ("BCEWithLogitsLoss", "KLDivLoss")
        for reduction in ("'a'", "None", "1")
    },
    **{
        f"nn.SoftmaxCrossEntropyWithLogits(True, 'mean')(logits, labels {shift})": (
            "a label that is not a class is a ValueError",
            {"error": "ValueError"},
        )
        for shift in ("+ 1", "- 1")
    },
    "nn.SmoothL1Loss(0.0)(x, y)": _ARGUMENT,
    "nn.CrossEntropyLoss(Tensor([1.0, 2]))(logits, labels)": _ARGUMENT,
    "nn.CosineEmbeddingLoss()(x * 0, y, Tensor([1, 1], ms.int32))": (
        "the cosine with a vector of length 0 is 0, not nan",
        {"results": [{"shape": [], "dtype": "Float32", "values": [1.0]}]},
    ),
}

WARNINGS = {
    f"nn.SoftmaxCrossEntropyWithLogits(True, '{reduction}')(logits, labels {shift})": "some labels are not classes"
    for reduction in ("sum", "none")
    for shift in ("+ 1", "- 1")
}
