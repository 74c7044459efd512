"""Graphs become code: generated Python, libraries, CUDA graphs, and their cache on disk."""
