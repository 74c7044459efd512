"""Parts of layers: activation, normalization, dropout, embedding."""
