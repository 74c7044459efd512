"""Tensors as arrays: made, reshaped, joined, indexed, sorted, written in place."""
