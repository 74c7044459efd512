"""Sorting, searching, counting distinct values."""

CASES = [
    "ops.sort(x)", "ops.sort(x, 0)", "ops.sort(x, axis=1, descending=True)", "ops.sort(i)", "ops.sort(h)",
    "ops.Sort()(x)", "ops.Sort(0, True)(x)", "x.sort()", "x.sort(1, True)", "x.sort(axis=0)",
    "x.sort(dim=0, descending=True)", "x.sort(dim=0, descending=True, stable=True)", "ops.argsort(x)",
    "ops.argsort(x, 0)", "ops.argsort(x, axis=1, descending=True)", "x.argsort()", "x.argsort(0)",
    "x.argsort(axis=0, descending=True)", "x.argsort(dim=1)", "ops.msort(x)", "x.msort()", "ops.topk(x, 2)",
    "ops.topk(x, 1, 0)", "ops.topk(x, 2, dim=1, largest=False)", "ops.topk(x, 2, -1, True, False)", "ops.topk(i, 2)",
    "x.topk(2)", "x.topk(1, 0)", "x.topk(2, largest=False)", "ops.TopK()(x, 2)", "ops.TopK(sorted=False)(x, 1)",
    "ops.top_k(x, 2)", "ops.top_k(x, 2, False)", "x.top_k(1)", "ops.topk(x, 3)", "ops.topk(h, 2)", "ops.topk(d, 2)",
    "ops.searchsorted(Tensor([1.0, 3.0, 5.0]), Tensor([0.0, 3.0, 6.0]))",
    "ops.searchsorted(Tensor([1.0, 3.0, 5.0]), Tensor([0.0, 3.0, 6.0]), right=True)",
    "ops.searchsorted(Tensor([[1, 3, 5], [2, 4, 6]]), Tensor([[3], [3]]))",
    "ops.SearchSorted()(Tensor([1.0, 3.0]), Tensor([2.0]))", "ops.unique(Tensor([3, 1, 3, 2]))", "ops.unique(j)",
    "ops.unique(Tensor([2.0, 1.0, 2.0]))", "ops.Unique()(Tensor([3, 1, 3, 2]))",
    "ops.unique(Tensor([3, 1, 3, 2], ms.int32))", "ops.unique_consecutive(Tensor([1, 1, 2, 2, 1]))",
    "ops.unique_consecutive(Tensor([1, 1, 2, 2, 1]), True, True)",
    "ops.unique_consecutive(Tensor([1, 1, 2]), return_counts=True)", "ops.unique_consecutive(j, dim=0)",
    "Tensor([1, 1, 2]).unique_consecutive()", "ops.unique_with_pad(Tensor([1, 1, 2, 3]), 0)",
    "ops.UniqueWithPad()(Tensor([1, 1, 2, 3]), 8)", "ops.bincount(Tensor([0, 1, 1, 3]))",
    "ops.bincount(Tensor([0, 1, 1, 3]), minlength=6)", "ops.bincount(Tensor([0, 1, 1]), Tensor([0.5, 1.0, 2.0]))",
    "Tensor([0, 2]).bincount()", "ops.histc(x, 4, -2.0, 2.0)", "ops.histc(x, bins=3)", "x.histc(4)",
    "x.histc(2, -1, 1)", "ops.histc(i, 3, -1, 5)",
    # errors
    "ops.sort(x, 2)", "ops.sort(x, 1.0)", "ops.sort(x, 0, 1)", "ops.sort('a')", "ops.argsort(x, 5)", "ops.topk(x, 4)",
    "ops.topk(x, -1)", "ops.topk(x, 1.0)", "ops.topk(x, 1, 2)", "ops.topk('a', 1)", "ops.topk(x, 2, sorted=1)",
    "ops.searchsorted(Tensor([1.0]), Tensor([1.0]), side='foo')",
    "ops.searchsorted(Tensor([1.0]), Tensor([1.0]), right=True, side='left')",
    "ops.searchsorted(Tensor([[1.0], [2.0]]), Tensor([1.0, 2.0, 3.0]))", "ops.searchsorted('a', Tensor([1.0]))",
    "ops.unique('a')", "ops.unique_consecutive('a')", "ops.unique_consecutive(j, dim=3)", "ops.bincount(x)",
    "ops.bincount(Tensor([1, -1]))", "ops.bincount(Tensor([1]), minlength=-1)",
    "ops.bincount(Tensor([1]), Tensor([1.0, 2.0]))", "ops.histc(x, 0)", "ops.histc(x, 2, 3.0, 1.0)",
    "ops.bucketize(x, [[-1, 0.5], [0, 1]])", "ops.bucketize(x, Tensor([[-1.0, 0.5], [0.0, 1.0]]), right=True)",
    "ops.bucketize(z, [[[0], [1], [2]], [[0], [1], [2]]])", "ops.bucketize(x, [[0, 1]])",
    "ops.bucketize(x, 'a')", "ops.bucketize(3, [1.0])",
]  # fmt: skip

DIFFERENCES = {
    "ops.unique('a')": ("MindSpore's is an AttributeError", {"error": "TypeError"}),
    "ops.bincount(x)": ("a matter of data types", {"error": "TypeError"}),
}

WARNINGS = {"ops.bincount(Tensor([1, -1]))": "negative elements are not counted"}
