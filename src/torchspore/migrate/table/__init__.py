"""Which API of PyTorch corresponds to which of MindSpore: the table that the rewriting of code, `lookup` and the
documentation share.

A row has the two names and what differs between them. Differences of defaults are not written down: they are read from
the two signatures.
"""
