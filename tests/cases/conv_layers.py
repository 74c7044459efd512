"""Convolution layers."""

_SEQUENCE_KERNEL = "weight_init=ker.reshape((9, 4, 3))"
_VOLUME_KERNEL = "weight_init=ker.reshape((3, 2, 2, 3, 3))"
_BACK = "nn.Conv2dTranspose(3, 4, 3"
_BACK_KERNEL = "weight_init=ker)(img[:, :3])"
_BACK_3D = "nn.Conv3dTranspose(3, 2, (2, 3, 3)"
_BACK_3D_KERNEL = "weight_init=ker.reshape((3, 2, 2, 3, 3)))(img.reshape((2, 3, 2, 6, 4)))"

CASES = [
    "nn.Conv2d(4, 3, 3, weight_init=ker)(img)", "nn.Conv2d(4, 3, 3, 2, weight_init=ker)(img)",
    "nn.Conv2d(4, 3, (2, 3), 1, weight_init=ker[:, :, :2])(img)",
    "nn.Conv2d(4, 3, (2, 3), (3, 2), weight_init=ker[:, :, :2], dilation=2)(img)",
    "nn.Conv2d(4, 3, 3, 1, 'pad', (1, 2, 0, 3), weight_init=ker)(img)",
    "nn.Conv2d(4, 3, 3, 2, 'pad', 1, weight_init=ker, has_bias=True, bias_init=v)(img)",
    "nn.Conv2d(4, 3, 3, 1, 'valid', weight_init=ker, has_bias=True, bias_init='ones')(img)",
    "nn.Conv2d(4, 2, 3, group=2, weight_init=ker[:2, :2])(img)",
    "nn.Conv2d(4, 6, 3, dtype=ms.float16).weight.shape",
    "nn.Conv2d(4, 6, 3, dtype=ms.float16).weight.dtype == ms.float16",
    "list(nn.Conv2d(4, 6, 3, has_bias=True).parameters_dict())", "list(nn.Conv2d(4, 6, 3).parameters_dict())",
    "nn.Conv2d(4, 6, 3).bias", "nn.Conv2d(4, 6, 3, 2).padding",
    "[n for n in vars(nn.Conv2d(4, 6, 3)) if n in ('kernel_size stride pad_mode data_format padding dilation group "
    "has_bias weight_init bias_init in_channels out_channels').split()]",
    "nn.Conv2d(4, 3, 3, 1, 'valid', weight_init=ker).conv2d(img, ker * 2)",
    "nn.Conv1d(4, 9, 3, weight_init=ker.reshape((9, 4, 3)))(sig)", f"nn.Conv1d(4, 9, 3, 2, {_SEQUENCE_KERNEL})(sig)",
    f"nn.Conv1d(4, 9, 3, 2, 'pad', 2, {_SEQUENCE_KERNEL}, has_bias=True, bias_init='ones')(sig)",
    "nn.Conv1d(4, 9, 2, weight_init=ker.reshape((9, 4, 3))[:, :, :2], dilation=3)(sig)",
    "nn.Conv1d(4, 6, 3, group=2, weight_init=ker.reshape((9, 4, 3))[:6, :2])(sig)", "nn.Conv1d(4, 9, 3).weight.shape",
    f"nn.Conv3d(2, 3, (2, 3, 3), {_VOLUME_KERNEL})(img.reshape((2, 2, 2, 6, 6)))",
    f"nn.Conv3d(2, 3, (2, 3, 3), 2, {_VOLUME_KERNEL})(img.reshape((2, 2, 2, 6, 6)))",
    f"nn.Conv3d(2, 3, (2, 3, 3), 1, 'pad', (1, 0, 2, 1, 0, 1), {_VOLUME_KERNEL}, has_bias=True, bias_init=v)"
    "(img.reshape((2, 2, 2, 6, 6)))",
    "nn.Conv3d(2, 6, (2, 3, 3), group=2, weight_init=ker.reshape((6, 1, 2, 3, 3)))(img.reshape((2, 2, 2, 6, 6)))",
    # transposed
    f"{_BACK}, {_BACK_KERNEL}", f"{_BACK}, 2, {_BACK_KERNEL}", f"{_BACK}, (2, 3), 'valid', {_BACK_KERNEL}",
    "nn.Conv2dTranspose(3, 4, 2, 3, weight_init=ker[:, :, :2, :2])(img[:, :3])",
    "nn.Conv2dTranspose(3, 4, 2, 1, weight_init=ker[:, :, :2, :2])(img[:, :3])",
    "nn.Conv2dTranspose(3, 4, 2, 3, 'valid', weight_init=ker[:, :, :2, :2])(img[:, :3])",
    f"{_BACK}, 2, 'pad', 1, {_BACK_KERNEL}",
    f"{_BACK}, 2, 'pad', (1, 2, 0, 1), has_bias=True, bias_init=5.0, {_BACK_KERNEL}",
    f"{_BACK}, 2, 'pad', (2, 1, 1, 0), has_bias=True, bias_init=5.0, {_BACK_KERNEL}",
    f"{_BACK}, 2, 'pad', 1, 1, has_bias=True, bias_init=5.0, {_BACK_KERNEL}",
    f"{_BACK}, 2, 'pad', 1, (0, 1), {_BACK_KERNEL}",
    f"{_BACK}, dilation=2, {_BACK_KERNEL}", f"{_BACK}, 2, dilation=2, {_BACK_KERNEL}",
    "nn.Conv2dTranspose(3, 12, 3, group=3, weight_init=ker)(img[:, :3])",
    "nn.Conv2dTranspose(4, 8, 3, group=2, has_bias=True).weight.shape",
    "nn.Conv1dTranspose(4, 9, 3, 2, weight_init=ker.reshape((4, 9, 3)))(sig)",
    "nn.Conv1dTranspose(4, 9, 3, 2, 'pad', 1, weight_init=ker.reshape((4, 9, 3)), has_bias=True, bias_init=5.0)(sig)",
    "nn.Conv1dTranspose(4, 9, 3, 2, 'valid', weight_init=ker.reshape((4, 9, 3)))(sig)",
    f"{_BACK_3D}, {_BACK_3D_KERNEL}", f"{_BACK_3D}, 2, {_BACK_3D_KERNEL}", f"{_BACK_3D}, 2, 'valid', {_BACK_3D_KERNEL}",
    f"{_BACK_3D}, 2, 'pad', (1, 0, 1, 1, 2, 1), has_bias=True, bias_init=5.0, {_BACK_3D_KERNEL}",
    f"{_BACK_3D}, 2, 'pad', 1, output_padding=1, has_bias=True, bias_init=5.0, {_BACK_3D_KERNEL}",
    f"{_BACK_3D}, 1, dilation=(1, 2, 2), {_BACK_3D_KERNEL}",
    "nn.Conv3dTranspose(2, 6, (1, 3, 3), group=2, weight_init=ker[:2, :3].reshape((2, 3, 1, 3, 3)))"
    "(img.reshape((2, 2, 2, 6, 6)))",
    # printing
    "repr(nn.Conv2d(4, 6, 3, weight_init='normal', has_bias=True, bias_init='zeros'))",
    "repr(nn.Conv2d(4, 4, 3, (2, 1), pad_mode='pad', padding=(1, 2, 3, 4), dilation=2, group=4, weight_init='ones'))",
    "repr(nn.Conv2d(4, 3, 3, weight_init=0.5))",
    "repr(nn.Conv1d(4, 9, 3, weight_init='ones', has_bias=True, bias_init='zeros'))",
    "repr(nn.Conv1d(4, 9, 3, pad_mode='pad', padding=2, weight_init='ones'))",
    "repr(nn.Conv3d(2, 6, 3, pad_mode='SAME', weight_init='ones'))",
    "repr(nn.Conv2dTranspose(4, 8, 3, group=2, weight_init='ones'))",
    "repr(nn.Conv1dTranspose(4, 9, 3, 2, weight_init='ones'))",
    "repr(nn.Conv3dTranspose(3, 2, (2, 3, 3), 2, weight_init='ones'))",
    # errors
    *[
        f"nn.Conv2d({arguments})"
        for arguments in (
            "4, 3, 3, padding=1", "4, 3, 3, pad_mode='pad', padding=(1, 1)", "4, 3, 3, pad_mode='pad', padding=-1",
            "4, 3, 3, pad_mode='full'", "4, 3, 3, pad_mode=1", "4, 3, 0", "4, 3, '3'", "4, 3, 3.0", "4, 3, 3, stride=0",
            "4, 3, 3, dilation=-1", "4, 3, 3, group=2", "4, 3, 3, group=0", "0, 3, 3", "4.0, 3, 3", "True, 3, 3",
            "4, 3, 3, has_bias=1", "4, 3, 3, weight_init=v", "4, 3, 3, weight_init='nope'",
            "4, 3, 3, data_format='NHWC'", "4, 3, 3, data_format='NCWH'", "4, 3, 3, padding='a'",
        )
    ],
    "nn.Conv2d(4, 3, 3, weight_init=ker)(img[0])", "nn.Conv2d(4, 3, 3, weight_init=ker)(img.astype(ms.float16))",
    "nn.Conv1d(4, 9, 3, weight_init=ker.reshape((9, 4, 1, 3)))", "nn.Conv1d(4, 9, 3, padding=1)",
    "nn.Conv1d(4, 9, (3,))",
    "nn.Conv1d(4, 9, 3, (1,))", "nn.Conv1d(4, 9, 3, pad_mode='pad', padding=(1,))",
    "nn.Conv1d(4, 9, 3, pad_mode='full')",
    "nn.Conv1d(4, 9, 3)(img)", "nn.Conv1d(4, 9, 3)(sig[0])", "nn.Conv1d(4, 9, -1)",
    "nn.Conv3d(2, 6, 3, pad_mode='pad', padding=(1, 1, 1))", "nn.Conv3d(2, 6, (3, 3))", "nn.Conv3d(2, 6, 3, padding=1)",
    "nn.Conv3d(2, 6, 3, group=4)", "nn.Conv3d(2, 6, 3, data_format='NCHW')", "nn.Conv3d(2, 6, 3, data_format='NDHWC')",
    *[
        f"nn.Conv2dTranspose({arguments})"
        for arguments in (
            "4, 8, 3, padding=(1, 1)", "4, 8, 3, padding=1", "4, 8, 3, output_padding=(1,)",
            "4, 8, 3, output_padding='a'", "4, 8, 3, pad_mode='full'", "4, 7, 3, group=2",
        )
    ],
    f"{_BACK}, 2, 'same', 0, 1, {_BACK_KERNEL}", f"{_BACK}, 2, 'pad', 1, 2, {_BACK_KERNEL}",
    f"{_BACK}, weight_init=ker)(img[0])", "nn.Conv1dTranspose(4, 9, 3, 2)(img)",
    "nn.Conv1dTranspose(4, 9, 3, padding=1)",
    "nn.Conv1dTranspose(4, 9, (3,))", "nn.Conv3dTranspose(3, 2, (2, 3, 3), 2, 'pad', 1, output_padding=2)",
    "nn.Conv3dTranspose(3, 2, (2, 3, 3), 2, 'valid', output_padding=1)",
]  # fmt: skip

# Here a wrong length or shape is always a ValueError.
_OTHER_ERRORS = (
    "nn.Conv2d(4, 3, (3, 3, 3))",
    "nn.Conv2d(4, 3, 3, weight_init=ker)(img[:, :3])",
    f"{_BACK}, weight_init=ker)(img)",
)
CASES += _OTHER_ERRORS
DIFFERENCES = {
    expression: ("the type of the error follows from what is wrong", {"error": "ValueError"})
    for expression in _OTHER_ERRORS
}
