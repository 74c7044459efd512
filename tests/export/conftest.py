"""What tests of files share: torch reads the operations that onnxscript knows once, not for each file."""

from __future__ import annotations

import functools

import pytest
from torch.onnx._internal.exporter._registration import onnxscript_apis


@pytest.fixture(autouse=True, scope="session")
def operations_of_onnxscript():
    """Keep them: to read them takes as long as the rest of a small network's export."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(onnxscript_apis, "get_torchlib_ops", functools.cache(onnxscript_apis.get_torchlib_ops))
        yield
