"""Layers for images. Those that compare images run only as graphs in MindSpore."""

_PAIR = "img, img * img * 0.3"


def _graph(layer: str, images: str = _PAIR) -> str:
    return f"ms.jit(nn.{layer})({images})"


CASES = [
    *[
        f"nn.{case}"
        for case in (
            "PixelShuffle(2)(img)", "PixelShuffle(2)(img[0])", "PixelShuffle(1)(img)", "PixelShuffle(2)(img.int())",
            "PixelShuffle(2)(img.reshape((1, 2, 4, 6, 6)))", "PixelShuffle(3)(img)", "PixelShuffle(2)(x)",
            "PixelShuffle(0)(img)", "PixelShuffle('a')(img)", "PixelUnshuffle(2)(img)", "PixelUnshuffle(3)(img[0])",
            "PixelUnshuffle(2)(img.reshape((2, 2, 2, 6, 6)))", "PixelUnshuffle(4)(img)", "PixelUnshuffle(2)(x)",
            "PixelUnshuffle(-1)(img)", "ChannelShuffle(2)(img)", "ChannelShuffle(4)(sig)", "ChannelShuffle(3)(z)",
            "ChannelShuffle(3)(img)", "ChannelShuffle(0)", "ChannelShuffle(1.5)", "ChannelShuffle('a')",
            "Upsample(4)(sig)", "Upsample((3, 9))(img)", "Upsample(scale_factor=2.0, recompute_scale_factor=True)(img)",
            "Upsample(size=(9, 5), mode='bilinear', align_corners=True)(img)", "Upsample()(img)",
            "Upsample(size=2, scale_factor=2.0)(img)", "Upsample(size=6, mode='x')(img)",
            "Unfold([1, 2, 2], [1] * 4, [1] * 4)", "Unfold((1, 2, 2, 2), [1] * 4, [1] * 4)",
            "Unfold((1, 2, 0, 1), [1] * 4, [1] * 4)", "Unfold((1, 2, 2.0, 1), [1] * 4, [1] * 4)",
            "Unfold(2, [1] * 4, [1] * 4)", "Unfold([1] * 4, [1] * 4, 2)", "Unfold([1] * 4, [1, 0, 1, 1], [1] * 4)",
            "Unfold([1] * 4, [1] * 4, [1] * 4, 'x')", "Unfold([1] * 4, [1] * 4, [1] * 4, 1)",
            *[
                f"CentralCrop({part})(img[:, :, :{height}, :{width}])"
                for part in (0.01, 0.3, 0.34, 0.5, 0.7, 0.9, 1.0)
                for height, width in ((6, 6), (5, 3))
            ],
            "CentralCrop(0.5)(img[0])", "CentralCrop(0.5)(img.astype(ms.int32))", "CentralCrop(0.5)(x)",
            "CentralCrop(1)", "CentralCrop(0.0)", "CentralCrop(1.5)", "CentralCrop('a')", "ImageGradients()(img)",
            "ImageGradients()(img.astype(ms.int32))", "ImageGradients()(img.astype(ms.float16))",
            "ImageGradients()(z)", "PSNR(0)", "PSNR('a')", "PSNR(-1.0)", "SSIM('a')", "SSIM(0)", "SSIM(1.0, 0)",
            "SSIM(1.0, 1.0)", "SSIM(1.0, 11, 1)", "SSIM(1.0, 11, 0.0)", "SSIM(1.0, 11, 1.5, 1)",
            "SSIM(1.0, 11, 1.5, 0.01, 1)", "MSSSIM(power_factors=3)", "MSSSIM(power_factors=('a',))",
            "MSSSIM('a')", "MSSSIM(filter_size=0)", "SSIM(filter_size=3).conv.weight",
            "SSIM(filter_size=4, filter_sigma=0.5).conv.weight", "SSIM().trainable_params()",
            "MSSSIM().trainable_params()",
        )
    ],
    "list(nn.SSIM().parameters_dict())", "list(nn.MSSSIM().parameters_dict())",
    _graph("PSNR()"), _graph("PSNR(255)"), _graph("PSNR()", "img, img"),
    _graph("PSNR()", "img.astype(ms.float16), (img * 0.9).astype(ms.float16)"),
    _graph("PSNR(255)", "(img * 40 + 100).astype(ms.uint8), (img * 30 + 100).astype(ms.uint8)"),
    _graph("PSNR()", "img, img[:1]"), _graph("PSNR()", "img, img.astype(ms.float16)"), _graph("PSNR()", "z, z"),
    _graph("SSIM(filter_size=3)"), _graph("SSIM(255, 5, 2.0, 0.02, 0.05)", "img * 100, img * 90 + 10"),
    _graph("SSIM(filter_size=4)", "img.astype(ms.float16), (img * 0.9).astype(ms.float16)"),
    _graph("SSIM(filter_size=6)", "img, img"), _graph("SSIM()"), _graph("SSIM(filter_size=3)", "z, z"),
    _graph("SSIM(filter_size=3)", "img.astype(ms.int32), img.astype(ms.int32)"),
    _graph("SSIM(filter_size=3)", "img, img[:1]"), _graph("MSSSIM(power_factors=(0.5,), filter_size=3)"),
    _graph("MSSSIM(power_factors=(0.5, 0.3), filter_size=3)", "img + 2, img * 0.9 + 2"),
    _graph("MSSSIM(255, [0.2, 1], 2, 0.7, 0.05, 0.1)", "img + 20, img * 2 + 20"), _graph("MSSSIM(filter_size=7)"),
]  # fmt: skip

DIFFERENCES = {
    "nn.ChannelShuffle(3)(img)": (
        "a number of groups that does not divide the number of channels is an error, as documented",
        {"error": "ValueError"},
    ),
}
