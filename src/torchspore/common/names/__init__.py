"""Public and missing names, and names of classes."""
