"""The functions of torch.linalg, torch.special and torch.fft."""

from __future__ import annotations

from .row import Row, absent, same

__all__ = ["MATHEMATICS"]

MATHEMATICS: tuple[Row, ...] = (
    *same("torch.linalg", "mindspore.mint.linalg", "matrix_norm vector_norm qr"),
    Row("torch.linalg.inv", "mindspore.mint.linalg.inv", {"A": "input"}),
    Row("torch.linalg.norm", "mindspore.mint.linalg.norm", {"input": "A"}),
    Row("torch.linalg.norm", "mindspore.ops.norm", {"input": "A"}),
    *same("torch.linalg", "mindspore.ops", "cross matmul eig eigvals"),
    *same("torch.linalg", "mindspore.ops", "det slogdet qr matrix_exp matrix_power", arguments={"A": "input"}),
    Row("torch.linalg.inv", "mindspore.ops.inverse", {"A": "input"}),
    Row("torch.linalg.pinv", "mindspore.ops.pinv", {"A": "x"}),
    *same("torch.linalg", "mindspore.ops", "matrix_norm vector_norm", arguments={"dim": "axis", "keepdim": "keepdims"}),
    Row("torch.linalg.cholesky", "mindspore.ops.cholesky", {"A": "input_x"}),
    Row("torch.linalg.cond", "mindspore.ops.cond"),
    Row("torch.linalg.diagonal", "mindspore.ops.diagonal", {"A": "input"}),
    Row(
        "torch.linalg.svd",
        "mindspore.ops.svd",
        {"A": "input"},
        {"driver": "None"},
        note="MindSpore returns (s, u, v), PyTorch (u, s, v transposed).",
    ),
    Row(
        "torch.linalg.svdvals",
        "mindspore.ops.svd",
        mindspore_form="mindspore.ops.svd({A}, compute_uv=False)",
        only_torch={"driver": "None"},
    ),
    Row(
        "torch.linalg.lstsq",
        "mindspore.ops.lstsq",
        {"A": "A", "B": "input"},
        {"rcond": "None", "driver": "None"},
        note="MindSpore returns the solution alone, in a tensor of the height of A.",
    ),
    Row(
        "torch.linalg.solve",
        "mindspore.ops.matrix_solve",
        mindspore_form="mindspore.ops.matrix_solve({A}, {B})",
        only_torch={"left": "True"},
    ),
    Row(
        "torch.linalg.solve_triangular",
        "mindspore.scipy.linalg.solve_triangular",
        mindspore_form=(
            "mindspore.scipy.linalg.solve_triangular({A}, {B}, lower=not {upper}, unit_diagonal={unitriangular})"
        ),
        only_torch={"left": "True"},
    ),
    Row("torch.linalg.eigh", "mindspore.scipy.linalg.eigh", {"A": "a"}, to_mindspore={"lower": "{UPLO} == 'L'"}),
    Row(
        "torch.linalg.eigvalsh",
        "mindspore.scipy.linalg.eigh",
        mindspore_form="mindspore.scipy.linalg.eigh({A}, lower={UPLO} == 'L', eigvals_only=True)",
    ),
    Row("torch.linalg.lu", "mindspore.scipy.linalg.lu", {"A": "a"}, {"pivot": "True"}),
    Row(
        "torch.linalg.vander",
        "mindspore.ops.vander",
        mindspore_form="mindspore.ops.vander({x}, {N})",
        note="MindSpore's powers decrease; flip the last dimension.",
    ),
    Row("torch.linalg.vecdot", "mindspore.ops.vecdot", {"dim": "axis"}),
    Row("torch.linalg.multi_dot", "mindspore.numpy.multi_dot", {"tensors": "arrays"}),
    Row("torch.linalg.householder_product", "mindspore.ops.orgqr", {"A": "input", "tau": "input2"}),
    *absent(
        "torch.linalg",
        "MindSpore has no such function; call the one without _ex, which raises errors.",
        """
        cholesky_ex inv_ex solve_ex lu_factor_ex ldl_factor_ex
    """,
    ),
    *absent(
        "torch.linalg",
        "Compute it with asnumpy(), NumPy and SciPy.",
        """
        ldl_factor ldl_solve lu_factor lu_solve matrix_rank tensorinv tensorsolve
    """,
    ),
    *same("torch.special", "mindspore.mint.special", "erfc exp2 expm1 log1p log_softmax sinc"),
    Row("torch.special.round", "mindspore.mint.special.round"),
    Row("torch.special.round", "mindspore.ops.round"),
    *same(
        "torch.special",
        "mindspore.ops",
        """
        digamma psi:digamma erf erfc erfinv exp2 expm1 i0 log1p logit logsumexp polygamma sinc xlogy zeta
        gammaln:lgamma gammainc:igamma gammaincc:igammac multigammaln:mvlgamma
    """,
    ),
    Row("torch.special.expit", "mindspore.mint.sigmoid"),
    Row("torch.special.softmax", "mindspore.mint.nn.functional.softmax"),
    Row("torch.special.softmax", "mindspore.ops.softmax", {"dim": "axis"}),
    Row(
        "torch.special.log_softmax", "mindspore.ops.log_softmax", {"input": "logits", "dim": "axis"}, {"dtype": "None"}
    ),
    *same("torch.special", "mindspore.ops", "bessel_j0 bessel_j1 bessel_y0 bessel_y1", arguments={"input": "x"}),
    *same(
        "torch.special",
        "mindspore.ops",
        """
        i0e:bessel_i0e i1:bessel_i1 i1e:bessel_i1e modified_bessel_i0:bessel_i0 modified_bessel_i1:bessel_i1
        modified_bessel_k0:bessel_k0 modified_bessel_k1:bessel_k1 scaled_modified_bessel_k0:bessel_k0e
        scaled_modified_bessel_k1:bessel_k1e
    """,
        arguments={"input": "x"},
    ),
    Row("torch.special.entr", "mindspore.mint.xlogy", mindspore_form="-mindspore.mint.xlogy({input}, {input})"),
    Row("torch.special.xlog1py", "mindspore.mint.xlogy", mindspore_form="mindspore.mint.xlogy({input}, {other} + 1)"),
    Row("torch.special.ndtr", "mindspore.mint.erfc", mindspore_form="mindspore.mint.erfc(-{input} * 0.5 ** 0.5) / 2"),
    Row(
        "torch.special.ndtri",
        "mindspore.mint.erfinv",
        mindspore_form="mindspore.mint.erfinv(2 * {input} - 1) * 2 ** 0.5",
    ),
    *absent(
        "torch.special",
        "Compute it with asnumpy() and scipy.special.",
        """
        airy_ai chebyshev_polynomial_t chebyshev_polynomial_u chebyshev_polynomial_v chebyshev_polynomial_w erfcx
        hermite_polynomial_h hermite_polynomial_he laguerre_polynomial_l legendre_polynomial_p log_ndtr
        shifted_chebyshev_polynomial_t shifted_chebyshev_polynomial_u shifted_chebyshev_polynomial_v
        shifted_chebyshev_polynomial_w spherical_bessel_j0
    """,
    ),
    *same(
        "torch.fft",
        "mindspore.ops",
        """
        fft ifft fft2 ifft2 fftn ifftn rfft irfft rfft2 irfft2 rfftn irfftn hfft ihfft hfft2 ihfft2 hfftn ihfftn
        fftfreq rfftfreq fftshift ifftshift
    """,
    ),
)
