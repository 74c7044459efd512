"""What a captured function depends on besides its arguments, and what it changes."""
