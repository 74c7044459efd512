"""Loss cells with margins, of variances, counts, sequences, overlaps and samples of classes.

Some have no kernel there for the CPU, so only their errors are recorded; `tests/nn/test_losses.py` has the rest.
"""

_REDUCTIONS = ("mean", "sum", "none")
_SIGNS = "Tensor([[1.0, -1.0, 1.0], [-1.0, -1.0, 1.0]])"
_CLASSES = "Tensor([1, 0, 4, 2])"
_SEVERAL = "Tensor([[1, 0, -1, 2, 3], [4, -1, 0, 0, 0], [-1, 0, 0, 0, 0], [0, 1, 2, 3, 4]], ms.int32)"
_SCORES = "ops.log_softmax(z.transpose(2, 0, 1), -1)"  # of 4 times, 2 sequences and 3 classes
_TARGETS = "Tensor([[1, 2], [2, 0]], ms.int32), Tensor([4, 3], ms.int32), Tensor([2, 1], ms.int32)"
_BINARY = "Tensor([[0.0, 1.0, 0.0], [1.0, 0.0, 1.0]])"
_SAMPLES = "(Tensor([0, 3, 2]), Tensor([[0.5], [0.25], [0.5], [0.25]]), Tensor([0.4, 0.3, 0.5]))"
_TWO_RIGHT = (
    "(Tensor([0, 3, 2]), Tensor([[0.5, 0.2], [0.25, 0.3], [0.5, 0.1], [0.25, 0.6]]), Tensor([0.4, 0.3, 0.5])), False"
)
_LAST_LAYER = "wave(5, 3), wave(5)"
_PLACES = "Tensor(np.arange(8).reshape(2, 1, 4) % 3, ms.int32)"
_FACTORS = "Tensor(np.arange(24).reshape(2, 3, 4) % 2, ms.int32)"
_COMPUTED = {
    "GaussianNLLLoss": "x, y, q", "HingeEmbeddingLoss": f"x, {_SIGNS}", "MultiLabelSoftMarginLoss": f"x, {_BINARY}",
    "MultiMarginLoss": f"logits, {_CLASSES}", "PoissonNLLLoss": "x, q", "TripletMarginWithDistanceLoss": "x, y, p",
    "CTCLoss": f"{_SCORES}, {_TARGETS}", "FocalLoss": f"logits, {_CLASSES}.reshape(4, 1).astype(ms.int32)",
}  # fmt: skip
_ERRORS_ONLY = ("L1LossExt", "MultilabelMarginLoss", "SoftMarginLoss", "TripletMarginLoss")
_UNCHECKED = ("SoftMarginLoss", "TripletMarginLoss", "CTCLoss")  # accept any reduction until they are called
_PAIRS = ("MultiLabelSoftMarginLoss", "PoissonNLLLoss", "DiceLoss", "MultiClassDiceLoss", "RMSELoss")
_NO_NUMBERS = [
    f"nn.HingeEmbeddingLoss()(1.0, {_SIGNS})", f"nn.MultiLabelSoftMarginLoss(1.0)(x, {_BINARY})",
    "nn.PoissonNLLLoss(eps='a')",
]  # fmt: skip
_TRUTH = [
    f"nn.PoissonNLLLoss({argument})" for argument in ("'a'", "full='a'", "1")
]  # flags of which it reads the truth

