"""Kernels of gradients: each with inputs as its forward operation would have.

`K` has the primitives that MindSpore keeps in private modules.
"""

_SIG = "sig.reshape((1, 4, 4, 4))"
_POOLED = "img[:, :, :3, :3]"
_VOL = "img.reshape((1, 2, 4, 6, 6))"
_GRID = "ker.reshape((54, 2))[:18].reshape((2, 3, 3, 2))"
_ARGMAX = "ops.MaxPoolWithArgmaxV2(2, 2)(img)[1]"
_MEAN, _VARIANCE = "Tensor(img.asnumpy().mean((0, 2, 3)))", "Tensor(img.asnumpy().var((0, 2, 3)))"
_GROUPS = "Tensor(img.asnumpy().reshape(2, 2, -1)"
_OFFSETS = "Tensor((np.arange(12 * 9) % 7 * 0.31 - 0.83).astype(np.float32).reshape((1, 12, 3, 3)))"
_SEGMENTS = "Tensor([0, 2, 1, 0], ms.int32), Tensor([0, 0, 1, 2], ms.int32), Tensor(3, ms.int32)"

# Functions of one tensor: by the input, or by the output.
_UNARY = [
    "K.ACosGrad()(p, x)", "K.AbsGrad()(x, y)", "K.AcoshGrad()(q, x)", "K.AsinGrad()(p, x)", "K.AsinhGrad()(y, x)",
    "K.AtanGrad()(x, y)", "K.EluGrad()(y, x)", "K.FastGeLUGrad()(y, x)", "K.GeLUGrad()(y, x, ops.GeLU()(x))",
    "K.HShrinkGrad()(y, x)", "K.HShrinkGrad(0.9)(y, x)", "K.HSigmoidGrad()(y, x)", "K.HSwishGrad()(y, x)",
    "K.InvGrad()(q, y)", "K.LogitGrad()(y, p)", "K.LogitGrad(0.3)(y, p)", "K.MvlgammaGrad(2)(y, q)",
    "K.ReLU6Grad()(y, 4 * x)", "K.ReciprocalGrad()(q, y)", "K.ReluGrad()(y, x)", "K.RsqrtGrad()(q, y)",
    "K.SeluGrad()(y, x)", "K.SiLUGrad()(y, x)", "K.SigmoidGrad()(p, y)", "K.SoftShrinkGrad()(y, x)",
    "K.SoftShrinkGrad(0.2)(y, x)", "K.SoftplusGrad()(y, x)", "K.SqrtGrad()(q, y)", "K.TanhGrad()(p, y)",
    "K.SoftmaxGrad()(p, y)", "K.LogSoftmaxGrad()(ops.LogSoftmax()(x), y)",
    "K.LogSoftmaxGrad(0)(ops.LogSoftmax(0)(x), y)",
    "K.IgammaGradA()(q, p)", "K.RandomGammaGrad()(q, p)", "K.ReluGrad()(h, h)", "K.ReluGrad()(d, d)",
    "K.ReluGrad()(i, j)", "K.TanhGrad()(h, h)", "K.SqrtGrad()(d, d)", "K.SigmoidGrad()(h, h)", "K.AbsGrad()(i, j)",
    "K.ReLU6Grad()(h, h)", "K.ReciprocalGrad()(d, d)", "K.HShrinkGrad()(h, h)", "K.EluGrad()(h, h)",
    "K.GeluGradExt()(y, x)", "K.GeluGradExt()(y, x, 'tanh')", "K.EluGradExt()(y, x)", "K.EluGradExt()(y, x, 0.5, True)",
    "K.HardtanhGrad()(y, x)", "K.HardtanhGrad()(y, x, -0.3, 0.6)", "K.LeakyReLUGradExt()(y, x, 0.2)",
    "K.LeakyReLUGradExt()(y, x)", "K.MishGradExt()(y, x)", "K.SoftplusGradExt()(y, x)",
    "K.SoftplusGradExt()(y, x, 2, 1)", "K.ThresholdGrad()(y, x, 0.3)", "K.LogSigmoidGrad()(y, x, x)",
    "K.SoftmaxBackward()(y, p)", "K.SoftmaxBackward()(y, p, 0)", "K.SwigluGrad()(m[:, :2], m)",
    "K.SwigluGrad()(x[:1], x, 0)", "K.GluGrad(1)(m[:, :2], m)", "K.GluGrad(-1)(m[:, :2], m)",
    "K.DropoutGrad(0.5)(x, y)", "K.BiasAddGrad()(i)", "K.MaximumGrad()(i, k.astype(ms.int32), j)",
    "K.MinimumGrad()(i, k.astype(ms.int32), j)", "K.BiasAddGrad()(u)",
    "K.SparseFillEmptyRowsGrad()(Tensor([0, 2], ms.int64), k.astype(ms.int32))",
    "K.SmoothL1LossGrad(0.5, 'mean')(x, y, s.reshape((1,)))", "K.KLDivLossGrad('mean')(s.reshape((1,)), x, p)",
    "ops.Sign()(w)", "K.PReLUGrad()(x, y, v)",
    "K.L2NormalizeGrad(1)(x, ops.L2Normalize(1)(x), y)", "K.L2NormalizeGrad([0])(x, ops.L2Normalize(0)(x), y)",
]  # fmt: skip

