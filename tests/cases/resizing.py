"""Images, sequences and volumes read at other places and in other sizes."""

_VOLUME = "sig.reshape((1, 2, 2, 4, 4))"
_PLACES = "Tensor((np.arange(48) * 7 % 48 / 20 - 1.213).astype(np.float32).reshape((2, 3, 4, 2)))"
_SPOTS = "Tensor((np.arange(36) * 7 % 36 / 15 - 1.213).astype(np.float32).reshape((1, 2, 3, 2, 3)))"
_IMAGE = "img[:, :2, :4, :3]"
_LAST = "img.transpose(0, 2, 3, 1)[:, :4, :3, :2]"
_MAPS = "z.reshape((4, 2, 3)) / 3"

CASES = [
    *[
        f"ops.grid_sample(img, {_PLACES}, {mode!r}, {outside!r}, {corners})"
        for mode in ("bilinear", "nearest")
        for outside in ("zeros", "border", "reflection")
        for corners in (True, False)
    ],
    *[
        f"ops.grid_sample({_VOLUME}, {_SPOTS}, {mode!r}, {outside!r}, True)"
        for mode in ("bilinear", "nearest")
        for outside in ("zeros", "border", "reflection")
    ],
    f"ops.grid_sample(img, {_PLACES})",
    f"ops.grid_sample(img, {_PLACES}, padding_mode='wrap')", f"ops.grid_sample(img, {_PLACES}, align_corners=1)",
    f"ops.grid_sample(img, {_SPOTS})", f"ops.grid_sample(img, {_PLACES}.astype(ms.float64))",
    f"ops.GridSampler2D('nearest', 'border', True)(img, {_PLACES})", f"ops.GridSampler3D()({_VOLUME}, {_SPOTS})",
    f"ops.affine_grid({_MAPS}, (4, 1, 3, 2))", f"ops.affine_grid({_MAPS}, (4, 1, 3, 2), True)",
    "ops.affine_grid(z.reshape((2, 3, 4)), (2, 1, 2, 3, 2))",
    "ops.AffineGrid(True)(z.reshape((2, 3, 4)), (2, 1, 2, 3, 2))",
    f"ops.affine_grid({_MAPS}, (3, 1, 3, 2))", f"ops.affine_grid({_MAPS}, 3)", f"ops.affine_grid({_MAPS}, (4, 1, 3))",
    *[
        f"ops.interpolate({given}, {size}, mode={mode!r}{more})"
        for given, sizes, modes in (
            ("sig", ("5", "(12,)"), ("nearest", "linear")),
            (_IMAGE, ("(5, 7)", "(3, 2)"), ("nearest", "area", "bilinear", "nearest-exact")),
            # fractions that are exact in MindSpore's table of weights
            (_IMAGE, ("(8, 6)", "(2, 12)"), ("bicubic",)),
            (_VOLUME, ("(3, 5, 2)",), ("nearest", "area", "trilinear")),
        )
        for size in sizes
        for mode in modes
        for more in ("", ", align_corners=True")
        if "linear" in mode or not more
    ],
    f"ops.interpolate({_IMAGE}, (7, 5), mode='bicubic', align_corners=True)",
    f"ops.interpolate({_VOLUME}, scale_factor=(1.5, 2.0, 0.5))", "ops.interpolate(sig, 2, mode='area')",
    f"ops.interpolate({_IMAGE}, scale_factor=1.5, mode='bilinear', recompute_scale_factor=True)",
    "ops.interpolate(sig, 5, mode='bilinear')", "ops.interpolate(sig, 5, 2.0)", "ops.interpolate(sig)",
    "ops.interpolate(sig, 5, mode='cubic')", "ops.interpolate(sig, (5, 5))", "ops.interpolate(x, 5)",
    "ops.interpolate(sig, 5, align_corners=True)", "ops.interpolate(sig, 0)", "ops.interpolate(sig, 5, mode=1)",
    "ops.interpolate(sig, 5, mode='linear', align_corners=1)",
    *[
        f"ops.{name}({flags})({_IMAGE}, {size})"
        for name in ("ResizeBilinearV2", "ResizeNearestNeighborV2")
        for flags in ("", "True", "False, True", "True, True")
        for size in ("(5, 7)", "Tensor([3, 1], ms.int32)")
    ],
    *[
        f"ops.ResizeBicubic({flags})({_IMAGE}, {size})"
        for flags, size in (
            ("", "(8, 6)"), ("", "Tensor([2, 12], ms.int32)"), ("False, True", "(8, 12)"), ("True", "(7, 5)"),
            ("True, True", "(8, 6)"),
        )
    ],
    *[f"ops.ResizeNearestNeighbor((5, 2), {flags})({_IMAGE})" for flags in ("False", "True")],
    f"ops.ResizeBilinearV2()({_IMAGE}, (5,))", "ops.ResizeBilinearV2()(sig, (5, 5))",
    "ops.ResizeLinear1D()(sig, (5,))", "ops.ResizeLinear1D('half_pixel')(sig, (12,))",
    *[f"ops.ResizeArea({flag})({_LAST}, Tensor({size}, ms.int32))" for flag in ("",
    "True") for size in ([2, 5], [3, 3])],
    f"ops.UpsampleNearest3D()({_VOLUME}, (3, 5, 2))", f"ops.UpsampleNearest3D()({_VOLUME}, None, [1.5, 2.0, 0.5])",
    f"ops.UpsampleTrilinear3D()({_VOLUME}, (3, 5, 2))", f"ops.UpsampleTrilinear3D(True)({_VOLUME}, [3, 5, 2])",
    f"ops.UpsampleTrilinear3D()({_VOLUME}, None, (1.5, 2.0, 0.5))", f"ops.UpsampleNearest3D()({_VOLUME})",
    f"ops.UpsampleNearest3D()({_VOLUME}, (3, 5))", "ops.UpsampleNearest3D()(img, (3, 5, 2))",
    f"ops.UpsampleNearest3D()({_VOLUME}, 3)", f"ops.UpsampleNearest3D()({_VOLUME}, (3, 5, 0))",
    *[
        f"ops.ScaleAndTranslate({kernel!r}, {smooth})({_LAST}, Tensor([3, 5], ms.int32), {scale}, Tensor([0.45, -0.7]))"
        for kernel in (
            "lanczos1", "lanczos3", "lanczos5", "gaussian", "box", "triangle", "keyscubic", "mitchellcubic",
        )
        for smooth, scale in ((True, "Tensor([0.6, 1.7])"), (False, "Tensor([0.6, 1.7])"))
    ],
    f"ops.ScaleAndTranslate('cubic')({_LAST}, Tensor([3, 5], ms.int32), Tensor([0.6, 1.7]), Tensor([0.45, -0.7]))",
]  # fmt: skip