CASES = [
    *[f"repr(nn.{name}())" for name in (*_COMPUTED, *_ERRORS_ONLY, "DiceLoss") if name != "FocalLoss"],
    *[
        f"nn.{name}(reduction='{reduction}')({tensors})"
        for name, tensors in _COMPUTED.items()
        for reduction in _REDUCTIONS
    ],
    *[f"nn.{name}(reduction={wrong})" for name in (*_COMPUTED, *_ERRORS_ONLY) for wrong in ("'a'", "None", "1")],
    *[
        f"nn.{name}()({tensors})"
        for name in _PAIRS
        for tensors in ("x, p", "x, m", "x, v", "h, h", "x, h", "d, d", "1.0, x", "x, 1.0")
    ],
    *[f"nn.{name}()(i, i)" for name in ("MultiLabelSoftMarginLoss", "PoissonNLLLoss", "DiceLoss", "RMSELoss")],
    *[f"nn.{name}()({tensors})" for name in ("L1LossExt", "SoftMarginLoss") for tensors in ("1.0, x", "x, 1.0")],
    "nn.SoftMarginLoss()(x, m)", "nn.SoftMarginLoss()(x, v)", "nn.SoftMarginLoss()(h, h[:1])",
    # variances and counts
    *[
        f"nn.GaussianNLLLoss({options})(x, y, q)"
        for options in (
            "full=True", "eps=3.0", "full=True, eps=1", "eps=0.0", "eps=-1.0", "eps='a'", "full=1", "full='a'", "True",
        )
    ],
    *[
        f"nn.GaussianNLLLoss()({tensors})"
        for tensors in ("x, y, q[:, :1]", "x, y, q[:, 0]", "x, y, v", "x, y, -q", "x, y, 1.0", "1.0, y, q")
    ],
    *[
        f"nn.PoissonNLLLoss({options})({tensors})"
        for options in (
            "False", "True, True", "False, True", "False, False, 0.5", "False, True, 1e-8, 'none'",
            "True, True, reduction='sum'",
        )
        for tensors in ("q, q * 0.7", "q, p")
    ],
    "nn.PoissonNLLLoss(True, True)(x, q)", "nn.PoissonNLLLoss(True, True)(x, p)", "nn.PoissonNLLLoss(False)(x, q)",
    # margins
    *[
        f"nn.HingeEmbeddingLoss({margin})(x, {_SIGNS})"
        for margin in ("0.5", "2", "margin=-1.0", "'a'", "None", "Tensor(2.0)")
    ],
    "nn.HingeEmbeddingLoss()(x, m)",
    *[
        f"nn.MultiLabelSoftMarginLoss({weight})(x, {_BINARY})"
        for weight in ("v", "Tensor([[1.0], [2.0]])", "'a'", "weight=v, reduction='none'")
    ],
    *[
        f"nn.MultiMarginLoss({options})(logits, {_CLASSES})"
        for options in (
            "2", "2, 0.5", "1, 2.0, 'sum'", "3", "1, 2", "1.0", "'a'", "1, 'a'", "True", "margin=True",
            "weight=logits[0]", "weight=v", "weight='a'", "weight=logits[0].astype(ms.float16)",
        )
    ],
    f"nn.MultiMarginLoss()(logits, {_CLASSES}, logits[1])",
    f"nn.MultiMarginLoss(weight=logits[0])(logits, {_CLASSES}, logits[1])",
    *[
        f"nn.MultiMarginLoss()({tensors})"
        for tensors in (
            "logits, labels", "z, k", "logits, k", "logits[0], k", "h, Tensor([1, 0])", "d, Tensor([1, 0])",
            f"logits, {_CLASSES}, 1", f"1.0, {_CLASSES}",
        )
    ],
    *[
        f"nn.MultilabelMarginLoss()({tensors})"
        for tensors in ("logits, labels", "z, z.astype(ms.int32)", f"1.0, {_SEVERAL}", "logits, 1")
    ],
    *[
        f"nn.TripletMarginLoss({options})(x, y, p)"
        for options in (
            "p='a'", "p=1.5", "p=2.0", "swap=1", "swap='a'", "eps=1", "eps='a'", "margin='a'", "margin=Tensor([2.0])",
        )
    ],
    *[
        f"nn.TripletMarginLoss()({tensors})"
        for tensors in ("x, y, h", "x, y, m", "v, v, v", "x, y", "x[0], y[0], p[0]", "x, y, 1.0", "1.0, y, p")
    ],
    *[
        f"nn.TripletMarginWithDistanceLoss({options})(x, y, p)"
        for options in (
            "swap=True", "swap=True, reduction='none'", "margin=2.5", "margin=2", "margin='a'", "margin=-1.0",
            "margin=0.0", "margin=Tensor(2.0)", "swap=1", "swap='a'", "lambda a, b: (a - b).abs().sum(-1), margin=3.0",
            "lambda a, b: (a - b).abs().sum(-1), True, 'none', 2.5", "lambda a, b: (a - b).abs()", "1", "'a'",
            "nn.Norm()", "ops.cosine_similarity",
        )
    ],
    *[
        f"nn.TripletMarginWithDistanceLoss(margin=9.0, reduction='none')({tensors})"
        for tensors in (
            "x, y, h", "h, h, h * 2", "x, y, p[0]", "x, y, m", "v, v, v", "z, z * 0.5, z * 2", "x, y",
            "x[0], y[0], p[0]", "x, y, 1.0", "1.0, y, p",
        )
    ],
    # sequences
    *[
        f"nn.CTCLoss({options})({_SCORES}, {_TARGETS})"
        for options in (
            "1", "2, 'sum'", "blank=3", "blank='a'", "blank=-1", "zero_infinity=True", "zero_infinity=1", "1.0",
            "0, 'none', True",
        )
    ],
    f"nn.CTCLoss(reduction='none')({_SCORES}, Tensor([[1, 2, 1], [2, 2, 0]]), Tensor([4, 3]), Tensor([3, 2]))",
    f"nn.CTCLoss()({_SCORES}[:, 0], Tensor([1, 2], ms.int32), Tensor(4, ms.int32), Tensor(2, ms.int32))",
    *[
        f"nn.CTCLoss(0, '{reduction}')({_SCORES}[:, 0], Tensor([1, 2], ms.int32), Tensor([4], ms.int32), "
        "Tensor([2], ms.int32))"
        for reduction in _REDUCTIONS
    ],
    f"nn.CTCLoss()({_SCORES}, Tensor([1, 2, 2], ms.int32), Tensor([4, 3], ms.int32), Tensor([2, 1], ms.int32))",
    # focus
    *[
        f"nn.FocalLoss({options})({tensors})"
        for options in ("", "v", "gamma=0.5", "None, 1.0, 'sum'", "v, reduction='none'", "gamma=0.0")
        for tensors in (
            "x, Tensor([[1], [2]], ms.int32)", "x, j % 2", f"z, {_PLACES}", f"z, {_FACTORS}",
            f"z.reshape(2, 3, 2, 2), {_PLACES}.reshape(2, 1, 2, 2)",
        )
    ],
    *[f"nn.FocalLoss({options})" for options in ("'a'", "gamma='a'", "gamma=2", "weight=1", "gamma=None", "m")],
    *[
        f"nn.FocalLoss()({tensors})"
        for tensors in (
            "x, Tensor([1, 2], ms.int32)", "x, Tensor([[1], [2]])", "x, Tensor([[1.0], [2.0]])", f"x, {_BINARY}[:, :2]",
            "h, Tensor([[1], [2]], ms.int32)", "x, Tensor([[-1], [2]], ms.int32)", "v, Tensor([0], ms.int32)",
            "x[:, :1], Tensor([[0], [0]], ms.int32)", "1.0, j", "x, 1",
        )
    ],
    "nn.FocalLoss(Tensor([1, 2, 3]))(x, Tensor([[1], [2]], ms.int32))",
    "nn.FocalLoss(v[:2])(x, Tensor([[1], [2]], ms.int32))",
    # overlap
    *[f"nn.DiceLoss({smooth})(p, {_BINARY})" for smooth in ("0.5", "1", "smooth=2.0", "'a'", "0.0", "-1.0", "None")],
    "nn.DiceLoss()(z, z * 0.5)", "nn.DiceLoss()(s, s)", "nn.DiceLoss().smooth",
    *[
        f"nn.MultiClassDiceLoss({options})(p, {_BINARY})"
        for options in (
            "", "Tensor([[1.0], [2.0], [3.0]])", "x.T", "None, 1", "None, None, 'relu'", "None, None, 'sigmoid'",
            "None, None, 'logsoftmax'", "None, None, 'tanh'", "None, None, 'relu6'", "None, None, None",
            "activation=nn.ReLU()", "activation='a'", "activation=1", "v", "m.T", "'a'", "None, 'a'", "None, 1.0",
            "None, 5", "None, -1", "Tensor([[1.0], [2.0]])", "None, None, ''", "activation=ops.ReLU()",
            "activation=ops.relu",
        )
    ],
    "nn.MultiClassDiceLoss()(z, z * 0.5)", "nn.MultiClassDiceLoss()(v, v)",
    "nn.MultiClassDiceLoss(None, 2)(p, p * 0.3)",
    "nn.MultiClassDiceLoss(Tensor([[1.0], [2.0], [3.0]]), 0)(z, z * 0.5)", "nn.RMSELoss('sum')", "nn.RMSELoss()(x, y)",
    "nn.MultiClassDiceLoss(wave(3, 4))(z, z * 0.5)",
    "nn.MultiClassDiceLoss(wave(3, 2))(z.reshape(2, 3, 2, 2), z.reshape(2, 3, 2, 2) * 0.5)",
    # samples of classes
    f"nn.SampledSoftmaxLoss(3, 5, 1, {_SAMPLES}, False)({_LAST_LAYER}, Tensor([[1], [0], [4], [3]]), m.T)",
    f"nn.SampledSoftmaxLoss(3, 5, 1, list({_SAMPLES}), False)({_LAST_LAYER}, Tensor([1, 0, 4, 3], ms.int32), m.T)",
    f"nn.SampledSoftmaxLoss(3, 5, 2, {_TWO_RIGHT})({_LAST_LAYER}, Tensor([[1, 2], [0, 3], [4, 1], [3, 0]]), m.T)",
    *[
        f"nn.SampledSoftmaxLoss(3, 5, 1, {_SAMPLES})({tensors})"
        for tensors in (
            f"{_LAST_LAYER}, Tensor([[1], [0], [4], [3]], ms.int16), m.T", f"{_LAST_LAYER}, 1, m.T",
            f"{_LAST_LAYER}, Tensor([[1.0], [0], [4], [3]]), m.T",
            "wave(5, 2), wave(5), Tensor([[1], [0], [4], [3]]), m.T",
        )
    ],
    f"nn.SampledSoftmaxLoss(3, 5, 1, {_SAMPLES}, False)(wave(5, 3) * 40, wave(5), Tensor([1, 0, 4, 3]), m.T * 2)",
    f"nn.SampledSoftmaxLoss(3, 5)({_LAST_LAYER}, Tensor([[1], [0], [4], [3]]), m.T).shape",
    *[
        f"nn.SampledSoftmaxLoss({arguments})"
        for arguments in (
            "6, 5", "3, 5, 6", "3, 5, 1, 1", "3, 5, 1, (1, 2)", "'a', 5", "3, 5, 1, None, 1", "3, 5, seed='a'",
            "3, 5, seed=-1", "0, 5", "3, 0", "3, 5, 0", "3.0, 5", "3, 5, reduction='a'", "5, 5", "3",
        )
    ],
    *[
        f"nn.SampledSoftmaxLoss(3, 5).{name}"
        for name in ("num_sampled", "num_classes", "num_true", "sampled_values", "remove_accidental_hits", "seed")
    ],
    *_NO_NUMBERS, *_TRUTH,
]  # fmt: skip

DIFFERENCES = {
    **{
        f"nn.{name}(reduction={wrong})": ("a wrong argument is a ValueError, at once", {"error": "ValueError"})
        for name in _UNCHECKED
        for wrong in ("'a'", "None", "1")
    },
    **dict.fromkeys(_NO_NUMBERS, ("a wrong type is a TypeError, at once", {"error": "TypeError"})),
    "nn.FocalLoss(v[:2])(x, Tensor([[1], [2]], ms.int32))": (
        "a weight of another length is a ValueError",
        {"error": "ValueError"},
    ),
}
