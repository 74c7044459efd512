"""Rows: values, memory, workers, random numbers, orders and failures."""