_ARITHMETIC = [
    "K.MaximumGrad()(x, y, p)", "K.MaximumGrad()(x, v, p)", "K.MaximumGrad(True, False)(x, y, p)",
    "K.MaximumGrad(False, True)(x, y, p)", "K.MaximumGrad()(x, x, p)", "K.MaximumGrad()(i, j, j)",
    "K.MinimumGrad()(x, y, p)", "K.MinimumGrad()(x[:1], y, p)", "K.MinimumGrad()(x, x, p)",
    "K.MinimumGrad()(i, j, j)", "K.MinimumGrad()(d, d + 1, d)", "K.MaximumGrad()(h, h + 1, h)",
    "K.MaximumGradGrad()(x, y, p, q)", "K.MinimumGradGrad()(x, y, p, q)[2]",
    "K.CdistGrad(2.0)(x[:, :2], x, y, ops.Cdist(2.0)(x, y))",
    "K.CdistGrad(1.0)(x[:, :2], x, y, ops.Cdist(1.0)(x, y))",
    "K.PdistGrad(2.0)(v, x.reshape((3, 2)), ops.Pdist(2.0)(x.reshape((3, 2))))",
    "K.PdistGrad(1.0)(v, x.reshape((3, 2)), ops.Pdist(1.0)(x.reshape((3, 2))))",
    "K.CholeskyGrad()(ops.Cholesky()(Tensor(np.eye(2, dtype=np.float32) * 3 + 1)), x[:, :2])",
    "K.LstsqV2Grad()(m[:2], m[:, :2], m)", "K.TraceGrad()(s, Tensor([2, 3]))",
    "K.EinsumGrad('ij,jk->ik')((x, m), z[:, 0])", "K.TraceV2Grad()(v, (2, 2, 3), 0, 0, 1)",
    "K.BiasAddGrad()(img)", "K.BiasAddGrad()(x)", "K.BiasAddGrad('NHWC')(img)",
    "K.LuUnpackGrad(True, True)(x[:, :2], y[:, :2], p[:, :2])",
]  # fmt: skip

