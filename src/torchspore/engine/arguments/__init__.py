"""Arguments of operations: what may be given, the conversions, and the errors."""
