"""Cells over several processes: tensors that are cut, and stages of pipelines."""