_SHAPES = [
    "K.FlattenGrad()(x, (3, 2))", "K.SliceGrad()(x[:1, :2], y, (1, 0), (1, 2))",
    "K.StridedSliceGrad()(x[:, :2], (2, 3), (0, 0), (2, 3), (1, 2))",
    "K.StridedSliceGrad(shrink_axis_mask=1)(v, (2, 3), (1, 0), (2, 3), (1, 1))",
    "K.MirrorPadGrad('REFLECT')(img[0, 0], Tensor([[1, 1], [2, 1]]))",
    "K.MirrorPadGrad('SYMMETRIC')(img[0, 0], Tensor([[1, 1], [2, 1]]))",
    "K.PadV3Grad('reflect')(img, Tensor([1, 1, 2, 1]))", "K.PadV3Grad('edge')(img, Tensor([1, 1, 2, 1]))",
    "K.PadV3Grad('circular')(img, Tensor([1, 1, 2, 1]))",
    "K.ReflectionPad1DGrad()(sig, sig[:, :, :5], (1, 2))",
    "K.ReflectionPad2DGrad()(img, img[:, :, :3, :3], (1, 2, 2, 1))",
    "K.ReplicationPad1DGrad()(sig, sig[:, :, :5], (1, 2))",
    "K.ReplicationPad2DGrad()(img, img[:, :, :3, :3], (1, 2, 2, 1))",
    f"K.ReplicationPad3DGrad()({_VOL}, {_VOL}[:, :, :3, :4, :3], (1, 2, 1, 1, 1, 0))",
    f"K.ReflectionPad3DGrad()({_VOL}, {_VOL}[:, :, :3, :4, :3], (1, 2, 1, 1, 1, 0))",
    "K.GatherDGradV2()(x, 1, Tensor([[0, 2], [1, 1]]), y[:, :2])",
    "K.MaskedSelectGrad()(x, b, Tensor([1.0, 2.0, 3.0], ms.float32))",
    "K.UniqueGrad()((v, v), (v, Tensor([0, 2, 1, 2], ms.int32)))",
    "K.RepeatInterleaveGrad()(x, Tensor([1, 2]), 1)", "K.EmbeddingDenseBackward()(x, Tensor([1, 0]), 4)",
    "K.EmbeddingDenseBackward()(x, Tensor([1, 1]), 4, 1)",
    "K.EmbeddingDenseBackward()(x, Tensor([1, 1]), 4, None, True)",
    "K.MedianGrad(True)(s, x, ops.Median(True)(x)[0], ops.Median(True)(x)[1])",
    "K.MedianGrad(False, 1)(x[:, 0], x, ops.Median(False, 1)(x)[0], ops.Median(False, 1)(x)[1])",
    "K.MedianGrad(False, 1, True)(x[:, :1], x, ops.Median(False, 1, True)(x)[0], ops.Median(False, 1, True)(x)[1])",
    "K.SparseSegmentMeanGrad()(m[:3], Tensor([0, 2, 1, 0], ms.int32), Tensor([0, 0, 1, 2], ms.int32), "
    "Tensor(3, ms.int32))",
    f"K.SparseSegmentSumGrad()(m, {_SEGMENTS})", f"K.SparseSegmentSqrtNGrad()(m, {_SEGMENTS})",
    "K.SparseFillEmptyRowsGrad()(Tensor([0, 2], ms.int64), v)",
    "K.SparseSliceGrad()(v, Tensor([[0, 1], [1, 0], [1, 2], [2, 0]]), Tensor([0, 0]), Tensor([[0, 1], [1, "
    "0], [1, 2]]))",
    "K.Col2ImGrad()(sig.reshape((1, 2, 4, 8)), (2, 2), (1, 1), (0, 0), (1, 1))",
    "K.AffineGridGrad()(ker.reshape((54, 2))[:18].reshape((2, 3, 3, 2)), (2, 3, 3, 3))",
]  # fmt: skip

