"""Distances, clipping by norm, overlaps of boxes; differences, integrals, covariances; blocks; windows, spectra."""

_BOXES = (
    "Tensor(np.array([[0, 0, 2, 2], [1, 1, 3, 4]], np.float32)),"
    " Tensor(np.array([[0, 1, 2, 3], [1, 0, 3, 2.5]], np.float32))"
)

CASES = [
    "ops.dist(x, y)", "ops.dist(x, y, 1)", "ops.dist(x, y, 3)", "ops.dist(x, y, 0)", "ops.dist(x, v)", "ops.pdist(x)",
    "ops.pdist(m, 1.0)", "ops.pdist(m, 3.0)", "ops.pdist(m, 0.0)", "ops.pdist(d)", "ops.Pdist(1.0)(m)",
    "ops.cosine_similarity(x, y)", "ops.cosine_similarity(x, y, 0)", "ops.cosine_similarity(x, y, eps=10.0)",
    "ops.cosine_similarity(z, z + 1, 2)", "ops.renorm(x, 2, 0, 1.0)", "ops.renorm(x, 1, 1, 0.5)",
    "ops.renorm(z, 3, -1, 0.5)", "x.renorm(2, 0, 1.0)", "ops.Renorm(2, 0, 0.5)(x)", "ops.clip_by_norm(x, 1.0)",
    "ops.clip_by_norm([x, y], 1.0)", "ops.clip_by_norm((x, y), 100)",
    "ops.clip_by_norm(nan, 1.0, error_if_nonfinite=True)", "ops.clip_by_global_norm([x, y])",
    "ops.clip_by_global_norm((x, y), 0.5)", "ops.clip_by_global_norm((x, y), 100.0)", f"ops.iou({_BOXES})",
    f"ops.iou({_BOXES}, 'iof')", f"ops.IOU()({_BOXES})", "ops.LpNorm(0)(x)", "ops.LpNorm([0, 1], 1)(x)",
    "ops.LpNorm((0,), 3, True)(x)", "ops.LpNorm(0)(x * 0)", "ops.Cdist()(m, m + 1)", "ops.Cdist(1.0)(m, m + 1)",
    # sequences
    "ops.diff(x)", "ops.diff(x, axis=0)", "ops.diff(x, prepend=y)", "ops.diff(v, append=v)", "ops.diff(b)",
    "ops.diff(i)", "x.diff()", "x.diff(axis=0)", "ops.diff_ext(x, 2)", "ops.diff_ext(x, dim=0)", "ops.cov(x)",
    "ops.cov(v)", "ops.cov(x, correction=0)", "ops.cov(x, fweights=Tensor([1, 2, 3]))",
    "ops.cov(x, aweights=Tensor([0.5, 0.25, 0.25]))", "ops.cov(x, aweights=Tensor([0.5, 0.25, 0.25]), correction=0)",
    "ops.cov(x, fweights=Tensor([1, 2, 3]), aweights=Tensor([0.5, 0.25, 0.25]))", "ops.cov(i)", "ops.cov(s)", "x.cov()",
    "ops.trapz(x)", "ops.trapz(x, y)", "ops.trapz(x, v)", "ops.trapz(x, dx=0.5)", "ops.trapz(x, dim=0)", "ops.trapz(i)",
    "ops.vander(v)", "ops.vander(v, 2)", "ops.vander(k)", "ops.bidense(x, y, z.reshape(2, 4, 3)[:, :3])",
    "ops.bidense(x, y, z.reshape(2, 4, 3)[:, :3], v[:2])",
    # blocks
    "ops.unfold(img, 3)", "ops.unfold(img, 3, 1, 1, 2)",
    "ops.unfold(img, (2, 3), dilation=(1, 2), padding=(1, 0), stride=(2, 1))", "img.unfold(3, 1, 1, 2)",
    "ops.fold(ops.unfold(img, 3), Tensor([6, 6], ms.int32), 3)",
    "ops.fold(ops.unfold(img, 3, 1, 1, 2), Tensor([6, 6], ms.int32), 3, 1, 1, 2)",
    "ops.unfold(img, 3).fold(Tensor([6, 6], ms.int32), 3)",
    "ops.col2im(img.reshape(2, 4, 4, 9), Tensor([4, 4], ms.int32), [2, 2], [1, 1], [0, 0], [1, 1])",
    "img.reshape(2, 4, 4, 9).col2im(Tensor([4, 4], ms.int32), [2, 2], [1, 1], [0, 0], [1, 1])",
    "ops.Col2Im([2, 2])(img.reshape(2, 4, 4, 9), Tensor([4, 4], ms.int32))", "ops.Im2Col((2, 2))(img)",
    "ops.Im2Col(3, strides=2, pads=1)(img)",
    # windows
    "ops.bartlett_window(Tensor(5))", "ops.bartlett_window(Tensor(5), False)", "ops.blackman_window(Tensor(5))",
    "ms.vmap(ops.blackman_window)(Tensor([5, 5]))", "ms.vmap(ms.vmap(ops.blackman_window), 1, 1)(Tensor([[5], [5]]))",
    "ops.blackman_window(Tensor(6), False, dtype=ms.float64)", "ops.hamming_window(5)",
    "ops.hamming_window(5, False, 0.5, 0.4)", "ops.hann_window(5)", "ops.hann_window(4, False)", "ops.hann_window(1)",
    "ops.hann_window(0)", "ops.hann_window(5, dtype=ms.float16)", "ops.kaiser_window(5)",
    "ops.kaiser_window(5, False, 3.0)", "ops.kaiser_window(1)", "ops.BartlettWindow()(Tensor(5))",
    "ops.BartlettWindow()(Tensor(1))", "ops.BlackmanWindow(dtype=ms.float64)(Tensor(5))",
    "ops.BlackmanWindow()(Tensor(0))", "ops.HammingWindow()(Tensor([5]))", "ops.HammingWindow(False)(Tensor([5]))",
    # spectra
    "ops.stft(sig[0], 4)", "ops.stft(sig[0], 4, 2, 4)", "ops.stft(sig[0, 0], 4)",
    "ops.stft(sig[0], 4, window=Tensor([0.5, 1.0, 1.0, 0.5]))", "ops.stft(sig[0], 4, 2, 2, window=Tensor([0.5, 1.0]))",
    "ops.stft(sig[0], 4, center=False)", "ops.stft(sig[0], 4, pad_mode='CONSTANT')",
    "ops.stft(sig[0], 4, pad_mode='SYMMETRIC')", "ops.stft(sig[0], 4, normalized=True)",
    "ops.stft(sig[0], 4, onesided=False)", "ops.stft(sig[0], 4, return_complex=True)",
    "ops.STFT(4, 2, 4, False, True, True)(sig[0], Tensor([1.0, 1.0, 1.0, 1.0]))",
    "ops.STFT(4, 2, 4, True, False, False)(sig[0], Tensor([1.0, 1.0, 1.0, 0.5]))",
    # errors
    "ops.stft(sig, 4)", "ops.stft(sig[0], 20)", "ops.stft(sig[0], 4, 0)", "ops.stft(sig[0], 4, 2, 8)",
    "ops.stft(sig[0], 4.0)", "ops.stft(x, 4, center=1)", "ops.stft(sig[0], 4, window=x)",
    "ops.stft(sig[0], 4, pad_mode='reflect')", "ops.pdist(z)", "ops.pdist(m, -1.0)", "ops.pdist('a')",
    "ops.dist(x, y, p=-7)", "ops.dist(x, y, True)", "ops.renorm(x, 0, 0, 1.0)", "ops.renorm(x, True, 0, 1.0)",
    "ops.LpNorm(0, -1)(x)",
    "ops.cosine_similarity(x, m)", "ops.cosine_similarity(x, y, 5)", "ops.renorm(x, 2, 5, 1.0)",
    "ops.clip_by_norm(3, 1.0)", "ops.clip_by_norm(x, 'a')", "ops.clip_by_global_norm((x, y), 0)",
    "ops.clip_by_global_norm(3)", f"ops.iou({_BOXES}, 'a')", "ops.diff(e)", "ops.diff(s)", "ops.diff(x, axis=5)",
    "ops.cov(b)", "ops.cov(z)", "ops.cov(x, fweights=Tensor([1.0, 2.0, 3.0]))", "ops.cov(x, fweights=Tensor([1, 2]))",
    "ops.trapz(x, dim=5)", "ops.trapz('a')", "ops.vander(x)", "ops.vander(v, -1)", "ops.unfold(x, 2)",
    "ops.unfold(img, 0)", "ops.unfold(img, 'a')", "ops.unfold(img, (1, 2, 3))",
    "ops.fold(ops.unfold(img, 3), Tensor([9, 9], ms.int32), 3)", "ops.hann_window(-1)",
    "ops.hann_window(5, dtype=ms.int32)", "ops.hann_window('a')", "ops.bartlett_window(Tensor(-1))",
]  # fmt: skip

_OTHER_ERRORS = {
    "ops.renorm(x, 2, 5, 1.0)": "ValueError",
    "ops.clip_by_norm(3, 1.0)": "TypeError",
    f"ops.iou({_BOXES}, 'a')": "ValueError",
    "ops.diff(s)": "ValueError",
    "ops.diff(x, axis=5)": "ValueError",
}
DIFFERENCES = {
    expression: ("the type of the error follows from what is wrong", {"error": kind})
    for expression, kind in _OTHER_ERRORS.items()
}
