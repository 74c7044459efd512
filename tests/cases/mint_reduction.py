"""`mint`: sums, means, extremes, counts and running values, with torch's signatures."""

CASES = [
    "mint.sum(x)", "mint.sum(x, 0)", "mint.sum(z, (0, 2), True)", "mint.sum(i)", "mint.sum(b)", "mint.sum(h, 0)",
    "mint.sum(i, dtype=ms.float32)", "mint.sum(x, dim=1, keepdim=True, dtype=ms.float64)", "mint.sum(x, 2)",
    "mint.mean(x)", "mint.mean(x, 0)", "mint.mean(z, dim=(0, 1), keepdim=True)", "mint.mean(i, dtype=ms.float32)",
    "mint.mean(x, 1, dtype=ms.float64)", "mint.mean(i)", "mint.prod(x)", "mint.prod(x, 0)", "mint.prod(x, 1, True)",
    "mint.prod(i)", "mint.prod(i, 1, dtype=ms.float32)", "mint.nansum(nan[:2])", "mint.nansum(x, 0)", "mint.all(b)",
    "mint.all(b, 1)", "mint.all(i, 0, True)", "mint.any(b)", "mint.any(b, 1)", "mint.any(x, dim=0, keepdim=True)",
    "mint.norm(x, 'nuc')", "mint.max(x)", "mint.max(x, 1)", "mint.max(x, dim=0, keepdim=True)", "mint.max(x, y)",
    "mint.max(i)", "mint.min(x)", "mint.min(x, 1)", "mint.min(x, 0, True)", "mint.min(x, y)", "mint.amax(x)",
    "mint.amax(x, 0)", "mint.amax(z, dim=(0, 1), keepdim=True)", "mint.amin(x)", "mint.amin(x, -1)",
    "mint.cumprod(x, 0)", "mint.cumprod(i, 1)", "mint.cumprod(x, dim=1, dtype=ms.float64)", "mint.cummax(x, 1)",
    "mint.diff(x)", "mint.diff(x, 2)", "mint.diff(x, dim=0)", "mint.diff(v, prepend=s.reshape((1,)), append=v)",
    "mint.unique_consecutive(j)", "mint.unique_consecutive(j, True, True)", "mint.searchsorted(v, x)",
    "mint.searchsorted(k, k)", "mint.nonzero(i)", "mint.sum(3)", "mint.sum(x, 'a')", "mint.max(x, 5)", "mint.cumsum(x)",
    "mint.cumsum(x, 3)", "mint.topk(x, 9)", "mint.sort(x, 0)", "mint.var(x, 0, 1)",
]  # fmt: skip