_LOSSES = [
    "K.BinaryCrossEntropyGrad()(p, c.astype(ms.float32), s, q)",
    "K.BinaryCrossEntropyGrad('none')(p, c.astype(ms.float32), y, q)",
    "K.BinaryCrossEntropyGrad('sum')(p, c.astype(ms.float32), s)", "K.KLDivLossGrad('mean')(s, x, p)",
    "K.KLDivLossGrad('none')(y, x, p)", "K.KLDivLossGrad('sum')(s, x, p)", "K.KLDivLossGrad('batchmean')(s, x, p)",
    "K.KLDivGrad()(s, x, p)", "K.KLDivGrad()(y, x, p, 'none', True)", "K.L1LossBackwardExt()(s, x, y)",
    "K.L1LossBackwardExt()(p, x, y, 'none')", "K.MSELossGradExt()(s, x, y)", "K.MSELossGradExt()(p, x, y, 'none')",
    "K.MultiMarginLossGrad()(s, x, Tensor([1, 0]))", "K.MultiMarginLossGrad(2, 0.5, 'sum')(s, x, Tensor([1, 0]), v)",
    "K.MultilabelMarginLossGrad()(s, x, Tensor([[1, -1, 0], [0, 2, -1]], ms.int32), Tensor([[0, 1, 0], [1, "
    "0, 1]], ms.int32))",
    "K.NLLLossGrad()(logits, s, labels, logits[0], s)",
    "K.NLLLossGrad('none')(logits, logits[:, 0], labels, logits[0], s)",
    "K.NLLLossGrad('sum', 4)(logits, s, labels, logits[0], s)",
    "K.SigmoidCrossEntropyWithLogitsGrad()(x, p, y)", "K.SmoothL1LossGrad()(x, y, p)",
    "K.SmoothL1LossGrad(0.5, 'mean')(x, y, s)", "K.SmoothL1LossGrad(0.5, 'sum')(x, y, s)",
    "K.SoftMarginLossGrad()(x, ops.sign(y), s)", "K.SoftMarginLossGrad('none')(x, ops.sign(y), p)",
    "K.BinaryCrossEntropyWithLogitsBackward()(s, x, p, v, v)",
    "K.BinaryCrossEntropyWithLogitsBackward()(y, x, p, None, None, 'none')",
    "K.NLLLoss2dGrad()(s, img, Tensor(np.ones((2, 6, 6)), ms.int64), Tensor(np.ones(4), ms.float32), 'mean', -100, s)",
]  # fmt: skip

