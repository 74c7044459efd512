"""Moving networks between PyTorch and MindSpore, and proving them equal.

- `table`: which API of PyTorch corresponds to which of MindSpore.
- `as_cell`, `as_module`: torch modules in cells, and cells in torch modules.
"""

from torchspore.migrate.mixing import as_cell as as_cell
from torchspore.migrate.mixing import as_module as as_module
