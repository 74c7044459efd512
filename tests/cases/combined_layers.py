"""Layers that combine others, mathematical functions as layers, fields of embeddings, statistics for THOR."""

_TABLE = "Tensor([[1.0, 2.0], [3.0, 4.0], [-5.0, 6.0], [7.0, 8.0]])"
_NUMBERS = "Tensor([[1, 0], [3, 2]], ms.int32)"
_WEIGHTS = "Tensor([[1.0, 2.0], [3.0, 0.0]])"
_FIELDS = "Tensor([[1, 0], [2, 2]], ms.int32)"
_DENSE = "weight_init=x.reshape((2, 3)), bias_init=Tensor([1.0, -2.0])"
_POSITIVE = "Tensor([0.3, 2.5, 0.5]), Tensor([0.4, 1.5, 4.0])"


def _fields(options: str = "", numbers: str = _NUMBERS, weights: str = _WEIGHTS, fields: str = _FIELDS) -> str:
    return f"MultiFieldEmbeddingLookup(4, 2, 3, {_TABLE}{options})({numbers}, {weights}, {fields})"


CASES = [
    f"nn.{case}"
    for case in (
        "Range(5)()", "Range(1, 8, 2)()", "Range(1.0, 2, 0.25)()", "Range(1, 2.0)()", "Range(5, 0, -2)()",
        "Range(2.0)()", "Range(5, 0)().shape", "Range(1, 8, 2).result_tensor", "Range(0, 5, 0)", "Range('a')",
        "Moments()(x)", "Moments(0)(x)", "Moments((0, 1), True)(z)", "Moments(1, False)(h)",
        "Moments(keep_dims=True)(x)", "Moments(-1)(z)", "Moments()(i)", "Moments('a')", "Moments([0])",
        "Moments(keep_dims=1)", "Moments(5)(x)",
        "MatMul()(x, m)", "MatMul(transpose_x2=True)(x, y)", "MatMul(True)(x, y)", "MatMul(True, True)(m, x)",
        "MatMul()(x, v)", "MatMul()(v, v)", "MatMul(True, True)(v, v)", "MatMul(True)(v, m)",
        "MatMul(transpose_x2=True)(z, z)", "MatMul(transpose_x1=True)(z, z)", "MatMul(transpose_x2=True)(j, j)",
        "MatMul()(x, y)", "MatMul(transpose_x2=True)(x, h)", "MatMul(1)", "MatMul(transpose_x2=1)",
        "ReduceLogSumExp(0)(x)", "ReduceLogSumExp((0, 1), True)(z)", "ReduceLogSumExp([0])(x)",
        "ReduceLogSumExp(())(x)", "ReduceLogSumExp(-1)(h)", "ReduceLogSumExp('a')", "ReduceLogSumExp(0, 1)",
        "ReduceLogSumExp(0)(i)",
        "LGamma()(q)", "LGamma()(x)", "LGamma()(h)", "LGamma()(i)", "DiGamma()(q)", "DiGamma()(x)", "DiGamma()(i)",
        "IGamma()(q, p)", "IGamma()(q, p[0])", "IGamma()(q, h)", "IGamma()(i, i)", "IGamma()(2.0, q)",
        "LBeta()(q, p)", f"LBeta()({_POSITIVE})", "LBeta()(q, q[0])", "LBeta()(q, h)",
        "LBeta()(i, i)",
        # bilinear
        "BiDense(3, 4, 2, z.reshape((2, 3, 4)), Tensor([1.0, 2.0]))(x, z[:, 0])",
        "BiDense(3, 4, 2, 'ones', 'zeros')(z.swapaxes(1, 2), img[:2, :, 0, :4])",
        "BiDense(3, 3, 2, 'ones', 'ones')(v, v)", "BiDense(3, 3, 2, 'ones', has_bias=False)(x, y)",
        "BiDense(2, 3, 4).weight.shape",
        "BiDense(2, 3, 4, dtype=ms.float16).weight.dtype == ms.float16", "BiDense(2, 3, 4.0)", "BiDense(0, 3, 4)",
        "BiDense(2, True, 4)", "BiDense(2, 3, 4, has_bias=1)", "BiDense(2, 3, 4, x)", "BiDense(2, 3, 4, bias_init=x)",
        "BiDense(3, 3, 2)(x, x[:1])", "BiDense(3, 3, 2)(x, x[0])", "BiDense(2, 3, 2)(x, x)", "BiDense(3, 3, 2)(h, h)",
        # combined
        "Conv2dBnAct(4, 3, 3, weight_init=ker, has_bn=True, activation='relu')(img)",
        "Conv2dBnAct(4, 3, 3, weight_init=ker, has_bn=True).set_train()(img)",
        "Conv2dBnAct(4, 3, 3, 2, 'pad', 1, weight_init=ker, has_bias=True, bias_init=v, activation='leakyrelu')(img)",
        "Conv2dBnAct(4, 3, 3, weight_init=ker, activation=nn.HSwish())(img)",
        "Conv2dBnAct(4, 3, 3, weight_init=ker, activation=ops.ReLU())(img)",
        "Conv2dBnAct(4, 3, 3, activation=ops.relu)", "Conv2dBnAct(4, 3, 3, activation='x')",
        "Conv2dBnAct(4, 3, 3, activation=1)", "Conv2dBnAct(4, 3, 3, has_bn=1)", "Conv2dBnAct(4, 3, 3, after_fake=1)",
        "Conv2dBnAct(4, 3, 3, has_bn=True, momentum=2.0)", "Conv2dBnAct(4, 3, 3, padding=1)",
        "Conv2dBnAct(4, 3, 3, has_bias=1)",
        f"DenseBnAct(3, 2, {_DENSE}, has_bn=True, activation='relu')(x)",
        f"DenseBnAct(3, 2, {_DENSE}, has_bn=True).set_train()(y)",
        f"DenseBnAct(3, 2, {_DENSE}, activation='leakyrelu', alpha=0.4)(x)", f"DenseBnAct(3, 2, {_DENSE})(x)",
        "DenseBnAct(3, 2, has_bn=1)", "DenseBnAct(3, 2, after_fake=1)", "DenseBnAct(3, 2, activation='x')",
        "DenseBnAct(3, 2, activation=3)", "DenseBnAct(3, 2, has_bn=True, momentum=2.0)", "DenseBnAct(3, 2).dense.bias",
        # fields
        *[_fields(f", operator='{name}'") for name in ("SUM", "MEAN", "MAX")],
        *[
            _fields(f", operator='{name}'", weights=weights, fields=f"{_FIELDS} * 0")
            for name in ("SUM", "MEAN", "MAX")
            for weights in (_WEIGHTS, f"-{_WEIGHTS}", f"{_WEIGHTS} * 0", "Tensor([[1.0, -1.0], [3.0, -3.0]])")
        ],
        _fields(numbers=f"{_NUMBERS} + 3"), _fields(fields=f"{_FIELDS} - 2"),
        _fields(numbers=f"{_NUMBERS}.long()"), _fields(numbers=f"{_NUMBERS}[0]"), _fields(weights=_NUMBERS),
        _fields(weights=f"{_WEIGHTS}.astype(ms.float16)"), _fields(numbers=_WEIGHTS), _fields(fields=_WEIGHTS),
        _fields(fields=f"{_FIELDS}.long()"), _fields(weights=f"{_WEIGHTS}[:1]"), _fields(", operator='sum'"),
        _fields(", sparse=1"), _fields(", sparse=False"), _fields(", target='x'"), _fields(", max_norm=1"),
        _fields(", slice_mode='x'"), "MultiFieldEmbeddingLookup(4, 2, 0)", "MultiFieldEmbeddingLookup(4, 2, 3.0)",
        # THOR
        f"DenseThor(3, 2, {_DENSE}, activation='relu')(x)", "DenseThor(3, 2).matrix_a", "DenseThor(3, 2).matrix_g",
        "DenseThor(3, 2).thor", "DenseThor(3, 2, has_bias=1)", "DenseThor(3, 2, weight_init=z)", "DenseThor(3, 2.0)",
        "Conv2dThor(4, 3, 3).matrix_a_cov.shape", "Conv2dThor(4, 3, 3).matrix_g_cov",
        "Conv2dThor(4, 3, 3).a_normalizer", "Conv2dThor(4, 3, 3).thor", "Conv2dThor(4, 3, 3, pad_mode='x')",
        "Conv2dThor(4, 3, 3, group=3)",
        f"EmbeddingThor(4, 2, False, {_TABLE})({_NUMBERS})", f"EmbeddingThor(4, 2, True, {_TABLE})({_NUMBERS} + 2)",
        "EmbeddingThor(4, 2).matrix_a", "EmbeddingThor(4, 2).matrix_g", "EmbeddingThor(4, 2, padding_idx=5)",
        "EmbeddingThor(4.0, 2)", f"EmbeddingLookupThor(4, 2, {_TABLE})({_NUMBERS} + 2)",
        f"EmbeddingLookupThor(4, 2, 'ones')({_NUMBERS} + 2)", "EmbeddingLookupThor(4, 2, target='x')",
        "EmbeddingLookupThor(4, 2, sparse=False)",
    )
] + [
    f"repr(nn.{layer})"
    for layer in (
        "BiDense(2, 3, 4)", "BiDense(2, 3, 4, has_bias=False)", "Moments()", "MatMul()", "LRN()",
        "Conv2dThor(4, 4, (3, 2), 2, group=2, has_bias=True)", "DenseThor(3, 2)",
        "EmbeddingThor(4, 2)", "EmbeddingLookupThor(4, 2)", "MultiFieldEmbeddingLookup(4, 2, 3)",
        "Conv2dBnAct(4, 3, 3, activation='relu')", "DenseBnAct(4, 3, has_bn=True)",
    )
] + [
    f"list(nn.{layer}.parameters_dict())"
    for layer in (
        "BiDense(2, 3, 4)", "Conv2dBnAct(4, 3, 3, has_bn=True, has_bias=True)",
        "DenseBnAct(4, 3, has_bn=True, activation='relu')", "DenseThor(3, 2)", "EmbeddingThor(4, 2)",
        "Conv2dThor(4, 3, 3, has_bias=True)", "EmbeddingLookupThor(4, 2)", "MultiFieldEmbeddingLookup(4, 2, 3)",
    )
]  # fmt: skip

WARNINGS = {"nn." + _fields(", slice_mode='x'"): "'slice_mode' is not one of"}
