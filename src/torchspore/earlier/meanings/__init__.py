"""Operations, methods and constructors whose arguments or results meant something else in earlier versions."""

from torchspore.earlier.meanings import classes, constructors, datasets, files, members, methods, operations

__all__ = ["classes", "constructors", "datasets", "files", "members", "methods", "operations"]
