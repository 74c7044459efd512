"""Discrete Fourier transforms."""

_OF_ROWS = ("fft", "ifft", "rfft", "ihfft")
_BACK = ("irfft", "hfft")

CASES = [
    *[f"ops.{name}(x)" for name in _OF_ROWS], *[f"ops.{name}(w)" for name in _BACK],
    *[f"ops.{name}(x, 4, 0, 'ortho')" for name in _OF_ROWS], *[f"ops.{name}(x, 4)" for name in _BACK],
    *[f"ops.{name}{more}(x)" for name in (*_OF_ROWS, *_BACK) for more in ("2", "n")],
    *[f"ops.{name}{more}(x, (2, 2), (0, 1), 'forward')" for name in (*_OF_ROWS, *_BACK) for more in ("2", "n")],
    "ops.fftshift(x)", "ops.ifftshift(x)", "ops.ifftshift(v, 0)", "ops.fftfreq(4)", "ops.rfftfreq(4)",
    "ops.rfftfreq(5, 2.0)", "ops.fft('a')", "ops.fft(x, -1)", "ops.fft2(v)",
]  # fmt: skip
