"""What fails with this version of torch, in the table `data/torch_versions.json`."""

from __future__ import annotations

import json
import pathlib

import torch
from packaging.specifiers import SpecifierSet


def gaps() -> dict[str, str]:
    """Return the reason why a test, by its name, or a row of a test, must fail where torch is not 2.13."""
    table = json.loads((pathlib.Path(__file__).parent / "data/torch_versions.json").read_text())
    by_reason = [group for versions, group in table.items() if torch.__version__ in SpecifierSet(versions)]
    return {name: reason for group in by_reason for reason, names in group.items() for name in names}
