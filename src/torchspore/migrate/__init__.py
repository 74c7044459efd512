"""Moving networks between PyTorch and MindSpore, and proving them equal.

- `table`: which API of PyTorch corresponds to which of MindSpore; `lookup` says what the table has of a name.
"""

from .table import lookup as lookup
