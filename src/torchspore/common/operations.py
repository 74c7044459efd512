"""The class that carries operations as methods: the base of Tensor.

The `op` decorator adds the methods where each operation is defined; `operations.pyi` lists them for editors and type
checkers (`python tools/write_stubs.py` writes it, a test keeps it in step).
"""


class Operations:
    """The operations that are methods of tensors."""

    __slots__ = ()
