"""The committed type stubs are those that `tools/write_stubs.py` writes."""

from __future__ import annotations

import pathlib
import subprocess
import sys

import pytest

TOOL = pathlib.Path(__file__).parent.parent / "tools" / "write_stubs.py"


@pytest.mark.slow
def test_the_stubs_are_in_step():
    done = subprocess.run([sys.executable, str(TOOL), "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
