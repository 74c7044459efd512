"""Mixtures of experts, and the quantized products that they use."""
