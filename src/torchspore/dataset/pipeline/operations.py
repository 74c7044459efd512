"""The operations of datasets, for type checkers and editors.

Modules of operations attach methods to `Dataset` (`dataset.attach`), which knows none of them; `operations.pyi` lists
them (`python tools/write_stubs.py` writes it, a test keeps it in step).
"""


class Operations:
    """The operations that are methods of datasets."""
