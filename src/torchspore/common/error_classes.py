"""Classes of errors that programs can catch as more than one of Python's.

MindSpore's operations do not agree about the class of an error: a shape that does not fit is a ValueError in older
operations and a RuntimeError in newer ones, a number instead of a tensor a TypeError or an AttributeError. Programs
catch what the operation at hand raised, so that errors of ours in such situations are of all these classes.
"""

from __future__ import annotations

import functools
from typing import Any

__all__ = ["WrongType", "WrongValue", "also", "widened"]


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
    members = {"__module__": kind.__module__, "__str__": kind.__str__, "__reduce__": lambda error: (kind, error.args)}
    return type(kind.__name__, (kind, *others), members)


# For a value of a type that is not accepted, of which some of MindSpore's operations say that it is not a number >= 0,
# not one of some choices, or not a tensor of one element.
WrongType = also(TypeError, ValueError, RuntimeError)
# For a value that some of MindSpore's functions refuse only in their kernels.
WrongValue = also(ValueError, RuntimeError)

_OF_ARGUMENTS = (TypeError, ValueError, RuntimeError)
_SHOWN = (TypeError, ValueError, KeyError, ZeroDivisionError)


def widened(error: Exception) -> Exception:
    """Return the error about an argument so that it can be caught as each class that MindSpore's operations raise.

    Other errors are returned unchanged.
    """
    shown = next((kind for kind in _SHOWN if type(error).__name__ == kind.__name__), None)
    if shown is None or all(isinstance(error, kind) for kind in _OF_ARGUMENTS):
        return error
    rest = [kind for kind in (*_OF_ARGUMENTS, IndexError, AttributeError) if kind is not shown]
    others: Any = [kind for kind in rest if kind in _OF_ARGUMENTS or isinstance(error, kind)]
    wide = also(shown, *others)(*error.args).with_traceback(error.__traceback__)
    wide.__cause__, wide.__suppress_context__ = error.__cause__, True
    return wide
