"""Operations, methods and constructors whose arguments or results meant something else in earlier versions."""

from torchspore.earlier.meanings import constructors, methods, operations

__all__ = ["constructors", "methods", "operations"]
