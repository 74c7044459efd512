"""What a captured function depends on beside its arguments, and what it changes."""
