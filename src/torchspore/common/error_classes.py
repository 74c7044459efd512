"""Classes of errors that programs can catch as more than one of Python's.

MindSpore's operations do not agree about the class of an error: a shape that does not fit is a ValueError in older
operations and a RuntimeError in newer ones, a number instead of a tensor a TypeError or an AttributeError. Programs
catch what the operation at hand raised, so that errors of ours in such situations are of all these classes.
"""

from __future__ import annotations

import functools

__all__ = ["WrongType", "also"]


@functools.cache
def also(kind: type[Exception], *others: type[Exception]) -> type[Exception]:
    """Return a class of errors of a kind, which bears its name, that are of other kinds too.

    In other processes such errors are of the first kind only.

    Args:
        kind: the class that the error shows.
        others: the classes as which it can be caught too.
    """
    if not others:
        return kind
    members = {"__module__": kind.__module__, "__reduce__": lambda error: (kind, error.args)}
    return type(kind.__name__, (kind, *others), members)


# For a value of a type that is not accepted, of which some of MindSpore's operations say that it is not a number >= 0,
# not one of some choices, or not a tensor of one element.
WrongType = also(TypeError, ValueError)
