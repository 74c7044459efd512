"""Functions of functions, control flow, custom functions, printing, dumping and summaries."""