_POOLING = [
    f"K.AvgPoolGrad(2, 2)(img, {_POOLED}, {_POOLED})", f"K.AvgPoolGrad(3, 2, 'SAME')(img, {_POOLED}, {_POOLED})",
    f"K.MaxPoolGrad(2, 2)(img, ops.MaxPool(2, 2)(img), {_POOLED})",
    f"K.MaxPoolGrad(3, 2, 'SAME')(img, ops.MaxPool(3, 2, 'SAME')(img), {_POOLED})",
    "K.MaxPoolGradGrad(2, 2)(img, ops.MaxPool(2, 2)(img), img)",
    "K.MaxPoolGradGrad(3, 2, 'SAME')(img, ops.MaxPool(3, 2, 'SAME')(img), img)",
    f"K.MaxPoolGradWithArgmax(2, 2)(img, {_POOLED}, ops.MaxPoolWithArgmax(2, 2)(img)[1])",
    "K.MaxPoolGradGradWithArgmax(2, 2)(img, img, ops.MaxPoolWithArgmax(2, 2)(img)[1])",
    f"K.MaxPoolGradWithArgmaxV2(2, 2)(img, {_POOLED}, {_ARGMAX})",
    f"K.MaxPoolGradWithArgmaxV2(2, 2, 0, argmax_type=ms.int32)(img, {_POOLED}, {_ARGMAX}.astype(ms.int32))",
    f"K.MaxPoolGradWithIndices(2, 2)(img, {_POOLED}, {_ARGMAX})",
    f"K.MaxPool3DGrad(2, 2)({_VOL}, ops.MaxPool3D(2, 2)({_VOL}), {_VOL}[:, :, :2, :3, :3])",
    f"K.MaxPool3DGradGrad(2, 2)({_VOL}, ops.MaxPool3D(2, 2)({_VOL}), {_VOL})",
    f"K.MaxPool3DGradWithArgmax((2, 2, 2), (2, 2, 2), (0, 0, 0))({_VOL}, {_VOL}[:, :, :2, :3, :3], "
    f"ops.MaxPool3DWithArgmax((2, 2, 2), (2, 2, 2), (0, 0, 0))({_VOL})[1])",
    f"K.AvgPool3DGrad(2, 2)((1, 2, 4, 6, 6), {_VOL}[:, :, :2, :3, :3])",
    f"K.AvgPool3DGrad(2, 2, pad_mode='same')((1, 2, 4, 6, 6), {_VOL}[:, :, :2, :3, :3])",
    f"K.AvgPool3DGrad(3, 2, 1, count_include_pad=False)((1, 2, 4, 6, 6), {_VOL}[:, :, :2, :3, :3])",
    "K.AdaptiveAvgPool2DGrad()(img[:, :, :3, :2], Tensor([2, 4, 6, 6]))",
    "K.AdaptiveAvgPool2DGrad()(img[:, :, :3, :2], (2, 4, 6, 6))",
    f"K.AdaptiveAvgPool3DGrad()({_VOL}[:, :, :2, :3, :2], Tensor([1, 2, 4, 6, 6], ms.int32))",
    "K.AdaptiveMaxPool2DGrad()(img[:, :, :3, :2], img, ops.AdaptiveMaxPool2D((3, 2))(img)[1])",
    f"K.AdaptiveMaxPool3DGrad()({_VOL}[:, :, :2, :3, :2], {_VOL}, "
    f"ops.AdaptiveMaxPool3D()({_VOL}, Tensor([2, 3, 2], ms.int32))[1])",
    f"K.MaxUnpool2DGrad((1, 1, 2, 2), (1, 1, 2, 2))({_POOLED}, img, {_ARGMAX})",
    "K.FractionalMaxPoolGrad()(img[:1, :1].reshape((1, 6, 6, 1)), ops.MaxPool(2, 2)(img[:1, :1]).reshape((1, "
    "3, 3, 1)), "
    "img[:1, :1, :3, :3].reshape((1, 3, 3, 1)), Tensor([0, 2, 4, 6]), Tensor([0, 2, 4, 6]))",
    "K.FractionalAvgPoolGrad()(Tensor([2, 6, 6, 4]), img.reshape((2, 6, 6, 4))[:, :3, :3], "
    "Tensor([0, 2, 4, 6]), Tensor([0, 2, 4, 6]))",
    f"K.FractionalMaxPoolGradWithFixedKsize()(img, {_POOLED}, {_ARGMAX})",
]  # fmt: skip

_NORMALIZATION = [
    f"K.BatchNormGrad(True)(ops.sin(img * 5), img, logits[0, :4], {_MEAN}, {_VARIANCE}, logits[3, :4])",
    "K.BatchNormGrad(False)(img, img + 1, logits[0, :4], logits[1, :4], logits[2, :4] + 4, logits[3, :4])",
    f"K.BatchNormGradGrad(True)(img, ops.sin(img * 5), logits[0, :4], {_MEAN}, {_VARIANCE}, img * img, "
    "logits[0, :4], logits[1, :4])",
    "K.BatchNormGradGrad(False)(img, img + 1, logits[0, :4], logits[1, :4], logits[2, :4] + 4, img * img, "
    "logits[0, :4], logits[1, :4])",
    "K.LayerNormGrad(1, 1)(x, y, ops.LayerNorm(1, 1)(x, v, v)[2], ops.LayerNorm(1, 1)(x, v, v)[1], v)",
    "K.LayerNormGrad(-1, -1)(z, z * z, Tensor(z.asnumpy().var(-1, keepdims=True)), "
    "Tensor(z.asnumpy().mean(-1, keepdims=True)), m[0])",
    "K.LayerNormGradGrad(1, 1)(x, y, Tensor(x.asnumpy().var(1, keepdims=True)), Tensor(x.asnumpy().mean(1, "
    "keepdims=True)), v, x, v, v)",
    "K.InstanceNormGrad(1e-5)(img, img + 1, logits[0, :4], logits.reshape((20,))[:8], logits.reshape((20,))[8:16] + 4)",
    "K.InstanceNormV2Grad()(img * img, img, img[:, :, :1, :1], img[:, :, 1:2, :1], img[:, :, 1:2, 1:2] + 4, "
    "Tensor(img.asnumpy().mean((2, 3), keepdims=True)), Tensor(img.asnumpy().var((2, 3), keepdims=True) ** -0.5))",
    "K.InstanceNormV2Grad(False)(img + 1, img, img[:, :, :1, :1], img[:, :, 1:2, :1], img[:, :, 1:2, 1:2] + 4, "
    "img[:, :, 1:2, :1], img[:, :, 1:2, 1:2] + 4)",
    "K.LRNGrad(2, 1.0, 0.1, 0.5)(img, img + 1, ops.LRN(2, 1.0, 0.1, 0.5)(img + 1))",
    f"K.GroupNormGrad()(img * img, img, {_GROUPS}.mean(-1)), {_GROUPS}.std(-1) ** -1), logits[2, :4], 2)",
    "K.LayerNormGradExt()(y, x, (3,), p[:, :1], q[:, :1], v, v)", "K.RmsNormGrad()(y, x, q[:, :1], v)",
]  # fmt: skip

