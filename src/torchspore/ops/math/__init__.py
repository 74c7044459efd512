"""Arithmetic, comparison, reductions and mathematical functions, element by element or along dimensions."""
