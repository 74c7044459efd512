"""`scipy`: cosine transforms, linear algebra, optimisation."""

_A = "mnp.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 2.0]])"  # symmetric and positive definite
_I = "mnp.array([[4, 1], [1, 3]])"

CASES = [
    *[
        f"msp.fft.{name}({arguments})"
        for name in ("dct", "idct")
        for arguments in (
            "d[0]", "d, n=5", "d, n=2", "d, axis=0", "z, norm='ortho'", "x, n=5, norm='ortho'", "x, 2, 2, 0, 'ortho'",
            "i", "h", "w",
        )
    ],
    *[
        f"msp.fft.{name}({arguments})"
        for name in ("dctn", "idctn")
        for arguments in (
            "d", "d, axes=(0, 1)", "d, s=(2, 4)", "z, norm='ortho'", "z, s=(3, 3), norm='ortho'", "i",
            "x, 2, (2, 4), (0, 1), 'ortho'",
        )
    ],
    "msp.fft.dct(x, type=3)", "msp.fft.dct(x, norm='forward')", "msp.fft.dct(x, norm='a')", "msp.fft.dct(x, axis=3)",
    "msp.fft.dct(x, norm='backward')", "msp.fft.dct('a')",
    *[f"msp.linalg.{name}({_A})" for name in ("inv", "cho_factor", "cholesky", "lu", "lu_factor")],
    *[f"msp.linalg.{name}({_I})" for name in ("inv", "cholesky", "lu")],
    f"msp.linalg.cholesky({_A}, lower=True)", f"msp.linalg.cho_factor({_A}, lower=True)",
    f"msp.linalg.eigh({_A}, eigvals_only=True)", f"mnp.abs(msp.linalg.eigh({_A}, lower=False)[1])",
    f"mnp.abs(msp.linalg.eigh({_A})[1])", "msp.linalg.lu(m)",
    f"msp.linalg.cho_solve(msp.linalg.cho_factor({_A}), v)", "msp.linalg.lu(v)", "msp.linalg.lu_factor(m)",
    f"msp.linalg.cho_solve(msp.linalg.cho_factor({_A}, lower=True), m)", "msp.linalg.inv(x)", "msp.linalg.inv(v)",
    "msp.linalg.cholesky(m[:, :3])", "msp.linalg.eigh(x)",
    # what lies in the other triangle is not read, and gets no gradient
    *[f"msp.linalg.cho_solve((m[:, :3], {lower}), {b})" for lower in (True, False) for b in ("v", "m")],
    *[f"msp.linalg.eigh(m[:, :3] + mnp.diag(q[0] * k), lower={lower})[0]" for lower in (True, False)],
    *[f"mnp.abs(msp.linalg.eigh(m[:, :3] + mnp.diag(q[0] * k), lower={lower})[1])" for lower in (True, False)],
    "msp.linalg.eigh(m[:, :3] + mnp.diag(q[0] * k), eigvals_only=True)",
    f"msp.linalg.eigh({_A}, mnp.eye(3))", f"msp.linalg.eigh({_A}, eigvals=(0, 1))",
    f"msp.linalg.eigh({_A}, eigvals_only=True, type=2)",
    "msp.linalg.inv(d[:, :2])", "msp.linalg.inv([[1.0]])", "msp.linalg.cholesky('a')",
    "msp.linalg.solve_triangular(m[:, :3], v)", "msp.linalg.solve_triangular(m[:, :3], v, lower=True)",
    "msp.linalg.solve_triangular(m[:, :3], m, trans=1)", "msp.linalg.solve_triangular(m[:, :3], m, trans='T')",
    "msp.linalg.solve_triangular(m[:, :3], v, unit_diagonal=True)",
    "msp.linalg.solve_triangular(m[:, :3], v, 2, True)", "msp.linalg.solve_triangular(m, v)",
    "msp.linalg.solve_triangular(m[:, :3], x)", "msp.linalg.solve_triangular(d[:, :2], d)",
    "msp.linalg.solve_triangular(m[:, :3], m, trans='a')", "msp.linalg.solve_triangular(i[:, :2], i)",
    "msp.linalg.lstsq(m, x.T)", "msp.linalg.lstsq(m.T, m.T)", "msp.linalg.lstsq(m, x.T, driver='gels')",
    "msp.linalg.lstsq(m, x.T, driver='gelsd')", "msp.linalg.lstsq(m, x.T, driver='a')", "msp.linalg.lstsq(m, x)",
    "msp.linalg.block_diag(x, v, s)", "msp.linalg.block_diag(i, k)", "msp.linalg.block_diag(z)",
    "msp.linalg.block_diag(x, i)", "msp.linalg.block_diag()",
    "msp.optimize.linear_sum_assignment(mnp.array([[2, 3, 3], [3, 2, 3], [3, 3, 2]]).astype(ms.float64), False)",
    "msp.optimize.linear_sum_assignment(mnp.array([[2, 3, 3], [3, 2, 3], [3, 3, 2]]).astype(ms.float64), True)",
    "msp.optimize.linear_sum_assignment(d, False)", "msp.optimize.linear_sum_assignment(d.T, True)",
    "msp.optimize.linear_sum_assignment(d, False, Tensor(2))", "msp.optimize.linear_sum_assignment(v, False)",
    "msp.optimize.linear_sum_assignment(d, False, Tensor(1))",
    "msp.optimize.linear_sum_assignment(d.T, True, Tensor(1))",
    "msp.optimize.linear_sum_assignment(x, False)", "msp.optimize.linear_sum_assignment(d, 1)",
    "msp.optimize.minimize(lambda a: ((a - d[0]) ** 2).sum(), d[1], method='BFGS').x",
    "msp.optimize.minimize(lambda a: ((a - v) ** 2).sum(), mnp.zeros(3), method='BFGS').success",
    "msp.optimize.minimize(lambda a, c: ((a - c) ** 2).sum(), mnp.zeros(3), (2.0,), 'BFGS').x",
    "msp.optimize.minimize(lambda a: a.sum(), mnp.zeros((3, 1)), method='BFGS')",
    "msp.optimize.minimize(lambda a: a.sum(), mnp.zeros(3), method='a')",
    "msp.optimize.minimize(lambda a: a.sum(), mnp.zeros(3))",
]  # fmt: skip
