"""Convolution functions and primitives."""

_SEQUENCE = "ops.conv1d(sig, ker.reshape((9, 4, 3))"
_VOLUME = "ops.conv3d(img.reshape((2, 2, 2, 6, 6)), ker.reshape((3, 2, 2, 3, 3))"

CASES = [
    "ops.conv2d(img, ker)", "ops.conv2d(img, ker, v)", "ops.conv2d(img, ker, bias=v, stride=2)",
    "ops.conv2d(img, ker, stride=(2, 1), dilation=(1, 2))", "ops.conv2d(img, ker[:2, :2], groups=2)",
    "ops.conv2d(img, ker.reshape((4, 1, 9, 3))[:, :, :3], groups=4)", "ops.conv2d(img[:0], ker)",
    "ops.conv2d(h.reshape((1, 1, 2, 3)), h[:, :2].reshape((1, 1, 2, 2)))",
    # same: an odd element of the padding is at the end
    "ops.conv2d(img, ker, pad_mode='same')", "ops.conv2d(img, ker, stride=2, pad_mode='same')",
    "ops.conv2d(img, ker, stride=(2, 3), pad_mode='same', dilation=2)",
    "ops.conv2d(img, ker[:, :, :2, :2], pad_mode='same')", "ops.conv2d(img, ker[:, :, :2], pad_mode='same', stride=2)",
    "ops.conv2d(img, ker[:, :, :2], pad_mode='same', dilation=3)",
    "ops.conv2d(img[:, :, :5], ker, pad_mode='same', stride=4)",
    "ops.conv2d(img, ker[:, :, :1, :1], stride=3, pad_mode='same')",
    # pad
    "ops.conv2d(img, ker, pad_mode='pad', padding=1)", "ops.conv2d(img, ker, pad_mode='pad', padding=(1, 2))",
    "ops.conv2d(img, ker, pad_mode='pad', padding=[0, 1], stride=2)", "ops.conv2d(img, ker, pad_mode='pad')",
    # one and three dimensions
    f"{_SEQUENCE})", f"{_SEQUENCE}, stride=2, pad_mode='same')", f"{_SEQUENCE}, pad_mode='pad', padding=(2,))",
    f"{_SEQUENCE}, pad_mode='pad', padding=2, dilation=(2,), stride=(3,))",
    "ops.conv1d(sig, ker.reshape((9, 4, 3))[:, :2, :2], groups=3)",
    "ops.conv1d(sig, ker.reshape((9, 4, 3))[:6, :2, :2], pad_mode='same', groups=2)",
    f"{_VOLUME})", f"{_VOLUME}, v)", f"{_VOLUME}, pad_mode='same', stride=2)",
    f"{_VOLUME}, pad_mode='SAME', dilation=(1, 2, 2))", f"{_VOLUME}, pad_mode='pad', padding=(1, 0, 2))",
    f"{_VOLUME}, pad_mode='pad', padding=1)",
    "ops.conv3d(img.reshape((2, 2, 2, 6, 6)), ker.reshape((6, 1, 2, 3, 3)), groups=2)",
    # primitives
    "ops.Conv2D(3, 3)(img, ker)", "ops.Conv2D(3, 3, pad_mode='pad', pad=(1, 2, 0, 1))(img, ker)",
    "ops.Conv2D(3, 3, pad_mode='same', stride=2)(img, ker)", "ops.Conv2D(3, (3, 3), dilation=2)(img, ker)",
    "ops.Conv2D(2, 3, group=2)(img, ker[:2, :2])", "ops.Conv2D(3, 3, pad_mode='same').pad_mode",
    "ops.Conv3D(3, (2, 3, 3), pad_mode='same', stride=2)(img.reshape((2, 2, 2, 6, 6)), ker.reshape((3, 2, 2, 3, 3)))",
    "ops.Conv3D(3, (2, 3, 3), 1, 'pad', (1, 0, 2, 1, 0, 1))"
    "(img.reshape((2, 2, 2, 6, 6)), ker.reshape((3, 2, 2, 3, 3)))",
    # errors
    "ops.conv2d(img, ker, pad_mode='full')", "ops.conv2d(img, ker, pad_mode=1)", "ops.conv2d(img, ker, pad_mode=None)",
    "ops.conv2d(img, ker, pad_mode='pad', padding=(1, 2, 1, 2))", "ops.conv2d(img, ker, pad_mode='pad', padding=-1)",
    "ops.conv2d(img, ker, padding=1)", "ops.conv2d(img, ker, pad_mode='same', padding=1)",
    "ops.conv2d(img, ker, stride=0)", "ops.conv2d(img, ker, stride=(1,))", "ops.conv2d(img, ker, stride=1.5)",
    "ops.conv2d(img, ker, dilation=0)", "ops.conv2d(img, ker, groups=2)", "ops.conv2d(img, ker[:2, :2], groups=-2)",
    "ops.conv2d(img[0], ker)", "ops.conv2d(img, ker[0])", "ops.conv2d(img, ker, v[:2])", "ops.conv2d(img, ker, 'a')",
    "ops.conv2d(img, ker, bias=3.0)", "ops.conv2d(img.astype(ms.float16), ker)",
    "ops.conv2d(img, ker.astype(ms.float16))", "ops.conv2d(img[:, :, :2], ker)",
    "ops.conv1d(sig[0], ker.reshape((9, 4, 3)))", "ops.conv1d(sig, ker)",
    f"{_SEQUENCE}, pad_mode='pad', padding=(2, 1))",
    f"{_SEQUENCE}, stride=(1, 2))", f"{_SEQUENCE}, padding='a')", f"{_VOLUME}, padding=1)",
    f"{_VOLUME}, stride=(1, 1))",
    "ops.Conv2D(3, 3, mode=0)", "ops.Conv2D(3, 3, data_format='NHWC')", "ops.Conv2D(3, 3, data_format='CHWN')",
    "ops.Conv2D(3, 3, pad=1)", "ops.Conv2D(3, 3, pad_mode='pad', pad=(1, 1))", "ops.Conv2D(3, 3, stride=0)",
    "ops.Conv2D(0, 3)", "ops.Conv2D('3', 3)", "ops.Conv2D(3, 3, group=0)", "ops.Conv2D(3, 3, pad_mode='full')",
    "ops.Conv2D(3, 3, pad_mode=None)", "ops.Conv3D(3, 3, data_format='NCHW')", "ops.Conv3D(3, 3, pad=1)",
    "ops.Conv2D(3, 3)('a', ker)",
]  # fmt: skip

# Here a wrong type is always a TypeError, a wrong shape or number always a ValueError.
_OTHER_ERRORS = {
    "ops.conv2d(img, ker[:, :3])": "ValueError",
    "ops.conv2d(img, ker[:2, :2], groups=0)": "ValueError",
    "ops.conv2d('a', ker)": "TypeError",
    "ops.conv2d(img, 3)": "TypeError",
    f"{_SEQUENCE}, stride='a')": "TypeError",
    "ops.Conv2D(4, 3)(img, ker)": "ValueError",
    "ops.Conv2D(3, 2)(img, ker)": "ValueError",
}
CASES += _OTHER_ERRORS
DIFFERENCES = {
    expression: ("the type of the error follows from what is wrong", {"error": kind})
    for expression, kind in _OTHER_ERRORS.items()
}
