"""Calls become graphs: traced over fake tensors, or recorded while they run."""
