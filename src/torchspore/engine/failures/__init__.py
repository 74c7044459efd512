"""Errors of torch and Python, in the words and classes of the API that was called."""
