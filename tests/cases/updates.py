"""One step of optimizers. Some outputs are undefined in MindSpore: then only what the primitive writes counts."""

_G = "Tensor([[0.3, -0.7], [0.1, 0.8]])"
_VAR = "p := Parameter(Tensor([[0.6, 0.4], [0.1, -0.5]]))"
_SLOTS = [f"{name} := Parameter(Tensor([[0.6, 0.5], [0.2, 0.7]]) * {scale})" for name, scale in zip("qrt", (1, 2, 3))]
_ROW = "Tensor([[0.3, -0.7]]), Tensor([1], ms.int32)"
_ROWS = "Tensor([[0.3, -0.7], [0.1, 0.2], [0.4, 0.4]]), Tensor([1, 0, 1], ms.int32)"
_BOTH = "Tensor([[0.3, -0.7], [0.1, 0.2]]), Tensor([1, 0], ms.int32)"
_OUTSIDE = "Tensor([[0.3, -0.7], [0.1, 0.2], [0.4, 0.4]]), Tensor([2, 0, -1], ms.int32)"
_NONE = "Tensor([[0.3, -0.7], [0.1, 0.2]]), Tensor([7, -3], ms.int32)"
_ADAM = ", ".join(f"Tensor({value})" for value in (0.9, 0.99, 0.1, 0.8, 0.9, 0.01))


def _step(primitive, count, rest, outputs=True):
    """Return an expression for the Parameters after a step, and its outputs if they are defined."""
    parameters = ", ".join(f"({text})" for text in [_VAR, *_SLOTS][: count + 1])
    call = f"ops.{primitive}({', '.join('pqrt'[: count + 1])}, {rest})"
    return f"({parameters}, {call})" if outputs else f"({parameters}, [{call}][1:])"


