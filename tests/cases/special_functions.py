"""Bessel functions, the gamma function and its relatives, the zeta function."""

_BESSEL = ("i0", "i0e", "i1", "i1e", "j0", "j1")
_OF_POSITIVE = ("k0", "k0e", "k1", "k1e", "y0", "y1")

CASES = [
    *[f"ops.bessel_{name}(x)" for name in _BESSEL], *[f"ops.bessel_{name}(q)" for name in (*_BESSEL, *_OF_POSITIVE)],
    *[f"ops.bessel_{name}(h)" for name in _BESSEL], *[f"ops.bessel_{name}(d + 1.5)" for name in _OF_POSITIVE],
    *[f"ops.Bessel{name.capitalize()}()(q)" for name in (*_BESSEL, *_OF_POSITIVE)], "ops.bessel_j1(x * 0)", "ops.i0(x)",
    "x.i0()", "ops.digamma(q)", "ops.digamma(p)", "ops.digamma(h)", "q.digamma()", "ops.lgamma(q)", "ops.lgamma(x)",
    "ops.lgamma(i)", "q.lgamma()", "ops.erfinv(p)", "p.erfinv()", "ops.sinc(x)", "ops.sinc(q)", "x.sinc()",
    "ops.sinc(v * 0)", "ops.polygamma(Tensor(1), q)", "ops.polygamma(Tensor(2), q)", "ops.polygamma(Tensor(0), q)",
    "ops.mvlgamma(q + 2, 3)", "ops.mvlgamma(q, 1)", "q.mvlgamma(2)", "ops.igamma(q, q)", "ops.igamma(q, p)",
    "ops.igamma(p, q)", "ops.igamma(d + 2, d + 1.5)", "q.igamma(p)", "ops.igammac(q, p)", "ops.igammac(p, q)",
    "q.igammac(p)", "ops.zeta(q + 1, q)", "ops.zeta(3, q)", "ops.zeta(q + 1, 2)", "ops.zeta(d + 4, d + 2)",
    "ops.Digamma()(q)", "ops.Lgamma()(q)", "ops.Erfinv()(p)", "ops.Sinc()(x)", "ops.Polygamma()(Tensor(1), q)",
    "ops.Mvlgamma(2)(q)", "ops.Igamma()(q, p)", "ops.Igammac()(q, p)", "ops.Zeta()(q + 1, q)",
    "ops.Betainc()(d + 3, d + 1.5, d / 3 + 0.4)", "ops.Betainc()(d + 1, d + 1.5, d / 3 + 0.4)",
    "ops.Betainc()(d + 30, d + 20, d / 3 + 0.4)", "ops.Betainc()(d + 2, d + 3, d / 3 + 0.4)",
    "ops.Betainc()(q, q, p * 0)", "ops.Logit()(p)", "ops.Logit(0.2)(p)", "ops.Logit()(x)",
    # errors
    "ops.bessel_j0('a')", "ops.bessel_k0(w)", "ops.polygamma(Tensor(-1), q)", "ops.polygamma('a', q)",
    "ops.mvlgamma(q, 0)", "ops.mvlgamma(q, 1.5)", "ops.igamma(q, m)", "ops.igamma(i, j)", "ops.zeta('a', q)",
    "ops.Betainc()(q, d, p)", "ops.Betainc()(i, i, i)", "ops.Mvlgamma(0)(q)",
]  # fmt: skip

DIFFERENCES = {
    "ops.polygamma(Tensor(-1), q)": ("there is no such derivative", {"error": "ValueError"}),
    "ops.zeta('a', q)": ("the wrong type of operand is a TypeError", {"error": "TypeError"}),
}
