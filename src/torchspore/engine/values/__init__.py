"""Nested values: their tensors, and what Python's own types hold."""
