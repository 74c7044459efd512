"""Where the tests keep compiled graphs, a folder that goes when they end, where their processes meet, and Ctrl-C."""

from __future__ import annotations

import os
import signal
import sys
import tempfile

_folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
os.environ["TORCHSPORE_CACHE_DIR"] = _folder.name
if sys.platform == "linux":
    os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")  # whether or not the machine's name can be resolved

signal.signal(signal.SIGINT, signal.default_int_handler)  # a program in the background is started without it
