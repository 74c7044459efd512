"""Update rules of optimizers."""
