"""Loss functions and measures of classification."""
