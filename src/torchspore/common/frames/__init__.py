"""What reads Python's frames, and the objects that its garbage collector tracks."""
