"""What all tests share: where graphs are kept and processes meet, Ctrl-C, and the versions of torch."""

from __future__ import annotations

import gc
import os
import signal
import sys
import tempfile

import numpy as np
import pytest
import torch

import torch_versions
from torchspore.common import device, mode
from torchspore.engine.capture.compiling import library

if "PYTEST_XDIST_WORKER" not in os.environ:  # the workers of a run share their compiled graphs
    _folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
    os.environ["TORCHSPORE_CACHE_DIR"] = _folder.name
if sys.platform == "linux":
    os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")  # whether or not the machine's name can be resolved

torch.backends.cudnn.allow_tf32 = False  # the figures are float32's
collect_ignore = [] if torch.cuda.is_available() else ["gpu"]

signal.signal(signal.SIGINT, signal.default_int_handler)  # a program in the background is started without it


def pytest_collection_modifyitems(items):
    """Expect tests to fail where a version of torch other than 2.13 differs."""
    gaps = torch_versions.gaps()
    for item in items:
        if item.nodeid in gaps:
            item.add_marker(pytest.mark.xfail(reason=gaps[item.nodeid], strict=True))


@pytest.fixture(autouse=True)
def same_device_and_mode():
    """Leave the device in use and the mode as they were."""
    before = device._current, mode.graph
    yield
    device._current, mode.graph = before


@pytest.fixture
def compiling_here(monkeypatch):
    """Compile graphs in this process: the code is the same, and takes a tenth of the time of a library."""
    monkeypatch.setattr(library, "is_possible", lambda *args: False)


@pytest.fixture(autouse=True, scope="module")
def old_objects_frozen():
    """Keep the collected tests, over a million objects, out of the garbage collector, which visits all others.

    A test's search for shared memory may need all objects, and unfreezes them.
    """
    gc.collect()
    gc.freeze()


def pytest_runtest_setup(item):
    """Let each test start from the same initial values, whose seeds come from NumPy."""
    np.random.seed(0)
