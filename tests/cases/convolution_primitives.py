"""Transposed, deformable and dilating convolutions, and the order of channels."""

_DOUT = "img[:, :3, :4, :4]"
_IMAGE = "sig.reshape((1, 4, 4, 4))"
_VOLUME = "sig.reshape((1, 2, 2, 4, 4))"
_CUBES = "ker.reshape((3, 4, 3, 3, 1))[:2, :2]"
_OFFSETS = "Tensor((np.arange(12 * 9) % 7 * 0.31 - 0.83).astype(np.float32).reshape((1, 12, 3, 3)))"
_TWO = "Tensor((np.arange(24 * 8) % 11 * 0.31 - 1.23).astype(np.float32).reshape((1, 24, 2, 4)))"

CASES = [
    f"ops.Conv2DTranspose(3, 3)({_DOUT}, ker, (2, 4, 6, 6))",
    f"ops.Conv2DTranspose(3, 3, 'same')({_DOUT}, ker, (2, 4, 4, 4))",
    f"ops.Conv2DTranspose(3, 3, 'same', stride=2)({_DOUT}, ker, (2, 4, 7, 8))",
    f"ops.Conv2DTranspose(3, 3, 'pad', 1, stride=2)({_DOUT}, ker, (2, 4, 8, 7))",
    f"ops.Conv2DTranspose(3, 3, 'pad', (1, 0, 1, 2), stride=2)({_DOUT}, ker, (2, 4, 8, 7))",
    f"ops.Conv2DTranspose(3, 3, dilation=2)({_DOUT}, ker, (2, 4, 8, 8))",
    f"ops.Conv2DTranspose(3, 3, group=3)({_DOUT}, ker[:, :1], (2, 3, 6, 6))",
    f"ops.Conv2DTranspose(3, 3, 'full')({_DOUT}, ker, (2, 4, 6, 6))",
    f"ops.Conv2DTranspose(3, 3, 'same', 1)({_DOUT}, ker, (2, 4, 4, 4))",
    f"ops.Conv2DBackpropInput(3, 3)({_DOUT}, ker, (2, 4, 6, 6))",
    f"ops.Conv3DTranspose(2, 2, (3, 3, 1))({_VOLUME}, {_CUBES})",
    f"ops.Conv3DTranspose(2, 2, (3, 3, 1), pad_mode='same', stride=2)({_VOLUME}, {_CUBES})",
    f"ops.Conv3DTranspose(2, 2, (3, 3, 1), pad_mode='pad', pad=(1, 1, 0, 2, 0, 0), stride=2)({_VOLUME}, {_CUBES})",
    f"ops.Conv3DTranspose(2, 2, (3, 3, 1), 1, 'pad', 0, 2, output_padding=1)({_VOLUME}, {_CUBES})",
    f"ops.Conv3DTranspose(2, 2, (3, 3, 1), output_padding=1)({_VOLUME}, {_CUBES})",
    f"ops.conv3d_transpose({_VOLUME}, {_CUBES}, 'same', 0, 2)",
    f"ops.conv3d_transpose({_VOLUME}, {_CUBES}, 'pad', 1, (2, 1, 2), output_padding=(1, 0, 1))",
    f"ops.deformable_conv2d({_IMAGE}, ker[:, :, :2, :2], {_OFFSETS}, (2, 2), (1, 1, 1, 1), (0, 0, 0, 0))",
    f"ops.deformable_conv2d({_IMAGE}, ker[:, :2, :2, :2], {_TWO}, (2, 2), (1, 1, 2, 1), (0, 0, 1, 0), v, groups=2)",
    f"ops.deformable_conv2d({_IMAGE}, ker[:, :, :2, :2], {_TWO}, (2, 2), (1, 1, 2, 1), (0, 0, 1, 0), v, "
    "deformable_groups=2)",
    f"ops.deformable_conv2d({_IMAGE}, ker[:, :, :2, :2], {_OFFSETS}, (2, 2), (2, 1, 1, 1), (0, 0, 0, 0))",
    f"ops.deformable_conv2d({_IMAGE}, ker[:, :, :2, :2], {_OFFSETS}, (2, 2), (1, 1, 1, 1), (0, 0, 0, 0), "
    "modulated=False)",
    f"ops.DeformableOffsets((1, 1, 1, 1), (0, 0, 0, 0), (2, 2))({_IMAGE}, {_OFFSETS})",
    f"ops.DeformableOffsets((1, 1, 2, 1), (1, 0, 1, 1), (2, 2), (1, 1, 1, 2), 'NCHW', 2)({_IMAGE}, {_TWO})",
    "ops.channel_shuffle(img, 2)", "ops.channel_shuffle(img, 3)", "ops.ChannelShuffle(2)(i.reshape((1, 2, 3, 1)))",
    "ops.pixel_shuffle(img, 2)", "ops.pixel_shuffle(img[0], 2)",
    "ops.pixel_shuffle(img, 3)", "ops.pixel_unshuffle(img, 3)", "ops.pixel_unshuffle(img, 4)",
    "ops.pixel_shuffle(x, 1)",
    "ops.pixel_shuffle(img, 2.0)", "ops.pixel_unshuffle(i.reshape((1, 2, 3)), 1)",
]  # fmt: skip

# Here the type of an error follows from what is wrong.
_OTHER_ERRORS = (f"ops.Conv2DTranspose(3, 3)({_DOUT}, ker, (2, 4, 9, 6))", "ops.channel_shuffle(x, 2)")
CASES += _OTHER_ERRORS
DIFFERENCES = {
    expression: ("the type of the error follows from what is wrong", {"error": "ValueError"})
    for expression in _OTHER_ERRORS
}
