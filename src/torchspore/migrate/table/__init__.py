"""Which API of PyTorch corresponds to which of MindSpore: the table that the rewriting of code, `lookup` and the
documentation share.

A row has the two names and what differs between them. Differences of defaults are not written down: they are read from
the two signatures.
"""

from .defaults import default_differences as default_differences
from .lookup import Entry as Entry
from .lookup import lookup as lookup
from .row import GENERAL as GENERAL
from .row import Row as Row
from .rows import all_rows as all_rows
from .rows import rows_of as rows_of
from .signatures import find as find
from .signatures import parameters as parameters
from .signatures import signatures as signatures

__all__ = [
    "GENERAL", "Entry", "Row", "all_rows", "default_differences", "find", "lookup", "parameters", "rows_of",
    "signatures",
]  # fmt: skip
