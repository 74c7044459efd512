"""Sums, means, products, deviations, truth and counts; running sums, products and extremes."""

CASES = [
    # sums
    "ops.sum(x)", "ops.sum(x, 0)", "ops.sum(x, -1, True)", "ops.sum(z, (0, 2))", "ops.sum(z, [1])", "ops.sum(x, ())",
    "ops.sum(z, dim=(0, 2), keepdim=True)", "ops.sum(i)", "ops.sum(b)", "ops.sum(u, 0)", "ops.sum(h)", "ops.sum(d, 0)",
    "ops.sum(w)", "ops.sum(x, dtype=ms.float16)", "ops.sum(i, dtype=ms.float32)", "ops.sum(x, dtype=ms.int32)",
    "ops.sum(s)", "ops.sum(s, 0)", "ops.sum(e, 0)", "x.sum()", "x.sum(0)", "x.sum(axis=0)", "x.sum(dim=0)",
    "x.sum(0, True)", "x.sum(0, ms.float16)", "x.sum(0, None, True)", "x.sum(axis=(0, 1), keepdims=True)",
    "x.sum(dim=0, keepdim=True)", "x.sum(initial=5)", "i.sum(axis=0, initial=2.5)", "x.sum(())", "x.sum([0, 1])",
    "i.sum()", "b.sum(1)", "i.sum(dtype=ms.int8)", "i.sum(0, ms.bool_)", "z.sum_to_size(3, 4)",
    "z.sum_to_size((1, 3, 1))", "x.sum_to_size(3)",
    # means
    "ops.mean(x)", "ops.mean(x, 0)", "ops.mean(z, (0, 2), True)", "ops.mean(z, [1])", "ops.mean(x, ())",
    "ops.mean(x, axis=-1, keep_dims=True)", "ops.mean(i)", "ops.mean(i, 1)", "ops.mean(u, 0)", "ops.mean(h)",
    "ops.mean(d, 1)", "ops.mean(s)", "ops.mean(s, 0)", "x.mean()", "x.mean(0)", "x.mean(0, True)",
    "x.mean(axis=0, keep_dims=True)", "x.mean(dim=0, keepdim=True)", "z.mean((0, 1))", "x.mean(())",
    "x.mean(0, dtype=ms.float16)", "i.mean()", "i.mean(dtype=ms.float32)", "x.mean(0, False, dtype=ms.int32)",
    "ops.nanmean(nan[:2])", "ops.nanmean(x, 1, True)", "nan[:2].nanmean()", "ops.nansum(nan[:2])", "ops.nansum(x, 0)",
    "ops.nansum(z, axis=(0, 1), keepdims=True)", "ops.nansum(x, dtype=ms.float16)", "ops.nansum(i)", "ops.nansum(b)",
    "ops.nansum(u)", "x.nansum(1)", "x.nansum(axis=1, keepdims=True)",
    # products
    "ops.prod(q)", "ops.prod(x, 0)", "ops.prod(x, 1, True)", "ops.prod(z, (0, 2))", "ops.prod(z, [0, 1], True)",
    "ops.prod(x, ())", "ops.prod(i)", "ops.prod(b, 0)", "ops.prod(h, 1)", "ops.prod(x, dtype=ms.int32)",
    "ops.prod(i, 1, dtype=ms.float32)", "ops.prod(s, 0)", "x.prod()", "x.prod(0)", "x.prod(dim=1, keepdim=True)",
    "x.prod(0, True, ms.float16)", "i.prod()",
    # deviations
    "ops.var(x)", "ops.var(x, 0)", "ops.var(x, 1, 1)", "ops.var(z, axis=(0, 1), ddof=2, keepdims=True)", "ops.var(d)",
    "ops.var(h, 0)", "ops.var(x, ddof=True)", "ops.std(x)", "ops.std(x, 0)", "ops.std(x, -1, 1)",
    "ops.std(z, axis=(0, 1), keepdims=True)", "ops.std(x, ())", "ops.std(x, ddof=True)", "ops.var_mean(x, 0)",
    "ops.var_mean(x, (0, 1), 1, True)", "ops.std_mean(x, 0, 1, True)", "x.var()", "x.var(0)", "x.var(0, 1)",
    "x.var(axis=0, ddof=1, keepdims=True)", "x.var(axis=(0, 1))", "x.std()", "x.std(0, 1, True)",
    "x.std(axis=1, ddof=1)", "x.std(dim=0, correction=0)", "x.std(dim=None, correction=0, keepdim=True)",
    "x.std(0, correction=1)", "h.std()",
    # truth, counts, logarithms
    "ops.all(b)", "ops.all(b, 1)", "ops.all(b, (0, 1), True)", "ops.all(b, ())", "ops.all(x)", "ops.all(i, 0)",
    "ops.all(u)", "ops.all(Tensor(True), 0)", "ops.any(b)", "ops.any(b, axis=0)", "ops.any(b, (0, 1), True)",
    "ops.any(b, ())", "ops.any(i)", "ops.any(x, 0)", "ops.any(u)", "b.all()", "b.all(1)",
    "b.all(axis=1, keep_dims=True)", "b.all(dim=1, keepdim=True)", "b.any(1, True)", "b.any((0, 1))", "b.any(dim=0)",
    "ops.count_nonzero(i)", "ops.count_nonzero(i, 0)", "ops.count_nonzero(x, axis=(0, 1), keep_dims=True)",
    "ops.count_nonzero(i, axis=1, dtype=ms.int64)", "ops.count_nonzero(i, 0, False, ms.float32)",
    "ops.count_nonzero(e)", "i.count_nonzero()", "i.count_nonzero(axis=0, keep_dims=True)", "ops.logsumexp(x, 0)",
    "ops.logsumexp(x, (0, 1))", "ops.logsumexp(x, 1, True)", "ops.logsumexp(x, ())", "ops.logsumexp(s, 0)",
    "x.logsumexp(dim=1, keepdim=True)",
    # primitives
    "ops.ReduceSum()(x)", "ops.ReduceSum()(x, 0)", "ops.ReduceSum(True)(z, (0, 1))",
    "ops.ReduceSum(keep_dims=True)(x, ())", "ops.ReduceSum()(x, [0])", "ops.ReduceSum()(i)", "ops.ReduceSum()(u)",
    "ops.ReduceSum()(b)", "ops.ReduceMean()(x)", "ops.ReduceMean(True)(x, 1)", "ops.ReduceMean()(i)",
    "ops.ReduceMax()(x)", "ops.ReduceMax(True)(x, 1)", "ops.ReduceMax()(i)", "ops.ReduceMin()(x, 1)",
    "ops.ReduceMin()(i, (0, 1))", "ops.ReduceProd()(x, 1)", "ops.ReduceProd(True)(x)", "ops.ReduceProd()(i)",
    "ops.ReduceProd()(b)", "ops.ReduceAll()(b)", "ops.ReduceAll(True)(b, 1)", "ops.ReduceAny()(b)",
    "ops.ReduceAny(True)(b, 1)", "ops.ReduceStd()(x)", "ops.ReduceStd(axis=0, unbiased=False, keep_dims=True)(x)",
    "ops.reduce_sum(x, 0)", "ops.reduce_sum(i)", "ops.reduce_mean(x, 0)", "ops.reduce_max(x, (0, 1))",
    "ops.reduce_min(x)", "ops.ReduceSum(True)",
    # running sums, products and extremes
    "ops.cumsum(x, 0)", "ops.cumsum(x, -1)", "ops.cumsum(i, 1, ms.float16)", "ops.cumsum(x, axis=1)",
    "ops.cumsum(i, 0)", "ops.cumsum(u, 0)", "ops.cumsum(h, 0)", "x.cumsum(0)", "x.cumsum()", "x.cumsum(None)",
    "x.cumsum(dim=0)", "x.cumsum(axis=0, dtype=ms.float16)", "i.cumsum(0)", "b.cumsum(0)",
    "i.cumsum(0, dtype=ms.float32)", "ops.cumprod(x, 0)", "ops.cumprod(i, 1, ms.float16)", "ops.cumprod(i, 0)",
    "ops.cumprod(b, 0)", "x.cumprod(dim=1, dtype=ms.float64)", "ops.cummax(x, 0)", "ops.cummax(i, 1)",
    "ops.cummax(Tensor([3, 1, 3, 1]), 0)", "x.cummax(1)", "ops.cummin(x, 0)", "ops.cummin(Tensor([3, 1, 3, 1]), 0)",
    "x.cummin(axis=1)", "ops.logcumsumexp(x, 1)", "x.logcumsumexp(0)", "ops.CumSum()(x, 0)",
    "ops.CumSum(exclusive=True)(x, 1)", "ops.CumSum(reverse=True)(x, 1)", "ops.CumSum(True, True)(x, 1)",
    "ops.CumSum(True)(i, -1)", "ops.CumProd()(x, 0)", "ops.CumProd(exclusive=True)(x, 1)",
    "ops.CumProd(True, True)(x, 1)", "ops.Cummax(0)(x)", "ops.Cummin(1)(x)", "ops.CumSum(True)",
    # errors
    "ops.sum(x, 2)", "ops.sum(x, 1.0)", "ops.sum(x, True)", "ops.sum(x, 0, 1)", "ops.sum(x, dtype='a')", "ops.sum(3)",
    "ops.sum([1, 2])", "ops.sum(x, axis=0)", "x.sum(2)", "x.sum(1.0)", "ops.mean(x, 3)", "ops.mean(x, 'a')",
    "ops.mean(x, 0, 'a')", "ops.mean([1.0])", "ops.mean(b)", "ops.prod(x, 5)", "ops.prod('a')", "ops.var(i)",
    "ops.var(b)", "ops.std(i)", "ops.std(x, 3)", "ops.std('a')", "ops.std(x, ddof=1.5)", "ops.std(x, ddof='a')",
    "ops.all(b, 3)", "ops.all(3)", "ops.all(b, 'a')", "ops.any('a')", "ops.count_nonzero(x, 4)",
    "ops.count_nonzero('a')", "ops.nanmean(i)", "ops.logsumexp(x, 3)", "ops.logsumexp('a', 0)",
    "x.sum_to_size(3, 3)", "ops.ReduceSum('a')(x)", "ops.ReduceSum()(3)", "ops.ReduceSum()(x, 4)",
    "ops.ReduceSum()(x, None)", "ops.cumsum(x, 2)", "ops.cumsum(x, 'a')", "ops.cumsum(x, 0, 'a')", "ops.cumsum(x)",
    "ops.cumprod(x, dim=3)", "ops.cummax(x, 3)", "ops.cummax(x, 'a')", "ops.cummin(x, 3)", "ops.logcumsumexp(x, 5)",
    "ops.CumSum('a')(x, 0)", "ops.CumSum()(x, 4)",
]  # fmt: skip

_TYPE_ERROR = {"error": "TypeError"}


def _number(value, *shape):
    return {"shape": list(shape), "dtype": "Float32", "values": [value]}


# 0.513 times the product of the other elements.
_PRODUCT = {
    "gradients": {
        "x": {
            "shape": [2, 3],
            "dtype": "Float32",
            "values": [0.2383398, 0.40075195, 1.2579753, -1.1044196, -0.38375431, -0.23222248],
        }
    }
}

DIFFERENCES = {
    "ops.mean(b)": ("the wrong type of operand is a TypeError", _TYPE_ERROR),
    "ops.logcumsumexp(x, 5)": ("a dimension that does not exist is a ValueError", {"error": "ValueError"}),
    "ops.any(u)": (
        "the result is a bool for every input",
        {"results": [{"shape": [], "dtype": "Bool", "values": [1.0]}]},
    ),
    "ops.prod(x, ())": ("MindSpore's gradient is the sum's", _PRODUCT | {"results": [_number(-0.9171205)]}),
    "ops.ReduceProd(True)(x)": (
        "MindSpore's gradient is the sum's",
        _PRODUCT | {"results": [_number(-0.9171205, 1, 1)]},
    ),
}
