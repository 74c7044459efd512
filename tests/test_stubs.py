"""The committed type stubs are those that `tools/write_stubs.py` writes."""

from __future__ import annotations

import pathlib

import pytest

import preloaded

TOOL = pathlib.Path(__file__).parent.parent / "tools" / "write_stubs.py"


@pytest.mark.slow
def test_the_stubs_are_in_step():
    preloaded.output_of_script(TOOL, "--check")
