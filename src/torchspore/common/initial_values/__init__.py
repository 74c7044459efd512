"""Random arrays and fans for initializers."""