_IMAGES = [
    f"K.GridSampler2DGrad()({_POOLED}, img, {_GRID})",
    f"K.GridSampler2DGrad('nearest', 'border', True)({_POOLED}, img, {_GRID})",
    f"K.GridSampler3DGrad()({_VOL}[:, :, :1, :3, :3], {_VOL}, ker.reshape((36, 3))[:9].reshape((1, 1, 3, 3, 3)))",
    f"K.ResizeBilinearGrad()(img, {_POOLED})", f"K.ResizeBilinearGrad(True)(img, {_POOLED})",
    f"K.ResizeBilinearGrad(False, True)(img, {_POOLED})", f"K.ResizeBicubicGrad()(img, {_POOLED})",
    f"K.ResizeBicubicGrad(False, True)(img, {_POOLED})",
    "K.ResizeLinear1DGrad()(sig, sig[:, :, :4])", "K.ResizeLinear1DGrad('half_pixel')(sig, sig[:, :, :4])",
    "K.ResizeNearestNeighborGrad()(img, (3, 4))", "K.ResizeNearestNeighborGrad(True)(img, (3, 4))",
    "K.ResizeNearestNeighborV2Grad()(img, Tensor([3, 4], ms.int32))",
    "K.ResizeNearestNeighborV2Grad(True)(img, Tensor([3, 4], ms.int32))",
    "K.ResizeNearestNeighborV2Grad(False, True)(img, Tensor([3, 4], ms.int32))",
    f"K.UpsampleNearest3DGrad()({_VOL}, (1, 2, 2, 3, 3), (4, 6, 6), None)",
    f"K.UpsampleTrilinear3DGrad()({_VOL}, (1, 2, 2, 3, 3), (4, 6, 6), None)",
    f"K.UpsampleTrilinear3DGrad(True)({_VOL}, (1, 2, 2, 3, 3), (4, 6, 6), None)",
    "K.UpsampleBilinear2DGrad()(img, (2, 4, 3, 3), (6, 6), None, True)",
    "K.UpsampleNearest2DGrad()(img, (2, 4, 3, 3), (6, 6), None)",
    "K.ROIAlignGrad(2, 2, 1.0, 2)(img[:1, :, :2, :2], Tensor([[0, 1.0, 1.0, 4.0, 4.0]], ms.float32), (2, 4, 6, 6))",
    "K.ScaleAndTranslateGrad('triangle')(img[:, :3, :, :].reshape((2, 6, 6, 3)), img[:, :1, :, :].reshape((2, 6, 6, 1))"
    "[:, :3, :3].broadcast_to((2, 3, 3, 3)), Tensor([2.0, 2.0], ms.float32), Tensor([0.0, 0.0], ms.float32))",
    "K.Dilation2DBackpropInput((1, 1), (1, 1), 'VALID')(img, ker[0][None].reshape((4, 3, 3)), img[:, :, :4, :4])",
    "K.Dilation2DBackpropFilter((1, 1), (1, 1), 'VALID')(img, ker[0][None].reshape((4, 3, 3)), img[:, :, :4, :4])",
    "K.Conv2DBackpropFilter(3, (3, 3), 'valid')(img[:, :3, :4, :4], img, (3, 4, 3, 3))",
    "K.Conv2DBackpropFilter(3, (3, 3), 'same')(img[:, :3], img, (3, 4, 3, 3))",
    "K.Conv2DBackpropFilter(3, (3, 3), 'pad', 1, (1, 1, 1, 1), 1, (2, 2))(img[:, :3, :3, :3], img, (3, 4, 3, 3))",
    f"K.Conv3DBackpropFilter(2, (2, 2, 2))({_VOL}, {_VOL}[:, :, :3, :5, :5], (2, 2, 2, 2, 2))",
    "K.Conv3DBackpropInput(2, (2, 2, 2))(img.reshape((288,))[:32].reshape((2, 2, 2, 2, 2)), "
    f"{_VOL}[:, :, :3, :5, :5], (1, 2, 4, 6, 6))",
    "K.DepthwiseConv2dNativeBackpropInput(1, (3, 3))((2, 4, 6, 6), ker[:1], img[:, :, :4, :4])",
    "K.DepthwiseConv2dNativeBackpropFilter(1, (3, 3))(img, (1, 4, 3, 3), img[:, :, :4, :4])",
    f"K.DeformableOffsetsGrad((1, 1, 1, 1), (0, 0, 0, 0), (2, 2))(ops.ones((1, 4, 6, 6)) * s, {_SIG}, {_OFFSETS})",
    "K.ConvolutionGrad()(img[:, :3, :4, :4], img, ker, None, (1, 1), (0, 0), (1, 1), False, (0, 0), 1, "
    "(True, True, False))",
]  # fmt: skip

