"""Both ways to record a graph."""

from __future__ import annotations

import pytest


@pytest.fixture(params=[True, False], ids=["traced", "live"])
def strict(request):
    """Whether a function is recorded over stand-ins, before anything runs; else while it runs."""
    return request.param
