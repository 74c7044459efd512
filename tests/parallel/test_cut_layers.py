"""Layers whose operations have strategies compute in several processes what they do in one, and so does LeNet."""

from __future__ import annotations

import json
import pathlib

import pytest

from processes import outputs_of

PROGRAM = str(pathlib.Path(__file__).with_name("cut_layers.py"))


@pytest.mark.slow
def test_two_processes() -> None:
    for out in outputs_of(PROGRAM):
        found = dict(map(json.loads, out.splitlines()))
        assert len(found) > 30
        assert {name: value for name, value in found.items() if value > (1e-5 if "LeNet" in name else 1e-6)} == {}
