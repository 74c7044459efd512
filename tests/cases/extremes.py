"""Greatest, least and middle elements, and their positions."""

CASES = [
    # the older signature, with `initial` or `where`, also None, and without indices
    *[
        f"x.{name}(0, True{arguments})"
        for name in ("max", "min")
        for arguments in ("", ", initial=None", ", where=True", ", initial=0.5", ", return_indices=True")
    ],
    "ops.max(x)", "ops.max(x, 0)", "ops.max(x, axis=1, keepdims=True)", "ops.max(z, -2)", "ops.max(x, None, True)",
    "ops.max(x, 1, initial=0.5)", "ops.max(x, initial=4)", "ops.max(x, 1, where=b, initial=0)", "ops.max(i)",
    "ops.max(i, 1)", "ops.max(u, 0)", "ops.max(h, 0)", "ops.max(d, 0)", "ops.max(s)", "ops.max(s, -1)",
    "ops.max(Tensor([3, 1, 3, 1]), 0)", "ops.max(nan[:2], 0)", "ops.min(x)", "ops.min(x, 0)", "ops.min(x, 1, True)",
    "ops.min(x, 1, initial=0)", "ops.min(x, 1, where=b, initial=9)", "ops.min(Tensor([3, 1, 3, 1]), 0)", "x.max()",
    "x.max(0)", "x.max(dim=0)", "x.max(dim=0, keepdim=True)", "x.max(0, True)", "x.max(axis=0)",
    "x.max(axis=0, keepdims=True)", "x.max(axis=0, return_indices=True)", "x.max(0, True, return_indices=True)",
    "x.max(axis=(0, 1))", "x.max((0, 1))", "x.max([0])", "x.max(None)", "x.max(0, keepdims=True)",
    "x.max(axis=None, return_indices=True)", "x.max(initial=9)", "x.max(axis=0, initial=1)",
    "x.max(axis=0, initial=9, return_indices=True)", "x.max(axis=0, where=b, initial=0)", "x.max(axis=())", "x.min()",
    "x.min(0)", "x.min(dim=0)", "x.min(axis=0)", "x.min(axis=1, keepdims=True)", "x.min(axis=0, return_indices=True)",
    "x.min(axis=0, initial=-9)", "i.max()", "i.max(0)", "i.min(axis=0)", "s.max()", "s.max(dim=0)", "ops.amax(x)",
    "ops.amax(x, 0)", "ops.amax(z, (0, 1), True)", "ops.amax(x, [0], True)", "ops.amax(x, ())",
    "ops.amax(x, initial=9)", "ops.amax(x, 0, initial=1)", "ops.amax(x, 0, where=b, initial=0)", "ops.amax(i)",
    "ops.amax(s, 0)", "ops.amin(x)", "ops.amin(x, -1)", "ops.amin(x, 0, initial=1)",
    "ops.amin(x, 0, where=b, initial=9)", "x.amax(0)", "x.amin(0, True)", "ops.amax(ops.ones((2, 2)) * s)",
    "ops.aminmax(x)", "ops.aminmax(x, axis=1, keepdims=True)", "ops.aminmax(x, axis=None)", "ops.aminmax(i)",
    "x.aminmax(axis=1)", "x.ptp()", "x.ptp(0)", "x.ptp(1, True)", "i.ptp()",
    # positions
    "ops.argmax(x)", "ops.argmax(x, 0)", "ops.argmax(x, dim=-1, keepdim=True)", "ops.argmax(x, None, True)",
    "ops.argmax(b, 1)", "ops.argmax(i, 1)", "ops.argmax(h)", "ops.argmax(s)", "ops.argmax(s, 0)",
    "ops.argmax(Tensor([3, 1, 3, 1]))", "x.argmax()", "x.argmax(0)", "x.argmax(axis=1, keepdims=True)",
    "x.argmax(dim=1, keepdim=True)", "ops.argmin(x)", "ops.argmin(x, 0)", "ops.argmin(x, axis=1, keepdims=True)",
    "ops.argmin(x, None, True)", "ops.argmin(i, 1)", "ops.argmin(d, 0)", "ops.argmin(s)", "x.argmin()",
    "x.argmin(axis=1, keepdims=True)", "x.argmin(dim=1, keepdim=True)", "x.argmax_with_value(1)",
    "x.argmin_with_value(0, True)", "ops.ArgMaxWithValue()(x)", "ops.ArgMaxWithValue(axis=1, keep_dims=True)(x)",
    "ops.ArgMaxWithValue()(i)", "ops.ArgMaxWithValue()(s)", "ops.ArgMinWithValue(axis=1)(x)",
    "ops.ArgMinWithValue(1, True)(x)", "ops.Argmax()(x)", "ops.Argmax(axis=0, output_type=ms.int64)(x)",
    "ops.Argmin()(x)", "ops.Argmin(0, ms.int64)(x)", "ops.ArgMaxWithValue()",
    # medians
    "ops.median(x)", "ops.median(x, 0)", "ops.median(x, axis=1, keepdims=True)", "ops.median(nan[:2])", "x.median()",
    "x.median(0)", "x.median(axis=1, keepdims=True)", "x.median(dim=1, keepdim=True)", "ops.nanmedian(nan[:2])",
    "ops.nanmedian(x, 1, True)", "x.nanmedian(0)", "ops.Median(axis=1)(x)", "ops.Median(axis=1, keep_dims=True)(x)",
    "ops.Median(global_median=True)(x)[0]", "ops.Median(axis=1, ignore_nan=True)(x)",
    # errors
    "ops.max(x, (0, 1))", "ops.max(x, 'a')", "ops.max(x, 0, 'a')", "ops.max(x, 3)", "ops.max(x, 1, where=b)",
    "ops.max(e)", "ops.max('a')", "ops.min(x, -3)", "x.max(5)", "x.max(axis=5)", "x.max(axis=0, where=b)", "x.max(x)",
    "x.max(axis=(0, 1), return_indices=True)", "e.max()", "ops.amax(x, 4)", "ops.amax(x, 0, where=b)", "ops.amin('a')",
    "ops.argmax(x, 4)", "ops.argmax(x, (0, 1))", "ops.argmax('a')", "ops.argmin(x, 3)", "ops.aminmax(x, axis=4)",
    "x.ptp(5)", "ops.median(x, 3)", "ops.median(x, None)", "ops.median('a')", "ops.ArgMaxWithValue(axis=3)(x)",
    "ops.Argmax('a')(x)", "ops.Argmax(output_type=ms.float32)(x)",
]  # fmt: skip

_TYPE_ERROR = ("the wrong type of operand is a TypeError", {"error": "TypeError"})
_NAN = {"shape": [], "dtype": "Float32", "values": [float("nan")]}

DIFFERENCES = {
    "ops.max('a')": _TYPE_ERROR,
    "ops.argmax('a')": _TYPE_ERROR,
    "ops.max(nan[:2], 0)": (
        "nan is the greatest, as for maximum",
        {"results": [_NAN, {"shape": [], "dtype": "Int64", "values": [1.0]}]},
    ),
    "ops.argmin(s)": (
        "int32, as for other shapes",
        {"results": [{"shape": [], "dtype": "Int32", "values": [0.0]}]},
    ),
    "x.max(axis=(0, 1), return_indices=True)": (
        "there are no indices along two dimensions; MindSpore leaves them out silently",
        {"error": "TypeError"},
    ),
}
