"""Tensors as text, and in notebooks."""