_ALL = _UNARY + _ARITHMETIC + _SHAPES + _LOSSES + _POOLING + _NORMALIZATION + _IMAGES

# MindSpore has no kernels for a CPU of these; `tests/ops/test_gradient_kernels.py` compares them with their forward.
ELSEWHERE = [
    "BinaryCrossEntropyWithLogitsBackward",
    "CholeskyGrad",
    "Col2ImGrad",
    "ConvolutionGrad",
    "DepthwiseConv2dNativeBackpropFilter",
    "DepthwiseConv2dNativeBackpropInput",
    "Dilation2DBackpropFilter",
    "Dilation2DBackpropInput",
    "EinsumGrad",
    "EluGradExt",
    "EmbeddingDenseBackward",
    "FractionalMaxPoolGradWithFixedKsize",
    "GeluGradExt",
    "HardtanhGrad",
    "InstanceNormGrad",
    "KLDivGrad",
    "L1LossBackwardExt",
    "LayerNormGradExt",
    "LeakyReLUGradExt",
    "LogSigmoidGrad",
    "MSELossGradExt",
    "MaxPoolGradWithIndices",
    "MaxUnpool2DGrad",
    "MishGradExt",
    "MultilabelMarginLossGrad",
    "NLLLoss2dGrad",
    "RandomGammaGrad",
    "ReflectionPad1DGrad",
    "ReflectionPad2DGrad",
    "ReflectionPad3DGrad",
    "RepeatInterleaveGrad",
    "ReplicationPad1DGrad",
    "ReplicationPad2DGrad",
    "ReplicationPad3DGrad",
    "RmsNormGrad",
    "SeluGrad",
    "SoftMarginLossGrad",
    "SoftmaxBackward",
    "SoftmaxGrad",
    "SoftplusGradExt",
    "SparseSegmentSumGrad",
    "SwigluGrad",
    "ThresholdGrad",
    "TraceV2Grad",
    "UniqueGrad",
    "UpsampleBilinear2DGrad",
]

CASES = [case for case in _ALL if case[2:].partition("(")[0] not in ELSEWHERE]
