"""Pooling functions and primitives."""

_IMAGE = "sig.reshape((1, 1, 8, 8))"
_VOLUME = "sig.reshape((1, 1, 4, 4, 4))"

CASES = [
    "ops.max_pool2d(img, 2)", "ops.max_pool2d(img, (2, 3), 1)", "ops.max_pool2d(img, 3, 2, 1, 1, True, True)",
    "ops.max_pool2d(img, 3, 2, (1, 0), (1, 2), True)", "ops.max_pool2d(img, 3, 3, 1, ceil_mode=True)",
    f"ops.max_pool3d({_VOLUME}, 2)", f"ops.max_pool3d({_VOLUME}, 2, 1, (1, 0, 1), 1, True, True)",
    f"ops.max_pool3d({_VOLUME}, 2, 2, 0, (1, 2, 2))",
    "ops.avg_pool1d(sig, 3, 2)", "ops.avg_pool1d(sig, 3, 2, 1)", "ops.avg_pool1d(sig, 3, 2, (1,), True, False)",
    "ops.avg_pool1d(sig, 3, 2, (1,), True)",
    "ops.avg_pool2d(img, 3, 2)", "ops.avg_pool2d(img)", "ops.avg_pool2d(img, (3, 2), (2, 1), 1)",
    "ops.avg_pool2d(img, 3, 2, 1, False, True, 4)", "ops.avg_pool2d(img, 3, 2, 1, True, False)",
    "ops.avg_pool2d(img, 3, 2, (1, 1, 0, 0))",
    # padding that differs between the two ends
    *[
        f"ops.avg_pool2d({_IMAGE}, {window}, {padding}, {options})"
        for window, padding in (
            ("3, 2", "(1, 0, 0, 1)"), ("3, 3", "(1, 0, 0, 1)"), ("3, 2", "(0, 1, 1, 0)"), ("3, 2", "(2, 0, 0, 2)"),
            ("4, 4", "(1, 2, 2, 0)"), ("(4, 3), (3, 1)", "(0, 3, 1, 1)"),
        )
        for options in ("False, True", "False, False", "True, True", "True, False", "True, True, 5")
    ],
    f"ops.avg_pool3d({_VOLUME}, 2, 2)", f"ops.avg_pool3d({_VOLUME}, 2, 2, 1)",
    f"ops.avg_pool3d({_VOLUME}, 3, 2, (1, 0, 1, 1, 0, 1), True, False)",
    f"ops.avg_pool3d({_VOLUME}, 3, 2, (1, 0, 1, 1, 0, 1), True, True, 5)",
    "ops.adaptive_avg_pool1d(sig, 4)", "ops.adaptive_avg_pool1d(sig, 8)", "ops.adaptive_max_pool1d(sig, 4)",
    "ops.adaptive_avg_pool2d(img, 4)", "ops.adaptive_avg_pool2d(img, (None, 4))",
    "ops.adaptive_avg_pool2d(img[0], (2, 4))",
    "ops.adaptive_avg_pool2d(img, 8)", "ops.adaptive_avg_pool2d(img, 0)",
    f"ops.adaptive_avg_pool3d({_VOLUME}, (None, 2, 4))", f"ops.adaptive_avg_pool3d({_VOLUME}, 2)",
    "ops.adaptive_max_pool2d(img, 4)", "ops.adaptive_max_pool2d(img, (None, 4), True)",
    "ops.adaptive_max_pool2d(img, [2, 4], True)", "ops.adaptive_max_pool2d(img[0], 3)",
    f"ops.adaptive_max_pool3d({_VOLUME}, (1, 2, 4), True)", f"ops.adaptive_max_pool3d({_VOLUME}, 2)",
    "ops.MaxPool(2, 2)(img)", "ops.MaxPool(2, 2, 'same')(img)", "ops.MaxPool(3, 2, 'SAME')(img)",
    "ops.MaxPool((2, 3), (1, 2), 'same')(img)", "ops.MaxPool(2, 2, 'same').pad_mode", "ops.AvgPool(2, 2)(img)",
    "ops.AvgPool(3, 2, 'SAME')(img)", "ops.AvgPool((2, 4), 1, 'same')(img)", "ops.AdaptiveAvgPool2D((2, None))(img)",
    # errors
    "ops.max_pool2d(img, 3, 2, 2)", "ops.max_pool2d(img, 0)", "ops.max_pool2d(img, (2, 2, 2))",
    "ops.max_pool2d(img, 2, 0)",
    "ops.max_pool2d(img, 2, 2, -1)", "ops.max_pool2d(img, 2, 2, 0, 0)", "ops.max_pool2d(img, 2.0)",
    "ops.max_pool2d(img, 2, ceil_mode=1)", "ops.max_pool2d('a', 2)", "ops.max_pool2d(img[0, 0], 2)",
    f"ops.max_pool2d({_VOLUME}, 2)", f"ops.max_pool3d({_VOLUME}, (2, 2))", "ops.max_pool3d(sig, 2)",
    "ops.avg_pool1d(sig, 3, 2, 2)", "ops.avg_pool1d(sig, (3,))", "ops.avg_pool1d(sig, 0)",
    "ops.avg_pool1d(sig, 3, 1, -1)",
    "ops.avg_pool1d(sig, 3, 1, (1, 1))", "ops.avg_pool1d(sig, 3, 1, 'a')", "ops.avg_pool1d(img, 3)",
    "ops.avg_pool1d('a', 3)", "ops.avg_pool1d(sig, 3, ceil_mode=1)", "ops.avg_pool2d(img, 3, 2, (1, 1))",
    "ops.avg_pool2d(img, 3, 2, -1)", "ops.avg_pool2d(img, 0)", "ops.avg_pool2d(img, 3, 2, 1, False, True, -4)",
    "ops.avg_pool2d(img, 3, 2, 1, False, True, 4.0)", "ops.avg_pool2d(img, 3, 2, 1, 0)",
    "ops.avg_pool2d(img, 3, 2, (3, 1, 0, 0))", f"ops.avg_pool3d({_VOLUME}, 3, 2, (1, 0, 1))", "ops.avg_pool3d(sig, 2)",
    "ops.adaptive_avg_pool1d(sig, 3)", "ops.adaptive_avg_pool1d(sig, (4,))", "ops.adaptive_avg_pool1d(sig[0], 4)",
    "ops.adaptive_avg_pool1d(sig, 0)", "ops.adaptive_avg_pool1d(sig, 16)", "ops.adaptive_max_pool1d(sig, 3)",
    "ops.adaptive_avg_pool2d(img, (2, 4, 4))", "ops.adaptive_avg_pool2d(img, 'a')", "ops.adaptive_avg_pool2d(img, -1)",
    "ops.adaptive_avg_pool2d(sig[0], 2)", "ops.adaptive_avg_pool2d(img.astype(ms.int32), 2)",
    "ops.adaptive_max_pool2d(img, 4, 1)", "ops.MaxPool(2, 2, 'pad')", "ops.MaxPool(0)", "ops.MaxPool((1, 1, 2, 2))",
    "ops.MaxPool(2, data_format='NHWC')", "ops.MaxPool(7)(img)", "ops.AdaptiveAvgPool2D((2,))",
    "ops.adaptive_max_pool2d(img, 'a')",
]  # fmt: skip

# Here a wrong length, shape or number is always a ValueError, and found when a primitive is made.
_OTHER_ERRORS = (
    "ops.avg_pool1d(sig, 9)",
    "ops.avg_pool2d(img, 7)",
    "ops.adaptive_max_pool2d(img, (2, 4, 4))",
    "ops.AvgPool(0)",
    "ops.AvgPool(2, 2, 'pad')",
)
CASES += _OTHER_ERRORS
DIFFERENCES = {
    expression: ("the type of the error follows from what is wrong", {"error": "ValueError"})
    for expression in _OTHER_ERRORS
}
