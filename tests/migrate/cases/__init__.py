"""Expressions of PyTorch by name, which the rows of the table convert to MindSpore.

Each module has a table CASES: the full name -> an expression over the inputs of `inputs.py`. Names whose cases follow
from another case are not listed: methods from functions, methods that write from those that do not.
"""

from __future__ import annotations


def family(template: str, names: str) -> dict[str, str]:
    """Return cases of names of one package, in the template's place {}."""
    return {template[: template.index("(")].format(name): template.format(name) for name in names.split()}