CASES = [
    _step("ApplyAdaMax()", 2, f"0.9, 0.1, 0.8, 0.9, 0.01, {_G}"),
    _step("ApplyAdadelta()", 2, f"0.1, 0.9, 0.01, {_G}"),
    _step("ApplyAdagrad()", 1, f"Tensor(0.01), {_G}"),
    _step("ApplyAdagradV2(0.1)", 1, f"0.01, {_G}"), _step("ApplyAdagradV2(0.1, False)", 1, f"0.01, {_G}"),
    _step("ApplyAdagradDA()", 2, f"abs({_G}), 0.01, 0.1, 0.2, 3"),
    _step("ApplyAdagradDA(True)", 2, f"{_G}, Tensor(0.01), Tensor(0.0), Tensor(0.2), Tensor(3)"),
    _step("ApplyAdamWithAmsgrad(0.8, 0.9, 1e-3)", 3, f"Tensor(0.9), Tensor(0.99), Tensor(0.01), {_G}"),
    _step("ApplyAdamWithAmsgradV2()", 3, f"0.9, 0.99, 0.01, 0.8, 0.9, 1e-3, {_G}"),
    _step("ApplyAddSign()", 1, f"0.01, 0.5, 0.9, 0.8, {_G}"),
    _step("ApplyPowerSign()", 1, f"0.01, 0.5, 0.9, 0.8, {_G}"),
    _step("ApplyCenteredRMSProp()", 3, f"{_G}, 0.01, 0.9, 0.5, 2.0", False),
    _step("ApplyRMSProp()", 2, f"0.01, {_G}, 0.9, 0.5, 0.1", False),
    _step("ApplyFtrl()", 2, f"abs({_G}), 0.1, 0.05, 0.2, -0.4", False),
    _step("ApplyFtrl()", 2, f"{_G}, 0.1, 0.05, 0.2, 0.0", False),
    _step("ApplyFtrl(True)", 2, f"{_G}, Tensor(0.1), Tensor(1.5), Tensor(0.2), Tensor(-0.5)", False),
    _step("ApplyGradientDescent()", 0, f"Tensor(0.1), {_G}"),
    _step("ApplyProximalAdagrad()", 1, f"0.1, 0.2, 0.3, {_G}"),
    _step("ApplyProximalGradientDescent()", 0, f"0.1, 0.2, 0.3, {_G}"),
    f"({_SLOTS[0][5:]}, {_SLOTS[1][5:]}, ops.AdamNoUpdateParam()({_SLOTS[0][5:]}, {_SLOTS[1][5:]}, {_ADAM}, {_G}))",
    f"ops.AdamNoUpdateParam(False, True)({_SLOTS[0][5:]}, {_SLOTS[1][5:]}, {_ADAM}, {_G})",
    _step("SparseApplyAdagrad(0.1)", 1, _ROW), _step("SparseApplyAdagradV2(0.1, 0.01)", 1, _BOTH),
    _step("SparseApplyAdagradV2(0.1, 0.01, False, False)", 1, _ROW),
    _step("SparseApplyFtrl(0.1, 0.05, 0.2, -0.4)", 2, _ROW),
    _step("SparseApplyFtrl(0.1, 0.05, 0.2, -0.5, True)", 2, _BOTH),
    _step("SparseApplyRMSProp(0.9, 0.5, 0.1)", 2, f"0.01, {_BOTH}"),
    _step("FusedSparseAdam()", 2, f"{_ADAM}, {_ROWS}", False),
    _step("FusedSparseAdam(False, True)", 2, f"{_ADAM}, {_ROWS}", False),
    _step("FusedSparseLazyAdam()", 2, f"{_ADAM}, {_ROWS}", False),
    _step("FusedSparseLazyAdam(False, True)", 2, f"{_ADAM}, {_ROW}", False),
    _step("FusedSparseFtrl(0.1, 0.05, 0.2, -0.5)", 2, _ROWS, False),
    _step("FusedSparseFtrl(0.1, 0.05, 0.2, -0.4)", 2, _ROW, False),
    _step("FusedSparseProximalAdagrad()", 1, f"Tensor(0.1), Tensor(0.2), Tensor(0.3), {_ROWS}", False),
    # rows that do not exist
    _step("SparseApplyAdagrad(0.1)", 1, _OUTSIDE), _step("SparseApplyFtrl(0.1, 0.05, 0.2, -0.5)", 2, _OUTSIDE),
    _step("FusedSparseAdam()", 2, f"{_ADAM}, {_OUTSIDE}", False),
    _step("FusedSparseLazyAdam()", 2, f"{_ADAM}, {_OUTSIDE}", False),
    _step("FusedSparseFtrl(0.1, 0.05, 0.2, -0.5)", 2, _NONE, False),
    _step("FusedSparseProximalAdagrad()", 1, f"Tensor(0.1), Tensor(0.2), Tensor(0.3), {_OUTSIDE}", False),
    *[
        f"[(p := Parameter(Tensor({shape}))), (q := Parameter(Tensor({shape}) * 0.5)), "
        "(r := Parameter(Tensor([0.6, 0.2]))), (t := Parameter(Tensor([0.6, 0.2, 0.4]))), "
        f"[ops.FusedAdaFactor({flags})((1e-3, 1e-2), 0.7, 0.9, 0.8, 0.1, 0.03, Tensor({grad}), p, q, r, t, q * 2)][1:]]"
        for shape, grad in (("[[0.6, 0.4, 0.8], [0.1, -0.5, 0.3]]", "[[0.3, -0.7, 0.2], [0.9, -0.1, 0.3]]"),)
        for flags in ("", "True", "False, True", "False, False, True", "True, True, True")
    ],
    f"[(p := Parameter(Tensor([[0.6, 0.4], [0.1, -0.5]], ms.float16))), ({_SLOTS[0]}), ({_SLOTS[1]}), "
    "[ops.FusedCastAdamWeightDecay()(p, q, r, Tensor(0.1), Tensor(0.8), Tensor(0.9), Tensor(0.01), Tensor(0.1), "
    f"{_G}.astype(ms.float16), Tensor(2.0))][1:]]",
    "ops.SGD()(Tensor([2.0, -0.5]), Tensor([1.0, -1.0]), Tensor(0.01), Tensor([0.1, 0.3]), Tensor(0.1), "
    "Tensor([1.5, -0.3]))",
    # errors
    "ops.ApplyAdagrad()(Parameter(x), Parameter(x), 0.1, v)", "ops.ApplyAdagrad()(Parameter(x), Parameter(v), 0.1, x)",
    "ops.ApplyAdagrad()(Parameter(x), Parameter(x), 'a', x)", "ops.ApplyAdagrad(1)(Parameter(x), Parameter(x), 0.1, x)",
]  # fmt: skip
