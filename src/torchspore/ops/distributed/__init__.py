"""Processes, groups of them, and what they exchange, over `torch.distributed`."""
