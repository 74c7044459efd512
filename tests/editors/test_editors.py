"""Type checkers see what programs for TorchSpore and for MindSpore do wrong, nothing else, and useful types.

In the programs of this folder a comment `# error: MYPY, PYRIGHT` has the names of what the two checkers report of the
line, separated by spaces. In `types_of_expressions.py` the comment of a line is the type that both show.
"""

from __future__ import annotations

import re

import pytest

import type_checkers as checkers

pytestmark = pytest.mark.slow

_EXPECTED = re.compile(r"# error: (.*), (.*)$")
_MODULE = re.compile(r"\b[a-z_][a-z_0-9]*(\.[a-z_][a-z_0-9]*)*\.(?=\w)")


@pytest.fixture(scope="module")
def stubs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stubs")
    checkers.write_stubs(folder)
    return folder


@pytest.fixture(scope="module", params=["mypy", "pyright"])
def reports(request, stubs):
    return request.param, getattr(checkers, request.param)(stubs)


def test_all_mistakes_are_reported_and_nothing_else(reports):
    checker, found = reports
    expected = set()
    for program in (checkers.HERE / "programs").glob("*.py"):
        for number, line in enumerate(program.read_text().splitlines(), 1):
            match = _EXPECTED.search(line)
            if match:
                kinds = match[1 if checker == "mypy" else 2].split()
                expected.update((program.name, number, kind) for kind in kinds)
    reported = {(report.file, report.line, report.kind): report.text for report in found if report.kind != "revealed"}
    unexpected = {place: text for place, text in reported.items() if place not in expected}
    assert (unexpected, expected - reported.keys()) == ({}, set())


def test_types_of_expressions(reports):
    _, found = reports
    revealed = {report.line: _short(report.text) for report in found if report.file == checkers.TABLE.name}
    expected = {}
    for number, line in enumerate(checkers.TABLE.read_text().splitlines(), 1):
        if line.startswith("reveal_type"):
            expected[number] = line.partition("  # ")[2]
    assert len(expected) >= 60
    assert revealed == expected


def test_programs_of_both_names():
    programs = sorted(program.name for program in (checkers.HERE / "programs").glob("*.py"))
    halves = [sum(program.startswith(name) for program in programs) for name in ("mindspore", "torchspore")]
    assert halves == [15, 15]


def _short(text: str) -> str:
    """Return a type without modules; of functions, in pyright's form."""
    return _MODULE.sub("", text).removeprefix("def ")
