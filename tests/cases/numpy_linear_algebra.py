"""`numpy`: products of vectors and matrices, norms, convolutions; `numpy.fft`."""

_INPUTS = ("v", "x", "z", "i", "w")

CASES = [
    "mnp.dot(v, v)", "mnp.dot(x, v)", "mnp.dot(x, m)", "mnp.dot(z, m.T)",
    "mnp.dot(i, j[0])", "mnp.dot(i, j.T)", "mnp.dot(x, x)", "mnp.dot(s, x)", "mnp.dot(h, h.T)", "mnp.dot(d, d.T)",
    "mnp.dot(m, z[0].T)", "mnp.dot(z, mnp.ones((2, 4, 2)))", "mnp.dot(v, m)", "mnp.dot(k, k)",
    "mnp.inner(v, v)", "mnp.inner(x, v)", "mnp.inner(x, y)", "mnp.inner(z, m)", "mnp.inner(s, x)", "mnp.inner(x, m)",
    "mnp.inner(i, j)", "mnp.outer(v, v)", "mnp.outer(x, v)", "mnp.outer(h, h)", "mnp.outer(v, s)",
    "mnp.matmul(x, m)", "mnp.matmul(x, v)", "mnp.matmul(v, m)", "mnp.matmul(v, v)",
    "mnp.matmul(m, z[0].T)", "mnp.matmul(z, m.T)", "mnp.matmul(x, s)",
    "mnp.matmul(x, m, dtype=ms.float16)", "mnp.matmul(i, j.T)", "mnp.matmul(h, h.T)",
    "mnp.matmul(z, z.swapaxes(1, 2))", "mnp.tensordot(x, m, 1)", "mnp.tensordot(x, y)", "mnp.tensordot(x, y, 0)",
    "mnp.tensordot(z, m, axes=([1, 2], [0, 1]))", "mnp.tensordot(z, x, axes=(1, 1))", "mnp.tensordot(x, m, 2)",
    "mnp.tensordot(i, j)", "mnp.kron(v, x)", "mnp.kron(x, v)", "mnp.kron(i, j)", "mnp.kron([1, 10], [5, 6, 7])",
    "mnp.kron(x, 2)", "mnp.kron(z, x)", "mnp.kron(b, x)", "mnp.kron(v, z)", "mnp.kron(h, x)",
    "mnp.cross(x, y)", "mnp.cross(v, x)", "mnp.cross([1, 2, 3], [4, 5, 6])", "mnp.cross(i[:, :2], j[:, :2])",
    "mnp.cross([1, 2], [4, 5, 6])", "mnp.cross(x.T, y.T, axisa=0, axisb=0)", "mnp.cross(x.T, y.T, axis=0)",
    "mnp.cross(x, y, axisc=0)", "mnp.cross(x[:, :2], y[:, :2])", "mnp.cross(x, m)", "mnp.cross(x, y, axisa=3)",
    "mnp.cross(i, j)", "mnp.cross(x, i)", "mnp.cross(x[:, :1], y)",
    "mnp.trace(m)", "mnp.trace(m, 1)", "mnp.trace(z)", "mnp.trace(z, 0, 1, 2)", "mnp.trace(i)", "mnp.trace(i, 5)",
    "mnp.trace(i, dtype=ms.float64)", "mnp.trace(z, 0, 0, 4)", "mnp.trace(h)",
    "mnp.diagonal(m)", "mnp.diagonal(m, 1)", "mnp.diagonal(m, -2)", "mnp.diagonal(z, 0, 1, 2)", "mnp.diagonal(v)",
    "mnp.diagonal(z, 1, -1, 0)", "mnp.diagonal(m, 7)", "mnp.diagonal(z, 0, 1, 1)",
    "mnp.multi_dot((v, x.T))", "mnp.multi_dot([x, m])", "mnp.multi_dot([x, m, z[0].T, v])",
    "mnp.multi_dot([v, m, z[0].T])",
    "mnp.multi_dot([x, m, m.T, y.T])", "mnp.multi_dot([x])", "mnp.multi_dot([z, x])", "mnp.multi_dot([x, x])",
    "mnp.norm(x)", "mnp.norm(v)", "mnp.norm(z)", "mnp.norm(v, 1)", "mnp.norm(v, 3)", "mnp.norm(v, mnp.inf)",
    "mnp.norm(v, -mnp.inf)", "mnp.norm(v, 0)", "mnp.norm(v, -1)", "mnp.norm(x, 1)", "mnp.norm(x, -1)",
    "mnp.norm(x, mnp.inf)", "mnp.norm(x, -mnp.inf)", "mnp.norm(x, 'fro')", "mnp.norm(x, axis=1)",
    "mnp.norm(x, 3, axis=0, keepdims=True)", "mnp.norm(z, axis=(0, 1))", "mnp.norm(z, 1, axis=(1, 2))",
    "mnp.norm(z, 'fro', (0, 2), True)", "mnp.norm(i)", "mnp.norm([3.0, 4.0])", "mnp.norm(x, 5)", "mnp.norm(v, 'fro')",
    "mnp.norm(z, 1)", "mnp.norm(x, axis=(0, 0))", "mnp.norm(z, axis=(0, 1, 2))", "mnp.norm(x, keepdims=True)",
    "mnp.convolve([1, 2, 3], [0, 1, 0.5])", "mnp.convolve(k, [1, 2])", "mnp.convolve([1, 2, 3, 4], [1, 2], 'same')",
    "mnp.convolve([1, 2, 3, 4], [1, 2], 'valid')", "mnp.convolve([1, 2], [1, 2, 3, 4, 5], 'same')",
    "mnp.convolve(x, v)",
    "mnp.convolve([1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0], 'valid')", "mnp.convolve(v, v, 'a')", "mnp.convolve(k, k)",
    "mnp.convolve(m[0], [1.0, 2.0, 3.0], 'same')", "mnp.convolve([], [1])",
    "mnp.correlate([1.0, 2.0, 3.0], [0.0, 1.0, 0.5])", "mnp.correlate([1.0, 2.0, 3.0], [0.0, 1.0, 0.5], mode='same')",
    "mnp.correlate([1, 2, 3, 4, 5], [1, 2], mode='full')", "mnp.correlate([1, 2], [1, 2, 3, 4, 5], mode='full')",
    "mnp.correlate(v, x[0], 'full')", "mnp.correlate(m[0], v, 'valid')", "mnp.correlate(v, m[0], 'same')",
    "mnp.correlate(x, v)", "mnp.correlate(v, v, 'a')", "mnp.correlate(k, k, 'full')", "mnp.correlate(w, w, 'full')",
    "mnp.matrix_power(m[:, :3], 3)", "mnp.matrix_power(x, 2)",
    # Fourier transforms
    *[f"mnp.fft.{name}({x})" for name in ("fft", "ifft") for x in _INPUTS],
    *[f"mnp.fft.{name}({x})" for name in ("rfft", "ihfft") for x in _INPUTS[:4]],
    *[f"mnp.fft.{name}({x})" for name in ("irfft", "hfft") for x in _INPUTS],
    *[f"mnp.fft.{name}({x})" for name in ("fft2", "ifft2", "fftn", "ifftn") for x in ("x", "z", "i")],
    *[f"mnp.fft.{name}({x})" for name in ("rfft2", "rfftn", "ihfft2") for x in ("x", "z", "i")],
    *[f"mnp.fft.{name}({x})" for name in ("irfft2", "irfftn", "hfft2", "hfftn") for x in ("x", "z", "i")],
    *[
        f"mnp.fft.{name}(z, {arguments})"
        for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
        for arguments in ("6", "3", "axis=0", "5, 1, 'ortho'", "norm='forward'", "norm='backward'")
    ],
    *[
        f"mnp.fft.{name}(z, {arguments})"
        for name in ("fft2", "ifft2", "rfft2", "irfft2", "hfft2", "ihfft2")
        for arguments in ("(2, 3)", "axes=(0, 1)", "norm='ortho'")
    ],
    *[
        f"mnp.fft.{name}(z, {arguments})"
        for name in ("fftn", "ifftn", "rfftn", "irfftn", "hfftn")
        for arguments in ("axes=(0, 2)", "norm='ortho'", "(2, 2), (0, 1), 'forward'")
    ],
    *[f"mnp.fft.{name}(z, (2, 3))" for name in ("fftn", "ifftn", "rfftn")],
    "mnp.fft.ihfftn(x)", "mnp.fft.fft(d)", "mnp.fft.fft(h)", "mnp.fft.rfft(d)", "mnp.fft.irfft(d)",
    "mnp.fft.fft(x, norm='a')", "mnp.fft.fft(x, axis=2)", "mnp.fft.fft(x, 0)", "mnp.fft.fft('a')",
    "mnp.fft.fftfreq(5)", "mnp.fft.fftfreq(4, 0.5)", "mnp.fft.rfftfreq(5)", "mnp.fft.rfftfreq(4, d=2.0)",
    "mnp.fft.fftfreq(4, dtype=ms.float64)", "mnp.fft.fftfreq(2.5)", "mnp.fft.fftshift(v)", "mnp.fft.fftshift(x)",
    "mnp.fft.fftshift(z, 1)", "mnp.fft.fftshift(z, (0, 2))", "mnp.fft.ifftshift(v)", "mnp.fft.ifftshift(x, 1)",
    "mnp.fft.fftshift(i)", "mnp.fft.fftshift(x, 2)", "mnp.fft.fftn(z, (2, 2), (0, 1, 2))", "mnp.fft.fft2(v)",
]  # fmt: skip

DIFFERENCES = {
    "mnp.fft.ihfftn(x)": (
        "MindSpore computes `hfftn`; this is what `ops.ihfftn` gives",
        {"results": [{"shape": [2, 2], "dtype": "Complex64", "values": [0.026, 0, -0.4, -0.2309401, -1.2, 0, 0, 0]}]},
    ),
}
