"""Complex numbers: their parts, and how they are made of them."""

CASES = [
    "ops.real(w)", "ops.real(d)", "ops.real(i)", "w.real()", "ops.imag(w)", "ops.imag(x)", "ops.imag(i)", "w.imag()",
    "ops.conj(w)", "ops.conj(x)", "ops.conj(i)", "w.conj()", "ops.angle(w)", "w.angle()", "ops.adjoint(x)",
    "ops.adjoint(z)", "ops.adjoint(w.reshape(1, 2))", "x.adjoint()", "ops.view_as_real(w)", "ops.polar(q, x)",
    "ops.polar(d, d)", "ops.Real()(w)", "ops.Imag()(w)", "ops.Conj()(w)", "ops.Angle()(w)", "ops.Complex()(x, y)",
    "ops.Complex()(d, d)", "ops.ComplexAbs()(w)", "ops.ConjugateTranspose()(w.reshape(1, 2), (1, 0))",
    "ops.ConjugateTranspose()(x, (1, 0))", "ops.Polar()(q, x)",
    # through complex numbers
    "ops.real(ops.polar(q, x))", "ops.imag(ops.polar(q, x))", "ops.angle(ops.Complex()(x, y))",
    "ops.view_as_real(ops.Complex()(x, y))", "ops.ComplexAbs()(ops.Complex()(x, y))",
    # errors
    "ops.polar(h, h)", "ops.Complex()(x, d)", "ops.Complex()(i, i)", "ops.adjoint(v)", "ops.view_as_real('a')",
    "ops.imag('a')", "ops.conj(3)",
]  # fmt: skip
