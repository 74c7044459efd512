"""Differentiation scopes: writes that keep the values saved for the backward pass."""
