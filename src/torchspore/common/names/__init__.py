"""Public and missing names, and those of classes."""
