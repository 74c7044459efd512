"""Files that change, vanish or are no files while sources read them, and full disks: errors name the source."""

from __future__ import annotations

import pathlib
import subprocess
import sys

import pytest

import fuzz

pytest.importorskip("PIL")
pytest.importorskip("scipy")


@pytest.mark.slow
def test_troubles_are_named():
    script = pathlib.Path(__file__).with_name("troubled_files.py")
    count = fuzz.inputs(100)
    done = subprocess.run(
        [sys.executable, script, str(fuzz.seeds(1)[0]), str(count)],
        capture_output=True,
        text=True,
        timeout=60 + 2 * count,
        check=False,
    )
    assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)
