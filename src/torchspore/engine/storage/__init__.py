"""Files: read safely, written atomically, encrypted."""
