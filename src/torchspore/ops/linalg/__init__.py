"""Linear algebra: products, systems of equations, decompositions, functions of matrices, norms and distances."""
