"""Losses with margins, of variances, of sequences, and how well classes were predicted."""

_SCORES = "Tensor((np.arange(60) * 7 % 60 / 30 - 1).astype(np.float32).reshape((5, 3, 4)))"
_LOG = f"ops.log_softmax({_SCORES}, -1)"
_SPARSE = "Tensor([[0, 0], [0, 1], [1, 0], [2, 0], [2, 1], [2, 2]]), Tensor([2, 1, 0, 1, 1, 2], ms.int32)"
_TIMES = "Tensor([4, 5, 5], ms.int32)"
_ALL = "Tensor([5, 5, 5], ms.int32)"

CASES = [
    "ops.hinge_embedding_loss(x, Tensor([[0.0, 2.0, -0.5], [-3.0, 1.0, -1.0]]), 1.0, 'none')",
    *[
        f"ops.multi_margin_loss(logits, labels.astype(ms.int64), {options})"
        for options in ("1, 1", "2, 2", "1, 1, None, 'sum'", "2, 1, None, 'none'", "3", "1, 1, None, 'max'", "1, 1, v")
    ],
    "ops.multi_margin_loss(logits, labels)", "ops.multi_margin_loss(logits, k)",
    "ops.multi_margin_loss(logits, labels.astype(ms.int64), weight=logits[0])",
    "ops.MultiMarginLoss(2, 0.5, 'sum')(logits, labels.astype(ms.int64))",
    *[f"ops.multilabel_soft_margin_loss(x, p, {options})" for options in ("None", "v", "None, 'sum'", "v, 'none'")],
    "ops.multilabel_soft_margin_loss(x, p, None, 'max')",
    *[
        f"ops.hinge_embedding_loss(x, Tensor([[1.0, -1.0, 1.0], [-1.0, -1.0, 1.0]]), {options})"
        for options in ("1.0", "2", "1.5, 'sum'", "0.5, 'none'", "1.0, 'max'")
    ],
    *[
        f"ops.gaussian_nll_loss(x, y, q, {options})"
        for options in ("False", "True", "False, 3.0, 'sum'", "True, 1e-6, 'none'", "False, 0.0", "0")
    ],
    "ops.gaussian_nll_loss(x, y, q[:, :1])", "ops.gaussian_nll_loss(x, y[:, :1], q[:, 0])",
    "ops.gaussian_nll_loss(x, y, v)",
    *[
        f"ops.ctc_loss({_LOG}, Tensor([[1, 2, 3], [3, 3, 0], [2, 1, 1]], ms.int32), {_TIMES}, "
        f"Tensor([3, 2, 1], ms.int32), {options})"
        for options in ("0", "0, 'sum'", "1, 'none'", "0, 'none', True", "9", "0, 'max'")
    ],
    f"ops.CTCLossV2()({_LOG}, Tensor([[1, 2], [3, 3], [2, 1]], ms.int32), {_TIMES}, Tensor([2, 2, 1], ms.int32))",
    *[
        f"ops.CTCLoss({options})({_SCORES}, {_SPARSE}, {_ALL})"
        for options in ("", "True", "False, False", "True, False", "False, True, True")
    ],
    f"ops.CTCLoss()({_SCORES}, {_SPARSE}, {_TIMES})[0]",
    f"ops.CTCLoss()({_SCORES}, {_SPARSE}, Tensor([4, 5, 5]))",
    f"ops.ctc_greedy_decoder({_SCORES}, {_TIMES})", f"ops.ctc_greedy_decoder({_SCORES}, {_TIMES}, False)",
    f"ops.CTCGreedyDecoder()({_SCORES}, Tensor([1, 2, 3], ms.int32))",
    f"ops.ctc_greedy_decoder({_SCORES}[0], {_TIMES})",
    "ops.intopk(logits, labels, 2)", "ops.InTopK(1)(logits, labels)",
    "ops.InTopK(3)(logits, Tensor([5, -1, 2, 3], ms.int32))",
    "ops.intopk(nan.reshape((1, 5)), Tensor([2], ms.int32), 3)", "ops.intopk(logits, k, 2)",
]  # fmt: skip
