"""Process groups and communication, over `torch.distributed`."""
