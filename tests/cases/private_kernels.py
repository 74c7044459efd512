"""Primitives of MindSpore's private modules that have kernels on a CPU: recurrent layers, regions, rows, transforms."""

_CROPS = "Tensor([[0, 0, 0.5, 0.5], [0.2, 0.1, 0.9, 0.8]], ms.float32), Tensor([0, 1], ms.int32)"
_IMAGES = "img.reshape((2, 6, 6, 4))"
_ROIS = "Tensor([[[0], [1.3], [2.6], [6.9], [7.2]], [[1], [0], [0], [3], [3]]], ms.float32)"
_UNUSED = "v[:1], v[:1]"
_GRU = "wave(4, 2, 3), wave(1, 2, 2), wave(36, 1, 1), Tensor([4, 2], ms.int32)"
_GRU_RUN = f"K.GRUV2(3, 2, 1, True, False, 0.0)({_GRU})"
_LSTM = "wave(4, 2, 3), wave(2, 2, 2), wave(2, 2, 2) / 2, wave(80, 1, 1)"
_LSTM_RUN = f"ops.LSTM(3, 2, 1, False, True, 0.0)({_LSTM})"
_CTC = "wave(4, 2, 3) - 2, Tensor([[1, 2], [2, 1]], ms.int32), Tensor([4, 3], ms.int32), Tensor([2, 1], ms.int32)"
_ROWS = "Tensor([[1.0, 2.0]], ms.float32), Tensor([1], ms.int32)"
_NUMBERS = "Tensor(0.1, ms.float32), Tensor(0.2, ms.float32), Tensor(0.3, ms.float32)"
_CELL = "Parameter(wave(2, 2) + 2)"

