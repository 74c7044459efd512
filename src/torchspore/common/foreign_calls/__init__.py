"""Functions of NumPy and torch that programs call with Tensors."""
