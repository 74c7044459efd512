"""Samplers, and the random orders of records."""
