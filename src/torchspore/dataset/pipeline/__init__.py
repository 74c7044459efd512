"""Pipelines: nodes, the state of a pass, and what runs the user's functions."""
