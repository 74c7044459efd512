"""Pooling over windows: sliding, adaptive, fractional, and its inverse."""
