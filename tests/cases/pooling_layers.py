"""Pooling layers."""

_IMAGE = "sig.reshape((1, 1, 8, 8))"
_VOLUME = "sig.reshape((1, 1, 4, 4, 4))"

CASES = [
    *[
        f"nn.MaxPool2d({arguments})({_IMAGE})"
        for arguments in (
            "2, 2", "3, 2, 'same'", "(2, 3), (2, 1), 'same'", "2, 1, 'same'", "4, 1, 'SAME'", "5, 4, 'same'",
            "2, 5, 'same'",
            "3, 2, 'pad', 1", "3, 2, 'pad', (1, 0)", "3, 2, 'pad', (1,)", "3, 2, 'pad', 1, 2, True",
            "3, 2, 'pad', 1, (1, 2), True, True", "3, 2, 'pad', 1, (2,), True, True", "3, 3, 'pad', 1, ceil_mode=True",
        )
    ],
    "nn.MaxPool2d(3, 2, 'same')(img[:, :, :5, :4])", "nn.MaxPool2d(3, 2, 'pad', 1, ceil_mode=True)(img[:, :, :5])",
    "nn.MaxPool2d(5, 2, 'same')(img[:, :, :2, :2])", "nn.MaxPool2d(2, 2)(img[0])", "nn.MaxPool2d(2, 2, 'same')(img[0])",
    "nn.MaxPool2d(2, 2, 'pad', return_indices=True)(img[0])", "nn.MaxPool2d(2)(h.reshape((1, 1, 2, 3)))",
    "nn.MaxPool2d(2)(img.astype(ms.float64))",
    *[
        f"nn.MaxPool1d({arguments})(sig)"
        for arguments in (
            "3, 2", "3, 2, 'same'", "2, 1, 'same'", "3, 2, 'pad', 1", "3, 2, 'pad', (1,), return_indices=True",
            "3, 2, 'pad', 1, 2, True, True", "3, 2, 'pad', 1, (2,), True, True",
        )
    ],
    "nn.MaxPool1d(3, 2)(sig[0])", "nn.MaxPool1d(2, 1, 'same')(sig[0])",
    *[
        f"nn.MaxPool3d({arguments})({_VOLUME})"
        for arguments in (
            "2", "2, 2, 'same'", "(1, 2, 3), (1, 2, 1), 'same'", "2, 2, 'pad', 1",
            "2, 2, 'pad', (1, 0, 1), ceil_mode=True",
            "2, 2, 'pad', (1, 0, 1), return_indices=True", "2, 1, 'pad', 1, dilation=2",
        )
    ],
    "nn.MaxPool3d(2, 2)(img)",
    *[
        f"nn.AvgPool2d({arguments})({_IMAGE})"
        for arguments in (
            "2, 2", "3, 2, 'same'", "2, 1, 'same'", "(2, 3), (1, 2), 'same'", "4, 1, 'SAME'", "2, 5, 'same'",
            "3, 2, 'pad', 1", "3, 2, 'pad', 1, count_include_pad=False", "3, 2, 'pad', 1, True", "3, 3, 'pad', 1, True",
            "3, 3, 'pad', (1, 0), True, False", "3, 2, 'pad', 1, True, True, 5",
            "3, 2, 'same', count_include_pad=False",
            "3, 2, 'same', ceil_mode=True", "2, 1, 'same', ceil_mode=True", "3, 2, 'same', divisor_override=5",
            "3, 2, 'same', 0, True, False", "3, 2, 'valid', ceil_mode=True", "3, 2, 'valid', divisor_override=5",
            "3, 2, 'pad', padding=[1, 0]",
        )
    ],
    "nn.AvgPool2d(3, 2)(img[0])", "nn.AvgPool2d(3, 2, 'same')(img[0])", "nn.AvgPool2d(2)(h.reshape((1, 1, 2, 3)))",
    "nn.AvgPool2d(5, 2, 'same')(img[:, :, :2, :2])", "nn.AvgPool2d(2, 2)(img[:0])",
    *[
        f"nn.AvgPool1d({arguments})(sig)"
        for arguments in (
            "3, 2", "3, 2, 'same'", "2, 1, 'same'", "7, 2", "8", "3, 2, 'pad', 1", "3, 2, 'pad', (1,), True, False",
            "3, 2, ceil_mode=True", "3, 2, 'same', ceil_mode=True", "2, 1, 'same', ceil_mode=True",
            "3, 2, 'same', count_include_pad=False",
        )
    ],
    "nn.AvgPool1d(3, 2)(sig[0])",
    *[
        f"nn.AvgPool3d({arguments})({_VOLUME})"
        for arguments in (
            "2", "2, 2, 'same'", "2, 1, 'same'", "(1, 2, 3), (1, 2, 1), 'same'", "2, 2, 'same', 0, False, False",
            "2, 2, 'pad', 1", "3, 2, 'pad', (1, 1, 0), True, False", "3, 2, 'pad', (1, 1, 0), True, True, 7",
        )
    ],
    "nn.AvgPool3d(2, 2)(img)", "nn.AvgPool3d(3, 2, 'pad', 1, True)(img.reshape((2, 4, 2, 3, 6)))",
    "nn.AvgPool3d(3, 2, 'pad', 1)(img.reshape((2, 4, 2, 3, 6)))",
    "nn.AvgPool3d(5, 2, 'same')(img.reshape((2, 4, 2, 3, 6)))",
    "nn.AdaptiveAvgPool1d(4)(sig)", "nn.AdaptiveAvgPool1d(3)(h.reshape((1, 1, 6)))", "nn.AdaptiveMaxPool1d(4)(sig)",
    *[f"nn.AdaptiveAvgPool2d({size})({_IMAGE})" for size in ("4", "(4, 3)", "(None, 3)", "0", "8")],
    "nn.AdaptiveAvgPool2d((4, 3))(img[0])", "nn.AdaptiveAvgPool2d(4)(img.astype(ms.float64))",
    *[f"nn.AdaptiveAvgPool3d({size})({_VOLUME})" for size in ("(2, 3, 4)", "2", "(None, 2, 3)")],
    "nn.AdaptiveAvgPool3d(2)(img)",
    *[f"nn.AdaptiveMaxPool2d({arguments})({_IMAGE})" for arguments in ("4", "(4, 3), True", "(None, 3), True")],
    "nn.AdaptiveMaxPool2d((4, 3), True)(img[0])",
    *[f"nn.AdaptiveMaxPool3d({arguments})({_VOLUME})" for arguments in ("(2, 3, 4), True", "2")],
    "nn.AdaptiveMaxPool3d(2)(img)",
    # printing
    *[
        f"repr(nn.{layer})"
        for layer in (
            "MaxPool2d(2)", "MaxPool2d((2,), (1,), 'pad')", "MaxPool2d((2, 3), 2, 'same')", "MaxPool1d(3, 2)",
            "MaxPool1d(3, 2, 'pad')", "MaxPool3d(2, 2)", "MaxPool3d((2, 2, 2), (1, 2, 2), 'pad', 1)", "AvgPool2d(3, 2)",
            "AvgPool2d(3, 2, 'pad', padding=(1,))", "AvgPool1d(3, 2)", "AvgPool1d((3,), 2)",
            "AvgPool1d(3, 2, 'pad', 1)",
            "AvgPool1d(3, 2, ceil_mode=True)", "AvgPool3d(2)", "AvgPool3d((2,), 2)", "AdaptiveAvgPool1d(4)",
            "AdaptiveAvgPool2d(4)", "AdaptiveMaxPool2d(4)",
        )
    ],
    # errors
    *[
        f"nn.MaxPool2d({arguments})"
        for arguments in (
            "2, 2, padding=1", "2, 2, return_indices=True", "2, 2, 'same', ceil_mode=True", "2, 2, dilation=2", "0",
            "(1, 2, 3)", "(1, 2, 3), 1, 'pad'", "2, (1, 0)", "'2'", "2, 2, 'full'", "2, 2, 3", "2, 2, 'pad', (1, 1, 1)",
            "2, 2, 'pad', -1", "2, 2, 'pad', (-1, 1)", "2, 2, 'pad', 'a'", "2, 2, 'pad', 0, 0",
            "2, 2, 'pad', 0, (1, 1, 1)",
            "2, 2, data_format='NHWC'", "2, 2, data_format='CHWN'", "2, 2, 'pad', ceil_mode=1", "True",
        )
    ],
    "nn.MaxPool2d(3, 2, 'pad', 2)(img)", "nn.MaxPool2d(7)(img)", "nn.MaxPool2d(2)(sig[0])", "nn.MaxPool1d(3, 2)(img)",
    "nn.MaxPool1d(3, 2, 'pad')(img)", "nn.MaxPool1d(3, 2, padding=1)", "nn.MaxPool1d(3, 2, 'pad', (1, 1))",
    "nn.MaxPool1d(3, 2, 'pad', 1, (1, 1))", "nn.MaxPool3d(2, 1, 'valid', dilation=2)",
    "nn.MaxPool3d(2, 1, 'valid', return_indices=True)", "nn.MaxPool3d(2, 1, 'valid', ceil_mode=True)",
    "nn.MaxPool3d(2, 1, 'valid', padding=1)", "nn.MaxPool3d(2, 1, 'pad', padding=(1, 1, 1, 1, 1, 1))",
    "nn.MaxPool3d((2, 2), 2)", f"nn.MaxPool3d(2, 2, 'pad', 2)({_VOLUME})",
    "nn.AvgPool2d(3, 2, 'pad', 2)(img)", "nn.AvgPool2d(3, 2, 'valid', padding=1)",
    "nn.AvgPool2d(3, 2, divisor_override=0)",
    "nn.AvgPool2d(3, 2, 'pad', padding=(1, 1, 1, 1))", "nn.AvgPool2d(3, 2, divisor_override=-1)",
    "nn.AvgPool2d(3, 2, divisor_override='a')", "nn.AvgPool2d(3, 2, count_include_pad=0)",
    "nn.AvgPool2d(3, 2, ceil_mode=2)",
    "nn.AvgPool2d(3, 2, data_format='NHWC')", "nn.AvgPool2d(2)(img.astype(ms.int32))", "nn.AvgPool1d(9)(sig)",
    "nn.AvgPool1d(3, 2)(img)", "nn.AvgPool1d(3, 2, 'pad', (1, 1))", "nn.AvgPool3d(2, 2, padding=1)",
    "nn.AvgPool3d((2, 2), 2)",
    "nn.AvgPool3d(2, 2, 'pad', (1, 1, 1, 1, 1, 1))", "nn.AvgPool3d(2, 2, divisor_override=0)",
    "nn.AdaptiveAvgPool1d(3)(sig)", "nn.AdaptiveAvgPool1d(9)(sig)", "nn.AdaptiveAvgPool1d(0)",
    "nn.AdaptiveAvgPool1d((4,))",
    "nn.AdaptiveAvgPool1d(4)(sig[0])", "nn.AdaptiveAvgPool1d(4)(sig.astype(ms.int32))", "nn.AdaptiveAvgPool2d((4,))",
    "nn.AdaptiveAvgPool2d((4, 'a'))", "nn.AdaptiveAvgPool2d(-1)", "nn.AdaptiveAvgPool2d(4)(sig[0])",
    "nn.AdaptiveAvgPool2d(4)(img.astype(ms.int32))", "nn.AdaptiveAvgPool3d((2, 2))(img)", "nn.AdaptiveAvgPool3d(-1)",
    "nn.AdaptiveMaxPool1d(3)(sig)", "nn.AdaptiveMaxPool1d(0)", "nn.AdaptiveMaxPool1d((4,))",
    "nn.AdaptiveMaxPool1d(4)(sig[0])",
    "nn.AdaptiveMaxPool2d(4, 1)(img)", "nn.AdaptiveMaxPool2d('a')(img)", "nn.AdaptiveMaxPool3d((2, 2))(img)",
]  # fmt: skip

# Here a wrong length, shape or number is always a ValueError.
_OTHER_ERRORS = ("nn.AvgPool2d(7)(img)", "nn.AdaptiveMaxPool2d((4,))(img)")
CASES += (*_OTHER_ERRORS, "nn.AdaptiveMaxPool2d(-1)(img)")
DIFFERENCES = {
    expression: ("the type of the error follows from what is wrong", {"error": "ValueError"})
    for expression in _OTHER_ERRORS
}
