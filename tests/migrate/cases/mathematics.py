# ruff: noqa: E501
"""Cases of torch.linalg, torch.special and torch.fft, and of what else takes several lines elsewhere."""

from __future__ import annotations

from migrate.cases import family

CASES = {
    **family(
        "torch.special.{}(p)",
        """
        bessel_j0 bessel_j1 bessel_y0 bessel_y1 digamma entr erf erfc erfinv exp2 expit expm1 gammaln i0 i0e i1 i1e log1p
        logit modified_bessel_i0 modified_bessel_i1 modified_bessel_k0 modified_bessel_k1 ndtr ndtri psi round
        scaled_modified_bessel_k0 scaled_modified_bessel_k1 sinc
    """,
    ),
    **family("torch.special.{}(p, q)", "gammainc gammaincc xlogy xlog1py"),
    **family("torch.special.{}(a, 1)", "softmax log_softmax logsumexp"),
    "torch.special.multigammaln": "torch.special.multigammaln(p + 2, 2)",
    "torch.special.polygamma": "torch.special.polygamma(1, p)",
    "torch.special.zeta": "torch.special.zeta(p + 2, q)",
    **family(
        "torch.linalg.{}(spd)",
        """
        cholesky cond det diagonal eigvalsh inv matrix_exp matrix_norm norm pinv slogdet svdvals vector_norm
    """,
    ),
    "torch.linalg.qr": "torch.linalg.qr(spd)[1]",
    "torch.linalg.eig": "torch.linalg.eig(spd)[0]",
    "torch.linalg.eigvals": "torch.linalg.eigvals(spd)",
    "torch.linalg.eigh": "torch.linalg.eigh(spd)[0]",
    "torch.linalg.svd": "torch.linalg.svd(spd)[1]",
    "torch.linalg.cross": "torch.linalg.cross(m, spd, dim=1)",
    "torch.linalg.householder_product": "torch.linalg.householder_product(m, rows[:, 0])",
    "torch.linalg.lstsq": "torch.linalg.lstsq(spd, a)[0]",
    "torch.linalg.lu": "torch.linalg.lu(spd)",
    "torch.linalg.matmul": "torch.linalg.matmul(a, t)",
    "torch.linalg.matrix_power": "torch.linalg.matrix_power(m, 3)",
    "torch.linalg.multi_dot": "torch.linalg.multi_dot([m, a, t])",
    "torch.linalg.solve": "torch.linalg.solve(spd, a)",
    "torch.linalg.solve_triangular": "torch.linalg.solve_triangular(spd, a, upper=True)",
    "torch.linalg.vander": "torch.linalg.vander(v, N=3)",
    "torch.linalg.vecdot": "torch.linalg.vecdot(a, b, dim=1)",
    **family(
        "torch.fft.{}(z)", "fft ifft fft2 ifft2 fftn ifftn fftshift ifftshift hfft hfft2 hfftn irfft irfft2 irfftn"
    ),
    **family("torch.fft.{}(a)", "rfft rfft2 rfftn ihfft ihfft2 ihfftn"),
    **family("torch.fft.{}(6)", "fftfreq rfftfreq"),
    "torch.nn.functional.max_unpool1d": "F.max_unpool1d(a, places, 2)",
    "torch.nn.utils.parameters_to_vector": "nn.utils.parameters_to_vector([a, t])",
    "torch.Tensor.svd": "spd.svd()",
}
