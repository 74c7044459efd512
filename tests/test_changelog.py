"""The changelog has the parts of Keep a Changelog, below the current version first."""

from __future__ import annotations

import itertools
import pathlib
import re

import torchspore

TEXT = (pathlib.Path(__file__).parents[1] / "CHANGELOG.md").read_text(encoding="utf-8")
KINDS = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"]


def test_the_first_version_is_the_current_one():
    versions = re.findall(r"^## \[(.*?)\] - (Unreleased|\d{4}-\d\d-\d\d)$", TEXT, re.MULTILINE)
    assert versions[0][0] == torchspore.__version__
    assert len(versions) == len(re.findall("^## ", TEXT, re.MULTILINE))
    assert all(date != "Unreleased" for _, date in versions[1:])


def test_kinds_of_changes_are_in_order():
    for version in TEXT.split("\n## ")[1:]:
        kinds = re.findall(r"^### (.*)$", version, re.MULTILINE)
        assert [kind for kind in KINDS if kind in kinds] == kinds


def test_no_line_occurs_twice():
    lines = sorted(line for line in TEXT.splitlines() if line.startswith("- "))
    assert [first for first, second in itertools.pairwise(lines) if first == second] == []
