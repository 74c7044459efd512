"""Programs whose tensors are cut over processes: torch's DTensors below, the program of a single device above.

`placements` says how strategies and layouts cut tensors, `calls` runs the calls of a program. This package is imported
once a program of several processes asks for it.
"""
