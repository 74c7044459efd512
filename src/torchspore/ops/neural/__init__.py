"""What layers compute element by element or channel by channel: activation, normalization, dropout, embedding."""
