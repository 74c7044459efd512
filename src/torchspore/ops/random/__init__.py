"""Random numbers: distributions, candidates for sampled losses, draws from a seed and an offset."""
