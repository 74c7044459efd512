"""Pooling primitives, norms over windows, and unpooling."""

_VOLUME = "sig.reshape((1, 1, 4, 4, 4))"
_CUBE = "sig[:, :, :6].reshape((1, 2, 2, 3, 4))"
_PLACES = "Tensor([[[[0, 3], [9, 14]]]])"
_PAIRS = "img[:1, :1, :2, :2]"
_SAMPLES = "Tensor([[[0.1, 0.7], [0.2, 0.9], [0.4, 0.45], [0.0, 0.6]]] * 2)"

CASES = [
    f"ops.AvgPool3D(2, 2)({_VOLUME})", f"ops.AvgPool3D((1, 2, 3), 1, 'same')({_VOLUME})",
    f"ops.AvgPool3D(2, 2, 'pad', 1)({_VOLUME})",
    f"ops.AvgPool3D(2, 2, 'pad', (1, 0, 1, 1, 0, 1), count_include_pad=False)({_VOLUME})",
    f"ops.AvgPool3D(3, 2, 'pad', 1, True, False)({_VOLUME})", f"ops.AvgPool3D(2, 2, divisor_override=5)({_VOLUME})",
    f"ops.AvgPool3D(2)({_CUBE})", f"ops.AvgPool3D(2, 2, pad=1)({_VOLUME})", f"ops.AvgPool3D(2, 2, 'full')({_VOLUME})",
    f"ops.AvgPool3D(0)({_VOLUME})", f"ops.AvgPool3D(2)({_VOLUME}.astype(ms.float16))",
    f"ops.MaxPool3D(2, 2)({_VOLUME})", f"ops.MaxPool3D((1, 2, 3), 1, 'same')({_VOLUME})",
    f"ops.MaxPool3D(3, 2, 'SAME')({_VOLUME})", f"ops.MaxPool3D(2, 2, 'PAD', 1)({_VOLUME})",
    f"ops.MaxPool3D(3, 2, 'PAD', (1, 0, 1, 1, 0, 1), True)({_VOLUME})", f"ops.MaxPool3D(2, ceil_mode=True)({_VOLUME})",
    f"ops.MaxPool3D(2, 2, 'VALID', 1)({_VOLUME})", f"ops.MaxPool3D(2, data_format='NDHWC')({_VOLUME})",
    f"ops.MaxPool3DWithArgmax(2, 2, 0)({_VOLUME})", f"ops.MaxPool3DWithArgmax(3, 2, 1, ceil_mode=True)({_VOLUME})",
    f"ops.MaxPool3DWithArgmax(2, 1, 0, (1, 2, 2), argmax_type=ms.int32)({_VOLUME})",
    f"ops.MaxPool3DWithArgmax(2, 1, 2)({_VOLUME})",
    "ops.MaxPoolWithArgmax(2, 2)(img)", "ops.MaxPoolWithArgmax(3, 2, 'same')(img)",
    "ops.MaxPoolWithArgmax(3, 1, 'same')(img)", "ops.MaxPoolWithArgmax((2, 3), 1, 'same')(-img)",
    "ops.MaxPoolWithArgmaxV2(2)(img)", "ops.MaxPoolWithArgmaxV2((3, 2), (2, 1), (1, 0), 1, True)(img)",
    "ops.MaxPoolWithArgmaxV2(2, argmax_type=ms.int32)(img)", "ops.MaxPoolWithArgmaxV2(2, argmax_type=ms.float32)(img)",
    "ops.MaxPoolWithArgmaxV2(2, pads=2)(img)",
    "ops.AdaptiveMaxPool2D((4, 3))(img)",
    f"ops.AdaptiveAvgPool3D((None, 2, 1))({_VOLUME})", f"ops.AdaptiveAvgPool3D(3)({_VOLUME})",
    f"ops.AdaptiveMaxPool3D()({_VOLUME}, Tensor([2, 1, 3], ms.int32))",
    "ops.lp_pool1d(abs(sig), 2, 3)", "ops.lp_pool1d(sig, 1, 3, 1, True)", "ops.lp_pool1d(sig[0], 2.0, 3)",
    "ops.lp_pool2d(abs(img), 3, 2)", "ops.lp_pool2d(img, 2, (2, 3), (1, 2), True)", "ops.lp_pool2d(img, 2, 0)",
    "ops.lp_pool1d(img, 2, 3)", "ops.lp_pool2d(img, 2.5, 'a')",
    f"ops.max_unpool2d({_PAIRS}, {_PLACES}, 2)", f"ops.max_unpool2d({_PAIRS}, {_PLACES}.int(), 2)",
    f"ops.max_unpool2d({_PAIRS}, {_PLACES}, 2, 2, 0, (1, 1, 5, 4))",
    f"ops.max_unpool2d({_PAIRS}, {_PLACES}, 3, 2, 1)", f"ops.max_unpool2d({_PAIRS}, {_PLACES}, 2, output_size=(5, 5))",
    f"ops.max_unpool2d({_PAIRS}, {_PLACES}, 2, output_size=(9, 9))", f"ops.max_unpool2d({_PAIRS}, {_PLACES}, (2,))",
    "ops.max_unpool1d(sig[:1, :2, :2], Tensor([[[0, 3], [1, 2]]]), 2)",
    "ops.max_unpool1d(sig[0, :2, :2], Tensor([[0, 3], [1, 2]]), 2, output_size=(2, 5))",
    "ops.max_unpool1d(sig[:1, :2, :2], Tensor([[[0, 3], [1, 2]]]), 3, 2, 1)",
    "ops.max_unpool3d(sig[:1, :1].reshape((1, 1, 2, 2, 2)), Tensor(np.arange(0, 64, 8).reshape((1, 1, 2, 2, 2))), 2)",
    f"ops.MaxUnpool2D(2)({_PAIRS}, {_PLACES})", f"ops.MaxUnpool2D(2, 2, 0, (1, 1, 5, 5))({_PAIRS}, {_PLACES})",
    f"ops.MaxUnpool2D(3, 2, 1)({_PAIRS}, {_PLACES})", f"ops.MaxUnpool2D(2, -1)({_PAIRS}, {_PLACES})",
    f"ops.MaxUnpool2D(2, data_format='NHWC')({_PAIRS}.reshape((1, 2, 2, 1)), {_PLACES}.reshape((1, 2, 2, 1)))",
    f"ops.MaxUnpool2D(2, data_format='N')({_PAIRS}, {_PLACES})",
    "ops.MaxUnpool3D(2)(sig[:1, :1].reshape((1, 1, 2, 2, 2)), Tensor(np.arange(0, 64, 8).reshape((1, 1, 2, 2, 2))))",
    f"ops.fractional_max_pool2d(img, 2, 4, return_indices=True, _random_samples={_SAMPLES})",
    f"ops.fractional_max_pool2d(img, (3, 2), (2, 5), _random_samples={_SAMPLES})",
    f"ops.fractional_max_pool2d(img, 2, output_ratio=(0.5, 0.7), _random_samples={_SAMPLES})",
    "ops.fractional_max_pool2d(img, 2)",
    "ops.fractional_max_pool2d(img, 2, output_ratio=1.5)", "ops.fractional_max_pool2d(img, 4, 4)",
    f"ops.fractional_max_pool3d({_VOLUME}, 2, 2, return_indices=True, _random_samples=Tensor([[[0.1, 0.5, 0.9]]]))",
    f"ops.fractional_max_pool3d({_VOLUME}, (1, 2, 2), (3, 2, 2), None, True, Tensor([[[0.1, 0.5, 0.9]]]))",
    f"ops.FractionalMaxPoolWithFixedKsize(2, (4, 3))(img, {_SAMPLES})",
    "ops.FractionalMaxPoolWithFixedKsize(2, 4)(img, Tensor([[[0.1, 0.7]]]))",
    f"ops.FractionalMaxPool3DWithFixedKsize(2, 2)({_VOLUME}, Tensor([[[0.1, 0.5, 0.9]]]))",
    "ops.FractionalMaxPool([1.0, 2.0, 3.0, 1.0])(img.transpose(0, 2, 3, 1))",
    "ops.FractionalMaxPool([1.0, 3.0, 2.0, 1.0], overlapping=True)(img.transpose(0, 2, 3, 1))",
    "ops.FractionalAvgPool([1.0, 3.0, 2.0, 1.0])(img.transpose(0, 2, 3, 1))",
    "ops.FractionalAvgPool([1.0, 3.0, 2.0, 1.0], overlapping=True)(img.transpose(0, 2, 3, 1))",
    "ops.FractionalAvgPool([1.0, 3.0, 2.0, 1.0])((img * 9).astype(ms.int32).transpose(0, 2, 3, 1))",
    "ops.FractionalAvgPool([2.0, 3.0, 2.0, 1.0])(img)",
]  # fmt: skip

# Here the type of an error follows from what is wrong.
_OTHER_ERRORS = (
    f"ops.max_unpool2d({_PAIRS}, {_PLACES}, 3, 2, 1)",
    "ops.max_unpool1d(sig[:1, :2, :2], Tensor([[[0, 3], [1, 2]]]), 3, 2, 1)",
    f"ops.MaxUnpool2D(3, 2, 1)({_PAIRS}, {_PLACES})",
)
DIFFERENCES = {
    expression: ("the type of the error follows from what is wrong", {"error": "ValueError"})
    for expression in _OTHER_ERRORS
}