CASES = [
    f"{_GRU_RUN}[:2]", f"{_LSTM_RUN}[:3]",
    "ops.LSTM(3, 2, 1, True, True, 0.0, 1)(wave(4, 2, 3), wave(2, 2, 1), wave(2, 2, 2), wave(84, 1, 1))[:3]",
    "ops.LSTM(3, 4, 1, False, False, 0.0, 2)(wave(4, 2, 3), wave(1, 2, 2), wave(1, 2, 4), wave(88, 1, 1))[:3]",
    "ops.LSTM(3, 2, 1, True, False, 0.0)(wave(4, 2, 3), wave(1, 2, 2), wave(1, 2, 2), wave(48, 1, 1))[:3]",
    f"K.GRUV2Grad(3, 2, 1, True, False, 0.0)({_GRU}, *{_GRU_RUN}[:2], wave(4, 2, 2), wave(1, 2, 2), {_GRU_RUN}[2])",
    f"K.LSTMGrad(3, 2, 1, False, True, 0.0)({_LSTM}, *{_LSTM_RUN}[:3], wave(4, 2, 4), wave(2, 2, 2), wave(2, 2, 2),"
    f" {_LSTM_RUN}[3])",
    f"K.CTCLossV2Grad(0)(v[:2], {_CTC}, *ops.CTCLossV2(0)({_CTC}))",
    f"K.CropAndResizeGradImage(ms.float32)(wave(2, 3, 3, 4), {_CROPS}, Tensor([2, 6, 6, 4], ms.int32))",
    f"K.CropAndResizeGradImage(ms.float32, 'nearest')(wave(2, 3, 3, 4), {_CROPS}, Tensor([2, 6, 6, 4], ms.int32))",
    f"K.CropAndResizeGradBoxes()(wave(2, 3, 3, 4), {_IMAGES}, {_CROPS})",
    f"K.ResizeV2()(img[:, :, :1], {_UNUSED}, Tensor([2, 4, 1, 4]))",
    f"K.ResizeV2('align_corners', 'linear')(img[:, :, :1], {_UNUSED}, Tensor([2, 4, 1, 9]))",
    f"K.ResizeV2('half_pixel', 'linear')(img[:, :, :1], {_UNUSED}, Tensor([2, 4, 1, 4]))",
    f"K.ResizeV2('half_pixel', 'cubic')(img, {_UNUSED}, Tensor([2, 4, 3, 9]))",
    f"K.ResizeV2('align_corners', 'cubic')(img, {_UNUSED}, Tensor([2, 4, 3, 9]))",
    f"K.ResizeV2()(img, {_UNUSED}, Tensor([2, 4, 3, 3]))",
    f"K.ResizeV2('align_corners')(img[:, :, :1], {_UNUSED}, Tensor([2, 4, 1, 4]))",
    f"K.ResizeV2('asymmetric')(img[:, :, :1], {_UNUSED}, Tensor([2, 4, 1, 4]))",
    f"K.ResizeV2Grad()(img[:, :, :1], {_UNUSED}, Tensor([2, 4, 1, 4]))",
    f"K.ResizeV2Grad('align_corners', 'linear')(img[:, :, :1], {_UNUSED}, Tensor([2, 4, 1, 4]))",
    f"K.ResizeV2Grad('half_pixel', 'cubic')(img, {_UNUSED}, Tensor([2, 4, 3, 4]))",
    f"K.PSROIPooling(0.7, 2, 1)(img, {_ROIS})", f"K.PSROIPoolingGrad(6, 0.7, 2, 1)(wave(2, 1, 2, 2), {_ROIS})",
    f"K.PSROIPoolingGrad((6, 6), 0.7, 2, 1)(wave(2, 1, 2, 2), {_ROIS})",
    "K.SparseAddGrad()(v, Tensor([[0, 0], [1, 1]]), Tensor([[0, 0], [1, 2]]), Tensor([[0, 0], [1, 1], [1, 2]]))",
    f"K.SparseApplyAdagradDA()({_CELL}, {_CELL}, {_CELL}, {_ROWS}, {_NUMBERS}, Tensor(2, ms.int64))",
    f"K.SparseApplyCenteredRMSProp()({_CELL}, Parameter(wave(2, 2) / 9), {_CELL}, {_CELL}, {_NUMBERS}, s, {_ROWS})",
    f"K.SparseApplyMomentum()({_CELL}, {_CELL}, s, {_ROWS}, s)",
    f"K.SparseApplyMomentum(False, True)({_CELL}, {_CELL}, s, {_ROWS}, s)",
    f"K.SparseApplyProximalGradientDescent()({_CELL}, {_NUMBERS}, {_ROWS})",
    "K.LstsqV2()(m[:, :2], m[:, 2:], None)", "K.LstsqV2()(m[:, :2], m[:, 2:], 'gelsd')",
    "K.FFTShapeCopy()(x, (2, 5))", "K.FFTShapeCopy()(x, (1, 2))", "K.FFTOrtho()(x, (0, 1), True)",
    "K.FFTOrtho()(x, (1,), False)", "K.FFTOrtho()(x, None, True)", "K.IRFFTDouble()(w, 2, -1)",
    "K.IRFFTDouble()(w, 3, 0)", "K.AsStrided()(x, (2, 2), (1, 1))",
    "K.PadAndShift()(Tensor([9, 13, -1, -1, -1, -1, -1, -1]), Tensor([0, 3, 5, 8]), Tensor(1))",
    f"K.UpdateCache()({_CELL}, Tensor([0, 2], ms.int32), x[:, :2], Tensor(2))",
    "K.DynamicBroadcastGradientArgs()((4, 2, 3), (3,))", "K.DynamicBroadcastGradientArgs()((2, 1), (1, 3))",
    "K.DynamicBroadcastGradientArgs()(Tensor([2, 3]), Tensor([3]))",
    "K.TileSize()((2, 3), (4, 3), 2)", "K.TileSize()((1, 1), (4, 7), 2)", "K.ListAppendAndInsertGrad()([1, 2, 3], 1)",
    *[
        f"K.IsSubClass()({of}, {kind})"
        for of, kind in (
            ("ms.int32", "ms.number"), ("ms.int32", "ms.int_"), ("ms.float32", "ms.int_"), ("ms.bool_", "ms.number"),
            ("ms.number", "ms.int_"), ("ms.int32", "ms.int32"), ("ms.int32", "ms.int64"), ("ms.uint8", "ms.uint"),
            ("ms.uint8", "ms.int_"), ("ms.complex64", "ms.number"),
        )
    ],
    *[
        f"K.IsInstance()({value}, {kind})"
        for value, kind in (
            ("3", "ms.int_"), ("3.5", "ms.int_"), ("3.5", "ms.number"), ("True", "ms.int_"), ("True", "ms.bool_"),
            ("(1,)", "ms.tuple_"), ("[1]", "ms.list_"), ("x", "ms.tensor_type"), ("x", "ms.int32"), ("3", "int"),
        )
    ],
]  # fmt: skip
