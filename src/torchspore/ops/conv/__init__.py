"""Convolutions, transposed and deformable ones, and sliding blocks."""
