"""Attention: fused, sparse, paged, and for inference."""
