"""Pooling layers with p-norms and random windows, and their inverses."""

_SAMPLES = "Tensor(np.linspace(0, 0.99, 2 * 4 * 2, dtype=np.float32).reshape((2, 4, 2)))"
_VOLUME_SAMPLES = "Tensor(np.linspace(0, 0.99, 2 * 2 * 3, dtype=np.float32).reshape((2, 2, 3)))"
_VOLUME = "img.reshape((2, 2, 2, 6, 6))"
_INDICES = "Tensor(np.arange(6).reshape((2, 3)))"
_LARGER = "Tensor(np.arange(24).reshape((2, 3, 4)) % 12 * 3 + 1)"

CASES = [
    f"nn.{case}"
    for case in (
        "LPPool1d(2, 2)(sig + 5)", "LPPool1d(1, 3, 1)(sig)", "LPPool1d(3.0, 3, 2, True)(sig + 5)",
        "LPPool1d(2, 2)((sig + 5)[0])", "LPPool1d('a', 2)(sig)", "LPPool1d(0, 2)(sig)", "LPPool1d(2, 2.0)(sig)",
        "LPPool1d(2, (2,))(sig)", "LPPool1d(2, 0)(sig)", "LPPool1d(2, 2, 0)(sig)", "LPPool1d(2, 2, 1, 1)(sig)",
        "LPPool1d(2, 2)(v)", "LPPool1d(2, 2)(img)", "LPPool2d(2, 2)(img + 5)", "LPPool2d(1, (2, 3), (1, 2))(img)",
        "LPPool2d(2, (4, 3), 2, True)(img + 5)", "LPPool2d(2.5, 2)(img + 5)", "LPPool2d(2, (2, 2, 2))(img)",
        "LPPool2d(2, 2)(x)", "LPPool2d(0, 2)(img)", "LRN()(img)", "LRN(1, 2.0, 0.5, 0.75)(img)", "LRN('a')",
        "LRN(5.0)", "LRN(-1)", "LRN(bias=1)", "LRN(alpha='a')", "LRN(beta=1)", "LRN(norm_region='x')", "LRN()(z)",
        *[
            f"FractionalMaxPool2d({arguments}, return_indices=True, _random_samples={_SAMPLES})(img)"
            for arguments in ("2, 3", "2, (2, 4)", "(2, 3), 2", "2, output_ratio=0.5", "2, None, (0.5, 0.7)",
                              "2, 2, 0.9")
        ],
        f"FractionalMaxPool2d(2, 3, _random_samples={_SAMPLES})(img)",
        f"FractionalMaxPool2d(2, 3, _random_samples={_SAMPLES})((img * 5 + 20).astype(ms.int32))",
        f"FractionalMaxPool2d(2, 3, return_indices=True, _random_samples={_SAMPLES}[:1])(img[0])",
        "FractionalMaxPool2d(2, 2)(img).shape", "FractionalMaxPool2d(2)(img)", "FractionalMaxPool2d(2, (2, 2, 2))(img)",
        "FractionalMaxPool2d((2, 2, 2), 2)(img)", "FractionalMaxPool2d(0, 2)(img)", "FractionalMaxPool2d(2, 0)(img)",
        "FractionalMaxPool2d('a', 2)(img)", "FractionalMaxPool2d(2, 6)(img)",
        "FractionalMaxPool2d(2, output_ratio=(0.5,))(img)",
        "FractionalMaxPool2d(2, 2, _random_samples=Tensor([0.5]))(img)",
        f"FractionalMaxPool3d((1, 2, 2), (1, 3, 3), _random_samples={_VOLUME_SAMPLES})({_VOLUME})",
        f"FractionalMaxPool3d(1, (1, 2, 4), None, True, {_VOLUME_SAMPLES})({_VOLUME})",
        f"FractionalMaxPool3d(1, output_ratio=0.5, _random_samples={_VOLUME_SAMPLES}, return_indices=True)({_VOLUME})",
        f"FractionalMaxPool3d(1, (2, 2))({_VOLUME})", f"FractionalMaxPool3d(3, 2)({_VOLUME})",
        f"MaxUnpool1d(2)(x, {_INDICES})", f"MaxUnpool1d(2, 1)(x, {_INDICES} % 4)",
        f"MaxUnpool1d(3, 2, 1)(x, {_INDICES} % 5)", f"MaxUnpool1d(2)(x, {_INDICES}, (7,))",
        f"MaxUnpool1d(2)(x, {_INDICES}, (2, 7))", f"MaxUnpool1d(2)(x, {_INDICES}.int())",
        f"MaxUnpool2d(2)(z, {_LARGER})", f"MaxUnpool2d((2, 1))(z, {_LARGER} % 24)",
        f"MaxUnpool2d(2)(z, {_LARGER}, (7, 9))", f"MaxUnpool2d(2)(z, {_LARGER}, (2, 7, 9))",
        f"MaxUnpool3d(2)(z.reshape((1, 2, 3, 2, 2)), {_LARGER}.reshape((1, 2, 3, 2, 2)))",
        f"MaxUnpool1d('a')(x, {_INDICES})", f"MaxUnpool1d(0)(x, {_INDICES})", f"MaxUnpool1d(2, 1, -1)(x, {_INDICES})",
        f"MaxUnpool1d(2)(x, {_INDICES}, 7)", f"MaxUnpool1d(2)(x, {_INDICES}, [7])", "MaxUnpool1d(2)(x, x)",
        f"MaxUnpool1d(2)(x, {_INDICES}, (11,))", f"MaxUnpool1d(2)(x, {_LARGER})",
        f"MaxUnpool2d((2, 2, 2))(z, {_LARGER})", f"MaxUnpool2d(2)(v, {_INDICES})",
        "PReLUExt()(x)", "PReLUExt(3, 0.5)(z)", "PReLUExt(2, 'a')", "PReLUExt(2.0)",
        "PReLUExt(2).weight", "PReLUExt(dtype=ms.float16).weight.dtype == ms.float16",
    )
]  # fmt: skip

DIFFERENCES = {
    "nn.FractionalMaxPool2d(2, output_ratio=(0.5,))(img)": (
        "a wrong number of ratios is a ValueError",
        {"error": "ValueError"},
    ),
}
