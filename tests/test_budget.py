"""The counter of lines of code, and that every package stays within its budget."""

from __future__ import annotations

import importlib.util
import pathlib

import pytest

_PATH = pathlib.Path(__file__).parents[1] / "tools/count_lines.py"


@pytest.fixture(scope="module")
def counter():
    spec = importlib.util.spec_from_file_location("count_lines", _PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("", 0),
        ('"""A module."""\n\n# a comment\n', 0),
        ("x = 1  # why\n\n\ny = 2\n", 2),
        ('def f():\n    """Do it.\n\n    Args: none.\n    """\n    return 1\n', 2),
        ('text = """two\nlines"""\n', 2),
        ("x = [\n    1,\n\n    # a comment\n    2,\n]\n", 4),
    ],
)
def test_lines_of_code_are_counted(counter, source, expected):
    assert counter.code_lines(source) == expected


def test_a_package_over_its_budget_is_named(counter):
    assert counter.overruns({"nn": 11, "ops": 5, "new": 1}, {"nn": 10, "ops": 5}) == [
        "'nn' has 11 lines of code, 1 over its budget.",
        "'new' has no budget: add it to [tool.torchspore.budget] in pyproject.toml.",
    ]


@pytest.mark.slow
def test_every_package_is_within_its_budget(counter):
    assert counter.overruns(counter.packages(), counter.budget()) == []
