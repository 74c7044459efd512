"""`mint` and `mint.linalg`: products of matrices, and norms."""

CASES = [
    "mint.matmul(x, m)", "mint.matmul(x, v)", "mint.matmul(z, m.reshape((4, 3)))",
    "mint.bmm(m.reshape((1, 3, 4)), m.reshape((1, 4, 3)))", "mint.cross(x, y)", "mint.cross(x, y, 1)",
    "mint.cdist(x, y)", "mint.cdist(x, y, 1.0)", "mint.cdist(x, y, p=3.0)", "mint.linalg.norm(x, ord='nuc')",
    "mint.linalg.matrix_norm(z, 'nuc', (0, 1), True)", "mint.linalg.matrix_norm(m, -2)", "mint.mm(x, v)",
    "mint.mv(x, x)", "mint.bmm(x, m)", "mint.linalg.qr(m, 'a')", "mint.linalg.matrix_norm(m, 3)", "mint.linalg.inv(m)",
    "mint.cdist(x, y, -1.0)", "mint.einsum(1, x)",
]  # fmt: skip
