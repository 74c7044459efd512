"""Differentiation: gradients, other transformations of functions, custom backward."""
